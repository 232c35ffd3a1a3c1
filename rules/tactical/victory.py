"""Retreat, victory, early rout and dead ends [T-12, T-13, T-14.3, T-16.1]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

import msgspec

from rules.core.actors import SIDES, Actor, Side
from rules.core.events import BattleEnded, DecisionAsked, DecisionClosed
from rules.core.resolution import Resolution, refuse, require
from rules.core.rulebook import Rule
from rules.core.state import both_sides
from rules.core.timers import Decision
from rules.core.units import Fate
from rules.tactical import checks, losses, movement
from rules.tactical import rulebook as book
from rules.tactical.commands import EndPursuit, Leave, OfferDraw, Retreat
from rules.tactical.events import DrawOffered, EarlyRout, PursuitEnded, RetreatOrdered, RoutWaived
from rules.tactical.melee import break_off
from rules.tactical.reduction import multiplied_back
from rules.tactical.state import CloseTurn, Field, TacticalState, edge_distance, home_facing
from rules.tactical.units import Unit

LOST = frozenset({Fate.DESTROYED, Fate.SCATTERED})


def retreat(turn: Resolution[TacticalState], command: Retreat) -> None:
    """Order the general retreat, asked twice [T-12.2]."""
    side = checks.own_turn(turn, command.by.side)
    require(side not in turn.state.retreating, book.RETREAT, "retreat_is_final")
    require(command.confirmed, book.RETREAT, "confirm_retreat")
    turn.tell(RetreatOrdered(rule=book.RETREAT.id, side=side))
    for offer in [d for d in turn.state.decisions if d.kind == "draw_offer"]:
        lapse(turn, offer)


def leave(turn: Resolution[TacticalState], command: Leave) -> None:
    """A unit on the home edge leaves the map for one point [T-12.2]."""
    side = checks.own_turn(turn, command.by.side)
    unit = checks.own_unit(turn.state, command.unit, side)
    may_leave(turn.state, unit)
    if turn.state.in_melee(unit.key):
        break_off(turn, unit, 0.0)
    losses.remove(turn, unit, Fate.WITHDRAWN, "retreat", book.RETREAT.id)


def may_leave(field: Field, unit: Unit) -> None:
    """A unit leaves only in a general retreat, from its home edge, with a point left [T-12.2, T-12.5]."""
    require(unit.side in field.retreating, book.NO_LEAVING, "no_retreat_ordered", unit=unit.name)
    movement.not_done(unit)
    home = home_facing(field.board, field.strips[SIDES.index(unit.side)])
    at_edge = any(edge_distance(field.board, home, cell) == 0 for cell in unit.cells)
    require(at_edge, book.RETREAT, "not_at_edge", unit=unit.name)
    require(unit.left >= 1, book.RETREAT, "too_far", needed=1, left=unit.left)


def end_pursuit(turn: Resolution[TacticalState], command: EndPursuit) -> None:
    """Let a retreating enemy go; what is in melee is left to the moderator [T-12.3]."""
    side = checks.own_turn(turn, command.by.side)
    enemy = side.enemy
    require(enemy in turn.state.retreating, book.PURSUIT, "nobody_retreats")
    turn.tell(PursuitEnded(rule=book.PURSUIT.id, side=side))
    caught: list[Unit] = []
    for unit in turn.state.units:
        if unit.side is enemy and unit.on_field:
            if turn.state.in_melee(unit.key):
                caught.append(unit)
            else:
                losses.remove(turn, unit, Fate.WITHDRAWN, "retreat", book.PURSUIT.id)
    for unit in caught:
        turn.tell(
            DecisionAsked(
                rule=book.PURSUIT.id,
                decision=Decision(
                    id=f"q{turn.state.questions + 1}", kind="caught_in_retreat", owed_by=Actor.MODERATOR,
                    choices=("captured", "scattered", "withdrawn"), default="captured", rule=book.PURSUIT.id,
                    blocks=both_sides(), about=(unit.key,),
                ),
            )
        )  # fmt: skip
    turn.agenda.append(CloseTurn(stage="victory"))


def caught(turn: Resolution[TacticalState], decision: Decision, choice: str) -> None:
    """The moderator's word on a unit that was caught in its retreat [T-12.3]."""
    unit = turn.state.unit(decision.about[0])
    if unit.fate is None:
        losses.remove(turn, unit, Fate(choice), "caught_in_retreat", book.PURSUIT.id)


