"""The engine alone: one order, the options of an army, the fold of a log. No Django, no database."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from bench.script import ARMY, PARAMETERS, ROWS, STRIPS, Script
from rules.core.actors import SIDES, Actor, Side, Viewer
from rules.core.board import Board
from rules.core.codec import read_command
from rules.core.commands import Command
from rules.core.dice import SeededDice
from rules.core.replay import Entry, fold
from rules.core.scenario import Scenario, UnitSpec
from rules.registry import ruleset
from rules.tactical.commands import Attack, EndTurn, Fire, Move

RULES = ruleset("tactical")
CLOSED = 6  # the turn in which the armies of the script have met
AIMS = {"order": 0.1, "options": 5.0, "fold": 20.0}


class Game:
    """A battle in memory, with its log."""

    def __init__(self) -> None:
        self.dice = SeededDice(bytes(32))
        self.state: Any = None
        self.entries: list[Entry] = []
        specs = [
            UnitSpec(key=f"{side.value}{i}", side=side, kind=unit["kind"], name=unit["name"])
            for side in SIDES
            for i, unit in enumerate(ARMY)
        ]
        red, blue = (tuple(RULES.grid.parse(label) for label in STRIPS[side.value]) for side in SIDES)
        scenario = Scenario(
            board=Board(rows=ROWS), strips=(red, blue), units=tuple(specs), names={"red": "Sicily", "blue": "Italy"},
            parameters=PARAMETERS, attacker=Side.RED, seed_hash="00" * 32,
        )  # fmt: skip
        self._tell(RULES.setup(scenario, self.dice))
        self.script = Script({side.value: [f"{side.value}{i}" for i in range(len(ARMY))] for side in SIDES})
        for order in self.script.deployment():
            self.order(order.side, order.fields)

    def _tell(self, events: Any) -> None:
        for event in events:
            self.entries.append(Entry(len(self.entries) + 1, event))
            self.state = RULES.evolve(self.state, event)

    def give(self, command: Command) -> None:
        """Decide a command and record it."""
        self._tell(RULES.decide(self.state, command, self.dice))

    def order(self, side: str, fields: dict[str, str]) -> None:
        """Give an order as a form has it."""
        self.give(read_command(RULES, fields, Actor(side)))

    def options(self, side: Side) -> Any:
        """What a side may do."""
        return RULES.options(RULES.view(self.state, Viewer(side.value)))


def middle() -> Game:
    """A mid-battle position: the armies have closed and fired, a melee is on, all twenty units are still there."""
    game = Game()
    while game.state.turn < CLOSED:
        for unit in game.state.units:
            if unit.side is game.state.mover:
                _advance(game, unit.key)
        game.give(EndTurn(by=Actor(game.state.mover.value)))
    side = game.state.mover
    attacks = [a for can in game.options(side).units for a in can.attacks[:1]]
    unit = next(can.unit for can in game.options(side).units if can.attacks)
    attack = attacks[0]
    if attack.path:
        game.give(Move(by=Actor(side.value), unit=unit, path=attack.path, attack=attack.target))
    else:
        game.give(Attack(by=Actor(side.value), unit=unit, target=attack.target))
    return game


def _advance(game: Game, key: str) -> None:
    """Fire in every other turn, else march to the middle of the map."""
    side = game.state.mover
    by, can = Actor(side.value), game.options(side).of(key)
    if can.fires and game.state.turn % 4 > 1:
        game.give(Fire(by=by, unit=key, target=can.fires[0].target, accept_friendly_fire=True))
    elif can.moves:
        step = min(can.moves, key=lambda reach: (abs(reach.at.y - 5), reach.points))
        game.give(Move(by=by, unit=key, path=step.path))


def offered(game: Game) -> list[Command]:
    """One order of each sort that each unit may be given: a march, an attack, a shot; and the turn's end."""
    side = game.state.mover
    by = Actor(side.value)
    found: list[Command] = []
    for can in game.options(side).units:
        if can.moves:
            found.append(Move(by=by, unit=can.unit, path=can.moves[-1].path))
        for attack in can.attacks[:1]:
            found.append(
                Move(by=by, unit=can.unit, path=attack.path, attack=attack.target)
                if attack.path
                else Attack(by=by, unit=can.unit, target=attack.target)
            )
        if can.fires:
            found.append(Fire(by=by, unit=can.unit, target=can.fires[0].target, accept_friendly_fire=True))
    return [*found, EndTurn(by=by)]


def times(action: Callable[[], object], seconds: float, least: int = 5) -> list[float]:
    """How long an action takes, in milliseconds, tried for so many seconds."""
    action()
    found: list[float] = []
    end = time.perf_counter() + seconds
    while len(found) < least or time.perf_counter() < end:
        began = time.perf_counter()
        action()
        found.append((time.perf_counter() - began) * 1000)
    return found


def measure(seconds: float = 1.0) -> list[tuple[str, float, float, float]]:
    """Rows of the table: what, the fastest and the median time in milliseconds, and the aim."""
    game = middle()
    side = game.state.mover
    orders = offered(game)

    def decided() -> None:
        for command in orders:
            state = game.state
            for event in RULES.decide(state, command, SeededDice(bytes(32))):
                state = RULES.evolve(state, event)

    rows = []
    found = [t / len(orders) for t in times(decided, seconds)]
    rows.append((f"one order decided and evolved (mean of {len(orders)})", *_ends(found), AIMS["order"]))
    view = RULES.view(game.state, Viewer(side.value))
    own = len(RULES.options(view).units)
    found = times(lambda: RULES.options(view), seconds)
    rows.append((f"options for {own} units, {len(view.units)} on the field", *_ends(found), AIMS["options"]))
    long = Game()
    while len(long.entries) < 500:
        order = next(long.script)
        long.order(order.side, order.fields)
    entries = long.entries[:500]
    found = times(lambda: fold(RULES, entries), seconds)
    rows.append((f"fold of {len(entries)} entries", *_ends(found), AIMS["fold"]))
    return rows


def _ends(found: list[float]) -> tuple[float, float]:
    return min(found), statistics.median(found)
