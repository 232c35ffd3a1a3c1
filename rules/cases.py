"""Case files: a position, orders and what must come of them, read from TOML and played by the engine.

A case is settled when every order was taken or refused as it says, every expectation holds, and the events that were
told survive the log: read back they lead to the same state, and each names a rule of the book.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from rules.core import codec
from rules.core.actors import SIDES, Actor, Side, Viewer
from rules.core.commands import Command
from rules.core.dice import LoadedDice, NoDice
from rules.core.errors import IllegalCommand, InvalidCommand, UnknownEvent
from rules.core.events import Event
from rules.core.replay import Entry, Fold, revise
from rules.core.ruleset import Ruleset
from rules.core.rulings import Rewind
from rules.registry import DEFAULT, RULESETS, WRITINGS, ruleset


class CaseError(ValueError):
    """A case that cannot be read: the file, the case and what is wrong there."""


CASE_KEYS = frozenset({"id", "rules", "example", "pair", "note", "ruleset", "dice", "state", "mirror", "do", "expect"})
DO_KEYS = frozenset({"by", "command", "refused", "refused_rule", "figures", "invalid", "expect"})
EXPECT_KEYS = frozenset(
    "events events_exactly no_events setup units turn mover phase outcome decisions timers ready retreating melees "
    "army report seen knows options state".split()
)
ANY_ORDER = frozenset({"hits", "seen_by", "about", "blocks"})
CLOSED = "none"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One situation: where it is written, what it proves, and its table."""

    id: str
    path: Path
    ruleset: str
    rules: tuple[str, ...]
    examples: tuple[int, ...]
    pair: str
    mirror: bool
    table: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What came of a case: passed if there is no difference; all events that were told, the opening's first."""

    case: Case
    differences: tuple[str, ...]
    events: tuple[Event, ...]

    @property
    def passed(self) -> bool:
        """Whether everything came as the case says."""
        return not self.differences


# reading


