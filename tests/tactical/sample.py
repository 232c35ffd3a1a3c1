"""Tactical battles for random play: scenarios, what is offered, what is not, and what is hidden."""

from __future__ import annotations

import random
from typing import Any

from rules.core.actors import SIDES, Actor, Side
from rules.core.board import Board
from rules.core.commands import Answer, Command, Ready, TakeBack, Unready
from rules.core.grid import Cell
from rules.core.rulings import CloseBattle, EditUnit, ExtendClock, RestartClock, StartClock, StopClock
from rules.core.scenario import Scenario, UnitSpec
from rules.core.state import replace
from rules.core.units import Fate
from rules.tactical.commands import (
    Attack,
    EndPursuit,
    EndTurn,
    Face,
    Fire,
    Form,
    Leave,
    Move,
    OfferDraw,
    Place,
    Retreat,
    Stance,
    Wheel,
)
from rules.tactical.options import Options, UnitOptions
from rules.tactical.state import GRID, TacticalState, TacticalView
from rules.tactical.units import FACINGS, KINDS, Formation

CLOCK_WEIGHT = 0.15
#: told by the door, not by the ruleset
TOLD_BY_THE_DOOR = {"seed_revealed"}
FATES = set(Fate)
GROUND = "............ssddhhhvm"
SIDE_COMMANDS = {
    "ready": Ready, "unready": Unready, "end_turn": EndTurn, "end_pursuit": EndPursuit, "offer_draw": OfferDraw,
}  # fmt: skip


def scenario(rnd: random.Random, *, width: int = 0, height: int = 0, units: int = 0, **params: Any) -> Scenario:
    """A small rough map with strips north and south, and armies of every kind."""
    width, height = width or rnd.randint(5, 9), height or rnd.randint(6, 9)
    rows = ["." * width if y in (0, 1, height - 2, height - 1) else "".join(rnd.choices(GROUND, k=width))
            for y in range(height)]  # fmt: skip
    blue = tuple(Cell(x, y) for y in (0, 1) for x in range(width))
    red = tuple(Cell(x, y) for y in (height - 2, height - 1) for x in range(width))
    specs = []
    for side in SIDES:
        for number in range(units or rnd.randint(1, 6)):
            kind = rnd.choice(list(KINDS))
            specs.append(
                UnitSpec(
                    key=f"{side.value[0]}{number}", side=side, kind=kind, name=f"{side.value} {kind} {number}",
                    overrides=rnd.choice([{}, {}, {}, {"melee": 4}, {"melee": 9}, {"hp": 4}, {"speed": 2}]),
                    traits=frozenset(rnd.choice([(), (), (), ("steadfast",), ("marsh", "long_range")])),
                )
            )  # fmt: skip
    parameters: dict[str, Any] = {
        "deployment_seconds": rnd.choice([0, 60]),
        "turn_seconds": rnd.choice([0, 300]),
        "answer_seconds": rnd.choice([0, 20, 20]),
        "rout_confirmation": rnd.random() < 0.5,
        "fire_into_melee": rnd.random() < 0.2,
        "square_attacks": rnd.random() < 0.3,
        "overwhelm_loss": rnd.choice([0.0, 0.5]),
        "defensive_fire_from": rnd.choice(["any", "front"]),
        "battle_kind": rnd.choice(["field", "field", "field", "siege"]),
        "unit_limit": rnd.choice([10, 10, 3]),
        "quiet_turns": rnd.choice([0, 3, 12]),
        "turn_limit": 40,
    }
    return Scenario(
        board=Board(rows=tuple(rows)), strips=(red, blue), units=tuple(specs), names={"red": "Sicily", "blue": "Italy"},
        parameters={**parameters, **params}, attacker=rnd.choice([None, Side.RED, Side.BLUE]), seed_hash="00" * 32,
    )  # fmt: skip


