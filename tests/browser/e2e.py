"""What the tests from end to end share: battles of their own, made by `python -m tests.browser.e2e SCENE JSON`, people
who fetch pages without a browser, and a wire between browser and server that can be cut."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

COLUMNS = "ABCDEFGHIJKLMNOP"
SHORT_ROWS = ("." * 16,) * 6
SHORT_STRIPS = {
    "red": [f"{column}{row}" for row in (5, 6) for column in COLUMNS],
    "blue": [f"{column}{row}" for row in (1, 2) for column in COLUMNS],
}
RED = (
    ("1st Messina", "heavy_infantry"),
    ("2nd Messina", "heavy_infantry"),
    ("Royal Guard", "heavy_infantry"),
    ("Etna Chasseurs", "light_infantry"),
    ("Catania Rifles", "light_infantry"),
    ("Trapani Rifles", "light_infantry"),
    ("Palermo Cuirassiers", "cuirassiers"),
    ("Noto Hussars", "light_cavalry"),
    ("Syracuse battery", "foot_artillery"),
    ("Marsala battery", "horse_artillery"),
)
BLUE = (
    ("1st Piedmont", "heavy_infantry"),
    ("2nd Piedmont", "heavy_infantry"),
    ("Savoy Guard", "heavy_infantry"),
    ("Alpine Rifles", "light_infantry"),
    ("Genoa Bersaglieri", "light_infantry"),
    ("Cuneo Bersaglieri", "light_infantry"),
    ("Turin Cuirassiers", "cuirassiers"),
    ("Novara Lancers", "light_cavalry"),
    ("Asti battery", "foot_artillery"),
    ("Pavia battery", "horse_artillery"),
)
crew = ""  # what the names of this process's people begin with
EVERYBODY = ("red", "blue", "moderator", "admin", "spectator", "stranger", "superuser")

MARKUP = '"><img src=x onerror=window.__x=1>{{7*7}}'
CYRILLIC = "Бородинскоеполевсёчтобылоудеревнисемёновскойосеньюпододождём🐎"
TURNED = "Gate \u202eetaG\u202c of Aleppo"
HOSTILE = (MARKUP, CYRILLIC, TURNED)


# Battles, made in the server's database by a process of their own


def battle(site: Any, scene: str, **wishes: Any) -> dict[str, Any]:
    """A fresh battle of that scene; everybody's session is known afterwards without another process.

    With `crew="odd_"` its people are others than in all other battles: `odd_red` and so on.
    """
    from tests.browser import conftest

    lines = site.run("-m", "tests.browser.e2e", scene, json.dumps(wishes)).strip().splitlines()
    made: dict[str, Any] = json.loads(lines[-1])
    for who, key in made.pop("sessions").items():
        conftest._sessions.setdefault((site.port, who), key)
    return made


def person(name: str) -> Any:
    """Somebody of the cast in the database."""
    from tests.browser import scenes

    found = scenes.user(crew + scenes.CAST.get(name, name))
    if name == "superuser" and not found.is_superuser:
        found.is_staff = found.is_superuser = True
        found.save()
    return found


def specs(army: Any) -> list[dict[str, Any]]:
    """An army list as a battle's plan wants it."""
    return [{"name": name, "kind": kind} for name, kind in army]


def prepare(
    *,
    name: str = "The short field",
    campaign: str = "End to end",
    board: str = "Short field",
    sides: tuple[str, str] = ("Sicily", "Italy"),
    red: Any = RED,
    blue: Any = BLUE,
    parameters: dict[str, Any] | None = None,
    public: bool = False,
    seated: bool = True,
) -> Any:
    """A battle of two armies on a field that is soon crossed, both seats taken, an admin and a spectator beside."""
    from django.utils import timezone

    from accounts.text import clean_name
    from battles import services
    from battles.models import Battle, BattleMap, Campaign, CampaignRole

    admin, moderator, now = person("admin"), person("moderator"), timezone.now()
    found = Campaign.objects.filter(name=campaign, memberships__user=admin).first()
    if found is None:
        found = services.create_campaign(user=admin, name=campaign, public=public)
        services.set_member(user=admin, campaign=found, member=moderator, role=CampaignRole.MODERATOR)
        services.set_member(user=admin, campaign=found, member=person("spectator"), role=CampaignRole.GUEST)
    made, _fresh = BattleMap.objects.get_or_create(
        campaign=found,
        slug="short",
        defaults={"name": clean_name(board), "ruleset": "tactical", "rows": list(SHORT_ROWS), "strips": SHORT_STRIPS},
    )
    plan = services.BattlePlan(
        name=name,
        map=made,
        sides={"red": {"name": sides[0], "colour": "red"}, "blue": {"name": sides[1], "colour": "blue"}},
        armies={"red": specs(red), "blue": specs(blue)},
        parameters={"deployment_seconds": 300, "turn_seconds": 900, "answer_seconds": 120} | (parameters or {}),
        attacker="red",
        allow_spectators=True,
    )
    fresh = services.create_battle(user=moderator, campaign=found, plan=plan)
    for side in ("red", "blue"):
        token = services.invite(user=moderator, battle_id=fresh.pk, side=side, now=now).token
        if seated:
            services.take_seat(token=token, user=person(side), now=now)
    return Battle.objects.get(pk=fresh.pk)


