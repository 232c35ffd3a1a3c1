"""How a command comes into the log: its events numbered, chained and folded, with all that is kept of them."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from accounts.models import User
from battles.models import Battle, LogEntry, Snapshot, Submission, Turn
from battles.publishing import announce
from battles.selectors import NUMBERS, rules_of, version_for
from battles.services import deadlines
from battles.services.dice import seed_of
from battles.services.fold import save_fold
from rules.core.actors import EVERYONE, MODERATOR_ONLY, Actor, Side, Viewer
from rules.core.codec import plain, read_event, tag, text
from rules.core.commands import Command
from rules.core.events import BattleEnded, DiceThrown, Event, Rewound, SeedRevealed
from rules.core.rulebook import DICE
from rules.core.ruleset import Ruleset

SNAPSHOT_EVERY = 100
COUNTED = (Viewer.RED, Viewer.BLUE, Viewer.PUBLIC)


class Asked(NamedTuple):
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
        return {key: value for key, value in plain(self.command).items() if key != "by"}


class Receipt(NamedTuple):
    """What became of a command: its entries by the numbers of who sent it, his version then, and whether it was a
    repeat. `first` and `last` are None if it led to nothing that he may see."""

    first: int | None
    last: int | None
    version: int
    repeated: bool = False


def record(
    battle: Battle,
    state: Any,
    events: Sequence[Event],
    asked: Asked,
    *,
    now: datetime,
    before: Callable[[int], Any] | None = None,
) -> Receipt:
    """Add events to the log, and to everything that is its fold, in the running transaction.

    `state` is where the battle stands, None at its opening; `before` gives the state before an entry, for a rewind.
    """
    rules = rules_of(battle)
    told = [as_stored(rules, event) for event in events]
    if any(isinstance(event, BattleEnded) for event in told):
        told.append(_seed_told(battle))
    telling = _Telling(battle, state, asked, now)
    for event in told:
        if not isinstance(event, Rewound):
            telling.happen(event)
        elif before is not None:
            telling.rewind(event, before(event.to))
        else:
            raise RuntimeError("a rewind comes from a ruling on the history only")
    if state is None:
        telling.keep_turn()
    receipt = telling.save()
    save_fold(battle, state, telling.state, now)
    rewound = before is not None
    if rewound or state is None or telling.state.timers != state.timers:
        deadlines.agree(battle, telling.state, now, anew=rewound)
    fault_point("before_commit")
    transaction.on_commit(partial(fault_point, "after_commit"))
    if told:
        answered = None if asked.user is None else asked.viewer
        heard = frozenset[Viewer]().union(*(event.seen_by for event in told))
        transaction.on_commit(partial(announce, battle.pk, heard, answered), robust=True)
    return receipt


class _Telling:
    """Events on their way into the log, one by one; where they lead, and what is to be saved of them."""

    def __init__(self, battle: Battle, state: Any, asked: Asked, now: datetime) -> None:
        self.battle, self.state, self.asked, self.now = battle, state, asked, now
        self.rules = rules_of(battle)
        self.submission = Submission(
            battle=battle,
            user=asked.user,
            command_id=asked.command_id,
            actor=asked.command.by.value,
            body=asked.body,
            received_at=asked.at,
        )
        last = LogEntry.objects.filter(battle=battle, number=battle.version)
        self.digest = last.values_list("digest", flat=True).first() or ""
        self.entries: list[LogEntry] = []
        self.turns: list[Turn] = []
        self.snapshots: dict[int, Any] = {}

    def happen(self, event: Event) -> None:
        """An event takes place."""
        by = Actor.CLOCK if self.entries else self.asked.command.by
        side = _side_of(event, self.state, by)
        self.state = self.rules.evolve(self.state, event)
        if isinstance(event, DiceThrown):
            self.battle.throws = event.number
        self._enter(event, side=side)
        if self.state.turn != self.battle.turn:
            self.keep_turn()
        elif self.battle.version % SNAPSHOT_EVERY == 0:
            self._keep_state()
        self.battle.turn = self.state.turn

    def rewind(self, event: Rewound, state: Any) -> None:
        """The log goes on from a state before; what came after it is abandoned."""
        self.state = state
        self._enter(event, places=_abandon(self.battle, event.to))
        self._keep_state()
        self.battle.turn = state.turn

    def keep_turn(self) -> None:
        """A turn has begun with the last entry."""
        begun = Turn(
            battle=self.battle,
            number=self.state.turn,
            entry=self.battle.version,
            state=plain(self.state),
            started_at=self.now,
        )
        self.turns.append(begun)
        self._keep_state()

    def _keep_state(self) -> None:
        self.snapshots[self.battle.version] = self.state

    def _enter(self, event: Event, *, side: str = "", places: dict[str, int] | None = None) -> None:
        """Give an event its numbers and its link in the chain."""
        self.battle.version += 1
        numbers = {viewer: _next_no(self.battle, viewer) if viewer in event.seen_by else None for viewer in COUNTED}
        entry = LogEntry(
            battle=self.battle,
            number=self.battle.version,
            red_no=numbers[Viewer.RED],
            blue_no=numbers[Viewer.BLUE],
            public_no=numbers[Viewer.PUBLIC],
            kind=tag(type(event)),
            rule=event.rule,
            body=plain(event),
            actor=self.asked.command.by.value,
            user=self.asked.user,
            side=side,
            at=self.asked.at,
            turn=self.state.turn,
            submission=self.submission,
            places=places,
        )
        entry.digest = self.digest = entry_digest(self.digest, entry)
        self.entries.append(entry)

    def save(self) -> Receipt:
        """Write the command, its entries, the turns and snapshots; what its sender gets for it."""
        viewer = self.asked.viewer
        own = [no for entry in self.entries if (no := getattr(entry, NUMBERS[viewer])) is not None]
        receipt = Receipt(own[0] if own else None, own[-1] if own else None, version_for(self.battle, viewer))
        if self.entries:
            self.submission.first, self.submission.last = self.entries[0].number, self.entries[-1].number
        self.submission.answer = {"first": receipt.first, "last": receipt.last, "version": receipt.version}
        self.submission.save(force_insert=True)
        LogEntry.objects.bulk_create(self.entries)
        Turn.objects.bulk_create(self.turns)
        Snapshot.objects.bulk_create(
            Snapshot(battle=self.battle, entry=number, state=plain(state)) for number, state in self.snapshots.items()
        )
        return receipt


def as_stored(rules: Ruleset, event: Event) -> Event:
    """An event as it will be read again, so that what is folded now and later is the same to the last 3 or 3.0."""
    return read_event(rules, plain(event))


def entry_digest(previous: str, entry: LogEntry) -> str:
    """The link that an entry adds to the chain of the log: it changes with anything in it or before it."""
    parts = (
        entry.number, entry.red_no, entry.blue_no, entry.public_no, entry.kind, entry.rule, entry.body, entry.actor,
        entry.user_id, entry.side, entry.at.timestamp(), entry.turn, entry.places,
    )  # fmt: skip
    return hashlib.sha256(previous.encode() + text(parts)).hexdigest()


def _next_no(battle: Battle, viewer: Viewer) -> int:
    """The viewer's next line number."""
    number = version_for(battle, viewer) + 1
    setattr(battle, NUMBERS[viewer], number)
    return number


