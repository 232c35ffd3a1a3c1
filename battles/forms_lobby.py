"""Forms for people: campaigns, battles, seats and rulings. They check shape; rules and services check the rest."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from crispy_forms.helper import FormHelper
from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts.text import clean_name
from battles.armies import LONGEST_LIST, MOST_UNITS, as_text, from_numbers, read_list
from battles.dress import DRESS
from battles.dress.contract import Dress
from battles.dress.parts import EditField
from battles.palette import COLOURS, DEFAULTS, PALETTE
from battles.services.words import LONGEST_NAME, LONGEST_REASON
from rules.core.actors import SIDES, Side
from rules.core.rulebook import Parameter
from rules.core.scenario import ParameterValue, UnitSpec
from rules.core.units import halves
from rules.registry import ruleset
from rules.templatetags.rule_tags import number, rule_link

SIDE_TITLES: Mapping[Side, Any] = {Side.RED: _("Red side"), Side.BLUE: _("Blue side")}


class MapChoice(NamedTuple):
    """A map as the form offers it: its value, what it is called, a sentence about it, and its rows for the picture."""

    value: str
    title: str
    description: str
    rows: Sequence[str]
    strips: Mapping[str, Sequence[str]]


def bare_helper() -> FormHelper:
    """A helper for forms whose template writes the form tag and the button."""
    helper = FormHelper()
    helper.form_tag = False
    helper.disable_csrf = True
    return helper


class NameField(forms.CharField):
    """A name on one line: what is invisible or turns the direction of writing is taken out."""

    default_error_messages = {"invisible": _("This name has no visible characters.")}

    def __init__(self, *, max_length: int = LONGEST_NAME, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)
        self.widget.attrs.setdefault("autocomplete", "off")

    def to_python(self, value: Any) -> str:
        """The name as others can read it."""
        typed = super().to_python(value) or ""
        name = clean_name(typed)
        if typed.strip() and not name:
            raise forms.ValidationError(self.error_messages["invisible"], code="invisible")
        return name


class ReasonField(forms.CharField):
    """Why a ruling is given: both sides will read it."""

    default_error_messages = {"required": _("A ruling needs a reason: both sides will read it.")}

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("label", _("Reason, both sides will read it"))
        kwargs.setdefault("max_length", LONGEST_REASON)
        super().__init__(widget=forms.Textarea(attrs={"rows": 3}), **kwargs)

    def to_python(self, value: Any) -> str:
        """The reason without invisible characters."""
        return clean_name(super().to_python(value) or "")


class CampaignForm(forms.Form):
    """A new campaign, or its name and openness changed."""

    name = NameField(label=_("Name"))
    public = forms.BooleanField(
        label=_("Public"),
        required=False,
        help_text=_("Everybody with an account may find it and watch its battles. Otherwise only its members may."),
    )
    keep_secrets = forms.BooleanField(
        label=_("Keep plans secret after a battle"),
        required=False,
        help_text=_("Otherwise both sides may read everything of a battle once it is over."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helper = bare_helper()


class MemberForm(forms.Form):
    """Add somebody to a campaign by his user name."""

    username = forms.CharField(label=_("User name"), max_length=150)
    role = forms.ChoiceField(
        label=_("Role"),
        choices=[
            ("player", _("player")),
            ("moderator", _("moderator")),
            ("admin", _("campaign admin")),
            ("guest", _("guest")),
        ],
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].widget.attrs.update({"autocomplete": "off", "autocapitalize": "none"})
        self.helper = bare_helper()


class ModeratorForm(forms.Form):
    """Make somebody a battle's moderator by his user name."""

    username = forms.CharField(label=_("User name"), max_length=150)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].widget.attrs.update({"autocomplete": "off", "autocapitalize": "none"})
        self.helper = bare_helper()


