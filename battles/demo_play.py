"""How the demo's battles are played: plain orders through the one door, the same ones every time.

Nothing here is random: units act in the order of their lists, and choices are compared by figures and cells.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from accounts.models import User
from battles import selectors, services
from battles.maps import passable
from battles.models import Battle
from rules.core.actors import SIDES, Actor, Side, Viewer
from rules.core.commands import Answer, Command, Ready
from rules.core.errors import IllegalCommand
from rules.core.grid import Cell, SquareGrid
from rules.registry import ruleset
from rules.tactical.commands import Attack, EndTurn, Fire, Form, Move, Place
from rules.tactical.units import Formation

BETWEEN_ORDERS = timedelta(seconds=7)
MOST_ORDERS = 1200
FORMATIONS: Mapping[str, Formation] = {"line": Formation.LINE, "column": Formation.COLUMN, "square": Formation.SQUARE}


class Table:
    """Both players and the moderator at one table, with a clock of their own."""

    def __init__(self, battle: Battle, players: Mapping[Side, User], moderator: User, start: datetime) -> None:
        self.battle_id = battle.pk
        self.players = players
        self.moderator = moderator
        self.now = start
        self.orders = 0

    @property
    def battle(self) -> Battle:
        """The battle as it stands."""
        return Battle.objects.select_related("campaign").get(pk=self.battle_id)

    def view(self, viewer: Viewer) -> Any:
        """What somebody at the table sees."""
        return selectors.view_of(self.battle, viewer)

    def give(self, command: Command, user: User, viewer: Viewer) -> bool:
        """Give one order; False if a rule forbids it."""
        self.now += BETWEEN_ORDERS
        self.orders += 1
        battle = self.battle
        try:
            services.submit(
                battle_id=battle.pk,
                command=command,
                command_id=uuid4(),
                user=user,
                received_at=self.now,
                seen=selectors.version_for(battle, viewer),
            )
        except IllegalCommand:
            return False
        return True

    def order(self, side: Side, command: Command) -> bool:
        """An order of a side."""
        return self.give(command, self.players[side], Viewer(side.value))

    def deploy(self, side: Side, plan: Mapping[str, tuple[str, str]]) -> None:
        """Place units by their names: a cell and a formation, or none for open order."""
        grid = ruleset("tactical").grid
        for unit in self.view(Viewer(side.value)).units:
            if unit.side is side and unit.name in plan:
                label, formation = plan[unit.name]
                cell = grid.parse(label)
                self.order(side, Place(unit=unit.key, at=cell, formation=FORMATIONS.get(formation)))
        self.order(side, Ready())

    def answer_questions(self, *, rulings: bool) -> bool:
        """Answer what is asked; the moderator's questions only if they hold the battle up, or all if he rules."""
        view = self.view(Viewer.MODERATOR)
        for question in view.decisions:
            if question.owed_by is Actor.MODERATOR:
                if rulings or question.blocks:
                    command = Answer(decision=question.id, choice=question.default, reason="By the book.")
                    return self.give(command, self.moderator, Viewer.MODERATOR)
                continue
            side = question.owed_by.side
            if side is not None:
                choice = "ride" if "ride" in question.choices else question.default
                return self.order(side, Answer(decision=question.id, choice=choice))
        return False

    def play(self, until: Callable[[Any], bool], *, rulings: bool = True) -> None:
        """Play on until the moderator's view says so, or the battle is over."""
        while self.orders < MOST_ORDERS:
            view = self.view(Viewer.MODERATOR)
            if view.outcome is not None or until(view):
                return
            if self.answer_questions(rulings=rulings):
                continue
            mover = view.mover
            if mover is None:
                return
            self.order(mover, next_order(self.view(Viewer(mover.value)), mover))


def next_order(view: Any, side: Side) -> Command:
    """The next sensible order of a side: fire, then attack, then march, then the end of the turn."""
    options = ruleset("tactical").options(view)
    for can in options.units:
        unit = view.find(can.unit)
        if unit is None or unit.side is not side or not unit.on_field:
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


def has_melee_and_losses(turn: int) -> Callable[[Any], bool]:
    """A position worth looking at: from a turn on, a melee is on, units have been lost, guns have fired."""

    def worth_showing(view: Any) -> bool:
        gone = [unit for unit in view.units if unit.fate is not None and unit.fate.value in ("destroyed", "scattered")]
        fired = any(unit.is_artillery and unit.last_shot for unit in view.units)
        own = [unit for unit in view.units if unit.side is view.mover and unit.on_field]
        idle = [unit for unit in own if not (unit.spent or unit.fired or unit.attacked or view.in_melee(unit.key))]
        blocked = any(question.blocks for question in view.decisions)
        both = {unit.side for unit in gone}
        return bool(
            view.turn >= turn and view.melees and both == set(SIDES) and fired and len(idle) >= 3 and not blocked
        )

    return worth_showing
