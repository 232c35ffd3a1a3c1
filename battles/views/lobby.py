"""The pages around a battle: home, campaigns, a battle's making and preparation, invitations, and the demo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from accounts.models import User
from battles import demo as demo_cast
from battles import palette, selectors, services
from battles.armies import trait_words, value_words
from battles.dress import DRESS
from battles.forms_lobby import (
    BattleForm,
    CampaignForm,
    MapChoice,
    MemberForm,
    ModeratorForm,
    PhraseForm,
    add_refusal,
)
from battles.maps import library
from battles.rows import row, side_name
from battles.selectors import Role, Seen
from battles.services import Refused
from battles.thumbs import thumb
from battles.views.posts import posts_of
from rules.core.actors import SIDES, Side
from rules.core.codec import plain
from rules.core.rulebook import Parameter
from rules.registry import DEFAULT, ruleset
from rules.templatetags.rule_tags import number

LONGEST_NUMBER = 18  # digits of an id
MAY_CREATE = frozenset({"admin", "moderator"})


def who(request: HttpRequest) -> User:
    """The person who asks; every page here is behind the sign-in."""
    return cast(User, request.user)


def role_words(role: str | None) -> str:
    """A role in a campaign as people call it."""
    words = {
        "admin": pgettext("role", "admin"),
        "moderator": pgettext("role", "moderator"),
        "player": pgettext("role", "player"),
        "guest": pgettext("role", "guest"),
    }
    return words.get(role or "", "")


# Home


def greeting(name: str, hour: int) -> str:
    """A greeting by the time of day."""
    if 5 <= hour < 12:
        words = _("Good morning, %(name)s")
    elif 12 <= hour < 18:
        words = _("Good afternoon, %(name)s")
    else:
        words = _("Good evening, %(name)s")
    return words % {"name": name}


@require_GET
@never_cache
def home(request: HttpRequest) -> HttpResponse:
    """A person's battles: those that wait first, then those that run, then those that are over."""
    user, now = who(request), timezone.now()
    lists = selectors.home_lists(user, now)
    context = {
        "greeting": greeting(user.name, timezone.localtime(now).hour),
        "waiting": [row(card, now) for card in lists.waiting],
        "running": [row(card, now) for card in lists.running],
        "finished": [row(card, now) for card in lists.finished],
        "new_url": new_battle_url(user),
    }
    return render(request, "battles/home.html", context)


def new_battle_url(user: User) -> str:
    """Where a new battle begins: in one's only campaign, else where one chooses or makes a campaign."""
    own = [card.campaign.pk for card in selectors.campaigns_for(user) if card.role in MAY_CREATE]
    if len(own) == 1:
        return reverse("battles:battle_new", args=own)
    return reverse("battles:campaigns" if own else "battles:campaign_new")


# Campaigns


@require_GET
@never_cache
def campaigns(request: HttpRequest) -> HttpResponse:
    """The campaigns that one belongs to, and the public ones."""
    cards = [
        {"campaign": c.campaign, "role_title": role_words(c.role), "running": c.running, "finished": c.finished}
        for c in selectors.campaigns_for(who(request))
    ]
    return render(request, "battles/campaigns.html", {"cards": cards, "section": "campaigns"})


@require_http_methods(["GET", "POST"])
def campaign_new(request: HttpRequest) -> HttpResponse:
    """Found a campaign."""
    form = CampaignForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = services.create_campaign(user=who(request), **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused.message, refused.field)
        else:
            messages.success(request, _("The campaign is made. Add its people below, or make its first battle."))
            return redirect("battles:campaign", made.pk)
    status = 422 if form.errors else 200
    return render(request, "battles/campaign_form.html", {"form": form, "section": "campaigns"}, status=status)


