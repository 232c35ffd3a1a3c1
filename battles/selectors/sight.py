"""Where a battle stands, as a viewer may see it. Views are made by the ruleset's `view`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from django.http import Http404

from battles.models import Battle, Stage, Unit
from battles.selectors.access import is_opened, is_revealed
from rules.core.actors import SIDES, Side, Viewer
from rules.core.codec import read_state
from rules.core.ruleset import Ruleset
from rules.core.scenario import UnitSpec
from rules.core.view import Names
from rules.registry import ruleset

NUMBERS: Mapping[Viewer, str] = {
    Viewer.RED: "red_no",
    Viewer.BLUE: "blue_no",
    Viewer.PUBLIC: "public_no",
    Viewer.MODERATOR: "number",
}


def rules_of(battle: Battle) -> Ruleset:
    """The ruleset by which a battle is played."""
    return ruleset(battle.ruleset)


def current_state(battle: Battle) -> Any:
    """Where the battle stands; None before the opening. Not for pages: they get a view."""
    return None if battle.state is None else read_state(rules_of(battle), battle.state)


def view_of(battle: Battle, viewer: Viewer) -> Any:
    """What the viewer may have of the battle as it stands; Http404 before the opening."""
    state = current_state(battle)
    if state is None:
        raise Http404("not open yet")
    return view_from(battle, state, viewer)


def view_from(battle: Battle, state: Any, viewer: Viewer) -> Any:
    """What the viewer may have of a state of the battle."""
    rules = rules_of(battle)
    if is_opened(battle):
        return msgspec.structs.replace(rules.view(state, Viewer.MODERATOR), viewer=viewer)
    if battle.stage == Stage.OVER:  # the campaign keeps secrets: as if it still went on
        open_view = rules.view(msgspec.structs.replace(state, outcome=None), viewer)
        return msgspec.structs.replace(open_view, outcome=state.outcome)
    return rules.view(state, viewer)


def version_for(battle: Battle, viewer: Viewer) -> int:
    """The number of the last entry that the viewer may see: what his orders name."""
    numbers = {Viewer.RED: battle.red_no, Viewer.BLUE: battle.blue_no, Viewer.PUBLIC: battle.public_no}
    return numbers.get(viewer, battle.version)


def names_for(battle: Battle, viewer: Viewer, view: Any = None) -> Names:
    """What narration may call things for this viewer."""
    if view is None:
        view = view_of(battle, viewer)
    return rules_of(battle).names(view)


def army_lists(battle: Battle, viewer: Viewer) -> dict[Side, tuple[UnitSpec, ...]]:
    """The army lists that the viewer may read: his own, the moderator both, everybody else none."""
    shown = SIDES if viewer is Viewer.MODERATOR or is_opened(battle) else tuple(s for s in SIDES if s is viewer.side)
    return {
        side: tuple(
            msgspec.convert({"key": str(place), "side": side.value, **spec}, UnitSpec)
            for place, spec in enumerate(battle.armies.get(side.value, ()))
        )
        for side in shown
    }


class UnitLine(NamedTuple):
    """A unit in a report."""

    key: str
    side: Side
    kind: str
    name: str
    at: str
    strength: float
    strength_at_start: float
    fate: str


def unit_lines(battle: Battle, viewer: Viewer) -> tuple[UnitLine, ...]:
    """The units that the viewer may know of, in the order of the lists; none before the reveal."""
    if not is_revealed(battle):
        return ()
    known = None if viewer is Viewer.MODERATOR or is_opened(battle) else {u.key for u in view_of(battle, viewer).units}
    rows = Unit.objects.filter(battle=battle).order_by("position")
    return tuple(
        UnitLine(u.key, Side(u.side), u.kind, u.name, u.at, u.strength, u.strength_at_start, u.fate)
        for u in rows
        if known is None or u.key in known
    )
