"""No rule, refusal or worked example without a case; no boundary with one side only."""

from collections import Counter

from rules.registry import ruleset

from .test_cases import CASES, FOLDER

BOOK = ruleset("tactical").book
EXAMPLES = range(1, 67)
# Disputes are kept by the site, not by the engine: tests/battles proves them.
OUTSIDE_THE_ENGINE = {"G-3"}
LEAST_OF_ALL = 220


def test_every_rule_has_a_case() -> None:
    named = {rule for case in CASES for rule in case.rules}
    assert [rule for rule in BOOK.rules if rule not in named | OUTSIDE_THE_ENGINE] == []


def test_every_refusal_has_a_case() -> None:
    refused = {step["refused"] for case in CASES for step in case.table.get("do", []) if "refused" in step}
    assert [key for key in BOOK.refusals if key not in refused] == []


def test_every_worked_example_has_a_case() -> None:
    examples = {example for case in CASES for example in case.examples}
    assert sorted(set(EXAMPLES) - examples) == []
    assert examples <= set(EXAMPLES)


def test_every_parameter_is_set_by_a_case() -> None:
    given = {name for case in CASES for name in case.table.get("params", {})}
    assert [name for name in BOOK.parameters if name not in given] == []


def test_every_command_is_given_and_every_event_expected() -> None:
    rules = ruleset("tactical")
    given = {step["command"].get("type") for case in CASES for step in case.table.get("do", [])}
    tags = {str(kind.__struct_config__.tag) for kind in rules.commands}
    assert tags - given == set()


def test_a_pair_has_two_sides() -> None:
    pairs = Counter(case.pair for case in CASES if case.pair)
    assert [name for name, count in pairs.items() if count < 2] == []
    assert len(pairs) > 100


def test_no_two_cases_have_the_same_name() -> None:
    names = Counter(case.id for case in CASES)
    assert [name for name, count in names.items() if count > 1] == []
    assert len(names) >= LEAST_OF_ALL


def test_cases_are_written_where_they_are_looked_for() -> None:
    assert {case.path.parent for case in CASES} == {FOLDER}
    assert {case.ruleset for case in CASES} == {"tactical"}
