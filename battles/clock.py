"""The clock: strikes the deadlines that are due, whoever is connected.

Every server process runs it as a task of its loop (`start`), and `manage.py clock` is the same loop alone. Several
may run at once: a deadline is claimed by whoever comes first, and fires once.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

from channels.db import database_sync_to_async
from django.utils import timezone

from battles.services import NotSaved, due_battles, forget_refused, strike

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 0.2
PATIENCE = timedelta(seconds=1)
LONGEST_REST = timedelta(seconds=60)
TIDY_EVERY = timedelta(hours=1)

_tasks: set[asyncio.Task[None]] = set()


class Clock:
    """A loop that strikes what is due. A battle that cannot be struck rests longer each time, and stops no other."""

    def __init__(self) -> None:
        self._resting: dict[int, tuple[datetime, timedelta]] = {}
        self._tidied: datetime | None = None

    def fire_due(self, now: datetime | None = None) -> int:
        """Strike every battle that is due at `now` (None: by the server's time); how many clocks expired."""
        struck = 0
        for battle_id, due_at in due_battles(now or timezone.now()):
            moment = now or timezone.now()
            until, rest = self._resting.get(battle_id, (moment, timedelta(0)))
            if moment < until:
                continue
            try:
                struck += strike(battle_id, moment, skip_locked=moment - due_at < PATIENCE)
                self._resting.pop(battle_id, None)
            except Exception as error:
                rest = min(LONGEST_REST, max(rest * 2, timedelta(seconds=PAUSE_SECONDS)))
                self._resting[battle_id] = (moment + rest, rest)
                if isinstance(error, NotSaved):
                    logger.warning("battle %s: the clock could not be written: %s", battle_id, error)
                else:
                    logger.exception("battle %s: the clock could not strike", battle_id)
        return struck

    def tidy(self, now: datetime) -> None:
        """Once an hour forget what is kept for a time only."""
        if self._tidied is None or now - self._tidied >= TIDY_EVERY:
            self._tidied = now
            forget_refused(now)

    def _once(self) -> None:
        self.fire_due()
        self.tidy(timezone.now())

    async def run(self) -> None:
        """Strike for ever, in a thread of its own: a database that hangs must not stop the sockets."""
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="clock") as executor:
            once = database_sync_to_async(self._once, thread_sensitive=False, executor=executor)
            while True:
                try:
                    await once()
                except Exception:
                    logger.exception("the clock missed a beat")
                await asyncio.sleep(PAUSE_SECONDS)


def start() -> None:
    """Begin in a server process, when its reactor runs."""
    task = asyncio.get_event_loop().create_task(Clock().run(), name="clock")
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
