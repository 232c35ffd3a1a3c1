"""One sentence an event, for the battle log."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rules.core.actors import SIDES, Side
from rules.core.events import (
    BattleEnded,
    ClockExtended,
    ClockRestarted,
    ClockStarted,
    ClockStopped,
    DecisionAsked,
    DecisionClosed,
    DiceThrown,
    Event,
    OrderDropped,
    PhaseStarted,
    ResolutionPaused,
    Rewound,
    SeedRevealed,
    SideReady,
    SideUnready,
    UnitEdited,
    UnitRemoved,
)
from rules.core.grid import Cell
from rules.core.text import (
    Dice,
    Halves,
    Place,
    Sentence,
    SideRef,
    Term,
    UnitRef,
    Value,
    gettext_noop,
    ngettext_noop,
)
from rules.core.units import Fate
from rules.core.view import Names
from rules.tactical import events as e
from rules.tactical.state import GRID
from rules.tactical.units import FACINGS, FORMATION_TITLES

FACING_TITLES = (gettext_noop("north"), gettext_noop("east"), gettext_noop("south"), gettext_noop("west"))
FACING_OF = dict(zip(FACINGS, FACING_TITLES, strict=True))

PARTS: Mapping[str, str] = MappingProxyType(
    {
        "melee": gettext_noop("melee"),
        "formation": gettext_noop("formation"),
        "flank": gettext_noop("from the flank"),
        "rear": gettext_noop("from the rear"),
        "onslaught": gettext_noop("onslaught"),
    }
)

CAUSES: Mapping[str, str] = MappingProxyType(
    {
        "musketry": gettext_noop("by musketry"),
        "roundshot": gettext_noop("by roundshot"),
        "canister": gettext_noop("by canister"),
        "defensive": gettext_noop("by defensive fire"),
        "melee": gettext_noop("in melee"),
        "overwhelmed": gettext_noop("overwhelmed in melee"),
        "left_melee": gettext_noop("breaking off"),
        "overwhelm_ruling": gettext_noop("by the moderator's ruling"),
        "ruling": gettext_noop("by the moderator's ruling"),
        "overrun": gettext_noop("overrun"),
        "retreat": gettext_noop("in the general retreat"),
        "caught_in_retreat": gettext_noop("caught in the retreat"),
        "rout": gettext_noop("in the rout"),
    }
)

REMOVED: Mapping[Fate, str] = MappingProxyType(
    {
        Fate.DESTROYED: gettext_noop("%(unit)s is destroyed, %(cause)s."),
        Fate.SCATTERED: gettext_noop("%(unit)s is scattered, %(cause)s."),
        Fate.WITHDRAWN: gettext_noop("%(unit)s leaves the field, %(cause)s."),
        Fate.CAPTURED: gettext_noop("%(unit)s is captured, %(cause)s."),
        Fate.ABSENT: gettext_noop("%(unit)s takes no part."),
    }
)

QUESTIONS: Mapping[str, str] = MappingProxyType(
    {
        "charge": gettext_noop("%(other)s may ride out to meet %(unit)s."),
        "overwhelm": gettext_noop("The moderator is asked what %(unit)s loses by overwhelming %(other)s."),
        "nobody_deployed": gettext_noop("A side has placed nobody: the battle waits for the moderator."),
        "caught_in_retreat": gettext_noop("The moderator is asked what becomes of %(unit)s, caught in melee."),
        "early_rout": gettext_noop("An army is about to break: the moderator is asked."),
        "stalemate": gettext_noop("The battle stands still: the moderator is asked. Play goes on."),
        "draw_offer": gettext_noop("The offer waits for an answer."),
    }
)

CLOSED: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("charge", "ride"): gettext_noop("%(other)s rides out."),
        ("charge", "stand"): gettext_noop("%(other)s awaits the charge."),
        ("overwhelm", "0"): gettext_noop("Ruling: %(unit)s loses nothing."),
        ("overwhelm", "0.5"): gettext_noop("Ruling: %(unit)s loses half a point."),
        ("nobody_deployed", "restart"): gettext_noop("Ruling: the armies deploy again."),
        ("nobody_deployed", "go_on"): gettext_noop("Ruling: the battle goes on as it stands."),
        ("nobody_deployed", "close"): gettext_noop("Ruling: the battle does not take place."),
        ("caught_in_retreat", "captured"): gettext_noop("Ruling: %(unit)s is captured."),
        ("caught_in_retreat", "scattered"): gettext_noop("Ruling: %(unit)s is scattered."),
        ("caught_in_retreat", "withdrawn"): gettext_noop("Ruling: %(unit)s gets away."),
        ("early_rout", "rout"): gettext_noop("Ruling: the army breaks."),
        ("early_rout", "fight_on"): gettext_noop("Ruling: the army fights on."),
        ("stalemate", "go_on"): gettext_noop("Ruling: the battle goes on."),
        ("stalemate", "draw"): gettext_noop("Ruling: a draw."),
        ("stalemate", "red"): gettext_noop("Ruling: %(red)s has won."),
        ("stalemate", "blue"): gettext_noop("Ruling: %(blue)s has won."),
        ("draw_offer", "accept"): gettext_noop("The draw is accepted."),
        ("draw_offer", "decline"): gettext_noop("The draw is declined."),
    }
)

ENDED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {  # reason: with a winner, without one
        "field_held": (gettext_noop("%(winner)s holds the field and has won."), gettext_noop("The battle is over.")),
        "retreat": (
            gettext_noop("The enemy has left the field: %(winner)s has won."),
            gettext_noop("The battle is over."),
        ),
        "early_rout": (gettext_noop("The enemy has broken: %(winner)s has won."), gettext_noop("The battle is over.")),
        "nobody_left": (gettext_noop("%(winner)s has won."), gettext_noop("Nobody is left on the field: a draw.")),
        "both_retreat": (gettext_noop("%(winner)s has won."), gettext_noop("Both armies are in retreat: a draw.")),
        "turn_limit": (gettext_noop("%(winner)s has won."), gettext_noop("The last turn is over: no winner.")),
        "stalemate": (
            gettext_noop("The battle stood still: by the moderator's word %(winner)s has won."),
            gettext_noop("The battle stood still: a draw by the moderator's word."),
        ),
        "agreed": (gettext_noop("%(winner)s has won."), gettext_noop("A draw by agreement.")),
        "nobody_deployed": (
            gettext_noop("%(winner)s has won."),
            gettext_noop("Nobody deployed: the battle is called off."),
        ),
        "ruling": (
            gettext_noop("%(author)s ends the battle: %(winner)s has won. Reason: %(why)s"),
            gettext_noop("%(author)s ends the battle without a winner. Reason: %(why)s"),
        ),
    }
)

FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "hp": gettext_noop("HP"),
        "at": gettext_noop("place"),
        "facing": gettext_noop("facing"),
        "formation": gettext_noop("formation"),
        "spent": gettext_noop("points spent"),
        "moved": gettext_noop("has moved"),
        "fired": gettext_noop("has fired"),
        "attacked": gettext_noop("has attacked"),
        "last_shot": gettext_noop("last shot"),
        "defensive_fire": gettext_noop("defensive fire"),
        "answer_charges": gettext_noop("answers charges"),
    }
)
STANCES: Mapping[tuple[str, bool], str] = MappingProxyType(
    {
        ("defensive_fire", True): gettext_noop("%(unit)s will fire at charging cavalry."),
        ("defensive_fire", False): gettext_noop("%(unit)s will hold its fire against charging cavalry."),
        ("answer_charges", True): gettext_noop("%(unit)s will ride out to meet charges."),
        ("answer_charges", False): gettext_noop("%(unit)s will not ride out to meet charges by itself."),
    }
)
ASPECTS: Mapping[str, str] = MappingProxyType(
    {
        "front": gettext_noop("%(unit)s attacks %(other)s from the front."),
        "flank": gettext_noop("%(unit)s attacks %(other)s from the flank."),
        "rear": gettext_noop("%(unit)s attacks %(other)s from the rear."),
    }
)


class _Teller:
    """Values for sentences from the names that a viewer may read."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def unit(self, key: str) -> Value:
        """A unit's name in its colour."""
        name, side = self.names.units.get(key, ("?", Side.RED))
        return UnitRef(key, name, side) if key in self.names.units else name

    def side(self, side: Side) -> Value:
        """An army's name in its colour."""
        return SideRef(side, self.names.sides[side])

    def route(self, *cells: Cell) -> Value:
        """Cells joined by arrows."""
        return Place(cells, tuple(GRID.label(cell) for cell in cells), "route")

    def cell(self, cell: Cell) -> Value:
        """One cell."""
        return Place((cell,), (GRID.label(cell),))


