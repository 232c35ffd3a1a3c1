"""Axe finds nothing on any page: in both themes, wide and on a phone, forms in error too, in English and in Russian."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import resolve
from playwright.sync_api import Page

from tests.browser import e2e
from tests.browser.test_leaks import addresses

pytestmark = [pytest.mark.browser]
Sit = Callable[..., Any]
Field = dict[str, Any]
# Without its preloading, which breaks our policy with a style of its own; and only what it finds wrong, in full.
OPTIONS = {"preload": False, "resultTypes": ["violations"]}
# Between the two languages every page is seen in both themes at both widths.
SIGHTS = {"en-GB": ((1280, "light"), (390, "dark")), "ru-RU": ((1280, "dark"), (390, "light"))}


@pytest.fixture(scope="module")
def field(site: Any) -> Field:
    """A battle at each stage."""
    return e2e.battle(site, "every_stage")


# How a page is brought into its state


def send(page: Page, **fields: str) -> None:
    """Fill in the form that has these fields and send it, whatever the browser thinks of it."""
    for name, value in fields.items():
        field = page.locator(f'main form [name="{name}"]:not([type=hidden])').first
        field.evaluate("(field) => field.removeAttribute('maxlength')")
        field.fill(value)
    one = page.locator(f'[name="{next(iter(fields))}"]:not([type=hidden])')
    with page.expect_navigation():
        page.locator("main form", has=one).first.locator("button:not([name]), input[type=submit]").last.click()


def in_error(**fields: str) -> Callable[[Page], None]:
    """A form that comes back with what is wrong."""

    def act(page: Page) -> None:
        send(page, **fields)
        page.locator(".invalid-feedback, .notice.error, .alert, .is-invalid").first.wait_for()

    return act


def bad_ruling(page: Page) -> None:
    """A ruling without a reason."""
    page.locator("details", has=page.locator("#id_hp")).locator("summary").click()
    form = page.locator("form.ruling-form", has=page.locator("#id_hp"))
    with page.expect_navigation():
        form.locator("button").last.click()
    page.locator("details[open] .is-invalid").first.wait_for()


def open_all(page: Page) -> None:
    """Everything that can be unfolded is."""
    page.evaluate("document.querySelectorAll('main details').forEach((each) => { each.open = true; })")


def menus(page: Page) -> None:
    """The menus of the bar are open."""
    page.evaluate("document.querySelectorAll('header details').forEach((each) => { each.open = true; })")


def nothing(page: Page) -> None:
    """The page as it comes."""


def views(field: Field) -> dict[str, list[tuple[str, Callable[[Page], None]]]]:
    """What each of the cast looks at."""
    at = {stage: f"/battles/{known['id']}/" for stage, known in field.items() if isinstance(known, dict)}
    units = field["play"]["units"]
    campaign = f"/campaigns/{field['play']['campaign']}/"
    mine = f"{at['play']}?unit="
    anonymous = [
        ("/accounts/login/", nothing),
        ("/accounts/login/", in_error(username="nobody at all", password="wrong")),
        ("/accounts/signup/", nothing),
        ("/accounts/signup/", in_error(username="", password1="a", password2="b")),
        ("/accounts/reset/", nothing),
        ("/accounts/reset/", in_error(email="no address")),
        ("/accounts/reset/done/", nothing),
        ("/accounts/reset/complete/", nothing),
        ("/accounts/reset/MQ/no-such-token/", nothing),
        (field["reset"], nothing),
        (field["reset"], in_error(new_password1="a", new_password2="b")),
        ("/rules/", nothing),
        ("/rules/tactical/", nothing),
        ("/rules/dice/", nothing),
        ("/demo/", nothing),
        ("/no/such/page/", nothing),
    ]
    red = [
        ("/", nothing),
        ("/", menus),
        ("/campaigns/", nothing),
        (campaign, nothing),
        (f"{at['prepared']}prepare/", open_all),
        (f"{at['prepared']}prepare/", in_error(phrase="x" * 101)),
        (at["deployment"], nothing),
        (f"{at['deployment']}?unit={field['deployment']['units']['red 1st Messina']}", open_all),
        (at["play"], nothing),
        (f"{mine}{units['red 1st Messina']}", open_all),
        (f"{mine}{units['red 1st Messina']}&target={units['blue 1st Piedmont']}", nothing),
        (f"{mine}{units['red Syracuse battery']}&target={units['blue Pavia battery']}", nothing),
        (f"{mine}{units['red Noto Hussars']}&to=B3", nothing),
        (f"{at['play']}?do=end_turn", nothing),
        (f"{at['play']}?do=retreat", nothing),
        (f"{at['play']}desk/", nothing),
        (at["asked"], nothing),
        (f"{at['play']}log/", nothing),
        (f"{at['play']}dice/", nothing),
        (at["over"], nothing),
        (f"{at['over']}review/", open_all),
        (f"{at['over']}log/", nothing),
        (f"{at['over']}dice/", nothing),
        ("/accounts/profile/", nothing),
        ("/accounts/profile/", in_error(email="no address")),
        ("/accounts/password/", nothing),
        ("/accounts/password/", in_error(old_password="a", new_password1="b", new_password2="c")),
    ]
    blue = [(at["asked"], nothing), (f"/invitations/{field['tokens'][0]}/", nothing)]
    moderator = [
        ("/desk/", nothing),
        (f"{at['play']}desk/", open_all),
        (f"{at['play']}desk/", bad_ruling),
        (f"{at['play']}desk/?rewind=5", nothing),
        (f"{at['over']}desk/", nothing),
        (at["play"], nothing),
        (f"{at['prepared']}edit/", open_all),
        (f"{at['prepared']}edit/", in_error(name="")),
        (f"{campaign}battles/new/", nothing),
    ]
    admin = [
        (campaign, nothing),
        (campaign, in_error(username="nobody at all")),
        (f"{at['empty']}prepare/", open_all),
        (f"{at['empty']}prepare/", in_error(username="nobody at all")),
        ("/campaigns/new/", nothing),
        ("/campaigns/new/", in_error(name="")),
    ]
    stranger = [
        ("/", nothing),
        (f"/invitations/{field['invitation']}/", nothing),
        (f"/invitations/{field['invitation']}/", in_error(phrase="x" * 101)),
        (at["play"], nothing),
    ]
    spectator = [(at["play"], nothing), (at["deployment"], nothing), (f"{at['over']}review/", nothing)]
    return {
        "anonymous": anonymous,
        "red": red,
        "blue": blue,
        "moderator": moderator,
        "admin": admin,
        "stranger": stranger,
        "spectator": spectator,
    }


def test_every_page_of_the_site_is_looked_at(field: Field) -> None:
    seen = {resolve(path.split("?")[0]).view_name for people in views(field).values() for path, _act in people[:]
            if not path.startswith("/no/such/")}  # fmt: skip
    battle = {"id": field["play"]["id"], "campaign": field["play"]["campaign"], "tokens": field["tokens"]}
    there = {resolve(path).view_name for path in addresses(battle) if not path.startswith("/admin/")}
    no_pages = {
        "live", "ready", "set_language", "accounts:theme", "accounts:logout", "rules:dice_program", "battles:open",
        "battles:order", "battles:panel", "battles:refresh", "battles:arrange", "battles:ruling", "battles:demo_enter",
    }  # fmt: skip
    assert there - seen - no_pages == set()


@pytest.mark.parametrize("language", list(SIGHTS))
@pytest.mark.parametrize("who", ["anonymous", "red", "blue", "moderator", "admin", "stranger", "spectator"])
def test_axe_finds_nothing(site: Any, sit: Sit, field: Field, who: str, language: str) -> None:
    page = sit("stranger" if who == "anonymous" else who, locale=language, reduced_motion="reduce")
    if who == "anonymous":
        page.context.clear_cookies()
    axe, wrong = Axe(), []
    for path, act in views(field)[who]:
        if language == "ru-RU" and ("?unit=" in path or act not in (nothing, open_all, menus)):
            continue
        for width, theme in SIGHTS[language]:
            page.set_viewport_size({"width": width, "height": 844})
            if (width, theme) == SIGHTS[language][0]:
                page.goto(path)
                act(page)
            page.evaluate("(theme) => document.documentElement.setAttribute('data-bs-theme', theme)", theme)
            found = axe.run(page, options=OPTIONS)
            name = f"{who} {path} ({getattr(act, '__name__', '')}) {width} {theme}"
            if found.violations_count:
                wrong.append(f"{name}\n{brief(found.response['violations'])}")
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                wrong.append(f"{name}: {wide} px wide")
            assert page.locator("html").get_attribute("lang") == language[:2]
    assert not wrong, "\n\n".join(wrong)


def brief(violations: list[dict[str, Any]]) -> str:
    """What axe found, in a few lines."""
    lines = []
    for each in violations:
        for node in each["nodes"][:3]:
            summary = re.sub(r"\s+", " ", node["failureSummary"])[:300]
            lines.append(f"  {each['id']}: {node['target']} {node['html'][:200]}\n    {summary}")
    return "\n".join(lines)
