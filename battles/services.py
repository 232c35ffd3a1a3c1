"""What changes a battle. `submit` is the one door for commands, `strike` is the clock's; the rest prepares battles.

Each takes one transaction, locks the battle's row first, and tells the pages after the commit. A command that is
refused leaves nothing in the log.
"""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast
from uuid import UUID, uuid4

import msgspec
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Max
from django.http import Http404
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.text import clean_name
from battles.models import (
    Battle,
    BattleMap,
    BattleSecret,
    Campaign,
    CampaignRole,
    Deadline,
    Invitation,
    LogEntry,
    Membership,
    Moderator,
    RefusedCommand,
    Seat,
    SeenBy,
    Snapshot,
    Stage,
    Submission,
    Turn,
    Unit,
)
from battles.publishing import announce
from battles.selectors import (
    HIDDEN_PHASES,
    Role,
    battle_for,
    chair_of,
    current_state,
    invitation_problem,
    read_entries,
    rules_of,
    version_for,
)
from rules.core.actors import EVERYONE, MODERATOR_ONLY, SIDES, Actor, Side, Viewer
from rules.core.board import Board
from rules.core.codec import plain, read_event, tag, text
from rules.core.commands import Answer, Command, TimeExpired
from rules.core.dice import SeededDice, Throw, seed_hash
from rules.core.errors import IllegalCommand, InvalidCommand
from rules.core.events import BattleEnded, DiceThrown, Event, Rewound, SeedRevealed
from rules.core.replay import Fold, revise
from rules.core.rulebook import DICE
from rules.core.ruleset import Ruleset
from rules.core.rulings import ExtendClock, RestartClock, Rewind, Ruling, StartClock, StopClock
from rules.core.scenario import Scenario, UnitSpec
from rules.registry import RULESETS, ruleset

logger = logging.getLogger(__name__)

GRACE = timedelta(milliseconds=250)
RATE_WINDOW = timedelta(seconds=5)
RATE_MOST = 50
SNAPSHOT_EVERY = 100
REFUSED_KEPT = timedelta(days=30)
INVITATION_DAYS = 7
LONGEST_NAME = 80
LONGEST_PHRASE = 100
LONGEST_REASON = 500
COUNTED = (Viewer.RED, Viewer.BLUE, Viewer.PUBLIC)
FOLD = (
    "state", "version", "red_no", "blue_no", "public_no", "throws", "turn", "phase", "awaited", "stage", "winner",
    "reason", "rules_version", "opened_at", "ended_at",
)  # fmt: skip
CLOCK_RULINGS = (StopClock, StartClock, ExtendClock, RestartClock)
OPENING = "open_battle"
T = TypeVar("T")


class Refused(Exception):
    """Something about preparing a battle isn't possible: why, in the reader's language, and for which field."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class StaleCommand(Exception):
    """The player was looking at an older board (HTTP 409, with the new one). `version` is the viewer's newest."""

    key = "stale"

    def __init__(self, version: int) -> None:
        super().__init__(f"stale, newest is {version}")
        self.version = version

    @property
    def message(self) -> str:
        """What the player reads."""
        return _("The position has changed, look again.")


class LateCommand(StaleCommand):
    """The server got it after the time was up; what was open then is closed."""

    key = "late"

    def __init__(self, version: int, turn: int, phase: str) -> None:
        super().__init__(version)
        self.turn = turn
        self.phase = phase

    @property
    def message(self) -> str:
        """What the player reads."""
        if self.phase in HIDDEN_PHASES:
            return _("The time was up: deployment is closed.")
        return _("The time was up: turn %(turn)s is closed.") % {"turn": self.turn}


class ConflictingRepeat(Exception):
    """A command id came again with another body (HTTP 409)."""


class TooManyCommands(Exception):
    """One user sends more commands than anybody can think of (HTTP 429). `wait` is in whole seconds."""

    def __init__(self, wait: int) -> None:
        super().__init__(f"wait {wait} s")
        self.wait = wait


class NotSaved(Exception):
    """The database refuses to write; nothing has changed, and the same command may come again (HTTP 503)."""


class Receipt(NamedTuple):
    """What became of a command: its entries by the numbers of who sent it, his version then, and whether it was a
    repeat. `first` and `last` are None if it led to nothing that he may see."""

    first: int | None
    last: int | None
    version: int
    repeated: bool = False


@contextmanager
def _saving() -> Any:
    """What the database says when it cannot write becomes NotSaved; a broken constraint stays what it is."""
    try:
        yield
    except IntegrityError:
        raise
    except DatabaseError as error:
        logger.error("not saved: %s", error)
        raise NotSaved(str(error)) from error


