"""FR-07 and FR-04 in browsers: frames that never arrive, a line that is cut, the back button, two clicks, two tabs."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.browser import e2e
from tests.browser.e2e import Player
from tests.browser.test_board import cell, chip, live, no_reload

pytestmark = [pytest.mark.browser]
Sit = Callable[..., Any]
WAITS = {"timeout": 15000}
HEARTBEAT, MARGIN, SLACK = 2.0, 2.0, 1.0  # the last is for a machine that is busy with other tests


def same_board(page: Page, player: Player) -> None:
    """The page shows what the server would show now."""
    wanted = e2e.blocks_in(player.look())
    assert len(wanted) == 20
    page.wait_for_function(
        f"(wanted) => {{ const now = ({e2e.BLOCKS})(); return Object.keys(wanted).length === Object.keys(now).length"
        " && Object.keys(wanted).every((key) => wanted[key] === now[key]); }",
        arg=wanted,
        timeout=15000,
    )


def moves_in(player: Player) -> int:
    """How many marches the log holds."""
    return player.get(f"{player.board}log/").body.count('data-kind="unit_moved"')


def march(player: Player, battle: dict[str, Any], name: str, path: str) -> None:
    """A march without a browser."""
    player.order(type="move", unit=battle["units"][name], path=path)


def preview(page: Page, key: str, at: str) -> Any:
    """Choose a unit and a cell; the button that would send it."""
    chip(page, key).click()
    expect(page.locator("#orders .unit-h")).to_be_visible()
    cell(page, at).click()
    expect(page.locator("#orders .preview-h")).to_contain_text(at)
    return page.locator("#orders").get_by_role("button", name="March")


def test_fr07_1_every_third_frame_is_dropped_and_the_boards_are_right(site: Any, sit: Sit) -> None:
    battle = e2e.battle(site, "play")
    pages, dropped, no_views = [], [], threading.Event()

    def lossy(line: Any) -> None:
        server, count = line.connect_to_server(), [0]

        def carry(frame: Any) -> None:
            count[0] += 1
            if count[0] % 3 == 0 or (no_views.is_set() and 'id="live"' in str(frame)):
                dropped.append(frame)
            else:
                line.send(frame)

        server.on_message(carry)

    for who in ("red", "blue"):
        page = sit(who)
        page.route_web_socket(re.compile("/ws/battles/"), lossy)
        pages.append(live(page, battle))
    red, blue = Player(site, "red", battle["id"]), Player(site, "blue", battle["id"])
    march(red, battle, "red Catania Rifles", "J5")
    march(red, battle, "red Trapani Rifles", "L4")
    march(red, battle, "red Noto Hussars", "B5 B4")
    red.order(type="fire", unit=battle["units"]["red Etna Chasseurs"], target=battle["units"]["blue Alpine Rifles"])
    red.order(type="end_turn")
    no_views.set()  # what follows is known by its heartbeats alone
    march(blue, battle, "blue Novara Lancers", "B2")
    march(blue, battle, "blue Cuneo Bersaglieri", "L3")
    blue.order(type="end_turn")
    for page, player in zip(pages, (red, blue), strict=True):
        expect(page.locator("#live")).to_have_attribute("data-turn", "3", **WAITS)
        same_board(page, player)
        no_reload(page)
    assert dropped


def test_fr07_2_a_cut_line_is_shown_comes_back_and_sends_nothing_by_itself(site: Any, sit: Sit) -> None:
    battle = e2e.battle(site, "play")
    red, twin = Player(site, "red", battle["id"]), Player(site, "blue", battle["id"])
    red.order(type="end_turn")
    with e2e.wire(site) as line:
        blue = sit("blue")
        blue.goto(f"{line.url}/battles/{battle['id']}/")
        expect(blue.locator("#conn .conn-t")).to_have_text("Live", **WAITS)
        blue.evaluate("window.sameDocument = true")
        key = battle["units"]["blue Alpine Rifles"]
        button = preview(blue, key, "G3")
        expect(button).to_be_enabled()
        sent: list[str] = []
        blue.on("request", lambda asked: sent.append(asked.url) if asked.method == "POST" else None)
        line.cut()
        expect(blue.locator("#conn .conn-t")).to_have_text("Offline", timeout=6000)
        expect(blue.locator("#offline")).to_be_visible()
        expect(button).to_be_disabled()
        blue.locator("#orders form[data-order]").first.evaluate("(form) => form.requestSubmit()")

        # two turns go by without this page
        twin.order(type="end_turn")
        march(red, battle, "red Catania Rifles", "J5")
        red.order(type="end_turn")
        marches = moves_in(red)
        line.join()
        restored = time.monotonic()
        version = e2e.version_in(twin.look())
        expect(blue.locator("#live")).to_have_attribute("data-version", version, timeout=10000)
        took = time.monotonic() - restored
        assert took < HEARTBEAT + MARGIN + SLACK, f"{took:.1f} s after the line was restored"
        expect(blue.locator("#conn .conn-t")).to_have_text("Live")
        same_board(blue, twin)
        no_reload(blue)

        # the half-made order is still half-made; pressed now it is for this turn, and counts once
        expect(button).to_be_enabled()
        assert moves_in(red) == marches and sent == []
        button.click()
        expect(blue.locator("#log")).to_contain_text("G2 → G3", **WAITS)
        assert moves_in(red) == marches + 1
        no_reload(blue)


def test_fr07_an_order_into_a_dead_line_is_for_its_own_turn_or_for_none(site: Any, sit: Sit) -> None:
    battle = e2e.battle(site, "play")
    twin, other = Player(site, "red", battle["id"]), Player(site, "blue", battle["id"])
    with e2e.wire(site) as line:
        red = sit("red")
        red.goto(f"{line.url}/battles/{battle['id']}/")
        expect(red.locator("#conn .conn-t")).to_have_text("Live", **WAITS)
        red.evaluate("window.sameDocument = true")
        button = preview(red, battle["units"]["red Catania Rifles"], "J5")
        line.cut()
        button.click(timeout=900)
        expect(red.locator("#conn .conn-t")).to_have_text("Offline", timeout=6000)
        twin.order(type="end_turn")
        other.order(type="end_turn")
        line.join()
        expect(red.locator("#stale")).to_contain_text("The position has changed, look again.", **WAITS)
        expect(red.locator("#live")).to_have_attribute("data-turn", "3", **WAITS)
        assert moves_in(twin) == 0
        same_board(red, twin)
        no_reload(red)


def test_the_back_button_shows_the_board_as_it_is_and_sends_nothing(site: Any, sit: Sit) -> None:
    battle = e2e.battle(site, "play")
    page, twin = live(sit("red"), battle), Player(site, "red", battle["id"])
    preview(page, battle["units"]["red Catania Rifles"], "J5").click()
    expect(page.locator("#log")).to_contain_text("J6 → J5", **WAITS)
    page.go_back()
    page.go_back()
    expect(page.locator("#orders h2").first).to_be_visible()
    page.get_by_role("link", name="Whole log").click()
    expect(page.locator("main")).to_contain_text("J6 → J5")
    march(twin, battle, "red Trapani Rifles", "L4")
    page.go_back()
    expect(page.locator("#conn .conn-t")).to_have_text("Live", **WAITS)
    same_board(page, twin)
    expect(page.locator("#log")).to_contain_text("L5 → L4")
    assert moves_in(twin) == 2


def test_fr04_two_clicks_are_one_order(site: Any, sit: Sit) -> None:
    battle = e2e.battle(site, "play")
    page, twin = live(sit("red"), battle), Player(site, "red", battle["id"])
    said: list[int] = []
    page.on("response", lambda answer: said.append(answer.status) if answer.url.endswith("/order/") else None)
    preview(page, battle["units"]["red Catania Rifles"], "J5").dblclick()
    expect(page.locator("#log")).to_contain_text("J6 → J5", **WAITS)
    preview(page, battle["units"]["red Noto Hussars"], "B5").click()  # behind whatever the two clicks have sent
    expect(page.locator("#log")).to_contain_text("B6 → B5", **WAITS)
    no_reload(page)
    assert moves_in(twin) == 2 and set(said) == {200}, said

    # the same form at the same moment from three connections, as a browser without script would do it
    version, one_id = e2e.version_in(twin.look()), str(uuid4())
    people, answers = [Player(site, "red", battle["id"]) for _ in range(3)], []
    barrier = threading.Barrier(3)

    def send(player: Player) -> None:
        barrier.wait()
        order = {"type": "move", "unit": battle["units"]["red Trapani Rifles"], "path": "L4"}
        answers.append(player.try_order(seen=version, command_id=one_id, **order))

    threads = [threading.Thread(target=send, args=(player,)) for player in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status for answer in answers] == [200] * 3
    assert moves_in(twin) == 3
    expect(page.locator("#log")).to_contain_text("L5 → L4", **WAITS)


def test_two_tabs_of_one_player_do_no_harm(site: Any, sit: Sit) -> None:
    battle = e2e.battle(site, "play")
    first, twin = live(sit("red"), battle), Player(site, "red", battle["id"])
    second = live(first.context.new_page(), battle)
    here = preview(first, battle["units"]["red Catania Rifles"], "J5")
    there = preview(second, battle["units"]["red Trapani Rifles"], "L4")
    here.click()
    expect(second.locator("#log")).to_contain_text("J6 → J5", **WAITS)
    expect(second.locator("#orders .preview-h")).to_contain_text("L4")
    version = second.locator("#live").get_attribute("data-version")
    expect(second.locator("#orders")).to_have_attribute("data-version", version, **WAITS)
    there.click()
    expect(first.locator("#log")).to_contain_text("L5 → L4", **WAITS)

    # the same order in both at once: one of them marches, the other is told to look again
    key = battle["units"]["red Noto Hussars"]
    buttons = [preview(page, key, "B4") for page in (first, second)]
    for button in buttons:
        button.evaluate("(button) => { setTimeout(() => button.click(), 150); }")
    for page in (first, second):
        expect(page.locator("#log")).to_contain_text("B6 → B5 → B4", **WAITS)
        no_reload(page)
        same_board(page, twin)
    assert moves_in(twin) == 3


def answered_by_a_proxy(page: Page, address: str, status: int, times: int) -> list[str]:
    """So many requests to an address are answered by somebody who is not the product; their bodies."""
    bodies: list[str] = []

    def answer(route: Any) -> None:
        bodies.append(route.request.post_data or "")
        if len(bodies) > times:
            route.continue_()
        else:
            route.fulfill(status=status, content_type="text/html", body="<h1>Bad gateway</h1>")

    page.route(re.compile(address), answer)
    return bodies


def test_an_order_that_a_gateway_answers_is_sent_again_with_the_same_id(site: Any, sit: Sit) -> None:
    battle = e2e.battle(site, "play")
    page, twin = live(sit("red"), battle), Player(site, "red", battle["id"])
    bodies = answered_by_a_proxy(page, "/order/$", 502, 3)
    preview(page, battle["units"]["red Catania Rifles"], "J5").click()
    expect(page.locator("#offline")).to_contain_text("did not get through", **WAITS)
    expect(page.locator("#log")).to_contain_text("J6 → J5", **WAITS)
    expect(page.locator("#offline")).to_be_hidden(**WAITS)
    assert len(bodies) == 4 and len(set(bodies)) == 1 and "command_id=" in bodies[0]
    assert moves_in(twin) == 1
    no_reload(page)


@pytest.mark.parametrize("status", [403, 404, 413])
def test_an_answer_that_is_not_understood_is_said_in_the_panel(site: Any, sit: Sit, status: int) -> None:
    battle = e2e.battle(site, "play")
    page = live(sit("red"), battle)
    bodies = answered_by_a_proxy(page, "/order/$", status, 1)
    button = preview(page, battle["units"]["red Catania Rifles"], "J5")
    button.click()
    said = page.locator("#orders #refusal[role=alert]")
    expect(said).to_contain_text(f"The order was not taken (answer {status})", **WAITS)
    expect(page.locator("#offline")).to_be_hidden()
    assert len(bodies) == 1
    button.click()  # the order is still in hand, and the queue goes on
    expect(page.locator("#log")).to_contain_text("J6 → J5", **WAITS)


def test_a_panel_that_a_gateway_answers_is_asked_again_or_said_to_be_missing(site: Any, sit: Sit) -> None:
    battle = e2e.battle(site, "play")
    page = live(sit("red"), battle)
    answered_by_a_proxy(page, "/panel/", 502, 2)
    chip(page, battle["units"]["red Catania Rifles"]).click()
    expect(page.locator("#orders .unit-h")).to_contain_text("Catania Rifles", **WAITS)
    page.unroute(re.compile("/panel/"))
    page.route(re.compile("/panel/"), lambda route: route.fulfill(status=404, content_type="text/html", body="gone"))
    chip(page, battle["units"]["red Noto Hussars"]).click()
    expect(page.locator("#refusal")).to_contain_text("could not be loaded (answer 404)", **WAITS)
