"""Without any script: from the sign-up to a seat, and a battle from its deployment to a result, by links and forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.browser import e2e
from tests.browser.test_board import cell

pytestmark = [pytest.mark.browser]
Sit = Callable[..., Any]
WAITS = {"timeout": 15000}
PLACES = {"1st Messina": "E5", "Etna Chasseurs": "G5", "Palermo Cuirassiers": "C5"}
ENEMY_PLACES = {"1st Piedmont": "E2", "Alpine Rifles": "G2", "Turin Cuirassiers": "C2"}


def chosen(page: Page, name: str) -> None:
    """Choose a unit in the tray or in a roster."""
    page.locator("a[data-pick]", has_text=name).first.click()
    expect(page.locator("#orders h2").first).to_have_text(name)


def press(page: Page, name: str, within: str = "#orders") -> None:
    """Press a button of the panel."""
    page.locator(within).get_by_role("button", name=name, exact=True).first.click()


def signed_up(sit: Sit, name: str) -> Page:
    """Somebody who has just made an account."""
    page: Page = sit("stranger", java_script_enabled=False)
    page.context.clear_cookies()
    page.goto("/accounts/signup/")
    page.locator("#id_username").fill(f"{name}-{uuid4().hex[:8]}")
    for field in ("#id_password1", "#id_password2"):
        page.locator(field).fill("a long grey coat")
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_text("No battles yet")).to_be_visible()
    return page


def test_without_script_from_the_sign_up_to_the_opening(site: Any, sit: Sit) -> None:
    judge, red, blue = (signed_up(sit, name) for name in ("judge", "red", "blue"))
    judge.get_by_role("link", name="New battle").first.click()
    judge.locator("#id_name").fill("Paper and pencil")
    judge.get_by_role("button", name="Create the campaign").click()
    judge.get_by_role("link", name="New battle").first.click()
    judge.locator("#id_name").fill("By hand")
    judge.get_by_label(re.compile("The river crossings")).check()
    judge.locator("#id_red_name").fill("Sicily")
    judge.locator("#id_blue_name").fill("Italy")
    judge.locator("#id_red_list").fill("1st Messina; heavy infantry\nEtna Rifles; elephants")
    judge.locator("#id_blue_n_light_cavalry").fill("2")
    judge.get_by_role("button", name="Create the battle").click()
    expect(judge.locator("main")).to_contain_text("elephants")
    judge.locator("#id_red_list").fill("1st Messina; heavy infantry\nEtna Rifles; light infantry")
    judge.get_by_role("button", name="Create the battle").click()
    for page, side in ((red, "red"), (blue, "blue")):
        seat = judge.locator(f"section[aria-labelledby=seat-{side}]")
        seat.get_by_role("button", name="Make a link").click()
        page.goto(seat.locator("input.copy").input_value())
        page.get_by_role("button", name="Take the seat").click()
        expect(page.locator(f"section[aria-labelledby=seat-{side}] .tag")).to_have_text("you")
    judge.reload()
    judge.get_by_role("button", name="Open deployment").click()
    for page in (red, blue):
        page.goto("/")
        page.locator(".bts a.btn, .bts .btn").first.click()
        expect(page.get_by_role("heading", name="Deploy your army")).to_be_visible()
        expect(page.locator("#tray a[data-pick]")).to_have_count(2)
    assert "Etna Rifles" not in blue.content() and "avalry" not in red.locator("main").inner_text()


def deploy(page: Page, places: dict[str, str]) -> None:
    """Three units by hand, the rest arranged."""
    for name, at in places.items():
        chosen(page, name)
        cell(page, at).click()
        press(page, f"Place at {at}")
    page.get_by_role("button", name="Arrange the rest").click()
    expect(page.locator("#banner")).to_contain_text("10 of 10 placed")
    page.get_by_role("button", name="Ready", exact=True).click()


def test_without_script_a_battle_is_played_to_its_result(site: Any, sit: Sit) -> None:
    battle = e2e.battle(site, "deployment")
    red, blue, judge = (sit(who, java_script_enabled=False) for who in ("red", "blue", "moderator"))
    board = f"/battles/{battle['id']}/"
    for page, places in ((red, PLACES), (blue, ENEMY_PLACES)):
        page.goto(board)
        deploy(page, places)
    expect(blue.locator("#units .unit")).to_have_count(20)
    expect(blue.locator("#banner")).to_contain_text("Sicily to move")
    assert '<meta http-equiv="refresh"' in blue.content()

    # a march, a shot, an attack on foot, a charge
    red.goto(board)
    chosen(red, "Etna Chasseurs")
    cell(red, "G4").click()
    press(red, "March")
    expect(red.locator("#log")).to_contain_text("G5 → G4")
    cell(red, "G2").click()
    red.get_by_role("link", name="Fire instead").click()
    press(red, "Fire", ".preview")
    expect(red.locator("#log")).to_contain_text(re.compile(r"Alpine Rifles\s+10 → 7"))
    chosen(red, "1st Messina")
    cell(red, "E2").click()
    press(red, "Attack", ".preview")
    chosen(red, "Palermo Cuirassiers")
    cell(red, "C2").click()
    expect(red.locator("#orders .odds")).to_contain_text("6")
    press(red, "Charge", ".preview")
    expect(red.locator("#questions")).to_contain_text("Italy has to answer")

    # the other side's answer
    blue.goto(board)
    expect(blue.locator("#questions")).to_contain_text("Ride out to meet the charge?")
    blue.get_by_role("button", name="Ride out").click()
    expect(blue.locator("#questions .question")).to_have_count(0)
    expect(blue.locator(".roster a[data-pick]", has_text="Turin Cuirassiers")).to_have_attribute(
        "aria-label", re.compile(", C3, ")
    )

    # what a unit may not do is said with its rule; then the turn ends, past the warning
    red.goto(board)
    chosen(red, "Etna Chasseurs")
    expect(red.locator("#orders .no .rule").first).to_be_visible()
    red.locator("#end-turn").click()
    expect(red.locator("#orders")).to_contain_text("done nothing")
    press(red, "End turn")
    expect(red.locator("#banner")).to_contain_text("Italy to move")

    # the moderator rules and ends it
    judge.goto(f"{board}desk/")
    judge.get_by_text("End the battle").first.click()
    form = judge.locator("form.ruling-form", has=judge.locator("[name=winner]"))
    form.get_by_label("Sicily wins").check()
    form.get_by_role("textbox").fill("Dusk")
    form.get_by_role("button", name="End the battle").click()
    for page in (red, blue):
        page.goto(board)
        expect(page.locator("#banner")).to_contain_text("Sicily has won")
        page.locator("#banner").get_by_role("link", name="Result and report").click()
        expect(page.locator("main")).to_contain_text("Sicily has won")


def test_without_script_a_page_at_the_address_of_a_form_is_no_dead_end(site: Any, sit: Sit) -> None:
    battle = e2e.battle(site, "play")
    board = f"/battles/{battle['id']}/"
    stale, twin = sit("red", java_script_enabled=False), e2e.Player(site, "red", battle["id"])
    stale.goto(board)
    chosen(stale, "Catania Rifles")
    cell(stale, "J5").click()
    twin.order(type="end_turn")
    press(stale, "March")  # it is the enemy's turn by now
    assert stale.url.endswith(f"{board}order/")
    expect(stale.locator("#stale")).to_contain_text("look again")
    assert '<meta http-equiv="refresh"' not in stale.content()
    stale.locator("a[data-pick]", has_text="Trapani Rifles").first.click()
    expect(stale.locator("#orders h2").first).to_have_text("Trapani Rifles")
    assert stale.url.partition("?")[0].endswith(board)

    judge = sit("moderator", java_script_enabled=False)
    judge.goto(f"{board}desk/")
    judge.get_by_text("Change a unit").first.click()
    judge.locator("form:has([name=hp])").get_by_role("button", name="Give the ruling").click()
    assert judge.url.endswith("/ruling/")
    judge.locator("#timeline a", has_text="Dice").click()
    expect(judge.locator("#timeline .fchip.on")).to_have_text("Dice")
    assert f"{board}desk/?only=dice" in judge.url
    judge.get_by_text("Change a unit").first.click()
    judge.locator("form:has([name=hp])").get_by_role("button", name="Give the ruling").click()
    assert judge.url.endswith("/ruling/")
    judge.locator("button[name=theme], form[data-theme-form] button").first.click()
    expect(judge.locator("html")).to_have_attribute("data-bs-theme", "dark")
    expect(judge.locator("#timeline")).to_be_visible()
