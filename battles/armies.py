"""Army lists as people write them: a table of numbers, or one unit a line.

    Palermo Cuirassiers; cuirassiers; melee=4, hp=6; steadfast

Name, kind, what differs from the kind's values, traits; kinds, values and traits in English or Russian. Every row that
makes no sense is named with its reason, and then nothing of the list is taken.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from accounts.text import clean_name
from battles.dress import DRESS
from battles.dress.parts import said
from rules.core.actors import Side
from rules.core.scenario import UnitSpec
from rules.registry import ruleset

MOST_UNITS = 120
LONGEST_NAME = 60
LONGEST_LIST = 20_000


class RowError(NamedTuple):
    """A row that cannot be taken: its number from 1, what it says, and why not."""

    row: int
    text: str
    reason: str

    def __str__(self) -> str:
        return _("Row %(row)s, “%(text)s”: %(reason)s") % self._asdict()


class ArmyList(NamedTuple):
    """What a list holds; `units` is empty if there is any error."""

    units: tuple[UnitSpec, ...]
    errors: tuple[RowError, ...]


_PAIR = re.compile(r"\s*([^=,;\d][^=,;]*?)\s*[=:]\s*(\d+(?:[.,]\d+)?½?|½)\s*(?:,|$)")


def _plain(word: str) -> str:
    return " ".join(re.sub(r"[_\-‐-―]", " ", clean_name(word).casefold().replace("ё", "е")).split())


def _find(word: str, ids: Iterable[str], words: Mapping[str, str]) -> str | None:
    plain = _plain(word)
    return {_plain(each): each for each in ids}.get(plain) or words.get(plain)


def find_kind(word: str, ruleset_id: str) -> Any:
    """The kind that a word of either language means; None if there is none."""
    kinds = ruleset(ruleset_id).kinds
    kind = _find(word, kinds, DRESS[ruleset_id].lists.kind_words)
    return kinds[kind] if kind else None


def value_words(field: str, ruleset_id: str) -> str:
    """A unit's value as people call it."""
    return said(DRESS[ruleset_id].lists.value_titles, field)


def trait_words(trait: str, ruleset_id: str) -> str:
    """A trait as people call it."""
    return said(DRESS[ruleset_id].lists.trait_titles, trait)


def new_key() -> str:
    """A unit's key: drawn at random, so that it tells neither order nor number."""
    return f"u{secrets.token_hex(4)}"


class _Bad(Exception):
    """Why a row cannot be taken."""


def read_list(
    text: str, side: Side, ruleset_id: str, *, most: int = MOST_UNITS, key: Callable[[], str] = new_key
) -> ArmyList:
    """The army that a pasted list describes; empty lines and lines that begin with `#` count for nothing."""
    units: list[UnitSpec] = []
    errors: list[RowError] = []
    names: dict[str, int] = {}
    for row, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if len(units) + len(errors) >= most:
            errors.append(RowError(row, _shown(line), _("an army has at most %(most)s units") % {"most": most}))
            break
        try:
            unit = _unit(line, side, ruleset_id, key)
            known = names.setdefault(unit.name.casefold(), row)
            if known != row:
                raise _Bad(_("row %(row)s has this name already") % {"row": known})
            units.append(unit)
        except _Bad as reason:
            errors.append(RowError(row, _shown(line), str(reason)))
    return ArmyList(() if errors else tuple(units), tuple(errors))


def _shown(line: str) -> str:
    shown = clean_name(line)
    return shown if len(shown) <= 48 else shown[:47] + "…"


def _unit(line: str, side: Side, ruleset_id: str, key: Callable[[], str]) -> UnitSpec:
    parts = [part.strip() for part in line.split("\t" if ";" not in line else ";")]
    if len(parts) > 4 and not any(parts[4:]):
        parts = parts[:4]
    if len(parts) < 2 or len(parts) > 4:
        raise _Bad(_("name; kind; changed values; traits are wanted, the last two may be left out"))
    raw_name, raw_kind, raw_values, raw_traits = (*parts, "", "")[:4]
    name = clean_name(raw_name)
    if not name:
        raise _Bad(_("the unit has no name"))
    if len(name) > LONGEST_NAME:
        raise _Bad(_("the name has more than %(most)s characters") % {"most": LONGEST_NAME})
    kind = find_kind(raw_kind, ruleset_id)
    if kind is None:
        kinds = ", ".join(_(each.title) for each in ruleset(ruleset_id).kinds.values())
        words = {"word": _shown(raw_kind), "kinds": kinds}
        raise _Bad(_("there is no kind “%(word)s”; the kinds are %(kinds)s") % words)
    if "=" not in raw_values and raw_values and not raw_traits and _traits_or_none(raw_values, kind, ruleset_id):
        raw_values, raw_traits = "", raw_values
    overrides, traits = _values(raw_values, kind, ruleset_id), _traits(raw_traits, kind, ruleset_id)
    if reason := DRESS[ruleset_id].flaw(kind, overrides):
        raise _Bad(reason)
    return UnitSpec(key=key(), side=side, kind=kind.id, name=name, overrides=overrides, traits=traits)


