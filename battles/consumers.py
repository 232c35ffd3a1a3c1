"""The sockets of a battle's page: they push, and take nothing but a sign of life.

A socket is accepted first and closed afterwards if its user may not look, so that the browser learns why: 4401 sign in,
4403 not yours, 1012 come back. All sockets of a battle in this process share a room: one heartbeat, one check of
rights, and one picture for each viewer and language.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.http import Http404
from django.utils import timezone, translation
from django.utils.crypto import constant_time_compare
from django.utils.translation.trans_real import parse_accept_lang_header

from accounts.models import User
from battles import publishing, selectors
from rules.core.actors import Viewer

logger = logging.getLogger(__name__)

SIGN_IN, NOT_YOURS, COME_BACK, TOO_BIG, FOUL = 4401, 4403, 1012, 1009, 1008
HEARTBEAT_SECONDS = 2.0
SILENCE_SECONDS = 30.0
LONGEST_FRAME = 4096
BAD_FRAMES = 20
UNREAD_BYTES = 1 << 20
FRESH_SECONDS = 0.5
ANSWERED_SECONDS = 0.05

# Pages are drawn in threads of their own: the one thread that all other database calls share must stay free, and no
# more connections are opened than there are threads.
_readers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="pages")

T = TypeVar("T")
Key = tuple[Viewer, str]


async def read(function: Callable[..., T], *args: Any) -> T:
    """Ask the database in one of our own threads."""
    result: T = await database_sync_to_async(function, thread_sensitive=False, executor=_readers)(*args)
    return result


def _pulse(battle_id: int, user_ids: set[int], session_keys: set[str]) -> tuple[selectors.Watch | None, dict[str, Any]]:
    """Rights and versions, and what the sessions that are still good say."""
    watch = selectors.watch(battle_id, user_ids)
    good = Session.objects.filter(session_key__in=session_keys, expire_date__gt=timezone.now())
    return watch, {session.session_key: session.get_decoded() for session in good}


class Room:
    """The sockets of one battle in this process."""

    rooms: dict[int, Room] = {}

    def __init__(self, battle_id: int) -> None:
        self.battle_id = battle_id
        self.loop = asyncio.get_running_loop()
        self.sockets: set[BattleConsumer] = set()
        self._stamps: deque[str] = deque(maxlen=64)
        self._stale: set[Key] = set()
        self._drawing: dict[Key, asyncio.Task[None]] = {}
        self._fresh: dict[Key, tuple[float, publishing.Fragments]] = {}
        self._locks: dict[Key, asyncio.Lock] = {}
        self._beating = self.loop.create_task(self._beat(), name=f"heartbeat {battle_id}")

    @classmethod
    def enter(cls, socket: BattleConsumer) -> Room:
        """The room of a socket's battle; the first one opens it."""
        room = cls.rooms.get(socket.battle_id)
        if room is None or room.loop is not asyncio.get_running_loop():
            room = cls.rooms[socket.battle_id] = Room(socket.battle_id)
        room.sockets.add(socket)
        return room

    def leave(self, socket: BattleConsumer) -> None:
        """A socket is gone; the last one closes the room."""
        self.sockets.discard(socket)
        if not self.sockets:
            self._beating.cancel()
            if self.rooms.get(self.battle_id) is self:
                del self.rooms[self.battle_id]

    # pictures

    def changed(self, key: Key, stamp: str = "", *, answered: bool = False) -> None:
        """There is something newer for a viewer: draw it once and push it to all who look with him.

        Whose own order was `answered` waits a moment, so that his opponent's picture is drawn first.
        """
        if stamp:
            if f"{stamp} {key}" in self._stamps:
                return
            self._stamps.append(f"{stamp} {key}")
        self._stale.add(key)
        if answered:
            self.loop.call_later(ANSWERED_SECONDS, self._begin, key)
        else:
            self._begin(key)

    def _begin(self, key: Key) -> None:
        task = self._drawing.get(key)
        if self.sockets and (task is None or task.done()):
            self._drawing[key] = self.loop.create_task(self._draw(key))

    async def _draw(self, key: Key) -> None:
        while key in self._stale:
            self._stale.discard(key)
            try:
                fragments = await self.fragments(key, fresh=0.0)
            except Exception:
                logger.exception("battle %s could not be drawn", self.battle_id)
                return
            if fragments is None:
                return
            for socket in [s for s in self.sockets if s.key == key]:
                await socket.push(fragments)

    async def fragments(self, key: Key, fresh: float = FRESH_SECONDS) -> publishing.Fragments | None:
        """The picture of one viewer, at most so many seconds old."""
        asked = self.loop.time()
        async with self._locks.setdefault(key, asyncio.Lock()):
            known = self._fresh.get(key)
            if known is not None and known[0] >= asked - fresh:
                return known[1]
            began = self.loop.time()
            drawn = await read(publishing.render, self.battle_id, *key)
            if drawn is not None:
                self._fresh[key] = (began, drawn)
            return drawn

    # the heartbeat

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            try:
                await self._check()
            except Exception:
                logger.exception("battle %s: a heartbeat failed", self.battle_id)

    async def _check(self) -> None:
        """Close what may not look any more or does not answer; tell the others the newest version."""
        sockets = [s for s in self.sockets if not s.closing]
        users = {s.user_id for s in sockets}
        sessions = {s.session_key for s in sockets}
        watch, good = await read(_pulse, self.battle_id, users, sessions)
        now = timezone.now()
        for socket in sockets:
            code = self._verdict(socket, watch, good)
            if code is not None:
                await socket.hang_up(code)
                continue
            version = watch.versions[socket.key[0]] if watch is not None else 0
            await socket.join()
            if version > socket.version and not socket.behind:
                self.changed(socket.key)
            await socket.send_text(publishing.heartbeat(version, now))

    def _verdict(self, socket: BattleConsumer, watch: selectors.Watch | None, good: dict[str, Any]) -> int | None:
        """The code with which a socket is to be closed, if it is."""
        if watch is None:
            return NOT_YOURS
        session = good.get(socket.session_key, {})
        signed = str(session.get(SESSION_KEY, "")) == str(socket.user_id) and any(
            constant_time_compare(session.get(HASH_SESSION_KEY, ""), known)
            for known in watch.auth_hashes.get(socket.user_id, ())
        )
        if not signed or session.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
            return SIGN_IN
        sight = watch.sights.get(socket.user_id)
        if sight is None or sight.viewer is not socket.key[0]:
            return NOT_YOURS
        if self.loop.time() - socket.alive_at > SILENCE_SECONDS:
            return COME_BACK
        return None


