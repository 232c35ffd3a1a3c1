"""What a selection means among a tactical unit's options: a march, an attack, a shot or a placement."""

from __future__ import annotations

from typing import Any, NamedTuple

from battles.dress.parts import Selection
from battles.dress.tactical.units import formation_words
from rules.core.actors import Side
from rules.core.grid import Cell
from rules.tactical.state import home_facing


def covered(unit: Any, at: Cell) -> tuple[Cell, ...]:
    """The cells a unit would stand on with its position at `at`, drawn up and facing as it is."""
    if unit.at is None:
        return (at,)
    return tuple(Cell(at.x + c.x - unit.at.x, at.y + c.y - unit.at.y) for c in unit.cells)


class Found(NamedTuple):
    """What was found among the options of a unit: at most one of march, attack and fire, or a placement."""

    march: Any = None
    attack: Any = None
    fire: Any = None
    place: Placing | None = None


def find(view: Any, can: Any, unit: Any, selection: Selection, at: Cell | None) -> Found:
    """Find what the selection means among a unit's options."""
    march = attack = fire = place = None
    if can is not None and view.phase.name == "deployment":
        place = _placing(view, can, unit, selection, at)
    elif can is not None:
        if selection.target:
            attacks = [a for a in can.attacks if a.target == selection.target]
            attack = next((a for a in attacks if at is None or a.origin == at), attacks[0] if attacks else None)
            fire = next((f for f in can.fires if f.target == selection.target), None)
            if selection.do == "fire" and fire is not None:
                attack = None
            elif attack is not None:
                fire = None
        elif at is not None:
            march = next((m for m in can.moves if m.at == at), None) or next(
                (m for m in can.moves if at in covered(unit, m.at)), None
            )
    return Found(march, attack, fire, place)


class Placing(NamedTuple):
    """A unit about to be placed: how it is drawn up and faces, where it may stand, and where it is going."""

    formation: str
    facing: int
    spots: tuple[Cell, ...]
    going: Cell | None
    formations: tuple[tuple[str, str, bool], ...]
    facings: tuple[tuple[str, int], ...]


def _placing(view: Any, can: Any, unit: Any, selection: Selection, at: Cell | None) -> Placing:
    formations = {o.formation.value for o in can.places}
    home = next((o.facing for o in can.places), 0)
    formation = selection.formation or unit.formation.value
    if formation not in formations and formations:
        formation = unit.formation.value if unit.formation.value in formations else sorted(formations)[0]
    names = "NESW"
    facing = names.index(selection.facing) if selection.facing in names and selection.facing else unit.facing
    if facing is None:
        facing = default_facing(view, unit.side) if view.strip(unit.side) else home
    spots = tuple(o.at for o in can.places if o.formation.value == formation and o.facing == facing)
    spots = spots or tuple({o.at: None for o in can.places if o.formation.value == formation})
    every = ("column", "line", "square") if unit.has_formations else ("open", "column", "line", "square")
    return Placing(
        formation=formation,
        facing=facing,
        spots=spots,
        going=at if at in spots else None,
        formations=tuple((f, formation_words(f), f in formations or f == unit.formation.value) for f in every),
        facings=tuple((names[i], i) for i in range(4)),
    )


def default_facing(view: Any, side: Side) -> int:
    """Away from a side's home edge."""
    return (home_facing(view.board, view.strip(side)) + 2) % 4
