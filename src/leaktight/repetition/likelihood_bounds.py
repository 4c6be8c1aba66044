"""Bounds of an error where the types are too many to go through.

The error lies between sums of pairwise errors. It is at most their sum over all pairs; it is at
least their sum over the edges of any tree, and their sum over all pairs minus that of the errors of
triples. The inequalities are proved in docs/proofs/repetition.md.
"""

from collections.abc import Hashable
from itertools import combinations
from math import comb

import numpy as np
from flint import arb, fmpq

from leaktight.channels.distribution import PriorLike
from leaktight.errors import TooLarge
from leaktight.exact.numbers import Array
from leaktight.exact.rounding import precision
from leaktight.limits import allowed
from leaktight.repetition.enclosure import Ends, SuccessProbability
from leaktight.repetition.pair_error import BITS, COARSE, POINTS, Pair, at_most
from leaktight.repetition.rounds import Observations, Observed, observe

MOST_CLASSES = 100
"""The most classes of secrets whose pairs are all looked at."""

MOST_PAIRS = 12
"""How many of the pairs that are hardest to tell apart are put on a grid."""

MOST_TRIPLES = 2**12
"""The most triples that are looked at."""

NEGLIGIBLE = fmpq(1, 2**10)
"""Pairs whose errors together are such a part of the others' are not put on a grid."""

SHARP = fmpq(1, 2**30)
"""A part of the error that is not worth a finer grid."""


def success_bounds(channel: Observed, prior: PriorLike = None, n: int = 1) -> SuccessProbability:
    """Return proved bounds on the success probability, however many types there are.

    For two secrets the bounds on the error are less than a percent apart, up to a thousand
    observations or so. For k secrets they differ by a factor of at most k/2 more, and of little
    more than 1 if the secrets are told apart well.

    >>> from leaktight.channels.channel import Channel
    >>> dice = Channel.normalised([[3, 2, 2, 2, 2, 1], [1, 2, 2, 2, 2, 3], [1, 1, 3, 3, 2, 2]])
    >>> success_bounds(dice, n=100)
    SuccessProbability(right 0.983191 to 0.98398, wrong 0.0160205 to 0.0168081
    after 100 observations; bounds)
    """
    return bounded_success(observe(channel, prior).rounds(n), POINTS)


def bounded_success(seen: Observations, points: int) -> SuccessProbability:
    """Return the bounds for observations that have been read.

    Grids have at most so many points, and fewer where these are as good.
    """
    best = seen.best
    low, high = _excess(seen, best, points)
    alike = 1 - best.sum()
    error = alike + low, alike + high
    return SuccessProbability.of_error(error, seen.total, "bounds", seen.is_exact)


def _excess(seen: Observations, best: Array, points: int) -> Ends:
    """Enclose Σ_y (Σ_c w_c·P_c(y) − max_c w_c·P_c(y)), c the classes and w_c their best guesses."""
    trivial = best.sum() - best.max()
    if not seen.parts:
        return trivial, trivial
    if len(best) > allowed(MOST_CLASSES):
        raise TooLarge(
            f"so many observations are bounded by pairs of secrets, of at most "
            f"{allowed(MOST_CLASSES):,} secrets, got {len(best):,}: take some of the inputs, or "
            "estimate it with leaktight.repetition.simulate_success"
        )
    errors = _pair_errors(seen, best, min(points, COARSE))
    lower, upper = _between_pairs(seen, best, errors)
    blurred = sum((high - low for low, high in errors.values() if low), fmpq(0))
    if points > COARSE and blurred > NEGLIGIBLE * (upper - lower) and blurred > SHARP * lower:
        errors = _pair_errors(seen, best, points)
        lower, upper = _between_pairs(seen, best, errors)
    return lower, min(upper, trivial)


def _between_pairs(seen: Observations, best: Array, errors: dict[frozenset[int], Ends]) -> Ends:
    """Bound the error by those of the pairs."""
    upper = sum((high for _, high in errors.values()), fmpq(0))
    lower = _heaviest_tree({pair: low for pair, (low, _) in errors.items()}, len(best))
    if comb(len(best), 3) <= MOST_TRIPLES:
        pairs = sum((low for low, _ in errors.values()), fmpq(0))
        lower = max(lower, pairs - _triple_errors(seen, best, errors))
    return lower, upper


def _pair_errors(seen: Observations, best: Array, points: int) -> dict[frozenset[int], Ends]:
    """Enclose the error of each pair that can be confused; the negligible ones roughly."""
    bounds = {}
    with precision(BITS):
        for c, d in combinations(range(len(best)), 2):
            both = tuple((_common(matrix[[c, d]]), n) for matrix, n in seen.parts)
            if all(matrix.size for matrix, _ in both):
                pair = Pair((best[c], best[d]), both)
                tilt = pair.tilt()
                bounds[c, d] = at_most(pair.chernoff(tilt)), pair, tilt
    errors, found, known = {}, fmpq(0), dict[Hashable, Ends]()
    rest = sum((bound for bound, _, _ in bounds.values()), fmpq(0))
    for (c, d), (bound, pair, tilt) in sorted(bounds.items(), key=lambda item: -item[1][0]):
        # In a symmetric channel many pairs are alike.
        key = pair.weights, *(tuple(map(tuple, matrix.T)) for matrix, _ in pair.parts)
        if key not in known and len(known) < MOST_PAIRS and rest > NEGLIGIBLE * found:
            known[key] = pair.error(tilt, points)
        low, high = known.get(key, (fmpq(0), bound))
        errors[frozenset((c, d))] = low, min(high, bound, best[c], best[d])
        found, rest = found + low, rest - bound
    return errors


def _common(rows: Array) -> Array:
    """Return the columns that are positive in both rows, sorted."""
    both = rows[:, (rows > 0).all(axis=0)]
    return both[:, np.lexsort(both)] if both.size else both


def _heaviest_tree(weights: dict[frozenset[int], fmpq], classes: int) -> fmpq:
    """Return the largest sum of weights over the edges of a forest."""
    tree, whole = list(range(classes)), fmpq(0)
    for (c, d), weight in sorted(weights.items(), key=lambda item: -item[1]):
        if tree[c] != tree[d]:
            whole += weight
            tree = [tree[c] if t == tree[d] else t for t in tree]
    return whole


def _triple_errors(seen: Observations, best: Array, errors: dict[frozenset[int], Ends]) -> fmpq:
    """Return at least the sum of Σ_y min(w_c·P_c(y), w_d·P_d(y), w_e·P_e(y)) over all triples.

    Each is at most the error of any two of the three, and at most the geometric mean's.
    """
    whole = fmpq(0)
    with precision(BITS):
        for triple in combinations(range(len(best)), 3):
            pairs = [frozenset(pair) for pair in combinations(triple, 2)]
            if all(pair in errors for pair in pairs):
                mean = arb(best[[*triple]].prod()).root(3)
                for matrix, n in seen.parts:
                    products = matrix[[*triple]].prod(axis=0)
                    mean *= sum((arb(p).root(3) for p in products if p > 0), arb(0)) ** n
                whole += min(at_most(mean), *(errors[pair][1] for pair in pairs))
    return whole
