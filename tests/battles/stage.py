"""A process beside the servers that makes battles in their database and reads what became of them.

It takes one call a line on its standard input, `{"do": NAME, ...}`, and answers with one line of JSON.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
from collections import Counter
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.models import User  # noqa: E402
from battles import selectors, services  # noqa: E402
from battles.models import Battle, Deadline, LogEntry, RefusedCommand, Seat, Submission  # noqa: E402
from battles.services import LateCommand, StaleCommand, TooManyCommands  # noqa: E402
from battles.verification import verify  # noqa: E402
from rules.core.errors import IllegalCommand  # noqa: E402
from tests.battles.playing import Play, a_plan, prepare  # noqa: E402

BACKEND = "django.contrib.auth.backends.ModelBackend"
ROLES = ("campaign_admin", "moderator", "red_player", "blue_player")


def migrate() -> bool:
    """Make the tables."""
    call_command("migrate", verbosity=0)
    return True


def cast() -> dict[str, User]:
    """Four people whom nobody knows yet."""
    mark = uuid4().hex[:8]
    return {role: User.objects.create_user(f"{role}-{mark}", password=None, display_name=role) for role in ROLES}


def signed_in(user: User) -> str:
    """The key of a session in which the user is signed in."""
    session = SessionStore()
    session[SESSION_KEY], session[BACKEND_SESSION_KEY] = str(user.pk), BACKEND
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


def people_of(battle_id: int) -> dict[str, User]:
    """Who plays and moderates a battle."""
    battle = Battle.objects.get(pk=battle_id)
    people = {f"{seat.side}_player": seat.user for seat in battle.seats.select_related("user") if seat.user}
    return {**people, "moderator": battle.moderators.select_related("user").first().user}


def battle(
    deploy: bool = False, place: bool = False, due: float | None = None, people: Any = None, campaign: Any = None
) -> dict[str, Any]:
    """A battle in its deployment, or in its first turn; `due` moves its clock."""
    people = people or cast()
    made = prepare(people["campaign_admin"], people["moderator"], people["red_player"], people["blue_player"],
                   campaign=campaign, now=timezone.now())  # fmt: skip
    services.open_battle(made.pk, people["moderator"], timezone.now())
    play = Play(made.pk, people, timezone.now())
    if deploy:
        play.deploy()
    elif place:
        play.order("red_player", "place", unit="1st Messina", at="C9")
        play.order("blue_player", "place", unit="1st Turin", at="C2")
    if due is not None:
        set_due(made.pk, due)
    sessions = {who: signed_in(user) for who, user in people.items()}
    keys = {unit.name: unit.key for unit in play.state.units}
    return {"id": made.pk, "sessions": sessions, "keys": keys}


def set_due(id: int, seconds: float) -> str:
    """Let the battle's clock fall due so many seconds from now."""
    due = timezone.now() + timedelta(seconds=seconds)
    Deadline.objects.filter(battle=id, fired_at=None, cancelled_at=None).update(due_at=due)
    return due.isoformat()


def many(count: int, due: float) -> list[int]:
    """So many battles that fall due at the same moment."""
    people = cast()
    campaign = services.create_campaign(user=people["campaign_admin"], name="Many")
    made = [battle(place=True, people=people, campaign=campaign)["id"] for _ in range(count)]
    moment = timezone.now() + timedelta(seconds=due)
    Deadline.objects.filter(battle__in=made, fired_at=None, cancelled_at=None).update(due_at=moment)
    return made


def fired(ids: list[int]) -> list[int]:
    """How many clocks of each of these battles have expired."""
    rows = Deadline.objects.filter(battle__in=ids, fired_at__isnull=False).values_list("battle_id", flat=True)
    counts = Counter(rows)
    return [counts[id] for id in ids]


def log(id: int, kind: str = "") -> list[dict[str, Any]]:
    """The entries of a battle, or those of one kind."""
    entries = LogEntry.objects.filter(battle=id).select_related("submission").order_by("number")
    return [
        {
            "number": e.number, "kind": e.kind, "actor": e.actor, "at": e.at.isoformat(), "body": e.body,
            "command": str(e.submission.command_id),
        }
        for e in (entries.filter(kind=kind) if kind else entries)
    ]  # fmt: skip


def standing(id: int) -> dict[str, Any]:
    """Where a battle stands."""
    battle = Battle.objects.get(pk=id)
    state = selectors.current_state(battle)
    return {
        "phase": battle.phase, "turn": battle.turn, "version": battle.version, "red": battle.red_no,
        "blue": battle.blue_no, "stage": battle.stage,
        "at": {unit.name: list(unit.at) if unit.at else None for unit in state.units},
        "decisions": [d.id for d in state.decisions],
        "fired": Deadline.objects.filter(battle=id, fired_at__isnull=False).count(),
        "submissions": Submission.objects.filter(battle=id).count(),
        "refused": RefusedCommand.objects.filter(battle=id).count(),
        "clocks": [
            [row.key, row.due_at.isoformat() if row.due_at else None, row.remaining]
            for row in Deadline.objects.filter(battle=id, fired_at=None, cancelled_at=None)
        ],
        "problems": [str(problem) for problem in verify(id)],
    }  # fmt: skip


