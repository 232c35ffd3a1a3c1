"""Texts of the engine: marked for translation here, turned into words only by the pages."""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.core.actors import Side
from rules.core.grid import Cell


def gettext_noop(text: str) -> str:
    """Mark a text for the catalogues and return it unchanged."""
    return text


def ngettext_noop(singular: str, plural: str) -> tuple[str, str]:
    """Mark a text with a plural for the catalogues and return both forms."""
    return singular, plural


class _Value(msgspec.Struct, frozen=True, kw_only=False):
    pass


class UnitRef(_Value, frozen=True):
    """A unit's name in a sentence, in the colour of its side."""

    key: str
    name: str
    side: Side


class SideRef(_Value, frozen=True):
    """An army's name in a sentence, in its colour."""

    side: Side
    name: str


class Term(_Value, frozen=True):
    """A word of the book (a kind, a formation, a facing), translated where it is shown."""

    msgid: str


class Halves(_Value, frozen=True):
    """Hit points or losses in halves: 2½ in English and Russian alike."""

    value: float


class Dice(_Value, frozen=True):
    """Faces as thrown, shown as pictures of dice."""

    faces: tuple[int, ...]
    die: int = 6


class Place(_Value, frozen=True):
    """Cells by their labels, joined by arrows (a route) or commas."""

    cells: tuple[Cell, ...]
    labels: tuple[str, ...]
    join: Literal["route", "list"] = "list"


Value = str | int | UnitRef | SideRef | Term | Halves | Dice | Place


class Sentence(msgspec.Struct, frozen=True):
    """What happened, as a message id with its values; `rules.templatetags` makes words of it.

    `plural` and `count` choose the plural form where the message has one; `details` are the sums
    behind the sentence, each a sentence of its own.
    """

    msgid: str
    values: dict[str, Value] = {}
    plural: str = ""
    count: int | None = None
    details: tuple[Sentence, ...] = ()
