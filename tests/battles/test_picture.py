"""The drawing as plain data: ground by its neighbours, blocks, fog, labels, overlay."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import translation

from battles import overlay, panel, picture, selection
from battles.dress import DRESS
from battles.dress.tactical.units import unit_words
from rules.core.actors import Side, Viewer
from rules.core.board import Board
from rules.core.grid import Cell
from rules.registry import ruleset
from tests.battles.playing import Play

RULES = ruleset("tactical")
DRESSED = DRESS["tactical"]


def pieces(*rows: str) -> dict[tuple[str, str], int]:
    """How often each symbol lies how."""
    found: dict[tuple[str, str], int] = {}
    for piece in picture.terrain(Board(rows=rows), "tactical").pieces:
        found[piece] = found.get(piece, 0) + 1
    return found


def test_ground_of_one_kind_is_merged_along_a_row():
    runs = picture.terrain(Board(rows=("hhh.", "....", "....", "....")), "tactical").runs
    assert runs == (picture.Run(28, 28, 144, "hill"),)


def test_a_hill_has_hachures_toward_other_ground_but_not_toward_the_edge_of_the_map():
    found = pieces("h...", "....", "....", "....")
    assert found == {("edge-hill", "translate(52 52) rotate(90)"): 1, ("edge-hill", "translate(52 52) rotate(180)"): 1}


@pytest.mark.parametrize(
    ("rows", "symbol", "turn"),
    [
        ((".r..", ".r..", ".r..", ".r.."), "river-straight", ""),
        (("....", "rrrr", "....", "...."), "river-straight", " rotate(90)"),
    ],
)
def test_a_river_that_runs_on_is_straight_to_the_edge(rows, symbol, turn):
    found = [p for p in pieces(*rows) if p[0].startswith("river")]
    assert len(found) == 4
    assert all(p[0] == symbol and p[1].endswith(")" + turn if turn else ")") for p in found)


@pytest.mark.parametrize(
    ("rows", "turn"),
    [
        (("....", ".r..", ".rrr", "...."), 0),
        (("....", "....", ".rrr", ".r.."), 1),
        (("....", "....", "rr..", ".r.."), 2),
        (("....", ".r..", "rr..", "...."), 3),
    ],
)
def test_a_river_bends_between_its_two_neighbours(rows, turn):
    bends = [p for p in picture.terrain(Board(rows=rows), "tactical").pieces if p.symbol == "river-bend"]
    ends = f" rotate({turn * 90})" if turn else ""
    assert [p.transform for p in bends if p.transform.startswith("translate(100 148)")] == [f"translate(100 148){ends}"]


def test_a_confluence_is_drawn_from_arms():
    found = pieces("....", "rrrr", ".r..", ".r..")
    assert sum(n for (symbol, _t), n in found.items() if symbol == "river-arm") == 3


def test_a_crossing_is_a_bridge_across_its_river():
    assert ("bridge", "translate(100 100)") in pieces(".r..", ".=..", ".r..", ".r..")
    assert ("bridge", "translate(100 100) rotate(90)") in pieces("....", "r=rr", "....", "....")


def test_woods_of_both_kinds_have_no_edge_between_them():
    found = pieces("sd..", "....", "....", "....")
    assert ("edge-wood", "translate(52 52) rotate(90)") not in found
    assert ("edge-wood", "translate(100 52) rotate(90)") in found


def unit(play: Play, name: str, **changes: Any) -> Any:
    """A unit with changes."""
    import msgspec

    return msgspec.structs.replace(play.unit(name), **changes)


@pytest.mark.django_db
def test_a_line_spans_its_two_cells_and_turns_with_them(running):
    from rules.tactical.units import Formation

    north = unit(running, "1st Messina", at=Cell(3, 4), facing=0, formation=Formation.LINE)
    view = running_view(running)
    assert (DRESSED.token(view, north).x, DRESSED.token(view, north).y) == ("220", "244")
    east = unit(running, "1st Messina", at=Cell(3, 4), facing=1, formation=Formation.LINE)
    assert (DRESSED.token(view, east).x, DRESSED.token(view, east).y) == ("196", "268")
    assert "rotate(90)" in DRESSED.token(view, east).markup


@pytest.mark.django_db
def test_numbers_in_svg_have_a_point_in_every_language(running):
    with translation.override("ru"):
        context = {"units": picture.units_picture(running_view(running), (), 1, "tactical")}
        svg = render_to_string("battles/_units.svg", context)
    assert not re.search(r'(?:x|y|width|height|d|transform)="[^"]*\d,\d', svg)


@pytest.mark.django_db
def test_blocks_differ_by_side_arm_and_strength(running):
    view = running_view(running)
    red, blue = running.unit("1st Messina"), running.unit("1st Turin")
    assert "body-column-red" in DRESSED.token(view, red).markup
    assert "body-column-blue" in DRESSED.token(view, blue).markup
    assert "arm-cuirassiers" in DRESSED.token(view, running.unit("Palermo Cuirassiers")).markup
    hurt = unit(running, "1st Messina", hp=9.5)
    assert ">9½</text>" in DRESSED.token(view, hurt).markup


def running_view(play: Play, viewer: Viewer = Viewer.RED) -> Any:
    """What a side sees."""
    return RULES.view(play.state, viewer)


@pytest.mark.django_db
def test_fog_is_the_strip_and_one_sentence(play):
    (fog,) = picture.fogs(running_view(play), "tactical")
    assert fog.text == "Italy deploys here, unseen"
    assert len(fog.cells) == len(play.state.strips[1])
    assert picture.fogs(running_view(play, Viewer.MODERATOR), "tactical") == ()
    assert len(picture.fogs(running_view(play, Viewer.PUBLIC), "tactical")) == 2


@pytest.mark.django_db
def test_the_enemy_has_no_roster_before_the_reveal(play):
    found = picture.rosters(running_view(play), "tactical")
    assert not found["blue"].known and found["blue"].chips == ()
    assert found["red"].known


@pytest.mark.django_db
def test_after_the_reveal_both_rosters_are_shown(running):
    found = picture.rosters(running_view(running), "tactical")
    assert [len(r.chips) for r in found.values()] == [4, 4]
    assert picture.upper_side(running_view(running), "tactical") is Side.BLUE
    assert picture.upper_side(running_view(running, Viewer.BLUE), "tactical") is Side.RED


@pytest.mark.django_db
def test_a_unit_is_said_as_the_design_asks(running):
    words = unit_words(running_view(running), running.unit("1st Messina"), RULES.grid.label)
    assert words == "1st Messina, heavy infantry in column, C9, facing north, 10 of 10."


@pytest.mark.django_db
def test_what_is_pushed_holds_no_token_and_no_selection(running):
    from battles.publishing import render

    fragments = render(running.battle_id, Viewer.RED, "en")
    assert fragments is not None
    assert "csrfmiddlewaretoken" not in fragments.html
    assert 'id="orders"' not in fragments.html
    assert f'id="live" hidden data-version="{fragments.version}"' in fragments.html
    for part in ("units", "roster-upper", "roster-lower", "tray", "banner", "questions", "log"):
        assert f'id="{part}"' in fragments.html


@pytest.mark.django_db
def test_the_units_of_two_armies_render_in_a_few_milliseconds(running):
    from time import perf_counter

    view = running_view(running)
    picture.units_picture(view, (), 1, "tactical")
    took = []
    for _run in range(5):
        start = perf_counter()
        render_to_string("battles/_units.svg", {"units": picture.units_picture(view, (), 1, "tactical")})
        took.append(perf_counter() - start)
    assert min(took) < 0.02


def desk(play: Play, **chosen: str) -> selection.Desk:
    """What RED has selected."""
    view = running_view(play)
    return selection.desk(view, RULES.options(view), "tactical", selection.read_selection(view, chosen))


@pytest.mark.django_db
def test_a_selection_that_makes_no_sense_is_forgotten(running):
    view = running_view(running)
    assert selection.read_selection(view, {"unit": "nobody", "to": "C5"}) == selection.Selection()
    key = running.key("1st Messina")
    assert selection.read_selection(view, {"unit": key, "target": "nobody"}) == selection.Selection(unit=key)


@pytest.mark.django_db
def test_the_overlay_offers_what_the_rules_offer(running):
    d = desk(running, unit=running.key("Palermo Cuirassiers"))
    shown = overlay.overlay(d)
    spaces = {space.name: space for row in shown.rows for space in row}
    assert len(spaces) == d.view.board.width * d.view.board.height
    assert len(shown.dots) == len({move.at for move in d.can.moves})
    reached = next(move.at for move in d.can.moves)
    assert spaces[d.label(reached)].label.endswith("Can be reached.")
    assert f"to={d.label(reached)}" in spaces[d.label(reached)].href
    assert sum(space.tab for space in spaces.values()) == 1


@pytest.mark.django_db
def test_a_march_has_its_route_and_its_price(running):
    first = desk(running, unit=running.key("Palermo Cuirassiers"))
    move = max(first.can.moves, key=lambda m: m.points)
    d = desk(running, unit=running.key("Palermo Cuirassiers"), to=first.label(move.at))
    shown = panel.panel(d)
    assert shown["preview"] == "march"
    assert shown["path"].split() == [d.label(c) for c in move.path]
    assert overlay.overlay(d).route.startswith("M")


@pytest.mark.django_db
def test_while_deploying_a_tap_on_a_free_cell_sends_a_placement(play):
    d = desk(play, unit=play.key("1st Messina"))
    shown = overlay.overlay(d)
    posts = [space.post for row in shown.rows for space in row if space.post]
    assert posts and all(post.startswith("type=place&unit=") for post in posts)
    assert panel.panel(d)["preview"] == "place"
