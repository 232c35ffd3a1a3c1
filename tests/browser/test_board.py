"""The board in real browsers: with script, without it, two players at once, keyboard, lost lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser]
Sit = Callable[..., Any]


def at_board(page: Page, battle: dict[str, Any], query: str = "") -> Page:
    """Open the board; with script, wait until the line stands, and leave a mark that a reload would wipe out."""
    page.goto(f"/battles/{battle['id']}/{query}")
    return page


def live(page: Page, battle: dict[str, Any], query: str = "") -> Page:
    """Open the board and wait until it is on the line."""
    at_board(page, battle, query)
    expect(page.locator("#conn .conn-t")).to_have_text("Live")
    page.evaluate("window.sameDocument = true")
    return page


def no_reload(page: Page) -> None:
    """The page is still the same document."""
    assert page.evaluate("window.sameDocument") is True


def cell(page: Page, name: str) -> Any:
    """A space of the board."""
    return page.locator(f'#over a[data-cell="{name}"]')


def chip(page: Page, key: str) -> Any:
    """A unit in a roster or in the tray."""
    return page.locator(f'[data-pick="{key}"]')


# Without script


def test_without_script_an_army_is_deployed(site: Any, sit: Sit) -> None:
    battle = site.battle("deployment")
    page = at_board(sit("red", java_script_enabled=False), battle)
    expect(page.get_by_role("heading", name="Deploy your army")).to_be_visible()
    expect(page.locator("#units")).to_contain_text("Italy deploys here, unseen")
    chip(page, battle["units"]["red 1st Messina"]).click()
    cell(page, "E9").click()
    page.get_by_role("button", name="Place at E9").click()
    expect(page.locator("#banner")).to_contain_text("1 of 8 placed")
    page.get_by_role("button", name="E", exact=True).click()
    expect(page.locator("#orders .unit-h")).to_contain_text("facing east")
    page.get_by_role("button", name="square").click()
    expect(page.locator("#orders .unit-h")).to_contain_text("square")
    page.get_by_role("button", name="To the tray").click()
    expect(page.locator("#banner")).to_contain_text("0 of 8 placed")
    page.get_by_role("button", name="Arrange the rest").click()
    expect(page.locator("#banner")).to_contain_text("8 of 8 placed")
    page.get_by_role("button", name="Ready").click()
    expect(page.get_by_role("heading", name="You are ready")).to_be_visible()
    page.get_by_role("button", name="Not ready after all").click()
    expect(page.get_by_role("heading", name="Deploy your army")).to_be_visible()


def test_without_script_the_order_at_the_bottom_of_a_phone_is_given_too(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    phone = {"width": 390, "height": 844}
    chosen = f"?unit={battle['units']['red Catania Rifles']}&to=H7"
    red = at_board(sit("red", java_script_enabled=False, viewport=phone), battle, chosen)
    red.locator("#quick").get_by_role("button", name="March").click()
    expect(red.locator("#log")).to_contain_text(re.compile(r"Catania Rifles.*H8 → H7"))


def test_without_script_a_turn_with_a_march_a_shot_and_a_charge_that_is_answered(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    red = at_board(sit("red", java_script_enabled=False), battle)
    chip(red, battle["units"]["red Catania Rifles"]).click()
    cell(red, "H7").click()
    red.locator("#orders").get_by_role("button", name="March").click()
    expect(red.locator("#log")).to_contain_text(re.compile(r"Catania Rifles.*H8 → H7"))
    chip(red, battle["units"]["red Horse battery"]).click()
    cell(red, "J4").click()
    expect(red.locator("#orders")).to_contain_text("Roundshot at 2nd Piedmont")
    red.locator(".preview").get_by_role("button", name="Fire").click()
    expect(red.locator("#log")).to_contain_text(re.compile(r"Horse battery.*fires"))
    chip(red, battle["units"]["red Palermo Cuirassiers"]).click()
    cell(red, "C3").click()
    expect(red.locator("#orders .odds")).to_contain_text("6")
    expect(red.locator("#orders")).to_contain_text("If they ride out to meet us")
    red.locator(".preview").get_by_role("button", name="Charge").click()
    expect(red.locator("#questions")).to_contain_text("Italy has to answer")
    blue = at_board(sit("blue", java_script_enabled=False), battle)
    expect(blue.locator("#questions")).to_contain_text("Ride out to meet the charge?")
    blue.get_by_role("button", name="Ride out").click()
    expect(blue.locator("#questions .question")).to_have_count(0)
    expect(
        blue.locator('#units .unit[data-key="{}"]'.format(battle["units"]["blue Turin Cuirassiers"]))
    ).to_have_attribute("transform", "translate(148 196)")
    red.reload()
    red.get_by_role("link", name="End turn").click()
    expect(red.locator("#orders")).to_contain_text("units have done nothing")
    red.locator("#orders").get_by_role("button", name="End turn").click()
    expect(red.locator("#banner")).to_contain_text("Italy to move")


# With script


def test_ten_quick_taps_all_arrive(site: Any, sit: Sit) -> None:
    battle = site.battle("deployment")
    page = live(sit("red"), battle)
    names = [name for name in battle["units"] if name.startswith("red")]
    spots = ["A10", "B10", "C10", "G10", "H10", "I10", "J10", "K10"]
    for name, spot in zip(names, spots, strict=True):
        page.evaluate(
            """([key, spot]) => {
                const tap = (found) => document.querySelector(found).dispatchEvent(
                    new MouseEvent("click", { bubbles: true, cancelable: true }));
                tap(`[data-pick="${key}"]`);
                tap(`#over a[data-cell="${spot}"]`);
            }""",
            [battle["units"][name], spot],
        )
    expect(page.locator("#banner")).to_contain_text("8 of 8 placed")
    expect(page.locator("#units .unit")).to_have_count(8)
    no_reload(page)


def test_placing_turning_and_taking_back_without_reload(site: Any, sit: Sit) -> None:
    battle = site.battle("deployment")
    page = live(sit("red"), battle)
    key = battle["units"]["red 1st Messina"]
    chip(page, key).click()
    expect(page.locator("#orders h2")).to_have_text("1st Messina")
    cell(page, "H9").click()
    expect(page.locator("#banner")).to_contain_text("1 of 8 placed")
    page.locator(".turner a").last.click()
    expect(page.locator("#orders")).to_contain_text("facing east")
    page.get_by_role("button", name="N", exact=True).click()
    expect(page.locator("#orders")).to_contain_text("facing north")
    page.get_by_role("button", name="line").click()
    expect(page.locator("#orders")).to_contain_text("heavy infantry in line")
    page.get_by_role("button", name="To the tray").click()
    expect(page.locator("#banner")).to_contain_text("0 of 8 placed")
    no_reload(page)


def test_the_enemy_sees_nothing_of_a_placement(site: Any, sit: Sit) -> None:
    battle = site.battle("deployment")
    red, blue = live(sit("red"), battle), live(sit("blue"), battle)
    frames: list[str] = []
    blue.on("websocket", lambda socket: socket.on("framereceived", lambda payload: frames.append(str(payload))))
    blue.reload()
    expect(blue.locator("#conn .conn-t")).to_have_text("Live")
    red.get_by_role("button", name="Arrange the rest").click()
    expect(red.locator("#banner")).to_contain_text("8 of 8 placed")
    blue.wait_for_timeout(2500)
    html = blue.content() + "".join(frames)
    for name, key in battle["units"].items():
        if name.startswith("red"):
            assert key not in html, name
    assert "Palermo Cuirassiers" not in html and "Catania Rifles" not in html
    red.get_by_role("button", name="Ready").click()
    expect(blue.locator("#banner")).to_contain_text("Sicily is ready")


def test_both_ready_the_armies_are_revealed_to_both(site: Any, sit: Sit) -> None:
    battle = site.battle("deployment")
    red, blue = live(sit("red"), battle), live(sit("blue"), battle)
    for page in (red, blue):
        page.get_by_role("button", name="Arrange the rest").click()
        expect(page.locator("#tray")).to_contain_text("All units are placed")
        page.get_by_role("button", name="Ready").click()
    for page in (red, blue):
        expect(page.locator("#units .unit")).to_have_count(14)
        expect(page.locator("#roster-upper .ru").first).to_be_visible()
        no_reload(page)
    expect(red.locator("#banner")).to_contain_text("Your move")
    expect(red.locator("#tray")).to_be_hidden()
    expect(red.locator(".legend")).to_contain_text("can reach")
    expect(red.locator(".legend")).not_to_contain_text("your strip")


def test_a_march_arrives_at_the_other_page_by_itself(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    red, blue = live(sit("red"), battle), live(sit("blue"), battle)
    key = battle["units"]["red Palermo Cuirassiers"]
    chip(red, key).click()
    cell(red, "C4").click()
    expect(red.locator("#orders .route")).to_have_text("C6→C5→C4")
    red.locator("#orders").get_by_role("button", name="March").click()
    expect(blue.locator(f'#units .unit[data-key="{key}"]')).to_have_attribute("transform", "translate(148 196)")
    expect(blue.locator("#say")).to_contain_text("Palermo Cuirassiers")
    expect(blue.locator("#log")).to_contain_text("C6 → C5 → C4")
    no_reload(red)
    no_reload(blue)


def test_a_push_leaves_the_order_in_hand_alone(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    red, blue = live(sit("red"), battle), live(sit("blue"), battle)
    chip(red, battle["units"]["red Palermo Cuirassiers"]).click()
    cell(red, "C3").click()
    expect(red.locator("#orders .odds")).to_be_visible()
    query = red.evaluate("location.search")
    chip(blue, battle["units"]["blue Turin Cuirassiers"]).click()
    blue.get_by_role("switch", name="Answer a charge").click()
    expect(blue.get_by_role("switch", name="Answer a charge")).to_have_attribute("aria-checked", "true")
    blue.locator("#orders").press("Escape")
    blue.get_by_role("button", name="Offer a draw").click()
    expect(red.locator("#questions")).to_contain_text("Italy offers a draw")
    expect(red.locator("#orders .odds")).to_be_visible()
    assert red.evaluate("location.search") == query
    red.locator("#questions").get_by_role("button", name="Decline").click()
    expect(red.locator("#questions .question")).to_have_count(0)
    expect(red.locator("#orders .odds")).to_be_visible()


def test_a_charge_is_asked_and_answered_live(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    red, blue = live(sit("red"), battle), live(sit("blue"), battle)
    chip(red, battle["units"]["red Palermo Cuirassiers"]).click()
    cell(red, "C3").click()
    red.locator("#orders").get_by_role("button", name="Charge").click()
    question = blue.locator("#questions .question")
    expect(question).to_contain_text("Ride out to meet the charge?")
    expect(blue.locator("#clock")).to_have_class(re.compile("asking"))
    expect(question.locator("[data-clock-echo]")).to_have_text(re.compile(r"[12]:\d\d"))
    expect(red.locator("#end-turn")).to_have_attribute("aria-disabled", "true")
    question.get_by_role("button", name="Stand").click()
    expect(blue.locator("#questions .question")).to_have_count(0)
    expect(red.locator("#units .b-melee")).to_have_count(1)
    no_reload(blue)


def test_a_second_tab_with_an_old_board_is_told_to_look_again(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    first = live(sit("red"), battle)
    old = at_board(
        sit("red", java_script_enabled=False), battle, f"?unit={battle['units']['red Catania Rifles']}&to=H7"
    )
    chip(first, battle["units"]["red Palermo Cuirassiers"]).click()
    cell(first, "C5").click()
    first.locator("#orders").get_by_role("button", name="March").click()
    expect(first.locator("#log")).to_contain_text("C6 → C5")
    old.locator("#orders").get_by_role("button", name="March").click()
    expect(old.locator("#stale")).to_contain_text("The position has changed, look again.")
    expect(old.locator("#log")).to_contain_text("C6 → C5")


def test_a_refusal_names_its_rule_in_the_panel_and_the_order_stays(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    page = live(sit("red"), battle)
    chip(page, battle["units"]["red Catania Rifles"]).click()
    cell(page, "H7").click()
    expect(page.locator("#orders .route")).to_have_text("H8→H7")
    page.evaluate("document.querySelector('#orders input[name=path]').value = 'H7 H6 H5 H4'")
    page.locator("#orders").get_by_role("button", name="March").click()
    expect(page.locator("#refusal .rule")).to_be_visible()
    expect(page.locator("#orders").get_by_role("button", name="March")).to_be_enabled()
    no_reload(page)


def test_the_back_button_goes_back_through_selections(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    page = live(sit("red"), battle)
    chip(page, battle["units"]["red Catania Rifles"]).click()
    expect(page.locator("#orders h2")).to_have_text("Catania Rifles")
    chip(page, battle["units"]["red Royal Guard"]).click()
    expect(page.locator("#orders h2")).to_have_text("Royal Guard")
    page.go_back()
    expect(page.locator("#orders h2")).to_have_text("Catania Rifles")
    page.go_back()
    expect(page.locator("#orders h2")).to_have_text("Choose a unit")
    no_reload(page)


def test_the_board_is_played_from_the_keyboard(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    page = live(sit("red"), battle)
    page.keyboard.press("]")
    expect(page.locator("#orders h2")).to_have_text("1st Messina")
    cell(page, "C6").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#orders h2")).to_have_text("Palermo Cuirassiers")
    expect(cell(page, "C6")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(cell(page, "C5")).to_be_focused()
    assert cell(page, "C5").get_attribute("aria-label") == "C5, open ground. Can be reached."
    page.keyboard.press("Enter")
    expect(page.locator("#orders .route")).to_have_text("C6→C5")
    page.keyboard.press("Escape")
    expect(page.locator("#orders .preview")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("#orders h2")).to_have_text("Choose a unit")
    page.keyboard.press("e")
    expect(page.locator("#orders h2")).to_have_text("End the turn")
    assert page.locator('#over a[tabindex="0"]').count() == 1


def test_labels_say_what_the_design_asks(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    page = at_board(
        sit("red", java_script_enabled=False), battle, f"?unit={battle['units']['red Palermo Cuirassiers']}"
    )
    label = cell(page, "C3").get_attribute("aria-label")
    assert label == "C3, open ground, enemy: Turin Cuirassiers, 6 of 6. Can be attacked, 6 to 3."
    line = chip(page, battle["units"]["red 1st Messina"]).get_attribute("aria-label")
    assert line == "1st Messina, heavy infantry in line, D5 and E5, facing north, 7 of 10."


def test_a_lost_line_is_shown_and_heals_by_itself(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    red, blue = live(sit("red"), battle), live(sit("blue"), battle)
    chip(red, battle["units"]["red Catania Rifles"]).click()
    cell(red, "H7").click()
    expect(red.locator("#orders").get_by_role("button", name="March")).to_be_visible()
    site.stop()
    try:
        expect(red.locator("#conn .conn-t")).to_have_text("Offline", timeout=6000)
        expect(red.locator("#offline")).to_be_visible()
        expect(red.locator("#orders").get_by_role("button", name="March")).to_be_disabled()
    finally:
        site.start()
    expect(red.locator("#conn .conn-t")).to_have_text("Live", timeout=12000)
    expect(blue.locator("#conn .conn-t")).to_have_text("Live", timeout=12000)
    expect(red.locator("#offline")).to_be_hidden()
    red.locator("#orders").get_by_role("button", name="March").click()
    expect(blue.locator("#log")).to_contain_text("H8 → H7")
    no_reload(red)


def test_the_clock_ends_a_turn_for_both(site: Any, sit: Sit) -> None:
    battle = site.battle("clock")
    red, blue = live(sit("red"), battle), live(sit("blue"), battle)
    expect(red.locator("#clock .clock-t")).to_have_text(re.compile(r"0:0\d"), timeout=12000)
    expect(blue.locator("#banner")).to_contain_text("Your move", timeout=20000)
    expect(red.locator("#banner")).to_contain_text("Italy to move")
    no_reload(red)


def test_a_general_retreat_asks_twice(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    page = live(sit("red"), battle)
    page.get_by_role("link", name="General retreat…").click()
    expect(page.locator("#orders")).to_contain_text("it cannot be taken back")
    page.get_by_role("button", name="Order the retreat").click()
    expect(page.locator("#roster-lower")).to_contain_text("in retreat")
    expect(page.locator("#units .unit.side-red .b-warn").first).to_be_attached()


def test_lines_wheel_and_reform_in_the_panel(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    page = live(sit("red"), battle)
    key = battle["units"]["red Royal Guard"]
    chip(page, key).click()
    page.locator("#orders summary", has_text="Change formation").click()
    page.locator("#orders .forms").get_by_role("button", name=re.compile("column, N")).first.click()
    expect(page.locator("#orders .unit-h")).to_contain_text("column")
    chip(page, battle["units"]["red 1st Messina"]).click()
    page.locator("#orders").get_by_role("button", name="right").click()
    expect(page.locator("#orders .unit-h")).to_contain_text("facing east")


# Who sees what


def test_moderator_and_spectator_look_without_orders(site: Any, sit: Sit) -> None:
    battle = site.battle("deployment")
    red = live(sit("red"), battle)
    red.get_by_role("button", name="Arrange the rest").click()
    expect(red.locator("#units .unit")).to_have_count(8)
    judge = live(sit("moderator"), battle)
    expect(judge.locator("#units .unit")).to_have_count(8)
    expect(judge.get_by_role("link", name="To the desk")).to_be_visible()
    guest = live(sit("spectator"), battle)
    expect(guest.locator("#units .unit")).to_have_count(0)
    expect(guest.locator("#units .fog-text")).to_have_count(2)
    expect(guest.locator("form[data-order]")).to_have_count(0)
    stranger = sit("stranger")
    answer = stranger.goto(f"/battles/{battle['id']}/")
    assert answer.status == 404


# Sizes, colours, accessibility


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 768, 390])
@pytest.mark.parametrize("scene", ["deployment", "play"])
def test_axe_finds_nothing_and_nothing_runs_over(site: Any, sit: Sit, scene: str, width: int, theme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    battle = site.battle(scene)
    page = live(sit("red", viewport={"width": width, "height": 844}, bypass_csp=True), battle)  # axe writes styles
    page.evaluate(f"document.documentElement.setAttribute('data-bs-theme', '{theme}')")
    if scene == "play":
        chip(page, battle["units"]["red Palermo Cuirassiers"]).click()
        cell(page, "C3").click(force=True)
        expect(page.locator("#orders .odds")).to_be_visible()
    else:
        chip(page, battle["units"]["red 1st Messina"]).click()
        expect(page.locator("#orders h2")).to_have_text("1st Messina")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    no_reload(page)


def test_on_a_phone_the_board_scrolls_in_its_frame_and_zooms(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    page = live(sit("red", viewport={"width": 390, "height": 844}), battle)
    stack = page.locator(".board-stack")
    assert abs(stack.bounding_box()["width"] - 808 * 28 / 48) < 1
    page.get_by_role("button", name="Zoom").click()
    assert abs(stack.bounding_box()["width"] - 808 * 44 / 48) < 1
    chip(page, battle["units"]["red Horse battery"]).click()
    expect(page.locator("#orders h2")).to_have_text("Horse battery")
    page.wait_for_timeout(200)
    box = page.locator('#units .unit[data-key="{}"]'.format(battle["units"]["red Horse battery"])).bounding_box()
    assert 0 <= box["x"] <= 390


COUNT_MOTION = """() => {
    window.moved = 0;
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...given) { window.moved += 1; return animate.apply(this, given); };
}"""


def test_a_march_is_animated_unless_motion_is_unwanted(site: Any, sit: Sit) -> None:
    battle = site.battle("play")
    red, still = live(sit("red"), battle), live(sit("blue", reduced_motion="reduce"), battle)
    moving = live(sit("spectator"), battle)
    for page in (still, moving):
        page.evaluate(COUNT_MOTION)
    chip(red, battle["units"]["red Palermo Cuirassiers"]).click()
    cell(red, "C4").click()
    red.locator("#orders").get_by_role("button", name="March").click()
    for page in (still, moving):
        expect(page.locator("#log")).to_contain_text("C6 → C5 → C4")
    assert still.evaluate("window.moved") == 0
    assert moving.evaluate("window.moved") > 0
