"""What a battle starts from."""

from __future__ import annotations

import msgspec

from rules.core.actors import Side
from rules.core.board import Board
from rules.core.grid import Cell

ParameterValue = int | float | bool | str


class UnitSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A unit of an army list: an opaque key, its kind and name, what differs from its kind, and its traits."""

    key: str
    side: Side
    kind: str
    name: str
    overrides: dict[str, float] = {}
    traits: frozenset[str] = frozenset()


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Map, armies, parameters that differ from their defaults, names, and the hash of the seed.

    `strips` are the cells in which RED and BLUE deploy; `attacker` is the strategic attacker, who moves first.
    """

    board: Board
    strips: tuple[tuple[Cell, ...], tuple[Cell, ...]]
    units: tuple[UnitSpec, ...]
    names: dict[str, str]
    parameters: dict[str, ParameterValue] = {}
    attacker: Side | None = None
    seed_hash: str = ""
    phrases: tuple[str, ...] = ()