def fault_point(name: str) -> None:
    """Die here if the settings say so: only the tests of faults set it."""
    if settings.FAULT_POINT == name:
        os.kill(os.getpid(), signal.SIGKILL)


# Commands


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
    with _saving():
        command = _signed(battle_id, command, user)
        asked = _Asked(battle_id, command, command_id, user, received_at)
        if (stored := _repeat(asked)) is not None:
            return stored
        _refuse_flood(asked)
        strike(battle_id, received_at)  # stands on its own: a refusal below must not undo it
        try:
            return _decide(asked, seen, decision)
        except (IllegalCommand, StaleCommand, IntegrityError) as refusal:
            if (stored := _repeat(asked)) is not None:
                return stored  # the same command came at the same moment through another worker, and won
            if not isinstance(refusal, IntegrityError):
                _remember(asked, refusal)
            raise


class _Asked(NamedTuple):
    """A command as the door has it: signed, with its id, its sender and the moment it was received."""

    battle_id: int
    command: Command
    command_id: UUID
    user: User | None
    at: datetime

    @property
    def viewer(self) -> Viewer:
        """Whose numbers the sender reads."""
        side = self.command.by.side
        return Viewer.MODERATOR if side is None else Viewer(side.value)

    @property
    def body(self) -> dict[str, Any]:
        """The command without who gave it."""
        body = plain(self.command)
        return {key: value for key, value in body.items() if key != "by"}


def _signed(battle_id: int, command: Command, user: User | None) -> Command:
    """The command with its actor from the user's seat or role; nothing in its body says who acts."""
    if user is None:
        return msgspec.structs.replace(command, by=Actor.CLOCK)
    chair = chair_of(user, battle_id)
    if chair is not None:
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
        reason = clean_name(command.reason)[:LONGEST_REASON] if ruling else ""
        command = msgspec.structs.replace(command, author=user.name if ruling else "", reason=reason)
    return msgspec.structs.replace(command, by=Actor(viewer.value))


def _repeat(asked: _Asked) -> Receipt | None:
    """The stored answer if this command was taken before."""
    rows = Submission.objects.filter(battle=asked.battle_id, user=asked.user, command_id=asked.command_id)
    row = rows.first()
    if row is None:
        return None
    if text({**row.body, "author": ""}) != text({**asked.body, "author": ""}):
        raise ConflictingRepeat(str(asked.command_id))
    return Receipt(row.answer["first"], row.answer["last"], row.answer["version"], True)


def _refuse_flood(asked: _Asked) -> None:
    if asked.user is None:
        return
    since = asked.at - RATE_WINDOW
    taken = Submission.objects.filter(battle=asked.battle_id, user=asked.user, received_at__gt=since)
    refused = RefusedCommand.objects.filter(battle=asked.battle_id, user=asked.user, at__gt=since)
    times = sorted(at for (at,) in taken.values_list("received_at").union(refused.values_list("at"), all=True))
    if len(times) >= RATE_MOST:
        free = times[-RATE_MOST] + RATE_WINDOW
        raise TooManyCommands(max(1, round((free - asked.at).total_seconds() + 0.5)))


def _decide(asked: _Asked, seen: int | None, decision: str | None) -> Receipt:
    with transaction.atomic():
        battle = _locked(asked.battle_id)
        if battle.stage == Stage.PREPARING:
            raise PermissionDenied("this battle is not open yet")
        state = current_state(battle)
        _refuse_late(battle, asked)
        _refuse_stale(battle, state, asked, seen, decision)
        rules, dice = rules_of(battle), _Dice(battle)
        if isinstance(asked.command, Rewind):
            return _rewind(battle, state, asked, asked.command)
        events = rules.decide(state, asked.command, dice)
        return _record(battle, state, events, asked, now=asked.at).receipt


def _locked(battle_id: int, *, skip_locked: bool = False) -> Battle:
    """The battle's row, locked until the end of the transaction."""
    rows = Battle.objects.select_for_update(of=("self",), skip_locked=skip_locked).select_related("campaign")
    battle = rows.filter(pk=battle_id).first()
    if battle is None:
        raise Http404("no such battle")
    return battle


class _Dice:
    """The battle's dice at the throw that comes next; the seed is fetched when one is thrown."""

    def __init__(self, battle: Battle) -> None:
        self._battle = battle
        self._dice: SeededDice | None = None

    def _fetched(self) -> SeededDice:
        if self._dice is None:
            seed = bytes(BattleSecret.objects.values_list("seed", flat=True).get(battle=self._battle))
            self._dice = SeededDice(seed, "\n".join(phrases(self._battle)), self._battle.throws)
        return self._dice

    def throw(self, count: int, die: int, *, purpose: str, rule: str) -> Throw:
        """Throw so many dice."""
        return self._fetched().throw(count, die, purpose=purpose, rule=rule)

    def draw(self, total: int, picks: int, *, purpose: str, rule: str) -> Throw:
        """Draw lots."""
        return self._fetched().draw(total, picks, purpose=purpose, rule=rule)


