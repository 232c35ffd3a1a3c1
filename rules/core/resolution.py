"""One command at work."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, NoReturn, TypeVar

from rules.core.actors import EVERYONE, Actor, Audience
from rules.core.dice import Dice, Throw
from rules.core.errors import Figure, IllegalCommand
from rules.core.events import DiceThrown, Event
from rules.core.rulebook import Rule
from rules.core.state import BattleState
from rules.core.timers import Step

S = TypeVar("S", bound=BattleState)


def require(condition: object, rule: Rule, key: str, **figures: Figure) -> None:
    """Go on only if the condition holds; otherwise the rule forbids the command (IllegalCommand)."""
    if not condition:
        raise IllegalCommand(key, rule.id, figures)


def refuse(rule: Rule, key: str, **figures: Figure) -> NoReturn:
    """The rule forbids the command (IllegalCommand)."""
    raise IllegalCommand(key, rule.id, figures)


class Resolution(Generic[S]):
    """The events told so far by one command, the state that they lead to, and the steps that remain."""

    def __init__(
        self, state: S, dice: Dice, evolve: Callable[[S, Event], S], by: Actor, agenda: Iterable[Step] = ()
    ) -> None:
        self.state = state
        self.dice = dice
        self.by = by
        self.events: list[Event] = []
        self.agenda: list[Step] = list(agenda)
        self._evolve = evolve

    def tell(self, event: Event) -> None:
        """A fact happened: remember it and carry the state on."""
        self.state = self._evolve(self.state, event)
        self.events.append(event)

    def require(self, condition: object, rule: Rule, key: str, **figures: Figure) -> None:
        """Go on only if the condition holds; otherwise the rule forbids the command (IllegalCommand)."""
        require(condition, rule, key, **figures)

    def throw(
        self,
        count: int,
        die: int,
        *,
        purpose: str,
        rule: Rule,
        modifiers: dict[str, int] | None = None,
        unit: str = "",
        seen_by: Audience = EVERYONE,
    ) -> Throw:
        """Throw dice and tell it, with what modifies the throw by name."""
        throw = self.dice.throw(count, die, purpose=purpose, rule=rule.id)
        self.tell(_told(throw, rule, modifiers or {}, unit, seen_by))
        return throw

    def draw(
        self, total: int, picks: int, *, purpose: str, rule: Rule, seen_by: Audience = EVERYONE
    ) -> tuple[int, ...]:
        """Draw lots and tell it: `picks` indices out of `total`."""
        throw = self.dice.draw(total, picks, purpose=purpose, rule=rule.id)
        self.tell(_told(throw, rule, {}, "", seen_by))
        return throw.picks


def _told(throw: Throw, rule: Rule, modifiers: dict[str, int], unit: str, seen_by: Audience) -> DiceThrown:
    return DiceThrown(
        rule=rule.id,
        seen_by=seen_by,
        number=throw.number,
        purpose=throw.purpose,
        die=throw.die,
        faces=throw.faces,
        picks=throw.picks,
        modifiers=modifiers,
        unit=unit,
    )
