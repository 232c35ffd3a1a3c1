"""FR-01, FR-03, FR-04, FR-06, FR-08, FR-10 and FR-11 on the service; FR-02 is with the tests on PostgreSQL."""

from uuid import uuid4

import pytest

from battles import selectors, services
from battles.models import BattleMap, LogEntry
from battles.services import StaleCommand
from battles.verification import verify
from rules.core.actors import Actor, Viewer
from rules.core.errors import IllegalCommand, InvalidCommand
from tests.battles.playing import NOW, Play, later, prepare

pytestmark = pytest.mark.django_db


def told(play, kind):
    return LogEntry.objects.filter(battle=play.battle_id, kind=kind, abandoned=False).order_by("number")


def ready(play):
    return {side.value for side in play.state.ready}


# FR-01: the referee's edit disappears (its pages: tests/browser/test_whole_battle.py)


def test_fr01_a_ruling_is_an_event_that_outlives_turns_and_replay(running, people):
    play = running
    for who in ("red_player", "blue_player"):
        play.order(who, "end_turn")
    assert play.battle.turn == 3 and play.unit("1st Messina").hp == 10
    play.order("moderator", "edit_unit", unit="1st Messina", changes={"hp": 6}, reason="it was hit by a falling tree")
    for who in ("red_player", "blue_player"):
        seen = selectors.battle_for(people[who], play.battle_id)
        view = selectors.view_of(seen.battle, seen.viewer)
        assert view.find(play.key("1st Messina")).hp == 6
    edit = told(play, "unit_edited").get()
    assert (edit.body["author"], edit.body["reason"]) == ("Moderator", "it was hit by a falling tree")
    ((field, before, after),) = (change.values() for change in edit.body["changes"])
    assert (field, float(before), float(after)) == ("hp", 10, 6)

    # two turns with one loss: 5, now and in the log folded from its first event
    play.order("moderator", "edit_unit", unit="1st Turin", changes={"at": "C8", "facing": "S"}, reason="set up")
    play.order(play.mover(), "stance", unit="1st Messina", name="defensive_fire", value=False)
    play.order("blue_player", "stance", unit="1st Turin", name="defensive_fire", value=False)
    play.order("red_player", "attack", unit="1st Messina", target="1st Turin")
    play.order("red_player", "end_turn")
    assert play.unit("1st Messina").hp == 5
    assert not verify(play.battle_id, decide=True)

    version = play.battle.version
    for unit, changes in (("1st Messina", {"hp": -3}), ("nobody", {"hp": 3})):
        with pytest.raises(IllegalCommand) as refused:
            play.order("moderator", "edit_unit", unit=unit, changes=changes, reason="impossible")
        assert refused.value.key
    assert play.battle.version == version


# FR-03: saved, ready, and changed after ready


def test_fr03_1_a_placement_after_ready_takes_ready_away_and_says_so(play):
    play.order("red_player", "place", unit="1st Messina", at="C9")
    play.order("red_player", "ready")
    assert ready(play) == {"red"}
    play.order("red_player", "place", unit="1st Messina", at="D9")
    assert not ready(play)
    before = selectors.log_page(play.battle, Viewer.BLUE).lines
    assert [line.kind for line in before[-2:]] == ["side_ready", "side_unready"]
    assert told(play, "side_unready").get().body["by_change"] is True
    play.order("red_player", "ready")
    play.order("red_player", "unready")
    assert not ready(play) and told(play, "side_unready").count() == 2


def test_fr03_2_placements_without_ready_count(play):
    play.place_all()
    play.tick(60.25)
    assert len([unit for unit in play.state.units if unit.on_field]) == 8
    assert not told(play, "unit_absent").exists() and play.battle.phase == "turn"


def test_fr03_3_ready_without_another_touch_is_not_absence(play):
    play.place_all()
    play.order("red_player", "ready")
    play.tick(60.25)
    assert not told(play, "unit_absent").exists() and play.battle.phase == "turn"


def test_fr03_4_a_side_that_placed_nothing_waits_for_the_moderator(play):
    play.order("red_player", "place", unit="1st Messina", at="C9")
    play.tick(60.25)
    (decision,) = play.state.decisions
    assert decision.kind == "nobody_deployed" and decision.owed_by is Actor.MODERATOR
    assert play.battle.awaited[-1] == "moderator" and play.battle.stage == "running"
    (item,) = selectors.desk_for(play.people["moderator"], play.now)
    assert [d.kind for d in item.decisions] == ["nobody_deployed"]
    play.tick(100_000)
    assert play.battle.stage == "running"


def test_fr03_5_ready_from_both_ends_the_deployment_once_and_at_once(play):
    play.deploy()
    assert play.battle.phase == "turn" and told(play, "deployment_revealed").count() == 1
    play.tick(60.25)
    assert told(play, "deployment_revealed").count() == 1 and play.battle.turn == 1


