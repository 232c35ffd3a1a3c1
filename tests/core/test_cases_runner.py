"""The runner of case files: it fails where it should, and says why."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from rules.cases import Case, CaseError, Verdict, mirrored, read_cases, run, write_case

HEAD = """
[[case]]
id = "x"
rules = ["T-7.1"]
{more}
[case.units]
a = "red heavy_infantry at E10{words}"
b = "blue heavy_infantry at E8"
"""
FIRE = """
[[case.do]]
by = "red"
command = {type = "fire", unit = "a", target = "b"}
"""

Settle = Callable[..., Verdict]


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], list[Case]]:
    """The cases of a text."""

    def reading(text: str) -> list[Case]:
        path = tmp_path / "cases.toml"
        path.write_text(text, encoding="utf-8")
        return read_cases(path)

    return reading


@pytest.fixture
def settle(read: Callable[[str], list[Case]]) -> Settle:
    """The verdict on a case with a shot and these expectations."""

    def settling(expect: str = "", *, do: str = FIRE, more: str = "", words: str = "") -> Verdict:
        text = HEAD.format(more=more, words=words) + do + ("[case.expect]\n" + expect if expect else "")
        return run(read(text)[0])

    return settling


def test_a_case_that_comes_as_it_says(settle: Settle) -> None:
    verdict = settle('units = {b = {hp = 8}}\nevents = [{type = "shot_fired", loss = 2}]')
    assert verdict.passed
    assert [str(type(event).__struct_config__.tag) for event in verdict.events] == ["shot_fired", "losses_taken"]


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ("units = {b = {hp = 7}}", "units.b.hp is 8.0, not 7"),
        ("units = {b = {fate = 'scattered'}}", "units.b.fate is None, not 'scattered'"),
        ("units = {z = {hp = 7}}", "there is no z"),
        ('units = {b = {facing = "N"}}', "units.b.facing is 'S', not 'N'"),
        ('units = {b = {melee_with = ["a"]}}', "melee_with is [], not ['a']"),
        ('events = [{type = "shot_fired", loss = 3}]', "loss is 2.0, not 3"),
        ('events = [{type = "losses_taken"}, {type = "shot_fired"}]', "events 2: no shot_fired in its place"),
        ('events = [{type = "shot_fired"}, {type = "shot_fired"}]', "events 2: no shot_fired in its place"),
        ('events = [{type = "shot_fired", hits = []}]', "hits is ['b'], not []"),
        ('events_exactly = ["shot_fired"]', "events_exactly is ['shot_fired', 'losses_taken']"),
        ('no_events = ["shot_fired"]', "shot_fired was told"),
        ('no_events = [{type = "losses_taken", unit = "b"}]', "losses_taken (unit 'b') was told"),
        ("turn = 2", "turn is 1, not 2"),
        ('mover = "blue"', "mover is 'red', not 'blue'"),
        ('phase = "over"', "phase is 'turn', not 'over'"),
        ('outcome = {winner = "red"}', "outcome is None"),
        ('decisions = ["stalemate"]', "decisions is [], not ['stalemate']"),
        ("timers = {}", "timers is ['turn'], not []"),
        ("timers = {turn = {seconds = 20}}", "timers.turn.seconds is 300, not 20"),
        ('ready = ["red"]', "ready is []"),
        ('retreating = ["red"]', "retreating is []"),
        ('melees = [["a", "b"]]', "melees is []"),
        ("army = {red = {units = 2}}", "army.red.units is 1, not 2"),
        ("report = {red = {brought = 2}}", "report.red.brought is 1, not 2"),
        ("state = {quiet = 3}", "state.quiet is 0, not 3"),
        ("state = {deployed = {red = 2, blue = 1}}", "state.deployed.red is 1, not 2"),
        ('seen = {blue = ["shot_fired"]}', "seen.blue is ['shot_fired', 'losses_taken']"),
        ('knows = {blue = {a = "nothing"}}', "knows.blue.a: is known"),
        ("knows = {blue = {z = {hp = 3}}}", "knows.blue.z: is not known"),
        ("knows = {blue = {a = {defensive_fire = true}}}", "defensive_fire is None, not True"),
        ('setup = [{type = "battle_opened"}]', "setup 1: no battle_opened"),
        ("options = {red = {z = {zone = []}}}", "options.red.z: nothing is offered"),
        ('options = {red = {a = {fires = ["b"]}}}', "options.red.a.fires is [], not ['b']"),
        ('options = {red = {a = {refused = {fire = "reloading"}}}}', "refused.fire is 'already_fired'"),
    ],
)
def test_a_wrong_expectation_fails(settle: Settle, expect: str, said: str) -> None:
    verdict = settle(expect)
    assert not verdict.passed
    assert said in "\n".join(verdict.differences)


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ("unts = {}", "unknown key unts"),
        ("units = {b = {hitpoints = 7}}", "a unit has no 'hitpoints'"),
        ('events = [{type = "shot"}]', "no such event"),
        ('events = [{type = "shot_fired", los = 3}]', "shot_fired has no los"),
        ('no_events = ["shot"]', "no such event"),
        ('no_events = [{type = "shot_fired", los = 3}]', "shot_fired has no los"),
        ('events_exactly = ["shot"]', "no such event"),
        ('seen = {blue = ["shot"]}', "no such event"),
        ('outcome = {victor = "red"}', "unknown key victor"),
        ('outcome = "red"', "a table or 'none'"),
        ("state = {quietness = 3}", "unknown key quietness"),
        ("options = {red = {a = {zones = []}}}", "unknown key zones"),
    ],
)
def test_an_expectation_that_means_nothing_is_an_error(settle: Settle, expect: str, said: str) -> None:
    with pytest.raises(CaseError, match="x: ") as error:
        settle(expect)
    assert said in str(error.value)


REFUSED = '\n[[case.do]]\nby = "red"\ncommand = {type = "fire", unit = "b", target = "a"}\nrefused = "not_your_unit"\n'


def test_a_refusal_that_comes_as_it_says(settle: Settle) -> None:
    assert settle(do=REFUSED + 'refused_rule = "T-4.5"\n').passed


@pytest.mark.parametrize(
    ("do", "said"),
    [
        (FIRE + 'refused = "too_far"\n', "taken, but should be refused with too_far"),
        (REFUSED.replace('"not_your_unit"', '"too_far"'), "refused is 'not_your_unit', not 'too_far'"),
        (REFUSED.replace("refused", "# refused"), "refused with not_your_unit [T-4.5]"),
        (REFUSED + 'refused_rule = "T-9.9"\n', "refused_rule is 'T-4.5', not 'T-9.9'"),
        (REFUSED + "figures = {needed = 2}\n", "figures.needed is not there"),
        (FIRE + "invalid = true\n", "should be unreadable"),
        (FIRE.replace('target = "b"', 'targte = "b"'), "the command cannot be read"),
        (FIRE + "expect = {units = {b = {hp = 1}}}\n", "do 1 (red fire): units.b.hp is 8.0, not 1"),
    ],
)
def test_an_order_that_goes_another_way_fails(settle: Settle, do: str, said: str) -> None:
    verdict = settle(do=do)
    assert said in "\n".join(verdict.differences)


def test_dice_that_are_not_thrown_fail(settle: Settle) -> None:
    assert settle(more="dice = [6]").differences == ("dice: [6] were not thrown",)


def test_a_die_that_is_not_loaded_fails(read: Callable[[str], list[Case]]) -> None:
    text = HEAD.format(more="", words="").replace("red heavy_infantry", "red foot_artillery").replace("E8", "E7")
    assert "a die is thrown" in "\n".join(run(read(text + FIRE)[0]).differences)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[case]\n", "cases.toml: "),
        ("", r"there is no \[\[case\]\]"),
        ("[case]\nid = 'x'", r"there is no \[\[case\]\]"),
        ("title = 'x'\n[[case]]\nid = 'x'", "unknown key title"),
        ("[[case]]\nrules = ['T-1.1']", "a case has no id"),
        ("[[case]]\nid = 'x'\nrules = ['T-1.1']", "neither do nor expect"),
        ("[[case]]\nid = 'x'\nexpect = {turn = 1}", "rules names no rule"),
        ("[[case]]\nid = 'x'\nrules = ['T-99.1']\nexpect = {turn = 1}", "'T-99.1' is not in the book"),
        ("[[case]]\nid = 'x'\nrules = ['T-1.1']\nexpects = {turn = 1}\nexpect = {turn = 1}", "unknown key expects"),
        ("[[case]]\nid = 'x'\nruleset = 'chess'\nrules = ['T-1.1']\nexpect = {turn = 1}", "no ruleset 'chess'"),
        ("[[case]]\nid = 'x'\nrules = ['T-1.1']\ndo = [{by = 'red'}]", "command and by are wanted"),
        ("[[case]]\nid = 'x'\nrules = ['T-1.1']\ndo = [{by = 'me', command = {}}]", "by 'me'"),
        ("[[case]]\nid = 'x'\nrules = ['T-1.1']\ndo = [{by = 'red', command = {}, orders = 1}]", "unknown key orders"),
        (
            "[[case]]\nid = 'x'\nrules = ['T-1.1']\ndo = [{by = 'red', command = {}, refused = 'no'}]",
            "no refusal of the book",
        ),
        ("[[case]]\nid = 'x'\nrules = ['T-1.1']\ndo = [{by = 'red', command = {}, figures = {}}]", "belong to refused"),
        ("[[case]]\nid = 'x'\nrules = ['T-1.1']\nexpect = 3", "a table is wanted"),
        ("[[case]]\nid='x'\nrules=['T-1.1']\nexpect={turn=1}\n" * 2, "two cases are called x"),
    ],
)
def test_a_file_that_is_no_case_file(read: Callable[[str], list[Case]], text: str, said: str) -> None:
    with pytest.raises(CaseError, match=said):
        read(text)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="nowhere.toml"):
        read_cases(tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("more", "words", "said"),
    [
        ("", ", unhappy", "unit a: cannot read 'unhappy'"),
        ("", " on horseback", "unit a: cannot read 'on'"),
        ("", " facing up", "'up' is no facing"),
        ("", " in wedge", "unit a: "),
        ("", ", 7.3 hp", "not a multiple of a half"),
        ('board = "..\\n."', "", "all rows must be equally long"),
        ('board = ". x\\n. ."', "", "'x' is neither a terrain nor a unit"),
        ('board = ". a\\n. ."', "", "stands in the picture and has an 'at'"),
        ('board = ". ."\nsize = [4, 4]', "", "either board or size"),
        ('terrain = {C3 = "swamp"}', "", "there is no 'swamp'"),
        ('terrain = {C33 = "hill"}', "", "C33 is not on the board"),
        ("params = {turn_second = 3}", "", "params: "),
        ('turn = "green"', "", "neither red nor blue"),
        ('melees = [["a", "b"]]', "", "do not touch"),
        ('phase = "later"', "", "phase is 'deployment' or left out"),
        ('clock = "broken"', "", "clock is 'runs' or 'stopped'"),
        ('phase = "deployment"\nquiet = 3', "", "quiet: not during deployment"),
        ("size = [4, 4]", "", "an impossible position"),
        ('state = "{}"\nsize = [4, 4]', "", "state leaves no room for size"),
    ],
)
def test_a_position_that_cannot_be_read(settle: Settle, more: str, words: str, said: str) -> None:
    with pytest.raises(CaseError) as error:
        settle(more=more, words=words)
    assert said in str(error.value)


PICTURE = """
[[case]]
id = "picture"
rules = ["T-5.5"]
board = '''
. b b h
s . . .
. a . c1
'''
terrain = {A1 = "settlement", "C2-D2" = "marsh"}
[case.units]
a = "red heavy_infantry facing east"
b = "blue heavy_infantry in line facing south"
c1 = {kind = "cuirassiers", side = "red", hp = 3.5, name = "Old Guard", traits = ["steadfast"]}
[case.expect.units]
a = {at = "B3", facing = "E"}
b = {at = "C1", cells = ["C1", "B1"]}
c1 = {hp = 3.5, name = "Old Guard"}
"""


def test_a_picture_is_read(read: Callable[[str], list[Case]]) -> None:
    case = read(PICTURE)[0]
    assert run(case).passed
    assert run(case).differences == ()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (". b b h", ". b . h", "a line stands on two cells"),
        (". b b h", "b . b h", "a line stands on two cells"),
        (". a . c1", "a a . c1", "stands more than once"),
        ('b = "blue', 'q = "blue', "'b' is neither a terrain nor a unit"),
    ],
)
def test_a_picture_that_contradicts_its_units(read: Callable[[str], list[Case]], old: str, new: str, said: str) -> None:
    with pytest.raises(CaseError, match=said):
        run(read(PICTURE.replace(old, new, 1))[0])


def test_mirrored_exchanges_the_sides_and_nothing_else(read: Callable[[str], list[Case]]) -> None:
    case = mirrored(read(PICTURE)[0])
    assert case.id == "picture-mirrored"
    assert case.table["units"]["a"] == "blue heavy_infantry facing east"
    assert case.table["home"] == {"blue": "S", "red": "N"}
    assert case.table["turn"] == "blue"
    assert run(case).passed
    assert mirrored(case).table["units"] == read(PICTURE)[0].table["units"]


def test_a_case_written_again_says_the_same(read: Callable[[str], list[Case]]) -> None:
    table = dict(read(PICTURE)[0].table)
    table["note"] = 'two\nlines, "quoted" \\ and ü'
    table["do"] = [{"by": "red", "command": {"type": "end_turn"}}]
    table["expect"] = {"events": [{"type": "turn_ended", "expired": False}], "turn": 2}
    again = read(write_case(table))[0]
    assert dict(again.table) == table


def test_adjudicate_says_pass_and_fail(tmp_path: Path) -> None:
    good = tmp_path / "good.toml"
    good.write_text(HEAD.format(more="", words="") + FIRE + "[case.expect]\nunits = {b = {hp = 8}}\n", encoding="utf-8")
    out = StringIO()
    call_command("adjudicate", str(good), "--events", stdout=out)
    assert "PASS x" in out.getvalue()
    assert "T-7.1  shot_fired" in out.getvalue()
    assert "1 passed, 0 failed" in out.getvalue()

    bad = tmp_path / "bad.toml"
    bad.write_text(good.read_text(encoding="utf-8").replace("hp = 8", "hp = 1"), encoding="utf-8")
    out = StringIO()
    with pytest.raises(SystemExit) as stop:
        call_command("adjudicate", str(tmp_path), stdout=out)
    assert stop.value.code == 1
    assert "FAIL x" in out.getvalue()
    assert "units.b.hp is 8.0, not 1" in out.getvalue()
    assert "1 passed, 1 failed" in out.getvalue()


def test_adjudicate_names_the_line_of_a_syntax_error(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text("[[case]]\nid = \n", encoding="utf-8")
    out, err = StringIO(), StringIO()
    with pytest.raises(SystemExit):
        call_command("adjudicate", str(path), stdout=out, stderr=err)
    assert "broken.toml: Invalid value (at line 2, column 6)" in err.getvalue()
    assert "Traceback" not in err.getvalue()


def test_adjudicate_wants_files(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no case files"):
        call_command("adjudicate", str(tmp_path))
