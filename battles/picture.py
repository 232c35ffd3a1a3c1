"""A battle as plain data for the templates: ground, blocks, marks, rosters, clocks. Pixels appear nowhere else.

A cell is 48 units wide. Numbers that go into SVG are strings already: templates would write 4,5 for 4.5 in Russian.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import uuid4

from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from battles import palette
from rules.core.actors import SIDES, Side, Viewer
from rules.core.board import Board
from rules.core.grid import Cell
from rules.core.text import Place, Sentence
from rules.registry import ruleset
from rules.templatetags.rule_tags import number, sentence_text

CELL, HALF, MARGIN, REST = 48, 24, 28, 12
DIRECTIONS = ((0, -1), (1, 0), (0, 1), (-1, 0))
NORTH = 0
SHOWN = 8  # lines of the log beside the board


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


# The ground

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


class Run(NamedTuple):
    """Cells of one ground side by side in a row, drawn as one."""

    x: int
    y: int
    width: int
    ground: str


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


# Blocks


class Shape(NamedTuple):
    """Where the parts of a block lie around its middle: arm, strength bar, figure, and a line's pale foot."""

    body: str
    arm: tuple[float, float, float, float]
    bar: tuple[float, float, float]
    figure: tuple[float, float]
    foot: tuple[float, float, float, float] | None = None


SHAPES: Mapping[str, Shape] = {
    "open": Shape("open", (-18.2, -17.2, 36.4, 18), (-18.2, 0.8, 36.4), (0, 15.8)),
    "column": Shape("column", (-13.7, -17.2, 27.4, 18), (-13.7, 0.8, 27.4), (0, 15.8)),
    "column-side": Shape("column-side", (-18.7, -14.7, 37.4, 13), (-18.7, -1.7, 37.4), (0, 13.3)),
    "square": Shape("square", (-13.9, -13.9, 27.8, 13.4), (-17.7, 1.3, 35.4), (0, 16.3)),
    "line": Shape("line", (-18, -11.3, 36, 19), (-20, 9, 40), (31.8, 5.4), (20, -12.2, 23.7, 24.4)),
    "line-down": Shape("line", (-11.4, -19, 22.8, 26), (-11.4, 10.5, 22.8), (0, 37.2), (-12.2, 20, 24.4, 23.7)),
}


class Badge(NamedTuple):
    """A state shown at the upper left of a block."""

    tone: str
    symbol: str


@lru_cache(maxsize=4096)
def block(
    side: Side,
    kind: str,
    formation: str,
    facing: int | None,
    hp: float,
    full: float,
    threshold: float | None,
    badges: tuple[Badge, ...] = (),
) -> SafeString:
    """A unit's block around its middle, as markup: the same on the board, in the rosters and in the panel."""
    sideways = facing is not None and facing % 2 == 1
    name = {"column": "column-side", "line": "line-down"}.get(formation, formation) if sideways else formation
    shape = SHAPES[name if name in SHAPES else "open"]
    line = shape.body == "line"
    x, y, width = shape.bar
    corner = (-50 if not sideways else -26, -25 if not sideways else -49) if line else (-26, -25)
    turn = (facing or 0) * 90
    context = {
        "symbols": static("umpire/symbols.svg"),
        "side": side.value,
        "body": f"body-{shape.body}-{side.value}",
        "facing": None if facing is None else "line" if line else "all" if formation == "square" else "one",
        "turn": turn,
        "arm": f"arm-{kind.replace('_', '-')}",
        "a": tuple(map(px, shape.arm)),
        "bar": (px(x), px(y), px(width), px(width * max(0.0, min(1.0, hp / full if full else 0)))),
        "notch": None if threshold is None or not full else px(x + width * threshold / full),
        "foot": None if shape.foot is None else tuple(map(px, shape.foot)),
        "round": "6" if side is Side.BLUE else "1",
        "figure": (px(shape.figure[0]), px(shape.figure[1])),
        "hp": number(hp),
        "badges": [(b.tone, b.symbol, px(corner[0] + 17 * i), px(corner[1])) for i, b in enumerate(badges[:2])],
    }
    return mark_safe(render_to_string("battles/_block.svg", context).strip())


def block_of(unit: Any, badges: tuple[Badge, ...] = (), *, upright: bool = False) -> SafeString:
    """A unit's block; `upright` draws a line as a column, for places of one cell."""
    formation = unit.formation.value
    facing = unit.facing
    if upright and formation == "line":
        formation, facing = "column", (facing if facing in (0, 2) else None)
    return block(unit.side, unit.kind, formation, facing, unit.hp, unit.start_hp, unit.scatters_at, badges)


