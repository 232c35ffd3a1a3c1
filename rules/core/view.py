"""What somebody who looks at a battle may have of it."""

from __future__ import annotations

import msgspec

from rules.core.actors import Side, Viewer
from rules.core.board import Board
from rules.core.state import Outcome, Phase
from rules.core.timers import Decision, Timer


class View(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The common part of every ruleset's view: built from what the viewer may have, nothing else."""

    viewer: Viewer
    board: Board
    phase: Phase
    turn: int
    ready: frozenset[Side]
    decisions: tuple[Decision, ...]
    timers: tuple[Timer, ...]
    clock_stopped: bool
    outcome: Outcome | None

    @property
    def side(self) -> Side | None:
        """The army of the viewer, if he has one."""
        return self.viewer.side


class Names(msgspec.Struct, frozen=True, kw_only=True):
    """What narration may call things: units by key, and the two armies."""

    units: dict[str, tuple[str, Side]]
    sides: dict[Side, str]
