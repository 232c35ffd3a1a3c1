"""Names that people type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.text import clean_name


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("R. Ferrante", "R. Ferrante"),
        ("  two   words\n", "two words"),
        ("\u202eetnarreF", "etnarreF"),
        ("a\u202a\u202b\u202c\u202db", "ab"),
        ("\u2066a\u2067b\u2068c\u2069", "abc"),
        ("zero\u200bwidth\u200c\u200d\ufeff", "zerowidth"),
        ("bell\x07\x1b[31m", "bell[31m"),
        ("line\u2028separator", "line separator"),
        ("\u3164\u115f\u2800", ""),
        ("Андрей Фёдоров", "Андрей Фёдоров"),
        ("e\u0301te\u0301", "\u00e9t\u00e9"),
        ("z" + "\u0324" * 20, "z" + "\u0324" * 3),
        ("heart\ufe0f", "heart"),
        ("\ud800lone", "lone"),
    ],
)
def test_what_is_kept_of_a_name(typed: str, kept: str) -> None:
    assert clean_name(typed) == kept


@given(st.text())
def test_a_cleaned_name_is_clean_already(typed: str) -> None:
    assert clean_name(clean_name(typed)) == clean_name(typed)


@given(st.text())
def test_no_direction_mark_survives(typed: str) -> None:
    marks = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A)), "\u200b", "\u200e", "\u200f"}
    assert not marks & set(clean_name("".join([*marks, typed, *marks])))
