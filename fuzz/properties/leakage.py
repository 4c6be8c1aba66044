"""How much better does an attacker guess? Sums of maxima in fractions, logarithms in decimals."""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

import leaktight as lt
from fuzz import direct, drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.channels import Tries
from leaktight.leakage import (
    additive_bayes_capacity,
    additive_capacity,
    membership_capacity,
    renyi_capacity,
    renyi_leakage,
    risk_capacity,
    shannon_capacity,
    shannon_entropy,
    spanning_capacity,
    strategy,
)

ENTRIES = drawn.WEIGHTS + drawn.EXTREME


def seen(draw: Draw) -> Any:
    """A channel and a prior on its inputs."""
    table = drawn.channel(draw, ENTRIES)
    return [table, drawn.prior(draw, len(table))]


def read(case: Any) -> Any:
    """The rows, the chances, the channel and the prior."""
    table, prior = case
    rows = direct.normalised(table)
    chances = [Fraction(p) / sum(map(Fraction, prior)) for p in prior]
    return rows, chances, direct.channel_of(rows), [str(p) for p in chances]


def joint(rows: Any, chances: Any) -> Any:
    """For each output, the probability of each input."""
    columns = zip(*rows, strict=True)
    return [[p * k for p, k in zip(chances, column, strict=True)] for column in columns]


def worth(column: Any, row: Any) -> Fraction:
    """What a guess earns at an output."""
    return sum((g * p for g, p in zip(row, column, strict=True)), Fraction(0))


def log2(value: Fraction) -> Fraction:
    """The logarithm with some 390 digits."""
    return direct.logarithm(value) / direct.logarithm(Fraction(2))


TINY = Fraction(1, 10**250)


def tells_bits(found: Any, factor: Fraction) -> None:
    """What is said in bits is the logarithm, rounded up, and the interval holds it."""
    true = log2(factor)
    low, high = found.bits_interval
    assert Fraction(low) <= true + TINY
    assert Fraction(high) >= true - TINY
    assert found.bits == high
    assert (
        Fraction(found.nats)
        >= Fraction(
            direct.LONG.ln(direct.LONG.divide(*(Decimal(p) for p in factor.as_integer_ratio())))
        )
        - TINY
    )


@searched(case=seen)
def one_guess(case: Any) -> int:
    """A guess is said to become less likely to be right than it does, or bits are rounded down."""
    rows, chances, channel, prior = read(case)
    after = sum(max(column) for column in joint(rows, chances))
    found = lt.min_entropy_leakage(channel, prior)
    assert (found.before, found.after) == (max(chances), after)
    assert found.factor == after / max(chances)
    tells_bits(found, after / max(chances))
    capacity = lt.min_capacity(channel)
    assert capacity.factor == direct.sum_of_maxima(rows)
    tells_bits(capacity, direct.sum_of_maxima(rows))
    assert found.factor <= capacity.factor
    return 5


@searched(
    case=seen,
    table=lambda d: [[d.integer(-4, 4) for _ in range(4)] for _ in range(d.integer(1, 3))],
    tries=lambda d: d.integer(1, 3),
)
def any_gain(case: Any, table: Any, tries: int) -> int:
    """The expected gain of the best guesses is another, or a guess is not the best."""
    rows, chances, channel, prior = read(case)
    gains = [row[: len(rows)] for row in table]
    columns = joint(rows, chances)
    after = sum(max(worth(column, row) for row in gains) for column in columns)
    gain = lt.Gain(gains)
    assert lt.posterior_vulnerability(channel, prior, gain) == after
    assert lt.vulnerability(dict(enumerate(prior)), gain) == max(worth(chances, r) for r in gains)
    best: Any = strategy(channel, prior, gain)
    chosen = sum(worth(c, gains[best[z]]) for z, c in enumerate(columns) if any(c))
    assert chosen == after
    several = sum(sum(sorted(column, reverse=True)[:tries]) for column in columns)
    assert lt.posterior_vulnerability(channel, prior, Tries(tries)) == several
    return 4


