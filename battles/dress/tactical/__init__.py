"""The dress of the tactical ruleset: which chapter shows what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from battles.dress.parts import Chip, Desk, EditField, Lists, Marks, Selection, Token, Vocabulary
from battles.dress.tactical import arranging, choosing, edits, lists, orders, playing, units, words
from battles.dress.tactical import marks as drawn
from rules.core.actors import Side
from rules.core.commands import Command
from rules.core.grid import Cell
from rules.core.rulebook import Rulebook
from rules.core.ruleset import Ruleset


class Tactical:
    """Blocks with strength bars, orders by cells and targets."""

    words = Vocabulary(
        reasons=words.REASONS,
        choices=words.CHOICES,
        purposes=words.PURPOSES,
        decisions=words.DECISIONS,
        orders=words.ORDERS,
        fields=edits.FIELDS,
    )
    points: Mapping[str, str] = MappingProxyType(
        {
            "deployment": "T-3.1",
            "units": "T-2.1",
            "map": "T-1.2",
            "attacker": "T-1.6",
            "reduction": "T-14.1",
            "report": "T-14.3",
            "ruling": "T-15.1",
        }
    )
    moves = frozenset({"unit_moved", "line_wheeled"})
    lists: Lists = lists.LISTS
    edit_nothing = edits.NOTHING

    def strip(self, view: Any, side: Side) -> tuple[Cell, ...]:
        """Where a side deploys."""
        cells: tuple[Cell, ...] = view.strip(side)
        return cells

    def token(self, view: Any, unit: Any) -> Token:
        """A unit at its place."""
        return units.token(view, unit)

    def marks(self, view: Any) -> dict[str, Any]:
        """Who is in melee."""
        return {"melees": [units.crossed_swords(*m.ground) for m in view.melees]}

    def chip(self, view: Any, unit: Any, labels: Any) -> Chip:
        """A unit in a roster."""
        return units.chip(view, unit, labels)

    def army_note(self, view: Any, side: Side) -> str:
        """Whether an army is in general retreat."""
        return _("in retreat") if side in view.retreating else ""

    def idle(self, view: Any) -> tuple[Any, ...]:
        """Units of the viewer that have done nothing this turn and could."""
        return units.idle_units(view)

    def find(self, view: Any, can: Any, unit: Any, selection: Selection, at: Cell | None) -> choosing.Found:
        """What a selection means among a unit's options."""
        return choosing.find(view, can, unit, selection, at)

    def card(self, d: Desk) -> dict[str, Any]:
        """The selected unit."""
        return orders.card(d)

    def orders(self, d: Desk) -> dict[str, Any]:
        """What an own unit may be ordered."""
        return orders.orders(d)

    def army(self, d: Desk) -> dict[str, Any]:
        """What the whole army may do."""
        return orders.army(d)

    def overlay(self, d: Desk) -> tuple[Marks, drawn.Cells]:
        """What the selection draws, and what the cells say."""
        return drawn.overlay(d)

    def question(self, view: Any, decision: Any) -> SafeString:
        """What a player is asked."""
        return words.question(view, decision)

    def ruling_wanted(self, view: Any, decision: Any) -> SafeString:
        """What the moderator is asked."""
        return words.ruling_wanted(view, decision)

    def choice(self, view: Any, decision: Any, choice: str) -> str:
        """One of the moderator's answers in words."""
        return words.choice_words(view, decision, choice)

    def edit_fields(self) -> tuple[EditField, ...]:
        """The fields of a unit that the desk's form offers."""
        return edits.edit_fields()

    def flaw(self, kind: Any, overrides: Mapping[str, float]) -> str:
        """What is wrong with a listed unit's values taken together."""
        return lists.flaw(kind, overrides)

    def reduction(
        self, book: Rulebook, parameters: Mapping[str, Any], red: int, blue: int
    ) -> tuple[int, int, int, int] | None:
        """Numbers brought and left, if the opening will cut the armies."""
        return lists.reduction(book, parameters, red, blue)

    def arrangement(self, rules: Ruleset, view: Any) -> Iterator[Command]:
        """A placement for each unit of the viewer that is not placed yet."""
        return arranging.arrangement(rules, view)

    def next_order(self, view: Any, options: Any) -> Command:
        """What a side does next that plays by itself."""
        return playing.next_order(view, options)

    def worth_showing(self, view: Any) -> bool:
        """Whether a position is worth looking at."""
        return playing.worth_showing(view)


TACTICAL = Tactical()
