"""The moderator's desk: every ruling, its refusals under their fields, and who may be there."""

from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from battles import services
from battles.models import Battle, BattleSecret, LogEntry, RefusedCommand
from rules.core.actors import Side
from rules.core.errors import IllegalCommand
from tests.battles.playing import NOW, Play


def text_of(response):
    return response.content.decode()


@pytest.fixture
def desk(client_of, people):
    """Gives rulings for the moderator, and shows his desk."""

    class Desk:
        client = client_of(people["moderator"])

        def page(self, play, query=""):
            return self.client.get(reverse("battles:battle_desk", args=[play.battle_id]) + query)

        def give(self, play, type, *, by=None, **fields):
            data = {"type": type, "command_id": str(uuid4()), **fields}
            client = client_of(people[by]) if by else self.client
            return client.post(reverse("battles:ruling", args=[play.battle_id]), data)

    return Desk()


@pytest.fixture(autouse=True)
def at_the_table(monkeypatch):
    """The pages' clock stands where the test's does."""
    monkeypatch.setattr(timezone, "now", lambda: NOW)


# Who may be there


def test_only_moderators_have_a_desk_for_a_battle(client_of, people, anonymous, running):
    url = reverse("battles:battle_desk", args=[running.battle_id])
    expected = {"red_player": 403, "blue_player": 403, "moderator": 200, "campaign_admin": 403, "spectator": 403}
    assert {who: client_of(people[who]).get(url).status_code for who in expected} == expected
    assert client_of(people["stranger"]).get(url).status_code == 404
    assert anonymous.get(url).status_code == 302


@pytest.mark.parametrize("who", ["red_player", "blue_player", "campaign_admin", "spectator", "stranger"])
def test_nobody_else_gives_a_ruling(desk, people, running, who):
    before = running.battle.version
    answer = desk.give(running, "stop_clock", by=who)
    assert answer.status_code == (404 if who == "stranger" else 403)
    assert running.battle.version == before


def test_the_desk_names_its_own_address_on_a_page_in_error_too(desk, running):
    address = reverse("battles:battle_desk", args=[running.battle_id])
    for page in (desk.page(running), desk.give(running, "edit_unit", unit="u1", hp="-3", reason="x")):
        assert f'data-desk="{address}"' in text_of(page)


def test_the_desk_shows_the_whole_board_and_is_kept_by_no_cache(desk, running):
    answer = desk.page(running)
    page = text_of(answer)
    assert page.count('<g class="unit side-red"') == 4 and page.count('<g class="unit side-blue"') == 4
    assert "no-store" in answer["Cache-Control"]


def test_in_deployment_the_desk_shows_both_strips(desk, play):
    play.place_all()
    page = text_of(desk.page(play))
    assert page.count('<g class="unit side-red"') == 4 and page.count('<g class="unit side-blue"') == 4


def test_no_seed_stands_on_the_desk(desk, running):
    seed = bytes(BattleSecret.objects.get(battle=running.battle_id).seed).hex()
    assert seed not in text_of(desk.page(running))


# The clock


def test_the_clock_is_stopped_and_goes_on(desk, running):
    assert desk.give(running, "stop_clock").status_code == 302
    assert running.state.clock_stopped and "Go on" in text_of(desk.page(running))
    assert desk.give(running, "start_clock").status_code == 302
    assert not running.state.clock_stopped


@pytest.mark.parametrize("seconds", [60, 300])
def test_more_time_is_given(desk, running, seconds):
    timer = running.state.timers[0]
    assert desk.give(running, "extend_clock", seconds=seconds).status_code == 302
    assert running.state.timer(timer.key).seconds == timer.seconds + seconds


def test_the_whole_time_is_given_again(desk, running):
    key = running.state.timers[0].key
    assert desk.give(running, "restart_clock").status_code == 302
    assert running.state.timers[0].key != key


def test_a_clock_that_runs_cannot_be_let_go_on(desk, running):
    answer = desk.give(running, "start_clock")
    assert answer.status_code == 422 and "The clock is running already." in text_of(answer)


@pytest.mark.parametrize("seconds", ["0", "-5", "x", "999999999"])
def test_a_senseless_extension_is_refused(desk, running, seconds):
    before = running.battle.version
    assert desk.give(running, "extend_clock", seconds=seconds).status_code == 422
    assert running.battle.version == before


# A unit changed


def edit(desk, play, name, **fields):
    return desk.give(play, "edit_unit", unit=play.key(name), **{"reason": "agreed by both", **fields})


