"""Kantorovich distances: how far probability must be moved where values have distances.

Both of Kantorovich's distances are exact for exact distributions, and rounded up for ratios of
floats.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import reduce
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np
from flint import fmpz

from leaktight.channels.distance import aligned, aligned_arrays, sum_of_differences
from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidInput, InvalidNumber, Mismatch
from leaktight.exact.matrix import read_table
from leaktight.exact.numbers import (
    Array,
    Value,
    float_array,
    is_exact,
    public,
    rational,
    read_numbers,
)
from leaktight.exact.rounding import float_above
from leaktight.exact.tolerances import TOLERANCES
from leaktight.labels import Labels, positions

Ground: TypeAlias = Callable[[Any, Any], Any] | Mapping[tuple[Hashable, Hashable], Any] | Any | None
"""How far apart values are: a function, a mapping of pairs or a matrix; None is |a − b|."""

Ratios: TypeAlias = Callable[[Any, Any], Any] | Mapping[Any, Any]
"""The e^ε that is promised between values: a function, or a mapping of pairs, in either order."""


def kantorovich(p: PriorLike, q: PriorLike, distance: Ground = None) -> Value:
    """Return the least work that turns p into q, if moving mass costs its ``distance``.

    Without a distance the values must be numbers on a line. For distance 1 between all values it
    is the total variation.

    >>> kantorovich({1: "1/2", 2: 0, 4: "1/2"}, {1: 0, 2: 1, 4: 0})
    Fraction(3, 2)
    >>> kantorovich(["1/2", "1/2"], [1, 0], lambda a, b: (a - b) ** 2)
    Fraction(1, 2)
    """
    values, one, other = aligned_arrays(p, q)
    if distance is None:
        steps = along_the_line(np.array([one, other]), values)
        return public(sum_of_differences(*steps))
    return _least_work(one, other, _ground(distance, values))


def multiplicative_kantorovich(p: PriorLike, q: PriorLike, ratios: Ratios) -> Value:
    """Return the largest ratio, either way, of the means under p and q that any such f can have.

    f is not negative, and f(a) ≤ ratios(a, b)·f(b) for any two values; a pair that a mapping lacks
    has no limit, like one whose ratio is infinite. Nobody who sees the output of a mechanism that
    keeps these ratios between inputs has more to tell p from q ([Chatzikokolakis2014]_). With no
    limits it is the ``multiplicative_distance``. If there are floats it is rounded up.

    >>> geometric = lambda a, b: 2 ** abs(a - b)
    >>> multiplicative_kantorovich(["1/2", "1/2", 0], [0, "1/2", "1/2"], geometric)
    Fraction(2, 1)
    >>> multiplicative_kantorovich(["3/4", "1/4"], ["1/4", "3/4"], {(0, 1): 2})
    Fraction(7, 5)
    """
    one, other = aligned(p, q)
    pairs = list[tuple[int, int, Any]]()
    exact = one.is_exact and other.is_exact
    for (i, a), (j, b) in permutations(enumerate(one.values), 2):
        ratio = _ratio(ratios, a, b)
        exact &= not isinstance(ratio, float) or ratio == math.inf
        if ratio != math.inf:
            pairs.append((i, j, rational(ratio)))
    both = one.exact().array, other.exact().array
    ways = _largest_mean(*both, pairs), _largest_mean(*both[::-1], pairs)
    if math.inf in ways:
        return math.inf
    return public(max(ways)) if exact else float_above(max(ways))


def along_the_line(rows: Array, values: Labels) -> Array:
    """Return what passes over each gap between neighbouring values, times its width."""
    try:
        places = read_numbers(values)
    except InvalidNumber as wrong:
        raise InvalidInput(
            f"without a distance the values must be numbers: {wrong}; give a distance"
        ) from None
    order = np.argsort(places, kind="stable")
    gaps = np.diff(places[order])
    if not (is_exact(rows) and is_exact(gaps)):
        rows, gaps = float_array(rows), float_array(gaps)
    return np.cumsum(rows[:, order], axis=1)[:, :-1] * gaps


def _ground(distance: Ground, values: Labels) -> Array:
    """Return the distances between all values as a matrix."""
    if isinstance(distance, Mapping):
        distance = [[_listed(distance, a, b) for b in values] for a in values]
    elif callable(distance):
        distance = [[distance(a, b) for b in values] for a in values]
    matrix, *names = read_table(distance, None, None, "distance", InvalidInput)
    for axis, labels in enumerate(names):
        if labels is not None:
            matrix = matrix.take(positions(values, tuple(labels), "value of the distance"), axis)
    if matrix.shape != (len(values), len(values)):
        raise Mismatch(
            f"a distance between {len(values)} values must be as many rows and columns, "
            f"got {matrix.shape[0]} × {matrix.shape[1]}"
        )
    right = matrix >= 0
    if not is_exact(matrix):
        right &= matrix < math.inf
    if not right.all():
        i, j = np.argwhere(~right)[0]
        raise InvalidInput(
            f"a distance must be finite and at least 0, "
            f"got {matrix[i, j]} from {values[i]!r} to {values[j]!r}"
        )
    return matrix


def _listed(distance: Mapping[Any, Any], a: Hashable, b: Hashable) -> Any:
    for pair in ((a, b), (b, a)):
        if pair in distance:
            return distance[pair]
    if a == b:
        return 0
    raise Mismatch(f"the distance must say how far {a!r} is from {b!r}, but has no such pair")


def _ratio(ratios: Ratios, a: Hashable, b: Hashable) -> Any:
    if isinstance(ratios, Mapping):
        ratio = ratios.get((a, b), ratios.get((b, a), math.inf))
    elif callable(ratios):
        ratio = ratios(a, b)
    else:
        raise InvalidInput(f"ratios must be a function or a mapping of pairs, got {ratios!r:.60}")
    if ratio != math.inf and not rational(ratio) >= 1:
        raise InvalidInput(f"the ratio of {a!r} and {b!r} must be at least 1, got {ratio!r:.60}")
    return ratio


def _largest_mean(p: Array, q: Array, pairs: Sequence[tuple[int, int, Any]]) -> Any:
    """Return the largest Σ p·f over f ≥ 0 with Σ q·f = 1 and f_i ≤ ratio·f_j for all pairs."""
    from leaktight.exact.linear_program import LinearProgram, solve_exact

    n, limits = len(p), range(1, len(pairs) + 1)
    tails, heads, ratios = zip(*pairs, strict=True) if pairs else ((), (), ())
    program = LinearProgram(
        -p,
        (
            [*[0] * n, *limits, *limits],
            [*range(n), *heads, *tails],
            [*q, *ratios, *[-1] * len(pairs)],
        ),
        row_lower=[1, *[0] * len(pairs)],
        row_upper=[1, *[None] * len(pairs)],
    )
    best = solve_exact(program).optimum
    return math.inf if best is None else -best.value


def _least_work(p: Array, q: Array, distances: Array) -> Value:
    """Solve the transportation problem between the values that have too much and too little."""
    from leaktight.exact.linear_program import LinearProgram, solve, solve_exact

    exact = is_exact(p) and is_exact(distances)
    if not exact:
        p, q, distances = map(float_array, (p, q, distances))
    stays = np.minimum(p, q)
    if _ways_round_are_longer(distances, np.flatnonzero(stays > 0)):
        p, q = p - stays, q - stays
    sources, sinks = np.flatnonzero(p > 0), np.flatnonzero(q > 0)
    if not (len(sources) and len(sinks)):
        return public(p[0] - p[0])
    n, m = len(sources), len(sinks)
    routes = np.arange(n * m)
    # What arrives at the last sink is what the others leave.
    others = routes[routes % m < m - 1]
    # However little there is to move and however far, the solver sees numbers of at most 1.
    whole = p.sum()
    farthest = 1 if exact or not distances.any() else distances.max()
    amounts = np.concatenate([p[sources], q[sinks[:-1]]]) / whole
    program = LinearProgram(
        distances[np.ix_(sources, sinks)].ravel() / farthest,
        (
            np.concatenate([routes // m, n + others % m]),
            np.concatenate([routes, others]),
            np.ones(len(routes) + len(others), dtype=distances.dtype),
        ),
        row_lower=amounts,
        row_upper=amounts,
        lower=np.zeros(len(routes), dtype=distances.dtype),  # reading numbers of one kind is quick
    )
    answer = solve_exact(program) if exact else solve(program)
    best = answer.settled("the distance is not settled in floating point; use .exact()")
    return public(best.value * whole * farthest)


def _ways_round_are_longer(distances: Array, middles: Array) -> bool:
    """Say whether no way over a middle is a short cut, in floats up to rounding.

    Then what is at a middle may stay there: what would come in could go where it would go to.
    """
    if is_exact(distances):  # compared as integers, which is quicker
        common = reduce(fmpz.lcm, (d.q for d in distances.ravel()))
        integers = [int((d * common).p) for d in distances.ravel()]
        kind = np.int64 if max(integers) < 2**62 else object
        direct = distances = np.array(integers, dtype=kind).reshape(distances.shape)
    else:
        direct = distances * (1 - TOLERANCES.proportional)
    return not distances[middles, middles].any() and all(
        (direct <= distances[:, [k]] + distances[k]).all() for k in middles
    )