def phrases(battle: Battle) -> tuple[str, ...]:
    """The phrases that were hashed into the dice, RED's first."""
    given = dict(Seat.objects.filter(battle=battle).values_list("side", "phrase"))
    return tuple(given[side.value] for side in SIDES if given.get(side.value))


def _refuse_late(battle: Battle, asked: _Asked) -> None:
    """In time is what was received by the due time, while the closing entry isn't in the log."""
    if asked.command.by.side is None:
        return
    overdue = _running(battle).filter(due_at__lt=asked.at)
    if overdue.exists():
        raise LateCommand(version_for(battle, asked.viewer), battle.turn, battle.phase)


def _refuse_stale(battle: Battle, state: Any, asked: _Asked, seen: int | None, decision: str | None) -> None:
    """Open orders name the version, answers the question; what only the own side writes is never stale."""
    command, version = asked.command, version_for(battle, asked.viewer)
    if isinstance(command, Answer):
        if decision not in (None, command.decision):
            raise InvalidCommand("two different questions are named", "decision")
        if state.decision(command.decision) is None:
            raise StaleCommand(version)
        return
    if decision is not None and state.decision(decision) is None:
        raise StaleCommand(version)
    if decision is not None and command.answering:
        return
    if command.sealed or isinstance(command, CLOCK_RULINGS) or command.by is Actor.CLOCK:
        return
    if seen is None and not isinstance(command, Ruling):
        raise InvalidCommand("the version of the board is wanted", "seen")
    if seen is not None and seen != version:
        raise StaleCommand(version)


def _rewind(battle: Battle, state: Any, asked: _Asked, ruling: Rewind) -> Receipt:
    """A ruling on the history: the log goes on from where it stood before an entry."""
    if state.outcome is not None:
        book = rules_of(battle).book
        known = book.refusals.get("battle_over")
        raise IllegalCommand("battle_over", known.rule if known else "G-2")
    entries = read_entries(battle, LogEntry.objects.filter(battle=battle).order_by("number"))
    rules = rules_of(battle)
    events = revise(rules, entries, ruling)
    return _record(battle, state, events, asked, now=asked.at, before=Fold(rules, entries).before).receipt


def _remember(asked: _Asked, refusal: IllegalCommand | StaleCommand) -> None:
    """Keep a refused command for the moderator; if that fails, the refusal stands all the same."""
    legal = isinstance(refusal, IllegalCommand)
    try:
        with transaction.atomic():
            RefusedCommand.objects.create(
                battle_id=asked.battle_id,
                user=asked.user,
                actor=asked.command.by.value,
                at=asked.at,
                body=asked.body,
                key=refusal.key,
                rule=refusal.rule if isinstance(refusal, IllegalCommand) else "",
                figures=dict(refusal.figures) if isinstance(refusal, IllegalCommand) else {"version": refusal.version},
            )
    except DatabaseError as error:
        logger.warning("a refused command was not kept: %s", error, extra={"legal": legal})


def forget_refused(now: datetime) -> int:
    """Forget refused commands after 30 days; how many were forgotten."""
    return RefusedCommand.objects.filter(at__lt=now - REFUSED_KEPT).delete()[0]


# The clock


def _running(battle: Battle) -> Any:
    return Deadline.objects.filter(battle=battle, fired_at=None, cancelled_at=None, running=True)


def due_battles(now: datetime) -> list[tuple[int, datetime]]:
    """The battles with a deadline that is to be struck, and since when, the longest overdue first."""
    rows = Deadline.objects.filter(fired_at=None, cancelled_at=None, running=True, due_at__lte=now - GRACE)
    due: dict[int, datetime] = {}
    for battle_id, due_at in rows.order_by("due_at").values_list("battle_id", "due_at"):
        due.setdefault(battle_id, cast(datetime, due_at))
    return list(due.items())


def strike(battle_id: int, now: datetime, *, skip_locked: bool = False) -> int:
    """Let every clock of a battle expire whose time is up by 250 ms; how many did.

    Each is claimed, decided and recorded in one transaction, with its due time as game time; the clock that it starts
    runs from `now`. With `skip_locked` a battle that somebody works at is left for the next time.
    """
    with _saving():
        struck = 0
        while Deadline.objects.filter(
            battle=battle_id, fired_at=None, cancelled_at=None, running=True, due_at__lte=now - GRACE
        ).exists():
            if not _strike_one(battle_id, now, skip_locked):
                break
            struck += 1
        return struck


