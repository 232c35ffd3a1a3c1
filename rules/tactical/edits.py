"""What a ruling may change in a unit, and what it may not leave behind [T-15.1]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rules.core.errors import InvalidCommand, UnknownField
from rules.core.ruleset import Flaw
from rules.core.rulings import FieldValue
from rules.core.units import halves
from rules.tactical.movement import passable
from rules.tactical.state import GRID, TacticalState
from rules.tactical.units import FACINGS, Formation, Unit

EDITABLE = frozenset({"hp", "at", "facing", "formation", "spent", "moved", "fired", "attacked", "last_shot",
                      "defensive_fire", "answer_charges"})  # fmt: skip

HIDDEN = frozenset({"defensive_fire", "answer_charges"})
WHOLE = frozenset({"spent", "last_shot"})


def edited(unit: Unit, changes: Mapping[str, FieldValue]) -> Unit:
    """A unit with a ruling's changes; cells by labels, facings by letters. InvalidCommand names the field."""
    plain: dict[str, Any] = msgspec.to_builtins(unit)
    for field, value in changes.items():
        if field not in EDITABLE:
            raise UnknownField("cannot be changed", field)
        plain[field] = _read(field, value)
    if "at" in changes:
        plain["run"] = []
    try:
        return msgspec.convert(plain, Unit)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$.")
        raise InvalidCommand(problem, path.rstrip("`")) from error


def _read(field: str, value: FieldValue) -> Any:
    try:
        if field == "at" and value is not None:
            return list(GRID.parse(str(value)))
        if field == "facing" and value is not None:
            return FACINGS.index(str(value))
        if field in WHOLE:
            if float(value) != int(float(value)) or float(value) < 0:  # type: ignore[arg-type]
                raise ValueError(value)
            return int(float(value))  # type: ignore[arg-type]
        if field == "hp":
            return halves(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise InvalidCommand(str(value), field) from error
    return value


def shown(unit: Unit, field: str) -> FieldValue:
    """A field as a ruling shows it."""
    value = getattr(unit, field)
    if field == "at":
        return None if value is None else GRID.label(value)
    if field == "facing":
        return None if value is None else FACINGS[value]
    return value.value if isinstance(value, Formation) else value


def flaws(state: TacticalState) -> tuple[Flaw, ...]:
    """What is impossible: HP out of bounds, a cell that is absent, impassable or taken, a formation it cannot have."""
    found: list[Flaw] = []
    stands: dict[tuple[int, int], str] = {}
    for unit in state.units:
        if unit.fate is not None:
            if unit.at is not None:
                found.append(Flaw(unit.key, "at"))
            continue
        if not 0 <= unit.hp <= unit.start_hp:
            found.append(Flaw(unit.key, "hp"))
        if unit.has_formations is (unit.formation is Formation.OPEN):
            found.append(Flaw(unit.key, "formation"))
        if unit.at is None:
            if state.revealed:
                found.append(Flaw(unit.key, "at"))
            continue
        if unit.facing is None:
            found.append(Flaw(unit.key, "facing"))
        if not state.revealed and any(cell not in state.strip(unit.side) for cell in unit.cells):
            found.append(Flaw(unit.key, "at"))
        for cell in unit.cells:
            free = stands.setdefault(cell, unit.key) == unit.key
            if not free or cell not in state.board or not passable(unit, state.terrain(cell)):
                found.append(Flaw(unit.key, "at"))
    return tuple(found)
