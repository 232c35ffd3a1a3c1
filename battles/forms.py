"""One order read from a post: shape only, the rules check the rest. Fields are named as in rulebook T-16."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, get_args
from uuid import UUID

from rules.core.actors import Actor, Viewer
from rules.core.codec import read_command, tag
from rules.core.commands import Command, TimeExpired
from rules.core.errors import InvalidCommand
from rules.core.ruleset import Ruleset
from rules.core.rulings import Ruling

CONTROLS = frozenset({"csrfmiddlewaretoken", "command_id", "seen", "back"})
YES, NO = frozenset({"true", "on", "1", "yes"}), frozenset({"false", "off", "0", "no"})
LONGEST = 4000


class Order(NamedTuple):
    """A command with its id, the version of the board that it was made for, and the question that it answers."""

    command: Command
    command_id: UUID
    seen: int | None
    decision: str | None


def read_order(ruleset: Ruleset, viewer: Viewer, data: Mapping[str, Any]) -> Order:
    """What a player asks for; InvalidCommand names the field that makes no sense."""
    body = {key: str(data[key]) for key in data if key not in CONTROLS and str(data[key]) != ""}
    for key, value in body.items():
        if len(value) > LONGEST:
            raise InvalidCommand("this is too long", key)
        if any(0xD800 <= ord(letter) <= 0xDFFF or letter == "\0" for letter in value):
            raise InvalidCommand("this is no text", key)
    kind = _kind(ruleset, body.get("type", ""))
    named = body.get("decision")
    fields = {*kind.__struct_fields__, "type"} - {"by"}
    if "decision" not in fields:
        body.pop("decision", None)
    for key in body:
        if key not in fields:
            raise InvalidCommand("there is no such field", key)
    flags = {name for name, hint in kind.__annotations__.items() if "bool" in str(hint) or bool in get_args(hint)}
    command = {key: _flag(key, value) if key in flags else value for key, value in body.items()}
    return Order(
        read_command(ruleset, command, Actor(viewer.value)),
        read_id(data.get("command_id", "")),
        read_version(data.get("seen", "")),
        named,
    )


def _kind(ruleset: Ruleset, name: str) -> type[Command]:
    for kind in ruleset.commands:
        if tag(kind) == name and not issubclass(kind, (Ruling, TimeExpired)):
            return kind
    raise InvalidCommand("there is no such order", "type")


def _flag(field: str, value: str) -> bool:
    if value.lower() in YES:
        return True
    if value.lower() in NO:
        return False
    raise InvalidCommand("yes or no is wanted", field)


def read_id(text: Any) -> UUID:
    """The id of a command, made where the form is made."""
    try:
        return UUID(str(text))
    except ValueError as error:
        raise InvalidCommand("an id is wanted", "command_id") from error


def read_version(text: Any) -> int | None:
    """The version of the board that somebody saw, if he says one."""
    if str(text).strip() == "":
        return None
    digits = str(text).strip()
    if not (digits.lstrip("-").isascii() and digits.lstrip("-").isdigit()) or len(digits) > 12:
        raise InvalidCommand("a number is wanted", "seen")
    return int(digits)
