"""Arms, formations and units of the tactical book [T-2, T-5]."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

import msgspec

from rules.core import units as core
from rules.core.actors import Side
from rules.core.board import Terrain
from rules.core.grid import Cell
from rules.core.text import gettext_noop

FACINGS = ("N", "E", "S", "W")
DIRECTIONS = ((0, -1), (1, 0), (0, 1), (-1, 0))
TRAITS = ("long_range", "marsh", "steadfast")


class Arm(Enum):
    """The three arms."""

    INFANTRY = "infantry"
    CAVALRY = "cavalry"
    ARTILLERY = "artillery"


class Formation(Enum):
    """How a unit is drawn up; only heavy infantry has a choice [T-5.1]."""

    OPEN = "open"
    COLUMN = "column"
    LINE = "line"
    SQUARE = "square"


FORMATION_TITLES: Mapping[Formation, str] = MappingProxyType(
    {
        Formation.OPEN: gettext_noop("open order"),
        Formation.COLUMN: gettext_noop("column"),
        Formation.LINE: gettext_noop("line"),
        Formation.SQUARE: gettext_noop("square"),
    }
)


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table of units [T-2.1]. For guns `firepower` is the roundshot of one battery."""

    id: str
    title: str
    arm: Arm
    firepower: float = 0.0
    range: int = 0
    melee: int = 0
    onslaught: int = 0
    speed: int
    hp: float
    scatters_at: float | None = None


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        kind.id: kind
        for kind in (
            Kind(id="heavy_infantry", title=gettext_noop("heavy infantry"), arm=Arm.INFANTRY,
                 firepower=2.0, range=2, melee=3, speed=2, hp=10.0, scatters_at=3.0),
            Kind(id="light_infantry", title=gettext_noop("light infantry"), arm=Arm.INFANTRY,
                 firepower=3.0, range=3, melee=1, speed=3, hp=10.0, scatters_at=3.0),
            Kind(id="cuirassiers", title=gettext_noop("cuirassiers"), arm=Arm.CAVALRY,
                 melee=3, onslaught=3, speed=4, hp=6.0, scatters_at=2.0),
            Kind(id="light_cavalry", title=gettext_noop("light cavalry"), arm=Arm.CAVALRY,
                 melee=2, onslaught=2, speed=5, hp=6.0, scatters_at=2.0),
            Kind(id="foot_artillery", title=gettext_noop("foot artillery"), arm=Arm.ARTILLERY,
                 firepower=1.0, range=8, speed=1, hp=2.0),
            Kind(id="horse_artillery", title=gettext_noop("horse artillery"), arm=Arm.ARTILLERY,
                 firepower=0.5, range=6, speed=3, hp=2.0),
        )
    }
)  # fmt: skip

TERRAINS: Mapping[str, Terrain] = MappingProxyType(
    {
        terrain.code: terrain
        for terrain in (
            Terrain(name="open", code=".", title=gettext_noop("open ground")),
            Terrain(name="crossing", code="=", title=gettext_noop("crossing")),
            Terrain(name="mountain", code="^", title=gettext_noop("mountain")),
            Terrain(name="water", code="~", title=gettext_noop("water")),
            Terrain(name="river", code="r", title=gettext_noop("river")),
            Terrain(name="marsh", code="m", title=gettext_noop("marsh")),
            Terrain(name="sparse_wood", code="s", title=gettext_noop("sparse wood")),
            Terrain(name="dense_wood", code="d", title=gettext_noop("dense wood")),
            Terrain(name="hill", code="h", title=gettext_noop("hill")),
            Terrain(name="settlement", code="v", title=gettext_noop("settlement")),
        )
    }
)


