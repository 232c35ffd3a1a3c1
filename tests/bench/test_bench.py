"""The bench runs and its table is whole; a battle costs the same at its 30th entry and at its 3,000th."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from battles import selectors
from battles.models import Battle
from battles.selectors import history
from battles.services import SNAPSHOT_EVERY
from bench import battles, engine, script, site
from rules.core.actors import Viewer

ROOT = Path(__file__).resolve().parent.parent.parent
ROWS = (
    "one order decided and evolved",
    "options for 10 units, 20 on the field",
    "fold of 500 entries",
    "2 battles at rest, POST to the opponent's frame",
    "2 battles saturated, POST to the opponent's frame",
    "floor at rest",
    "floor saturated",
    "p95 at rest, times the floor's",
    "orders a second saturated, of the floor's",
    "CPU of the server for an order, times the floor's",
    "order at entry 28 against",
    "page at entry 28 against",
    "pushed frame at entry 28 against",
)


@pytest.mark.slow
def test_the_table_has_all_rows():
    variables = {
        k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
    }
    run = subprocess.run(
        [sys.executable, "-m", "bench", "tiny"], cwd=ROOT, env=variables, capture_output=True, text=True, timeout=240
    )
    assert run.returncode == 0, run.stderr
    for row in ROWS:
        assert row in run.stdout, run.stdout
    last = run.stdout.strip().splitlines()[-1].split()
    assert last == ["errors", "under", "load", "0", "0"], run.stdout
    assert "wrote errors" not in run.stderr, run.stderr


def test_the_position_of_the_bench_is_what_the_table_says():
    game = engine.middle()
    assert sum(unit.on_field for unit in game.state.units) == 20 and game.state.melees
    assert (game.state.board.width, game.state.board.height) == (16, 10)
    can = game.options(game.state.mover).units
    assert len(can) == 10 and any(unit.attacks for unit in can) and any(unit.fires for unit in can)


def test_the_script_comes_back_to_where_it_began():
    game = engine.Game()
    before = game.state
    for _order in range(game.script.cycle):
        order = next(game.script)
        game.order(order.side, order.fields)
    assert game.script.mover == "red" == game.state.mover.value
    assert [u.at for u in game.state.units] == [u.at for u in before.units]


@pytest.fixture
def lengths(db):
    """A battle at its 28th entry, and one at its 3,000th, played by the same orders."""
    short, long = battles.make(2)
    shorter = site.growth(short, script.Script(short.units), 1, 14)
    longer = site.growth(long, script.Script(long.units), 3000, 14)
    return shorter, longer, long


@pytest.mark.slow
def test_fr14_a_long_battle_costs_what_a_short_one_does(lengths, monkeypatch):
    short, long, made = lengths
    assert short.entries <= 30 and long.entries >= 3000
    assert long.order.queries == short.order.queries
    assert long.page.queries == short.page.queries
    assert long.page.size <= 2 * short.page.size
    assert long.order.size <= 1.2 * short.order.size
    assert long.frame <= 1.2 * short.frame
    battle = Battle.objects.select_related("campaign").get(pk=made.id)
    state = selectors.current_state(battle)
    assert {unit.at for unit in state.units if unit.on_field} and state.turn > 200

    folded = []
    fold = history.fold

    def counted(rules, entries, **start):
        folded.append(len(entries))
        return fold(rules, entries, **start)

    monkeypatch.setattr(history, "fold", counted)
    for number in (15, 1500, battle.version):
        selectors.view_at(battle, Viewer.MODERATOR, number)
    assert max(folded) <= SNAPSHOT_EVERY
    assert selectors.state_at(battle, battle.version) == state
