"""What order panel and overlay show for one selection: made of view and options, nothing else.

The selection is the query of the page (`?unit=..&to=C5`): it works without script, in the history, in two tabs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from battles import picture
from battles.picture import CELL, HALF, px
from rules.core.actors import Side
from rules.core.grid import Cell
from rules.registry import ruleset
from rules.templatetags.rule_tags import number

FIELDS = ("unit", "to", "target", "do", "facing", "formation")
OUT_OF_SIGHT = frozenset({"out_of_range", "out_of_sector", "out_of_zone", "target_gone", "unit_gone", "no_such_unit"})


class Selection(NamedTuple):
    """What the user has chosen so far; empty texts where nothing is."""

    unit: str = ""
    to: str = ""
    target: str = ""
    do: str = ""
    facing: str = ""
    formation: str = ""

    def query(self, **changes: str) -> str:
        """The selection with changes as a query, `?` if nothing is chosen."""
        chosen = self._replace(**changes)._asdict()
        return "?" + urlencode({key: value for key, value in chosen.items() if value})


def read_selection(view: Any, data: Mapping[str, str]) -> Selection:
    """The selection of a query; what makes no sense any more is forgotten."""
    given = Selection(**{field: str(data.get(field, ""))[:40] for field in FIELDS})
    unit = view.find(given.unit) if given.unit else None
    if unit is None or unit.fate is not None:
        return Selection(do=given.do)
    target = view.find(given.target) if given.target else None
    return given._replace(target=given.target if target is not None and target.fate is None else "")


# The layer over the board


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


def covered(unit: Any, at: Cell) -> tuple[Cell, ...]:
    """The cells a unit would stand on with its position at `at`, drawn up and facing as it is."""
    if unit.at is None:
        return (at,)
    return tuple(Cell(at.x + c.x - unit.at.x, at.y + c.y - unit.at.y) for c in unit.cells)


class Desk(NamedTuple):
    """View, options and selection together, with what was found for the selection."""

    view: Any
    options: Any
    ruleset_id: str
    selection: Selection
    unit: Any
    can: Any
    march: Any
    attack: Any
    fire: Any
    place: Any

    @property
    def own(self) -> bool:
        """Whether the selected unit is the viewer's."""
        return self.unit is not None and self.unit.side is self.view.side

    def label(self, cell: Cell) -> str:
        """A cell's name."""
        return ruleset(self.ruleset_id).grid.label(cell)


def desk(view: Any, options: Any, ruleset_id: str, selection: Selection) -> Desk:
    """Find what the selection means among the options."""
    unit = view.find(selection.unit) if selection.unit else None
    own = unit is not None and unit.side is view.side and options is not None
    can = options.of(unit.key) if unit is not None and own else None
    at = _cell(ruleset_id, selection.to)
    march = attack = fire = place = None
    if can is not None and view.phase.name == "deployment":
        place = _placing(view, can, unit, selection, at)
    elif can is not None:
        if selection.target:
            attacks = [a for a in can.attacks if a.target == selection.target]
            attack = next((a for a in attacks if at is None or a.origin == at), attacks[0] if attacks else None)
            fire = next((f for f in can.fires if f.target == selection.target), None)
            if selection.do == "fire" and fire is not None:
                attack = None
            elif attack is not None:
                fire = None
        elif at is not None:
            march = next((m for m in can.moves if m.at == at), None) or next(
                (m for m in can.moves if at in covered(unit, m.at)), None
            )
    return Desk(view, options, ruleset_id, selection, unit, can, march, attack, fire, place)


def _cell(ruleset_id: str, text: str) -> Cell | None:
    try:
        return ruleset(ruleset_id).grid.parse(text) if text else None
    except ValueError:
        return None


class Placing(NamedTuple):
    """A unit about to be placed: how it is drawn up and faces, where it may stand, and where it is going."""

    formation: str
    facing: int
    spots: tuple[Cell, ...]
    going: Cell | None
    formations: tuple[tuple[str, str, bool], ...]
    facings: tuple[tuple[str, int], ...]


