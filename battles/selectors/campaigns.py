"""Campaigns, who belongs to them, and their maps."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, OuterRef, Q, Subquery
from django.http import Http404

from accounts.models import User
from battles.models import BattleMap, Campaign, Membership, Stage
from battles.selectors.access import campaign_role


class CampaignCard(NamedTuple):
    """A campaign in the list: what one is there and how many of its battles run."""

    campaign: Campaign
    role: str | None
    running: int
    finished: int


def campaigns_for(user: User) -> tuple[CampaignCard, ...]:
    """The campaigns that a user belongs to, and the public ones."""
    member = Membership.objects.filter(campaign=OuterRef("pk"), user=user).values("role")[:1]
    found = (
        Campaign.objects.annotate(my_role=Subquery(member))
        .filter(Q(my_role__isnull=False) | Q(public=True))
        .annotate(
            running=Count("battles", filter=Q(battles__stage=Stage.RUNNING)),
            finished=Count("battles", filter=Q(battles__stage=Stage.OVER)),
        )
        .order_by("name", "pk")
    )
    return tuple(CampaignCard(each, each.my_role, each.running, each.finished) for each in cast(Any, found))


def campaign_for(user: User | AnonymousUser, campaign_id: int) -> tuple[Campaign, str | None]:
    """A campaign and what the user is there (None: a visitor of a public one); Http404 for a stranger."""
    campaign = Campaign.objects.filter(pk=campaign_id).first()
    if campaign is None or not isinstance(user, User):
        raise Http404("no such campaign")
    role = campaign_role(user, campaign)
    if role is None and not campaign.public:
        raise Http404("no such campaign")
    return campaign, role


def members_of(campaign: Campaign) -> tuple[Membership, ...]:
    """Who belongs to a campaign, by name."""
    rows = Membership.objects.filter(campaign=campaign).select_related("user")
    return tuple(sorted(rows, key=lambda m: (m.user.name.casefold(), m.user_id)))


def maps_for(campaign: Campaign | None, ruleset_id: str) -> tuple[BattleMap, ...]:
    """The campaign's own maps."""
    return tuple(BattleMap.objects.filter(campaign=campaign, ruleset=ruleset_id).order_by("name", "pk"))
