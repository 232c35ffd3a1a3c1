"""Words for what the engine says."""

from types import SimpleNamespace

import pytest
from django.template import Context, Template
from django.utils import translation

from rules.core.actors import Side
from rules.core.errors import IllegalCommand
from rules.core.grid import Cell
from rules.core.text import Dice, Halves, Place, Sentence, SideRef, Term, UnitRef
from rules.tactical.rulebook import BOOK
from rules.templatetags.rule_tags import number, refusal_text, rule_text, sentence_text

EVIL = '"><img src=x onerror=alert(1)>{{7*7}}%(unit)s%s'
SAFE = "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;{{7*7}}%(unit)s%s"


@pytest.fixture(autouse=True)
def english():
    with translation.override("en"):
        yield


def render(text: str, **context: object) -> str:
    return Template("{% load rule_tags %}" + text).render(Context(context))


def told(sentence: Sentence) -> str:
    return render("{% sentence s %}", s=sentence)


def refused(error: IllegalCommand) -> str:
    return render("{% refusal r %}", r=error)


# Links


def test_a_rule_is_linked_to_its_place_with_its_title():
    html = render('{% rule_link "T-9.2" %}')
    assert html == '<a class="rule" href="/rules/tactical/#T-9.2" title="Exchange">T-9.2</a>'
    assert html == render('{% rule_link "T-9.2" "tactical" %}')


def test_an_unknown_rule_stays_text():
    assert render('{% rule_link "T-99.1" %}') == "T-99.1"
    assert render('{% rule_link "T-9.2" "chess" %}') == "T-9.2"
    assert render("{% rule_link id %}", id="<b>") == "&lt;b&gt;"


def test_a_core_rule_is_found_in_a_book():
    assert 'href="/rules/tactical/#G-2"' in render('{% rule_link "G-2" %}')


def test_a_rules_text_links_the_rules_it_names():
    html = rule_text("See T-8.2, T-10 and T-99.1.\nA < B", BOOK)
    assert html == '<p>See <a href="#T-8.2">T-8.2</a>, <a href="#T-10">T-10</a> and T-99.1.</p>\n<p>A &lt; B</p>'


# Values


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (0.5, "½"),
        (1.0, "1"),
        (2.5, "2½"),
        (10, "10"),
        (-1, "−1"),
        (-0.5, "−½"),
        (-2.5, "−2½"),
        (0.25, "0.25"),
    ],
)
def test_numbers_are_whole_or_halves(value, shown):
    assert number(value) == shown


def test_each_kind_of_value_has_its_form():
    route = Place((Cell(2, 4), Cell(2, 3)), ("C5", "C4"), "route")
    cells = Place((Cell(2, 4), Cell(2, 3)), ("C5", "C4"))
    sentence = Sentence(
        "%(unit)s of %(side)s, %(kind)s: %(route)s, %(cells)s, %(hp)s, %(n)s, %(word)s",
        {
            "unit": UnitRef("c1", "2nd Cuirassiers", Side.RED),
            "side": SideRef(Side.BLUE, "Italy"),
            "kind": Term("cuirassiers"),
            "route": route,
            "cells": cells,
            "hp": Halves(2.5),
            "n": 3,
            "word": "plain",
        },
    )
    assert told(sentence) == (
        '<b class="tx-red">2nd Cuirassiers</b> of <b class="tx-blue">Italy</b>, cuirassiers: '
        "C5 → C4, C5, C4, 2½, 3, plain"
    )
    assert sentence_text(sentence) == "2nd Cuirassiers of Italy, cuirassiers: C5 → C4, C5, C4, 2½, 3, plain"


def test_a_die_is_a_picture_with_a_name_and_other_dice_are_figures():
    html = told(Sentence("rolled %(dice)s", {"dice": Dice((5, 2))}))
    assert 'symbols.svg#d6-5"' in html and 'symbols.svg#d6-2"' in html
    assert 'role="img" aria-label="die: 5"' in html
    assert (
        told(Sentence("%(d)s", {"d": Dice((7, 0), 10)})) == '<span class="die-n">7</span> <span class="die-n">0</span>'
    )
    assert sentence_text(Sentence("rolled %(dice)s", {"dice": Dice((5, 2))})) == "rolled 5, 2"


