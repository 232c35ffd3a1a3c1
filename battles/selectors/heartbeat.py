"""What the heartbeat of a battle asks for all its sockets at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.db.models import OuterRef

from accounts.models import User
from battles.models import Battle
from battles.selectors.access import Sight, my_sight, standing
from battles.selectors.sight import version_for
from rules.core.actors import Viewer


class Watch(NamedTuple):
    """What the heartbeat of a battle asks: the newest version of each viewer, and as whom each user looks now."""

    versions: Mapping[Viewer, int]
    sights: Mapping[int, Sight | None]
    auth_hashes: Mapping[int, tuple[str, ...]]


def watch(battle_id: int, user_ids: Iterable[int]) -> Watch | None:
    """Rights and versions for all sockets of a battle; None if the battle isn't there.

    A user who is gone or deactivated is in neither map. `auth_hashes` are what his session must carry.
    """
    battles = Battle.objects.select_related("campaign").defer("state", "board", "armies", "parameters")
    battle = battles.filter(pk=battle_id).first()
    if battle is None:
        return None
    facts = standing(battle=battle_id, campaign=battle.campaign_id, user=OuterRef("pk"))
    users = list(User.objects.filter(pk__in=set(user_ids), is_active=True).annotate(**facts))
    return Watch(
        {viewer: version_for(battle, viewer) for viewer in Viewer},
        {user.pk: my_sight(battle, user) for user in users},
        {user.pk: (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()) for user in users},
    )
