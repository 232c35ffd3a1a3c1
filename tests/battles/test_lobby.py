"""The pages around a battle: making it, inviting, preparing, opening, and who may see which page."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from battles import selectors, services
from battles.models import Battle, Campaign, Invitation, Membership, Moderator, Seat
from battles.views.lobby import duration, greeting
from tests.battles.playing import a_plan, prepare

HOSTILE = '"><img src=x onerror=window.__x=1>{{7*7}}'
CYRILLIC = "Бородинское поле и всё что было " + "у деревни Семёновской при 🐎"
TURNED = "Gate\u202eetaG"


@pytest.fixture
def made(campaign_admin):
    """A campaign of the admin."""
    return services.create_campaign(user=campaign_admin, name="Two Sicilies")


def fields(**changes):
    """The form of a battle, filled in."""
    data = {
        "name": "The ford at Vallelunga",
        "map": str(services.library_rows()[0].pk),
        "red_name": "Sicily",
        "red_colour": "red",
        "blue_name": "Italy",
        "blue_colour": "blue",
        "attacker": "",
        "red_n_heavy_infantry": "3",
        "red_n_foot_artillery": "1",
        "blue_list": "Savoy Guard; heavy infantry; melee=4; steadfast\nNovara Lancers; лёгкая кавалерия",
        "allow_spectators": "on",
    }
    for parameter in ("unit_limit", "deployment_seconds", "turn_seconds", "answer_seconds", "quiet_turns"):
        data[f"p_{parameter}"] = ""
    data |= {"p_battle_kind": "field", "p_defensive_fire_from": "any"}
    return data | {key: str(value) for key, value in changes.items()}


def create(client_of, admin, campaign, **changes):
    url = reverse("battles:battle_new", args=[campaign.pk])
    return client_of(admin).post(url, fields(**changes))


def text_of(response):
    return response.content.decode()


# Campaigns


def test_somebody_founds_a_campaign_and_is_its_admin(client_of, campaign_admin):
    client = client_of(campaign_admin)
    answer = client.post(
        reverse("battles:campaign_new"), {"name": "  Two\u200b   Sicilies ", "public": "on"}, follow=True
    )
    campaign = Campaign.objects.get()
    assert answer.status_code == 200 and campaign.name == "Two Sicilies" and campaign.public
    assert Membership.objects.get().role == "admin"


@pytest.mark.parametrize("name", ["", "   ", "\u202e\u200b", "x" * 81])
def test_a_campaign_needs_a_name_that_can_be_read(client_of, campaign_admin, name):
    answer = client_of(campaign_admin).post(reverse("battles:campaign_new"), {"name": name})
    assert answer.status_code == 422 and not Campaign.objects.exists()
    assert "invalid-feedback" in text_of(answer)


def test_an_admin_adds_members_changes_their_roles_and_removes_them(client_of, campaign_admin, spectator, made):
    client, url = client_of(campaign_admin), reverse("battles:campaign", args=[made.pk])
    client.post(url, {"action": "member", "username": "spectator", "role": "guest"})
    assert services.campaign_role(spectator, made) == "guest"
    client.post(url, {"action": "member", "username": "spectator", "role": "moderator"})
    assert services.campaign_role(spectator, made) == "moderator"
    client.post(url, {"action": "remove", "username": "spectator"})
    assert services.campaign_role(spectator, made) is None


def test_a_user_name_that_nobody_has_is_named_under_its_field(client_of, campaign_admin, made):
    url = reverse("battles:campaign", args=[made.pk])
    answer = client_of(campaign_admin).post(url, {"action": "member", "username": "nemo", "role": "guest"})
    assert answer.status_code == 422 and "Nobody here has this user name." in text_of(answer)


def test_whoever_was_taken_in_can_leave_again(client_of, campaign_admin, spectator, stranger, made):
    services.set_member(user=campaign_admin, campaign=made, member=spectator, role="guest")
    page = reverse("battles:campaign", args=[made.pk])
    assert "Leave the campaign" in text_of(client_of(spectator).get(page))
    assert client_of(stranger).post(page, {"action": "leave"}).status_code == 404
    left = client_of(spectator).post(page, {"action": "leave"}, follow=True)
    assert left.status_code == 200 and "You have left" in text_of(left)
    assert not Membership.objects.filter(campaign=made, user=spectator).exists()
    stays = client_of(campaign_admin).post(page, {"action": "leave"}, follow=True)
    assert "at least one administrator" in text_of(stays)
    assert Membership.objects.filter(campaign=made, user=campaign_admin).exists()


def test_the_last_admin_stays(client_of, campaign_admin, made):
    client, url = client_of(campaign_admin), reverse("battles:campaign", args=[made.pk])
    answer = client.post(url, {"action": "member", "username": "campaign_admin", "role": "guest"})
    assert answer.status_code == 422
    client.post(url, {"action": "remove", "username": "campaign_admin"})
    assert services.campaign_role(campaign_admin, made) == "admin"


def test_only_admins_change_a_campaign(client_of, campaign_admin, spectator, made):
    services.set_member(user=campaign_admin, campaign=made, member=spectator, role="moderator")
    url = reverse("battles:campaign", args=[made.pk])
    for action in ({"action": "settings", "name": "Mine"}, {"action": "remove", "username": "campaign_admin"}):
        assert client_of(spectator).post(url, action).status_code == 403


def test_a_campaign_opens_and_closes(client_of, campaign_admin, stranger, made):
    url = reverse("battles:campaign", args=[made.pk])
    assert client_of(stranger).get(url).status_code == 404
    client_of(campaign_admin).post(url, {"action": "settings", "name": "Two Sicilies", "public": "on"})
    page = client_of(stranger).get(url)
    assert page.status_code == 200 and "Members" not in text_of(page)


def test_a_promise_of_secrecy_stands_once_a_battle_was_opened(client_of, prepared, people, campaign_admin):
    campaign = prepared.campaign
    Campaign.objects.filter(pk=campaign.pk).update(keep_secrets=True)
    services.open_battle(prepared.pk, people["moderator"], timezone.now())
    url = reverse("battles:campaign", args=[campaign.pk])
    answer = client_of(campaign_admin).post(url, {"action": "settings", "name": "Two Sicilies"})
    assert answer.status_code == 422
    assert Campaign.objects.get(pk=campaign.pk).keep_secrets


# Making a battle


def test_a_battle_is_made_from_the_form(client_of, campaign_admin, made):
    answer = create(client_of, campaign_admin, made, attacker="red", p_turn_seconds=120, p_square_attacks="on")
    battle = Battle.objects.get()
    assert answer.status_code == 302 and answer.url == reverse("battles:prepare", args=[battle.pk])
    assert battle.sides == {"red": {"name": "Sicily", "colour": "red"}, "blue": {"name": "Italy", "colour": "blue"}}
    assert battle.attacker == "red" and battle.parameters == {"turn_seconds": 120, "square_attacks": True}
    assert [u["name"] for u in battle.armies["red"]] == [
        "Heavy infantry 1", "Heavy infantry 2", "Heavy infantry 3", "Foot artillery",
    ]  # fmt: skip
    assert battle.armies["blue"][0]["overrides"] == {"melee": 4.0} and battle.armies["blue"][0]["traits"] == [
        "steadfast"
    ]
    assert battle.armies["blue"][1]["kind"] == "light_cavalry"
    assert battle.board == list(services.library_rows()[0].rows)


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"name": ""}, "name", "required"),
        ({"red_name": "\u202e"}, "red_name", "visible"),
        ({"blue_name": "SICILY"}, "blue_name", "differ"),
        ({"blue_colour": "red"}, "blue_colour", "differ"),
        ({"red_colour": "puce"}, "red_colour", "puce"),
        ({"map": "0"}, "map", "Select a valid choice"),
        ({"map": ""}, "map", "required"),
        ({"attacker": "green"}, "attacker", "Select a valid choice"),
        ({"red_n_heavy_infantry": "-1"}, "red_n_heavy_infantry", "greater than or equal to 0"),
        ({"red_n_heavy_infantry": "200"}, "red_n_heavy_infantry", "less than or equal to 120"),
        ({"red_n_heavy_infantry": "", "red_n_foot_artillery": ""}, "red_list", "no unit yet"),
        ({"red_list": "A; heavy"}, "red_list", "not both"),
        ({"blue_list": "A; heavy\nB; elephants"}, "blue_list", "Row 2"),
        ({"blue_list": "# nothing"}, "blue_list", "no unit"),
        ({"p_unit_limit": "0"}, "p_unit_limit", "greater than or equal to 1"),
        ({"p_unit_limit": "x"}, "p_unit_limit", "whole number"),
        ({"p_overwhelm_loss": "0.3"}, "p_overwhelm_loss", "half points"),
        ({"p_overwhelm_loss": "1"}, "p_overwhelm_loss", "less than or equal to 0.5"),
        ({"p_flank_penalty": "1"}, "p_flank_penalty", "less than or equal to 0"),
        ({"p_battle_kind": "duel"}, "p_battle_kind", "Select a valid choice"),
    ],
)
def test_an_error_stands_under_its_field_and_nothing_is_made(client_of, campaign_admin, made, changes, field, words):
    answer = create(client_of, campaign_admin, made, **changes)
    assert answer.status_code == 422 and not Battle.objects.exists()
    errors = answer.context["form"].errors
    assert words in " ".join(errors[field])
    page = text_of(answer)
    assert f'id="id_{field}_error"' in page or f'id="error_1_id_{field}"' in page
    assert 'role="alert"' in page


def test_what_was_typed_stays_in_the_form_that_is_shown_again(client_of, campaign_admin, made):
    page = text_of(create(client_of, campaign_admin, made, name="", red_name="Naples", p_turn_seconds=77))
    assert 'value="Naples"' in page and 'value="77"' in page and "Savoy Guard; heavy infantry" in page


def test_halves_may_be_written_in_three_ways(client_of, campaign_admin, made):
    for text in ("0.5", "0,5", "½"):
        create(client_of, campaign_admin, made, p_overwhelm_loss=text)
    assert [b.parameters for b in Battle.objects.all()] == [{"overwhelm_loss": 0.5}] * 3


def test_every_parameter_of_the_book_is_offered_with_its_rule(client_of, campaign_admin, made):
    page = text_of(client_of(campaign_admin).get(reverse("battles:battle_new", args=[made.pk])))
    for parameter in selectors.rules_of(Battle(ruleset="tactical")).book.parameters.values():
        assert f'name="p_{parameter.name}"' in page and f"#{parameter.rule}" in page


def test_three_maps_are_offered_with_pictures(client_of, campaign_admin, made):
    page = text_of(client_of(campaign_admin).get(reverse("battles:battle_new", args=[made.pk])))
    assert page.count('class="map-card"') == 3 and page.count('class="thumb"') == 3


def test_a_battle_can_be_edited_until_it_is_opened(client_of, people, prepared):
    client, url = client_of(people["moderator"]), reverse("battles:battle_edit", args=[prepared.pk])
    page = text_of(client.get(url))
    assert "1st Messina; heavy infantry" in page and 'value="The ford at Vallelunga"' in page
    changed = fields(name="Marsh road", red_list="Etna; light infantry; hp=8", red_colour="teal")
    changed |= {"red_n_heavy_infantry": "", "red_n_foot_artillery": ""}
    assert client.post(url, changed).status_code == 302
    battle = Battle.objects.get(pk=prepared.pk)
    assert battle.name == "Marsh road" and battle.sides["red"]["colour"] == "teal"
    assert [u["name"] for u in battle.armies["red"]] == ["Etna"] and battle.seed_hash == prepared.seed_hash
    services.open_battle(prepared.pk, people["moderator"], timezone.now())
    assert client.get(url).url == reverse("battles:battle_desk", args=[prepared.pk])
    assert client.post(url, changed).status_code == 302
    assert Battle.objects.get(pk=prepared.pk).name == "Marsh road"


def test_a_big_army_is_allowed_and_its_reduction_announced(client_of, campaign_admin, made):
    answer = create(client_of, campaign_admin, made, red_n_heavy_infantry=29, blue_list="", blue_n_light_infantry=15)
    page = text_of(client_of(campaign_admin).get(answer.url))
    assert "30 against 15 will be cut to 10 against 5" in page and "T-14.1" in page


def test_a_siege_is_not_cut(client_of, campaign_admin, made):
    answer = create(client_of, campaign_admin, made, red_n_heavy_infantry=29, p_battle_kind="siege")
    assert "will be cut" not in text_of(client_of(campaign_admin).get(answer.url))


# Invitations, seats, phrases, moderators


@pytest.fixture
def waiting(campaign_admin, moderator, made):
    """A battle without players."""
    services.set_member(user=campaign_admin, campaign=made, member=moderator, role="moderator")
    services.library_rows()
    return services.create_battle(user=moderator, campaign=made, plan=a_plan())


def link_of(client, battle, side):
    client.post(reverse("battles:prepare", args=[battle.pk]), {"action": "invite", "side": side})
    return reverse("battles:invitation", args=[Invitation.objects.latest("pk").token])


def test_a_link_gives_one_seat_once(client_of, moderator, red_player, blue_player, waiting):
    client = client_of(moderator)
    link = link_of(client, waiting, "red")
    assert link in text_of(client.get(reverse("battles:prepare", args=[waiting.pk])))
    assert "Take the seat" in text_of(client_of(red_player).get(link))
    answer = client_of(red_player).post(link, {"phrase": "Sic semper"})
    assert answer.url == reverse("battles:prepare", args=[waiting.pk])
    seat = Seat.objects.get(battle=waiting, side="red")
    assert seat.user == red_player and seat.phrase == "Sic semper"
    late = client_of(blue_player).post(link, {"phrase": ""})
    assert late.status_code == 410 and "has been used" in text_of(late)
    assert Seat.objects.get(battle=waiting, side="blue").user is None


def test_a_link_holds_for_fourteen_days(client_of, moderator, red_player, waiting):
    link = link_of(client_of(moderator), waiting, "red")
    left = Invitation.objects.get().expires_at - timezone.now()
    assert timedelta(days=13, hours=23) < left <= timedelta(days=14)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    answer = client_of(red_player).post(link, {"phrase": ""})
    assert answer.status_code == 410 and "has expired" in text_of(answer)


def test_a_link_can_be_withdrawn(client_of, moderator, red_player, waiting):
    client = client_of(moderator)
    link = link_of(client, waiting, "red")
    page = reverse("battles:prepare", args=[waiting.pk])
    for nonsense in ("9" * 5000, "9" * 19, "9" * 18, "", "-1", "x"):
        assert client.post(page, {"action": "withdraw", "invitation": nonsense}).status_code == 404
    client.post(page, {"action": "withdraw", "invitation": str(Invitation.objects.get().pk)})
    assert "was withdrawn" in text_of(client_of(red_player).get(link))
    assert link not in text_of(client.get(page))


def test_an_invitation_asks_a_visitor_to_sign_in_and_comes_back(anonymous, client_of, moderator, waiting):
    link = link_of(client_of(moderator), waiting, "red")
    answer = anonymous.get(link)
    assert answer.status_code == 302 and f"next={link}" in answer.url


def test_nobody_takes_both_seats_or_a_seat_where_he_moderates(client_of, moderator, red_player, waiting):
    client = client_of(moderator)
    red, blue = link_of(client, waiting, "red"), link_of(client, waiting, "blue")
    client_of(red_player).post(red, {"phrase": ""})
    second = client_of(red_player).post(blue, {"phrase": ""})
    assert second.status_code == 422 and "already" in text_of(second)
    assert client.post(blue, {"phrase": ""}).status_code == 422
    assert Seat.objects.get(battle=waiting, side="blue").user is None


def test_a_token_that_nobody_made_is_not_there(client_of, red_player, waiting):
    assert client_of(red_player).get(reverse("battles:invitation", args=["x" * 43])).status_code == 404


def test_the_hash_is_shown_and_a_phrase_only_to_its_owner(client_of, people, prepared):
    page = reverse("battles:prepare", args=[prepared.pk])
    client_of(people["red_player"]).post(page, {"action": "phrase", "phrase": "Sub rosa"})
    red, blue = (text_of(client_of(people[who]).get(page)) for who in ("red_player", "blue_player"))
    moderator = text_of(client_of(people["moderator"]).get(page))
    assert "Sub rosa" in red and "Sub rosa" not in blue and "Sub rosa" not in moderator
    assert all(prepared.seed_hash in text for text in (red, blue, moderator))
    assert "Has given a phrase" in blue


def test_a_phrase_has_bounds(client_of, people, prepared):
    page = reverse("battles:prepare", args=[prepared.pk])
    answer = client_of(people["red_player"]).post(page, {"action": "phrase", "phrase": "x" * 101})
    assert answer.status_code == 422 and "100" in text_of(answer)


def test_before_the_opening_each_reads_his_own_list_and_no_other(client_of, people, prepared):
    page = reverse("battles:prepare", args=[prepared.pk])
    seen = {who: text_of(client_of(person).get(page)) for who, person in people.items() if who != "stranger"}
    assert "1st Messina" in seen["red_player"] and "1st Turin" not in seen["red_player"]
    assert "1st Turin" in seen["blue_player"] and "1st Messina" not in seen["blue_player"]
    assert "1st Messina" in seen["moderator"] and "1st Turin" in seen["moderator"]
    for who in ("campaign_admin", "spectator"):
        assert "1st Messina" not in seen[who] and "1st Turin" not in seen[who]


def test_links_are_shown_to_moderator_and_admin_only(client_of, people, waiting):
    services.invite(user=people["moderator"], battle_id=waiting.pk, side="red", now=timezone.now())
    token = Invitation.objects.get().token
    page = reverse("battles:prepare", args=[waiting.pk])
    services.set_member(
        user=people["campaign_admin"], campaign=waiting.campaign, member=people["spectator"], role="guest"
    )
    assert token in text_of(client_of(people["moderator"]).get(page))
    assert token in text_of(client_of(people["campaign_admin"]).get(page))
    assert token not in text_of(client_of(people["spectator"]).get(page))


def test_an_admin_makes_a_moderator_of_a_battle(client_of, people, prepared):
    page = reverse("battles:prepare", args=[prepared.pk])
    client = client_of(people["campaign_admin"])
    client.post(page, {"action": "moderator", "username": "stranger"})
    assert Moderator.objects.filter(battle=prepared, user=people["stranger"]).exists()
    wrong = client.post(page, {"action": "moderator", "username": "red_player"})
    assert wrong.status_code == 422 and "cannot moderate" in text_of(wrong)
    client.post(page, {"action": "dismiss", "username": "stranger"})
    assert not Moderator.objects.filter(battle=prepared, user=people["stranger"]).exists()


def test_a_seat_can_be_freed(client_of, people, prepared):
    page = reverse("battles:prepare", args=[prepared.pk])
    client_of(people["red_player"]).post(page, {"action": "vacate", "side": "red"})
    assert Seat.objects.get(battle=prepared, side="red").user is None
    assert client_of(people["blue_player"]).post(page, {"action": "vacate", "side": "red"}).status_code == 403
    judge = client_of(people["moderator"])
    for nobody in ("green", "", "\0", "RED"):
        answer = judge.post(page, {"action": "vacate", "side": nobody}, follow=True)
        assert "There is no such side." in text_of(answer) and "free again" not in text_of(answer)


@pytest.mark.parametrize("action", ["", "burn", "open"])
def test_an_unknown_action_is_not_there(client_of, people, prepared, action):
    page = reverse("battles:prepare", args=[prepared.pk])
    assert client_of(people["moderator"]).post(page, {"action": action}).status_code == 404


# The opening


def test_a_moderator_opens_deployment(client_of, people, prepared):
    answer = client_of(people["moderator"]).post(reverse("battles:open", args=[prepared.pk]))
    battle = Battle.objects.get(pk=prepared.pk)
    assert answer.url == reverse("battles:battle_desk", args=[prepared.pk]) and battle.phase == "deployment"


def test_an_empty_seat_keeps_a_battle_closed_with_clear_words(client_of, moderator, waiting):
    answer = client_of(moderator).post(reverse("battles:open", args=[waiting.pk]))
    assert answer.status_code == 422
    assert "Sicily has no player." in text_of(answer) and "Italy has no player." in text_of(answer)
    page = reverse("battles:prepare", args=[waiting.pk])  # its other forms go to their own page, not to this address
    forms = re.findall(r'<form [^>]*method="post"[^>]*>', text_of(answer).partition("<main")[2])
    assert sum(f'action="{page}"' in form for form in forms) == len(forms) - 1 >= 3
    assert Battle.objects.get(pk=waiting.pk).stage == "preparing"


def test_nobody_else_opens_deployment(client_of, people, prepared):
    for who in ("red_player", "blue_player", "campaign_admin", "spectator"):
        assert client_of(people[who]).post(reverse("battles:open", args=[prepared.pk])).status_code == 403
    assert client_of(people["stranger"]).post(reverse("battles:open", args=[prepared.pk])).status_code == 404
    visit = client_of(people["moderator"]).get(reverse("battles:open", args=[prepared.pk]))
    assert visit.url == reverse("battles:prepare", args=[prepared.pk])
    assert Battle.objects.get(pk=prepared.pk).stage == "preparing"


def test_after_the_opening_preparation_leads_to_the_board(client_of, people, play):
    answer = client_of(people["red_player"]).get(reverse("battles:prepare", args=[play.battle_id]))
    assert answer.url == reverse("battles:board", args=[play.battle_id])


# Home


def test_home_lists_what_waits_first(client_of, people, running):
    page = client_of(people["red_player"]).get(reverse("battles:home"))
    assert [row.id for row in page.context["waiting"]] == [running.battle_id] and page.context["waiting"][0].primary
    other = client_of(people["blue_player"]).get(reverse("battles:home"))
    assert not other.context["waiting"] and [row.id for row in other.context["running"]] == [running.battle_id]


def test_home_is_empty_in_words_for_a_newcomer(client_of, stranger):
    page = text_of(client_of(stranger).get(reverse("battles:home")))
    assert "No battles yet" in page and reverse("battles:campaign_new") in page


def test_a_thumbnail_shows_no_unit_that_the_viewer_may_not_see(client_of, people, play):
    play.place_all()
    own = text_of(client_of(people["red_player"]).get(reverse("battles:home")))
    assert "side-red thumb-u" in own and "side-blue thumb-u" not in own
    public = text_of(client_of(people["campaign_admin"]).get(reverse("battles:home")))
    assert "thumb-u" not in public


def test_new_battle_leads_where_one_can_make_it(client_of, campaign_admin, stranger, made):
    page = text_of(client_of(campaign_admin).get(reverse("battles:home")))
    assert reverse("battles:battle_new", args=[made.pk]) in page


@pytest.mark.parametrize(
    ("hour", "words"),
    [(5, "morning"), (11, "morning"), (12, "afternoon"), (17, "afternoon"), (18, "evening"), (3, "evening")],
)
def test_the_greeting_goes_by_the_time_of_day(hour, words):
    assert greeting("Ferrante", hour) == f"Good {words}, Ferrante"


def test_durations_are_read_as_clocks():
    assert [duration(s) for s in (0, 60, 185, 3600)] == ["no limit of time", "1:00", "3:05", "1:00:00"]


# Who may see which page


PAGES = {
    "home": (200, 200, 200, 200, 200, 200, 302),
    "campaigns": (200, 200, 200, 200, 200, 200, 302),
    "campaign_new": (200, 200, 200, 200, 200, 200, 302),
    "desk": (200, 200, 200, 200, 200, 200, 302),
    "campaign": (200, 200, 200, 200, 200, 404, 302),
    "battle_new": (403, 403, 200, 200, 403, 404, 302),
    "battle_edit": (403, 403, 200, 403, 403, 404, 302),
    "prepare": (200, 200, 200, 200, 200, 404, 302),
    "battle_desk": (403, 403, 302, 403, 403, 404, 302),
}
CAST = ("red_player", "blue_player", "moderator", "campaign_admin", "spectator", "stranger", "anonymous")


@pytest.mark.parametrize("name", PAGES)
def test_each_page_answers_each_of_the_cast_as_it_should(name, client_of, people, anonymous, prepared):
    args = {"campaign": prepared.campaign_id, "battle_new": prepared.campaign_id}.get(name, prepared.pk)
    url = reverse(f"battles:{name}", args=[] if name in ("home", "campaigns", "campaign_new", "desk") else [args])
    clients = [client_of(people[who]) for who in CAST[:-1]] + [anonymous]
    assert tuple(client.get(url).status_code for client in clients) == PAGES[name]


def test_pages_of_a_battle_are_kept_by_no_cache(client_of, people, prepared):
    for name in ("prepare", "battle_edit"):
        answer = client_of(people["moderator"]).get(reverse(f"battles:{name}", args=[prepared.pk]))
        assert "no-store" in answer["Cache-Control"]


# FR-12


@pytest.mark.parametrize("name", [HOSTILE, CYRILLIC, TURNED])
def test_fr12_names_are_plain_text_on_every_page_of_the_lobby(client_of, make_user, people, name):
    shown = name.replace("\u202e", "")
    person = people["red_player"]
    person.display_name = name[:60]
    person.save()
    side = shown[:40]
    battle = prepare(
        people["campaign_admin"], people["moderator"], person, people["blue_player"],
        campaign=services.create_campaign(user=people["campaign_admin"], name=name),
        name=name,
        sides={"red": {"name": side, "colour": "red"}, "blue": {"name": "Italy", "colour": "blue"}},
        armies={"red": [{"kind": "heavy_infantry", "name": name[:60]}], "blue": [{"kind": "cuirassiers", "name": "B"}]},
    )  # fmt: skip
    client = client_of(people["moderator"])
    before = [
        reverse("battles:home"),
        reverse("battles:campaigns"),
        reverse("battles:campaign", args=[battle.campaign_id]),
        reverse("battles:prepare", args=[battle.pk]),
        reverse("battles:battle_edit", args=[battle.pk]),
        reverse("battles:desk"),
    ]
    after = [*before[:3], reverse("battles:battle_desk", args=[battle.pk]), reverse("battles:desk")]
    for url in before:
        plain_text(text_of(client.get(url)), shown)
    services.open_battle(battle.pk, people["moderator"], timezone.now())
    for url in after:
        plain_text(text_of(client.get(url)), shown)
    assert Battle.objects.get(pk=battle.pk).name == shown


def plain_text(page, shown):
    """The name stands in the page, escaped and whole, and did nothing."""
    assert "<img src=x" not in page and "\u202e" not in page
    assert escape(shown[:40]) in page


def test_fr12_the_hostile_name_stands_in_the_page_as_it_was_typed(client_of, people):
    battle = prepare(
        people["campaign_admin"], people["moderator"], people["red_player"], people["blue_player"], name=HOSTILE
    )
    page = text_of(client_of(people["moderator"]).get(reverse("battles:prepare", args=[battle.pk])))
    assert "&quot;&gt;&lt;img src=x onerror=window.__x=1&gt;{{7*7}}" in page
