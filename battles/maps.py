"""The library of maps: our own JSON files, read once and checked.

A strip is written as ranges of cells (`A9:P10`); in memory and in the database it is the list of its cells' labels.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import msgspec

from rules.core.actors import SIDES, Side
from rules.core.board import Board
from rules.core.grid import Cell, Grid
from rules.core.text import gettext_noop
from rules.registry import ruleset

FOLDER = Path(__file__).resolve().parent / "maps"
SMALLEST, LARGEST = 4, 40

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "open-fields": gettext_noop("Open fields"),
        "river-crossings": gettext_noop("The river crossings"),
        "village-and-woods": gettext_noop("Village and woods"),
    }
)
DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "open-fields": gettext_noop("Wide and flat, two low hills and a few copses: room for cavalry and long fire."),
        "river-crossings": gettext_noop("A river across the whole map; three crossings decide the day."),
        "village-and-woods": gettext_noop("A village under a hill between deep woods: close ground for infantry."),
    }
)


class MapError(Exception):
    """A map that cannot be used, and why."""


class MapFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A map as its file holds it."""

    slug: str
    ruleset: str
    rows: tuple[str, ...]
    strips: dict[Side, tuple[str, ...]]


class LibraryMap(msgspec.Struct, frozen=True, kw_only=True):
    """A map that every campaign may use; `title` and `description` are message ids."""

    slug: str
    ruleset: str
    board: Board
    strips: tuple[tuple[Cell, ...], tuple[Cell, ...]]
    title: str
    description: str

    @property
    def strip_labels(self) -> dict[str, list[str]]:
        """The strips as the database keeps them: labels by side."""
        grid = ruleset(self.ruleset).grid
        return {side.value: [grid.label(cell) for cell in self.strips[i]] for i, side in enumerate(SIDES)}


def spread(ranges: Iterable[str], grid: Grid) -> tuple[Cell, ...]:
    """The cells that ranges name, row by row; MapError if a range is no range."""
    cells: list[Cell] = []
    for text in ranges:
        first, _, last = text.partition(":")
        try:
            start, end = grid.parse(first), grid.parse(last or first)
        except ValueError as error:
            raise MapError(str(error)) from error
        cells += [Cell(x, y) for y in range(start.y, end.y + 1) for x in range(start.x, end.x + 1)]
    return tuple(dict.fromkeys(cells))


def read(raw: bytes) -> LibraryMap:
    """A map from its file; MapError says what is wrong with it."""
    try:
        data = msgspec.json.decode(raw, type=MapFile)
        rules = ruleset(data.ruleset)
    except (msgspec.ValidationError, msgspec.DecodeError, KeyError) as error:
        raise MapError(str(error)) from error
    widths = {len(row) for row in data.rows}
    if len(widths) != 1 or not SMALLEST <= widths.pop() <= LARGEST or not SMALLEST <= len(data.rows) <= LARGEST:
        raise MapError(f"{data.slug}: rows must be equally long, and 4 to 40 cells each way")
    unknown = set("".join(data.rows)) - set(rules.terrains)
    if unknown:
        raise MapError(f"{data.slug}: no such terrain: {' '.join(sorted(unknown))}")
    board = Board(rows=data.rows)
    red, blue = (spread(data.strips.get(side, ()), rules.grid) for side in SIDES)
    if not red or not blue or set(red) & set(blue) or any(cell not in board for cell in (*red, *blue)):
        raise MapError(f"{data.slug}: both strips must lie on the map and apart")
    return LibraryMap(
        slug=data.slug,
        ruleset=data.ruleset,
        board=board,
        strips=(red, blue),
        title=TITLES.get(data.slug, data.slug),
        description=DESCRIPTIONS.get(data.slug, ""),
    )


@lru_cache(maxsize=1)
def library() -> Mapping[str, LibraryMap]:
    """All maps of the library by slug, in the order in which they are offered."""
    maps = {each.slug: each for each in (read(path.read_bytes()) for path in sorted(FOLDER.glob("*.json")))}
    return MappingProxyType(maps)


def reached(cells: frozenset[Cell], start: Cell, steps: Iterable[tuple[int, int]]) -> frozenset[Cell]:
    """The cells that can be reached from one of them by steps to neighbours."""
    seen, queue, ways = {start}, deque([start]), tuple(steps)
    while queue:
        for cell in (queue[0].plus(step) for step in ways):
            if cell in cells and cell not in seen:
                seen.add(cell)
                queue.append(cell)
        queue.popleft()
    return frozenset(seen)
