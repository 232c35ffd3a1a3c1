"""Pasted army lists: what is taken, and how each bad row is named."""

from itertools import count

import pytest
from django.utils import translation

from battles.armies import as_text, find_kind, from_numbers, new_key, read_list
from battles.dress.tactical.lists import reduced
from rules.core.actors import Side
from rules.tactical.units import KINDS


def read(text, **options):
    numbers = count(1)
    return read_list(text, Side.RED, "tactical", key=lambda: f"u{next(numbers)}", **options)


def reason(text):
    result = read(text)
    assert not result.units
    (error,) = result.errors
    return str(error)


def test_the_example_of_the_form_is_taken():
    (unit,) = read("Palermo Cuirassiers; cuirassiers; melee=4, hp=6; steadfast").units
    assert (unit.name, unit.kind, unit.overrides, unit.traits) == (
        "Palermo Cuirassiers",
        "cuirassiers",
        {"melee": 4, "hp": 6},
        frozenset({"steadfast"}),
    )
    assert unit.side is Side.RED


def test_kinds_values_and_traits_are_known_in_russian():
    (unit,) = read("1-й Мессинский; Тяжёлая пехота; ближний бой=4, ХП=7,5; стойкий, болото").units
    assert unit.kind == "heavy_infantry"
    assert unit.overrides == {"melee": 4, "hp": 7.5} and unit.traits == {"steadfast", "marsh"}


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("Heavy infantry", "heavy_infantry"),
        ("light-infantry", "light_infantry"),
        ("CUIRASSIERS", "cuirassiers"),
        ("лёгкая кавалерия", "light_cavalry"),
        ("легкая конница", "light_cavalry"),
        ("Тяжелая конница", "cuirassiers"),
        ("легкая пехота", "light_infantry"),
        ("тяжелая пехота", "heavy_infantry"),
        ("пешая артиллерия", "foot_artillery"),
        ("конная  артиллерия", "horse_artillery"),
    ],
)
def test_a_kind_is_known_by_its_words(word, kind):
    assert find_kind(word, "tactical") is KINDS[kind]


def test_rows_may_come_from_a_spreadsheet():
    (unit,) = read("Etna\tlight infantry\thp=9½\tlong_range").units
    assert unit.overrides == {"hp": 9.5} and unit.traits == {"long_range"}


def test_empty_lines_and_comments_count_for_nothing():
    result = read("# Sicily\n\nA; heavy\n   \nB; light infantry;;\n")
    assert [u.name for u in result.units] == ["A", "B"]


def test_traits_may_stand_right_after_the_kind():
    (unit,) = read("Guard; heavy infantry; steadfast").units
    assert unit.traits == {"steadfast"} and not unit.overrides


def test_every_bad_row_is_named_and_nothing_is_taken():
    result = read("A; heavy\nB; elephants\nC\nD; light; melee=99\n")
    assert not result.units
    assert [e.row for e in result.errors] == [2, 3, 4]
    assert "elephants" in str(result.errors[0])


@pytest.mark.parametrize(
    ("row", "word"),
    [
        ("only a name", "name; kind"),
        ("A; heavy; melee=4; steadfast; more", "name; kind"),
        ("; heavy", "no name"),
        ("\u202e\u200b; heavy", "no name"),
        ("x" * 61 + "; heavy", "60"),
        ("A; heavy; melee 4", "not a value"),
        ("A; heavy; melee=-1", "not a value"),
        ("A; heavy; courage=4", "courage"),
        ("A; heavy; melee=4, melee=5", "twice"),
        ("A; heavy; melee=21", "between 0 and 20"),
        ("A; heavy; hp=0", "between 1 and 100"),
        ("A; heavy; hp=7.3", "halves"),
        ("A; heavy; speed=1.5", "whole number"),
        ("A; heavy; onslaught=2", "no value onslaught"),
        ("A; cuirassiers; firepower=2", "no value firepower"),
        ("A; foot artillery; melee=2", "no value melee"),
        ("A; foot artillery; scatters_at=1", "no value scatters at"),
        ("A; heavy;; brave", "no trait"),
        ("A; cuirassiers;; long_range", "means nothing"),
        ("A; heavy; hp=3", "more HP"),
        ("A; heavy; scatters_at=10", "more HP"),
        ("A; heavy; melee=4 hp=6", "not a value"),
    ],
)
def test_a_bad_row_says_why(row, word):
    assert word in reason(row)


def test_a_name_may_stand_only_once_in_an_army():
    result = read("Etna; heavy\nPalermo; heavy\nETNA; light")
    assert [e.row for e in result.errors] == [3] and "row 1" in str(result.errors[0])


def test_too_long_a_list_is_refused_at_the_first_row_too_many():
    result = read("A; heavy\nB; heavy\nC; heavy\nD; heavy", most=2)
    assert [e.row for e in result.errors] == [3] and not result.units


def test_names_are_plain_text_without_unseen_characters():
    hostile = '"><img src=x onerror=window.__x=1>{{7*7}}'
    (unit,) = read(f"{hostile}\u202e; heavy").units
    assert unit.name == hostile


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_list_written_out_reads_back_the_same(language):
    text = (
        "Palermo; cuirassiers; hp=6.5, melee=4, onslaught=2, scatters_at=3; steadfast\n"
        "Etna; light infantry; firepower=2.5, range=4, speed=2; long_range, marsh\nRegt; heavy infantry\n"
        "Lancers; light cavalry\nGuns; foot artillery\nLight guns; horse artillery"
    )
    units = read(text).units
    with translation.override(language):
        assert read(as_text(units, "tactical")).units == units


def test_numbers_make_an_army_with_names_in_order():
    numbers = count(1)
    army = from_numbers(
        {"heavy_infantry": 2, "horse_artillery": 1}, Side.BLUE, "tactical", key=lambda: f"u{next(numbers)}"
    )
    assert [u.name for u in army] == ["Heavy infantry 1", "Heavy infantry 2", "Horse artillery"]
    assert {u.side for u in army} == {Side.BLUE}


def test_messages_come_in_the_language_of_the_page():
    with translation.override("en"):
        assert str(read("x").errors[0]).startswith("Row 1")


def test_keys_are_drawn_at_random():
    assert len({new_key() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("brought", "fought"),
    [((30, 15), (10, 5)), ((15, 3), (10, 2)), ((31, 14), (10, 5)), ((10, 10), (10, 10)), ((7, 3), (7, 3)),
     ((3, 40), (1, 10)), ((30, 30), (10, 10)), ((100, 1), (10, 1))],
)  # fmt: skip
def test_a_big_army_is_cut_as_the_book_says(brought, fought):
    assert reduced(*brought, 10) == fought
