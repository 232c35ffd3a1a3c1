"""The tactical ruleset: which chapter answers which command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rules.core import conduct
from rules.core.actors import EVERYONE, MODERATOR_ONLY, Actor, Audience, Side, Viewer, only
from rules.core.board import Terrain
from rules.core.commands import Answer, Command, Ready, TakeBack, TimeExpired, Unready
from rules.core.dice import Dice
from rules.core.errors import IllegalCommand, InvalidCommand
from rules.core.events import DecisionClosed, Event, OrderDropped, ResolutionPaused, UnitEdited
from rules.core.grid import Grid
from rules.core.resolution import Resolution, require
from rules.core.rulebook import RULINGS, Rulebook
from rules.core.ruleset import Flaw
from rules.core.rulings import FieldValue, Rewind, Ruling
from rules.core.scenario import Scenario
from rules.core.state import replace
from rules.core.text import Sentence, gettext_noop
from rules.core.timers import Decision, Step
from rules.core.units import Unit as CoreUnit
from rules.core.view import Names
from rules.tactical import (
    checks,
    choices,
    deployment,
    edits,
    firing,
    formations,
    losses,
    melee,
    narration,
    sight,
    turns,
    units,
    victory,
)
from rules.tactical import rulebook as book
from rules.tactical.commands import (
    COMMANDS,
    Attack,
    EndPursuit,
    EndTurn,
    Face,
    Fire,
    Form,
    Leave,
    Move,
    OfferDraw,
    Place,
    Retreat,
    Stance,
    Wheel,
)
from rules.tactical.events import EVENTS, LossesTaken, StanceSet
from rules.tactical.evolve import evolve
from rules.tactical.options import Options
from rules.tactical.state import GRID, Charge, CloseTurn, Parameters, TacticalState, TacticalView


class Tactical:
    """Napoleonic battles on a square grid, alternate turns."""

    id = "tactical"
    title = gettext_noop("Tactical module")
    version = deployment.VERSION
    book: Rulebook = book.BOOK
    grid: Grid = GRID
    facings: tuple[str, ...] = units.FACINGS
    kinds: Mapping[str, Any] = units.KINDS
    terrains: Mapping[str, Terrain] = units.TERRAINS
    commands: tuple[type[Command], ...] = COMMANDS
    events: tuple[type[Event], ...] = EVENTS
    state_type: type[Any] = TacticalState
    parameters_type: type[Any] = Parameters

    def setup(self, scenario: Scenario, dice: Dice) -> tuple[Event, ...]:
        """The opening of a battle."""
        return deployment.setup(scenario, dice)

    def decide(self, state: TacticalState, command: Command, dice: Dice) -> tuple[Event, ...]:
        """What a command leads to; IllegalCommand if a rule forbids it."""
        turn = Resolution(state, dice, evolve, command.by, agenda=state.agenda)
        handle(turn, command)
        while turn.agenda and turn.state.outcome is None and not any(d.blocks for d in turn.state.decisions):
            take(turn, turn.agenda.pop(0))
        agenda = () if turn.state.outcome is not None else tuple(turn.agenda)
        if agenda != turn.state.agenda:
            steps = tuple(msgspec.json.decode(msgspec.json.encode(step, order="deterministic")) for step in agenda)
            turn.tell(ResolutionPaused(rule=book.MODERATOR.id, seen_by=MODERATOR_ONLY, agenda=steps))
        return tuple(turn.events)

    def evolve(self, state: TacticalState | None, event: Event) -> TacticalState:
        """The state after an event."""
        return evolve(state, event)

    def view(self, state: TacticalState, viewer: Viewer) -> TacticalView:
        """What a viewer may have of a state."""
        return sight.view(state, viewer)

    def options(self, view: TacticalView, only: str | None = None) -> Options:
        """What the viewer's side may do, of its units only one if one is named."""
        return choices.options(view, only)

    def narrate(self, event: Event, names: Names) -> Sentence | None:
        """An event as a sentence of the log."""
        return narration.narrate(event, names)

    def names(self, view: TacticalView) -> Names:
        """The names that a viewer may read."""
        return sight.names(view)

    def flaws(self, state: TacticalState) -> tuple[Flaw, ...]:
        """What is impossible in a state."""
        return edits.flaws(state)

    def edit(self, unit: units.Unit, changes: Mapping[str, FieldValue]) -> units.Unit:
        """A unit with a ruling's changes."""
        return edits.edited(unit, changes)

    def edit_audience(self, state: TacticalState, unit: units.Unit, fields: frozenset[str]) -> Audience:
        """Both sides know of a ruling in open play; of a stance, a placement and an absent unit its own side only."""
        hidden = bool(fields & edits.HIDDEN) or not state.is_public(unit)
        return only(unit.side) if hidden else EVERYONE

    def edit_shown(self, unit: units.Unit, field: str) -> FieldValue:
        """A field as a ruling shows it."""
        return edits.shown(unit, field)

    def strength(self, unit: units.Unit) -> tuple[float, float]:
        """HP now and at the start."""
        return units.strength(unit)

    def report(self, view: TacticalView) -> tuple[victory.SideReport, victory.SideReport]:
        """What the battle cost RED and BLUE, as far as the viewer knows."""
        return victory.report(view)

    def order(self, unit: CoreUnit) -> tuple[Any, ...]:
        """RED first, then as in the army list."""
        return units.order(unit)


