"""The layer that every change replaces: last move, strips, fog, blocks, and the ruleset's own marks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.templatetags.static import static
from django.utils.translation import gettext as _

from battles.dress import DRESS
from battles.geometry import CELL, Run, cell_rects, inner_line, left_of, px, sheet, top_of
from rules.core.actors import SIDES, Viewer
from rules.core.board import Board
from rules.core.grid import Cell
from rules.core.text import Place


def last_move(lines: Iterable[Any], board: Board, kinds: frozenset[str]) -> tuple[Cell, ...]:
    """The cells of the newest march in the log, the first one where it began."""
    for line in reversed(tuple(lines)):
        if line.kind in kinds and not line.abandoned:
            for value in line.sentence.values.values():
                if isinstance(value, Place) and value.cells:
                    return tuple(c for c in value.cells if c in board)
    return ()


class Fog(NamedTuple):
    """A strip where somebody deploys unseen, drawn from the strip alone."""

    rects: tuple[Run, ...]
    cells: tuple[tuple[int, int], ...]
    line: str
    plate: tuple[str, str, str, str]
    text: str
    at: tuple[str, str]


def fogs(view: Any, ruleset_id: str) -> tuple[Fog, ...]:
    """The strips that the viewer may not look into."""
    if view.phase.name != "deployment" or view.viewer is Viewer.MODERATOR:
        return ()
    found = []
    for side in SIDES:
        strip = DRESS[ruleset_id].strip(view, side)
        if side is view.side or not strip:
            continue
        text = _("%(side)s deploys here, unseen") % {"side": view.names[side.value]}
        xs, ys = [left_of(c) for c in strip], [top_of(c) for c in strip]
        x, y = (min(xs) + max(xs) + CELL) / 2, (min(ys) + max(ys) + CELL) / 2
        width = min(len(text) * 10.2 + 22, max(xs) - min(xs) + CELL)
        found.append(
            Fog(
                rects=cell_rects(strip),
                cells=tuple((left_of(c), top_of(c)) for c in strip),
                line=inner_line(strip, view.board),
                plate=(px(x - width / 2), px(y - 15.5), px(width), "31"),
                text=text,
                at=(px(x), px(y + 6.5)),
            )
        )
    return tuple(found)


def units_picture(view: Any, lines: Iterable[Any], version: int, ruleset_id: str) -> dict[str, Any]:
    """The layer that is pushed whole: last move, strips, blocks, who is in melee."""
    deploying = view.phase.name == "deployment"
    dress = DRESS[ruleset_id]
    own = dress.strip(view, view.side) if deploying and view.side is not None else ()
    return {
        "sheet": sheet(view.board),
        "symbols": static("umpire/symbols.svg"),
        "terrains": static("umpire/terrain.svg"),
        "version": version,
        "last": [] if deploying else cell_rects(last_move(lines, view.board, dress.moves)),
        "strip": cell_rects(own),
        "strip_line": inner_line(own, view.board) if own else "",
        "fogs": fogs(view, ruleset_id),
        "tokens": [dress.token(view, u) for u in view.units if u.at is not None and u.fate is None],
        **dress.marks(view),
    }
