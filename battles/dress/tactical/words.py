"""What the tactical book's own things are called on the pages: ends, questions, answers, throws, orders."""

from __future__ import annotations

from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from battles.dress.parts import Words, said
from rules.templatetags.rule_tags import number

REASONS: Words = {
    "turn_limit": lambda: _("the turn limit is reached"),
    "early_rout": lambda: _("the enemy broke early"),
    "agreed": lambda: _("a draw by agreement"),
    "retreat": lambda: _("the enemy has retreated"),
    "field_held": lambda: _("no enemy is left on the field"),
    "nobody_left": lambda: _("no unit is left on the field"),
    "both_retreat": lambda: _("both armies have retreated"),
    "nobody_deployed": lambda: _("nobody was deployed"),
    "stalemate": lambda: _("a dead end"),
}


CHOICES: Words = {
    "ride": lambda: _("Ride out"),
    "stand": lambda: _("Stand"),
    "accept": lambda: pgettext("answer", "Accept"),
    "decline": lambda: pgettext("answer", "Decline"),
}
PURPOSES: Words = {
    "roundshot": lambda: _("roundshot"),
    "rout": lambda: _("who scatters in the rout"),
    "reduction": lambda: _("which units stay"),
}
DECISIONS: Words = {
    "overwhelm": lambda: _("overwhelmed: 0 or ½?"),
    "nobody_deployed": lambda: _("nobody deployed"),
    "caught_in_retreat": lambda: _("caught in retreat"),
    "early_rout": lambda: _("early rout"),
    "stalemate": lambda: _("dead end"),
    "charge": lambda: _("a charge waits for its answer"),
    "draw_offer": lambda: _("a draw is offered"),
}
ORDERS: Words = {
    "move": lambda: pgettext("order", "march"),
    "attack": lambda: pgettext("order", "attack"),
    "form": lambda: pgettext("order", "change formation"),
    "wheel": lambda: pgettext("order", "wheel"),
    "face": lambda: pgettext("order", "turn"),
    "fire": lambda: pgettext("order", "fire"),
    "stance": lambda: pgettext("order", "stance"),
    "end_turn": lambda: pgettext("order", "end the turn"),
    "end_pursuit": lambda: pgettext("order", "end the pursuit"),
    "retreat": lambda: pgettext("order", "general retreat"),
    "leave": lambda: pgettext("order", "leave the map"),
    "offer_draw": lambda: pgettext("order", "offer a draw"),
}


def question(view: Any, decision: Any) -> SafeString:
    """What a player is asked."""
    units = _about(view, decision)

    def name(unit: Any) -> SafeString:
        return format_html('<b class="tx-{}">{}</b>', unit.side.value, unit.name)

    if decision.kind == "charge" and len(units) > 1:
        first, second = units[0], units[1]
        return format_html(
            _("{charger} charges {target}. Ride out to meet the charge?"), charger=name(first), target=name(second)
        )
    if decision.kind == "draw_offer":
        side = decision.owed_by.side
        offerer = view.names[side.enemy.value] if side else ""
        return format_html(_("{side} offers a draw."), side=offerer)
    words = {
        "nobody_deployed": _("A side has placed nobody."),
        "overwhelm": _("A unit was overwhelmed: what it cost the stronger one is the moderator's to say."),
        "caught_in_retreat": _("Units were caught in melee when their army retreated."),
        "stalemate": _("The battle has come to a dead end."),
        "early_rout": _("An army would break now."),
    }
    return format_html("{}", words.get(decision.kind, capfirst(decision.kind.replace("_", " "))))


def ruling_wanted(view: Any, decision: Any) -> SafeString:
    """What the moderator is asked, with the names of those whom it is about."""
    names = [format_html('<b class="tx-{}">{}</b>', u.side.value, u.name) for u in _about(view, decision)]
    if decision.kind == "overwhelm" and len(names) > 1:
        text = _("{winner} overwhelmed {loser}. What does the stronger unit lose?")
        return format_html(text, winner=names[0], loser=names[1])
    if decision.kind == "caught_in_retreat" and names:
        return format_html(_("{unit} is in melee while its army leaves the field. What becomes of it?"), unit=names[0])
    if decision.kind == "early_rout" and decision.about and decision.about[0] in view.names:
        side = format_html('<b class="tx-{}">{}</b>', decision.about[0], view.names[decision.about[0]])
        return format_html(_("{side} has lost half of its army and would break now."), side=side)
    texts = {
        "nobody_deployed": _("The time is up, and a side has no unit on the field."),
        "stalemate": _("The battle has come to a dead end. Shall it go on, and if not, who wins?"),
        "overwhelm": _("A unit was overwhelmed. What does the stronger one lose?"),
    }
    return format_html("{}", texts.get(decision.kind, capfirst(said(DECISIONS, decision.kind))))


def _about(view: Any, decision: Any) -> list[Any]:
    return [unit for key in decision.about if (unit := view.find(key)) is not None]


def choice_words(view: Any, decision: Any, choice: str) -> str:
    """An answer in words."""
    if decision.kind == "overwhelm":
        loss = float(choice)
        return _("%(loss)s HP") % {"loss": number(loss)} if loss else _("Nothing")
    if choice in view.names:
        return _("%(side)s wins") % {"side": view.names[choice]}
    words = {
        "restart": _("Deploy again, with the whole time"),
        "go_on": _("Go on"),
        "close": _("End the battle without a winner"),
        "captured": _("Captured"),
        "scattered": _("Scattered"),
        "withdrawn": _("Withdrawn"),
        "rout": _("The army breaks"),
        "fight_on": _("It fights on"),
        "draw": _("A draw"),
    }
    if decision.kind == "nobody_deployed" and choice == "go_on":
        return _("Go on with those who are there")
    return words.get(choice, capfirst(choice.replace("_", " ")))
