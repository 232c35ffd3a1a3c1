"""A real server with a database of its own, and browsers on it. A console error or a server error fails the test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.conftest import end, free_port, listens

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
expect.set_options(timeout=20_000)
EXPECTED = ("422", "409", "400", "403", "404", "410", "413", "429", "502")  # the last is a proxy's


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright keeps an event loop in the thread, and others want the thread without one."""
    items.sort(key=lambda item: "tests/browser/" in item.nodeid)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Debian's chromium, never a downloaded one."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("chromium is not installed here: apt-get install chromium")
    return {"executable_path": path, "args": ARGUMENTS}


class Site:
    """The running server: its address, its log, and a way to do things in its database."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port, self.folder = port, folder
        self.url = f"http://127.0.0.1:{port}"
        self.log = folder / "server.log"
        self.environment = {
            **os.environ,
            "DEBUG": "1",
            "DEMO": "1",
            "LOG_LEVEL": "WARNING",
            "LOG_FORMAT": "plain",
            "CLOCK_EMBEDDED": "1",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": f"sqlite:///{folder / 'db.sqlite3'}",
            "PYTHONPATH": str(ROOT),
        }
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it listens."""
        command = [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(self.port), "config.asgi:application"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        while not listens(self.port):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(self.log.read_text()[-2000:])
            time.sleep(0.1)

    def stop(self) -> None:
        """End the server."""
        if self.process is not None:
            end(self.process)
            self.process = None

    def run(self, *command: str) -> str:
        """Run a program of ours on the same database and return what it prints."""
        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def battle(self, scene: str) -> dict[str, Any]:
        """A fresh battle of that scene: its id and the keys of its units by name."""
        import json

        lines = self.run("-m", "tests.browser.scenes", scene).strip().splitlines()
        found: dict[str, Any] = json.loads(lines[-1])
        return found


@pytest.fixture(scope="session")
def site(browser_type_launch_args: dict[str, Any]) -> Iterator[Site]:
    """The server, once for all browser tests."""
    folder = Path(tempfile.mkdtemp(prefix="umpire-browser-"))
    site = Site(free_port(), folder)
    site.run("manage.py", "migrate", "--verbosity", "0")
    site.start()
    try:
        yield site
    finally:
        site.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def quiet_log(site: Site) -> Iterator[None]:
    """Nothing may go wrong in the server while a test runs."""
    before = site.log.stat().st_size if site.log.exists() else 0
    yield
    text = site.log.read_bytes()[before:].decode(errors="replace")
    wrong = [line for line in text.splitlines() if "Traceback" in line or " ERROR " in line]
    assert not wrong, text[-4000:]


@pytest.fixture
def sit(browser: Any, site: Site) -> Iterator[Callable[..., Any]]:
    """Opens a browser for somebody of the cast and returns a page of it."""
    contexts: list[Any] = []
    errors: list[str] = []

    def open_page(who: str, **options: Any) -> Any:
        context = browser.new_context(base_url=site.url, **options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        context.add_cookies([{"name": "sessionid", "value": session_of(site, who), "url": site.url}])
        page = context.new_page()
        page.on(
            "pageerror", lambda error: str(error) == "[object Event]" or errors.append(str(error))
        )  # a socket's own
        page.on("console", lambda message: note(message, errors))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not errors, errors


def note(message: Any, errors: list[str]) -> None:
    """Remember what the console complains about; answers that a test asks for on purpose are no complaint."""
    if message.type == "error" and not any(f"status of {code}" in message.text for code in EXPECTED):
        if not any(word in message.text for word in ("ERR_CONNECTION_REFUSED", "WebSocket", "[object Event]")):
            errors.append(message.text)


_sessions: dict[tuple[int, str], str] = {}


def session_of(site: Site, who: str) -> str:
    """A session key of somebody of the cast, made in the server's database."""
    key = (site.port, who)
    if key not in _sessions:
        _sessions[key] = site.run("-m", "tests.browser.scenes", "session", who).strip().splitlines()[-1]
    return _sessions[key]
