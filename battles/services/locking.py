"""The battle's row, locked until the end of the transaction: whoever changes a battle holds it."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _

from accounts.models import User
from battles.models import Battle, Stage
from battles.selectors import Role, battle_for
from battles.services.errors import Refused


def locked(battle_id: int, *, skip_locked: bool = False) -> Battle:
    """The battle; Http404 if it isn't there, or with `skip_locked` if somebody else holds it."""
    rows = Battle.objects.select_for_update(of=("self",), skip_locked=skip_locked).select_related("campaign")
    battle = rows.filter(pk=battle_id).first()
    if battle is None:
        raise Http404("no such battle")
    return battle


def locked_for(user: User, battle_id: int, *roles: Role) -> Battle:
    """The battle, for a user who has one of these roles in it."""
    if battle_for(user, battle_id).role not in roles:
        raise PermissionDenied(f"only for {' or '.join(role.value for role in roles)} of this battle")
    return locked(battle_id)


def locked_to_prepare(user: User, battle_id: int) -> Battle:
    """A battle that isn't open yet, for one of its moderators."""
    battle = locked_for(user, battle_id, Role.MODERATOR)
    if battle.stage != Stage.PREPARING:
        raise Refused(_("This battle is open already."))
    return battle
