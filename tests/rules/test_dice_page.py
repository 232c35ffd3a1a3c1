"""The ten lines that the page shows give the dice that the server throws."""

import subprocess
import sys
from html import unescape

import pytest

from rules.core.dice import SeededDice, seed_hash

SEED = bytes(range(32))
PHRASES = ((), ("a phrase of red", "фраза «синих»"), ("only one",))


@pytest.fixture
def program(client, db) -> str:
    html = client.get("/rules/dice/").content.decode()
    shown = html.split('<code id="check-a-die">')[1].split("</code>")[0]
    return unescape(shown)


def check(program: str, number: int, dice: str, phrases: tuple[str, ...]) -> tuple[str, list[int]]:
    """Run the lines as a player would; the hash and the faces that they print."""
    command = [sys.executable, "-I", "-c", program, SEED.hex(), str(number), dice, *phrases]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.split("\n")
    assert shown[0].startswith("hash ") and shown[1].startswith("faces ")
    return shown[0].split()[1], [int(face) for face in shown[1].split()[1:]]


def test_the_page_shows_ten_lines_at_most_and_offers_the_same_as_a_file(client, db, program):
    assert len(program.strip().splitlines()) <= 10
    assert client.get("/rules/dice/check_a_die.py").content.decode() == program


@pytest.mark.parametrize("phrases", PHRASES, ids=len)
def test_the_lines_give_the_faces_of_the_log(program, phrases):
    dice = SeededDice(SEED, "\n".join(phrases))
    for count, die in ((2, 6), (1, 10), (30, 6), (3, 7)):
        throw = dice.throw(count, die, purpose="test", rule="G-4")
        assert check(program, throw.number, ",".join([str(die)] * count), phrases) == (
            seed_hash(SEED),
            list(throw.faces),
        )


def test_the_lines_check_a_lot(program):
    draw = SeededDice(SEED, thrown=4).draw(9, 4, purpose="lot", rule="T-13.4")
    _, places = check(program, draw.number, "9,8,7,6", ())
    left = list(range(9))
    assert [left.pop(place - 1) for place in places] == list(draw.picks)
