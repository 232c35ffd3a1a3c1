"""Campaigns, battles before their opening, invitations, seats and moderators."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from battles import selectors, services
from battles.models import Battle, BattleSecret, Campaign, Membership, Moderator, Seat, SeenBy
from battles.services import Refused
from rules.core.actors import Side, Viewer
from rules.core.dice import seed_hash
from tests.battles.playing import NOW, a_plan, later, prepare

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(people):
    made = services.create_campaign(user=people["campaign_admin"], name="Two Sicilies")
    services.set_member(user=people["campaign_admin"], campaign=made, member=people["moderator"], role="moderator")
    return made


@pytest.fixture
def battle(campaign, people):
    return services.create_battle(user=people["moderator"], campaign=campaign, plan=a_plan())


def invited(battle, people, side="red", **more):
    return services.invite(user=people["moderator"], battle_id=battle.pk, side=side, now=NOW, **more).token


def test_the_founder_of_a_campaign_is_its_administrator(campaign, people):
    assert selectors.campaign_for(people["campaign_admin"], campaign.pk) == (campaign, "admin")
    with pytest.raises(Http404):
        selectors.campaign_for(people["stranger"], campaign.pk)


def test_a_name_is_wanted_and_loses_what_cannot_be_seen(people):
    with pytest.raises(Refused):
        services.create_campaign(user=people["moderator"], name="\u202e \u200b")
    made = services.create_campaign(user=people["moderator"], name="Na\u202eples\n")
    assert Campaign.objects.get(pk=made.pk).name == "Naples"


def test_a_campaign_keeps_an_administrator(campaign, people):
    admin = people["campaign_admin"]
    with pytest.raises(Refused):
        services.set_member(user=admin, campaign=campaign, member=admin, role="guest")
    with pytest.raises(PermissionDenied):
        services.set_member(user=people["moderator"], campaign=campaign, member=people["stranger"], role="guest")


def test_a_battle_has_the_hash_of_its_seed_before_anybody_gives_a_phrase(battle):
    seed = bytes(BattleSecret.objects.get(battle=battle).seed)
    assert len(seed) == 32 and battle.seed_hash == seed_hash(seed)


def test_players_and_guests_set_up_no_battle(campaign, people):
    for role in ("player", "guest"):
        services.set_member(user=people["campaign_admin"], campaign=campaign, member=people["spectator"], role=role)
        with pytest.raises(PermissionDenied):
            services.create_battle(user=people["spectator"], campaign=campaign, plan=a_plan())


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": " "}, "name"),
        ({"ruleset": "chess"}, "ruleset"),
        ({"attacker": "green"}, "attacker"),
        ({"parameters": {"unit_limit": -1}}, "unit_limit"),
        ({"parameters": {"wind": 3}}, "wind"),
        ({"parameters": {"battle_kind": "riot"}}, "parameters"),
        ({"armies": {"red": [{"kind": "dragons", "name": "Smaug"}], "blue": []}}, "red"),
        ({"armies": {"red": [{"kind": "cuirassiers", "name": ""}], "blue": []}}, "red"),
        ({"armies": {"red": [{"name": "x"}], "blue": []}}, "red"),
        ({"sides": {"red": {"name": "Sicily"}}}, "blue_name"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused_by_its_field(campaign, people, changes, field):
    with pytest.raises(Refused) as refused:
        services.create_battle(user=people["moderator"], campaign=campaign, plan=a_plan(**changes))
    assert refused.value.field == field and refused.value.message
    assert not Battle.objects.exists()


def test_a_battle_is_changed_until_it_opens(prepared, people):
    services.change_battle(user=people["moderator"], battle_id=prepared.pk, plan=a_plan(name="Ponte"))
    assert Battle.objects.get(pk=prepared.pk).name == "Ponte"
    services.open_battle(prepared.pk, people["moderator"], NOW)
    with pytest.raises(Refused):
        services.change_battle(user=people["moderator"], battle_id=prepared.pk, plan=a_plan())


def test_an_invitation_is_used_once(battle, people):
    token = invited(battle, people)
    services.take_seat(token=token, user=people["red_player"], now=NOW, phrase="per\u202e aspera")
    seat = Seat.objects.get(battle=battle, side="red")
    assert (seat.user, seat.phrase) == (people["red_player"], "per aspera")
    with pytest.raises(Refused, match="used"):
        services.take_seat(token=token, user=people["blue_player"], now=NOW)


def test_an_invitation_expires(battle, people):
    token = invited(battle, people, days=1)
    with pytest.raises(Refused, match="expired"):
        services.take_seat(token=token, user=people["red_player"], now=NOW + timedelta(days=1))
    services.take_seat(token=token, user=people["red_player"], now=NOW + timedelta(hours=23))


def test_an_invitation_can_be_withdrawn_and_then_is_worthless(battle, people):
    made = services.invite(user=people["moderator"], battle_id=battle.pk, side="red", now=NOW)
    services.withdraw_invitation(user=people["moderator"], invitation_id=made.pk, now=NOW)
    with pytest.raises(Refused, match="withdrawn"):
        services.take_seat(token=made.token, user=people["red_player"], now=NOW)
    with pytest.raises(Refused):
        services.withdraw_invitation(user=people["moderator"], invitation_id=made.pk, now=NOW)
    with pytest.raises(Http404):
        services.take_seat(token="no such token", user=people["red_player"], now=NOW)


def test_strangers_and_players_invite_nobody(prepared, people):
    with pytest.raises(Http404):
        services.invite(user=people["stranger"], battle_id=prepared.pk, side="red", now=NOW)
    with pytest.raises(PermissionDenied):
        services.invite(user=people["red_player"], battle_id=prepared.pk, side="blue", now=NOW)


def test_nobody_moderates_where_he_sits(prepared, people):
    with pytest.raises(Refused):
        services.add_moderator(user=people["moderator"], battle_id=prepared.pk, moderator=people["red_player"])


def test_a_moderator_takes_no_seat_not_even_when_he_is_none_any_more(battle, people):
    token = invited(battle, people)
    with pytest.raises(Refused):
        services.take_seat(token=token, user=people["moderator"], now=NOW)
    services.add_moderator(user=people["moderator"], battle_id=battle.pk, moderator=people["spectator"])
    services.remove_moderator(user=people["moderator"], battle_id=battle.pk, moderator=people["spectator"])
    with pytest.raises(Refused, match="seen"):
        services.take_seat(token=token, user=people["spectator"], now=NOW)


def test_who_has_seen_one_side_never_sits_on_the_other(battle, people):
    services.take_seat(token=invited(battle, people), user=people["red_player"], now=NOW)
    services.vacate_seat(user=people["moderator"], battle_id=battle.pk, side="red")
    blue = invited(battle, people, "blue")
    with pytest.raises(Refused, match="seen"):
        services.take_seat(token=blue, user=people["red_player"], now=NOW)
    services.take_seat(token=invited(battle, people), user=people["red_player"], now=NOW)


def test_a_battle_keeps_a_moderator(battle, people):
    with pytest.raises(Refused):
        services.remove_moderator(user=people["moderator"], battle_id=battle.pk, moderator=people["moderator"])
    assert Moderator.objects.filter(battle=battle).count() == SeenBy.objects.filter(battle=battle).count() == 1


def test_taking_a_seat_makes_one_a_member_of_the_campaign(battle, people):
    services.take_seat(token=invited(battle, people), user=people["stranger"], now=NOW)
    assert Membership.objects.get(user=people["stranger"]).role == "player"


def test_a_phrase_is_given_until_the_opening_and_hashed_into_the_dice(prepared, people):
    services.set_phrase(user=people["red_player"], battle_id=prepared.pk, phrase="Garibaldi")
    services.open_battle(prepared.pk, people["moderator"], NOW)
    with pytest.raises(Refused):
        services.set_phrase(user=people["red_player"], battle_id=prepared.pk, phrase="Cavour")
    seen = selectors.battle_for(people["blue_player"], prepared.pk)
    assert selectors.dice_of(*seen[:2]).phrases == ("Garibaldi",)
    assert services.phrases(seen.battle) == ("Garibaldi",)


def test_a_phrase_is_shown_to_its_owner_only_before_the_opening(prepared, people):
    services.set_phrase(user=people["red_player"], battle_id=prepared.pk, phrase="Garibaldi")
    for who in ("red_player", "blue_player", "moderator", "campaign_admin"):
        seen = selectors.battle_for(people[who], prepared.pk)
        ready = selectors.preparation(seen, people[who], NOW)
        assert [seat.has_phrase for seat in ready.seats] == [True, False]
        assert [seat.phrase for seat in ready.seats] == ["Garibaldi" if who == "red_player" else "", ""]


@pytest.mark.parametrize("lack", ["seat", "army", "map"])
def test_a_battle_opens_only_when_nothing_is_missing(prepared, people, lack):
    if lack == "seat":
        services.vacate_seat(user=people["moderator"], battle_id=prepared.pk, side="blue")
    elif lack == "army":
        Battle.objects.filter(pk=prepared.pk).update(armies={"red": prepared.armies["red"], "blue": []})
    else:
        Battle.objects.filter(pk=prepared.pk).update(board=[])
    with pytest.raises(Refused):
        services.open_battle(prepared.pk, people["moderator"], NOW)
    assert Battle.objects.get(pk=prepared.pk).version == 0


def test_only_a_moderator_opens_a_battle_and_only_once(prepared, people):
    for who in ("red_player", "campaign_admin", "spectator"):
        with pytest.raises(PermissionDenied):
            services.open_battle(prepared.pk, people[who], NOW)
    services.open_battle(prepared.pk, people["moderator"], NOW)
    with pytest.raises(Refused):
        services.open_battle(prepared.pk, people["moderator"], later(1))


def test_unit_keys_are_drawn_at_random(people):
    keys = []
    for _ in range(2):
        battle = prepare(people["campaign_admin"], people["moderator"], people["red_player"], people["blue_player"])
        services.open_battle(battle.pk, people["moderator"], NOW)
        keys += [unit.key for unit in selectors.current_state(Battle.objects.get(pk=battle.pk)).units]
    assert len(set(keys)) == len(keys) == 16
    assert {len(key) for key in keys} == {11}


def test_army_lists_before_the_opening_are_shown_to_their_own_side(prepared, people):
    shown = {
        who: set(selectors.army_lists(*selectors.battle_for(people[who], prepared.pk)[:2]))
        for who in ("red_player", "blue_player", "moderator", "campaign_admin", "spectator")
    }
    assert shown == {
        "red_player": {Side.RED},
        "blue_player": {Side.BLUE},
        "moderator": {Side.RED, Side.BLUE},
        "campaign_admin": set(),
        "spectator": set(),
    }
    with pytest.raises(Http404):
        selectors.view_of(prepared, Viewer.MODERATOR)
