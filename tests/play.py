"""Random legal play of any ruleset: what its sample offers, taken by weighted chance from a seeded generator."""

from __future__ import annotations

import importlib
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from rules.core.actors import Actor, Viewer
from rules.core.commands import Command, TimeExpired
from rules.core.dice import SeededDice
from rules.core.errors import IllegalCommand
from rules.core.events import Event
from rules.core.replay import Entry, Fold, revise
from rules.core.ruleset import Ruleset
from rules.core.rulings import Rewind

ACTORS = (Actor.RED, Actor.BLUE, Actor.MODERATOR)


def sample_of(ruleset: Ruleset) -> ModuleType:
    """tests/<id>/sample.py: scenarios, offered and unoffered commands, and how to change what is hidden."""
    return importlib.import_module(f"tests.{ruleset.id}.sample")


@dataclass
class Game:
    """One battle at play, with its log and the commands that made it."""

    ruleset: Ruleset
    seed: int
    rnd: random.Random
    dice: SeededDice
    scenario: Any
    state: Any = None
    entries: list[Entry] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)

    def tell(self, events: tuple[Event, ...]) -> None:
        """Append what happened to the log and carry the state on."""
        for position, event in enumerate(events):
            entry = Entry(len(self.entries) + 1, event, position == 0)
            self.entries.append(entry)
            self.state = self.ruleset.evolve(self.state, event)

    def give(self, command: Command) -> tuple[Event, ...]:
        """Decide a command and record it."""
        self.commands.append(command)
        events = self.ruleset.decide(self.state, command, self.dice)
        self.tell(events)
        return events

    def rewind(self, to: int) -> None:
        """Take the battle back to before an entry, as a moderator does."""
        try:
            events = revise(self.ruleset, self.entries, Rewind(by=Actor.MODERATOR, to=to, confirmed=True, reason="try"))
        except IllegalCommand:
            return
        self.entries.append(Entry(len(self.entries) + 1, events[0]))
        self.state = Fold(self.ruleset, self.entries).state


def new_game(ruleset: Ruleset, seed: int, **chosen: Any) -> Game:
    """A battle that is open: scenario and dice follow from the seed."""
    rnd = random.Random(seed)
    dice = SeededDice(seed.to_bytes(32, "big"))
    scenario = sample_of(ruleset).scenario(rnd, **chosen)
    game = Game(ruleset, seed, rnd, dice, scenario)
    game.tell(ruleset.setup(scenario, dice))
    return game


def choices(game: Game, *, rulings: bool) -> list[tuple[float, Command]]:
    """What anybody may do now, weighted."""
    sample = sample_of(game.ruleset)
    found: list[tuple[float, Command]] = []
    for actor in ACTORS:
        view = game.ruleset.view(game.state, Viewer(actor.value))
        found += sample.offered(view, game.ruleset.options(view), actor, game.rnd)
    found += [(sample.CLOCK_WEIGHT, TimeExpired(by=Actor.CLOCK, timer=t.key)) for t in game.state.timers if t.running]
    if rulings and game.rnd.random() < (0.3 if game.state.agenda else 0.06):
        found += sample.rulings(game.state, game.rnd)
    return found


def play(ruleset: Ruleset, seed: int, *, rulings: bool = True, most: int = 3000, **chosen: Any) -> Iterator[Game]:
    """A whole battle: yields the game before each command; it must end within `most` commands."""
    game = new_game(ruleset, seed, **chosen)
    while game.state.outcome is None:
        yield game
        assert len(game.commands) < most, f"seed {seed}: runs for ever"
        if rulings and game.rnd.random() < 0.004:
            game.rewind(game.rnd.randint(2, len(game.entries)))
            continue
        offered = choices(game, rulings=rulings)
        assert offered, f"seed {seed}: nobody can do anything in {game.state.phase}"
        weights = [weight for weight, _ in offered]
        _, command = game.rnd.choices(offered, weights)[0]
        game.give(command)
    yield game


def finish(ruleset: Ruleset, seed: int, **chosen: Any) -> Game:
    """A whole battle, played to its end."""
    return deque(play(ruleset, seed, **chosen), maxlen=1)[0]
