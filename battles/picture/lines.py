"""Lines of the log by turns, dice by their purposes, and the report of a finished battle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from battles.dress import DRESS
from battles.dress.parts import Words, said
from rules.templatetags.rule_tags import number

OPENING_KINDS = frozenset({"battle_opened", "army_mustered", "phase_started"})


class LogBlock(NamedTuple):
    """Lines of the log that belong together: a turn's heading, lines, or an abandoned part that is folded."""

    turn: int
    heading: str
    lines: tuple[Any, ...]
    abandoned: bool


def log_blocks(lines: Iterable[Any], names: Mapping[str, str]) -> tuple[LogBlock, ...]:
    """The lines by turns; abandoned parts apart."""
    found: list[LogBlock] = []
    for line in lines:
        if line.ruling and line.kind in OPENING_KINDS:  # the moderator opens a battle, which is no ruling
            line = line._replace(ruling=False)
        if found and found[-1].turn == line.turn and found[-1].abandoned == line.abandoned:
            found[-1] = found[-1]._replace(lines=(*found[-1].lines, line))
        else:
            heading = turn_words(line.turn, names) if not found or found[-1].turn != line.turn else ""
            found.append(LogBlock(line.turn, heading, (line,), line.abandoned))
    return tuple(found)


def turn_words(turn: int, names: Mapping[str, str]) -> str:
    """`turn 6`, or the deployment before the first one."""
    return _("turn %(turn)s") % {"turn": turn} if turn else _("deployment")


PURPOSES: Words = {"first_move": lambda: _("who moves first")}


def purpose_words(purpose: str, ruleset_id: str) -> str:
    """What a throw was for."""
    return said({**PURPOSES, **DRESS[ruleset_id].words.purposes}, purpose)


STANDS = {
    "intact": lambda: _("intact"),
    "damaged": lambda: _("with losses"),
    "absent": lambda: pgettext("fate of units", "absent"),
    "destroyed": lambda: pgettext("fate of units", "destroyed"),
    "scattered": lambda: pgettext("fate of units", "scattered"),
    "withdrawn": lambda: pgettext("fate of units", "withdrawn"),
    "captured": lambda: pgettext("fate of units", "captured"),
}


class FateLine(NamedTuple):
    """Units of one fate in the report: on the field, and multiplied back where the army had been reduced."""

    fate: str
    words: str
    units: int
    whole: int
    exact: str


class ReportSide(NamedTuple):
    """What the battle cost one army."""

    side: str
    name: str
    brought: int
    reduced: bool
    factor: str
    fates: tuple[FateLine, ...]
    lost: str
    start: str


def reports(view: Any, report: Iterable[Any]) -> tuple[ReportSide, ...]:
    """Both armies' losses as the report shows them."""
    return tuple(
        ReportSide(
            side=r.side.value,
            name=view.names[r.side.value],
            brought=r.brought,
            reduced=r.factor != 1,
            factor=f"{r.factor:g}",
            fates=tuple(
                FateLine(
                    f.fate, STANDS[f.fate]() if f.fate in STANDS else f.fate, f.units, f.whole, f"{round(f.exact, 2):g}"
                )
                for f in r.fates
            ),
            lost=number(r.hp_lost),
            start=number(r.hp_start),
        )
        for r in report
    )
