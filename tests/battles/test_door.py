"""The one door: repeats, conflicts, old boards, late commands, floods, refusals, and what is stored of each command."""

from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import Http404

from battles import selectors, services
from battles.models import Battle, BattleSecret, LogEntry, RefusedCommand, Snapshot, Submission, Turn, Unit
from battles.services import (
    ConflictingRepeat,
    LateCommand,
    NotSaved,
    StaleCommand,
    TooManyCommands,
)
from battles.verification import verify
from rules.core.actors import Actor, Viewer
from rules.core.commands import Ready, TimeExpired
from rules.core.dice import seed_hash
from rules.core.errors import IllegalCommand, InvalidCommand
from tests.battles.playing import NOW, Play, later, prepare

pytestmark = pytest.mark.django_db


def footprint(play):
    """Everything that a refused command must leave as it is."""
    battle = play.battle
    return (
        battle.version, battle.state, battle.throws, LogEntry.objects.count(), Submission.objects.count(),
        list(Unit.objects.values_list("key", "strength", "at")), Turn.objects.count(), Snapshot.objects.count(),
    )  # fmt: skip


def test_a_command_is_recorded_with_all_that_is_its_fold(running):
    before = running.battle
    receipt = running.order("red_player", "move", unit="Etna Rifles", path="E8 E7")
    battle = running.battle
    entry = LogEntry.objects.get(battle=battle, number=battle.version)
    assert receipt == (before.red_no + 1, battle.red_no, battle.red_no, False)
    assert (entry.kind, entry.actor, entry.user, entry.side, entry.turn) == (
        "unit_moved", "red", running.people["red_player"], "red", 1,
    )  # fmt: skip
    assert Unit.objects.get(battle=battle, name="Etna Rifles").at == "E7"
    assert not verify(battle.pk, decide=True)


def test_the_actor_comes_from_the_seat_and_not_from_the_command(running):
    command = running.command("red_player", "end_turn")
    forged = type(command)(by=Actor.BLUE)
    services.submit(
        battle_id=running.battle_id, command=forged, command_id=uuid4(), user=running.people["red_player"],
        received_at=NOW, seen=running.version("red_player"),
    )  # fmt: skip
    assert Submission.objects.latest("pk").actor == "red"
    assert "by" not in Submission.objects.latest("pk").body


def test_a_repeat_gives_the_stored_answer_and_another_body_is_a_conflict(running):
    id = uuid4()
    seen = running.version("red_player")
    first = running.order("red_player", "move", id=id, seen=seen, unit="Etna Rifles", path="E8")
    running.order("red_player", "move", unit="Etna Rifles", path="E7")
    before = footprint(running)
    again = running.order("red_player", "move", id=id, seen=seen, unit="Etna Rifles", path="E8")
    assert again == first._replace(repeated=True)
    with pytest.raises(ConflictingRepeat):
        running.order("red_player", "move", id=id, seen=seen, unit="Etna Rifles", path="E7")
    assert footprint(running) == before


def test_a_refused_command_is_not_remembered_by_its_id(running):
    id = uuid4()
    with pytest.raises(IllegalCommand):
        running.order("red_player", "move", id=id, unit="Etna Rifles", path="E8 E7 E6 E5 E4")
    assert not running.order("red_player", "move", id=id, unit="Etna Rifles", path="E8").repeated


def test_the_same_id_of_two_users_is_two_commands(play):
    id = uuid4()
    assert not play.order("red_player", "ready", id=id).repeated
    assert not play.order("blue_player", "ready", id=id).repeated


def test_a_refused_command_changes_nothing_and_is_kept_for_the_moderator(running):
    before = footprint(running)
    with pytest.raises(IllegalCommand) as refused:
        running.order("red_player", "move", unit="Etna Rifles", path="E8 E7 E6 E5 E4")
    assert footprint(running) == before
    (line,) = selectors.refused_commands(running.battle)
    assert (line.key, line.rule, line.actor, line.body["type"]) == (
        refused.value.key, refused.value.rule, Actor.RED, "move",
    )  # fmt: skip


def test_refused_commands_are_forgotten_after_thirty_days(running):
    with pytest.raises(IllegalCommand):
        running.order("red_player", "move", unit="Etna Rifles", path="E8 E7 E6 E5 E4")
    services.forget_refused(later(29 * 86400))
    assert RefusedCommand.objects.count() == 1
    services.forget_refused(later(31 * 86400))
    assert RefusedCommand.objects.count() == 0


@pytest.mark.parametrize("shift", [-1, 1, 1000, -1000])
def test_case07_an_order_for_another_version_is_refused_with_the_newest(running, shift):
    version = running.version("red_player")
    before = footprint(running)
    with pytest.raises(StaleCommand) as stale:
        running.order("red_player", "move", seen=version + shift, unit="Etna Rifles", path="E8")
    assert stale.value.version == version and stale.value.message
    assert footprint(running) == before


