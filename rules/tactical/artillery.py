"""Guns: roundshot and canister [T-8]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rules.core.grid import Cell, corner_crossings
from rules.core.resolution import refuse, require
from rules.tactical import rulebook as book
from rules.tactical.musketry import BLOCKING, into_melee
from rules.tactical.state import GRID, Field
from rules.tactical.units import DIRECTIONS, Unit, right_of

ROUNDSHOT_CHANCE: Mapping[str, Mapping[int, int]] = MappingProxyType(
    {  # T-8.5: chances in six by distance; at 9 and 10 (from a hill), and for horse guns at 7 and 8, 1
        "foot_artillery": MappingProxyType({3: 5, 4: 4, 5: 4, 6: 3, 7: 2}),
        "horse_artillery": MappingProxyType({3: 4, 4: 3, 5: 3, 6: 2}),
    }
)
CANISTER_LOSS = 2.0  # T-8.7: for each battery


class Aim(NamedTuple):
    """Through which of the target's cells a gun fires, how far, with which chance in six (6: canister, sure)."""

    at: Cell
    distance: int
    chance: int

    @property
    def canister(self) -> bool:
        """Whether it is canister, which always hits."""
        return self.chance == 6


def offset(unit: Unit, cell: Cell) -> tuple[int, int]:
    """Rows ahead and columns aside of a gun [T-8.3]."""
    assert unit.at is not None and unit.facing is not None
    dx, dy = cell.x - unit.at.x, cell.y - unit.at.y
    forward, right = DIRECTIONS[unit.facing], right_of(unit.facing)
    return dx * forward[0] + dy * forward[1], dx * right[0] + dy * right[1]


def in_sector(ahead: int, aside: int) -> bool:
    """Whether an offset lies in the fire sector, distance left out [T-8.3]."""
    return ahead >= 1 and abs(aside) <= ahead - 1


def reach(field: Field, unit: Unit) -> int:
    """A gun's range: two further from a hill [T-8.4]."""
    assert unit.at is not None
    return unit.range + (2 if field.terrain(unit.at) == "hill" else 0)


def roundshot_chance(kind: str, distance: int, terrain: str) -> int:
    """Chances in six that a roundshot hits a target on a terrain [T-8.5]."""
    if terrain == "dense_wood":
        return 1
    chance = ROUNDSHOT_CHANCE[kind].get(distance, 1)
    return max(1, chance - 1) if terrain in ("sparse_wood", "settlement") else chance


def roundshot_loss(unit: Unit, target: Unit) -> float:
    """Loss by a roundshot that hits: by batteries, always 1 against guns [T-8.6, T-8.8]."""
    return 1.0 if target.is_artillery else unit.firepower


def obstructed(field: Field, origin: Cell, cell: Cell, units: Mapping[Cell, Unit] | None, free: frozenset[str]) -> bool:
    """Whether ground, or units if any are given, blocks the straight line between two cells' centres [T-8.10]."""

    def blocks(crossed: Cell) -> bool:
        if field.terrain(crossed) in BLOCKING:
            return True
        other = None if units is None else units.get(crossed)
        return other is not None and other.key not in free

    inside = (tuple(c for c in crossed if c in field.board) for crossed in corner_crossings(origin, cell))
    return any(all(blocks(c) for c in crossed) for crossed in inside)


def swept(field: Field, unit: Unit, cell: Cell) -> bool:
    """Whether canister sweeps a cell: in its zone, outside a dense wood, not behind an obstacle [T-8.7]."""
    assert unit.at is not None
    ahead, aside = offset(unit, cell)
    if not (in_sector(ahead, aside) and ahead <= 2) or field.terrain(cell) == "dense_wood":
        return False
    return not obstructed(field, unit.at, cell, None, frozenset())


def aim(field: Field, unit: Unit, target: Unit) -> Aim:
    """The best way to hit a target; IllegalCommand tells what is wrong with the aim [T-8.3, T-8.5, T-8.10, T-8.11]."""
    assert unit.at is not None
    sector = [(cell, offset(unit, cell)[0]) for cell in target.cells if in_sector(*offset(unit, cell))]
    require(sector, book.FIRE_SECTOR, "out_of_sector", target=target.name)
    limit = reach(field, unit)
    near = [(cell, distance) for cell, distance in sector if distance <= limit]
    if not near:
        refuse(book.FIRE_SECTOR, "out_of_range", distance=min(d for _, d in sector), range=limit)
    units = field.occupied()
    free = frozenset({unit.key, target.key})
    high = field.terrain(unit.at) == "hill"
    aims: list[Aim] = []
    for cell, distance in near:
        ground = field.terrain(cell)
        if distance <= 2 and ground != "dense_wood":
            if swept(field, unit, cell):
                aims.append(Aim(cell, distance, 6))
        elif high or not obstructed(field, unit.at, cell, units, free):
            aims.append(Aim(cell, distance, roundshot_chance(unit.kind, distance, ground)))
    require(aims, book.LINE_OF_FIRE, "line_of_fire_blocked", cell=GRID.label(near[0][0]))
    return max(aims, key=lambda a: (a.chance, -a.distance))


def may_fire(field: Field, unit: Unit) -> None:
    """A gun is loaded, has not moved too far, and does not stand in a settlement [T-8.1, T-8.2, T-8.9]."""
    assert unit.at is not None
    own_turn = field.own_turns[0 if unit.side.value == "red" else 1]
    ready_in = unit.last_shot + 2 if unit.last_shot else own_turn
    require(own_turn >= ready_in, book.RELOADING, "reloading", turn=ready_in, unit=unit.name)
    if unit.kind == "foot_artillery":
        require(not unit.moved, book.MOVE_OR_FIRE, "moved_this_turn", unit=unit.name)
    elif unit.moved:
        require(unit.left >= 1, book.MOVE_OR_FIRE, "no_points_left", unit=unit.name)
    in_town = field.terrain(unit.at) == "settlement"
    require(not in_town, book.GUNS_FORBIDDEN, "no_fire_from_settlement", unit=unit.name)


def may_target(field: Field, unit: Unit, target: Unit) -> None:
    """A roundshot is not aimed at a unit in melee; canister may be [T-7.6, T-8.7]."""
    if not any(swept(field, unit, cell) for cell in target.cells):
        into_melee(field, target)


def canister_victims(field: Field, unit: Unit) -> tuple[Unit, ...]:
    """Every unit that canister sweeps, friend or foe, in melee or not [T-8.7]."""
    return tuple(
        other
        for other in field.units
        if other.on_field and other.key != unit.key and any(swept(field, unit, cell) for cell in other.cells)
    )


def zone(field: Field, unit: Unit) -> Iterator[Cell]:
    """Cells of the fire sector that a shot reaches, near to far [T-8.3, T-8.10]."""
    assert unit.at is not None and unit.facing is not None
    units = field.occupied()
    high = field.terrain(unit.at) == "hill"
    forward, right = DIRECTIONS[unit.facing], right_of(unit.facing)
    for ahead in range(1, reach(field, unit) + 1):
        for aside in range(1 - ahead, ahead):
            cell = unit.at.plus(forward, ahead).plus(right, aside)
            if cell not in field.board:
                continue
            if ahead <= 2 and field.terrain(cell) != "dense_wood":
                if swept(field, unit, cell):
                    yield cell
                continue
            target = units.get(cell)
            free = frozenset({unit.key} | ({target.key} if target else set()))
            if high or not obstructed(field, unit.at, cell, units, free):
                yield cell
