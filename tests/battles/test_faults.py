"""The fault cases with real processes on PostgreSQL and Redis. `make faults` runs the cases of the moment 20 times."""

from __future__ import annotations

import os
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.utils import timezone
from websockets.exceptions import ConnectionClosed

from tests.battles.site import Site, shown, version_in

pytestmark = [pytest.mark.postgres, pytest.mark.redis, pytest.mark.fault]
ROUNDS = int(os.environ.get("FAULT_ROUNDS", "1"))
FR02_ROUNDS = 200


@pytest.fixture(scope="module")
def site(private_postgres, private_redis, tmp_path_factory):
    """Processes that share a PostgreSQL and a Redis."""
    made = Site(tmp_path_factory.mktemp("site"), private_postgres, private_redis)
    made.do("migrate")
    yield made
    made.close()


@pytest.fixture(scope="module")
def workers(site):
    """Two servers that live through all tests."""
    return site.server(), site.server()


@pytest.fixture
def clock(site):
    """A clock that runs for one test."""
    process = site.clock()
    yield process
    process.terminate()
    process.wait(10)


def eventually(true, seconds, what):
    """Wait until something is true; how long it took."""
    start = time.monotonic()
    while time.monotonic() < start + seconds:
        if true():
            return time.monotonic() - start
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {what}")


def together(*calls):
    """Run calls in threads that start at the same moment; their answers."""
    barrier, answers = threading.Barrier(len(calls)), [None] * len(calls)

    def run(place, call):
        barrier.wait(10)
        answers[place] = call()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return answers


@pytest.mark.slow
def test_fr02_the_last_placement_against_the_end_of_deployment(site):
    seed = int.from_bytes(os.urandom(4))
    print(f"seed {seed}")
    result = site.do("rounds", count=FR02_ROUNDS, seed=seed)
    assert not result.pop("wrong")
    assert result["in"] + result["refused"] + result["late"] == FR02_ROUNDS
    assert result["in"] and result["refused"]


@pytest.mark.parametrize("number", range(ROUNDS))
def test_case01_a_worker_dies_between_commit_and_push(site, workers, number):
    battle = site.do("battle", deploy=True)
    other = site.do("battle", deploy=True)
    id, before, red = battle["id"], site.do("standing", id=battle["id"]), battle["sessions"]["red_player"]
    frail = site.server(FAULT_POINT="after_commit")
    with workers[0].socket(id, battle["sessions"]["blue_player"]) as blue:
        shown(blue, before["blue"], 5)
        command = str(uuid4())
        move = {"unit": battle["keys"]["Etna Rifles"], "path": "E8", "seen": before["red"], "id": command}
        assert frail.order(id, red, "move", **move).status == 0
        assert frail.process.wait(10) == -9
        assert shown(blue, before["blue"] + 1, 5) < 5
    again = workers[0].order(id, red, "move", **move)
    assert again.status == 200 and version_in(again.text) == before["red"] + 1
    assert len([e for e in site.do("log", id=id) if e["command"] == command]) == 1
    assert not site.do("standing", id=id)["problems"]
    answer = workers[1].order(other["id"], other["sessions"]["red_player"], "end_turn", seen=before["red"])
    assert answer.status == 200


@pytest.mark.parametrize("number", range(ROUNDS))
def test_case02_a_worker_dies_between_receipt_and_commit(site, workers, number):
    battle = site.do("battle", deploy=True)
    id, before, red = battle["id"], site.do("standing", id=battle["id"]), battle["sessions"]["red_player"]
    frail = site.server(FAULT_POINT="before_commit")
    command = str(uuid4())
    move = {"unit": battle["keys"]["Etna Rifles"], "path": "E8", "seen": before["red"], "id": command}
    assert frail.order(id, red, "move", **move).status == 0
    assert frail.process.wait(10) == -9
    assert site.do("standing", id=id) == before
    start = time.monotonic()
    assert workers[1].order(id, red, "move", **move).status == 200
    assert time.monotonic() - start < 2
    assert workers[0].order(id, red, "move", **move).status == 200
    assert len([e for e in site.do("log", id=id) if e["command"] == command]) == 1
    assert not site.do("standing", id=id)["problems"]