class PhraseForm(forms.Form):
    """A player's phrase for the dice."""

    phrase = forms.CharField(
        label=_("Your phrase for the dice"),
        required=False,
        max_length=100,
        help_text=_(
            "Any words. They are mixed into every throw, so that nobody can have chosen the dice beforehand. "
            "Your opponent sees them when the battle opens."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["phrase"].widget.attrs["autocomplete"] = "off"
        self.helper = bare_helper()

    def clean_phrase(self) -> str:
        """The phrase on one line, as both will read it."""
        return clean_name(self.cleaned_data["phrase"])


# A battle


def parameter_field(parameter: Parameter, ruleset_id: str) -> forms.Field:
    """The field of a parameter: kind and bounds from the book, its default and its rule beside it."""
    help_text = _parameter_help(parameter, ruleset_id)
    label = gettext(parameter.title)
    if parameter.kind == "flag":
        return forms.BooleanField(label=label, required=False, initial=parameter.default, help_text=help_text)
    if parameter.kind == "choice":
        choices = [(value, gettext(title)) for value, title in parameter.choices]
        return forms.ChoiceField(label=label, choices=choices, initial=parameter.default, help_text=help_text)
    common: dict[str, Any] = {"label": label, "initial": parameter.default, "help_text": help_text, "required": False}
    if parameter.kind == "halves":
        return HalvesField(min_value=parameter.minimum, max_value=parameter.maximum, **common)
    return forms.IntegerField(min_value=int(parameter.minimum), max_value=int(parameter.maximum), **common)


def _parameter_help(parameter: Parameter, ruleset_id: str) -> SafeString:
    link = rule_link(parameter.rule, ruleset_id)
    if parameter.kind in ("flag", "choice"):
        return link
    usual, least, most = (number(float(v)) for v in (parameter.default, parameter.minimum, parameter.maximum))
    text = gettext("Usually %(usual)s; from %(least)s to %(most)s.") % {"usual": usual, "least": least, "most": most}
    return format_html("{} {}", text, link)


class HalvesField(forms.FloatField):
    """A number in whole and half points; `7½` and `7,5` are understood too."""

    default_error_messages = {"halves": _("Whole and half points only.")}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}), **kwargs)

    def to_python(self, value: Any) -> Any:
        """The number, if it is a multiple of a half."""
        text = str(value if value is not None else "").strip().replace(",", ".")
        if text.endswith("½"):
            text = f"{text[:-1] or '0'}.5"
        typed = super().to_python(text)
        if typed is None:
            return None
        try:
            return halves(typed)
        except (ValueError, OverflowError) as error:
            raise forms.ValidationError(self.error_messages["halves"], code="halves") from error