RULESET = Tactical()


def handle(turn: Resolution[TacticalState], command: Command) -> None:
    """Which chapter answers which command."""
    match command:
        case Place():
            deployment.place(turn, command)
        case TakeBack():
            deployment.take_back(turn, command)
        case Ready():
            deployment.ready(turn, command)
        case Unready():
            deployment.unready(turn, command)
        case Move():
            melee.move(turn, command)
        case Attack():
            melee.attack(turn, command)
        case Form():
            formations.change(turn, command)
        case Wheel():
            formations.wheel(turn, command)
        case Face():
            formations.face(turn, command)
        case Fire():
            firing.fire(turn, command)
        case Stance():
            stance(turn, command)
        case Answer():
            answer(turn, command)
        case EndTurn():
            turns.end_turn(turn, command)
        case EndPursuit():
            victory.end_pursuit(turn, command)
        case Retreat():
            victory.retreat(turn, command)
        case Leave():
            victory.leave(turn, command)
        case OfferDraw():
            victory.offer_draw(turn, command)
        case TimeExpired():
            time_expired(turn, command)
        case Rewind():
            raise InvalidCommand("a rewind is a ruling on the history", "type")
        case Ruling():
            ruling(turn, command)
        case _:
            raise InvalidCommand("no such command", "type")


def take(turn: Resolution[TacticalState], step: Step) -> None:
    """Carry out a step of the agenda; an order that a rule forbids by now is dropped and says so."""
    match step:
        case Charge():
            try:
                melee.carry_out(turn, step.unit, step.target, step.path, met=step.met)
            except IllegalCommand as error:
                turn.tell(OrderDropped(rule=error.rule, unit=step.unit, key=error.key))
        case CloseTurn():
            turns.take(turn, step)


def stance(turn: Resolution[TacticalState], command: Stance) -> None:
    """Set a stance of an own unit, at any time and unseen by the enemy [T-10.4]."""
    checks.in_battle(turn.state)
    side = _side(command)
    unit = checks.own_unit(turn.state, command.unit, side)
    fits = unit.is_infantry if command.name == "defensive_fire" else unit.is_cavalry
    require(fits, book.STANCES, "bad_stance", unit=unit.name)
    turn.tell(
        StanceSet(rule=book.STANCES.id, seen_by=only(side), unit=unit.key, name=command.name, value=command.value)
    )


def _side(command: Command) -> Side:
    side = command.by.side
    if side is None:
        raise IllegalCommand("not_your_turn", book.WHOSE_TURN.id)
    return side


def answer(turn: Resolution[TacticalState], command: Answer) -> None:
    """Answer an open question that one owes an answer to."""
    checks.in_battle(turn.state)
    decision = turn.state.decision(command.decision)
    owed = decision is not None and decision.owed_by is command.by
    require(owed, book.WHO_ANSWERS, "nothing_to_answer")
    assert decision is not None
    ruled = command.by is Actor.MODERATOR
    require(not ruled or command.reason.strip(), RULINGS, "reason_required")
    require(command.choice in decision.choices, book.WHO_ANSWERS, "bad_choice", choice=command.choice)
    close(turn, decision, command.choice, author=command.author, reason=command.reason)