@pytest.mark.parametrize("number", range(ROUNDS))
def test_case04_the_clock_dies_just_before_the_deadline(site, workers, number):
    battle = site.do("battle", place=True)
    id, red = battle["id"], battle["sessions"]["red_player"]
    process = site.clock()
    time.sleep(1.0)
    due = datetime.fromisoformat(site.do("set_due", id=id, seconds=0.6))
    time.sleep(0.4)
    process.kill()
    process.wait(10)
    time.sleep(max(0.0, (due - timezone.now()).total_seconds()) + 0.02)
    place = {"unit": battle["keys"]["Etna Rifles"], "at": "E9"}
    late = workers[0].order(id, red, "place", **place)
    assert late.status == 409 and site.do("standing", id=id)["at"]["Etna Rifles"] is None
    other = site.do("battle", place=True, due=-3)
    with workers[1].socket(other["id"], other["sessions"]["blue_player"]) as blue:
        time.sleep(1)
        assert site.do("standing", id=other["id"])["phase"] == "deployment"
        site.clock()
        eventually(lambda: site.do("standing", id=other["id"])["phase"] == "turn", 5, "the clock closes the deployment")
        shown(blue, site.do("standing", id=other["id"])["blue"], 5)
    eventually(lambda: site.do("standing", id=id)["phase"] == "turn", 5, "the other deployment is closed")
    site.children[-1].terminate()
    for each in (id, other["id"]):
        assert site.do("standing", id=each)["fired"] == 1 and not site.do("standing", id=each)["problems"]
        assert len(site.do("log", id=each, kind="deployment_revealed")) == 1
    assert datetime.fromisoformat(site.do("log", id=id, kind="deployment_revealed")[0]["at"]) == due


@pytest.mark.slow
@pytest.mark.parametrize("number", range(ROUNDS))
def test_case05_three_clocks_fire_each_deadline_once(site, number):
    battles = site.do("many", count=50, due=3.0)
    clocks = [site.clock() for _ in range(3)]
    eventually(lambda: set(site.do("fired", ids=battles)) == {1}, 20, "every battle is struck")
    time.sleep(0.5)
    for process in clocks:
        process.terminate()
        process.wait(10)
    for id in battles:
        standing = site.do("standing", id=id)
        assert standing["fired"] == 1 and standing["turn"] == 1 and not standing["problems"]
        (reveal,) = site.do("log", id=id, kind="deployment_revealed")
        assert reveal["actor"] == "clock"
    assert "deadlock" not in site.said() and "Traceback" not in site.said()


@pytest.mark.parametrize("number", range(max(3, ROUNDS)))
def test_case06_the_same_command_through_two_workers_at_once(site, workers, number):
    battle = site.do("battle", deploy=True)
    id, before, red = battle["id"], site.do("standing", id=battle["id"]), battle["sessions"]["red_player"]
    move = {"unit": battle["keys"]["Etna Rifles"], "path": "E8", "seen": before["red"], "id": str(uuid4())}
    answers = together(*(lambda w=worker: w.order(id, red, "move", **move) for worker in (*workers, *workers)))
    assert [answer.status for answer in answers] == [200] * 4
    assert {version_in(answer.text) for answer in answers} == {before["red"] + 1}
    assert workers[1].order(id, red, "move", **move).status == 200
    after = site.do("standing", id=id)
    assert (after["version"], after["submissions"]) == (before["version"] + 1, before["submissions"] + 1)
    other = workers[0].order(id, red, "move", **{**move, "path": "E8 E7"})
    assert other.status == 409 and not after["problems"]


