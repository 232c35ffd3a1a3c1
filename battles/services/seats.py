"""Who sits where: invitations, seats with their phrases, and the moderators of a battle."""

from __future__ import annotations

import logging
import secrets
from datetime import datetime, timedelta

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _

from accounts.models import User
from battles.models import Battle, CampaignRole, Invitation, Membership, Moderator, Seat, SeenBy, Stage
from battles.selectors import Role, battle_for, invitation_problem
from battles.services import words
from battles.services.errors import Refused, writing
from battles.services.locking import locked, locked_for
from rules.core.actors import Viewer

logger = logging.getLogger(__name__)

INVITATION_DAYS = 14


def invite(*, user: User, battle_id: int, side: str, now: datetime, days: int = INVITATION_DAYS) -> Invitation:
    """Invite to one seat: whoever has the token may take it, once, until it expires."""
    with writing():
        battle = locked_for(user, battle_id, Role.MODERATOR, Role.ADMIN)
        seat = Seat.objects.filter(battle=battle, side=side).first()
        if seat is None:
            raise Refused(_("There is no such side."), "side")
        if battle.stage == Stage.OVER:
            raise Refused(_("This battle is over."))
        if seat.user_id is not None:
            raise Refused(_("This seat is taken."), "side")
        return Invitation.objects.create(
            battle=battle,
            side=side,
            token=secrets.token_urlsafe(32),
            made_by=user,
            expires_at=now + timedelta(days=days),
        )


def withdraw_invitation(*, user: User, invitation_id: int, now: datetime) -> None:
    """Withdraw an invitation that hasn't been used."""
    with writing():
        invitation = Invitation.objects.filter(pk=invitation_id).first()
        if invitation is None:
            raise Http404("no such invitation")
        locked_for(user, invitation.battle_id, Role.MODERATOR, Role.ADMIN)
        unused = Invitation.objects.filter(pk=invitation_id, used_at=None, withdrawn_at=None)
        if unused.update(withdrawn_at=now) != 1:
            raise Refused(_("This invitation has been used or withdrawn already."))


def take_seat(*, token: str, user: User, now: datetime, phrase: str = "") -> Seat:
    """Take the seat that an invitation is for."""
    with writing():
        battle_id = Invitation.objects.filter(token=token).values_list("battle", flat=True).first()
        if battle_id is None:
            raise Http404("no such invitation")
        battle = locked(battle_id)
        invitation = Invitation.objects.select_related("battle").get(token=token)
        if problem := invitation_problem(invitation, now):
            raise Refused(problem)
        _refuse_seat(battle, invitation.side, user)
        seat = Seat.objects.get(battle=battle, side=invitation.side)
        if seat.user_id is not None:
            raise Refused(_("This seat is taken."))
        seat.user = user
        if battle.stage == Stage.PREPARING:
            seat.phrase = words.phrase(phrase)
        seat.save()
        Invitation.objects.filter(pk=invitation.pk).update(used_at=now, used_by=user)
        SeenBy.objects.get_or_create(battle=battle, user=user, viewer=seat.side)
        Membership.objects.get_or_create(
            campaign_id=battle.campaign_id, user=user, defaults={"role": CampaignRole.PLAYER}
        )
        return seat


def _refuse_seat(battle: Battle, side: str, user: User) -> None:
    """Nobody moderates where he sits, sits on both sides, or sits where he knows the enemy's secrets."""
    if Moderator.objects.filter(battle=battle, user=user).exists():
        raise Refused(_("You moderate this battle: a moderator takes no seat in it."))
    if Seat.objects.filter(battle=battle, user=user).exists():
        raise Refused(_("You have a seat in this battle already."))
    if SeenBy.objects.filter(battle=battle, user=user).exclude(viewer=side).exists():
        raise Refused(_("You have seen this battle from elsewhere and cannot take this side."))


def vacate_seat(*, user: User, battle_id: int, side: str) -> None:
    """Free a seat: its player himself before the opening, else a moderator."""
    with writing():
        seen = battle_for(user, battle_id)
        battle = locked(battle_id)
        own = seen.role is Role.PLAYER and seen.viewer.value == side and battle.stage == Stage.PREPARING
        if not own and seen.role is not Role.MODERATOR:
            raise PermissionDenied("only a moderator of this battle")
        if battle.stage == Stage.OVER:
            raise Refused(_("This battle is over."))
        seat = Seat.objects.filter(battle=battle, side=side)
        if not seat.exists():
            raise Refused(_("There is no such side."), "side")
        if battle.stage == Stage.PREPARING:
            seat.update(phrase="")
        seat.update(user=None)


def set_phrase(*, user: User, battle_id: int, phrase: str) -> None:
    """Give or change the phrase of one's seat, until the battle opens."""
    with writing():
        battle = locked_for(user, battle_id, Role.PLAYER)
        if battle.stage != Stage.PREPARING:
            raise Refused(_("This battle is open already: its phrases stand."), "phrase")
        Seat.objects.filter(battle=battle, user=user).update(phrase=words.phrase(phrase))


def add_moderator(*, user: User, battle_id: int, moderator: User) -> Moderator:
    """Make somebody a moderator of a battle in which he has no seat; he can have none in it from now on."""
    with writing():
        battle = locked_for(user, battle_id, Role.MODERATOR, Role.ADMIN)
        if Seat.objects.filter(battle=battle, user=moderator).exists():
            raise Refused(_("A player cannot moderate the battle in which he sits."), "moderator")
        made, fresh = Moderator.objects.get_or_create(battle=battle, user=moderator, defaults={"made_by": user})
        if fresh:
            SeenBy.objects.get_or_create(battle=battle, user=moderator, viewer=Viewer.MODERATOR.value)
            logger.info("battle %s: user %s made user %s a moderator", battle.pk, user.pk, moderator.pk)
        return made


def remove_moderator(*, user: User, battle_id: int, moderator: User) -> None:
    """Take a moderator's office; one always remains."""
    with writing():
        battle = locked_for(user, battle_id, Role.MODERATOR, Role.ADMIN)
        if not Moderator.objects.filter(battle=battle).exclude(user=moderator).exists():
            raise Refused(_("A battle keeps at least one moderator."), "moderator")
        Moderator.objects.filter(battle=battle, user=moderator).delete()
        logger.info("battle %s: user %s removed the moderator %s", battle.pk, user.pk, moderator.pk)
