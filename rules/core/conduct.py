"""Clocks and rulings, decided alike for every ruleset [G-1, G-2]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.core.actors import Actor
from rules.core.commands import Command
from rules.core.errors import IllegalCommand, InvalidCommand, UnknownField
from rules.core.events import (
    BattleEnded,
    Change,
    ClockExtended,
    ClockRestarted,
    ClockStarted,
    ClockStopped,
    UnitEdited,
)
from rules.core.resolution import Resolution
from rules.core.rulebook import CONDUCT, RULINGS
from rules.core.ruleset import Ruleset
from rules.core.rulings import CloseBattle, EditUnit, ExtendClock, RestartClock, Ruling, StartClock, StopClock

COMMANDS: tuple[type[Command], ...] = (EditUnit, CloseBattle, StopClock, StartClock, ExtendClock, RestartClock)
LONGEST_EXTENSION = 7 * 24 * 3600


def rule_on(ruleset: Ruleset, turn: Resolution[Any], ruling: Ruling, after_edit: Callable[[str], None]) -> None:
    """Carry a ruling on the state out; `after_edit` lets the ruleset draw what follows from an edited unit."""
    turn.require(turn.by is Actor.MODERATOR, RULINGS, "moderator_only")
    author, reason = ruling.author, ruling.reason
    state = turn.state
    phase_clock = any(not t.asks for t in state.timers)  # a question's own time is neither extended nor given anew
    match ruling:
        case StopClock():
            turn.require(any(t.running for t in state.timers), CONDUCT, "no_clock_runs")
            turn.tell(ClockStopped(rule=CONDUCT.id, author=author, reason=reason))
        case StartClock():
            turn.require(state.clock_stopped, CONDUCT, "clock_runs")
            turn.tell(ClockStarted(rule=CONDUCT.id, author=author, reason=reason))
        case ExtendClock():
            turn.require(phase_clock, CONDUCT, "no_clock_runs")
            in_bounds = 1 <= ruling.seconds <= LONGEST_EXTENSION
            turn.require(in_bounds, RULINGS, "bad_value", field="seconds", value=ruling.seconds)
            turn.tell(ClockExtended(rule=CONDUCT.id, seconds=ruling.seconds, author=author, reason=reason))
        case RestartClock():
            turn.require(phase_clock, CONDUCT, "no_clock_runs")
            turn.tell(ClockRestarted(rule=CONDUCT.id, author=author, reason=reason))
        case CloseBattle():
            _reasoned(turn, ruling)
            turn.tell(
                BattleEnded(
                    rule=RULINGS.id, winner=ruling.winner, reason="ruling", author=ruling.author, why=ruling.reason
                )
            )
        case EditUnit():
            _reasoned(turn, ruling)
            _edit(ruleset, turn, ruling)
            after_edit(ruling.unit)
        case _:
            raise InvalidCommand("no such ruling", "type")


def _reasoned(turn: Resolution[Any], ruling: Ruling) -> None:
    turn.require(ruling.reason.strip(), RULINGS, "reason_required")


def _edit(ruleset: Ruleset, turn: Resolution[Any], ruling: EditUnit) -> None:
    unit = turn.state.find(ruling.unit)
    turn.require(unit is not None, RULINGS, "no_such_unit", unit=ruling.unit)
    turn.require(ruling.changes, RULINGS, "bad_value", field="changes", value="")
    try:
        edited = ruleset.edit(unit, ruling.changes)
    except UnknownField as error:
        raise IllegalCommand("no_such_field", RULINGS.id, {"field": error.field}) from error
    except InvalidCommand as error:
        raise IllegalCommand("bad_value", RULINGS.id, {"field": error.field, "value": error.problem}) from error
    shown = ruleset.edit_shown
    changes = tuple(
        Change(field=field, before=shown(unit, field), after=shown(edited, field)) for field in sorted(ruling.changes)
    )
    event = UnitEdited(
        rule=RULINGS.id,
        unit=unit.key,
        changes=changes,
        author=ruling.author,
        reason=ruling.reason,
        seen_by=ruleset.edit_audience(turn.state, unit, frozenset(ruling.changes)),
    )
    known = set(ruleset.flaws(turn.state))
    flaws = [flaw for flaw in ruleset.flaws(ruleset.evolve(turn.state, event)) if flaw not in known]
    if flaws:
        raise IllegalCommand("impossible_state", RULINGS.id, {"unit": unit.name, "field": flaws[0].field})
    turn.tell(event)
