"""The deadlines of a battle, which agree with the timers of its state."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from battles.models import OPEN_DEADLINE, Battle, Deadline
from rules.core.actors import Viewer
from rules.core.timers import Timer


def agree(battle: Battle, state: Any, now: datetime, *, anew: bool) -> None:
    """Make the deadlines agree with the state's timers; `anew` gives each its whole time again."""
    ended = {row.key: row for row in Deadline.objects.filter(OPEN_DEADLINE, battle=battle)}
    fresh = []
    for timer in state.timers:
        row = None if anew else ended.pop(timer.key, None)
        if row is None:
            fresh.append(_begun(battle, timer, now))
        elif _carried_on(row, timer, now):
            row.save(update_fields=["seconds", "running", "due_at", "remaining", "seen_by"])
    Deadline.objects.filter(pk__in=[row.pk for row in ended.values()]).update(cancelled_at=now, due_at=None)
    Deadline.objects.bulk_create(fresh)


def _begun(battle: Battle, timer: Timer, now: datetime) -> Deadline:
    return Deadline(
        battle=battle,
        key=timer.key,
        seconds=timer.seconds,
        seen_by=_viewers(timer.seen_by),
        running=timer.running,
        due_at=now + timedelta(seconds=timer.seconds) if timer.running else None,
        remaining=None if timer.running else float(timer.seconds),
    )


def _carried_on(row: Deadline, timer: Timer, now: datetime) -> bool:
    """Bring a deadline to what its timer says; whether anything of it changed. What was left of its time stays left."""
    more, due, left = timer.seconds - row.seconds, row.due_at, row.remaining
    if due is not None:
        due += timedelta(seconds=more)
        if not timer.running:
            left, due = max(0.0, (due - now).total_seconds()), None
    elif left is not None:
        left = max(0.0, left + more)
        if timer.running:
            due, left = now + timedelta(seconds=left), None
    before = (row.seconds, row.running, row.due_at, row.remaining, row.seen_by)
    after = (timer.seconds, timer.running, due, left, _viewers(timer.seen_by))
    row.seconds, row.running, row.due_at, row.remaining, row.seen_by = after
    return after != before


def _viewers(audience: Iterable[Viewer]) -> list[str]:
    return [viewer.value for viewer in Viewer if viewer in audience]
