"""What the lobby writes beside battles: a campaign's settings and members, and the rows of the map library."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from battles.maps import library
from battles.models import BattleMap, Campaign, CampaignRole, Membership
from battles.services import Refused, campaign_role

ROLE_ORDER = (CampaignRole.ADMIN, CampaignRole.MODERATOR, CampaignRole.PLAYER, CampaignRole.GUEST)


def find_user(username: str) -> User:
    """The person of that user name; Refused if there is none."""
    user = User.objects.filter(username=username.strip(), is_active=True).first()
    if user is None:
        raise Refused(_("Nobody here has this user name."), "username")
    return user


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


def library_descriptions() -> Mapping[str, str]:
    """A sentence on each map of the library, as message ids."""
    return MappingProxyType({slug: each.description for slug, each in library().items()})


def change_campaign(*, user: User, campaign: Campaign, name: str, public: bool, keep_secrets: bool) -> None:
    """Change a campaign's name and openness; administrators only. Secrecy once promised stands."""
    _require_admin(user, campaign)
    with transaction.atomic():
        row = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if row.keep_secrets and not keep_secrets and row.battles.exclude(state=None).exists():
            raise Refused(_("Battles were fought under this promise: it stands."), "keep_secrets")
        row.name, row.public, row.keep_secrets = name, public, keep_secrets
        row.save()


def remove_member(*, user: User, campaign: Campaign, username: str) -> None:
    """Take somebody out of a campaign; administrators only, one of them always remains, and players stay."""
    _require_admin(user, campaign)
    member = find_user(username)
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        admins = Membership.objects.filter(campaign=campaign, role=CampaignRole.ADMIN)
        if not admins.exclude(user=member).exists():
            raise Refused(_("A campaign keeps at least one administrator."), "username")
        if campaign.battles.filter(seats__user=member).exclude(stage="over").exists():
            raise Refused(_("%(name)s plays in a battle of this campaign.") % {"name": member.name}, "username")
        Membership.objects.filter(campaign=campaign, user=member).delete()


def _require_admin(user: User, campaign: Campaign) -> None:
    if campaign_role(user, campaign) != CampaignRole.ADMIN:
        raise PermissionDenied("only an administrator of the campaign")
