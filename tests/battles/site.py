"""Real processes for tests of faults: servers, clocks and a stage, children of the test, ended by their own pid."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import uuid4

from websockets.sync.client import ClientConnection, connect

from tests.conftest import end, free_port, listens, wait_until

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "t" * 32
ALIVE = json.dumps({"type": "alive"})


class Answer(NamedTuple):
    """What a server answered; status 0 if the connection went away first."""

    status: int
    text: str


class Site:
    """A database, perhaps a Redis, and the processes that share them."""

    def __init__(self, folder: Path, database: str, redis: str = "") -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DEBUG": "1",
            "DATABASE_URL": database,
            "REDIS_URL": redis,
            "CLOCK_EMBEDDED": "0",
            "FAULT_POINT": "",
            "LOG_LEVEL": "WARNING",
            "LOG_FORMAT": "plain",
            "ALLOWED_HOSTS": "127.0.0.1",
            "PYTHONUNBUFFERED": "1",
            "PYTHONPATH": str(ROOT),
        }
        self.children: list[subprocess.Popen[Any]] = []
        self.logs: list[Path] = []
        self.stage = self._spawn([sys.executable, "-m", "tests.battles.stage"], piped=True)
        assert self._line() == "ready"

    # processes

    def _spawn(self, command: list[str], piped: bool = False, **environment: str) -> subprocess.Popen[Any]:
        log = self.folder / f"{len(self.logs)}.log"
        self.logs.append(log)
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True} if piped else {}
        with log.open("w") as errors:
            pipes.setdefault("stdout", errors)
            child = subprocess.Popen(command, cwd=ROOT, env={**self.environment, **environment}, stderr=errors, **pipes)
        self.children.append(child)
        return child

    def server(self, **environment: str) -> Server:
        """A server on a port of its own."""
        port = free_port()
        command = [
            sys.executable,
            "-m",
            "daphne",
            "-b",
            "127.0.0.1",
            "-p",
            str(port),
            "-v",
            "0",
            "config.asgi:application",
        ]
        process = self._spawn(command, **environment)
        wait_until(lambda: listens(port), "daphne")
        return Server(process, port)

    def clock(self) -> subprocess.Popen[Any]:
        """A clock process."""
        return self._spawn([sys.executable, "manage.py", "clock"])

    def close(self) -> None:
        """End what the test started."""
        assert self.stage.stdin is not None
        self.stage.stdin.close()
        for child in self.children:
            end(child)

    def said(self) -> str:
        """What all processes wrote."""
        return "\n".join(log.read_text() for log in self.logs)

    # the stage

    def _line(self) -> Any:
        assert self.stage.stdout is not None
        line = self.stage.stdout.readline()
        if not line:
            raise RuntimeError(self.said())
        return json.loads(line)

    def do(self, name: str, /, **fields: Any) -> Any:
        """Call the stage; an error there is an error here."""
        answer = self.ask(name, **fields)
        if "ok" not in answer:
            raise AssertionError(answer)
        return answer["ok"]

    def ask(self, name: str, /, **fields: Any) -> Any:
        """Call the stage and have its answer as it is."""
        assert self.stage.stdin is not None
        print(json.dumps({"do": name, **fields}), file=self.stage.stdin, flush=True)
        return self._line()


class Server:
    """A server process and how to speak to it."""

    def __init__(self, process: subprocess.Popen[Any], port: int) -> None:
        self.process = process
        self.port = port

    def kill(self) -> None:
        """As `kill -9` does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def request(self, method: str, path: str, session: str, body: dict[str, Any] | None = None) -> Answer:
        """One request of a signed-in browser."""
        headers = {
            "Cookie": f"sessionid={session}; csrftoken={TOKEN}", "X-CSRFToken": TOKEN, "HX-Request": "true",
            "Content-Type": "application/x-www-form-urlencoded",
        }  # fmt: skip
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            line.request(method, path, urlencode(body) if body is not None else None, headers)
            answer = line.getresponse()
            return Answer(answer.status, answer.read().decode())
        except (http.client.HTTPException, OSError):
            return Answer(0, "")
        finally:
            line.close()

    def order(self, battle: int, session: str, type: str, *, id: str = "", seen: int = 0, **fields: Any) -> Answer:
        """Post one order."""
        body = {"command_id": id or str(uuid4()), "seen": seen, "type": type, **fields}
        return self.request("POST", f"/battles/{battle}/order/", session, body)

    def socket(self, battle: int, session: str, **options: Any) -> ClientConnection:
        """Open the battle's socket."""
        return connect(
            f"ws://127.0.0.1:{self.port}/ws/battles/{battle}/", origin=f"http://127.0.0.1:{self.port}",  # type: ignore[arg-type]
            additional_headers={"Cookie": f"sessionid={session}"}, open_timeout=10, close_timeout=1, **options,
        )  # fmt: skip


def version_in(frame: str) -> int:
    """The version that a frame carries."""
    found = re.search(r'data-version="(\d+)"', frame)
    return int(found[1]) if found else -1


def shown(socket: ClientConnection, version: int, seconds: float) -> float:
    """How long it takes until a view of at least this version is pushed; AssertionError if it takes longer."""
    start = time.monotonic()
    while (left := start + seconds - time.monotonic()) > 0:
        try:
            frame = str(socket.recv(timeout=left))
        except TimeoutError:
            break
        if 'id="units"' in frame and version_in(frame) >= version:
            return time.monotonic() - start
        socket.send(ALIVE)
    raise AssertionError(f"version {version} was not shown within {seconds} s")
