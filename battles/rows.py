"""Battles in a list as plain data for the templates: picture, sides, time and what can be done now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from battles import palette
from battles.dress import DRESS
from battles.dress.parts import said
from battles.picture import clock_text
from battles.selectors import BattleCard, ClockReading, DeskItem, Role
from battles.thumbs import Thumb, thumb
from rules.core.actors import SIDES, Side
from rules.core.text import Sentence

BUTTONS = {
    "prepare": lambda: _("Prepare"),
    "enter": lambda: _("Enter"),
    "play": lambda: _("Play"),
    "answer": lambda: _("Answer"),
    "watch": lambda: _("Watch"),
    "desk": lambda: _("To the desk"),
    "replay": lambda: _("Result"),
}
URLS = {"prepare": "battles:prepare", "desk": "battles:battle_desk", "replay": "battles:review"}
PRIMARY = frozenset({"enter", "play", "answer"})


class SideName(NamedTuple):
    """An army: its frame and its name."""

    side: str
    name: str


class Row(NamedTuple):
    """A battle in a list."""

    id: int
    name: str
    url: str
    mark: str
    colours: str
    thumb: Thumb
    own: bool
    moderates: bool
    admin: bool
    sides: tuple[SideName, ...]
    headline: Sentence
    more: tuple[str, ...]
    campaign: str
    time: str
    caption: str
    button: str
    primary: bool


def side_name(sides: Mapping[str, Any], side: Side) -> SideName:
    """An army by its name in a battle's data; a word where it has none."""
    words = {Side.RED: pgettext("side", "Red"), Side.BLUE: pgettext("side", "Blue")}
    return SideName(side.value, str(sides.get(side.value, {}).get("name") or words[side]))


def side_names(sides: Mapping[str, Any], first: Side | None = None) -> tuple[SideName, ...]:
    """Both armies, the viewer's own first."""
    order = SIDES if first is None else (first, first.enemy)
    return tuple(side_name(sides, side) for side in order)


def dots(view: Any) -> Iterable[tuple[int, int, str]]:
    """Where the units stand that the viewer may see."""
    units = view.units if view is not None else ()
    standing = (unit for unit in units if unit.at is not None and unit.fate is None)
    return ((unit.at.x, unit.at.y, unit.side.value) for unit in standing)


def row(card: BattleCard, now: datetime, *, campaign: bool = False, more: tuple[str, ...] = (), mark: str = "") -> Row:
    """A battle in a list."""
    time, caption = _time(card, now)
    return Row(
        id=card.id,
        name=card.name,
        url=reverse(URLS.get(card.button, "battles:board"), args=[card.id]),
        mark=mark or ("now" if card.waiting and card.role is Role.PLAYER else "ruling" if card.waiting else ""),
        colours=palette.classes(card.sides),
        thumb=thumb(card.board, dots(card.view), ruleset_id=card.ruleset),
        own=card.role is Role.PLAYER,
        moderates=card.role is Role.MODERATOR,
        admin=card.role is Role.ADMIN,
        sides=side_names(card.sides, card.viewer_side),
        headline=card.headline,
        more=more,
        campaign=card.campaign if campaign else "",
        time=time,
        caption=caption,
        button=BUTTONS[card.button](),
        primary=card.button in PRIMARY,
    )


def _time(card: BattleCard, now: datetime) -> tuple[str, str]:
    if card.stage == "over":
        return _day(card.at, now), _("finished")
    if card.stage == "preparing" or card.clock is None:
        return "", ""
    return clock_text(card.clock.seconds_left), clock_caption(card, card.clock)


def _day(at: datetime, now: datetime) -> str:
    here, today = timezone.localtime(at), timezone.localtime(now)
    if here.date() == today.date():
        return date_format(here, "H:i")
    return f"{here.day}.{here.month:02}" if here.year == today.year else f"{here.day}.{here.month:02}.{here.year}"


def clock_caption(card: BattleCard, clock: ClockReading) -> str:
    """What a clock means to whoever looks."""
    if not clock.running:
        return pgettext("clock", "stopped")
    if clock.key.startswith("answer"):
        return _("left to answer")
    if card.phase == "deployment":
        return _("left to deploy")
    if card.role is Role.PLAYER and not card.waiting:
        return pgettext("clock", "theirs")
    return _("left in the turn")


def desk_row(item: DeskItem, now: datetime) -> Row:
    """A battle on the desk: what it asks of the moderator."""
    words = DRESS[item.card.ruleset].words.decisions
    more = [capfirst(said(words, decision.kind)) for decision in item.decisions[:3]]
    if item.clock_stopped:
        more.append(_("the clock stands"))
    return row(item.card, now, more=tuple(more), mark="ruling" if item.decisions else "")
