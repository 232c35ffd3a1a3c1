"""Who looks at which battle as what. Access is asked here and nowhere else."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.http import Http404

from accounts.models import User
from battles.models import Battle, Campaign, CampaignRole, Membership, Moderator, Seat, Stage
from rules.core.actors import Viewer

HIDDEN_PHASES = frozenset({"deployment"})


class Role(Enum):
    """What somebody is in a battle."""

    PLAYER = "player"
    MODERATOR = "moderator"
    ADMIN = "admin"
    SPECTATOR = "spectator"


class Sight(NamedTuple):
    """As whom somebody looks at a battle."""

    viewer: Viewer
    role: Role


class Seen(NamedTuple):
    """A battle and as whom somebody looks at it."""

    battle: Battle
    viewer: Viewer
    role: Role


def is_revealed(battle: Battle) -> bool:
    """Whether the deployment of both sides is open to everybody."""
    return battle.stage == Stage.OVER or (battle.stage == Stage.RUNNING and battle.phase not in HIDDEN_PHASES)


def is_opened(battle: Battle) -> bool:
    """Whether everything of the battle may be seen: it is over, and its campaign keeps no secrets."""
    return battle.stage == Stage.OVER and not battle.campaign.keep_secrets


def _sight(battle: Battle, side: str | None, moderates: bool, role: str | None) -> Sight | None:
    """As whom a person with this seat and these roles looks; None for a stranger."""
    if side:
        return Sight(Viewer(side), Role.PLAYER)
    if moderates:
        return Sight(Viewer.MODERATOR, Role.MODERATOR)
    if role == CampaignRole.ADMIN:
        return Sight(Viewer.PUBLIC, Role.ADMIN)
    if battle.allow_spectators and (role or (battle.campaign.public and is_revealed(battle))):
        return Sight(Viewer.PUBLIC, Role.SPECTATOR)
    return None


def standing(*, battle: Any, campaign: Any, user: Any) -> dict[str, Any]:
    """Annotations for rows of battles or of users, from which `my_sight` tells who looks as whom."""
    return {
        "my_side": Subquery(Seat.objects.filter(battle=battle, user=user).values("side")[:1]),
        "my_moderation": Exists(Moderator.objects.filter(battle=battle, user=user)),
        "my_role": Subquery(Membership.objects.filter(campaign=campaign, user=user).values("role")[:1]),
    }


def with_access(battles: QuerySet[Battle], user: User) -> QuerySet[Battle]:
    """The battles with what `my_sight` needs to know of this user."""
    facts = standing(battle=OuterRef("pk"), campaign=OuterRef("campaign"), user=user)
    return battles.select_related("campaign").annotate(**facts)


def my_sight(battle: Battle, facts: Any) -> Sight | None:
    """As whom somebody looks, by the row that carries his `standing`."""
    return _sight(battle, facts.my_side, facts.my_moderation, facts.my_role)


def battle_for(user: User | AnonymousUser, battle_id: int) -> Seen:
    """The battle and as whom this user looks at it; Http404 for a stranger as for a battle that isn't there."""
    if not isinstance(user, User) or not user.is_active:
        raise Http404("no such battle")
    battle = Battle.objects.select_related("campaign").filter(pk=battle_id).first()
    if battle is None or (sight := _sight_of(battle, user)) is None:
        raise Http404("no such battle")
    return Seen(battle, sight.viewer, sight.role)


def _sight_of(battle: Battle, user: User) -> Sight | None:
    """As whom a user looks at one battle; what does not matter any more isn't asked: most who look have a seat."""
    side = Seat.objects.filter(battle=battle, user=user).values_list("side", flat=True).first()
    moderates = side is None and Moderator.objects.filter(battle=battle, user=user).exists()
    role = campaign_role(user, battle.campaign) if side is None and not moderates else None
    return _sight(battle, side, moderates, role)


def campaign_role(user: User, campaign: Campaign) -> str | None:
    """What a user is in a campaign."""
    return Membership.objects.filter(user=user, campaign=campaign).values_list("role", flat=True).first()


class Chair(NamedTuple):
    """What a player's order needs to know before it is judged: his side, and how far which battle is."""

    viewer: Viewer
    stage: str
    ruleset: str


def chair_of(user: User | AnonymousUser, battle_id: int) -> Chair | None:
    """Where a user sits in a battle, in one short query; None if he has no seat there (`battle_for` says what else)."""
    if not isinstance(user, User) or not user.is_active:
        return None
    seats = Seat.objects.filter(battle=battle_id, user=user).order_by()
    found = seats.values_list("side", "battle__stage", "battle__ruleset").first()
    return None if found is None else Chair(Viewer(found[0]), found[1], found[2])
