"""FR-14: the page of the log costs the same at entry 30 and at entry 3,000."""

import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from battles import publishing, selectors
from battles.models import Battle, LogEntry
from rules.core.actors import Side, Viewer
from tests.battles.playing import NOW

pytestmark = pytest.mark.django_db
SHOWN = 40


def grow(play, many):
    """Make the log longer by copies of a harmless line, as a long battle would."""
    battle = play.battle
    last = LogEntry.objects.filter(battle=battle, kind="unit_placed").last()
    fields = {f.attname: getattr(last, f.attname) for f in LogEntry._meta.concrete_fields if not f.primary_key}
    rows = []
    for step in range(1, many + 1):
        rows.append(
            LogEntry(
                **{
                    **fields,
                    "number": battle.version + step,
                    "red_no": battle.red_no + step,
                    "blue_no": battle.blue_no + step,
                    "public_no": battle.public_no + step,
                    "turn": 1 + step // 50,
                }
            )
        )
    LogEntry.objects.bulk_create(rows)
    Battle.objects.filter(pk=battle.pk).update(
        version=battle.version + many, red_no=battle.red_no + many, blue_no=battle.blue_no + many,
        public_no=battle.public_no + many,
    )  # fmt: skip


def fastest(action, times=7):
    """The best of some runs, in seconds."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def queries(action):
    with CaptureQueriesContext(connection) as captured:
        action()
    return len(captured)


def test_fr14_the_log_costs_the_same_however_long_it_is(running):
    def page():
        return selectors.log_page(Battle.objects.select_related("campaign").get(pk=running.battle_id), Viewer.RED)

    def frame():
        return publishing.render(running.battle_id, Viewer.RED, "en", NOW)

    grow(running, SHOWN)
    short = [fastest(page), queries(page), fastest(frame), queries(frame), len(frame().html)]
    grow(running, 3000)
    long = [fastest(page), queries(page), fastest(frame), queries(frame), len(frame().html)]
    assert len(page().lines) == SHOWN
    assert long[1] == short[1] <= 2 and long[3] == short[3] <= 4
    assert long[0] <= short[0] * 2 + 0.002 and long[2] <= short[2] * 2 + 0.002
    assert long[4] <= short[4] * 1.2


def test_older_lines_come_in_pages_and_all_of_them(running):
    grow(running, 100)
    battle, before, numbers = running.battle, None, []
    while True:
        page = selectors.log_page(battle, Viewer.BLUE, before=before)
        numbers = [line.no for line in page.lines] + numbers
        if page.older is None:
            break
        before = page.older
    assert numbers == list(range(1, battle.blue_no + 1))


def test_lines_can_be_chosen(running):
    running.order("red_player", "move", unit="Etna Rifles", path="E8")
    running.order("moderator", "edit_unit", unit="1st Turin", changes={"hp": 6}, reason="mud")
    battle = running.battle
    rulings = selectors.log_page(battle, Viewer.BLUE, only="rulings").lines
    assert "unit_edited" in {line.kind for line in rulings} and all(line.ruling for line in rulings)
    assert {line.side for line in selectors.log_page(battle, Viewer.PUBLIC, side=Side.RED).lines} == {Side.RED}
    assert {line.turn for line in selectors.log_page(battle, Viewer.PUBLIC, turn=1).lines} == {1}
    moved = selectors.log_page(battle, Viewer.PUBLIC, turn=1).lines[1]
    assert all(line.rule == moved.rule for line in selectors.log_page(battle, Viewer.PUBLIC, rule=moved.rule).lines)


def test_an_entry_of_a_later_version_says_so_and_the_rest_is_shown(running):
    entry = LogEntry.objects.filter(battle=running.battle_id, kind="unit_placed").last()
    LogEntry.objects.filter(pk=entry.pk).update(body={"type": "dragon_landed", "at": [3, 3]})
    lines = selectors.log_page(running.battle, Viewer.MODERATOR).lines
    assert len(lines) == running.battle.version
    assert "dragon_landed" in lines[entry.number - 1].sentence.values.values()


def test_the_view_of_any_line_comes_from_the_snapshot_before_it(running):
    start = running.battle.red_no
    running.order("red_player", "move", unit="Etna Rifles", path="E8")
    running.order("red_player", "move", unit="Etna Rifles", path="E7")
    battle = running.battle

    def place(no):
        return next(u.at for u in selectors.view_at(battle, Viewer.RED, no).units if u.name == "Etna Rifles")

    assert [place(no) for no in (start, start + 1, start + 2)] == [(4, 8), (4, 7), (4, 6)]
    assert not selectors.view_at(battle, Viewer.PUBLIC, 2).units
    mark = battle.version
    running.order("moderator", "rewind", to=mark, reason="a slip")
    battle = running.battle
    assert [place(no) for no in (start + 1, start + 2, start + 3)] == [(4, 7), (4, 6), (4, 7)]
    marks = selectors.turns_of(battle, Viewer.PUBLIC)
    assert [mark.turn for mark in marks] == [0, 1]
