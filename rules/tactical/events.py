"""What can happen in a tactical battle [T-16]."""

from __future__ import annotations

from typing import Literal

from rules.core import events as core
from rules.core.actors import Side
from rules.core.events import Event
from rules.core.grid import Cell
from rules.tactical.state import Parameters
from rules.tactical.units import Formation, Unit

Aspect = Literal["front", "flank", "rear"]
Shot = Literal["musketry", "defensive", "roundshot", "canister"]


class BattleOpened(core.BattleOpened, frozen=True, kw_only=True, tag="battle_opened"):
    """The opening of a tactical battle: strips, parameters, and the strategic attacker if one is marked."""

    strips: tuple[tuple[Cell, ...], tuple[Cell, ...]]
    parameters: Parameters
    attacker: Side | None = None


class ArmyMustered(Event, frozen=True, kw_only=True, tag="army_mustered"):
    """An army as it takes the field; known to its own side only. `brought` is its number before the reduction,
    `left_out` are the names that the reduction removed, `factor` multiplies the losses back [T-14]."""

    side: Side
    units: tuple[Unit, ...]
    brought: int
    left_out: tuple[str, ...] = ()
    factor: float = 1.0


class UnitPlaced(Event, frozen=True, kw_only=True, tag="unit_placed"):
    """A unit stands on the strip."""

    unit: str
    at: Cell
    facing: int
    formation: Formation
    by_time: bool = False


class PlacementWithdrawn(Event, frozen=True, kw_only=True, tag="placement_withdrawn"):
    """A placed unit is off the board again."""

    unit: str


class UnitAbsent(Event, frozen=True, kw_only=True, tag="unit_absent"):
    """A unit was not placed in time and takes no part."""

    unit: str


class DeploymentRevealed(core.DeploymentSeen, frozen=True, kw_only=True, tag="deployment_revealed"):
    """Deployment is over: everything that stands on the field, stances left out."""

    units: tuple[Unit, ...]


class TurnStarted(Event, frozen=True, kw_only=True, tag="turn_started"):
    """A side's turn begins."""

    turn: int
    side: Side
    seconds: int = 0


class TurnEnded(Event, frozen=True, kw_only=True, tag="turn_ended"):
    """A side's turn is over; its melees and the verdict come next."""

    turn: int
    side: Side
    expired: bool = False


class UnitMoved(Event, frozen=True, kw_only=True, tag="unit_moved"):
    """A unit marched: the cells entered, the points spent by now, how it faces. A `ride` meets a charge [T-11.3]."""

    unit: str
    path: tuple[Cell, ...]
    start: Cell
    spent: int
    facing: int | None
    ride: bool = False


class UnitTurned(Event, frozen=True, kw_only=True, tag="unit_turned"):
    """A unit faces another way; `ordered` is false where the rules turned it."""

    unit: str
    facing: int
    spent: int
    ordered: bool = True


class FormationChanged(Event, frozen=True, kw_only=True, tag="formation_changed"):
    """A unit is drawn up anew."""

    unit: str
    formation: Formation
    before: Formation
    at: Cell
    facing: int
    spent: int


class LineWheeled(Event, frozen=True, kw_only=True, tag="line_wheeled"):
    """A line swung round on its inner end."""

    unit: str
    to: Literal["right", "left"]
    at: Cell
    facing: int
    spent: int


class ShotFired(Event, frozen=True, kw_only=True, tag="shot_fired"):
    """A unit fired: how, at whom, on which cell, how far, the chance in sixths with its roll for a roundshot,
    whom it hit, and what each of them loses for it (artillery less: see `losses_taken`)."""

    unit: str
    target: str
    shot: Shot
    at: Cell
    distance: int
    hits: tuple[str, ...] = ()
    loss: float = 0.0
    chance: int = 0
    roll: int = 0
    own_turn: int = 0


class ChargeAnnounced(Event, frozen=True, kw_only=True, tag="charge_announced"):
    """Cavalry charges cavalry that may answer; nothing has moved yet."""

    unit: str
    target: str
    path: tuple[Cell, ...]
    run: int


class ChargeAnswered(Event, frozen=True, kw_only=True, tag="charge_answered"):
    """The charged cavalry rides to meet the charge, so many cells."""

    unit: str
    target: str
    cells: int


class MeleeJoined(Event, frozen=True, kw_only=True, tag="melee_joined"):
    """Two units are in melee: from which side, with which penalty of the defender and which onslaughts."""

    attacker: str
    defender: str
    ground: tuple[Cell, Cell]
    aspect: Aspect
    penalty: int = 0
    onslaught: int = 0
    counter: int = 0
    run: int = 0
    facing: int | None = None


class ExchangeFought(Event, frozen=True, kw_only=True, tag="exchange_fought"):
    """An exchange: both combat values with their sums, and what each loses by it. `overwhelmed` scatters."""

    attacker: str
    defender: str
    values: tuple[int, int]
    attacker_sum: dict[str, int]
    defender_sum: dict[str, int]
    losses: tuple[float, float]
    overwhelmed: str = ""


class LossesTaken(Event, frozen=True, kw_only=True, tag="losses_taken"):
    """A unit lost hit points."""

    unit: str
    loss: float
    before: float
    after: float
    cause: str


class MeleeLeft(Event, frozen=True, kw_only=True, tag="melee_left"):
    """A unit broke off its melees."""

    unit: str
    loss: float = 0.0


class MeleeEnded(Event, frozen=True, kw_only=True, tag="melee_ended"):
    """A melee is over because one of the two is gone or has left."""

    attacker: str
    defender: str


class StanceSet(Event, frozen=True, kw_only=True, tag="stance_set"):
    """A stance of a unit was set."""

    unit: str
    name: Literal["defensive_fire", "answer_charges"]
    value: bool


class RetreatOrdered(Event, frozen=True, kw_only=True, tag="retreat_ordered"):
    """A side gave the order to retreat."""

    side: Side


class PursuitEnded(Event, frozen=True, kw_only=True, tag="pursuit_ended"):
    """The winner lets the rest of a retreating army go."""

    side: Side


class EarlyRout(Event, frozen=True, kw_only=True, tag="early_rout"):
    """A side breaks: lost units of those deployed, the breaking side first."""

    side: Side
    lost: tuple[int, int]
    deployed: tuple[int, int]


class RoutWaived(Event, frozen=True, kw_only=True, tag="rout_waived"):
    """The moderator lets a side that would break fight on."""

    ruling = True
    side: Side
    author: str = ""
    reason: str = ""


class DrawOffered(Event, frozen=True, kw_only=True, tag="draw_offered"):
    """A side offered a draw."""

    side: Side


EVENTS: tuple[type[Event], ...] = (
    BattleOpened, ArmyMustered, UnitPlaced, PlacementWithdrawn, UnitAbsent, DeploymentRevealed, TurnStarted, TurnEnded,
    UnitMoved, UnitTurned, FormationChanged, LineWheeled, ShotFired, ChargeAnnounced, ChargeAnswered, MeleeJoined,
    ExchangeFought, LossesTaken, MeleeLeft, MeleeEnded, StanceSet, RetreatOrdered, PursuitEnded, EarlyRout, RoutWaived,
    DrawOffered,
    core.PhaseStarted, core.DiceThrown, core.SideReady, core.SideUnready, core.DecisionAsked, core.DecisionClosed,
    core.ResolutionPaused, core.OrderDropped, core.UnitRemoved, core.BattleEnded, core.SeedRevealed, core.UnitEdited,
    core.ClockStopped, core.ClockStarted, core.ClockExtended, core.ClockRestarted, core.Rewound,
)  # fmt: skip
