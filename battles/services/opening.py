"""The opening of a battle: map and lists are frozen, and the first entries come into its log."""

from __future__ import annotations

import logging
import secrets
from datetime import datetime
from uuid import uuid4

import msgspec
from django.utils.translation import gettext as _

from accounts.models import User
from battles.models import Battle, Seat, Stage
from battles.selectors import rules_of
from battles.services.dice import BattleDice, phrases
from battles.services.errors import Refused, writing
from battles.services.locking import locked_to_prepare
from battles.services.recording import Asked, record
from rules.core.actors import SIDES, Actor, Side
from rules.core.board import Board
from rules.core.commands import Command
from rules.core.errors import IllegalCommand, InvalidCommand
from rules.core.ruleset import Ruleset
from rules.core.scenario import Scenario, UnitSpec

logger = logging.getLogger(__name__)

OPENING = "open_battle"


class _Opening(Command, frozen=True, kw_only=True, tag=OPENING):
    """The moderator opens the battle: the first entry of its log. Nobody can send it."""


def missing(battle: Battle) -> tuple[str, ...]:
    """What a battle still lacks before it can open, in the reader's language."""
    names = {side: battle.sides.get(side.value, {}).get("name") or side.value for side in SIDES}
    empty = set(Seat.objects.filter(battle=battle, user=None).values_list("side", flat=True))
    lacks = []
    if not battle.board or not all(battle.strips.get(side.value) for side in SIDES):
        lacks.append(_("A map is wanted."))
    lacks += [_("%(side)s has no army.") % {"side": names[side]} for side in SIDES if not battle.armies.get(side.value)]
    lacks += [_("%(side)s has no player.") % {"side": names[side]} for side in SIDES if side.value in empty]
    return tuple(lacks)


def open_battle(battle_id: int, user: User, now: datetime) -> Battle:
    """Open a battle: map and lists are frozen, units get opaque keys, deployment begins."""
    with writing():
        battle = locked_to_prepare(user, battle_id)
        if lacks := missing(battle):
            raise Refused(" ".join(lacks))
        rules = rules_of(battle)
        try:
            scenario = _scenario(battle, rules)
            events = rules.setup(scenario, BattleDice(battle))
        except (IllegalCommand, InvalidCommand, ValueError, KeyError) as error:
            logger.warning("battle %s cannot open: %r", battle.pk, error)
            raise Refused(_("The rules do not accept this battle: look at its lists and parameters.")) from error
        battle.rules_version, battle.stage, battle.opened_at = rules.version, Stage.RUNNING, now
        asked = Asked(battle.pk, _Opening(by=Actor.MODERATOR), uuid4(), user, now)
        record(battle, None, events, asked, now=now)
        return battle


def _scenario(battle: Battle, rules: Ruleset) -> Scenario:
    """What the battle starts from. Keys are drawn at random, so that they tell neither order nor number."""
    units = tuple(
        msgspec.convert({**spec, "key": f"u{secrets.token_hex(5)}", "side": side.value}, UnitSpec)
        for side in SIDES
        for spec in battle.armies[side.value]
    )
    red, blue = (tuple(rules.grid.parse(label) for label in battle.strips[side.value]) for side in SIDES)
    return Scenario(
        board=Board(rows=tuple(battle.board)),
        strips=(red, blue),
        units=units,
        names={"battle": str(battle), **{side.value: battle.sides[side.value]["name"] for side in SIDES}},
        parameters=battle.parameters,
        attacker=Side(battle.attacker) if battle.attacker else None,
        seed_hash=battle.seed_hash,
        phrases=phrases(battle),
    )
