"""Small pictures of maps, with dots for the units that the viewer may see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from rules.registry import ruleset

CELL = 6


class Patch(NamedTuple):
    """A stretch of one ground in a row."""

    x: int
    y: int
    width: int
    ground: str


class Dot(NamedTuple):
    """A unit: its place, the rounding of its corners, its side."""

    x: str
    y: str
    rounding: str
    side: str


class Thumb(NamedTuple):
    """The picture: measures, ground, marks of houses and crossings, strips, dots."""

    width: int
    height: int
    patches: tuple[Patch, ...]
    houses: tuple[tuple[str, str], ...]
    crossings: tuple[tuple[int, int], ...]
    strips: tuple[tuple[int, int], ...]
    dots: tuple[Dot, ...]


def thumb(
    rows: Sequence[str],
    dots: Iterable[tuple[int, int, str]] = (),
    *,
    strips: Mapping[str, Sequence[str]] | None = None,
    ruleset_id: str,
) -> Thumb:
    """The picture of a map; dots are column, row and side."""
    rules = ruleset(ruleset_id)
    names = [[rules.terrains[code].name if code in rules.terrains else "open" for code in row] for row in rows]
    cells = [(x, y, name) for y, row in enumerate(names) for x, name in enumerate(row)]
    marked = [rules.grid.parse(label) for labels in (strips or {}).values() for label in labels]
    return Thumb(
        width=CELL * (len(rows[0]) if rows else 16),
        height=CELL * (len(rows) or 10),
        patches=tuple(_patches(names)),
        houses=tuple((f"{x * CELL + 1.5}", f"{y * CELL + 1.5}") for x, y, name in cells if name == "settlement"),
        crossings=tuple((x * CELL, y * CELL + 2) for x, y, name in cells if name == "crossing"),
        strips=tuple((cell.x * CELL, cell.y * CELL) for cell in marked),
        dots=tuple(
            Dot(f"{x * CELL + 0.8}", f"{y * CELL + 0.8}", "1.6" if side == "blue" else "0", side) for x, y, side in dots
        ),
    )


def _patches(names: Sequence[Sequence[str]]) -> Iterator[Patch]:
    for y, row in enumerate(names):
        for name, group in groupby(enumerate(row), key=lambda pair: "river" if pair[1] == "crossing" else pair[1]):
            found: list[Any] = list(group)
            if name != "open":
                yield Patch(found[0][0] * CELL, y * CELL, len(found) * CELL, name)
