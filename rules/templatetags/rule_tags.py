"""Words for what the engine says: links to rules, sentences of the log, refusals.

The engine hands over message ids and values; here they become text in the reader's language, as HTML or plain.
Values are what people typed: they are escaped, always.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Protocol

from django import template
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext, ngettext

from rules.core.rulebook import Refusal, Rule, Rulebook
from rules.core.text import Dice, Halves, Place, Sentence, SideRef, Term, UnitRef, gettext_noop
from rules.registry import RULESETS

register = template.Library()

PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]")
RULE_ID = re.compile(r"\b([A-Z]{1,2}-\d+(?:\.\d+)*)\b")
MISSING = "…"
FALLBACKS = {"unit": gettext_noop("the unit"), "target": gettext_noop("the target"), "cell": gettext_noop("the cell")}
# Why an order was not taken though no rule forbids it.
AT_THE_DOOR = {
    "stale": gettext_noop("The position had changed since the page was loaded."),
    "late": gettext_noop("The time was up when the order came."),
}
SIDES_OF_A_DIE = 6


class Refused(Protocol):
    """What an `IllegalCommand` carries."""

    @property
    def key(self) -> str:
        """The specification's key: `too_far`."""

    @property
    def rule(self) -> str:
        """The id of the rule that forbids it."""

    @property
    def figures(self) -> Mapping[str, Any]:
        """What fills the message."""


# Where a rule stands


def _home(rule_id: str, ruleset_id: str | None = None) -> tuple[str, Rule] | None:
    """The id of the ruleset whose page holds the rule, and the rule."""
    for name, ruleset in RULESETS.items():
        if ruleset_id in (None, "", name) and rule_id in ruleset.book.rules:
            return name, ruleset.book.rules[rule_id]
    return None


@register.simple_tag
def rule_link(rule_id: str, ruleset_id: str | None = None) -> SafeString:
    """Link a rule's id to its place in the book, with its title; an unknown id stays plain text."""
    return _rule_link(rule_id, ruleset_id, get_language())


@lru_cache(maxsize=4096)
def _rule_link(rule_id: str, ruleset_id: str | None, language: str | None) -> SafeString:
    """The link in the language that is active, which is named so that each language has its own."""
    home = _home(rule_id, ruleset_id)
    if home is None:
        return conditional_escape(rule_id)
    name, rule = home
    href = f"{reverse('rules:book', args=[name])}#{rule.id}"
    return format_html('<a class="rule" href="{}" title="{}">{}</a>', href, gettext(rule.title), rule.id)


@register.simple_tag
def rule_text(text: str, book: Rulebook) -> SafeString:
    """A rule's text on its page: one paragraph a line, rules and chapters that it names linked within the page."""
    anchors = {*book.rules, *(chapter.id for chapter in book.chapters)}

    def paragraph(line: str) -> SafeString:
        parts = RULE_ID.split(line)
        return format_html_join(
            "",
            "{}",
            (
                (format_html('<a href="#{}">{}</a>', part, part) if odd and part in anchors else part,)
                for odd, part in ((index % 2, part) for index, part in enumerate(parts))
            ),
        )

    return format_html_join("\n", "<p>{}</p>", ((paragraph(line),) for line in gettext(text).split("\n")))


# Values


def number(value: float) -> str:
    """A number as people read it: 3, 2½, ½, −1."""
    whole, half = divmod(abs(value) * 2, 2)
    if half not in (0, 1):
        return str(value).replace("-", "−")
    digits = str(int(whole)) if whole or not half else ""
    return f"{'−' if value < 0 else ''}{digits}{'½' if half else ''}"


def value_text(value: object) -> str:
    """One value of a sentence as plain text."""
    match value:
        case UnitRef(name=name) | SideRef(name=name):
            return name
        case Term(msgid=msgid):
            return gettext(msgid) if msgid else ""
        case Halves(value=amount):
            return number(amount)
        case Dice(faces=faces):
            return ", ".join(str(face) for face in faces)
        case Place(labels=labels, join=join):
            return (" → " if join == "route" else ", ").join(labels)
        case bool():
            return str(value)
        case int() | float():
            return number(value)
        case _:
            return str(value)