def _placing(view: Any, can: Any, unit: Any, selection: Selection, at: Cell | None) -> Placing:
    formations = {o.formation.value for o in can.places}
    home = next((o.facing for o in can.places), 0)
    formation = selection.formation or unit.formation.value
    if formation not in formations and formations:
        formation = unit.formation.value if unit.formation.value in formations else sorted(formations)[0]
    names = "NESW"
    facing = names.index(selection.facing) if selection.facing in names and selection.facing else unit.facing
    if facing is None:
        facing = default_facing(view, unit.side) if view.strip(unit.side) else home
    spots = tuple(o.at for o in can.places if o.formation.value == formation and o.facing == facing)
    spots = spots or tuple({o.at: None for o in can.places if o.formation.value == formation})
    every = ("column", "line", "square") if unit.has_formations else ("open", "column", "line", "square")
    return Placing(
        formation=formation,
        facing=facing,
        spots=spots,
        going=at if at in spots else None,
        formations=tuple((f, formation_words(f), f in formations or f == unit.formation.value) for f in every),
        facings=tuple((names[i], i) for i in range(4)),
    )


def default_facing(view: Any, side: Side) -> int:
    """Away from a side's home edge."""
    strip, board = view.strip(side), view.board
    edges = (
        sum(c.y == 0 for c in strip),
        sum(c.x == board.width - 1 for c in strip),
        sum(c.y == board.height - 1 for c in strip),
        sum(c.x == 0 for c in strip),
    )
    return (max(range(4), key=lambda d: edges[d]) + 2) % 4


def formation_words(formation: str) -> str:
    """A formation as a word."""
    return {"open": pgettext("formation", "open"), "column": _("column"), "line": _("line"), "square": _("square")}[
        formation
    ]


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


def facing_letter(facing: int) -> str:
    """N, E, S, W in the reader's language."""
    return (_("N"), _("E"), _("S"), _("W"))[facing]


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


# The order panel


class Choice(NamedTuple):
    """Something that can be ordered from the list: its words, its link, and its figures."""

    text: str
    href: str
    figures: str = ""
    side: str = ""


SUMS = {
    "melee": lambda: _("melee"),
    "onslaught": lambda: _("onslaught"),
    "formation": lambda: _("formation"),
    "line": lambda: _("line"),
    "square": lambda: _("square"),
    "flank": lambda: _("from the flank"),
    "rear": lambda: _("from the rear"),
    "penalty": lambda: _("flank or rear"),
    "floor": lambda: _("never below 0"),
    "minimum": lambda: _("never below 0"),
}


def sum_lines(parts: Mapping[str, int]) -> tuple[str, ...]:
    """A combat value's parts by name: `3 melee`, `+ 3 onslaught`."""
    lines = []
    for index, (name, value) in enumerate(parts.items()):
        if not value and index:
            continue
        word = SUMS[name]() if name in SUMS else name.replace("_", " ")
        sign = "" if index == 0 else ("+ " if value > 0 else "− ")
        lines.append(f"{sign}{number(abs(value) if index else value)} {word}")
    return tuple(lines)


def losses_words(exchange: Any) -> str:
    """What an exchange costs both, in one line."""
    ours, theirs = exchange.losses
    if exchange.overwhelmed == "defender":
        return _("%(ours)s : %(theirs)s, they scatter, we lose %(us)s") % {
            "ours": exchange.attacker, "theirs": exchange.defender, "us": number(ours),
        }  # fmt: skip
    if exchange.overwhelmed == "attacker":
        return _("%(ours)s : %(theirs)s, we scatter, they lose %(them)s") % {
            "ours": exchange.attacker, "theirs": exchange.defender, "them": number(theirs),
        }  # fmt: skip
    return _("%(ours)s : %(theirs)s, they lose %(them)s, we lose %(us)s") % {
        "ours": exchange.attacker, "theirs": exchange.defender, "them": number(theirs), "us": number(ours),
    }  # fmt: skip


