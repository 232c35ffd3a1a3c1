"""Names that people type, made fit to be shown beside other people's names."""

import unicodedata

# Letters by their category, and yet nothing is drawn: fillers, joiners, the blank of Braille.
UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# Control, format (direction marks, zero width), surrogate, private, unassigned; separators of lines and paragraphs.
UNWANTED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
MOST_MARKS = 3


def clean_name(text: str) -> str:
    """A name on one line without invisible or direction-changing characters or towers of accents.

    What remains is composed (NFC), and runs of white space are one space.
    """
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", text):
        if character.isspace():
            kept.append(" ")
            marks = 0
            continue
        category = unicodedata.category(character)
        if category in UNWANTED or character in UNSEEN or is_variation_selector(character):
            continue
        marks = marks + 1 if category.startswith("M") else 0
        if marks <= MOST_MARKS:
            kept.append(character)
    return " ".join("".join(kept).split())


def is_variation_selector(character: str) -> bool:
    """Whether it only chooses among glyphs, unseen by itself."""
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
