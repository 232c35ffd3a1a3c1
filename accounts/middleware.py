"""What a person prefers, for the length of one request."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation

from accounts.models import Language, User


class PreferencesMiddleware:
    """The language of a person's profile goes before the browser's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer in the person's language."""
        user = getattr(request, "user", None)
        if isinstance(user, User) and user.language in Language.values:
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language()
        response = self.get_response(request)
        response.headers.setdefault("Content-Language", translation.get_language() or "en")
        return response
