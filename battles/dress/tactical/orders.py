"""The order panel for one selection: the unit, what each order would cost and bring, what is impossible and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from battles.dress.parts import Choice, Desk, Selection
from battles.dress.tactical.figures import exchange_figures, loss_figures, losses_words
from battles.dress.tactical.marks import OUT_OF_SIGHT, odds, shot
from battles.dress.tactical.units import (
    badges_of,
    block_of,
    facing_letter,
    facing_words,
    formation_words,
    idle_units,
    kind_words,
    place_words,
    states_of,
)
from rules.core.grid import Cell
from rules.templatetags.rule_tags import number


def path_text(d: Desk, path: Iterable[Cell]) -> str:
    """A path as the order carries it."""
    return " ".join(d.label(c) for c in path)


def card(d: Desk) -> dict[str, Any]:
    """The selected unit, for `_unit.html`."""
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
    where = place_words(unit, d.label) if unit.at is not None else _("not placed")
    if view.phase.name == "deployment" and d.found.place is not None and d.found.place.going is not None:
        where = _("going to %(cell)s") % {"cell": d.label(d.found.place.going)}
    facing = "" if unit.formation.value == "square" or unit.at is None else facing_words(unit.facing)
    return {
        "unit": unit,
        "own": d.own,
        "markup": block_of(unit, badges_of(view, unit), upright=True),
        "where": where,
        "kind": kind_words(unit),
        "facing": facing,
        "stats": stats,
        "states": [words for _b, words in states_of(view, unit)]
        + ([_("in melee with %(units)s") % {"units": _foes(view, unit)}] if view.in_melee(unit.key) else []),
    }


def _foes(view: Any, unit: Any) -> str:
    keys = [m.other(unit.key) for m in view.melees_of(unit.key)]
    return ", ".join(view.unit(key).name for key in keys)


def orders(d: Desk) -> dict[str, Any]:
    """What an own unit may be ordered now, for `_orders.html`."""
    match d.view.phase.name:
        case "turn":
            return _turn(d)
        case "deployment":
            return _deploying(d)
    return {}


def _turn(d: Desk) -> dict[str, Any]:
    """March, attack, fire and the rest for a unit in its own side's turn."""
    can, view, selection = d.can, d.view, d.selection
    context: dict[str, Any] = {"can": can, "preview": ""}
    at = [d.label(c) for c in d.unit.cells]
    if d.found.march is not None:
        context |= {
            "preview": "march",
            "path": path_text(d, d.found.march.path),
            "route": [at[0], *(d.label(c) for c in d.found.march.path)],
            "march": d.found.march,
            "destination": d.label(d.found.march.at),
        }
    elif d.found.attack is not None:
        foe = view.unit(d.found.attack.target)
        charge = d.found.attack.onslaught > 0
        context |= {
            "preview": "attack",
            "foe": foe,
            "foe_at": place_words(foe, d.label),
            "charge": charge,
            "path": path_text(d, d.found.attack.path),
            "route": [at[0], *(d.label(c) for c in d.found.attack.path)],
            "route_end": d.label(
                min(foe.cells, key=lambda c: abs(c.x - d.found.attack.origin.x) + abs(c.y - d.found.attack.origin.y))
            ),
            "attack": d.found.attack,
            "exchange": exchange_figures(d, d.found.attack.exchange) if d.found.attack.exchange is not None else None,
            "under_fire": losses_words(d.found.attack.under_fire) if d.found.attack.under_fire is not None else "",
            "first_fire": number(d.found.attack.first_fire) if d.found.attack.first_fire else "",
            "if_met": losses_words(d.found.attack.if_met) if d.found.attack.if_met is not None else "",
            "onslaught_rule": charge,
            "others": [
                Choice(
                    _("from %(cell)s") % {"cell": d.label(a.origin)},
                    selection.query(to=d.label(a.origin)),
                    odds(a, view),
                )
                for a in can.attacks
                if a.target == d.found.attack.target and a is not d.found.attack
            ],
        }
        if any(f.target == foe.key for f in can.fires):
            context["fire_instead"] = selection.query(do="fire", to="")
    elif d.found.fire is not None:
        foe = view.unit(d.found.fire.target)
        context |= {
            "preview": "fire",
            "foe": foe,
            "foe_at": d.label(d.found.fire.at),
            "fire": d.found.fire,
            "fire_need": 7 - d.found.fire.chance,
            "fire_losses": [loss_figures(view, key, loss) for key, loss in d.found.fire.losses],
            "fire_friends": [view.unit(key) for key in d.found.fire.friends],
            "fire_rule": {"musketry": "T-7.1", "defensive": "T-10.3", "roundshot": "T-8.5", "canister": "T-8.7"}[
                d.found.fire.shot
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
    context["quick"] = bool(context["preview"])
    return context


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
    at = d.found.place.going or d.unit.at
    return {
        "preview": "place",
        "can": d.can,
        "place": d.found.place,
        "place_at": d.label(at) if at is not None else "",
        "placed": d.unit.at is not None,
        "moving": d.found.place.going is not None and d.found.place.going != d.unit.at,
        "facing_name": "NESW"[d.found.place.facing],
        "facings": [
            (name, facing_letter(index), index == d.found.place.facing, d.selection.query(facing=name))
            for name, index in d.found.place.facings
        ],
        "formations": [
            (name, words, possible, name == d.found.place.formation, d.selection.query(formation=name, to=""))
            for name, words, possible in d.found.place.formations
        ],
        "spots": [Choice(d.label(c), d.selection.query(to=d.label(c))) for c in d.found.place.spots],
        "stances": [(name, stance_words(name), value) for name, value in d.can.stances],
    }


def idle_choices(view: Any) -> list[Choice]:
    """The viewer's units that have done nothing this turn, each with its link."""
    return [Choice(u.name, Selection(unit=u.key).query(), "", u.side.value) for u in idle_units(view)]


def army(d: Desk) -> dict[str, Any]:
    """What the whole army may do, while no unit is selected."""
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
            Choice(u.name, Selection(unit=u.key).query(), place_words(u, d.label), u.side.value)
            for u in view.units
            if u.side is view.side and u.on_field
        ],
    }
