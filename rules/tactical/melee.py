"""Attack, charge and the exchanges at a turn's end [T-9, T-10, T-11]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from rules.core.actors import Actor
from rules.core.events import DecisionAsked
from rules.core.grid import Cell
from rules.core.resolution import Resolution, require
from rules.core.timers import Decision
from rules.core.units import Fate
from rules.tactical import checks, losses, movement, musketry
from rules.tactical import rulebook as book
from rules.tactical.commands import Attack, Move
from rules.tactical.events import (
    Aspect,
    ChargeAnnounced,
    ChargeAnswered,
    ExchangeFought,
    MeleeJoined,
    MeleeLeft,
    ShotFired,
    UnitMoved,
    UnitTurned,
)
from rules.tactical.state import GRID, Charge, Field, Melee, TacticalState
from rules.tactical.units import DIRECTIONS, Formation, Unit, formation_bonus


class Contact(NamedTuple):
    """An attack that may be made: the cells that touch, how the defender is taken, and the attacker's run.

    `run` is the straight stretch of this turn's steps that ends in the attack, the cell it began from first;
    `onslaught` is what the attacker adds for it.
    """

    ground: tuple[Cell, Cell]
    facing: int
    aspect: Aspect
    penalty: int
    run: tuple[Cell, ...]
    onslaught: int


def move(turn: Resolution[TacticalState], command: Move) -> None:
    """March, and attack from the last cell if the order says so [T-6.2, T-9.1]."""
    side = checks.own_turn(turn, command.by.side)
    state = turn.state
    unit = checks.own_unit(state, command.unit, side)
    require(command.path, book.STEP, "bad_path")
    marched, cost = march_off(state, unit, command.path, attacks=command.attack is not None)
    if command.attack is not None:
        target = checks.target(state, command.attack, side)
        marched = movement.march(state, marched, command.path)
        contact(state, marched, target)
        charge_or_attack(turn, unit, target, command.path)
        return
    marched = movement.march(state, marched, command.path)
    if cost is not None:
        break_off(turn, unit, cost)
        unit = turn.state.unit(unit.key)
        if unit.fate is not None:
            return
    movement.tell_march(turn, unit, command.path, marched)


def march_off(field: Field, unit: Unit, path: tuple[Cell, ...], *, attacks: bool) -> tuple[Unit, float | None]:
    """What a unit must be free of before it marches, in the order of T-4.6; the cost of leaving its melees."""
    movement.homeward(field, unit, path)
    if attacks:
        require(unit.side not in field.retreating, book.RETREAT, "retreat_is_final")
        movement.free_of_melee(field, unit)
        movement.not_done(unit)
        may_attack(field, unit)
        return unit, None
    cost = movement.leaving(field, unit)
    movement.not_done(unit)
    return unit, cost


def break_off(turn: Resolution[TacticalState], unit: Unit, cost: float) -> None:
    """A unit leaves its melees: cavalry loses half a point before its first step [T-9.6], a retreating one nothing."""
    rule = book.CAVALRY_LEAVES if cost else book.RETREAT
    turn.tell(MeleeLeft(rule=rule.id, unit=unit.key, loss=cost))
    losses.end_melees(turn, unit.key)
    if cost:
        losses.take(turn, unit.key, cost, "left_melee", rule.id)
        losses.settle(turn, (unit.key,), "left_melee")


def attack(turn: Resolution[TacticalState], command: Attack) -> None:
    """Run into an enemy in a neighbouring cell [T-9.1]."""
    side = checks.own_turn(turn, command.by.side)
    unit = checks.own_unit(turn.state, command.unit, side)
    march_off(turn.state, unit, (), attacks=True)
    target = checks.target(turn.state, command.target, side)
    contact(turn.state, unit, target)
    charge_or_attack(turn, unit, target, ())


def may_attack(field: Field, unit: Unit) -> None:
    """Infantry and cavalry attack, but no guns, no square, and nobody who left a melee this turn [T-9.1, T-9.6]."""
    require(not unit.left_melee, book.CAVALRY_LEAVES, "in_melee", unit=unit.name)
    require(not unit.is_artillery, book.GUNS_FORBIDDEN, "artillery_cannot_attack", unit=unit.name)
    held = unit.formation is Formation.SQUARE and not field.parameters.square_attacks
    require(not held, book.MELEE, "square_cannot_attack", unit=unit.name)


def contact(field: Field, unit: Unit, target: Unit) -> Contact:
    """How a unit that stands where it would attack from takes its target; IllegalCommand if it does not touch it."""
    touching = [
        (mine, theirs, facing)
        for mine in unit.cells
        for facing, way in enumerate(DIRECTIONS)
        for theirs in target.cells
        if mine.plus(way) == theirs
    ]
    require(touching, book.NEIGHBOURS, "not_adjacent", target=target.name, cell=_label(target))
    if unit.is_line:
        touching = [t for t in touching if t[2] == unit.facing]
        require(touching, book.MELEE, "line_goes_straight", unit=unit.name)
    taken = [(aspect_penalty(field, target, mine), mine, theirs, facing) for mine, theirs, facing in touching]
    (aspect, penalty), mine, theirs, facing = min(taken, key=lambda t: t[0][1])
    run = straight_run(unit, facing)
    return Contact((mine, theirs), facing, aspect, penalty, run, onslaught(field, unit, target, run))


def touching(unit: Unit, other: Unit) -> int | None:
    """The direction in which one unit touches another, None if it does not."""
    pairs = ((mine, theirs) for mine in unit.cells for theirs in other.cells)
    ways = ((theirs.x - mine.x, theirs.y - mine.y) for mine, theirs in pairs)
    return next((DIRECTIONS.index(way) for way in ways if way in DIRECTIONS), None)


def _label(unit: Unit) -> str:
    return GRID.label(unit.at) if unit.at is not None else ""


def aspect_penalty(field: Field, target: Unit, origin: Cell) -> tuple[Aspect, int]:
    """From which side a target is taken by somebody on a cell, and its penalty for it [T-9.7]."""
    forward = DIRECTIONS[target.facing or 0]
    if any(cell.plus(forward) == origin for cell in target.cells):
        return "front", 0
    rear = any(cell.plus(forward, -1) == origin for cell in target.cells)
    if target.formation is Formation.SQUARE:
        return ("rear" if rear else "flank"), 0
    return ("rear", field.parameters.rear_penalty) if rear else ("flank", field.parameters.flank_penalty)


def straight_run(unit: Unit, facing: int) -> tuple[Cell, ...]:
    """The longest straight stretch of this turn's unbroken steps that ends in an attack that way [T-10.1].

    The cell it began from comes first; fewer than two cells mean no run.
    """
    way = DIRECTIONS[facing]
    stretch = list(unit.run[-1:])
    for before, after in zip(reversed(unit.run[:-1]), reversed(unit.run), strict=False):
        if before.plus(way) != after:
            break
        stretch.insert(0, before)
    return tuple(stretch)


def onslaught(field: Field, unit: Unit, target: Unit, run: tuple[Cell, ...]) -> int:
    """What cavalry adds for a run of at least two cells entered, with no settlement in it or under the enemy [T-10]."""
    if not unit.is_cavalry or len(run) < 3:
        return 0
    towns = any(field.terrain(cell) == "settlement" for cell in (*run, *target.cells))
    return 0 if towns else unit.onslaught


def may_answer(field: Field, unit: Unit, target: Unit, touch: Contact) -> bool:
    """Whether charged cavalry may ride to meet the charge [T-11.1, T-11.2]."""
    return (
        touch.onslaught > 0
        and unit.is_cavalry
        and target.is_cavalry
        and target.side not in field.retreating
        and not any(target.key in (m.attacker, m.defender) for m in field.melees)
        and all(field.terrain(cell) != "settlement" for cell in target.cells)
    )


def charge_or_attack(turn: Resolution[TacticalState], unit: Unit, target: Unit, path: tuple[Cell, ...]) -> None:
    """Carry an attack out that has been checked, or announce a charge that may be answered [T-11.2]."""
    state = turn.state
    touch = contact(state, movement.march(state, unit, path), target)
    met = False
    if may_answer(state, unit, target, touch):
        met = bool(target.answer_charges)
        seconds = state.parameters.answer_seconds
        if met or seconds:
            turn.tell(
                ChargeAnnounced(
                    rule=book.MEETING.id, unit=unit.key, target=target.key, path=path, run=len(touch.run) - 1
                )
            )
        if seconds and not met:
            id = f"q{state.questions + 1}"
            turn.tell(
                DecisionAsked(
                    rule=book.WHO_ANSWERS.id,
                    decision=Decision(
                        id=id, kind="charge", owed_by=Actor(target.side.value), choices=("ride", "stand"),
                        default="stand", rule=book.WHO_ANSWERS.id, seconds=seconds,
                        blocks=frozenset({unit.side}), about=(unit.key, target.key),
                    ),
                )
            )  # fmt: skip
            turn.agenda.append(Charge(unit=unit.key, target=target.key, path=path, decision=id))
            return
    carry_out(turn, unit.key, target.key, path, met=met)


def carry_out(turn: Resolution[TacticalState], key: str, other: str, path: tuple[Cell, ...], *, met: bool) -> None:
    """March, be met or not, and make contact. Checks again, for a ruling may have come between [T-11.3, T-11.4]."""
    state = turn.state
    unit, target = state.unit(key), state.unit(other)
    require(unit.on_field, book.REFUSALS_RULE, "unit_gone", unit=unit.name)
    require(target.on_field, book.REFUSALS_RULE, "unit_gone", unit=target.name)
    marched = movement.march(state, unit, path)
    touch = contact(state, marched, target)
    if met and may_answer(state, unit, target, touch):
        meet(turn, unit, target, path, touch)
        return
    if path:
        movement.tell_march(turn, unit, path, marched)
    make_contact(turn, key, other)


def meeting_ride(field: Field, unit: Unit, target: Unit, touch: Contact) -> tuple[Cell, ...]:
    """The cells that the answerer rides toward a charger that has not moved yet: half the run at most [T-11.3]."""
    ride: list[Cell] = []
    backwards = tuple(reversed(touch.run[1:]))
    for cell in backwards[: (len(touch.run) - 1) // 2]:
        if cell in unit.cells or not movement.passable(target, field.terrain(cell)):
            break
        ride.append(cell)
    return tuple(ride)


def meet(turn: Resolution[TacticalState], unit: Unit, target: Unit, path: tuple[Cell, ...], touch: Contact) -> None:
    """The charged cavalry rides half the run to meet the charger, which stops in the cell before it [T-11.3]."""
    assert target.at is not None and unit.at is not None
    ride = meeting_ride(turn.state, unit, target, touch)
    rule = book.MEETING_PLACE.id
    turn.tell(ChargeAnswered(rule=book.MEETING.id, unit=target.key, target=unit.key, cells=len(ride)))
    end = len(path) - len(ride)
    if path[:end]:
        marched = movement.march(turn.state, unit, path[:end])
        movement.tell_march(turn, unit, path[:end], marched)
    facing = (touch.facing + 2) % 4
    if ride:
        turn.tell(
            UnitMoved(
                rule=rule, unit=target.key, path=ride, start=target.at, spent=target.spent, facing=facing, ride=True
            )
        )
    elif target.facing != facing:
        turn.tell(UnitTurned(rule=rule, unit=target.key, facing=facing, spent=target.spent, ordered=False))
    charger, answerer = turn.state.unit(unit.key), turn.state.unit(target.key)
    assert charger.at is not None and answerer.at is not None
    turn.tell(
        MeleeJoined(
            rule=book.MEETING.id, attacker=unit.key, defender=target.key, ground=(charger.at, answerer.at),
            aspect="front", onslaught=touch.onslaught, counter=answerer.onslaught, run=len(touch.run) - 1,
            facing=touch.facing,
        )
    )  # fmt: skip


def make_contact(turn: Resolution[TacticalState], key: str, other: str) -> None:
    """Defensive fire, then the melee is joined; guns are destroyed at once [T-8.8, T-9.1, T-10.3]."""
    state = turn.state
    unit, target = state.unit(key), state.unit(other)
    touch = contact(state, unit, target)
    if target.defensive_fire and fires_first(state, unit, target):
        assert unit.at is not None
        rule = book.DEFENSIVE_FIRE.id
        turn.tell(
            ShotFired(
                rule=rule, unit=other, target=key, shot="defensive", at=unit.at, distance=1, hits=(key,),
                loss=target.firepower,
            )
        )  # fmt: skip
        losses.take(turn, key, target.firepower, "defensive", rule)
        losses.settle(turn, (key,), "defensive")
        if turn.state.unit(key).fate is not None:
            return
    turn.tell(
        MeleeJoined(
            rule=book.MELEE.id, attacker=key, defender=other, ground=touch.ground, aspect=touch.aspect,
            penalty=0 if target.is_artillery else touch.penalty, onslaught=touch.onslaught,
            run=max(0, len(touch.run) - 1),
            facing=unit.facing if unit.is_line or unit.formation is Formation.SQUARE else touch.facing,
        )
    )  # fmt: skip
    if target.is_artillery:
        losses.remove(turn, target, Fate.DESTROYED, "overrun", book.GUNS_HIT.id)


def fires_first(field: Field, unit: Unit, target: Unit) -> bool:
    """Whether attacked infantry could fire at cavalry before contact, its stance aside [T-10.3]."""
    return (
        unit.is_cavalry
        and target.is_infantry
        and target.side not in field.retreating
        and not any(target.key in (m.attacker, m.defender) for m in field.melees)
        and musketry.covers(field, target, unit)
    )


def combat_values(attacker: Unit, defender: Unit, melee: Melee) -> tuple[dict[str, int], dict[str, int]]:
    """The sums of both combat values by name [T-9.2, T-9.7, T-10.1]."""
    ours = {"melee": attacker.melee}
    theirs = {"melee": defender.melee}
    for unit, parts in ((attacker, ours), (defender, theirs)):
        if formation_bonus(unit.formation):
            parts["formation"] = formation_bonus(unit.formation)
    if melee.penalty and (melee.fresh or defender.is_line):
        theirs[melee.aspect] = melee.penalty
    if melee.fresh and melee.onslaught:
        ours["onslaught"] = melee.onslaught
    if melee.fresh and melee.counter:
        theirs["onslaught"] = melee.counter
    return ours, theirs


def total(parts: Mapping[str, int]) -> int:
    """A combat value: never below 0 [T-9.8]."""
    return max(0, sum(parts.values()))


def exchange_losses(difference: int) -> tuple[int, int]:
    """Losses of the stronger and of the weaker unit, difference 0 to 3 [T-9.2]."""
    return 1, 1 + difference


def exchange(
    attacker: Unit, defender: Unit, melee: Melee, overwhelm_loss: float
) -> tuple[tuple[int, int], tuple[float, float], Literal["", "attacker", "defender"]]:
    """Both values, both losses, and who is overwhelmed, which scatters without a loss [T-9.2, T-9.3]."""
    ours, theirs = (total(parts) for parts in combat_values(attacker, defender, melee))
    difference = abs(ours - theirs)
    stronger, weaker = (float(n) for n in exchange_losses(difference))
    overwhelmed: Literal["", "attacker", "defender"] = ""
    if difference >= 4:
        loser = defender if ours > theirs else attacker
        stronger = overwhelm_loss
        if "steadfast" not in loser.traits:
            weaker = 0.0
            overwhelmed = "defender" if ours > theirs else "attacker"
    lost = (stronger, weaker) if ours >= theirs else (weaker, stronger)
    return (ours, theirs), lost, overwhelmed


def fight(turn: Resolution[TacticalState]) -> None:
    """All exchanges of a turn's end at once, then what they lead to [T-9.1 to T-9.4, T-9.7]."""
    state = turn.state
    lost: dict[str, float] = {}
    overwhelmed: list[tuple[str, str]] = []
    overwhelming: list[tuple[str, str]] = []
    fought = state.melees
    for melee in fought:
        attacker, defender = state.unit(melee.attacker), state.unit(melee.defender)
        ours, theirs = combat_values(attacker, defender, melee)
        values, losses_of, loser = exchange(attacker, defender, melee, state.parameters.overwhelm_loss)
        pair = (melee.attacker, melee.defender)
        weak = {"attacker": pair, "defender": pair[::-1]}.get(loser)
        if abs(values[0] - values[1]) >= 4:
            overwhelming.append(pair if values[0] > values[1] else (pair[1], pair[0]))
        if weak is not None:
            overwhelmed.append((weak[0], weak[1]))
        turn.tell(
            ExchangeFought(
                rule=(book.OVERWHELMED if loser else book.EXCHANGE).id, attacker=pair[0], defender=pair[1],
                values=values, attacker_sum=ours, defender_sum=theirs, losses=losses_of,
                overwhelmed=weak[0] if weak else "",
            )
        )  # fmt: skip
        for key, loss in zip(pair, losses_of, strict=True):
            lost[key] = lost.get(key, 0.0) + loss
    touched = [unit.key for unit in state.units if unit.key in lost]
    for key in touched:
        if lost[key]:
            losses.take(turn, key, lost[key], "melee", book.SIMULTANEOUS.id)
    losses.settle(turn, touched, "melee", frozenset(key for key, _ in overwhelmed))
    _turn_to_attackers(turn, fought)
    for stronger, weaker in overwhelming:
        _ask_overwhelm(turn, stronger, weaker)


