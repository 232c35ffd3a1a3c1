"""Hit points lost, and what they lead to [T-2.3, T-2.4]."""

from __future__ import annotations

from collections.abc import Iterable

from rules.core.events import UnitRemoved
from rules.core.resolution import Resolution
from rules.core.units import Fate, halves
from rules.tactical import rulebook as book
from rules.tactical.events import LossesTaken, MeleeEnded
from rules.tactical.state import Melee, TacticalState
from rules.tactical.units import Unit


def fate_at(unit: Unit, hp: float) -> Fate | None:
    """What becomes of a unit with so many HP: destroyed below 1 (guns at 0), scattered at its threshold [T-2.3]."""
    if unit.is_artillery:
        return Fate.DESTROYED if hp <= 0 else None
    if hp < 1:
        return Fate.DESTROYED
    if unit.scatters_at is not None and hp <= unit.scatters_at:
        return Fate.SCATTERED
    return None


def take(turn: Resolution[TacticalState], key: str, loss: float, cause: str, rule: str) -> None:
    """A unit loses hit points; what follows is checked after the whole batch."""
    unit = turn.state.unit(key)
    after = max(0.0, halves(unit.hp - loss))
    turn.tell(LossesTaken(rule=rule, unit=key, loss=halves(loss), before=unit.hp, after=after, cause=cause))


def settle(
    turn: Resolution[TacticalState], keys: Iterable[str], cause: str, overwhelmed: frozenset[str] = frozenset()
) -> None:
    """After a batch of losses: who is destroyed or scattered by it. Destroyed goes before scattered [T-2.3, T-9.4]."""
    for key in keys:
        unit = turn.state.unit(key)
        if unit.fate is not None:
            continue
        fate = fate_at(unit, unit.hp)
        if fate is None and key in overwhelmed:
            remove(turn, unit, Fate.SCATTERED, "overwhelmed", book.OVERWHELMED.id)
        elif fate is not None:
            remove(turn, unit, fate, cause, (book.BATTERIES if unit.is_artillery else book.LOSSES).id)


def remove(turn: Resolution[TacticalState], unit: Unit, fate: Fate, cause: str, rule: str) -> None:
    """A unit leaves the field for good, and its melees end [T-9.9]."""
    turn.tell(UnitRemoved(rule=rule, unit=unit.key, fate=fate, cause=cause, at=unit.at))
    end_melees(turn, unit.key)


def end_melees(turn: Resolution[TacticalState], key: str) -> None:
    """All melees of a unit end [T-9.9]."""
    for melee in turn.state.melees_of(key):
        end_melee(turn, melee)


def end_melee(turn: Resolution[TacticalState], melee: Melee) -> None:
    """One melee ends."""
    turn.tell(MeleeEnded(rule=book.MELEE_ENDS.id, attacker=melee.attacker, defender=melee.defender))