def test_case08_garbage_by_post_changes_nothing_and_makes_no_traceback(site, workers):
    battle, enemy = site.do("battle", deploy=True), site.do("battle", deploy=True)
    id, before, red = battle["id"], site.do("standing", id=battle["id"]), battle["sessions"]["red_player"]
    keys, seen = battle["keys"], before["red"]
    garbage = [
        {"type": ""}, {"type": "dance"}, {"type": "move"}, {"type": "move", "unit": keys["Etna Rifles"]},
        {"type": "move", "unit": keys["Etna Rifles"], "path": "NaN"}, {"type": "end_turn", "by": "blue"},
        {"type": "move", "unit": keys["Etna Rifles"], "path": "1e999"}, {"type": "time_expired", "timer": "turn:1"},
        {"type": "edit_unit", "unit": keys["1st Turin"], "reason": "x"}, {"type": "close_battle", "reason": "x"},
        {"type": "move", "unit": keys["Etna Rifles"], "path": "[" * 200}, {"type": "end_turn", "extra": "1"},
        {"type": "move", "unit": "u\0", "path": "E8"},
    ]  # fmt: skip
    illegal = [
        {"type": "move", "unit": keys["Etna Rifles"], "path": "ZZ99"},
        {"type": "move", "unit": keys["Etna Rifles"], "path": "E8 E7 E6 E5 E4 E3"},
        {"type": "move", "unit": keys["1st Turin"], "path": "C3"},
        {"type": "move", "unit": enemy["keys"]["Etna Rifles"], "path": "E8"},
        {"type": "fire", "unit": keys["Etna Rifles"], "target": enemy["keys"]["1st Turin"]},
        {"type": "move", "unit": "no such unit", "path": "E8"},
    ]
    for body in garbage:
        assert workers[0].order(id, red, body.pop("type"), seen=seen, **body).status == 400, body
    for body in illegal:
        assert workers[0].order(id, red, body.pop("type"), seen=seen, **body).status == 422, body
    for version, id_text in ((-1, ""), (10**12, ""), ("x", ""), (seen, "not an id")):
        assert workers[0].order(id, red, "end_turn", seen=version, id=id_text).status in (400, 409)
    after = site.do("standing", id=id)
    assert {**after, "refused": 0} == {**before, "refused": 0} and after["refused"] >= len(illegal)
    assert "Traceback" not in site.said()