def offer_draw(turn: Resolution[TacticalState], command: OfferDraw) -> None:
    """Offer the other side a draw, in play and one offer at a time [T-12.6]."""
    state = turn.state
    checks.in_battle(state)
    require(state.phase.name != "deployment", book.DEPLOYMENT, "not_deploying")
    side = command.by.side
    if side is None:
        refuse(book.WHOSE_TURN, "not_your_turn")
    checks.unblocked(state, side)
    require(not any(d.kind == "draw_offer" for d in state.decisions), book.STALEMATE, "answer_pending")
    turn.tell(DrawOffered(rule=book.STALEMATE.id, side=side))
    turn.tell(
        DecisionAsked(
            rule=book.STALEMATE.id,
            decision=Decision(
                id=f"q{state.questions + 1}", kind="draw_offer", owed_by=Actor(side.enemy.value),
                choices=("accept", "decline"), default="decline", rule=book.STALEMATE.id,
            ),
        )
    )  # fmt: skip


def lapse(turn: Resolution[TacticalState], offer: Decision) -> None:
    """An offer that was not answered is declined: when its receiver ends his turn, or when a side retreats [T-12.6]."""
    turn.tell(
        DecisionClosed(
            rule=offer.rule, decision=offer.id, kind=offer.kind, choice=offer.default, expired=True, about=offer.about
        )
    )


def field_of(state: TacticalState, side: Side) -> tuple[Unit, ...]:
    """A side's units on the field."""
    return tuple(unit for unit in state.units if unit.side is side and unit.on_field)


def judge(turn: Resolution[TacticalState]) -> None:
    """At a turn's end: is it over, from both sides together, or at a dead end [T-12.1, T-12.3, T-12.4, T-12.6]."""
    state = turn.state
    if state.outcome is not None:
        return
    holds = {side: bool(field_of(state, side)) for side in SIDES}
    if not any(holds.values()):
        end(turn, None, "nobody_left", book.JUDGED_AT_END)
    elif state.retreating == both_sides():
        end(turn, None, "both_retreat", book.JUDGED_AT_END)
    elif not all(holds.values()):
        winner = Side.RED if holds[Side.RED] else Side.BLUE
        fled = winner.enemy in state.retreating
        end(turn, winner, "retreat" if fled else "field_held", book.PURSUIT if fled else book.VICTORY)
    elif state.parameters.turn_limit and state.turn >= state.parameters.turn_limit:
        end(turn, None, "turn_limit", book.TURN_LIMIT)
    else:
        dead_end(turn)


def end(turn: Resolution[TacticalState], winner: Side | None, reason: str, rule: Rule) -> None:
    """The battle is over."""
    turn.agenda.clear()
    turn.tell(BattleEnded(rule=rule.id, winner=winner, reason=reason))


def dead_end(turn: Resolution[TacticalState]) -> None:
    """Only guns on both sides, or nothing done for long: the moderator is asked, and play goes on [T-12.6]."""
    state = turn.state
    if any(d.kind == "stalemate" for d in state.decisions):
        return
    guns = not state.guns_asked and all(u.is_artillery for u in state.units if u.on_field)
    quiet = 0 < state.parameters.quiet_turns <= state.quiet
    if guns or quiet:
        turn.tell(
            DecisionAsked(
                rule=book.STALEMATE.id,
                decision=Decision(
                    id=f"q{state.questions + 1}", kind="stalemate", owed_by=Actor.MODERATOR,
                    choices=("go_on", "draw", "red", "blue"), default="go_on", rule=book.STALEMATE.id,
                ),
            )
        )  # fmt: skip


def lost_units(state: TacticalState) -> tuple[int, int]:
    """Units of RED and BLUE that are destroyed or scattered [T-13.4]."""
    red, blue = (sum(u.side is side and u.fate in LOST for u in state.units) for side in SIDES)
    return red, blue


def breaks(lost: int, deployed: int, enemy_lost: int, enemy_deployed: int) -> bool:
    """Whether a side breaks: half of at least four units lost, the enemy at most a quarter [T-13.1, T-13.2]."""
    return deployed >= 4 and 2 * lost >= deployed and 4 * enemy_lost <= enemy_deployed


