"""Questions that are open, clocks that run, steps that remain."""

from __future__ import annotations

import msgspec

from rules.core.actors import EVERYONE, Actor, Audience, Side


class Decision(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A question that the engine waits on.

    `owed_by` answers one of `choices`; without an answer within `seconds` (0 = no limit) `default` holds.
    The sides in `blocks` may give nothing but answers, stances and concessions meanwhile. `about` names units.
    """

    id: str
    kind: str
    owed_by: Actor
    choices: tuple[str, ...]
    default: str
    rule: str
    seconds: int = 0
    blocks: frozenset[Side] = frozenset()
    repeat: bool = False
    about: tuple[str, ...] = ()
    seen_by: Audience = EVERYONE


class Timer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A clock: a key that is unique in the battle, the seconds given in all, and whether it runs.

    `whole` is the time that the phase gives before any extension, 0 for the same; `seen_by` are those who may know
    that it runs. A timer that stands keeps what is left of its time.
    """

    key: str
    seconds: int
    whole: int = 0
    running: bool = True
    seen_by: Audience = EVERYONE

    @property
    def asks(self) -> bool:
        """Whether it is the clock of a question."""
        return self.key.startswith("answer:")


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"):
    """Something that remains to be done; each ruleset has its own kinds."""
