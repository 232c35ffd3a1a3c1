"""One battle from the hidden deployment to its result: two players, the moderator and a spectator, without a reload."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import e2e
from tests.browser.test_board import cell, live, no_reload

pytestmark = [pytest.mark.browser]
Sit = Callable[..., Any]
TAPS = {
    "1st Messina": "E5",
    "2nd Messina": "K5",
    "Royal Guard": "I6",
    "Etna Chasseurs": "G5",
    "Catania Rifles": "M5",
    "Trapani Rifles": "O6",
    "Palermo Cuirassiers": "C5",
    "Noto Hussars": "A6",
    "Syracuse battery": "H6",
    "Marsala battery": "L6",
}
WAITS = {"timeout": 15000}


def tap(page: Page, name: str, at: str) -> None:
    """Tap a unit, tap a cell."""
    page.locator("#tray a[data-pick]", has_text=name).click()
    cell(page, at).click()


def unit(page: Page, name: str) -> Any:
    """A unit in a roster."""
    return page.locator(".roster a[data-pick]", has_text=name)


def choose(page: Page, name: str, at: str = "") -> None:
    """Choose a unit of one's own, and what it is to march to or to aim at."""
    unit(page, name).click()
    expect(page.locator("#orders h2").first).to_have_text(name, **WAITS)
    if at:
        cell(page, at).click()


def secrets_of(page: Page, names: Any) -> list[str]:
    """Which of these names stand anywhere in the page."""
    html = page.content()
    return [name for name in names if name in html]


