"""Battles for the browser tests, made in the server's database: `python -m tests.browser.scenes deployment`."""

from __future__ import annotations

import json
import sys
from typing import Any
from uuid import uuid4

import django

ROWS = (
    "^....ss....hr...",
    "^...sds...hhr...",
    ".....s...hhh=...",
    "..........h.r...",
    "s......v....rrrr",
    "ds.....vv.......",
    "s..hh......s..mm",
    "..hhhh....sds..m",
    "...hh.....ss....",
    "....~~..........",
)
COLUMNS = "ABCDEFGHIJKLMNOP"
STRIPS = {
    "red": [f"{column}{row}" for row in (9, 10) for column in COLUMNS],
    "blue": [f"{column}{row}" for row in (1, 2) for column in COLUMNS],
}
RED = (
    ("1st Messina", "heavy_infantry", "A9", "D5", "N", "line", 7),
    ("2nd Messina", "heavy_infantry", "B9", "G7", "N", "column", 8),
    ("Royal Guard", "heavy_infantry", "C9", "I6", "N", "square", 9.5),
    ("Etna Chasseurs", "light_infantry", "G9", "L6", "N", "open", 7.5),
    ("Palermo Cuirassiers", "cuirassiers", "H9", "C6", "N", "open", 6),
    ("Foot battery", "foot_artillery", "J9", "E8", "N", "open", 2),
    ("Horse battery", "horse_artillery", "N9", "K7", "N", "open", 2),
    ("Catania Rifles", "light_infantry", "M9", "H8", "N", "open", 8),
)
BLUE = (
    ("Turin Cuirassiers", "cuirassiers", "B1", "C3", "S", "open", 6),
    ("1st Piedmont", "heavy_infantry", "C1", "H4", "S", "line", 7),
    ("2nd Piedmont", "heavy_infantry", "D1", "J4", "S", "column", 10),
    ("Alpine Rifles", "light_infantry", "E1", "F2", "S", "open", 8),
    ("Novara Lancers", "light_cavalry", "I1", "L5", "S", "open", 5),
    ("Foot battery", "foot_artillery", "J1", "K4", "S", "open", 2),
)
CAST = {
    "red": "red_player",
    "blue": "blue_player",
    "moderator": "moderator",
    "spectator": "spectator",
    "stranger": "stranger",
}


def user(name: str) -> Any:
    """Somebody of the cast."""
    from accounts.models import User

    found = User.objects.filter(username=name).first()
    return found or User.objects.create_user(name, password=None, display_name=name.replace("_", " ").title())


def session(name: str) -> str:
    """A signed-in session."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    who = user(CAST.get(name, name))
    store = SessionStore()
    store[SESSION_KEY] = str(who.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    store[HASH_SESSION_KEY] = who.get_session_auth_hash()
    store.create()
    return str(store.session_key)


def opened(parameters: dict[str, Any]) -> Any:
    """A battle in its deployment, both players seated."""
    from django.utils import timezone

    from battles import services
    from battles.models import Battle, BattleMap, Campaign, Membership

    moderator = user("moderator")
    campaign = Campaign.objects.filter(name="Browser").first()
    if campaign is None:
        campaign = services.create_campaign(user=moderator, name="Browser")
        Membership.objects.create(user=user("spectator"), campaign=campaign, role="guest")
    board, _made = BattleMap.objects.get_or_create(
        campaign=campaign,
        slug="ford",
        defaults={"name": "Ford", "ruleset": "tactical", "rows": list(ROWS), "strips": STRIPS},
    )
    plan = services.BattlePlan(
        name="The ford at Vallelunga",
        ruleset="tactical",
        map=board,
        sides={"red": {"name": "Sicily", "colour": "red"}, "blue": {"name": "Italy", "colour": "blue"}},
        armies={
            "red": [{"name": unit[0], "kind": unit[1]} for unit in RED],
            "blue": [{"name": unit[0], "kind": unit[1]} for unit in BLUE],
        },
        parameters=parameters,
        attacker="red",
        allow_spectators=True,
    )
    battle = services.create_battle(user=moderator, campaign=campaign, plan=plan)
    now = timezone.now()
    for side in ("red", "blue"):
        token = services.invite(user=moderator, battle_id=battle.pk, side=side, now=now).token
        services.take_seat(token=token, user=user(CAST[side]), now=now)
    services.open_battle(battle.pk, moderator, now)
    return Battle.objects.get(pk=battle.pk)


def in_play(parameters: dict[str, Any]) -> Any:
    """A battle in its first turn, then everybody where the picture has him: only the stored state is changed."""
    import msgspec
    from django.utils import timezone

    from battles import services
    from battles.models import Battle
    from rules.core.codec import plain, read_state
    from rules.core.commands import Ready
    from rules.registry import ruleset
    from rules.tactical.commands import Place
    from rules.tactical.units import Formation

    rules, battle = ruleset("tactical"), opened(parameters)
    for side, army in (("red", RED), ("blue", BLUE)):
        units = {u.name: u for u in read_state(rules, battle.state).units if u.side.value == side}
        commands = [Place(unit=units[u[0]].key, at=rules.grid.parse(u[2])) for u in army]
        for command in (*commands, Ready()):
            services.submit(
                battle_id=battle.pk,
                command=command,
                command_id=uuid4(),
                user=user(CAST[side]),
                received_at=timezone.now(),
            )
    battle = Battle.objects.get(pk=battle.pk)
    state = read_state(rules, battle.state)
    places = {("red", u[0]): u for u in RED} | {("blue", u[0]): u for u in BLUE}
    moved = []
    for unit in state.units:
        _name, _kind, _strip, at, facing, formation, hp = places[unit.side.value, unit.name]
        changes = {
            "at": rules.grid.parse(at),
            "facing": "NESW".index(facing),
            "formation": Formation(formation),
            "hp": float(hp),
        }
        moved.append(msgspec.structs.replace(unit, **changes))
    battle.state = plain(msgspec.structs.replace(state, units=tuple(moved)))
    battle.save(update_fields=["state"])
    return battle


def keys(battle: Any) -> dict[str, str]:
    """The units' keys by side and name."""
    return {f"{u['side']} {u['name']}": u["key"] for u in battle.state["units"]}


def main(arguments: list[str]) -> None:
    """Make what is asked and print it as JSON."""
    django.setup()
    if arguments[0] == "session":
        print(session(arguments[1]))
        return
    battle = {
        "deployment": lambda: opened({"deployment_seconds": 600}),
        "short": lambda: opened({"deployment_seconds": 12}),
        "play": lambda: in_play({"deployment_seconds": 600, "turn_seconds": 900, "answer_seconds": 120}),
        "clock": lambda: in_play({"deployment_seconds": 600, "turn_seconds": 14}),
    }[arguments[0]]()
    battle.refresh_from_db()
    print(json.dumps({"id": battle.pk, "units": keys(battle)}))


if __name__ == "__main__":
    main(sys.argv[1:])
