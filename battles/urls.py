"""Addresses of the battles."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

app_name = "battles"


def home(request: HttpRequest) -> HttpResponse:
    """The first page."""
    return render(request, "base.html")


urlpatterns = [
    path("", home, name="home"),
    path("campaigns/", home, name="campaigns"),
    path("desk/", home, name="desk"),
]