def test_case07_an_open_order_without_a_version_makes_no_sense(running):
    with pytest.raises(InvalidCommand):
        running.order("red_player", "move", seen=None, unit="Etna Rifles", path="E8")


def test_case07_messages_in_reversed_order_are_applied_or_refused_each(running):
    version = running.version("red_player")
    running.order("red_player", "move", seen=version, unit="Etna Rifles", path="E8")
    with pytest.raises(StaleCommand) as stale:
        running.order("red_player", "move", seen=version, unit="1st Messina", path="C8")
    assert stale.value.version == running.version("red_player") == version + 1


def test_case07_in_the_deployment_both_sides_may_name_the_same_version(play):
    for who, unit, at in (("red_player", "1st Messina", "C9"), ("blue_player", "1st Turin", "C2")):
        play.order(who, "place", seen=3, unit=unit, at=at)
    for place in ("D9", "E9", "F9", "G9", "H9", "A9", "B9", "I9", "J9", "K9"):
        play.order("red_player", "place", seen=3, unit="1st Messina", at=place)
    assert play.unit("1st Messina").at == (10, 8)


def test_a_hidden_entry_of_the_other_side_makes_no_order_old(running):
    version = running.version("red_player")
    running.order("blue_player", "stance", unit="1st Turin", name="defensive_fire", value=False)
    assert running.version("red_player") == version
    running.order("red_player", "move", seen=version, unit="Etna Rifles", path="E8")


def test_stances_are_never_old(running):
    version = running.version("red_player")
    running.order("red_player", "move", unit="Etna Rifles", path="E8")
    running.order("red_player", "stance", seen=version, unit="Etna Rifles", name="defensive_fire", value=False)


def test_an_answer_names_a_question_that_is_open(running):
    with pytest.raises(StaleCommand):
        running.order("red_player", "answer", decision="q99", choice="ride")


def test_an_order_in_time_by_a_millisecond_is_taken_and_one_too_late_is_refused(play):
    play.order("red_player", "place", when=later(60), unit="1st Messina", at="C9")
    with pytest.raises(LateCommand) as late:
        play.order("red_player", "place", when=later(60.001), unit="1st Messina", at="D9")
    assert "deployment" in late.value.message
    assert play.unit("1st Messina").at == (2, 8)
    assert play.battle.phase == "deployment"  # the clock waits 250 ms for orders under way


def test_an_order_received_in_time_counts_though_a_later_one_was_seen_first(play):
    with pytest.raises(LateCommand):
        play.order("blue_player", "place", when=later(60.1), unit="1st Turin", at="C2")
    play.order("red_player", "place", when=later(59.999), unit="1st Messina", at="C9")
    assert play.unit("1st Messina").at == (2, 8)


def test_an_order_after_the_grace_strikes_the_clock_itself_and_its_refusal_does_not_undo_that(play):
    play.order("red_player", "place", unit="1st Messina", at="C9")
    play.order("blue_player", "place", unit="1st Turin", at="C2")
    with pytest.raises(IllegalCommand) as refused:
        play.order("red_player", "place", when=later(61), unit="Etna Rifles", at="E9")
    assert refused.value.key == "deployment_over"
    assert play.battle.phase == "turn"
    assert LogEntry.objects.filter(battle=play.battle_id, kind="deployment_revealed").count() == 1


def test_in_time_counts_only_while_the_closing_entry_is_not_in_the_log(play):
    play.order("red_player", "place", unit="1st Messina", at="C9")
    play.order("blue_player", "place", unit="1st Turin", at="C2")
    play.tick(60.25)
    with pytest.raises(IllegalCommand) as refused:
        play.order("red_player", "place", when=later(59.9), unit="Etna Rifles", at="E9")
    assert refused.value.key == "deployment_over"


def test_more_than_ten_commands_a_second_over_five_seconds_are_refused_with_the_wait(play):
    for step in range(services.RATE_MOST):
        play.order("red_player", "place", when=later(step * 0.08), unit="1st Messina", at="CD"[step % 2] + "9")
    before = footprint(play)
    with pytest.raises(TooManyCommands) as flood:
        play.order("red_player", "place", when=later(4.1), unit="1st Messina", at="E9")
    assert 1 <= flood.value.wait <= 5
    assert footprint(play) == before
    play.order("blue_player", "place", when=later(4.1), unit="1st Turin", at="C2")
    play.order("red_player", "place", when=later(4.1 + flood.value.wait), unit="1st Messina", at="E9")


def test_refused_commands_count_for_the_flood_too(running):
    for step in range(services.RATE_MOST):
        with pytest.raises(IllegalCommand):
            running.order("red_player", "move", when=later(10 + step * 0.01), unit="Etna Rifles", path="A1")
    with pytest.raises(TooManyCommands):
        running.order("red_player", "move", when=later(11), unit="Etna Rifles", path="E8")
    assert RefusedCommand.objects.count() == services.RATE_MOST


