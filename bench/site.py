"""The site under load: a real daphne on a port of its own, a database of its own, and the floor beside it."""

from __future__ import annotations

import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from bench.load import Floor, Load, Product, run

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 40.0


class Size(NamedTuple):
    """How much is measured."""

    battles: int = 50
    resting: int = 10
    rate: float = 0.3
    seconds: float = 10.0
    rounds: int = 3
    entries: int = 3000
    tries: int = 44


TINY = Size(battles=2, resting=2, rate=4.0, seconds=1.0, rounds=1, entries=300, tries=11)


def environment(folder: Path) -> dict[str, str]:
    """The settings of a production start, with everything that is written in one folder."""
    mine = {
        "DJANGO_SETTINGS_MODULE": "bench.settings",
        "DATABASE_URL": os.environ.get("BENCH_PG") or f"sqlite:///{folder / 'umpire.sqlite3'}",
        "REDIS_URL": os.environ.get("BENCH_REDIS", ""),
        "BENCH_FLOOR": os.environ.get("BENCH_PG") or f"sqlite:///{folder / 'floor.sqlite3'}",
        "BENCH_STATIC": str(folder / "static"),
        "SECRET_KEY": uuid4().hex * 2,
        "ALLOWED_HOSTS": "127.0.0.1",
        "HTTPS": "0",
        "LOG_LEVEL": "WARNING",
        "CLOCK_EMBEDDED": "1",
        "PYTHONPATH": str(ROOT),
    }
    others = {k: v for k, v in os.environ.items() if k not in ("DEBUG", "DEMO", "FAULT_POINT")}
    return {**others, **mine}


def start_django(variables: Mapping[str, str]) -> None:
    """Set Django up in this process, with the tables and the static files that the server will use."""
    os.environ.update(variables)
    for name in ("DEBUG", "DEMO"):
        os.environ.pop(name, None)
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)


