"""What an order would bring, in figures: sums of a combat value, losses, who would be gone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from battles.dress.parts import FATES, Desk
from rules.templatetags.rule_tags import number

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


def exchange_figures(d: Desk, exchange: Any) -> dict[str, Any]:
    """A predicted exchange: both sums, both losses, and what is left of both."""
    foe = d.view.unit(d.found.attack.target)
    return {
        "ours": exchange.attacker,
        "theirs": exchange.defender,
        "our_sum": sum_lines(exchange.attacker_sum),
        "their_sum": (*sum_lines(exchange.defender_sum), *_aspect(d.found.attack.aspect)),
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
        return FATES["destroyed"]()
    if unit.scatters_at is not None and after <= unit.scatters_at:
        return FATES["scattered"]()
    return ""


def _aspect(aspect: str) -> tuple[str, ...]:
    return (_("from the front"),) if aspect == "front" else ()


def loss_figures(view: Any, key: str, loss: float) -> tuple[Any, str, str, str]:
    """A unit that a shot hits: what it loses and what is left of it."""
    unit = view.unit(key)
    after = max(0.0, unit.hp - loss)
    return unit, number(loss), f"{number(unit.hp)} → {number(after)}", _gone(unit, after)
