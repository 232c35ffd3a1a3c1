"""Army lists as people write them: a table of numbers, or one unit a line.

    Palermo Cuirassiers; cuirassiers; melee=4, hp=6; steadfast

Name, kind, what differs from the kind's values, traits; kinds, values and traits in English or Russian. Every row that
makes no sense is named with its reason, and then nothing of the list is taken.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.text import clean_name
from rules.core.actors import Side
from rules.core.scenario import UnitSpec
from rules.tactical.units import KINDS, TRAITS, Arm, Kind

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


class Bounds(NamedTuple):
    """What a value may be: least, most, whether halves are allowed, and the arms that have it."""

    least: float
    most: float
    halves: bool
    arms: frozenset[Arm]


_FOOT_AND_HORSE = frozenset({Arm.INFANTRY, Arm.CAVALRY})
_WITH_FIREARMS = frozenset({Arm.INFANTRY, Arm.ARTILLERY})
BOUNDS: Mapping[str, Bounds] = MappingProxyType(
    {
        "firepower": Bounds(0, 20, True, _WITH_FIREARMS),
        "range": Bounds(1, 20, False, _WITH_FIREARMS),
        "melee": Bounds(0, 20, False, _FOOT_AND_HORSE),
        "onslaught": Bounds(0, 20, False, frozenset({Arm.CAVALRY})),
        "speed": Bounds(1, 12, False, frozenset(Arm)),
        "hp": Bounds(1, 100, True, frozenset(Arm)),
        "scatters_at": Bounds(0, 99, True, _FOOT_AND_HORSE),
    }
)
TRAITS_OF: Mapping[str, frozenset[Arm]] = MappingProxyType(
    {"long_range": frozenset({Arm.INFANTRY}), "marsh": frozenset(Arm), "steadfast": _FOOT_AND_HORSE}
)

# Words under which kinds, values and traits are known, beside their ids; compared without case, `ё` and hyphens.
KIND_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "heavy": "heavy_infantry",
        "line infantry": "heavy_infantry",
        "infantry": "heavy_infantry",
        "тяжелая пехота": "heavy_infantry",
        "линейная пехота": "heavy_infantry",
        "пехота": "heavy_infantry",
        "light": "light_infantry",
        "легкая пехота": "light_infantry",
        "егеря": "light_infantry",
        "стрелки": "light_infantry",
        "cuirassier": "cuirassiers",
        "heavy cavalry": "cuirassiers",
        "кирасиры": "cuirassiers",
        "тяжелая кавалерия": "cuirassiers",
        "тяжелая конница": "cuirassiers",
        "hussars": "light_cavalry",
        "lancers": "light_cavalry",
        "легкая кавалерия": "light_cavalry",
        "легкая конница": "light_cavalry",
        "гусары": "light_cavalry",
        "уланы": "light_cavalry",
        "artillery": "foot_artillery",
        "foot guns": "foot_artillery",
        "пешая артиллерия": "foot_artillery",
        "артиллерия": "foot_artillery",
        "horse guns": "horse_artillery",
        "конная артиллерия": "horse_artillery",
    }
)
VALUE_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "огневая мощь": "firepower",
        "мощь": "firepower",
        "огонь": "firepower",
        "дальность": "range",
        "ближний бой": "melee",
        "бой": "melee",
        "натиск": "onslaught",
        "скорость": "speed",
        "хп": "hp",
        "хиты": "hp",
        "здоровье": "hp",
        "hit points": "hp",
        "scatters": "scatters_at",
        "рассеивается": "scatters_at",
        "рассеивается при": "scatters_at",
        "порог": "scatters_at",
    }
)
TRAIT_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "дальнобойный": "long_range",
        "дальнобойность": "long_range",
        "дальний огонь": "long_range",
        "болото": "marsh",
        "болотный": "marsh",
        "стойкий": "steadfast",
        "стойкость": "steadfast",
    }
)

_PAIR = re.compile(r"\s*([^=,;\d][^=,;]*?)\s*[=:]\s*(\d+(?:[.,]\d+)?½?|½)\s*(?:,|$)")


def _plain(word: str) -> str:
    return " ".join(re.sub(r"[_\-‐-―]", " ", clean_name(word).casefold().replace("ё", "е")).split())


def _find(word: str, ids: Iterable[str], words: Mapping[str, str]) -> str | None:
    plain = _plain(word)
    return {_plain(each): each for each in ids}.get(plain) or words.get(plain)


def find_kind(word: str) -> Kind | None:
    """The kind that a word of either language means."""
    kind = _find(word, KINDS, KIND_WORDS)
    return KINDS[kind] if kind else None


def new_key() -> str:
    """A unit's key: drawn at random, so that it tells neither order nor number."""
    return f"u{secrets.token_hex(4)}"


def value_words(field: str) -> str:
    """A unit's value as people call it."""
    words = {
        "firepower": pgettext("value", "firepower"),
        "range": pgettext("value", "range"),
        "melee": pgettext("value", "melee"),
        "onslaught": pgettext("value", "onslaught"),
        "speed": pgettext("value", "speed"),
        "hp": pgettext("value", "HP"),
        "scatters_at": pgettext("value", "scatters at"),
    }
    return words.get(field, field)


def trait_words(trait: str) -> str:
    """A trait as people call it."""
    words = {
        "long_range": pgettext("trait", "long range"),
        "marsh": pgettext("trait", "marsh"),
        "steadfast": pgettext("trait", "steadfast"),
    }
    return words.get(trait, trait)


class _Bad(Exception):
    """Why a row cannot be taken."""


def read_list(text: str, side: Side, *, most: int = MOST_UNITS, key: Callable[[], str] = new_key) -> ArmyList:
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
            unit = _unit(line, side, key)
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


