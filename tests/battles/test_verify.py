"""`manage.py verify` finds every falsification and names its entry."""

import pytest
from django.core.management import CommandError, call_command

from battles import services
from battles.models import Battle, BattleSecret, LogEntry, Snapshot, Turn, Unit
from battles.verification import verify
from rules.core.dice import seed_hash
from tests.battles.playing import NOW, Play, prepare

pytestmark = pytest.mark.django_db


@pytest.fixture
def battle(people, django_db_blocker):
    """A battle with a throw of dice, a ruling, a rewind and some moves."""
    made = prepare(
        people["campaign_admin"], people["moderator"], people["red_player"], people["blue_player"], attacker=None
    )
    services.set_phrase(user=people["blue_player"], battle_id=made.pk, phrase="Cavour")
    services.open_battle(made.pk, people["moderator"], NOW)
    play = Play(made.pk, people).deploy()
    mover, unit = play.mover(), {"red_player": ("Etna Rifles", "E8"), "blue_player": ("Alpine Rifles", "E3")}
    name, cell = unit[mover]
    play.order(mover, "move", unit=name, path=cell)
    play.order("moderator", "rewind", to=play.battle.version, reason="a slip")
    play.order(mover, "move", unit=name, path=cell)
    play.order("moderator", "edit_unit", unit=name, changes={"hp": 8.5}, reason="mud")
    play.order(mover, "end_turn")
    assert play.battle.throws == 1
    return play.battle


def found(battle, capsys):
    """What the command prints, and that it ends with status 1."""
    with pytest.raises(CommandError) as error:
        call_command("verify", str(battle.pk))
    assert error.value.returncode == 1
    return capsys.readouterr().out


def forge(entry, **changes):
    """Change a row of the log behind the program's back."""
    LogEntry.objects.filter(pk=entry.pk).update(**changes)


def of_kind(battle, kind):
    return LogEntry.objects.filter(battle=battle, kind=kind, abandoned=False).first()


def test_an_honest_battle_is_what_its_log_says(battle, capsys):
    call_command("verify", str(battle.pk), "--decide")
    assert "is what its log says" in capsys.readouterr().out


def test_a_changed_die_is_found(battle, capsys):
    entry = of_kind(battle, "dice_thrown")
    faces = [face % 6 + 1 for face in entry.body["faces"]]
    forge(entry, body={**entry.body, "faces": faces})
    said = found(battle, capsys)
    assert f"entry {entry.number}: throw 1 shows {faces}, but the seed gives {entry.body['faces']}" in said


def test_a_changed_event_is_found(battle, capsys):
    entry = of_kind(battle, "unit_edited")
    forge(entry, body={**entry.body, "reason": "bribed"})
    assert f"entry {entry.number}: is not what was recorded" in found(battle, capsys)


def test_a_changed_event_that_alters_the_state_is_found(battle, capsys):
    entry = of_kind(battle, "unit_moved")
    forge(entry, body={**entry.body, "spent": entry.body["spent"] + 1})
    said = found(battle, capsys)
    assert f"entry {entry.number}: is not what was recorded" in said and "stored state differs" in said


@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_a_removed_entry_is_found(battle, capsys, place):
    number = {"first": 1, "middle": 7, "last": battle.version}[place]
    LogEntry.objects.filter(battle=battle, number=number)._raw_delete("default")
    assert f"entry {number}: is missing" in found(battle, capsys)


def test_a_removed_entry_is_found_though_the_others_are_numbered_anew(battle, capsys):
    LogEntry.objects.filter(battle=battle, number=7)._raw_delete("default")
    for entry in LogEntry.objects.filter(battle=battle, number__gt=7).order_by("number"):
        forge(entry, number=entry.number - 1)
    Battle.objects.filter(pk=battle.pk).update(version=battle.version - 1)
    assert "entry 7: is not what was recorded" in found(battle, capsys)


def test_a_changed_state_is_found(battle, capsys):
    state = {**battle.state, "quiet": battle.state.get("quiet", 0) + 1}
    Battle.objects.filter(pk=battle.pk).update(state=state)
    assert f"entry {battle.version}: the stored state differs from what the log leads to, in quiet" in found(
        battle, capsys
    )


def test_a_changed_unit_row_is_found(battle, capsys):
    unit = Unit.objects.filter(battle=battle, strength__gt=3).first()
    Unit.objects.filter(pk=unit.pk).update(strength=1)
    said = found(battle, capsys)
    assert f"entry {battle.version}: the row of unit {unit.key}" in said and "strength" in said
    Unit.objects.filter(pk=unit.pk).delete()
    assert f"the row of unit {unit.key} ({unit.name}) is missing" in found(battle, capsys)


def test_a_changed_seed_is_found(battle, capsys):
    BattleSecret.objects.filter(battle=battle).update(seed=b"x" * 32)
    said = found(battle, capsys)
    assert "entry 1: the stored seed doesn't have the hash that was shown at the opening" in said
    assert "entry 1: names another seed" in said


def test_a_seed_that_is_changed_with_its_hash_is_found(battle, capsys):
    BattleSecret.objects.filter(battle=battle).update(seed=b"x" * 32)
    Battle.objects.filter(pk=battle.pk).update(seed_hash=seed_hash(b"x" * 32))
    assert "entry 1: names another seed" in found(battle, capsys)


def test_changed_turns_snapshots_numbers_and_clocks_are_found(battle, capsys):
    Turn.objects.filter(battle=battle, number=0).update(state={})
    Snapshot.objects.filter(battle=battle, entry=4).update(state={})
    Battle.objects.filter(pk=battle.pk).update(red_no=battle.red_no - 1)
    battle.deadlines.filter(fired_at=None, cancelled_at=None).update(seconds=1)
    said = found(battle, capsys)
    for words in ("kept for the turn 0", "kept for the snapshot", "the battle's red_no", "the clocks are"):
        assert words in said


def test_a_command_that_would_be_decided_otherwise_now_is_named(battle, capsys):
    submission = battle.submissions.filter(body__type="end_turn").get()
    submission.body = {"type": "ready"}
    submission.save()
    assert not verify(battle.pk)
    problems = verify(battle.pk, decide=True)
    assert [problem.entry for problem in problems] == [submission.first]


def test_a_battle_that_is_not_there_is_an_error(db):
    with pytest.raises(CommandError, match="no battle"):
        call_command("verify", "99")


def test_a_battle_being_prepared_has_nothing_but_its_seed(prepared):
    assert not verify(prepared.pk)
    BattleSecret.objects.filter(battle=prepared).update(seed=b"x" * 32)
    assert verify(prepared.pk)