def test_hit_points_and_place_are_changed_with_a_reason(desk, running):
    answer = edit(desk, running, "Etna Rifles", hp="7½", at="e8", facing="W")
    assert answer.status_code == 302
    unit = running.unit("Etna Rifles")
    assert unit.hp == 7.5 and unit.at == (4, 7) and unit.facing == 3
    entry = LogEntry.objects.filter(kind="unit_edited").get()
    assert entry.body["reason"] == "agreed by both" and entry.body["author"] == "Moderator"
    assert "agreed by both" in text_of(desk.page(running))


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"hp": "3", "reason": ""}, "reason", "needs a reason"),
        ({"hp": "3", "reason": "\u202e "}, "reason", "needs a reason"),
        ({}, "hp", "nothing would change"),
        ({"hp": "11"}, "hp", "impossible state"),
        ({"hp": "0.3"}, "hp", "half points"),
        ({"hp": "-1"}, "hp", "greater than or equal to 0"),
        ({"at": "Q99"}, "at", "impossible state"),
        ({"at": "here"}, "at", "Cell cannot be here"),
        ({"at": "C9"}, "at", "impossible state"),
        ({"facing": "up"}, "facing", "Select a valid choice"),
        ({"formation": "line"}, "formation", "impossible state"),
    ],
)
def test_a_refused_edit_names_its_field_and_changes_nothing(desk, running, fields, field, words):
    before = running.battle.version
    answer = edit(desk, running, "Etna Rifles", **fields)
    assert answer.status_code == 422 and running.battle.version == before
    errors = answer.context["edit_form"].errors
    assert words in " ".join(errors[field]), errors
    assert answer.context["edit_open"]


def test_a_unit_that_is_not_there_cannot_be_changed(desk, running):
    answer = desk.give(running, "edit_unit", unit="nobody", hp="3", reason="why not")
    assert answer.status_code == 422 and "unit" in answer.context["edit_form"].errors


def test_a_reason_is_kept_whole_or_not_taken(desk, running):
    assert desk.give(running, "extend_clock", seconds="60", reason="x" * 496 + "ENDE").status_code == 302
    assert "ENDE" in LogEntry.objects.filter(battle=running.battle_id).latest("number").body["reason"]
    assert desk.give(running, "extend_clock", seconds="60", reason="x" * 497 + "ENDE").status_code == 422


@pytest.mark.parametrize("digits", ["9" * 5000, "9" * 300, "9" * 19])
def test_numbers_beyond_all_bounds_are_no_fault(desk, running, digits):
    """Where a number is read from an address or a form, one that no database holds is refused in words."""
    for type, fields in (
        ("rewind", {"to": digits}),
        ("extend_clock", {"seconds": digits}),
        ("edit_unit", {"unit": "u1", "hp": digits}),
    ):
        assert desk.give(running, type, reason="Why not", **fields).status_code == 422
    for query in (f"?rewind={digits}", f"?before={digits}"):
        assert desk.page(running, query).status_code == 200


def test_a_second_press_is_not_a_second_ruling(desk, running):
    id = str(uuid4())
    for _ in range(2):
        answer = desk.give(running, "edit_unit", unit=running.key("Etna Rifles"), hp="8", reason="x", command_id=id)
        assert answer.status_code == 302
    assert LogEntry.objects.filter(kind="unit_edited").count() == 1
    other = desk.give(running, "edit_unit", unit=running.key("Etna Rifles"), hp="7", reason="x", command_id=id)
    assert other.status_code == 409 and "already" in text_of(other)


# Rewinds


def test_a_rewind_asks_its_reason_and_takes_the_battle_back(desk, running):
    running.order("red_player", "move", unit="Etna Rifles", path=["E8"])
    entry = LogEntry.objects.filter(kind="unit_moved").get()
    page = desk.page(running, f"?rewind={entry.number}")
    assert f"Rewind to before entry {entry.number}" in text_of(page)
    empty = desk.give(running, "rewind", to=entry.number, reason="")
    assert empty.status_code == 422 and "needs a reason" in text_of(empty)
    assert desk.give(running, "rewind", to=entry.number, reason="the wrong unit").status_code == 302
    assert running.unit("Etna Rifles").at == (4, 8)
    assert LogEntry.objects.get(pk=entry.pk).abandoned


def test_a_rewind_past_a_reveal_must_be_confirmed(desk, running):
    entry = LogEntry.objects.filter(kind="deployment_revealed").get()
    first = desk.give(running, "rewind", to=entry.number, reason="again")
    page = text_of(first)
    assert first.status_code == 422 and "has been seen by the players" in page and "Rewind all the same" in page
    assert running.battle.phase == "turn"
    assert 'name="confirmed" value="on"' in page or 'value="on"' in page
    second = desk.give(running, "rewind", to=entry.number, reason="again", confirmed="on")
    assert second.status_code == 302 and running.battle.phase == "deployment"


