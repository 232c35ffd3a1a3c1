"""What can be asked in a tactical battle [T-16]."""

from __future__ import annotations

from typing import Literal

from rules.core import conduct
from rules.core.commands import Answer, Command, Ready, TakeBack, TimeExpired, Unready
from rules.core.grid import Cell
from rules.core.rulings import Rewind
from rules.tactical.units import Formation

FacingName = Literal["N", "E", "S", "W"]


class Place(Command, frozen=True, kw_only=True, tag="place"):
    """Put a unit onto the own strip, or move it there [T-3.3]."""

    sealed = True
    unit: str
    at: Cell
    facing: FacingName | None = None
    formation: Formation | None = None


class Move(Command, frozen=True, kw_only=True, tag="move"):
    """March along a path of cells entered, and attack from its last cell if a target is named [T-6.2, T-9.1]."""

    unit: str
    path: tuple[Cell, ...]
    attack: str | None = None


class Attack(Command, frozen=True, kw_only=True, tag="attack"):
    """Run into an enemy in a neighbouring cell [T-9.1]."""

    unit: str
    target: str


class Form(Command, frozen=True, kw_only=True, tag="form"):
    """Change formation [T-5.5]: `extend` says where a line grows, `at` which cell of a line is kept."""

    unit: str
    formation: Formation
    extend: Literal["right", "left"] = "right"
    at: Cell | None = None
    facing: FacingName | None = None


class Wheel(Command, frozen=True, kw_only=True, tag="wheel"):
    """Wheel a line by 90 degrees on its inner end [T-5.6]."""

    unit: str
    to: Literal["right", "left"]


class Face(Command, frozen=True, kw_only=True, tag="face"):
    """Turn to a facing [T-5.7, T-5.8]."""

    unit: str
    facing: FacingName


class Fire(Command, frozen=True, kw_only=True, tag="fire"):
    """Fire at an enemy [T-7, T-8]."""

    unit: str
    target: str
    accept_friendly_fire: bool = False


class Stance(Command, frozen=True, kw_only=True, tag="stance"):
    """Set a stance of an own unit, hidden from the enemy [T-10.4]."""

    sealed = True
    unit: str
    name: Literal["defensive_fire", "answer_charges"]
    value: bool


class EndTurn(Command, frozen=True, kw_only=True, tag="end_turn"):
    """End the own turn [T-4.2]."""


class EndPursuit(Command, frozen=True, kw_only=True, tag="end_pursuit"):
    """Let a retreating enemy go [T-12.3]."""


class Retreat(Command, frozen=True, kw_only=True, tag="retreat"):
    """Order the general retreat; it cannot be taken back [T-12.2]."""

    confirmed: bool = False


class Leave(Command, frozen=True, kw_only=True, tag="leave"):
    """Leave the map over the home edge [T-12.2]."""

    unit: str


class OfferDraw(Command, frozen=True, kw_only=True, tag="offer_draw"):
    """Offer the enemy a draw [T-12.6]."""


COMMANDS: tuple[type[Command], ...] = (
    Place, TakeBack, Ready, Unready, Move, Attack, Form, Wheel, Face, Fire, Stance, Answer, EndTurn, EndPursuit,
    Retreat, Leave, OfferDraw, TimeExpired, *conduct.COMMANDS, Rewind,
)  # fmt: skip