def free_port() -> int:
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server(NamedTuple):
    """A server process: where it listens, and its id."""

    url: str
    pid: int

    def spent(self) -> float:
        """Milliseconds of the processor that it has used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


@contextmanager
def daphne(application: str, variables: Mapping[str, str], folder: Path) -> Iterator[Server]:
    """A daphne process of our own."""
    port = free_port()
    command = [sys.executable, "-m", "daphne", "-v", "0", "-b", "127.0.0.1", "-p", str(port), application]
    log = folder / f"{application.split('.')[0]}-{port}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=dict(variables), cwd=ROOT, stdout=out, stderr=out)
        try:
            end = time.monotonic() + START_SECONDS
            while True:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"{application} did not start: {log.read_text()[-2000:]}")
                time.sleep(0.1)
            yield Server(f"http://127.0.0.1:{port}", process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    said = log.read_text()
    if "Traceback" in said or "Exception" in said:
        print(f"{application} wrote errors:\n{said[-3000:]}", file=sys.stderr)


class Round(NamedTuple):
    """One round of both servers."""

    resting: Load
    saturated: Load
    floor_resting: Load
    floor_saturated: Load


def rounds(
    site: Server, floor: Server, battles: list[dict[str, Any]], size: Size, tell: Callable[[str], None]
) -> list[Round]:
    """Both servers in turns, at rest and saturated."""
    product, thin = Product(site.url, battles), Floor(floor.url)
    found = []
    for number in range(size.rounds):
        tell(f"round {number + 1} of {size.rounds}, load {os.getloadavg()[0]:.1f}")
        found.append(
            Round(
                run(product, size.resting, seconds=size.seconds, rate=size.rate, spent=site.spent),
                run(product, size.battles, seconds=size.seconds, spent=site.spent),
                run(thin, size.resting, seconds=size.seconds, rate=size.rate, spent=floor.spent),
                run(thin, size.battles, seconds=size.seconds / 2, spent=floor.spent),
            )
        )
    return found


class Cost(NamedTuple):
    """What one request costs: milliseconds of the processor, bytes of the answer, queries."""

    milliseconds: float
    size: float
    queries: int


def cost(action: Callable[[], Any], tries: int) -> Cost:
    """The cost of a request: the median time and size, and the fewest queries (a turn's end writes more)."""
    from django.db import connection

    taken, sizes, queries = [], [], []
    for _try in range(tries):
        count = [0]

        def counted(execute: Any, *arguments: Any, count: list[int] = count) -> Any:
            count[0] += 1
            return execute(*arguments)

        began = time.thread_time()
        with connection.execute_wrapper(counted):
            response = action()
        taken.append((time.thread_time() - began) * 1000)
        if response.status_code != 200:
            raise RuntimeError(f"{response.status_code}: {response.content[:300]!r}")
        sizes.append(len(response.content))
        queries.append(count[0])
    return Cost(statistics.median(taken), statistics.median(sizes), min(queries))


def order_cost(made: Any, script: Any, tries: int) -> Cost:
    """The cost of one order, posted as the page does it."""
    from battles import selectors
    from bench.battles import browser

    browsers = {side: browser(made, side) for side in made.players}

    def give() -> Any:
        order = next(script)
        battle, viewer, _role = selectors.battle_for(made.players[order.side], made.id)
        fields = {**order.fields, "command_id": str(uuid4()), "seen": selectors.version_for(battle, viewer)}
        return lambda: browsers[order.side].post(f"/battles/{made.id}/order/", fields, HTTP_HX_REQUEST="true")

    found = []
    for _try in range(tries):
        found.append(cost(give(), 1))
    middle = statistics.median
    return Cost(middle(c.milliseconds for c in found), middle(c.size for c in found), min(c.queries for c in found))


def page_cost(made: Any, tries: int) -> Cost:
    """The cost of opening the battle's page."""
    from bench.battles import browser

    player = browser(made, "red")
    return cost(lambda: player.get(f"/battles/{made.id}/"), tries)


def frame_size(made: Any) -> int:
    """The bytes of one pushed frame."""
    from battles.publishing import render
    from rules.core.actors import Viewer

    fragments = render(made.id, Viewer.BLUE, "en")
    return len(fragments.html.encode()) if fragments is not None else 0


class Growth(NamedTuple):
    """Costs at one length of the log."""

    entries: int
    order: Cost
    page: Cost
    frame: int


def growth(made: Any, script: Any, entries: int, tries: int) -> Growth:
    """Play on until the log is so long, then measure an order and a page."""
    from bench.battles import lengthen

    battle = lengthen(made, script, entries)
    page, frame = page_cost(made, tries), frame_size(made)
    order_cost(made, script, 2)
    return Growth(battle.version, order_cost(made, script, tries - 2), page, frame)


class Report(NamedTuple):
    """Everything that was measured of the site."""

    rounds: list[Round]
    growth: tuple[Growth, Growth]
    variant: str


def measure(size: Size, tell: Callable[[str], None]) -> Report:
    """Start both servers, load them in turns, then look at what a long log costs."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="umpire-bench-")))
        variables = environment(folder)
        start_django(variables)
        from bench import battles
        from bench.script import Script

        tell(f"{size.battles + 2} battles are being made")
        made = battles.make(size.battles + 2)
        manifest = battles.manifest(made[: size.battles])
        (folder / "manifest.json").write_text(json.dumps(manifest))
        subprocess.run([sys.executable, "-m", "bench.floor"], env=variables, cwd=ROOT, check=True)
        server = stack.enter_context(daphne("config.asgi:application", variables, folder))
        floor = stack.enter_context(daphne("bench.floor:application", variables, folder))
        found = rounds(server, floor, manifest, size, tell)
        tell("a long log")
        short, long = made[-2:]
        lengths = (
            growth(short, Script(short.units), 1, size.tries),
            growth(long, Script(long.units), size.entries, size.tries),
        )
        variant = "PostgreSQL" if os.environ.get("BENCH_PG") else "SQLite"
        variant += " and Redis" if os.environ.get("BENCH_REDIS") else " and the in-memory layer"
        return Report(found, lengths, variant)
