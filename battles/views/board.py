"""The board and what belongs to it: orders, panel, log, dice, result; without script whole, with it in fragments."""

from __future__ import annotations

from typing import Any, cast
from uuid import uuid4

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.models import User
from battles import overlay, palette, picture, selection
from battles import panel as panels
from battles.dress import DRESS
from battles.forms import read_order
from battles.selectors import (
    Role,
    Seen,
    battle_for,
    chair_of,
    clocks,
    dice_of,
    log_page,
    names_for,
    rules_of,
    unit_lines,
    version_for,
    view_of,
)
from battles.services import ConflictingRepeat, NotSaved, StaleCommand, TooManyCommands, submit
from battles.views.posts import posts_of
from rules.core.codec import tag
from rules.core.commands import Command
from rules.core.errors import IllegalCommand, InvalidCommand
from rules.registry import ruleset

SEE_OTHER = 303
KEEPING = frozenset({"answer", "offer_draw", "stance"})


def _is_htmx(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def _open(request: HttpRequest, battle_id: int) -> Seen:
    """The battle for this user; 404 if he may not know of it."""
    return battle_for(request.user, battle_id)


def _pushed(seen: Seen) -> dict[str, Any]:
    """What is the same for all pages of a viewer."""
    battle, viewer, _role = seen
    view = view_of(battle, viewer)
    log = log_page(battle, viewer, names=names_for(battle, viewer, view))
    return picture.push_context(
        battle, view, viewer=viewer, clocks=clocks(battle, viewer, timezone.now()), log=log,
        version=version_for(battle, viewer),
    )  # fmt: skip


def _context(seen: Seen, query: Any, *, push: bool) -> dict[str, Any]:
    """Everything on the page: what is pushed, and the panel and overlay for the selection."""
    context = _pushed(seen)
    chosen = _chosen(seen, context["view"], query, context["banner"])
    return {**context, **chosen, "push": push, "now": timezone.now().isoformat()}


def _chosen(seen: Seen, view: Any, query: Any, banner: dict[str, Any]) -> dict[str, Any]:
    """Panel and overlay for the selection that a query names."""
    battle, viewer, role = seen
    rules = rules_of(battle)
    chosen = selection.read_selection(view, query)
    options = rules.options(view, chosen.unit) if role is Role.PLAYER else None
    desk = selection.desk(view, options, battle.ruleset, chosen)
    return {
        "battle_id": battle.pk,
        "battle": battle,
        "ruleset_id": battle.ruleset,
        "view": view,
        "viewer": viewer.value,
        "role": role.value,
        "version": version_for(battle, viewer),
        "banner": banner,
        "terrain": picture.terrain(view.board, battle.ruleset),
        "sheet": picture.sheet(view.board),
        "symbols": static("umpire/symbols.svg"),
        "terrains": static("umpire/terrain.svg"),
        "overlay": overlay.overlay(desk),
        "pages": f"battles/{battle.ruleset}/",
        "idle_names": panels.idle_choices(view, battle.ruleset),
        "board_label": _("Map of %(columns)s by %(rows)s cells") % {
            "columns": view.board.width, "rows": view.board.height,
        },
        "new_id": picture.new_id,
        "section": "battles",
        **panels.panel(desk),
    }  # fmt: skip


@never_cache
@require_GET
def board(request: HttpRequest, battle_id: int) -> HttpResponse:
    """The battle as its viewer sees it, with what he has selected."""
    seen = _open(request, battle_id)
    if seen.battle.stage == "preparing":
        return redirect("battles:prepare", battle_id)
    return render(request, "battles/board.html", _context(seen, request.GET, push=False))


@never_cache
@require_GET
def panel(request: HttpRequest, battle_id: int) -> HttpResponse:
    """Panel and overlay for a selection, as fragments."""
    seen = _open(request, battle_id)
    if not _is_htmx(request):
        return redirect(f"{reverse('battles:board', args=[battle_id])}?{request.GET.urlencode()}")
    view = view_of(seen.battle, seen.viewer)
    context = _chosen(seen, view, request.GET, picture.banner(seen.battle, view))
    return render(request, "battles/_update.html", {**context, "push": True})


@never_cache
@require_GET
def refresh(request: HttpRequest, battle_id: int) -> HttpResponse:
    """All fragments anew: for a page that has missed something."""
    seen = _open(request, battle_id)
    if not _is_htmx(request):
        return redirect("battles:board", battle_id)
    context = _context(seen, request.GET, push=True)
    return HttpResponse(_whole(request, context))


def _whole(request: HttpRequest, context: dict[str, Any]) -> str:
    parts = ("battles/_push.html", "battles/_update.html")
    return "".join(render_to_string(part, context, request) for part in parts)


def _player(request: HttpRequest, battle_id: int) -> Seen:
    seen = _open(request, battle_id)
    if seen.role is not Role.PLAYER:
        raise PermissionDenied("no seat in this battle")
    return seen


@never_cache
@posts_of("battles:board")
def order(request: HttpRequest, battle_id: int) -> HttpResponse:
    """Take one order from a player."""
    received_at = timezone.now()
    chair = chair_of(request.user, battle_id)
    if chair is None:
        _player(request, battle_id)  # says why not
        raise PermissionDenied("no seat in this battle")
    try:
        command, command_id, version, decision = read_order(ruleset(chair.ruleset), chair.viewer, request.POST)
        submit(
            battle_id=battle_id, command=command, command_id=command_id, user=_who(request),
            received_at=received_at, seen=version, decision=decision,
        )  # fmt: skip
    except InvalidCommand as error:
        return _problem(request, 400, _invalid(error), title=_("This order makes no sense."))
    except IllegalCommand as refusal:
        return _refused(request, battle_id, refusal)
    except StaleCommand as stale:
        return _stale(request, battle_id, stale.message)
    except ConflictingRepeat:
        return _stale(request, battle_id, _("The same order came twice with different words. Look again."))
    except TooManyCommands as flood:
        return _problem(request, 429, wait_words(flood.wait), title=_("Too many orders at once."))
    except NotSaved:
        return _problem(request, 503, _("Nothing has changed; give the order again."), title=_("Not saved."))
    return _done(request, battle_id, _after(request.POST, command))


def _who(request: HttpRequest) -> User:
    """Who asks: the middleware lets nobody in who isn't signed in."""
    return cast(User, request.user)


def wait_words(seconds: int) -> str:
    """How long to wait."""
    return ngettext("Wait %(count)s second.", "Wait %(count)s seconds.", seconds) % {"count": seconds}


def _invalid(error: InvalidCommand) -> str:
    words = {
        "there is no such order": _("there is no such order"),
        "there is no such field": _("there is no such field"),
        "an id is wanted": _("an id is wanted"),
        "a number is wanted": _("a number is wanted"),
        "yes or no is wanted": _("yes or no is wanted"),
        "the version of the board is wanted": _("the version of the board is wanted"),
        "this is too long": _("this is too long"),
        "this is no text": _("this is no text"),
    }
    problem = words.get(error.problem, error.problem)
    return _("%(field)s: %(problem)s.") % {"field": error.field, "problem": problem} if error.field else f"{problem}."


def _back(data: Any) -> QueryDict:
    """The selection that a form was made for."""
    return QueryDict(str(data.get("back", ""))[:300].lstrip("?"))


def _after(data: Any, command: Command) -> QueryDict:
    """What stays selected after an order: its unit; after an answer or a stance everything, an order in hand too."""
    if tag(type(command)) in KEEPING:
        return _back(data)
    kept = QueryDict(mutable=True)
    if unit := getattr(command, "unit", ""):
        kept["unit"] = unit
    return kept


def _done(request: HttpRequest, battle_id: int, query: QueryDict) -> HttpResponse:
    if not _is_htmx(request):
        suffix = f"?{query.urlencode()}" if query else ""
        return HttpResponseRedirect(reverse("battles:board", args=[battle_id]) + suffix, status=SEE_OTHER)
    seen = _open(request, battle_id)
    if request.headers.get("X-Board-Only"):  # the page has gone on to another unit and wants no panel
        return HttpResponse(render_to_string("battles/_push.html", _pushed(seen), request) + _notice(request, {}))
    return HttpResponse(_whole(request, _context(seen, query, push=True)) + _notice(request, {}))


def _notice(request: HttpRequest, more: dict[str, Any]) -> str:
    return render_to_string("battles/_stale.html", {"push": True, **more}, request)


def _refused(request: HttpRequest, battle_id: int, refusal: IllegalCommand) -> HttpResponse:
    """The rule and its figures in the unit's panel; the order stays as it is."""
    seen = _open(request, battle_id)
    more = {"refusal": refusal, "ruleset_id": seen.battle.ruleset}
    if _is_htmx(request):
        return render(request, "battles/_refusal.html", {**more, "oob": True}, status=422)
    context = _context(seen, _back(request.POST), push=False)
    return render(request, "battles/board.html", {**context, **more}, status=422)


def _stale(request: HttpRequest, battle_id: int, message: str) -> HttpResponse:
    """The new board, and the word that it is new."""
    context = _context(_open(request, battle_id), _back(request.POST), push=_is_htmx(request))
    if _is_htmx(request):
        return HttpResponse(_whole(request, context) + _notice(request, {"stale": message}), status=409)
    return render(request, "battles/board.html", {**context, "stale": message}, status=409)


def _problem(request: HttpRequest, status: int, message: str, *, title: str) -> HttpResponse:
    battle_id = request.resolver_match.kwargs["battle_id"] if request.resolver_match else None
    more = {"problem": message, "problem_title": title, "battle_id": battle_id}
    if _is_htmx(request):
        return render(request, "battles/_refusal.html", {**more, "oob": True}, status=status)
    return render(request, "battles/problem.html", {**more, "code": status}, status=status)


@never_cache
@posts_of("battles:board")
def arrange(request: HttpRequest, battle_id: int) -> HttpResponse:
    """Place the units that are still in the tray, by ordinary placements chosen from the player's options."""
    seen = _player(request, battle_id)
    rules = rules_of(seen.battle)
    try:
        for command in DRESS[seen.battle.ruleset].arrangement(rules, view_of(seen.battle, seen.viewer)):
            submit(
                battle_id=battle_id, command=command, command_id=uuid4(), user=_who(request),
                received_at=timezone.now(),
            )  # fmt: skip
    except IllegalCommand as refusal:
        return _refused(request, battle_id, refusal)
    except StaleCommand as stale:
        return _stale(request, battle_id, stale.message)
    except TooManyCommands as flood:
        return _problem(request, 429, wait_words(flood.wait), title=_("Too many orders at once."))
    except NotSaved:
        return _problem(request, 503, _("Nothing has changed; give the order again."), title=_("Not saved."))
    return _done(request, battle_id, _back(request.POST))


@never_cache
@require_GET
def log(request: HttpRequest, battle_id: int) -> HttpResponse:
    """The whole log in pages, the newest first; older ones by link."""
    seen = _open(request, battle_id)
    if seen.battle.stage == "preparing":
        return redirect("battles:prepare", battle_id)
    before = request.GET.get("before", "")
    only = request.GET.get("only", "")
    view = view_of(seen.battle, seen.viewer)
    page = log_page(
        seen.battle,
        seen.viewer,
        before=int(before) if before.isascii() and before.isdigit() and len(before) < 10 else None,
        only=only if only in ("dice", "rulings") else "",
        names=names_for(seen.battle, seen.viewer, view),
    )
    return render(
        request,
        "battles/log.html",
        {
            "battle": seen.battle,
            "battle_id": battle_id,
            "ruleset_id": seen.battle.ruleset,
            "colours": palette.classes(seen.battle.sides),
            "log": picture.log_blocks(page.lines, view.names),
            "older": page.older,
            "newer": bool(before),
            "only": only,
            "section": "battles",
        },
    )


@never_cache
@require_GET
def dice(request: HttpRequest, battle_id: int) -> HttpResponse:
    """The hash of the seed and the phrases; when it is over, the seed and every throw."""
    seen = _open(request, battle_id)
    if seen.battle.stage == "preparing":
        return redirect("battles:prepare", battle_id)
    sheet = dice_of(seen.battle, seen.viewer)
    throws = tuple(
        throw._replace(purpose=picture.purpose_words(throw.purpose, seen.battle.ruleset)) for throw in sheet.throws
    )
    return render(
        request,
        "battles/dice.html",
        {
            "battle": seen.battle,
            "battle_id": battle_id,
            "ruleset_id": seen.battle.ruleset,
            "sheet": sheet._replace(throws=throws),
            "over": seen.battle.stage == "over",
            "section": "battles",
        },
    )


@never_cache
@require_GET
def review(request: HttpRequest, battle_id: int) -> HttpResponse:
    """How the battle ended: result, losses, units by fate."""
    seen = _open(request, battle_id)
    if seen.battle.stage != "over":
        return redirect("battles:board", battle_id)
    view = view_of(seen.battle, seen.viewer)
    return render(
        request,
        "battles/review.html",
        {
            "battle": seen.battle,
            "battle_id": battle_id,
            "ruleset_id": seen.battle.ruleset,
            "colours": palette.classes(seen.battle.sides),
            "banner": picture.banner(seen.battle, view),
            "points": DRESS[seen.battle.ruleset].points,
            "reports": picture.reports(view, rules_of(seen.battle).report(view)),
            "rosters": picture.rosters(view, seen.battle.ruleset),
            "units": picture.units_picture(view, (), version_for(seen.battle, seen.viewer), seen.battle.ruleset),
            "terrain": picture.terrain(view.board, seen.battle.ruleset),
            "terrains": static("umpire/terrain.svg"),
            "unit_lines": unit_lines(seen.battle, seen.viewer),
            "section": "battles",
        },
    )
