"""The rulebooks as pages that everyone may read, and how to check a die."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from rules.core.rulebook import Mark, Parameter, Rule, Rulebook
from rules.registry import RULESETS
from rules.templatetags.rule_tags import number

CHECK_A_DIE = files("rules.core").joinpath("check_a_die.txt").read_text(encoding="utf-8")

MARKS = {
    Mark.STATED: (_("stated"), _("The book says it.")),
    Mark.DEDUCED: (_("deduced"), _("It follows from what the book says.")),
    Mark.FOUND: (_("found"), _("It is taken from another public text.")),
    Mark.HOUSE: (_("house rule"), _("The book is silent or unclear here; this is our completion.")),
}


class MarkLabel(NamedTuple):
    """A mark as a small label."""

    id: str
    title: str
    meaning: str


class ParameterLine(NamedTuple):
    """A parameter as the page shows it: with its usual value and what else it may be."""

    name: str
    title: str
    rule: str
    default: str
    bounds: str


class RuleArticle(NamedTuple):
    """A rule with its labels and parameters."""

    rule: Rule
    marks: tuple[MarkLabel, ...]
    parameters: tuple[ParameterLine, ...]


class Section(NamedTuple):
    """A chapter with its rules."""

    id: str
    title: str
    articles: tuple[RuleArticle, ...]


def mark_label(mark: Mark) -> MarkLabel:
    """A mark's label in the reader's language."""
    title, meaning = MARKS[mark]
    return MarkLabel(mark.value, str(title), str(meaning))


def parameter_line(parameter: Parameter) -> ParameterLine:
    """A parameter in the reader's language."""
    choices = {value: gettext(title) for value, title in parameter.choices}
    match parameter.kind:
        case "flag":
            default, bounds = (gettext("yes") if parameter.default else gettext("no")), gettext("yes or no")
        case "choice":
            default, bounds = choices[str(parameter.default)], ", ".join(choices.values())
        case _:
            default = number(float(parameter.default))
            bounds = gettext("from %(least)s to %(most)s") % {
                "least": number(parameter.minimum),
                "most": number(parameter.maximum),
            }
    return ParameterLine(parameter.name, gettext(parameter.title), parameter.rule, default, bounds)


def sections(book: Rulebook) -> Iterator[Section]:
    """The book's chapters in order, and at the end the rules that all books share."""
    own = {chapter.id for chapter in book.chapters}
    articles = [
        RuleArticle(
            rule,
            tuple(mark_label(mark) for mark in rule.marks),
            tuple(parameter_line(book.parameters[name]) for name in rule.parameters),
        )
        for rule in book.rules.values()
    ]
    for chapter in book.chapters:
        its = tuple(article for article in articles if article.rule.chapter == chapter.id)
        yield Section(chapter.id, gettext(chapter.title), its)
    shared = tuple(article for article in articles if article.rule.chapter not in own)
    yield Section("G", gettext("In every battle"), shared)


@login_not_required
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All rulebooks."""
    books = [(ruleset, len(ruleset.book.rules)) for ruleset in RULESETS.values()]
    return render(request, "rules/index.html", {"books": books})


@login_not_required
@require_safe
def book(request: HttpRequest, ruleset_id: str) -> HttpResponse:
    """One rulebook, whole, with an anchor for every rule."""
    ruleset = RULESETS.get(ruleset_id)
    if ruleset is None:
        raise Http404(ruleset_id)
    context = {
        "ruleset": ruleset,
        "book": ruleset.book,
        "sections": list(sections(ruleset.book)),
        "marks": [mark_label(mark) for mark in Mark if any(mark in r.marks for r in ruleset.book.rules.values())],
        "parameters": [parameter_line(parameter) for parameter in ruleset.book.parameters.values()],
        "refusals": list(ruleset.book.refusals.values()),
    }
    return render(request, "rules/book.html", context)


@login_not_required
@require_safe
def dice(request: HttpRequest) -> HttpResponse:
    """How a sceptical player checks a die."""
    return render(request, "rules/dice.html", {"program": CHECK_A_DIE})


@login_not_required
@require_safe
def dice_program(request: HttpRequest) -> HttpResponse:
    """The same lines as a file to keep."""
    response = HttpResponse(CHECK_A_DIE, content_type="text/x-python; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="check_a_die.py"'
    return response
