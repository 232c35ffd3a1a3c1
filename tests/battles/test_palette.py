"""The armies' colours: contrast, greyscale and colour blindness, reckoned."""

import math
import re
from itertools import permutations
from pathlib import Path

import pytest

from battles.palette import COLOURS, PALETTE, chosen, classes, css
from rules.core.actors import Side

ROOT = Path(__file__).resolve().parents[2]
THEMES = ("light", "dark")
# The neighbours that must be told apart, at least this far by CIEDE2000 (2.3 is just noticeable).
FAR_ENOUGH = 10
FAR_ENOUGH_IN_GREY = 8

# Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB
EYES = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
    "greyscale": ((0.2126, 0.7152, 0.0722),) * 3,
}


def linear(colour):
    values = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def luminance(colour):
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def lab(colour, eye):
    rgb = [min(1, max(0, sum(k * v for k, v in zip(row, linear(colour), strict=True)))) for row in EYES[eye]]
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    xyz = [
        sum(k * v for k, v in zip(row, rgb, strict=True)) / white
        for row, white in zip(to_xyz, (0.95047, 1, 1.08883), strict=True)
    ]
    f = [v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in xyz]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def difference(first, second):
    """CIEDE2000 of two Lab colours."""
    (l1, a1, b1), (l2, a2, b2) = first, second
    c_mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(c_mean**7 / (c_mean**7 + 25**7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 if (a or b) else 0.0 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    dl, dc, dh = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    hm = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    t = (
        1
        - 0.17 * math.cos(math.radians(hm - 30))
        + 0.24 * math.cos(math.radians(2 * hm))
        + 0.32 * math.cos(math.radians(3 * hm + 6))
        - 0.20 * math.cos(math.radians(4 * hm - 63))
    )
    sl = 1 + 0.015 * (lm - 50) ** 2 / math.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    rt = -2 * math.sqrt(cm**7 / (cm**7 + 25**7)) * math.sin(math.radians(60 * math.exp(-(((hm - 275) / 25) ** 2))))
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * (dc / sc) * (dh / sh))


def tokens(theme):
    """The colours that the design fixes, in one theme."""
    text = (ROOT / "static/umpire/tokens.css").read_text()
    block = re.search(rf'(?:^|, )\[data-bs-theme="{theme}"\] \{{(.*?)^\}}', text, re.S | re.M)[1]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})\b", block))


def grounds(theme):
    """What a block may stand on."""
    return {name: colour for name, colour in tokens(theme).items() if name.startswith("t-") or name == "sheet"}


def test_there_are_eight_colours_and_no_two_share_a_name():
    assert len(PALETTE) == len(COLOURS) == 8


def test_the_reckoning_agrees_with_published_figures():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert difference((50, 2.6772, -79.7751), (50, 0, -82.7485)) == pytest.approx(2.0425, abs=1e-4)
    assert difference((50, 2.5, 0), (73, 25, -18)) == pytest.approx(27.1492, abs=1e-4)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("name", PALETTE)
def test_a_block_its_symbol_and_its_name_stand_out_from_their_ground(name, side, theme):
    shades, fixed = PALETTE[name].shades(side, theme), tokens(theme)
    for ground, colour in grounds(theme).items():
        best = max(contrast(shades.fill, colour), contrast(shades.edge, colour))
        assert best >= 3, f"block on {ground}: {best:.2f}"
    assert contrast(fixed[f"{side.value}-mark"], shades.fill) >= 3.5
    for ground in ("page", "surface", "surface-2"):
        assert contrast(shades.text, fixed[ground]) >= 4.5, f"name on {ground}"
    assert contrast(shades.text, shades.soft) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize(("red", "blue"), tuple(permutations(PALETTE, 2)))
def test_any_two_different_colours_are_told_apart(red, blue, eye, theme):
    one, other = PALETTE[red].shades(Side.RED, theme).fill, PALETTE[blue].shades(Side.BLUE, theme).fill
    assert difference(lab(one, eye), lab(other, eye)) >= (FAR_ENOUGH_IN_GREY if eye == "greyscale" else FAR_ENOUGH)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("red", "blue"), tuple(permutations(PALETTE, 2)))
def test_blue_is_always_the_darker_side(red, blue, theme):
    one, other = PALETTE[red].shades(Side.RED, theme).fill, PALETTE[blue].shades(Side.BLUE, theme).fill
    assert luminance(one) > luminance(other)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("side", Side)
def test_the_own_colour_of_a_side_is_the_one_of_the_design(side, theme):
    shades, fixed = PALETTE[side.value].shades(side, theme), tokens(theme)
    names = (side.value, f"{side.value}-edge", f"{side.value}-text", f"{side.value}-soft")
    assert tuple(shades) == tuple(fixed[n] for n in names)


def test_the_stylesheet_is_the_one_that_the_palette_writes():
    assert (ROOT / "static/umpire/palette.css").read_text() == css()


def test_a_side_without_a_known_colour_keeps_its_own():
    sides = {"red": {"colour": "teal"}, "blue": {"colour": "x; } body { display: none"}}
    assert chosen(sides, Side.BLUE) == "blue"
    assert classes(sides) == "side-colour-red-teal side-colour-blue-blue"
