"""The fields of a tactical unit that a ruling may set from the desk."""

from __future__ import annotations

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from battles.dress.parts import EditField, Words
from rules.tactical.units import FACINGS, FORMATION_TITLES

FACING_WORDS: Words = {
    "N": lambda: pgettext("facing", "north"),
    "E": lambda: pgettext("facing", "east"),
    "S": lambda: pgettext("facing", "south"),
    "W": lambda: pgettext("facing", "west"),
}
FIELDS: Words = {"hp": lambda: _("HP"), "formation": lambda: _("Formation")}
NOTHING = gettext_lazy("Give hit points, a cell, a facing or a formation: nothing would change.")


def edit_fields() -> tuple[EditField, ...]:
    """Hit points, place, facing and formation."""
    facings = [(facing, capfirst(FACING_WORDS[facing]())) for facing in FACINGS]
    formations = [(formation.value, capfirst(_(title))) for formation, title in FORMATION_TITLES.items()]
    return (
        EditField("hp", _("HP"), "halves", maximum=100),
        EditField("at", _("Cell"), "text", maximum=6, hint="C6"),
        EditField("facing", _("Facing"), "choice", facings),
        EditField("formation", _("Formation"), "choice", formations),
    )
