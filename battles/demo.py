"""The demo: a cast of five, a campaign, and three battles, one to deploy, one in the middle, one finished.

It exists only with DEBUG and DEMO both set, and only for requests from the same machine.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from battles import services
from battles.armies import read_list
from battles.demo_play import Table
from battles.dress import DRESS
from battles.models import Battle, BattleSecret, Campaign, CampaignRole, Membership, Stage
from rules.core.actors import SIDES, Side
from rules.core.codec import plain
from rules.core.dice import seed_hash

CAMPAIGN = "The Sicilian campaign"
RULESET = "tactical"  # the book that the demo is played by
LONG_AGO = timedelta(hours=3)


class Role(NamedTuple):
    """Somebody of the cast: what he is, his user name, the name that others see, his side if he plays."""

    role: str
    username: str
    display_name: str
    title: Any
    about: Any
    side: str = ""


CAST = (
    Role("red", "demo_red", "R. Ferrante", gettext_lazy("Red player"),
         gettext_lazy("Plays the red side in all three battles."), "red"),
    Role("blue", "demo_blue", "L. Arcari", gettext_lazy("Blue player"),
         gettext_lazy("Plays the blue side in all three battles."), "blue"),
    Role("moderator", "demo_moderator", "G. Salvo", gettext_lazy("Moderator"),
         gettext_lazy("Sees everything, stops the clock, gives rulings.")),
    Role("admin", "demo_admin", "M. Rossi", gettext_lazy("Campaign admin"),
         gettext_lazy("Keeps the campaign: its members, roles and battles.")),
    Role("spectator", "demo_spectator", "T. Bianchi", gettext_lazy("Spectator"),
         gettext_lazy("Sees what both sides may see.")),
)  # fmt: skip
MEMBERSHIPS: Mapping[str, str] = {
    "red": CampaignRole.PLAYER,
    "blue": CampaignRole.PLAYER,
    "moderator": CampaignRole.MODERATOR,
    "admin": CampaignRole.ADMIN,
    "spectator": CampaignRole.GUEST,
}

SICILY = """
1st Messina; heavy infantry
2nd Messina; heavy infantry
Palermo Guard; heavy infantry; melee=4; steadfast
Etna Chasseurs; light infantry
Catania Rifles; light infantry
Palermo Cuirassiers; cuirassiers
Trapani Hussars; light cavalry
Foot battery Syracuse; foot artillery
Horse battery Noto; horse artillery
"""
ITALY = """
Savoy Guard; heavy infantry
3rd Novara; heavy infantry
4th Piedmont; heavy infantry
Alpine Riflemen; light infantry; ; long_range
Genoa Bersaglieri; light infantry
Turin Cuirassiers; cuirassiers; melee=4
Novara Lancers; light cavalry
Foot battery Alessandria; foot artillery
Horse battery Asti; horse artillery
"""
RED_PLAN = {
    "1st Messina": ("I9", "line"),
    "2nd Messina": ("E9", "column"),
    "Palermo Guard": ("G9", "column"),
    "Etna Chasseurs": ("K9", ""),
    "Catania Rifles": ("D9", ""),
    "Palermo Cuirassiers": ("M9", ""),
    "Trapani Hussars": ("B9", ""),
    "Foot battery Syracuse": ("H10", ""),
    "Horse battery Noto": ("L9", ""),
}
BLUE_PLAN = {
    "Savoy Guard": ("H2", "column"),
    "3rd Novara": ("F2", "column"),
    "4th Piedmont": ("J2", "column"),
    "Alpine Riflemen": ("D2", ""),
    "Genoa Bersaglieri": ("K2", ""),
    "Turin Cuirassiers": ("B2", ""),
    "Novara Lancers": ("M2", ""),
    "Foot battery Alessandria": ("G1", ""),
    "Horse battery Asti": ("L2", ""),
}


# Whether there is a demo


def is_on(request: HttpRequest) -> bool:
    """Whether the demo exists for this request: DEBUG and DEMO are set, and it comes from this machine."""
    if not (settings.DEBUG and settings.DEMO):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


def require(request: HttpRequest) -> None:
    """Nothing is here where there is no demo."""
    if not is_on(request):
        raise Http404("no demo")


def is_demo(battle: Battle) -> bool:
    """Whether a battle is one of the demo's own: the demo's moderator made it, in the demo's campaign."""
    maker = battle.created_by
    return battle.campaign.name == CAMPAIGN and maker is not None and maker.username == "demo_moderator"


