"""Every case file of the tactical book, as it is written and with the sides exchanged."""

from pathlib import Path

import pytest

from rules.cases import Case, mirrored, read_cases, run

FOLDER = Path(__file__).resolve().parent.parent / "cases" / "tactical"
CASES = [case for path in sorted(FOLDER.glob("*.toml")) for case in read_cases(path)]


def named(case: Case) -> str:
    """The test's id: `pytest -k T-10.1` runs all cases of a rule."""
    return f"{'+'.join(case.rules)}:{case.id}"


def settle(case: Case) -> None:
    """Play a case; the failure is the difference, not a traceback."""
    verdict = run(case)
    if not verdict.passed:
        pytest.fail("\n".join([f"{case.path.name}: {case.id}", *verdict.differences]), pytrace=False)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_case(case: Case) -> None:
    settle(case)


@pytest.mark.parametrize("case", [case for case in CASES if case.mirror], ids=named)
def test_case_with_the_sides_exchanged(case: Case) -> None:
    settle(mirrored(case))
