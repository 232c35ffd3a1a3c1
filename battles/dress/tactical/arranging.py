"""Placing an army that its player has not placed: foot and guns in the front row, horse behind on the wings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rules.core.actors import Actor
from rules.core.codec import read_command
from rules.core.commands import Command
from rules.core.grid import Cell
from rules.core.ruleset import Ruleset

GAP_IN_FRONT = 6.0
BESIDE = 0.6


def arrangement(rules: Ruleset, view: Any) -> Iterator[Command]:
    """One ordinary placement for each unit that is still off the board, chosen from the player's options."""
    options = rules.options(view)
    strip = view.strip(view.side)
    wide = len({c.x for c in strip}) >= len({c.y for c in strip})
    across = (min(c.x if wide else c.y for c in strip) + max(c.x if wide else c.y for c in strip)) / 2
    half = max(1.0, (max(c.x if wide else c.y for c in strip) - min(c.x if wide else c.y for c in strip)) / 2)
    middle = (view.board.height - 1) / 2 if wide else (view.board.width - 1) / 2
    taken = {cell for unit in view.units for cell in unit.cells if unit.side is view.side}
    waiting = [u for u in view.units if u.side is view.side and u.at is None and u.fate is None]
    waiting.sort(key=lambda u: (u.is_cavalry, u.is_artillery))
    seats = _seats(waiting, half)
    for unit, (wanted, front) in zip(waiting, seats, strict=True):
        can = options.of(unit.key)
        spots = {o.at for o in can.places if o.formation.value in ("column", "open")} - taken if can else set()
        if not spots:
            continue

        def cost(cell: Cell, wanted: float = wanted, front: bool = front) -> tuple[float, Cell]:
            lateral = (cell.x if wide else cell.y) - across
            depth = abs((cell.y if wide else cell.x) - middle)
            near = sum(cell.plus(step) in taken for step in rules.grid.steps)
            return abs(lateral - wanted) + (depth if front else -depth) * GAP_IN_FRONT / 2 + near * BESIDE, cell

        at = min(spots, key=cost)
        taken.add(at)
        body = {"type": "place", "unit": unit.key, "at": rules.grid.label(at)}
        yield read_command(rules, body, Actor(view.viewer.value))


def _seats(units: list[Any], half: float) -> list[tuple[float, bool]]:
    """Where each unit would like to stand across the strip, and whether in front."""
    foot = [u for u in units if u.is_infantry]
    guns = [u for u in units if u.is_artillery]
    horse = [u for u in units if u.is_cavalry]
    seats: dict[str, tuple[float, bool]] = {}
    for place, unit in enumerate(foot):
        seats[unit.key] = (_alternate(place) * 2.0, True)
    for place, unit in enumerate(guns):
        seats[unit.key] = (_alternate(place + 1) * 2.0 - 1.0, True)
    for place, unit in enumerate(horse):
        seats[unit.key] = ((half - 1 - place // 2 * 1.5) * (1 if place % 2 else -1), False)
    return [seats[unit.key] for unit in units]


def _alternate(place: int) -> int:
    """0, 1, -1, 2, -2 ..."""
    return (place + 1) // 2 * (1 if place % 2 else -1)