def spent_out(view: Any, unit: Any) -> bool:
    """Whether a unit has nothing left to do in this turn, as far as one sees."""
    return unit.attacked or unit.fired or view.in_melee(unit.key) or unit.left == 0


def is_reloading(view: Any, unit: Any) -> bool:
    """Whether a battery fired in its side's own turn before this one."""
    return bool(unit.is_artillery and unit.last_shot and view.own_turn(unit.side) - unit.last_shot == 1)


def states_of(view: Any, unit: Any) -> list[tuple[Badge, str]]:
    """The badges of a unit with the words that say the same, the most pressing first."""
    found: list[tuple[Badge, str]] = []
    if any(unit.key in d.about and d.blocks and d.owed_by.side is unit.side for d in view.decisions):
        found.append((Badge("b-rule", "state-pending"), _("waits for an answer")))
    if unit.side in view.retreating:
        found.append((Badge("b-warn", "state-retreating"), _("in retreat")))
    if is_reloading(view, unit):
        found.append((Badge("b-fire", "state-reloading"), _("is reloading")))
    if view.mover is unit.side:
        if unit.fired:
            found.append((Badge("b-fire", "state-fired"), _("has fired")))
        elif unit.moved and unit.left == 0:
            found.append((Badge("b-quiet", "state-done"), _("is done")))
        elif unit.moved or unit.spent:
            found.append((Badge("b-quiet", "state-moved"), _("has moved")))
        elif unit.attacked:
            found.append((Badge("b-quiet", "state-done"), _("is done")))
    return found


def badges_of(view: Any, unit: Any) -> tuple[Badge, ...]:
    """At most two badges a block."""
    return tuple(badge for badge, _words in states_of(view, unit))[:2]


class Token(NamedTuple):
    """A block on the board."""

    key: str
    side: str
    x: str
    y: str
    hp: str
    route: str
    fired: bool
    markup: SafeString

    @property
    def drawn(self) -> SafeString:
        """The block at its place."""
        return _drawn(self)


@lru_cache(maxsize=4096)
def _drawn(token: Token) -> SafeString:
    """A token's markup, made of nothing but the token: most units stand where they stood before the last order."""
    return mark_safe(render_to_string("battles/_token.svg", {"t": token}).strip())


def token(view: Any, unit: Any) -> Token:
    """A unit at its place, with the way it came this turn for the motion."""
    x, y = centre_of(unit.cells)
    ax, ay = centre_of((unit.at,))
    way = " ".join(f"{px(left_of(c) + HALF + x - ax)},{px(top_of(c) + HALF + y - ay)}" for c in unit.entered)
    markup = block_of(unit, badges_of(view, unit))
    return Token(unit.key, unit.side.value, px(x), px(y), f"{unit.hp:g}", way, unit.fired, markup)


# Words for units and cells


def words_of(*parts: str) -> str:
    """Parts of a description joined by commas."""
    return ", ".join(part for part in parts if part)


def facing_words(facing: int | None) -> str:
    """How a unit faces."""
    if facing is None:
        return ""
    return (_("facing north"), _("facing east"), _("facing south"), _("facing west"))[facing]


def kind_words(unit: Any) -> str:
    """`heavy infantry in line`, or the kind alone where it has no formations."""
    kind = _(unit.base.title)
    if unit.formation.value == "open":
        return kind
    formation = {"column": _("column"), "line": _("line"), "square": _("square")}[unit.formation.value]
    return _("%(kind)s in %(formation)s") % {"kind": kind, "formation": formation}


def place_words(unit: Any, labels: Any) -> str:
    """Where a unit stands: `D5 and E5`."""
    names = [labels(c) for c in unit.cells]
    return names[0] if len(names) == 1 else _("%(first)s and %(second)s") % {"first": names[0], "second": names[1]}


def strength_words(unit: Any) -> str:
    """`7 of 10`."""
    return _("%(now)s of %(full)s") % {"now": number(unit.hp), "full": number(unit.start_hp)}


def unit_words(view: Any, unit: Any, labels: Any) -> str:
    """A unit as a screen reader says it."""
    states = [words for _badge, words in states_of(view, unit)]
    if view.in_melee(unit.key):
        states.append(_("in melee"))
    facing = "" if unit.formation.value == "square" else facing_words(unit.facing)
    parts = [unit.name, kind_words(unit), place_words(unit, labels), facing, strength_words(unit), *states]
    return words_of(*parts) + "."


