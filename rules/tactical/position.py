"""Positions of the tactical book as people write them down in case files, and back again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from rules.core.actors import SIDES, Actor, Side
from rules.core.board import Board
from rules.core.codec import labelled
from rules.core.grid import Cell
from rules.core.scenario import Scenario, UnitSpec
from rules.core.state import Phase
from rules.core.timers import Timer
from rules.core.units import Fate, halves
from rules.core.writing import Writing
from rules.tactical import victory
from rules.tactical.commands import FacingName, Place
from rules.tactical.state import GRID, Melee, Parameters, TacticalState, edge_distance
from rules.tactical.units import DIRECTIONS, FACINGS, KINDS, TERRAINS, Formation, Stats, Unit, order, right_of

DEFAULTS: Mapping[str, Any] = {"turn": "red", "home": {"red": "S", "blue": "N"}}
KEYS = frozenset(
    "board size terrain units army params turn turn_number home strips retreating melees phase own_turns deployed "
    "brought factor quiet busy attacker rout_waived guns_asked questions clock names".split()
)
OPEN_PLAY_ONLY = KEYS - frozenset("board size terrain units army params home strips phase attacker names turn".split())
STATS = ("firepower", "range", "melee", "onslaught", "speed", "scatters_at")
FLAGS = ("moved", "fired", "attacked", "left_melee")
UNIT_KEYS = frozenset(
    ("side", "kind", "name", "at", "facing", "formation", "hp", "full_hp", "traits", "fate", "spent", "entered", "run",
     "last_shot", "defensive_fire", "answer_charges", *STATS, *FLAGS)
)  # fmt: skip
NAMES: tuple[FacingName, ...] = ("N", "E", "S", "W")
COMPASS = {"north": "N", "east": "E", "south": "S", "west": "W"}


class Ground(msgspec.Struct, frozen=True):
    """What the picture shows: the board, where each letter stands, and the strips."""

    board: Board
    letters: dict[str, tuple[Cell, ...]]
    strips: tuple[tuple[Cell, ...], tuple[Cell, ...]]


def position(table: Mapping[str, Any]) -> TacticalState:
    """The state in open play that a case's table describes; ValueError says what is wrong with it."""
    ground = _ground(table)
    parameters = _parameters(table)
    units = tuple(sorted(_units(table, ground), key=order))
    mover = _side(table.get("turn", "red"), "turn")
    number = int(table.get("turn_number", 1))
    fielded = {s: sum(u.side is s and u.fate is not Fate.ABSENT for u in units) for s in SIDES}
    deployed = _pair(table, "deployed", fielded)
    timers: tuple[Timer, ...] = ()
    if parameters.turn_seconds:
        timers = (Timer(key=f"turn:{number}", seconds=parameters.turn_seconds),)
    state = TacticalState(
        rules_version=1,
        board=ground.board,
        phase=Phase(name="turn", sides=frozenset({mover})),
        turn=number,
        parameters=parameters,
        strips=ground.strips,
        units=units,
        first=_side(table["attacker"], "attacker") if "attacker" in table else mover,
        own_turns=_pair(table, "own_turns", {s: int(s is mover) for s in SIDES}),
        retreating=frozenset(_side(name, "retreating") for name in table.get("retreating", ())),
        deployed=deployed,
        brought=_pair(table, "brought", dict(zip(SIDES, deployed, strict=True))),
        factor=float(table.get("factor", 1)),
        revealed=True,
        quiet=int(table.get("quiet", 0)),
        busy=bool(table.get("busy", False)),
        rout_waived=bool(table.get("rout_waived", False)),
        guns_asked=bool(table.get("guns_asked", False)),
        questions=int(table.get("questions", 0)),
        names=_names(table),
    )
    melees = tuple(_melee(state, item) for item in table.get("melees", ()))
    state = msgspec.structs.replace(state, melees=melees)
    stopped = {"runs": False, "stopped": True}.get(table.get("clock", "runs"))
    if stopped is None:
        raise ValueError("clock is 'runs' or 'stopped'")
    return state.with_timers(timers, clock_stopped=stopped)


