"""How the demo's battles are played: plain orders through the one door, the same ones every time.

What a side does next is its ruleset's: see the dress.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from accounts.models import User
from battles import selectors, services
from battles.dress import DRESS
from battles.models import Battle
from battles.picture import mover
from rules.core.actors import Actor, Side, Viewer
from rules.core.codec import read_command
from rules.core.commands import Answer, Command, Ready
from rules.core.errors import IllegalCommand

BETWEEN_ORDERS = timedelta(seconds=7)
MOST_ORDERS = 1200


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
        rules = selectors.rules_of(self.battle)
        for unit in self.view(Viewer(side.value)).units:
            if unit.side is side and unit.name in plan:
                label, formation = plan[unit.name]
                body = {"type": "place", "unit": unit.key, "at": label, "formation": formation}
                given = {key: value for key, value in body.items() if value}
                self.order(side, read_command(rules, given, Actor(side.value)))
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
            side = mover(view)
            if side is None:
                return
            self.order(side, self.next_order(side))

    def next_order(self, side: Side) -> Command:
        """What a side does next."""
        battle, view = self.battle, self.view(Viewer(side.value))
        return DRESS[battle.ruleset].next_order(view, selectors.rules_of(battle).options(view))
