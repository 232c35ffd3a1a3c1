"""Both armies beside the board, and the units that are not placed yet."""

from __future__ import annotations

from typing import Any, NamedTuple

from battles.dress import DRESS
from battles.dress.parts import FATES, Chip, words_of
from battles.picture.heading import mover
from rules.core.actors import SIDES, Side, Viewer
from rules.registry import ruleset


class Roster(NamedTuple):
    """One army beside the board."""

    side: str
    name: str
    known: bool
    here: int
    total: int
    chips: tuple[Chip, ...]
    active: bool
    own: bool
    ready: bool
    note: str


def chip(view: Any, unit: Any, ruleset_id: str) -> Chip:
    """A unit in a roster as its ruleset shows it, or with its fate."""
    if unit.fate is not None:
        fate = FATES[unit.fate.value]()
        return Chip(unit.key, unit.name, words_of(unit.name, fate), None, fate, unit.side.value, unit.side is view.side)
    return DRESS[ruleset_id].chip(view, unit, ruleset(ruleset_id).grid.label)


def rosters(view: Any, ruleset_id: str) -> dict[str, Roster]:
    """Both armies by side: the enemy's only after the reveal."""
    deploying = view.phase.name == "deployment"
    found = {}
    for side in SIDES:
        units = [u for u in view.units if u.side is side]
        if deploying:
            units = [u for u in units if u.at is not None]
        units.sort(key=lambda u: u.fate is not None)
        here = [u for u in units if u.fate is None]
        known = not deploying or view.viewer is Viewer.MODERATOR or side is view.side
        found[side.value] = Roster(
            side=side.value,
            name=view.names[side.value],
            known=known,
            here=len(here),
            total=len(units),
            chips=tuple(chip(view, u, ruleset_id) for u in units) if known else (),
            active=mover(view) is side,
            own=view.side is side,
            ready=side in view.ready,
            note=DRESS[ruleset_id].army_note(view, side),
        )
    return found


def upper_side(view: Any, ruleset_id: str) -> Side:
    """The army whose roster stands above the board: the enemy's; for onlookers the northern one."""
    if view.side is not None:
        return view.side.enemy

    def row(side: Side) -> float:
        strip = DRESS[ruleset_id].strip(view, side)
        return sum(c.y for c in strip) / max(1, len(strip))

    return min(SIDES, key=row)


def tray(view: Any, ruleset_id: str) -> tuple[Chip, ...] | None:
    """The viewer's units that are not placed yet; None when nobody deploys."""
    if view.phase.name != "deployment" or view.side is None:
        return None
    return tuple(chip(view, u, ruleset_id) for u in view.units if u.side is view.side and u.at is None)