def unit_orders(unit: UnitOptions, by: Actor) -> list[tuple[float, Command]]:
    """Every order that the options of a unit offer."""
    key = unit.unit
    found: list[tuple[float, Command]] = []
    for p in unit.places:
        found.append((1, Place(by=by, unit=key, at=p.at, facing=FACINGS[p.facing], formation=p.formation)))
    if unit.can_take_back:
        found.append((0.3, TakeBack(by=by, unit=key)))
    found += [(1, Move(by=by, unit=key, path=m.path)) for m in unit.moves]
    for a in unit.attacks:
        order = (
            Move(by=by, unit=key, path=a.path, attack=a.target) if a.path else Attack(by=by, unit=key, target=a.target)
        )
        found.append((9, order))
    found += [(6, Fire(by=by, unit=key, target=f.target, accept_friendly_fire=bool(f.friends))) for f in unit.fires]
    for f in unit.forms:
        found.append(
            (0.4, Form(by=by, unit=key, formation=f.formation, extend=f.extend, at=f.at, facing=FACINGS[f.facing]))
        )
    found += [(0.6, Wheel(by=by, unit=key, to=w.to)) for w in unit.wheels]
    found += [(0.1, Face(by=by, unit=key, facing=FACINGS[f])) for f in unit.faces]
    found += [(0.3, Stance(by=by, unit=key, name=name, value=not value)) for name, value in unit.stances]
    if unit.can_leave:
        found.append((9, Leave(by=by, unit=key)))
    return found


def offered(view: TacticalView, options: Options, by: Actor, rnd: random.Random) -> list[tuple[float, Command]]:
    """Everything that the options offer to one actor: each unit's orders share one weight."""
    found: list[tuple[float, Command]] = []
    for unit in options.units:
        orders = unit_orders(unit, by)
        if orders:
            found += rnd.choices(orders, [w for w, _ in orders], k=1)
    for answer in options.answers:
        for choice in answer.choices:
            weight = {"go_on": 8, "restart": 4, "decline": 4, "close": 0.5, "captured": 3}.get(choice, 1.0)
            found.append((weight, Answer(by=by, decision=answer.decision, choice=choice, reason="so be it")))
    for name in options.commands:
        if name == "retreat":
            found.append((0.06, Retreat(by=by, confirmed=True)))
        else:
            weight = {"offer_draw": 0.006, "end_turn": 1.0, "unready": 0.2, "end_pursuit": 4}.get(name, 1.0)
            found.append((weight, SIDE_COMMANDS[name](by=by)))
    return found


def every_offer(options: Options, by: Actor) -> list[Command]:
    """Every single command that the options offer."""
    found = [order for unit in options.units for _, order in unit_orders(unit, by)]
    found += [Answer(by=by, decision=a.decision, choice=c, reason="x") for a in options.answers for c in a.choices]
    for name in options.commands:
        found.append(Retreat(by=by, confirmed=True) if name == "retreat" else SIDE_COMMANDS[name](by=by))
    return found


def unoffered(state: TacticalState, options: Options, by: Actor, rnd: random.Random) -> Command | None:
    """A command that the options do not offer, made at random; None if chance hit one that they do."""
    keys = [u.key for u in state.units]
    key = rnd.choice([*keys, "nobody"])
    mine = options.of(key)
    target = rnd.choice([*keys, "nobody"])
    cell = Cell(rnd.randint(-1, state.board.width), rnd.randint(-1, state.board.height))
    facing = rnd.choice(FACINGS)
    formation = rnd.choice(list(Formation))
    match rnd.randrange(13):
        case 0:
            reach = {m.at: m.path for m in mine.moves} if mine else {}
            if cell in reach:
                return None
            unit = state.find(key)
            start = unit.at if unit is not None and unit.at is not None else cell
            return Move(by=by, unit=key, path=tuple(walk(start, cell)) or (cell,))
        case 1:
            if mine and any(a.target == target and not a.path for a in mine.attacks):
                return None
            return Attack(by=by, unit=key, target=target)
        case 2:
            if mine and any(f.target == target for f in mine.fires):
                return None
            return Fire(by=by, unit=key, target=target, accept_friendly_fire=True)
        case 3:
            extend = rnd.choice(["left", "right"])
            if mine and any(
                f.formation is formation and FACINGS[f.facing] == facing
                and (formation is not Formation.LINE or f.extend == extend)
                for f in mine.forms
            ):  # fmt: skip
                return None
            return Form(by=by, unit=key, formation=formation, extend=extend, facing=facing)
        case 4:
            to = rnd.choice(["left", "right"])
            if mine and any(w.to == to for w in mine.wheels):
                return None
            return Wheel(by=by, unit=key, to=to)
        case 5:
            if mine and FACINGS.index(facing) in mine.faces:
                return None
            return Face(by=by, unit=key, facing=facing)
        case 6:
            if mine and any(
                p.at == cell and p.formation is formation and FACINGS[p.facing] == facing for p in mine.places
            ):
                return None
            return Place(by=by, unit=key, at=cell, facing=facing, formation=formation)
        case 7:
            return None if mine and mine.can_leave else Leave(by=by, unit=key)
        case 8:
            return None if mine and mine.can_take_back else TakeBack(by=by, unit=key)
        case 9:
            name = rnd.choice(["end_turn", "end_pursuit", "offer_draw"])
            return None if name in options.commands else SIDE_COMMANDS[name](by=by)
        case 10:
            return None if "retreat" in options.commands else Retreat(by=by, confirmed=True)
        case 11:
            id = rnd.choice(["q1", "q2", "q99"])
            choice = rnd.choice(["ride", "stand", "accept", "0"])
            if any(a.decision == id and choice in a.choices for a in options.answers):
                return None
            return Answer(by=by, decision=id, choice=choice)
        case _:
            name = rnd.choice(["defensive_fire", "answer_charges"])
            unit = state.find(key)
            if mine and any(stance == name for stance, _ in mine.stances):
                return None
            if unit is not None and unit.side is by.side and unit.at is None and unit.fate is None:
                return None
            return Stance(by=by, unit=key, name=name, value=True)


