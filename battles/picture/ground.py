"""The ground: drawn once, by regions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from battles.geometry import CELL, DIRECTIONS, HALF, MARGIN, NORTH, Run, Sheet, left_of, px, sheet, top_of
from rules.core.board import Board
from rules.core.grid import Cell
from rules.registry import ruleset

GROUND: Mapping[str, str] = {
    "mountain": "mountain",
    "water": "water",
    "marsh": "marsh",
    "sparse_wood": "sparse",
    "dense_wood": "dense",
    "hill": "hill",
    "settlement": "settlement",
}
GLYPHS: Mapping[str, str] = {
    "mountain": "g-mountain",
    "water": "g-water",
    "marsh": "g-marsh",
    "dense_wood": "g-dense",
    "settlement": "g-settlement",
}
EDGES: Mapping[str, str] = {
    "hill": "edge-hill",
    "sparse_wood": "edge-wood",
    "dense_wood": "edge-wood",
    "water": "edge-shore",
}
WOODS = frozenset({"sparse_wood", "dense_wood"})
STREAM = frozenset({"river", "crossing"})
WET = STREAM | {"water"}


class Piece(NamedTuple):
    """A symbol of the terrain at its place, turned by quarters."""

    symbol: str
    transform: str


class Mark(NamedTuple):
    """A coordinate in the margin."""

    x: str
    y: str
    text: str


class Terrain(NamedTuple):
    """The ground of a battle, drawn once."""

    sheet: Sheet
    open: Run
    height: int
    runs: tuple[Run, ...]
    pieces: tuple[Piece, ...]
    grid: str
    thick: tuple[str, str, str, str]
    thin: tuple[str, str, str, str]
    marks: tuple[Mark, ...]


@lru_cache(maxsize=64)
def terrain(board: Board, ruleset_id: str) -> Terrain:
    """The ground drawn by regions: what lies beside a cell decides its edges, bends and bridges."""
    rules = ruleset(ruleset_id)
    names = {cell: rules.terrains[board[cell]].name for cell in board.cells()}
    frame = sheet(board)
    right, bottom = MARGIN + board.width * CELL, MARGIN + board.height * CELL
    lines = [f"M{x} {MARGIN}V{bottom}" for x in range(MARGIN + CELL, right, CELL)]
    lines += [f"M{MARGIN} {y}H{right}" for y in range(MARGIN + CELL, bottom, CELL)]
    label = rules.grid.label
    columns = (Mark(px(left_of(Cell(x, 0)) + HALF), "20", label(Cell(x, 0)).rstrip("1")) for x in range(board.width))
    rows = (Mark("16", px(top_of(Cell(0, y)) + 28.5), str(y + 1)) for y in range(board.height))
    return Terrain(
        sheet=frame,
        open=Run(MARGIN, MARGIN, board.width * CELL, "open"),
        height=board.height * CELL,
        runs=tuple(_runs(board, names)),
        pieces=tuple(piece for cell in board.cells() for piece in _pieces(board, names, cell)),
        grid="".join(lines),
        thick=("26.8", "26.8", px(board.width * CELL + 2.4), px(board.height * CELL + 2.4)),
        thin=("4", "4", px(frame.width - 8), px(frame.height - 8)),
        marks=(*columns, *rows),
    )


def _runs(board: Board, names: Mapping[Cell, str]) -> Iterator[Run]:
    for y in range(board.height):
        x = 0
        while x < board.width:
            name, start = names[Cell(x, y)], x
            while x < board.width and names[Cell(x, y)] == name:
                x += 1
            if name in GROUND:
                yield Run(left_of(Cell(start, y)), top_of(Cell(start, y)), (x - start) * CELL, GROUND[name])


def _turned(symbol: str, cell: Cell, quarters: int = 0) -> Piece:
    x, y = left_of(cell) + HALF, top_of(cell) + HALF
    turn = f" rotate({quarters * 90})" if quarters else ""
    return Piece(symbol, f"translate({x} {y}){turn}")


def _pieces(board: Board, names: Mapping[Cell, str], cell: Cell) -> Iterator[Piece]:
    name = names[cell]
    if name == "sparse_wood":
        yield _turned("g-sparse" if (cell.x * 7 + cell.y * 3) % 5 % 2 == 0 else "g-sparse-2", cell)
    if name in EDGES:
        for quarters, step in enumerate(DIRECTIONS):
            beside = names.get(cell.plus(step))
            same = beside == name or (name in WOODS and beside in WOODS) or (name == "water" and beside in STREAM)
            if beside is not None and not same:
                yield _turned(EDGES[name], cell, quarters)
    if name in GLYPHS:
        yield _turned(GLYPHS[name], cell)
    if name in STREAM:
        yield from _stream(board, names, cell)


def _stream(board: Board, names: Mapping[Cell, str], cell: Cell) -> Iterator[Piece]:
    """A river from straights, bends and arms: it goes on beyond the map's edge; a crossing is a bridge over it."""
    links = [q for q, step in enumerate(DIRECTIONS) if names.get(cell.plus(step)) in WET]
    outside = [q for q, step in enumerate(DIRECTIONS) if cell.plus(step) not in board]
    if len(links) == 1:
        opposite = (links[0] + 2) % 4
        links += [opposite] if opposite in outside else outside[:1]
    elif not links:
        links = outside[:2] if len(outside) > 1 else [NORTH, NORTH + 2]
    links = sorted(set(links))
    match links:
        case [0, 2]:
            yield _turned("river-straight", cell)
        case [1, 3]:
            yield _turned("river-straight", cell, 1)
        case [a, b] if (b - a) in (1, 3):
            yield _turned("river-bend", cell, a if b - a == 1 else 3)
        case _:
            yield _turned("river-core", cell)
            for quarters in links:
                yield _turned("river-arm", cell, quarters)
    if names[cell] == "crossing":
        yield _turned("bridge", cell, 1 if links == [1, 3] else 0)
