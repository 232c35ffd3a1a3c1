"""The clocks of a battle, as a viewer may read them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import QuerySet

from battles.models import OPEN_DEADLINE, Battle, Deadline
from rules.core.actors import Viewer


class ClockReading(NamedTuple):
    """A clock as a viewer may read it: what is left, of how much, and when it ends if it runs."""

    key: str
    seconds_left: float
    total: int
    running: bool
    due_at: datetime | None


def reading(row: Deadline, now: datetime) -> ClockReading:
    """What a clock shows at this moment."""
    if row.running and row.due_at is not None:
        left = max(0.0, (row.due_at - now).total_seconds())
        return ClockReading(row.key, left, row.seconds, True, row.due_at)
    return ClockReading(row.key, row.remaining or 0.0, row.seconds, False, None)


def open_clocks(battle_ids: Iterable[int]) -> QuerySet[Deadline]:
    """The clocks of these battles that have not ended."""
    return Deadline.objects.filter(OPEN_DEADLINE, battle__in=list(battle_ids)).order_by("pk")


def clocks(battle: Battle, viewer: Viewer, now: datetime) -> tuple[ClockReading, ...]:
    """The clocks of a battle that the viewer may know of, those that run first."""
    rows = [row for row in open_clocks([battle.pk]) if viewer.value in row.seen_by]
    return tuple(sorted((reading(row, now) for row in rows), key=lambda clock: not clock.running))
