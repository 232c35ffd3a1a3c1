"""What army lists of the tactical book may say, and what the opening makes of big armies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from battles.dress.parts import Bounds, Lists, Words
from rules.core.rulebook import Rulebook
from rules.core.text import gettext_noop
from rules.tactical.units import KINDS, Arm, Kind


def _of(*arms: Arm) -> frozenset[str]:
    return frozenset(kind.id for kind in KINDS.values() if kind.arm in arms)


_ALL, _FOOT, _HORSE = _of(*Arm), _of(Arm.INFANTRY), _of(Arm.CAVALRY)
_FOOT_AND_HORSE, _WITH_FIREARMS = _of(Arm.INFANTRY, Arm.CAVALRY), _of(Arm.INFANTRY, Arm.ARTILLERY)
BOUNDS: Mapping[str, Bounds] = MappingProxyType(
    {
        "firepower": Bounds(0, 20, True, _WITH_FIREARMS),
        "range": Bounds(1, 20, False, _WITH_FIREARMS),
        "melee": Bounds(0, 20, False, _FOOT_AND_HORSE),
        "onslaught": Bounds(0, 20, False, _HORSE),
        "speed": Bounds(1, 12, False, _ALL),
        "hp": Bounds(1, 100, True, _ALL),
        "scatters_at": Bounds(0, 99, True, _FOOT_AND_HORSE),
    }
)
TRAITS: Mapping[str, frozenset[str]] = MappingProxyType(
    {"long_range": _FOOT, "marsh": _ALL, "steadfast": _FOOT_AND_HORSE}
)

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

VALUES: Words = {
    "firepower": lambda: pgettext("value", "firepower"),
    "range": lambda: pgettext("value", "range"),
    "melee": lambda: pgettext("value", "melee"),
    "onslaught": lambda: pgettext("value", "onslaught"),
    "speed": lambda: pgettext("value", "speed"),
    "hp": lambda: pgettext("value", "HP"),
    "scatters_at": lambda: pgettext("value", "scatters at"),
}
TRAIT_TITLES: Words = {
    "long_range": lambda: pgettext("trait", "long range"),
    "marsh": lambda: pgettext("trait", "marsh"),
    "steadfast": lambda: pgettext("trait", "steadfast"),
}
EXAMPLE = gettext_noop("Palermo Cuirassiers; cuirassiers; melee=4, hp=6; steadfast")
LISTS = Lists(
    bounds=BOUNDS,
    traits=TRAITS,
    kind_words=KIND_WORDS,
    value_words=VALUE_WORDS,
    trait_words=TRAIT_WORDS,
    value_titles=VALUES,
    trait_titles=TRAIT_TITLES,
    example=EXAMPLE,
)


def flaw(kind: Kind, overrides: Mapping[str, float]) -> str:
    """What is wrong with a unit's values taken together, nothing if they fit."""
    threshold = overrides.get("scatters_at", kind.scatters_at)
    if threshold is not None and overrides.get("hp", kind.hp) <= threshold:
        return _("a unit that scatters at %(threshold)s must have more HP") % {"threshold": f"{threshold:g}"}
    return ""


def reduction(book: Rulebook, parameters: Mapping[str, Any], red: int, blue: int) -> tuple[int, int, int, int] | None:
    """Numbers brought and left, if the opening will cut the armies [T-14.1]."""
    limit = int(parameters.get("unit_limit", book.parameters["unit_limit"].default))
    if parameters.get("battle_kind") == "siege" or max(red, blue) <= limit:
        return None
    return (red, blue, *reduced(red, blue, limit))


def reduced(red: int, blue: int, limit: int) -> tuple[int, int]:
    """What T-14 leaves of two armies: the larger gets `limit`, the smaller its share, halves up, at least one."""
    larger = max(red, blue)
    if larger <= limit:
        return red, blue

    def share(number: int) -> int:
        return limit if number == larger else max(1, (2 * number * limit + larger) // (2 * larger))

    return share(red), share(blue)
