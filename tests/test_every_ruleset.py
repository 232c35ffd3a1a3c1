"""What is asked of every ruleset: random legal play, and what a side may not see."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from rules.core import codec
from rules.core.actors import SIDES, Actor, Viewer
from rules.core.errors import IllegalCommand
from rules.core.events import Rewound, UnitRemoved
from rules.core.replay import Entry, fold
from rules.core.ruleset import Ruleset
from rules.registry import RULESETS
from tests.play import Game, finish, new_game, play, sample_of

BATTLES = 300
rulesets = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))


@pytest.fixture(scope="module", params=list(RULESETS))
def season(request: pytest.FixtureRequest) -> tuple[Ruleset, list[Game]]:
    """Many whole battles of one ruleset, rulings and rewinds among them."""
    ruleset = RULESETS[request.param]
    return ruleset, [finish(ruleset, seed) for seed in range(BATTLES)]


def test_every_command_event_and_fate_occurs(season: tuple[Ruleset, list[Game]]) -> None:
    ruleset, games = season
    sample = sample_of(ruleset)
    commands = {codec.tag(type(c)) for game in games for c in game.commands} | {"rewind"}
    assert commands == {codec.tag(kind) for kind in ruleset.commands}
    events = {codec.tag(type(entry.event)) for game in games for entry in game.entries}
    assert events == {codec.tag(kind) for kind in ruleset.events} - sample.TOLD_BY_THE_DOOR
    fates = {e.event.fate for g in games for e in g.entries if isinstance(e.event, UnitRemoved)}
    fates |= {u.fate for game in games for u in game.state.units if u.fate}
    assert fates == sample.FATES
    assert any(isinstance(entry.event, Rewound) for game in games for entry in game.entries)


def test_every_log_folds_to_the_same_state(season: tuple[Ruleset, list[Game]]) -> None:
    ruleset, games = season
    for game in games:
        stored = [codec.read_event(ruleset, json.loads(codec.text(entry.event))) for entry in game.entries]
        assert stored == [entry.event for entry in game.entries], game.seed
        read = [Entry(e.number, event, e.opens) for e, event in zip(game.entries, stored, strict=True)]
        kept = codec.text(game.state)
        assert codec.text(fold(ruleset, game.entries)) == kept, game.seed
        assert codec.text(fold(ruleset, read)) == kept, game.seed
        assert codec.text(codec.read_state(ruleset, codec.plain(game.state))) == kept, game.seed
        assert codec.read_state(ruleset, codec.plain(game.state)) == game.state, game.seed


def test_every_event_names_a_rule_and_has_its_sentence(season: tuple[Ruleset, list[Game]]) -> None:
    ruleset, games = season
    for game in games:
        names = ruleset.names(ruleset.view(game.state, Viewer.MODERATOR))
        for entry in game.entries:
            assert entry.event.rule in ruleset.book.rules, entry
            sentence = ruleset.narrate(entry.event, names)
            if codec.tag(type(entry.event)) != "resolution_paused":
                assert sentence is not None, entry
                assert sentence.msgid % sentence.values, entry


def test_strength_stays_a_multiple_of_a_half(season: tuple[Ruleset, list[Game]]) -> None:
    ruleset, games = season
    for game in games:
        for unit in game.state.units:
            now, start = ruleset.strength(unit)
            assert 0 <= now <= start and now * 2 == int(now * 2), (game.seed, unit)
        assert ruleset.flaws(game.state) == (), game.seed


@rulesets
def test_the_same_seed_and_commands_give_the_same_bytes(ruleset: Ruleset) -> None:
    for seed in range(12):
        first = finish(ruleset, seed, rulings=False)
        again = new_game(ruleset, seed)
        for command in first.commands:
            again.give(command)
        ours = [codec.text(entry.event) for entry in first.entries]
        assert ours == [codec.text(entry.event) for entry in again.entries]


def positions(ruleset: Ruleset, seeds: range, every: int) -> Any:
    """Positions from whole battles, every so many commands."""
    for seed in seeds:
        for number, game in enumerate(play(ruleset, seed)):
            if number % every == 0 and game.state.outcome is None:
                yield game


@rulesets
def test_whatever_options_offer_is_accepted(ruleset: Ruleset) -> None:
    sample = sample_of(ruleset)
    accepted: Counter[str] = Counter()
    for game in positions(ruleset, range(1000, 1040), 9):
        for actor in (Actor.RED, Actor.BLUE, Actor.MODERATOR):
            view = ruleset.view(game.state, Viewer(actor.value))
            for command in sample.every_offer(ruleset.options(view), actor):
                dice = type(game.dice)(b"another", thrown=game.dice.thrown)
                ruleset.decide(game.state, command, dice)  # IllegalCommand would fail the test
                accepted[codec.tag(type(command))] += 1
    assert sum(accepted.values()) > 2000
    assert len(accepted) > 12, accepted


@rulesets
def test_nothing_that_options_do_not_offer_is_accepted(ruleset: Ruleset) -> None:
    sample = sample_of(ruleset)
    rnd = random.Random(7)
    refused: Counter[str] = Counter()
    while sum(refused.values()) < 2000:
        for game in positions(ruleset, range(2000 + sum(refused.values()), 2010 + sum(refused.values())), 7):
            for actor in (Actor.RED, Actor.BLUE):
                options = ruleset.options(ruleset.view(game.state, Viewer(actor.value)))
                for _ in range(8):
                    command = sample.unoffered(game.state, options, actor, rnd)
                    if command is None:
                        continue
                    with pytest.raises(IllegalCommand) as refusal:
                        ruleset.decide(game.state, command, game.dice)
                    assert refusal.value.key in ruleset.book.refusals, refusal.value.key
                    assert refusal.value.rule in ruleset.book.rules
                    refused[codec.tag(type(command))] += 1
    assert len(refused) > 10, refused


@rulesets
def test_what_is_hidden_from_a_side_changes_nothing_it_gets(ruleset: Ruleset) -> None:
    sample = sample_of(ruleset)
    rnd = random.Random(11)
    checked: Counter[str] = Counter()
    for game in positions(ruleset, range(3000, 3060), 6):
        for side in SIDES:
            viewer, actor = Viewer(side.value), Actor(side.value)
            other = sample.scramble(game.state, side, rnd)
            view, changed = ruleset.view(game.state, viewer), ruleset.view(other, viewer)
            assert codec.text(view) == codec.text(changed), (game.seed, side)
            assert codec.text(ruleset.view(game.state, Viewer.PUBLIC)) == codec.text(ruleset.view(other, Viewer.PUBLIC))
            options = ruleset.options(view)
            assert options == ruleset.options(changed)
            for _ in range(4):
                command = sample.unoffered(game.state, options, actor, rnd)
                if command is not None:
                    assert refusal_of(ruleset, game, game.state, command) == refusal_of(ruleset, game, other, command)
            checked[game.state.phase.name] += 1
    assert len(checked) >= 2 and min(checked.values()) > 20, checked


def refusal_of(ruleset: Ruleset, game: Game, state: Any, command: Any) -> tuple[str, str, dict[str, Any]] | None:
    """Key, rule and figures of a refusal."""
    try:
        ruleset.decide(state, command, type(game.dice)(b"another"))
    except IllegalCommand as error:
        return error.key, error.rule, dict(error.figures)
    return None


@rulesets
def test_no_side_is_told_what_it_may_not_see(ruleset: Ruleset) -> None:
    """Folding only what a side saw names no unit of the enemy before the reveal."""
    for seed in range(4000, 4040):
        game = finish(ruleset, seed)
        for side in SIDES:
            hidden = {u.key for u in game.state.units if u.side is not side}
            for entry in game.entries:
                if codec.tag(type(entry.event)) == "deployment_revealed":
                    break
                if Viewer(side.value) in entry.event.seen_by:
                    told = codec.text(entry.event).decode()
                    assert not any(f'"{key}"' in told for key in hidden), (seed, entry)
