"""FR-12: a mail is plain text, so it holds a name unchanged."""

from __future__ import annotations

from typing import Any

import pytest

NAMES = ('"><img src=x onerror=window.__x=1>{{7*7}}', "Щ" * 59 + "🐎", "O'Neill & Sons <b>")


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_fr12_a_mail_holds_the_name_unchanged(client: Any, make_user: Any, mailoutbox: Any, name: str) -> None:
    make_user("person", display_name=name)
    client.post("/accounts/reset/", {"email": "person@example.org"})
    mail = mailoutbox[-1]
    assert name in mail.body and "&#x27;" not in mail.body and "&lt;" not in mail.body
    assert "\n" not in mail.subject
