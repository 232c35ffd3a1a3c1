"""What the services raise when something cannot be done, and how a transaction of theirs is written."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, IntegrityError, transaction
from django.utils.translation import gettext as _

from battles.selectors import HIDDEN_PHASES

logger = logging.getLogger(__name__)


class Refused(Exception):
    """Something about preparing a battle isn't possible: why, in the reader's language, and for which field."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class StaleCommand(Exception):
    """The player was looking at an older board (HTTP 409, with the new one). `version` is the viewer's newest."""

    key = "stale"

    def __init__(self, version: int) -> None:
        super().__init__(f"stale, newest is {version}")
        self.version = version

    @property
    def message(self) -> str:
        """What the player reads."""
        return _("The position has changed, look again.")


class LateCommand(StaleCommand):
    """The server got it after the time was up; what was open then is closed."""

    key = "late"

    def __init__(self, version: int, turn: int, phase: str) -> None:
        super().__init__(version)
        self.turn = turn
        self.phase = phase

    @property
    def message(self) -> str:
        """What the player reads."""
        if self.phase in HIDDEN_PHASES:
            return _("The time was up: deployment is closed.")
        return _("The time was up: turn %(turn)s is closed.") % {"turn": self.turn}


class ConflictingRepeat(Exception):
    """A command id came again with another body (HTTP 409)."""


class TooManyCommands(Exception):
    """One user sends more commands than anybody can think of (HTTP 429). `wait` is in whole seconds."""

    def __init__(self, wait: int) -> None:
        super().__init__(f"wait {wait} s")
        self.wait = wait


class NotSaved(Exception):
    """The database refuses to write; nothing has changed, and the same command may come again (HTTP 503)."""


@contextmanager
def saving() -> Iterator[None]:
    """What the database says when it cannot write becomes NotSaved; a broken constraint stays what it is."""
    try:
        yield
    except IntegrityError:
        raise
    except DatabaseError as error:
        logger.error("not saved: %s", error)
        raise NotSaved(str(error)) from error


@contextmanager
def writing() -> Iterator[None]:
    """One transaction: all of it is saved, or NotSaved says that nothing is."""
    with saving(), transaction.atomic():
        yield
