"""The layer over the board for one selection: the ruleset's marks, and the cells as links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from battles.dress import DRESS
from battles.dress.contract import Cells
from battles.dress.parts import Box, Desk, Figures, Selection
from battles.geometry import Run, left_of, top_of
from rules.core.grid import Cell
from rules.registry import ruleset


class Space(NamedTuple):
    """A space of the board as a control: where, what it says, where its link leads, what a tap sends."""

    x: int
    y: int
    label: str
    name: str
    href: str
    unit: str
    own: bool
    post: str
    tab: bool

    @property
    def markup(self) -> str:
        """The link over the cell, everything that comes from outside escaped."""
        unit = f' data-unit="{escape(self.unit)}"{" data-own" if self.own else ""}' if self.unit else ""
        post = f' data-post="{escape(self.post)}"' if self.post else ""
        return (
            f'<g role="gridcell"><a href="{escape(self.href)}" tabindex="{0 if self.tab else -1}"'
            f' aria-label="{escape(self.label)}" data-cell="{escape(self.name)}"{unit}{post}>'
            f'<path d="M{self.x} {self.y}h48v48h-48z"/></a></g>'
        )


class Overlay(NamedTuple):
    """The user's own marks under and over the blocks, and the cells that can be chosen."""

    reach: tuple[Run, ...]
    dots: tuple[tuple[int, int], ...]
    fire: tuple[Run, ...]
    fire_edge: str
    canister: tuple[Run, ...]
    selected: tuple[Box, ...]
    targets: tuple[tuple[int, int], ...]
    route: str
    head: str
    aim: str
    chips: tuple[Figures, ...]
    ghost: tuple[str, str, SafeString, str] | None
    turner: dict[str, Any] | None
    rows: tuple[tuple[Space, ...], ...]

    @property
    def grid(self) -> SafeString:
        """The cells as markup, row by row: put together here, since a template takes five milliseconds for them."""
        rows = ("".join(cell.markup for cell in row) for row in self.rows)
        return mark_safe("".join(f'<g role="row">{row}</g>' for row in rows))


def overlay(d: Desk) -> Overlay:
    """Everything the user's selection draws, and the board's cells as links."""
    marks, cells = DRESS[d.ruleset_id].overlay(d)
    return Overlay(*marks, rows=_rows(d, cells))


def _rows(d: Desk, cells: Cells) -> tuple[tuple[Space, ...], ...]:
    view, rules = d.view, ruleset(d.ruleset_id)
    titles = {code: _(t.title) for code, t in rules.terrains.items()}
    start = d.unit.at if d.unit is not None and d.unit.at is not None else Cell(0, 0)
    rows = []
    for y in range(view.board.height):
        row = []
        for x in range(view.board.width):
            cell = Cell(x, y)
            name, ground = rules.grid.label(cell), titles[view.board[cell]]
            here = view.at(cell)
            key, own, post, href = "", False, "", "?"
            if here:
                unit = picked(here, d.selection)
                key, own, href = unit.key, unit.side is view.side, cells.href(unit)
                label = " ".join(cells.unit(name, ground, each) for each in here)
            elif (free := cells.free(cell)) is not None:
                href, post = d.selection.query(to=free.to, target="", do=""), free.post
                label = f"{name}, {ground}. {free.said}"
            else:
                label = f"{name}, {ground}."
            row.append(Space(left_of(cell), top_of(cell), label, name, href, key, own, post, cell == start))
        rows.append(tuple(row))
    return tuple(rows)


def picked(here: Sequence[Any], selection: Selection) -> Any:
    """Which of the pieces on a cell its link leads to: the top one, then one after the other."""
    keys = [unit.key for unit in here]
    last = next((key for key in (selection.target, selection.unit) if key in keys), None)
    return here[0] if last is None else here[(keys.index(last) + 1) % len(here)]
