"""Who may give an order at all [T-4.5, T-4.6]: the checks that come first."""

from __future__ import annotations

from rules.core.actors import Side
from rules.core.resolution import Resolution, require
from rules.core.state import BattleState
from rules.tactical import rulebook as book
from rules.tactical.state import Field, TacticalState
from rules.tactical.units import Unit


def in_battle(state: BattleState) -> None:
    """The battle is not over."""
    require(state.outcome is None, book.JUDGED_AT_END, "battle_over")


def own_turn(turn: Resolution[TacticalState], side: Side | None) -> Side:
    """The side that asks, if it is its turn and no question stops it."""
    state = turn.state
    in_battle(state)
    require(state.phase.name != "deployment", book.DEPLOYMENT, "not_deploying")
    if side is None or side not in state.phase.sides:
        require(False, book.WHOSE_TURN, "not_your_turn")
    assert side is not None
    unblocked(state, side)
    return side


def unblocked(state: TacticalState, side: Side) -> None:
    """No open question keeps the side from giving orders."""
    require(state.blocked(side) is None, book.WHO_ANSWERS, "answer_pending")


def own_unit(field: Field, key: str, side: Side) -> Unit:
    """A unit of the side that is still there.

    A unit of the enemy that the side may not know of is refused like one that there is not.
    """
    unit = next((u for u in field.units if u.key == key), None)
    hidden = unit is not None and unit.side is not side and not revealed(field, unit)
    if unit is None or hidden:
        require(False, book.REFUSALS_RULE, "no_such_unit", unit=key)
    assert unit is not None
    require(unit.side is side, book.WHOSE_TURN, "not_your_unit", unit=unit.name)
    require(unit.fate is None, book.REFUSALS_RULE, "unit_gone", unit=unit.name)
    return unit


def target(field: Field, key: str, side: Side) -> Unit:
    """An enemy that is still there, to be fired at or attacked."""
    unit = next((u for u in field.units if u.key == key), None)
    if unit is None or (unit.side is not side and not revealed(field, unit)):
        require(False, book.REFUSALS_RULE, "no_such_unit", unit=key)
    assert unit is not None
    require(unit.side is not side, book.REFUSALS_RULE, "friendly_target", target=unit.name)
    require(unit.on_field, book.REFUSALS_RULE, "unit_gone", unit=unit.name)
    return unit


def revealed(field: Field, unit: Unit) -> bool:
    """Whether the enemy of a unit knows that there is one."""
    return field.phase.name != "deployment" and (unit.at is not None or unit.fate is not None) and not unit.absent
