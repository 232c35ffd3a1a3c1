"""The order panel for one selection: which part of the ruleset's dress it shows."""

from __future__ import annotations

from typing import Any

from battles.dress import DRESS
from battles.dress.parts import Choice, Desk, Selection


def panel(d: Desk) -> dict[str, Any]:
    """The order panel of a selection, for the ruleset's templates."""
    dress = DRESS[d.ruleset_id]
    context: dict[str, Any] = {"desk": d, "selection": d.selection, "query": d.selection.query()}
    if d.unit is None:
        return context | dress.army(d)
    context |= dress.card(d)
    return context | dress.orders(d) if d.can is not None else context


def idle_choices(view: Any, ruleset_id: str) -> list[Choice]:
    """The viewer's units that have done nothing this turn, each with its link."""
    idle = DRESS[ruleset_id].idle(view)
    return [Choice(u.name, Selection(unit=u.key).query(), "", u.side.value) for u in idle]
