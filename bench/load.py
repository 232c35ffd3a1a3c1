"""The load client: N battles of two players; an order counts when the opponent's socket has it, then the next one goes.

A driver is a server's language: `setup`, `connect(battle, side)`, `send(conn, battle, side, seq)`,
`seen(conn, battle, side, seq)`, `close(conn)`. Bounded in orders and in seconds; a client that lags is waited for.

    python -m bench.load URL MANIFEST [BATTLES] [SECONDS] [RATE]     drive a server that `python -m bench.site` prepared
"""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

from websockets.asyncio.client import ClientConnection, connect

from bench.script import Script

PATIENCE = 20.0
LIVE = re.compile(r'id="live"[^>]*data-version="(\d+)"')
CSRF = "b" * 32
BOTH = ("red", "blue")


class Driver(Protocol):
    """How a server is spoken to."""

    async def setup(self, battles: int) -> None:
        """Make or find so many battles."""

    async def connect(self, battle: int, side: int) -> Any:
        """Sit down at a battle and see it."""

    async def send(self, conn: Any, battle: int, side: int, seq: int) -> None:
        """Give an order; do not wait for what comes of it."""

    async def seen(self, conn: Any, battle: int, side: int, seq: int) -> None:
        """Wait until this side has been told of that order."""

    async def close(self, conn: Any) -> None:
        """Leave."""


async def _socket(url: str, headers: Mapping[str, str]) -> ClientConnection:
    return await connect(
        url, additional_headers=dict(headers), compression=None, max_queue=None, max_size=None, ping_interval=None,
        open_timeout=60, close_timeout=2,
    )  # fmt: skip


class Floor:
    """The thinnest app: an order goes in by the socket, a short event comes out of the other."""

    def __init__(self, url: str) -> None:
        self.url = url.replace("http", "ws", 1)

    async def setup(self, battles: int) -> None:
        """There is nothing to make."""

    async def connect(self, battle: int, side: int) -> ClientConnection:
        """One socket a player."""
        return await _socket(f"{self.url}/ws/{battle}/{side}/", {})

    async def send(self, conn: ClientConnection, battle: int, side: int, seq: int) -> None:
        """An order of the size that orders have."""
        order = {"seq": seq, "type": "move", "unit": f"u{seq % 10}", "path": "D8", "command_id": str(uuid4())}
        await conn.send(json.dumps(order))

    async def seen(self, conn: ClientConnection, battle: int, side: int, seq: int) -> None:
        """The event of that order."""
        while json.loads(await conn.recv()).get("seq") != seq:
            pass

    async def close(self, conn: ClientConnection) -> None:
        """Leave."""
        await conn.close()


