"""Which columns does the best mechanism likely consist of? A search in floating point.

The program of the columns found so far gives prices, and columns that earn more than they cost at
these are added. Few columns leave the prices nearly free, so columns are looked for at prices that
are mixed with the best that are known. Nothing here is claimed: what comes out is made exact in
:mod:`leaktight.mechanisms.design`.
"""

from dataclasses import dataclass

import numpy as np
from flint import fmpq

from leaktight.errors import Undecided
from leaktight.exact import TOLERANCES, Array, float_array, to_float
from leaktight.graph import Graph, Indices
from leaktight.linear_program import GrowingProgram, LinearProgram, solve_inside
from leaktight.mechanisms.pricing import LARGEST, Floats, Pricing
from leaktight.orbits import Points
from leaktight.symmetry import AutomorphismGroup, automorphism_group

MOST_ROUNDS = 500
"""How often columns are added."""

FARTHEST = 2.0**10
"""How far prices may go, in units of the largest gain times λ/(λ − 1)."""

LEAST_PROFIT = 2.0**-36
"""What a column must earn more than it costs to be added, in units of the largest gain."""

SMOOTH = 0.8
"""How much of the best prices so far is mixed into those at which columns are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A connected graph with what each guess (row) earns at each input, and what is alike."""

    graph: Graph
    earned: Array
    floats: Floats
    orbits: Points
    pairs: Points | None
    """The orbit of each pair of input and guess; None if only the identity is known."""
    guesses: Indices
    """A guess of each orbit."""

    @classmethod
    def of(cls, graph: Graph, earned: Array) -> "Part":
        """Find what is alike."""
        floats = float_array(earned)
        group = _symmetry(graph, earned, floats)
        if group is None:
            inputs = np.arange(graph.order, dtype=np.int32)
            return cls(graph, earned, floats, inputs, None, np.arange(len(earned)))
        orbits = group.orbit_labels
        first = np.unique(orbits, return_index=True)[1]
        return cls(graph, earned, floats, orbits, group.orbital_labels, first)

    @property
    def sizes(self) -> Indices:
        """How many inputs each orbit has."""
        return np.bincount(self.orbits)

    def gathered(self, columns: Array) -> Array:
        """The sum over each orbit of inputs, for each row of entries."""
        if self.pairs is None:
            return columns
        order = np.argsort(self.orbits, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        gathered: Array = np.add.reduceat(columns[:, order], starts, axis=1)
        return gathered

    def spread(self, matrix: Array) -> Array:
        """The mean over each orbit of pairs."""
        if self.pairs is None:
            return matrix
        labels, flat = self.pairs.ravel(), matrix.ravel()
        order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
        means: Array = np.add.reduceat(flat[order], np.cumsum(sizes) - sizes) / sizes
        return means[self.pairs]


def _symmetry(graph: Graph, earned: Array, floats: Floats) -> AutomorphismGroup | None:
    """Return automorphisms that keep what is earned, acting on guesses as on inputs, if any."""
    if earned.shape[0] != earned.shape[1]:
        return None
    kept = [
        g
        for g in automorphism_group(graph).generators
        if np.array_equal(floats[np.ix_(g, g)], floats)
        and np.array_equal(earned[np.ix_(g, g)], earned)
    ]
    return AutomorphismGroup.from_indices(graph, kept) if kept else None


def propose_columns(part: Part, ratio: fmpq, way: Pricing) -> tuple[Indices, Floats, Floats]:
    """Return columns as rows of levels, their weights, and the prices; an estimate."""
    near, distances = min(to_float(ratio), LARGEST), part.graph.distances.astype(np.int64)
    _, first = np.unique(part.orbits, return_index=True)
    levels = distances[first]
    columns = np.power(near, -levels)
    worth = (columns @ part.floats.T).max(axis=1)
    prices, weights = _weighting(part, columns, worth)
    if weights.min() > -TOLERANCES.entry and not len(_cheaper(part, near, way, prices, prices)[0]):
        return levels, weights, prices[part.orbits]
    constant = np.zeros_like(levels[:1])
    try:
        return _generate(part, near, way, np.vstack([levels, constant]))
    except Undecided:  # the solver sees no difference between columns: λ is all but 1
        return constant, np.ones(1), part.floats[part.floats.sum(axis=1).argmax()]


def _weighting(part: Part, columns: Floats, worth: Floats) -> tuple[Floats, Floats]:
    """Return the prices at which columns cost what they earn, and the weights that sum to 1."""
    square: Floats = part.gathered(columns)
    both = (square, worth), (square.T, part.sizes.astype(np.float64))
    try:  # there may be fewer columns than orbits
        prices, weights = (np.asarray(np.linalg.solve(a, b), dtype=np.float64) for a, b in both)
        return prices, weights
    except np.linalg.LinAlgError:
        return np.zeros(len(square)), np.full(len(square), -1.0)


def _generate(
    part: Part, ratio: float, way: Pricing, levels: Indices
) -> tuple[Indices, Floats, Floats]:
    """Add columns that earn more than they cost, until there are none."""
    reach = FARTHEST * np.abs(part.floats).max() * ratio / (ratio - 1)
    master = GrowingProgram(part.sizes.astype(np.float64), reach)
    known = dict.fromkeys(map(tuple, levels.tolist()))
    best = np.full(len(part.sizes), part.floats.max())  # at which no column earns more
    new, optimum = levels, None
    for _ in range(MOST_ROUNDS):
        columns = np.power(ratio, -new)
        master.add(part.gathered(columns), (columns @ part.floats.T).max(axis=1))
        try:
            optimum, chosen = master.solve(), master.binding()
        except Undecided:
            if optimum is None:
                raise
            break
        smooth = SMOOTH
        while True:
            prices = smooth * best + (1 - smooth) * optimum.x
            new, lacking = _cheaper(part, ratio, way, prices, optimum.x)
            if (prices + lacking) @ part.sizes < best @ part.sizes:
                best = prices + lacking
            new = np.array([row for row in new.tolist() if tuple(row) not in known], dtype=np.int64)
            if len(new) or smooth == 0:
                break
            smooth = smooth / 2 if smooth > (1 - SMOOTH) else 0
        if not len(new):
            break
        known.update(dict.fromkeys(map(tuple, new.tolist())))
    assert optimum is not None
    levels = np.array(list(known))[chosen]
    columns = np.power(ratio, -levels)
    prices, weights = _weighting(part, columns, (columns @ part.floats.T).max(axis=1))
    if not weights.min() > -TOLERANCES.entry:  # the solver's own are less accurate
        prices, weights = optimum.x, optimum.y[chosen]
    return levels, weights, prices[part.orbits]


def _cheaper(
    part: Part, ratio: float, way: Pricing, prices: Floats, paid: Floats
) -> tuple[Indices, float]:
    """Return columns, cheap at some prices, that earn more than they cost at those that are paid.

    Also return how much the prices lack at the least.
    """
    reduced = prices[part.orbits] - part.floats[part.guesses]
    levels = way.cheapest(reduced)
    levels = np.unique(levels - levels.min(axis=1, keepdims=True), axis=0)
    columns = np.power(ratio, -levels)
    worth = (columns @ part.floats.T).max(axis=1)
    lacking = (worth - columns @ prices[part.orbits]) / columns.sum(axis=1)
    cheap = columns @ paid[part.orbits] < worth - LEAST_PROFIT * np.abs(part.floats).max()
    return levels[cheap], max(0.0, float(lacking.max()))


def propose_on_complete(floats: Floats, ratio: float) -> tuple[Floats, Floats]:
    """Return a channel on a complete graph and the prices, by interior points; an estimate.

    The entries of a column are between its least one m_w and λ·m_w, so that there are two
    constraints for an entry and none for a pair of inputs.
    """
    guesses, n = floats.shape
    entry = np.arange(n * guesses)
    row, guess = np.divmod(entry, guesses)
    least = n * guesses + guess
    ones = np.ones(n * guesses)
    program = LinearProgram(
        np.concatenate([-floats.T.ravel(), -floats.sum(axis=1)]),
        (
            np.concatenate([row, row, n + entry, n + entry]),
            np.concatenate([entry, least, entry, least]),
            np.concatenate([ones, ones, ones, (1 - ratio) * ones]),
        ),
        row_lower=[*[1.0] * n, *[None] * (n * guesses)],
        row_upper=[*[1.0] * n, *[0.0] * (n * guesses)],
    )
    found = solve_inside(program)
    above, below = found.x[: n * guesses].reshape(n, guesses), found.x[n * guesses :]
    return above + below, -found.y[:n]