def may_start(request: HttpRequest, battle: Battle, user: User) -> bool:
    """In the demo either player may press the moderator's button, so that nobody need be three people."""
    return is_on(request) and user.username in ("demo_red", "demo_blue") and is_demo(battle)


def moderator_of(battle: Battle) -> User:
    """The demo's moderator."""
    return User.objects.get(username="demo_moderator", moderated__battle=battle)


# The page


def person(role: str) -> User | None:
    """Somebody of the cast, if the demo is laid out."""
    username = next((each.username for each in CAST if each.role == role), "")
    return User.objects.filter(username=username, is_active=True).first() if username else None


def people() -> list[dict[str, Any]]:
    """The cast as the page shows it; nobody before the demo is laid out."""
    known = set(User.objects.filter(username__in=[c.username for c in CAST]).values_list("username", flat=True))
    return [
        {"role": c.role, "name": c.display_name, "title": c.title, "about": c.about, "side": c.side}
        for c in CAST
        if c.username in known
    ]


def battles() -> list[dict[str, str]]:
    """The battles of the demo with a word on each."""
    words = {
        Stage.PREPARING: _("Both seats are taken: open it, and deploy."),
        Stage.RUNNING: _("Under way: sit down and play on."),
        Stage.OVER: _("Finished: read the report, check the dice."),
    }
    rows = Battle.objects.filter(campaign__name=CAMPAIGN, created_by__username="demo_moderator").order_by("pk")
    return [{"name": str(battle), "about": str(words[Stage(battle.stage)])} for battle in rows]


# Laying it out


def lay_out() -> list[Battle]:
    """Make what is missing of the demo; the battles that were made."""
    campaign, cast = seat_cast()
    there = Battle.objects.filter(campaign=campaign, created_by=cast["moderator"])
    made = []
    if not there.filter(stage=Stage.OVER).exists():
        made.append(finished_battle(campaign, cast))
    if not there.filter(stage=Stage.RUNNING).exclude(phase="deployment").exists():
        made.append(middle_battle(campaign, cast))
    if not there.filter(stage=Stage.PREPARING).exists():
        made.append(new_battle(campaign, cast, _free_name(campaign, "Two hills")))
    return made


def fresh_battle() -> Battle:
    """Another battle for deployment, with both seats taken."""
    campaign, cast = seat_cast()
    return new_battle(campaign, cast, _free_name(campaign, "Two hills"))


def seat_cast() -> tuple[Campaign, dict[str, User]]:
    """The cast and its campaign, made where they are missing."""
    cast = {each.role: _cast(each) for each in CAST}
    return _campaign(cast), cast


def _cast(each: Role) -> User:
    user, fresh = User.objects.get_or_create(
        username=each.username, defaults={"display_name": each.display_name, "email": ""}
    )
    if fresh:
        user.set_unusable_password()
        user.save()
    return user


def _campaign(cast: Mapping[str, User]) -> Campaign:
    campaign = Campaign.objects.filter(name=CAMPAIGN, memberships__user=cast["admin"]).first()
    if campaign is None:
        campaign = services.create_campaign(user=cast["admin"], name=CAMPAIGN)
    for role, user in cast.items():
        if not Membership.objects.filter(campaign=campaign, user=user).exists():
            services.set_member(user=cast["admin"], campaign=campaign, member=user, role=MEMBERSHIPS[role])
    return campaign


