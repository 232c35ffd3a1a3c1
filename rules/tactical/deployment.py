"""The opening, the hidden deployment and the reveal [T-1.6, T-3, T-14]."""

from __future__ import annotations

import msgspec

from rules.core.actors import SIDES, Actor, Side, only
from rules.core.commands import Ready, TakeBack, Unready
from rules.core.dice import Dice
from rules.core.errors import InvalidCommand
from rules.core.events import (
    BattleEnded,
    DecisionAsked,
    DiceThrown,
    Event,
    PhaseStarted,
    SideReady,
    SideUnready,
)
from rules.core.grid import Cell
from rules.core.resolution import Resolution, refuse, require
from rules.core.scenario import Scenario, UnitSpec
from rules.core.state import both_sides, replace
from rules.core.timers import Decision, Timer
from rules.tactical import checks, turns
from rules.tactical import rulebook as book
from rules.tactical.commands import Place
from rules.tactical.events import (
    ArmyMustered,
    BattleOpened,
    DeploymentRevealed,
    PlacementWithdrawn,
    UnitAbsent,
    UnitPlaced,
)
from rules.tactical.movement import passable
from rules.tactical.reduction import reduce, reduced_sizes, reduction_factor
from rules.tactical.state import GRID, Field, Parameters, TacticalState, home_facing
from rules.tactical.units import FACINGS, KINDS, TRAITS, Formation, Stats, Unit

VERSION = 1


def setup(scenario: Scenario, dice: Dice) -> tuple[Event, ...]:
    """The opening: what both may know, each army for its own side, and the minute [T-3.1, T-14]."""
    parameters = read_parameters(scenario.parameters)
    events: list[Event] = [
        BattleOpened(
            rule=book.MAP.id, ruleset="tactical", rules_version=VERSION, board=scenario.board, names=scenario.names,
            seed_hash=scenario.seed_hash, phrases=scenario.phrases, strips=scenario.strips, parameters=parameters,
            attacker=scenario.attacker,
        )
    ]  # fmt: skip
    armies = {side: [spec for spec in scenario.units if spec.side is side] for side in SIDES}
    sizes = (len(armies[Side.RED]), len(armies[Side.BLUE]))
    cut, factor = sizes, reduction_factor(sizes, parameters.unit_limit)
    if parameters.battle_kind != "siege":
        cut = reduced_sizes(sizes, parameters.unit_limit)
    else:
        factor = reduction_factor((0, 0), 1)
    for side, size in zip(SIDES, cut, strict=True):
        drawn: list[Event] = []

        def draw(n: int, side: Side = side, drawn: list[Event] = drawn) -> int:
            throw = dice.draw(n, 1, purpose="reduction", rule=book.WHICH_STAY.id)
            drawn.append(
                DiceThrown(
                    rule=throw.rule, seen_by=only(side), number=throw.number, purpose=throw.purpose, die=n,
                    picks=throw.picks,
                )
            )  # fmt: skip
            return throw.picks[0]

        kept = reduce(armies[side], size, draw)
        events += drawn
        keys = {spec.key for spec in kept}
        events.append(
            ArmyMustered(
                rule=(book.REDUCTION if len(kept) < len(armies[side]) else book.UNIT_LIMIT).id, seen_by=only(side),
                side=side, units=tuple(muster(spec) for spec in kept), brought=len(armies[side]),
                left_out=tuple(spec.name for spec in armies[side] if spec.key not in keys), factor=float(factor),
            )
        )  # fmt: skip
    events.append(deployment_phase(parameters, "deployment"))
    return tuple(events)


def deployment_phase(parameters: Parameters, key: str) -> PhaseStarted:
    """Both sides may place, for so long."""
    seconds = parameters.deployment_seconds
    timer = Timer(key=key, seconds=seconds) if seconds else None
    return PhaseStarted(rule=book.DEPLOYMENT.id, phase="deployment", sides=both_sides(), timer=timer)


