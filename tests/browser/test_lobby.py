"""The lobby in a browser: a battle from its making to its deployment, the live desk, and axe over every page."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser

HOSTILE = '"><img src=x onerror=window.__x=1>{{7*7}}'
CYRILLIC = "Бородинское поле и всё что было у деревни Семёновской при 🐎 утром"
TURNED = "Gate\u202eetaG"
AXE = {
    "bypass_csp": True,
    "reduced_motion": "reduce",
}  # axe writes styles of its own, and does not wait for colours to change
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def calm(page: Any) -> None:
    """Axe finds nothing, and the page is not wider than its window."""
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"


def both_themes(page: Any) -> None:
    """The same in the other colours too; the switch works without a reload."""
    calm(page)
    page.evaluate("document.documentElement.dataset.bsTheme = 'dark'")
    calm(page)
    page.evaluate("document.documentElement.dataset.bsTheme = 'light'")


def found_campaign(page: Any, name: str) -> str:
    """Found a campaign by its form; its address."""
    page.goto("/campaigns/new/")
    page.locator("#id_name").fill(name)
    page.get_by_role("button", name="Create the campaign").click()
    page.wait_for_url(re.compile(r"/campaigns/\d+/$"))
    return str(page.url)


def make_battle(page: Any, campaign: str, name: str, red: str = "Sicily", **lists: str) -> str:
    """Make a battle by its form; the address of its preparation."""
    page.goto(f"{campaign}battles/new/")
    page.locator("#id_name").fill(name)
    page.get_by_role("radio", name="The river crossings").check()
    page.locator("#id_red_name").fill(red)
    page.locator("#id_blue_name").fill("Italy")
    page.locator("#div_id_red_colour").get_by_role("radio", name="teal").check()
    page.locator("#id_red_list").fill(lists.get("red_list", "1st Messina; heavy\nEtna Rifles; light infantry"))
    page.get_by_label("Cuirassiers, Blue side").fill("2")
    page.get_by_role("button", name="Create the battle").click()
    page.wait_for_url(re.compile(r"/battles/\d+/prepare/$"))
    return str(page.url)


def invite(page: Any, prepare: str, side: str) -> str:
    """Make a link for a seat."""
    page.goto(prepare)
    panel = page.locator(f"section[aria-labelledby=seat-{side}]")
    panel.get_by_role("button", name="Make a link").click()
    return str(page.locator(f"section[aria-labelledby=seat-{side}] input.copy").input_value())


def test_a_battle_from_the_form_to_its_deployment(sit: Any) -> None:
    moderator, red, blue = sit("campaign_admin"), sit("red"), sit("blue")
    campaign = found_campaign(moderator, "Two Sicilies")
    prepare = make_battle(moderator, campaign, "The ford")
    for page, side in ((red, "red"), (blue, "blue")):
        page.goto(invite(moderator, prepare, side))
        page.locator("#id_phrase").fill(f"words of {side}")
        page.get_by_role("button", name="Take the seat").click()
        page.wait_for_url(prepare)
    assert "words of blue" not in red.content() and "words of red" not in moderator.content()
    assert red.locator("code.hash").inner_text() == blue.locator("code.hash").inner_text() != ""
    moderator.goto(prepare)
    moderator.get_by_role("button", name="Open deployment").click()
    moderator.wait_for_url(re.compile(r"/desk/$"))
    red.goto(prepare)
    red.wait_for_url(re.compile(r"/battles/\d+/$"))
    assert red.get_by_role("heading", name="Deploy your army").is_visible()


def test_the_form_names_each_bad_row_and_keeps_what_was_typed(sit: Any) -> None:
    page = sit("campaign_admin", **PHONE, **AXE)
    campaign = found_campaign(page, "Forms")
    page.goto(f"{campaign}battles/new/")
    page.locator("#id_red_list").fill("A; heavy\nB; elephants\nC")
    page.get_by_role("button", name="Create the battle").click()
    page.get_by_text("Row 2, “B; elephants”").wait_for()
    assert page.get_by_text("Row 3, “C”").is_visible()
    assert page.locator("#id_red_list").input_value() == "A; heavy\nB; elephants\nC"
    page.locator("details.params > summary").click()
    both_themes(page)


@pytest.mark.parametrize("options", [{}, PHONE], ids=["wide", "phone"])
def test_axe_finds_nothing_in_the_lobby(sit: Any, options: dict[str, Any]) -> None:
    page = sit("campaign_admin", **options, **AXE)
    for path in ("/", "/campaigns/", "/campaigns/new/", "/desk/"):
        page.goto(path)
        both_themes(page)
    campaign = found_campaign(page, "Looked over")
    both_themes(page)
    prepare = make_battle(page, campaign, "Looked over")
    both_themes(page)
    invite(page, prepare, "red")
    both_themes(page)
    page.goto(prepare.replace("/prepare/", "/edit/"))
    page.locator("details.params > summary").click()
    both_themes(page)
    page.goto(campaign)
    page.locator("#id_username").fill("nobody at all")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("Nobody here has this user name.").wait_for()
    both_themes(page)


@pytest.mark.parametrize("options", [{}, PHONE], ids=["wide", "phone"])
def test_axe_finds_nothing_on_the_desk(sit: Any, site: Any, options: dict[str, Any]) -> None:
    battle = site.battle("play")["id"]
    page = sit("moderator", **options, **AXE)
    page.goto(f"/battles/{battle}/desk/")
    both_themes(page)
    page.get_by_text("Change a unit").click()
    form = page.locator("form.ruling-form", has=page.locator("#id_hp"))
    form.get_by_role("button", name="Give the ruling").click()
    page.get_by_text("A ruling needs a reason: both sides will read it.").first.wait_for()
    both_themes(page)
    page.goto("/desk/")
    both_themes(page)


def test_the_desk_follows_what_happens_and_leaves_a_begun_form_alone(sit: Any, site: Any) -> None:
    battle = site.battle("play")["id"]
    desk, red = sit("moderator"), sit("red")
    desk.goto(f"/battles/{battle}/desk/")
    desk.locator("#conn:not(.off):not(.slow)").wait_for()
    desk.evaluate("window.__mark = 1")
    desk.get_by_text("End the battle").first.click()
    reason = desk.locator("form:has([name=winner]) textarea")
    reason.fill("half a word")
    red.goto(f"/battles/{battle}/?do=end_turn")
    red.get_by_role("button", name="End turn").last.click()
    desk.locator("#timeline").get_by_text("ends its turn").wait_for()
    assert reason.input_value() == "half a word" and desk.evaluate("window.__mark") == 1
    assert "Italy to move" in desk.locator("#banner").inner_text()


def test_the_desk_goes_on_after_a_form_in_error(sit: Any, site: Any) -> None:
    battle = site.battle("play")["id"]
    desk, red = sit("moderator"), sit("red")
    desk.goto(f"/battles/{battle}/desk/")
    desk.get_by_text("End the battle").first.click()
    desk.locator("form:has([name=winner])").get_by_role("button", name="End the battle").click()
    desk.wait_for_url(re.compile("/ruling/$"))
    desk.locator("#conn:not(.off):not(.slow)").wait_for()
    refused = []
    desk.on("response", lambda answer: refused.append(answer.url) if answer.status >= 400 else None)
    desk.evaluate("window.__mark = 1")
    red.goto(f"/battles/{battle}/?do=end_turn")
    red.get_by_role("button", name="End turn").last.click()
    desk.locator("#timeline").get_by_text("ends its turn").wait_for()
    assert desk.evaluate("window.__mark") == 1 and not refused


def test_a_moderator_stops_the_clock_and_rewinds_on_a_phone(sit: Any, site: Any) -> None:
    battle = site.battle("play")["id"]
    page = sit("moderator", **PHONE)
    page.goto(f"/battles/{battle}/desk/")
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Go on").wait_for()
    assert page.locator("#clock.stopped").is_visible()
    page.locator("#timeline a.before").first.click()
    page.locator("#rewind textarea").fill("from the start")
    page.locator("#rewind button").click()
    page.get_by_role("button", name="Rewind all the same").click()
    page.get_by_text("The ruling is in the log.").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("name", [HOSTILE, CYRILLIC, TURNED], ids=["markup", "cyrillic", "turned"])
def test_fr12_names_do_nothing_and_the_layout_holds_at_360(sit: Any, name: str) -> None:
    page = sit("campaign_admin", viewport={"width": 360, "height": 740})
    campaign = found_campaign(page, name)
    prepare = make_battle(page, campaign, name, red=name[:40], red_list=f"{name[:58].replace(';', ',')}; heavy")
    for url in (prepare, campaign, "/", "/campaigns/", "/desk/", prepare.replace("/prepare/", "/edit/")):
        page.goto(url)
        assert page.evaluate("window.__x") is None
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), url
        if url != "/campaigns/":
            assert name.replace("\u202e", "")[:30] in page.content().replace("&quot;", '"').replace(
                "&gt;", ">"
            ).replace("&lt;", "<")


def test_the_demo_is_entered_by_one_click(browser: Any, site: Any) -> None:
    context = browser.new_context(base_url=site.url, **AXE)
    page = context.new_page()
    page.goto("/demo/")
    page.get_by_role("button", name="A fresh battle for deployment").click()
    page.get_by_text("is ready to be opened").wait_for()
    both_themes(page)
    page.get_by_role("button", name="Enter as R. Ferrante").click()
    page.get_by_role("heading", name="R. Ferrante").wait_for()
    page.get_by_role("link", name="Prepare").click()
    page.get_by_role("button", name="Open deployment").click()
    page.get_by_role("heading", name="Deploy your army").wait_for()
    context.close()
