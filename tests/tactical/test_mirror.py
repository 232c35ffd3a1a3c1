"""Turning the board round and swapping the sides turns and swaps whatever happens."""

from __future__ import annotations

import random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.core import codec
from rules.core.actors import Actor, Side, Viewer
from rules.core.dice import LoadedDice
from rules.core.grid import Cell
from rules.registry import ruleset
from rules.tactical.state import TacticalState
from rules.tactical.units import FACINGS
from tests.play import finish, play

TACTICAL = ruleset("tactical")
SWAP = {"red": "blue", "blue": "red"}


class Mirror:
    """Turns a board of so many columns and rows by 180 degrees."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height

    def cell(self, cell: Cell) -> Cell:
        """A cell after the turn."""
        return Cell(self.width - 1 - cell.x, self.height - 1 - cell.y)

    def of(self, value: Any, field: str = "") -> Any:
        """A state, command or event as it is for the other side."""
        if isinstance(value, Cell):
            return self.cell(value)
        if isinstance(value, (Side, Actor, Viewer)):
            return type(value)(SWAP.get(value.value, value.value))
        if field == "facing" and isinstance(value, int):
            return (value + 2) % 4
        if field == "facing" and isinstance(value, str):
            return FACINGS[(FACINGS.index(value) + 2) % 4]
        if isinstance(value, str) and field in ("about", "choice", "choices"):
            return SWAP.get(value, value)
        if isinstance(value, msgspec.Struct):
            return self.struct(value)
        if isinstance(value, tuple):
            return tuple(self.of(v, field) for v in value)
        if isinstance(value, frozenset):
            return frozenset(self.of(v, field) for v in value)
        return value

    def struct(self, value: msgspec.Struct) -> Any:
        """Field by field; pairs by side change places, units keep RED first."""
        fields = {name: self.of(getattr(value, name), name) for name in value.__struct_fields__}
        if isinstance(value, TacticalState):
            fields["board"] = type(value.board)(rows=tuple(row[::-1] for row in reversed(value.board.rows)))
            for pair in ("strips", "own_turns", "deployed", "brought", "names"):
                fields[pair] = fields[pair][::-1]
            fields["strips"] = tuple(tuple(sorted(strip)) for strip in fields["strips"])
            fields["units"] = tuple(sorted(fields["units"], key=TACTICAL.order))
        return type(value)(**fields)


class Faces:
    """The same faces for both boards; who moves first is told by the other half of the die."""

    def __init__(self, seed: int, *, swapped: bool) -> None:
        rnd = random.Random(seed)
        self.dice = LoadedDice(fallback=lambda die: rnd.randint(1, die))
        self.swapped = swapped

    def throw(self, count: int, die: int, *, purpose: str, rule: str) -> Any:
        """A throw with the common faces."""
        throw = self.dice.throw(count, die, purpose=purpose, rule=rule)
        if purpose == "first_move" and self.swapped:
            return msgspec.structs.replace(throw, faces=tuple(7 - face for face in throw.faces))
        return throw

    def draw(self, total: int, picks: int, *, purpose: str, rule: str) -> Any:
        """Lots with the common positions."""
        return self.dice.draw(total, picks, purpose=purpose, rule=rule)


def comparable(state: TacticalState) -> TacticalState:
    """A state with what has an order of no meaning sorted."""
    return msgspec.structs.replace(
        state,
        melees=tuple(sorted(state.melees, key=lambda m: (m.attacker, m.defender))),
        decisions=tuple(
            sorted(
                (msgspec.structs.replace(d, id="", choices=tuple(sorted(d.choices))) for d in state.decisions),
                key=str,
            )
        ),
        timers=tuple(msgspec.structs.replace(t, key="answer" if t.key[0] == "a" else t.key) for t in state.timers),
        strips=tuple(tuple(sorted(strip)) for strip in state.strips),
        agenda=tuple(msgspec.structs.replace(s, decision="") if hasattr(s, "decision") else s for s in state.agenda),
    )


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_swapping_the_sides_swaps_everything_that_follows(seed: int) -> None:
    decided = 0
    for game in play(TACTICAL, seed, rulings=False):
        state = game.state
        if state.outcome is not None:
            break
        mirror = Mirror(state.board.width, state.board.height)
        view = TACTICAL.view(state, Viewer.RED)
        turned = TACTICAL.view(mirror.of(state), Viewer.BLUE)
        if decided % 5 == 0:
            ours, theirs = TACTICAL.options(view), TACTICAL.options(turned)
            assert [len(u.moves) for u in ours.units] == [len(u.moves) for u in theirs.units]
            assert [{f.target: f.chance for f in u.fires} for u in ours.units] == [
                {f.target: f.chance for f in u.fires} for u in theirs.units
            ]
        command = next_command(game, random.Random(seed + decided))
        decided += 1
        if command is None:
            continue
        after = fold_from(state, command, Faces(seed, swapped=False))
        swapped = fold_from(mirror.of(state), mirror.of(command), Faces(seed, swapped=True))
        assert comparable(mirror.of(after)) == comparable(swapped), command


def next_command(game: Any, rnd: random.Random) -> Any:
    """A legal command of either side, the end of a turn more often than not chosen by random play."""
    from tests.tactical.sample import every_offer

    side = rnd.choice([Actor.RED, Actor.BLUE])
    offers = every_offer(TACTICAL.options(TACTICAL.view(game.state, Viewer(side.value))), side)
    return rnd.choice(offers) if offers else None


def fold_from(state: TacticalState, command: Any, dice: Any) -> TacticalState:
    """The state after a command."""
    for event in TACTICAL.decide(state, command, dice):
        state = TACTICAL.evolve(state, event)
    return state


def test_a_whole_symmetric_battle_ends_the_other_way_round() -> None:
    swapped_ends = 0
    for seed in range(30):
        game = finish(TACTICAL, seed, rulings=False, width=6, height=7, units=4)
        mirror = Mirror(game.state.board.width, game.state.board.height)
        log = [entry.event for entry in game.entries]
        opened = next(i for i, e in enumerate(log) if codec.tag(type(e)) == "phase_started") + 1
        state = None
        for event in log[:opened]:
            state = TACTICAL.evolve(state, event)
        other = mirror.of(state)
        faces = [e for e in log if codec.tag(type(e)) == "dice_thrown"]
        ours, theirs = Replayed(faces, swapped=False), Replayed(faces, swapped=True)
        for command in game.commands:
            state = fold_from(state, command, ours)
            other = fold_from(other, mirror.of(command), theirs)
        assert state.outcome == game.state.outcome
        assert mirror.of(state.outcome) == other.outcome
        swapped_ends += state.outcome.winner is not None
    assert swapped_ends > 5


class Replayed:
    """The throws of a log again, in order; a setup's own lots left out."""

    def __init__(self, thrown: list[Any], *, swapped: bool) -> None:
        self.thrown = [t for t in thrown if t.purpose != "reduction"]
        self.swapped = swapped

    def throw(self, count: int, die: int, *, purpose: str, rule: str) -> Any:
        """The next throw of the log."""
        from rules.core.dice import Throw

        told = self.thrown.pop(0)
        faces = told.faces
        if purpose == "first_move" and self.swapped:
            faces = tuple(7 - face for face in faces)
        return Throw(number=told.number, purpose=purpose, rule=rule, die=die, faces=faces)

    def draw(self, total: int, picks: int, *, purpose: str, rule: str) -> Any:
        """The next lots of the log."""
        from rules.core.dice import Throw

        told = self.thrown.pop(0)
        return Throw(number=told.number, purpose=purpose, rule=rule, die=total, faces=(), picks=told.picks)
