"""What a selection draws over the board, and what the cells say and where their links lead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from battles.dress.parts import Box, Desk, Figures, Free, Marks, Selection
from battles.dress.tactical.choosing import covered
from battles.dress.tactical.units import block, facing_letter, states_of
from battles.geometry import CELL, DIRECTIONS, HALF, MARGIN, cell_rects, centre_of, left_of, outline, px, top_of
from rules.core.grid import Cell
from rules.templatetags.rule_tags import number

OUT_OF_SIGHT = frozenset({"out_of_range", "out_of_sector", "out_of_zone", "target_gone", "unit_gone", "no_such_unit"})


def around(cells: tuple[Cell, ...], symbol: str) -> Box:
    """A frame around a unit: the wide one around a line, turned with it."""
    x, y = centre_of(cells)
    if len(cells) == 2:
        turn = " rotate(90)" if cells[0].x == cells[1].x else ""
        return Box(f"{symbol}-line", f"translate({px(x)} {px(y)}){turn}", -48, 96)
    return Box(symbol, f"translate({px(x)} {px(y)})", -24, 48)


def overlay(d: Desk) -> tuple[Marks, Cells]:
    """Everything the user's selection draws, and what the cells say."""
    view, unit, can = d.view, d.unit, d.can
    deploying = view.phase.name == "deployment"
    reach: dict[Cell, str] = {}
    dots: list[Cell] = []
    if can is not None and deploying and d.found.place is not None:
        for at in d.found.place.spots:
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
    if deploying and d.own and d.found.place is not None:
        if d.found.place.going is not None:
            ghost = _ghost(d)
        elif unit.at is not None:
            turner = _turner(d)
    marks = Marks(
        reach=() if deploying else cell_rects(c for c in (*reach, *(unit.cells if can and can.moves else ()))),
        dots=tuple((left_of(c), top_of(c)) for c in dots if c not in occupied),
        fire=cell_rects(c for c in zone if c not in set(canister)),
        fire_edge=outline(zone),
        canister=cell_rects(canister),
        selected=(around(unit.cells, "select"),) if unit is not None and unit.at is not None else (),
        targets=tuple(
            (left_of(c), top_of(c))
            for a in ({a.target for a in can.attacks} if can is not None else set())
            for c in view.unit(a).cells
        ),
        route=route,
        head=head,
        aim=_aim(d),
        chips=tuple(_chips(d)),
        ghost=ghost,
        turner=turner,
    )
    return marks, Cells(d, targets, reach)


def _route(d: Desk) -> tuple[str, str]:
    unit = d.unit
    if d.found.march is not None:
        cells, stop = (unit.at, *d.found.march.path), None
    elif d.found.attack is not None:
        target = min(
            d.view.unit(d.found.attack.target).cells,
            key=lambda c: abs(c.x - d.found.attack.origin.x) + abs(c.y - d.found.attack.origin.y),
        )
        cells, stop = (unit.at, *d.found.attack.path), target
    else:
        return "", ""
    shift_x = centre_of(unit.cells)[0] - centre_of((unit.at,))[0]
    shift_y = centre_of(unit.cells)[1] - centre_of((unit.at,))[1]
    points = [(left_of(c) + HALF + shift_x, top_of(c) + HALF + shift_y) for c in cells]
    tip = 0
    if stop is not None:
        points.append((left_of(stop) + HALF + 0.0, top_of(stop) + HALF + 0.0))
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
    if d.found.fire is None:
        return ""
    x, y = centre_of(d.unit.cells)
    tx, ty = centre_of((d.found.fire.at,))
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


def _chip(tone: str, cells: tuple[Cell, ...], text: str, level: int) -> Figures:
    """Figures above a unit; a mark that would lie on the coordinates stands beside it."""
    x, _y = centre_of(cells)
    top = min(top_of(c) for c in cells) - 18.5 - 20 * level
    width = 24 if tone == "no" else max(30, 10 + len(text) * 6.7)
    if tone == "no" and top < MARGIN:
        x, top = max(left_of(c) for c in cells) + CELL + 11, MARGIN + 14.5
    return Figures(tone, px(x - width / 2), px(max(2, top)), px(width), px(x), px(max(2, top) + 14.3), text)


def _chips(d: Desk) -> Iterable[Figures]:
    if d.can is None or d.view.phase.name == "deployment":
        return
    seen: set[str] = set()
    for attack in d.can.attacks:
        if attack.target not in seen:
            seen.add(attack.target)
            chosen = d.found.attack if d.found.attack is not None and d.found.attack.target == attack.target else attack
            yield _chip("exchange", d.view.unit(attack.target).cells, odds(chosen, d.view), 0)
    for fire in d.can.fires:
        yield _chip("fire", d.view.unit(fire.target).cells, shot(fire), 1 if fire.target in seen else 0)
    aimed = {fire.target for fire in d.can.fires} | seen
    for (order, target), refused in d.can.refused_targets.items():
        unit = d.view.find(target)
        if order == "fire" and unit is not None and unit.at and target not in aimed and refused.key not in OUT_OF_SIGHT:
            yield _chip("no", unit.cells, "✕", 0)


def _ghost(d: Desk) -> tuple[str, str, SafeString, str]:
    going, unit = d.found.place.going, d.unit
    cells: tuple[Cell, ...] = (going,)
    if d.found.place.formation == "line":
        step = DIRECTIONS[(d.found.place.facing + 1) % 4]
        cells = (going, going.plus(step))
    x, y = centre_of(cells)
    markup = block(
        unit.side, unit.kind, d.found.place.formation, d.found.place.facing, unit.hp, unit.start_hp, unit.scatters_at
    )
    return px(x), px(y), markup, unit.side.value


def _turner(d: Desk) -> dict[str, Any]:
    unit = d.unit
    x, _y = centre_of(unit.cells)
    y = min(top_of(c) for c in unit.cells) - 22
    if y < 20:
        y = max(top_of(c) for c in unit.cells) + CELL + 22
    x = min(max(x, MARGIN + 48.0), MARGIN + d.view.board.width * CELL - 48.0)
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


def place_post(d: Desk, at: str) -> str:
    """What a tap on a free cell of the strip sends."""
    names = "NESW"
    body = {
        "type": "place",
        "unit": d.unit.key,
        "at": at,
        "facing": names[d.found.place.facing],
        "formation": d.found.place.formation,
    }
    return urlencode(body)


class Cells:
    """What the cells say and where their links lead."""

    def __init__(self, d: Desk, targets: set[str], reach: Mapping[Cell, str]) -> None:
        self.d = d
        self.targets = targets
        self.reach = reach
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
            "states": "".join(f", {words}" for _b, words in states_of(self.d.view, unit)),
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

    def free(self, cell: Cell) -> Free | None:
        """What a cell without units offers: a march, or a placement that a tap sends at once."""
        if cell not in self.reach:
            return None
        to = self.reach[cell]
        if self.d.view.phase.name != "deployment":
            return Free(to, _("Can be reached."))
        return Free(to, _("Can be placed here."), place_post(self.d, to) if self.d.found.place is not None else "")

    def href(self, unit: Any) -> str:
        """A target is aimed at, everybody else is looked at; the selected unit is let go."""
        selection = self.d.selection
        if unit.key in self.targets:
            return selection.query(target=unit.key, to="", do="" if unit.key in self.attacks else "fire")
        if unit.key == selection.unit and not (selection.to or selection.target):
            return "?"
        return Selection(unit=unit.key).query()
