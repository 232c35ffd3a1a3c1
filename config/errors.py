"""Our own error pages in a demo too: DEBUG alone shows a developer tracebacks, with DEMO a guest sees none."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.debug import ExceptionReporter


class QuietReporter(ExceptionReporter):
    """What Django shows for an exception under DEBUG: the site's own page in place of the traceback."""

    def get_traceback_html(self) -> SafeString:
        """The page for a fault of ours, or for a request that makes no sense."""
        foreign = self.exc_type is not None and issubclass(self.exc_type, (BadRequest, SuspiciousOperation))
        return render_to_string("400.html" if foreign else "500.html")

    def get_traceback_text(self) -> SafeString:
        """One line for whoever asks for no HTML."""
        return SafeString("The request could not be answered.\n")


class QuietErrors:
    """Answers Http404 with the site's own page where DEBUG and DEMO are both set, and a page that is not meant for
    somebody without a traceback in the log."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for what there isn't or what isn't meant for him, or None to leave the exception to Django."""
        if isinstance(exception, Http404) and settings.DEBUG and settings.DEMO:
            return not_found(request)
        if isinstance(exception, PermissionDenied):
            return render(request, "403.html", status=403)
        return None


def not_found(request: HttpRequest) -> HttpResponse:
    """The page for an address that there isn't."""
    return render(request, "404.html", status=404)


class WordsForEmptyAnswers:
    """Gives an empty "not allowed" the site's own page: a browser would show one of its own, or nothing at all."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code != 405 or response.content or request.method == "OPTIONS":
            return response
        page = render(request, "405.html", status=405)
        page.headers["Allow"] = response.headers.get("Allow", "")
        return page
