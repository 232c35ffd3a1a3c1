"""Every ruleset has a dress, and the frame shows several pieces on one cell one after the other."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.template.loader import get_template

from battles import overlay, selection
from battles.dress import DRESS
from battles.geometry import cell_rects, outline
from rules.core.actors import Viewer
from rules.core.codec import tag
from rules.core.events import Event
from rules.core.grid import Cell
from rules.registry import DEFAULT, RULESETS, WRITINGS, ruleset
from tests.battles.playing import Play

POINTS = {"deployment", "units", "map", "attacker", "reduction", "report", "ruling"}


def test_every_ruleset_has_a_dress_and_a_writing():
    assert set(DRESS) == set(RULESETS) == set(WRITINGS)
    assert DEFAULT in RULESETS


@pytest.mark.parametrize("name", sorted(RULESETS))
@pytest.mark.parametrize("page", ["_orders.html", "_unit.html", "_banner.html", "_quick.html"])
def test_every_ruleset_has_its_pages(name, page):
    assert get_template(f"battles/{name}/{page}")


@pytest.mark.parametrize("name", sorted(RULESETS))
def test_a_dress_speaks_of_rules_events_orders_and_kinds_that_there_are(name):
    dress, rules = DRESS[name], ruleset(name)
    assert set(dress.points) == POINTS
    assert set(dress.points.values()) <= set(rules.book.rules)
    assert dress.moves <= {tag(event) for event in rules.events if issubclass(event, Event)}
    assert set(dress.words.orders) <= {tag(command) for command in rules.commands}
    known = set(rules.kinds)
    assert all(bounds.kinds <= known for bounds in dress.lists.bounds.values())
    assert all(kinds <= known for kinds in dress.lists.traits.values())
    assert set(dress.lists.kind_words.values()) <= known


class Stacked:
    """A view in which one cell holds all units of a side, as books with stacks have it."""

    def __init__(self, view: Any, cell: Cell) -> None:
        self._view, self._cell = view, cell

    def __getattr__(self, name: str) -> Any:
        return getattr(self._view, name)

    def at(self, cell: Cell) -> tuple[Any, ...]:
        """The stack on its cell, nothing elsewhere."""
        return tuple(u for u in self._view.units if u.side is self._view.side) if cell == self._cell else ()


@pytest.mark.django_db
def test_the_link_of_a_cell_with_several_pieces_goes_through_them(running: Play):
    rules, place = ruleset("tactical"), Cell(5, 5)
    view = Stacked(rules.view(running.state, Viewer.RED), place)
    here = view.at(place)
    assert len(here) > 1
    found: list[str] = []
    query: dict[str, str] = {}
    for _step in here:
        chosen = selection.read_selection(view, query)
        shown = overlay.overlay(selection.desk(view, rules.options(view), "tactical", chosen))
        space = shown.rows[place.y][place.x]
        assert space.href == f"?unit={space.unit}" and space.own
        assert all(unit.name in space.label for unit in here)
        found.append(space.unit)
        query = {"unit": space.unit}
    assert found == [unit.key for unit in here], "the top one first, then the next ones"
    chosen = selection.read_selection(view, query)
    again = overlay.overlay(selection.desk(view, rules.options(view), "tactical", chosen)).rows[place.y][place.x]
    assert again.unit == here[0].key


@pytest.mark.django_db
def test_a_view_says_who_stands_on_a_cell(running: Play):
    view = ruleset("tactical").view(running.state, Viewer.PUBLIC)
    standing = Counter(cell for unit in view.units for cell in unit.cells)
    assert {cell for cell in view.board.cells() if view.at(cell)} == set(standing)
    assert all(view.at(cell)[0] in view.units for cell in standing)


def test_an_outline_leaves_out_what_lies_between_two_cells():
    two = (Cell(0, 0), Cell(1, 0))
    assert outline(two).count("M") == 6
    assert [run.width for run in cell_rects(two)] == [96]