def path_text(d: Desk, path: Iterable[Cell]) -> str:
    """A path as the order carries it."""
    return " ".join(d.label(c) for c in path)


def panel(d: Desk) -> dict[str, Any]:
    """The order panel of a selection, for the ruleset's template."""
    view = d.view
    context: dict[str, Any] = {"desk": d, "selection": d.selection, "query": d.selection.query()}
    if d.unit is not None:
        context |= _card(d)
    if d.can is not None and view.phase.name == "turn":
        context |= _orders(d)
    if d.can is not None and view.phase.name == "deployment":
        context |= _deploying(d)
    if d.unit is None:
        context |= _army(d)
    return context


def _card(d: Desk) -> dict[str, Any]:
    unit, view = d.unit, d.view
    stats: list[tuple[str, str, str]] = [(_("HP"), number(unit.hp), f"/{number(unit.start_hp)}")]
    if view.phase.name == "turn" and view.mover is unit.side:
        stats.append((_("Points"), str(unit.left), f"/{unit.speed}"))
    else:
        stats.append((_("Speed"), str(unit.speed), ""))
    if unit.is_artillery:
        stats.append((_("Range"), str(unit.range), ""))
        stats.append((_("Batteries"), str(unit.batteries), ""))
    elif unit.is_cavalry:
        stats.append((_("Melee"), str(unit.melee), ""))
        stats.append((_("Onslaught"), f"+{unit.onslaught}", ""))
    else:
        stats.append((_("Melee"), str(unit.melee), ""))
        stats.append((_("Fire"), number(unit.firepower), f" · {unit.range}"))
    where = picture.place_words(unit, d.label) if unit.at is not None else _("not placed")
    if view.phase.name == "deployment" and d.place is not None and d.place.going is not None:
        where = _("going to %(cell)s") % {"cell": d.label(d.place.going)}
    facing = "" if unit.formation.value == "square" or unit.at is None else picture.facing_words(unit.facing)
    return {
        "unit": unit,
        "own": d.own,
        "markup": picture.block_of(unit, picture.badges_of(view, unit), upright=True),
        "where": where,
        "kind": picture.kind_words(unit),
        "facing": facing,
        "stats": stats,
        "states": [words for _b, words in picture.states_of(view, unit)]
        + ([_("in melee with %(units)s") % {"units": _foes(view, unit)}] if view.in_melee(unit.key) else []),
    }


def _foes(view: Any, unit: Any) -> str:
    keys = [m.other(unit.key) for m in view.melees_of(unit.key)]
    return ", ".join(view.unit(key).name for key in keys)


def _exchange(d: Desk, exchange: Any) -> dict[str, Any]:
    foe = d.view.unit(d.attack.target)
    return {
        "ours": exchange.attacker,
        "theirs": exchange.defender,
        "our_sum": sum_lines(exchange.attacker_sum),
        "their_sum": (*sum_lines(exchange.defender_sum), *_aspect(d.attack.aspect)),
        "they_lose": number(exchange.losses[1]),
        "we_lose": number(exchange.losses[0]),
        "they": f"{number(foe.hp)} → {number(exchange.after[1])}",
        "we": f"{number(d.unit.hp)} → {number(exchange.after[0])}",
        "overwhelmed": exchange.overwhelmed,
        "we_go": _gone(d.unit, exchange.after[0]),
        "they_go": _gone(foe, exchange.after[1]),
    }


def _gone(unit: Any, after: float) -> str:
    if after < 1 and not unit.is_artillery:
        return picture.FATES["destroyed"]()
    if unit.scatters_at is not None and after <= unit.scatters_at:
        return picture.FATES["scattered"]()
    return ""


def _aspect(aspect: str) -> tuple[str, ...]:
    return (_("from the front"),) if aspect == "front" else ()