def early_rout(turn: Resolution[TacticalState]) -> None:
    """At a turn's end a side may break; the moderator is asked first if `rout_confirmation` [T-13.1 to T-13.3]."""
    state = turn.state
    parameters = state.parameters
    if parameters.battle_kind == "siege" or parameters.waive_rout or state.rout_waived or state.retreating:
        return
    lost = lost_units(state)
    for index, side in enumerate(SIDES):
        if not breaks(lost[index], state.deployed[index], lost[1 - index], state.deployed[1 - index]):
            continue
        if not field_of(state, side):
            continue
        if parameters.rout_confirmation:
            turn.tell(
                DecisionAsked(
                    rule=book.ROUT_WAIVED.id,
                    decision=Decision(
                        id=f"q{state.questions + 1}", kind="early_rout", owed_by=Actor.MODERATOR,
                        choices=("rout", "fight_on"), default="rout", rule=book.ROUT_WAIVED.id, blocks=both_sides(),
                        about=(side.value,),
                    ),
                )
            )  # fmt: skip
        else:
            rout(turn, side)


def rout(turn: Resolution[TacticalState], side: Side) -> None:
    """A side breaks: half of what is left scatters by lot, an odd one with it, the rest withdraws [T-13.1, T-13.4]."""
    state = turn.state
    index = SIDES.index(side)
    lost = lost_units(state)
    order = (index, 1 - index)
    turn.tell(
        EarlyRout(
            rule=book.EARLY_ROUT.id, side=side, lost=(lost[order[0]], lost[order[1]]),
            deployed=(state.deployed[order[0]], state.deployed[order[1]]),
        )
    )  # fmt: skip
    rest = field_of(state, side)
    picks = turn.draw(len(rest), (len(rest) + 1) // 2, purpose="rout", rule=book.ROUT_COUNT)
    for position, unit in enumerate(rest):
        fate = Fate.SCATTERED if position in picks else Fate.WITHDRAWN
        losses.remove(turn, turn.state.unit(unit.key), fate, "rout", book.EARLY_ROUT.id)
    end(turn, side.enemy, "early_rout", book.EARLY_ROUT)


def rout_answered(turn: Resolution[TacticalState], decision: Decision, choice: str, author: str, reason: str) -> None:
    """The moderator lets the side break or fight on [T-13.3]."""
    side = Side(decision.about[0])
    if choice == "rout":
        rout(turn, side)
    else:
        turn.tell(RoutWaived(rule=book.ROUT_WAIVED.id, side=side, author=author, reason=reason))


# the result as a report


class FateCount(msgspec.Struct, frozen=True, kw_only=True):
    """Units of one fate: on the field, the exact product with the reduction's factor, and in whole units [T-14.3]."""

    fate: str
    units: int
    exact: float
    whole: int


class SideReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a battle cost a side: units by fate and hit points lost. `brought` is the army before the reduction."""

    side: Side
    brought: int
    factor: float
    fates: tuple[FateCount, ...]
    hp_lost: float
    hp_start: float


FATES = ("intact", "damaged", "scattered", "destroyed", "withdrawn", "captured", "absent")


def fate_counts(units: tuple[Unit, ...]) -> Counter[str]:
    """Units by fate; those still there are intact or damaged."""
    return Counter(u.fate.value if u.fate else ("intact" if u.hp >= u.start_hp else "damaged") for u in units)


def report(field: Field) -> tuple[SideReport, SideReport]:
    """What the battle cost RED and BLUE as far as it is known, losses multiplied back in a big battle [T-14.3]."""
    red, blue = (_side_report(field, side) for side in SIDES)
    return red, blue


def _side_report(state: Field, side: Side) -> SideReport:
    units = tuple(u for u in state.units if u.side is side)
    counts: Mapping[str, int] = fate_counts(units)
    factor = Fraction(state.factor).limit_denominator(10_000)
    brought = state.brought[SIDES.index(side)]
    scaled = multiplied_back(counts, brought or len(units), factor)
    return SideReport(
        side=side,
        brought=brought or len(units),
        factor=state.factor,
        fates=tuple(
            FateCount(fate=fate, units=counts[fate], exact=float(scaled[fate][0]), whole=scaled[fate][1])
            for fate in FATES
            if fate in scaled
        ),
        hp_lost=sum(u.start_hp - (0 if u.fate is Fate.DESTROYED else u.hp) for u in units if not u.absent),
        hp_start=sum(u.start_hp for u in units),
    )