def close(
    turn: Resolution[TacticalState], decision: Decision, choice: str, *, expired: bool = False, author: str = "",
    reason: str = "",
) -> None:  # fmt: skip
    """A question is closed, and what was asked follows from the choice."""
    turn.tell(
        DecisionClosed(
            rule=decision.rule, decision=decision.id, kind=decision.kind, choice=choice, expired=expired,
            about=decision.about, author=author, reason=reason, seen_by=decision.seen_by,
        )
    )  # fmt: skip
    match decision.kind:
        case "charge":
            turn.agenda = [
                replace(step, met=choice == "ride")
                if isinstance(step, Charge) and step.decision == decision.id
                else step
                for step in turn.agenda
            ]
        case "nobody_deployed":
            deployment.nobody_deployed(turn, choice)
        case "overwhelm":
            overwhelm_ruled(turn, decision, choice)
        case "caught_in_retreat":
            victory.caught(turn, decision, choice)
        case "early_rout":
            victory.rout_answered(turn, decision, choice, author, reason)
        case "stalemate" if choice != "go_on":
            winner = None if choice == "draw" else Side(choice)
            victory.end(turn, winner, "stalemate", book.STALEMATE)
        case "draw_offer" if choice == "accept":
            victory.end(turn, None, "agreed", book.STALEMATE)


def overwhelm_ruled(turn: Resolution[TacticalState], decision: Decision, choice: str) -> None:
    """The moderator's answer changes the stronger unit's HP by the difference [T-16.2]."""
    unit = turn.state.unit(decision.about[0])
    difference = float(choice) - float(decision.default)
    if unit.fate is not None or not difference:
        return
    after = min(unit.start_hp, max(0.0, unit.hp - difference))
    turn.tell(
        LossesTaken(
            rule=book.OVERWHELM_RULING.id, unit=unit.key, loss=difference, before=unit.hp, after=after,
            cause="overwhelm_ruling",
        )
    )  # fmt: skip
    losses.settle(turn, (unit.key,), "overwhelm_ruling")


def time_expired(turn: Resolution[TacticalState], command: TimeExpired) -> None:
    """A clock ran out; for one that does not run it is nothing [T-3.1, T-4.2, T-11.2]."""
    if command.by is not Actor.CLOCK:
        raise InvalidCommand("only the clock says so", "type")
    state = turn.state
    timer = state.timer(command.timer)
    if timer is None or not timer.running or state.outcome is not None:
        return
    if timer.key.startswith("answer:"):
        decision = state.decision(timer.key.removeprefix("answer:"))
        if decision is not None:
            close(turn, decision, unanswered(turn.state, decision), expired=True)
    elif state.phase.name == "deployment":
        deployment.finish(turn)
    elif state.phase.name == "turn":
        turns.close(turn, expired=True)


def unanswered(state: TacticalState, decision: Decision) -> str:
    """What holds without an answer in time: for a charge the stance as it is by then [T-11.2], else the default."""
    if decision.kind == "charge":
        return "ride" if state.unit(decision.about[1]).answer_charges else "stand"
    return decision.default


def ruling(turn: Resolution[TacticalState], command: Ruling) -> None:
    """A ruling on the state; from an edited unit follows what the rules say of its HP and melees [T-15.1]."""
    checks.in_battle(turn.state)

    def after_edit(key: str) -> None:
        edit = turn.events[-1]
        unit = turn.state.unit(key)
        fields = {change.field for change in edit.changes} if isinstance(edit, UnitEdited) else set()
        if fields & {"at", "facing", "formation"}:
            for fight in turn.state.melees_of(key):
                if melee.touching(unit, turn.state.unit(fight.other(key))) is None:
                    losses.end_melee(turn, fight)
        if "hp" in fields:
            losses.settle(turn, (key,), "ruling")

    conduct.rule_on(RULESET, turn, command, after_edit)
    if turn.state.outcome is not None:
        turn.agenda.clear()