def _face(face: int, die: int) -> SafeString:
    if die != SIDES_OF_A_DIE or not 1 <= face <= SIDES_OF_A_DIE:
        return format_html('<span class="die-n">{}</span>', face)
    return format_html(
        '<svg class="die" viewBox="-10 -10 20 20" role="img" aria-label="{}">'
        '<use href="{}#d6-{}" x="-10" y="-10" width="20" height="20"/></svg>',
        gettext("die: %(face)s") % {"face": face},
        static("umpire/symbols.svg"),
        face,
    )


def value_html(value: object) -> SafeString:
    """One value of a sentence as HTML, escaped."""
    match value:
        case UnitRef(name=name, side=side) | SideRef(name=name, side=side):
            return format_html('<b class="tx-{}">{}</b>', side.value, name)
        case Dice(faces=faces, die=die):
            return format_html_join(" ", "{}", ((_face(face, die),) for face in faces))
        case _:
            return conditional_escape(value_text(value))


# Sentences


def _message(sentence: Sentence) -> str:
    if sentence.plural and sentence.count is not None:
        return ngettext(sentence.msgid, sentence.plural, sentence.count)
    return gettext(sentence.msgid) if sentence.msgid else ""


def _values(sentence: Sentence) -> Mapping[str, object]:
    return sentence.values if sentence.count is None else {"count": sentence.count, **sentence.values}


def _filled(message: str, values: Mapping[str, object], show: Callable[[object], str]) -> list[str]:
    """The message in pieces, each placeholder replaced; a value that is missing leaves a word or an ellipsis."""
    pieces: list[str] = []
    for index, part in enumerate(PLACEHOLDER.split(message)):
        if index % 2 == 0:
            pieces.append(part.replace("%%", "%"))
        elif part in values:
            pieces.append(show(values[part]))
        else:
            word = gettext(FALLBACKS[part]) if part in FALLBACKS else MISSING
            pieces.append(word if "".join(pieces) else capfirst(word))
    return pieces


def _filled_html(message: str, values: Mapping[str, object]) -> SafeString:
    return format_html_join("", "{}", ((piece,) for piece in _filled(message, values, value_html)))


@register.simple_tag(name="sentence")
def sentence_html(sentence: Sentence) -> SafeString:
    """What happened, as HTML, and the sums behind it."""
    told = _filled_html(_message(sentence), _values(sentence))
    sums = format_html_join(
        "", ' <span class="ll-sum">{}</span>', ((sentence_html(detail),) for detail in sentence.details)
    )
    return format_html("{}{}", told, sums)


@register.filter
def sentence_text(sentence: Sentence) -> str:
    """What happened, as plain text: for exports and for what a screen reader says."""
    told = "".join(_filled(_message(sentence), _values(sentence), value_text))
    return " ".join([told, *(f"({sentence_text(detail)})" for detail in sentence.details)])


# Refusals


def _refusal(refused: Refused, ruleset_id: str | None) -> tuple[str, str, str | None]:
    """The message, the rule's id and the ruleset of a refusal."""
    if refused.key in AT_THE_DOOR:
        return gettext(AT_THE_DOOR[refused.key]), "", ruleset_id
    home = _home(refused.rule, ruleset_id)
    name = ruleset_id or (home[0] if home else None)
    books = [ruleset.book for key, ruleset in RULESETS.items() if name in (None, key)]
    known: Refusal | None = next((b.refusals[refused.key] for b in books if refused.key in b.refusals), None)
    if known is None:
        return gettext("The rules do not allow this order."), refused.rule, name
    return gettext(known.text), refused.rule or known.rule, name


@register.simple_tag(name="refusal")
def refusal_html(refused: Refused, ruleset_id: str | None = None) -> SafeString:
    """Why an order was refused, with its figures and a link to the rule."""
    message, rule_id, name = _refusal(refused, ruleset_id)
    said = _filled_html(message, refused.figures)
    return format_html("{} {}", said, rule_link(rule_id, name)) if rule_id else said


@register.filter
def refusal_text(refused: Refused, ruleset_id: str | None = None) -> str:
    """Why an order was refused, as plain text, the rule's id in brackets."""
    message, rule_id, _ = _refusal(refused, ruleset_id)
    said = "".join(_filled(message, refused.figures, value_text))
    return f"{said} [{rule_id}]" if rule_id else said


@register.filter
def refusal_pattern(refusal: Refusal) -> str:
    """A refusal's message as the book lists it: without the figures of a case."""
    return "".join(_filled(gettext(refusal.text), {}, value_text))
