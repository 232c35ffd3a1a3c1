"""FR-05: of a hidden deployment nothing reaches anybody else: no page, header, refusal, number or frame."""

from __future__ import annotations

import contextlib
import itertools
import re
import threading
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.browser import e2e
from tests.browser.conftest import session_of
from tests.browser.e2e import Answer, Visitor

pytestmark = [pytest.mark.browser]
MARKER = "Zwinglibrand77"
CELLS = ("K5", "E5", "F5", "G5", "H6", "I6", "J6")
OTHERS = ("blue", "anonymous", "stranger", "spectator", "admin", "superuser")
TRICKS = (
    "as=spectator", "as=red&viewer=red&side=red&seat=red&role=moderator&view=moderator", "format=json&debug=1",
    "unit={key}", "unit={key}&to=K5", "unit={key}&target={key}&do=attack", "do=end_turn", "before=99999999&only=dice",
    "rewind=1", "next=/battles/{battle_id}/",
)  # fmt: skip
UNSTEADY = re.compile(
    r'csrfmiddlewaretoken" value="\w+"|X-CSRFToken": "\w+"|data-now="[^"]+"|^(date|expires|set-cookie): .*$'
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    re.IGNORECASE | re.MULTILINE,
)


# What there is to fetch


def routes(patterns: Any = None, before: str = "") -> Iterator[str]:
    """Every address of the site as its pattern is written."""
    for each in get_resolver().url_patterns if patterns is None else patterns:
        route = before + re.sub(r"\(\?P(<\w+>)[^)]*\)", r"\1", str(each.pattern).lstrip("^").rstrip("$"))
        if isinstance(each, URLResolver):
            yield from routes(each.url_patterns, route)
        elif isinstance(each, URLPattern):
            yield route


def addresses(battle: dict[str, Any]) -> list[str]:
    """Every address with what belongs to this battle in it."""
    values = {
        "battle_id": [battle["id"]],
        "campaign_id": [battle["campaign"]],
        "token": [*battle["tokens"], "set-password"],
        "ruleset_id": ["tactical"],
        "uidb64": ["MQ"],
        "object_id": [battle["id"], 1],
        "id": [1],
        "app_label": ["battles", "accounts"],
        "content_type_id": [1],
        "url": ["anything"],
    }
    found = []
    for route in dict.fromkeys(routes()):
        names = re.findall(r"<(?:\w+:)?(\w+)>", route)
        for chosen in itertools.product(*(values[name] for name in names)):
            path = route
            for value in chosen:
                path = re.sub(r"<[^>]+>", str(value), path, count=1)
            found.append(f"/{path}")
    return found


def test_every_kind_of_address_is_walked() -> None:
    walked = addresses({"id": 7, "campaign": 3, "tokens": ["abc"]})
    assert not [path for path in walked if "<" in path or "(" in path]
    for path in ("/", "/battles/7/refresh/", "/campaigns/3/", "/invitations/abc/", "/admin/battles/battle/7/change/"):
        assert path in walked


def answers(visitor: Visitor, who: str, battle: dict[str, Any], key: str) -> dict[str, Answer]:
    """Everything that somebody gets to see, by what he asked for."""
    found = {}
    for path in addresses(battle):
        if path.startswith("/admin/") and who not in ("superuser", "blue"):
            continue
        found[path] = visitor.get(path)
        if path.startswith(("/battles/", "/campaigns/")):
            found[f"{path} HX"] = visitor.get(path, HX_Request="true", Accept="application/json, text/event-stream")
    for trick in TRICKS:
        words = trick.format(key=key, battle_id=battle["id"])
        for page in ("", "panel/", "refresh/", "log/", "desk/"):
            path = f"/battles/{battle['id']}/{page}?{words}"
            found[path] = visitor.get(path, HX_Request="true")
    return found


