"""What every unit has, whatever its book."""

from __future__ import annotations

from enum import Enum

import msgspec

from rules.core.actors import Side
from rules.core.grid import Cell


class Fate(Enum):
    """How a unit left the battle."""

    ABSENT = "absent"
    DESTROYED = "destroyed"
    SCATTERED = "scattered"
    WITHDRAWN = "withdrawn"
    CAPTURED = "captured"


class Unit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A unit: an opaque key, its side, its kind and name, where it stands and how it faces, or its fate.

    `facing` is an index into the ruleset's facings. Keys are drawn at random when the battle is made, so that
    they tell the enemy neither order nor number.
    """

    key: str
    side: Side
    kind: str
    name: str
    at: Cell | None = None
    facing: int | None = None
    fate: Fate | None = None


def halves(value: float) -> float:
    """The one place where hit points are made: a float that is a multiple of a half; ValueError otherwise."""
    doubled = float(value) * 2
    if doubled != int(doubled):
        raise ValueError(f"{value} is not a multiple of a half")
    return int(doubled) / 2
