"""What the user has selected, and what it means among his options.

The selection is the query of the page (`?unit=..&to=C5`): it works without script, in the history, in two tabs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from rules.core.actors import Side
from rules.core.grid import Cell
from rules.registry import ruleset

FIELDS = ("unit", "to", "target", "do", "facing", "formation")


class Selection(NamedTuple):
    """What the user has chosen so far; empty texts where nothing is."""

    unit: str = ""
    to: str = ""
    target: str = ""
    do: str = ""
    facing: str = ""
    formation: str = ""

    def query(self, **changes: str) -> str:
        """The selection with changes as a query, `?` if nothing is chosen."""
        chosen = self._replace(**changes)._asdict()
        return "?" + urlencode({key: value for key, value in chosen.items() if value})


def read_selection(view: Any, data: Mapping[str, str]) -> Selection:
    """The selection of a query; what makes no sense any more is forgotten."""
    given = Selection(**{field: str(data.get(field, ""))[:40] for field in FIELDS})
    unit = view.find(given.unit) if given.unit else None
    if unit is None or unit.fate is not None:
        return Selection(do=given.do)
    target = view.find(given.target) if given.target else None
    return given._replace(target=given.target if target is not None and target.fate is None else "")


def covered(unit: Any, at: Cell) -> tuple[Cell, ...]:
    """The cells a unit would stand on with its position at `at`, drawn up and facing as it is."""
    if unit.at is None:
        return (at,)
    return tuple(Cell(at.x + c.x - unit.at.x, at.y + c.y - unit.at.y) for c in unit.cells)


class Desk(NamedTuple):
    """View, options and selection together, with what was found for the selection."""

    view: Any
    options: Any
    ruleset_id: str
    selection: Selection
    unit: Any
    can: Any
    march: Any
    attack: Any
    fire: Any
    place: Any

    @property
    def own(self) -> bool:
        """Whether the selected unit is the viewer's."""
        return self.unit is not None and self.unit.side is self.view.side

    def label(self, cell: Cell) -> str:
        """A cell's name."""
        return ruleset(self.ruleset_id).grid.label(cell)


def desk(view: Any, options: Any, ruleset_id: str, selection: Selection) -> Desk:
    """Find what the selection means among the options."""
    unit = view.find(selection.unit) if selection.unit else None
    own = unit is not None and unit.side is view.side and options is not None
    can = options.of(unit.key) if unit is not None and own else None
    at = _cell(ruleset_id, selection.to)
    march = attack = fire = place = None
    if can is not None and view.phase.name == "deployment":
        place = _placing(view, can, unit, selection, at)
    elif can is not None:
        if selection.target:
            attacks = [a for a in can.attacks if a.target == selection.target]
            attack = next((a for a in attacks if at is None or a.origin == at), attacks[0] if attacks else None)
            fire = next((f for f in can.fires if f.target == selection.target), None)
            if selection.do == "fire" and fire is not None:
                attack = None
            elif attack is not None:
                fire = None
        elif at is not None:
            march = next((m for m in can.moves if m.at == at), None) or next(
                (m for m in can.moves if at in covered(unit, m.at)), None
            )
    return Desk(view, options, ruleset_id, selection, unit, can, march, attack, fire, place)


def _cell(ruleset_id: str, text: str) -> Cell | None:
    try:
        return ruleset(ruleset_id).grid.parse(text) if text else None
    except ValueError:
        return None


class Placing(NamedTuple):
    """A unit about to be placed: how it is drawn up and faces, where it may stand, and where it is going."""

    formation: str
    facing: int
    spots: tuple[Cell, ...]
    going: Cell | None
    formations: tuple[tuple[str, str, bool], ...]
    facings: tuple[tuple[str, int], ...]


def _placing(view: Any, can: Any, unit: Any, selection: Selection, at: Cell | None) -> Placing:
    formations = {o.formation.value for o in can.places}
    home = next((o.facing for o in can.places), 0)
    formation = selection.formation or unit.formation.value
    if formation not in formations and formations:
        formation = unit.formation.value if unit.formation.value in formations else sorted(formations)[0]
    names = "NESW"
    facing = names.index(selection.facing) if selection.facing in names and selection.facing else unit.facing
    if facing is None:
        facing = default_facing(view, unit.side) if view.strip(unit.side) else home
    spots = tuple(o.at for o in can.places if o.formation.value == formation and o.facing == facing)
    spots = spots or tuple({o.at: None for o in can.places if o.formation.value == formation})
    every = ("column", "line", "square") if unit.has_formations else ("open", "column", "line", "square")
    return Placing(
        formation=formation,
        facing=facing,
        spots=spots,
        going=at if at in spots else None,
        formations=tuple((f, formation_words(f), f in formations or f == unit.formation.value) for f in every),
        facings=tuple((names[i], i) for i in range(4)),
    )


def default_facing(view: Any, side: Side) -> int:
    """Away from a side's home edge."""
    strip, board = view.strip(side), view.board
    edges = (
        sum(c.y == 0 for c in strip),
        sum(c.x == board.width - 1 for c in strip),
        sum(c.y == board.height - 1 for c in strip),
        sum(c.x == 0 for c in strip),
    )
    return (max(range(4), key=lambda d: edges[d]) + 2) % 4


def formation_words(formation: str) -> str:
    """A formation as a word."""
    return {"open": pgettext("formation", "open"), "column": _("column"), "line": _("line"), "square": _("square")}[
        formation
    ]


def facing_letter(facing: int) -> str:
    """N, E, S, W in the reader's language."""
    return (_("N"), _("E"), _("S"), _("W"))[facing]
