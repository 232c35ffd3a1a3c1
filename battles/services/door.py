"""The one door for commands: who gives it, was it here before, is it in time, and what the rules say."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, IntegrityError, transaction

from accounts.models import User
from battles.models import Battle, LogEntry, RefusedCommand, Stage, Submission
from battles.selectors import Role, battle_for, chair_of, current_state, read_entries, rules_of, version_for
from battles.services import words
from battles.services.dice import BattleDice
from battles.services.errors import ConflictingRepeat, LateCommand, StaleCommand, TooManyCommands, saving
from battles.services.locking import locked
from battles.services.recording import Asked, Receipt, record
from battles.services.striking import running_clocks, strike
from rules.core.actors import Actor
from rules.core.codec import text
from rules.core.commands import Answer, Command, TimeExpired
from rules.core.errors import IllegalCommand, InvalidCommand
from rules.core.replay import Fold, revise
from rules.core.rulings import Rewind, Ruling

logger = logging.getLogger(__name__)

RATE_WINDOW = timedelta(seconds=5)
RATE_MOST = 50
REFUSED_KEPT = timedelta(days=30)


def submit(
    *,
    battle_id: int,
    command: Command,
    command_id: UUID,
    user: User | None,
    received_at: datetime,
    seen: int | None = None,
    decision: str | None = None,
) -> Receipt:
    """Judge one command and record what came of it.

    `user` None is the program itself, as the clock. `seen` is the version that the command was made for, `decision`
    the question. Raises IllegalCommand, InvalidCommand, StaleCommand, ConflictingRepeat, TooManyCommands, NotSaved,
    and for the wrong people Http404 or PermissionDenied.
    """
    with saving():
        asked = Asked(battle_id, _signed(battle_id, command, user), command_id, user, received_at)
        if (stored := _repeat(asked)) is not None:
            return stored
        _refuse_flood(asked)
        strike(battle_id, received_at)  # stands on its own: a refusal below must not undo it
        try:
            return _judge(asked, seen, decision)
        except (IllegalCommand, StaleCommand, IntegrityError) as refusal:
            if (stored := _repeat(asked)) is not None:
                return stored  # the same command came at the same moment through another worker, and won
            if not isinstance(refusal, IntegrityError):
                _remember(asked, refusal)
            raise


def _signed(battle_id: int, command: Command, user: User | None) -> Command:
    """The command with its actor from the user's seat or role; nothing in its body says who acts."""
    if user is None:
        return msgspec.structs.replace(command, by=Actor.CLOCK)
    if (chair := chair_of(user, battle_id)) is not None:
        viewer, stage, ruling = chair.viewer, chair.stage, False
    else:
        seen = battle_for(user, battle_id)
        if seen.role not in (Role.PLAYER, Role.MODERATOR):
            raise PermissionDenied("no seat in this battle")
        viewer, stage, ruling = seen.viewer, seen.battle.stage, seen.role is Role.MODERATOR
    if stage == Stage.PREPARING:
        raise PermissionDenied("this battle is not open yet")
    if isinstance(command, TimeExpired):
        raise InvalidCommand("only the clock says so", "type")
    if isinstance(command, Ruling) and not ruling:
        raise IllegalCommand("moderator_only", "G-2")
    if isinstance(command, (Ruling, Answer)):
        author, reason = (user.name, words.reason(command.reason)) if ruling else ("", "")
        command = msgspec.structs.replace(command, author=author, reason=reason)
    return msgspec.structs.replace(command, by=Actor(viewer.value))


def _repeat(asked: Asked) -> Receipt | None:
    """The stored answer if this command was taken before."""
    rows = Submission.objects.filter(battle=asked.battle_id, user=asked.user, command_id=asked.command_id)
    row = rows.first()
    if row is None:
        return None
    if text({**row.body, "author": ""}) != text({**asked.body, "author": ""}):
        raise ConflictingRepeat(str(asked.command_id))
    return Receipt(**row.answer, repeated=True)


