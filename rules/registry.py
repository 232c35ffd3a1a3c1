"""The one list of rulesets."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rules.core.ruleset import Ruleset
from rules.tactical.ruleset import RULESET as TACTICAL

RULESETS: Mapping[str, Ruleset] = MappingProxyType({r.id: r for r in (TACTICAL,)})


def ruleset(id: str) -> Ruleset:
    """The ruleset of that id; KeyError if there is none."""
    return RULESETS[id]
