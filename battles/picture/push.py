"""What a push carries: the fragments that a change replaces, for one viewer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from battles import palette
from battles.dress import DRESS
from battles.picture.heading import banner, clock, questions
from battles.picture.lines import log_blocks, turn_words
from battles.picture.rosters import rosters, tray, upper_side
from battles.picture.tokens import units_picture
from rules.core.actors import Viewer
from rules.core.text import Sentence
from rules.templatetags.rule_tags import sentence_text

SHOWN = 8  # lines of the log beside the board


def push_context(
    battle: Any, view: Any, *, viewer: Viewer, clocks: Iterable[Any], log: Any, version: int
) -> dict[str, Any]:
    """All that `battles/_push.html` needs: the fragments that a change replaces, for one viewer."""
    lines = tuple(log.lines)
    both = rosters(view, battle.ruleset)
    upper = upper_side(view, battle.ruleset)
    return {
        "battle_id": battle.pk,
        "battle": battle,
        "ruleset_id": battle.ruleset,
        "pages": f"battles/{battle.ruleset}/",
        "points": DRESS[battle.ruleset].points,
        "view": view,
        "viewer": viewer.value,
        "version": version,
        "units": units_picture(view, lines, version, battle.ruleset),
        "upper": both[upper.value],
        "lower": both[upper.enemy.value],
        "tray": tray(view, battle.ruleset),
        "banner": banner(battle, view),
        "clock": clock(clocks),
        "questions": questions(view, battle.ruleset),
        "log": log_blocks(lines[-SHOWN:], view.names),
        "log_turn": turn_words(lines[-1].turn, view.names) if lines else "",
        "latest": [(line.no, line.side.value if line.side else "", _plain(line.sentence)) for line in lines[-6:]],
        "newest": lines[-1].no if lines else 0,
        "push": True,
        "deploying": view.phase.name == "deployment",
        "new_id": new_id,
        "colours": palette.classes(battle.sides),
    }


def new_id() -> str:
    """A fresh id for a form's command."""
    return str(uuid4())


def _plain(sentence: Sentence) -> str:
    return sentence_text(sentence)
