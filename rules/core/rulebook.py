"""What a book of rules is made of: rules, parameters and refusals, each with its id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Literal

import msgspec

from rules.core.text import gettext_noop


class Mark(Enum):
    """Where a rule comes from; a rule may bear several."""

    STATED = "stated"
    DEDUCED = "deduced"
    FOUND = "found"
    HOUSE = "house"


STATED, DEDUCED, FOUND, HOUSE = Mark.STATED, Mark.DEDUCED, Mark.FOUND, Mark.HOUSE


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule of a book: the id that events, refusals, pages and cases cite."""

    id: str
    title: str
    text: str
    marks: tuple[Mark, ...]
    parameters: tuple[str, ...] = ()
    waivable: bool = False

    @property
    def chapter(self) -> str:
        """The id of its chapter: `T-9` for `T-9.2`."""
        return self.id.split(".")[0]


def rule(
    id: str, title: str, text: str, *marks: Mark, parameters: tuple[str, ...] = (), waivable: bool = False
) -> Rule:
    """Write a rule down."""
    return Rule(id=id, title=title, text=text, marks=marks, parameters=parameters, waivable=waivable)


class Chapter(msgspec.Struct, frozen=True):
    """A chapter's id and title."""

    id: str
    title: str


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """A value that the moderator may change when the battle is created.

    `name` is a field of the ruleset's parameters struct; numbers lie between `minimum` and `maximum`.
    """

    name: str
    title: str
    rule: str
    kind: Literal["integer", "halves", "flag", "choice"]
    default: int | float | bool | str
    minimum: float = 0
    maximum: float = 0
    choices: tuple[tuple[str, str], ...] = ()


class Refusal(msgspec.Struct, frozen=True):
    """Why a command is refused: the key, the rule that it names by default, and the message with its figures."""

    key: str
    rule: str
    text: str


class Rulebook:
    """All of one book, by id, in the book's order."""

    def __init__(
        self,
        *,
        chapters: Iterable[Chapter],
        rules: Iterable[Rule],
        parameters: Iterable[Parameter] = (),
        refusals: Iterable[Refusal] = (),
    ) -> None:
        self.chapters = tuple(chapters)
        self.rules: Mapping[str, Rule] = MappingProxyType({r.id: r for r in (*rules, *CORE_RULES)})
        self.parameters: Mapping[str, Parameter] = MappingProxyType({p.name: p for p in parameters})
        self.refusals: Mapping[str, Refusal] = MappingProxyType({r.key: r for r in (*refusals, *CORE_REFUSALS)})


CONDUCT = rule(
    "G-1",
    gettext_noop("Conduct and clocks"),
    gettext_noop(
        "The server's clock decides what is in time. The moderator may stop it, let it go on, give more time, "
        "start it anew, and hand the turn over."
    ),
    HOUSE,
)
RULINGS = rule(
    "G-2",
    gettext_noop("Rulings"),
    gettext_noop(
        "A moderator's ruling is an entry in the log with its author, its reason, and what stood before and after. "
        "Nothing of the log is ever deleted: after a rewind the abandoned part stays readable."
    ),
    HOUSE,
)
DISPUTES = rule(
    "G-3",
    gettext_noop("Disputes"),
    gettext_noop("A player may dispute an entry of the log once; the moderator's answer is final."),
    HOUSE,
)
DICE = rule(
    "G-4",
    gettext_noop("Dice"),
    gettext_noop(
        "Every throw comes from a secret seed whose hash is shown at the opening and which is shown itself at the end, "
        "so that anybody can check every die afterwards."
    ),
    HOUSE,
)
CORE_RULES = (CONDUCT, RULINGS, DISPUTES, DICE)

CORE_REFUSALS = (
    Refusal("moderator_only", "G-2", gettext_noop("Only the moderator may give this ruling.")),
    Refusal("reason_required", "G-2", gettext_noop("A ruling needs a reason: both sides will read it.")),
    Refusal("no_such_field", "G-2", gettext_noop("A ruling cannot change the field %(field)s.")),
    Refusal("bad_value", "G-2", gettext_noop("%(field)s cannot be %(value)s.")),
    Refusal(
        "impossible_state", "G-2", gettext_noop("The ruling would leave %(unit)s in an impossible state: %(field)s.")
    ),
    Refusal("no_such_entry", "G-2", gettext_noop("There is no entry %(number)s to rewind to.")),
    Refusal("entry_abandoned", "G-2", gettext_noop("Entry %(number)s lies in an abandoned part of the log.")),
    Refusal(
        "confirm_rewind",
        "G-2",
        gettext_noop("What was thrown or revealed after entry %(number)s has been seen. Confirm the rewind."),
    ),
    Refusal("no_clock_runs", "G-1", gettext_noop("No clock is running.")),
    Refusal("clock_runs", "G-1", gettext_noop("The clock is running already.")),
)
