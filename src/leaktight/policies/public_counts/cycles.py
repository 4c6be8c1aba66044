"""The simple cycle through some cells with the largest product, or sum.

If the counts determine how many records are in each cell, neighbours change records along a simple
cycle of cells. The heaviest of these is a travelling salesman's question in general. It has a
short answer where what a move adds is a part of the cell that it leaves and a part of the cell that
it enters, and one by dynamic programming for a few cells; beyond, an assignment is a bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any, TypeAlias

import numpy as np
from flint import arb, fmpq

from leaktight.exact.numbers import Array, to_float
from leaktight.exact.rounding import precision

MOST_CELLS = 10
"""The most cells whose cycles are gone through, set by set."""

SCALE = 2**32
"""Logarithms are rounded up to multiples of 1/SCALE for a bound, so that sums of them are exact."""


Paths: TypeAlias = dict[tuple[frozenset[int], int], tuple[Any, tuple[int, ...]]]
"""By the cells of a path and its last one, the heaviest such path."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """A cycle through cells, in order, and the ``most`` that any cycle could have."""

    cells: tuple[int, ...]
    weight: Any
    most: Any


def heaviest_cycle(weights: Sequence[Sequence[Any]], multiply: bool) -> Cycle:
    """Return the heaviest cycle through two cells or more, for weights from cell to cell.

    Products are of numbers from 1 up. What stands on the diagonal is not looked at.

    >>> one, two = fmpq(1), fmpq(2)
    >>> heaviest_cycle([[None, two, one], [one, None, two], [two, one, None]], multiply=True)
    Cycle(cells=(0, 1, 2), weight=8, most=8)
    """
    parts = _parts(weights, multiply)
    if parts is not None:
        ranked = sorted(range(len(parts)), key=lambda i: (parts[i], -i), reverse=True)
        neutral = fmpq(1 if multiply else 0)
        chosen = sorted(ranked[: max(2, sum(part > neutral for part in parts))])
        weight = _along(weights, chosen, multiply)
        return Cycle(tuple(chosen), weight, weight)
    if len(weights) <= MOST_CELLS:
        return _by_sets(weights, multiply)
    return _bounded(weights, multiply)


def cycle_with_one(
    first: Sequence[Sequence[Any]], onward: Sequence[Sequence[Any]], multiply: bool
) -> Cycle | None:
    """Return a heavy cycle whose first step has its weight in one table, all others in another.

    None stands where there is no step. From each first step it goes on with the heaviest step, of
    equal ones to where the fewest go on, and closes where that adds most: ``most`` is no bound.

    >>> one, two = fmpq(1), fmpq(2)
    >>> line = [[None, two, None], [two, None, two], [None, two, None]]
    >>> others = [[None, None, one], [None, None, None], [one, None, None]]
    >>> cycle_with_one(line, others, multiply=True) is None  # from 1 nothing goes on
    True
    """
    best: Cycle | None = None
    cells = range(len(first))
    for i, j in [(i, j) for i in cells for j in cells if i != j and first[i][j] is not None]:
        path, weight, left = [i, j], first[i][j], set(cells) - {i, j}
        while True:
            last = path[-1]
            if (back := onward[last][i]) is not None:
                closed = _times(weight, back, multiply)
                if best is None or closed > best.weight:
                    best = Cycle(tuple(path), closed, closed)
            ways = [
                (onward[last][k], -sum(onward[k][m] is not None for m in left), -k)
                for k in left
                if onward[last][k] is not None
            ]
            if not ways:
                break
            step, _, place = max(ways)
            weight = _times(weight, step, multiply)
            path.append(-place)
            left.discard(-place)
    return best


def _times(a: Any, b: Any, multiply: bool) -> Any:
    return a * b if multiply else a + b


def _along(weights: Sequence[Sequence[Any]], cycle: Sequence[int], multiply: bool) -> Any:
    total = fmpq(1 if multiply else 0)
    for i, j in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        total = _times(total, weights[i][j], multiply)
    return total


def _parts(weights: Sequence[Sequence[Any]], multiply: bool) -> list[Any] | None:
    """Return a_i·b_i if the weight from i to j is a_i·b_j (or the sums); None if it is not.

    Then a cycle weighs Π a_i·b_i, whatever its order.
    """
    cells = range(len(weights))
    if len(weights) == 2:
        return [_times(weights[0][1], weights[1][0], multiply), fmpq(1 if multiply else 0)]

    def without(a: Any, b: Any) -> Any:
        return a / b if multiply else a - b

    entering: list[Any] = [None, *weights[0][1:]]
    leaving = [fmpq(1 if multiply else 0)]
    leaving += [
        without(weights[i][2 if i == 1 else 1], entering[2 if i == 1 else 1]) for i in cells[1:]
    ]
    entering[0] = without(weights[1][0], leaving[1])
    if all(
        weights[i][j] == _times(leaving[i], entering[j], multiply)
        for i in cells for j in cells if i != j
    ):  # fmt: skip
        return [_times(a, b, multiply) for a, b in zip(leaving, entering, strict=True)]
    return None


def _by_sets(weights: Sequence[Sequence[Any]], multiply: bool) -> Cycle:
    """Go through all sets of cells: the heaviest path from the first cell to each last one."""
    best: tuple[Any, tuple[int, ...]] | None = None
    for first in range(len(weights) - 1):
        neutral = fmpq(1 if multiply else 0)
        paths: Paths = {(frozenset([first]), first): (neutral, (first,))}
        while paths:
            longer: Paths = {}
            for (used, last), (weight, path) in paths.items():
                for after in range(first + 1, len(weights)):
                    if after not in used:
                        grown = _times(weight, weights[last][after], multiply)
                        key = used | {after}, after
                        if key not in longer or grown > longer[key][0]:
                            longer[key] = grown, (*path, after)
            for (_, last), (weight, path) in longer.items():
                closed = _times(weight, weights[last][first], multiply)
                if best is None or closed > best[0]:
                    best = closed, path
            paths = longer
    assert best is not None
    return Cycle(best[1], best[0], best[0])


def _bounded(weights: Sequence[Sequence[Any]], multiply: bool) -> Cycle:
    """Bound all cycles by the best assignment of successors, where a cell may be left out."""
    cells = range(len(weights))
    unit = SCALE if multiply else _denominator(weights)
    sizes = np.zeros((len(weights), len(weights)), dtype=object)
    for i in cells:
        for j in cells:
            if i != j:
                exact = weights[i][j]
                sizes[i, j] = logarithm(exact) if multiply else int((exact * unit).p)
    after, total = _assignment(sizes)
    if multiply:
        upper: Any = of_logarithm(total)
    else:
        upper = fmpq(total, unit)
    cycles, left = [_greedy(weights)], set(cells)
    while left:
        cycle = [left.pop()]
        while (following := int(after[cycle[-1]])) != cycle[0]:
            cycle.append(following)
            left.discard(following)
        cycles += [cycle] if len(cycle) > 1 else []
    found = max((_along(weights, cycle, multiply), cycle) for cycle in cycles)
    return Cycle(tuple(found[1]), found[0], max(upper, found[0]))


def _assignment(sizes: Array) -> tuple[Any, int]:
    """Return a successor for each cell, and no less than the sizes of any successors add up to.

    For any numbers v_j, no assignment has more than Σ_i max_j (w_ij − v_j) + Σ_j v_j, as each j is
    taken once. Floats propose the assignment, and v is such that each i has its maximum at what it
    is assigned: v of that is at most v_j + w of that − w_ij for all j. These are whole numbers, so
    that a proposal that is not the best makes the bound wide, and never wrong.
    """
    from scipy.optimize import linear_sum_assignment

    largest = max(1, *map(abs, sizes.ravel().tolist()))
    near = np.array([to_float(fmpq(size, largest)) for size in sizes.ravel()]).reshape(sizes.shape)
    _, after = linear_sum_assignment(near, maximize=True)
    every = np.arange(len(sizes))
    apart = sizes[every, after][:, None] - sizes
    prices = np.zeros(len(sizes), dtype=object)
    for _ in every:
        lower = prices.copy()
        lower[after] = np.minimum(prices[after], (prices + apart).min(axis=1))
        if (lower == prices).all():
            break
        prices = lower
    return after, int((sizes - prices).max(axis=1).sum() + prices.sum())


def _denominator(weights: Sequence[Sequence[Any]]) -> int:
    """Return a number that makes all weights whole."""
    return lcm(*(int(w.q) for i, row in enumerate(weights) for j, w in enumerate(row) if i != j))


def logarithm(weight: Any) -> int:
    """Return a whole number of SCALE that is at least the binary logarithm of a weight."""
    with precision(96 + weight.height_bits().bit_length()):
        return int((arb(weight).log_base(2) * SCALE).upper().ceil().fmpz())


def of_logarithm(total: int) -> Any:
    """Return no less than the number whose binary logarithm is so often 1/SCALE."""
    with precision(128 + total.bit_length()):
        return (arb(2) ** arb(fmpq(total, SCALE))).upper().fmpq()


def _greedy(weights: Sequence[Sequence[Any]]) -> list[int]:
    """Return a cycle through all cells that goes on with the heaviest step each time."""
    cycle, left = [0], set(range(1, len(weights)))
    while left:
        after = max(sorted(left), key=lambda j: weights[cycle[-1]][j])
        cycle.append(after)
        left.discard(after)
    return cycle