def test_a_rewind_to_an_abandoned_entry_is_refused_in_words(desk, running):
    running.order("red_player", "move", unit="Etna Rifles", path=["E8"])
    entry = LogEntry.objects.filter(kind="unit_moved").get()
    desk.give(running, "rewind", to=entry.number, reason="x")
    answer = desk.give(running, "rewind", to=entry.number, reason="x")
    assert answer.status_code == 422 and "abandoned part" in text_of(answer)


def test_lines_of_the_opening_and_abandoned_lines_offer_no_rewind(desk, running):
    lines = desk.page(running).context["lines"]
    assert lines and {e["line"].no for e in lines if not e["can_rewind"]} == {1, 2, 3, 4}


# Questions


def overwhelmed(play):
    """Cuirassiers overwhelm light infantry: the moderator is asked what they lose."""
    for name, cell in (("Palermo Cuirassiers", "E6"), ("Alpine Rifles", "E3")):
        play.order("moderator", "edit_unit", unit=name, changes={"at": cell}, reason="to the place")
    play.order("blue_player", "stance", unit="Alpine Rifles", name="defensive_fire", value=False)
    play.order("red_player", "move", unit="Palermo Cuirassiers", path=["E5", "E4"], attack=play.key("Alpine Rifles"))
    play.order("red_player", "end_turn")
    return next(d for d in play.state.decisions if d.kind == "overwhelm")


def test_an_overwhelm_is_ruled_with_a_reason(desk, running):
    question = overwhelmed(running)
    page = desk.page(running)
    assert "Palermo Cuirassiers" in text_of(page) and "What does the stronger unit lose?" in text_of(page)
    assert [row.id for row in page.context["queue"]] == [running.battle_id]
    missing = desk.give(running, "answer", decision=question.id, choice="0.5", reason="")
    assert missing.status_code == 422 and "needs a reason" in text_of(missing)
    assert desk.give(running, "answer", decision=question.id, choice="0.5", reason="a hard ride").status_code == 302
    assert running.unit("Palermo Cuirassiers").hp == 5.5 and not running.state.decisions
    entry = LogEntry.objects.filter(kind="decision_closed").get()
    assert entry.body["reason"] == "a hard ride" and entry.body["author"] == "Moderator"


def test_an_answer_that_is_not_offered_is_refused(desk, running):
    question = overwhelmed(running)
    answer = desk.give(running, "answer", decision=question.id, choice="2", reason="x")
    assert answer.status_code == 422 and running.state.decisions


def test_a_question_that_is_closed_is_stale(desk, running):
    question = overwhelmed(running)
    desk.give(running, "answer", decision=question.id, choice="0", reason="x")
    answer = desk.give(running, "answer", decision=question.id, choice="0.5", reason="x")
    assert answer.status_code in (409, 422) and running.unit("Palermo Cuirassiers").hp == 6


@pytest.mark.parametrize(("choice", "phase", "stage"), [
    ("restart", "deployment", "running"), ("go_on", "turn", "running"), ("close", "over", "over"),
])  # fmt: skip
def test_nobody_deployed_is_ruled(desk, play, choice, phase, stage):
    unit = play.key("1st Messina")
    play.order("red_player", "place", unit=unit, at="C9")
    play.tick(61)
    (question,) = play.state.decisions
    assert "has no unit on the field" in text_of(desk.page(play))
    assert desk.give(play, "answer", decision=question.id, choice=choice, reason="agreed").status_code == 302
    assert play.battle.phase == phase and play.battle.stage == stage


def test_an_early_rout_may_be_waived(desk, client_of, prepared, people):
    Battle.objects.filter(pk=prepared.pk).update(parameters={"rout_confirmation": True})
    services.open_battle(prepared.pk, people["moderator"], NOW)
    play = Play(prepared.pk, people).deploy()
    for name in ("Alpine Rifles", "1st Turin"):
        play.order("moderator", "edit_unit", unit=name, changes={"hp": 1}, reason="as agreed")
    play.order("red_player", "end_turn")
    question = next(d for d in play.state.decisions if d.kind == "early_rout")
    assert "would break now" in text_of(desk.page(play))
    assert (
        desk.give(play, "answer", decision=question.id, choice="fight_on", reason="reserves are near").status_code
        == 302
    )
    assert play.battle.stage == "running" and play.battle.phase == "turn"


