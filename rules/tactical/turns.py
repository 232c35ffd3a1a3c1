"""Turns begin and end: melee, early rout, victory, the other side's turn [T-4.2]."""

from __future__ import annotations

from rules.core.actors import Side
from rules.core.commands import Command
from rules.core.resolution import Resolution
from rules.tactical import checks, melee, victory
from rules.tactical import rulebook as book
from rules.tactical.events import TurnEnded, TurnStarted
from rules.tactical.state import CloseTurn, TacticalState


def start(turn: Resolution[TacticalState], side: Side) -> None:
    """A side's turn begins; numbers go up by one at each [T-4.1]."""
    seconds = turn.state.parameters.turn_seconds
    turn.tell(TurnStarted(rule=book.ALTERNATION.id, turn=turn.state.turn + 1, side=side, seconds=seconds))


def end_turn(turn: Resolution[TacticalState], command: Command) -> None:
    """The side to move ends its turn."""
    checks.own_turn(turn, command.by.side)
    close(turn, expired=False)


def close(turn: Resolution[TacticalState], *, expired: bool) -> None:
    """A turn ends: exchanges, then early rout and victory as steps, for a question may come between [T-4.2]."""
    side = turn.state.mover
    assert side is not None
    turn.tell(TurnEnded(rule=book.TURN.id, turn=turn.state.turn, side=side, expired=expired))
    for offer in [d for d in turn.state.decisions if d.kind == "draw_offer" and d.owed_by.side is side]:
        victory.lapse(turn, offer)
    melee.fight(turn)
    turn.agenda += [CloseTurn(stage="rout"), CloseTurn(stage="victory")]


def take(turn: Resolution[TacticalState], step: CloseTurn) -> None:
    """What remains of a turn's end."""
    if step.stage == "rout":
        victory.early_rout(turn)
        return
    victory.judge(turn)
    mover = turn.state.mover
    if turn.state.outcome is None and mover is not None:
        start(turn, mover.enemy)
