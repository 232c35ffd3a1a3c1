"""What the user has selected, and what it means among his options.

The selection is the query of the page (`?unit=..&to=C5`): it works without script, in the history, in two tabs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from battles.dress import DRESS
from battles.dress.parts import Desk, Selection
from rules.core.grid import Cell
from rules.registry import ruleset

__all__ = ["Desk", "Selection", "desk", "read_selection"]


def read_selection(view: Any, data: Mapping[str, str]) -> Selection:
    """The selection of a query; what makes no sense any more is forgotten."""
    given = Selection(**{field: str(data.get(field, ""))[:40] for field in Selection._fields})
    unit = view.find(given.unit) if given.unit else None
    if unit is None or unit.fate is not None:
        return Selection(do=given.do)
    target = view.find(given.target) if given.target else None
    return given._replace(target=given.target if target is not None and target.fate is None else "")


def desk(view: Any, options: Any, ruleset_id: str, selection: Selection) -> Desk:
    """Find what the selection means among the options."""
    unit = view.find(selection.unit) if selection.unit else None
    own = unit is not None and unit.side is view.side and options is not None
    can = options.of(unit.key) if unit is not None and own else None
    found = DRESS[ruleset_id].find(view, can, unit, selection, _cell(ruleset_id, selection.to))
    return Desk(view, options, ruleset_id, selection, unit, can, found)


def _cell(ruleset_id: str, text: str) -> Cell | None:
    try:
        return ruleset(ruleset_id).grid.parse(text) if text else None
    except ValueError:
        return None
