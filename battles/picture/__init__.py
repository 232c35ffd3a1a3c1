"""A battle as plain data for the templates: the frame that is the same for every ruleset.

Pixels come from `battles.geometry`, what is special to a ruleset from `battles.dress`.
"""

from battles.dress.parts import FATES, Badge, Chip, Token, words_of
from battles.geometry import (
    CELL,
    DIRECTIONS,
    HALF,
    MARGIN,
    NORTH,
    REST,
    Run,
    Sheet,
    cell_rects,
    centre_of,
    left_of,
    px,
    sheet,
    top_of,
)  # fmt: skip
from battles.picture.ground import Mark, Piece, Terrain, terrain
from battles.picture.heading import (
    Clock,
    Question,
    banner,
    clock,
    clock_text,
    mover,
    questions,
    reason_words,
)  # fmt: skip
from battles.picture.lines import (
    LogBlock,
    ReportSide,
    log_blocks,
    purpose_words,
    reports,
    turn_words,
)  # fmt: skip
from battles.picture.push import new_id, push_context
from battles.picture.rosters import Roster, chip, rosters, tray, upper_side
from battles.picture.tokens import Fog, fogs, last_move, units_picture

__all__ = [
    "CELL", "DIRECTIONS", "FATES", "HALF", "MARGIN", "NORTH", "REST", "Badge", "Chip", "Clock", "Fog",
    "LogBlock", "Mark", "Piece", "Question", "ReportSide", "Roster", "Run", "Sheet", "Terrain", "Token",
    "banner", "cell_rects", "centre_of", "chip", "clock", "clock_text", "fogs", "last_move", "left_of",
    "log_blocks", "mover", "new_id", "purpose_words", "push_context", "px", "questions", "reason_words",
    "reports", "rosters", "sheet", "terrain", "top_of", "tray", "turn_words", "units_picture", "upper_side",
    "words_of",
]  # fmt: skip