@pytest.mark.parametrize(
    "value",
    [
        EVIL,
        UnitRef("u", EVIL, Side.RED),
        SideRef(Side.RED, EVIL),
        Term(EVIL),
        Place((Cell(0, 0),), (EVIL,)),
    ],
    ids=lambda v: type(v).__name__,
)
def test_markup_in_a_value_is_escaped(value):
    html = told(Sentence("%(x)s stands", {"x": value}))
    assert "<img" not in html
    assert SAFE in html
    assert sentence_text(Sentence("%(x)s stands", {"x": value})) == f"{EVIL} stands"


# Sentences


def test_the_plural_form_follows_the_count():
    def words(count: int) -> str:
        return sentence_text(Sentence("%(count)s unit", {}, "%(count)s units", count))

    assert [words(1), words(2)] == ["1 unit", "2 units"]


def test_russian_has_its_own_plural_forms():
    def words(count: int) -> str:
        return sentence_text(Sentence("%(rules)s rule", {"rules": count}, "%(rules)s rules", count))

    with translation.override("ru"):
        shown = [words(count) for count in (1, 2, 5, 11, 21)]
    assert shown == ["1 правило", "2 правила", "5 правил", "11 правил", "21 правило"]


def test_the_sums_follow_the_sentence():
    sentence = Sentence("Exchange", details=(Sentence("melee %(n)s", {"n": 3}), Sentence("onslaught %(n)s", {"n": 2})))
    assert told(sentence) == 'Exchange <span class="ll-sum">melee 3</span> <span class="ll-sum">onslaught 2</span>'
    assert sentence_text(sentence) == "Exchange (melee 3) (onslaught 2)"


def test_a_missing_value_does_not_break_a_sentence():
    assert told(Sentence("%(who)s loses %(n)s, 100%% sure, 5 % off")) == "… loses …, 100% sure, 5 % off"
    assert told(Sentence("")) == ""


# Refusals


def test_a_refusal_says_what_the_figures_are_and_links_the_rule():
    html = refused(IllegalCommand("too_far", "T-6.1", {"needed": 2, "left": 1}))
    assert html.startswith("Too far: points needed 2, left 1. ")
    assert 'href="/rules/tactical/#T-6.1"' in html
    assert refusal_text(IllegalCommand("too_far", "T-6.1", {"needed": 2, "left": 1})).endswith("left 1. [T-6.1]")


def test_a_refusals_figures_are_escaped():
    html = refused(IllegalCommand("in_melee", "T-5.9", {"unit": EVIL}))
    assert html.startswith(f"{SAFE} is in melee")


@pytest.mark.parametrize("key", BOOK.refusals)
@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_refusal_is_readable_without_figures(key, language):
    with translation.override(language):
        text = refusal_text(SimpleNamespace(key=key, rule=BOOK.refusals[key].rule, figures={}))
    assert "%" not in text
    assert text[0] == "…" or text[0].isupper()


def test_an_unknown_refusal_is_still_said():
    html = refused(IllegalCommand("no_such_key", "T-9.1"))
    assert html.startswith("The rules do not allow this order. <a ")
    assert refused(IllegalCommand("no_such_key", "")) == "The rules do not allow this order."


@pytest.mark.parametrize(("key", "words"), [("stale", "position had changed"), ("late", "time was up")])
def test_what_was_not_taken_at_the_door_is_no_refusal_of_the_rules(key, words):
    kept = SimpleNamespace(key=key, rule="", figures={"version": 7})
    assert words in render("{% refusal r 'tactical' %}", r=kept)
    assert words in refusal_text(kept, "tactical") and "rules do not allow" not in refusal_text(kept)
