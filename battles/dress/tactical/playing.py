"""How a side plays by itself in the demo: a plain order at a time, the same ones every time.

Nothing here is random: units act in the order of their lists, and choices are compared by figures and cells.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from battles.dress.tactical.ground import passable
from rules.core.actors import SIDES, Side
from rules.core.commands import Command
from rules.core.grid import Cell, SquareGrid
from rules.tactical.commands import Attack, EndTurn, Fire, Form, Move
from rules.tactical.units import Formation


def next_order(view: Any, options: Any) -> Command:
    """The next sensible order of the viewer: fire, then attack, then march, then the end of the turn."""
    for can in options.units:
        unit = view.find(can.unit)
        if unit is None or unit.side is not view.side or not unit.on_field:
            continue
        order = _attack(can, unit, 2) or _fire(can) or _attack(can, unit, 0) or _march(view, unit, can)
        if order is not None:
            return order
    return EndTurn()


def _fire(can: Any) -> Command | None:
    shots = [shot for shot in can.fires if not shot.friends and shot.chance >= 2]
    if not shots:
        return None
    best = max(shots, key=lambda shot: (shot.chance * sum(loss for _key, loss in shot.losses), shot.at))
    return Fire(unit=can.unit, target=best.target)


def _worth(attack: Any) -> float:
    if attack.overrun:
        return 10.0
    if attack.exchange is None:
        return -10.0
    exchange = attack.under_fire or attack.exchange
    mine, theirs = exchange.losses
    return float(theirs - mine - attack.first_fire + (4 if exchange.overwhelmed == "defender" else 0))


def _attack(can: Any, unit: Any, least: float) -> Command | None:
    """The best attack that is worth so much at least; an even one only by a unit that can bear it."""
    good = [a for a in can.attacks if _worth(a) >= least and (_worth(a) > 0 or unit.hp >= 5)]
    if not good:
        return None
    best = max(good, key=lambda attack: (_worth(attack), -attack.points, attack.origin))
    if best.path:
        return Move(unit=can.unit, path=best.path, attack=best.target)
    return Attack(unit=can.unit, target=best.target)


FAR = 99
LINE_HOLDS = 5


def ways(view: Any, side: Side) -> dict[Cell, int]:
    """How far it is on foot from each cell to the nearest enemy of a side."""
    ground = passable(view.board)
    foes = [cell for foe in view.units if foe.side is not side and foe.on_field for cell in foe.cells]
    found, queue = dict.fromkeys(foes, 0), deque(foes)
    while queue:
        here = queue.popleft()
        for cell in (here.plus(step) for step in SquareGrid.steps):
            if cell in ground and cell not in found:
                found[cell] = found[here] + 1
                queue.append(cell)
    return found


def _march(view: Any, unit: Any, can: Any) -> Command | None:
    """Step nearer to the enemy; guns hold once they have somebody in reach, and a line reforms when it is stuck."""
    far = ways(view, unit.side)
    if unit.spent or unit.moved:
        return None
    here = min(far.get(cell, FAR) for cell in unit.cells)
    close_enough = 4 if unit.is_artillery else 1
    if here <= close_enough or here == FAR:
        return None
    nearer = [reach for reach in can.moves if far.get(reach.at, FAR) < here]
    if not nearer:
        if unit.is_line and here > LINE_HOLDS and any(form.formation is Formation.COLUMN for form in can.forms):
            form = next(form for form in can.forms if form.formation is Formation.COLUMN)
            return Form(unit=unit.key, formation=Formation.COLUMN, at=form.at)
        return None
    best = min(nearer, key=lambda reach: (far.get(reach.at, FAR), reach.points, reach.at))
    return Move(unit=can.unit, path=best.path)


def worth_showing(view: Any) -> bool:
    """A position worth looking at: a melee is on, units have been lost, guns have fired, and there is much to do."""
    gone = [unit for unit in view.units if unit.fate is not None and unit.fate.value in ("destroyed", "scattered")]
    fired = any(unit.is_artillery and unit.last_shot for unit in view.units)
    own = [unit for unit in view.units if unit.side is view.mover and unit.on_field]
    idle = [unit for unit in own if not (unit.spent or unit.fired or unit.attacked or view.in_melee(unit.key))]
    blocked = any(question.blocks for question in view.decisions)
    both = {unit.side for unit in gone}
    return bool(view.melees and both == set(SIDES) and fired and len(idle) >= 3 and not blocked)