def read_parameters(given: dict[str, int | float | bool | str]) -> Parameters:
    """The battle's parameters; InvalidCommand names one that does not exist or is out of bounds."""
    for name, value in given.items():
        parameter = book.BOOK.parameters.get(name)
        if parameter is None:
            raise InvalidCommand("no such parameter", name)
        if parameter.kind in ("integer", "halves"):
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not number or not parameter.minimum <= value <= parameter.maximum:  # type: ignore[operator]
                raise InvalidCommand(f"must lie between {parameter.minimum} and {parameter.maximum}", name)
    try:
        return msgspec.convert(given, Parameters)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `$.")
        raise InvalidCommand(problem, path.rstrip("`")) from error


def muster(spec: UnitSpec) -> Unit:
    """A unit as its army list says [T-2.1, T-2.2]; InvalidCommand names a kind, trait or override that there is not."""
    if spec.kind not in KINDS:
        raise InvalidCommand(f"no such kind: {spec.kind}", "kind")
    unknown = sorted(spec.traits - set(TRAITS))
    if unknown:
        raise InvalidCommand(f"no such trait: {unknown[0]}", "traits")
    try:
        stats = msgspec.convert(spec.overrides, Stats, strict=False) if spec.overrides else None
    except msgspec.ValidationError as error:
        raise InvalidCommand(str(error), "overrides") from error
    for name in ("hp", "firepower", "scatters_at"):
        given = None if stats is None else getattr(stats, name)
        if given is not None and (given * 2 != int(given * 2) or given < (1 if name == "hp" else 0)):
            raise InvalidCommand(f"{name} must be a multiple of a half, not {given}", "overrides")
    kind = KINDS[spec.kind]
    hp = kind.hp if stats is None or stats.hp is None else stats.hp
    formation = Formation.COLUMN if spec.kind == "heavy_infantry" else Formation.OPEN
    return Unit(
        key=spec.key, side=spec.side, kind=spec.kind, name=spec.name, hp=hp, stats=stats, traits=spec.traits,
        formation=formation,
    )  # fmt: skip


def deploying(state: TacticalState, side: Side | None) -> Side:
    """The side that asks, if deployment is on."""
    checks.in_battle(state)
    require(state.phase.name == "deployment", book.READY, "deployment_over")
    if side is None:
        refuse(book.WHOSE_TURN, "not_your_turn")
    require(state.blocked(side) is None, book.READY, "deployment_over")
    return side


def place(turn: Resolution[TacticalState], command: Place) -> None:
    """Put a unit onto the own strip; a side that was ready is so no more [T-3.3, T-3.4]."""
    side = deploying(turn.state, command.by.side)
    unit = checks.own_unit(turn.state, command.unit, side)
    facing = None if command.facing is None else FACINGS.index(command.facing)
    new = placed(turn.state, unit, command.at, facing, command.formation)
    assert new.at is not None and new.facing is not None
    not_ready(turn, side)
    turn.tell(
        UnitPlaced(
            rule=book.PLACING.id, seen_by=only(side), unit=unit.key, at=new.at, facing=new.facing,
            formation=new.formation,
        )
    )  # fmt: skip


def placed(field: Field, unit: Unit, at: Cell, facing: int | None, formation: Formation | None) -> Unit:
    """The unit as it would stand on the strip; IllegalCommand if a rule forbids it."""
    if formation is None:
        formation = Formation.COLUMN if unit.has_formations else Formation.OPEN
    if unit.has_formations:
        require(formation is not Formation.OPEN, book.FORMATIONS, "bad_formation", unit=unit.name)
    else:
        require(formation is Formation.OPEN, book.FORMATIONS, "no_formations", unit=unit.name)
    strip = field.strips[SIDES.index(unit.side)]
    away = (home_facing(field.board, strip) + 2) % 4
    new = replace(unit, at=at, facing=away if facing is None else facing, formation=formation)
    taken = {c for u in field.units if u.side is unit.side and u.key != unit.key and u.on_field for c in u.cells}
    cells = new.cells
    wrong: tuple[tuple[str, list[Cell]], ...] = (
        ("off_map", [c for c in cells if c not in field.board]),
        ("outside_strip", [c for c in cells if c not in strip]),
        ("impassable", [c for c in cells if c in field.board and not passable(new, field.terrain(c))]),
        ("occupied", [c for c in cells if c in taken]),
    )
    for key, where in wrong:
        if where:
            refuse(book.PLACING, key, cell=GRID.label(where[0]))
    return new


