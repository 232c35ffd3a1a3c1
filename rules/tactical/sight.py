"""Who sees what: the only place where a tactical state and a viewer meet [T-3.1, T-10.4]."""

from __future__ import annotations

from rules.core.actors import SIDES, Viewer
from rules.core.state import replace
from rules.core.view import Names
from rules.tactical.state import TacticalState, TacticalView
from rules.tactical.units import Unit


def view(state: TacticalState, viewer: Viewer) -> TacticalView:
    """What a viewer may have of a state: until the reveal nothing of the other side, then all but its stances
    and its absent units, and everything when the battle is over."""
    opened = viewer is Viewer.MODERATOR or (state.outcome is not None and state.revealed)
    known = [opened or viewer.side is side for side in SIDES]
    brought = [size if told else 0 for size, told in zip(state.brought, known, strict=True)]
    return TacticalView(
        viewer=viewer,
        board=state.board,
        phase=state.phase,
        turn=state.turn,
        ready=state.ready,
        decisions=tuple(d for d in state.decisions if viewer in d.seen_by),
        timers=tuple(t for t in state.timers if viewer in t.seen_by),
        clock_stopped=state.clock_stopped,
        outcome=state.outcome,
        parameters=state.parameters,
        strips=state.strips,
        names=dict(zip((side.value for side in SIDES), state.names, strict=True)),
        units=tuple(shown for unit in state.units if (shown := seen(state, unit, viewer)) is not None),
        melees=state.melees,
        own_turns=state.own_turns,
        retreating=state.retreating,
        revealed=state.revealed,
        brought=(brought[0], brought[1]),
        factor=state.factor if all(known) else 1.0,
    )


def seen(state: TacticalState, unit: Unit, viewer: Viewer) -> Unit | None:
    """A unit as a viewer may know it, None if he may not know of it."""
    if viewer is Viewer.MODERATOR or viewer.side is unit.side or (state.outcome is not None and state.revealed):
        return unit
    if not state.is_public(unit):
        return None
    return replace(unit, defensive_fire=None, answer_charges=None)


def names(view: TacticalView) -> Names:
    """What a viewer's log may call things."""
    return Names(
        units={unit.key: (unit.name, unit.side) for unit in view.units},
        sides={side: view.names[side.value] for side in SIDES},
    )
