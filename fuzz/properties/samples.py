"""What do draws and samples prove? Trees of all bits that decide, and tails in fractions."""

from collections import Counter
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from flint import fmpq
from scipy.stats import chi2

import leaktight as lt
from fuzz import direct, drawn
from fuzz.property import searched
from leaktight.channels import Channel
from leaktight.mechanisms import geometric_noise
from leaktight.mechanisms.release.draw import AliasTable
from leaktight.samples.confidence import binomial_lower, binomial_upper, mean_lower

SURPRISE = 1e-12
"""How unlikely draws must be to count as wrong: once in years of searching."""


@searched(table=lambda d: drawn.channel(d, (*drawn.WEIGHTS, "1e-9", "1e-97"), 1, 4))
def tables_of_draws(table: Any) -> int:
    """The table that outputs are drawn from gives one another chance than the channel."""
    rows = direct.normalised(table)
    channel = direct.channel_of(rows)
    made = AliasTable.of(channel.matrix)
    cells = len(made.others) // len(rows)
    for i, row in enumerate(rows):
        found = [Fraction(0)] * cells
        for cell in range(cells):
            share = Fraction(made.shares[i * cells + cell], made.wholes[i])
            found[cell] += min(share, Fraction(1)) / cells
            found[made.others[i * cells + cell]] += (1 - min(share, Fraction(1))) / cells
        assert found[: len(row)] == row
        assert not any(found[len(row) :])
    return len(rows)


@searched(
    table=lambda d: drawn.channel(d, drawn.WEIGHTS, 1, 4),
    seed=lambda d: d.below(2**32),
)
def draws(table: Any, seed: int) -> int:
    """Outputs are drawn more or less often than the channel says."""
    rows = direct.normalised(table)
    channel = direct.channel_of(rows)
    size = 2000
    for i, row in enumerate(rows):
        found = Counter(lt.sample(channel, [i] * size, rng=np.random.default_rng(seed + i)))
        _fits([found[z] for z in range(len(row))], [float(p) for p in row], size)
    return len(rows)


def _fits(counts: Any, chances: Any, size: int) -> None:
    """Compare counts with chances; what is expected rarely is taken together."""
    assert all(count == 0 for count, p in zip(counts, chances, strict=True) if p == 0)
    pairs = sorted((p * size, count) for count, p in zip(counts, chances, strict=True) if p)
    rare = [pair for pair in pairs if pair[0] < 50]
    kept = [pair for pair in pairs if pair[0] >= 50]
    if rare and kept:
        least = kept.pop(0)
        kept.append((least[0] + sum(e for e, _ in rare), least[1] + sum(c for _, c in rare)))
    if len(kept) > 1:
        size_of = sum((count - expected) ** 2 / expected for expected, count in kept)
        assert chi2.sf(size_of, len(kept) - 1) > SURPRISE


@searched(
    ratio=lambda d: d.pick(("2", "3/2", "10", "1001/1000", "1000001/1000000", "5/4")),
    seed=lambda d: d.below(2**32),
)
def noise(ratio: str, seed: int) -> None:
    """Geometric noise is not geometric."""
    size, c = 4000, float(1 / Fraction(ratio))
    found = geometric_noise(size, ratio=ratio, rng=np.random.default_rng(seed))
    width = max(1, int(0.3 / (1 - c)))
    ends = [-2 * width, -width, 0, width, 2 * width]
    # P(X ≤ k) for k ≥ 0 is 1 − c^(k+1)/(1+c)
    below = [c**-k / (1 + c) if k < 0 else 1 - c ** (k + 1) / (1 + c) for k in ends]
    chances = np.diff([0.0, *below, 1.0])
    counts = np.diff([0, *(int((found <= k).sum()) for k in ends), size])
    _fits(counts.tolist(), chances.tolist(), size)


def tail(p: Fraction, trials: int, some: range) -> Fraction:
    """The chance that the number of successes is one of these."""
    return sum((comb(trials, i) * p**i * (1 - p) ** (trials - i) for i in some), Fraction(0))


@searched(
    trials=lambda d: d.integer(1, 40),
    hits=lambda d: d.below(41),
    risk=lambda d: d.pick(("1/20", "1/100", "1/2", "1/1000000", "99/100")),
)
def limits_of_counts(trials: int, hits: int, risk: str) -> int:
    """A probability above, or below, its limit is likelier than the risk allows."""
    k, share = min(hits, trials), Fraction(risk)
    low = Fraction(binomial_lower(k, trials, fmpq(share.numerator, share.denominator)))
    high = Fraction(binomial_upper(k, trials, fmpq(share.numerator, share.denominator)))
    assert low >= 0
    assert high <= 1
    assert k == 0 or tail(low, trials, range(k, trials + 1)) <= share
    assert k == trials or tail(high, trials, range(k + 1)) <= share
    nearer = low + Fraction(1, 10**9)
    assert (
        k == 0
        or nearer >= 1
        or tail(nearer, trials, range(k, trials + 1)) >= share * (1 - Fraction(1, 100))
    )
    return 3


@searched(
    mean=lambda d: d.integer(0, 20),
    size=lambda d: d.integer(1, 50),
    risk=lambda d: d.integer(1, 99),
)
def limits_of_means(mean: int, size: int, risk: int) -> None:
    """A mean of coins falls so far above its expectation more often than the risk allows."""
    found = Fraction(mean_lower(fmpq(mean, 20), fmpq(size), fmpq(risk, 100)))
    assert 0 <= found <= Fraction(mean, 20)
    least = -(-mean * size // 20)  # so many heads or more give that mean
    assert found == 0 or tail(found, size, range(least, size + 1)) <= Fraction(risk, 100)


@searched(table=lambda d: drawn.channel(d, drawn.WEIGHTS, 2, 3), seed=lambda d: d.below(2**32))
def calls(table: Any, seed: int) -> None:
    """A mechanism is refuted though it is as private as claimed."""
    rows = direct.normalised(table)
    channel: Channel = direct.channel_of(rows)

    def sampler(x: int, count: int, rng: np.random.Generator) -> Any:
        return lt.sample(channel, [x] * count, rng=rng)

    found = lt.epsilon_by_calls(
        sampler, [(0, 1)], samples=400, confidence="0.9999999999", seed=seed
    )
    assert found.ratio <= direct.level(rows, [(0, 1)])
