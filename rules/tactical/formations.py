"""Column, line and square; wheeling and turning [T-5]."""

from __future__ import annotations

from rules.core.grid import Cell
from rules.core.resolution import Resolution, require
from rules.core.state import replace
from rules.tactical import checks
from rules.tactical import rulebook as book
from rules.tactical.commands import Face, Form, Wheel
from rules.tactical.events import FormationChanged, LineWheeled, UnitTurned
from rules.tactical.movement import free_of_melee, not_done, passable
from rules.tactical.state import GRID, Field, TacticalState
from rules.tactical.units import DIRECTIONS, FACINGS, Formation, Unit, right_of, speed_in


def change(turn: Resolution[TacticalState], command: Form) -> None:
    """Draw a unit up anew [T-5.1, T-5.5]."""
    side = checks.own_turn(turn, command.by.side)
    unit = checks.own_unit(turn.state, command.unit, side)
    new = reformed(turn.state, unit, command)
    assert new.at is not None and new.facing is not None
    turn.tell(
        FormationChanged(
            rule=book.REFORMING.id, unit=unit.key, formation=new.formation, before=unit.formation,
            at=new.at, facing=new.facing, spent=new.spent,
        )
    )  # fmt: skip


def reformed(field: Field, unit: Unit, command: Form) -> Unit:
    """The unit as the order would draw it up; IllegalCommand if a rule forbids it."""
    assert unit.at is not None and unit.facing is not None
    free_of_melee(field, unit)
    not_done(unit)
    require(unit.has_formations, book.FORMATIONS, "no_formations", unit=unit.name)
    fits = command.formation is not Formation.OPEN
    require(fits, book.FORMATIONS, "bad_formation", unit=unit.name)
    require(command.formation is not unit.formation, book.FORMATIONS, "same_formation", unit=unit.name)
    facing = unit.facing if command.facing is None else FACINGS.index(command.facing)
    at = unit.at
    if command.formation is Formation.LINE:
        at = at if command.extend == "right" else at.plus(right_of(facing), -1)
    elif unit.is_line:
        at = unit.at if command.at is None else command.at
        require(at in unit.cells, book.REFORMING, "bad_cell", cell=GRID.label(at))
    new = replace(unit, formation=command.formation, at=at, facing=facing, spent=unit.spent + 1, run=(), moved=True)
    stands(field, unit, new)
    pays(field, unit, new, unit.cells)
    return new


def stands(field: Field, unit: Unit, new: Unit) -> None:
    """The cells that a unit would cover are on the map, passable for it and free [T-5.5, T-5.6]."""
    occupied = field.occupied()
    for cell in new.cells:
        require(cell in field.board, book.REFORMING, "off_map", cell=GRID.label(cell))
    for cell in new.cells:
        require(passable(new, field.terrain(cell)), book.REFORMING, "impassable", cell=GRID.label(cell))
    for cell in new.cells:
        other = occupied.get(cell)
        require(other is None or other.key == unit.key, book.REFORMING, "occupied", cell=GRID.label(cell))


def pays(field: Field, unit: Unit, new: Unit, moving: tuple[Cell, ...]) -> None:
    """One point, and no cell comes from other ground onto a hill or into a dense wood [T-4.3, T-5.5].

    `moving` are the cells that the new ground is entered from: the swinging end of a wheel, else all of the unit.
    """
    left = max(0, speed_in(unit, new.formation) - unit.spent)
    require(left >= 1, book.SPEED, "too_far", needed=1, left=left)
    from_hill = any(field.terrain(cell) == "hill" for cell in moving)
    for cell in new.cells:
        if cell in unit.cells:
            continue
        ground = field.terrain(cell)
        climbs = ground == "dense_wood" or (ground == "hill" and not from_hill)
        require(not climbs, book.REFORMING, "too_far", needed=2, left=left)


def wheel(turn: Resolution[TacticalState], command: Wheel) -> None:
    """Wheel a line on its inner end [T-5.6]."""
    side = checks.own_turn(turn, command.by.side)
    unit = checks.own_unit(turn.state, command.unit, side)
    new = wheeled(turn.state, unit, command.to)
    assert new.at is not None and new.facing is not None
    turn.tell(
        LineWheeled(
            rule=book.LINE_MOVES.id, unit=unit.key, to=command.to, at=new.at, facing=new.facing, spent=new.spent
        )
    )


def wheeled(field: Field, unit: Unit, to: str) -> Unit:
    """The line after a wheel; IllegalCommand if a rule forbids it.

    Wheeling right the right cell stays and becomes the right cell again; wheeling left the mirror image.
    """
    free_of_melee(field, unit)
    not_done(unit)
    require(unit.is_line, book.LINE_MOVES, "not_a_line", unit=unit.name)
    assert unit.facing is not None
    left, right = unit.cells
    forward = DIRECTIONS[unit.facing]
    turn_by = 1 if to == "right" else -1
    at: Cell = right.plus(forward) if to == "right" else left
    new = replace(unit, at=at, facing=(unit.facing + turn_by) % 4, spent=unit.spent + 1, run=(), moved=True)
    stands(field, unit, new)
    pays(field, unit, new, (left if to == "right" else right,))
    return new


def face(turn: Resolution[TacticalState], command: Face) -> None:
    """Turn to a facing [T-5.7, T-5.8]."""
    side = checks.own_turn(turn, command.by.side)
    unit = checks.own_unit(turn.state, command.unit, side)
    new = faced(turn.state, unit, FACINGS.index(command.facing))
    assert new.facing is not None
    rule = book.ARTILLERY_TURNS if unit.is_artillery else book.TURNING
    turn.tell(UnitTurned(rule=rule.id, unit=unit.key, facing=new.facing, spent=new.spent))


def faced(field: Field, unit: Unit, facing: int) -> Unit:
    """The unit after turning; IllegalCommand if a rule forbids it."""
    assert unit.facing is not None
    free_of_melee(field, unit)
    not_done(unit)
    require(not unit.is_line, book.LINE_MOVES, "line_must_wheel", unit=unit.name)
    quarters = min((facing - unit.facing) % 4, (unit.facing - facing) % 4)
    if unit.kind == "foot_artillery":
        require(not unit.moved, book.ARTILLERY_TURNS, "moved_this_turn", unit=unit.name)
        require(quarters <= 1, book.ARTILLERY_TURNS, "too_far", needed=2 * unit.speed, left=unit.left)
        spent = unit.speed if quarters else unit.spent
    elif unit.is_artillery:
        require(quarters <= unit.left, book.ARTILLERY_TURNS, "too_far", needed=quarters, left=unit.left)
        spent = unit.spent + quarters
    else:
        spent = unit.spent
    turned = unit.moved or (unit.is_artillery and quarters > 0)
    return replace(unit, facing=facing, spent=spent, run=(), moved=turned)