def narrate(event: Event, names: Names) -> Sentence | None:
    """An event in words; None for what nobody reads (a paused resolution)."""
    say = _Teller(names)
    match event:
        case e.BattleOpened():
            return Sentence(
                gettext_noop("The battle opens. Hash of the dice: %(hash)s"), {"hash": event.seed_hash[:16] + "…"}
            )
        case e.ArmyMustered():
            return _mustered(event, say)
        case PhaseStarted(timer=timer):
            if timer is None:
                return Sentence(gettext_noop("Both armies deploy, unseen by each other."))
            return Sentence(
                ngettext_noop(
                    "Both armies deploy, unseen by each other: %(seconds)s second.",
                    "Both armies deploy, unseen by each other: %(seconds)s seconds.",
                )[0],
                {"seconds": timer.seconds},
                plural="Both armies deploy, unseen by each other: %(seconds)s seconds.",
                count=timer.seconds,
            )
        case e.UnitPlaced():
            return Sentence(
                gettext_noop("%(unit)s is placed at %(cell)s, %(formation)s, facing %(facing)s."),
                {
                    "unit": say.unit(event.unit), "cell": say.cell(event.at),
                    "formation": Term(FORMATION_TITLES[event.formation]), "facing": Term(FACING_TITLES[event.facing]),
                },
            )  # fmt: skip
        case e.PlacementWithdrawn(unit=unit):
            return Sentence(gettext_noop("%(unit)s is taken off the board again."), {"unit": say.unit(unit)})
        case SideReady(side=side):
            return Sentence(gettext_noop("%(side)s is ready."), {"side": say.side(side)})
        case SideUnready(side=side, by_change=True):
            return Sentence(
                gettext_noop("%(side)s changes its deployment and is not ready any more."), {"side": say.side(side)}
            )
        case SideUnready(side=side):
            return Sentence(gettext_noop("%(side)s takes its ready back."), {"side": say.side(side)})
        case e.UnitAbsent(unit=unit):
            return Sentence(
                gettext_noop("%(unit)s was not placed in time and takes no part."), {"unit": say.unit(unit)}
            )
        case e.DeploymentRevealed(units=units):
            counts = {side: sum(u.side is side for u in units) for side in SIDES}
            return Sentence(
                gettext_noop("The armies are revealed: %(red)s %(red_units)s, %(blue)s %(blue_units)s units."),
                {
                    "red": say.side(Side.RED), "red_units": counts[Side.RED], "blue": say.side(Side.BLUE),
                    "blue_units": counts[Side.BLUE],
                },
            )  # fmt: skip
        case e.TurnStarted(turn=turn, side=side):
            return Sentence(gettext_noop("Turn %(turn)s: %(side)s."), {"turn": turn, "side": say.side(side)})
        case e.TurnEnded(side=side, expired=True):
            return Sentence(gettext_noop("The time of %(side)s is up."), {"side": say.side(side)})
        case e.TurnEnded(side=side):
            return Sentence(gettext_noop("%(side)s ends its turn."), {"side": say.side(side)})
        case DiceThrown():
            return _thrown(event, say)
    return _of_units(event, say) or _of_the_battle(event, say)