class Stats(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a unit has otherwise than its kind [T-2.2]."""

    firepower: float | None = None
    range: int | None = None
    melee: int | None = None
    onslaught: int | None = None
    speed: int | None = None
    hp: float | None = None
    scatters_at: float | None = None


class Unit(core.Unit, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A unit on the field, with what it has done this turn.

    `at` is the left cell of a line as it faces. `spent` are the points of this own turn; `entered` the cells it
    stepped into this turn; `run` the unbroken steps that a charge may count, the cell they began from first.
    `last_shot` is the own turn of its last shot, 0 for none. The stances are None where the viewer may not know them.
    """

    hp: float
    formation: Formation = Formation.OPEN
    stats: Stats | None = None
    traits: frozenset[str] = frozenset()
    spent: int = 0
    entered: tuple[Cell, ...] = ()
    run: tuple[Cell, ...] = ()
    moved: bool = False
    fired: bool = False
    attacked: bool = False
    left_melee: bool = False
    last_shot: int = 0
    defensive_fire: bool | None = True
    answer_charges: bool | None = False

    @property
    def base(self) -> Kind:
        """Its kind's row of the table."""
        return KINDS[self.kind]

    @property
    def is_infantry(self) -> bool:
        """Heavy or light infantry."""
        return self.base.arm is Arm.INFANTRY

    @property
    def is_cavalry(self) -> bool:
        """Cuirassiers or light cavalry."""
        return self.base.arm is Arm.CAVALRY

    @property
    def is_artillery(self) -> bool:
        """Foot or horse artillery."""
        return self.base.arm is Arm.ARTILLERY

    @property
    def has_formations(self) -> bool:
        """Whether it changes formation [T-5.1]."""
        return self.kind == "heavy_infantry"

    @property
    def is_line(self) -> bool:
        """Drawn up in line."""
        return self.formation is Formation.LINE

    @property
    def start_hp(self) -> float:
        """Hit points at full strength."""
        own = self.stats.hp if self.stats else None
        return self.base.hp if own is None else own

    @property
    def base_speed(self) -> int:
        """Points in an own turn, formation aside."""
        own = self.stats.speed if self.stats else None
        return self.base.speed if own is None else own

    @property
    def speed(self) -> int:
        """Points in an own turn in its formation [T-5.3, T-5.4]."""
        return speed_in(self, self.formation)

    @property
    def left(self) -> int:
        """Points that it has not spent."""
        return max(0, self.speed - self.spent)

    @property
    def firepower(self) -> float:
        """Loss that its fire does: infantry by formation [T-5.3], guns by batteries for a roundshot [T-8.6]."""
        own = self.stats.firepower if self.stats else None
        power = self.base.firepower if own is None else own
        if self.is_artillery:
            return power * self.batteries
        return power + 1 if self.is_line else power

    @property
    def batteries(self) -> int:
        """Batteries that still fire: two above 1 HP, else one [T-2.4]."""
        return 2 if self.hp > 1 else 1

    @property
    def range(self) -> int:
        """How far it fires on level ground; the trait `long_range` makes it at least 3 [T-2.2]."""
        own = self.stats.range if self.stats else None
        reach = self.base.range if own is None else own
        return max(3, reach) if "long_range" in self.traits else reach

    @property
    def melee(self) -> int:
        """Value in melee, formation aside."""
        own = self.stats.melee if self.stats else None
        return self.base.melee if own is None else own

    @property
    def onslaught(self) -> int:
        """What cavalry adds when it charges."""
        own = self.stats.onslaught if self.stats else None
        return self.base.onslaught if own is None else own

    @property
    def scatters_at(self) -> float | None:
        """HP at or below which it scatters; None if it never does [T-2.2, T-2.4]."""
        if self.is_artillery or "steadfast" in self.traits:
            return None
        own = self.stats.scatters_at if self.stats else None
        return self.base.scatters_at if own is None else own

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells it stands on, left to right for a line."""
        if self.at is None:
            return ()
        if self.is_line and self.facing is not None:
            return (self.at, self.at.plus(DIRECTIONS[(self.facing + 1) % 4]))
        return (self.at,)

    @property
    def absent(self) -> bool:
        """Not placed when deployment ended [T-3.2]."""
        return self.fate is core.Fate.ABSENT

    @property
    def on_field(self) -> bool:
        """Placed and still there."""
        return self.at is not None and self.fate is None


def speed_in(unit: Unit, formation: Formation) -> int:
    """Points in an own turn in a formation [T-5.2, T-5.3, T-5.4]."""
    if formation is Formation.SQUARE:
        return min(1, unit.base_speed)
    return unit.base_speed - 1 if formation is Formation.LINE else unit.base_speed


def formation_bonus(formation: Formation) -> int:
    """What a formation adds in melee [T-5.3, T-5.4]."""
    return {Formation.LINE: -1, Formation.SQUARE: 2}.get(formation, 0)


def right_of(facing: int) -> tuple[int, int]:
    """The step to the right of somebody who faces that way [T-1.5]."""
    return DIRECTIONS[(facing + 1) % 4]


def strength(unit: Unit) -> tuple[float, float]:
    """HP now and at the start."""
    return (unit.hp if unit.fate is None else 0.0), unit.start_hp


def order(unit: core.Unit) -> tuple[int]:
    """RED first; within a side units keep the order of their army list."""
    return (0 if unit.side is Side.RED else 1,)
