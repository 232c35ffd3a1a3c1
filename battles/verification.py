"""Whether a battle is what its log says: every die, every entry, and all that is stored as the log's fold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from django.db.models import prefetch_related_objects

from battles.models import OPEN_DEADLINE, Battle, Deadline, LogEntry, Snapshot, Stage, Submission, Turn, Unit
from battles.selectors import HIDDEN_PHASES, read_entries, rules_of
from battles.services import OPENING, UNIT_FIELDS, as_stored, awaited, entry_digest, salt_of, seed_of, unit_rows
from rules.core.actors import Actor, Viewer
from rules.core.codec import plain, read_command, read_event, tag, text
from rules.core.dice import SeededDice, faces, lots, seed_hash
from rules.core.errors import IllegalCommand, InvalidCommand, UnknownEvent
from rules.core.events import BattleOpened, DiceThrown, Event, SeedRevealed
from rules.core.replay import Entry, Fold, revise
from rules.core.ruleset import Ruleset
from rules.core.rulings import Rewind


class Problem(NamedTuple):
    """What is wrong, and with which entry (0: with none)."""

    entry: int
    what: str

    def __str__(self) -> str:
        return f"entry {self.entry}: {self.what}" if self.entry else self.what


def verify(battle_id: int, *, decide: bool = False) -> tuple[Problem, ...]:
    """Everything that doesn't agree, in the order of the log; Battle.DoesNotExist if there is no such battle.

    With `decide` the commands are decided again by this version of the rules as well.
    """
    battle = Battle.objects.select_related("campaign").get(pk=battle_id)
    if battle.stage == Stage.PREPARING:
        return tuple(_seed(battle, seed_of(battle)))
    check = _Check(battle)
    problems = [*check.log(), *check.stored()]
    if decide and not problems:
        problems = list(check.decided_again())
    return tuple(problems)


def _seed(battle: Battle, seed: bytes) -> Iterator[Problem]:
    if seed_hash(seed) != battle.seed_hash:
        yield Problem(1 if battle.version else 0, "the stored seed doesn't have the hash that was shown at the opening")


class _Check:
    """One battle's log, read once, and where it leads."""

    def __init__(self, battle: Battle) -> None:
        self.battle = battle
        self.rules: Ruleset = rules_of(battle)
        self.seed = seed_of(battle)
        self.salt = salt_of(battle)
        self.rows = list(LogEntry.objects.filter(battle=battle).order_by("number"))
        self.fold = Fold(self.rules)
        self.states: dict[int, Any] = {}
        self.throws = 0
        self.seen = {Viewer.RED: 0, Viewer.BLUE: 0, Viewer.PUBLIC: 0}
        self.whole = True

    def log(self) -> Iterator[Problem]:
        """The entries one by one: numbers, chain, dice, and whether each can be applied."""
        yield from _seed(self.battle, self.seed)
        previous, digest, submission = 0, "", None
        for row in self.rows:
            if row.number != previous + 1:
                self.whole = False
                yield Problem(previous + 1, "is missing")
                return
            previous = row.number
            if entry_digest(digest, row) != row.digest:
                yield Problem(row.number, "is not what was recorded: its digest differs")
            digest = row.digest
            try:
                event = read_event(self.rules, row.body, row.number)
            except UnknownEvent as error:
                self.whole = False
                yield Problem(row.number, f"cannot be read: {error}")
                return
            yield from self._columns(row, event)
            yield from self._dice(row, event)
            try:
                self.fold.add(Entry(row.number, event, row.submission_id != submission))
            except Exception as error:
                self.whole = False
                yield Problem(row.number, f"cannot be applied: {error!r}")
                return
            submission = row.submission_id
            self.states[row.number] = self.fold.state
            if row.turn != self.fold.state.turn:
                yield Problem(row.number, f"stands under turn {row.turn}, but belongs to turn {self.fold.state.turn}")
        if previous != self.battle.version:
            self.whole = False
            yield Problem(previous + 1, f"is missing: the battle has {self.battle.version} entries")

    def _columns(self, row: LogEntry, event: Event) -> Iterator[Problem]:
        if (row.kind, row.rule) != (tag(type(event)), event.rule):
            yield Problem(row.number, "kind or rule differ from the event")
        for viewer in self.seen:
            number = getattr(row, f"{viewer.value}_no")
            if viewer in event.seen_by:
                self.seen[viewer] += 1
            if number != (self.seen[viewer] if viewer in event.seen_by else None):
                yield Problem(row.number, f"has the wrong number for {viewer.value}: {number}")

    def _dice(self, row: LogEntry, event: Event) -> Iterator[Problem]:
        if isinstance(event, (BattleOpened, SeedRevealed)):
            shown = event.seed_hash if isinstance(event, BattleOpened) else seed_hash(bytes.fromhex(event.seed))
            if shown != seed_hash(self.seed):
                yield Problem(row.number, "names another seed than the one that is stored")
        if not isinstance(event, DiceThrown):
            return
        self.throws += 1
        if event.number != self.throws:
            yield Problem(row.number, f"is throw {event.number}, but throw {self.throws} was due")
        if event.picks:
            given = lots(self.seed, self.salt, event.number, event.die, len(event.picks))
        else:
            given = faces(self.seed, self.salt, event.number, len(event.faces), event.die)
        shown_faces = event.picks or event.faces
        if given != shown_faces:
            yield Problem(
                row.number, f"throw {event.number} shows {list(shown_faces)}, but the seed gives {list(given)}"
            )

    def stored(self) -> Iterator[Problem]:
        """All that is kept as the fold of the log, against the fold."""
        if not self.whole:
            return
        battle, state = self.battle, self.fold.state
        last = battle.version
        if text(battle.state) != text(plain(state)):
            ours, theirs = msgspec.json.decode(text(state)), battle.state if isinstance(battle.state, dict) else {}
            fields = sorted(k for k in {*ours, *theirs} if ours.get(k) != theirs.get(k))
            yield Problem(last, f"the stored state differs from what the log leads to, in {', '.join(fields)}")
        outcome = state.outcome
        expected = {
            "red_no": self.seen[Viewer.RED],
            "blue_no": self.seen[Viewer.BLUE],
            "public_no": self.seen[Viewer.PUBLIC],
            "throws": self.throws,
            "turn": state.turn,
            "phase": state.phase.name,
            "awaited": awaited(state),
            "stage": Stage.OVER.value if outcome else Stage.RUNNING.value,
            "winner": outcome.winner.value if outcome and outcome.winner else None,
            "reason": outcome.reason if outcome else "",
        }
        for field, value in expected.items():
            if getattr(battle, field) != value:
                yield Problem(last, f"the battle's {field} is {getattr(battle, field)!r}, but the log gives {value!r}")
        yield from self._abandoned()
        yield from self._turns()
        yield from self._units(state)
        yield from self._clocks(state)

    def _abandoned(self) -> Iterator[Problem]:
        standing = {entry.number for entry in self.fold.standing}
        for row in self.rows:
            if row.abandoned == (row.number in standing):
                yield Problem(row.number, "is marked abandoned wrongly, or ought to be")

    def _turns(self) -> Iterator[Problem]:
        kept: list[Turn | Snapshot] = [
            *Turn.objects.filter(battle=self.battle),
            *Snapshot.objects.filter(battle=self.battle),
        ]
        for row in kept:
            what = f"turn {row.number}" if isinstance(row, Turn) else "snapshot"
            if row.entry not in self.states:
                yield Problem(row.entry, f"the {what} names an entry that isn't there")
            elif text(row.state) != text(plain(self.states[row.entry])):
                yield Problem(row.entry, f"the state kept for the {what} differs from what the log leads to")
        known = {turn.entry for turn in kept if isinstance(turn, Turn)}
        before = None
        for entry in self.rows:
            turn = self.states[entry.number].turn
            started = before is not None and turn != before and entry.kind != "rewound"
            if started and entry.number not in known:
                yield Problem(entry.number, f"began turn {turn}, which is not kept")
            before = turn

    def _units(self, state: Any) -> Iterator[Problem]:
        last = self.battle.version
        rows = {row.key: row for row in Unit.objects.filter(battle=self.battle)}
        expected = [] if state.phase.name in HIDDEN_PHASES else unit_rows(self.battle, state)
        for unit in expected:
            row = rows.pop(unit.key, None)
            if row is None:
                yield Problem(last, f"the row of unit {unit.key} ({unit.name}) is missing")
                continue
            differ = [f for f in UNIT_FIELDS if text(getattr(row, f)) != text(getattr(unit, f))]
            if differ:
                yield Problem(last, f"the row of unit {unit.key} ({unit.name}) differs in {', '.join(differ)}")
        for row in rows.values():
            yield Problem(last, f"the row of unit {row.key} ({row.name}) ought not to be there")

    def _clocks(self, state: Any) -> Iterator[Problem]:
        rows = Deadline.objects.filter(OPEN_DEADLINE, battle=self.battle)
        kept = sorted((row.key, row.seconds, row.running) for row in rows)
        running = sorted((timer.key, timer.seconds, timer.running) for timer in state.timers)
        if kept != running:
            yield Problem(self.battle.version, f"the clocks are {kept}, but the log gives {running}")

    def decided_again(self) -> Iterator[Problem]:
        """The first entry that these rules would not tell as it was told."""
        submissions = list(Submission.objects.filter(battle=self.battle).order_by("first", "pk"))
        prefetch_related_objects(submissions, "entries")
        throws, state, entries = 0, None, read_entries(self.battle, self.rows)
        for submission in submissions:
            rows = sorted(submission.entries.all(), key=lambda row: row.number)
            told = [row.body for row in rows if row.kind != "seed_revealed"]
            if submission.body["type"] != OPENING and rows:
                dice = SeededDice(self.seed, self.salt, throws)
                told_now = self._again(submission, state, dice, entries, rows[0].number)
                again = [plain(as_stored(self.rules, event)) for event in told_now]
                for place, (was, now) in enumerate(zip(told, again, strict=False)):
                    if text(was) != text(now):
                        yield Problem(rows[place].number, f"would be {now['type']} now, was {was['type']}")
                        return
                if len(told) != len(again):
                    first = min(len(told), len(again))
                    number = rows[first].number if first < len(rows) else rows[-1].number
                    yield Problem(number, f"{len(again)} events would be told now, {len(told)} were")
                    return
            throws += sum(row.kind == "dice_thrown" for row in rows)
            if rows:
                state = self.states[rows[-1].number]

    def _again(
        self, submission: Submission, state: Any, dice: SeededDice, entries: tuple[Entry, ...], first: int
    ) -> tuple[Event, ...]:
        body = {key: value for key, value in submission.body.items() if key != "author"}
        try:
            command = read_command(self.rules, body, Actor(submission.actor))
            if author := submission.body.get("author"):
                command = msgspec.structs.replace(command, author=author)
            if isinstance(command, Rewind):
                return revise(self.rules, entries[: first - 1], command)
            return self.rules.decide(state, command, dice)
        except (IllegalCommand, InvalidCommand):
            return ()