def _mustered(event: e.ArmyMustered, say: _Teller) -> Sentence:
    if event.left_out:
        return Sentence(
            gettext_noop("%(side)s musters %(units)s of its %(brought)s units. Left out: %(left)s."),
            {
                "side": say.side(event.side), "units": len(event.units), "brought": event.brought,
                "left": ", ".join(event.left_out),
            },
        )  # fmt: skip
    one, many = ngettext_noop("%(side)s musters %(units)s unit.", "%(side)s musters %(units)s units.")
    count = len(event.units)
    return Sentence(one, {"side": say.side(event.side), "units": count}, plural=many, count=count)


def _thrown(event: DiceThrown, say: _Teller) -> Sentence:
    dice = Dice(event.faces, event.die)
    if event.purpose == "roundshot":
        values: dict[str, Value] = {"unit": say.unit(event.unit), "needed": event.modifiers["needed"], "dice": dice}
        return Sentence(gettext_noop("%(unit)s needs %(needed)s or more to hit: rolled %(dice)s."), values)
    if event.purpose == "first_move":
        side = Side.BLUE if event.faces[0] <= 3 else Side.RED
        return Sentence(
            gettext_noop("A die decides who moves first: rolled %(dice)s, %(side)s."),
            {"dice": dice, "side": say.side(side)},
        )
    lots = ", ".join(str(pick + 1) for pick in event.picks)
    return Sentence(gettext_noop("Lots are drawn, of %(total)s: %(lots)s."), {"total": event.die, "lots": lots})