def give(battle_id: int, who: str, command: Any, **fields: Any) -> None:
    """One order of somebody through the only door."""
    from django.utils import timezone

    from battles import selectors, services

    user = person(who)
    seen = selectors.battle_for(user, battle_id)
    services.submit(
        battle_id=battle_id,
        command=command,
        command_id=uuid4(),
        user=user,
        received_at=timezone.now(),
        seen=selectors.version_for(seen.battle, seen.viewer),
        **fields,
    )


def read(type: str, **fields: Any) -> Any:
    """A command as the pages read it."""
    from rules.core.actors import Actor
    from rules.core.codec import read_command
    from rules.registry import ruleset

    return read_command(ruleset("tactical"), {"type": type, **fields}, Actor.CLOCK)


def open_field(places: dict[str, tuple[str, ...]] | None = None, **wishes: Any) -> Any:
    """The same battle opened; with places for the first units of each side it is deployed and in its first turn."""
    from django.utils import timezone

    from battles import services
    from battles.models import Battle

    made = prepare(**wishes)
    services.open_battle(made.pk, person("moderator"), timezone.now())
    made = Battle.objects.get(pk=made.pk)
    for side, cells in (places or {}).items():
        keys = [unit["key"] for unit in made.state["units"] if unit["side"] == side]
        for key, at in zip(keys, cells, strict=False):
            give(made.pk, side, read("place", unit=key, at=at))
        give(made.pk, side, read("ready"))
    return Battle.objects.get(pk=made.pk)


FACE_TO_FACE = {
    "red": ("E5", "F5", "H6", "G5", "J6", "L5", "C5", "B6", "I6", "N6"),
    "blue": ("E2", "F2", "H1", "G2", "J1", "L2", "C2", "B1", "I1", "N1"),
}


def in_play(**wishes: Any) -> Any:
    """The first turn of two armies face to face."""
    return open_field(FACE_TO_FACE, **wishes)


def finished(**wishes: Any) -> Any:
    """A battle with a little of everything that the moderator has ended."""
    from battles.models import Battle

    made = in_play(**wishes)
    reds, blues = ([u["key"] for u in made.state["units"] if u["side"] == side] for side in ("red", "blue"))
    give(made.pk, "red", read("fire", unit=reds[3], target=blues[3]))
    give(made.pk, "red", read("move", unit=reds[0], path=["E4", "E3"], attack=blues[0]))
    give(made.pk, "red", read("end_turn"))
    give(made.pk, "moderator", read("close_battle", winner="red", reason="Dusk"))
    return Battle.objects.get(pk=made.pk)


