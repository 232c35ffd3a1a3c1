"""The moderator's desk: the battles that he moderates, and what was refused in one of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple, cast

from django.db.models import Count

from accounts.models import User
from battles.models import Battle, RefusedCommand, Stage
from battles.selectors.access import Role, with_access
from battles.selectors.lists import BattleCard, cards, urgency
from rules.core.actors import Actor


class DeskItem(NamedTuple):
    """A battle on the desk: its card, the questions that the moderator owes, and how much was refused lately."""

    card: BattleCard
    decisions: tuple[Any, ...]
    refused: int
    clock_stopped: bool


def desk_for(user: User, now: datetime) -> tuple[DeskItem, ...]:
    """The battles that a user moderates and that are not over, those that wait for a ruling first."""
    rows = (
        with_access(Battle.objects.filter(moderators__user=user), user)
        .exclude(stage=Stage.OVER)
        .annotate(refusals=Count("refused", distinct=True))
        .order_by("pk")
    )
    refusals = {battle.pk: cast(Any, battle).refusals for battle in rows}
    items = []
    for card in cards(rows, now):
        if card.role is not Role.MODERATOR:
            continue
        open_ones = card.view.decisions if card.view is not None else ()
        owed = tuple(d for d in open_ones if d.owed_by is Actor.MODERATOR)
        stopped = bool(card.view is not None and card.view.clock_stopped)
        items.append(DeskItem(card, owed, refusals[card.id], stopped))
    return tuple(sorted(items, key=lambda item: (not item.decisions, urgency(item.card))))


class RefusalLine(NamedTuple):
    """A command that was refused; `key`, `rule` and `figures` are what `{% refusal %}` wants."""

    at: datetime
    who: str
    actor: Actor
    body: dict[str, Any]
    key: str
    rule: str
    figures: dict[str, Any]


def refused_commands(battle: Battle, limit: int = 50) -> tuple[RefusalLine, ...]:
    """What was refused lately, newest first, for the moderator."""
    rows = RefusedCommand.objects.filter(battle=battle).select_related("user").order_by("-at", "-pk")[:limit]
    return tuple(
        RefusalLine(r.at, r.user.name if r.user else "", Actor(r.actor), r.body, r.key, r.rule, r.figures) for r in rows
    )