# The units' layer


def last_move(lines: Iterable[Any], board: Board) -> tuple[Cell, ...]:
    """The cells of the newest march in the log, the first one where it began."""
    for line in reversed(tuple(lines)):
        if line.kind in ("unit_moved", "line_wheeled") and not line.abandoned:
            for value in line.sentence.values.values():
                if isinstance(value, Place) and value.cells:
                    return tuple(c for c in value.cells if c in board)
    return ()


def _square_path(cells: Iterable[Cell], board: Board) -> str:
    """The outline of a set of cells, the map's own edge left out where `board` ends."""
    inside = set(cells)
    parts = []
    for cell in sorted(inside, key=lambda c: (c.y, c.x)):
        x, y = left_of(cell), top_of(cell)
        sides = (f"M{x} {y}h48", f"M{x + 48} {y}v48", f"M{x} {y + 48}h48", f"M{x} {y}v48")
        parts += [side for side, step in zip(sides, DIRECTIONS, strict=True) if cell.plus(step) not in inside]
    return "".join(parts)


def _inner_line(cells: Iterable[Cell], board: Board) -> str:
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


class Fog(NamedTuple):
    """A strip where somebody deploys unseen, drawn from the strip alone."""

    rects: tuple[Run, ...]
    cells: tuple[tuple[int, int], ...]
    line: str
    plate: tuple[str, str, str, str]
    text: str
    at: tuple[str, str]


def fogs(view: Any) -> tuple[Fog, ...]:
    """The strips that the viewer may not look into."""
    if view.phase.name != "deployment" or view.viewer is Viewer.MODERATOR:
        return ()
    found = []
    for side, strip in zip(SIDES, view.strips, strict=True):
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
                line=_inner_line(strip, view.board),
                plate=(px(x - width / 2), px(y - 15.5), px(width), "31"),
                text=text,
                at=(px(x), px(y + 6.5)),
            )
        )
    return tuple(found)


def units_picture(view: Any, lines: Iterable[Any], version: int) -> dict[str, Any]:
    """The layer that is pushed whole: last move, strips, blocks, who is in melee."""
    deploying = view.phase.name == "deployment"
    own = view.strip(view.side) if deploying and view.side is not None else ()
    return {
        "sheet": sheet(view.board),
        "symbols": static("umpire/symbols.svg"),
        "terrains": static("umpire/terrain.svg"),
        "version": version,
        "last": [] if deploying else cell_rects(last_move(lines, view.board)),
        "strip": cell_rects(own),
        "strip_line": _inner_line(own, view.board) if own else "",
        "fogs": fogs(view),
        "tokens": [token(view, u) for u in view.units if u.on_field],
        "melees": [_crossed_swords(*m.ground) for m in view.melees],
    }


def _crossed_swords(a: Cell, b: Cell) -> tuple[str, str]:
    """Where the badge of a melee lies: on the shared side, off its middle so that the figures stay free."""
    ax, ay = centre_of((a,))
    bx, by = centre_of((b,))
    x, y = (ax + bx) / 2, (ay + by) / 2
    return (px(x + (19 if a.x == b.x else 0) - 12), px(y - (19 if a.y == b.y else 0) - 12))


# Rosters


class Chip(NamedTuple):
    """A unit in a roster or in the tray."""

    key: str
    name: str
    label: str
    markup: SafeString | None
    fate: str
    side: str
    own: bool

    @property
    def item(self) -> SafeString:
        """The unit in its roster."""
        return _roster_item(self, False)

    @property
    def chosen_item(self) -> SafeString:
        """The same while it is selected."""
        return _roster_item(self, True)


@lru_cache(maxsize=4096)
def _roster_item(chip: Chip, chosen: bool) -> SafeString:
    """A roster's line, made of nothing but its chip: most units are as they were before the last order."""
    context = {"chip": chip, "chosen": chosen, "symbols": static("umpire/symbols.svg")}
    return mark_safe(render_to_string("battles/_roster_item.html", context).strip())


class Roster(NamedTuple):
    """One army beside the board."""

    side: str
    name: str
    known: bool
    here: int
    total: int
    chips: tuple[Chip, ...]
    active: bool
    own: bool
    ready: bool
    retreating: bool


