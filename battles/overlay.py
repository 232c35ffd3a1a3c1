"""The layer over the board for one selection: reach, zones, routes, figures, and the cells as links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from battles import picture
from battles.picture import CELL, HALF, px
from battles.selection import Desk, Selection, covered, facing_letter
from rules.core.grid import Cell
from rules.registry import ruleset
from rules.templatetags.rule_tags import number

OUT_OF_SIGHT = frozenset({"out_of_range", "out_of_sector", "out_of_zone", "target_gone", "unit_gone", "no_such_unit"})


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


class Chip(NamedTuple):
    """Figures on the board."""

    tone: str
    x: str
    y: str
    width: str
    text_x: str
    text_y: str
    text: str


class Box(NamedTuple):
    """A frame symbol around one or two cells."""

    symbol: str
    transform: str
    x: int
    width: int


class Overlay(NamedTuple):
    """The user's own marks under and over the blocks, and the cells that can be chosen."""

    reach: tuple[picture.Run, ...]
    dots: tuple[tuple[int, int], ...]
    fire: tuple[picture.Run, ...]
    fire_edge: str
    canister: tuple[picture.Run, ...]
    selected: tuple[Box, ...]
    targets: tuple[tuple[int, int], ...]
    route: str
    head: str
    aim: str
    chips: tuple[Chip, ...]
    ghost: tuple[str, str, SafeString, str] | None
    turner: dict[str, Any] | None
    rows: tuple[tuple[Space, ...], ...]

    @property
    def grid(self) -> SafeString:
        """The cells as markup, row by row: put together here, since a template takes five milliseconds for them."""
        rows = ("".join(cell.markup for cell in row) for row in self.rows)
        return mark_safe("".join(f'<g role="row">{row}</g>' for row in rows))


def around(cells: tuple[Cell, ...], symbol: str) -> Box:
    """A frame around a unit: the wide one around a line, turned with it."""
    x, y = picture.centre_of(cells)
    if len(cells) == 2:
        turn = " rotate(90)" if cells[0].x == cells[1].x else ""
        return Box(f"{symbol}-line", f"translate({px(x)} {px(y)}){turn}", -48, 96)
    return Box(symbol, f"translate({px(x)} {px(y)})", -24, 48)


def overlay(d: Desk) -> Overlay:
    """Everything the user's selection draws, and the board's cells as links."""
    view, unit, can = d.view, d.unit, d.can
    deploying = view.phase.name == "deployment"
    reach: dict[Cell, str] = {}
    dots: list[Cell] = []
    if can is not None and deploying and d.place is not None:
        for at in d.place.spots:
            reach.setdefault(at, d.label(at))
        dots = list(reach)
    elif can is not None:
        for move in can.moves:
            for cell in covered(unit, move.at):
                if cell not in unit.cells:
                    reach.setdefault(cell, d.label(move.at))
        dots = list(reach)
    targets = {t.target for t in (*can.attacks, *can.fires)} if can is not None else set()
    route, head = _route(d)
    zone = can.zone if can is not None and not deploying else ()
    canister = can.canister_zone if can is not None and not deploying else ()
    occupied = view.occupied()
    ghost = None
    turner = None
    if deploying and d.own and d.place is not None:
        if d.place.going is not None:
            ghost = _ghost(d)
        elif unit.at is not None:
            turner = _turner(d)
    return Overlay(
        reach=() if deploying else picture.cell_rects(c for c in (*reach, *(unit.cells if can and can.moves else ()))),
        dots=tuple((picture.left_of(c), picture.top_of(c)) for c in dots if c not in occupied),
        fire=picture.cell_rects(c for c in zone if c not in set(canister)),
        fire_edge=picture._square_path(zone, view.board),
        canister=picture.cell_rects(canister),
        selected=(around(unit.cells, "select"),) if unit is not None and unit.at is not None else (),
        targets=tuple(
            (picture.left_of(c), picture.top_of(c))
            for a in ({a.target for a in can.attacks} if can is not None else set())
            for c in view.unit(a).cells
        ),
        route=route,
        head=head,
        aim=_aim(d),
        chips=tuple(_chips(d)),
        ghost=ghost,
        turner=turner,
        rows=_rows(d, reach, targets, occupied, deploying),
    )


