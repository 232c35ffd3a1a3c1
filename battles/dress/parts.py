"""What pages are cut from: plain data that a ruleset's dress fills and the frame shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import pgettext

from battles.geometry import Run
from rules.core.grid import Cell
from rules.registry import ruleset

Words = Mapping[str, Callable[[], str]]
FATES: Words = {
    "absent": lambda: pgettext("fate of a unit", "absent"),
    "destroyed": lambda: pgettext("fate of a unit", "destroyed"),
    "scattered": lambda: pgettext("fate of a unit", "scattered"),
    "withdrawn": lambda: pgettext("fate of a unit", "withdrawn"),
    "captured": lambda: pgettext("fate of a unit", "captured"),
}


def said(words: Words, key: str) -> str:
    """A key in words, or itself where it has none."""
    return words[key]() if key in words else key.replace("_", " ")


def words_of(*parts: str) -> str:
    """Parts of a description joined by commas."""
    return ", ".join(part for part in parts if part)


class Badge(NamedTuple):
    """A state shown at the upper left of a block."""

    tone: str
    symbol: str


class Token(NamedTuple):
    """A block on the board."""

    key: str
    side: str
    x: str
    y: str
    hp: str
    route: str
    fired: bool
    markup: SafeString

    @property
    def drawn(self) -> SafeString:
        """The block at its place."""
        return _drawn(self)


@lru_cache(maxsize=4096)
def _drawn(token: Token) -> SafeString:
    """A token's markup, made of nothing but the token: most units stand where they stood before the last order."""
    return mark_safe(render_to_string("battles/_token.svg", {"t": token}).strip())


class Chip(NamedTuple):
    """A unit in a roster or in the tray."""

    key: str
    name: str
    label: str
    markup: SafeString | None
    fate: str
    side: str
    own: bool

    @property
    def item(self) -> SafeString:
        """The unit in its roster."""
        return _roster_item(self, False)

    @property
    def chosen_item(self) -> SafeString:
        """The same while it is selected."""
        return _roster_item(self, True)


@lru_cache(maxsize=4096)
def _roster_item(chip: Chip, chosen: bool) -> SafeString:
    """A roster's line, made of nothing but its chip: most units are as they were before the last order."""
    context = {"chip": chip, "chosen": chosen, "symbols": static("umpire/symbols.svg")}
    return mark_safe(render_to_string("battles/_roster_item.html", context).strip())


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


class Desk(NamedTuple):
    """View, options and selection together, with what the ruleset's dress found for the selection."""

    view: Any
    options: Any
    ruleset_id: str
    selection: Selection
    unit: Any
    can: Any
    found: Any

    @property
    def own(self) -> bool:
        """Whether the selected unit is the viewer's."""
        return self.unit is not None and self.unit.side is self.view.side

    def label(self, cell: Cell) -> str:
        """A cell's name."""
        return ruleset(self.ruleset_id).grid.label(cell)


class Choice(NamedTuple):
    """Something that can be ordered from the list: its words, its link, and its figures."""

    text: str
    href: str
    figures: str = ""
    side: str = ""


class Figures(NamedTuple):
    """Figures on the board."""

    tone: str
    x: str
    y: str
    width: str
    text_x: str
    text_y: str
    text: str


class Box(NamedTuple):
    """A frame symbol around one or two cells."""

    symbol: str
    transform: str
    x: int
    width: int


class Marks(NamedTuple):
    """The user's own marks under and over the blocks."""

    reach: tuple[Run, ...]
    dots: tuple[tuple[int, int], ...]
    fire: tuple[Run, ...]
    fire_edge: str
    canister: tuple[Run, ...]
    selected: tuple[Box, ...]
    targets: tuple[tuple[int, int], ...]
    route: str
    head: str
    aim: str
    chips: tuple[Figures, ...]
    ghost: tuple[str, str, SafeString, str] | None
    turner: dict[str, Any] | None


class Free(NamedTuple):
    """What a cell without units offers: what its link selects, what it says, and what a tap sends at once."""

    to: str
    said: str
    post: str = ""


class Vocabulary(NamedTuple):
    """What a ruleset calls its own things, by their keys: how battles end, answers, throws, questions, orders, and
    the fields of a unit."""

    reasons: Words = {}
    choices: Words = {}
    purposes: Words = {}
    decisions: Words = {}
    orders: Words = {}
    fields: Words = {}


class EditField(NamedTuple):
    """A field of a unit that a ruling may set: `kind` is halves, text or choice."""

    name: str
    label: Any
    kind: str
    choices: Sequence[tuple[str, str]] = ()
    maximum: float = 0
    hint: str = ""


class Bounds(NamedTuple):
    """What a value of a unit may be: least, most, whether halves are allowed, and the kinds that have it."""

    least: float
    most: float
    halves: bool
    kinds: frozenset[str]


class Lists(NamedTuple):
    """What army lists may say: values with their bounds, traits with the kinds that may have them, and the words under
    which kinds, values and traits are known beside their ids; compared without case, `ё` and hyphens."""

    bounds: Mapping[str, Bounds]
    traits: Mapping[str, frozenset[str]]
    kind_words: Mapping[str, str]
    value_words: Mapping[str, str]
    trait_words: Mapping[str, str]
    value_titles: Words
    trait_titles: Words
    example: str
