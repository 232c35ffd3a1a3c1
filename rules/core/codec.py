"""Commands, events and states to JSON and back."""

from __future__ import annotations

from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

from rules.core.actors import Actor
from rules.core.commands import Command
from rules.core.errors import InvalidCommand, UnknownEvent
from rules.core.events import Event
from rules.core.grid import Cell, Grid
from rules.core.ruleset import Ruleset


def plain(value: Any) -> Any:
    """A struct as JSON-able data in an order of its own, so that equal values give equal bytes."""
    return msgspec.to_builtins(value, order="deterministic")


def text(value: Any) -> bytes:
    """A struct as canonical JSON."""
    return msgspec.json.encode(value, order="deterministic")


def tag(kind: type[msgspec.Struct]) -> str:
    """The `type` by which a command, event or step is known outside the program."""
    return str(kind.__struct_config__.tag)


@lru_cache(maxsize=64)
def _by_tag(kinds: tuple[type[msgspec.Struct], ...]) -> dict[str, type[msgspec.Struct]]:
    return {tag(kind): kind for kind in kinds}


def read_event(ruleset: Ruleset, data: Any, number: int | None = None) -> Event:
    """A stored event; UnknownEvent if this version cannot read it."""
    kind: type[Any] | None = _by_tag(ruleset.events).get(data.get("type", "") if isinstance(data, dict) else "")
    if kind is None:
        raise UnknownEvent(str(data.get("type")) if isinstance(data, dict) else repr(data)[:40], number)
    try:
        event: Event = msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise UnknownEvent(f"{data['type']}: {error}", number) from error
    return event


def read_state(ruleset: Ruleset, data: Any) -> Any:
    """A stored state."""
    return msgspec.convert(data, ruleset.state_type)


def read_command(ruleset: Ruleset, data: Any, by: Actor) -> Command:
    """What somebody asks, from JSON; cells may be given by their labels. InvalidCommand names the field."""
    if not isinstance(data, dict):
        raise InvalidCommand("an object is wanted")
    name = data.get("type")
    kind: type[Any] | None = _by_tag(ruleset.commands).get(name) if isinstance(name, str) else None
    if kind is None:
        raise InvalidCommand("no such command", "type")
    if "by" in data or "author" in data:
        raise InvalidCommand("who asks is not said in the command", "by" if "by" in data else "author")
    try:
        body = {key: _labels_read(ruleset.grid, value, hint) for (key, value, hint) in _hinted(kind, data)}
        command: Command = msgspec.convert({**body, "by": by.value}, kind)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$.")
        raise InvalidCommand(problem, path.rstrip("`")) from error
    return command


def _hinted(kind: type, data: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    hints = _hints(kind)
    return [(key, value, hints.get(key)) for key, value in data.items() if isinstance(key, str)]


@lru_cache(maxsize=256)
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def holds_cells(hint: Any) -> bool:
    """Whether a field of this type holds a cell or several."""
    return hint is Cell or any(holds_cells(part) for part in get_args(hint))


def _labels_read(grid: Grid, value: Any, hint: Any) -> Any:
    if hint is None or not holds_cells(hint):
        return value
    if isinstance(value, str):
        if get_origin(hint) is tuple:  # a path typed as one text: "C5 C4"
            return [_labels_read(grid, part, Cell) for part in value.replace(",", " ").split()]
        if value == "" and get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint):
            return None
        try:
            return list(grid.parse(value))
        except ValueError as error:
            raise InvalidCommand(str(error), "cell") from error
    if isinstance(value, list) and get_origin(hint) is tuple:
        return [_labels_read(grid, part, Cell) for part in value]
    return value


def labelled(value: Any, grid: Grid) -> Any:
    """Plain data in which cells are labels: for case files, exports and messages."""
    if isinstance(value, Cell):
        return grid.label(value)
    if isinstance(value, msgspec.Struct):
        items: dict[str, Any] = {f: labelled(getattr(value, f), grid) for f in value.__struct_fields__}
        if value.__struct_config__.tag:
            items = {"type": tag(type(value)), **items}
        return items
    if isinstance(value, dict):
        return {labelled(k, grid): labelled(v, grid) for k, v in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((labelled(v, grid) for v in value), key=str)
    if isinstance(value, (list, tuple)):
        return [labelled(v, grid) for v in value]
    return plain(value)