def memory_of(process):
    """The resident memory of a process in MB."""
    line = next(x for x in Path(f"/proc/{process.pid}/status").read_text().splitlines() if x.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def test_case09_large_frames_close_their_socket_and_disturb_no_other(site, workers):
    battle = site.do("battle", deploy=True)
    id, worker = battle["id"], workers[0]
    before = site.do("standing", id=id)
    red, blue = battle["sessions"]["red_player"], battle["sessions"]["blue_player"]
    worker.request("GET", f"/battles/{id}/", red)
    memory = memory_of(worker.process)
    with worker.socket(id, blue) as other:
        shown(other, before["blue"], 5)
        for size in (64 << 10, (1 << 20) - 1, (1 << 20) + 1, 20 << 20):
            with worker.socket(id, red, max_size=None) as line:
                shown(line, before["red"], 5)
                try:
                    if size > 1 << 21:
                        line.send("x" * (1 << 18) for _ in range(size >> 18))
                    else:
                        line.send("x" * size)
                    while True:
                        line.recv(timeout=5)
                except ConnectionClosed as closed:
                    assert closed.rcvd is None or closed.rcvd.code == 1009
            start = time.monotonic()
            assert worker.request("GET", f"/battles/{id}/", blue).status == 200
            other.send("?")
            while not str(other.recv(timeout=1)).startswith("{"):
                pass
            assert time.monotonic() - start < 1
    assert memory_of(worker.process) - memory < 50
    assert site.do("standing", id=id) == before


def test_registered_close_codes_reach_the_page(site, workers):
    battle = site.do("battle", deploy=True)
    for frames, code in (([" " * 5000], 1009), (["nonsense"] * 20, 1008)):
        with workers[0].socket(battle["id"], battle["sessions"]["red_player"]) as line:
            for frame in frames:
                line.send(frame)
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    line.recv(timeout=5)
            assert closed.value.rcvd.code == code


def test_case11_no_order_is_taken_after_the_session(site, workers):
    battle = site.do("battle", deploy=True)
    id, before, red = battle["id"], site.do("standing", id=battle["id"]), battle["sessions"]["red_player"]
    with workers[0].socket(id, red) as line:
        shown(line, before["red"], 5)
        site.do("sign_out", session=red)
        start = time.monotonic()
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                line.recv(timeout=6)
                line.send('{"type": "alive"}')
        assert closed.value.rcvd.code == 4401 and time.monotonic() - start < 5
    assert workers[0].order(id, red, "end_turn", seen=before["red"]).status in (302, 401, 403)
    assert site.do("standing", id=id) == before


def test_case14_both_sides_place_across_the_very_end_of_the_deployment(site, workers, clock):
    battle = site.do("battle", place=True)
    id = battle["id"]
    time.sleep(1.0)
    shapes = {"red": ("Etna Rifles", ("E9", "F9")), "blue": ("Alpine Rifles", ("E2", "F2"))}
    cells = {"E9": [4, 8], "F9": [5, 8], "E2": [4, 1], "F2": [5, 1]}
    told: dict[str, list] = {"red": [], "blue": []}
    frames: list[str] = []
    site.do("set_due", id=id, seconds=0.6)
    stop = time.monotonic() + 1.2

    def play(side, worker):
        name, places = shapes[side]
        for step in range(45):
            if time.monotonic() > stop:
                break
            command, at = str(uuid4()), places[step % 2]
            session = battle["sessions"][f"{side}_player"]
            answer = worker.order(id, session, "place", id=command, unit=battle["keys"][name], at=at)
            told[side].append((command, answer.status, cells[at]))
            time.sleep(0.02)

    def watch():
        with workers[0].socket(id, battle["sessions"]["blue_player"]) as line:
            while time.monotonic() < stop + 1:
                try:
                    frames.append(str(line.recv(timeout=0.3)))
                except TimeoutError:
                    continue
                line.send('{"type": "alive"}')

    together(lambda: play("red", workers[0]), lambda: play("blue", workers[1]), watch)
    eventually(lambda: site.do("standing", id=id)["phase"] == "turn", 5, "the deployment is closed")
    log = site.do("log", id=id)
    closing = next(e["number"] for e in log if e["kind"] == "deployment_revealed")
    placed = {e["command"]: e["number"] for e in log if e["kind"] == "unit_placed"}
    standing = site.do("standing", id=id)
    for side, (name, _places) in shapes.items():
        taken = [command for command, status, _ in told[side] if status == 200]
        assert {status for _, status, _ in told[side]} <= {200, 409, 422} and taken
        assert all(placed[command] < closing for command in taken)
        assert all(command not in placed for command, status, _ in told[side] if status != 200)
        assert standing["at"][name] == [at for _, status, at in told[side] if status == 200][-1]
    assert len([e for e in log if e["kind"] == "deployment_revealed"]) == 1 and not standing["problems"]
    secret = (battle["keys"]["Etna Rifles"], "Etna Rifles", battle["keys"]["1st Messina"])
    hidden = [frame for frame in frames if version_in(frame) < [e for e in log if e["number"] == closing][0]["number"]]
    before = [f for f in hidden if "Turn 1" not in f and "revealed" not in f and 'id="units"' in f]
    assert before and not any(word in frame for frame in before for word in secret)


# FR-08: a restart in the middle


@pytest.mark.parametrize("away", [1.0, 4.0], ids=["the minute runs on", "the minute ends meanwhile"])
def test_fr08_a_restart_in_the_middle_of_the_minute(site, away):
    server, process = site.server(), site.clock()
    battle = site.do("battle", place=True)
    id, red, blue = battle["id"], battle["sessions"]["red_player"], battle["sessions"]["blue_player"]
    for name, at in (("Etna Rifles", "E9"), ("Palermo Cuirassiers", "G9"), ("Catania Guns", "I9")):
        assert server.order(id, red, "place", unit=battle["keys"][name], at=at).status == 200
    due = datetime.fromisoformat(site.do("set_due", id=id, seconds=60.0 if away < 2 else 3.0))
    before = site.do("standing", id=id)
    server.kill()
    process.kill()
    process.wait(10)
    time.sleep(away)
    server, process = site.server(), site.clock()
    page = server.request("GET", f"/battles/{id}/", blue)
    assert page.status == 200
    if away < 2:
        assert site.do("standing", id=id) == before
        assert "Etna Rifles" not in page.text and battle["keys"]["Etna Rifles"] not in page.text
        assert "Etna Rifles" in server.request("GET", f"/battles/{id}/", red).text
        assert due - timedelta(seconds=60) < timezone.now() < due
        due = datetime.fromisoformat(site.do("set_due", id=id, seconds=0.5))
    eventually(lambda: site.do("standing", id=id)["phase"] == "turn", 15, "the deployment ends")
    process.terminate()
    (reveal,) = site.do("log", id=id, kind="deployment_revealed")
    assert datetime.fromisoformat(reveal["at"]) == due
    after = site.do("standing", id=id)
    assert after["at"]["Catania Guns"] == [8, 8] and after["fired"] == 1 and not after["problems"]
    server.kill()


def test_fr08_an_open_question_is_asked_again_after_a_restart(site):
    server = site.server()
    battle = site.do("battle", deploy=True)
    id = battle["id"]
    order = {"id": id, "unit": "Turin Cuirassiers", "changes": {"at": "G6", "facing": "S"}, "reason": "set up"}
    site.do("order", who="moderator", type="edit_unit", **order)
    charge = {"id": id, "unit": "Palermo Cuirassiers", "path": "G8 G7", "attack": "Turin Cuirassiers"}
    site.do("order", who="red_player", type="move", **charge)
    before = site.do("standing", id=id)
    assert len(before["decisions"]) == 1
    blue = battle["sessions"]["blue_player"]
    asked = server.request("GET", f"/battles/{id}/", blue).text
    server.kill()
    server = site.server()
    again = server.request("GET", f"/battles/{id}/", blue).text
    assert before["decisions"][0] in asked and before["decisions"][0] in again
    assert site.do("standing", id=id) == before
    answer = server.order(id, blue, "answer", seen=before["blue"], decision=before["decisions"][0], choice="ride")
    assert answer.status == 200 and not site.do("standing", id=id)["decisions"]
    server.kill()


def test_fr08_the_clock_inside_a_server_needs_no_other_process(site, tmp_path):
    alone = Site(tmp_path, f"sqlite:///{tmp_path}/battles.sqlite3")
    try:
        alone.do("migrate")
        server = alone.server(CLOCK_EMBEDDED="1")
        battle = alone.do("battle", place=True)
        id = battle["id"]
        with server.socket(id, battle["sessions"]["blue_player"]) as blue:
            shown(blue, 1, 5)
            due = datetime.fromisoformat(alone.do("set_due", id=id, seconds=1.0))
            took = eventually(lambda: alone.do("standing", id=id)["phase"] == "turn", 5, "the clock strikes")
            assert 0.2 < took < 4
            assert shown(blue, alone.do("standing", id=id)["blue"], 2) < 2
        (reveal,) = alone.do("log", id=id, kind="deployment_revealed")
        assert datetime.fromisoformat(reveal["at"]) == due
        assert not alone.do("standing", id=id)["problems"] and "Traceback" not in alone.said()
    finally:
        alone.close()
