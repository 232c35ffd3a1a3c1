"""Who is told that a battle has changed, after the commit, and what a page gets then.

What goes through the channel layer is one small notice for each audience and language: that there is something newer.
Every process renders the fragments itself, once for each viewer and language that somebody in it looks with, from the
newest committed state. So a burst of orders costs one picture, and an order costs none where nobody looks.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone, translation

from battles import picture
from battles.models import Battle, Stage
from battles.selectors import clocks, log_page, names_for, version_for, view_of
from rules.core.actors import Audience, Viewer

logger = logging.getLogger(__name__)

LANGUAGES = tuple(code for code, _name in settings.LANGUAGES)


class Fragments(NamedTuple):
    """The moving parts of a battle's page for one viewer in one language, and the viewer's version that they show."""

    version: int
    html: str


def group_name(battle_id: int, viewer: Viewer, language: str) -> str:
    """The group of the sockets of one audience and language of a battle."""
    return f"battle.{battle_id}.{viewer.value}.{language}"


def announce(battle_id: int, audience: Audience, sender: Viewer | None = None) -> None:
    """Tell those who may see what has just been committed that there is something newer; the others hear nothing.

    `sender` is whose order it was: his page has it in the answer to its post, so the others are drawn first.
    """
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        async_to_sync(_tell)(layer, battle_id, audience, sender)
    except Exception as error:  # a layer that is away costs a heartbeat, never an order
        logger.warning("battle %s: no notice sent, pages follow by heartbeat: %s", battle_id, error)


async def _tell(layer: Any, battle_id: int, audience: Audience, sender: Viewer | None) -> None:
    message = {"type": "battle.changed", "stamp": uuid4().hex}
    sends = (
        layer.group_send(group_name(battle_id, viewer, language), {**message, "answered": viewer is sender})
        for viewer in Viewer
        if viewer in audience
        for language in LANGUAGES
    )
    await asyncio.gather(*sends)


def render(battle_id: int, viewer: Viewer, language: str, now: datetime | None = None) -> Fragments | None:
    """The fragments of a battle's page as this viewer sees it now; None for a battle that isn't open or isn't there."""
    battle = Battle.objects.select_related("campaign").filter(pk=battle_id).exclude(stage=Stage.PREPARING).first()
    if battle is None:
        return None
    moment = now or timezone.now()
    with translation.override(language):
        view = view_of(battle, viewer)
        version = version_for(battle, viewer)
        context = picture.push_context(
            battle,
            view,
            viewer=viewer,
            clocks=clocks(battle, viewer, moment),
            log=log_page(battle, viewer, names=names_for(battle, viewer, view)),
            version=version,
        )
        return Fragments(version, render_to_string("battles/_push.html", context))


def heartbeat(version: int, now: datetime) -> str:
    """The beat that tells a page the newest version and the server's time."""
    return f'<span id="heartbeat" hx-swap-oob="true" data-version="{version}" data-now="{now.isoformat()}"></span>'