@pytest.mark.parametrize(
    ("who", "error"), [("stranger", Http404), ("spectator", PermissionDenied), ("campaign_admin", PermissionDenied)]
)
def test_who_has_no_seat_sends_nothing(running, who, error):
    with pytest.raises(error):
        running.order(who, "end_turn", seen=1)


def test_a_player_gives_no_ruling_and_is_not_the_clock(running):
    for type, fields in (
        ("close_battle", {"reason": "I win", "winner": "red"}),
        ("edit_unit", {"unit": "1st Turin", "changes": {"hp": 1}, "reason": "so"}),
        ("rewind", {"to": 9, "reason": "so", "confirmed": True}),
        ("stop_clock", {}),
    ):
        with pytest.raises(IllegalCommand) as refused:
            running.order("red_player", type, **fields)
        assert refused.value.key == "moderator_only"
    with pytest.raises(InvalidCommand):
        running.order("red_player", "time_expired", timer="turn:1")
    with pytest.raises(InvalidCommand):
        running.order("moderator", "time_expired", timer="turn:1")


def test_a_moderator_moves_nobodys_units(running):
    before = footprint(running)
    for type, fields in (
        ("move", {"unit": "Etna Rifles", "path": "E8"}),
        ("end_turn", {}),
        ("stance", {"unit": "Etna Rifles", "name": "defensive_fire", "value": False}),
        ("retreat", {"confirmed": True}),
    ):
        with pytest.raises((IllegalCommand, InvalidCommand)):
            running.order("moderator", type, **fields)
    assert footprint(running) == before


def test_a_battle_that_is_not_open_takes_no_command(prepared, people):
    with pytest.raises(PermissionDenied):
        services.submit(
            battle_id=prepared.pk, command=Ready(), command_id=uuid4(), user=people["red_player"], received_at=NOW
        )
    with pytest.raises(Http404):
        services.submit(
            battle_id=99_999, command=Ready(), command_id=uuid4(), user=people["red_player"], received_at=NOW
        )


def test_a_ruling_has_its_author_from_the_door_and_its_reason_without_tricks(running):
    running.order("moderator", "edit_unit", unit="1st Turin", changes={"hp": 6}, reason="muddy\u202e field\nagreed")
    entry = LogEntry.objects.filter(battle=running.battle_id, kind="unit_edited").get()
    assert entry.body["author"] == "Moderator" and entry.body["reason"] == "muddy field agreed"
    assert Unit.objects.get(battle=running.battle_id, name="1st Turin").strength == 6
    assert not verify(running.battle_id, decide=True)


def test_an_old_ruling_on_the_state_is_refused_but_the_clock_obeys_at_once(running):
    old = running.version("moderator")
    running.order("red_player", "move", unit="Etna Rifles", path="E8")
    with pytest.raises(StaleCommand):
        running.order("moderator", "edit_unit", seen=old, unit="1st Turin", changes={"hp": 6}, reason="so")
    running.order("moderator", "stop_clock", seen=old)


def test_every_hundredth_entry_and_every_turn_has_a_snapshot(play):
    for place in range(59):
        play.order("red_player", "place", when=later(place), unit="1st Messina", at="CD"[place % 2] + "9")
    play.order("moderator", "extend_clock", seconds=3600)
    for place in range(45):
        play.order("red_player", "place", when=later(70 + place), unit="1st Messina", at="EF"[place % 2] + "9")
    play.now = later(200)
    play.deploy()
    entries = set(Snapshot.objects.filter(battle=play.battle_id).values_list("entry", flat=True))
    turns = dict(Turn.objects.filter(battle=play.battle_id).values_list("number", "entry"))
    assert 100 in entries and set(turns) == {0, 1} and set(turns.values()) <= entries
    assert not verify(play.battle_id, decide=True)


def test_units_have_no_rows_before_the_reveal(play):
    play.place_all()
    assert not Unit.objects.exists()
    play.order("red_player", "ready")
    play.order("blue_player", "ready")
    assert Unit.objects.count() == 8


def test_the_end_tells_the_seed(running):
    running.order("moderator", "close_battle", winner="blue", reason="dusk")
    battle = running.battle
    assert (battle.stage, battle.winner, battle.reason) == ("over", "blue", "ruling")
    for viewer in Viewer:
        sheet = selectors.dice_of(battle, viewer)
        assert seed_hash(bytes.fromhex(sheet.seed)) == battle.seed_hash
    assert not selectors.clocks(battle, Viewer.RED, NOW)
    assert not verify(battle.pk, decide=True)
    with pytest.raises(IllegalCommand) as refused:
        running.order("moderator", "rewind", to=9, reason="again", confirmed=True)
    assert refused.value.key == "battle_over"


