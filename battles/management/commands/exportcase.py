"""Make a case file of a moment of a battle, so that a dispute becomes a test."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from battles.models import Battle, LogEntry
from battles.selectors import read_entries, rules_of, state_at
from rules import cases
from rules.core import codec
from rules.core.actors import Actor
from rules.core.errors import InvalidCommand, UnknownEvent
from rules.core.events import DiceThrown, Event, ResolutionPaused, Rewound, SeedRevealed
from rules.core.ruleset import Ruleset
from rules.registry import WRITINGS

NOT_TOLD_BY_RULES = (ResolutionPaused, SeedRevealed)
NOT_THE_CASES = ("seen_by", "author")


class Command(BaseCommand):
    """`manage.py exportcase BATTLE ENTRY`: the position before the order that entry came of, the order, its events."""

    help = "Write the order behind a log entry, with the position before it and what came of it, as a case file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which battle, which entry of the moderator's log, and where to."""
        parser.add_argument("battle", type=int, help="the battle's number, as in its address")
        parser.add_argument("entry", type=int, help="an entry of the log, by the moderator's number")
        parser.add_argument("--output", metavar="FILE", help="where to write it; otherwise it is printed")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the case, and say so if it does not hold under the rules of today."""
        battle = Battle.objects.filter(pk=options["battle"]).first()
        if battle is None:
            raise CommandError(f"there is no battle {options['battle']}")
        text = self._case(battle, options["entry"])
        if options["output"]:
            path = Path(options["output"])
            path.write_text(text, encoding="utf-8")
            self._try(path)
        else:
            self.stdout.write(text, ending="")

    def _try(self, path: Path) -> None:
        for case in cases.read_cases(path):
            for difference in cases.run(case).differences:
                self.stderr.write(f"The case does not hold by the rules as they are now: {difference}")

    def _case(self, battle: Battle, number: int) -> str:
        entry = LogEntry.objects.select_related("submission").filter(battle=battle, number=number).first()
        if entry is None:
            raise CommandError(f"battle {battle.pk} has no entry {number}")
        rows = LogEntry.objects.filter(battle=battle, submission=entry.submission).order_by("number")
        rules = rules_of(battle)
        try:
            events = [read.event for read in read_entries(battle, rows)]
        except UnknownEvent as error:
            raise CommandError(f"entry {number} cannot be read by this version: {error}") from error
        first = rows[0].number
        if first == 1:
            raise CommandError(f"entry {number} belongs to the opening: there is no order behind it")
        if any(isinstance(event, Rewound) for event in events):
            raise CommandError(f"entry {number} is a rewind: a case begins with one position and has no history")
        before = state_at(battle, first - 1)
        told = [event for event in events if not isinstance(event, NOT_TOLD_BY_RULES)]
        table: dict[str, Any] = {
            "id": f"battle-{battle.pk}-entry-{number}",
            "rules": sorted({event.rule for event in told if event.rule in rules.book.rules}),
            "note": f"{battle.name}, entry {number}",
            "ruleset": battle.ruleset,
            "mirror": False,
            **self._position(battle.ruleset, rules, before),
        }
        if dice := [face for event in events if isinstance(event, DiceThrown) for face in loaded(event)]:
            table["dice"] = dice
        table["do"] = [{"by": entry.submission.actor, "command": self._command(rules, entry.submission)}]
        table["expect"] = {"events": [expected(event, rules) for event in told]}
        return cases.write_case(table)

    def _position(self, name: str, rules: Ruleset, before: Any) -> dict[str, Any]:
        """A picture where one gives back the same state; otherwise the state as it is stored."""
        writing = WRITINGS.get(name)
        if writing is None:
            raise CommandError(f"cases of {name} cannot be written yet")
        table = writing.describe(before)
        if writing.position(table) == before:
            return table
        return {"state": codec.text(before).decode()}

    def _command(self, rules: Ruleset, submission: Any) -> dict[str, Any]:
        body = {key: value for key, value in submission.body.items() if key not in ("author", "by")}
        try:
            command = codec.read_command(rules, body, Actor(submission.actor))
        except InvalidCommand as error:
            raise CommandError(f"the order cannot be read by this version: {error}") from error
        shown = codec.labelled(command, rules.grid)
        return {key: value for key, value in shown.items() if key not in ("author", "by") and value is not None}


def loaded(event: DiceThrown) -> list[int]:
    """The faces that make loaded dice show the same; lots as positions among what is left."""
    if not event.picks:
        return list(event.faces)
    rest, positions = list(range(event.die)), []
    for pick in event.picks:
        positions.append(rest.index(pick) + 1)
        rest.remove(pick)
    return positions


def expected(event: Event, rules: Ruleset) -> dict[str, Any]:
    """What a case expects of an event: all of it but its audience, its author and a throw's number in the battle."""
    hidden = (*NOT_THE_CASES, "number") if isinstance(event, DiceThrown) else NOT_THE_CASES
    shown = codec.labelled(event, rules.grid)
    return {key: value for key, value in shown.items() if key not in hidden and value is not None}