@searched(case=seen, some=lambda d: d.subset(4))
def capacities(case: Any, some: Any) -> int:
    """A prior, or a gain, leaks more than a capacity says that any does."""
    rows, chances, channel, prior = read(case)
    n = len(rows)
    apart = {
        (i, j): sum(abs(p - q) for p, q in zip(rows[i], rows[j], strict=True)) / 2
        for i, j in product(range(n), repeat=2)
    }
    farthest = max(apart.values())
    assert risk_capacity(channel).factor == (1 / (1 - farthest) if farthest < 1 else float("inf"))
    inside = [i for i in some if i < n]
    across = [apart[i, j] for i in inside for j in range(n) if j not in inside]
    assert membership_capacity(channel, inside).factor == 1 + max(across, default=Fraction(0))
    known = [i for i in range(n) if chances[i]]
    least = sum(min(rows[i][z] for i in known) for z in range(len(rows[0])))
    assert additive_capacity(channel, prior) == 1 - least
    moved = Fraction(0)
    for column in joint(rows, chances):
        moved += sum(
            max(Fraction(0), p - q * sum(column)) for p, q in zip(column, chances, strict=True)
        )
    assert spanning_capacity(channel, prior) == moved
    found = additive_bayes_capacity(channel)
    true = max(
        (direct.sum_of_maxima([rows[i] for i in some]) - 1) / k
        for k in range(1, n + 1)
        for some in combinations(range(n), k)
    )
    assert found.lower <= true <= found.upper
    return 5


@searched(case=seen, floats=Draw.maybe)
def shannon(case: Any, floats: bool) -> int:
    """Information is off in its last digit, or a capacity lies outside of its enclosure."""
    rows, chances, channel, prior = read(case)
    columns = joint(rows, chances)
    true = Fraction(0)
    for z, column in enumerate(columns):
        for x, p in enumerate(column):
            true += p * log2(rows[x][z] / sum(column)) if p else 0
    found = Fraction(lt.mutual_information(channel, prior))
    assert abs(found - true) <= abs(true) / 2**52 + TINY
    entropy = -sum(p * log2(p) for p in chances if p)
    assert abs(Fraction(shannon_entropy(prior)) - entropy) <= entropy / 2**52 + TINY
    enclosed = shannon_capacity(channel.float() if floats else channel)
    assert enclosed.lower <= enclosed.upper
    if not floats:
        assert Fraction(enclosed.upper) >= true - TINY
        own: Any = enclosed.prior
        least = [Fraction(own[x]) for x in range(len(rows))]
        reached = sum(
            p * log2(rows[x][z] / sum(column))
            for z, column in enumerate(joint(rows, least))
            for x, p in enumerate(column)
            if p
        )
        assert Fraction(enclosed.lower) <= reached + Fraction(1, 10**12)
    return 3


@searched(case=seen, order=lambda d: d.pick(["1/2", "2", "3", "1/10", "5"]))
def renyi(case: Any, order: str) -> None:
    """The leakage of some order exceeds its capacity."""
    _, _, channel, prior = read(case)
    capacity = renyi_capacity(channel, order)
    leaked = renyi_leakage(channel, prior, order)
    assert leaked.bits <= capacity.upper + 1e-9
    assert capacity.lower <= capacity.upper
    assert renyi_leakage(channel, capacity.prior, order).bits >= capacity.lower - 1e-9


@searched(
    first=lambda d: drawn.channel(d, ENTRIES, 3, 3),
    second=lambda d: drawn.channel(d, ENTRIES, 3, 3),
    derived=Draw.maybe,
)
def refinement(first: Any, second: Any, derived: bool) -> None:
    """A channel is called safer than another, and some attacker learns more from it."""
    rows, other = direct.normalised(first), direct.normalised(second)
    if derived:
        remap = [other[k % len(other)] for k in range(len(rows[0]))]
        other = [
            [sum(p * q for p, q in zip(row, c, strict=True)) for c in zip(*remap, strict=True)]
            for row in rows
        ]
    a, b = direct.channel_of(rows), direct.channel_of(other)
    found = lt.refinement(a, b)
    if hasattr(found, "remap"):
        remapped = direct.rows_of(found.remap)
        assert other == [
            [sum(p * q for p, q in zip(row, c, strict=True)) for c in zip(*remapped, strict=True)]
            for row in rows
        ]
        return
    assert not derived
    worse = lt.posterior_vulnerability(b, found.prior, found.gain)
    assert worse > lt.posterior_vulnerability(a, found.prior, found.gain)


@searched(tables=lambda d: d.some(lambda e: drawn.channel(e, drawn.WEIGHTS, 1, 2), 1, 3))
def side_by_side(tables: Any) -> int:
    """What several channels leak together is not what their product does."""
    channels = [direct.channel_of(direct.normalised(table)) for table in tables]
    side = lt.parallel(*channels)
    whole = side.expand()
    assert lt.min_capacity(side).factor == direct.sum_of_maxima(direct.rows_of(whole))
    assert lt.posterior_vulnerability(side) == lt.posterior_vulnerability(whole)
    assert np.isclose(lt.mutual_information(side), lt.mutual_information(whole), atol=1e-12)
    return 3
