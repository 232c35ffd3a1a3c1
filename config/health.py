"""Is the process alive, and can it serve: database, layer, clock."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.apps import apps
from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

logger = logging.getLogger(__name__)

LAYER_SECONDS = 2.0
CLOCK_LAG_SECONDS = 10.0


@login_not_required
@require_safe
@never_cache
def live(request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@login_not_required
@require_safe
@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    """The process can serve; 503 and the part that fails if it can't."""
    parts = {"database": attempt(check_database), "layer": attempt(check_layer), "clock": attempt(check_clock)}
    well = all(part == "ok" for part in parts.values())
    return JsonResponse({"status": "ok" if well else "failing", **parts}, status=200 if well else 503)


def attempt(check: Callable[[], None]) -> str:
    """`ok`, or in a word what is wrong; details go to the server's log only."""
    try:
        check()
    except Exception:
        logger.exception("health check failed", extra={"check": check.__name__})
        return "failing"
    return "ok"


def check_database() -> None:
    """The database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()


def check_layer() -> None:
    """A message sent through the layer comes back."""
    async_to_sync(echo_through_layer)()


async def echo_through_layer() -> None:
    """Send one message to a channel of our own and wait for it."""
    layer: Any = get_channel_layer()
    async with asyncio.timeout(LAYER_SECONDS):
        channel = await layer.new_channel()
        await layer.send(channel, {"type": "health.echo"})
        await layer.receive(channel)


def check_clock() -> None:
    """No deadline has been due for long without being struck."""
    lag = clock_lag()
    if lag > CLOCK_LAG_SECONDS:
        raise RuntimeError(f"a deadline has been due for {lag:.0f} s")


def clock_lag() -> float:
    """Seconds since the oldest deadline that is due and hasn't been struck."""
    deadlines: Any = apps.get_model("battles", "Deadline")
    now = timezone.now()
    oldest = (
        deadlines.objects.filter(running=True, fired_at=None, cancelled_at=None, due_at__lte=now)
        .order_by("due_at")
        .values_list("due_at", flat=True)
    ).first()
    return (now - oldest).total_seconds() if oldest else 0.0
