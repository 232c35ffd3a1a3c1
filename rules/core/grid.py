"""Cells and the grids that they lie on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol


class Cell(NamedTuple):
    """A board space: column and row, both from 0, column 0 in the west and row 0 in the north."""

    x: int
    y: int

    def plus(self, step: tuple[int, int], times: int = 1) -> Cell:
        """The cell that lies so many steps away; it may be off the map."""
        return tuple.__new__(Cell, (self[0] + step[0] * times, self[1] + step[1] * times))


class Grid(Protocol):
    """How cells are named and which of them are neighbours."""

    def label(self, cell: Cell) -> str:
        """The name that people read: `C6`."""

    def parse(self, text: str) -> Cell:
        """The cell of that name; ValueError if it is none."""

    @property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """What to add to a cell to get its neighbours, clockwise from the north."""


_LABEL = re.compile(r"([A-Za-z]{1,3})([1-9]\d{0,2})")


class SquareGrid:
    """Squares with four neighbours: columns A..Z, AA.., rows from 1 in the north."""

    steps: tuple[tuple[int, int], ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))

    def label(self, cell: Cell) -> str:
        """`C6` for column 2, row 5; a cell off the map is named by its numbers."""
        if cell.x < 0 or cell.y < 0:
            return f"({cell.x + 1}, {cell.y + 1})"
        letters, rest = "", cell.x
        while rest >= 0:
            letters = chr(ord("A") + rest % 26) + letters
            rest = rest // 26 - 1
        return f"{letters}{cell.y + 1}"

    def parse(self, text: str) -> Cell:
        """The cell called `C6`, on the map or not; ValueError if the text names no cell."""
        match = _LABEL.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"{text!r} is not a cell")
        x = 0
        for letter in match[1].upper():
            x = x * 26 + ord(letter) - ord("A") + 1
        return Cell(x - 1, int(match[2]) - 1)


def corner_crossings(start: Cell, end: Cell) -> Iterator[tuple[Cell, ...]]:
    """What the straight segment between two cells' centres crosses strictly between them, in order.

    Each item is one crossed cell, or the two cells beside a corner through which the segment passes exactly.
    """
    dx, dy = end.x - start.x, end.y - start.y
    sx, sy = (dx > 0) - (dx < 0), (dy > 0) - (dy < 0)
    nx, ny = abs(dx), abs(dy)
    x, y, ix, iy = start.x, start.y, 0, 0
    while (x, y) != (end.x, end.y):
        # compare the parameters of the next crossings of a vertical and a horizontal side
        across, down = (1 + 2 * ix) * ny, (1 + 2 * iy) * nx
        if nx and (not ny or across < down):
            x, ix = x + sx, ix + 1
        elif ny and (not nx or down < across):
            y, iy = y + sy, iy + 1
        else:
            yield Cell(x + sx, y), Cell(x, y + sy)
            x, y, ix, iy = x + sx, y + sy, ix + 1, iy + 1
        if (x, y) != (end.x, end.y):
            yield (Cell(x, y),)
