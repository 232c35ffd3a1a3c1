"""Battles in lists: a card each, with what it waits for and what its viewer may see of it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Q

from accounts.models import User
from battles.models import Battle, Campaign, Deadline, Stage
from battles.selectors.access import HIDDEN_PHASES, Role, Sight, my_sight, with_access
from battles.selectors.deadlines import ClockReading, open_clocks, reading
from battles.selectors.sight import view_of
from rules.core.actors import SIDES, Actor, Side, Viewer
from rules.core.text import Sentence, SideRef, gettext_noop

FINISHED_SHOWN = 20


class BattleCard(NamedTuple):
    """A battle in a list. `view` is what the viewer may see (None before the opening); `button` is one of
    prepare, enter, play, answer, watch, desk, replay."""

    id: int
    ruleset: str
    name: str
    campaign: str
    campaign_id: int
    sides: dict[str, Any]
    viewer: Viewer
    viewer_side: Side | None
    role: Role
    stage: str
    turn: int
    phase: str
    headline: Sentence
    clock: ClockReading | None
    board: tuple[str, ...]
    view: Any
    waiting: bool
    button: str
    at: datetime


class HomeLists(NamedTuple):
    """A person's battles: those that wait for him, those that run, those that are finished."""

    waiting: tuple[BattleCard, ...]
    running: tuple[BattleCard, ...]
    finished: tuple[BattleCard, ...]


def home_lists(user: User, now: datetime) -> HomeLists:
    """A person's battles; the clock that ends first comes first, what ended last comes first."""
    mine = Q(seats__user=user) | Q(moderators__user=user) | Q(campaign__memberships__user=user)
    chosen = with_access(Battle.objects.all(), user)
    ids = Battle.objects.filter(mine).values("pk")
    alive = chosen.filter(pk__in=ids).exclude(stage=Stage.OVER).order_by("pk")
    over = chosen.filter(pk__in=ids, stage=Stage.OVER).order_by("-ended_at", "-pk")[:FINISHED_SHOWN]
    running = cards(alive, now)
    waiting = [card for card in running if card.waiting]
    return HomeLists(
        tuple(sorted(waiting, key=urgency)),
        tuple(sorted((card for card in running if not card.waiting), key=urgency)),
        tuple(cards(over, now)),
    )


def battles_of(campaign: Campaign, user: User, now: datetime) -> tuple[BattleCard, ...]:
    """The battles of a campaign that the user may see, newest first."""
    rows = with_access(Battle.objects.filter(campaign=campaign), user).order_by("-pk")
    return tuple(cards(rows, now))


def urgency(card: BattleCard) -> tuple[bool, float, int]:
    """The order of cards that wait: the clock that ends first, then the newest battle."""
    left = card.clock.seconds_left if card.clock and card.clock.running else None
    return (left is None, left or 0.0, -card.id)


def cards(battles: Iterable[Battle], now: datetime) -> list[BattleCard]:
    """The cards of those battles (`with_access`) that the user may see."""
    seen = [(battle, sight) for battle in battles if (sight := my_sight(battle, battle)) is not None]
    rows: dict[int, list[Deadline]] = {}
    for row in open_clocks(battle.pk for battle, _sight in seen):
        rows.setdefault(row.battle_id, []).append(row)
    return [_card(battle, sight, rows.get(battle.pk, []), now) for battle, sight in seen]


def _card(battle: Battle, sight: Sight, rows: list[Deadline], now: datetime) -> BattleCard:
    readings = [reading(row, now) for row in rows if sight.viewer.value in row.seen_by]
    clock = next((r for r in readings if r.running), readings[0] if readings else None)
    actor = {Role.PLAYER: sight.viewer.value, Role.MODERATOR: Actor.MODERATOR.value}.get(sight.role, "")
    awaited = battle.stage == Stage.RUNNING and actor in battle.awaited
    waiting = awaited or (battle.stage == Stage.PREPARING and sight.role in (Role.PLAYER, Role.MODERATOR))
    return BattleCard(
        id=battle.pk,
        ruleset=battle.ruleset,
        name=str(battle),
        campaign=str(battle.campaign),
        campaign_id=battle.campaign_id,
        sides=battle.sides,
        viewer=sight.viewer,
        viewer_side=sight.viewer.side,
        role=sight.role,
        stage=battle.stage,
        turn=battle.turn,
        phase=battle.phase,
        headline=_headline(battle, sight, awaited),
        clock=clock,
        board=tuple(battle.board or ()),
        view=None if battle.state is None else view_of(battle, sight.viewer),
        waiting=waiting,
        button=_button(battle, sight, awaited),
        at=battle.ended_at or battle.opened_at or battle.created_at,
    )


def _button(battle: Battle, sight: Sight, awaited: bool) -> str:
    if battle.stage == Stage.OVER:
        return "replay"
    if battle.stage == Stage.PREPARING:
        return "prepare"
    if sight.role is Role.MODERATOR:
        return "desk"
    if sight.role is not Role.PLAYER or not awaited:
        return "watch"
    return "enter" if battle.phase in HIDDEN_PHASES else "play"


def _side(battle: Battle, side: Side) -> SideRef:
    """An army by its name in this battle."""
    return SideRef(side, str(battle.sides.get(side.value, {}).get("name") or side.value))


def _headline(battle: Battle, sight: Sight, awaited: bool) -> Sentence:
    """One line on how the battle stands, for the viewer."""
    if battle.stage == Stage.PREPARING:
        return Sentence(gettext_noop("Being prepared"))
    if battle.stage == Stage.OVER:
        if battle.winner is None:
            return Sentence(gettext_noop("Ended in turn %(turn)s without a winner"), {"turn": battle.turn})
        if sight.viewer.value == battle.winner:
            return Sentence(gettext_noop("Won in turn %(turn)s"), {"turn": battle.turn})
        if sight.viewer.side is not None:
            return Sentence(gettext_noop("Lost in turn %(turn)s"), {"turn": battle.turn})
        winner = _side(battle, Side(battle.winner))
        return Sentence(gettext_noop("%(side)s won in turn %(turn)s"), {"side": winner, "turn": battle.turn})
    if battle.phase in HIDDEN_PHASES:
        if sight.role is Role.PLAYER and not awaited:
            return Sentence(gettext_noop("Deployment: you are ready"))
        return Sentence(gettext_noop("Deployment"))
    if sight.role is Role.MODERATOR and awaited:
        return Sentence(gettext_noop("Turn %(turn)s: a ruling is wanted"), {"turn": battle.turn})
    if sight.role is Role.PLAYER and awaited:
        return Sentence(gettext_noop("Turn %(turn)s: your move"), {"turn": battle.turn})
    others = [side for side in SIDES if side.value in battle.awaited]
    if len(others) == 1 and others[0] is not sight.viewer.side:
        mover = _side(battle, others[0])
        return Sentence(gettext_noop("Turn %(turn)s: %(side)s to move"), {"turn": battle.turn, "side": mover})
    return Sentence(gettext_noop("Turn %(turn)s"), {"turn": battle.turn})
