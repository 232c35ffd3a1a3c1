"""Battles for the bench: made and deployed through the services, with sessions and without passwords."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any, NamedTuple
from uuid import uuid4

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.db import transaction
from django.test import Client
from django.utils import timezone

from accounts.models import User
from battles import selectors, services
from battles.models import Battle, BattleMap, Campaign, CampaignRole, Membership
from bench.script import ARMY, PARAMETERS, ROWS, STRIPS, Order, Script
from rules.core.actors import Actor, Side
from rules.core.codec import read_command
from rules.core.dice import SeededDice
from rules.registry import ruleset

RULES = ruleset("tactical")
BEGAN = timedelta(minutes=30)  # ago: what is prepared here is no flood of commands, and a turn's hour is not over


class Made(NamedTuple):
    """A battle that is ready for its first turn: its players by side, and the keys of their units."""

    id: int
    players: dict[str, User]
    units: dict[str, list[str]]

    def manifest(self) -> dict[str, Any]:
        """What a load client must know of it."""
        return {"id": self.id, "units": self.units, "sessions": {s: session_for(u) for s, u in self.players.items()}}


def session_for(user: User) -> str:
    """The key of a session in which the user is signed in."""
    store = import_module(settings.SESSION_ENGINE).SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    return str(store.session_key)


def make(count: int) -> list[Made]:
    """So many battles of ten units a side, deployed, with two players of their own each."""
    moderator = _user("moderator")
    campaign = Campaign.objects.create(name="Bench")
    Membership.objects.create(campaign=campaign, user=moderator, role=CampaignRole.MODERATOR)
    ground = BattleMap.objects.create(campaign=campaign, slug="bench", name="Bench", rows=list(ROWS), strips=STRIPS)
    return [_battle(campaign, ground, moderator) for _number in range(count)]


def _user(name: str) -> User:
    user = User(username=f"{name}-{uuid4().hex[:12]}", display_name=name, email="")
    user.set_unusable_password()
    user.save()
    return user


def _battle(campaign: Campaign, ground: BattleMap, moderator: User) -> Made:
    now = timezone.now() - BEGAN
    plan = services.BattlePlan(
        name="Bench",
        map=ground,
        sides={"red": {"name": "Sicily", "colour": "red"}, "blue": {"name": "Italy", "colour": "blue"}},
        armies={"red": ARMY, "blue": ARMY},
        parameters=PARAMETERS,
        attacker="red",
    )
    with transaction.atomic():
        battle = services.create_battle(user=moderator, campaign=campaign, plan=plan)
        players = {side: _user(side) for side in ("red", "blue")}
        for side, player in players.items():
            invited = services.invite(user=moderator, battle_id=battle.pk, side=side, now=now)
            services.take_seat(token=invited.token, user=player, now=now)
        battle = services.open_battle(battle.pk, moderator, now)
        state = selectors.current_state(battle)
        units = {side.value: [unit.key for unit in state.units if unit.side is side] for side in Side}
        made = Made(battle.pk, players, units)
        for order in Script(units).deployment():
            submit(made, order, now)
    return made


def submit(made: Made, order: Order, now: datetime) -> services.Receipt:
    """Give one order through the door."""
    user = made.players[order.side]
    seen = selectors.battle_for(user, made.id)
    return services.submit(
        battle_id=made.id,
        command=read_command(RULES, order.fields, Actor(order.side)),
        command_id=uuid4(),
        user=user,
        received_at=now,
        seen=selectors.version_for(seen.battle, seen.viewer),
    )


def lengthen(made: Made, script: Script, entries: int) -> Battle:
    """Play on until the log has so many entries, whole cycles of the script only: the position is the same again.

    Orders are decided one by one and recorded by turns: a tenth of the time, and the same fold.
    """
    now = timezone.now() - BEGAN
    while True:
        battle = Battle.objects.select_related("campaign").get(pk=made.id)
        if battle.version >= entries:
            return battle
        now += timedelta(milliseconds=100)
        for _turn in range(4):
            with transaction.atomic():
                _record_turn(made, script, now)


def _record_turn(made: Made, script: Script, now: datetime) -> None:
    battle = services.locked(made.id)
    start = state = selectors.current_state(battle)
    dice = SeededDice(bytes(32))  # nothing is thrown in the script
    events: list[Any] = []
    while True:
        order = next(script)
        command = read_command(RULES, order.fields, Actor(order.side))
        for event in RULES.decide(state, command, dice):
            state = RULES.evolve(state, event)
            events.append(event)
        if order.fields["type"] == "end_turn":
            break
    asked = services.Asked(made.id, command, uuid4(), made.players[order.side], now)
    services.record(battle, start, events, asked, now=now)


def manifest(battles: Sequence[Made]) -> list[dict[str, Any]]:
    """What a load client must know of all of them."""
    return [made.manifest() for made in battles]


def browser(made: Made, side: str) -> Client:
    """A browser in which a player of the battle is signed in."""
    client = Client(HTTP_HOST="127.0.0.1")
    client.cookies[settings.SESSION_COOKIE_NAME] = session_for(made.players[side])
    return client
