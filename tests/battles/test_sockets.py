"""The socket of a battle's page: who gets in, what it pushes, what it takes, and when it closes."""

import asyncio
import json
import re
import time
from contextlib import asynccontextmanager

import pytest
from asgiref.sync import sync_to_async
from channels.layers import channel_layers
from channels.testing import WebsocketCommunicator
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from battles import consumers, publishing
from battles.models import Membership, Seat
from config.asgi import application
from rules.core.actors import Viewer
from tests.battles.playing import later

pytestmark = pytest.mark.django_db(transaction=True)
ALIVE = json.dumps({"type": "alive"})
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Heartbeats every tenth of a second, and a fresh layer for each test's loop."""
    monkeypatch.setattr(consumers, "HEARTBEAT_SECONDS", 0.1)
    channel_layers.backends.clear()
    consumers.Room.rooms.clear()
    yield
    channel_layers.backends.clear()


def session_of(user):
    """A session in which the user is signed in."""
    session = SessionStore()
    session[SESSION_KEY], session[BACKEND_SESSION_KEY] = str(user.pk), BACKEND
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return session


class Page:
    """A page's end of a socket."""

    def __init__(self, communicator):
        self.communicator = communicator
        self.frames = []
        self.code = None

    async def send(self, text):
        """Send a frame."""
        await self.communicator.send_input({"type": "websocket.receive", "text": text})

    async def receive(self, timeout=3.0):
        """The next frame that is sent to the page, or None when it is closed."""
        message = await self.communicator.receive_output(timeout)
        if message["type"] == "websocket.close":
            self.code = message["code"]
            return None
        self.frames.append(message["text"])
        return message["text"]

    async def until(self, wanted, timeout=3.0):
        """Frames until one that is wanted; what a page does meanwhile, it does: it answers heartbeats."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            frame = await self.receive(max(0.01, end - time.monotonic()))
            if frame is None:
                raise AssertionError(f"closed with {self.code}")
            if wanted(frame):
                return frame
            if is_beat(frame):
                await self.send(ALIVE)
        raise AssertionError(f"nothing of the kind came: {[f[:80] for f in self.frames]}")

    async def closed(self, timeout=3.0, answering=True):
        """The code with which the socket is closed."""
        end = time.monotonic() + timeout
        while self.code is None and time.monotonic() < end:
            frame = await self.receive(timeout)
            if frame is not None and is_beat(frame) and answering:
                await self.send(ALIVE)
        return self.code


def is_beat(frame):
    return frame.startswith('<span id="heartbeat"')


def is_view(frame):
    return 'id="units"' in frame


def version_in(frame):
    return int(re.search(r'data-version="(\d+)"', frame)[1])


@asynccontextmanager
async def page_of(battle_id, user, language="en", cookies=""):
    """A page that has connected."""
    headers = [(b"origin", b"http://localhost"), (b"accept-language", language.encode())]
    if user is not None:
        session = await sync_to_async(session_of)(user)
        cookies = f"sessionid={session.session_key}; {cookies}"
    headers.append((b"cookie", cookies.encode()))
    communicator = WebsocketCommunicator(application, f"/ws/battles/{battle_id}/", headers=headers)
    connected, _ = await communicator.connect(timeout=5)
    assert connected
    page = Page(communicator)
    try:
        yield page
    finally:
        await communicator.disconnect()


async def order(play, who, type, **fields):
    """An order through the door, as a request's thread gives it."""
    return await sync_to_async(play.order)(who, type, **fields)


# who gets in


@pytest.mark.parametrize("path", ["/ws/xx/", "/", "/ws/battles/", "/ws/battles/x/", f"/ws/battles/{'9' * 5000}/"])
async def test_at_an_unknown_address_a_socket_is_turned_away_quietly(path, caplog):
    communicator = WebsocketCommunicator(application, path, headers=[(b"origin", b"http://localhost")])
    connected, _ = await communicator.connect(timeout=5)
    await communicator.disconnect()
    assert not connected and not caplog.records


async def test_the_whole_view_comes_first_then_heartbeats(running, people):
    async with page_of(running.battle_id, people["red_player"]) as page:
        view = await page.until(is_view)
        assert version_in(view) == running_version(running, Viewer.RED)
        beat = await page.until(is_beat)
        assert version_in(beat) == version_in(view) and "data-now=" in beat


def running_version(play, viewer):
    return {Viewer.RED: 11, Viewer.BLUE: 11, Viewer.PUBLIC: 6, Viewer.MODERATOR: 16}[viewer]


