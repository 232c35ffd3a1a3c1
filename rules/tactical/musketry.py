"""Infantry fire [T-7]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rules.core.grid import Cell
from rules.core.resolution import refuse, require
from rules.tactical import rulebook as book
from rules.tactical.state import GRID, Field
from rules.tactical.units import DIRECTIONS, Formation, Unit

BLOCKING = frozenset({"mountain", "sparse_wood", "dense_wood", "hill", "settlement"})


class Aim(NamedTuple):
    """Through which of the target's cells a shot goes, how far, and from which cell."""

    at: Cell
    distance: int
    origin: Cell


def ranks(unit: Unit, *, front_only: bool = False) -> Iterator[tuple[Cell, tuple[int, int]]]:
    """From which cells in which directions a unit fires: a line ahead, others along row and column [T-7.2]."""
    facing = unit.facing or 0
    if unit.is_line or (front_only and unit.formation is not Formation.SQUARE):
        for cell in unit.cells:
            yield cell, DIRECTIONS[facing]
        return
    for cell in unit.cells:
        for direction in DIRECTIONS:
            yield cell, direction


def reach(field: Field, unit: Unit, origin: Cell) -> int:
    """How far a unit fires from one of its cells: one further from a hill [T-7.3]."""
    return unit.range + (1 if field.terrain(origin) == "hill" else 0)


def clear(
    field: Field, occupied: Mapping[Cell, Unit], origin: Cell, way: tuple[int, int], distance: int, free: frozenset[str]
) -> bool:
    """Whether nothing blocks the cells strictly between; units in `free` never block [T-7.5]."""
    for k in range(1, distance):
        cell = origin.plus(way, k)
        if field.terrain(cell) in BLOCKING:
            return False
        other = occupied.get(cell)
        if other is not None and other.key not in free:
            return False
    return True


def zone(
    field: Field, unit: Unit, *, ignoring: frozenset[str] = frozenset(), front_only: bool = False
) -> tuple[Cell, ...]:
    """Cells that a unit's fire reaches unblocked, near to far in each direction [T-7.2]."""
    occupied = field.occupied()
    free = ignoring | {unit.key}
    cells: dict[Cell, None] = {}
    for origin, way in ranks(unit, front_only=front_only):
        for distance in range(1, reach(field, unit, origin) + 1):
            cell = origin.plus(way, distance)
            if cell not in field.board or not clear(field, occupied, origin, way, distance, free):
                break
            cells[cell] = None
    return tuple(c for c in cells if c not in unit.cells)


def aim(field: Field, unit: Unit, target: Unit) -> Aim:
    """The nearest way to hit a target; IllegalCommand tells what is wrong with the aim [T-7.2, T-7.3, T-7.5]."""
    occupied = field.occupied()
    free = frozenset({unit.key, target.key})
    in_line: list[tuple[int, Cell, Cell, tuple[int, int]]] = []
    in_range: list[tuple[int, Cell, Cell, tuple[int, int]]] = []
    for origin, way in ranks(unit):
        for cell in target.cells:
            dx, dy = cell.x - origin.x, cell.y - origin.y
            distance = dx * way[0] + dy * way[1]
            if distance < 1 or (dx, dy) != (way[0] * distance, way[1] * distance):
                continue
            in_line.append((distance, cell, origin, way))
            if distance <= reach(field, unit, origin):
                in_range.append((distance, cell, origin, way))
    require(in_line, book.FIRE_ZONES, "out_of_zone", target=target.name)
    if not in_range:
        distance, _, origin, _ = min(in_line)
        refuse(book.FIRE_ZONES, "out_of_range", distance=distance, range=reach(field, unit, origin))
    for distance, cell, origin, way in sorted(in_range):
        if clear(field, occupied, origin, way, distance, free):
            return Aim(cell, distance, origin)
    refuse(book.BLOCKING, "line_of_fire_blocked", cell=GRID.label(in_range[0][1]))


def may_target(field: Field, unit: Unit, target: Unit) -> None:
    """Musketry does guns no harm, and nobody fires into a melee unless the parameter allows it [T-7.4, T-7.6]."""
    require(not target.is_artillery, book.NO_EFFECT_ON_GUNS, "no_effect_on_artillery", target=target.name)
    into_melee(field, target)


def into_melee(field: Field, target: Unit) -> None:
    """Fire is not aimed at a unit in melee unless `fire_into_melee` [T-7.6]."""
    held = any(target.key in (m.attacker, m.defender) for m in field.melees)
    allowed = field.parameters.fire_into_melee or not held
    require(allowed, book.FIRE_INTO_MELEE, "target_in_melee", target=target.name)


def covers(field: Field, unit: Unit, charger: Unit) -> bool:
    """Whether a charger stepped into a unit's fire zone this turn, so that the unit may fire first [T-10.3]."""
    front_only = field.parameters.defensive_fire_from == "front"
    cells = zone(field, unit, ignoring=frozenset({charger.key}), front_only=front_only)
    return any(cell in cells for cell in charger.entered)