def provoked(visitor: Visitor, battle: dict[str, Any], key: str, own: str) -> dict[str, Answer]:
    """What the server says to orders that reach for the other side's secrets."""
    orders: tuple[dict[str, str], ...] = (
        {"type": "place", "unit": key, "at": "K2"},
        {"type": "place", "unit": own, "at": CELLS[0]},
        {"type": "take_back", "unit": key},
        {"type": "stance", "unit": key, "name": "defensive_fire", "value": "false"},
        {"type": "move", "unit": key, "path": "K4"},
        {"type": "fire", "unit": own, "target": key},
        {"type": "attack", "unit": own, "target": key},
        {"type": "answer", "decision": "q1", "choice": "stand"},
    )
    found = {}
    for order in orders:
        for back in ("", f"unit={key}"):
            data = {**order, "command_id": str(uuid4()), "seen": "2", "back": back}
            answer = visitor.post(f"/battles/{battle['id']}/order/", data, HX_Request="true")
            assert answer.status >= 400, str(answer)[:2000]
            found[f"{order} {back}"] = answer
    return found


def steady(answer: Answer) -> str:
    """An answer without what differs each time by itself."""
    return UNSTEADY.sub("", str(answer))


# What comes by itself


class Listener:
    """Somebody's socket: every frame that arrives, and how it was closed."""

    def __init__(self, line: Any) -> None:
        self.line = line
        self.frames: list[str] = []
        self.code: int | None = None
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self) -> None:
        try:
            for frame in self.line:
                self.frames.append(str(frame))
                if "heartbeat" in self.frames[-1]:
                    self.line.send('{"type": "alive"}')
        except ConnectionClosed:
            pass
        self.code = self.line.close_code

    def wait(self, ready: Any) -> None:
        """Until the frames are as they should be."""
        until = time.monotonic() + 20
        while not ready(self):
            assert time.monotonic() < until, self.frames[-1:]
            time.sleep(0.02)


@contextlib.contextmanager
def listening(site: Any, battle_id: int, visitors: dict[str, Visitor]) -> Iterator[dict[str, Listener]]:
    """Everybody at the socket at once."""
    address = f"ws://127.0.0.1:{site.port}/ws/battles/{battle_id}/"
    with contextlib.ExitStack() as lines:
        found = {}
        for who, visitor in visitors.items():
            cookies = {"Cookie": visitor.cookies}
            line = lines.enter_context(connect(address, additional_headers=cookies, origin=site.url))
            found[who] = Listener(line)
        yield found


def beats(frames: list[str]) -> list[str]:
    """The versions that heartbeats tell."""
    return [
        re.findall(r'data-version="(\d+)"', frame)[0] for frame in frames if frame.startswith('<span id="heartbeat"')
    ]


def hold_other_clocks(site: Any, battle_id: int) -> None:
    """Battles that other tests have left behind stand still, so that only this one can change a page."""
    program = f"from battles.models import Deadline; Deadline.objects.exclude(battle={battle_id}).delete()"
    site.run("manage.py", "shell", "--verbosity", "0", "-c", program)


# The test


