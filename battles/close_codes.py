"""Close codes that daphne would not send: 1008, 1009 and 1012 are registered, but autobahn keeps them to itself.

Without this a socket that is closed with one of them raises in the server and the page sees 1011.
"""

from __future__ import annotations

from typing import Any

from daphne.ws_protocol import WebSocketProtocol  # type: ignore[import-untyped]

REGISTERED = frozenset({1001, 1008, 1009, 1011, 1012, 1013})


def server_close(self: Any, code: int | None = None) -> None:
    """Close from the application's side, with a registered code too."""
    if code in REGISTERED:
        self.sendCloseFrame(code=code)
    else:
        self.sendClose(code=1000 if code is None else code)


def allow() -> None:
    """Teach daphne's protocol; called once, where the sockets are routed."""
    WebSocketProtocol.serverClose = server_close