def _free_name(campaign: Campaign, name: str) -> str:
    taken = set(Battle.objects.filter(campaign=campaign).values_list("name", flat=True))
    return next(each for each in (name, *(f"{name} {i}" for i in range(2, 1000))) if each not in taken)


def _army(text: str, side: Side) -> list[dict[str, Any]]:
    result = read_list(text, side, RULESET)
    assert not result.errors, result.errors
    return [{k: v for k, v in plain(unit).items() if k not in ("key", "side")} for unit in result.units]


def new_battle(
    campaign: Campaign,
    cast: Mapping[str, User],
    name: str,
    *,
    map_slug: str = "open-fields",
    sides: Sequence[tuple[str, str]] = (("Prussia", "amber"), ("Saxony", "green")),
    parameters: Mapping[str, Any] | None = None,
    attacker: Side | None = None,
    seed: str = "",
) -> Battle:
    """A battle of the demo before its opening, both seats taken; a seed by name throws the same dice every time."""
    (red, red_colour), (blue, blue_colour) = sides
    chosen = next(row for row in services.library_rows() if row.slug == map_slug)
    plan = services.BattlePlan(
        name=name,
        map=chosen,
        sides={"red": {"name": red, "colour": red_colour}, "blue": {"name": blue, "colour": blue_colour}},
        armies={"red": _army(SICILY, Side.RED), "blue": _army(ITALY, Side.BLUE)},
        parameters=parameters if parameters is not None else {"deployment_seconds": 180},
        attacker=attacker.value if attacker else None,
    )
    battle = services.create_battle(user=cast["moderator"], campaign=campaign, plan=plan)
    if seed:
        drawn = hashlib.sha256(f"umpire demo {seed}".encode()).digest()
        BattleSecret.objects.filter(battle=battle).update(seed=drawn)
        Battle.objects.filter(pk=battle.pk).update(seed_hash=seed_hash(drawn))
    for side in SIDES:
        invited = services.invite(user=cast["moderator"], battle_id=battle.pk, side=side.value, now=timezone.now())
        services.take_seat(token=invited.token, user=cast[side.value], now=timezone.now())
    battle.refresh_from_db()
    return battle


def _opened(battle: Battle, cast: Mapping[str, User]) -> Table:
    start = timezone.now() - LONG_AGO
    services.open_battle(battle.pk, cast["moderator"], start)
    table = Table(battle, {side: cast[side.value] for side in SIDES}, cast["moderator"], start)
    table.deploy(Side.RED, RED_PLAN)
    table.deploy(Side.BLUE, BLUE_PLAN)
    return table


def middle_battle(campaign: Campaign, cast: Mapping[str, User]) -> Battle:
    """A battle in the middle of play: melees, losses, guns that reload. A turn may take a day, so that it waits."""
    battle = new_battle(
        campaign,
        cast,
        _free_name(campaign, "The ford at Vallelunga"),
        map_slug="river-crossings",
        sides=(("Sicily", "red"), ("Italy", "blue")),
        parameters={"turn_seconds": 86400, "deployment_seconds": 600},
        attacker=Side.RED,
        seed="middle",
    )
    table = _opened(battle, cast)
    worth_showing = DRESS[RULESET].worth_showing
    table.play(lambda view: view.turn >= 7 and worth_showing(view), rulings=False)
    return table.battle


def finished_battle(campaign: Campaign, cast: Mapping[str, User]) -> Battle:
    """A battle that was played to its end."""
    battle = new_battle(
        campaign,
        cast,
        _free_name(campaign, "Heights of San Marco"),
        map_slug="village-and-woods",
        sides=(("Parma", "rose"), ("Tuscany", "teal")),
        parameters={"turn_seconds": 86400, "deployment_seconds": 600},
        seed="finished",
    )
    table = _opened(battle, cast)
    table.play(lambda view: False)
    return table.battle
