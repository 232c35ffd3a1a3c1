"""Chance: dice that anybody can check afterwards, and dice that a test loads."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

import msgspec


class Throw(msgspec.Struct, frozen=True, kw_only=True):
    """One throw: its number in the battle, what it was for, the die, the faces in order.

    A draw has `picks`: which of `die` things were taken, as indices from 0, without replacement.
    """

    number: int
    purpose: str
    rule: str
    die: int
    faces: tuple[int, ...]
    picks: tuple[int, ...] = ()


class Dice(Protocol):
    """What a ruleset may ask of chance."""

    def throw(self, count: int, die: int, *, purpose: str, rule: str) -> Throw:
        """Throw so many dice with faces 1 to `die`."""

    def draw(self, total: int, picks: int, *, purpose: str, rule: str) -> Throw:
        """Draw lots: `picks` of `total` things without putting back."""


def seed_hash(seed: bytes) -> str:
    """What is shown at the opening: the SHA-256 of the seed, in hex [G-4]."""
    return hashlib.sha256(seed).hexdigest()


def _words(seed: bytes, salt: str, number: int) -> Iterator[int]:
    block = 0
    while True:
        digest = hmac.new(seed, f"{salt}\n{number}\n{block}".encode(), hashlib.sha256).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(digest[start : start + 4], "big")
        block += 1


def _face(words: Iterator[int], die: int) -> int:
    limit = 2**32 // die * die
    return next(word for word in words if word < limit) % die + 1


def faces(seed: bytes, salt: str, number: int, count: int, die: int) -> tuple[int, ...]:
    """The faces of throw `number`: HMAC-SHA256 of seed and number, words that would bias a face skipped [G-4]."""
    words = _words(seed, salt, number)
    return tuple(_face(words, die) for _ in range(count))


def lots(seed: bytes, salt: str, number: int, total: int, picks: int) -> tuple[int, ...]:
    """The indices that throw `number` draws out of `total` [G-4]."""
    return _pick(iter_faces(seed, salt, number, total), total, picks)


def iter_faces(seed: bytes, salt: str, number: int, total: int) -> Iterator[int]:
    """Faces of ever smaller dice: `total`, `total` - 1, ... as a draw needs them."""
    words = _words(seed, salt, number)
    for left in range(total, 0, -1):
        yield _face(words, left)


def _pick(thrown: Iterator[int], total: int, picks: int) -> tuple[int, ...]:
    rest = list(range(total))
    return tuple(rest.pop(next(thrown) - 1) for _ in range(picks))


class SeededDice:
    """The dice of a battle: secret seed, the seats' phrases as salt, and how many throws the log holds already."""

    def __init__(self, seed: bytes, salt: str = "", thrown: int = 0) -> None:
        self._seed = seed
        self._salt = salt
        self.thrown = thrown

    def throw(self, count: int, die: int, *, purpose: str, rule: str) -> Throw:
        """Throw so many dice; the number of the throw is one more than the last."""
        self.thrown += 1
        result = faces(self._seed, self._salt, self.thrown, count, die)
        return Throw(number=self.thrown, purpose=purpose, rule=rule, die=die, faces=result)

    def draw(self, total: int, picks: int, *, purpose: str, rule: str) -> Throw:
        """Draw lots; counts as one throw."""
        self.thrown += 1
        taken = lots(self._seed, self._salt, self.thrown, total, picks)
        return Throw(number=self.thrown, purpose=purpose, rule=rule, die=total, faces=(), picks=taken)


class NoDice(Exception):
    """A loaded throw was wanted and none is left."""


class LoadedDice:
    """Dice of a test: faces in order, or by purpose, so that a mirrored position gets the mirrored faces."""

    def __init__(
        self, faces: Iterable[int] | Mapping[str, Iterable[int]] = (), *, fallback: Callable[[int], int] | None = None
    ) -> None:
        self._by_purpose = {k: iter(v) for k, v in faces.items()} if isinstance(faces, Mapping) else None
        self._faces: Iterator[int] = iter(()) if isinstance(faces, Mapping) else iter(faces)
        self._fallback = fallback
        self.thrown = 0

    def _next(self, die: int, purpose: str) -> int:
        source = self._faces if self._by_purpose is None else self._by_purpose.get(purpose, iter(()))
        face: int | None = next(source, None)
        if face is None and self._fallback is not None:
            face = self._fallback(die)
        if face is None:
            raise NoDice(purpose)
        if not 1 <= face <= die:
            raise ValueError(f"a die of {die} cannot show {face}")
        return face

    def throw(self, count: int, die: int, *, purpose: str, rule: str) -> Throw:
        """The next loaded faces."""
        self.thrown += 1
        shown = tuple(self._next(die, purpose) for _ in range(count))
        return Throw(number=self.thrown, purpose=purpose, rule=rule, die=die, faces=shown)

    def draw(self, total: int, picks: int, *, purpose: str, rule: str) -> Throw:
        """Loaded lots: each face is a position, from 1, among what is left; without any the first are taken."""
        self.thrown += 1
        rest = list(range(total))
        taken: list[int] = []
        for _ in range(picks):
            try:
                position = self._next(len(rest), purpose)
            except NoDice:
                position = 1
            taken.append(rest.pop(position - 1))
        return Throw(number=self.thrown, purpose=purpose, rule=rule, die=total, faces=(), picks=tuple(taken))
