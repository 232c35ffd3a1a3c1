"""What every page has in common: bar, headers, words for errors."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.urls import reverse
from django.views.defaults import bad_request, permission_denied, server_error

from accounts.models import User

TEMPLATES = sorted(path for path in (Path(settings.BASE_DIR) / "templates").rglob("*.html"))


def names(page: str) -> list[str]:
    """The words of the bar's links."""
    bar = page.split('<nav class="nav"')[1].split("</nav>")[0]
    return [word.strip() for word in re.findall(r">([^<>]+)</a>", bar)]


@pytest.mark.django_db
def test_the_bar_of_a_person(client_of, red_player: User) -> None:
    page = client_of(red_player).get(reverse("accounts:profile")).content.decode()
    assert names(page) == ["Battles", "Campaigns", "Desk", "Rules"]
    assert "Red Player" in page
    assert reverse("admin:index") not in page


@pytest.mark.django_db
def test_the_bar_of_a_visitor(anonymous: Client) -> None:
    page = anonymous.get(reverse("accounts:login")).content.decode()
    assert names(page) == ["Rules", "Sign in"]
    assert 'href="#main"' in page
    assert page.count("<main") == 1


@pytest.mark.django_db
def test_a_name_is_shown_as_text(client_of, make_user) -> None:
    user = make_user("sly", display_name="<script>alert(1)</script>")
    page = client_of(user).get(reverse("accounts:profile")).content.decode()
    assert "<script>alert" not in page


@pytest.mark.django_db
def test_the_security_headers(anonymous: Client) -> None:
    policy = anonymous.get(reverse("accounts:login")).headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    for part in ("object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "img-src 'self' data:"):
        assert part in policy


@pytest.mark.django_db
def test_a_page_that_is_not_there(anonymous: Client) -> None:
    response = anonymous.get("/no-such-page")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(("view", "status"), [(bad_request, 400), (permission_denied, 403)])
def test_the_pages_of_errors(view, status: int) -> None:
    response = view(visitor(), Exception("secret detail"))
    assert response.status_code == status
    assert "secret detail" not in response.content.decode()
    assert 'class="lonely"' in response.content.decode()


def test_the_page_of_a_broken_server_needs_nothing() -> None:
    response = server_error(visitor())
    assert response.status_code == 500
    assert "Something broke" in response.content.decode()


def test_too_much_at_once_has_words_for_both_cases() -> None:
    assert "Wait a few seconds" in render_to_string("429.html", {}, visitor())
    assert "1 minute." in render_to_string("429.html", {"minutes": 1}, visitor())


def visitor() -> HttpRequest:
    """A request that no middleware has touched."""
    return RequestFactory().get("/")


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_has_inline_script_or_style(path: Path) -> None:
    source = path.read_text("utf-8")
    assert not re.search(r"<style[\s>]|\sstyle=|\son[a-z]+=|javascript:", source)
    assert not re.search(r"<script(?![^>]*\bsrc=)[\s>]", source)


def test_nothing_is_fetched_from_elsewhere() -> None:
    folders = [Path(settings.BASE_DIR) / name for name in ("templates", "static")]
    for path in (path for folder in folders for path in folder.rglob("*") if path.is_file()):
        addresses = set(
            re.findall(
                r"""(?:src|href|url\(|@import)\s*=?\s*["'(]*(https?://[^"')\s]+)""",
                path.read_text("utf-8", errors="ignore"),
            )
        )
        assert not addresses, path
