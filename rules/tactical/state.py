"""Where a tactical battle stands, and what chapters ask of a field that somebody may see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

import msgspec

from rules.core.actors import SIDES, Side
from rules.core.board import Board
from rules.core.grid import Cell, SquareGrid
from rules.core.state import BattleState, Phase
from rules.core.timers import Decision, Step
from rules.core.units import Fate
from rules.core.view import View
from rules.tactical.units import DIRECTIONS, TERRAINS, Unit

GRID = SquareGrid()


class Parameters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the moderator may set when the battle is created; each names its rule in the rulebook."""

    unit_limit: int = 10
    battle_kind: Literal["field", "siege"] = "field"
    deployment_seconds: int = 60
    turn_seconds: int = 300
    answer_seconds: int = 20
    fire_into_melee: bool = False
    square_attacks: bool = False
    overwhelm_loss: float = 0.0
    flank_penalty: int = -1
    rear_penalty: int = -2
    defensive_fire_from: Literal["any", "front"] = "any"
    rout_confirmation: bool = False
    waive_rout: bool = False
    quiet_turns: int = 12
    turn_limit: int = 0


class Melee(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Two enemies in melee. Onslaughts and penalty count as long as `fresh` (a line keeps its penalty) [T-9.7].

    `ground` are the attacker's and the defender's cell that touch.
    """

    attacker: str
    defender: str
    ground: tuple[Cell, Cell]
    aspect: Literal["front", "flank", "rear"] = "front"
    penalty: int = 0
    onslaught: int = 0
    counter: int = 0
    fresh: bool = True

    def other(self, key: str) -> str:
        """The enemy of one of the two."""
        return self.defender if key == self.attacker else self.attacker


class Charge(Step, frozen=True, kw_only=True, tag="charge"):
    """A charge that waits for an answer: it is carried out, met or not, when the question is closed [T-11]."""

    unit: str
    target: str
    path: tuple[Cell, ...]
    decision: str = ""
    met: bool = False


class CloseTurn(Step, frozen=True, kw_only=True, tag="close_turn"):
    """What remains of a turn's end: from the early rout on, or from the victory on [T-4.2]."""

    stage: Literal["rout", "victory"]


TacticalStep = Charge | CloseTurn


class Field(Protocol):  # the _Ground below gives a state and a view their methods
    """What movement, fire and melee need to know: a state has it all, a view what its viewer may know."""

    @property
    def board(self) -> Board:
        """The ground."""

    @property
    def phase(self) -> Phase:
        """The phase."""

    @property
    def units(self) -> tuple[Unit, ...]:
        """All units that are known."""

    @property
    def melees(self) -> tuple[Melee, ...]:
        """Who fights whom."""

    @property
    def parameters(self) -> Parameters:
        """The battle's parameters."""

    @property
    def strips(self) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
        """Where RED and BLUE deploy."""

    @property
    def retreating(self) -> frozenset[Side]:
        """Sides under a general retreat."""

    @property
    def own_turns(self) -> tuple[int, int]:
        """How many own turns RED and BLUE have begun."""

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Open questions."""

    @property
    def brought(self) -> tuple[int, int]:
        """Sizes of both armies before a reduction; 0 where it is not known."""

    @property
    def factor(self) -> float:
        """What losses are multiplied back by [T-14.3]."""

    def occupied(self) -> Mapping[Cell, Unit]:
        """Who stands where."""

    def terrain(self, cell: Cell) -> str:
        """The name of the ground on a cell of the map."""


_NAMES: Mapping[str, str] = {code: terrain.name for code, terrain in TERRAINS.items()}
_last: tuple[tuple[Unit, ...], dict[Cell, Unit]] = ((), {})


class _Ground:
    """Questions that a state and a view answer alike."""

    __slots__ = ()

    def find(self: Field, key: str) -> Unit | None:
        """The unit of that key, if there is one."""
        for unit in self.units:
            if unit.key == key:
                return unit
        return None

    def unit(self: Field, key: str) -> Unit:
        """The unit of that key; KeyError if there is none."""
        for unit in self.units:
            if unit.key == key:
                return unit
        raise KeyError(key)

    def occupied(self: Field) -> Mapping[Cell, Unit]:
        """Who stands where. Kept for the units asked for last, since a chapter asks again and again."""
        global _last
        units, stands = _last
        if units is not self.units:
            stands = {cell: u for u in self.units if u.fate is None and u.at is not None for cell in u.cells}
            _last = (self.units, stands)
        return stands

    def at(self: Field, cell: Cell) -> tuple[Unit, ...]:
        """The units on a cell: one at most in this book."""
        unit = self.occupied().get(cell)
        return () if unit is None else (unit,)

    def terrain(self: Field, cell: Cell) -> str:
        """The name of the ground on a cell of the map."""
        return _NAMES[self.board.rows[cell[1]][cell[0]]]

    def melees_of(self: Field, key: str) -> tuple[Melee, ...]:
        """The melees that a unit is in."""
        return tuple(m for m in self.melees if key in (m.attacker, m.defender))

    def in_melee(self: Field, key: str) -> bool:
        """Whether a unit is in melee."""
        return any(key in (m.attacker, m.defender) for m in self.melees)

    def strip(self: Field, side: Side) -> tuple[Cell, ...]:
        """Where a side deploys."""
        return self.strips[SIDES.index(side)]

    def own_turn(self: Field, side: Side) -> int:
        """The number of a side's present or last own turn [T-4.1]."""
        return self.own_turns[SIDES.index(side)]


class TacticalState(BattleState, _Ground, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """All of a tactical battle.

    `first` moves first (None: a die decides at the reveal); `quiet` counts turns without fire, attack or melee;
    `deployed` are the numbers of units that the sides brought onto the field; `factor` is the reduction of T-14.
    """

    parameters: Parameters
    strips: tuple[tuple[Cell, ...], tuple[Cell, ...]]
    names: tuple[str, str] = ("", "")
    units: tuple[Unit, ...] = ()
    melees: tuple[Melee, ...] = ()
    agenda: tuple[TacticalStep, ...] = ()
    first: Side | None = None
    own_turns: tuple[int, int] = (0, 0)
    retreating: frozenset[Side] = frozenset()
    deployed: tuple[int, int] = (0, 0)
    brought: tuple[int, int] = (0, 0)
    factor: float = 1.0
    revealed: bool = False
    quiet: int = 0
    busy: bool = False
    rout_waived: bool = False
    guns_asked: bool = False

    @property
    def mover(self) -> Side | None:
        """The side whose turn it is."""
        return next(iter(self.phase.sides)) if self.phase.name == "turn" else None

    def is_public(self, unit: Unit) -> bool:
        """Whether both sides know of a unit: it was on the field at the reveal or came later."""
        return self.revealed and (unit.at is not None or unit.fate is not None) and unit.fate is not Fate.ABSENT


class TacticalView(View, _Ground, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a viewer may have of a tactical battle; stances of the enemy are None."""

    parameters: Parameters
    strips: tuple[tuple[Cell, ...], tuple[Cell, ...]]
    names: dict[str, str]
    units: tuple[Unit, ...]
    melees: tuple[Melee, ...]
    own_turns: tuple[int, int]
    retreating: frozenset[Side]
    revealed: bool
    brought: tuple[int, int] = (0, 0)
    factor: float = 1.0

    @property
    def mover(self) -> Side | None:
        """The side whose turn it is."""
        return next(iter(self.phase.sides)) if self.phase.name == "turn" else None


def home_facing(board: Board, strip: tuple[Cell, ...]) -> int:
    """The direction of a side's home edge: the map edge along its strip, the nearest to its cells [T-1.3]."""
    return min(range(4), key=lambda way: sum(edge_distance(board, way, cell) for cell in strip))


def edge_distance(board: Board, home: int, cell: Cell) -> int:
    """Rows or columns between a cell and the home edge [T-12.2]."""
    return (cell.y, board.width - 1 - cell.x, board.height - 1 - cell.y, cell.x)[home]


def ahead(unit: Unit, cell: Cell) -> Cell:
    """The cell straight ahead of one of a unit's cells."""
    return cell.plus(DIRECTIONS[unit.facing or 0])
