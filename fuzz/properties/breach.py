"""What can one observation reveal? Posteriors in fractions."""

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import leaktight as lt
from fuzz import direct, drawn
from fuzz.property import searched
from leaktight.privacy import (
    average_level_from_leakage,
    breaches,
    independent_breach_level,
    individual_breach_level,
    leakage_from_average_level,
)

ENTRIES = drawn.WEIGHTS + drawn.EXTREME


@searched(
    table=lambda d: drawn.channel(d, ENTRIES, 1, 4),
    prior=lambda d: drawn.prior(d, 4),
    ratio=drawn.ratio,
)
def under_one_prior(table: Any, prior: Any, ratio: str) -> int:
    """A breach is not listed, listed though it is none, or its numbers are wrong."""
    rows = direct.normalised(table)
    n, limit = len(rows), Fraction(ratio)
    weights = [Fraction(p) for p in prior[:n]]
    weights[0] += not any(weights)
    chances = [p / sum(weights) for p in weights]
    expected = {}
    for z, i in product(range(len(rows[0])), range(n)):
        whole = sum(p * row[z] for p, row in zip(chances, rows, strict=True))
        if whole and chances[i]:
            after = chances[i] * rows[i][z] / whole
            size = max(direct.ratio_of(after, chances[i]), direct.ratio_of(chances[i], after))
            if size > limit:
                expected[i, z] = (after, size)
    sets = [(i,) for i in range(n)]
    found = breaches(direct.channel_of(rows), [str(p) for p in chances], sets, ratio=ratio)
    assert {(b.subset[0], b.output): (b.after, b.ratio) for b in found} == expected
    sizes = [b.ratio for b in found]
    assert sizes == sorted(sizes, reverse=True)
    return 1 + len(expected)


@searched(table=lambda d: drawn.channel(d, ENTRIES, 1, 4), gap=lambda d: d.integer(1, 99))
def under_any_prior(table: Any, gap: int) -> int:
    """A breach exceeds the level, or none comes near it."""
    rows = direct.normalised(table)
    channel = direct.channel_of(rows)
    level = lt.breach_level(channel)
    assert level.ratio == direct.level(rows, direct.all_pairs(len(rows)))
    if level.witness is None:
        return 1
    prior = level.prior(f"{gap}/100")
    found = breaches(channel, prior, [level.subset])[0].ratio
    assert found == math.inf if level.ratio == math.inf else True
    if level.ratio != math.inf:
        assert Fraction(level.ratio) * (1 - Fraction(gap, 100)) <= found <= level.ratio
    return 2


@searched(table=lambda d: drawn.channel(d, ENTRIES, 1, 4))
def on_average(table: Any) -> int:
    """One guess whether the secret is in a set becomes likelier by more than is said."""
    rows = direct.normalised(table)
    channel = direct.channel_of(rows)
    level = lt.average_breach_level(channel)
    apart = [
        sum(abs(p - q) for p, q in zip(rows[i], rows[j], strict=True)) / 2
        for i, j in combinations(range(len(rows)), 2)
    ]
    assert level.factor == 1 + max(apart, default=Fraction(0))
    capacity = direct.sum_of_maxima(rows)
    least, most = leakage_from_average_level(str(level.factor), len(rows))
    assert least <= capacity <= most
    least, most = average_level_from_leakage(str(capacity), len(rows))
    assert least <= level.factor <= most
    return 3


@searched(
    table=lambda d: drawn.table(d, 4, d.integer(1, 3), ENTRIES), records=lambda d: d.integer(1, 2)
)
def of_one_record(table: Any, records: int) -> int:
    """What one person must fear is said to be less than it is."""
    rows = direct.normalised(table)
    databases = list(product(range(4 if records == 1 else 2), repeat=records))
    channel = direct.channel_of(rows, inputs=databases)
    assert individual_breach_level(channel).ratio == direct.level(rows, direct.all_pairs(4))
    one = [
        (i, j)
        for i, j in direct.all_pairs(4)
        if sum(a != b for a, b in zip(databases[i], databases[j], strict=True)) == 1
    ]
    assert independent_breach_level(channel).ratio == direct.level(rows, one)
    return 2
