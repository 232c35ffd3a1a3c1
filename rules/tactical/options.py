"""What a side may do: the shapes that `options` returns."""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.core.actors import Side
from rules.core.grid import Cell
from rules.tactical.events import Aspect, Shot
from rules.tactical.units import Formation

Figures = dict[str, str | int | float]


class Refused(msgspec.Struct, frozen=True):
    """Why something is not possible: the refusal key, the rule's id and the figures of the message."""

    key: str
    rule: str
    figures: Figures = {}


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """A cell that a unit can march to: the path of cells entered, the points it costs, those left after it."""

    at: Cell
    path: tuple[Cell, ...]
    points: int
    left: int


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """A predicted exchange: values with their sums by name, the losses of attacker and defender in this exchange,
    their HP after it, and who scatters without one (difference of 4 or more)."""

    attacker: int
    defender: int
    attacker_sum: dict[str, int]
    defender_sum: dict[str, int]
    losses: tuple[float, float]
    after: tuple[float, float]
    overwhelmed: Literal["", "attacker", "defender"] = ""


class AttackOption(msgspec.Struct, frozen=True, kw_only=True):
    """An attack on a target: the march before it (may be empty), the cell it comes from, and what would follow.

    `first_fire` is the loss by defensive fire before contact: `fire_known` tells whether the viewer knows that it
    comes; if not, `exchange` is without and `under_fire` with it (None: the attacker would not arrive).
    `if_met` is the exchange if the charged cavalry rides out, None where it may not answer.
    `overrun` is true for guns, which are destroyed at once.
    """

    target: str
    path: tuple[Cell, ...]
    origin: Cell
    points: int
    aspect: Aspect
    run: int
    onslaught: int
    exchange: Exchange | None
    overrun: bool = False
    first_fire: float = 0.0
    fire_known: bool = False
    under_fire: Exchange | None = None
    if_met: Exchange | None = None


class FireOption(msgspec.Struct, frozen=True, kw_only=True):
    """A shot at a target: how, through which cell and how far, the chance in sixths (6 = sure), the loss of each
    unit that is hit, and whether friends are among them, so that the order must accept it."""

    target: str
    shot: Shot
    at: Cell
    distance: int
    chance: int
    losses: tuple[tuple[str, float], ...]
    friends: tuple[str, ...] = ()


class FormOption(msgspec.Struct, frozen=True, kw_only=True):
    """A formation that a unit can take, with the choices the order names and the cells it would stand on."""

    formation: Formation
    extend: Literal["right", "left"]
    at: Cell | None
    facing: int
    cells: tuple[Cell, ...]


class WheelOption(msgspec.Struct, frozen=True, kw_only=True):
    """A wheel that a line can make, and the cells it would stand on."""

    to: Literal["right", "left"]
    cells: tuple[Cell, ...]
    facing: int


class PlaceOption(msgspec.Struct, frozen=True, kw_only=True):
    """A cell where a unit can be placed in a formation with a facing; `at` is a line's left cell."""

    at: Cell
    formation: Formation
    facing: int


class UnitOptions(msgspec.Struct, frozen=True, kw_only=True):
    """All that one unit may do. `refused` says for each of move, attack, fire, form, wheel, face and leave that is
    wholly impossible why; `refused_targets` says why an enemy cannot be fired at or attacked, by (order, target)."""

    unit: str
    moves: tuple[Reach, ...] = ()
    attacks: tuple[AttackOption, ...] = ()
    fires: tuple[FireOption, ...] = ()
    zone: tuple[Cell, ...] = ()
    canister_zone: tuple[Cell, ...] = ()
    forms: tuple[FormOption, ...] = ()
    wheels: tuple[WheelOption, ...] = ()
    faces: tuple[int, ...] = ()
    places: tuple[PlaceOption, ...] = ()
    can_take_back: bool = False
    can_leave: bool = False
    leaving_loss: float = 0.0
    stances: tuple[tuple[Literal["defensive_fire", "answer_charges"], bool], ...] = ()
    refused: dict[str, Refused] = {}
    refused_targets: dict[tuple[str, str], Refused] = {}


class AnswerOption(msgspec.Struct, frozen=True, kw_only=True):
    """A question that the viewer owes an answer to."""

    decision: str
    kind: str
    choices: tuple[str, ...]
    about: tuple[str, ...]
    default: str


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a viewer's side may do now; `commands` are the orders of the whole side that would be accepted:
    ready, unready, end_turn, end_pursuit, retreat, offer_draw. `refused` says why not for the others."""

    side: Side | None
    units: tuple[UnitOptions, ...] = ()
    commands: frozenset[str] = frozenset()
    refused: dict[str, Refused] = {}
    answers: tuple[AnswerOption, ...] = ()

    def of(self, key: str) -> UnitOptions | None:
        """What one unit may do."""
        return next((u for u in self.units if u.unit == key), None)
