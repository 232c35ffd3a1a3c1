"""The one list of rulesets, and of how their positions are written in cases."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rules.core.ruleset import Ruleset
from rules.core.writing import Writing
from rules.tactical.position import WRITING as TACTICAL_WRITING
from rules.tactical.ruleset import RULESET as TACTICAL

RULESETS: Mapping[str, Ruleset] = MappingProxyType({r.id: r for r in (TACTICAL,)})
WRITINGS: Mapping[str, Writing] = MappingProxyType({TACTICAL.id: TACTICAL_WRITING})
DEFAULT = TACTICAL.id  # of a battle whose maker has not chosen


def ruleset(id: str) -> Ruleset:
    """The ruleset of that id; KeyError if there is none."""
    return RULESETS[id]