class Page:
    """A player's page: its socket, the newest version that it has shown, and a connection for its posts."""

    def __init__(self, socket: ClientConnection, host: str, port: int, headers: str) -> None:
        self.socket, self.host, self.port, self.headers = socket, host, port, headers
        self.version = 0
        self.arrived = asyncio.Event()
        self.reading = asyncio.create_task(self._read())
        self.answer: asyncio.Task[None] | None = None
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def _read(self) -> None:
        async for frame in self.socket:
            text = str(frame)
            if (live := LIVE.search(text[:2000])) or (live := LIVE.search(text)):
                self.version = max(self.version, int(live[1]))
                self.arrived.set()
            elif "heartbeat" in text[:40]:
                await self.socket.send('{"type":"alive"}')

    async def shows(self, version: int) -> None:
        """Wait until it has shown a version."""
        while self.version < version:
            self.arrived.clear()
            await self.arrived.wait()

    async def post(self, path: str, fields: Mapping[str, str]) -> None:
        """Send a form as the page does it; the answer is read behind, and must be good before the next one goes."""
        if self.answer is not None:
            await self.answer
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port)
        body = urlencode(fields)
        head = f"POST {path} HTTP/1.1\r\n{self.headers}Content-Length: {len(body)}\r\n\r\n"
        self._streams[1].write((head + body).encode())
        self.answer = asyncio.create_task(self._answer())

    async def _answer(self) -> None:
        assert self._streams is not None
        reader = self._streams[0]
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status, *lines = head.split("\r\n")
        length = next(int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length"))
        body = await reader.readexactly(length)
        if " 200 " not in status + " ":
            raise RuntimeError(f"{status}: {body[:300].decode(errors='replace')}")

    async def close(self) -> None:
        """Leave, with the last answer read."""
        try:
            if self.answer is not None:
                await self.answer
        finally:
            self.reading.cancel()
            if self._streams is not None:
                self._streams[1].close()
            await self.socket.close()


class Product:
    """Umpire: an order is a form posted over HTTP, the opponent's socket gets the moving parts of his page.

    `battles` come from `bench.battles.manifest`. Whose turn it is follows from the script, so that an order is sent
    by the side that may give it, whichever the caller named.
    """

    def __init__(self, url: str, battles: Sequence[Mapping[str, Any]]) -> None:
        self.url, self.battles = url, battles
        self.scripts = [Script(battle["units"]) for battle in battles]
        self.pages: dict[tuple[int, str], Page] = {}
        self.awaited: dict[int, tuple[Page, int]] = {}
        self.ahead: dict[int, int] = {}

    async def setup(self, battles: int) -> None:
        """They are made already."""
        if battles > len(self.battles):
            raise ValueError(f"only {len(self.battles)} battles were prepared")

    async def connect(self, battle: int, side: int) -> Page:
        """Open a player's page: the socket with the session's cookie, and wait for the first view."""
        found, name = self.battles[battle], BOTH[side]
        parts = urlsplit(self.url)
        cookie = f"sessionid={found['sessions'][name]}; csrftoken={CSRF}"
        socket = await _socket(
            f"ws://{parts.netloc}/ws/battles/{found['id']}/",
            {"Cookie": cookie, "Origin": self.url, "Accept-Language": "en"},
        )
        headers = (
            f"Host: {parts.netloc}\r\nCookie: {cookie}\r\nX-CSRFToken: {CSRF}\r\nOrigin: {self.url}\r\n"
            "Accept-Language: en\r\nHX-Request: true\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        )
        page = self.pages[battle, name] = Page(socket, str(parts.hostname), int(parts.port or 80), headers)
        await asyncio.wait_for(page.shows(1), PATIENCE)
        return page

    async def send(self, conn: Page, battle: int, side: int, seq: int) -> None:
        """The next order of the battle's script."""
        script = self.scripts[battle]
        red, blue = self.pages[battle, "red"], self.pages[battle, "blue"]
        # by how much RED's numbers are ahead of BLUE's stays, since all that happens here is seen by both
        ahead = self.ahead.setdefault(battle, red.version - blue.version)
        sender, other, ahead = (red, blue, ahead) if script.mover == "red" else (blue, red, -ahead)
        newest = max(sender.version, other.version + ahead)
        if sender.answer is not None:
            await sender.answer
        await asyncio.wait_for(sender.shows(newest), PATIENCE)
        order = next(script)
        fields = {**order.fields, "command_id": str(uuid4()), "seen": str(newest)}
        self.awaited[battle] = (other, newest - ahead + 1)
        await sender.post(f"/battles/{self.battles[battle]['id']}/order/", fields)

    async def seen(self, conn: Page, battle: int, side: int, seq: int) -> None:
        """The opponent's page shows it."""
        page, version = self.awaited[battle]
        await page.shows(version)

    async def close(self, conn: Page) -> None:
        """Leave."""
        await conn.close()


class Load(NamedTuple):
    """What came of it, times in milliseconds; `cpu` is what an order took of the server's processor."""

    orders: int
    seconds: float
    latencies: tuple[float, ...]
    errors: tuple[str, ...]
    cpu: float

    @property
    def rate(self) -> float:
        """Orders a second."""
        return self.orders / self.seconds if self.seconds else 0.0

    def quantile(self, part: float) -> float:
        """A latency that this part of the orders did not exceed; 0 for none."""
        found = sorted(self.latencies)
        return found[min(len(found) - 1, int(len(found) * part))] if found else 0.0

    @property
    def p50(self) -> float:
        """The median latency."""
        return statistics.median(self.latencies) if self.latencies else 0.0

    @property
    def p95(self) -> float:
        """19 of 20 orders were there by then."""
        return self.quantile(0.95)


async def drive(
    driver: Driver,
    battles: int,
    *,
    orders: int = 10_000,
    seconds: float = 5.0,
    rate: float = 0.0,
    spent: Callable[[], float] = float,
) -> Load:
    """Load a server: each battle as fast as its orders arrive, or `rate` a second.

    `spent` tells what the server has used of the processor so far; it is asked when all are connected, and at the end.
    """
    await driver.setup(battles)
    conns = {}
    for battle in range(battles):
        conns[battle] = await asyncio.gather(driver.connect(battle, 0), driver.connect(battle, 1))
    taken: list[float] = []
    errors: list[str] = []
    left = [orders]
    before = spent()
    start = time.perf_counter()

    async def play(battle: int) -> None:
        due, seq = start + (battle * 0.618 % 1) / rate if rate else start, 0
        while time.perf_counter() < start + seconds and left[0] > 0:
            if rate:
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                due += 1 / rate
            left[0] -= 1
            side, seq = seq % 2, seq + 1
            began = time.perf_counter()
            try:
                await driver.send(conns[battle][side], battle, side, seq)
                await asyncio.wait_for(driver.seen(conns[battle][1 - side], battle, 1 - side, seq), PATIENCE)
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}"[:300])
                return
            taken.append((time.perf_counter() - began) * 1000)

    await asyncio.gather(*(play(battle) for battle in conns))
    lasted, used = time.perf_counter() - start, spent() - before
    for battle in conns:
        for conn in conns[battle]:
            try:
                await asyncio.wait_for(driver.close(conn), 5)
            except Exception as error:
                errors.append(f"close: {type(error).__name__}: {error}"[:300])
    return Load(len(taken), lasted, tuple(taken), tuple(errors), used / max(1, len(taken)))


def run(driver: Driver, battles: int, **bounds: Any) -> Load:
    """`drive` from where there is no loop."""
    return asyncio.run(drive(driver, battles, **bounds))


def main(arguments: Sequence[str], tell: Callable[[str], None] = print) -> None:
    """Drive the product from the command line."""
    url, path, *rest = arguments
    with open(path) as file:
        battles = json.load(file)
    count = int(rest[0]) if rest else len(battles)
    seconds, rate = (float(x) for x in (*rest[1:3], *("5", "0")[len(rest[1:3]) :]))
    load = run(Product(url, battles), count, seconds=seconds, rate=rate)
    tell(f"{load.orders} orders, {load.rate:.1f}/s, p50 {load.p50:.1f} ms, p95 {load.p95:.1f} ms, {load.errors[:1]}")


if __name__ == "__main__":
    main(sys.argv[1:])
