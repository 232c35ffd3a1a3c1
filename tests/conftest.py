"""The cast that every page is tried by, and private services for tests that need real ones."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from django.test import Client
from django.utils import translation

REQUIRE_SERVICES = os.environ.get("REQUIRE_SERVICES", "") not in ("", "0")
START_SECONDS = 20.0

CAST = ("red_player", "blue_player", "moderator", "campaign_admin", "spectator", "stranger", "anonymous")


# Nothing may be skipped where the services are promised.


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """With REQUIRE_SERVICES=1 a skipped test is a failed one."""
    report = yield
    if REQUIRE_SERVICES and report.skipped and not hasattr(report, "wasxfail"):
        fail_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """With REQUIRE_SERVICES=1 a skipped module is an error."""
    report = yield
    if REQUIRE_SERVICES and report.skipped:
        fail_skipped(report)
    return report


def fail_skipped(report: Any) -> None:
    """Turn a skip into a failure that says so."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"REQUIRE_SERVICES=1 and yet skipped: {reason}"


# Pages leave their language in the thread; no test begins with that of another.


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Every test begins in English."""
    with translation.override("en"):
        yield


# The cast: six people and nobody.


@pytest.fixture
def make_user(db: None, django_user_model: Any) -> Callable[..., Any]:
    """Makes a user by name; the password is `password`."""

    def make(username: str, **fields: Any) -> Any:
        fields.setdefault("display_name", username.replace("_", " ").title())
        fields.setdefault("email", f"{username}@example.org")
        return django_user_model.objects.create_user(username, password="password", **fields)

    return make


@pytest.fixture
def red_player(make_user: Callable[..., Any]) -> Any:
    """Sits on the red side."""
    return make_user("red_player")


@pytest.fixture
def blue_player(make_user: Callable[..., Any]) -> Any:
    """Sits on the blue side."""
    return make_user("blue_player")


@pytest.fixture
def moderator(make_user: Callable[..., Any]) -> Any:
    """Moderates the battle."""
    return make_user("moderator")


@pytest.fixture
def campaign_admin(make_user: Callable[..., Any]) -> Any:
    """Keeps the campaign and has no seat."""
    return make_user("campaign_admin")


@pytest.fixture
def spectator(make_user: Callable[..., Any]) -> Any:
    """May look on."""
    return make_user("spectator")


@pytest.fixture
def stranger(make_user: Callable[..., Any]) -> Any:
    """Has an account and nothing to do with the battle."""
    return make_user("stranger")


@pytest.fixture
def anonymous() -> Client:
    """A browser in which nobody is signed in."""
    return Client()


@pytest.fixture
def client_of() -> Callable[[Any], Client]:
    """A browser in which the given person is signed in."""

    def sign_in(user: Any) -> Client:
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        return client

    return sign_in


# Real services on private addresses, ended with the session.


def lacking(program: str) -> NoReturn:
    """Skip loudly for want of a program."""
    pytest.skip(f"{program} is not installed here: apt-get install redis-server postgresql")


def free_port() -> int:
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(ready: Callable[[], bool], what: str) -> None:
    """Wait for a service that has just been started."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if ready():
            return
        time.sleep(0.05)
    raise RuntimeError(f"{what} did not start within {START_SECONDS:.0f} s")


def listens(port: int) -> bool:
    """Whether something answers on that port."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="session")
def private_redis() -> Iterator[str]:
    """The address of a Redis of our own, empty, that writes nothing to disk."""
    program = shutil.which("redis-server")
    if program is None:
        lacking("redis-server")
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="umpire-redis-") as folder:
        command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: listens(port), "redis-server")
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()
            process.wait(10)


def postgres_programs() -> Path | None:
    """The folder of initdb and pg_ctl."""
    if (config := shutil.which("pg_config")) is not None:
        folder = Path(subprocess.run([config, "--bindir"], capture_output=True, text=True, check=True).stdout.strip())
        if (folder / "initdb").exists():
            return folder
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


def unprivileged(command: list[str]) -> list[str]:
    """The command as it must be started: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command]


@pytest.fixture(scope="session")
def private_postgres() -> Iterator[str]:
    """The DATABASE_URL of an empty PostgreSQL of our own, reached through a socket in a private folder."""
    programs = postgres_programs()
    if programs is None:
        lacking("postgresql")
    folder = Path(tempfile.mkdtemp(prefix="umpire-pg-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody", "nogroup")
    data = folder / "data"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "check": True, "cwd": "/"}
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(folder)}
    try:
        initdb = [str(programs / "initdb"), "-D", str(data), "-U", "umpire", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(unprivileged(initdb), env=environment, **quiet)
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=100"
        control = [str(programs / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log")]
        subprocess.run(unprivileged([*control, "-o", options, "start"]), env=environment, **quiet)
        try:
            create = [str(programs / "createdb"), "-h", str(folder), "-U", "umpire", "umpire"]
            subprocess.run(unprivileged(create), env=environment, **quiet)
            yield f"postgres://umpire@{str(folder).replace('/', '%2F')}/umpire"
        finally:
            subprocess.run(unprivileged([*control, "-m", "immediate", "stop"]), env=environment, **quiet)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def end(process: subprocess.Popen[Any]) -> None:
    """End a child of ours, kindly first."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