def _unit(line: str, side: Side, key: Callable[[], str]) -> UnitSpec:
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
    kind = find_kind(raw_kind)
    if kind is None:
        raise _Bad(_("there is no kind “%(word)s”; the kinds are %(kinds)s") % {
            "word": _shown(raw_kind), "kinds": ", ".join(_(each.title) for each in KINDS.values())})  # fmt: skip
    if "=" not in raw_values and raw_values and not raw_traits and _traits_or_none(raw_values, kind):
        raw_values, raw_traits = "", raw_values
    overrides, traits = _values(raw_values, kind), _traits(raw_traits, kind)
    _check_threshold(kind, overrides)
    return UnitSpec(key=key(), side=side, kind=kind.id, name=name, overrides=overrides, traits=traits)


def _number(word: str) -> float:
    if word == "½":
        return 0.5
    whole = word.removesuffix("½")
    return float(whole.replace(",", ".")) + (0.5 if whole != word else 0)


def _shown_number(value: float) -> str:
    return f"{value:g}"


def _values(text: str, kind: Kind) -> dict[str, float]:
    overrides: dict[str, float] = {}
    position = 0
    text = text.strip().rstrip(",")
    while position < len(text):
        pair = _PAIR.match(text, position)
        if pair is None:
            raise _Bad(_("“%(text)s” is not a value like melee=4") % {"text": _shown(text[position:])})
        position = pair.end()
        field = _find(pair[1], BOUNDS, VALUE_WORDS)
        if field is None:
            raise _Bad(_("there is no value “%(word)s”") % {"word": _shown(pair[1])})
        if field in overrides:
            raise _Bad(_("%(field)s is given twice") % {"field": value_words(field)})
        bounds, value = BOUNDS[field], _number(pair[2])
        if kind.arm not in bounds.arms:
            raise _Bad(_("%(kind)s has no value %(field)s") % {"kind": _(kind.title), "field": value_words(field)})
        if not bounds.least <= value <= bounds.most:
            least, most = _shown_number(bounds.least), _shown_number(bounds.most)
            words = {"field": value_words(field), "least": least, "most": most}
            raise _Bad(_("%(field)s must lie between %(least)s and %(most)s") % words)
        if value * (2 if bounds.halves else 1) % 1:
            raise _Bad(
                _("%(field)s goes by halves") % {"field": value_words(field)}
                if bounds.halves
                else _("%(field)s is a whole number") % {"field": value_words(field)}
            )
        overrides[field] = value
    return overrides


def _traits_or_none(text: str, kind: Kind) -> frozenset[str] | None:
    try:
        return _traits(text, kind)
    except _Bad:
        return None


def _traits(text: str, kind: Kind) -> frozenset[str]:
    traits: set[str] = set()
    for word in filter(None, (part.strip() for part in re.split(r"[,|+]", text))):
        trait = _find(word, TRAITS, TRAIT_WORDS)
        if trait is None:
            raise _Bad(_("there is no trait “%(word)s”; the traits are %(traits)s") % {
                "word": _shown(word), "traits": ", ".join(trait_words(each) for each in TRAITS)})  # fmt: skip
        if kind.arm not in TRAITS_OF[trait]:
            raise _Bad(
                _("the trait %(trait)s means nothing for %(kind)s")
                % {"trait": trait_words(trait), "kind": _(kind.title)}
            )
        traits.add(trait)
    return frozenset(traits)


def _check_threshold(kind: Kind, overrides: Mapping[str, float]) -> None:
    threshold = overrides.get("scatters_at", kind.scatters_at)
    if threshold is not None and overrides.get("hp", kind.hp) <= threshold:
        raise _Bad(
            _("a unit that scatters at %(threshold)s must have more HP") % {"threshold": _shown_number(threshold)}
        )


def from_numbers(numbers: Mapping[str, int], side: Side, *, key: Callable[[], str] = new_key) -> tuple[UnitSpec, ...]:
    """An army of so many units of each kind, named by kind and number."""
    return tuple(
        UnitSpec(
            key=key(),
            side=side,
            kind=kind.id,
            name=f"{capfirst(_(kind.title))} {i}" if number > 1 else capfirst(_(kind.title)),
        )
        for kind, number in ((kind, numbers.get(kind.id, 0)) for kind in KINDS.values())
        for i in range(1, number + 1)
    )


def _field(spec: UnitSpec | Mapping[str, Any], name: str) -> Any:
    return spec.get(name) if isinstance(spec, Mapping) else getattr(spec, name)


def as_text(units: Sequence[UnitSpec | Mapping[str, Any]]) -> str:
    """An army as a list that `read_list` takes back, in the words of the page's language."""
    lines = []
    for unit in units:
        overrides, kind = _field(unit, "overrides") or {}, str(_field(unit, "kind"))
        values = ", ".join(f"{value_words(k)}={_shown_number(v)}" for k, v in sorted(overrides.items()))
        traits = ", ".join(trait_words(trait) for trait in sorted(_field(unit, "traits") or ()))
        title = _(KINDS[kind].title) if kind in KINDS else kind
        parts = [str(_field(unit, "name")).replace(";", ","), title, values, traits]
        while not parts[-1]:
            parts.pop()
        lines.append("; ".join(parts))
    return "\n".join(lines)


def reduced(red: int, blue: int, limit: int) -> tuple[int, int]:
    """What T-14 leaves of two armies: the larger gets `limit`, the smaller its share, halves up, at least one."""
    larger = max(red, blue)
    if larger <= limit:
        return red, blue

    def share(number: int) -> int:
        return limit if number == larger else max(1, (2 * number * limit + larger) // (2 * larger))

    return share(red), share(blue)
