"""Profile, colours and language."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Theme, User
from accounts.preferences import THEME_COOKIE

pytestmark = pytest.mark.django_db


def test_the_profile_is_kept(client_of, red_player: User) -> None:
    client = client_of(red_player)
    data = {"display_name": "\u202eG. Salvo", "email": "salvo@example.org", "language": "ru", "theme": "dark"}
    response = client.post(reverse("accounts:profile"), data)
    assert response.status_code == 302
    red_player.refresh_from_db()
    assert red_player.display_name == "G. Salvo"
    assert (red_player.email, red_player.language, red_player.theme) == ("salvo@example.org", "ru", "dark")
    page = client.get(reverse("accounts:profile")).content.decode()
    assert '<html lang="ru" data-bs-theme="dark">' in page
    assert "G. Salvo" in page


def test_the_profile_in_error_keeps_the_old_name_in_the_bar(client_of, red_player: User) -> None:
    response = client_of(red_player).post(reverse("accounts:profile"), {"display_name": "New", "email": "no address"})
    assert response.status_code == 422
    assert '<span class="user">Red Player</span>' in response.content.decode()
    assert 'id="id_email_error"' in response.content.decode()


def test_a_person_without_a_name_goes_by_the_user_name(make_user) -> None:
    assert make_user("plain", display_name="").name == "plain"
    assert str(make_user("odd", display_name="\u200b")) == "odd"


def test_colours_without_script(anonymous: Client) -> None:
    response = anonymous.post(reverse("accounts:theme"), {"theme": "dark", "next": "/rules/"})
    assert (response.status_code, response.url) == (302, "/rules/")
    assert anonymous.cookies[THEME_COOKIE].value == "dark"
    assert 'data-bs-theme="dark"' in anonymous.get(reverse("accounts:login")).content.decode()


def test_colours_of_a_person_follow_to_another_browser(client_of, red_player: User) -> None:
    client_of(red_player).post(reverse("accounts:theme"), {"theme": "dark"})
    red_player.refresh_from_db()
    assert red_player.theme == Theme.DARK
    assert 'data-bs-theme="dark"' in client_of(red_player).get(reverse("accounts:profile")).content.decode()


def test_an_unknown_colour_is_the_other_one(anonymous: Client) -> None:
    anonymous.post(reverse("accounts:theme"), {"theme": "pink"})
    assert anonymous.cookies[THEME_COOKIE].value == "dark"


@pytest.mark.parametrize("elsewhere", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)"])
def test_the_switches_never_lead_elsewhere(anonymous: Client, elsewhere: str) -> None:
    for name in ("accounts:theme", "set_language"):
        response = anonymous.post(reverse(name), {"theme": "dark", "language": "ru", "next": elsewhere})
        assert "elsewhere" not in response.url
        assert "javascript" not in response.url


def test_switches_take_only_posts(anonymous: Client) -> None:
    for name in ("accounts:theme", "set_language"):
        assert anonymous.get(reverse(name)).status_code == 405


def test_language_without_script(anonymous: Client) -> None:
    response = anonymous.post(reverse("set_language"), {"language": "ru", "next": reverse("accounts:login")})
    assert response.url == reverse("accounts:login")
    assert '<html lang="ru"' in anonymous.get(reverse("accounts:login")).content.decode()


def test_language_of_a_person_goes_before_the_browsers(client_of, red_player: User) -> None:
    client = client_of(red_player)
    client.post(reverse("set_language"), {"language": "ru"})
    red_player.refresh_from_db()
    assert red_player.language == "ru"
    other = client_of(red_player)
    response = other.get(reverse("accounts:profile"), headers={"accept-language": "en"})
    assert '<html lang="ru"' in response.content.decode()
    assert response.headers["Content-Language"] == "ru"


def test_an_unknown_language_changes_nothing(client_of, red_player: User) -> None:
    client_of(red_player).post(reverse("set_language"), {"language": "xx"})
    red_player.refresh_from_db()
    assert red_player.language == ""
