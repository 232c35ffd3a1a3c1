"""The clock on the service: deadlines agree with the timers, expire once, in order, with their due time."""

from datetime import timedelta

import pytest

from battles import clock as clocks
from battles import selectors, services
from battles.models import Deadline, LogEntry, Submission
from battles.services import NotSaved
from battles.verification import verify
from rules.core.actors import Viewer
from tests.battles.playing import NOW, later

pytestmark = pytest.mark.django_db


def reading(play, viewer=Viewer.RED):
    return [(c.key, c.seconds_left, c.running) for c in selectors.clocks(play.battle, viewer, play.now)]


def closing(play):
    return LogEntry.objects.filter(battle=play.battle_id, kind="deployment_revealed")


@pytest.fixture
def placed(play):
    play.order("red_player", "place", unit="1st Messina", at="C9")
    play.order("blue_player", "place", unit="1st Turin", at="C2")
    return play


def test_the_clock_waits_250_ms_beyond_the_due_time_and_strikes_once(placed):
    assert not services.due_battles(later(60.249)) and services.strike(placed.battle_id, later(60.249)) == 0
    assert services.due_battles(later(60.25)) == [(placed.battle_id, later(60))]
    assert clocks.Clock().fire_due(later(60.25)) == 1
    assert clocks.Clock().fire_due(later(60.25)) == 0
    assert closing(placed).count() == 1 and closing(placed).get().at == later(60)
    assert not verify(placed.battle_id, decide=True)


def test_after_an_outage_the_game_time_is_the_due_time_and_the_next_clock_starts_at_the_strike(placed):
    placed.tick(3600)
    assert closing(placed).get().at == later(60)
    assert reading(placed) == [("turn:1", 300, True)]
    assert Deadline.objects.get(battle=placed.battle_id, fired_at=None).due_at == later(3900)


def test_turn_after_turn_expires(placed):
    placed.tick(61)
    for turn in range(1, 5):
        assert placed.battle.turn == turn
        placed.tick(300.25)
    fired = Deadline.objects.filter(battle=placed.battle_id, fired_at__isnull=False).count()
    assert fired == 5 and not verify(placed.battle_id, decide=True)


def test_a_stopped_clock_keeps_what_is_left(placed):
    placed.now = later(20)
    placed.order("moderator", "stop_clock")
    placed.now = later(1000)
    assert reading(placed) == [("deployment", 40, False)] and not services.due_battles(placed.now)
    placed.order("red_player", "place", unit="Etna Rifles", at="E9")
    placed.order("moderator", "start_clock")
    assert reading(placed) == [("deployment", 40, True)]
    placed.tick(40.25)
    assert closing(placed).get().at == later(1040)


def test_an_extension_moves_the_due_time_and_a_restart_gives_the_whole_again(placed):
    placed.now = later(50)
    placed.order("moderator", "extend_clock", seconds=30)
    assert reading(placed) == [("deployment", 40, True)]
    placed.order("moderator", "restart_clock")
    (key, left, running) = reading(placed)[0]
    assert key == "deployment#1" and running and left == 60
    assert Deadline.objects.filter(battle=placed.battle_id, cancelled_at__isnull=False).count() == 1
    assert not verify(placed.battle_id)


def test_who_ends_his_turn_cancels_its_clock(running):
    running.order("red_player", "end_turn")
    rows = dict(Deadline.objects.filter(battle=running.battle_id).values_list("key", "cancelled_at"))
    assert rows["turn:1"] == NOW and rows["turn:2"] is None
    assert services.strike(running.battle_id, later(299)) == 0


def test_a_battle_that_cannot_be_struck_rests_and_stops_no_other(placed, monkeypatch):
    called = []

    def broken(battle_id, now, *, skip_locked):
        called.append((battle_id, skip_locked))
        raise NotSaved("no") if len(called) == 1 else RuntimeError("a rule is broken")

    monkeypatch.setattr(clocks, "strike", broken)
    clock = clocks.Clock()
    for seconds in (61, 61.1, 61.3, 61.4, 61.8, 62.7):
        assert clock.fire_due(later(seconds)) == 0
    assert len(called) == 4
    assert called[0] == (placed.battle_id, True) or called[0] == (placed.battle_id, False)


def test_a_busy_battle_is_waited_for_only_when_it_is_long_overdue(placed, monkeypatch):
    asked = []
    monkeypatch.setattr(clocks, "strike", lambda battle_id, now, *, skip_locked: asked.append(skip_locked) or 0)
    clocks.Clock().fire_due(later(60.5))
    clocks.Clock().fire_due(later(61.5))
    assert asked == [True, False]


def test_the_clock_tidies_once_an_hour(db, monkeypatch):
    times = []
    monkeypatch.setattr(clocks, "forget_refused", times.append)
    clock = clocks.Clock()
    for minutes in (0, 10, 59, 60, 61):
        clock.tidy(NOW + timedelta(minutes=minutes))
    assert times == [NOW, NOW + timedelta(minutes=60)]


def test_a_moderators_word_in_the_grace_is_heard_before_the_clock(placed):
    placed.now = later(60.1)
    placed.order("moderator", "stop_clock")
    assert reading(placed) == [("deployment", 0, False)]
    assert placed.battle.phase == "deployment"
    placed.order("moderator", "extend_clock", seconds=30)
    placed.order("moderator", "start_clock")
    assert reading(placed) == [("deployment", 30, True)]


def test_the_clocks_command_has_a_submission_of_its_own(placed):
    placed.tick(61)
    submission = Submission.objects.get(battle=placed.battle_id, actor="clock")
    assert submission.user is None and submission.body == {"type": "time_expired", "timer": "deployment"}
    assert submission.received_at == later(60)


def test_nothing_is_struck_for_a_battle_that_is_not_there(db):
    assert services.strike(99_999, NOW) == 0