def scenario(table: Mapping[str, Any]) -> Scenario:
    """What a case that begins with the deployment starts from."""
    misplaced = sorted(OPEN_PLAY_ONLY & table.keys())
    if misplaced:
        raise ValueError(f"{', '.join(misplaced)}: not during deployment")
    ground = _ground(table)
    attacker = table.get("attacker")
    return Scenario(
        board=ground.board,
        strips=ground.strips,
        units=tuple(_spec(unit) for unit in tuple(sorted(_units(table, ground), key=order))) + tuple(_army(table)),
        names=dict(table.get("names", {"red": "Red", "blue": "Blue"})),
        parameters=msgspec.to_builtins(_parameters(table)),
        attacker=None if attacker is None else _side(attacker, "attacker"),
    )


def placements(table: Mapping[str, Any]) -> tuple[Place, ...]:
    """The orders that put the units of a deployment where the case has them."""
    ground = _ground(table)
    return tuple(
        Place(by=Actor(u.side.value), unit=u.key, at=u.at, facing=NAMES[u.facing or 0], formation=u.formation)
        for u in sorted(_units(table, ground), key=order)
        if u.at is not None
    )  # fmt: skip


def describe(state: TacticalState) -> dict[str, Any]:
    """The table of a position in open play: what `position` reads."""
    table: dict[str, Any] = {
        "board": "\n".join(" ".join(row) for row in state.board.rows) + "\n",
        "strips": {s.value: [GRID.label(c) for c in state.strip(s)] for s in SIDES},
        "params": msgspec.to_builtins(state.parameters),
        "turn": state.mover.value if state.mover else "red",
        "turn_number": state.turn,
        "units": {u.key: _described(u) for u in state.units},
        "own_turns": _by_side(state.own_turns),
        "deployed": _by_side(state.deployed),
        "brought": _by_side(state.brought),
    }
    if state.first is not None and state.first is not state.mover:
        table["attacker"] = state.first.value
    if any(state.names):
        table["names"] = {side.value: name for side, name in zip(SIDES, state.names, strict=True)}
    if state.melees:
        table["melees"] = [labelled(m, GRID) for m in state.melees]
    if state.retreating:
        table["retreating"] = [s.value for s in SIDES if s in state.retreating]
    if state.clock_stopped:
        table["clock"] = "stopped"
    for key in ("factor", "quiet", "busy", "rout_waived", "guns_asked", "questions"):
        value = getattr(state, key)
        if value not in (0, False) and not (key == "factor" and value == 1):
            table[key] = value
    return table


def report(state: TacticalState) -> dict[str, Any]:
    """What the battle cost each side, by fate: exact and in whole units."""
    return {
        side.side.value: {
            "brought": side.brought,
            "factor": side.factor,
            "whole": {count.fate: count.whole for count in side.fates},
            "exact": {count.fate: count.exact for count in side.fates},
        }
        for side in victory.report(state)
    }


# ground


def _ground(table: Mapping[str, Any]) -> Ground:
    if "board" in table and "size" in table:
        raise ValueError("either board or size")
    if "board" in table:
        rows, letters = _picture(str(table["board"]), _declared(table))
    else:
        width, height = table.get("size", [16, 10])
        rows, letters = [["."] * int(width) for _ in range(int(height))], {}
    codes = {terrain.name: code for code, terrain in TERRAINS.items()}
    for where, name in dict(table.get("terrain", {})).items():
        if name not in codes:
            raise ValueError(f"terrain: there is no {name!r}")
        for cell in _cells(where):
            if not (0 <= cell.y < len(rows) and 0 <= cell.x < len(rows[0])):
                raise ValueError(f"terrain: {where} is not on the board")
            rows[cell.y][cell.x] = codes[name]
    board = Board(rows=tuple("".join(row) for row in rows))
    return Ground(board, letters, _strips(table, board))


