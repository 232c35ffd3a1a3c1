"""The moderator's commands, answered by the core for every ruleset [G-2].

Those on the state go through `decide` like any command; `Rewind` is a ruling on the history and goes to
`rules.core.replay.revise`.
"""

from __future__ import annotations

from rules.core.actors import Side
from rules.core.commands import Command

FieldValue = int | float | str | bool | None


class Ruling(Command, frozen=True, kw_only=True):
    """A moderator's command: who gave it, by name, and why. The door sets the author."""

    author: str = ""
    reason: str = ""


class EditUnit(Ruling, frozen=True, kw_only=True, tag="edit_unit"):
    """Set fields of a unit; cells are given by their labels, None takes it off the board."""

    unit: str
    changes: dict[str, FieldValue]


class CloseBattle(Ruling, frozen=True, kw_only=True, tag="close_battle"):
    """End the battle with a winner, or without one."""

    winner: Side | None = None


class StopClock(Ruling, frozen=True, kw_only=True, tag="stop_clock"):
    """Stop all clocks; what is left of their time is kept."""

    sealed = True


class StartClock(Ruling, frozen=True, kw_only=True, tag="start_clock"):
    """Let stopped clocks go on."""

    sealed = True


class ExtendClock(Ruling, frozen=True, kw_only=True, tag="extend_clock"):
    """Give every clock that is there so many seconds more."""

    sealed = True
    seconds: int


class RestartClock(Ruling, frozen=True, kw_only=True, tag="restart_clock"):
    """Give the phase its whole time again."""

    sealed = True


class Rewind(Ruling, frozen=True, kw_only=True, tag="rewind"):
    """Take the battle back to before log entry `to`."""

    to: int
    confirmed: bool = False