def _orders(d: Desk) -> dict[str, Any]:
    """March, attack, fire and the rest for a unit in its own side's turn."""
    can, view, selection = d.can, d.view, d.selection
    context: dict[str, Any] = {"can": can, "preview": ""}
    at = [d.label(c) for c in d.unit.cells]
    if d.march is not None:
        context |= {
            "preview": "march",
            "path": path_text(d, d.march.path),
            "route": [at[0], *(d.label(c) for c in d.march.path)],
            "march": d.march,
            "destination": d.label(d.march.at),
        }
    elif d.attack is not None:
        foe = view.unit(d.attack.target)
        charge = d.attack.onslaught > 0
        context |= {
            "preview": "attack",
            "foe": foe,
            "foe_at": picture.place_words(foe, d.label),
            "charge": charge,
            "path": path_text(d, d.attack.path),
            "route": [at[0], *(d.label(c) for c in d.attack.path)],
            "route_end": d.label(
                min(foe.cells, key=lambda c: abs(c.x - d.attack.origin.x) + abs(c.y - d.attack.origin.y))
            ),
            "attack": d.attack,
            "exchange": _exchange(d, d.attack.exchange) if d.attack.exchange is not None else None,
            "under_fire": losses_words(d.attack.under_fire) if d.attack.under_fire is not None else "",
            "first_fire": number(d.attack.first_fire) if d.attack.first_fire else "",
            "if_met": losses_words(d.attack.if_met) if d.attack.if_met is not None else "",
            "onslaught_rule": charge,
            "others": [
                Choice(
                    _("from %(cell)s") % {"cell": d.label(a.origin)},
                    selection.query(to=d.label(a.origin)),
                    odds(a, view),
                )
                for a in can.attacks
                if a.target == d.attack.target and a is not d.attack
            ],
        }
        if any(f.target == foe.key for f in can.fires):
            context["fire_instead"] = selection.query(do="fire", to="")
    elif d.fire is not None:
        foe = view.unit(d.fire.target)
        context |= {
            "preview": "fire",
            "foe": foe,
            "foe_at": d.label(d.fire.at),
            "fire": d.fire,
            "fire_need": 7 - d.fire.chance,
            "fire_losses": [_loss(view, key, loss) for key, loss in d.fire.losses],
            "fire_friends": [view.unit(key) for key in d.fire.friends],
            "fire_rule": {"musketry": "T-7.1", "defensive": "T-10.3", "roundshot": "T-8.5", "canister": "T-8.7"}[
                d.fire.shot
            ],
        }
        if any(a.target == foe.key for a in can.attacks):
            context["attack_instead"] = selection.query(do="", to="")
    elif selection.to:
        context["unreachable"] = selection.to
    context |= {
        "marches": [
            Choice(d.label(m.at), selection.query(to=d.label(m.at), target="", do=""), str(m.points)) for m in can.moves
        ],
        "marches_text": ngettext("March to one cell", "March to one of %(count)s cells", len(can.moves))
        % {"count": len(can.moves)},
        "attacks": list(_attack_choices(d)),
        "fires": [
            Choice(
                view.unit(f.target).name,
                selection.query(target=f.target, to="", do="fire"),
                shot(f),
                view.unit(f.target).side.value,
            )
            for f in can.fires
        ],
        "forms": _form_choices(d),
        "wheels": [
            (
                w.to,
                pgettext("wheel", "right") if w.to == "right" else pgettext("wheel", "left"),
                " ".join(d.label(c) for c in w.cells),
            )
            for w in can.wheels
        ],
        "faces": [("NESW"[f], facing_letter(f)) for f in can.faces if f != d.unit.facing],
        "refused": _refused(d),
        "refused_targets": [
            (order_words(order), view.unit(target), refused)
            for (order, target), refused in can.refused_targets.items()
            if view.find(target) is not None and refused.key not in OUT_OF_SIGHT and refused.key != "not_adjacent"
        ][:6],
        "stances": [(name, stance_words(name), value) for name, value in can.stances],
        "leaving_loss": number(can.leaving_loss) if can.leaving_loss else "",
    }
    return context


