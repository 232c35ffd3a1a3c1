"""The moderator's desk as plain data: questions with their answers in words, units to choose, lines to rewind to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from battles.dress import DRESS
from battles.dress.parts import Words, said
from rules.core.actors import SIDES, Actor
from rules.core.ruleset import Ruleset
from rules.templatetags.rule_tags import number

FIELDS: Words = {
    "at": lambda: _("Cell"),
    "facing": lambda: _("Facing"),
    "reason": lambda: _("Reason"),
    "seconds": lambda: _("Seconds"),
}


class Pending(NamedTuple):
    """A question that the moderator owes an answer to."""

    id: str
    kind: str
    title: str
    text: SafeString
    rule: str
    choices: tuple[tuple[str, str], ...]
    default: str
    blocks: bool


def pending(view: Any, ruleset_id: str) -> tuple[Pending, ...]:
    """The questions that wait for the moderator, those that hold the battle up first."""
    dress = DRESS[ruleset_id]
    owed = [d for d in view.decisions if d.owed_by is Actor.MODERATOR]
    return tuple(
        Pending(
            id=decision.id,
            kind=decision.kind,
            title=capfirst(said(dress.words.decisions, decision.kind)),
            text=dress.ruling_wanted(view, decision),
            rule=decision.rule,
            choices=tuple((choice, dress.choice(view, decision, choice)) for choice in decision.choices),
            default=decision.default,
            blocks=bool(decision.blocks),
        )
        for decision in sorted(owed, key=lambda d: not d.blocks)
    )


def unit_choices(view: Any, rules: Ruleset) -> list[tuple[str, list[tuple[str, str]]]]:
    """The units that can be edited, by side: name, cell and hit points."""
    groups = []
    for side in SIDES:
        units = [u for u in view.units if u.side is side and u.fate is None]
        groups.append((view.names[side.value], [(u.key, _unit_words(u, rules)) for u in units]))
    return [group for group in groups if group[1]]


def _unit_words(unit: Any, rules: Ruleset) -> str:
    now, start = rules.strength(unit)
    place = rules.grid.label(unit.at) if unit.at is not None else pgettext("unit", "not placed")
    return _("%(name)s, %(place)s, %(now)s of %(start)s") % {
        "name": unit.name, "place": place, "now": number(now), "start": number(start)}  # fmt: skip


def field_words(field: str, ruleset_id: str) -> str:
    """A field of a unit or a ruling, as people call it."""
    words = {**FIELDS, **DRESS[ruleset_id].words.fields}
    return words[field]() if field in words else field


ASKING = frozenset({"confirm_rewind", "confirm_retreat"})  # these only ask whether one means it


class RefusedRow(NamedTuple):
    """A command that was refused, for the table "it would not let me"."""

    at: Any
    who: str
    side: str
    order: str
    refusal: Any


ORDERS: Words = {
    "place": lambda: pgettext("order", "place"),
    "take_back": lambda: pgettext("order", "take back"),
    "ready": lambda: pgettext("order", "ready"),
    "unready": lambda: pgettext("order", "not ready"),
    "answer": lambda: pgettext("order", "answer"),
    "edit_unit": lambda: pgettext("order", "change a unit"),
    "rewind": lambda: pgettext("order", "rewind"),
    "close_battle": lambda: pgettext("order", "end the battle"),
    "stop_clock": lambda: pgettext("order", "stop the clock"),
    "start_clock": lambda: pgettext("order", "let the clock go on"),
    "extend_clock": lambda: pgettext("order", "more time"),
    "restart_clock": lambda: pgettext("order", "the whole time again"),
}


def refused_rows(lines: Iterable[Any], view: Any, ruleset_id: str) -> tuple[RefusedRow, ...]:
    """Refused commands with the order and its unit in words."""
    found = []
    orders = {**ORDERS, **DRESS[ruleset_id].words.orders}
    for line in lines:
        if line.key in ASKING:
            continue
        kind = str(line.body.get("type", ""))
        unit = view.find(str(line.body.get("unit", ""))) if view is not None else None
        words = said(orders, kind)
        order = f"{unit.name}: {words}" if unit is not None else capfirst(words)
        figures = {k: field_words(str(v), ruleset_id) if k == "field" else v for k, v in line.figures.items()}
        found.append(RefusedRow(line.at, line.who, line.actor.value, order, line._replace(figures=figures)))
    return tuple(found)
