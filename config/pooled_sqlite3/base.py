"""Django's SQLite backend with a pool of open connections.

Under ASGI every request has a thread of its own, so Django opens a database for every request, and the last one to
close it writes the whole journal back. Here a connection that Django closes is kept for the next thread: none is held
by a thread that is gone, and no more are kept than the pool holds.
"""

from __future__ import annotations

import os
from collections import deque
from typing import Any, NamedTuple

from django.db.backends.sqlite3 import base

KEPT = 8


class File(NamedTuple):
    """A database file as this process opened it; another one of the same name is another file."""

    process: int
    path: str
    device: int
    inode: int


_idle: dict[File, deque[Any]] = {}


def _file(path: str) -> File | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return File(os.getpid(), path, found.st_dev, found.st_ino)


class DatabaseWrapper(base.DatabaseWrapper):
    """Takes its connection from the pool, and gives it back instead of closing it."""

    _opened: File | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection that somebody gave back, or a new one."""
        file = _file(str(conn_params["database"]))
        try:
            found = _idle[file].pop() if file is not None else None
        except (KeyError, IndexError):
            found = None
        if found is None:
            found = super().get_new_connection(conn_params)
            file = _file(str(conn_params["database"]))
        self._opened = file
        return found

    def _close(self) -> None:
        """Give the connection back if nothing is open or wrong with it; else close it."""
        connection, file = self.connection, self._opened
        if (
            connection is not None
            and file is not None
            and file == _file(file.path)
            and not connection.in_transaction
            and not self.errors_occurred
        ):
            idle = _idle.setdefault(file, deque())
            if len(idle) < KEPT:
                idle.append(connection)
                return
        super()._close()  # type: ignore[misc]
