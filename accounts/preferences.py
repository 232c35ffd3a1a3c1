"""The language and the colours that a request asks for."""

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.models import Theme, User

THEME_COOKIE = "umpire_theme"
THEME_COOKIE_AGE = 365 * 24 * 3600


def theme_for(request: HttpRequest) -> Theme:
    """The person's own colours, else the browser's cookie, else light."""
    user = getattr(request, "user", None)
    wishes = [user.theme if isinstance(user, User) else "", request.COOKIES.get(THEME_COOKIE, "")]
    return next((Theme(wish) for wish in wishes if wish in Theme.values), Theme.LIGHT)


def remember_theme(response: HttpResponseBase, theme: Theme) -> None:
    """Keep the colours in the browser, so that the sign-in page has them too."""
    response.set_cookie(
        THEME_COOKIE,
        theme.value,
        max_age=THEME_COOKIE_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