class _Entry(NamedTuple):
    """Who knocks: the user's id and as whom he looks, or the code with which he is turned away."""

    user_id: int
    key: Key
    code: int | None = None


def _who(user: Any, battle_id: int, headers: dict[bytes, bytes], cookies: dict[str, str]) -> _Entry:
    """As whom a user looks, in which language."""
    nobody = _Entry(0, (Viewer.PUBLIC, "en"), SIGN_IN)
    fresh = User.objects.filter(pk=user.pk, is_active=True).first() if user and user.is_authenticated else None
    if fresh is None:
        return nobody
    try:
        seen = selectors.battle_for(fresh, battle_id)
    except Http404:
        return nobody._replace(code=NOT_YOURS)
    accept = headers.get(b"accept-language", b"").decode("latin-1")
    return _Entry(fresh.pk, (seen.viewer, language_of(fresh.language, cookies, accept)))


def language_of(own: str, cookies: dict[str, str], accept: str) -> str:
    """The language of a page: the person's own, else the cookie's, else the browser's, as for HTTP."""
    wishes = [
        own,
        cookies.get(settings.LANGUAGE_COOKIE_NAME, ""),
        *(code for code, _q in parse_accept_lang_header(accept)),
    ]
    for wish in wishes:
        if wish and wish != "*":
            try:
                return translation.get_supported_language_variant(wish)
            except LookupError:
                continue
    return str(settings.LANGUAGE_CODE)


