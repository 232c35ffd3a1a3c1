"""A battle of the cast: being prepared, in deployment, in open play."""

from __future__ import annotations

from typing import Any

import pytest

from battles import services
from battles.models import CampaignRole, Membership
from tests.battles.playing import NOW, Play, prepare


@pytest.fixture
def people(red_player, blue_player, moderator, campaign_admin, spectator, stranger) -> dict[str, Any]:
    """The cast by name."""
    return {
        "red_player": red_player,
        "blue_player": blue_player,
        "moderator": moderator,
        "campaign_admin": campaign_admin,
        "spectator": spectator,
        "stranger": stranger,
    }


@pytest.fixture
def prepared(people) -> Any:
    """A battle with both seats taken, not yet open; the spectator is a guest of its campaign."""
    battle = prepare(people["campaign_admin"], people["moderator"], people["red_player"], people["blue_player"])
    Membership.objects.create(campaign=battle.campaign, user=people["spectator"], role=CampaignRole.GUEST)
    return battle


@pytest.fixture
def play(prepared, people) -> Play:
    """The same in its deployment."""
    services.open_battle(prepared.pk, people["moderator"], NOW)
    return Play(prepared.pk, people)


@pytest.fixture
def running(play) -> Play:
    """The same in its first turn."""
    return play.deploy()