def _turn_to_attackers(turn: Resolution[TacticalState], fought: tuple[Melee, ...]) -> None:
    """After its first exchange an attacked unit turns to its only enemy, a line and a square do not [T-9.7]."""
    for melee in fought:
        if not melee.fresh:
            continue
        unit = turn.state.unit(melee.defender)
        still = turn.state.melees_of(unit.key)
        if not unit.on_field or len(still) != 1 or still[0].other(unit.key) != melee.attacker:
            continue
        if unit.formation in (Formation.LINE, Formation.SQUARE):
            continue
        facing = touching(unit, turn.state.unit(melee.attacker))
        if facing is not None and facing != unit.facing:
            turn.tell(UnitTurned(rule=book.ASPECT.id, unit=unit.key, facing=facing, spent=unit.spent, ordered=False))


def _ask_overwhelm(turn: Resolution[TacticalState], stronger: str, weaker: str) -> None:
    """The moderator says what the stronger loses; play goes on meanwhile [T-9.3, T-16.2]."""
    if turn.state.unit(stronger).fate is not None:
        return
    half = turn.state.parameters.overwhelm_loss > 0
    turn.tell(
        DecisionAsked(
            rule=book.OVERWHELM_RULING.id,
            decision=Decision(
                id=f"q{turn.state.questions + 1}", kind="overwhelm", owed_by=Actor.MODERATOR, choices=("0", "0.5"),
                default="0.5" if half else "0", rule=book.OVERWHELMED.id, about=(stronger, weaker),
            ),
        )
    )  # fmt: skip