@pytest.mark.parametrize(
    ("who", "code"), [(None, 4401), ("stranger", 4403), ("red_player", None), ("spectator", None), ("moderator", None)]
)
async def test_a_socket_is_accepted_and_then_closed_for_the_wrong_people(running, people, who, code):
    async with page_of(running.battle_id, people.get(who)) as page:
        if code:
            assert await page.receive() is None and page.code == code
        else:
            await page.until(is_view)


async def test_a_battle_that_is_not_there_is_not_yours(people):
    async with page_of(99_999, people["red_player"]) as page:
        assert await page.receive() is None and page.code == 4403


async def test_a_foreign_origin_gets_nothing(running, people):
    session = await sync_to_async(session_of)(people["red_player"])
    headers = [(b"origin", b"http://evil.example"), (b"cookie", f"sessionid={session.session_key}".encode())]
    communicator = WebsocketCommunicator(application, f"/ws/battles/{running.battle_id}/", headers=headers)
    assert (await communicator.connect())[0] is False


@pytest.mark.parametrize(
    ("own", "cookies", "accept", "language"),
    [
        ("ru", "", "en", "ru"),
        ("", "django_language=ru", "en", "ru"),
        ("", "", "ru-RU,ru;q=0.9,en;q=0.8", "ru"),
        ("", "", "fr,de;q=0.5", "en"),
        ("", "django_language=xx", "", "en"),
    ],
)
async def test_the_view_is_in_the_pages_language(running, people, own, cookies, accept, language):
    user = people["red_player"]
    user.language = own
    await user.asave()
    async with page_of(running.battle_id, user, accept, cookies) as page:
        await page.until(is_view)
        (socket,) = consumers.Room.rooms[running.battle_id].sockets
        assert socket.key == (Viewer.RED, language)


# what it pushes


async def test_an_order_is_pushed_to_all_who_may_see_it_with_their_own_version(running, people):
    async with (
        page_of(running.battle_id, people["red_player"]) as red,
        page_of(running.battle_id, people["blue_player"]) as blue,
        page_of(running.battle_id, people["spectator"]) as public,
    ):
        before = [version_in(await page.until(is_view)) for page in (red, blue, public)]
        await order(running, "red_player", "move", unit="Etna Rifles", path="E8")
        after = [version_in(await page.until(is_view)) for page in (red, blue, public)]
        assert after == [version + 1 for version in before]


async def test_who_may_see_none_of_it_hears_nothing(play, people):
    """I5: while RED places, no frame to BLUE or to the public changes in anything but the time of the heartbeat."""
    async with (
        page_of(play.battle_id, people["blue_player"]) as blue,
        page_of(play.battle_id, people["spectator"]) as public,
        page_of(play.battle_id, people["red_player"]) as red,
    ):
        for page in (blue, public, red):
            await page.until(is_view)
        await order(play, "red_player", "place", unit="1st Messina", at="C9")
        await red.until(is_view)
        for page in (blue, public):
            for _ in range(3):
                await page.until(is_beat)
            beats = {re.sub(r'data-now="[^"]*"', "", frame) for frame in page.frames[1:]}
            assert len(beats) == 1
            assert all("Messina" not in frame and "C9" not in frame for frame in page.frames)


async def test_one_picture_serves_all_who_look_with_the_same_eyes(running, people, monkeypatch):
    drawn = []
    render = publishing.render
    monkeypatch.setattr(publishing, "render", lambda *key: drawn.append(key) or render(*key))
    async with (
        page_of(running.battle_id, people["blue_player"]) as one,
        page_of(running.battle_id, people["blue_player"]) as two,
        page_of(running.battle_id, people["blue_player"]) as three,
    ):
        for page in (one, two, three):
            await page.until(is_view)
        drawn.clear()
        await order(running, "red_player", "move", unit="Etna Rifles", path="E8")
        for page in (one, two, three):
            await page.until(is_view)
        assert drawn == [(running.battle_id, Viewer.BLUE, "en")]


async def test_a_burst_of_orders_is_not_drawn_order_by_order(play, people, monkeypatch):
    drawn = []
    render = publishing.render

    def slowly(*key):
        drawn.append(key)
        time.sleep(0.1)
        return render(*key)

    async with page_of(play.battle_id, people["red_player"]) as page:
        await page.until(is_view)
        monkeypatch.setattr(publishing, "render", slowly)
        for step in range(12):
            await order(play, "red_player", "place", unit="1st Messina", at="CD"[step % 2] + "9")
        newest = await sync_to_async(play.version)("red_player")
        await page.until(lambda frame: is_view(frame) and version_in(frame) == newest)
        assert len(drawn) < 12