# FR-04: the same order twice


def test_fr04_the_same_move_twice_moves_once_and_says_success_twice(running):
    id, seen = uuid4(), running.version("red_player")
    first = running.order("red_player", "move", id=id, seen=seen, unit="Etna Rifles", path="E8")
    second = running.order("red_player", "move", id=id, seen=seen, unit="Etna Rifles", path="E8")
    assert second == first._replace(repeated=True)
    assert told(running, "unit_moved").count() == 1 and running.unit("Etna Rifles").at == (4, 7)


def test_fr04_an_answer_that_comes_twice_leaves_the_next_question_open(play):
    play.tick(60.25)
    first, *_ = play.state.decisions
    choice = "extend" if "extend" in first.choices else first.choices[0]
    id = uuid4()
    play.order("moderator", "answer", id=id, decision=first.id, choice=choice, reason="they were late")
    later_ones = play.state.decisions
    again = play.order("moderator", "answer", id=id, decision=first.id, choice=choice, reason="they were late")
    assert again.repeated and play.state.decisions == later_ones
    with pytest.raises(StaleCommand):
        play.order("moderator", "answer", decision=first.id, choice=choice, reason="again")
    assert play.state.decisions == later_ones


def test_fr04_an_old_version_is_refused_without_an_event(running):
    seen = running.version("red_player")
    running.order("red_player", "move", seen=seen, unit="Etna Rifles", path="E8")
    version = running.battle.version
    with pytest.raises(StaleCommand) as stale:
        running.order("red_player", "move", seen=seen, unit="Etna Rifles", path="E7")
    assert running.battle.version == version and stale.value.version == seen + 1


# FR-06: two on one square, or nowhere to stand

COAST = ("......", "......", "......", "......", ".~s...", "......")
COAST_STRIPS = {
    "red": [f"{column}{row}" for row in (5, 6) for column in "ABCDEF"],
    "blue": [f"{column}{row}" for row in (1, 2) for column in "ABCDEF"],
}


def on_a_map(people, rows, strips, **changes):
    """A battle on a map of its own, in its deployment."""
    campaign = services.create_campaign(user=people["campaign_admin"], name="Coasts")
    board = BattleMap.objects.create(
        campaign=campaign, slug="coast", name="Coast", ruleset="tactical", rows=list(rows), strips=strips
    )
    battle = prepare(
        people["campaign_admin"], people["moderator"], people["red_player"], people["blue_player"],
        campaign=campaign, map=board, **changes,
    )  # fmt: skip
    services.open_battle(battle.pk, people["moderator"], NOW)
    return Play(battle.pk, people)


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ({"unit": "1st Messina", "at": "C0"}, "cell"),  # north of the map there is no name for a cell
        ({"unit": "1st Messina", "at": "C7"}, "off_map"),
        ({"unit": "1st Messina", "at": "G5"}, "off_map"),
        ({"unit": "1st Messina", "at": "@5"}, "cell"),
        ({"unit": "1st Messina", "at": "C-1"}, "cell"),
        ({"unit": "1st Messina", "at": "here"}, "cell"),
        ({"unit": "1st Messina", "at": "[2,4]"}, "cell"),
        ({"unit": "1st Messina", "at": "C4"}, "outside_strip"),
        ({"unit": "1st Messina", "at": "C2"}, "outside_strip"),
        ({"unit": "1st Messina", "at": "B5"}, "impassable"),
        ({"unit": "Catania Guns", "at": "C5"}, "impassable"),
        ({"unit": "1st Messina", "at": "D5"}, "occupied"),
        ({"unit": "1st Messina", "at": "F5", "formation": "line"}, "off_map"),
        ({"unit": "1st Messina", "at": "E6", "facing": "S", "formation": "line"}, "occupied"),
        ({"unit": "an eleventh unit", "at": "A5"}, "no_such_unit"),
        ({"unit": "1st Turin", "at": "A5"}, "no_such_unit"),
    ],
)
def test_fr06_each_impossible_placement_is_refused_with_its_reason(people, place, reason):
    play = on_a_map(people, COAST, COAST_STRIPS)
    play.order("red_player", "place", unit="Etna Rifles", at="D5")
    play.order("red_player", "place", unit="Palermo Cuirassiers", at="D6")
    before = play.battle.version
    with pytest.raises((IllegalCommand, InvalidCommand)) as refused:
        play.order("red_player", "place", **place)
    assert (getattr(refused.value, "key", "") or refused.value.field) == reason
    assert play.battle.version == before and play.unit("1st Messina").at is None


