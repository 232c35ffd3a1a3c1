"""FR-12: names that are also markup, sixty letters in one word, names that turn the line round; on every page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import e2e
from tests.browser.e2e import HOSTILE, Player
from tests.browser.test_board import live, no_reload

pytestmark = [pytest.mark.browser]
Sit = Callable[..., Any]
PHONE = {"viewport": {"width": 360, "height": 740}}
TURNERS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
LOOK = """() => ({
    ran: typeof window.__x,
    images: document.querySelectorAll('img[src="x"]').length,
    words: document.title + "\\n" + document.body.innerText,
    wide: document.documentElement.scrollWidth,
})"""


@pytest.fixture(scope="module")
def hostile(site: Any) -> list[dict[str, Any]]:
    """A battle being prepared, one that runs, one that is over; everything in them has a name of that kind."""
    made = e2e.battle(site, "hostile", crew="odd_")
    return [{**each, "tokens": made["tokens"]} for each in made["battles"]]


def harmless(page: Page, asked: str = "") -> None:
    """Nothing ran, nothing was reckoned, nothing turns the line, nothing runs over the edge."""
    page.evaluate("document.querySelectorAll('main details').forEach((each) => { each.open = true; })")
    found = page.evaluate(LOOK)
    assert found["ran"] == "undefined" and found["images"] == 0, asked
    assert not re.search(r"(__x=1>|^|\s)49", found["words"].replace("\u200b", "")), asked
    assert not TURNERS.search(page.content()), asked
    if found["wide"] > 360:
        wide = page.evaluate(
            """() => [...document.querySelectorAll("main *, header *")]
                .filter((each) => each.getBoundingClientRect().right > 361 && !each.closest(".board-scroll, .scroll-x"))
                .slice(0, 8).map((each) => each.outerHTML.slice(0, 160))"""
        )
        raise AssertionError((asked, found["wide"], wide))


def pages_of(who: str, battles: list[dict[str, Any]]) -> list[str]:
    """Every page that somebody can open."""
    preparing, running, over = (f"/battles/{each['id']}/" for each in battles)
    new, own = battles[1]["campaign"], next(key for name, key in battles[1]["units"].items() if name.startswith("red"))
    found = ["/", "/campaigns/", *(f"/campaigns/{each['campaign']}/" for each in battles), "/accounts/profile/"]
    found += [f"{preparing}prepare/", running, f"{running}?unit={own}", f"{running}log/", f"{running}dice/"]
    found += [
        over,
        f"{over}review/",
        f"{over}log/",
        f"{over}dice/",
        *(f"/invitations/{t}/" for t in battles[0]["tokens"]),
    ]
    if who == "moderator":
        found += ["/desk/", f"{running}desk/", f"{running}desk/?rewind=5", f"{over}desk/", f"{preparing}edit/"]
    if who == "admin":
        found += [f"/campaigns/{new}/battles/new/"]
    if who in ("red", "blue"):
        units = [key for name, key in battles[1]["units"].items() if name.startswith(who)][:3]
        found += [f"{running}?unit={key}" for key in units] + [f"{running}?do=end_turn"]
    return found


@pytest.mark.parametrize("who", ["red", "blue", "moderator", "admin"])
def test_fr12_every_page_takes_names_as_text(site: Any, sit: Sit, hostile: list[dict[str, Any]], who: str) -> None:
    page = sit(f"odd_{who}", **PHONE)
    page.on("dialog", lambda box: pytest.fail(f"a dialog: {box.message}"))
    for path in pages_of(who, hostile):
        answer = page.goto(path, wait_until="domcontentloaded")
        assert answer is not None and answer.status in (200, 410), (path, answer and answer.status)
        harmless(page, f"{who} {path}")
    expect(page.locator("html")).to_be_attached()


def test_fr12_pushes_previews_questions_and_refusals_take_names_as_text(
    site: Any, sit: Sit, hostile: list[dict[str, Any]]
) -> None:
    running = hostile[1]
    red, blue, desk = (
        live(sit("odd_red", **PHONE), running),
        live(sit("odd_blue", **PHONE), running),
        sit("odd_moderator", **PHONE),
    )
    desk.goto(f"/battles/{running['id']}/desk/")
    keys = list(running["units"].values())
    player, enemy = Player(site, "odd_red", running["id"]), Player(site, "odd_blue", running["id"])
    fired = player.order(type="fire", unit=keys[3], target=keys[13])
    assert fired.status == 200
    expect(blue.locator("#say")).to_contain_text("fires", timeout=15000)
    refused = player.try_order(type="fire", unit=keys[3], target=keys[13])
    assert refused.status == 422 and "<img" not in refused.body
    assert "<img" not in enemy.try_order(type="move", unit=keys[0], path="E4").body
    player.order(type="move", unit=keys[6], path="C4 C3", attack=keys[16])
    expect(blue.locator("#questions")).to_contain_text("Ride out", timeout=15000)
    for name in HOSTILE:
        expect(blue.locator("#log")).to_contain_text(name.replace("\u202e", "").replace("\u202c", "")[:38])
    for page in (red, blue, desk):
        expect(page.locator("#questions .notice, #timeline .ll").first).to_be_visible(timeout=15000)
        harmless(page)
    no_reload(red)
    no_reload(blue)
