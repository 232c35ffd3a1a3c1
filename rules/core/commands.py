"""What can be asked of every ruleset: the common commands."""

from __future__ import annotations

import msgspec

from rules.core.actors import Actor


class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """A request. `by` is set by the door from the user's seat or role, never read from a body."""

    by: Actor = Actor.CLOCK


class TakeBack(Command, frozen=True, kw_only=True, tag="take_back"):
    """Take a placed unit off the board during deployment."""

    unit: str


class Ready(Command, frozen=True, kw_only=True, tag="ready"):
    """Say that one is done."""


class Unready(Command, frozen=True, kw_only=True, tag="unready"):
    """Take one's ready back."""


class Answer(Command, frozen=True, kw_only=True, tag="answer"):
    """Answer an open question. A moderator's answer is a ruling: the door sets its author, and he gives a reason."""

    decision: str
    choice: str
    author: str = ""
    reason: str = ""


class TimeExpired(Command, frozen=True, kw_only=True, tag="time_expired"):
    """A clock ran out. Only the clock says so; for a clock that does not run it is nothing."""

    timer: str
