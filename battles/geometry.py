"""Cells on the drawing: a square of 48 units each, a margin for the coordinates. Pixels come from here alone.

Numbers that go into SVG are strings already: templates would write 4,5 for 4.5 in Russian.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rules.core.board import Board
from rules.core.grid import Cell

CELL, HALF, MARGIN, REST = 48, 24, 28, 12
DIRECTIONS = ((0, -1), (1, 0), (0, 1), (-1, 0))
NORTH = 0


def px(value: float) -> str:
    """A coordinate, to a tenth, with a point whatever the language."""
    return f"{round(value, 1):g}"


def left_of(cell: Cell) -> int:
    """The western side of a cell."""
    return MARGIN + cell.x * CELL


def top_of(cell: Cell) -> int:
    """The northern side of a cell."""
    return MARGIN + cell.y * CELL


def centre_of(cells: Sequence[Cell]) -> tuple[float, float]:
    """The middle of one cell or of several together."""
    return (
        sum(left_of(c) for c in cells) / len(cells) + HALF,
        sum(top_of(c) for c in cells) / len(cells) + HALF,
    )


class Sheet(NamedTuple):
    """The measures of the drawing."""

    width: int
    height: int
    columns: int
    rows: int

    @property
    def box(self) -> str:
        """The viewBox that all layers share."""
        return f"0 0 {self.width} {self.height}"


def sheet(board: Board) -> Sheet:
    """The measures of a map's drawing: a margin for the coordinates, a narrow one at the other sides."""
    return Sheet(board.width * CELL + MARGIN + REST, board.height * CELL + MARGIN + REST, board.width, board.height)


class Run(NamedTuple):
    """Cells of one ground side by side in a row, drawn as one."""

    x: int
    y: int
    width: int
    ground: str


def cell_rects(cells: Iterable[Cell]) -> tuple[Run, ...]:
    """Cells as rectangles, merged along rows."""
    found: list[Run] = []
    for cell in sorted(set(cells), key=lambda c: (c.y, c.x)):
        x, y = left_of(cell), top_of(cell)
        if found and found[-1].y == y and found[-1].x + found[-1].width == x:
            found[-1] = found[-1]._replace(width=found[-1].width + CELL)
        else:
            found.append(Run(x, y, CELL, ""))
    return tuple(found)


def outline(cells: Iterable[Cell]) -> str:
    """The outline of a set of cells."""
    inside = set(cells)
    parts = []
    for cell in sorted(inside, key=lambda c: (c.y, c.x)):
        x, y = left_of(cell), top_of(cell)
        sides = (f"M{x} {y}h48", f"M{x + 48} {y}v48", f"M{x} {y + 48}h48", f"M{x} {y}v48")
        parts += [side for side, step in zip(sides, DIRECTIONS, strict=True) if cell.plus(step) not in inside]
    return "".join(parts)


def inner_line(cells: Iterable[Cell], board: Board) -> str:
    """The outline of a set of cells where it does not lie on the map's own edge."""
    inside = set(cells)
    parts = []
    for cell in sorted(inside, key=lambda c: (c.y, c.x)):
        x, y = left_of(cell), top_of(cell)
        sides = (f"M{x} {y}h48", f"M{x + 48} {y}v48", f"M{x} {y + 48}h48", f"M{x} {y}v48")
        for side, step in zip(sides, DIRECTIONS, strict=True):
            beside = cell.plus(step)
            if beside not in inside and beside in board:
                parts.append(side)
    return "".join(parts)
