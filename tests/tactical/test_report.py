"""What a battle cost is told from what the reader may know [T-3.1, T-14.3]."""

from __future__ import annotations

from rules.core.actors import Actor, Viewer
from rules.core.rulings import CloseBattle
from rules.registry import ruleset
from rules.tactical.victory import report
from tests.play import new_game

TACTICAL = ruleset("tactical")


def test_a_battle_closed_before_the_reveal_tells_the_enemy_no_number() -> None:
    game = new_game(TACTICAL, 5, units=5, unit_limit=3)
    game.give(CloseBattle(by=Actor.MODERATOR, author="G. Salvo", reason="called off"))
    red, blue = report(TACTICAL.view(game.state, Viewer.BLUE))
    assert sum(fate.whole for fate in blue.fates) == blue.brought == 5
    assert (red.fates, red.brought, red.hp_start, red.factor) == ((), 0, 0, 1.0)
    public = report(TACTICAL.view(game.state, Viewer.PUBLIC))
    assert [side.fates for side in public] == [(), ()]
    whole = report(TACTICAL.view(game.state, Viewer.MODERATOR))
    assert [sum(fate.whole for fate in side.fates) for side in whole] == [5, 5]
