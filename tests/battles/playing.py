"""Battles for the tests of the service: made and played through the services, as people do it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from battles import selectors, services
from battles.maps import library
from battles.models import Battle, BattleMap, Campaign, CampaignRole, Membership
from rules.core.actors import Actor, Side
from rules.core.codec import read_command
from rules.registry import ruleset

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
RULES = ruleset("tactical")
RED_ARMY = (
    {"kind": "heavy_infantry", "name": "1st Messina"},
    {"kind": "light_infantry", "name": "Etna Rifles"},
    {"kind": "cuirassiers", "name": "Palermo Cuirassiers"},
    {"kind": "foot_artillery", "name": "Catania Guns"},
)
BLUE_ARMY = (
    {"kind": "heavy_infantry", "name": "1st Turin"},
    {"kind": "light_infantry", "name": "Alpine Rifles"},
    {"kind": "cuirassiers", "name": "Turin Cuirassiers"},
    {"kind": "foot_artillery", "name": "Novara Guns"},
)
SIDES = {"red": {"name": "Sicily", "colour": "red"}, "blue": {"name": "Italy", "colour": "blue"}}
RED_CELLS = ("C9", "E9", "G9", "I9", "K9", "M9")
BLUE_CELLS = ("C2", "E2", "G2", "I2", "K2", "M2")


def later(seconds: float, start: datetime = NOW) -> datetime:
    """So many seconds after the battle's opening."""
    return start + timedelta(seconds=seconds)


def a_map(slug: str = "open-fields") -> BattleMap:
    """A map of the library as a row."""
    found = library()[slug]
    made, _ = BattleMap.objects.get_or_create(
        campaign=None,
        slug=slug,
        defaults={"name": slug, "ruleset": "tactical", "rows": list(found.board.rows), "strips": found.strip_labels},
    )
    return made


def a_plan(**changes: Any) -> services.BattlePlan:
    """What a battle of four units a side is to be."""
    plan = services.BattlePlan(
        name="The ford at Vallelunga",
        map=a_map(),
        sides=SIDES,
        armies={"red": RED_ARMY, "blue": BLUE_ARMY},
        attacker="red",
    )
    return plan._replace(**changes)


def prepare(
    admin: Any,
    moderator: Any,
    red: Any,
    blue: Any,
    *,
    campaign: Campaign | None = None,
    now: datetime = NOW,
    **changes: Any,
) -> Battle:
    """A battle with both seats taken that can be opened."""
    if campaign is None:
        campaign = services.create_campaign(user=admin, name="Two Sicilies")
    Membership.objects.get_or_create(campaign=campaign, user=moderator, defaults={"role": CampaignRole.MODERATOR})
    battle = services.create_battle(user=moderator, campaign=campaign, plan=a_plan(**changes))
    for side, player in (("red", red), ("blue", blue)):
        invitation = services.invite(user=moderator, battle_id=battle.pk, side=side, now=now)
        services.take_seat(token=invitation.token, user=player, now=now)
    return Battle.objects.get(pk=battle.pk)


class Play:
    """A battle under way: orders by name of the unit, with a clock that the test moves."""

    def __init__(self, battle_id: int, people: dict[str, Any], now: datetime = NOW) -> None:
        self.battle_id = battle_id
        self.people = people
        self.now = now

    @property
    def battle(self) -> Battle:
        """The battle as it is stored."""
        return Battle.objects.select_related("campaign").get(pk=self.battle_id)

    @property
    def state(self) -> Any:
        """Where it stands."""
        return selectors.current_state(self.battle)

    def key(self, name: str) -> str:
        """The key of the unit of that name."""
        return next(unit.key for unit in self.state.units if unit.name == name)

    def unit(self, name: str) -> Any:
        """The unit of that name."""
        return next(unit for unit in self.state.units if unit.name == name)

    def version(self, who: str) -> int:
        """The newest version of whoever sends."""
        seen = selectors.battle_for(self.people[who], self.battle_id)
        return selectors.version_for(seen.battle, seen.viewer)

    def command(self, who: str, /, type: str, **fields: Any) -> Any:
        """A command as the pages read it; units may be given by name."""
        names = {unit.name: unit.key for unit in self.state.units}
        fields = {key: names.get(value, value) if isinstance(value, str) else value for key, value in fields.items()}
        return read_command(RULES, {"type": type, **fields}, Actor.CLOCK)

    def order(
        self,
        who: str,
        /,
        type: str,
        *,
        id: UUID | None = None,
        when: datetime | None = None,
        seen: Any = "newest",
        question: str | None = None,
        **fields: Any,
    ) -> services.Receipt:
        """Send a command for somebody of the cast."""
        command = self.command(who, type, **fields)
        return services.submit(
            battle_id=self.battle_id,
            command=command,
            command_id=id or uuid4(),
            user=self.people[who],
            received_at=when or self.now,
            seen=self.version(who) if seen == "newest" else seen,
            decision=question,
        )

    def place_all(self) -> None:
        """Both armies stand on their strips, and nobody is ready."""
        cells = {Side.RED: iter(RED_CELLS), Side.BLUE: iter(BLUE_CELLS)}
        for unit in self.state.units:
            who = f"{unit.side.value}_player"
            self.order(who, "place", unit=unit.key, at=next(cells[unit.side]))

    def deploy(self) -> Play:
        """Both armies stand, both sides are ready, the first turn runs."""
        self.place_all()
        self.order("red_player", "ready")
        self.order("blue_player", "ready")
        return self

    def tick(self, seconds: float) -> Play:
        """Time goes by, and the clock strikes what is due."""
        self.now += timedelta(seconds=seconds)
        services.strike(self.battle_id, self.now)
        return self

    def mover(self) -> str:
        """Whose turn it is."""
        return f"{self.state.mover.value}_player"
