"""The order panel for one selection: the unit, what each order would cost and bring, what is impossible and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from battles import picture
from battles.overlay import OUT_OF_SIGHT, odds, shot
from battles.selection import Desk, Selection, facing_letter, formation_words
from rules.core.grid import Cell
from rules.templatetags.rule_tags import number


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
        stats.append((pgettext("figure", "Melee"), str(unit.melee), ""))
        stats.append((_("Onslaught"), f"+{unit.onslaught}", ""))
    else:
        stats.append((pgettext("figure", "Melee"), str(unit.melee), ""))
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
        "move": _("March"),
        "attack": _("Attack"),
        "fire": _("Fire"),
        "form": _("Change formation"),
        "wheel": _("Wheel"),
        "face": _("Face"),
        "leave": _("Leave the map"),
    }
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
