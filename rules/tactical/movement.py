"""Marching over the ground [T-4.3, T-5.6, T-6]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rules.core.actors import SIDES
from rules.core.grid import Cell
from rules.core.resolution import Resolution, refuse, require
from rules.core.rulebook import Rule
from rules.core.state import replace
from rules.tactical import rulebook as book
from rules.tactical.events import UnitMoved
from rules.tactical.state import GRID, Field, TacticalState, edge_distance, home_facing
from rules.tactical.units import DIRECTIONS, Formation, Unit

PASSABLE: Mapping[str, Literal["all", "nobody", "marsh", "no_guns", "infantry", "no_line"]] = {
    "open": "all",
    "crossing": "all",
    "hill": "all",
    "mountain": "nobody",
    "water": "nobody",
    "river": "nobody",
    "marsh": "marsh",
    "sparse_wood": "no_guns",
    "dense_wood": "infantry",
    "settlement": "no_line",
}

_WAYS: Mapping[tuple[int, int], int] = {way: facing for facing, way in enumerate(DIRECTIONS)}


def passable(unit: Unit, terrain: str, formation: Formation | None = None) -> bool:
    """Whether a unit may stand on a terrain in a formation, its own by default [T-6.1]."""
    drawn_up = formation or unit.formation
    match PASSABLE[terrain]:
        case "all":
            return True
        case "nobody":
            return False
        case "marsh":
            return "marsh" in unit.traits
        case "no_guns":
            return not unit.is_artillery and drawn_up is not Formation.SQUARE
        case "infantry":
            return unit.is_infantry and drawn_up is not Formation.SQUARE
        case "no_line":
            return drawn_up is not Formation.LINE


def points_needed(unit: Unit, start: str, end: str) -> int:
    """Points that a step from one terrain into another takes; more than are left if it cannot be made [T-6.1].

    A dense wood takes the whole speed; a sparse wood and a settlement take 2, but a last single point is enough.
    """
    if end == "dense_wood":
        return unit.speed if unit.spent == 0 and unit.speed > 0 else max(unit.speed, unit.left + 1)
    if end in ("sparse_wood", "settlement"):
        return 1 if unit.left <= 1 else 2
    if end == "hill" and start != "hill" and unit.kind != "foot_artillery":
        return 2
    return 1


def step(field: Field, occupied: Mapping[Cell, Unit], unit: Unit, to: Cell) -> Unit:
    """The unit after one step; IllegalCommand if a rule forbids it."""
    # refusals are built only where one is due: `options` walks this for every cell within reach
    assert unit.at is not None
    board = field.board
    if to not in board:
        refuse(book.STEP, "off_map", cell=GRID.label(to))
    facing = _WAYS.get((to.x - unit.at.x, to.y - unit.at.y))
    if facing is None:
        refuse(book.STEP, "not_adjacent", cell=GRID.label(to))
    if unit.is_line and facing % 2 != (unit.facing or 0) % 2:
        refuse(book.LINE_MOVES, "line_goes_straight", unit=unit.name)
    way = DIRECTIONS[facing]
    files = [(old, old.plus(way)) for old in unit.cells]
    needed = 0
    dense = False
    for old, new in files:
        if new not in board:
            refuse(book.STEP, "off_map", cell=GRID.label(new))
        ground = field.terrain(new)
        if not passable(unit, ground):
            refuse(book.TERRAIN, "impassable", cell=GRID.label(new))
        needed = max(needed, points_needed(unit, field.terrain(old), ground))
        dense = dense or ground == "dense_wood"
    for _, new in files:
        other = occupied.get(new)
        if other is not None and other.key != unit.key:
            refuse(book.STEP, "occupied", cell=GRID.label(new))
    left = unit.left
    if needed > left:
        refuse(book.TERRAIN, "too_far", needed=needed, left=left)
    keeps = unit.is_line or unit.is_artillery or unit.formation is Formation.SQUARE
    return replace(
        unit,
        at=to,
        facing=unit.facing if keeps else facing,
        spent=max(unit.base_speed, unit.spent + needed) if dense else unit.spent + needed,
        entered=(*unit.entered, *(new for _, new in files)),
        run=(*(unit.run or (unit.at,)), to),
        moved=True,
    )


def march(field: Field, unit: Unit, path: tuple[Cell, ...]) -> Unit:
    """The unit after a path, checked step by step; IllegalCommand at the first step that a rule forbids."""
    occupied = field.occupied()
    for cell in path:
        unit = step(field, occupied, unit, cell)
    return unit


def homeward(field: Field, unit: Unit, path: tuple[Cell, ...]) -> None:
    """In a general retreat no step leads further from the home edge [T-12.2]."""
    if unit.side not in field.retreating or unit.at is None:
        return
    home = home_facing(field.board, field.strips[SIDES.index(unit.side)])
    before = unit.at
    for cell in path:
        nearer = edge_distance(field.board, home, cell) <= edge_distance(field.board, home, before)
        require(nearer, book.RETREAT, "retreat_is_final")
        before = cell


def not_done(unit: Unit) -> None:
    """A unit that has fired or attacked does nothing more in its turn [T-4.4]."""
    require(not unit.fired, book.DONE, "already_fired", unit=unit.name)
    require(not unit.attacked, book.DONE, "already_attacked", unit=unit.name)


def leaving(field: Field, unit: Unit) -> float | None:
    """What leaving its melees costs a unit, None if it is in none; IllegalCommand if it may not [T-9.5, T-9.6]."""
    melees = [m for m in field.melees if unit.key in (m.attacker, m.defender)]
    if not melees:
        return None
    if unit.side in field.retreating:
        return 0.0
    require(unit.is_cavalry, book.INFANTRY_STAYS, "in_melee", unit=unit.name)
    enemies = {m.other(unit.key) for m in melees}
    cavalry = any(u.is_cavalry for u in field.units if u.key in enemies)
    require(not cavalry, book.CAVALRY_LEAVES, "locked_by_cavalry", unit=unit.name)
    return 0.5


def tell_march(turn: Resolution[TacticalState], unit: Unit, path: tuple[Cell, ...], marched: Unit) -> None:
    """Tell a march that has been checked."""
    assert unit.at is not None
    turn.tell(
        UnitMoved(
            rule=book.STEP.id, unit=unit.key, path=path, start=unit.at, spent=marched.spent, facing=marched.facing
        )
    )


def free_of_melee(field: Field, unit: Unit, rule: Rule = book.HELD_IN_MELEE) -> None:
    """A unit in melee neither re-forms, turns, fires nor attacks [T-5.9]."""
    if any(unit.key in (m.attacker, m.defender) for m in field.melees):
        refuse(rule, "in_melee", unit=unit.name)