FATES = {
    "absent": lambda: pgettext("fate of a unit", "absent"),
    "destroyed": lambda: pgettext("fate of a unit", "destroyed"),
    "scattered": lambda: pgettext("fate of a unit", "scattered"),
    "withdrawn": lambda: pgettext("fate of a unit", "withdrawn"),
    "captured": lambda: pgettext("fate of a unit", "captured"),
}


def chip(view: Any, unit: Any, labels: Any) -> Chip:
    """A unit in a roster, with its badges, or with its fate."""
    if unit.fate is not None:
        fate = FATES[unit.fate.value]()
        return Chip(unit.key, unit.name, words_of(unit.name, fate), None, fate, unit.side.value, unit.side is view.side)
    markup = block_of(unit, badges_of(view, unit), upright=True)
    label = unit_words(view, unit, labels) if unit.at is not None else words_of(unit.name, kind_words(unit))
    return Chip(unit.key, unit.name, label, markup, "", unit.side.value, unit.side is view.side)


def rosters(view: Any, ruleset_id: str) -> dict[str, Roster]:
    """Both armies by side: the enemy's only after the reveal."""
    labels = ruleset(ruleset_id).grid.label
    deploying = view.phase.name == "deployment"
    found = {}
    for side in SIDES:
        units = [u for u in view.units if u.side is side]
        if deploying:
            units = [u for u in units if u.at is not None]
        units.sort(key=lambda u: u.fate is not None)
        here = [u for u in units if u.fate is None]
        known = not deploying or view.viewer is Viewer.MODERATOR or side is view.side
        found[side.value] = Roster(
            side=side.value,
            name=view.names[side.value],
            known=known,
            here=len(here),
            total=len(units),
            chips=tuple(chip(view, u, labels) for u in units) if known else (),
            active=view.mover is side,
            own=view.side is side,
            ready=side in view.ready,
            retreating=side in view.retreating,
        )
    return found


def upper_side(view: Any) -> Side:
    """The army whose roster stands above the board: the enemy's; for onlookers the northern one."""
    if view.side is not None:
        return view.side.enemy

    def row(side: Side) -> float:
        strip = view.strip(side)
        return sum(c.y for c in strip) / max(1, len(strip))

    return min(SIDES, key=row)


# Clocks and banner


def clock_text(seconds: float) -> str:
    """`3:42`, `1:05:00`."""
    whole = max(0, int(seconds + 0.999))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


class Clock(NamedTuple):
    """A clock as the banner shows it."""

    key: str
    text: str
    left: str
    total: int
    due: str
    running: bool
    part: str
    ring: str
    answer: bool


def clock(clocks: Iterable[Any]) -> Clock | None:
    """The clock that matters now: a question's before the phase's."""
    readings = sorted(clocks, key=lambda reading: not reading.key.startswith("answer"))
    if not readings:
        return None
    reading = readings[0]
    part = max(0.0, min(1.0, reading.seconds_left / reading.total)) if reading.total else 0.0
    return Clock(
        key=reading.key,
        text=clock_text(reading.seconds_left),
        left=f"{max(0.0, reading.seconds_left):.2f}",
        total=reading.total,
        due=reading.due_at.isoformat() if reading.due_at else "",
        running=reading.running,
        part=px(part * 100),
        ring=px(part * 175.9),
        answer=reading.key.startswith("answer"),
    )


def idle_units(view: Any) -> tuple[Any, ...]:
    """Units of the viewer that have done nothing this turn and could."""
    if view.side is None or view.mover is not view.side:
        return ()
    return tuple(
        u
        for u in view.units
        if u.side is view.side
        and u.on_field
        and not (u.moved or u.fired or u.attacked or u.spent)
        and not view.in_melee(u.key)
        and not is_reloading(view, u)
    )


REASONS = {
    "ruling": lambda: _("the moderator's ruling"),
    "turn_limit": lambda: _("the turn limit is reached"),
    "early_rout": lambda: _("the enemy broke early"),
    "agreed": lambda: _("a draw by agreement"),
    "retreat": lambda: _("the enemy has retreated"),
    "field_held": lambda: _("the enemy has left the field"),
    "nobody_left": lambda: _("no unit is left on the field"),
    "both_retreat": lambda: _("both armies have retreated"),
    "nobody_deployed": lambda: _("nobody was deployed"),
    "stalemate": lambda: _("a dead end"),
}


def reason_words(reason: str) -> str:
    """Why a battle ended."""
    return REASONS[reason]() if reason in REASONS else reason.replace("_", " ")