async def test_case01_a_lost_notice_costs_a_heartbeat(running, people, monkeypatch):
    """Nothing is told to the layer, as if the process died between commit and push."""
    monkeypatch.setattr("battles.services.recording.announce", lambda *told: None)
    async with page_of(running.battle_id, people["blue_player"]) as blue:
        await blue.until(is_view)
        await order(running, "red_player", "move", unit="Etna Rifles", path="E8")
        assert version_in(await blue.until(is_view)) == running_version(running, Viewer.BLUE) + 1


async def test_fr07_1_every_third_frame_lost_and_the_board_is_right_at_the_end(running, people):
    async with page_of(running.battle_id, people["blue_player"]) as blue:
        shown, count = 0, 0
        newest = 0
        for turn in range(12):
            who = "red_player" if turn % 2 == 0 else "blue_player"
            await order(running, who, "end_turn")
        newest = await sync_to_async(running.version)("blue_player")
        end = time.monotonic() + 5
        while shown < newest and time.monotonic() < end:
            frame = await blue.receive()
            count += 1
            if count % 3 == 0:
                continue
            if is_beat(frame):
                await blue.send(ALIVE)
                if version_in(frame) > shown:  # as board.js does: it asks for the view over HTTP
                    fragments = await sync_to_async(publishing.render)(running.battle_id, Viewer.BLUE, "en")
                    shown = fragments.version
            elif is_view(frame):
                shown = version_in(frame)
        assert shown == newest


async def test_fr07_3_a_page_that_does_not_read_is_sent_no_more_than_a_bound(running, people, monkeypatch):
    """500 updates for a page that never answers: what is queued stays bounded; it catches up when it answers."""
    monkeypatch.setattr(consumers, "UNREAD_BYTES", 100_000)
    monkeypatch.setattr(consumers, "HEARTBEAT_SECONDS", 30.0)
    async with page_of(running.battle_id, people["blue_player"]) as page:
        await page.until(is_view)
        (socket,) = consumers.Room.rooms[running.battle_id].sockets
        big = "<p>" + "x" * 20_000 + "</p>"
        for version in range(100, 600):
            await socket.push(publishing.Fragments(version, big))
        assert page.communicator.output_queue.qsize() <= 6 and socket.behind
        while not page.communicator.output_queue.empty():
            await page.receive()
        socket.version = 0
        await page.send(ALIVE)
        assert version_in(await page.until(is_view)) == running_version(running, Viewer.BLUE)


async def test_a_layer_that_is_away_refuses_no_order(running, people, monkeypatch):
    async def away(*args):
        raise ConnectionError("no Redis")

    monkeypatch.setattr(publishing, "_tell", away)
    receipt = await order(running, "red_player", "move", unit="Etna Rifles", path="E8")
    assert receipt.version == running_version(running, Viewer.RED) + 1


# what it takes


BAD = [
    ("{", "not_json"), ("", "not_json"), ("[]", "not_an_object"), ('"alive"', "not_an_object"),
    ("NaN", "not_an_object"),
    ('{"type": "move", "unit": "u1"}', "unknown_type"), ('{"unit": "u1"}', "no_type"), ('{"type": 7}', "no_type"),
    ('{"type": NaN}', "no_type"), ('{"type": 1e999}', "no_type"), ('{"type": "\\ud800"}', "unknown_type"),
    ('{"type": "alive", "by": "blue"}', "unknown_field"), ("[" * 200 + "]" * 200, "not_an_object"),
    ("[" * 4000, "not_json"), ('{"type": "end_turn"}', "unknown_type"), ('{"type": "Alive"}', "unknown_type"),
]  # fmt: skip


async def test_case08_garbage_gets_a_code_and_changes_nothing(running, people, caplog):
    version = await sync_to_async(lambda: running.battle.version)()
    async with page_of(running.battle_id, people["red_player"]) as page:
        await page.until(is_view)
        for text, code in BAD:
            await page.send(text)
            answer = json.loads(await page.until(lambda frame: frame.startswith("{")))
            assert answer == {"type": "error", "code": code}
            await page.send(ALIVE)
        await page.communicator.send_to(bytes_data=b"\x00\xff")
        answer = json.loads(await page.until(lambda frame: frame.startswith("{")))
        assert answer["code"] == "binary"
        assert page.code is None
    assert await sync_to_async(lambda: running.battle.version)() == version
    assert "Traceback" not in caplog.text


async def test_case08_twenty_bad_frames_in_a_row_close_the_socket(running, people):
    async with page_of(running.battle_id, people["red_player"]) as page:
        await page.until(is_view)
        for _ in range(19):
            await page.send("nonsense")
        await page.send(ALIVE)
        for _ in range(20):
            await page.send("nonsense")
        assert await page.closed(answering=False) == 1008
        assert sum(frame.startswith("{") for frame in page.frames) == 39


