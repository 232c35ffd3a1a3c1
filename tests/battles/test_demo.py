"""The demo: laid out once, entered with one click, and there only where it may be."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from battles import demo, selectors
from battles.models import Battle, Campaign, LogEntry, Seat
from rules.core.actors import Viewer

PAGES = ("battles:demo", "battles:demo_enter")


@pytest.fixture
def demo_on(settings):
    """DEBUG and DEMO are both set."""
    settings.DEBUG = settings.DEMO = True


@pytest.fixture
def laid_out(db, demo_on):
    """The demo as `manage.py demo` makes it: its battles are really played, which takes its time."""
    call_command("demo", verbosity=0)


@pytest.fixture
def seated(db, demo_on):
    """The cast and a battle for deployment: all that entering and opening needs."""
    return demo.fresh_battle()


def status(client, name, **extra):
    url = reverse(name)
    return (
        client.get(url, **extra) if name == "battles:demo" else client.post(url, {"as": "red"}, **extra)
    ).status_code


@pytest.mark.django_db
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("debug", "wanted", "address"),
    [
        (False, True, "127.0.0.1"),
        (True, False, "127.0.0.1"),
        (False, False, "127.0.0.1"),
        (True, True, "192.0.2.7"),
        (True, True, "10.0.0.1"),
        (True, True, "2001:db8::1"),
        (True, True, ""),
        (True, True, "nonsense"),
    ],
)
def test_without_debug_demo_and_the_same_machine_there_is_no_demo(settings, name, debug, wanted, address):
    settings.DEBUG, settings.DEMO = debug, wanted
    assert status(Client(), name, REMOTE_ADDR=address) == 404


@pytest.mark.django_db
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("method", ["get", "head", "post", "put", "patch", "delete", "options"])
def test_where_there_is_no_demo_its_addresses_know_no_method(name, method):
    assert getattr(Client(enforce_csrf_checks=True), method)(reverse(name)).status_code == 404


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1"])
def test_the_demo_is_there_for_the_same_machine(seated, address):
    assert status(Client(), "battles:demo", REMOTE_ADDR=address) == 200


@pytest.mark.django_db
def test_a_forwarded_address_does_not_open_the_demo(demo_on):
    assert status(Client(), "battles:demo", REMOTE_ADDR="192.0.2.7", HTTP_X_FORWARDED_FOR="127.0.0.1") == 404


@pytest.mark.django_db
@pytest.mark.parametrize(("debug", "wanted"), [(False, True), (True, False)])
def test_the_command_refuses_where_there_is_no_demo(settings, debug, wanted):
    settings.DEBUG, settings.DEMO = debug, wanted
    with pytest.raises(CommandError):
        call_command("demo")
    assert not User.objects.exists()


def test_the_demo_says_that_it_is_not_laid_out(db, demo_on):
    page = Client().get(reverse("battles:demo")).content.decode()
    assert "not laid out yet" in page and "A fresh battle" in page


def test_the_demo_has_a_battle_to_deploy_one_under_way_and_one_finished(laid_out):
    preparing, running, over = (Battle.objects.get(stage=stage) for stage in ("preparing", "running", "over"))
    assert all(seat.user for seat in Seat.objects.filter(battle=preparing))
    view = selectors.view_of(running, Viewer.MODERATOR)
    gone = {unit.side for unit in view.units if unit.fate is not None}
    assert view.melees and len(gone) == 2 and view.turn >= 7
    assert any(unit.last_shot for unit in view.units)
    assert over.winner and over.reason and over.turn > 5
    assert LogEntry.objects.filter(battle=over, kind="seed_revealed").exists()


def test_a_second_run_makes_nothing(laid_out):
    before = (Battle.objects.count(), User.objects.count(), LogEntry.objects.count())
    call_command("demo", verbosity=0)
    assert (Battle.objects.count(), User.objects.count(), LogEntry.objects.count()) == before


def test_the_battles_are_the_same_every_time(db, demo_on):
    def played():
        demo.lay_out()
        found = {
            str(b): list(LogEntry.objects.filter(battle=b).order_by("number").values_list("kind", "turn", "rule"))
            for b in Battle.objects.filter(stage__in=["running", "over"])
        }
        Battle.objects.all().update(name="old")
        Campaign.objects.update(name="old")
        return found

    first, second = played(), played()
    assert first == {name: entries for name, entries in second.items() if name != "old"} and first


def test_no_one_can_sign_in_to_the_cast_by_password(seated):
    assert not any(user.has_usable_password() for user in User.objects.all())


@pytest.mark.parametrize("role", ["red", "blue", "moderator", "admin", "spectator"])
def test_one_click_makes_one_somebody_of_the_cast(seated, role):
    client = Client()
    assert client.post(reverse("battles:demo_enter"), {"as": role}).status_code == 302
    page = client.get(reverse("battles:home"))
    assert page.status_code == 200 and page.wsgi_request.user.username == f"demo_{role}"


def test_nobody_else_can_be_entered_as(seated, make_user):
    make_user("stranger")
    for role in ("stranger", "", "demo_red"):
        assert Client().post(reverse("battles:demo_enter"), {"as": role}).status_code == 404


def test_entering_needs_the_form_of_the_page(seated):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(reverse("battles:demo_enter"), {"as": "red"}).status_code == 403
    assert strict.post(reverse("battles:demo_enter"), {"as": "red"}).status_code == 403
    assert strict.get(reverse("battles:demo_enter")).url == reverse("battles:demo")


def test_a_fresh_battle_can_be_had(seated):
    answer = Client().post(reverse("battles:demo_enter"), {"as": "fresh"}, follow=True)
    assert answer.status_code == 200 and Battle.objects.filter(stage="preparing").count() == 2
    names = list(Battle.objects.values_list("name", flat=True))
    assert len(names) == len(set(names))


@pytest.mark.parametrize("role", ["red", "blue"])
def test_in_the_demo_either_player_may_start_deployment(seated, role):
    battle = Battle.objects.get(stage="preparing")
    client = Client()
    client.post(reverse("battles:demo_enter"), {"as": role})
    assert "Open deployment" in client.get(reverse("battles:prepare", args=[battle.pk])).content.decode()
    answer = client.post(reverse("battles:open", args=[battle.pk]))
    assert answer.url == reverse("battles:board", args=[battle.pk])
    assert Battle.objects.get(pk=battle.pk).phase == "deployment"


def test_without_the_demo_its_players_may_not(seated, settings):
    battle = Battle.objects.get(stage="preparing")
    client = Client()
    client.post(reverse("battles:demo_enter"), {"as": "red"})
    settings.DEMO = False
    assert client.post(reverse("battles:open", args=[battle.pk])).status_code == 403
    settings.DEMO = True
    assert client.post(reverse("battles:open", args=[battle.pk]), REMOTE_ADDR="192.0.2.7").status_code == 403
    assert Battle.objects.get(pk=battle.pk).stage == "preparing"


def test_the_spectator_of_the_demo_starts_nothing(seated):
    battle = Battle.objects.get(stage="preparing")
    client = Client()
    client.post(reverse("battles:demo_enter"), {"as": "spectator"})
    assert client.post(reverse("battles:open", args=[battle.pk])).status_code == 403


def test_a_battle_that_somebody_else_made_is_no_demo(demo_on, seated, prepared, rf):
    request = rf.get("/")
    assert not demo.may_start(request, prepared, User.objects.get(username="demo_red"))
