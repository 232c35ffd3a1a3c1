"""An endless battle that everybody may watch: both armies march one step out and one step back, in turns.

Every order is legal, every order is seen by the opponent, and after two turns of each side all stand as before. It
needs no Django and no look at the board, so that a load client can play it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

ROWS = (
    "................",
    "................",
    "................",
    "..ss....vv...h..",
    ".sds...=.v..hhh.",
    ".hhh....v...sds.",
    "..h....vv....ss.",
    "................",
    "................",
    "................",
)
COLUMNS = "DEFGHIJKLM"
HOME = {"red": 9, "blue": 2}
OUT = {"red": 8, "blue": 3}
KINDS = (
    "foot_artillery", "light_infantry", "heavy_infantry", "cuirassiers", "heavy_infantry",
    "heavy_infantry", "light_cavalry", "light_infantry", "horse_artillery", "foot_artillery",
)  # fmt: skip
ARMY = tuple({"kind": kind, "name": f"{kind.replace('_', ' ').capitalize()} {i + 1}"} for i, kind in enumerate(KINDS))
STRIPS = {
    side: [f"{letter}{row}" for row in rows for letter in "ABCDEFGHIJKLMNOP"]
    for side, rows in {"red": (9, 10), "blue": (1, 2)}.items()
}
PARAMETERS = {"deployment_seconds": 600, "turn_seconds": 3600, "quiet_turns": 0}


class Order(NamedTuple):
    """Whose order it is, and its fields as a form sends them."""

    side: str
    fields: dict[str, str]


class Script:
    """The orders of one battle, one after the other. `units` are the keys of each side from west to east."""

    def __init__(self, units: Mapping[str, Sequence[str]]) -> None:
        self.units = units
        self.given = 0

    def deployment(self) -> list[Order]:
        """The orders that bring both armies onto the field, before the first turn."""
        found = []
        for side, keys in self.units.items():
            for letter, key in zip(COLUMNS, keys, strict=True):
                found.append(Order(side, {"type": "place", "unit": key, "at": f"{letter}{HOME[side]}"}))
        return [*found, *(Order(side, {"type": "ready"}) for side in self.units)]

    @property
    def cycle(self) -> int:
        """After so many orders all stand as before, and the same side is to move."""
        return 4 * (len(COLUMNS) + 1)

    @property
    def mover(self) -> str:
        """Whose order comes next."""
        return ("red", "blue")[self.given // (len(COLUMNS) + 1) % 2]

    def __next__(self) -> Order:
        """The next order; it counts as given."""
        side, back = self.mover, self.given // (2 * (len(COLUMNS) + 1)) % 2
        number = self.given % (len(COLUMNS) + 1)
        self.given += 1
        if number == len(COLUMNS):
            return Order(side, {"type": "end_turn"})
        row = HOME[side] if back else OUT[side]
        return Order(side, {"type": "move", "unit": self.units[side][number], "path": f"{COLUMNS[number]}{row}"})