def _of_units(event: Event, say: _Teller) -> Sentence | None:
    match event:
        case e.UnitMoved(unit=unit, ride=ride):
            text = gettext_noop("%(unit)s rides to meet the charge, %(path)s.") if ride else None
            return Sentence(
                text or gettext_noop("%(unit)s marches %(path)s."),
                {"unit": say.unit(unit), "path": say.route(event.start, *event.path)},
            )
        case e.UnitTurned(unit=unit, facing=facing):
            return Sentence(
                gettext_noop("%(unit)s turns to face %(facing)s."),
                {"unit": say.unit(unit), "facing": Term(FACING_TITLES[facing])},
            )
        case e.FormationChanged(unit=unit):
            return Sentence(
                gettext_noop("%(unit)s forms %(formation)s at %(cell)s, facing %(facing)s."),
                {
                    "unit": say.unit(unit), "formation": Term(FORMATION_TITLES[event.formation]),
                    "cell": say.cell(event.at), "facing": Term(FACING_TITLES[event.facing]),
                },
            )  # fmt: skip
        case e.LineWheeled(unit=unit, facing=facing):
            return Sentence(
                gettext_noop("%(unit)s wheels and faces %(facing)s."),
                {"unit": say.unit(unit), "facing": Term(FACING_TITLES[facing])},
            )
        case e.ShotFired():
            return _shot(event, say)
        case e.ChargeAnnounced(unit=unit, target=target):
            return Sentence(
                gettext_noop("%(unit)s charges %(other)s."), {"unit": say.unit(unit), "other": say.unit(target)}
            )
        case e.ChargeAnswered(unit=unit, target=target):
            return Sentence(
                gettext_noop("%(unit)s answers the charge of %(other)s."),
                {"unit": say.unit(unit), "other": say.unit(target)},
            )
        case e.MeleeJoined():
            return _joined(event, say)
        case e.ExchangeFought():
            return _exchange(event, say)
        case e.LossesTaken(unit=unit, cause=cause):
            return Sentence(
                gettext_noop("%(unit)s %(before)s → %(after)s, %(cause)s."),
                {
                    "unit": say.unit(unit), "before": Halves(event.before), "after": Halves(event.after),
                    "cause": Term(CAUSES[cause]),
                },
            )  # fmt: skip
        case e.MeleeLeft(unit=unit):
            return Sentence(gettext_noop("%(unit)s breaks off its melee."), {"unit": say.unit(unit)})
        case e.MeleeEnded(attacker=attacker, defender=defender):
            return Sentence(
                gettext_noop("The melee of %(unit)s and %(other)s is over."),
                {"unit": say.unit(attacker), "other": say.unit(defender)},
            )
        case UnitRemoved(unit=unit, fate=fate, cause=cause):
            return Sentence(REMOVED[fate], {"unit": say.unit(unit), "cause": Term(CAUSES.get(cause, cause))})
        case e.StanceSet(unit=unit, name=name, value=value):
            return Sentence(STANCES[name, value], {"unit": say.unit(unit)})
        case OrderDropped(unit=unit):
            return Sentence(
                gettext_noop("The order of %(unit)s cannot be carried out any more."), {"unit": say.unit(unit)}
            )
        case UnitEdited():
            return _edited(event, say)
    return None