def _picture(text: str, declared: frozenset[str]) -> tuple[list[list[str]], dict[str, tuple[Cell, ...]]]:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    tokens = [line.split() if " " in line else list(line) for line in lines]
    if not tokens or any(len(row) != len(tokens[0]) for row in tokens):
        raise ValueError("board: all rows must be equally long")
    letters: dict[str, tuple[Cell, ...]] = {}
    for y, row in enumerate(tokens):
        for x, token in enumerate(row):
            if token in declared:
                letters[token] = (*letters.get(token, ()), Cell(x, y))
                row[x] = "."
            elif token not in TERRAINS:
                raise ValueError(f"board: {token!r} is neither a terrain nor a unit of [case.units]")
    return tokens, letters


def _strips(table: Mapping[str, Any], board: Board) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    given = table.get("strips")
    if given is not None:
        return tuple(_cells(" ".join(given["red"]))), tuple(_cells(" ".join(given["blue"])))
    return _along(board, _home(table, Side.RED)), _along(board, _home(table, Side.BLUE))


def _along(board: Board, edge: str) -> tuple[Cell, ...]:
    """The strip two cells deep along an edge of the map; on a very small board half of it."""
    depth = max(1, min(2, (board.height if edge in "NS" else board.width) // 2))
    side = FACINGS.index(edge)
    return tuple(cell for cell in board.cells() if edge_distance(board, side, cell) < depth)


def _home(table: Mapping[str, Any], side: Side) -> str:
    edge = dict(table.get("home", DEFAULTS["home"])).get(side.value)
    if edge not in FACINGS:
        raise ValueError("home names an edge, N E S or W, for red and for blue")
    return str(edge)


def _cells(text: str) -> Iterator[Cell]:
    """Cells by labels; `A9-P10` is a rectangle."""
    for part in text.replace(",", " ").split():
        first, _, last = part.partition("-")
        start = GRID.parse(first)
        end = GRID.parse(last) if last else start
        yield from (Cell(x, y) for y in range(start.y, end.y + 1) for x in range(start.x, end.x + 1))


# units


def _declared(table: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(key for keys in dict(table.get("units", {})) for key in keys.split())


def _units(table: Mapping[str, Any], ground: Ground) -> Iterator[Unit]:
    drawn = set(ground.letters)
    for keys, given in dict(table.get("units", {})).items():
        for key in keys.split():
            drawn.discard(key)
            try:
                fields = dict(given) if isinstance(given, Mapping) else in_words(str(given))
                yield _unit(key, fields, ground, table)
            except (ValueError, TypeError) as error:
                raise ValueError(f"unit {key}: {error}") from error
    if drawn:
        raise ValueError(f"board: {', '.join(sorted(drawn))} not declared")


def in_words(text: str) -> dict[str, Any]:
    """The fields of a unit described in words: `red heavy_infantry in line facing north, 7 hp, fired`."""
    first, *clauses = [clause.strip() for clause in text.split(",")]
    side, kind, *rest = first.split()
    fields: dict[str, Any] = {"side": side, "kind": kind}
    if len(rest) % 2:
        raise ValueError(f"cannot read {first!r}")
    for word, value in zip(rest[::2], rest[1::2], strict=True):
        name = {"in": "formation", "facing": "facing", "at": "at"}.get(word)
        if name is None:
            raise ValueError(f"cannot read {word!r} in {first!r}")
        fields[name] = value
    for clause in clauses:
        fields.update(_clause(clause, fields))
    return fields


def _clause(clause: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    words = clause.split()
    match words:
        case [number, "hp"]:
            return {"hp": float(number)}
        case ["full", number, "hp"]:
            return {"full_hp": float(number)}
        case ["trait", trait]:
            return {"traits": [*fields.get("traits", ()), trait]}
        case ["named", *name] if name:
            return {"name": " ".join(name)}
        case [("defensive_fire" | "answer_charges") as stance, ("on" | "off") as value]:
            return {stance: value == "on"}
        case [("spent" | "last_shot") as name, number]:
            return {name: int(number)}
        case [("entered" | "run") as name, *cells] if cells:
            return {name: cells}
        case [stat, number] if stat in STATS:
            return {stat: float(number)}
        case [flag] if flag in FLAGS:
            return {flag: True}
        case [fate] if fate in {f.value for f in Fate}:
            return {"fate": fate}
    raise ValueError(f"cannot read {clause!r}")


def _unit(key: str, fields: Mapping[str, Any], ground: Ground, table: Mapping[str, Any]) -> Unit:
    unknown = sorted(fields.keys() - UNIT_KEYS)
    if unknown:
        raise ValueError(f"unknown field {', '.join(unknown)}")
    side = _side(fields["side"], "side")
    kind = KINDS.get(fields["kind"])
    if kind is None:
        raise ValueError(f"there is no kind {fields['kind']!r}")
    default = Formation.COLUMN if kind.id == "heavy_infantry" else Formation.OPEN
    formation = Formation(fields["formation"]) if "formation" in fields else default
    facing = _facing(fields.get("facing", FACINGS[(FACINGS.index(_home(table, side)) + 2) % 4]))
    own = {name: fields[name] for name in STATS if name in fields}
    if "full_hp" in fields:
        own["hp"] = fields["full_hp"]
    stats = msgspec.convert({k: _number(v) for k, v in own.items()}, Stats) if own else None
    return Unit(
        key=key,
        side=side,
        kind=kind.id,
        name=fields.get("name", key),
        at=_stands(key, fields, ground, formation, facing),
        facing=facing,
        fate=Fate(fields["fate"]) if "fate" in fields else None,
        hp=halves(fields.get("hp", own.get("hp", kind.hp))),
        formation=formation,
        stats=stats,
        traits=frozenset(fields.get("traits", ())),
        spent=int(fields.get("spent", 0)),
        entered=tuple(_cells(" ".join(fields.get("entered", ())))),
        run=tuple(_cells(" ".join(fields.get("run", ())))),
        moved=bool(fields.get("moved", bool(fields.get("spent", 0)))),
        fired=bool(fields.get("fired", False)),
        attacked=bool(fields.get("attacked", False)),
        left_melee=bool(fields.get("left_melee", False)),
        last_shot=int(fields.get("last_shot", 0)),
        defensive_fire=bool(fields.get("defensive_fire", True)),
        answer_charges=bool(fields.get("answer_charges", False)),
    )


def _stands(key: str, fields: Mapping[str, Any], ground: Ground, formation: Formation, facing: int) -> Cell | None:
    cells = ground.letters.get(key, ())
    if "at" in fields:
        if cells:
            raise ValueError("stands in the picture and has an 'at'")
        return GRID.parse(str(fields["at"]))
    if not cells:
        return None
    if formation is not Formation.LINE:
        if len(cells) != 1:
            raise ValueError("stands more than once in the picture")
        return cells[0]
    step = right_of(facing)
    for left in cells:
        if len(cells) == 2 and left.plus(step) in cells:
            return left
    raise ValueError("a line stands on two cells, side by side as it faces")


def _described(unit: Unit) -> dict[str, Any]:
    fields: dict[str, Any] = {"side": unit.side.value, "kind": unit.kind, "name": unit.name, "hp": _number(unit.hp)}
    if unit.at is not None:
        fields["at"] = GRID.label(unit.at)
    if unit.facing is not None:
        fields["facing"] = FACINGS[unit.facing]
    if unit.has_formations:
        fields["formation"] = unit.formation.value
    if unit.fate is not None:
        fields["fate"] = unit.fate.value
    for name, value in msgspec.to_builtins(unit.stats or Stats()).items():
        fields["full_hp" if name == "hp" else name] = _number(value)
    if unit.traits:
        fields["traits"] = sorted(unit.traits)
    for name in ("entered", "run"):
        if getattr(unit, name):
            fields[name] = [GRID.label(cell) for cell in getattr(unit, name)]
    if unit.moved or unit.spent:
        fields["moved"] = unit.moved
    fields.update({name: True for name in ("fired", "attacked", "left_melee") if getattr(unit, name)})
    fields.update({name: getattr(unit, name) for name in ("spent", "last_shot") if getattr(unit, name)})
    if unit.defensive_fire is False:
        fields["defensive_fire"] = False
    if unit.answer_charges:
        fields["answer_charges"] = True
    return fields


def _spec(unit: Unit) -> UnitSpec:
    overrides = {k: float(v) for k, v in msgspec.to_builtins(unit.stats or Stats()).items()}
    return UnitSpec(
        key=unit.key, side=unit.side, kind=unit.kind, name=unit.name, overrides=overrides, traits=unit.traits
    )  # fmt: skip


def _army(table: Mapping[str, Any]) -> Iterator[UnitSpec]:
    """Whole armies by number: `army = {red = {heavy_infantry = 20}}`; their keys are `red1`, `red2` and so on."""
    for side in SIDES:
        number = 0
        for kind, count in dict(dict(table.get("army", {})).get(side.value, {})).items():
            if kind not in KINDS:
                raise ValueError(f"army: there is no kind {kind!r}")
            for _ in range(int(count)):
                number += 1
                yield UnitSpec(key=f"{side.value}{number}", side=side, kind=kind, name=f"{kind} {number}")


# small things


def _melee(state: TacticalState, item: Any) -> Melee:
    fields = dict(item) if isinstance(item, Mapping) else {"attacker": item[0], "defender": item[1]}
    if "ground" in fields:
        fields["ground"] = [list(GRID.parse(label)) for label in fields["ground"]]
    else:
        attacker, defender = state.find(fields["attacker"]), state.find(fields["defender"])
        touching = [
            (list(a), list(d))
            for a in (attacker.cells if attacker else ())
            for d in (defender.cells if defender else ())
            if any(a.plus(step) == d for step in DIRECTIONS)
        ]
        if not touching:
            raise ValueError(f"melees: {fields['attacker']} and {fields['defender']} do not touch")
        fields["ground"] = list(touching[0])
    return msgspec.convert({"fresh": False, **fields}, Melee)


def _parameters(table: Mapping[str, Any]) -> Parameters:
    try:
        return msgspec.convert(dict(table.get("params", {})), Parameters)
    except msgspec.ValidationError as error:
        raise ValueError(f"params: {error}") from error


def _pair(table: Mapping[str, Any], key: str, default: Mapping[Side, int]) -> tuple[int, int]:
    given = dict(table.get(key, {}))
    red, blue = (int(given.get(side.value, default[side])) for side in SIDES)
    return red, blue


def _names(table: Mapping[str, Any]) -> tuple[str, str]:
    given = dict(table.get("names", {}))
    red, blue = (str(given.get(side.value, "")) for side in SIDES)
    return red, blue


def _by_side(pair: tuple[int, int]) -> dict[str, int]:
    return {side.value: number for side, number in zip(SIDES, pair, strict=True)}


def _side(name: Any, field: str) -> Side:
    try:
        return Side(name)
    except ValueError as error:
        raise ValueError(f"{field}: {name!r} is neither red nor blue") from error


def _facing(value: Any) -> int:
    name = COMPASS.get(str(value), str(value))
    if name not in FACINGS:
        raise ValueError(f"{value!r} is no facing")
    return FACINGS.index(name)


def _number(value: float) -> float:
    return int(value) if float(value).is_integer() else value


WRITING = Writing(
    keys=KEYS,
    defaults=DEFAULTS,
    position=position,
    scenario=scenario,
    placements=placements,
    describe=describe,
    report=report,
)
