"""The moderator's desk: what needs him, and what he may do to a battle."""

from __future__ import annotations

import uuid
from typing import Any, NamedTuple, cast

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.models import User
from battles import desk as desk_data
from battles import picture, selectors, services
from battles.dress import DRESS
from battles.forms_lobby import (
    RULING_FORMS,
    AnswerForm,
    ClockForm,
    CloseForm,
    EditUnitForm,
    RewindForm,
    RulingForm,
    add_refusal,
)
from battles.rows import desk_row, side_names
from battles.selectors import Role, Seen
from battles.views.posts import posts_of
from rules.core.actors import Actor
from rules.core.codec import read_command
from rules.core.errors import IllegalCommand, InvalidCommand
from rules.templatetags.rule_tags import refusal_text

LINES = 24
# Lines before which there is nothing to go back to: the opening, and rulings on the history.
OPENING = frozenset({"battle_opened", "army_mustered", "phase_started"})
FIXED = OPENING | {"rewound", "seed_revealed"}


@require_GET
@never_cache
def desk(request: HttpRequest) -> HttpResponse:
    """The battles that one moderates, those that need a ruling first."""
    now = timezone.now()
    items = selectors.desk_for(cast(User, request.user), now)
    context = {
        "needed": [desk_row(item, now) for item in items if item.decisions],
        "others": [desk_row(item, now) for item in items if not item.decisions],
        "section": "desk",
    }
    return render(request, "battles/desk.html", context)


def moderated(request: HttpRequest, battle_id: int) -> Seen:
    """The battle, for its moderators only; who may see it otherwise is told so, a stranger learns nothing."""
    seen = selectors.battle_for(cast(User, request.user), battle_id)
    if seen.role is not Role.MODERATOR:
        raise PermissionDenied("only a moderator of this battle")
    return seen


@require_GET
@never_cache
def battle_desk(request: HttpRequest, battle_id: int) -> HttpResponse:
    """One battle on the desk: the board, the clock, the open questions, the timeline and the rulings."""
    seen = moderated(request, battle_id)
    if seen.battle.stage == "preparing":
        return redirect("battles:prepare", battle_id)
    return render_desk(request, seen)


