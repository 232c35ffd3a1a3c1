"""The battle's dice: its seed and the phrases of its players, at the throw that comes next."""

from __future__ import annotations

from functools import cached_property

from battles.models import Battle, BattleSecret, Seat
from rules.core.actors import SIDES
from rules.core.dice import SeededDice, Throw


def seed_of(battle: Battle) -> bytes:
    """The seed, which stands in no entry and no page before the end."""
    return bytes(BattleSecret.objects.values_list("seed", flat=True).get(battle=battle))


def phrases(battle: Battle) -> tuple[str, ...]:
    """The phrases that were hashed into the dice, RED's first."""
    given = dict(Seat.objects.filter(battle=battle).values_list("side", "phrase"))
    return tuple(given[side.value] for side in SIDES if given.get(side.value))


def salt_of(battle: Battle) -> str:
    """What the phrases add to the seed."""
    return "\n".join(phrases(battle))


class BattleDice:
    """Dice for one command; the seed is fetched when one is thrown."""

    def __init__(self, battle: Battle) -> None:
        self._battle = battle

    @cached_property
    def _seeded(self) -> SeededDice:
        return SeededDice(seed_of(self._battle), salt_of(self._battle), self._battle.throws)

    def throw(self, count: int, die: int, *, purpose: str, rule: str) -> Throw:
        """Throw so many dice."""
        return self._seeded.throw(count, die, purpose=purpose, rule=rule)

    def draw(self, total: int, picks: int, *, purpose: str, rule: str) -> Throw:
        """Draw lots."""
        return self._seeded.draw(total, picks, purpose=purpose, rule=rule)
