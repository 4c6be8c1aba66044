"""Distances of two distributions.

Total variation adds differences up; the multiplicative distance is the largest ratio of
probabilities, the λ = e^ε of differential privacy. Both are exact for exact distributions.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from leaktight.channels.distribution import Distribution, PriorLike, ProductDistribution, known
from leaktight.errors import Mismatch
from leaktight.exact.numbers import Array, Value, is_exact, public, rational
from leaktight.exact.rounding import float_above
from leaktight.labels import Labels, alignment


def total_variation(p: PriorLike, q: PriorLike) -> Value:
    """Return ½ Σ |p − q|, the largest difference in the probability of any event.

    For floats the error is at most 2^-47 of the result.

    >>> total_variation(["1/2", "1/2", 0], ["1/4", "1/4", "1/2"])
    Fraction(1, 2)
    """
    _, one, other = aligned_arrays(p, q)
    return public(sum_of_differences(one, other) / 2)


def multiplicative_distance(p: PriorLike, q: PriorLike) -> Value:
    """Return the largest ratio of the probabilities of a value, either way; ε is its logarithm.

    For floats it is rounded up. 0 against 0 is no difference, 0 against anything positive an
    infinite one.

    >>> multiplicative_distance(["1/2", "1/2", 0], ["1/4", "3/4", 0])
    Fraction(2, 1)
    >>> multiplicative_distance([1, 0], ["1/2", "1/2"])
    inf
    """
    _, one, other = aligned_arrays(p, q)
    high, low = np.maximum(one, other), np.minimum(one, other)
    return largest_quotient(high, low)[0]


def aligned(p: PriorLike, q: PriorLike) -> tuple[Distribution, Distribution]:
    """Return two distributions on the same values in the same order.

    If one of them has no labels, they are taken by position.
    """
    one, other = known(p), known(q)
    if all(isinstance(given, Distribution | ProductDistribution | Mapping) for given in (p, q)):
        order = alignment(one.values, other.values, "the two distributions")
        return one, other if order is None else other.on(one.values)
    if len(one) != len(other):
        raise Mismatch(
            "the two distributions must have as many probabilities as each other, "
            f"got {len(one)} and {len(other)}"
        )
    return one, Distribution.trusted(one.values, other.array)


def aligned_arrays(p: PriorLike, q: PriorLike) -> tuple[Labels, Array, Array]:
    """Return the common values and both arrays of probabilities, both exact or both floats."""
    one, other = aligned(p, q)
    if not (one.is_exact and other.is_exact):
        one, other = one.float(), other.float()
    return one.values, one.array, other.array


def sum_of_differences(one: Array, other: Array) -> Any:
    """Return Σ |one − other|, for floats in blocks that stay in the cache.

    numpy adds the 2^16 numbers of a block in pairs of pairs, so that none goes through more than
    40 additions; each of them, like the difference, is rounded once.
    """
    if is_exact(one):
        return np.abs(one - other).sum()
    size = 2**16
    starts = range(0, len(one), size)
    blocks = (one[start : start + size] - other[start : start + size] for start in starts)
    return math.fsum([np.abs(block, out=block).sum() for block in blocks])


def largest_quotient(high: Array, low: Array) -> tuple[Value, int]:
    """Return the largest of the ratios high/low that are not 0/0, and where it is."""
    occurs = np.flatnonzero(high > 0)
    if not low[occurs].all():
        return math.inf, int(occurs[low[occurs] == 0][0])
    with np.errstate(over="ignore"):
        ratios = high[occurs] / low[occurs]
    at = int(occurs[ratios.argmax()])
    if is_exact(high):
        return public(ratios.max()), at
    # Division rounds to nearest, so the largest ratio is among those that are largest when rounded.
    largest = (rational(high[z]) / rational(low[z]) for z in occurs[ratios == ratios.max()])
    return float_above(max(largest)), at