def read_cases(path: Path) -> list[Case]:
    """The cases of a file; CaseError if it is not a case file."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CaseError(f"{path}: {error}") from error
    unknown = sorted(data.keys() - {"case", "ruleset"})
    if unknown:
        raise CaseError(f"{path}: unknown key {', '.join(unknown)}; a file holds [[case]] tables")
    tables = data.get("case", [])
    if not isinstance(tables, list) or not tables:
        raise CaseError(f"{path}: there is no [[case]]")
    cases = [_read(path, table, str(data.get("ruleset", path.resolve().parent.name))) for table in tables]
    twice = sorted({case.id for case in cases if sum(other.id == case.id for other in cases) > 1})
    if twice:
        raise CaseError(f"{path}: two cases are called {', '.join(twice)}")
    return cases


def _read(path: Path, table: Mapping[str, Any], file_ruleset: str) -> Case:
    id = table.get("id")
    if not isinstance(id, str) or not id.strip():
        raise CaseError(f"{path}: a case has no id")
    where = f"{path}: {id}"
    name = str(table.get("ruleset", file_ruleset if file_ruleset in WRITINGS else DEFAULT))
    if name not in WRITINGS:
        raise CaseError(f"{where}: there is no ruleset {name!r}")
    _known(where, table, CASE_KEYS | WRITINGS[name].keys)
    if not table.get("do") and not table.get("expect"):
        raise CaseError(f"{where}: neither do nor expect: it would prove nothing")
    book = RULESETS[name].book
    rules = table.get("rules", [])
    if not isinstance(rules, list) or not rules:
        raise CaseError(f"{where}: rules names no rule")
    for rule in rules:
        if rule not in book.rules:
            raise CaseError(f"{where}: rules: {rule!r} is not in the book")
    expectations = [table.get("expect", {})]
    for step in table.get("do", []):
        _known(f"{where}: do", step, DO_KEYS)
        if "command" not in step or "by" not in step:
            raise CaseError(f"{where}: do: command and by are wanted")
        if step["by"] not in {actor.value for actor in Actor}:
            raise CaseError(f"{where}: do: by {step['by']!r}")
        if "refused" in step and step["refused"] not in book.refusals:
            raise CaseError(f"{where}: do: {step['refused']!r} is no refusal of the book")
        if {"refused_rule", "figures"} & step.keys() and "refused" not in step:
            raise CaseError(f"{where}: do: refused_rule and figures belong to refused")
        expectations.append(step.get("expect", {}))
    for expect in expectations:
        _known(f"{where}: expect", expect, EXPECT_KEYS)
    example = table.get("example", [])
    return Case(
        id=id,
        path=path,
        ruleset=name,
        rules=tuple(rules),
        examples=tuple(example if isinstance(example, list) else [example]),
        pair=str(table.get("pair", "")),
        mirror=bool(table.get("mirror", True)),
        table=MappingProxyType(dict(table)),
    )


def _known(where: str, table: Any, keys: frozenset[str]) -> None:
    if not isinstance(table, Mapping):
        raise CaseError(f"{where}: a table is wanted, not {table!r}")
    unknown = sorted(table.keys() - keys)
    if unknown:
        raise CaseError(f"{where}: unknown key {', '.join(unknown)}")


def mirrored(case: Case) -> Case:
    """The same case with the sides exchanged and everything left where it is."""
    table = {**WRITINGS[case.ruleset].defaults, **case.table}
    return Case(
        id=f"{case.id}-mirrored",
        path=case.path,
        ruleset=case.ruleset,
        rules=case.rules,
        examples=case.examples,
        pair=case.pair,
        mirror=case.mirror,
        table=MappingProxyType(_swapped(table)),
    )


_OTHER = {"red": "blue", "blue": "red"}


def _swapped(value: Any) -> Any:
    if isinstance(value, str):
        first, blank, rest = value.partition(" ")
        return _OTHER.get(first, first) + blank + rest
    if isinstance(value, Mapping):
        return {_OTHER.get(key, key): _swapped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_swapped(item) for item in value]
    return value


# playing


def run(case: Case) -> Verdict:
    """Play a case and compare; CaseError if its table cannot be read."""
    try:
        return _Play(case).verdict()
    except (ValueError, TypeError, KeyError, msgspec.ValidationError) as error:
        if isinstance(error, CaseError):
            raise
        reason = f"{error!s}" if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise CaseError(f"{case.path}: {case.id}: {reason}") from error


class _Stop(Exception):
    """The case went another way than it says; the rest of it makes no sense."""


class _Play:
    """One case at work."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.rules: Ruleset = ruleset(case.ruleset)
        self.writing = WRITINGS[case.ruleset]
        self.table = case.table
        self.differences: list[str] = []
        self.opening: list[Event] = []
        self.steps: list[tuple[Event, ...]] = []
        self.firsts: list[int] = []
        self.entries: list[Entry] = []
        self._load(case.table.get("dice", []))
        self._open()

    @property
    def state(self) -> Any:
        """Where the case stands now."""
        return self.log.state

    @property
    def told(self) -> list[Event]:
        """The events of all orders."""
        return [event for events in self.steps for event in events]

    # setting up

    def _load(self, faces: Any) -> None:
        self._left: dict[str, Iterator[int]]
        if isinstance(faces, Mapping):
            loaded = {purpose: iter(list(numbers)) for purpose, numbers in faces.items()}
            self.dice = LoadedDice(loaded)
            self._left = loaded
        else:
            row = iter(list(faces))
            self.dice = LoadedDice(row)
            self._left = {"": row}

    def _open(self) -> None:
        own = {key: value for key, value in self.table.items() if key in self.writing.keys}
        if "state" in self.table:
            if own:
                raise CaseError(f"{self.case.path}: {self.case.id}: state leaves no room for {', '.join(sorted(own))}")
            self.start = codec.read_state(self.rules, msgspec.json.decode(self.table["state"]))
            self.log = Fold(self.rules, state=self.start)
        elif self.table.get("phase") == "deployment":
            self.start = None
            self.log = Fold(self.rules)
            self._append(self.rules.setup(self.writing.scenario(own), self.dice))
            for command in self.writing.placements(own):
                self._append(self.rules.decide(self.state, command, self.dice))
            self.opening = [entry.event for entry in self.entries]
        elif "phase" in self.table:
            raise ValueError("phase is 'deployment' or left out")
        else:
            self.start = self.writing.position(own)
            self.log = Fold(self.rules, state=self.start)
            for flaw in self.rules.flaws(self.start):
                raise ValueError(f"an impossible position: {flaw.unit} {flaw.field}")

    def _append(self, events: Iterable[Event]) -> tuple[Event, ...]:
        told = tuple(events)
        for index, event in enumerate(told):
            entry = Entry(len(self.entries) + 1, event, index == 0)
            self.entries.append(entry)
            self.log.add(entry)
        return told

    # the orders

    def verdict(self) -> Verdict:
        """Play all of it and judge."""
        try:
            for number, step in enumerate(self.table.get("do", []), start=1):
                self._do(f"do {number}", step)
            self._expect("", self.table.get("expect", {}), self.told)
            self._nothing_left()
        except _Stop:
            pass
        self._survives_the_log()
        return Verdict(case=self.case, differences=tuple(self.differences), events=(*self.opening, *self.told))

    def _differ(self, text: str) -> None:
        self.differences.append(text)

    def _do(self, where: str, step: Mapping[str, Any]) -> None:
        actor = Actor(step["by"])
        where = f"{where} ({actor.value} {step['command'].get('type')})"
        self.firsts.append(len(self.entries) + 1)
        try:
            command = codec.read_command(self.rules, self._resolved(step["command"]), actor)
        except InvalidCommand as error:
            if not step.get("invalid"):
                self._differ(f"{where}: the command cannot be read: {error}")
                raise _Stop from error
            self._same(
                f"{where}: invalid", step["invalid"] if step["invalid"] is not True else error.field, error.field
            )
            self.steps.append(())
            return
        if step.get("invalid"):
            self._differ(f"{where}: should be unreadable")
        try:
            events = self._decide(command)
        except IllegalCommand as refusal:
            self._refused(where, step, refusal)
            self.steps.append(())
        except NoDice as error:
            self._differ(f"{where}: a die is thrown for {error} and none is loaded")
            raise _Stop from error
        else:
            if "refused" in step:
                self._differ(f"{where}: taken, but should be refused with {step['refused']}")
            self.steps.append(self._append(events))
        self._expect(where, step.get("expect", {}), self.steps[-1])

    def _decide(self, command: Command) -> tuple[Event, ...]:
        if isinstance(command, Rewind):
            return revise(self.rules, self.entries, command)
        return tuple(self.rules.decide(self.state, command, self.dice))

    def _resolved(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The command with names that an author knows made into ids: a question's kind, a clock's phase, a step."""
        command = dict(body)
        if isinstance(command.get("decision"), str):
            known = {d.kind: d.id for d in reversed(self.state.decisions)}
            command["decision"] = known.get(command["decision"], command["decision"])
        if isinstance(command.get("timer"), str):
            known = {t.key.split(":")[0].split("#")[0]: t.key for t in reversed(self.state.timers)}
            command["timer"] = known.get(command["timer"], command["timer"])
        if command.get("type") == "rewind" and "step" in command:
            command["to"] = self.firsts[int(command.pop("step")) - 1]
        return command

    def _refused(self, where: str, step: Mapping[str, Any], refusal: IllegalCommand) -> None:
        if "refused" not in step:
            figures = dict(refusal.figures)
            self._differ(f"{where}: refused with {refusal.key} [{refusal.rule}] {figures or ''}".rstrip())
            raise _Stop
        self._same(f"{where}: refused", step["refused"], refusal.key)
        if "refused_rule" in step:
            self._same(f"{where}: refused_rule", step["refused_rule"], refusal.rule)
        if "figures" in step:
            self._same(f"{where}: figures", step["figures"], dict(refusal.figures))
        if refusal.key not in self.rules.book.refusals:
            self._differ(f"{where}: the book has no message for {refusal.key}")
        if refusal.rule not in self.rules.book.rules:
            self._differ(f"{where}: refused by {refusal.rule!r}, which is not in the book")

    def _nothing_left(self) -> None:
        for purpose, faces in self._left.items():
            rest = list(faces)
            if rest:
                self._differ(f"dice{' for ' + purpose if purpose else ''}: {rest} were not thrown")

    # what must hold

    def _expect(self, where: str, expect: Mapping[str, Any], told: Sequence[Event]) -> None:
        for key, wanted in expect.items():
            spot = f"{where}: {key}" if where else key
            getattr(self, f"_expect_{key}")(spot, wanted, told)

    def _expect_events(self, where: str, wanted: Sequence[Mapping[str, Any]], told: Sequence[Event]) -> None:
        self._in_order(where, wanted, told)

    def _expect_setup(self, where: str, wanted: Sequence[Mapping[str, Any]], told: Sequence[Event]) -> None:
        """Events of the opening, in any order."""
        for pattern in wanted:
            self._in_order(where, [pattern], self.opening)

    def _in_order(self, where: str, wanted: Sequence[Mapping[str, Any]], told: Sequence[Event]) -> None:
        position = 0
        for number, pattern in enumerate(wanted, start=1):
            self._check_pattern(where, pattern)
            nearest: list[str] = []
            for index in range(position, len(told)):
                problems = self._mismatch(pattern, told[index])
                if not problems:
                    position = index + 1
                    break
                if codec.tag(type(told[index])) == pattern["type"]:
                    nearest = nearest if nearest and len(nearest) <= len(problems) else problems
            else:
                about = f" ({'; '.join(nearest)})" if nearest else ""
                names = ", ".join(codec.tag(type(event)) for event in told) or "nothing"
                self._differ(f"{where} {number}: no {_short(pattern)} in its place{about}; told: {names}")
                return

    def _expect_events_exactly(self, where: str, wanted: Sequence[str], told: Sequence[Event]) -> None:
        for name in wanted:
            self._check_pattern(where, {"type": name})
        self._same(where, list(wanted), [codec.tag(type(event)) for event in told])

    def _expect_no_events(self, where: str, wanted: Sequence[Any], told: Sequence[Event]) -> None:
        for item in wanted:
            pattern = item if isinstance(item, Mapping) else {"type": item}
            self._check_pattern(where, pattern)
            if any(not self._mismatch(pattern, event) for event in told):
                self._differ(f"{where}: {_short(pattern)} was told")

    def _check_pattern(self, where: str, pattern: Any) -> None:
        kinds = {codec.tag(kind): kind for kind in self.rules.events}
        if not isinstance(pattern, Mapping) or pattern.get("type") not in kinds:
            raise CaseError(f"{self.case.path}: {self.case.id}: {where}: no such event {pattern!r}")
        unknown = sorted(pattern.keys() - {"type", *kinds[pattern["type"]].__struct_fields__})
        if unknown:
            raise CaseError(f"{self.case.path}: {self.case.id}: {where}: {pattern['type']} has no {', '.join(unknown)}")

    def _mismatch(self, pattern: Mapping[str, Any], event: Event) -> list[str]:
        if codec.tag(type(event)) != pattern["type"]:
            return [f"is {codec.tag(type(event))}"]
        shown = codec.labelled(event, self.rules.grid)
        return [problem for key, value in pattern.items() for problem in self._unlike(key, value, shown[key])]

    def _unlike(self, name: str, wanted: Any, actual: Any) -> list[str]:
        """How a value differs from what is wanted of it; tables may leave out what does not matter."""
        if isinstance(wanted, Mapping):
            if isinstance(actual, list) and len(actual) == len(SIDES) and wanted.keys() == _OTHER.keys():
                actual = {side.value: item for side, item in zip(SIDES, actual, strict=True)}
            if not isinstance(actual, Mapping):
                return [f"{name} is {actual!r}"]
            problems: list[str] = []
            for key, value in wanted.items():
                inner = f"{name}.{key}"
                problems += self._unlike(inner, value, actual[key]) if key in actual else [f"{inner} is not there"]
            return problems
        last = name.rpartition(".")[2]
        if last == "facing" and isinstance(wanted, str) and isinstance(actual, int):
            actual = self.rules.facings[actual]
        if isinstance(wanted, list) and isinstance(actual, list):
            if len(wanted) != len(actual):
                return [f"{name} is {actual!r}, not {wanted!r}"]
            if last in ANY_ORDER:
                wanted, actual = sorted(wanted, key=str), sorted(actual, key=str)
            pairs = zip(wanted, actual, strict=True)
            return [
                problem for number, (w, a) in enumerate(pairs) for problem in self._unlike(f"{name}[{number}]", w, a)
            ]
        if wanted == CLOSED and actual is None:
            return []
        if isinstance(wanted, bool) is not isinstance(actual, bool) or wanted != actual:
            return [f"{name} is {actual!r}, not {wanted!r}"]
        return []

    def _same(self, where: str, wanted: Any, actual: Any) -> None:
        for problem in self._unlike(where, wanted, actual):
            self._differ(problem)

    def _expect_units(self, where: str, wanted: Mapping[str, Any], told: Sequence[Event]) -> None:
        for key, fields in wanted.items():
            unit = self.state.find(key)
            if unit is None:
                self._differ(f"{where}: there is no {key}")
                continue
            self._unit(f"{where}.{key}", fields, unit, self.state)

    def _unit(self, where: str, fields: Mapping[str, Any], unit: Any, field_: Any) -> None:
        for name, value in fields.items():
            if name == "melee_with":
                actual: Any = sorted(m.other(unit.key) for m in field_.melees_of(unit.key))
                value = sorted(value)
            elif name in type(unit).__struct_fields__ or isinstance(getattr(type(unit), name, None), property):
                actual = codec.labelled(getattr(unit, name), self.rules.grid)
            else:
                raise CaseError(f"{self.case.path}: {self.case.id}: {where}: a unit has no {name!r}")
            self._same(f"{where}.{name}", value, actual)

    def _expect_turn(self, where: str, wanted: int, told: Sequence[Event]) -> None:
        self._same(where, wanted, self.state.turn)

    def _expect_mover(self, where: str, wanted: str, told: Sequence[Event]) -> None:
        active = self.state.active
        self._same(where, wanted, next(iter(active)).value if len(active) == 1 else None)

    def _expect_phase(self, where: str, wanted: str, told: Sequence[Event]) -> None:
        self._same(where, wanted, self.state.phase.name)

    def _expect_outcome(self, where: str, wanted: Any, told: Sequence[Event]) -> None:
        if isinstance(wanted, Mapping):
            _known(f"{self.case.path}: {self.case.id}: {where}", wanted, frozenset({"winner", "reason"}))
        elif wanted != CLOSED:
            raise CaseError(f"{self.case.path}: {self.case.id}: {where}: a table or {CLOSED!r}")
        self._same(where, wanted, codec.labelled(self.state.outcome, self.rules.grid))

    def _expect_decisions(self, where: str, wanted: list[str], told: Sequence[Event]) -> None:
        self._same(where, wanted, [decision.kind for decision in self.state.decisions])

    def _expect_timers(self, where: str, wanted: Mapping[str, Any], told: Sequence[Event]) -> None:
        timers = {t.key.split(":")[0].split("#")[0]: codec.labelled(t, self.rules.grid) for t in self.state.timers}
        self._same(where, sorted(wanted), sorted(timers))
        self._same(where, {name: wanted[name] for name in wanted if name in timers}, timers)

    def _expect_ready(self, where: str, wanted: list[str], told: Sequence[Event]) -> None:
        self._same(where, sorted(wanted), sorted(side.value for side in self.state.ready))

    def _expect_retreating(self, where: str, wanted: list[str], told: Sequence[Event]) -> None:
        self._same(where, sorted(wanted), sorted(side.value for side in self.state.retreating))

    def _expect_melees(self, where: str, wanted: list[list[str]], told: Sequence[Event]) -> None:
        actual = sorted([m.attacker, m.defender] for m in self.state.melees)
        self._same(where, sorted(wanted), actual)

    def _expect_army(self, where: str, wanted: Mapping[str, Any], told: Sequence[Event]) -> None:
        """Numbers of units by side: all of them as `units`, and by kind."""
        for name, numbers in wanted.items():
            kinds = [unit.kind for unit in self.state.units if unit.side is Side(name)]
            actual = {"units": len(kinds), **{kind: kinds.count(kind) for kind in self.rules.kinds}}
            self._same(f"{where}.{name}", numbers, actual)

    def _expect_report(self, where: str, wanted: Mapping[str, Any], told: Sequence[Event]) -> None:
        self._same(where, wanted, self.writing.report(self.state))

    def _expect_state(self, where: str, wanted: Mapping[str, Any], told: Sequence[Event]) -> None:
        """Any other field of the state, cells by their labels."""
        _known(f"{self.case.path}: {self.case.id}: {where}", wanted, frozenset(type(self.state).__struct_fields__))
        for name, value in wanted.items():
            self._same(f"{where}.{name}", value, codec.labelled(getattr(self.state, name), self.rules.grid))

    def _expect_seen(self, where: str, wanted: Mapping[str, list[str]], told: Sequence[Event]) -> None:
        """Exactly the kinds of events that a viewer got, in order."""
        for name, kinds in wanted.items():
            for kind in kinds:
                self._check_pattern(where, {"type": kind})
            viewer = Viewer(name)
            self._same(f"{where}.{name}", kinds, [codec.tag(type(e)) for e in told if viewer in e.seen_by])

    def _expect_knows(self, where: str, wanted: Mapping[str, Any], told: Sequence[Event]) -> None:
        """What a viewer's view has of units: `nothing`, or fields, of which a secret one is `none`."""
        for name, units in wanted.items():
            view = self.rules.view(self.state, Viewer(name))
            for key, fields in units.items():
                unit = view.find(key)
                spot = f"{where}.{name}.{key}"
                if fields == "nothing":
                    if unit is not None:
                        self._differ(f"{spot}: is known")
                elif unit is None:
                    self._differ(f"{spot}: is not known")
                else:
                    self._unit(spot, fields, unit, view)

    def _expect_options(self, where: str, wanted: Mapping[str, Any], told: Sequence[Event]) -> None:
        """What a side is offered for a unit: cells and targets in any order, refusals by their keys."""
        for name, units in wanted.items():
            offered = self.rules.options(self.rules.view(self.state, Viewer(name)))
            for key, fields in units.items():
                spot = f"{where}.{name}.{key}"
                found = offered.of(key)
                if found is None:
                    self._differ(f"{spot}: nothing is offered")
                    continue
                _known(f"{self.case.path}: {self.case.id}: {spot}", fields, frozenset(type(found).__struct_fields__))
                for field_name, value in fields.items():
                    shown = getattr(found, field_name)
                    if isinstance(shown, dict):
                        shown = {key if isinstance(key, str) else " ".join(key): item for key, item in shown.items()}
                    shown = codec.labelled(shown, self.rules.grid)
                    self._same(f"{spot}.{field_name}", *_offers(value, shown))

    # what must always hold

    def _survives_the_log(self) -> None:
        start = self.start if self.start is None else codec.read_state(self.rules, codec.plain(self.start))
        again = Fold(self.rules, state=start)
        for entry in self.entries:
            name = codec.tag(type(entry.event))
            try:
                read = codec.read_event(self.rules, msgspec.json.decode(codec.text(entry.event)), entry.number)
            except UnknownEvent as error:
                self._differ(f"{name} does not survive the log: {error}")
                return
            told, stored = codec.text(entry.event).decode(), codec.text(read).decode()
            if told != stored:
                self._differ(f"{name} comes back from the log changed: {_apart(stored, told)}")
            if entry.event.rule not in self.rules.book.rules:
                self._differ(f"{name} names the rule {entry.event.rule!r}, which is not in the book")
            again.add(Entry(entry.number, read, entry.opens))
        if again.state != self.state:
            self._differ("the events read back from the log lead to another state")
        if self.state is not None:
            if codec.read_state(self.rules, msgspec.json.decode(codec.text(self.state))) != self.state:
                self._differ("the state does not survive being stored")
            self._can_be_shown()

    def _can_be_shown(self) -> None:
        names = self.rules.names(self.rules.view(self.state, Viewer.MODERATOR))
        for entry in self.entries:
            self.rules.narrate(entry.event, names)
        for viewer in Viewer:
            self.rules.options(self.rules.view(self.state, viewer))


def _offers(wanted: Any, actual: Any) -> tuple[Any, Any]:
    """Offers as an author names them: a march by its cell, a shot or an attack by its target, a refusal by its key."""
    if isinstance(wanted, list) and isinstance(actual, list):
        names = [item.get("target") or item.get("at") if isinstance(item, Mapping) else item for item in actual]
        return sorted(wanted, key=str), sorted(set(names), key=str)
    if isinstance(wanted, Mapping) and isinstance(actual, Mapping):
        return wanted, {key: item["key"] if isinstance(item, Mapping) else item for key, item in actual.items()}
    return wanted, actual


def _apart(one: str, other: str) -> str:
    """Where two texts part, with a few signs around it."""
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return f"...{one[max(0, at - 20) : at + 10]}... for ...{other[max(0, at - 20) : at + 10]}..."


def _short(pattern: Mapping[str, Any]) -> str:
    rest = ", ".join(f"{key} {value!r}" for key, value in pattern.items() if key != "type")
    return f"{pattern['type']} ({rest})" if rest else str(pattern["type"])


# writing


def write_case(table: Mapping[str, Any]) -> str:
    """A case's table as TOML, in the order that a reader wants."""
    lines = ["[[case]]"]
    for key, value in table.items():
        if key in ("units", "do", "expect"):
            continue
        if isinstance(value, str) and value.endswith("\n") and "\\" not in value and '"' not in value:
            lines.append(f'{key} = """\n{value}"""')
        else:
            lines.append(f"{_key(key)} = {_inline(value)}")
    if table.get("units"):
        lines += ["", "[case.units]"] + [f"{_key(key)} = {_inline(unit)}" for key, unit in table["units"].items()]
    for step in table.get("do", []):
        lines += ["", "[[case.do]]"] + [f"{_key(key)} = {_inline(value)}" for key, value in step.items()]
    expect = table.get("expect", {})
    if expect:
        lines += ["", "[case.expect]"]
        for key, value in expect.items():
            if isinstance(value, list) and value and isinstance(value[0], Mapping):
                lines += [f"{_key(key)} = [", *(f"    {_inline(item)}," for item in value), "]"]
            else:
                lines.append(f"{_key(key)} = {_inline(value)}")
    return "\n".join(lines) + "\n"


def _key(key: str) -> str:
    plain = key and all(c.isascii() and (c.isalnum() or c in "_-") for c in key)
    return key if plain else _inline(key)


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(str(k))} = {_inline(v)}" for k, v in value.items() if v is not None) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_inline(item) for item in value) + "]"
    return msgspec.json.encode(str(value)).decode().replace("\x7f", "\\u007f")