def _strike_one(battle_id: int, now: datetime, skip_locked: bool) -> bool:
    with transaction.atomic():
        try:
            battle = _locked(battle_id, skip_locked=skip_locked)
        except Http404:
            return False
        row = _running(battle).filter(due_at__lte=now - GRACE).order_by("due_at", "pk").first()
        if row is None:
            return False
        if Deadline.objects.filter(pk=row.pk, fired_at=None, cancelled_at=None).update(fired_at=now) != 1:
            return False
        asked = _Asked(battle_id, TimeExpired(by=Actor.CLOCK, timer=row.key), uuid4(), None, row.due_at)
        state = current_state(battle)
        events = rules_of(battle).decide(state, asked.command, _Dice(battle))
        _record(battle, state, events, asked, now=now)
        return True


def _agree_clocks(battle: Battle, state: Any, now: datetime, *, anew: bool) -> None:
    """Make the deadlines agree with the state's timers; `anew` gives each its whole time again."""
    rows = {row.key: row for row in Deadline.objects.filter(battle=battle, fired_at=None, cancelled_at=None)}
    kept = set()
    for timer in state.timers:
        row = None if anew else rows.pop(timer.key, None)
        if row is None:
            continue
        kept.add(timer.key)
        due: datetime | None = row.due_at
        left = row.remaining
        more = timer.seconds - row.seconds
        if row.running and due is not None:
            due += timedelta(seconds=more)
            if not timer.running:
                left = max(0.0, (due - now).total_seconds())
                due = None
        elif left is not None:
            left = max(0.0, left + more)
            if timer.running:
                due, left = now + timedelta(seconds=left), None
        seen_by = _viewers(timer.seen_by)
        fresh = (timer.seconds, timer.running, due, left, seen_by)
        if fresh != (row.seconds, row.running, row.due_at, row.remaining, row.seen_by):
            row.seconds, row.running, row.due_at, row.remaining, row.seen_by = fresh
            row.save(update_fields=["seconds", "running", "due_at", "remaining", "seen_by"])
    if rows:
        Deadline.objects.filter(pk__in=[row.pk for row in rows.values()]).update(cancelled_at=now, due_at=None)
    Deadline.objects.bulk_create(
        Deadline(
            battle=battle,
            key=timer.key,
            seconds=timer.seconds,
            seen_by=_viewers(timer.seen_by),
            running=timer.running,
            due_at=now + timedelta(seconds=timer.seconds) if timer.running else None,
            remaining=None if timer.running else float(timer.seconds),
        )
        for timer in state.timers
        if timer.key not in kept
    )


def _viewers(audience: Iterable[Viewer]) -> list[str]:
    return [viewer.value for viewer in Viewer if viewer in audience]


# The log


class _Recorded(NamedTuple):
    receipt: Receipt
    state: Any


def entry_digest(previous: str, entry: LogEntry) -> str:
    """The link that an entry adds to the chain of the log: it changes with anything in it or before it."""
    parts = (
        entry.number, entry.red_no, entry.blue_no, entry.public_no, entry.kind, entry.rule, entry.body, entry.actor,
        entry.user_id, entry.side, entry.at.timestamp(), entry.turn, entry.places,
    )  # fmt: skip
    return hashlib.sha256(previous.encode() + text(parts)).hexdigest()