def test_a_stalemate_is_ruled_for_a_side(desk, running):
    for name in (
        "1st Messina",
        "Etna Rifles",
        "Palermo Cuirassiers",
        "1st Turin",
        "Alpine Rifles",
        "Turin Cuirassiers",
    ):
        if running.unit(name).fate is None and running.battle.stage == "running":
            running.order("moderator", "edit_unit", unit=name, changes={"hp": 0.5}, reason="as agreed")
    running.order(running.mover(), "end_turn")
    question = next((d for d in running.state.decisions if d.kind == "stalemate"), None)
    assert question is not None
    assert "dead end" in text_of(desk.page(running))
    assert desk.give(running, "answer", decision=question.id, choice="blue", reason="better ground").status_code == 302
    assert running.battle.winner == "blue" and running.battle.reason == "stalemate"


def test_units_caught_in_a_retreat_are_ruled(desk, running):
    for name, cell in (("Etna Rifles", "E6"), ("Alpine Rifles", "E5")):
        running.order("moderator", "edit_unit", unit=name, changes={"at": cell}, reason="to the place")
    running.order("red_player", "attack", unit="Etna Rifles", target="Alpine Rifles")
    running.order("red_player", "retreat", confirmed=True)
    running.order("red_player", "end_turn")
    running.order("blue_player", "end_pursuit")
    question = next(d for d in running.state.decisions if d.kind == "caught_in_retreat")
    assert "Etna Rifles" in text_of(desk.page(running))
    assert desk.give(running, "answer", decision=question.id, choice="captured", reason="cut off").status_code == 302
    assert running.unit("Etna Rifles").fate.value == "captured"


# The end


@pytest.mark.parametrize("winner", ["red", "blue", "none"])
def test_the_battle_is_ended_with_a_result(desk, running, winner):
    assert desk.give(running, "close_battle", winner=winner, reason="it is late").status_code == 302
    battle = running.battle
    assert battle.stage == "over" and battle.winner == (None if winner == "none" else Side(winner).value)
    page = text_of(desk.page(running))
    assert "Change a unit" not in page and "Before this" not in page


@pytest.mark.parametrize(("fields", "field"), [
    ({"winner": "red", "reason": ""}, "reason"), ({"winner": "", "reason": "x"}, "winner"),
    ({"winner": "green", "reason": "x"}, "winner"),
])  # fmt: skip
def test_an_end_needs_a_result_and_a_reason(desk, running, fields, field):
    answer = desk.give(running, "close_battle", **fields)
    assert answer.status_code == 422 and field in answer.context["close_form"].errors
    assert running.battle.stage == "running"


# What cannot be read, and the rest of the page


@pytest.mark.parametrize("type", ["", "move", "waive_rule", "time_expired", "end_turn"])
def test_what_is_no_ruling_is_a_bad_request(desk, running, type):
    assert desk.give(running, type).status_code == 400


@pytest.mark.parametrize("id", ["", "no-uuid"])
def test_a_ruling_without_its_id_is_refused(desk, running, id):
    answer = desk.give(running, "stop_clock", command_id=id)
    assert answer.status_code == 422 and not running.state.clock_stopped


def test_it_would_not_let_me_lists_refused_orders(desk, running):
    with pytest.raises(IllegalCommand):
        running.order("blue_player", "end_turn")
    assert RefusedCommand.objects.count() == 1
    page = text_of(desk.page(running))
    assert "It would not let me" in page and "Blue Player" in page and "the other side" in page.casefold()


def test_the_timeline_filters_and_pages(desk, running):
    assert all(each["line"].ruling for each in desk.page(running, "?only=rulings").context["lines"])
    for query in ("?before=x", "?before=99999999999999", "?only=all", "?rewind=x", "?rewind=-1"):
        assert desk.page(running, query).status_code == 200
    assert [e["line"].no for e in desk.page(running, "?before=5").context["lines"]][-1] < 5


def test_the_desk_lists_what_needs_a_ruling_first(desk, running, prepared, people):
    overwhelmed(running)
    page = desk.client.get(reverse("battles:desk"))
    assert [row.id for row in page.context["needed"]] == [running.battle_id]
    assert "1 battle needs you now" in text_of(page)


def test_the_desk_of_somebody_who_moderates_nothing_says_so(client_of, people):
    assert "The desk is clear" in text_of(client_of(people["stranger"]).get(reverse("battles:desk")))


def test_a_reason_is_plain_text(desk, running):
    hostile = '"><img src=x onerror=window.__x=1>{{7*7}}'
    edit(desk, running, "Etna Rifles", hp="8", reason=hostile)
    page = text_of(desk.page(running))
    assert "<img src=x" not in page and "{{7*7}}" in page