def test_fr06_where_one_cell_can_be_entered_the_others_take_no_part(people):
    rows = (*COAST[:4], "~~.~~~", "~~~~~~")
    play = on_a_map(people, rows, COAST_STRIPS)
    play.order("red_player", "place", unit="1st Messina", at="C5")
    with pytest.raises(IllegalCommand):
        play.order("red_player", "place", unit="Etna Rifles", at="C5")
    play.order("blue_player", "place", unit="1st Turin", at="C2")
    play.tick(60.25)
    assert (play.battle.stage, play.battle.phase) == ("running", "turn") and not play.state.decisions
    fates = {u.name: u.fate.value if u.fate else "" for u in play.state.units if u.side.value == "red"}
    absent = dict.fromkeys(("Etna Rifles", "Palermo Cuirassiers", "Catania Guns"), "absent")
    assert fates == {"1st Messina": "", **absent}
    assert not verify(play.battle_id, decide=True)


# FR-08 on the service: nothing lives in memory


def test_fr08_a_question_and_its_clock_are_data(running):
    """Cavalry charges cavalry: the question, whose it is and until when survive because they are rows."""
    charge(running)
    (decision,) = running.state.decisions
    assert decision.owed_by is Actor.BLUE and decision.kind == "charge"
    clock = {c.key: c.running for c in selectors.clocks(running.battle, Viewer.BLUE, running.now)}
    assert clock == {f"answer:{decision.id}": True, "turn:1": False}
    with pytest.raises(IllegalCommand):
        running.order("red_player", "end_turn")
    running.order("blue_player", "answer", decision=decision.id, choice=decision.default)
    assert not running.state.decisions
    assert {c.key for c in selectors.clocks(running.battle, Viewer.BLUE, running.now)} == {"turn:1"}
    assert not verify(running.battle_id, decide=True)


def test_fr08_an_answer_that_does_not_come_is_the_default_at_its_due_time(running):
    charge(running)
    (decision,) = running.state.decisions
    running.tick(decision.seconds + 0.25)
    closed = told(running, "decision_closed").last()
    assert closed.body["choice"] == decision.default and closed.body["expired"] is True
    assert closed.at == later(decision.seconds)
    assert selectors.clocks(running.battle, Viewer.RED, running.now)[0].running
    assert not verify(running.battle_id, decide=True)


def charge(play):
    """RED's cuirassiers charge BLUE's, which stand four cells ahead and may answer."""
    play.order("moderator", "edit_unit", unit="Turin Cuirassiers", changes={"at": "G6", "facing": "S"}, reason="set up")
    play.order("red_player", "move", unit="Palermo Cuirassiers", path="G8 G7", attack="Turin Cuirassiers")


# FR-10: the dead keep marching


def test_fr10_an_order_for_a_unit_that_is_gone_is_refused_and_leaves_no_event(running):
    running.order("moderator", "edit_unit", unit="Etna Rifles", changes={"hp": 3}, reason="shot to pieces")
    assert running.unit("Etna Rifles").fate is not None
    version = running.battle.version
    for type, fields in (("move", {"path": "E8"}), ("fire", {"target": "1st Turin"}), ("face", {"facing": "N"})):
        with pytest.raises(IllegalCommand):
            running.order("red_player", type, unit="Etna Rifles", **fields)
    assert running.battle.version == version


# FR-11: both armies break


@pytest.mark.parametrize("attacker", ["red", "blue"])
def test_fr11_when_the_last_of_both_fall_together_nobody_has_won(people, attacker):
    """Two units of 4 HP in melee, last of their armies: both scatter, and nobody wins, whoever attacked."""
    armies = {
        "red": [{"kind": "heavy_infantry", "name": "1st Messina", "overrides": {"hp": 4}}],
        "blue": [{"kind": "heavy_infantry", "name": "1st Turin", "overrides": {"hp": 4}}],
    }
    battle = prepare(
        people["campaign_admin"], people["moderator"], people["red_player"], people["blue_player"],
        armies=armies, attacker=attacker,
    )  # fmt: skip
    services.open_battle(battle.pk, people["moderator"], NOW)
    play = Play(battle.pk, people).deploy()
    units = {"red": "1st Messina", "blue": "1st Turin"}
    enemy = "blue" if attacker == "red" else "red"
    for side, unit in units.items():
        play.order(f"{side}_player", "stance", unit=unit, name="defensive_fire", value=False)
    play.order("moderator", "edit_unit", unit=units["blue"], changes={"at": "C5"}, reason="set up")
    play.order("moderator", "edit_unit", unit=units["red"], changes={"at": "C6"}, reason="set up")
    play.order(f"{attacker}_player", "attack", unit=units[attacker], target=units[enemy])
    play.order(f"{attacker}_player", "end_turn")
    assert [unit.fate.value for unit in play.state.units] == ["scattered", "scattered"]
    assert (play.battle.stage, play.battle.winner) == ("over", None)
    assert not verify(play.battle_id, decide=True)