def _record(
    battle: Battle,
    state: Any,
    events: Sequence[Event],
    asked: _Asked,
    *,
    now: datetime,
    before: Callable[[int], Any] | None = None,
) -> _Recorded:
    """Add events to the log, and to everything that is its fold, in the running transaction.

    `before` gives the state before an entry, for a rewind.
    """
    rules = rules_of(battle)
    old_state, sender = state, asked.viewer
    submission = Submission(
        battle=battle, user=asked.user, command_id=asked.command_id, actor=asked.command.by.value, body=asked.body,
        received_at=asked.at,
    )  # fmt: skip
    digest = (
        LogEntry.objects.filter(battle=battle, number=battle.version).values_list("digest", flat=True).first() or ""
    )
    first = battle.version + 1
    told, heard, rewound = [as_stored(rules, event) for event in events], set[Viewer](), False
    entries: list[LogEntry] = []
    turns: list[Turn] = []
    snapshots: dict[int, Any] = {}
    own: list[int] = []
    while told:
        event = told.pop(0)
        number = battle.version + 1
        places = None
        if isinstance(event, Rewound):
            if before is None:
                raise RuntimeError("a rewind comes from a ruling on the history only")
            state, rewound = before(event.to), True
            places = _abandon(battle, event.to, number)
            snapshots[number] = state
        else:
            side = _side_of(event, state, asked.command.by if not entries else Actor.CLOCK)
            state = rules.evolve(state, event)
        if isinstance(event, Rewound):
            side = ""
        if isinstance(event, DiceThrown):
            battle.throws = event.number
        if isinstance(event, BattleEnded):
            told.append(_seed_told(battle))
        battle.version = number
        seen_no = {viewer: _next_no(battle, viewer) if viewer in event.seen_by else None for viewer in COUNTED}
        heard |= event.seen_by
        entry = LogEntry(
            battle=battle,
            number=number,
            red_no=seen_no[Viewer.RED],
            blue_no=seen_no[Viewer.BLUE],
            public_no=seen_no[Viewer.PUBLIC],
            kind=tag(type(event)),
            rule=event.rule,
            body=plain(event),
            actor=asked.command.by.value,
            user=asked.user,
            side=side,
            at=asked.at,
            turn=state.turn,
            submission=submission,
            places=places,
        )
        entry.digest = digest = entry_digest(digest, entry)
        entries.append(entry)
        mine = number if sender is Viewer.MODERATOR else seen_no[sender]
        if mine is not None:
            own.append(mine)
        if not isinstance(event, Rewound) and state.turn != battle.turn:
            turns.append(Turn(battle=battle, number=state.turn, entry=number, state=plain(state), started_at=now))
        battle.turn = state.turn
        if number % SNAPSHOT_EVERY == 0 or (turns and turns[-1].entry == number):
            snapshots[number] = state
    if asked.command.by is Actor.MODERATOR and asked.body["type"] == OPENING:
        turns.append(Turn(battle=battle, number=0, entry=battle.version, state=plain(state), started_at=now))
        snapshots[battle.version] = state
    receipt = Receipt(own[0] if own else None, own[-1] if own else None, version_for(battle, sender))
    submission.first, submission.last = (first, battle.version) if entries else (None, None)
    submission.answer = {"first": receipt.first, "last": receipt.last, "version": receipt.version}
    submission.save(force_insert=True)
    LogEntry.objects.bulk_create(entries)
    Turn.objects.bulk_create(turns)
    Snapshot.objects.bulk_create(Snapshot(battle=battle, entry=n, state=plain(s)) for n, s in snapshots.items())
    _save_fold(battle, rules, old_state, state, now)
    if rewound or old_state is None or state.timers != old_state.timers:
        _agree_clocks(battle, state, now, anew=rewound)
    fault_point("before_commit")
    transaction.on_commit(partial(fault_point, "after_commit"))
    if entries:
        answered = None if asked.user is None else sender
        transaction.on_commit(partial(announce, battle.pk, frozenset(heard), answered), robust=True)
    return _Recorded(receipt, state)


def as_stored(rules: Ruleset, event: Event) -> Event:
    """An event as it will be read again, so that what is folded now and later is the same to the last 3 or 3.0."""
    return read_event(rules, plain(event))


def _next_no(battle: Battle, viewer: Viewer) -> int:
    """The viewer's next line number."""
    field = f"{viewer.value}_no"
    number: int = getattr(battle, field) + 1
    setattr(battle, field, number)
    return number


def _seed_told(battle: Battle) -> SeedRevealed:
    """The seed, at the end; for the moderator alone if the campaign keeps secrets."""
    seed = bytes(BattleSecret.objects.values_list("seed", flat=True).get(battle=battle))
    audience = MODERATOR_ONLY if battle.campaign.keep_secrets else EVERYONE
    return SeedRevealed(rule=DICE.id, seed=seed.hex(), seen_by=audience)


def _side_of(event: Event, state: Any, by: Actor) -> str:
    """Whose doing an event is: its side, its unit's, or the side that gave the command."""
    side = getattr(event, "side", None)
    if isinstance(side, Side):
        return side.value
    key = getattr(event, "unit", "") or getattr(event, "attacker", "")
    unit = state.find(key) if isinstance(key, str) and key and hasattr(state, "find") else None
    if unit is not None:
        return str(unit.side.value)
    return by.side.value if by.side is not None else ""


def _abandon(battle: Battle, to: int, number: int) -> dict[str, int]:
    """Mark what a rewind leaves behind; from which of its own numbers on that is for each viewer."""
    kept = LogEntry.objects.filter(battle=battle, number__lt=to)
    numbers = kept.aggregate(red=Max("red_no"), blue=Max("blue_no"), public=Max("public_no"))
    LogEntry.objects.filter(battle=battle, number__gte=to, number__lt=number, abandoned=False).update(abandoned=True)
    Turn.objects.filter(battle=battle, entry__gte=to, abandoned=False).update(abandoned=True)
    Snapshot.objects.filter(battle=battle, entry__gte=to, abandoned=False).update(abandoned=True)
    return {viewer: (newest or 0) + 1 for viewer, newest in numbers.items()}