def banner(battle: Any, view: Any) -> dict[str, Any]:
    """What stands above the board: whose move it is, what is asked, what remains to be done."""
    side = view.side
    placed = [u for u in view.units if u.side is side and u.at is not None]
    mine = [u for u in view.units if u.side is side]
    pending = [d for d in view.decisions if d.blocks]
    return {
        "name": battle.name,
        "phase": view.phase.name,
        "turn": view.turn,
        "side": side.value if side else "",
        "mover": view.mover.value if view.mover else "",
        "mover_name": view.names[view.mover.value] if view.mover else "",
        "yours": side is not None and view.mover is side,
        "red": view.names["red"],
        "blue": view.names["blue"],
        "placed": len(placed),
        "total": len(mine),
        "ready": side in view.ready,
        "enemy_ready": side is not None and side.enemy in view.ready,
        "enemy": view.names[side.enemy.value] if side else "",
        "idle": len(idle_units(view)),
        "blocked": side is not None and any(side in d.blocks for d in pending),
        "pending": bool(pending),
        "moderator_asked": any(d.owed_by.value == "moderator" for d in pending),
        "winner": view.outcome.winner.value if view.outcome and view.outcome.winner else "",
        "winner_name": view.names[view.outcome.winner.value] if view.outcome and view.outcome.winner else "",
        "over": view.outcome is not None,
        "reason": reason_words(view.outcome.reason) if view.outcome else "",
        "stopped": view.clock_stopped,
    }


# Questions

CHOICES = {
    "ride": lambda: _("Ride out"),
    "stand": lambda: _("Stand"),
    "accept": lambda: pgettext("answer", "Accept"),
    "decline": lambda: pgettext("answer", "Decline"),
}


class Question(NamedTuple):
    """An open question: what is asked, of whom, and the answers with their words."""

    id: str
    kind: str
    rule: str
    mine: bool
    text: SafeString
    choices: tuple[tuple[str, str], ...]
    main: str
    waiting: str


def questions(view: Any) -> tuple[Question, ...]:
    """The open questions that the viewer knows of; his own can be answered."""
    found = []
    for decision in view.decisions:
        mine = view.side is not None and decision.owed_by.side is view.side
        units = [view.find(key) for key in decision.about]
        names = [u for u in units if u is not None]
        owed = decision.owed_by.side
        found.append(
            Question(
                id=decision.id,
                kind=decision.kind,
                rule=decision.rule,
                mine=mine,
                text=_question_text(view, decision, names),
                choices=tuple(
                    (c, CHOICES[c]() if c in CHOICES else capfirst(c.replace("_", " "))) for c in decision.choices
                ),
                main=next((c for c in decision.choices if c != decision.default), decision.default),
                waiting=(
                    _("%(side)s has to answer.") % {"side": view.names[owed.value]}
                    if owed
                    else _("The moderator has to answer.")
                ),
            )
        )
    return tuple(found)


def _question_text(view: Any, decision: Any, units: Sequence[Any]) -> SafeString:
    def name(unit: Any) -> SafeString:
        return format_html('<b class="tx-{}">{}</b>', unit.side.value, unit.name)

    if decision.kind == "charge" and len(units) > 1:
        first, second = units[0], units[1]
        return format_html(
            _("{charger} charges {target}. Ride out to meet the charge?"), charger=name(first), target=name(second)
        )
    if decision.kind == "draw_offer":
        side = decision.owed_by.side
        offerer = view.names[side.enemy.value] if side else ""
        return format_html(_("{side} offers a draw."), side=offerer)
    words = {
        "nobody_deployed": _("A side has placed nobody."),
        "overwhelm": _("A unit was overwhelmed: what it cost the stronger one is the moderator's to say."),
        "caught_in_retreat": _("Units were caught in melee when their army retreated."),
        "stalemate": _("The battle has come to a dead end."),
        "early_rout": _("An army would break now."),
    }
    return format_html("{}", words.get(decision.kind, capfirst(decision.kind.replace("_", " "))))


# The log


OPENING_KINDS = frozenset({"battle_opened", "army_mustered", "phase_started"})


class LogBlock(NamedTuple):
    """Lines of the log that belong together: a turn's heading, lines, or an abandoned part that is folded."""

    turn: int
    heading: str
    lines: tuple[Any, ...]
    abandoned: bool


