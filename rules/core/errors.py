"""How a command can fail before it changes anything."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

Figure = str | int | float


class InvalidCommand(Exception):
    """What the codec cannot read: the shape of a command is wrong (HTTP 400).

    `field` names the place in the command, `problem` says in English what is wrong there.
    """

    def __init__(self, problem: str, field: str = "") -> None:
        super().__init__(f"{field}: {problem}" if field else problem)
        self.problem = problem
        self.field = field


class UnknownField(InvalidCommand):
    """A field that a ruling names and cannot change."""


class IllegalCommand(Exception):
    """Understood, and a rule forbids it (HTTP 422).

    `key` is the specification's refusal key, `rule` the id of the rule, `figures` fill the message.
    """

    def __init__(self, key: str, rule: str, figures: Mapping[str, Figure] | None = None) -> None:
        super().__init__(f"{key} [{rule}]")
        self.key = key
        self.rule = rule
        self.figures: Mapping[str, Figure] = MappingProxyType(dict(figures or {}))


class UnknownEvent(Exception):
    """An entry of the log that this version of the program cannot read."""

    def __init__(self, kind: str, number: int | None = None) -> None:
        super().__init__(f"unknown event {kind!r}" + (f" in entry {number}" if number is not None else ""))
        self.kind = kind
        self.number = number