def _route(d: Desk) -> tuple[str, str]:
    unit = d.unit
    if d.march is not None:
        cells, stop = (unit.at, *d.march.path), None
    elif d.attack is not None:
        target = min(
            d.view.unit(d.attack.target).cells,
            key=lambda c: abs(c.x - d.attack.origin.x) + abs(c.y - d.attack.origin.y),
        )
        cells, stop = (unit.at, *d.attack.path), target
    else:
        return "", ""
    shift_x = picture.centre_of(unit.cells)[0] - picture.centre_of((unit.at,))[0]
    shift_y = picture.centre_of(unit.cells)[1] - picture.centre_of((unit.at,))[1]
    points = [(picture.left_of(c) + HALF + shift_x, picture.top_of(c) + HALF + shift_y) for c in cells]
    tip = 0
    if stop is not None:
        points.append((picture.left_of(stop) + HALF + 0.0, picture.top_of(stop) + HALF + 0.0))
        tip = 26
        if len(points) < 3:
            return "", ""
    if len(points) < 2:
        return "", ""
    (x0, y0), (x1, y1) = points[0], points[1]
    start = (x0 + _sign(x1 - x0) * 26, y0 + _sign(y1 - y0) * 26)
    (xa, ya), (xb, yb) = points[-2], points[-1]
    ux, uy = _sign(xb - xa), _sign(yb - ya)
    end = (xb - ux * tip, yb - uy * tip)
    base = (end[0] - ux * 14, end[1] - uy * 14)
    neck = (end[0] - ux * 12, end[1] - uy * 12)
    middle = points[1:-1]
    line = "M" + "L".join(f"{px(x)} {px(y)}" for x, y in (start, *middle, neck))
    corners = ((base[0] - uy * 8, base[1] + ux * 8), end, (base[0] + uy * 8, base[1] - ux * 8))
    return line, "M" + "L".join(f"{px(x)} {px(y)}" for x, y in corners) + "Z"


def _sign(value: float) -> int:
    return (value > 0.5) - (value < -0.5)


def _aim(d: Desk) -> str:
    if d.fire is None:
        return ""
    x, y = picture.centre_of(d.unit.cells)
    tx, ty = picture.centre_of((d.fire.at,))
    length = max(1.0, ((tx - x) ** 2 + (ty - y) ** 2) ** 0.5)
    a, b = 24 / length, (length - 26) / length
    if b <= a:
        return ""
    return f"M{px(x + (tx - x) * a)} {px(y + (ty - y) * a)}L{px(x + (tx - x) * b)} {px(y + (ty - y) * b)}"


def odds(attack: Any, view: Any) -> str:
    """A predicted exchange as figures: `6 : 4`."""
    if attack.overrun:
        return f"−{number(view.unit(attack.target).hp)}"
    if attack.exchange is None:
        return "? : ?"
    return f"{attack.exchange.attacker} : {attack.exchange.defender}"


def shot(fire: Any) -> str:
    """A shot as figures: `4/6 −1`, or the sure loss alone."""
    loss = next((loss for key, loss in fire.losses if key == fire.target), 0)
    return f"−{number(loss)}" if fire.chance >= 6 else f"{fire.chance}/6 −{number(loss)}"


def _chip(tone: str, cells: tuple[Cell, ...], text: str, level: int) -> Chip:
    """Figures above a unit; a mark that would lie on the coordinates stands beside it."""
    x, _y = picture.centre_of(cells)
    top = min(picture.top_of(c) for c in cells) - 18.5 - 20 * level
    width = 24 if tone == "no" else max(30, 10 + len(text) * 6.7)
    if tone == "no" and top < picture.MARGIN:
        x, top = max(picture.left_of(c) for c in cells) + CELL + 11, picture.MARGIN + 14.5
    return Chip(tone, px(x - width / 2), px(max(2, top)), px(width), px(x), px(max(2, top) + 14.3), text)


def _chips(d: Desk) -> Iterable[Chip]:
    if d.can is None or d.view.phase.name == "deployment":
        return
    seen: set[str] = set()
    for attack in d.can.attacks:
        if attack.target not in seen:
            seen.add(attack.target)
            chosen = d.attack if d.attack is not None and d.attack.target == attack.target else attack
            yield _chip("exchange", d.view.unit(attack.target).cells, odds(chosen, d.view), 0)
    for fire in d.can.fires:
        yield _chip("fire", d.view.unit(fire.target).cells, shot(fire), 1 if fire.target in seen else 0)
    aimed = {fire.target for fire in d.can.fires} | seen
    for (order, target), refused in d.can.refused_targets.items():
        unit = d.view.find(target)
        if order == "fire" and unit is not None and unit.at and target not in aimed and refused.key not in OUT_OF_SIGHT:
            yield _chip("no", unit.cells, "✕", 0)


def _ghost(d: Desk) -> tuple[str, str, SafeString, str]:
    going, unit = d.place.going, d.unit
    cells: tuple[Cell, ...] = (going,)
    if d.place.formation == "line":
        step = picture.DIRECTIONS[(d.place.facing + 1) % 4]
        cells = (going, going.plus(step))
    x, y = picture.centre_of(cells)
    markup = picture.block(
        unit.side, unit.kind, d.place.formation, d.place.facing, unit.hp, unit.start_hp, unit.scatters_at
    )
    return px(x), px(y), markup, unit.side.value


