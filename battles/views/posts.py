"""Addresses that only take forms: whoever comes to one by a link, a reload or after signing in is led to its page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import reverse

View = Callable[..., HttpResponse]


def posts_of(page: str) -> Callable[[View], View]:
    """The view takes the forms of that page; a GET goes on to the page with the same arguments and selection.

    A page in error keeps the address of its form: its own links, the switches of language and colours and the way
    back from the sign-in all come here.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def take(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method == "POST":
                return view(request, *args, **kwargs)
            if request.method not in ("GET", "HEAD"):
                return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
            query = request.GET.urlencode()
            return redirect(reverse(page, args=args, kwargs=kwargs) + (f"?{query}" if query else ""))

        return take

    return decorate