def hostile(**wishes: Any) -> dict[str, Any]:
    """Three battles, one a stage, in three campaigns; everything has a name that is more than a name (FR-12)."""
    from accounts.forms import ProfileForm
    from battles import services
    from battles.models import Battle

    for place, who in enumerate(("red", "blue", "moderator", "admin", "spectator")):
        user = person(who)
        typed = {"display_name": HOSTILE[place % 3][-60:], "email": f"{who}@example.org", "language": "", "theme": ""}
        form = ProfileForm(typed, instance=user)
        assert form.is_valid(), form.errors
        form.save()
    found = []
    for place, make in enumerate((prepare, in_play, finished)):
        names = HOSTILE[place:] + HOSTILE[:place]
        red, blue = (
            [(f"{names[i % 3]} {army}{i}"[:80], kind) for i, (_n, kind) in enumerate(units)]
            for army, units in (("R", RED), ("B", BLUE))
        )
        sides = (names[1][:40], names[2][:38] + "ё")
        made = make(name=names[0], campaign=names[1], board=names[2], sides=sides, red=red, blue=blue, **wishes)
        if made.stage == "running":
            for reason in HOSTILE:
                key, hp = made.state["units"][0]["key"], 6 + len(reason) % 3
                give(made.pk, "moderator", read("edit_unit", unit=key, changes={"hp": hp}, reason=reason))
        found.append(made)
    preparing = Battle.objects.get(pk=found[0].pk)
    services.set_phrase(user=person("red"), battle_id=preparing.pk, phrase=MARKUP)
    return {"battles": [described(each) for each in found]}


def every_stage() -> dict[str, Any]:
    """A battle at each stage, with an invitation that can still be used and a link to a new password."""
    from django.contrib.auth.tokens import default_token_generator
    from django.utils.encoding import force_bytes
    from django.utils.http import urlsafe_base64_encode

    empty = prepare(name="Empty seats", seated=False)
    asked, play = in_play(name="A charge"), in_play(name="In play")
    reds, blues = ([u["key"] for u in asked.state["units"] if u["side"] == side] for side in ("red", "blue"))
    give(asked.pk, "red", read("move", unit=reds[6], path=["C4", "C3"], attack=blues[6]))
    give(play.pk, "red", read("fire", unit=described(play)["units"]["red Etna Chasseurs"], target=blue_of(play)))
    lost = person("forgetful")
    link = f"{urlsafe_base64_encode(force_bytes(lost.pk))}/{default_token_generator.make_token(lost)}"
    found = {
        "prepared": prepare(name="Being prepared"),
        "deployment": open_field(name="Hidden"),
        "play": play,
        "asked": asked,
        "over": finished(name="Over"),
    }
    return {
        **{stage: described(each) for stage, each in found.items()},
        "empty": described(empty),
        "invitation": str(empty.invitations.first().token),
        "reset": f"/accounts/reset/{link}/",
    }


def blue_of(made: Any) -> str:
    """The unit that stands in front of RED's riflemen."""
    return str(described(made)["units"]["blue Alpine Rifles"])


def described(made: Any) -> dict[str, Any]:
    """What a test needs to know of a battle."""
    units = made.state["units"] if made.state else ()
    return {
        "id": made.pk,
        "campaign": made.campaign_id,
        "units": {f"{unit['side']} {unit['name']}": unit["key"] for unit in units},
    }


def main(arguments: list[str]) -> None:
    """Make what is asked and print it as JSON."""
    import django

    django.setup()
    from battles.models import Invitation
    from tests.browser import scenes

    global crew
    scene, wishes = arguments[0], json.loads(arguments[1]) if len(arguments) > 1 else {}
    crew = wishes.pop("crew", "")
    make: dict[str, Any] = {
        "prepared": prepare,
        "deployment": open_field,
        "play": in_play,
        "finished": finished,
        "hostile": hostile,
        "every_stage": every_stage,
    }
    made = make[scene](**wishes)
    known = made if isinstance(made, dict) else described(made)
    known["tokens"] = list(Invitation.objects.order_by("-pk").values_list("token", flat=True)[:2])
    print(json.dumps({**known, "sessions": {crew + who: scenes.session(person(who).username) for who in EVERYBODY}}))


# Pages without a browser


class Answer:
    """What the server said: the status, every header, the body."""

    def __init__(self, status: int, headers: list[tuple[str, str]], body: str) -> None:
        self.status, self.headers, self.body = status, headers, body

    def __str__(self) -> str:
        return "\n".join((str(self.status), *(f"{name}: {value}" for name, value in self.headers), "", self.body))


