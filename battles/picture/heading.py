"""What stands above the board: whose move it is, how much time is left, what is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from battles.dress import DRESS
from battles.dress.parts import Words, said
from battles.geometry import px
from rules.core.actors import Side


def clock_text(seconds: float) -> str:
    """`3:42`, `1:05:00`."""
    whole = max(0, int(seconds + 0.999))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


class Clock(NamedTuple):
    """A clock as the banner shows it."""

    key: str
    text: str
    left: str
    total: int
    due: str
    running: bool
    part: str
    ring: str
    answer: bool


def clock(clocks: Iterable[Any]) -> Clock | None:
    """The clock that matters now: a question's before the phase's."""
    readings = sorted(clocks, key=lambda reading: not reading.key.startswith("answer"))
    if not readings:
        return None
    reading = readings[0]
    part = max(0.0, min(1.0, reading.seconds_left / reading.total)) if reading.total else 0.0
    return Clock(
        key=reading.key,
        text=clock_text(reading.seconds_left),
        left=f"{max(0.0, reading.seconds_left):.2f}",
        total=reading.total,
        due=reading.due_at.isoformat() if reading.due_at else "",
        running=reading.running,
        part=px(part * 100),
        ring=px(part * 175.9),
        answer=reading.key.startswith("answer"),
    )


REASONS: Words = {"ruling": lambda: _("the moderator's ruling")}


def reason_words(reason: str, ruleset_id: str) -> str:
    """Why a battle ended."""
    return said({**REASONS, **DRESS[ruleset_id].words.reasons}, reason)


def mover(view: Any) -> Side | None:
    """The side whose move it is, if one alone may act."""
    sides = view.phase.sides
    return next(iter(sides)) if view.phase.name != "deployment" and len(sides) == 1 else None


def banner(battle: Any, view: Any) -> dict[str, Any]:
    """What stands above the board: whose move it is, what is asked, what remains to be done."""
    side, moving = view.side, mover(view)
    placed = [u for u in view.units if u.side is side and u.at is not None]
    mine = [u for u in view.units if u.side is side]
    pending = [d for d in view.decisions if d.blocks]
    return {
        "name": battle.name,
        "phase": view.phase.name,
        "turn": view.turn,
        "side": side.value if side else "",
        "mover": moving.value if moving else "",
        "mover_name": view.names[moving.value] if moving else "",
        "yours": side is not None and moving is side,
        "red": view.names["red"],
        "blue": view.names["blue"],
        "placed": len(placed),
        "total": len(mine),
        "ready": side in view.ready,
        "enemy_ready": side is not None and side.enemy in view.ready,
        "enemy": view.names[side.enemy.value] if side else "",
        "idle": len(DRESS[battle.ruleset].idle(view)),
        "blocked": side is not None and any(side in d.blocks for d in pending),
        "pending": bool(pending),
        "moderator_asked": any(d.owed_by.value == "moderator" for d in pending),
        "winner": view.outcome.winner.value if view.outcome and view.outcome.winner else "",
        "winner_name": view.names[view.outcome.winner.value] if view.outcome and view.outcome.winner else "",
        "over": view.outcome is not None,
        "reason": reason_words(view.outcome.reason, battle.ruleset) if view.outcome else "",
        "stopped": view.clock_stopped,
    }


class Question(NamedTuple):
    """An open question: what is asked, of whom, and the answers with their words."""

    id: str
    kind: str
    rule: str
    mine: bool
    text: SafeString
    choices: tuple[tuple[str, str], ...]
    main: str
    waiting: str


def questions(view: Any, ruleset_id: str) -> tuple[Question, ...]:
    """The open questions that the viewer knows of; his own can be answered."""
    found = []
    dress = DRESS[ruleset_id]
    for decision in view.decisions:
        mine = view.side is not None and decision.owed_by.side is view.side
        owed = decision.owed_by.side
        found.append(
            Question(
                id=decision.id,
                kind=decision.kind,
                rule=decision.rule,
                mine=mine,
                text=dress.question(view, decision),
                choices=tuple((c, capfirst(said(dress.words.choices, c))) for c in decision.choices),
                main=next((c for c in decision.choices if c != decision.default), decision.default),
                waiting=(
                    _("%(side)s has to answer.") % {"side": view.names[owed.value]}
                    if owed
                    else _("The moderator has to answer.")
                ),
            )
        )
    return tuple(found)
