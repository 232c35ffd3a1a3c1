"""What each event does to a tactical battle; nothing is decided here."""

from __future__ import annotations

from typing import Any

import msgspec

from rules.core.actors import SIDES, Side
from rules.core.events import (
    DecisionAsked,
    DecisionClosed,
    Event,
    PhaseStarted,
    ResolutionPaused,
    UnitEdited,
    UnitRemoved,
)
from rules.core.evolve import evolve_common
from rules.core.state import Phase, replace
from rules.core.timers import Timer
from rules.core.units import Fate
from rules.tactical import events as e
from rules.tactical.edits import edited
from rules.tactical.state import Melee, TacticalState, TacticalStep
from rules.tactical.units import Unit


def evolve(state: TacticalState | None, event: Event) -> TacticalState:
    """The state after an event; before the first there is none."""
    if isinstance(event, e.BattleOpened):
        return TacticalState(
            rules_version=event.rules_version, board=event.board, phase=Phase(name="opening"),
            parameters=event.parameters, strips=event.strips, first=event.attacker,
            names=(event.names.get("red", ""), event.names.get("blue", "")),
        )  # fmt: skip
    if state is None:
        raise ValueError("a battle begins with battle_opened")
    return _evolve(state, event)


def with_unit(state: TacticalState, key: str, **changes: Any) -> TacticalState:
    """The state with some fields of a unit changed."""
    return replace(state, units=tuple(replace(u, **changes) if u.key == key else u for u in state.units))


def _evolve(state: TacticalState, event: Event) -> TacticalState:
    match event:
        case e.UnitMoved(unit=key):
            return _moved(state, event)
        case e.LossesTaken(unit=key, after=after):
            return with_unit(state, key, hp=after)
        case e.ShotFired(unit=key):
            state = replace(state, busy=True)
            if event.shot == "defensive":
                return state
            return with_unit(state, key, fired=True, last_shot=event.own_turn, run=())
        case e.TurnStarted():
            return _turn_started(state, event)
        case e.TurnEnded():
            quiet = 0 if state.busy or state.melees else state.quiet + 1
            return replace(state.with_timers(tuple(t for t in state.timers if t.asks)), quiet=quiet)
        case e.MeleeJoined():
            joined = Melee(
                attacker=event.attacker, defender=event.defender, ground=event.ground, aspect=event.aspect,
                penalty=event.penalty, onslaught=event.onslaught, counter=event.counter,
            )  # fmt: skip
            state = with_unit(state, event.attacker, attacked=True, facing=event.facing, run=())
            return replace(state, melees=(*state.melees, joined), busy=True)
        case e.ExchangeFought(attacker=attacker, defender=defender):
            return replace(
                state,
                melees=tuple(
                    replace(m, fresh=False) if (m.attacker, m.defender) == (attacker, defender) else m
                    for m in state.melees
                ),
            )
        case e.MeleeEnded(attacker=attacker, defender=defender):
            kept = tuple(m for m in state.melees if (m.attacker, m.defender) != (attacker, defender))
            return replace(state, melees=kept)
        case e.MeleeLeft(unit=key):
            return with_unit(state, key, left_melee=True)
        case UnitRemoved(unit=key, fate=fate):
            return with_unit(state, key, fate=fate, at=None, run=(), entered=())
        case e.UnitTurned(unit=key, facing=facing, spent=spent):
            unit = state.unit(key)
            moved = unit.moved or spent > unit.spent
            return with_unit(state, key, facing=facing, spent=spent, moved=moved, run=() if event.ordered else unit.run)
        case e.FormationChanged(unit=key):
            return with_unit(
                state, key, formation=event.formation, at=event.at, facing=event.facing, spent=event.spent,
                moved=True, run=(),
            )  # fmt: skip
        case e.LineWheeled(unit=key):
            return with_unit(state, key, at=event.at, facing=event.facing, spent=event.spent, moved=True, run=())
        case e.UnitPlaced(unit=key):
            return with_unit(state, key, at=event.at, facing=event.facing, formation=event.formation)
        case e.PlacementWithdrawn(unit=key):
            return with_unit(state, key, at=None, facing=None)
        case e.StanceSet(unit=key, name=name, value=value):
            return with_unit(state, key, **{name: value})
        case e.UnitAbsent(unit=key):
            return with_unit(state, key, fate=Fate.ABSENT)
        case e.ArmyMustered():
            brought = _set(state.brought, event.side, event.brought)
            return replace(state, units=(*state.units, *event.units), brought=brought, factor=event.factor)
        case e.DeploymentRevealed():
            red, blue = (sum(u.side is side and u.at is not None for u in state.units) for side in SIDES)
            return replace(state.with_timers(()), revealed=True, deployed=(red, blue))
        case e.RetreatOrdered(side=side):
            return replace(state, retreating=state.retreating | {side})
        case e.RoutWaived():
            return replace(state, rout_waived=True)
        case ResolutionPaused(agenda=agenda):
            return replace(state, agenda=msgspec.convert(agenda, tuple[TacticalStep, ...]))
        case UnitEdited(unit=key, changes=changes):
            unit = edited(state.unit(key), {change.field: change.after for change in changes})
            return replace(state, units=tuple(unit if u.key == key else u for u in state.units))
        case PhaseStarted():
            return evolve_common(state, event)
        case DecisionAsked(decision=decision):
            state = evolve_common(state, event)
            if decision.kind == "nobody_deployed":
                return replace(state.with_timers(()), ready=frozenset())
            guns = all(u.is_artillery for u in state.units if u.on_field)
            return replace(state, guns_asked=True) if decision.kind == "stalemate" and guns else state
        case DecisionClosed(kind="stalemate"):
            return replace(evolve_common(state, event), quiet=0)
    return evolve_common(state, event)


def _set(pair: tuple[int, int], side: Side, value: int) -> tuple[int, int]:
    return (value, pair[1]) if side is Side.RED else (pair[0], value)


def _moved(state: TacticalState, event: e.UnitMoved) -> TacticalState:
    unit = state.unit(event.unit)
    if event.ride:
        return with_unit(state, unit.key, at=event.path[-1], facing=event.facing)
    run, entered, now = list(unit.run or (event.start,)), list(unit.entered), unit
    for cell in event.path:
        now = replace(now, at=cell)
        entered += now.cells
        run.append(cell)
    return with_unit(
        state, unit.key, at=event.path[-1], facing=event.facing, spent=event.spent, run=tuple(run),
        entered=tuple(entered), moved=True,
    )  # fmt: skip


def _fresh(unit: Unit, side: Side) -> Unit:
    if unit.side is not side or unit.fate is not None:
        return unit
    return replace(unit, spent=0, entered=(), run=(), moved=False, fired=False, attacked=False, left_melee=False)


def _turn_started(state: TacticalState, event: e.TurnStarted) -> TacticalState:
    side = event.side
    timers: tuple[Timer, ...] = tuple(t for t in state.timers if t.asks)
    if event.seconds:
        timers = (*timers, Timer(key=f"turn:{event.turn}", seconds=event.seconds))
    own = _set(state.own_turns, side, state.own_turn(side) + 1)
    return state.with_timers(
        timers,
        turn=event.turn,
        phase=Phase(name="turn", sides=frozenset({side})),
        ready=frozenset(),
        own_turns=own,
        units=tuple(_fresh(u, side) for u in state.units),
        first=state.first or side,
        busy=False,
    )