def test_no_seed_stands_anywhere_before_the_end(running):
    seed = bytes(BattleSecret.objects.get(battle=running.battle_id).seed).hex()
    for model in (Battle, LogEntry, Submission, Snapshot, Turn, Unit):
        for row in model.objects.values():
            assert seed not in str(row)


# rewinds


def test_a_rewind_abandons_what_came_after_and_the_battle_goes_on(running):
    state = running.state
    mark = running.battle.version + 1
    running.order("red_player", "move", unit="Etna Rifles", path="E8 E7")
    running.order("red_player", "end_turn")
    assert running.state.turn == 2
    running.now = later(100)
    running.order("moderator", "rewind", to=mark, reason="a slip of the mouse")
    assert running.state == state
    abandoned = LogEntry.objects.filter(battle=running.battle_id, abandoned=True)
    assert min(e.number for e in abandoned) == mark and not Turn.objects.filter(number=2, abandoned=False).exists()
    clock = selectors.clocks(running.battle, Viewer.RED, running.now)
    assert [(c.key, c.seconds_left) for c in clock] == [("turn:1", 300)]
    running.order("red_player", "end_turn")
    assert Turn.objects.filter(battle=running.battle_id, number=2).count() == 2
    assert not verify(running.battle_id, decide=True)


def test_a_rewind_names_to_each_viewer_his_own_line(running):
    running.order("red_player", "move", unit="Etna Rifles", path="E8 E7")
    mark = running.battle.version
    own = running.battle.red_no
    running.order("moderator", "rewind", to=mark, reason="again")
    for viewer, number in ((Viewer.MODERATOR, mark), (Viewer.RED, own), (Viewer.BLUE, own)):
        line = selectors.log_page(running.battle, viewer).lines[-1]
        assert line.kind == "rewound" and number in line.sentence.values.values()
        assert mark == own or viewer is Viewer.MODERATOR or mark not in line.sentence.values.values()
    assert [line.abandoned for line in selectors.log_page(running.battle, Viewer.BLUE).lines[-2:]] == [True, False]


def test_a_rewind_into_the_deployment_hides_the_units_again(running):
    first = LogEntry.objects.filter(battle=running.battle_id, kind="unit_placed").order_by("number").last().number
    with pytest.raises(IllegalCommand) as refused:
        running.order("moderator", "rewind", to=first, reason="again")
    assert refused.value.key == "confirm_rewind"
    running.order("moderator", "rewind", to=first, reason="again", confirmed=True)
    assert running.battle.phase == "deployment" and not Unit.objects.exists()
    view = selectors.view_of(running.battle, Viewer.RED)
    assert {unit.side.value for unit in view.units} == {"red"}
    lines = selectors.log_page(running.battle, Viewer.RED).lines
    assert any(line.kind == "deployment_revealed" and line.abandoned for line in lines)
    assert not verify(running.battle_id, decide=True)
    running.order("blue_player", "place", unit="Novara Guns", at="I2")
    running.order("red_player", "ready")
    running.order("blue_player", "ready")
    assert Unit.objects.count() == 8 and not verify(running.battle_id, decide=True)


def test_the_numbers_of_throws_go_on_after_a_rewind(people):
    battle = prepare(
        people["campaign_admin"], people["moderator"], people["red_player"], people["blue_player"], attacker=None
    )
    services.open_battle(battle.pk, people["moderator"], NOW)
    play = Play(battle.pk, people).deploy()
    assert play.battle.throws == 1
    ready = LogEntry.objects.filter(battle=battle.pk, kind="side_ready").last().number
    play.order("moderator", "rewind", to=ready, reason="again", confirmed=True)
    play.order("blue_player", "ready")
    numbers = [
        e.body["number"] for e in LogEntry.objects.filter(battle=battle.pk, kind="dice_thrown").order_by("number")
    ]
    assert numbers == [1, 2] and not verify(battle.pk, decide=True)


# case 13


def test_case13_a_database_that_refuses_to_write_saves_nothing_and_the_same_id_works_later(running):
    id, seen = uuid4(), running.version("red_player")
    before = footprint(running)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = ON")
    try:
        with pytest.raises(NotSaved):
            running.order("red_player", "move", id=id, seen=seen, unit="Etna Rifles", path="E8")
        assert footprint(running) == before
        assert selectors.log_page(running.battle, Viewer.RED).lines
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA query_only = OFF")
    assert not running.order("red_player", "move", id=id, seen=seen, unit="Etna Rifles", path="E8").repeated


def test_the_clock_itself_may_only_let_time_expire(running):
    services.submit(
        battle_id=running.battle_id, command=TimeExpired(timer="turn:99"), command_id=uuid4(), user=None,
        received_at=NOW,
    )  # fmt: skip
    assert running.state.turn == 1
