"""The order to fire, for infantry and guns alike [T-7, T-8]."""

from __future__ import annotations

from typing import NamedTuple

from rules.core.grid import Cell
from rules.core.resolution import Resolution, require
from rules.tactical import artillery, checks, losses, musketry
from rules.tactical import rulebook as book
from rules.tactical.commands import Fire
from rules.tactical.events import Shot, ShotFired
from rules.tactical.movement import free_of_melee, not_done
from rules.tactical.state import Field, TacticalState
from rules.tactical.units import Unit


class Plan(NamedTuple):
    """A shot that may be fired: how, where, how far, the chance in six, who would lose what, and friends among them."""

    shot: Shot
    at: Cell
    distance: int
    chance: int
    victims: tuple[tuple[str, float], ...]
    friends: tuple[str, ...]


def may_fire(field: Field, unit: Unit) -> None:
    """What keeps a unit from firing at all, in the order of T-4.6."""
    require(unit.side not in field.retreating, book.RETREAT, "retreat_is_final")
    free_of_melee(field, unit)
    not_done(unit)
    require(not unit.is_cavalry, book.KINDS, "cannot_fire", unit=unit.name)
    if unit.is_artillery:
        artillery.may_fire(field, unit)


def plan(field: Field, unit: Unit, target: Unit) -> Plan:
    """The shot of a unit that may fire at a target; IllegalCommand if a rule forbids it."""
    if not unit.is_artillery:
        musketry.may_target(field, unit, target)
        found = musketry.aim(field, unit, target)
        return Plan("musketry", found.at, found.distance, 6, ((target.key, unit.firepower),), ())
    artillery.may_target(field, unit, target)
    shot = artillery.aim(field, unit, target)
    if not shot.canister:
        loss = artillery.roundshot_loss(unit, target)
        return Plan("roundshot", shot.at, shot.distance, shot.chance, ((target.key, loss),), ())
    swept = artillery.canister_victims(field, unit)
    loss = artillery.CANISTER_LOSS * unit.batteries
    friends = tuple(victim.key for victim in swept if victim.side is unit.side)
    return Plan("canister", shot.at, shot.distance, 6, tuple((v.key, loss) for v in swept), friends)


def fire(turn: Resolution[TacticalState], command: Fire) -> None:
    """Fire at an enemy."""
    side = checks.own_turn(turn, command.by.side)
    unit = checks.own_unit(turn.state, command.unit, side)
    may_fire(turn.state, unit)
    target = checks.target(turn.state, command.target, side)
    shot = plan(turn.state, unit, target)
    accepted = command.accept_friendly_fire or not shot.friends
    names = ", ".join(turn.state.unit(key).name for key in shot.friends)
    require(accepted, book.CANISTER, "friends_in_zone", unit=names)
    roll, hit = 0, True
    if shot.shot == "roundshot":
        needed = 7 - shot.chance
        throw = turn.throw(1, 6, purpose="roundshot", rule=book.ROUNDSHOT, modifiers={"needed": needed}, unit=unit.key)
        roll = throw.faces[0]
        hit = roll >= needed
    rule = {"musketry": book.MUSKETRY, "roundshot": book.ROUNDSHOT}.get(shot.shot, book.CANISTER)
    turn.tell(
        ShotFired(
            rule=rule.id, unit=unit.key, target=target.key, shot=shot.shot, at=shot.at, distance=shot.distance,
            hits=tuple(key for key, _ in shot.victims) if hit else (),
            loss=shot.victims[0][1] if hit else 0.0,
            chance=shot.chance if shot.shot == "roundshot" else 0, roll=roll,
            own_turn=turn.state.own_turn(side),
        )
    )  # fmt: skip
    if hit:
        for key, loss in shot.victims:
            losses.take(turn, key, loss, shot.shot, rule.id)
        losses.settle(turn, (key for key, _ in shot.victims), shot.shot)
