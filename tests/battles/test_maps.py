"""The maps of the library: room for ten units with a line among them, a way across, nothing cut off."""

import re
from pathlib import Path

import msgspec
import pytest

from battles import maps
from battles.dress.tactical.ground import passable
from battles.maps import MapError, library, reached, read
from rules.core.actors import SIDES
from rules.core.grid import Cell, SquareGrid

STEPS = SquareGrid.steps
WOODS = {"sparse_wood", "dense_wood"}
GUN_GROUND = set(".=hv")
OFFERED = sorted(library())


@pytest.fixture(params=OFFERED)
def each(request):
    return library()[request.param]


def line_places(board, strip):
    """Pairs of neighbouring cells of a row of a strip in which a line can stand."""
    cells, ground = set(strip), passable(board)
    for cell in sorted(cells):
        right = cell.plus((1, 0))
        if right in cells and {cell, right} <= ground and {board[cell], board[right]}.isdisjoint("v"):
            yield cell, right


def test_three_maps_are_offered():
    assert len(OFFERED) == 3


def test_a_map_is_sixteen_by_ten_with_strips_of_two_rows(each):
    assert (each.board.width, each.board.height) == (16, 10)
    red, blue = each.strips
    assert {cell.y for cell in red} == {8, 9} and {cell.y for cell in blue} == {0, 1}
    assert len(red) == len(blue) == 32


def test_a_strip_holds_ten_units_with_one_in_line(each):
    ground = passable(each.board)
    for strip in each.strips:
        free = set(strip) & ground
        pair = next(line_places(each.board, strip))
        assert len(free - set(pair)) >= 9
        assert len([c for c in free if each.board[c] in GUN_GROUND]) >= 16, "guns and cavalry must find room too"


def test_a_way_on_foot_leads_from_strip_to_strip_and_nothing_is_cut_off(each):
    ground = passable(each.board)
    red, blue = (set(strip) & ground for strip in each.strips)
    assert reached(ground, next(iter(red)), STEPS) == ground
    assert red <= ground and blue <= ground


def test_no_marsh_is_cut_off_either(each):
    ground = passable(each.board, marsh=True)
    assert reached(ground, next(iter(ground)), STEPS) == ground


def test_guns_find_a_way_across_too(each):
    ground = frozenset(c for c in passable(each.board) if each.board[c] in GUN_GROUND)
    red, blue = (set(strip) & ground for strip in each.strips)
    assert reached(ground, next(iter(red)), STEPS) & blue


def test_every_map_has_a_title_and_a_description(each):
    assert each.title != each.slug and each.description


def test_the_river_can_only_be_crossed_at_its_three_crossings():
    board = library()["river-crossings"].board
    crossings = {cell for cell in board.cells() if board[cell] == "="}
    assert len(crossings) == 3
    dry = passable(board) - crossings
    assert Cell(0, 9) not in reached(dry, Cell(0, 0), STEPS)


def test_strips_are_kept_as_labels(each):
    labels = each.strip_labels
    assert labels["red"][0] == "A9" and labels["red"][-1] == "P10" and labels["blue"][0] == "A1"
    assert set(labels) == {side.value for side in SIDES}


def a_map(**changes):
    fine = {"slug": "x", "ruleset": "tactical", "rows": ["...."] * 4, "strips": {"red": ["A4:D4"], "blue": ["A1:D1"]}}
    return msgspec.json.encode(fine | changes)


def test_a_plain_map_can_be_read():
    assert read(a_map()).board.width == 4


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": ["...."] * 3},
        {"rows": ["...", "....", "....", "...."]},
        {"rows": []},
        {"rows": ["..?."] * 4},
        {"rows": ["." * 41] * 4},
        {"ruleset": "chess"},
        {"strips": {"red": ["A4:D4"]}},
        {"strips": {"red": ["A4:D5"], "blue": ["A1:D1"]}},
        {"strips": {"red": ["A1:D4"], "blue": ["A1:D1"]}},
        {"strips": {"red": ["nowhere"], "blue": ["A1:D1"]}},
        {"more": 1},
    ],
)
def test_a_map_that_cannot_be_used_is_refused(changes):
    with pytest.raises(MapError):
        read(a_map(**changes))


def test_a_file_that_is_not_json_is_refused():
    with pytest.raises(MapError):
        read(b"<map/>")


def test_files_are_called_by_their_slugs():
    for path in Path(maps.FOLDER).glob("*.json"):
        assert path.stem == msgspec.json.decode(path.read_bytes())["slug"]
        assert re.fullmatch(r"[a-z-]+", path.stem)