def _refuse_flood(asked: Asked) -> None:
    if asked.user is None:
        return
    since = asked.at - RATE_WINDOW
    taken = Submission.objects.filter(battle=asked.battle_id, user=asked.user, received_at__gt=since)
    refused = RefusedCommand.objects.filter(battle=asked.battle_id, user=asked.user, at__gt=since)
    times = sorted(at for (at,) in taken.values_list("received_at").union(refused.values_list("at"), all=True))
    if len(times) >= RATE_MOST:
        free = times[-RATE_MOST] + RATE_WINDOW
        raise TooManyCommands(max(1, round((free - asked.at).total_seconds() + 0.5)))


def _judge(asked: Asked, seen: int | None, decision: str | None) -> Receipt:
    with transaction.atomic():
        battle = locked(asked.battle_id)
        if battle.stage == Stage.PREPARING:
            raise PermissionDenied("this battle is not open yet")
        state = current_state(battle)
        _refuse_late(battle, asked)
        _refuse_stale(battle, state, asked, seen, decision)
        if isinstance(asked.command, Rewind):
            return _rewind(battle, state, asked, asked.command)
        events = rules_of(battle).decide(state, asked.command, BattleDice(battle))
        return record(battle, state, events, asked, now=asked.at)


def _refuse_late(battle: Battle, asked: Asked) -> None:
    """In time is what was received by the due time, while the closing entry isn't in the log."""
    if asked.command.by.side is not None and running_clocks().filter(battle=battle, due_at__lt=asked.at).exists():
        raise LateCommand(version_for(battle, asked.viewer), battle.turn, battle.phase)


def _refuse_stale(battle: Battle, state: Any, asked: Asked, seen: int | None, decision: str | None) -> None:
    """Open orders name the version, answers the question; what only the own side writes is never stale."""
    command, version = asked.command, version_for(battle, asked.viewer)
    if isinstance(command, Answer):
        if decision not in (None, command.decision):
            raise InvalidCommand("two different questions are named", "decision")
        decision = command.decision
    if decision is not None and state.decision(decision) is None:
        raise StaleCommand(version)
    if command.sealed or command.by is Actor.CLOCK or (command.answering and decision is not None):
        return
    if seen is None and not isinstance(command, Ruling):
        raise InvalidCommand("the version of the board is wanted", "seen")
    if seen is not None and seen != version:
        raise StaleCommand(version)


def _rewind(battle: Battle, state: Any, asked: Asked, ruling: Rewind) -> Receipt:
    """A ruling on the history: the log goes on from where it stood before an entry."""
    rules = rules_of(battle)
    if state.outcome is not None:
        known = rules.book.refusals.get("battle_over")
        raise IllegalCommand("battle_over", known.rule if known else "G-2")
    entries = read_entries(battle, LogEntry.objects.filter(battle=battle).order_by("number"))
    events = revise(rules, entries, ruling)
    return record(battle, state, events, asked, now=asked.at, before=Fold(rules, entries).before)


def _remember(asked: Asked, refusal: IllegalCommand | StaleCommand) -> None:
    """Keep a refused command for the moderator; if that fails, the refusal stands all the same."""
    if isinstance(refusal, IllegalCommand):
        rule, figures = refusal.rule, dict(refusal.figures)
    else:
        rule, figures = "", {"version": refusal.version}
    try:
        with transaction.atomic():
            RefusedCommand.objects.create(
                battle_id=asked.battle_id,
                user=asked.user,
                actor=asked.command.by.value,
                at=asked.at,
                body=asked.body,
                key=refusal.key,
                rule=rule,
                figures=figures,
            )
    except DatabaseError as error:
        logger.warning("a refused command was not kept: %s", error)


def forget_refused(now: datetime) -> int:
    """Forget refused commands after 30 days; how many were forgotten."""
    return RefusedCommand.objects.filter(at__lt=now - REFUSED_KEPT).delete()[0]
