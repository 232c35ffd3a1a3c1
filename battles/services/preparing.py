"""Battles before their opening: made and changed by a plan, and the maps that a plan may name."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from accounts.models import User
from battles.maps import library
from battles.models import Battle, BattleMap, BattleSecret, Campaign, CampaignRole, Moderator, Seat, SeenBy
from battles.selectors import campaign_role
from battles.services import words
from battles.services.errors import Refused, writing
from battles.services.locking import locked_to_prepare
from rules.core.actors import SIDES, Side, Viewer
from rules.core.codec import plain
from rules.core.dice import seed_hash
from rules.core.ruleset import Ruleset
from rules.core.scenario import UnitSpec
from rules.registry import DEFAULT, RULESETS, ruleset


class BattlePlan(NamedTuple):
    """What a battle is to be: all of it can be changed until it opens. `armies` are lists of unit specifications
    without key and side; `sides` have a name and a colour each."""

    name: str
    map: BattleMap
    sides: Mapping[str, Mapping[str, str]]
    armies: Mapping[str, Sequence[Mapping[str, Any]]]
    ruleset: str = DEFAULT
    parameters: Mapping[str, Any] = {}
    attacker: str | None = None
    allow_spectators: bool = True


def create_battle(*, user: User, campaign: Campaign, plan: BattlePlan) -> Battle:
    """Set a battle up: its maker moderates it, and the hash of its seed stands from now on."""
    if campaign_role(user, campaign) not in (CampaignRole.ADMIN, CampaignRole.MODERATOR):
        raise PermissionDenied("only an administrator or moderator of the campaign")
    seed = secrets.token_bytes(32)
    with writing():
        battle = Battle(campaign=campaign, created_by=user, seed_hash=seed_hash(seed))
        _carry_out(battle, plan)
        battle.save()
        BattleSecret.objects.create(battle=battle, seed=seed)
        Seat.objects.bulk_create(Seat(battle=battle, side=side.value) for side in SIDES)
        Moderator.objects.create(battle=battle, user=user, made_by=user)
        SeenBy.objects.create(battle=battle, user=user, viewer=Viewer.MODERATOR.value)
        return battle


def change_battle(*, user: User, battle_id: int, plan: BattlePlan) -> Battle:
    """Change a battle that isn't open yet; its moderators only."""
    with writing():
        battle = locked_to_prepare(user, battle_id)
        _carry_out(battle, plan)
        battle.save()
        return battle


def _carry_out(battle: Battle, plan: BattlePlan) -> None:
    """Take a plan over into the battle; Refused names the field that won't do."""
    if plan.ruleset not in RULESETS:
        raise Refused(_("There are no such rules."), "ruleset")
    if plan.map.ruleset != plan.ruleset or plan.map.campaign_id not in (None, battle.campaign_id):
        raise Refused(_("This map doesn't belong to these rules or to this campaign."), "map")
    rules = ruleset(plan.ruleset)
    if plan.attacker not in (None, *(side.value for side in SIDES)):
        raise Refused(_("The attacker is one of the two sides."), "attacker")
    battle.name, battle.ruleset, battle.rules_version = words.name(plan.name), plan.ruleset, rules.version
    battle.map, battle.board, battle.strips = plan.map, list(plan.map.rows), dict(plan.map.strips)
    battle.sides = {
        side.value: {
            "name": words.name(plan.sides.get(side.value, {}).get("name", ""), f"{side.value}_name")[:40],
            "colour": str(plan.sides.get(side.value, {}).get("colour", ""))[:20],
        }
        for side in SIDES
    }
    battle.parameters = _parameters(rules, plan.parameters)
    battle.armies = {side.value: _army(rules, side, plan.armies.get(side.value, ())) for side in SIDES}
    battle.attacker, battle.allow_spectators = plan.attacker, plan.allow_spectators


def _parameters(rules: Ruleset, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that differ from their defaults, within the bounds of the book."""
    for name, value in wanted.items():
        known = rules.book.parameters.get(name)
        if known is None:
            raise Refused(_("There is no parameter %(name)s.") % {"name": name}, name)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if known.kind in ("integer", "halves") and not (number and known.minimum <= value <= known.maximum):
            raise Refused(_("This value is out of bounds."), name)
    try:
        read = msgspec.convert(dict(wanted), rules.parameters_type)
    except msgspec.ValidationError as error:
        raise Refused(
            _("A parameter has an impossible value: %(problem)s") % {"problem": str(error)}, "parameters"
        ) from error
    return {name: value for name, value in plain(read).items() if value != rules.book.parameters[name].default}


def _army(rules: Ruleset, side: Side, specs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """An army list as it is stored: kinds that exist, names that can be read."""
    army = []
    for spec in specs:
        fields = {key: value for key, value in spec.items() if key not in ("key", "side")}
        try:
            unit = msgspec.convert({**fields, "key": "-", "side": side.value}, UnitSpec)
        except msgspec.ValidationError as error:
            raise Refused(
                _("A unit of the list cannot be read: %(problem)s") % {"problem": str(error)}, side.value
            ) from error
        if unit.kind not in rules.kinds:
            raise Refused(_("There is no kind of unit “%(kind)s”.") % {"kind": unit.kind}, side.value)
        stored = plain(msgspec.structs.replace(unit, name=words.name(unit.name, side.value)))
        army.append({key: value for key, value in stored.items() if key not in ("key", "side")})
    return army


def library_rows() -> tuple[BattleMap, ...]:
    """The maps that every campaign may use; those that the database lacks are added, those that changed are renewed."""
    wanted = library()
    known = {row.slug: row for row in BattleMap.objects.filter(campaign=None)}
    for slug, each in wanted.items():
        row = known.get(slug)
        rows, strips = list(each.board.rows), each.strip_labels
        if row is None or (row.rows, row.strips) != (rows, strips):
            fresh = {"name": each.title, "ruleset": each.ruleset, "rows": rows, "strips": strips}
            known[slug] = BattleMap.objects.update_or_create(campaign=None, slug=slug, defaults=fresh)[0]
    return tuple(known[slug] for slug in wanted)
