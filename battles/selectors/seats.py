"""A battle before its opening: seats, moderators and invitations."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.models import User
from battles.models import Invitation, Moderator, Seat, Stage
from battles.selectors.access import Role, Seen
from battles.selectors.sight import army_lists
from rules.core.actors import SIDES, Side
from rules.core.scenario import UnitSpec


class SeatLine(NamedTuple):
    """A seat while a battle is prepared: who sits there, whether he gave a phrase, and the phrase to himself only."""

    side: Side
    user: User | None
    has_phrase: bool
    phrase: str


class InvitationLine(NamedTuple):
    """An invitation that can still be used."""

    id: int
    side: Side
    token: str
    expires_at: datetime


class Preparation(NamedTuple):
    """A battle before its opening as one of its people sees it."""

    seats: tuple[SeatLine, ...]
    moderators: tuple[User, ...]
    invitations: tuple[InvitationLine, ...]
    seed_hash: str
    armies: dict[Side, tuple[UnitSpec, ...]]


def preparation(seen: Seen, user: User, now: datetime) -> Preparation:
    """Seats, invitations and lists: tokens for moderator and admin only, phrases for their owners only."""
    battle = seen.battle
    seats = {seat.side: seat for seat in Seat.objects.filter(battle=battle).select_related("user")}
    lines = tuple(
        SeatLine(side, seat.user, bool(seat.phrase), seat.phrase if seat.user_id == user.pk else "")
        for side in SIDES
        if (seat := seats.get(side.value)) is not None
    )
    open_ones = Invitation.objects.filter(battle=battle, used_at=None, withdrawn_at=None, expires_at__gt=now)
    may_invite = seen.role in (Role.MODERATOR, Role.ADMIN)
    invitations = [InvitationLine(i.pk, Side(i.side), i.token, i.expires_at) for i in open_ones] if may_invite else []
    moderators = tuple(m.user for m in Moderator.objects.filter(battle=battle).select_related("user").order_by("pk"))
    return Preparation(lines, moderators, tuple(invitations), battle.seed_hash, army_lists(battle, seen.viewer))


class InvitationCard(NamedTuple):
    """What an invitation says to whoever opens it; `problem` says why it cannot be used, if so."""

    battle_id: int
    battle: str
    campaign: str
    side: Side
    sides: dict[str, Any]
    invited_by: str
    expires_at: datetime
    problem: str


def invitation_card(token: str, now: datetime) -> InvitationCard:
    """The invitation with this token; Http404 if there is none."""
    found = Invitation.objects.select_related("battle__campaign", "made_by").filter(token=token).first()
    if found is None:
        raise Http404("no such invitation")
    battle = found.battle
    return InvitationCard(
        battle.pk,
        str(battle),
        str(battle.campaign),
        Side(found.side),
        battle.sides,
        found.made_by.name if found.made_by else "",
        found.expires_at,
        invitation_problem(found, now),
    )


def invitation_problem(invitation: Invitation, now: datetime) -> str:
    """Why an invitation cannot be used; empty if it can."""
    if invitation.used_at is not None:
        return _("This invitation has been used.")
    if invitation.withdrawn_at is not None:
        return _("This invitation was withdrawn.")
    if invitation.expires_at <= now:
        return _("This invitation has expired.")
    if invitation.battle.stage == Stage.OVER:
        return _("This battle is over.")
    return ""
