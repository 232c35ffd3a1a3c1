"""All addresses of the site; each app keeps its own."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.urls import include, path, re_path

from accounts.views import set_language
from config import health
from config.errors import not_found

urlpatterns = [
    path("", include("battles.urls")),
    path("rules/", include("rules.urls")),
    path("accounts/", include("accounts.urls")),
    path("admin/", admin.site.urls),
    path("i18n/setlang/", set_language, name="set_language"),
    path("healthz/live", health.live, name="live"),
    path("healthz/ready", health.ready, name="ready"),
]
if settings.DEBUG and settings.DEMO:  # a guest of the demo gets our page, not a developer's list of addresses
    urlpatterns.append(re_path(r"^", login_not_required(not_found)))
