"""All addresses of the site; each app keeps its own."""

from django.contrib import admin
from django.urls import include, path

from accounts.views import set_language
from config import health

urlpatterns = [
    path("", include("battles.urls")),
    path("rules/", include("rules.urls")),
    path("accounts/", include("accounts.urls")),
    path("admin/", admin.site.urls),
    path("i18n/setlang/", set_language, name="set_language"),
    path("healthz/live", health.live, name="live"),
    path("healthz/ready", health.ready, name="ready"),
]