def _shot(event: e.ShotFired, say: _Teller) -> Sentence:
    values: dict[str, Value] = {
        "unit": say.unit(event.unit), "other": say.unit(event.target), "distance": event.distance,
        "loss": Halves(event.loss), "hits": len(event.hits),
    }  # fmt: skip
    match event.shot:
        case "musketry":
            return Sentence(gettext_noop("%(unit)s fires at %(other)s: %(loss)s."), values)
        case "defensive":
            return Sentence(gettext_noop("%(unit)s fires at the charging %(other)s: %(loss)s."), values)
        case "canister":
            one, many = ngettext_noop(
                "%(unit)s fires canister at %(other)s: %(loss)s for %(hits)s unit.",
                "%(unit)s fires canister at %(other)s: %(loss)s for each of %(hits)s units.",
            )
            return Sentence(one, values, plural=many, count=len(event.hits))
    if event.hits:
        return Sentence(
            gettext_noop("%(unit)s fires roundshot at %(other)s, distance %(distance)s: a hit for %(loss)s."), values
        )
    return Sentence(gettext_noop("%(unit)s fires roundshot at %(other)s, distance %(distance)s: a miss."), values)


def _joined(event: e.MeleeJoined, say: _Teller) -> Sentence:
    values = {"unit": say.unit(event.attacker), "other": say.unit(event.defender), "onslaught": event.onslaught}
    if event.counter:
        return Sentence(gettext_noop("%(unit)s and %(other)s meet at the gallop, both with onslaught."), values)
    if event.onslaught:
        details = (Sentence(gettext_noop("onslaught +%(onslaught)s"), {"onslaught": event.onslaught}),)
        return Sentence(ASPECTS[event.aspect], values, details=details)
    return Sentence(ASPECTS[event.aspect], values)


def _exchange(event: e.ExchangeFought, say: _Teller) -> Sentence:
    values: dict[str, Value] = {
        "unit": say.unit(event.attacker), "other": say.unit(event.defender), "ours": event.values[0],
        "theirs": event.values[1], "our_loss": Halves(event.losses[0]), "their_loss": Halves(event.losses[1]),
    }  # fmt: skip
    details = (_sum(event.attacker, event.attacker_sum, say), _sum(event.defender, event.defender_sum, say))
    if event.overwhelmed:
        values["weak"] = say.unit(event.overwhelmed)
        return Sentence(
            gettext_noop("%(unit)s against %(other)s, %(ours)s : %(theirs)s: %(weak)s is overwhelmed."),
            values,
            details=details,
        )
    return Sentence(
        gettext_noop("%(unit)s against %(other)s, %(ours)s : %(theirs)s: they lose %(our_loss)s and %(their_loss)s."),
        values,
        details=details,
    )


def _sum(key: str, parts: dict[str, int], say: _Teller) -> Sentence:
    names = list(PARTS)
    ordered = sorted(parts.items(), key=lambda item: names.index(item[0]))
    values: dict[str, Value] = {"unit": say.unit(key)}
    texts = []
    for position, (name, value) in enumerate(ordered):
        values[f"part{position}"] = Term(PARTS[name])
        values[f"value{position}"] = str(value) if position == 0 else f"{value:+d}".replace("-", "−")
        texts.append(f"%(part{position})s %(value{position})s")
    return Sentence("%(unit)s: " + " ".join(texts), values)


def _edited(event: UnitEdited, say: _Teller) -> Sentence:
    def value(field: str, raw: object) -> Value:
        if raw is None:
            return "—"
        if field == "hp" and isinstance(raw, (int, float)):
            return Halves(float(raw))
        if field == "facing":
            return Term(FACING_OF[str(raw)])
        if isinstance(raw, bool):
            return Term(gettext_noop("yes") if raw else gettext_noop("no"))
        return str(raw)

    details = tuple(
        Sentence(
            "%(field)s %(before)s → %(after)s",
            {
                "field": Term(FIELDS[change.field]), "before": value(change.field, change.before),
                "after": value(change.field, change.after),
            },
        )
        for change in event.changes
    )  # fmt: skip
    return Sentence(
        gettext_noop("Ruling, %(author)s: %(unit)s is changed. Reason: %(reason)s"),
        {"author": event.author, "unit": say.unit(event.unit), "reason": event.reason},
        details=details,
    )