@require_http_methods(["GET", "POST"])
@never_cache
def campaign(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """A campaign: its battles, its people, its settings."""
    user = who(request)
    found, role = selectors.campaign_for(user, campaign_id)
    settings_data = {"name": found.name, "public": found.public, "keep_secrets": found.keep_secrets}
    forms: dict[str, Form] = {"member": MemberForm(), "settings": CampaignForm(initial=settings_data)}
    if request.method == "POST":
        done = _change_campaign(request, user, found, role, forms)
        if done is not None:
            return done
    status = 422 if any(form.errors for form in forms.values()) else 200
    now = timezone.now()
    context = {
        "campaign": found,
        "role_title": role_words(role),
        "may_create": role in MAY_CREATE,
        "may_admin": role == "admin",
        "may_leave": role is not None,
        "rows": [row(card, now) for card in selectors.battles_of(found, user, now)],
        "members": _members(found, user) if role is not None else (),
        "member_form": forms["member"],
        "settings_form": forms["settings"],
        "section": "campaigns",
    }
    return render(request, "battles/campaign.html", context, status=status)


def _members(found: Any, user: User) -> list[dict[str, Any]]:
    return [
        {
            "name": m.user.name,
            "username": m.user.username,
            "role_title": role_words(m.role),
            "removable": m.user_id != user.pk,
        }
        for m in selectors.members_of(found)
    ]


def _change_campaign(
    request: HttpRequest, user: User, found: Any, role: str | None, forms: dict[str, Form]
) -> HttpResponse | None:
    """Carry out what the campaign's page asks; None if a form must be shown again."""
    action = request.POST.get("action", "")
    if action == "leave" and role is not None:
        return _leave_campaign(request, user, found)
    if role != "admin":
        raise PermissionDenied("only an administrator of the campaign")
    if action == "remove":
        try:
            services.remove_member(user=user, campaign=found, username=request.POST.get("username", ""))
        except Refused as refused:
            messages.error(request, refused.message)
        return redirect("battles:campaign", found.pk)
    kinds: dict[str, type[Form]] = {"member": MemberForm, "settings": CampaignForm}
    if action not in kinds:
        raise Http404("no such action")
    form = forms[action] = kinds[action](request.POST)
    if not form.is_valid():
        return None
    try:
        if action == "member":
            member = services.find_user(form.cleaned_data["username"])
            services.set_member(user=user, campaign=found, member=member, role=form.cleaned_data["role"])
            messages.success(request, _("%(name)s is in the campaign now.") % {"name": member.name})
        else:
            services.change_campaign(user=user, campaign=found, **form.cleaned_data)
            messages.success(request, _("Saved."))
    except Refused as refused:
        add_refusal(form, refused.message, refused.field)
        return None
    return redirect("battles:campaign", found.pk)


def _leave_campaign(request: HttpRequest, user: User, found: Any) -> HttpResponse:
    """Whoever was taken in without being asked can go again."""
    try:
        services.remove_member(user=user, campaign=found, username=user.username)
    except Refused as refused:
        messages.error(request, refused.message)
        return redirect("battles:campaign", found.pk)
    messages.success(request, _("You have left the campaign “%(name)s”.") % {"name": found.name})
    return redirect("battles:campaigns")


# A battle's making


@require_http_methods(["GET", "POST"])
@never_cache
def battle_new(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Make a battle in a campaign."""
    found, role = selectors.campaign_for(who(request), campaign_id)
    if role not in MAY_CREATE:
        raise PermissionDenied("only an administrator or moderator of the campaign")
    return _battle_form(request, found, None)


@require_http_methods(["GET", "POST"])
@never_cache
def battle_edit(request: HttpRequest, battle_id: int) -> HttpResponse:
    """Change a battle that is not open yet."""
    seen = selectors.battle_for(who(request), battle_id)
    if seen.role is not Role.MODERATOR:
        raise PermissionDenied("only a moderator of this battle")
    if seen.battle.stage != "preparing":
        messages.info(request, _("This battle is open already."))
        return redirect("battles:battle_desk", battle_id)
    return _battle_form(request, seen.battle.campaign, seen.battle)


def _battle_form(request: HttpRequest, found: Any, battle: Any) -> HttpResponse:
    ruleset_id = battle.ruleset if battle is not None else DEFAULT
    shared = (each for each in services.library_rows() if each.ruleset == ruleset_id)
    rows = {str(each.pk): each for each in (*shared, *selectors.maps_for(found, ruleset_id))}
    about = library()
    choices = [
        MapChoice(
            value,
            _(each.name) if each.campaign_id is None else each.name,
            _(about[each.slug].description) if each.campaign_id is None and each.slug in about else "",
            each.rows,
            each.strips,
        )
        for value, each in rows.items()
    ]
    form = BattleForm(
        request.POST or None,
        maps=choices,
        ruleset_id=ruleset_id,
        battle=_as_plan(battle) if battle is not None else None,
    )
    if request.method == "POST" and form.is_valid():
        try:
            made = _carry_out(request, form, rows[form.cleaned_data["map"]], found, battle)
        except Refused as refused:
            _put_refusal(form, refused)
        else:
            return redirect("battles:prepare", made.pk)
    chosen = str(form["map"].value() or "")
    cards = [
        {
            "value": c.value,
            "title": c.title,
            "description": c.description,
            "thumb": thumb(c.rows, strips=c.strips, ruleset_id=ruleset_id),
            "checked": c.value == chosen,
        }
        for c in choices
    ]
    context = {
        "form": form,
        "campaign": found,
        "battle": battle,
        "map_cards": cards,
        "points": DRESS[ruleset_id].points,
        "section": "campaigns",
    }
    return render(request, "battles/battle_form.html", context, status=422 if form.errors else 200)


def _as_plan(battle: Any) -> dict[str, Any]:
    return {
        "name": battle.name,
        "map": str(battle.map_id or ""),
        "sides": battle.sides,
        "armies": battle.armies,
        "parameters": battle.parameters,
        "attacker": battle.attacker,
        "allow_spectators": battle.allow_spectators,
    }


def _carry_out(request: HttpRequest, form: BattleForm, chosen: Any, found: Any, battle: Any) -> Any:
    attacker = form.attacking_side()
    plan = services.BattlePlan(
        name=form.cleaned_data["name"],
        map=chosen,
        sides=form.sides(),
        armies={side.value: [spec_data(unit) for unit in units] for side, units in form.armies().items()},
        parameters=form.parameters(),
        attacker=attacker.value if attacker else None,
        ruleset=form.ruleset.id,
        allow_spectators=form.cleaned_data["allow_spectators"],
    )
    user = who(request)
    if battle is None:
        made = services.create_battle(user=user, campaign=found, plan=plan)
        messages.success(request, _("The battle is made. Invite its two players now."))
    else:
        made = services.change_battle(user=user, battle_id=battle.pk, plan=plan)
        messages.success(request, _("Saved."))
    return made


def spec_data(unit: Any) -> dict[str, Any]:
    """A unit of an army list as a battle keeps it: without key and side."""
    return {key: value for key, value in plain(unit).items() if key not in ("key", "side")}


def _put_refusal(form: BattleForm, refused: Refused) -> None:
    field = refused.field
    names = (field, f"p_{field}", f"{field}_list")
    add_refusal(form, refused.message, next((name for name in names if name in form.fields), None))


# The preparation


@require_http_methods(["GET", "POST"])
@never_cache
def prepare(request: HttpRequest, battle_id: int) -> HttpResponse:
    """Both seats, invitations, phrases, moderators, and the opening."""
    user = who(request)
    seen = selectors.battle_for(user, battle_id)
    asks_itself = request.method == "GET" and request.headers.get("HX-Request") == "true"
    if seen.battle.stage != "preparing":
        opened = redirect("battles:board", battle_id)
        return HttpResponseClientRedirect(opened.url) if asks_itself else opened
    if asks_itself:  # a page that waits for the opening: nothing new yet
        return HttpResponse(status=204)
    forms: dict[str, Form] = {}
    if request.method == "POST":
        try:
            _change_preparation(request, user, seen, forms)
        except Refused as refused:
            form = forms.get(request.POST.get("action", ""))
            if form is None:
                messages.error(request, refused.message)
                return redirect("battles:prepare", battle_id)
            field = "username" if refused.field == "moderator" else refused.field
            add_refusal(form, refused.message, field)
        if not any(form.errors for form in forms.values()):
            return redirect("battles:prepare", battle_id)
    return render_preparation(request, user, seen, forms, status=422 if forms else 200)


def _change_preparation(request: HttpRequest, user: User, seen: Seen, forms: dict[str, Form]) -> None:
    """Carry out one action of the page; Refused says why not."""
    now, battle_id = timezone.now(), seen.battle.pk
    action = request.POST.get("action", "")
    match action:
        case "invite":
            side = request.POST.get("side", "")
            services.invite(user=user, battle_id=battle_id, side=side, now=now)
            messages.success(request, _("Send the link to the player: it holds for one seat and one use."))
        case "withdraw":
            digits = request.POST.get("invitation", "")
            if not digits.isdecimal() or len(digits) > LONGEST_NUMBER:
                raise Http404("no such invitation")
            services.withdraw_invitation(user=user, invitation_id=int(digits), now=now)
            messages.success(request, _("The invitation is withdrawn."))
        case "vacate":
            services.vacate_seat(user=user, battle_id=battle_id, side=request.POST.get("side", ""))
            messages.success(request, _("The seat is free again."))
        case "phrase":
            words = forms[action] = PhraseForm(request.POST)
            if words.is_valid():
                services.set_phrase(user=user, battle_id=battle_id, phrase=words.cleaned_data["phrase"])
                messages.success(request, _("The phrase is kept."))
        case "moderator":
            form = forms[action] = ModeratorForm(request.POST)
            if form.is_valid():
                person = services.find_user(form.cleaned_data["username"])
                services.add_moderator(user=user, battle_id=battle_id, moderator=person)
                messages.success(request, _("%(name)s moderates this battle now.") % {"name": person.name})
        case "dismiss":
            person = services.find_user(request.POST.get("username", ""))
            services.remove_moderator(user=user, battle_id=battle_id, moderator=person)
            messages.success(request, _("%(name)s does not moderate this battle any more.") % {"name": person.name})
        case _:
            raise Http404("no such action")


def render_preparation(
    request: HttpRequest,
    user: User,
    seen: Seen,
    forms: Mapping[str, Form],
    *,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page of a battle that is being prepared, as its viewer may see it."""
    battle = seen.battle
    ready = selectors.preparation(seen, user, timezone.now())
    may_invite = seen.role in (Role.MODERATOR, Role.ADMIN)
    rules, dress = ruleset(battle.ruleset), DRESS[battle.ruleset]
    seats = [_seat(request, seen, user, ready, side) for side in SIDES]
    mine = next((seat for seat in ready.seats if seat.user is not None and seat.user.pk == user.pk), None)
    counts = [len(ready.armies[side]) for side in SIDES] if len(ready.armies) == len(SIDES) else []
    attacker = side_name(battle.sides, Side(battle.attacker)).name if battle.attacker else ""
    usual = rules.book.parameters.get("deployment_seconds")
    seconds = int(battle.parameters.get("deployment_seconds", usual.default if usual else 0))
    context = {
        "battle": battle,
        "colours": palette.classes(battle.sides),
        "seats": seats,
        "map_title": _map_title(battle),
        "attack": _("%(side)s attacks first") % {"side": attacker} if attacker else _("a die decides who moves first"),
        "thumb": thumb(battle.board, strips=battle.strips, ruleset_id=battle.ruleset),
        "parameters": [_parameter_row(rules.book.parameters[n], v) for n, v in battle.parameters.items()],
        "reduction": dress.reduction(rules.book, battle.parameters, *counts) if counts else None,
        "points": dress.points,
        "seed_hash": ready.seed_hash,
        "moderators": [{"name": m.name, "username": m.username} for m in ready.moderators],
        "may_invite": may_invite,
        "may_admin": may_invite,
        "may_edit": seen.role is Role.MODERATOR,
        "may_open": seen.role is Role.MODERATOR or demo_cast.may_start(request, battle, user),
        "deployment_time": duration(seconds),
        "phrase_form": forms.get("phrase") or PhraseForm(initial={"phrase": mine.phrase if mine else ""}),
        "moderator_form": forms.get("moderator") or ModeratorForm(),
        "refusal": refusal,
        "section": "battles",
    }
    return render(request, "battles/prepare.html", context, status=status)


def _seat(request: HttpRequest, seen: Seen, user: User, ready: selectors.Preparation, side: Side) -> dict[str, Any]:
    line = next((seat for seat in ready.seats if seat.side is side), None)
    player = line.user if line else None
    army = ready.armies.get(side)
    mine = player is not None and player.pk == user.pk
    book = seen.battle.ruleset
    return {
        "side": side.value,
        "name": side_name(seen.battle.sides, side).name,
        "player": player.name if player else "",
        "mine": mine,
        "may_vacate": player is not None and (mine or seen.role is Role.MODERATOR),
        "has_phrase": bool(line and line.has_phrase),
        "army": None if army is None else [{"name": unit.name, "about": unit_words(unit, book)} for unit in army],
        "shows_list": army is not None,
        "invitations": [
            {
                "id": i.id,
                "expires_at": i.expires_at,
                "url": request.build_absolute_uri(reverse("battles:invitation", args=[i.token])),
            }
            for i in ready.invitations
            if i.side is side
        ],
    }


def _map_title(battle: Any) -> str:
    if battle.map is None:
        return ""
    return _(battle.map.name) if battle.map.campaign_id is None else str(battle.map)


def unit_words(unit: Any, ruleset_id: str) -> str:
    """What a unit of a list is: its kind, what differs, its traits."""
    kind = ruleset(ruleset_id).kinds.get(unit.kind)
    parts = [_(kind.title) if kind else unit.kind]
    parts += [f"{value_words(key, ruleset_id)} {number(float(value))}" for key, value in sorted(unit.overrides.items())]
    parts += [trait_words(trait, ruleset_id) for trait in sorted(unit.traits)]
    return ", ".join(parts)


def _parameter_row(parameter: Parameter, value: Any) -> dict[str, str]:
    if parameter.kind == "flag":
        shown = pgettext("parameter", "yes") if value else pgettext("parameter", "no")
    elif parameter.kind == "choice":
        shown = capfirst(_(dict(parameter.choices).get(str(value), str(value))))
    else:
        shown = number(float(value))
    return {"title": _(parameter.title), "value": shown, "rule": parameter.rule}


def duration(seconds: int) -> str:
    """A time as people read it: `1:00`, `no limit`."""
    if seconds <= 0:
        return _("no limit of time")
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@posts_of("battles:prepare")
def open_deployment(request: HttpRequest, battle_id: int) -> HttpResponse:
    """Open a battle: the moderator, or in the demo either player."""
    user = who(request)
    seen = selectors.battle_for(user, battle_id)
    if seen.battle.stage != "preparing":
        return redirect("battles:board", battle_id)
    opener = user
    if seen.role is not Role.MODERATOR and demo_cast.may_start(request, seen.battle, user):
        opener = demo_cast.moderator_of(seen.battle)
    try:
        services.open_battle(battle_id, opener, timezone.now())
    except Refused as refused:
        return render_preparation(request, user, seen, {}, refusal=refused.message, status=422)
    if seen.role is Role.PLAYER:
        return redirect("battles:board", battle_id)
    return redirect("battles:battle_desk", battle_id)


@require_http_methods(["GET", "POST"])
@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """An invitation: what it is for, and a button to take the seat."""
    card = selectors.invitation_card(token, timezone.now())
    form = PhraseForm(request.POST or None)
    problem, status = card.problem, 410 if card.problem else 200
    if request.method == "POST" and not problem and form.is_valid():
        try:
            seat = services.take_seat(
                token=token, user=who(request), now=timezone.now(), phrase=form.cleaned_data["phrase"]
            )
        except Refused as refused:
            if refused.field in form.fields:
                add_refusal(form, refused.message, refused.field)
            else:
                problem, status = refused.message, 422
        else:
            messages.success(request, _("The seat is yours."))
            return redirect("battles:prepare", seat.battle_id)
    if form.errors:
        status = 422
    context = {
        "card": card,
        "own": side_name(card.sides, card.side),
        "enemy": side_name(card.sides, card.side.enemy),
        "colours": palette.classes(card.sides),
        "form": form,
        "problem": problem,
        "section": "battles",
    }
    return render(request, "battles/invitation.html", context, status=status)


# The demo


def only_in_a_demo(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Where there is no demo the address isn't there, for any method and before a form's token is looked at."""
    guarded = csrf_protect(view)

    @csrf_exempt
    @wraps(view)
    def here(request: HttpRequest) -> HttpResponse:
        demo_cast.require(request)
        return guarded(request)

    return here


@login_not_required
@only_in_a_demo
@require_GET
@never_cache
def demo(request: HttpRequest) -> HttpResponse:
    """One-click entry as anybody of the demo's cast; only on the maker's own machine."""
    return render(request, "battles/demo.html", {"cast": demo_cast.people(), "battles": demo_cast.battles()})


@login_not_required
@only_in_a_demo
@posts_of("battles:demo")
def demo_enter(request: HttpRequest) -> HttpResponse:
    """Sit down as somebody of the cast, or have a fresh battle made."""
    wanted = request.POST.get("as", "")
    if wanted == "fresh":
        made = demo_cast.fresh_battle()
        messages.success(request, _("“%(name)s” is ready to be opened.") % {"name": str(made)})
        return redirect("battles:demo")
    user = demo_cast.person(wanted)
    if user is None:
        raise Http404("nobody of the cast")
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return redirect("battles:desk" if wanted == "moderator" else "battles:home")
