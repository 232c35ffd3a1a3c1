"""A log folded into a state, rewinds included."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from rules.core.errors import IllegalCommand
from rules.core.events import DeploymentSeen, DiceThrown, Event, Rewound
from rules.core.ruleset import Ruleset
from rules.core.rulings import Rewind
from rules.core.state import replace


class Entry(msgspec.Struct, frozen=True):
    """An event with its number in the log; `opens` if it is the first of its submission."""

    number: int
    event: Event
    opens: bool = True


class Fold:
    """Where a log leads: the state after each entry that stands, and which entries stand."""

    def __init__(self, ruleset: Ruleset, entries: Iterable[Entry] = (), *, state: Any = None) -> None:
        self.ruleset = ruleset
        self.state = state
        self._start = state
        self.standing: list[Entry] = []
        self.after: list[Any] = []
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Carry on by one entry; a rewind takes back what it abandons."""
        if isinstance(entry.event, Rewound):
            while self.standing and self.standing[-1].number >= entry.event.to:
                self.standing.pop()
                self.after.pop()
            self.state = taken_back(self.state, self.after[-1] if self.after else self._start)
        else:
            self.state = self.ruleset.evolve(self.state, entry.event)
        self.standing.append(entry)
        self.after.append(self.state)

    def before(self, number: int) -> Any:
        """The state before an entry that stands, as a rewind to it leaves the battle."""
        earlier = [state for entry, state in zip(self.standing, self.after, strict=True) if entry.number < number]
        return taken_back(self.state, earlier[-1] if earlier else self._start)


def taken_back(now: Any, earlier: Any) -> Any:
    """An earlier state to which a battle is taken back: names of questions and clocks are never used again."""
    if now is None or earlier is None:
        return earlier
    return replace(earlier, questions=now.questions, clock_restarts=now.clock_restarts)


def fold(ruleset: Ruleset, entries: Iterable[Entry], *, state: Any = None) -> Any:
    """The state that a log leads to."""
    return Fold(ruleset, entries, state=state).state


def revise(ruleset: Ruleset, entries: Iterable[Entry], ruling: Rewind) -> tuple[Event, ...]:
    """What a ruling on the history adds to the log [G-2].

    The rewind goes to the boundary before the submission that entry `to` belongs to. IllegalCommand if there is no
    such entry, if it lies in an abandoned part or in the opening, or if a throw or a reveal would be passed without
    confirmation.
    """
    whole = tuple(entries)
    standing = Fold(ruleset, whole).standing
    position = next((i for i, entry in enumerate(standing) if entry.number == ruling.to), None)
    if position is None:
        known = any(entry.number == ruling.to for entry in whole)
        raise IllegalCommand("entry_abandoned" if known else "no_such_entry", "G-2", {"number": ruling.to})
    while position > 0 and not standing[position].opens:
        position -= 1
    if position == 0:
        raise IllegalCommand("no_such_entry", "G-2", {"number": ruling.to})
    seen = any(isinstance(entry.event, (DiceThrown, DeploymentSeen)) for entry in standing[position:])
    if seen and not ruling.confirmed:
        raise IllegalCommand("confirm_rewind", "G-2", {"number": ruling.to})
    return (Rewound(rule="G-2", to=standing[position].number, author=ruling.author, reason=ruling.reason),)
