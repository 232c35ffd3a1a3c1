"""Eight colours for the armies.

Each stands as the frame of RED (square corners, upright hatch) lighter and as that of BLUE (round corners, level hatch)
darker, so that two sides differ in greyscale whatever is chosen. The tests compute contrast and colour blindness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from django.utils.translation import pgettext_lazy

from rules.core.actors import Side


class Shades(NamedTuple):
    """The block, its edge, the army's name in running text, and the tint behind it."""

    fill: str
    edge: str
    text: str
    soft: str


class Colour(msgspec.Struct, frozen=True, kw_only=True):
    """A colour that a side may have, as either frame in both themes."""

    name: str
    title: Any
    red_light: Shades
    red_dark: Shades
    blue_light: Shades
    blue_dark: Shades

    def shades(self, side: Side, theme: str) -> Shades:
        """Its shades as the frame of a side in a theme."""
        shades: Shades = getattr(self, f"{side.value}_{theme}")
        return shades


COLOURS = (
    Colour(
        name="red",
        title=pgettext_lazy("colour", "red"),
        red_light=Shades("#b5433a", "#5c1712", "#96291f", "#f4dfd9"),
        red_dark=Shades("#bd5246", "#f0c3b8", "#f09a8c", "#3d2320"),
        blue_light=Shades("#780105", "#4e0404", "#861210", "#fddcd7"),
        blue_dark=Shades("#871d18", "#fec4bc", "#fe9c8f", "#3c201c"),
    ),
    Colour(
        name="amber",
        title=pgettext_lazy("colour", "amber"),
        red_light=Shades("#8f611e", "#442a00", "#714905", "#efe2d3"),
        red_dark=Shades("#9b6f33", "#e4cdb1", "#d4ac7b", "#322718"),
        blue_light=Shades("#553502", "#382100", "#633f03", "#efe2d3"),
        blue_dark=Shades("#674101", "#e7d0b5", "#dbb381", "#322718"),
    ),
    Colour(
        name="green",
        title=pgettext_lazy("colour", "green"),
        red_light=Shades("#3f7b4a", "#123a1b", "#246131", "#dae9db"),
        red_dark=Shades("#4f8858", "#bedac1", "#92c398", "#1f2d20"),
        blue_light=Shades("#02411e", "#062f11", "#165626", "#dae9db"),
        blue_dark=Shades("#164f2b", "#c1ddc4", "#98c99e", "#1f2d20"),
    ),
    Colour(
        name="teal",
        title=pgettext_lazy("colour", "teal"),
        red_light=Shades("#227a7a", "#023838", "#0b5f5f", "#d6e9e9"),
        red_dark=Shades("#398787", "#b7d9d8", "#83c1c1", "#1a2d2c"),
        blue_light=Shades("#034747", "#032d2d", "#015353", "#d6e9e9"),
        blue_dark=Shades("#065656", "#badcdb", "#89c8c7", "#1a2d2c"),
    ),
    Colour(
        name="blue",
        title=pgettext_lazy("colour", "blue"),
        red_light=Shades("#3d6bb0", "#122f5a", "#235193", "#d9e6f9"),
        red_dark=Shades("#4c79bb", "#bcd3f5", "#8eb6f1", "#1e293b"),
        blue_light=Shades("#1b4079", "#0f2a52", "#1f4a86", "#dce5f1"),
        blue_dark=Shades("#2c5aa0", "#c5d8f3", "#96bdf0", "#1d2b40"),
    ),
    Colour(
        name="violet",
        title=pgettext_lazy("colour", "violet"),
        red_light=Shades("#7f5a9e", "#382357", "#5f3d8e", "#e8e0f8"),
        red_dark=Shades("#916da3", "#d6c9f2", "#bea5ed", "#2c2439"),
        blue_light=Shades("#492676", "#2e184b", "#543282", "#e8e0f8"),
        blue_dark=Shades("#563682", "#daccf6", "#c5abf4", "#2c2439"),
    ),
    Colour(
        name="rose",
        title=pgettext_lazy("colour", "rose"),
        red_light=Shades("#a64374", "#531535", "#88285a", "#f8dce7"),
        red_dark=Shades("#b25481", "#f3c1d5", "#eb96bc", "#39202b"),
        blue_light=Shades("#6e0a45", "#47092b", "#7b1b4f", "#f8dce7"),
        blue_dark=Shades("#7c2252", "#f6c4d8", "#f29cc2", "#39202b"),
    ),
    Colour(
        name="slate",
        title=pgettext_lazy("colour", "slate"),
        red_light=Shades("#676c73", "#2d3134", "#4e5359", "#e3e5e6"),
        red_dark=Shades("#74797f", "#ced1d4", "#b0b5ba", "#28292b"),
        blue_light=Shades("#383e43", "#23272a", "#43484e", "#e3e5e6"),
        blue_dark=Shades("#464b50", "#d2d4d8", "#b6bbc1", "#28292b"),
    ),
)
PALETTE: Mapping[str, Colour] = MappingProxyType({colour.name: colour for colour in COLOURS})
DEFAULTS: Mapping[Side, str] = MappingProxyType({Side.RED: "red", Side.BLUE: "blue"})


def chosen(sides: Mapping[str, Mapping[str, str]], side: Side) -> str:
    """The name of a side's colour in a battle's data; the side's own where none is named."""
    name = sides.get(side.value, {}).get("colour", "")
    return name if name in PALETTE else DEFAULTS[side]


def classes(sides: Mapping[str, Mapping[str, str]]) -> str:
    """The classes that give everything inside an element the colours of a battle: `side-colour-red-teal ...`."""
    return " ".join(f"side-colour-{side.value}-{chosen(sides, side)}" for side in Side)


def css() -> str:
    """The stylesheet of the palette; `static/umpire/palette.css` is this text."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "/* Written by `python -m battles.palette`: the armies' colours, both frames, both themes. */"
    for colour in COLOURS:
        for side in Side:
            for theme in ("light", "dark"):
                name = f".side-colour-{side.value}-{colour.name}"
                before = '[data-bs-theme="dark"] ' if theme == "dark" else ""
                fill, edge, text, soft = colour.shades(side, theme)
                s = side.value
                yield f"{before}{name} {{ --{s}: {fill}; --{s}-edge: {edge}; --{s}-text: {text}; --{s}-soft: {soft}; }}"


if __name__ == "__main__":
    from pathlib import Path

    Path("static/umpire/palette.css").write_text(css(), encoding="utf-8")
