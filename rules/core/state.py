"""Where a battle stands."""

from __future__ import annotations

from typing import Any, Self

import msgspec

from rules.core.actors import SIDES, Side
from rules.core.board import Board
from rules.core.timers import Decision, Timer

replace = msgspec.structs.replace


class Phase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A phase's name and the sides that may act in it."""

    name: str
    sides: frozenset[Side] = frozenset()


class Outcome(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How it ended: the winner, or None for a draw or an end without one, and why."""

    winner: Side | None
    reason: str


class BattleState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What every ruleset's state has; frozen through and through."""

    rules_version: int
    board: Board
    phase: Phase
    turn: int = 0
    ready: frozenset[Side] = frozenset()
    decisions: tuple[Decision, ...] = ()
    timers: tuple[Timer, ...] = ()
    clock_stopped: bool = False
    clock_restarts: int = 0
    questions: int = 0
    outcome: Outcome | None = None

    @property
    def active(self) -> frozenset[Side]:
        """The sides that may act now."""
        return self.phase.sides

    def decision(self, id: str) -> Decision | None:
        """The open question of that id."""
        return next((d for d in self.decisions if d.id == id), None)

    def timer(self, key: str) -> Timer | None:
        """The clock of that key."""
        return next((t for t in self.timers if t.key == key), None)

    def blocked(self, side: Side) -> Decision | None:
        """The question that keeps a side from giving orders."""
        return next((d for d in self.decisions if side in d.blocks), None)

    def with_timers(self, timers: tuple[Timer, ...], **changes: Any) -> Self:
        """The same with these clocks, of which those run that should.

        While a question blocks somebody only the clocks of questions run; when the moderator has stopped the clock
        none does.
        """
        state = replace(self, **changes)
        asking = any(d.blocks for d in state.decisions)

        def runs(timer: Timer) -> bool:
            return not state.clock_stopped and (not asking or timer.asks)

        return replace(state, timers=tuple(t if t.running == runs(t) else replace(t, running=runs(t)) for t in timers))


def both_sides() -> frozenset[Side]:
    """RED and BLUE together, as a phase in which both act."""
    return frozenset(SIDES)
