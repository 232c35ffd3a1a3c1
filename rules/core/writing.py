"""How positions are written in cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rules.core.commands import Command
from rules.core.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class Writing:
    """How positions of one ruleset are written in cases.

    `keys` are the keys of a case that are its own, `defaults` those whose defaults name a side. `position` makes a
    state of a table, `scenario` and `placements` make a deployment of it, `describe` makes a table of a state, and
    `report` says what a battle cost.
    """

    keys: frozenset[str]
    defaults: Mapping[str, Any]
    position: Callable[[Mapping[str, Any]], Any]
    scenario: Callable[[Mapping[str, Any]], Scenario]
    placements: Callable[[Mapping[str, Any]], Iterable[Command]]
    describe: Callable[[Any], dict[str, Any]]
    report: Callable[[Any], dict[str, Any]]