def take_back(turn: Resolution[TacticalState], command: TakeBack) -> None:
    """Take a placed unit off the board again [T-3.3]."""
    side = deploying(turn.state, command.by.side)
    unit = checks.own_unit(turn.state, command.unit, side)
    require(unit.at is not None, book.PLACING, "not_placed", unit=unit.name)
    not_ready(turn, side)
    turn.tell(PlacementWithdrawn(rule=book.PLACING.id, seen_by=only(side), unit=unit.key))


def not_ready(turn: Resolution[TacticalState], side: Side) -> None:
    """A change takes ready away by itself, and says so [T-3.4]."""
    if side in turn.state.ready:
        turn.tell(SideUnready(rule=book.READY.id, side=side, by_change=True))


def ready(turn: Resolution[TacticalState], command: Ready) -> None:
    """A side is done; when both are, deployment ends at once [T-3.4]."""
    side = deploying(turn.state, command.by.side)
    if side not in turn.state.ready:
        turn.tell(SideReady(rule=book.READY.id, side=side))
    if turn.state.ready == both_sides():
        finish(turn)


def unready(turn: Resolution[TacticalState], command: Unready) -> None:
    """A side takes its ready back [T-3.4]."""
    side = deploying(turn.state, command.by.side)
    if side in turn.state.ready:
        turn.tell(SideUnready(rule=book.READY.id, side=side))


def finish(turn: Resolution[TacticalState]) -> None:
    """Deployment ends: the reveal, unless a side has nobody on the field, which waits for the moderator [T-3.5]."""
    state = turn.state
    if all(any(unit.at is not None and unit.side is side for unit in state.units) for side in SIDES):
        reveal(turn)
        return
    turn.tell(
        DecisionAsked(
            rule=book.NOBODY_DEPLOYED.id,
            decision=Decision(
                id=f"q{state.questions + 1}", kind="nobody_deployed", owed_by=Actor.MODERATOR,
                choices=("restart", "go_on", "close"), default="restart", rule=book.NOBODY_DEPLOYED.id,
                blocks=both_sides(),
            ),
        )
    )  # fmt: skip


def nobody_deployed(turn: Resolution[TacticalState], choice: str) -> None:
    """The moderator's word: deploy again, go on as it is, or end without a winner [T-3.5]."""
    if choice == "restart":
        turn.tell(deployment_phase(turn.state.parameters, f"deployment:{turn.state.questions}"))
    elif choice == "go_on":
        reveal(turn)
    else:
        turn.tell(BattleEnded(rule=book.NOBODY_DEPLOYED.id, winner=None, reason="nobody_deployed"))


def reveal(turn: Resolution[TacticalState]) -> None:
    """Who was not placed is absent, all others are seen by all, and the first turn begins [T-1.6, T-3.2]."""
    state = turn.state
    for unit in state.units:
        if unit.at is None:
            turn.tell(UnitAbsent(rule=book.ABSENT.id, seen_by=only(unit.side), unit=unit.key))
    shown = tuple(
        replace(unit, defensive_fire=None, answer_charges=None) for unit in state.units if unit.at is not None
    )
    turn.tell(DeploymentRevealed(rule=book.DEPLOYMENT.id, units=shown))
    first = turn.state.first
    if first is None:
        roll = turn.throw(1, 6, purpose="first_move", rule=book.FIRST_MOVE).faces[0]
        first = Side.BLUE if roll <= 3 else Side.RED
    turns.start(turn, first)