def _loss(view: Any, key: str, loss: float) -> tuple[Any, str, str, str]:
    unit = view.unit(key)
    after = max(0.0, unit.hp - loss)
    return unit, number(loss), f"{number(unit.hp)} → {number(after)}", _gone(unit, after)


def _attack_choices(d: Desk) -> Iterable[Choice]:
    seen = set()
    for attack in d.can.attacks:
        if attack.target not in seen:
            seen.add(attack.target)
            foe = d.view.unit(attack.target)
            href = d.selection.query(target=attack.target, to="", do="")
            yield Choice(foe.name, href, odds(attack, d.view), foe.side.value)


def _form_choices(d: Desk) -> list[tuple[str, str, list[dict[str, str]]]]:
    """The formations that can be taken, each with the ways to take it."""
    found: dict[str, list[dict[str, str]]] = {}
    for form in d.can.forms:
        found.setdefault(form.formation.value, []).append(
            {
                "extend": form.extend,
                "at": d.label(form.at) if form.at is not None else "",
                "facing": "NESW"[form.facing],
                "cells": " ".join(d.label(c) for c in form.cells),
                "letter": facing_letter(form.facing),
            }
        )
    return [(formation_words(formation), formation, ways) for formation, ways in found.items()]


def _refused(d: Desk) -> list[tuple[str, Any]]:
    """What is wholly impossible, with the reason; drill that this unit never does is left out."""
    unit = d.unit
    never = {
        order
        for order, ever in (
            ("form", unit.has_formations),
            ("wheel", unit.is_line),
            ("face", not unit.is_line),
            ("leave", unit.side in d.view.retreating),
        )
        if not ever
    }
    return [(order_words(order), refused) for order, refused in d.can.refused.items() if order not in never]


def order_words(order: str) -> str:
    """An order as a word before its reason."""
    words = {
        "move": _("March"), "attack": _("Attack"), "fire": _("Fire"), "form": _("Change formation"), "wheel": _("Wheel"),
        "face": _("Face"), "leave": _("Leave the map"),
    }  # fmt: skip
    return words.get(order, order)


def stance_words(name: str) -> str:
    """A stance as a label."""
    return {"defensive_fire": _("Fire at chargers"), "answer_charges": _("Answer a charge")}.get(name, name)


def _deploying(d: Desk) -> dict[str, Any]:
    at = d.place.going or d.unit.at
    return {
        "preview": "place",
        "can": d.can,
        "place": d.place,
        "place_at": d.label(at) if at is not None else "",
        "placed": d.unit.at is not None,
        "moving": d.place.going is not None and d.place.going != d.unit.at,
        "facing_name": "NESW"[d.place.facing],
        "facings": [
            (name, facing_letter(index), index == d.place.facing, d.selection.query(facing=name))
            for name, index in d.place.facings
        ],
        "formations": [
            (name, words, possible, name == d.place.formation, d.selection.query(formation=name, to=""))
            for name, words, possible in d.place.formations
        ],
        "spots": [Choice(d.label(c), d.selection.query(to=d.label(c))) for c in d.place.spots],
        "stances": [(name, stance_words(name), value) for name, value in d.can.stances],
    }


def idle_choices(view: Any) -> list[Choice]:
    """The viewer's units that have done nothing this turn, each with its link."""
    return [Choice(u.name, Selection(unit=u.key).query(), "", u.side.value) for u in picture.idle_units(view)]


def _army(d: Desk) -> dict[str, Any]:
    view, options = d.view, d.options
    if view.side is None:
        return {"commands": frozenset(), "idle": ()}
    idle = idle_choices(view)
    return {
        "commands": options.commands if options is not None else frozenset(),
        "army_refused": dict(options.refused) if options is not None else {},
        "idle": idle,
        "idle_count": len(idle),
        "acting": [
            Choice(u.name, Selection(unit=u.key).query(), picture.place_words(u, d.label), u.side.value)
            for u in view.units
            if u.side is view.side and u.on_field
        ],
    }
