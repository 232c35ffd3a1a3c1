"""Our own error pages in a demo too: DEBUG alone shows a developer tracebacks, with DEMO a guest sees none."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

logger = logging.getLogger(__name__)


class QuietErrors:
    """Answers exceptions of views with the site's own pages where DEBUG and DEMO are both set."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page for an exception, or None to leave it to Django."""
        if not (settings.DEBUG and settings.DEMO):
            return None
        match exception:
            case Http404():
                return not_found(request)
            case PermissionDenied():
                return render(request, "403.html", status=403)
            case BadRequest() | SuspiciousOperation():
                return render(request, "400.html", status=400)
        logger.error("Internal Server Error: %s", request.path, exc_info=exception)
        return render(request, "500.html", status=500)


def not_found(request: HttpRequest) -> HttpResponse:
    """The page for an address that there isn't."""
    return render(request, "404.html", status=404)