def awaited(state: Any) -> list[str]:
    """Who is waited for: the sides that may act and are not ready, and whoever owes an answer."""
    if state.outcome is not None:
        return []
    owing = {decision.owed_by for decision in state.decisions}
    acting = {Actor(side.value) for side in state.active if side not in state.ready and not state.blocked(side)}
    return [actor.value for actor in Actor if actor in owing | acting]


def _save_fold(battle: Battle, rules: Ruleset, old: Any, state: Any, now: datetime) -> None:
    """Bring the battle's row and its units to where the log leads."""
    battle.state = plain(state)
    battle.phase = state.phase.name
    battle.awaited = awaited(state)
    if state.outcome is not None:
        battle.stage = Stage.OVER
        battle.winner = state.outcome.winner.value if state.outcome.winner else None
        battle.reason = state.outcome.reason
        battle.ended_at = battle.ended_at or now
    battle.save(update_fields=FOLD)
    if battle.phase in HIDDEN_PHASES:
        if old is not None and old.phase.name not in HIDDEN_PHASES:
            Unit.objects.filter(battle=battle).delete()
        return
    fresh = old is None or old.phase.name in HIDDEN_PHASES
    before = {} if fresh else {unit.key: unit for unit in old.units}
    changed = [
        unit_row(battle, rules, unit, place)
        for place, unit in enumerate(sorted(state.units, key=rules.order))
        if before.get(unit.key) != unit
    ]
    if changed:
        Unit.objects.bulk_create(
            changed,
            update_conflicts=True,
            unique_fields=["battle", "key"],
            update_fields=["side", "kind", "name", "position", "at", "strength", "strength_at_start", "fate", "body"],
        )


def unit_row(battle: Battle, rules: Ruleset, unit: Any, place: int) -> Unit:
    """A unit of the state as a row."""
    now, start = rules.strength(unit)
    return Unit(
        battle=battle,
        key=unit.key,
        side=unit.side.value,
        kind=unit.kind,
        name=unit.name,
        position=place,
        at=rules.grid.label(unit.at) if unit.at is not None else "",
        strength=float(now),
        strength_at_start=float(start),
        fate=unit.fate.value if unit.fate is not None else "",
        body=plain(unit),
    )


# Campaigns


def _name(value: str, field: str = "name") -> str:
    """A name without invisible characters; Refused if nothing remains or it is too long."""
    name = clean_name(value)
    if not name:
        raise Refused(_("A name is wanted."), field)
    if len(name) > LONGEST_NAME:
        raise Refused(_("This name is too long: %(most)s characters at most.") % {"most": LONGEST_NAME}, field)
    return name


def create_campaign(*, user: User, name: str, public: bool = False, keep_secrets: bool = False) -> Campaign:
    """Found a campaign; its founder is its administrator."""
    with _saving(), transaction.atomic():
        campaign = Campaign.objects.create(name=_name(name), public=public, keep_secrets=keep_secrets)
        Membership.objects.create(campaign=campaign, user=user, role=CampaignRole.ADMIN)
        return campaign


def campaign_role(user: User, campaign: Campaign) -> str | None:
    """What a user is in a campaign."""
    return Membership.objects.filter(user=user, campaign=campaign).values_list("role", flat=True).first()


def set_member(*, user: User, campaign: Campaign, member: User, role: str) -> Membership:
    """Take somebody into a campaign or change his role; administrators only, and one of them always remains."""
    with _saving(), transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        if campaign_role(user, campaign) != CampaignRole.ADMIN:
            raise PermissionDenied("only an administrator of the campaign")
        if role not in CampaignRole.values:
            raise Refused(_("There is no such role."), "role")
        admins = Membership.objects.filter(campaign=campaign, role=CampaignRole.ADMIN)
        if role != CampaignRole.ADMIN and not admins.exclude(user=member).exists():
            raise Refused(_("A campaign keeps at least one administrator."), "role")
        return Membership.objects.update_or_create(campaign=campaign, user=member, defaults={"role": role})[0]


# Battles before their opening


class BattlePlan(NamedTuple):
    """What a battle is to be: all of it can be changed until it opens. `armies` are lists of unit specifications
    without key and side; `sides` have a name and a colour each."""

    name: str
    map: BattleMap
    sides: Mapping[str, Mapping[str, str]]
    armies: Mapping[str, Sequence[Mapping[str, Any]]]
    ruleset: str = "tactical"
    parameters: Mapping[str, Any] = {}
    attacker: str | None = None
    allow_spectators: bool = True