def _of_the_battle(event: Event, say: _Teller) -> Sentence | None:
    both: dict[str, Value] = {"red": say.side(Side.RED), "blue": say.side(Side.BLUE)}
    match event:
        case DecisionAsked(decision=decision):
            return Sentence(QUESTIONS[decision.kind], {**_about(decision.about, say), **both})
        case DecisionClosed(kind=kind, choice=choice, about=about):
            values = {**_about(about, say), **both}
            details = _signed(event.author, event.reason)
            return Sentence(CLOSED[kind, choice], values, details=details)
        case e.RetreatOrdered(side=side):
            return Sentence(gettext_noop("%(side)s orders the general retreat."), {"side": say.side(side)})
        case e.PursuitEnded(side=side):
            return Sentence(gettext_noop("%(side)s ends the pursuit."), {"side": say.side(side)})
        case e.DrawOffered(side=side):
            return Sentence(gettext_noop("%(side)s offers a draw."), {"side": say.side(side)})
        case e.EarlyRout(side=side, lost=lost, deployed=deployed):
            return Sentence(
                gettext_noop(
                    "%(side)s breaks: it has lost %(lost)s of %(deployed)s units, the enemy %(enemy_lost)s of "
                    "%(enemy_deployed)s."
                ),
                {
                    "side": say.side(side), "lost": lost[0], "deployed": deployed[0], "enemy_lost": lost[1],
                    "enemy_deployed": deployed[1],
                },
            )  # fmt: skip
        case e.RoutWaived(side=side):
            return Sentence(gettext_noop("%(side)s does not break and fights on."), {"side": say.side(side)})
        case BattleEnded(winner=winner, reason=reason):
            won, drawn = ENDED[reason]
            values = {"author": event.author, "why": event.why}
            if winner is not None:
                values["winner"] = say.side(winner)
            return Sentence(won if winner is not None else drawn, values)
        case SeedRevealed(seed=seed):
            return Sentence(gettext_noop("The seed of the dice: %(seed)s"), {"seed": seed})
        case Rewound(to=to, author=author, reason=reason):
            return Sentence(
                gettext_noop("Ruling, %(author)s: the battle is taken back. Reason: %(reason)s"),
                {"author": author, "reason": reason, "to": to},
            )
        case ResolutionPaused():
            return None
    return _of_clocks(event)


def _of_clocks(event: Event) -> Sentence | None:
    match event:
        case ClockStopped(author=author, reason=reason):
            text = gettext_noop("%(author)s stops the clock.")
        case ClockStarted(author=author, reason=reason):
            text = gettext_noop("%(author)s lets the clock go on.")
        case ClockRestarted(author=author, reason=reason):
            text = gettext_noop("%(author)s starts the clock anew.")
        case ClockExtended(author=author, reason=reason, seconds=seconds):
            one, many = ngettext_noop(
                "%(author)s gives %(seconds)s second more.", "%(author)s gives %(seconds)s seconds more."
            )
            values: dict[str, Value] = {"author": author, "seconds": seconds}
            return Sentence(one, values, plural=many, count=seconds, details=_signed("", reason))
        case _:
            return None
    return Sentence(text, {"author": author}, details=_signed("", reason))


def _about(about: tuple[str, ...], say: _Teller) -> dict[str, Value]:
    return {name: say.unit(key) for name, key in zip(("unit", "other"), about, strict=False)}


def _signed(author: str, reason: str) -> tuple[Sentence, ...]:
    if author and reason:
        text = gettext_noop("%(author)s: %(reason)s")
        return (Sentence(text, {"author": author, "reason": reason}),)
    return (Sentence("%(reason)s", {"reason": reason}),) if reason else ()
