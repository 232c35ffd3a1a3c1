"""Campaigns and who belongs to them."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from accounts.models import User
from battles.models import Campaign, CampaignRole, Membership, Stage
from battles.selectors import campaign_role
from battles.services import words
from battles.services.errors import Refused, writing


def create_campaign(*, user: User, name: str, public: bool = False, keep_secrets: bool = False) -> Campaign:
    """Found a campaign; its founder is its administrator."""
    with writing():
        campaign = Campaign.objects.create(name=words.name(name), public=public, keep_secrets=keep_secrets)
        Membership.objects.create(campaign=campaign, user=user, role=CampaignRole.ADMIN)
        return campaign


def change_campaign(*, user: User, campaign: Campaign, name: str, public: bool, keep_secrets: bool) -> None:
    """Change a campaign's name and openness; administrators only. Secrecy once promised stands."""
    with writing():
        row = _locked_for_admin(campaign, user)
        if row.keep_secrets and not keep_secrets and row.battles.exclude(state=None).exists():
            raise Refused(_("Battles were fought under this promise: it stands."), "keep_secrets")
        row.name, row.public, row.keep_secrets = words.name(name), public, keep_secrets
        row.save()


def find_user(username: str) -> User:
    """The person of that user name; Refused if there is none."""
    user = User.objects.filter(username=username.strip(), is_active=True).first()
    if user is None:
        raise Refused(_("Nobody here has this user name."), "username")
    return user


def set_member(*, user: User, campaign: Campaign, member: User, role: str) -> Membership:
    """Take somebody into a campaign or change his role; administrators only, and one of them always remains."""
    with writing():
        _locked_for_admin(campaign, user)
        if role not in CampaignRole.values:
            raise Refused(_("There is no such role."), "role")
        if role != CampaignRole.ADMIN:
            _refuse_last_admin(campaign, member, "role")
        return Membership.objects.update_or_create(campaign=campaign, user=member, defaults={"role": role})[0]


def remove_member(*, user: User, campaign: Campaign, username: str) -> None:
    """Take somebody out of a campaign: administrators anybody, everybody himself; an administrator and players stay."""
    with writing():
        if username == user.username:
            Campaign.objects.select_for_update().get(pk=campaign.pk)
        else:
            _locked_for_admin(campaign, user)
        member = find_user(username)
        _refuse_last_admin(campaign, member, "username")
        if campaign.battles.filter(seats__user=member).exclude(stage=Stage.OVER).exists():
            raise Refused(_("%(name)s plays in a battle of this campaign.") % {"name": member.name}, "username")
        Membership.objects.filter(campaign=campaign, user=member).delete()


def _locked_for_admin(campaign: Campaign, user: User) -> Campaign:
    """The campaign's row, locked, for one of its administrators."""
    row = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign_role(user, row) != CampaignRole.ADMIN:
        raise PermissionDenied("only an administrator of the campaign")
    return row


def _refuse_last_admin(campaign: Campaign, member: User, field: str) -> None:
    admins = Membership.objects.filter(campaign=campaign, role=CampaignRole.ADMIN)
    if not admins.exclude(user=member).exists():
        raise Refused(_("A campaign keeps at least one administrator."), field)