def order(id: int, who: str, type: str, command: str = "", **fields: Any) -> dict[str, Any]:
    """An order through the door of this process."""
    play = Play(id, people_of(id), timezone.now())
    receipt = play.order(who, type, id=UUID(command) if command else None, **fields)
    return receipt._asdict()


def sign_out(session: str) -> bool:
    """End a session."""
    SessionStore(session).delete()
    return True


def rounds(count: int, seed: int) -> dict[str, Any]:
    """FR-02: in each round two threads, one fires the deadline, one posts a placement that came in time."""
    chance = random.Random(seed)
    people = cast()
    campaign = services.create_campaign(user=people["campaign_admin"], name="Rounds")
    plan = a_plan()
    tally = {"in": 0, "refused": 0, "late": 0}
    wrong: list[str] = []
    for number in range(count):
        now = timezone.now()
        made = services.create_battle(user=people["campaign_admin"], campaign=campaign, plan=plan)
        for side in ("red", "blue"):
            Seat.objects.filter(battle=made, side=side).update(user=people[f"{side}_player"])
        services.open_battle(made.pk, people["campaign_admin"], now)
        play = Play(made.pk, people, now)
        play.order("red_player", "place", unit="1st Messina", at="C9")
        play.order("blue_player", "place", unit="1st Turin", at="C2")
        command = play.command("red_player", "place", unit="Etna Rifles", at="E9")
        due = Deadline.objects.get(battle=made.pk).due_at
        barrier = threading.Barrier(2)
        outcome: dict[str, Any] = {}
        waits = [chance.random() * 0.012, chance.random() * 0.012]
        came = due - timedelta(milliseconds=1) if number % 4 else due + timedelta(milliseconds=1)

        def fire(id: int = made.pk, due: Any = due, wait: float = waits[0], outcome: Any = outcome,
                 barrier: Any = barrier) -> None:  # fmt: skip
            try:
                barrier.wait(10)
                threading.Event().wait(wait)
                outcome["struck"] = services.strike(id, due + timedelta(milliseconds=250))
            except Exception as error:
                outcome["clock"] = repr(error)
            finally:
                connection.close()

        def post(id: int = made.pk, command: Any = command, wait: float = waits[1], came: Any = came,
                 outcome: Any = outcome, barrier: Any = barrier) -> None:  # fmt: skip
            try:
                barrier.wait(10)
                threading.Event().wait(wait)
                services.submit(
                    battle_id=id, command=command, command_id=uuid4(), user=people["red_player"], received_at=came
                )
                outcome["order"] = "in"
            except LateCommand as late:
                outcome["order"] = "late" if "closed" in late.message else "silent"
            except IllegalCommand as refusal:
                outcome["order"] = "refused" if refusal.key == "deployment_over" else refusal.key
            except Exception as error:
                outcome["order"] = repr(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=fire), threading.Thread(target=post)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        entries = list(LogEntry.objects.filter(battle=made.pk).order_by("number").values_list("kind", "body"))
        kinds = [kind for kind, _body in entries]
        reveals = kinds.count("deployment_revealed")
        placed = [i for i, (kind, body) in enumerate(entries) if kind == "unit_placed" and body["at"] == [4, 8]]
        inside = bool(placed and reveals) and placed[0] < kinds.index("deployment_revealed")
        fired = Deadline.objects.filter(battle=made.pk, fired_at__isnull=False).count()
        fine = (
            outcome.get("struck") == 1 and reveals == 1 and fired == 1 and len(placed) == inside
            and inside == (outcome.get("order") == "in") and outcome.get("order") in tally
            and (outcome.get("order") != "in" or number % 4)
        )  # fmt: skip
        if not fine or (number % 20 == 0 and verify(made.pk)):
            wrong.append(f"round {number}: {outcome}, reveals {reveals}, fired {fired}, inside {inside}")
        if outcome.get("order") in tally:
            tally[outcome["order"]] += 1
    return {**tally, "wrong": wrong}


def main() -> None:
    """Answer calls until the input ends."""
    calls = {f.__name__: f for f in (migrate, battle, set_due, many, fired, log, standing, order, sign_out, rounds)}
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        call = json.loads(line)
        try:
            answer: Any = {"ok": calls[call.pop("do")](**call)}
        except (StaleCommand, IllegalCommand, TooManyCommands) as refusal:
            answer = {"refused": repr(refusal)}
        except Exception as error:
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
