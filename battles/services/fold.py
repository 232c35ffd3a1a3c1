"""What is kept of where the log leads: the battle's row and its roster."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from battles.models import Battle, Stage, Unit
from battles.selectors import HIDDEN_PHASES, rules_of
from rules.core.actors import Actor
from rules.core.codec import plain
from rules.core.ruleset import Ruleset

FOLD = (
    "state", "version", "red_no", "blue_no", "public_no", "throws", "turn", "phase", "awaited", "stage", "winner",
    "reason", "rules_version", "opened_at", "ended_at",
)  # fmt: skip
UNIT_FIELDS = ("side", "kind", "name", "position", "at", "strength", "strength_at_start", "fate", "body")


def save_fold(battle: Battle, old: Any, state: Any, now: datetime) -> None:
    """Bring the battle's row and its units to where the log leads; `old` is the state before, None at the opening."""
    battle.state = plain(state)
    battle.phase = state.phase.name
    battle.awaited = awaited(state)
    if state.outcome is not None:
        battle.stage = Stage.OVER
        battle.winner = state.outcome.winner.value if state.outcome.winner else None
        battle.reason = state.outcome.reason
        battle.ended_at = battle.ended_at or now
    battle.save(update_fields=FOLD)
    was_hidden = old is None or old.phase.name in HIDDEN_PHASES
    if battle.phase not in HIDDEN_PHASES:
        changed = unit_rows(battle, state, None if was_hidden else old)
        Unit.objects.bulk_create(
            changed, update_conflicts=True, unique_fields=["battle", "key"], update_fields=UNIT_FIELDS
        )
    elif not was_hidden:
        Unit.objects.filter(battle=battle).delete()


def awaited(state: Any) -> list[str]:
    """Who is waited for: the sides that may act and are not ready, and whoever owes an answer."""
    if state.outcome is not None:
        return []
    owing = {decision.owed_by for decision in state.decisions}
    acting = {Actor(side.value) for side in state.active if side not in state.ready and not state.blocked(side)}
    return [actor.value for actor in Actor if actor in owing | acting]


def unit_rows(battle: Battle, state: Any, old: Any = None) -> list[Unit]:
    """The units of a state as rows, in the order of the lists, without those that are the same in an `old` state."""
    rules = rules_of(battle)
    known = {} if old is None else {unit.key: unit for unit in old.units}
    return [
        _unit_row(battle, rules, unit, place)
        for place, unit in enumerate(sorted(state.units, key=rules.order))
        if known.get(unit.key) != unit
    ]


def _unit_row(battle: Battle, rules: Ruleset, unit: Any, place: int) -> Unit:
    now, start = rules.strength(unit)
    return Unit(
        battle=battle,
        key=unit.key,
        side=unit.side.value,
        kind=unit.kind,
        name=unit.name,
        position=place,
        at=rules.grid.label(unit.at) if unit.at is not None else "",
        strength=float(now),
        strength_at_start=float(start),
        fate=unit.fate.value if unit.fate is not None else "",
        body=plain(unit),
    )
