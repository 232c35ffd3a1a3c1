"""The board's pages and the orders that they take, tried by the whole cast."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.urls import reverse

from battles import services
from battles.models import Campaign
from tests.battles.playing import NOW, Play

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


def url(name: str, play: Play) -> str:
    """An address of the battle."""
    return reverse(f"battles:{name}", args=[play.battle_id])


@pytest.fixture
def browser(client_of, people):
    """A signed-in browser by the name in the cast."""
    return lambda who: client_of(people[who])


def form(play: Play, who: str, type: str, **fields: str) -> dict[str, str]:
    """An order as a form sends it."""
    return {"type": type, "command_id": str(uuid4()), "seen": str(play.version(who)), **fields}


@pytest.mark.parametrize("page", ["board", "log", "dice"])
@pytest.mark.parametrize(
    ("who", "status"),
    [
        ("red_player", 200),
        ("blue_player", 200),
        ("moderator", 200),
        ("campaign_admin", 200),
        ("spectator", 200),
        ("stranger", 404),
    ],
)
def test_each_page_is_open_to_its_people_only(running, browser, page, who, status):
    answer = browser(who).get(url(page, running))
    assert answer.status_code == status
    if status == 200:
        assert "no-store" in answer["Cache-Control"]


def test_nobody_is_sent_to_sign_in(running, anonymous):
    answer = anonymous.get(url("board", running))
    assert answer.status_code == 302 and "login" in answer["Location"]


def test_before_the_opening_there_is_no_board(prepared, browser):
    answer = browser("red_player").get(reverse("battles:board", args=[prepared.pk]))
    assert answer.status_code == 302 and "prepare" in answer["Location"]


@pytest.mark.parametrize("who", ["moderator", "campaign_admin", "spectator"])
def test_who_has_no_seat_gives_no_orders(running, browser, who):
    page = browser(who).get(url("board", running)).content.decode()
    assert "data-order>" not in page.replace('data-order="', "")
    answer = browser(who).post(url("order", running), {"type": "end_turn", "command_id": str(uuid4()), "seen": "1"})
    assert answer.status_code == 403


def test_a_stranger_cannot_order(running, browser):
    answer = browser("stranger").post(url("order", running), {"type": "end_turn"})
    assert answer.status_code == 404


def test_a_page_shows_the_enemy_nothing_before_the_reveal(play, browser):
    play.order("blue_player", "place", unit="Turin Cuirassiers", at="C2")
    for page in ("board", "log", "dice"):
        text = browser("red_player").get(url(page, play)).content.decode()
        assert play.key("Turin Cuirassiers") not in text
        assert "Turin Cuirassiers" not in text
    fragments = browser("red_player").get(url("refresh", play), **HTMX).content.decode()
    assert "Turin Cuirassiers" not in fragments and play.key("Turin Cuirassiers") not in fragments


def test_an_order_leads_back_to_the_board(running, browser):
    key = running.key("Palermo Cuirassiers")
    order = form(running, "red_player", "move", unit=key, path="G8", back=f"?unit={key}&to=G8")
    answer = browser("red_player").post(url("order", running), order)
    assert answer.status_code == 303
    assert answer["Location"] == f"{url('board', running)}?unit={key}"
    assert running.unit("Palermo Cuirassiers").at.y == 7


def test_with_script_an_order_answers_with_fragments(running, browser):
    key = running.key("Palermo Cuirassiers")
    order = form(running, "red_player", "move", unit=key, path="G8", back=f"?unit={key}&to=G8")
    answer = browser("red_player").post(url("order", running), order, **HTMX)
    text = answer.content.decode()
    assert answer.status_code == 200
    for part in ("live", "units", "banner", "orders", "under", "over", "quick"):
        assert f'id="{part}"' in text
    assert "<html" not in text


def test_the_same_form_twice_is_one_order(running, browser):
    order = form(running, "red_player", "move", unit=running.key("Palermo Cuirassiers"), path="G8")
    client = browser("red_player")
    assert client.post(url("order", running), order).status_code == 303
    version = running.battle.version
    assert client.post(url("order", running), order).status_code == 303
    assert running.battle.version == version


def test_the_same_id_with_other_words_is_a_conflict(running, browser):
    key = running.key("Palermo Cuirassiers")
    order = form(running, "red_player", "move", unit=key, path="G8")
    client = browser("red_player")
    client.post(url("order", running), order)
    assert client.post(url("order", running), {**order, "path": "G7"}).status_code == 409


@pytest.mark.parametrize("script", [True, False])
def test_a_refusal_names_rule_and_figures_and_changes_nothing(running, browser, script):
    key = running.key("1st Messina")
    order = form(running, "red_player", "move", unit=key, path="C8 C7 C6", back=f"?unit={key}&to=C6")
    version = running.battle.version
    answer = browser("red_player").post(url("order", running), order, **(HTMX if script else {}))
    text = answer.content.decode()
    assert answer.status_code == 422
    assert 'role="alert"' in text and re.search(r"#T-\d+\.\d+", text)
    assert ("<html" in text) is not script
    assert running.battle.version == version


@pytest.mark.parametrize("script", [True, False])
def test_an_old_board_is_answered_with_the_new_one(running, browser, script):
    order = form(running, "red_player", "move", unit=running.key("Palermo Cuirassiers"), path="G8")
    order["seen"] = str(int(order["seen"]) - 1)
    answer = browser("red_player").post(url("order", running), order, **(HTMX if script else {}))
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "The position has changed, look again." in text and 'id="units"' in text


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"type": "dance"}, "type"),
        ({"type": ""}, "type"),
        ({"type": "edit_unit"}, "type"),
        ({"type": "time_expired", "timer": "turn:1"}, "type"),
        ({"command_id": "x"}, "command_id"),
        ({"seen": "many"}, "seen"),
        ({"by": "blue"}, "by"),
        ({"author": "me"}, "author"),
        ({"path": "Z-1"}, "cell"),
        ({"path": "G8\ud800".encode("utf-8", "surrogatepass").decode("latin-1")}, "cell"),
        ({"path": "G8 " * 3000}, "path"),
    ],
)
def test_garbage_is_named_and_never_a_traceback(running, browser, changes, field):
    order = {**form(running, "red_player", "move", unit=running.key("Palermo Cuirassiers"), path="G8"), **changes}
    for headers in (HTMX, {}):
        answer = browser("red_player").post(url("order", running), order, **headers)
        assert answer.status_code == 400
        assert f"{field}:" in answer.content.decode()


def test_a_unit_of_the_enemy_or_of_nobody_is_refused(running, browser):
    for unit in (running.key("1st Turin"), "nobody"):
        answer = browser("red_player").post(
            url("order", running), form(running, "red_player", "fire", unit=unit, target="x")
        )
        assert answer.status_code == 422


def test_the_rest_is_arranged_in_the_own_strip(play, browser):
    answer = browser("red_player").post(url("arrange", play))
    assert answer.status_code == 303
    placed = [u for u in play.state.units if u.side.value == "red"]
    assert all(u.at in play.state.strips[0] for u in placed)
    assert all(u.at is None for u in play.state.units if u.side.value == "blue")
    assert browser("moderator").post(url("arrange", play)).status_code == 403


def test_the_panel_for_a_selection_comes_as_fragments(running, browser):
    key = running.key("Palermo Cuirassiers")
    text = browser("red_player").get(url("panel", running) + f"?unit={key}", **HTMX).content.decode()
    assert "Palermo Cuirassiers" in text and 'id="over"' in text and 'id="units"' not in text
    assert browser("red_player").get(url("panel", running) + f"?unit={key}").status_code == 302


def test_nonsense_in_the_address_does_no_harm(running, browser):
    for query in ("?unit=x&to=%00&target=y&do=z", "?to=ZZZ999", "?facing=Q&formation=ball", "?unit=" + "a" * 5000):
        assert browser("red_player").get(url("board", running) + query).status_code == 200
    assert browser("red_player").get(url("log", running) + "?before=x&only=y").status_code == 200


def test_ending_the_turn_warns_about_idle_units(running, browser):
    text = browser("red_player").get(url("board", running) + "?do=end_turn").content.decode()
    assert "4 units have done nothing." in text
    answer = browser("red_player").post(url("order", running), form(running, "red_player", "end_turn"))
    assert answer.status_code == 303 and answer["Location"] == url("board", running)


# Pages at the address of a form


@pytest.mark.parametrize(
    ("address", "page"), [("order", "board"), ("arrange", "board"), ("ruling", "battle_desk"), ("open", "prepare")]
)
def test_the_address_of_a_form_leads_to_its_page(running, browser, anonymous, address, page):
    client = browser("moderator" if page == "battle_desk" else "red_player")
    for query in ("", "?unit=u1&to=C3"):
        for answer in (client.get(url(address, running) + query), client.head(url(address, running) + query)):
            assert answer.status_code == 302 and answer["Location"] == url(page, running) + query
    assert client.get(url(address, running), follow=True).status_code == 200
    refused = client.put(url(address, running))
    assert refused.status_code == 405 and "This is no page" in refused.content.decode() and "POST" in refused["Allow"]
    signed_out = anonymous.post(url(address, running))
    assert signed_out["Location"].endswith(f"next={url(address, running)}")


def test_who_may_not_see_the_page_learns_nothing_at_the_address_of_its_form(running, browser):
    assert browser("stranger").get(url("order", running), follow=True).status_code == 404
    assert browser("red_player").get(url("ruling", running), follow=True).status_code == 403


def test_a_person_who_signs_in_after_an_order_comes_to_the_board(running, anonymous, people):
    people["red_player"].set_password("a long grey coat")
    people["red_player"].save()
    login = anonymous.post(url("order", running), form(running, "red_player", "end_turn"))["Location"]
    fields = {"username": people["red_player"].username, "password": "a long grey coat", "next": url("order", running)}
    answer = anonymous.post(login, fields, follow=True)
    assert answer.status_code == 200 and 'id="battle"' in answer.content.decode()


def test_language_and_colours_on_a_refused_page_lead_to_the_board(running, browser):
    client = browser("red_player")
    page = client.post(url("order", running), form(running, "red_player", "end_pursuit"))
    assert page.status_code == 422
    (there,) = set(re.findall(r'name="next" value="([^"]*)"', page.content.decode()))
    for switch, fields in (("set_language", {"language": "ru"}), ("accounts:theme", {"theme": "dark"})):
        answer = client.post(reverse(switch), {"next": there, **fields}, follow=True)
        assert answer.status_code == 200 and answer.request["PATH_INFO"] == url("board", running)


def test_only_a_page_at_its_own_address_reloads_itself(running, play, browser):
    reloads = '<meta http-equiv="refresh"'
    client = browser("blue_player")
    assert reloads in client.get(url("board", running)).content.decode()
    page = client.post(url("order", running), form(running, "blue_player", "end_turn"))
    assert page.status_code == 422 and 'id="battle"' in page.content.decode()
    assert reloads not in page.content.decode()


def test_the_legend_comes_with_the_push(running, browser):
    for name in ("board", "refresh"):
        text = browser("red_player").get(url(name, running), **HTMX).content.decode()
        assert 'id="legend"' in text and "can reach" in text and "your strip" not in text


def test_the_log_comes_in_pages(running, browser):
    client = browser("red_player")
    first = client.get(url("log", running)).content.decode()
    assert "T-3.3" in first
    older = client.get(url("log", running) + "?before=4").content.decode()
    assert 'data-no="3"' in older and 'data-no="5"' not in older


def test_the_seed_is_secret_until_the_end(running, browser, people):
    text = browser("red_player").get(url("dice", running)).content.decode()
    assert "secret until the battle is over" in text and running.battle.seed_hash in text
    assert browser("red_player").get(url("review", running)).status_code == 302
    running.order("red_player", "retreat", confirmed=True)
    running.order("red_player", "end_turn")
    running.order("blue_player", "end_pursuit")
    assert running.battle.stage == "over"
    text = browser("red_player").get(url("dice", running)).content.decode()
    assert "secret until the battle is over" not in text
    assert "the campaign keeps its secrets" not in text
    report = browser("red_player").get(url("review", running)).content.decode()
    assert "Italy has won" in report and "Withdrawn" in report
    assert browser("red_player").get(url("board", running)).status_code == 200


def test_a_campaign_that_keeps_its_secrets_says_so_of_the_seed(prepared, browser, people):
    Campaign.objects.filter(pk=prepared.campaign_id).update(keep_secrets=True)
    services.open_battle(prepared.pk, people["moderator"], NOW)
    running = Play(prepared.pk, people).deploy()
    running.order("red_player", "retreat", confirmed=True)
    running.order("red_player", "end_turn")
    running.order("blue_player", "end_pursuit")
    assert running.battle.stage == "over"
    text = browser("red_player").get(url("dice", running)).content.decode()
    assert "the campaign keeps its secrets" in text and "secret until" not in text


def test_too_many_orders_lead_back_to_the_board(running, browser, monkeypatch):
    def flood(**_fields):
        raise services.TooManyCommands(3)

    monkeypatch.setattr("battles.views.board.submit", flood)
    answer = browser("red_player").post(url("order", running), form(running, "red_player", "end_turn"))
    assert answer.status_code == 429 and f'href="{url("board", running)}"' in answer.content.decode()


# The admin


@pytest.mark.parametrize(
    "question",
    [
        "battle/?state__icontains=Messina", "battle/?armies__icontains=Messina", "battle/?red_no__gt=1",
        "battle/?version__gt=1", "battle/?throws=0", "battle/?id__gt=0", "battle/?seats__phrase__startswith=x",
        "seat/?phrase__startswith=x", "seat/?id__gt=0", "moderator/?user=1", "campaign/?battles__version__gt=1",
    ],
)  # fmt: skip
def test_the_admin_answers_no_question_that_its_lists_do_not_offer(running, admin_client, question):
    answer = admin_client.get(f"/admin/battles/{question}")
    assert answer.status_code == 400 and "Vallelunga" not in answer.content.decode()


@pytest.mark.parametrize("offered", ["battle/?stage__exact=running", "battle/?ruleset=tactical", "battle/?q=ford"])
def test_the_admin_filters_by_what_its_lists_offer(running, admin_client, offered):
    answer = admin_client.get(f"/admin/battles/{offered}")
    assert answer.status_code == 200 and "Vallelunga" in answer.content.decode()
