"""Who sees what, by role and moment: the table of core.md 5."""

import msgspec
import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from battles import selectors, services
from battles.models import Battle, CampaignRole, Membership
from battles.selectors import Role
from rules.core.actors import Viewer
from rules.core.codec import text
from rules.core.errors import IllegalCommand
from tests.battles.playing import NOW, Play, later, prepare

pytestmark = pytest.mark.django_db
CAST = ("red_player", "blue_player", "moderator", "campaign_admin", "spectator", "stranger", "anonymous")
PRIVATE = {
    "red_player": (Viewer.RED, Role.PLAYER),
    "blue_player": (Viewer.BLUE, Role.PLAYER),
    "moderator": (Viewer.MODERATOR, Role.MODERATOR),
    "campaign_admin": (Viewer.PUBLIC, Role.ADMIN),
    "spectator": (Viewer.PUBLIC, Role.SPECTATOR),
    "stranger": None,
    "anonymous": None,
}


def sights(battle_id, people):
    """As whom each of the cast looks; None for 404."""
    found = {}
    for who in CAST:
        user = people.get(who) or AnonymousUser()
        try:
            found[who] = selectors.battle_for(user, battle_id)[1:]
        except Http404:
            found[who] = None
    return found


def kinds(battle, viewer):
    return [line.kind for line in selectors.log_page(battle, viewer, limit=500).lines]


def units(battle, viewer):
    return {unit.name for unit in selectors.view_of(battle, viewer).units}


@pytest.fixture(params=[False, True], ids=["private", "public"])
def public(request, prepared):
    type(prepared.campaign).objects.filter(pk=prepared.campaign_id).update(public=request.param)
    return request.param


def test_a_stranger_gets_404_until_a_public_battle_is_revealed(public, play, people):
    assert sights(play.battle_id, people) == PRIVATE
    play.deploy()
    watcher = (Viewer.PUBLIC, Role.SPECTATOR) if public else None
    assert sights(play.battle_id, people) == {**PRIVATE, "stranger": watcher}
    play.order("moderator", "close_battle", reason="dusk")
    assert sights(play.battle_id, people) == {**PRIVATE, "stranger": watcher}


def test_before_the_opening_too(public, prepared, people):
    assert sights(prepared.pk, people) == PRIVATE
    with pytest.raises(Http404):
        selectors.battle_for(people["red_player"], 99_999)


def test_a_battle_without_spectators_shows_itself_to_its_people_only(running, people):
    Battle.objects.filter(pk=running.battle_id).update(allow_spectators=False)
    assert sights(running.battle_id, people) == {**PRIVATE, "spectator": None}


def test_a_deactivated_user_is_a_stranger(running, people):
    people["red_player"].is_active = False
    with pytest.raises(Http404):
        selectors.battle_for(people["red_player"], running.battle_id)


def test_a_person_with_a_seat_is_that_side_whatever_else_he_is(running, people):
    Membership.objects.filter(user=people["red_player"]).update(role=CampaignRole.ADMIN)
    people["red_player"].is_superuser = True
    people["red_player"].save()
    assert selectors.battle_for(people["red_player"], running.battle_id)[1:] == (Viewer.RED, Role.PLAYER)


def test_superusers_have_no_special_eyes(running, people):
    people["stranger"].is_superuser = True
    people["stranger"].save()
    assert sights(running.battle_id, people)["stranger"] is None


def test_in_the_deployment_each_side_sees_its_own(play):
    play.place_all()
    battle = play.battle
    red, blue = {"1st Messina", "Etna Rifles", "Palermo Cuirassiers", "Catania Guns"}, {
        "1st Turin", "Alpine Rifles", "Turin Cuirassiers", "Novara Guns",
    }  # fmt: skip
    assert {v: units(battle, v) for v in Viewer} == {
        Viewer.RED: red, Viewer.BLUE: blue, Viewer.MODERATOR: red | blue, Viewer.PUBLIC: set(),
    }  # fmt: skip
    assert kinds(battle, Viewer.PUBLIC) == ["battle_opened", "phase_started"]
    assert kinds(battle, Viewer.RED).count("unit_placed") == 4
    assert kinds(battle, Viewer.MODERATOR).count("unit_placed") == 8
    assert not selectors.unit_lines(battle, Viewer.MODERATOR)
    for viewer in Viewer:
        assert [clock.key for clock in selectors.clocks(battle, viewer, NOW)] == ["deployment"]


def test_numbers_have_no_gaps_that_would_tell(play):
    play.place_all()
    for viewer in (Viewer.RED, Viewer.BLUE, Viewer.PUBLIC):
        page = selectors.log_page(play.battle, viewer, limit=500)
        assert [line.no for line in page.lines] == list(range(1, len(page.lines) + 1))
        assert {line.number for line in page.lines} == {None}
        assert selectors.version_for(play.battle, viewer) == len(page.lines)


def test_ready_is_told_as_yes_or_no(play):
    play.order("blue_player", "ready")
    for viewer in Viewer:
        assert {side.value for side in selectors.view_of(play.battle, viewer).ready} == {"blue"}


