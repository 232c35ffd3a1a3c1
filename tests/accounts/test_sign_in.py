"""Accounts from the first visit to the lost password."""

import re

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import User

pytestmark = pytest.mark.django_db

GOOD = "correct-horse-battery"


def sign_up(client: Client, **fields: str):
    data = {"username": "ferrante", "display_name": "R. Ferrante", "password1": GOOD, "password2": GOOD, **fields}
    return client.post(reverse("accounts:signup"), data)


def sign_in(client: Client, username: str, password: str, **extra: str):
    return client.post(reverse("accounts:login"), {"username": username, "password": password, **extra})


def signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_signing_up_makes_an_account_and_signs_in(client: Client) -> None:
    response = sign_up(client, email="ferrante@example.org")
    assert response.status_code == 302
    assert response.url == reverse("battles:home")
    user = User.objects.get(username="ferrante")
    assert (user.name, user.email) == ("R. Ferrante", "ferrante@example.org")
    assert client.session["_auth_user_id"] == str(user.pk)


def test_names_lose_what_nobody_can_see(client: Client) -> None:
    sign_up(client, username="fer\u200brante", display_name="\u202eR.\u2066 Ferrante\u200f")
    assert User.objects.get().username == "ferrante"
    assert User.objects.get().display_name == "R. Ferrante"


def test_a_name_of_invisible_characters_only_is_refused(client: Client) -> None:
    response = sign_up(client, display_name="\u200b\u200b")
    assert response.status_code == 422
    assert "no visible characters" in response.content.decode()
    assert not User.objects.exists()


def test_a_user_name_is_taken_in_any_spelling(client: Client, make_user) -> None:
    make_user("Ferrante")
    response = sign_up(client, username="fer\u200brante")
    assert response.status_code == 422
    assert User.objects.count() == 1


def test_a_weak_password_is_refused_under_its_field(client: Client) -> None:
    response = sign_up(client, password1="password", password2="password")
    assert response.status_code == 422
    assert 'id="id_password2_error"' in response.content.decode()


def test_a_closed_desk_takes_no_new_accounts(client: Client, settings) -> None:
    settings.SIGNUP_OPEN = False
    assert sign_up(client).status_code == 403
    assert reverse("accounts:signup") not in client.get(reverse("accounts:login")).content.decode()
    assert not User.objects.exists()


def test_signing_in_and_out(client: Client, red_player: User) -> None:
    assert sign_in(client, "red_player", "password").url == reverse("battles:home")
    assert signed_in(client)
    assert client.get(reverse("accounts:logout")).status_code == 405
    assert client.post(reverse("accounts:logout")).url == reverse("accounts:login")
    assert not signed_in(client)


def test_signing_in_leads_to_the_page_one_wanted_and_never_elsewhere(client: Client, red_player: User) -> None:
    assert sign_in(client, "red_player", "password", next="/rules/").url == "/rules/"
    client.post(reverse("accounts:logout"))
    assert sign_in(client, "red_player", "password", next="https://elsewhere.example/").url == reverse("battles:home")


def test_a_wrong_password_says_so_with_422(client: Client, red_player: User) -> None:
    response = sign_in(client, "red_player", "wrong")
    assert response.status_code == 422
    assert "alert-danger" in response.content.decode()


def test_too_many_wrong_passwords_lock_the_name_out(client: Client, red_player: User, settings) -> None:
    statuses = [sign_in(client, "red_player", "wrong").status_code for _ in range(settings.AXES_FAILURE_LIMIT)]
    assert statuses == [422] * (settings.AXES_FAILURE_LIMIT - 1) + [429]
    response = sign_in(client, "red_player", "password")
    assert response.status_code == 429
    assert response.headers["Retry-After"] == "900"
    assert "15 minutes" in response.content.decode()
    assert not signed_in(client)


def test_a_lock_out_does_not_concern_others(client: Client, red_player: User, blue_player: User, settings) -> None:
    for _ in range(settings.AXES_FAILURE_LIMIT):
        sign_in(client, "red_player", "wrong")
    assert sign_in(client, "blue_player", "password").status_code == 302


def test_pages_need_a_person_except_those_that_lead_in(anonymous: Client) -> None:
    for name in ("login", "signup", "password_reset", "password_reset_done", "password_reset_complete"):
        assert anonymous.get(reverse(f"accounts:{name}")).status_code == 200, name
    for name in ("profile", "password_change"):
        response = anonymous.get(reverse(f"accounts:{name}"))
        assert response.status_code == 302
        assert response.url.startswith(reverse("accounts:login"))


def test_a_lost_password_comes_back_by_mail(client: Client, red_player: User) -> None:
    response = client.post(reverse("accounts:password_reset"), {"email": "red_player@example.org"})
    assert response.url == reverse("accounts:password_reset_done")
    [message] = mail.outbox
    assert message.to == ["red_player@example.org"]
    assert "\n" not in message.subject
    assert "Good day, Red Player" in message.body
    link = re.search(r"http://testserver(\S+)", message.body)
    assert link
    page = client.get(link[1], follow=True)
    assert page.status_code == 200
    form_address = page.redirect_chain[-1][0]
    done = client.post(form_address, {"new_password1": GOOD, "new_password2": GOOD})
    assert done.url == reverse("accounts:password_reset_complete")
    assert sign_in(client, "red_player", GOOD).status_code == 302
    assert "count any more" in Client().get(link[1], follow=True).content.decode()


def test_a_lost_password_never_tells_who_has_an_account(client: Client, red_player: User) -> None:
    known = client.post(reverse("accounts:password_reset"), {"email": "red_player@example.org"})
    unknown = client.post(reverse("accounts:password_reset"), {"email": "nobody@example.org"})
    assert (known.status_code, known.url) == (unknown.status_code, unknown.url)
    assert len(mail.outbox) == 1


def test_a_form_without_its_token_is_refused_in_words(red_player: User) -> None:
    client = Client(enforce_csrf_checks=True)
    response = sign_in(client, "red_player", "password")
    assert response.status_code == 403
    assert "This form has grown old" in response.content.decode()