def _number(word: str) -> float:
    if word == "½":
        return 0.5
    whole = word.removesuffix("½")
    return float(whole.replace(",", ".")) + (0.5 if whole != word else 0)


def _shown_number(value: float) -> str:
    return f"{value:g}"


def _values(text: str, kind: Any, ruleset_id: str) -> dict[str, float]:
    lists = DRESS[ruleset_id].lists
    overrides: dict[str, float] = {}
    position = 0
    text = text.strip().rstrip(",")
    while position < len(text):
        pair = _PAIR.match(text, position)
        if pair is None:
            raise _Bad(_("“%(text)s” is not a value like melee=4") % {"text": _shown(text[position:])})
        position = pair.end()
        field = _find(pair[1], lists.bounds, lists.value_words)
        if field is None:
            raise _Bad(_("there is no value “%(word)s”") % {"word": _shown(pair[1])})
        if field in overrides:
            raise _Bad(_("%(field)s is given twice") % {"field": value_words(field, ruleset_id)})
        bounds, value = lists.bounds[field], _number(pair[2])
        if kind.id not in bounds.kinds:
            raise _Bad(
                _("%(kind)s has no value %(field)s") % {"kind": _(kind.title), "field": value_words(field, ruleset_id)}
            )
        if not bounds.least <= value <= bounds.most:
            least, most = _shown_number(bounds.least), _shown_number(bounds.most)
            words = {"field": value_words(field, ruleset_id), "least": least, "most": most}
            raise _Bad(_("%(field)s must lie between %(least)s and %(most)s") % words)
        if value * (2 if bounds.halves else 1) % 1:
            raise _Bad(
                _("%(field)s goes by halves") % {"field": value_words(field, ruleset_id)}
                if bounds.halves
                else _("%(field)s is a whole number") % {"field": value_words(field, ruleset_id)}
            )
        overrides[field] = value
    return overrides


def _traits_or_none(text: str, kind: Any, ruleset_id: str) -> frozenset[str] | None:
    try:
        return _traits(text, kind, ruleset_id)
    except _Bad:
        return None


def _traits(text: str, kind: Any, ruleset_id: str) -> frozenset[str]:
    lists = DRESS[ruleset_id].lists
    traits: set[str] = set()
    for word in filter(None, (part.strip() for part in re.split(r"[,|+]", text))):
        trait = _find(word, lists.traits, lists.trait_words)
        if trait is None:
            words = {
                "word": _shown(word),
                "traits": ", ".join(trait_words(each, ruleset_id) for each in lists.traits),
            }
            raise _Bad(_("there is no trait “%(word)s”; the traits are %(traits)s") % words)
        if kind.id not in lists.traits[trait]:
            raise _Bad(
                _("the trait %(trait)s means nothing for %(kind)s")
                % {"trait": trait_words(trait, ruleset_id), "kind": _(kind.title)}
            )
        traits.add(trait)
    return frozenset(traits)


def from_numbers(
    numbers: Mapping[str, int], side: Side, ruleset_id: str, *, key: Callable[[], str] = new_key
) -> tuple[UnitSpec, ...]:
    """An army of so many units of each kind, named by kind and number."""
    return tuple(
        UnitSpec(
            key=key(),
            side=side,
            kind=kind.id,
            name=f"{capfirst(_(kind.title))} {i}" if number > 1 else capfirst(_(kind.title)),
        )
        for kind, number in ((kind, numbers.get(kind.id, 0)) for kind in ruleset(ruleset_id).kinds.values())
        for i in range(1, number + 1)
    )


def _field(spec: UnitSpec | Mapping[str, Any], name: str) -> Any:
    return spec.get(name) if isinstance(spec, Mapping) else getattr(spec, name)


def as_text(units: Sequence[UnitSpec | Mapping[str, Any]], ruleset_id: str) -> str:
    """An army as a list that `read_list` takes back, in the words of the page's language."""
    lines, kinds = [], ruleset(ruleset_id).kinds
    for unit in units:
        overrides, kind = _field(unit, "overrides") or {}, str(_field(unit, "kind"))
        values = ", ".join(f"{value_words(k, ruleset_id)}={_shown_number(v)}" for k, v in sorted(overrides.items()))
        traits = ", ".join(trait_words(trait, ruleset_id) for trait in sorted(_field(unit, "traits") or ()))
        title = _(kinds[kind].title) if kind in kinds else kind
        parts = [str(_field(unit, "name")).replace(";", ","), title, values, traits]
        while not parts[-1]:
            parts.pop()
        lines.append("; ".join(parts))
    return "\n".join(lines)