def walk(start: Cell, end: Cell) -> list[Cell]:
    """Cells entered from one cell to another, columns first."""
    path, at = [], start
    while at != end:
        dx, dy = end.x - at.x, end.y - at.y
        at = at.plus((1 if dx > 0 else -1, 0) if dx else (0, 1 if dy > 0 else -1))
        path.append(at)
    return path


def rulings(state: TacticalState, rnd: random.Random) -> list[tuple[float, Command]]:
    """Rulings that a moderator may give now."""
    signed = {"by": Actor.MODERATOR, "author": "G. Salvo", "reason": "a try"}
    found: list[tuple[float, Command]] = []
    if any(t.running for t in state.timers):
        found.append((4, StopClock(**signed)))
    if state.clock_stopped:
        found.append((20, StartClock(**signed)))
    if state.timers:
        found += [(2, ExtendClock(**signed, seconds=60)), (2, RestartClock(**signed))]
    found.append((0.03, CloseBattle(**signed, winner=rnd.choice([None, Side.RED, Side.BLUE]))))
    standing = [u for u in state.units if u.on_field]
    if standing and state.revealed:
        unit = rnd.choice(standing)
        found.append((3, EditUnit(**signed, unit=unit.key, changes={"hp": max(0.5, unit.hp - 1)})))
        asked = next((d for d in state.decisions if d.kind == "charge"), None)
        free = [c for c in state.board.cells() if state.terrain(c) == "open" and c not in state.occupied()]
        if free:
            moved = asked.about[1] if asked else unit.key
            changes = {"at": GRID.label(rnd.choice(free))}
            if not state.unit(moved).is_line:
                found.append((30 if asked else 1, EditUnit(**signed, unit=moved, changes=changes)))
    return found


def scramble(state: TacticalState, side: Side, rnd: random.Random) -> TacticalState:
    """The same for one side, with everything that is hidden from it changed."""
    enemy = side.enemy

    def other(unit: Any) -> Any:
        if unit.side is not enemy:
            return unit
        if not state.is_public(unit):  # before the reveal all of it, later who is absent
            return replace(unit, name=unit.name + " MARKER", hp=max(0.5, unit.hp - 1), facing=rnd.randrange(4))
        return replace(unit, defensive_fire=not unit.defensive_fire, answer_charges=not unit.answer_charges)

    units = [other(unit) for unit in state.units]
    if state.phase.name == "deployment":
        strip = list(state.strip(enemy))
        rnd.shuffle(strip)
        hidden = [u for u in units if u.side is enemy]
        kept = hidden[: rnd.randint(0, len(hidden))]
        moved = [replace(u, at=strip.pop() if rnd.random() < 0.6 else None, key=u.key + "x") for u in kept]
        units = [u for u in units if u.side is side] + moved
    else:
        units = [u for u in units if u.side is side or state.is_public(u) or rnd.random() < 0.5]
    return replace(state, units=tuple(units))