def _turner(d: Desk) -> dict[str, Any]:
    unit = d.unit
    x, _y = picture.centre_of(unit.cells)
    y = min(picture.top_of(c) for c in unit.cells) - 22
    if y < 20:
        y = max(picture.top_of(c) for c in unit.cells) + CELL + 22
    x = min(max(x, picture.MARGIN + 48.0), picture.MARGIN + d.view.board.width * CELL - 48.0)
    names = "NESW"
    facing = unit.facing or 0

    def turned(by: int) -> dict[str, str]:
        to = names[(facing + by) % 4]
        post = urlencode(
            {"type": "place", "unit": unit.key, "at": d.label(unit.at), "facing": to, "formation": unit.formation.value}
        )
        return {"facing": to, "href": d.selection.query(facing=to, to=d.label(unit.at)), "post": post}

    return {
        "x": px(x),
        "y": px(y),
        "text": _("faces %(facing)s") % {"facing": facing_letter(facing)},
        "left": turned(-1),
        "right": turned(1),
    }


def _rows(
    d: Desk, reach: Mapping[Cell, str], targets: set[str], occupied: Mapping[Cell, Any], deploying: bool
) -> tuple[tuple[Space, ...], ...]:
    view, rules = d.view, ruleset(d.ruleset_id)
    titles = {code: _(t.title) for code, t in rules.terrains.items()}
    says = _Says(d, targets)
    start = d.unit.at if d.unit is not None and d.unit.at is not None else Cell(0, 0)
    rows = []
    for y in range(view.board.height):
        row = []
        for x in range(view.board.width):
            cell = Cell(x, y)
            name = rules.grid.label(cell)
            stands = occupied.get(cell)
            post = ""
            if stands is not None:
                label = says.unit(name, titles[view.board[cell]], stands)
                href = says.href(stands)
            elif cell in reach:
                href = d.selection.query(to=reach[cell], target="", do="")
                said = _("Can be placed here.") if deploying else _("Can be reached.")
                label = f"{name}, {titles[view.board[cell]]}. {said}"
                if deploying and d.place is not None:
                    post = place_post(d, reach[cell])
            else:
                href = "?"
                label = f"{name}, {titles[view.board[cell]]}."
            row.append(
                Space(
                    picture.left_of(cell),
                    picture.top_of(cell),
                    label,
                    name,
                    href,
                    stands.key if stands is not None else "",
                    stands is not None and stands.side is view.side,
                    post,
                    cell == start,
                )
            )
        rows.append(tuple(row))
    return tuple(rows)


def place_post(d: Desk, at: str) -> str:
    """What a tap on a free cell of the strip sends."""
    names = "NESW"
    body = {
        "type": "place",
        "unit": d.unit.key,
        "at": at,
        "facing": names[d.place.facing],
        "formation": d.place.formation,
    }
    return urlencode(body)


class _Says:
    """What the cells say and where their links lead."""

    def __init__(self, d: Desk, targets: set[str]) -> None:
        self.d = d
        self.targets = targets
        self.attacks = {a.target: a for a in reversed(d.can.attacks)} if d.can is not None else {}
        self.fires = {f.target: f for f in d.can.fires} if d.can is not None else {}

    def unit(self, cell: str, ground: str, unit: Any) -> str:
        """`C3, open ground, enemy: Turin Cuirassiers, 6 of 6. Can be attacked, 6 to 4.`"""
        figures = {
            "cell": cell,
            "ground": ground,
            "unit": unit.name,
            "now": number(unit.hp),
            "full": number(unit.start_hp),
            "states": "".join(f", {words}" for _b, words in picture.states_of(self.d.view, unit)),
        }
        if self.d.view.side is None:
            said = _("%(cell)s, %(ground)s, %(unit)s, %(now)s of %(full)s%(states)s.") % figures
        elif unit.side is self.d.view.side:
            said = _("%(cell)s, %(ground)s, own: %(unit)s, %(now)s of %(full)s%(states)s.") % figures
        else:
            said = _("%(cell)s, %(ground)s, enemy: %(unit)s, %(now)s of %(full)s%(states)s.") % figures
        if (attack := self.attacks.get(unit.key)) is not None:
            if attack.exchange is not None:
                values = {"ours": attack.exchange.attacker, "theirs": attack.exchange.defender}
                said += " " + _("Can be attacked, %(ours)s to %(theirs)s.") % values
            else:
                said += " " + _("Can be attacked.")
        if (fire := self.fires.get(unit.key)) is not None:
            loss = next((loss for key, loss in fire.losses if key == fire.target), 0)
            if fire.chance >= 6:
                said += " " + _("Can be fired at, loses %(loss)s.") % {"loss": number(loss)}
            else:
                values = {"chance": fire.chance, "loss": number(loss)}
                said += " " + _("Can be fired at, %(chance)s in 6, loses %(loss)s.") % values
        return said

    def href(self, unit: Any) -> str:
        """A target is aimed at, everybody else is looked at; the selected unit is let go."""
        selection = self.d.selection
        if unit.key in self.targets:
            return selection.query(target=unit.key, to="", do="" if unit.key in self.attacks else "fire")
        if unit.key == selection.unit and not (selection.to or selection.target):
            return "?"
        return Selection(unit=unit.key).query()