def log_blocks(lines: Iterable[Any], names: Mapping[str, str]) -> tuple[LogBlock, ...]:
    """The lines by turns; abandoned parts apart."""
    found: list[LogBlock] = []
    for line in lines:
        if line.ruling and line.kind in OPENING_KINDS:  # the moderator opens a battle, which is no ruling
            line = line._replace(ruling=False)
        if found and found[-1].turn == line.turn and found[-1].abandoned == line.abandoned:
            found[-1] = found[-1]._replace(lines=(*found[-1].lines, line))
        else:
            heading = turn_words(line.turn, names) if not found or found[-1].turn != line.turn else ""
            found.append(LogBlock(line.turn, heading, (line,), line.abandoned))
    return tuple(found)


def turn_words(turn: int, names: Mapping[str, str]) -> str:
    """`turn 6`, or the deployment before the first one."""
    return _("turn %(turn)s") % {"turn": turn} if turn else _("deployment")


# Dice and report

PURPOSES = {
    "first_move": lambda: _("who moves first"),
    "roundshot": lambda: _("roundshot"),
    "rout": lambda: _("who scatters in the rout"),
    "reduction": lambda: _("which units stay"),
}


def purpose_words(purpose: str) -> str:
    """What a throw was for."""
    return PURPOSES[purpose]() if purpose in PURPOSES else purpose.replace("_", " ")


STANDS = {
    "intact": lambda: _("intact"),
    "damaged": lambda: _("with losses"),
    "absent": lambda: pgettext("fate of units", "absent"),
    "destroyed": lambda: pgettext("fate of units", "destroyed"),
    "scattered": lambda: pgettext("fate of units", "scattered"),
    "withdrawn": lambda: pgettext("fate of units", "withdrawn"),
    "captured": lambda: pgettext("fate of units", "captured"),
}


class FateLine(NamedTuple):
    """Units of one fate in the report: on the field, and multiplied back where the army had been reduced."""

    fate: str
    words: str
    units: int
    whole: int
    exact: str


class ReportSide(NamedTuple):
    """What the battle cost one army."""

    side: str
    name: str
    brought: int
    reduced: bool
    factor: str
    fates: tuple[FateLine, ...]
    lost: str
    start: str


def reports(view: Any, report: Iterable[Any]) -> tuple[ReportSide, ...]:
    """Both armies' losses as the report shows them."""
    return tuple(
        ReportSide(
            side=r.side.value,
            name=view.names[r.side.value],
            brought=r.brought,
            reduced=r.factor != 1,
            factor=f"{r.factor:g}",
            fates=tuple(
                FateLine(
                    f.fate, STANDS[f.fate]() if f.fate in STANDS else f.fate, f.units, f.whole, f"{round(f.exact, 2):g}"
                )
                for f in r.fates
            ),
            lost=number(r.hp_lost),
            start=number(r.hp_start),
        )
        for r in report
    )


# What a push carries


def push_context(
    battle: Any, view: Any, *, viewer: Viewer, clocks: Iterable[Any], log: Any, version: int
) -> dict[str, Any]:
    """All that `battles/_push.html` needs: the fragments that a change replaces, for one viewer."""
    lines = tuple(log.lines)
    both = rosters(view, battle.ruleset)
    upper = upper_side(view)
    return {
        "battle_id": battle.pk,
        "battle": battle,
        "ruleset_id": battle.ruleset,
        "view": view,
        "viewer": viewer.value,
        "version": version,
        "units": units_picture(view, lines, version),
        "upper": both[upper.value],
        "lower": both[upper.enemy.value],
        "tray": tray(view, battle.ruleset),
        "banner": banner(battle, view),
        "clock": clock(clocks),
        "questions": questions(view),
        "log": log_blocks(lines[-SHOWN:], view.names),
        "log_turn": turn_words(lines[-1].turn, view.names) if lines else "",
        "latest": [(line.no, line.side.value if line.side else "", _plain(line.sentence)) for line in lines[-6:]],
        "newest": lines[-1].no if lines else 0,
        "push": True,
        "deploying": view.phase.name == "deployment",
        "new_id": new_id,
        "colours": palette.classes(battle.sides),
    }


def new_id() -> str:
    """A fresh id for a form's command."""
    return str(uuid4())


def _plain(sentence: Sentence) -> str:
    return sentence_text(sentence)


def tray(view: Any, ruleset_id: str) -> tuple[Chip, ...] | None:
    """The viewer's units that are not placed yet; None when nobody deploys."""
    if view.phase.name != "deployment" or view.side is None:
        return None
    labels = ruleset(ruleset_id).grid.label
    return tuple(chip(view, u, labels) for u in view.units if u.side is view.side and u.at is None)
