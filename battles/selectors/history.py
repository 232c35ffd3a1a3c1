"""How a battle came to stand where it does: its log as the engine reads it, and the board after any line."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.http import Http404

from battles.models import Battle, LogEntry, Snapshot, Turn
from battles.selectors.log import number_of
from battles.selectors.sight import rules_of, view_from
from rules.core.actors import Viewer
from rules.core.codec import read_event, read_state
from rules.core.replay import Entry, fold


def read_entries(battle: Battle, entries: Iterable[LogEntry]) -> tuple[Entry, ...]:
    """Entries of the log, in order, as the engine replays them."""
    rules, told, previous = rules_of(battle), [], None
    for entry in entries:
        opens = entry.submission_id != previous
        told.append(Entry(entry.number, read_event(rules, entry.body, entry.number), opens))
        previous = entry.submission_id
    return tuple(told)


def state_at(battle: Battle, number: int) -> Any:
    """The state after an entry, abandoned or not, from the snapshot before it; Http404 if there is none."""
    if not 1 <= number <= battle.version:
        raise Http404("no such entry")
    rules = rules_of(battle)
    snapshot = Snapshot.objects.filter(battle=battle, entry__lte=number).order_by("-entry").first()
    start, state = (snapshot.entry, read_state(rules, snapshot.state)) if snapshot else (0, None)
    rest = LogEntry.objects.filter(battle=battle, number__gt=start, number__lte=number).order_by("number")
    return fold(rules, read_entries(battle, rest), state=state)


def view_at(battle: Battle, viewer: Viewer, no: int) -> Any:
    """What the viewer could see after his line `no`; Http404 if there is no such line."""
    field = number_of(battle, viewer)
    number = LogEntry.objects.filter(battle=battle, **{field: no}).values_list("number", flat=True).first()
    if number is None:
        raise Http404("no such entry")
    return view_from(battle, state_at(battle, number), viewer)


class TurnMark(NamedTuple):
    """A turn that began: its number, the viewer's line at its start, and when that was."""

    turn: int
    no: int
    at: datetime


def turns_of(battle: Battle, viewer: Viewer) -> tuple[TurnMark, ...]:
    """The turns that stand, for jumping through a replay."""
    field = number_of(battle, viewer)
    numbers = {turn.entry: turn for turn in Turn.objects.filter(battle=battle, abandoned=False).defer("state")}
    rows = LogEntry.objects.filter(battle=battle, number__in=numbers).values_list("number", field).order_by("number")
    return tuple(
        TurnMark(numbers[number].number, no, numbers[number].started_at) for number, no in rows if no is not None
    )
