"""What the pages ask of a ruleset: the contract of every dress.

The frame is the same for all rulesets: ground, log, clock, rosters, questions, the cells as links. What it shows of a
unit, what may be ordered and how things are called is the dress's. The frame itself reads of a view what
`rules.core.view` has, `units`, `names`, `find(key)` and `at(cell)`; of a unit what `rules.core.units` has; of options
`of(key)`. Armies are placed in the phase `deployment`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from django.utils.safestring import SafeString

from battles.dress.parts import Chip, Desk, EditField, Free, Lists, Marks, Selection, Token, Vocabulary
from rules.core.actors import Side
from rules.core.commands import Command
from rules.core.grid import Cell
from rules.core.rulebook import Rulebook
from rules.core.ruleset import Ruleset


class Cells(Protocol):
    """What the cells say and where their links lead, for one selection."""

    def unit(self, cell: str, ground: str, unit: Any) -> str:
        """A cell with a unit, as a screen reader says it."""

    def href(self, unit: Any) -> str:
        """Where the link of a cell leads on which this unit stands."""

    def free(self, cell: Cell) -> Free | None:
        """What a cell without units offers, if anything."""


class Dress(Protocol):
    """How one ruleset looks: drawing, panel, words, army lists, rulings on units, and a plain player for the demo."""

    @property
    def words(self) -> Vocabulary:
        """What its own things are called."""

    @property
    def points(self) -> Mapping[str, str]:
        """The rules that the frame refers to, by what they are about: deployment, units, map, attacker, reduction,
        report, ruling."""

    @property
    def moves(self) -> frozenset[str]:
        """The events that are drawn as the last move."""

    @property
    def lists(self) -> Lists:
        """What army lists may say."""

    # the board and the rosters

    def strip(self, view: Any, side: Side) -> tuple[Cell, ...]:
        """Where a side deploys."""

    def token(self, view: Any, unit: Any) -> Token:
        """A unit at its place."""

    def marks(self, view: Any) -> dict[str, Any]:
        """What is drawn beside the units, for `_units.svg`."""

    def chip(self, view: Any, unit: Any, labels: Any) -> Chip:
        """A unit that is still there, in its roster or in the tray."""

    def army_note(self, view: Any, side: Side) -> str:
        """What is to be said of a whole army instead of its number."""

    def idle(self, view: Any) -> tuple[Any, ...]:
        """The viewer's units that have done nothing yet and could."""

    # the panel and the overlay

    def find(self, view: Any, can: Any, unit: Any, selection: Selection, at: Cell | None) -> Any:
        """What a selection means among a unit's options; `can` is None for units of others."""

    def card(self, d: Desk) -> dict[str, Any]:
        """The selected unit, for the ruleset's `_unit.html`."""

    def orders(self, d: Desk) -> dict[str, Any]:
        """What an own unit may be ordered, for the ruleset's `_orders.html`."""

    def army(self, d: Desk) -> dict[str, Any]:
        """What the whole army may do, while no unit is selected."""

    def overlay(self, d: Desk) -> tuple[Marks, Cells]:
        """What the selection draws, and what the cells say."""

    # questions and rulings

    def question(self, view: Any, decision: Any) -> SafeString:
        """What a player is asked."""

    def ruling_wanted(self, view: Any, decision: Any) -> SafeString:
        """What the moderator is asked."""

    def choice(self, view: Any, decision: Any, choice: str) -> str:
        """One of the moderator's answers in words."""

    def edit_fields(self) -> tuple[EditField, ...]:
        """The fields of a unit that the desk's form offers."""

    @property
    def edit_nothing(self) -> Any:
        """What the form says when none of them is given."""

    # armies

    def flaw(self, kind: Any, overrides: Mapping[str, float]) -> str:
        """What is wrong with a listed unit's values taken together."""

    def reduction(
        self, book: Rulebook, parameters: Mapping[str, Any], red: int, blue: int
    ) -> tuple[int, int, int, int] | None:
        """Numbers brought and left, if the opening will cut the armies."""

    def arrangement(self, rules: Ruleset, view: Any) -> Iterator[Command]:
        """A placement for each unit of the viewer that is not placed yet."""

    # the demo

    def next_order(self, view: Any, options: Any) -> Command:
        """What a side does next that plays by itself."""

    def worth_showing(self, view: Any) -> bool:
        """Whether a position is worth looking at."""
