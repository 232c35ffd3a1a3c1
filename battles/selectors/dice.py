"""What is needed to check a battle's dice."""

from __future__ import annotations

from typing import NamedTuple

from battles.models import Battle, Stage
from battles.selectors.log import visible_log
from rules.core.actors import Viewer


class ThrowLine(NamedTuple):
    """A throw of the dice as it stands in the log; the number is None where it would tell of hidden throws."""

    number: int | None
    purpose: str
    rule: str
    die: int
    faces: tuple[int, ...]
    picks: tuple[int, ...]
    turn: int
    abandoned: bool


class DiceSheet(NamedTuple):
    """What is needed to check the dice: hash and phrases from the opening on, the seed from the end on, the throws."""

    seed_hash: str
    phrases: tuple[str, ...]
    seed: str
    throws: tuple[ThrowLine, ...]


def dice_of(battle: Battle, viewer: Viewer) -> DiceSheet:
    """The dice as the viewer may know them. The seed comes from the log, where it is told at the end.

    A throw's number is how many there were before it, hidden ones too: until the end it is the moderator's alone.
    """
    numbered = viewer is Viewer.MODERATOR or battle.stage == Stage.OVER
    kinds = ("battle_opened", "dice_thrown", "seed_revealed")
    phrases: tuple[str, ...] = ()
    seed, throws = "", []
    for entry in visible_log(battle, viewer).filter(kind__in=kinds).order_by("number"):
        body = entry.body
        if entry.kind == "battle_opened":
            phrases = tuple(body.get("phrases", ()))
        elif entry.kind == "seed_revealed":
            seed = body["seed"]
        else:
            throws.append(
                ThrowLine(
                    body["number"] if numbered else None, body["purpose"], entry.rule, body["die"],
                    tuple(body.get("faces", ())),
                    tuple(body.get("picks", ())), entry.turn, entry.abandoned,
                )
            )  # fmt: skip
    return DiceSheet(battle.seed_hash, phrases, seed, tuple(throws))