def test_a_whole_battle_without_a_reload(site: Any, sit: Sit) -> None:
    battle = e2e.battle(site, "prepared")
    reds, blues = [name for name, _kind in e2e.RED], [name for name, _kind in e2e.BLUE]

    # the players wait for the moderator, who opens it
    judge = sit("moderator")
    heard: list[str] = []
    red, blue, guest = (sit(who) for who in ("red", "blue", "spectator"))
    for page in (blue, guest):
        page.on("websocket", lambda line: line.on("framereceived", lambda frame: heard.append(str(frame))))
    for page in (red, blue):
        page.goto(f"/battles/{battle['id']}/prepare/")
    judge.goto(f"/battles/{battle['id']}/prepare/")
    judge.get_by_role("button", name="Open deployment").click()
    expect(judge.locator("#conn .conn-t")).to_have_text("Live", **WAITS)
    judge.evaluate("window.sameDocument = true")
    for page in (red, blue):
        expect(page.get_by_role("heading", name="Deploy your army")).to_be_visible(**WAITS)
        expect(page.locator("#conn .conn-t")).to_have_text("Live", **WAITS)
        page.evaluate("window.sameDocument = true")
    live(guest, battle)
    expect(guest.locator("#units .fog-text")).to_have_count(2)

    # ten units by taps, the others by the rest's arrangement
    began = time.monotonic()
    for name, at in TAPS.items():
        tap(red, name, at)
    expect(red.locator("#banner")).to_contain_text("10 of 10 placed", **WAITS)
    took = time.monotonic() - began
    assert took < 20, f"ten units took {took:.1f} s"
    for name, at in (("1st Piedmont", "E2"), ("Alpine Rifles", "G2"), ("Turin Cuirassiers", "C2")):
        tap(blue, name, at)
    blue.get_by_role("button", name="Arrange the rest").click()
    expect(blue.locator("#banner")).to_contain_text("10 of 10 placed", **WAITS)
    expect(judge.locator("#units .unit")).to_have_count(20, **WAITS)
    assert secrets_of(blue, reds) == [] and secrets_of(guest, reds + blues) == []
    assert secrets_of(red, blues) == []

    # both ready: the reveal
    red.get_by_role("button", name="Ready", exact=True).click()
    expect(blue.locator("#banner")).to_contain_text("Sicily is ready", **WAITS)
    assert heard and not any(name in frame for name in reds for frame in heard)
    blue.get_by_role("button", name="Ready", exact=True).click()
    for page in (red, blue, guest, judge):
        expect(page.locator("#units .unit")).to_have_count(20, **WAITS)
    expect(red.locator("#banner")).to_contain_text("Your move")
    expect(guest.locator("#banner")).to_contain_text("Sicily to move")

    # turn 1, Sicily: a shot, a march into melee, a charge that is answered
    choose(red, "Etna Chasseurs", "G2")
    red.get_by_role("link", name="Fire instead").click()
    red.locator(".preview").get_by_role("button", name="Fire").click()
    expect(unit(blue, "Alpine Rifles")).to_have_attribute("aria-label", re.compile("7 of 10"), **WAITS)
    choose(red, "Catania Rifles", "M4")
    expect(red.locator("#orders .route")).to_have_text("M5→M4")
    red.locator("#orders").get_by_role("button", name="March").click()
    expect(guest.locator("#log")).to_contain_text("M5 → M4", **WAITS)
    choose(red, "1st Messina", "E2")
    red.locator(".preview").get_by_role("button", name="Attack").click()
    expect(unit(red, "1st Messina")).to_have_attribute("aria-label", re.compile(", E3, .*in melee"), **WAITS)
    choose(red, "Palermo Cuirassiers", "C2")
    red.locator(".preview").get_by_role("button", name="Charge").click()
    question = blue.locator("#questions .question")
    expect(question).to_contain_text("Ride out to meet the charge?", **WAITS)
    expect(guest.locator("#questions")).to_contain_text("Italy has to answer", **WAITS)
    expect(guest.locator("#questions form")).to_have_count(0)
    question.get_by_role("button", name="Ride out").click()
    expect(unit(red, "Turin Cuirassiers")).to_have_attribute("aria-label", re.compile(", C3, "), **WAITS)
    expect(unit(red, "Palermo Cuirassiers")).to_have_attribute("aria-label", re.compile(", C4, "))

    # FR-01: the moderator's ruling is seen by both at once; what makes no sense is refused and changes nothing
    rule(judge, "1st Messina", "6", "FR-01: it was hit by a falling tree")
    for page in (red, blue, guest):
        expect(unit(page, "1st Messina")).to_have_attribute("aria-label", re.compile("6 of 10"), **WAITS)
        expect(page.locator("#log")).to_contain_text("FR-01: it was hit by a falling tree")
        expect(page.locator("#log .ruling").last).to_contain_text(re.compile(r"10\D+6"))
        no_reload(page)
    version = red.locator("#live").get_attribute("data-version")
    rule(judge, "1st Messina", "-3", "impossible")
    expect(judge.locator("details[open] .invalid-feedback, details[open] .is-invalid").first).to_be_visible()
    assert red.locator("#live").get_attribute("data-version") == version
    expect(judge.locator("#conn .conn-t")).to_have_text("Live", **WAITS)  # the desk goes on, at the form's address
    judge.evaluate("window.sameDocument = true")

    # the turn ends with a warning; the melees cost each side one
    end_turn(red, warned=True)
    expect(blue.locator("#banner")).to_contain_text("Your move", **WAITS)
    expect(judge.locator("#timeline")).to_contain_text("Sicily ends its turn", **WAITS)
    for page in (red, blue, guest):
        expect(unit(page, "1st Messina")).to_have_attribute("aria-label", re.compile(r", 5 of 10"), **WAITS)

    # turn 2, Italy: a shot back, a stance that nobody else hears of, then the retreat
    known = [page.locator("#live").get_attribute("data-version") for page in (red, guest)]
    choose(blue, "Savoy Guard")
    stance = blue.get_by_role("switch", name=re.compile("fire", re.IGNORECASE))
    stance.click()
    expect(stance).to_have_attribute("aria-checked", "false", **WAITS)
    assert known == [page.locator("#live").get_attribute("data-version") for page in (red, guest)]
    choose(blue, "Alpine Rifles", "G5")
    blue.get_by_role("link", name="Fire instead").click()
    blue.locator(".preview").get_by_role("button", name="Fire").click()
    expect(unit(red, "Etna Chasseurs")).to_have_attribute("aria-label", re.compile("7 of 10"), **WAITS)
    unit(blue, "Alpine Rifles").click()  # once more: nobody is chosen
    blue.get_by_role("link", name="General retreat…").click()
    blue.get_by_role("button", name="Order the retreat").click()
    expect(red.locator("#log")).to_contain_text(re.compile("retreat", re.IGNORECASE), **WAITS)
    choose(blue, "Novara Lancers")
    blue.get_by_role("button", name="Leave the map").click()
    expect(guest.locator("#units .unit")).to_have_count(19, **WAITS)
    end_turn(blue, warned=True)

    # turn 3, Sicily lets the enemy go; whoever is in melee is the moderator's question
    expect(red.locator("#banner")).to_contain_text("Your move", **WAITS)
    expect(unit(red, "1st Messina")).to_have_attribute("aria-label", re.compile(r", 4 of 10"))
    red.get_by_role("button", name="Let the enemy go").click()
    expect(judge.locator("#cases .case")).to_have_count(2, **WAITS)
    no_reload(judge)
    for left in (1, 0):
        case = judge.locator("#cases .case").first
        case.get_by_label("Withdrawn").check()
        case.get_by_role("textbox").fill("They slip away")
        case.get_by_role("button", name="Give the ruling").click()
        expect(judge.locator("#cases .case")).to_have_count(left, **WAITS)

    # the result, the same for all, and what the log proves
    for page in (red, blue, guest):
        expect(page.locator("#banner")).to_contain_text("Sicily has won", **WAITS)
        expect(page.locator("form[data-order]")).to_have_count(0)
        no_reload(page)
    for page in (red, guest):
        page.get_by_role("link", name="Result and report").first.click()
        expect(page.locator("main")).to_contain_text("Sicily has won")
    site.run("manage.py", "verify", str(battle["id"]))


def rule(judge: Page, name: str, hp: str, reason: str) -> None:
    """Change a unit's hit points on the desk."""
    judge.locator("summary", has_text="Change a unit").click()
    form = judge.locator("details[open] .ruling-form")
    words = form.get_by_label("Unit").locator("option", has_text=name).text_content()
    form.get_by_label("Unit").select_option(label=words)
    form.get_by_label("HP").fill(hp)
    form.get_by_label("Reason").fill(reason)
    form.get_by_role("button", name="Give the ruling").click()


def end_turn(page: Page, *, warned: bool) -> None:
    """End the turn, past the warning if there is one."""
    page.locator("#end-turn").click()
    if warned:
        expect(page.locator("#orders")).to_contain_text("done nothing")
        page.locator("#orders").get_by_role("button", name="End turn").click()
