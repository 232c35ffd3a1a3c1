"""The ground: one terrain a cell."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rules.core.grid import Cell


class Board(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Terrain codes by rows, north to south, one character a cell; the ruleset's `terrains` tell what they mean."""

    rows: tuple[str, ...]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.rows[0])

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def __contains__(self, cell: Cell) -> bool:
        return 0 <= cell[1] < len(self.rows) and 0 <= cell[0] < len(self.rows[0])

    def __getitem__(self, cell: Cell) -> str:
        return self.rows[cell[1]][cell[0]]

    def cells(self) -> Iterator[Cell]:
        """Every cell, row by row."""
        for y in range(self.height):
            for x in range(self.width):
                yield Cell(x, y)


class Terrain(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of ground: its name in the specification, the code in a board's rows, and the word people read."""

    name: str
    code: str
    title: str
