"""A tactical unit as people see it: its block, its badges, and the words that say the same."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from battles.dress.parts import Badge, Chip, Token, words_of
from battles.geometry import HALF, centre_of, left_of, px, top_of
from rules.core.actors import Side
from rules.core.grid import Cell
from rules.templatetags.rule_tags import number


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


def token(view: Any, unit: Any) -> Token:
    """A unit at its place, with the way it came this turn for the motion."""
    x, y = centre_of(unit.cells)
    ax, ay = centre_of((unit.at,))
    way = " ".join(f"{px(left_of(c) + HALF + x - ax)},{px(top_of(c) + HALF + y - ay)}" for c in unit.entered)
    markup = block_of(unit, badges_of(view, unit))
    return Token(unit.key, unit.side.value, px(x), px(y), f"{unit.hp:g}", way, unit.fired, markup)


def chip(view: Any, unit: Any, labels: Any) -> Chip:
    """A unit in a roster, with its badges."""
    markup = block_of(unit, badges_of(view, unit), upright=True)
    label = unit_words(view, unit, labels) if unit.at is not None else words_of(unit.name, kind_words(unit))
    return Chip(unit.key, unit.name, label, markup, "", unit.side.value, unit.side is view.side)


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


def crossed_swords(a: Cell, b: Cell) -> tuple[str, str]:
    """Where the badge of a melee lies: on the shared side, off its middle so that the figures stay free."""
    ax, ay = centre_of((a,))
    bx, by = centre_of((b,))
    x, y = (ax + bx) / 2, (ay + by) / 2
    return (px(x + (19 if a.x == b.x else 0) - 12), px(y - (19 if a.y == b.y else 0) - 12))


def facing_words(facing: int | None) -> str:
    """How a unit faces."""
    if facing is None:
        return ""
    return (_("facing north"), _("facing east"), _("facing south"), _("facing west"))[facing]


def facing_letter(facing: int) -> str:
    """N, E, S, W in the reader's language."""
    return (_("N"), _("E"), _("S"), _("W"))[facing]


def formation_words(formation: str) -> str:
    """A formation as a word."""
    return {"open": pgettext("formation", "open"), "column": _("column"), "line": _("line"), "square": _("square")}[
        formation
    ]


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
