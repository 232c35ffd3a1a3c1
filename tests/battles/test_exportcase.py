"""A moment of a battle as a case file."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from battles.models import LogEntry
from rules.cases import read_cases, run
from tests.battles.playing import Play

pytestmark = pytest.mark.django_db


def export(play: Play, kind: str, path: Path) -> Any:
    """The case of the last entry of a kind."""
    entry = LogEntry.objects.filter(battle=play.battle_id, kind=kind).latest("number")
    call_command("exportcase", str(play.battle_id), str(entry.number), "--output", str(path), stderr=StringIO())
    (case,) = read_cases(path)
    return case


def test_an_order_becomes_a_case_that_holds(running: Play, tmp_path: Path) -> None:
    running.order("red_player", "move", unit="Etna Rifles", path=["E8", "E7"])
    running.order("red_player", "end_turn")
    running.order("blue_player", "move", unit="Turin Cuirassiers", path=["G3", "G4"])
    case = export(running, "unit_moved", tmp_path / "case.toml")
    (step,) = case.table["do"]
    assert step["by"] == "blue"
    assert step["command"]["path"] == ["G3", "G4"]
    assert "board" in case.table and "state" not in case.table
    assert run(case).differences == ()


def test_a_case_of_a_shot_has_its_dice(running: Play, tmp_path: Path) -> None:
    gun, target = running.unit("Catania Guns"), running.unit("1st Turin")
    running.order("moderator", "edit_unit", unit=target.key, changes={"at": "I4"}, reason="to have a target")
    running.order("red_player", "fire", unit=gun.key, target=target.key)
    case = export(running, "shot_fired", tmp_path / "case.toml")
    assert len(case.table["dice"]) == 1
    assert {"T-8.5"} <= set(case.rules)
    assert run(case).differences == ()


def test_a_case_of_a_ruling_does_not_name_its_author(running: Play, tmp_path: Path) -> None:
    running.order("moderator", "edit_unit", unit="1st Turin", changes={"hp": 6}, reason="agreed by both")
    path = tmp_path / "case.toml"
    case = export(running, "unit_edited", path)
    assert "author" not in path.read_text(encoding="utf-8")
    assert run(case).differences == ()


def test_a_case_of_the_deployment_keeps_its_state_whole(running: Play, tmp_path: Path) -> None:
    case = export(running, "unit_placed", tmp_path / "case.toml")
    assert "state" in case.table
    assert run(case).differences == ()


def test_a_case_that_rules_of_today_contradict_is_told(
    running: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.order("red_player", "end_turn")
    entry = LogEntry.objects.filter(battle=running.battle_id, kind="turn_ended").latest("number")
    monkeypatch.setattr("battles.management.commands.exportcase.expected", lambda event, rules: {"type": "side_ready"})
    err = StringIO()
    path = tmp_path / "case.toml"
    call_command("exportcase", str(running.battle_id), str(entry.number), "--output", str(path), stderr=err)
    assert "does not hold by the rules as they are now" in err.getvalue()


def test_what_is_no_order_is_refused(running: Play) -> None:
    for battle, entry, said in (
        (running.battle_id + 999, 1, "no battle"),
        (running.battle_id, 99_999, "no entry 99999"),
        (running.battle_id, 1, "belongs to the opening"),
    ):
        with pytest.raises(CommandError, match=said):
            call_command("exportcase", str(battle), str(entry))


def test_without_a_file_it_is_printed(running: Play) -> None:
    running.order("red_player", "end_turn")
    entry = LogEntry.objects.filter(battle=running.battle_id, kind="turn_ended").latest("number")
    out = StringIO()
    call_command("exportcase", str(running.battle_id), str(entry.number), stdout=out)
    assert out.getvalue().startswith("[[case]]\n")