async def test_case09_a_frame_over_4_kib_closes_the_socket(running, people):
    async with page_of(running.battle_id, people["red_player"]) as page:
        await page.until(is_view)
        await page.send(" " * 4096)
        assert json.loads(await page.until(lambda frame: frame.startswith("{")))["code"] == "not_json"
        await page.send(" " * 4097)
        assert await page.closed() == 1009


async def test_a_silent_socket_is_told_to_come_back(running, people, monkeypatch):
    monkeypatch.setattr(consumers, "SILENCE_SECONDS", 0.5)
    async with (
        page_of(running.battle_id, people["red_player"]) as silent,
        page_of(running.battle_id, people["blue_player"]) as living,
    ):
        assert await asyncio.gather(silent.closed(answering=False), living.closed(1.5)) == [1012, None]


# when it closes


async def ends_with(running, user, change, **more):
    """The code with which the user's socket closes after a change, and within which time."""
    async with page_of(running.battle_id, user, **more) as page:
        await page.until(is_view)
        start = time.monotonic()
        await sync_to_async(change)()
        code = await page.closed()
        assert time.monotonic() - start < 2.5
        return code


def drop_sessions(user):
    for session in Session.objects.all():
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()


def expire_sessions():
    Session.objects.update(expire_date=later(-(10**8)))


async def test_case11_signing_out_closes_the_socket(running, people):
    user = people["red_player"]
    assert await ends_with(running, user, lambda: drop_sessions(user)) == 4401


async def test_case11_the_end_of_the_session_closes_the_socket(running, people):
    assert await ends_with(running, people["red_player"], expire_sessions) == 4401


async def test_case11_deactivation_closes_the_socket(running, people):
    user = people["red_player"]

    def deactivate():
        user.is_active = False
        user.save()

    assert await ends_with(running, user, deactivate) == 4401


async def test_case11_a_new_password_closes_the_socket(running, people):
    user = people["red_player"]

    def change():
        user.set_password("another one")
        user.save()

    assert await ends_with(running, user, change) == 4401


async def test_case11_the_loss_of_seat_or_role_closes_the_socket(running, people):
    def unseat():
        Seat.objects.filter(user=people["red_player"]).update(user=None)

    def expel():
        Membership.objects.filter(user=people["spectator"]).delete()

    assert await ends_with(running, people["red_player"], unseat) == 4403
    assert await ends_with(running, people["spectator"], expel) == 4403


async def test_case11_nothing_is_pushed_after_the_end(running, people):
    user = people["blue_player"]
    async with page_of(running.battle_id, user) as page:
        await page.until(is_view)
        await sync_to_async(drop_sessions)(user)
        assert await page.closed() == 4401
        count = len(page.frames)
        await order(running, "red_player", "move", unit="Etna Rifles", path="E8")
        assert await page.communicator.receive_nothing(0.4) and len(page.frames) == count


async def test_a_heartbeat_asks_three_questions_however_many_sockets_there_are(running, people):
    users = {people["red_player"].pk, people["blue_player"].pk, people["spectator"].pk, people["moderator"].pk}

    def ask():
        with CaptureQueriesContext(connection) as captured:
            consumers._pulse(running.battle_id, users, {"a", "b", "c"})
        return len(captured)

    assert await sync_to_async(ask)() == 3


# on Redis


@pytest.mark.redis
async def test_on_redis_an_order_is_pushed_too(running, people, private_redis):
    layer = {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [private_redis]}}
    with override_settings(CHANNEL_LAYERS={"default": layer}):
        channel_layers.backends.clear()
        async with (
            page_of(running.battle_id, people["red_player"]) as red,
            page_of(running.battle_id, people["blue_player"]) as blue,
        ):
            before = version_in(await blue.until(is_view))
            await red.until(is_view)
            await order(running, "red_player", "move", unit="Etna Rifles", path="E8")
            assert version_in(await blue.until(is_view)) == before + 1
            await order(running, "blue_player", "stance", unit="1st Turin", name="defensive_fire", value=False)
            assert version_in(await blue.until(is_view)) == before + 2
            assert version_in(await red.until(is_view)) == before + 1
            await red.until(is_beat)
            assert not any(is_view(frame) and version_in(frame) > before + 1 for frame in red.frames)


@pytest.mark.redis
async def test_on_a_redis_that_is_not_there_orders_commit_and_sockets_are_told_to_come_back(running, people):
    layer = {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": ["redis://127.0.0.1:1/0"]}}
    with override_settings(CHANNEL_LAYERS={"default": layer}):
        channel_layers.backends.clear()
        receipt = await order(running, "red_player", "move", unit="Etna Rifles", path="E8")
        assert receipt.version == running_version(running, Viewer.RED) + 1