class BattleForm(forms.Form):
    """All of a battle until it is opened: map, sides, armies, who attacks first, parameters.

    The armies come as numbers of each kind or as a pasted list, side by side; `armies()` gives what was understood.
    """

    name = NameField(label=_("Name of the battle"))
    map = forms.ChoiceField(label=_("Map"), widget=forms.RadioSelect)
    red_name = NameField(label=_("Name of the red side"), max_length=40)
    red_colour = forms.ChoiceField(label=_("Colour"), widget=forms.RadioSelect)
    blue_name = NameField(label=_("Name of the blue side"), max_length=40)
    blue_colour = forms.ChoiceField(label=_("Colour"), widget=forms.RadioSelect)
    attacker = forms.ChoiceField(label=_("Who attacks first"), required=False)
    red_list = forms.CharField(label=_("Or a list, one unit a line"), required=False, max_length=LONGEST_LIST)
    blue_list = forms.CharField(label=_("Or a list, one unit a line"), required=False, max_length=LONGEST_LIST)
    allow_spectators = forms.BooleanField(
        label=_("Spectators may watch"),
        required=False,
        initial=True,
        help_text=_("They see what both sides may see, and never a deployment before it is over."),
    )

    def __init__(
        self,
        *args: Any,
        maps: Sequence[MapChoice],
        ruleset_id: str,
        battle: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self.maps = tuple(maps)
        self.ruleset = ruleset(ruleset_id)
        if battle is not None:
            kwargs["initial"] = {**self.initial_of(battle), **kwargs.get("initial", {})}
        super().__init__(*args, **kwargs)
        self.helper = bare_helper()
        self._armies: dict[Side, tuple[UnitSpec, ...]] = {}
        self.list_errors: dict[Side, tuple[Any, ...]] = {}
        self._set(
            "map", [(each.value, each.title) for each in self.maps], initial=self.maps[0].value if self.maps else ""
        )
        for side in SIDES:
            self._set(f"{side.value}_colour", [(c.name, c.title) for c in COLOURS], initial=DEFAULTS[side])
            self._prepare_list(side)
            for kind in self.ruleset.kinds.values():
                self.fields[f"{side.value}_n_{kind.id}"] = self._number_field(side, kind)
        self._set("attacker", [("", _("A die decides")), *((s.value, SIDE_TITLES[s]) for s in SIDES)])
        self.fields["attacker"].help_text = format_html(
            "{} {}", gettext("The attacker moves first."), rule_link(DRESS[ruleset_id].points["attacker"], ruleset_id)
        )
        for parameter in self.ruleset.book.parameters.values():
            self.fields[f"p_{parameter.name}"] = parameter_field(parameter, ruleset_id)

    def _set(self, name: str, choices: Sequence[tuple[str, Any]], initial: str | None = None) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
        if initial is not None:
            field.initial = initial

    def _prepare_list(self, side: Side) -> None:
        field = self.fields[f"{side.value}_list"]
        field.widget = forms.Textarea(
            attrs={
                "rows": 6,
                "spellcheck": "false",
                "placeholder": gettext(DRESS[self.ruleset.id].lists.example),
            }
        )
        field.help_text = gettext(
            "Name; kind; changed values; traits. The last two may be left out. Kinds may be in English or Russian."
        )

    def _number_field(self, side: Side, kind: Any) -> forms.IntegerField:
        label = gettext("%(kind)s, %(side)s") % {"kind": capfirst(gettext(kind.title)), "side": SIDE_TITLES[side]}
        field = forms.IntegerField(label=label, required=False, min_value=0, max_value=MOST_UNITS)
        field.widget.attrs.update({"class": "num-in", "inputmode": "numeric"})
        return field

    # what the template asks for

    def side_fields(self) -> list[dict[str, Any]]:
        """The fields of each side."""
        return [
            {
                "side": side.value,
                "title": SIDE_TITLES[side],
                "name": self[f"{side.value}_name"],
                "colour": self[f"{side.value}_colour"],
                "list": self[f"{side.value}_list"],
                "errors": self.list_errors.get(side, ()),
            }
            for side in SIDES
        ]

    def number_rows(self) -> list[dict[str, Any]]:
        """The table of numbers: a row a kind, a cell a side."""
        return [
            {
                "kind": kind,
                "title": capfirst(gettext(kind.title)),
                "cells": [self[f"{s.value}_n_{kind.id}"] for s in SIDES],
            }
            for kind in self.ruleset.kinds.values()
        ]

    def parameter_fields(self) -> list[forms.BoundField]:
        """The fields of the book's parameters."""
        return [self[f"p_{name}"] for name in self.ruleset.book.parameters]

    def parameters_changed(self) -> bool:
        """Whether the parameters should be shown at once: one is in error or not as usual."""
        names = [f"p_{name}" for name in self.ruleset.book.parameters]
        return any(name in self.errors for name in names) if self.is_bound else any(n in self.initial for n in names)

    # what was understood

    def clean(self) -> dict[str, Any]:
        """The two sides must differ in name and colour; lists and numbers are read."""
        data = super().clean() or self.cleaned_data
        names = [clean_name(str(data.get(f"{s.value}_name", ""))).casefold() for s in SIDES]
        if names[0] and names[0] == names[1]:
            self.add_error("blue_name", _("Both sides have this name: they must differ."))
        colours = [data.get(f"{s.value}_colour") for s in SIDES]
        if colours[0] and colours[0] == colours[1]:
            self.add_error("blue_colour", _("Both sides have this colour: they must differ."))
        for side in SIDES:
            self._armies[side] = self._army(side, data)
        return data

    def _army(self, side: Side, data: Mapping[str, Any]) -> tuple[UnitSpec, ...]:
        field = f"{side.value}_list"
        numbers = {kind: data.get(f"{side.value}_n_{kind}") or 0 for kind in self.ruleset.kinds}
        text, total = data.get(field) or "", sum(numbers.values())
        if any(name in self.errors for name in (field, *(f"{side.value}_n_{kind}" for kind in numbers))):
            return ()
        if text.strip() and total:
            self.add_error(field, _("Give either numbers or a list for this side, not both."))
        elif text.strip():
            result = read_list(text, side, self.ruleset.id)
            if result.errors:
                self.list_errors[side] = result.errors
                self.add_error(field, self._rows_named(result.errors))
            elif not result.units:
                self.add_error(field, _("The list holds no unit."))
            return result.units
        elif total > MOST_UNITS:
            self.add_error(field, gettext("An army has at most %(most)s units.") % {"most": MOST_UNITS})
        elif not total:
            self.add_error(field, _("This side has no unit yet."))
        else:
            return from_numbers(numbers, side, self.ruleset.id)
        return ()

    def _rows_named(self, errors: Iterable[Any]) -> list[forms.ValidationError]:
        found = list(errors)
        count = len(found)
        first = ngettext(
            "%(count)s row cannot be taken, so nothing of the list was.",
            "%(count)s rows cannot be taken, so nothing of the list was.",
            count,
        ) % {"count": count}
        return [forms.ValidationError(text) for text in (first, *(str(error) for error in found[:20]))]

    def sides(self) -> dict[str, dict[str, str]]:
        """Names and colours as the battle keeps them."""
        data = self.cleaned_data
        return {s.value: {"name": data[f"{s.value}_name"], "colour": data[f"{s.value}_colour"]} for s in SIDES}

    def armies(self) -> dict[Side, tuple[UnitSpec, ...]]:
        """Both armies."""
        return dict(self._armies)

    def attacking_side(self) -> Side | None:
        """Who attacks first, or None where a die decides."""
        chosen = self.cleaned_data.get("attacker")
        return Side(chosen) if chosen else None

    def parameters(self) -> dict[str, ParameterValue]:
        """The parameters that are not as usual."""
        found: dict[str, ParameterValue] = {}
        for parameter in self.ruleset.book.parameters.values():
            value = self.cleaned_data.get(f"p_{parameter.name}")
            if value is not None and value != parameter.default:
                found[parameter.name] = value
        return found

    def reduction(self) -> tuple[int, int, int, int] | None:
        """Numbers brought and left, if the opening will cut the armies."""
        red, blue = (len(self._armies[side]) for side in SIDES)
        return DRESS[self.ruleset.id].reduction(self.ruleset.book, self.parameters(), red, blue)

    def initial_of(self, battle: Mapping[str, Any]) -> dict[str, Any]:
        """A battle's data as the form's fields."""
        initial: dict[str, Any] = {
            "name": battle["name"],
            "map": battle["map"],
            "attacker": battle.get("attacker") or "",
            "allow_spectators": battle.get("allow_spectators", True),
        }
        for side in SIDES:
            known = battle["sides"].get(side.value, {})
            colour = known.get("colour")
            initial[f"{side.value}_name"] = known.get("name", "")
            initial[f"{side.value}_colour"] = colour if colour in PALETTE else DEFAULTS[side]
            initial[f"{side.value}_list"] = as_text(battle["armies"].get(side.value, ()), self.ruleset.id)
        return initial | {f"p_{name}": value for name, value in battle.get("parameters", {}).items()}


# Rulings


def add_refusal(form: forms.Form, message: str, field: str | None) -> None:
    """Put a refusal under the field that it names, or above the form if it has no such field."""
    form.add_error(field if field in form.fields else None, message)


class RulingForm(forms.Form):
    """What every ruling has: an id of its own, so that a second press is not a second ruling, and a reason."""

    command_id = forms.UUIDField(widget=forms.HiddenInput)
    type = forms.CharField(widget=forms.HiddenInput)
    ruling = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["command_id"].initial = uuid.uuid4
        self.fields["type"].initial = self.ruling
        self.helper = bare_helper()

    def command(self) -> dict[str, Any]:
        """The ruling as the codec reads it."""
        return {"type": self.ruling, "reason": self.cleaned_data.get("reason", "")}


def edit_field(field: EditField) -> forms.Field:
    """The form's field for a field of a unit; what is left empty stays."""
    if field.kind == "choice":
        stays = ("", pgettext_lazy("a value that a ruling leaves alone", "stays"))
        return forms.ChoiceField(label=field.label, required=False, choices=[stays, *field.choices])
    if field.kind == "halves":
        return HalvesField(label=field.label, required=False, min_value=0, max_value=field.maximum)
    attributes = {"autocomplete": "off", "autocapitalize": "characters", "placeholder": field.hint}
    widget = forms.TextInput(attrs=attributes)
    return forms.CharField(label=field.label, required=False, max_length=int(field.maximum), widget=widget)


class EditUnitForm(RulingForm):
    """Set what the ruleset's dress offers of a unit; what is left empty stays."""

    ruling = "edit_unit"
    unit = forms.ChoiceField(label=_("Unit"))
    reason = ReasonField()

    def __init__(
        self,
        *args: Any,
        dress: Dress,
        units: Sequence[tuple[str, Sequence[tuple[str, str]]]] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        choice = self.fields["unit"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [("", _("Choose a unit")), *units]
        self.nothing = dress.edit_nothing
        self.changing = tuple(field.name for field in dress.edit_fields())
        self.fields |= {field.name: edit_field(field) for field in dress.edit_fields()}
        self.order_fields(["command_id", "type", "unit", *self.changing, "reason"])

    def change_fields(self) -> list[forms.BoundField]:
        """The fields of the unit, for the template."""
        return [self[name] for name in self.changing]

    def _given(self) -> dict[str, Any]:
        data = self.cleaned_data
        return {name: data[name] for name in self.changing if data.get(name) not in (None, "")}

    def clean(self) -> dict[str, Any]:
        """Something must change."""
        data = super().clean() or self.cleaned_data
        if not self._given() and not any(name in self.errors for name in self.changing):
            self.add_error(self.changing[0], self.nothing)
        return data

    def command(self) -> dict[str, Any]:
        """The edit as the codec reads it."""
        changes = {name: value.strip() if isinstance(value, str) else value for name, value in self._given().items()}
        return {**super().command(), "unit": self.cleaned_data["unit"], "changes": changes}


class RewindForm(RulingForm):
    """Take the battle back to before an entry of the log."""

    ruling = "rewind"
    to = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    confirmed = forms.BooleanField(widget=forms.HiddenInput, required=False)
    reason = ReasonField()

    def command(self) -> dict[str, Any]:
        """The rewind as the codec reads it."""
        data = self.cleaned_data
        return {**super().command(), "to": data["to"], "confirmed": bool(data["confirmed"])}


class AnswerForm(RulingForm):
    """Answer a question that waits for the moderator."""

    ruling = "answer"
    decision = forms.CharField(widget=forms.HiddenInput, max_length=40)
    choice = forms.ChoiceField(label=_("Your answer"), widget=forms.RadioSelect)
    reason = ReasonField()

    def __init__(self, *args: Any, choices: Sequence[tuple[str, Any]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["choice"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def command(self) -> dict[str, Any]:
        """The answer as the codec reads it."""
        data = self.cleaned_data
        return {**super().command(), "decision": data["decision"], "choice": data["choice"]}


class CloseForm(RulingForm):
    """End the battle with a winner, or without one."""

    ruling = "close_battle"
    winner = forms.ChoiceField(label=_("Result"), widget=forms.RadioSelect)
    reason = ReasonField()

    def __init__(self, *args: Any, sides: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["winner"]
        assert isinstance(field, forms.ChoiceField)
        names = sides or {}
        won = [(s.value, gettext("%(side)s wins") % {"side": names.get(s.value, s.value)}) for s in SIDES]
        field.choices = [*won, ("none", _("Nobody wins"))]

    def command(self) -> dict[str, Any]:
        """The end as the codec reads it."""
        winner = self.cleaned_data["winner"]
        return {**super().command(), "winner": None if winner == "none" else winner}


class ClockForm(RulingForm):
    """Stop the clock, let it go on, give more time, or the whole time again; the reason may be left out."""

    WHAT = ("stop_clock", "start_clock", "extend_clock", "restart_clock")
    type = forms.ChoiceField(  # type: ignore[assignment]
        choices=[(each, each) for each in WHAT], widget=forms.HiddenInput
    )
    seconds = forms.IntegerField(required=False, min_value=1, max_value=7 * 24 * 3600, widget=forms.HiddenInput)
    reason = ReasonField(required=False)

    def command(self) -> dict[str, Any]:
        """The ruling as the codec reads it."""
        data = self.cleaned_data
        command = {"type": data["type"], "reason": data.get("reason", "")}
        return command | ({"seconds": data.get("seconds") or 60} if data["type"] == "extend_clock" else {})


RULING_FORMS: Mapping[str, type[RulingForm]] = {
    form.ruling: form for form in (EditUnitForm, RewindForm, AnswerForm, CloseForm)
} | dict.fromkeys(ClockForm.WHAT, ClockForm)
