"""What can be asked of every ruleset: the common commands."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from rules.core.actors import Actor


class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """A request. `by` is set by the door from the user's seat or role, never read from a body.

    What only the own side writes is `sealed` and never stale, and so is what the moderator does to the clocks; what
    answers a question is `answering` and is as fresh as the question.
    """

    sealed: ClassVar[bool] = False
    answering: ClassVar[bool] = False
    by: Actor = Actor.CLOCK


class TakeBack(Command, frozen=True, kw_only=True, tag="take_back"):
    """Take a placed unit off the board during deployment."""

    sealed = True
    unit: str


class Ready(Command, frozen=True, kw_only=True, tag="ready"):
    """Say that one is done."""

    sealed = True


class Unready(Command, frozen=True, kw_only=True, tag="unready"):
    """Take one's ready back."""

    sealed = True


class Answer(Command, frozen=True, kw_only=True, tag="answer"):
    """Answer an open question. A moderator's answer is a ruling: the door sets its author, and he gives a reason."""

    answering = True
    decision: str
    choice: str
    author: str = ""
    reason: str = ""


class TimeExpired(Command, frozen=True, kw_only=True, tag="time_expired"):
    """A clock ran out. Only the clock says so; for a clock that does not run it is nothing."""

    timer: str
