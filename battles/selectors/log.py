"""The log in a viewer's own numbers: the entries that carry one for him, each with its sentence."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import msgspec
from django.db.models import QuerySet

from battles.models import Battle, LogEntry
from battles.selectors.access import is_opened, is_revealed
from battles.selectors.sight import NUMBERS, names_for, rules_of
from rules.core.actors import Actor, Side, Viewer
from rules.core.codec import read_event, tag
from rules.core.errors import UnknownEvent
from rules.core.events import DeploymentSeen, Event, Rewound
from rules.core.text import Sentence, gettext_noop
from rules.core.view import Names

PAGE = 40
UNREAD = ("resolution_paused",)


class LogLine(NamedTuple):
    """A line of the log: the viewer's own number, what happened as a sentence, by which rule, who did it and when.

    `number` is the moderator's, and None for all others while the battle runs.
    """

    no: int
    number: int | None
    kind: str
    rule: str
    turn: int
    side: Side | None
    sentence: Sentence
    at: datetime
    ruling: bool
    abandoned: bool
    dice: bool


class LogPage(NamedTuple):
    """Lines in reading order, and the number before which the next older page begins (None: there is none)."""

    lines: tuple[LogLine, ...]
    older: int | None


def number_of(battle: Battle, viewer: Viewer) -> str:
    """The column that holds the viewer's line numbers."""
    return "number" if is_opened(battle) else NUMBERS[viewer]


def visible_log(battle: Battle, viewer: Viewer) -> QuerySet[LogEntry]:
    """The entries that the viewer may see."""
    entries = LogEntry.objects.filter(battle=battle)
    field = number_of(battle, viewer)
    return entries if field == "number" else entries.filter(**{f"{field}__isnull": False})


def log_page(
    battle: Battle,
    viewer: Viewer,
    *,
    before: int | None = None,
    limit: int = PAGE,
    turn: int | None = None,
    side: Side | None = None,
    only: str = "",
    rule: str = "",
    names: Names | None = None,
) -> LogPage:
    """The newest lines of the log that the viewer may see, or those before a line.

    `only` is "dice" or "rulings". Two queries at most, whatever the length of the log.
    """
    field = number_of(battle, viewer)
    entries = visible_log(battle, viewer).exclude(kind__in=UNREAD)
    if before is not None:
        entries = entries.filter(**{f"{field}__lt": before})
    if turn is not None:
        entries = entries.filter(turn=turn)
    if side is not None:
        entries = entries.filter(side=side.value)
    if only == "dice":
        entries = entries.filter(kind="dice_thrown")
    elif only == "rulings":
        entries = entries.filter(actor=Actor.MODERATOR.value, kind__in=ruling_kinds(battle))
    if rule:
        entries = entries.filter(rule=rule)
    found = list(entries.order_by(f"-{field}")[: limit + 1])
    older = getattr(found[limit - 1], field) if len(found) > limit else None
    shown = found[:limit][::-1]
    if names is None:
        names = names_for(battle, viewer)
    if any(entry.abandoned for entry in shown) and not is_revealed(battle):
        names = _with_revealed(battle, viewer, names)
    lines = (_line(battle, viewer, entry, getattr(entry, field), names) for entry in shown)
    return LogPage(tuple(line for line in lines if line is not None), older)


def ruling_kinds(battle: Battle) -> frozenset[str]:
    """The kinds of entries that are a moderator's word when he gives them."""
    return frozenset(tag(kind) for kind in rules_of(battle).events if kind.ruling)


def _with_revealed(battle: Battle, viewer: Viewer, names: Names) -> Names:
    """After a rewind into the deployment: the names that an abandoned reveal has shown already."""
    reveals = visible_log(battle, viewer).filter(kind="deployment_revealed").order_by("-number")
    entry = reveals.first()
    if entry is None:
        return names
    event = read_event(rules_of(battle), entry.body, entry.number)
    shown = event.units if isinstance(event, DeploymentSeen) and hasattr(event, "units") else ()
    known = {unit.key: (unit.name, unit.side) for unit in shown}
    return Names(units={**known, **names.units}, sides=names.sides)


def _line(battle: Battle, viewer: Viewer, entry: LogEntry, no: int, names: Names) -> LogLine | None:
    rules = rules_of(battle)
    whole = viewer is Viewer.MODERATOR or is_opened(battle)
    try:
        event: Event = read_event(rules, entry.body, entry.number if whole else no)
    except UnknownEvent as unknown:
        sentence: Sentence | None = Sentence(
            gettext_noop("This version of the program cannot read this entry: %(kind)s"), {"kind": unknown.kind[:40]}
        )
    else:
        if isinstance(event, Rewound) and not whole:
            event = msgspec.structs.replace(event, to=(entry.places or {}).get(viewer.value, no))
        sentence = rules.narrate(event, names)
    if sentence is None:
        return None
    return LogLine(
        no=no,
        number=entry.number if whole else None,
        kind=entry.kind,
        rule=entry.rule,
        turn=entry.turn,
        side=Side(entry.side) if entry.side else None,
        sentence=sentence,
        at=entry.at,
        ruling=entry.actor == Actor.MODERATOR.value and entry.kind in ruling_kinds(battle),
        abandoned=entry.abandoned,
        dice=entry.kind == "dice_thrown",
    )