def create_battle(*, user: User, campaign: Campaign, plan: BattlePlan) -> Battle:
    """Set a battle up: its maker moderates it, and the hash of its seed stands from now on."""
    if campaign_role(user, campaign) not in (CampaignRole.ADMIN, CampaignRole.MODERATOR):
        raise PermissionDenied("only an administrator or moderator of the campaign")
    seed = secrets.token_bytes(32)
    with _saving(), transaction.atomic():
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
    with _saving(), transaction.atomic():
        battle = _being_prepared(battle_id, user)
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
    battle.name, battle.ruleset, battle.rules_version = _name(plan.name), plan.ruleset, rules.version
    battle.map, battle.board, battle.strips = plan.map, list(plan.map.rows), dict(plan.map.strips)
    battle.sides = {
        side.value: {
            "name": _name(plan.sides.get(side.value, {}).get("name", ""), f"{side.value}_name")[:40],
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
        stored = plain(msgspec.structs.replace(unit, name=_name(unit.name, side.value)))
        army.append({key: value for key, value in stored.items() if key not in ("key", "side")})
    return army


def _being_prepared(battle_id: int, user: User) -> Battle:
    """A battle that isn't open yet, locked; its moderators only."""
    battle = _for_moderator(battle_id, user)
    if battle.stage != Stage.PREPARING:
        raise Refused(_("This battle is open already."))
    return battle


def _for_moderator(battle_id: int, user: User) -> Battle:
    seen = battle_for(user, battle_id)
    if seen.role is not Role.MODERATOR:
        raise PermissionDenied("only a moderator of this battle")
    return _locked(battle_id)


def _for_moderator_or_admin(battle_id: int, user: User) -> Battle:
    seen = battle_for(user, battle_id)
    if seen.role not in (Role.MODERATOR, Role.ADMIN):
        raise PermissionDenied("only a moderator of this battle or an administrator of its campaign")
    return _locked(battle_id)


# Seats and moderators


def invite(*, user: User, battle_id: int, side: str, now: datetime, days: int = INVITATION_DAYS) -> Invitation:
    """Invite to one seat: whoever has the token may take it, once, until it expires."""
    with _saving(), transaction.atomic():
        battle = _for_moderator_or_admin(battle_id, user)
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
    with _saving(), transaction.atomic():
        invitation = Invitation.objects.filter(pk=invitation_id).first()
        if invitation is None:
            raise Http404("no such invitation")
        _for_moderator_or_admin(invitation.battle_id, user)
        unused = Invitation.objects.filter(pk=invitation_id, used_at=None, withdrawn_at=None)
        if unused.update(withdrawn_at=now) != 1:
            raise Refused(_("This invitation has been used or withdrawn already."))


def take_seat(*, token: str, user: User, now: datetime, phrase: str = "") -> Seat:
    """Take the seat that an invitation is for."""
    with _saving(), transaction.atomic():
        invitation = Invitation.objects.select_related("battle").filter(token=token).first()
        if invitation is None:
            raise Http404("no such invitation")
        battle = _locked(invitation.battle_id)
        invitation = Invitation.objects.select_related("battle").get(pk=invitation.pk)
        if problem := invitation_problem(invitation, now):
            raise Refused(problem)
        _refuse_seat(battle, invitation.side, user)
        seat = Seat.objects.get(battle=battle, side=invitation.side)
        if seat.user_id is not None:
            raise Refused(_("This seat is taken."))
        seat.user = user
        if battle.stage == Stage.PREPARING:
            seat.phrase = _phrase(phrase)
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
    with _saving(), transaction.atomic():
        seen = battle_for(user, battle_id)
        battle = _locked(battle_id)
        own = seen.role is Role.PLAYER and seen.viewer.value == side and battle.stage == Stage.PREPARING
        if not own and seen.role is not Role.MODERATOR:
            raise PermissionDenied("only a moderator of this battle")
        if battle.stage == Stage.OVER:
            raise Refused(_("This battle is over."))
        changes: dict[str, Any] = {"user": None}
        if battle.stage == Stage.PREPARING:
            changes["phrase"] = ""
        Seat.objects.filter(battle=battle, side=side).update(**changes)


def _phrase(value: str) -> str:
    phrase = clean_name(value)
    if len(phrase) > LONGEST_PHRASE:
        raise Refused(_("This phrase is too long: %(most)s characters at most.") % {"most": LONGEST_PHRASE}, "phrase")
    return phrase


def set_phrase(*, user: User, battle_id: int, phrase: str) -> None:
    """Give or change the phrase of one's seat, until the battle opens."""
    with _saving(), transaction.atomic():
        seen = battle_for(user, battle_id)
        if seen.role is not Role.PLAYER:
            raise PermissionDenied("only a player of this battle")
        battle = _locked(battle_id)
        if battle.stage != Stage.PREPARING:
            raise Refused(_("This battle is open already: its phrases stand."), "phrase")
        Seat.objects.filter(battle=battle, user=user).update(phrase=_phrase(phrase))


def add_moderator(*, user: User, battle_id: int, moderator: User) -> Moderator:
    """Make somebody a moderator of a battle in which he has no seat and never had one while it runs."""
    with _saving(), transaction.atomic():
        battle = _for_moderator_or_admin(battle_id, user)
        if Seat.objects.filter(battle=battle, user=moderator).exists():
            raise Refused(_("A player cannot moderate the battle in which he sits."), "moderator")
        made, fresh = Moderator.objects.get_or_create(battle=battle, user=moderator, defaults={"made_by": user})
        if fresh:
            SeenBy.objects.get_or_create(battle=battle, user=moderator, viewer=Viewer.MODERATOR.value)
            logger.info("battle %s: user %s made user %s a moderator", battle.pk, user.pk, moderator.pk)
        return made


def remove_moderator(*, user: User, battle_id: int, moderator: User) -> None:
    """Take a moderator's office; one always remains."""
    with _saving(), transaction.atomic():
        battle = _for_moderator_or_admin(battle_id, user)
        if not Moderator.objects.filter(battle=battle).exclude(user=moderator).exists():
            raise Refused(_("A battle keeps at least one moderator."), "moderator")
        Moderator.objects.filter(battle=battle, user=moderator).delete()
        logger.info("battle %s: user %s removed the moderator %s", battle.pk, user.pk, moderator.pk)


# The opening


class _Opening(Command, frozen=True, kw_only=True, tag=OPENING):
    """The moderator opens the battle: the first entry of its log. Nobody can send it."""


def missing(battle: Battle) -> tuple[str, ...]:
    """What a battle still lacks before it can open, in the reader's language."""
    names = {side.value: battle.sides.get(side.value, {}).get("name") or side.value for side in SIDES}
    lacks = []
    if not battle.board or not all(battle.strips.get(side.value) for side in SIDES):
        lacks.append(_("A map is wanted."))
    for side in SIDES:
        if not battle.armies.get(side.value):
            lacks.append(_("%(side)s has no army.") % {"side": names[side.value]})
    for empty in Seat.objects.filter(battle=battle, user=None).order_by("-side").values_list("side", flat=True):
        lacks.append(_("%(side)s has no player.") % {"side": names[empty]})
    return tuple(lacks)


def open_battle(battle_id: int, user: User, now: datetime) -> Battle:
    """Open a battle: map and lists are frozen, units get opaque keys, deployment begins."""
    with _saving(), transaction.atomic():
        battle = _being_prepared(battle_id, user)
        if lacks := missing(battle):
            raise Refused(" ".join(lacks))
        rules = rules_of(battle)
        try:
            scenario = _scenario(battle, rules)
            events = rules.setup(scenario, _Dice(battle))
        except (IllegalCommand, InvalidCommand, ValueError, KeyError) as error:
            logger.warning("battle %s cannot open: %r", battle.pk, error)
            raise Refused(_("The rules do not accept this battle: look at its lists and parameters.")) from error
        battle.rules_version, battle.stage, battle.opened_at = rules.version, Stage.RUNNING, now
        asked = _Asked(battle.pk, _Opening(by=Actor.MODERATOR), uuid4(), user, now)
        _record(battle, None, events, asked, now=now)
        return battle


def _scenario(battle: Battle, rules: Ruleset) -> Scenario:
    """What the battle starts from. Keys are drawn at random, so that they tell neither order nor number."""
    units = tuple(
        msgspec.convert({**spec, "key": f"u{secrets.token_hex(5)}", "side": side.value}, UnitSpec)
        for side in SIDES
        for spec in battle.armies[side.value]
    )
    red, blue = (tuple(rules.grid.parse(label) for label in battle.strips[side.value]) for side in SIDES)
    return Scenario(
        board=Board(rows=tuple(battle.board)),
        strips=(red, blue),
        units=units,
        names={"battle": str(battle), **{side.value: battle.sides[side.value]["name"] for side in SIDES}},
        parameters=battle.parameters,
        attacker=Side(battle.attacker) if battle.attacker else None,
        seed_hash=battle.seed_hash,
        phrases=phrases(battle),
    )
