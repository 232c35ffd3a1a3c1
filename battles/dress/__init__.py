"""How each ruleset looks: the one list of dresses, as `rules.registry` is the one list of rulesets."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from battles.dress.contract import Dress
from battles.dress.tactical import TACTICAL

DRESS: Mapping[str, Dress] = MappingProxyType({"tactical": TACTICAL})