def _seed_told(battle: Battle) -> SeedRevealed:
    """The seed, at the end; for the moderator alone if the campaign keeps secrets."""
    audience = MODERATOR_ONLY if battle.campaign.keep_secrets else EVERYONE
    return SeedRevealed(rule=DICE.id, seed=seed_of(battle).hex(), seen_by=audience)


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


def _abandon(battle: Battle, to: int) -> dict[str, int]:
    """Mark what a rewind leaves behind; from which of its own numbers on that is for each viewer."""
    kept = LogEntry.objects.filter(battle=battle, number__lt=to)
    numbers = kept.aggregate(red=Max("red_no"), blue=Max("blue_no"), public=Max("public_no"))
    LogEntry.objects.filter(battle=battle, number__gte=to, abandoned=False).update(abandoned=True)
    Turn.objects.filter(battle=battle, entry__gte=to, abandoned=False).update(abandoned=True)
    Snapshot.objects.filter(battle=battle, entry__gte=to, abandoned=False).update(abandoned=True)
    return {viewer: (newest or 0) + 1 for viewer, newest in numbers.items()}


def fault_point(name: str) -> None:
    """Die here if the settings say so: only the tests of faults set it."""
    if settings.FAULT_POINT == name:
        os.kill(os.getpid(), signal.SIGKILL)
