"""The moderator's desk as plain data: questions with their answers in words, units to choose, lines to rewind to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from battles.rows import decision_words
from rules.core.actors import SIDES, Actor
from rules.core.ruleset import Ruleset
from rules.tactical.units import FORMATION_TITLES
from rules.templatetags.rule_tags import number

FIELDS = {
    "hp": lambda: _("HP"),
    "at": lambda: _("Cell"),
    "facing": lambda: _("Facing"),
    "formation": lambda: _("Formation"),
    "reason": lambda: _("Reason"),
    "seconds": lambda: _("Seconds"),
}
FACINGS = {
    "N": lambda: pgettext("facing", "north"),
    "E": lambda: pgettext("facing", "east"),
    "S": lambda: pgettext("facing", "south"),
    "W": lambda: pgettext("facing", "west"),
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


def pending(view: Any) -> tuple[Pending, ...]:
    """The questions that wait for the moderator, those that hold the battle up first."""
    owed = [d for d in view.decisions if d.owed_by is Actor.MODERATOR]
    return tuple(
        Pending(
            id=decision.id,
            kind=decision.kind,
            title=capfirst(decision_words(decision.kind)),
            text=question_text(view, decision),
            rule=decision.rule,
            choices=tuple((choice, choice_words(view, decision, choice)) for choice in decision.choices),
            default=decision.default,
            blocks=bool(decision.blocks),
        )
        for decision in sorted(owed, key=lambda d: not d.blocks)
    )


def question_text(view: Any, decision: Any) -> SafeString:
    """What is asked, with the names of those whom it is about."""
    names = [format_html('<b class="tx-{}">{}</b>', u.side.value, u.name) for u in _about(view, decision)]
    if decision.kind == "overwhelm" and len(names) > 1:
        text = _("{winner} overwhelmed {loser}. What does the stronger unit lose?")
        return format_html(text, winner=names[0], loser=names[1])
    if decision.kind == "caught_in_retreat" and names:
        return format_html(_("{unit} is in melee while its army leaves the field. What becomes of it?"), unit=names[0])
    if decision.kind == "early_rout" and decision.about and decision.about[0] in view.names:
        side = format_html('<b class="tx-{}">{}</b>', decision.about[0], view.names[decision.about[0]])
        return format_html(_("{side} has lost half of its army and would break now."), side=side)
    texts = {
        "nobody_deployed": _("The time is up, and a side has no unit on the field."),
        "stalemate": _("The battle has come to a dead end. Shall it go on, and if not, who wins?"),
        "overwhelm": _("A unit was overwhelmed. What does the stronger one lose?"),
    }
    return format_html("{}", texts.get(decision.kind, capfirst(decision_words(decision.kind))))


def _about(view: Any, decision: Any) -> list[Any]:
    return [unit for key in decision.about if (unit := view.find(key)) is not None]


def choice_words(view: Any, decision: Any, choice: str) -> str:
    """An answer in words."""
    if decision.kind == "overwhelm":
        loss = float(choice)
        return _("%(loss)s HP") % {"loss": number(loss)} if loss else _("Nothing")
    if choice in view.names:
        return _("%(side)s wins") % {"side": view.names[choice]}
    words = {
        "restart": _("Deploy again, with the whole time"),
        "go_on": _("Go on"),
        "close": _("End the battle without a winner"),
        "captured": _("Captured"),
        "scattered": _("Scattered"),
        "withdrawn": _("Withdrawn"),
        "rout": _("The army breaks"),
        "fight_on": _("It fights on"),
        "draw": _("A draw"),
    }
    if decision.kind == "nobody_deployed" and choice == "go_on":
        return _("Go on with those who are there")
    return words.get(choice, capfirst(choice.replace("_", " ")))


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


def facing_choices(rules: Ruleset) -> list[tuple[str, str]]:
    """The facings of the ruleset in words."""
    return [(facing, capfirst(FACINGS[facing]()) if facing in FACINGS else facing) for facing in rules.facings]


def formation_choices() -> list[tuple[str, str]]:
    """The formations in words."""
    return [(formation.value, capfirst(_(title))) for formation, title in FORMATION_TITLES.items()]


def field_words(field: str) -> str:
    """A field of a unit or a ruling, as people call it."""
    return FIELDS[field]() if field in FIELDS else field


ASKING = frozenset({"confirm_rewind", "confirm_retreat"})  # these only ask whether one means it


class RefusedRow(NamedTuple):
    """A command that was refused, for the table "it would not let me"."""

    at: Any
    who: str
    side: str
    order: str
    refusal: Any


ORDERS = {
    "place": lambda: pgettext("order", "place"),
    "take_back": lambda: pgettext("order", "take back"),
    "ready": lambda: pgettext("order", "ready"),
    "unready": lambda: pgettext("order", "not ready"),
    "move": lambda: pgettext("order", "march"),
    "attack": lambda: pgettext("order", "attack"),
    "form": lambda: pgettext("order", "change formation"),
    "wheel": lambda: pgettext("order", "wheel"),
    "face": lambda: pgettext("order", "turn"),
    "fire": lambda: pgettext("order", "fire"),
    "stance": lambda: pgettext("order", "stance"),
    "answer": lambda: pgettext("order", "answer"),
    "end_turn": lambda: pgettext("order", "end the turn"),
    "end_pursuit": lambda: pgettext("order", "end the pursuit"),
    "retreat": lambda: pgettext("order", "general retreat"),
    "leave": lambda: pgettext("order", "leave the map"),
    "offer_draw": lambda: pgettext("order", "offer a draw"),
    "edit_unit": lambda: pgettext("order", "change a unit"),
    "rewind": lambda: pgettext("order", "rewind"),
    "close_battle": lambda: pgettext("order", "end the battle"),
    "stop_clock": lambda: pgettext("order", "stop the clock"),
    "start_clock": lambda: pgettext("order", "let the clock go on"),
    "extend_clock": lambda: pgettext("order", "more time"),
    "restart_clock": lambda: pgettext("order", "the whole time again"),
}


def refused_rows(lines: Iterable[Any], view: Any) -> tuple[RefusedRow, ...]:
    """Refused commands with the order and its unit in words."""
    found = []
    for line in lines:
        if line.key in ASKING:
            continue
        kind = str(line.body.get("type", ""))
        unit = view.find(str(line.body.get("unit", ""))) if view is not None else None
        words = ORDERS[kind]() if kind in ORDERS else kind.replace("_", " ")
        order = f"{unit.name}: {words}" if unit is not None else capfirst(words)
        figures = {k: field_words(str(v)) if k == "field" else v for k, v in line.figures.items()}
        found.append(RefusedRow(line.at, line.who, line.actor.value, order, line._replace(figures=figures)))
    return tuple(found)
