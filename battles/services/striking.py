"""The clock's own door: what is due is struck, once, with its due time as game time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import cast
from uuid import uuid4

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404

from battles.models import OPEN_DEADLINE, Deadline
from battles.selectors import current_state, rules_of
from battles.services.dice import BattleDice
from battles.services.errors import saving
from battles.services.locking import locked
from battles.services.recording import Asked, record
from rules.core.actors import Actor
from rules.core.commands import TimeExpired

GRACE = timedelta(milliseconds=250)


def running_clocks() -> QuerySet[Deadline]:
    """The clocks of all battles that run."""
    return Deadline.objects.filter(OPEN_DEADLINE, running=True)


def _due(now: datetime) -> QuerySet[Deadline]:
    return running_clocks().filter(due_at__lte=now - GRACE).order_by("due_at", "pk")


def due_battles(now: datetime) -> list[tuple[int, datetime]]:
    """The battles with a deadline that is to be struck, and since when, the longest overdue first."""
    due: dict[int, datetime] = {}
    for battle_id, due_at in _due(now).values_list("battle_id", "due_at"):
        due.setdefault(battle_id, cast(datetime, due_at))
    return list(due.items())


def strike(battle_id: int, now: datetime, *, skip_locked: bool = False) -> int:
    """Let every clock of a battle expire whose time is up by 250 ms; how many did.

    Each is claimed, decided and recorded in one transaction, with its due time as game time; the clock that it starts
    runs from `now`. With `skip_locked` a battle that somebody works at is left for the next time.
    """
    struck = 0
    with saving():
        while _due(now).filter(battle=battle_id).exists() and _strike_one(battle_id, now, skip_locked):
            struck += 1
    return struck


def _strike_one(battle_id: int, now: datetime, skip_locked: bool) -> bool:
    with transaction.atomic():
        try:
            battle = locked(battle_id, skip_locked=skip_locked)
        except Http404:
            return False
        row = _due(now).filter(battle=battle).first()
        if row is None or row.due_at is None:
            return False
        if Deadline.objects.filter(OPEN_DEADLINE, pk=row.pk).update(fired_at=now) != 1:
            return False
        asked = Asked(battle_id, TimeExpired(by=Actor.CLOCK, timer=row.key), uuid4(), None, row.due_at)
        state = current_state(battle)
        events = rules_of(battle).decide(state, asked.command, BattleDice(battle))
        record(battle, state, events, asked, now=now)
        return True