class Visitor:
    """Somebody who fetches pages over a real connection; nobody is signed in without a session."""

    def __init__(self, site: Any, session: str = "") -> None:
        self.site, self.session, self.token = site, session, "t" * 32
        self.line = http.client.HTTPConnection("127.0.0.1", site.port, timeout=30)

    @property
    def cookies(self) -> str:
        """What the browser would send."""
        parts = [f"csrftoken={self.token}"]
        return "; ".join([*parts, f"sessionid={self.session}"] if self.session else parts)

    def ask(self, method: str, path: str, data: dict[str, str] | None = None, **headers: str) -> Answer:
        """One request; redirections aren't followed."""
        sent = {"Cookie": self.cookies, "Origin": self.site.url, **{k.replace("_", "-"): v for k, v in headers.items()}}
        body = None
        if data is not None:
            body = urlencode({"csrfmiddlewaretoken": self.token, **data})
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        self.line.request(method, path, body, sent)
        answer = self.line.getresponse()
        return Answer(answer.status, answer.getheaders(), answer.read().decode(errors="replace"))

    def get(self, path: str, **headers: str) -> Answer:
        """Fetch a page."""
        return self.ask("GET", path, None, **headers)

    def post(self, path: str, data: dict[str, str], **headers: str) -> Answer:
        """Send a form."""
        return self.ask("POST", path, data, **headers)


class Player(Visitor):
    """Somebody in a battle who gives his orders without a browser, always for the newest board."""

    def __init__(self, site: Any, who: str, battle_id: int) -> None:
        from tests.browser.conftest import session_of

        super().__init__(site, session_of(site, who))
        self.board = f"/battles/{battle_id}/"

    def look(self) -> str:
        """The page of the board as it is now."""
        answer = self.get(self.board)
        assert answer.status == 200, str(answer)[:2000]
        return answer.body

    def order(self, **fields: str) -> Answer:
        """Give an order that must be taken."""
        answer = self.try_order(**fields)
        assert answer.status == 200, str(answer)[:3000]
        return answer

    def try_order(self, *, seen: str = "", command_id: str = "", **fields: str) -> Answer:
        """Give an order, whatever the answer."""
        data = {"command_id": command_id or str(uuid4()), "seen": seen or version_in(self.look()), **fields}
        return self.post(f"{self.board}order/", data, HX_Request="true")


def version_in(page: str) -> str:
    """The version of the board that a page shows."""
    found = re.search(r'id="live"[^>]* data-version="(\d+)"', page)
    assert found is not None, page[:500]
    return found[1]


def blocks_in(page: str) -> dict[str, str]:
    """Where the page's units stand and what is left of them, by their keys."""
    found = re.findall(r'<g class="unit [^>]*data-key="(\w+)" data-hp="([^"]+)"[^>]* transform="([^"]+)"', page)
    return {key: f"{hp} {at}" for key, hp, at in found}


BLOCKS = """() => Object.fromEntries([...document.querySelectorAll("#units .unit")].map(
    (block) => [block.dataset.key, `${block.dataset.hp} ${block.getAttribute("transform")}`]))"""


# A line that can be cut


class Wire:
    """A port that leads to the server until it is cut; pages that come through it have a line of their own."""

    def __init__(self, site: Any) -> None:
        self.target = site.port
        self.open: set[socket.socket] = set()
        self.port = 0
        self.door: socket.socket | None = None
        self.join()

    @property
    def url(self) -> str:
        """The server's address at this end."""
        return f"http://127.0.0.1:{self.port}"

    def join(self) -> None:
        """Put the line up (again): the same port as before."""
        self.door = socket.socket()
        self.door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.door.bind(("127.0.0.1", self.port))
        self.door.listen(64)
        self.port = self.door.getsockname()[1]
        threading.Thread(target=self._serve, args=(self.door,), daemon=True).start()

    def cut(self) -> None:
        """Nothing gets through any more, and what was open is gone."""
        door, self.door = self.door, None
        if door is not None:
            hang_up(door)
        for each in list(self.open):
            hang_up(each)

    def _serve(self, door: socket.socket) -> None:
        while True:
            try:
                near, _address = door.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            self.open |= {near, far}
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for each in (source, sink):
            hang_up(each)
            self.open.discard(each)


def hang_up(line: socket.socket) -> None:
    """Close a socket that another thread may be waiting on."""
    with contextlib.suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
    line.close()


@contextlib.contextmanager
def wire(site: Any) -> Iterator[Wire]:
    """A wire for the length of a test."""
    made = Wire(site)
    try:
        yield made
    finally:
        made.cut()


if __name__ == "__main__":
    main(sys.argv[1:])
