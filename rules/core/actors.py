"""Who asks and who looks."""

from __future__ import annotations

from enum import Enum


class _Ordered(Enum):
    """Members are sorted as they are written down: a set of them is stored in one order only."""

    def __lt__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        members = list(type(self))
        return members.index(self) < members.index(other)


class Side(_Ordered):
    """One of the two armies; RED comes before BLUE, always."""

    RED = "red"
    BLUE = "blue"

    @property
    def enemy(self) -> Side:
        """The other army."""
        return Side.BLUE if self is Side.RED else Side.RED


class Actor(_Ordered):
    """Who gives a command."""

    RED = "red"
    BLUE = "blue"
    MODERATOR = "moderator"
    CLOCK = "clock"

    @property
    def side(self) -> Side | None:
        """The army that asks, if it is one."""
        return Side(self.value) if self in (Actor.RED, Actor.BLUE) else None


class Viewer(_Ordered):
    """Who looks at a battle."""

    RED = "red"
    BLUE = "blue"
    MODERATOR = "moderator"
    PUBLIC = "public"

    @property
    def side(self) -> Side | None:
        """The army that looks, if it is one."""
        return Side(self.value) if self in (Viewer.RED, Viewer.BLUE) else None


SIDES = (Side.RED, Side.BLUE)
Audience = frozenset[Viewer]
EVERYONE: Audience = frozenset(Viewer)
MODERATOR_ONLY: Audience = frozenset({Viewer.MODERATOR})


def only(side: Side) -> Audience:
    """One army and the moderator."""
    return _ONLY[side]


_ONLY = {side: frozenset({Viewer(side.value), Viewer.MODERATOR}) for side in SIDES}
