"""The book is whole, and its pages show all of it."""

import re

import pytest
from django.test import Client
from django.utils import translation

from rules.core.rulebook import CORE_REFUSALS, CORE_RULES
from rules.registry import RULESETS
from rules.tactical.rulebook import BOOK, CHAPTERS, PARAMETERS, REFUSALS, RULES

RULES_A_CHAPTER = (6, 4, 5, 6, 9, 3, 6, 11, 9, 4, 4, 6, 4, 3, 1, 2)
SPECIFIED = [f"T-{c}.{r}" for c, count in enumerate(RULES_A_CHAPTER, start=1) for r in range(1, count + 1)]

PARAMETER_DEFAULTS = {
    "unit_limit": 10,
    "battle_kind": "field",
    "deployment_seconds": 60,
    "turn_seconds": 300,
    "answer_seconds": 20,
    "fire_into_melee": False,
    "square_attacks": False,
    "overwhelm_loss": 0,
    "flank_penalty": -1,
    "rear_penalty": -2,
    "defensive_fire_from": "any",
    "rout_confirmation": False,
    "quiet_turns": 12,
    "turn_limit": 0,
    "waive_rout": False,
}

KEYS = """
not_your_turn not_your_unit unit_gone no_such_unit off_map not_adjacent impassable occupied too_far in_melee
line_goes_straight already_fired already_attacked deployment_over out_of_zone out_of_sector out_of_range
retreat_is_final locked_by_cavalry reloading moved_this_turn no_points_left no_fire_from_settlement
no_effect_on_artillery target_in_melee line_of_fire_blocked friends_in_zone outside_strip not_placed bad_path
artillery_cannot_attack square_cannot_attack friendly_target no_formations same_formation not_a_line line_must_wheel
cannot_fire nothing_to_answer answer_pending nobody_retreats confirm_retreat no_retreat_ordered not_at_edge
battle_over not_deploying bad_formation bad_cell bad_choice bad_stance
""".split()

FIGURES = {"needed", "left", "cell", "unit", "target", "distance", "range", "turn", "rule"}
LANGUAGES = ("en", "ru")


def page(client: Client, url: str, language: str) -> str:
    response = client.get(url, headers={"accept-language": language})
    assert response.status_code == 200
    return response.content.decode()


def test_the_book_has_every_rule_of_the_specification_in_its_order():
    assert [rule.id for rule in RULES] == SPECIFIED
    assert list(BOOK.rules) == [*SPECIFIED, "G-1", "G-2", "G-3", "G-4"]


def test_every_rule_stands_in_a_chapter_and_bears_a_mark():
    chapters = [chapter.id for chapter in CHAPTERS]
    assert chapters == [f"T-{number}" for number in range(1, 17)]
    assert {rule.chapter for rule in RULES} == set(chapters)
    assert all(rule.marks and rule.title and rule.text for rule in BOOK.rules.values())


def test_the_parameters_have_the_defaults_of_the_specification():
    assert {p.name: p.default for p in PARAMETERS} == PARAMETER_DEFAULTS


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda p: p.name)
def test_a_parameter_belongs_to_a_rule_that_names_it_and_its_default_is_possible(parameter):
    assert parameter.name in BOOK.rules[parameter.rule].parameters
    match parameter.kind:
        case "choice":
            assert parameter.default in [value for value, _ in parameter.choices]
        case "flag":
            assert isinstance(parameter.default, bool)
        case _:
            assert parameter.minimum <= parameter.default <= parameter.maximum
            assert parameter.minimum < parameter.maximum


def test_the_parameters_that_rules_name_exist():
    assert {name for rule in RULES for name in rule.parameters} == set(PARAMETER_DEFAULTS)


def test_every_refusal_key_of_the_specification_is_there_once():
    keys = [refusal.key for refusal in REFUSALS]
    assert sorted(keys) == sorted(KEYS)
    assert set(BOOK.refusals) == {*keys, *(refusal.key for refusal in CORE_REFUSALS)}


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda r: r.key)
def test_a_refusal_names_a_rule_and_only_known_figures(refusal):
    assert refusal.rule in BOOK.rules
    assert set(re.findall(r"%\((\w+)\)s", refusal.text)) <= FIGURES


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_shows_every_rule_parameter_and_refusal(client, db, language):
    html = page(client, "/rules/tactical/", language)
    anchors = re.findall(r'\bid="([^"]+)"', html)
    assert len(anchors) == len(set(anchors))
    wanted = {*BOOK.rules, *(chapter.id for chapter in CHAPTERS)}
    wanted |= {f"parameter-{name}" for name in BOOK.parameters} | {f"refusal-{key}" for key in BOOK.refusals}
    assert wanted <= set(anchors)
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(anchors)
    assert "%(" not in html


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("url", ["/rules/", "/rules/tactical/", "/rules/dice/", "/rules/dice/check_a_die.py"])
def test_the_pages_are_open_to_everyone(client, db, url, language):
    page(client, url, language)


def test_the_first_page_lists_every_ruleset(client, db):
    html = page(client, "/rules/", "en")
    assert all(f'href="/rules/{id}/"' in html for id in RULESETS)


def test_there_is_no_page_for_an_unknown_book(client, db):
    assert client.get("/rules/chess/").status_code == 404


def test_everything_in_the_book_has_its_russian():
    texts = [chapter.title for chapter in CHAPTERS]
    texts += [text for rule in (*RULES, *CORE_RULES) for text in (rule.title, rule.text)]
    texts += [refusal.text for refusal in (*REFUSALS, *CORE_REFUSALS)]
    texts += [parameter.title for parameter in PARAMETERS]
    texts += [title for parameter in PARAMETERS for _, title in parameter.choices]
    with translation.override("ru"):
        untranslated = [text for text in texts if translation.gettext(text) == text]
    assert untranslated == []
