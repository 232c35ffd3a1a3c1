"""The contract of every ruleset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from rules.core.actors import Audience, Viewer
from rules.core.board import Terrain
from rules.core.commands import Command
from rules.core.dice import Dice
from rules.core.events import Event
from rules.core.grid import Grid
from rules.core.rulebook import Rulebook
from rules.core.scenario import Scenario
from rules.core.text import Sentence
from rules.core.units import Unit
from rules.core.view import Names


class Flaw(msgspec.Struct, frozen=True):
    """What a ruling may not leave behind: the unit and the field that are impossible."""

    unit: str
    field: str


class Ruleset(Protocol):
    """A book of rules as the engine plays it. State, view and options are the ruleset's own types.

    Pure: no clock, no ambient chance; the same state, command and dice give the same events.
    """

    id: str
    title: str
    version: int
    book: Rulebook
    grid: Grid
    facings: tuple[str, ...]
    kinds: Mapping[str, Any]
    terrains: Mapping[str, Terrain]
    commands: tuple[type[Command], ...]
    events: tuple[type[Event], ...]
    state_type: type[Any]
    parameters_type: type[Any]

    def setup(self, scenario: Scenario, dice: Dice) -> tuple[Event, ...]:
        """The events of the opening."""

    def decide(self, state: Any, command: Command, dice: Dice) -> tuple[Event, ...]:
        """What a command leads to; IllegalCommand if a rule forbids it. Changes nothing itself."""

    def evolve(self, state: Any, event: Event) -> Any:
        """The state after an event; `state` is None before the first. Decides nothing."""

    def view(self, state: Any, viewer: Viewer) -> Any:
        """What this viewer may have of the state: the only function that sees both."""

    def options(self, view: Any, only: str | None = None) -> Any:
        """Everything that the viewer's side may do, and for what it may not the refusal.

        `only` is the key of the one unit that is asked about; the orders of the others are left out.
        """

    def narrate(self, event: Event, names: Names) -> Sentence | None:
        """The event as a sentence of the log; None for events that nobody reads."""

    def names(self, view: Any) -> Names:
        """The names that a viewer may read."""

    def flaws(self, state: Any) -> tuple[Flaw, ...]:
        """What is impossible in a state."""

    def edit(self, unit: Any, changes: Mapping[str, Any]) -> Any:
        """A unit with a ruling's changes, converted and validated; InvalidCommand names the field."""

    def edit_audience(self, state: Any, unit: Any, fields: frozenset[str]) -> Audience:
        """Who may know of a ruling that changes these fields of a unit."""

    def edit_shown(self, unit: Any, field: str) -> Any:
        """A unit's field as a ruling shows it: cells by labels, facings by names."""

    def strength(self, unit: Any) -> tuple[float, float]:
        """A unit's strength now and at the start."""

    def report(self, view: Any) -> tuple[Any, ...]:
        """What a battle cost each side, RED, then BLUE, as far as the viewer knows."""

    def order(self, unit: Unit) -> tuple[Any, ...]:
        """The key by which units are sorted."""
