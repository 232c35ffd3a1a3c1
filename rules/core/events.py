"""Facts that every ruleset can tell: the common events."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from rules.core.actors import EVERYONE, Audience, Side
from rules.core.board import Board
from rules.core.grid import Cell
from rules.core.rulings import FieldValue
from rules.core.timers import Decision, Timer
from rules.core.units import Fate


class Event(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"
):
    """A fact: which rule stands behind it and who may know of it.

    `ruling` marks the kinds that are a moderator's word when he is who asks.
    """

    ruling: ClassVar[bool] = False
    rule: str = ""
    seen_by: Audience = EVERYONE


class BattleOpened(Event, frozen=True, kw_only=True, tag="battle_opened"):
    """The battle begins: what both sides may know, and the hash of the seed."""

    ruleset: str
    rules_version: int
    board: Board
    names: dict[str, str]
    seed_hash: str
    phrases: tuple[str, ...] = ()


class PhaseStarted(Event, frozen=True, kw_only=True, tag="phase_started"):
    """A phase begins: its name, who acts in it, and its clock if it has one."""

    phase: str
    sides: frozenset[Side] = frozenset()
    timer: Timer | None = None


class DiceThrown(Event, frozen=True, kw_only=True, tag="dice_thrown"):
    """A throw: what for, the die, the faces or the lots drawn, and what modified it by name."""

    number: int
    purpose: str
    die: int
    faces: tuple[int, ...] = ()
    picks: tuple[int, ...] = ()
    modifiers: dict[str, int] = {}
    unit: str = ""


class SideReady(Event, frozen=True, kw_only=True, tag="side_ready"):
    """A side is done."""

    side: Side


class SideUnready(Event, frozen=True, kw_only=True, tag="side_unready"):
    """A side is not done any more; `by_change` if changing something took its ready away."""

    side: Side
    by_change: bool = False


class DecisionAsked(Event, frozen=True, kw_only=True, tag="decision_asked"):
    """A question is open."""

    decision: Decision


class DecisionClosed(Event, frozen=True, kw_only=True, tag="decision_closed"):
    """A question is closed: the choice, who made it, and whether time made it."""

    ruling = True
    decision: str
    kind: str
    choice: str
    expired: bool = False
    about: tuple[str, ...] = ()
    author: str = ""
    reason: str = ""


class ResolutionPaused(Event, frozen=True, kw_only=True, tag="resolution_paused"):
    """What remains to be done, kept in the log; nobody reads it. The steps are the ruleset's, as plain data."""

    agenda: tuple[dict[str, object], ...] = ()


class OrderDropped(Event, frozen=True, kw_only=True, tag="order_dropped"):
    """An order that waited could not be carried out any more: the refusal says why."""

    unit: str
    key: str


class UnitRemoved(Event, frozen=True, kw_only=True, tag="unit_removed"):
    """A unit leaves the board for good: how, and why."""

    unit: str
    fate: Fate
    cause: str
    at: Cell | None = None


class BattleEnded(Event, frozen=True, kw_only=True, tag="battle_ended"):
    """It is over: the winner if there is one, and why."""

    ruling = True
    winner: Side | None
    reason: str
    author: str = ""
    why: str = ""


class SeedRevealed(Event, frozen=True, kw_only=True, tag="seed_revealed"):
    """The seed of all dice, shown when the battle is over."""

    seed: str


# rulings


class Change(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One field before and after a ruling; cells by their labels."""

    field: str
    before: FieldValue
    after: FieldValue


class UnitEdited(Event, frozen=True, kw_only=True, tag="unit_edited"):
    """A ruling changed a unit."""

    ruling = True
    unit: str
    changes: tuple[Change, ...]
    author: str
    reason: str


class ClockStopped(Event, frozen=True, kw_only=True, tag="clock_stopped"):
    """The clock stands."""

    ruling = True
    author: str = ""
    reason: str = ""


class ClockStarted(Event, frozen=True, kw_only=True, tag="clock_started"):
    """The clock goes on."""

    ruling = True
    author: str = ""
    reason: str = ""


class ClockExtended(Event, frozen=True, kw_only=True, tag="clock_extended"):
    """More time was given."""

    ruling = True
    seconds: int
    author: str = ""
    reason: str = ""


class ClockRestarted(Event, frozen=True, kw_only=True, tag="clock_restarted"):
    """The phase got its whole time again."""

    ruling = True
    author: str = ""
    reason: str = ""


class Rewound(Event, frozen=True, kw_only=True, tag="rewound"):
    """The battle stands where it stood before entry `to`; what came after is abandoned and stays readable."""

    ruling = True
    to: int
    author: str
    reason: str


class DeploymentSeen(Event, frozen=True, kw_only=True, tag="deployment_seen"):
    """Base of the events that reveal what was hidden: a rewind past one must be confirmed."""
