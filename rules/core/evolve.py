"""What the common events do to a state; no rule is asked here."""

from __future__ import annotations

from typing import TypeVar

from rules.core.events import (
    BattleEnded,
    ClockExtended,
    ClockRestarted,
    ClockStarted,
    ClockStopped,
    DecisionAsked,
    DecisionClosed,
    Event,
    PhaseStarted,
    SideReady,
    SideUnready,
)
from rules.core.state import BattleState, Outcome, Phase, replace
from rules.core.timers import Timer

S = TypeVar("S", bound=BattleState)


def evolve_common(state: S, event: Event) -> S:
    """The state after one of the core's events; others change nothing here."""
    match event:
        case PhaseStarted():
            timers: tuple[Timer, ...] = tuple(t for t in state.timers if t.asks)
            timers += (event.timer,) if event.timer is not None else ()
            phase = Phase(name=event.phase, sides=event.sides)
            return state.with_timers(timers, phase=phase, ready=frozenset())
        case SideReady(side=side):
            return replace(state, ready=state.ready | {side})
        case SideUnready(side=side):
            return replace(state, ready=state.ready - {side})
        case DecisionAsked(decision=decision):
            timers = state.timers
            if decision.seconds:
                clock = Timer(key=f"answer:{decision.id}", seconds=decision.seconds, seen_by=decision.seen_by)
                timers = (*timers, clock)
            return state.with_timers(timers, decisions=(*state.decisions, decision), questions=state.questions + 1)
        case DecisionClosed(decision=id):
            timers = tuple(t for t in state.timers if t.key != f"answer:{id}")
            return state.with_timers(timers, decisions=tuple(d for d in state.decisions if d.id != id))
        case ClockStopped():
            return state.with_timers(state.timers, clock_stopped=True)
        case ClockStarted():
            return state.with_timers(state.timers, clock_stopped=False)
        case ClockExtended(seconds=seconds):
            return state.with_timers(
                tuple(
                    t if t.asks else replace(t, seconds=t.seconds + seconds, whole=t.whole or t.seconds)
                    for t in state.timers
                )
            )
        case ClockRestarted():
            count = state.clock_restarts + 1
            timers = tuple(
                t if t.asks else replace(t, key=f"{t.key.split('#')[0]}#{count}", seconds=t.whole or t.seconds, whole=0)
                for t in state.timers
            )
            return state.with_timers(timers, clock_restarts=count)
        case BattleEnded(winner=winner, reason=reason):
            outcome = Outcome(winner=winner, reason=reason)
            over = Phase(name="over")
            return replace(state, outcome=outcome, phase=over, timers=(), decisions=(), ready=frozenset())
    return state
