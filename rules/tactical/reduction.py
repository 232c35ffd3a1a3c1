"""Big battles: armies cut in proportion, losses multiplied back [T-14]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from rules.core.scenario import UnitSpec

Draw = Callable[[int], int]


def reduced_sizes(sizes: tuple[int, int], limit: int) -> tuple[int, int]:
    """How many units of RED and BLUE take the field: the larger army gets `limit`, the smaller its share [T-14.1]."""
    larger = max(sizes)
    if larger <= limit:
        return sizes
    red, blue = (max(1, (2 * n * limit + larger) // (2 * larger)) if n else 0 for n in sizes)
    return red, blue


def reduction_factor(sizes: tuple[int, int], limit: int) -> Fraction:
    """What the losses are multiplied back by: the larger army over `limit`, 1 if nothing was cut [T-14.1]."""
    return max(Fraction(1), Fraction(max(sizes), limit))


def reduce(units: Sequence[UnitSpec], size: int, draw: Draw) -> tuple[UnitSpec, ...]:
    """The units that stay when an army is cut to `size` [T-14.2].

    As long as a kind has two or more units left, one goes of the kind that stands furthest above its share; ties, and
    single units when every kind has one left, go by lot: `draw(n)` gives an index below n. Of a kind the last in the
    army list goes first.
    """
    kept = list(units)
    old = Counter(unit.kind for unit in units)
    while len(kept) > size:
        left = Counter(unit.kind for unit in kept)
        paired = [kind for kind in old if left[kind] >= 2]
        if paired:
            above = {kind: left[kind] - Fraction(old[kind] * size, len(units)) for kind in paired}
            worst = [kind for kind in paired if above[kind] == max(above.values())]
            kind = worst[draw(len(worst)) if len(worst) > 1 else 0]
            kept.remove(next(unit for unit in reversed(kept) if unit.kind == kind))
        else:
            kept.pop(draw(len(kept)))
    return tuple(kept)


def multiplied_back(counts: Mapping[str, int], brought: int, factor: Fraction) -> dict[str, tuple[Fraction, int]]:
    """Units by fate in the whole army: the exact product with the factor, and whole numbers that add up to the army,
    by largest remainder [T-14.3]."""
    fought = sum(counts.values())
    if not fought:
        return {}
    quotas = {fate: Fraction(n * brought, fought) for fate, n in counts.items()}
    whole = {fate: int(quota) for fate, quota in quotas.items()}
    by_remainder = sorted(quotas, key=lambda fate: whole[fate] - quotas[fate])
    for fate in by_remainder[: brought - sum(whole.values())]:
        whole[fate] += 1
    return {fate: (counts[fate] * factor, whole[fate]) for fate in counts}