def test_at_the_reveal_absent_units_stay_hidden_from_the_enemy(play):
    play.order("red_player", "place", unit="1st Messina", at="C9")
    play.order("blue_player", "place", unit="1st Turin", at="C2")
    play.tick(61)
    battle = play.battle
    assert units(battle, Viewer.PUBLIC) == {"1st Messina", "1st Turin"}
    assert units(battle, Viewer.RED) == {
        "1st Turin",
        "1st Messina",
        "Etna Rifles",
        "Palermo Cuirassiers",
        "Catania Guns",
    }
    assert len(units(battle, Viewer.MODERATOR)) == 8
    assert {line.name for line in selectors.unit_lines(battle, Viewer.BLUE)} == units(battle, Viewer.BLUE)
    told = text([msgspec.to_builtins(line.sentence) for line in selectors.log_page(battle, Viewer.BLUE).lines])
    for name in ("Etna Rifles", "Palermo Cuirassiers", "Catania Guns"):
        assert name.encode() not in told


def test_stances_are_known_to_their_own_side(running):
    running.order("red_player", "stance", unit="1st Messina", name="defensive_fire", value=False)
    battle = running.battle
    stance = {
        v: next(u for u in selectors.view_of(battle, v).units if u.name == "1st Messina").defensive_fire for v in Viewer
    }
    assert stance == {Viewer.RED: False, Viewer.BLUE: None, Viewer.MODERATOR: False, Viewer.PUBLIC: None}
    assert "stance_set" in kinds(battle, Viewer.RED) and "stance_set" not in kinds(battle, Viewer.BLUE)


@pytest.mark.parametrize("keep", [False, True])
def test_at_the_end_everything_is_open_unless_the_campaign_keeps_secrets(play, keep):
    type(play.battle.campaign).objects.filter(pk=play.battle.campaign_id).update(keep_secrets=keep)
    play.order("red_player", "place", unit="1st Messina", at="C9")
    play.order("blue_player", "place", unit="1st Turin", at="C2")
    play.tick(61)
    play.order("red_player", "stance", unit="1st Messina", name="defensive_fire", value=False)
    play.order("moderator", "close_battle", reason="dusk")
    battle = play.battle
    for viewer in (Viewer.BLUE, Viewer.PUBLIC):
        open_eyes = not keep
        assert ("Etna Rifles" in units(battle, viewer)) is open_eyes
        assert ("stance_set" in kinds(battle, viewer)) is open_eyes
        assert bool(selectors.dice_of(battle, viewer).seed) is open_eyes
        assert ("Etna Rifles" in {line.name for line in selectors.unit_lines(battle, viewer)}) is open_eyes
        view = selectors.view_of(battle, viewer)
        shown = next(u for u in view.units if u.name == "1st Messina").defensive_fire
        assert shown is (False if open_eyes else None)
        assert view.viewer is viewer and view.outcome is not None
    assert selectors.dice_of(battle, Viewer.MODERATOR).seed
    assert ("Novara Guns" in units(battle, Viewer.RED)) is not keep


def test_changing_everything_hidden_changes_nothing_that_the_other_side_gets(prepared, people):
    """The property of core.md 5, on the service: frames, log, clocks and version stay the same bytes."""
    services.open_battle(prepared.pk, people["moderator"], NOW)
    play = Play(prepared.pk, people)

    def blue_gets():
        battle = play.battle
        return text(
            [
                msgspec.to_builtins(selectors.view_of(battle, Viewer.BLUE)),
                [
                    msgspec.to_builtins(line._replace(sentence=None))
                    for line in selectors.log_page(battle, Viewer.BLUE).lines
                ],
                selectors.version_for(battle, Viewer.BLUE),
                [clock._asdict() for clock in selectors.clocks(battle, Viewer.BLUE, NOW)],
            ]
        )

    before = blue_gets()
    play.order("red_player", "place", unit="1st Messina", at="C9")
    play.order("red_player", "place", unit="Etna Rifles", at="E9", when=later(5))
    play.order("red_player", "take_back", unit="1st Messina", when=later(6))
    assert blue_gets() == before


def test_the_lists_of_home_show_what_waits_first(running, people):
    red = selectors.home_lists(people["red_player"], NOW)
    assert [(card.id, card.button, card.waiting) for card in red.waiting] == [(running.battle_id, "play", True)]
    blue = selectors.home_lists(people["blue_player"], NOW)
    assert [(card.id, card.button) for card in blue.running] == [(running.battle_id, "watch")] and not blue.waiting
    assert [card.button for card in selectors.home_lists(people["moderator"], NOW).running] == ["desk"]
    nobody = selectors.home_lists(people["stranger"], NOW)
    assert not nobody.waiting and not nobody.running and not nobody.finished
    running.order("moderator", "close_battle", winner="red", reason="dusk")
    assert [card.button for card in selectors.home_lists(people["blue_player"], NOW).finished] == ["replay"]


def test_a_list_costs_the_same_with_one_battle_and_with_four(running, people, django_assert_max_num_queries):
    for _ in range(3):
        battle = prepare(
            people["campaign_admin"], people["moderator"], people["red_player"], people["blue_player"],
            campaign=running.battle.campaign,
        )  # fmt: skip
        services.open_battle(battle.pk, people["moderator"], NOW)
    with django_assert_max_num_queries(4):
        lists = selectors.home_lists(people["red_player"], NOW)
    assert len(lists.waiting) == 4
    campaign = running.battle.campaign
    with django_assert_max_num_queries(2):
        assert len(selectors.battles_of(campaign, people["red_player"], NOW)) == 4
    with django_assert_max_num_queries(3):
        assert len(selectors.desk_for(people["moderator"], NOW)) == 4


def test_desk_counts_what_was_refused(running, people):
    with pytest.raises(IllegalCommand):
        running.order("red_player", "move", unit="Etna Rifles", path="A1")
    (item,) = selectors.desk_for(people["moderator"], NOW)
    assert (item.refused, item.decisions, item.clock_stopped) == (1, (), False)