def test_fr05_nothing_of_a_hidden_deployment_reaches_anybody_else(site: Any) -> None:
    red = [(MARKER, "light_infantry"), *e2e.RED[1:]]
    battle = e2e.battle(site, "deployment", crew="leak_", campaign="Leaks", name="A hidden field", red=red, public=True)
    hold_other_clocks(site, battle["id"])
    known = {who: session_of(site, f"leak_{who}") for who in e2e.EVERYBODY} | {"anonymous": ""}
    visitors = {who: Visitor(site, known[who]) for who in OTHERS}
    player, judge = Visitor(site, known["red"]), Visitor(site, known["moderator"])
    keys = {name: key for name, key in battle["units"].items() if name.startswith("red ")}
    own = next(key for name, key in battle["units"].items() if name.startswith("blue "))
    key = keys[f"red {MARKER}"]
    board, order = f"/battles/{battle['id']}/", f"/battles/{battle['id']}/order/"

    def command(who: Visitor, **data: str) -> None:
        answer = who.post(order, {"command_id": str(uuid4()), "seen": "2", **data}, HX_Request="true")
        assert answer.status == 200, str(answer)[:3000]

    def clock(what: str) -> None:
        answer = judge.post(f"{board}ruling/", {"type": what, "command_id": str(uuid4())})
        assert answer.status == 302, str(answer)[:3000]

    with listening(site, battle["id"], visitors) as lines:
        for who, code in (("anonymous", 4401), ("stranger", 4403), ("superuser", 4403)):
            lines[who].wait(lambda line: line.code is not None)
            assert (lines[who].frames, lines[who].code) == ([], code)
        watching = {who: lines[who] for who in ("blue", "spectator", "admin")}
        for line in watching.values():
            line.wait(lambda line: len(beats(line.frames)) > 0)

        # with the clock stopped the same question has the same answer, whatever RED does meanwhile
        clock("stop_clock")
        for line in watching.values():
            line.wait(lambda line: sum('id="live"' in frame for frame in line.frames) == 2)
        before = {who: answers(visitor, who, battle, key) for who, visitor in visitors.items()}
        before["blue"] |= provoked(visitors["blue"], battle, key, own)
        heard = {who: len(line.frames) for who, line in watching.items()}
        for unit, at in zip(keys.values(), CELLS, strict=False):
            command(player, type="place", unit=unit, at=at)
        command(player, type="place", unit=key, at="L5", facing="E")
        command(player, type="take_back", unit=list(keys.values())[1])
        command(player, type="stance", unit=key, name="defensive_fire", value="false")
        after = {who: answers(visitor, who, battle, key) for who, visitor in visitors.items()}
        after["blue"] |= provoked(visitors["blue"], battle, key, own)
        for who, line in watching.items():
            line.wait(lambda line, who=who: len(beats(line.frames[heard[who] :])) > 1)

        for who, found in after.items():
            for asked, answer in found.items():
                text = str(answer)
                assert MARKER not in text and not any(each in strip_asked(text, key) for each in keys.values()), (
                    who,
                    asked,
                )
                assert answer.status < 500, (who, asked, text[:2000])
                was, now = steady(before[who][asked]), steady(answer)
                assert was == now, (who, asked, difference(was, now))
                if asked.startswith(board) and answer.status == 200:
                    headers = {name.lower(): value for name, value in answer.headers}
                    assert "no-store" in headers["cache-control"], (who, asked, headers)
                    assert not {"etag", "last-modified"} & set(headers), (who, asked, headers)
        for who, line in watching.items():
            since = line.frames[heard[who] :]
            assert len(since) == len(beats(since)) and len(set(beats(line.frames[heard[who] - 1 :]))) == 1, (who, since)

        # the clock runs again; RED is ready, which alone is told; BLUE too: the reveal
        clock("start_clock")
        command(player, type="ready")
        watching["blue"].wait(lambda line: "is ready" in line.frames[-1] or "is ready" in line.frames[-2])
        secret = [MARKER, *keys.values(), *(name for name, _kind in red)]
        for who, line in watching.items():
            assert not [word for word in secret for frame in line.frames if word in frame], who
        command(visitors["blue"], type="place", unit=own, at="E2")
        command(visitors["blue"], type="ready")
        for line in watching.values():
            line.wait(lambda line: any(MARKER in frame for frame in line.frames[-3:]))
    page = visitors["blue"].get(board).body
    assert f'data-cell="L5" data-unit="{key}"' in page and f"enemy: {MARKER}" in page
    absent = list(keys)[1].removeprefix("red ")
    assert absent not in page and absent not in visitors["spectator"].get(board).body


def strip_asked(text: str, key: str) -> str:
    """The text without the key that the question itself named (it comes back in forms and links)."""
    return text.replace(key, "")


def difference(was: str, now: str) -> list[tuple[str, str]]:
    """The first places where two answers differ."""
    lines = zip(was.splitlines(), now.splitlines(), strict=False)
    return [(old[:400], new[:400]) for old, new in lines if old != new][:3]
