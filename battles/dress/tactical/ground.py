"""What the ground is to men on foot."""

from __future__ import annotations

from rules.core.board import Board
from rules.core.grid import Cell
from rules.tactical.units import TERRAINS

IMPASSABLE = frozenset({"mountain", "water", "river"})
ONLY_WITH_TRAIT = frozenset({"marsh"})


def passable(board: Board, *, marsh: bool = False) -> frozenset[Cell]:
    """Cells that infantry on foot may enter, marsh only if asked for."""
    closed = IMPASSABLE if marsh else IMPASSABLE | ONLY_WITH_TRAIT
    return frozenset(cell for cell in board.cells() if TERRAINS[board[cell]].name not in closed)