def render_desk(
    request: HttpRequest,
    seen: Seen,
    *,
    bound: RulingForm | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    """The desk of a battle; `bound` is a form that was refused."""
    battle, now = seen.battle, timezone.now()
    rules = selectors.rules_of(battle)
    view = selectors.view_of(battle, seen.viewer)
    readings = selectors.clocks(battle, seen.viewer, now)
    only, before = _filters(request)
    page = selectors.log_page(battle, seen.viewer, before=before, limit=LINES, only=only)
    version = selectors.version_for(battle, seen.viewer)
    pushed = picture.push_context(battle, view, viewer=seen.viewer, clocks=readings, log=page, version=version)
    over = view.outcome is not None
    rewind_to = _rewind_to(request, bound) if not over else None
    context = {
        **pushed,
        "push": False,
        "terrain": picture.terrain(view.board, battle.ruleset),
        "terrains": static("umpire/terrain.svg"),
        "sheet": picture.sheet(view.board),
        "over": over,
        "clock_buttons": clock_buttons(bool(view.clock_stopped), bool(view.timers)) if not over else (),
        "queue": [desk_row(item, now) for item in selectors.desk_for(cast(User, request.user), now) if item.decisions],
        "players": _players(seen, view, cast(User, request.user)),
        "answers": _answers(view, bound, battle.ruleset) if not over else (),
        "lines": _lines(page.lines, view, over),
        "older": page.older,
        "only": only,
        "filters": [("", _("All")), ("dice", _("Dice")), ("rulings", _("Rulings"))],
        "refused": desk_data.refused_rows(selectors.refused_commands(battle), view, battle.ruleset),
        "rewind_to": rewind_to,
        "rewind_form": _rewind_form(bound, rewind_to),
        "rewind_confirm": isinstance(bound, RewindForm) and bound.data.get("confirmed") == "on",
        "edit_form": bound if isinstance(bound, EditUnitForm) else EditUnitForm(**edit_choices(view, rules)),
        "edit_open": isinstance(bound, EditUnitForm),
        "close_form": bound if isinstance(bound, CloseForm) else CloseForm(sides=view.names),
        "close_open": isinstance(bound, CloseForm),
        "refusal": refusal,
        "section": "desk",
    }
    return render(request, "battles/battle_desk.html", context, status=status)


def _filters(request: HttpRequest) -> tuple[str, int | None]:
    only, before = request.GET.get("only", ""), request.GET.get("before", "")
    return only if only in ("dice", "rulings") else "", int(before) if before.isdecimal() and len(before) < 10 else None


def _rewind_to(request: HttpRequest, bound: RulingForm | None) -> int | None:
    asked = bound.data.get("to", "") if isinstance(bound, RewindForm) else request.GET.get("rewind", "")
    return int(asked) if str(asked).isdecimal() and len(str(asked)) < 10 else None


def _rewind_form(bound: RulingForm | None, to: int | None) -> RewindForm | None:
    if isinstance(bound, RewindForm):
        return bound
    return None if to is None else RewindForm(initial={"to": to}, prefix=None)


class ClockButton(NamedTuple):
    """A button of the clock: the ruling, its seconds, its words, its icon, and the id of its command."""

    what: str
    seconds: int
    label: str
    icon: str
    id: uuid.UUID


def clock_buttons(stopped: bool, has_clock: bool) -> tuple[ClockButton, ...]:
    """What can be done to the clock now."""
    buttons = []
    if stopped:
        buttons.append(("start_clock", 0, pgettext("clock", "Go on"), "play"))
    elif has_clock:
        buttons.append(("stop_clock", 0, pgettext("clock", "Stop"), "pause"))
    if has_clock:
        buttons += [
            ("extend_clock", 60, "+1:00", ""),
            ("extend_clock", 300, "+5:00", ""),
            ("restart_clock", 0, pgettext("clock", "Whole time again"), "rotate-ccw"),
        ]
    return tuple(ClockButton(*each, uuid.uuid4()) for each in buttons)


def edit_choices(view: Any, rules: Any) -> dict[str, Any]:
    """What the form of an edit offers."""
    return {
        "units": desk_data.unit_choices(view, rules),
        "dress": DRESS[rules.id],
    }


def _players(seen: Seen, view: Any, user: User) -> list[dict[str, Any]]:
    seats = selectors.preparation(seen, user, timezone.now()).seats
    players = {seat.side.value: seat.user.name for seat in seats if seat.user is not None}
    ready = {side.value for side in view.ready} if view.phase.name == "deployment" else set()
    return [
        {
            "side": each.side,
            "name": each.name,
            "player": players.get(each.side) or _("nobody"),
            "ready": each.side in ready,
        }
        for each in side_names(seen.battle.sides)
    ]


def _answers(view: Any, bound: RulingForm | None, ruleset_id: str) -> list[dict[str, Any]]:
    found = []
    for question in desk_data.pending(view, ruleset_id):
        mine = isinstance(bound, AnswerForm) and bound.data.get("decision") == question.id
        initial = {"decision": question.id, "choice": question.default}
        form = bound if mine else AnswerForm(choices=question.choices, initial=initial, auto_id=f"id_{question.id}_%s")
        found.append({"question": question, "form": form})
    return found


def _lines(lines: Any, view: Any, over: bool) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    turn = None
    for line in lines:
        heading = picture.turn_words(line.turn, view.names) if line.turn != turn else ""
        turn = line.turn
        rewindable = not over and not line.abandoned and line.kind not in FIXED
        ruled = line.ruling and line.kind not in OPENING
        found.append({"line": line, "heading": heading, "can_rewind": rewindable, "ruled": ruled})
    return found


# Rulings


@posts_of("battles:battle_desk")
def ruling(request: HttpRequest, battle_id: int) -> HttpResponse:
    """Take one ruling; a refusal stands under the field that it names."""
    seen = moderated(request, battle_id)
    if seen.battle.stage == "preparing":
        raise Http404("not open yet")
    view = selectors.view_of(seen.battle, seen.viewer)
    form = read_form(request, seen, view)
    if form is None:
        return HttpResponseBadRequest(_("There is no such ruling."))
    if not form.is_valid():
        return render_desk(request, seen, bound=form, refusal=_clock_trouble(form), status=422)
    rules = selectors.rules_of(seen.battle)
    try:
        command = read_command(rules, form.command(), Actor.MODERATOR)
        services.submit(
            battle_id=battle_id,
            command=command,
            command_id=form.cleaned_data["command_id"],
            user=cast(User, request.user),
            received_at=timezone.now(),
        )
    except IllegalCommand as refused:
        return _refused(request, battle_id, form, refused)
    except InvalidCommand as invalid:
        field = invalid.field.split(".")[-1].split("[")[-1].strip("]\"'")
        words = {"field": desk_data.field_words(field, rules.id), "problem": invalid.problem}
        add_refusal(form, _("%(field)s: %(problem)s") % words, field)
        return render_desk(request, seen, bound=form, refusal=_clock_trouble(form), status=422)
    except services.StaleCommand as stale:
        return render_desk(request, moderated(request, battle_id), refusal=stale.message, status=409)
    except services.ConflictingRepeat:
        return render_desk(request, seen, refusal=_("This ruling was given already."), status=409)
    except services.TooManyCommands as flood:
        words_wait = _("Too many at once: wait %(wait)s s.") % {"wait": flood.wait}
        return render_desk(request, seen, refusal=words_wait, status=429)
    except services.NotSaved:
        not_saved = _("The ruling could not be saved; nothing has changed. Try again.")
        return render_desk(request, seen, bound=form, refusal=not_saved, status=503)
    if not isinstance(form, ClockForm):
        messages.success(request, _("The ruling is in the log."))
    return redirect(reverse("battles:battle_desk", args=[battle_id]))


def read_form(request: HttpRequest, seen: Seen, view: Any) -> RulingForm | None:
    """The form that was sent, bound; None if there is no such ruling."""
    kind = RULING_FORMS.get(request.POST.get("type", ""))
    if kind is None:
        return None
    options: dict[str, Any] = {}
    if kind is EditUnitForm:
        options = edit_choices(view, selectors.rules_of(seen.battle))
    elif kind is CloseForm:
        options = {"sides": view.names}
    elif kind is AnswerForm:
        asked = request.POST.get("decision", "")
        question = next((q for q in desk_data.pending(view, seen.battle.ruleset) if q.id == asked), None)
        options = {"choices": question.choices if question else (), "auto_id": f"id_{asked[:20]}_%s"}
    return kind(request.POST, **options)


def _clock_trouble(form: Form) -> str:
    """Errors of a form that stands nowhere on the page, in one line."""
    shown = isinstance(form, (EditUnitForm, CloseForm, RewindForm, AnswerForm))
    hidden = [name for name in form.errors if name in form.fields and form[name].is_hidden]
    if shown and not hidden:
        return ""
    names = hidden or list(form.errors)
    return " ".join(str(error) for name in names for error in form.errors[name])


def _refused(request: HttpRequest, battle_id: int, form: RulingForm, refused: IllegalCommand) -> HttpResponse:
    """Show a refusal where it belongs: under the field it names, or as a question whether to rewind all the same."""
    seen = moderated(request, battle_id)
    if isinstance(form, RewindForm) and refused.key == "confirm_rewind":
        again = request.POST.copy()
        again["confirmed"], again["command_id"] = "on", str(uuid.uuid4())
        return render_desk(request, seen, bound=RewindForm(again), status=422)
    figures = dict(refused.figures)
    field = str(figures.get("field", ""))
    if field:
        figures["field"] = desk_data.field_words(field, seen.battle.ruleset)
    message = refusal_text(IllegalCommand(refused.key, refused.rule, figures), seen.battle.ruleset)
    if isinstance(form, ClockForm):
        return render_desk(request, seen, refusal=message, status=422)
    if refused.key == "reason_required":
        field = "reason"
    elif refused.key == "no_such_unit":
        field = "unit"
    add_refusal(form, message, field)
    return render_desk(request, seen, bound=form, status=422)
