"""What must never be is refused by the database itself, not only by the code."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from battles.models import (
    AppendOnly,
    Battle,
    BattleMap,
    Deadline,
    Invitation,
    LogEntry,
    Membership,
    Moderator,
    Seat,
    Submission,
    Turn,
    Unit,
)
from tests.battles.playing import NOW, a_map

pytestmark = pytest.mark.django_db


def broken(action):
    """The action breaks a constraint."""
    with pytest.raises(IntegrityError), transaction.atomic():
        action()


def copy_of(row, /, **changes):
    """A second row that is the first but for the changes."""
    fields = {f.attname: getattr(row, f.attname) for f in row._meta.concrete_fields if not f.primary_key}
    return type(row)(**{**fields, **changes})


def test_a_user_sits_on_one_side_and_a_side_has_one_seat(prepared, people):
    broken(lambda: Seat.objects.filter(battle=prepared, side="blue").update(user=people["red_player"]))
    broken(lambda: Seat.objects.create(battle=prepared, side="red"))
    broken(lambda: Seat.objects.filter(battle=prepared, side="blue").update(side="green"))


def test_a_person_has_one_role_in_a_campaign(prepared, people):
    broken(lambda: Membership.objects.create(campaign=prepared.campaign, user=people["spectator"], role="player"))
    broken(lambda: Membership.objects.filter(user=people["spectator"]).update(role="king"))
    broken(lambda: Moderator.objects.create(battle=prepared, user=people["moderator"]))


def test_the_log_has_no_fork_for_any_viewer(play):
    entry = LogEntry.objects.get(battle=play.battle_id, number=1)
    broken(lambda: copy_of(entry, red_no=None, blue_no=None, public_no=None).save())
    broken(lambda: copy_of(entry, number=99, blue_no=None, public_no=None).save())
    broken(lambda: copy_of(entry, number=99, red_no=None, public_no=None).save())
    broken(lambda: copy_of(entry, number=99, red_no=None, blue_no=None).save())
    broken(lambda: copy_of(entry, number=0, red_no=None, blue_no=None, public_no=None).save())


def test_an_entry_of_the_log_is_neither_changed_nor_deleted(play):
    entry = LogEntry.objects.get(battle=play.battle_id, number=1)
    with pytest.raises(AppendOnly):
        entry.save()
    with pytest.raises(AppendOnly):
        entry.delete()


def test_a_command_id_stands_once_for_a_user(play, people):
    fields = {"battle": play.battle, "user": people["red_player"], "command_id": uuid4(), "actor": "red", "body": {}}
    Submission.objects.create(**fields, received_at=NOW)
    broken(lambda: Submission.objects.create(**fields, received_at=NOW))
    broken(lambda: Submission.objects.create(**{**fields, "command_id": uuid4(), "actor": "king"}, received_at=NOW))
    broken(lambda: Submission.objects.create(**{**fields, "command_id": uuid4()}, received_at=NOW, first=5, last=4))


def test_a_turn_begins_once_unless_it_is_abandoned(running):
    turn = Turn.objects.get(battle=running.battle_id, number=1)
    broken(lambda: copy_of(turn, entry=99).save())
    copy_of(turn, entry=99, abandoned=True).save()


def test_a_clock_is_open_once_a_key_and_ends_once(play):
    row = Deadline.objects.get(battle=play.battle_id)
    broken(lambda: copy_of(row).save())
    broken(lambda: Deadline.objects.filter(pk=row.pk).update(fired_at=NOW, cancelled_at=NOW))
    broken(lambda: Deadline.objects.filter(pk=row.pk).update(due_at=None))
    broken(lambda: Deadline.objects.filter(pk=row.pk).update(running=False))
    Deadline.objects.filter(pk=row.pk).update(fired_at=NOW)
    copy_of(row).save()


def test_a_battle_has_a_state_exactly_when_it_is_open(prepared, play):
    broken(lambda: Battle.objects.filter(pk=play.battle_id).update(version=0))
    broken(lambda: Battle.objects.filter(pk=play.battle_id).update(stage="over"))
    broken(lambda: Battle.objects.filter(pk=play.battle_id).update(stage="preparing"))
    broken(lambda: Battle.objects.filter(pk=play.battle_id).update(stage="paused"))
    broken(lambda: Battle.objects.filter(pk=play.battle_id).update(winner="red"))
    broken(lambda: Battle.objects.filter(pk=play.battle_id).update(red_no=1000))


def test_an_invitation_is_used_or_withdrawn_and_has_a_token_of_its_own(prepared):
    used = Invitation.objects.filter(battle=prepared).first()
    broken(lambda: Invitation.objects.filter(pk=used.pk).update(withdrawn_at=NOW))
    broken(
        lambda: Invitation.objects.create(
            battle=prepared, side="red", token=used.token, expires_at=NOW + timedelta(days=1)
        )
    )


def test_a_unit_has_one_row_and_no_negative_strength(running):
    unit = Unit.objects.filter(battle=running.battle_id).first()
    broken(lambda: copy_of(unit).save())
    broken(lambda: Unit.objects.filter(pk=unit.pk).update(strength=-1))
    broken(lambda: Unit.objects.filter(pk=unit.pk).update(strength=unit.strength_at_start + 1))


def test_a_map_has_one_name_in_the_library(db):
    a_map()
    broken(lambda: BattleMap.objects.create(slug="open-fields", name="Again", rows=[], strips={}))