class BattleConsumer(AsyncWebsocketConsumer):
    """One page's socket."""

    battle_id: int
    user_id: int
    session_key: str
    key: Key

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.room: Room | None = None
        self.version = -1
        self.alive_at = 0.0
        self.behind = False
        self._joined = False
        self._unread = 0
        self._bad = 0
        self.closing = False

    async def connect(self) -> None:
        """Accept, then see who it is; join, then send the whole view."""
        await self.accept()
        self.battle_id = self.scope["url_route"]["kwargs"]["battle_id"]
        headers = dict(self.scope.get("headers", ()))
        try:
            entry = await read(_who, self.scope.get("user"), self.battle_id, headers, self.scope.get("cookies", {}))
        except Exception:
            logger.exception("a socket could not be let in")
            await self.hang_up(COME_BACK)
            return
        if entry.code is not None:
            await self.hang_up(entry.code)
            return
        self.user_id, self.key = entry.user_id, entry.key
        self.session_key = getattr(self.scope.get("session"), "session_key", None) or ""
        self.alive_at = asyncio.get_running_loop().time()
        self.room = Room.enter(self)
        await self.join()
        try:
            fragments = await self.room.fragments(self.key)
        except Exception:
            logger.exception("battle %s could not be drawn", self.battle_id)
            await self.hang_up(COME_BACK)
            return
        if fragments is not None:
            await self.push(fragments)

    async def join(self) -> None:
        """Be in the group; if the layer is away, the heartbeat tries again."""
        if self._joined or self.channel_layer is None:
            return
        try:
            await self.channel_layer.group_add(publishing.group_name(self.battle_id, *self.key), self.channel_name)
            self._joined = True
        except Exception as error:
            logger.warning("battle %s: a socket could not join its group: %s", self.battle_id, error)

    async def disconnect(self, code: int) -> None:
        """Leave the room and the group."""
        self.closing = True
        if self.room is not None:
            self.room.leave(self)
        if self._joined and self.channel_layer is not None:
            try:
                await self.channel_layer.group_discard(
                    publishing.group_name(self.battle_id, *self.key), self.channel_name
                )
            except Exception as error:
                logger.debug("battle %s: a socket could not leave its group: %s", self.battle_id, error)

    # out

    async def battle_changed(self, message: dict[str, Any]) -> None:
        """The notice that something is newer for this audience."""
        if self.room is not None:
            self.room.changed(self.key, str(message.get("stamp", "")), answered=bool(message.get("answered")))

    async def push(self, fragments: publishing.Fragments) -> None:
        """Send the view if it is newer than what was sent; a page that doesn't answer gets no more until it does."""
        if fragments.version <= self.version:
            return
        if self._unread > UNREAD_BYTES:
            self.behind = True
            return
        self.version = fragments.version
        self._unread += len(fragments.html)
        await self.send_text(fragments.html)

    async def send_text(self, text: str) -> None:
        """Send, unless the socket is being closed."""
        if not self.closing:
            try:
                await self.send(text_data=text)
            except Exception as error:
                logger.debug("battle %s: a socket is gone: %s", self.battle_id, error)

    async def hang_up(self, code: int) -> None:
        """Close with a code; nothing is sent after it."""
        if not self.closing:
            self.closing = True
            await self.close(code)

    # in

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Take a sign of life; answer anything else with an error, and close when it goes on."""
        if self.closing:
            return
        size = len(text_data.encode(errors="replace")) if text_data is not None else len(bytes_data or b"")
        if size > LONGEST_FRAME:
            await self.hang_up(TOO_BIG)
            return
        code = _problem(text_data)
        if code is None:
            self._bad = 0
            self._unread = 0
            self.alive_at = asyncio.get_running_loop().time()
            if self.behind and self.room is not None:
                self.behind = False
                self.room.changed(self.key)
            return
        self._bad += 1
        await self.send_text(json.dumps({"type": "error", "code": code}))
        if self._bad >= BAD_FRAMES:
            await self.hang_up(FOUL)


def _problem(text: str | None) -> str | None:
    """What is wrong with a frame: None if it is the one sign of life that the socket takes."""
    if text is None:
        return "binary"
    try:
        frame = json.loads(text)
    except (ValueError, RecursionError):
        return "not_json"
    if not isinstance(frame, dict):
        return "not_an_object"
    if not isinstance(frame.get("type"), str):
        return "no_type"
    if frame["type"] != "alive":
        return "unknown_type"
    return None if frame.keys() == {"type"} else "unknown_field"
