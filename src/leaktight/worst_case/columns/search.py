"""Columns of which the best mechanism likely consists: a search in floating point.

The program of the columns found so far gives prices, and columns that earn more than they cost at
these are added. Few columns leave the prices nearly free, so columns are looked for near the best
prices that are known: first those of interior points (``interior``), unless
the program is large, edges have lengths, or columns have entries too small for these. Nothing here
is claimed: what comes out is made exact in ``best``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from leaktight.errors import Undecided
from leaktight.exact.linear_program import GrowingProgram, LinearProgram, Optimum, solve_inside
from leaktight.exact.numbers import Array, float_array
from leaktight.exact.threads import one_thread
from leaktight.exact.tolerances import TOLERANCES
from leaktight.policies.graph import Graph, Indices
from leaktight.policies.symmetry import AutomorphismGroup, Points, automorphism_group
from leaktight.progress import tell
from leaktight.worst_case.columns.flow import Flow
from leaktight.worst_case.columns.interior import Arcs, interior_point, taken_apart
from leaktight.worst_case.columns.pricing import Flags, Floats, Pricing, step_of

MOST_ROUNDS = 500
"""How often columns are added."""

FARTHEST = 2.0**10
"""How far prices may go, in units of the largest gain times λ/(λ − 1)."""

LEAST_PROFIT = 2.0**-36
"""What a column must earn more than it costs to be added, in units of the largest gain."""

MOST_INSIDE = 2**25
"""The most numbers of all guesses' matrices for which interior points are computed: 256 MB."""

LEAST_INSIDE = 8
"""The fewest prices for which they are computed; columns find fewer as fast."""

MOST_RESOLVED = 48
"""The most bits between entries of a column for which interior points are computed."""

NEAR_PROFIT = 2.0**-28
"""How little more than it earns a column may cost to be looked at exactly."""

FINEST_PROFIT = 2.0**-46
"""The same at prices that need not be at a vertex, where floats are more accurate."""

MOST_RAISED = 8
"""How often prices are raised until no column earns more."""

MOST_IDLE = 40
"""How often columns are added that bring the best prices no nearer to those of the program."""

MOST_TIGHTENED = 20
"""How often more columns are made to cost what they earn, at prices near the best."""

SMOOTH = (0.8, 0.4, 0.2, 0.1, 0.0)
"""How much of the best prices so far is mixed into those at which columns are looked for, until
there are some."""

SMOOTH_LENGTHS = (0.3, 0.1, 0.0)
"""The same where edges have lengths, and columns are soon known."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A connected graph with what each guess (row) earns at each input, and what is alike."""

    graph: Graph
    earned: Array
    floats: Floats
    orbits: Points
    guesses: Indices
    """A guess of each orbit."""
    group: AutomorphismGroup | None = None
    """None if only the identity is known."""

    @classmethod
    def of(cls, graph: Graph, earned: Array) -> "Part":
        """Find what is alike."""
        group = _symmetry(graph, earned)
        return cls.plain(graph, earned) if group is None else cls.under(group, earned)

    @classmethod
    def under(cls, group: AutomorphismGroup, earned: Array) -> "Part":
        """Take automorphisms that keep what is earned, if there are any."""
        if not len(group.generators):
            return cls.plain(group.graph, earned)
        first = np.unique(group.orbit_labels, return_index=True)[1]
        floats = float_array(earned)
        return cls(group.graph, earned, floats, group.orbit_labels, first, group)

    @classmethod
    def plain(cls, graph: Graph, earned: Array) -> "Part":
        """Look for nothing that is alike."""
        inputs = np.arange(graph.order, dtype=np.int32)
        return cls(graph, earned, float_array(earned), inputs, np.arange(len(earned)))

    @property
    def sizes(self) -> Indices:
        """How many inputs each orbit has."""
        return np.bincount(self.orbits)

    def gathered(self, columns: Array) -> Array:
        """The sum over each orbit of inputs, for each row of entries."""
        if self.group is None:
            return columns
        order = np.argsort(self.orbits, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        gathered: Array = np.add.reduceat(columns[:, order], starts, axis=1)
        return gathered

    def spread(self, matrix: Array) -> Array:
        """The mean over each orbit of pairs."""
        if self.group is None:
            return matrix
        labels, flat = self.group.orbital_labels.ravel(), matrix.ravel()
        order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
        means: Array = np.add.reduceat(flat[order], np.cumsum(sizes) - sizes) / sizes
        return means[self.group.orbital_labels]

    def earns(self, matrix: Array) -> fmpq:
        """What an exact channel earns, its outputs being guesses."""
        return sum(map(np.dot, self.earned, matrix.T), fmpq(0))

    def everywhere(self, flows: Sequence[Flow]) -> list[Flow]:
        """The flows of all guesses, given those of one in each orbit: automorphisms carry them."""
        if self.group is None:
            return list(flows)
        images = self.group.generators.tolist()
        found = dict(zip(self.guesses.tolist(), flows, strict=True))
        waiting = list(found)
        for w in waiting:
            for image in images:
                if image[w] not in found:
                    found[image[w]] = found[w].moved(image)
                    waiting.append(image[w])
        return [found[w] for w in range(self.graph.order)]


def _symmetry(graph: Graph, earned: Array) -> AutomorphismGroup | None:
    """Return automorphisms that keep what is earned, acting on guesses as on inputs, if any."""
    group = automorphism_group(graph)
    if earned.shape[0] != earned.shape[1] or not len(group.generators):
        return None
    number: dict[fmpq, int] = {}
    alike = np.array([number.setdefault(e, len(number)) for e in earned.ravel().tolist()])
    alike = alike.reshape(earned.shape)
    kept = [g for g in group.generators if np.array_equal(alike[np.ix_(g, g)], alike)]
    return AutomorphismGroup.from_indices(graph, kept) if kept else None


@one_thread()
def propose_columns(
    part: Part, ratio: fmpq, way: Pricing, at_vertex: bool
) -> tuple[Indices, Floats, Floats]:
    """Return columns as rows of levels, their weights, and the prices; an estimate.

    If ``at_vertex``, the columns determine the prices, as an exact solution needs it. If not, any
    best prices do, which are found in fewer rounds.
    """
    step, distances = step_of(ratio), part.graph.distances.astype(np.int64)
    constant = np.zeros_like(distances[:1])
    alone = constant, np.ones(1), part.floats[part.floats.sum(axis=1).argmax()]
    shortest = int(part.graph.lengths.min()) if part.graph.size else 0
    if step * shortest < 2.0**-53:  # λ is 1, up to rounding
        return alone
    market = _Market(part, step, way, distances[part.floats[part.guesses].argmax(axis=1)])
    levels = distances[np.unique(part.orbits, return_index=True)[1]]
    rows, worth = market.offered(levels)
    prices, weights = _weighting(rows, worth, part.sizes)
    if weights.min() > -TOLERANCES.entry and not len(market.cheaper(prices, prices)[0]):
        return levels, weights, prices[part.orbits]
    known, centre = np.vstack([levels, constant]), None
    resolved = int(distances.max()) * step < MOST_RESOLVED * math.log(2)
    if resolved and market.in_steps and len(part.sizes) >= LEAST_INSIDE:
        arcs = Arcs(part.graph, math.exp(step))
        if len(part.guesses) * arcs.entries <= MOST_INSIDE:
            earned, orbits = part.floats[part.guesses], part.orbits.astype(np.intp)
            inside, centre = interior_point(arcs, earned, orbits)
            known = np.unique(np.vstack([known, taken_apart(inside, arcs.ratio)]), axis=0)
    try:
        return _generate(market, known, centre, at_vertex)
    except Undecided:  # the solver sees no difference between columns: λ is all but 1
        return alone


@dataclass(frozen=True, slots=True, eq=False)
class _Market:
    """Where columns are looked for: for each guess from where the last search ended."""

    part: Part
    step: float
    """ln λ"""
    way: Pricing
    levels: Indices

    @property
    def in_steps(self) -> bool:
        """Whether all edges are of length 1."""
        return int(self.part.graph.lengths.max(initial=1)) == 1

    def offered(self, levels: Indices) -> tuple[Floats, Floats]:
        """Return columns, their entries summed by orbit, and what they earn at their best guess."""
        columns = np.exp(-self.step * levels)
        return self.part.gathered(columns), (columns @ self.part.floats.T).max(axis=1)

    def cheaper(
        self, prices: Floats, paid: Floats, least: float = LEAST_PROFIT
    ) -> tuple[Indices, float]:
        """Return columns, cheap at some prices, that earn more than they cost at those paid.

        Also return how much the prices lack at the least.
        """
        reduced = prices[self.part.orbits] - self.part.floats[self.part.guesses]
        self.levels[:] = self.way.cheapest(reduced, self.levels)
        levels = np.unique(self.levels - self.levels.min(axis=1, keepdims=True), axis=0)
        rows, worth = self.offered(levels)
        lacking = (worth - rows @ prices) / rows.sum(axis=1)
        cheap = rows @ paid < worth - least * np.abs(self.part.floats).max()
        return levels[cheap], max(0.0, float(lacking.max()))

    def sufficient(self, prices: Floats) -> Floats:
        """Return prices raised alike until no column that is found earns more than it costs.

        The cheapest column is not the one that lacks most for what it sums to, so that it takes
        a few turns.
        """
        for _ in range(MOST_RAISED):
            lacking = self.cheaper(prices, prices)[1]
            prices = prices + lacking
            if lacking <= LEAST_PROFIT * np.abs(self.part.floats).max():
                break
        return prices


def _weighting(rows: Floats, worth: Floats, sizes: Indices) -> tuple[Floats, Floats]:
    """Return the prices at which columns cost what they earn, and the weights that sum to 1."""
    both = (rows, worth), (rows.T, sizes.astype(np.float64))
    try:  # there may be fewer columns than orbits
        prices, weights = (np.asarray(np.linalg.solve(a, b), dtype=np.float64) for a, b in both)
        return prices, weights
    except np.linalg.LinAlgError:
        return np.zeros(len(sizes)), np.full(len(rows), -1.0)


class _Known:
    """The columns found so far, with their rows and what they earn, in a program that grows."""

    def __init__(self, market: _Market, levels: Indices) -> None:
        part, nearest = market.part, market.step * int(market.part.graph.lengths.min())
        reach = FARTHEST * np.abs(part.floats).max() / -math.expm1(-nearest)
        self._market, self.program = market, GrowingProgram(part.sizes.astype(np.float64), reach)
        self.levels = dict[tuple[int, ...], None]()
        self.rows, self.worth = np.zeros((0, len(part.sizes))), np.zeros(0)
        self.add(levels)

    def add(self, levels: Indices) -> None:
        """Offer more columns."""
        rows, worth = self._market.offered(levels)
        self.program.add(rows, worth)
        self.levels.update(dict.fromkeys(map(tuple, levels.tolist())))
        self.rows, self.worth = np.vstack([self.rows, rows]), np.append(self.worth, worth)

    def without(self, levels: Indices) -> Indices:
        """Return those of some columns that are new."""
        fresh = [row for row in levels.tolist() if tuple(row) not in self.levels]
        return np.array(fresh, dtype=np.int64)

    def chosen(self, which: Indices | Flags) -> Indices:
        """Return the levels of some of the columns."""
        return np.array(list(self.levels))[which]


def _generate(
    market: _Market, levels: Indices, centre: Floats | None, at_vertex: bool
) -> tuple[Indices, Floats, Floats]:
    """Add columns that earn more than they cost, until there are none.

    With prices amid the best ones as ``centre``, columns are first looked for at those nearest to
    it that the columns so far allow. If there are none, these prices are best, though the columns
    do not determine them. Once the best prices are all but those of the program, columns that are
    cheaper by less than floats resolve can be found without end: then what is known is enough, if
    it makes a channel whose rows sum to 1, or if more does not help.
    """
    part, sizes = market.part, market.part.sizes
    known, optimum, idle = _Known(market, levels), None, 0
    shares = SMOOTH if market.in_steps else SMOOTH_LENGTHS
    best = np.full(len(sizes), part.floats.max())  # at which no column earns more
    if centre is not None:
        centre = centre + market.cheaper(centre, centre)[1]
        best = min(best, centre, key=lambda prices: float(prices @ sizes))
    for turn in range(MOST_ROUNDS):
        try:
            optimum, binding = known.program.solve(), known.program.binding()
        except Undecided:
            if optimum is None:
                raise
            break
        tell(f"round {turn + 1:,}, {best @ sizes - optimum.value:.1e} left to prove")
        used = optimum.y > TOLERANCES.entry
        for smooth in shares if centre is None or at_vertex else (1.0, *shares):
            if smooth == 1:
                prices = _nearest(best, known.rows, known.worth, used)
                new, lacking = market.cheaper(prices, prices, FINEST_PROFIT)
            else:
                prices = smooth * best + (1 - smooth) * optimum.x
                new, lacking = market.cheaper(prices, optimum.x)
            if (prices + lacking) @ sizes < best @ sizes:
                best = prices + lacking
            new = known.without(new)
            left = prices @ sizes - optimum.value + part.graph.order * lacking
            if smooth == 1 and not len(new) and left <= LEAST_PROFIT * part.graph.order:
                weights = _least_squares(known.rows[used].T, sizes.astype(np.float64))
                if not weights.min() > -TOLERANCES.entry:  # the solver's own are less accurate
                    weights = optimum.y[used]
                return known.chosen(used), weights, prices[part.orbits]
            if len(new):
                break
        if centre is not None and not at_vertex and best @ sizes - optimum.value <= LEAST_PROFIT:
            best, idle = market.sufficient(best), idle + 1
            tight = known.rows @ best - known.worth <= LEAST_PROFIT
            if best @ sizes - optimum.value <= LEAST_PROFIT:
                weights, missing = _non_negative(known.rows[tight].T, sizes.astype(np.float64))
                if missing <= FINEST_PROFIT or (idle > MOST_IDLE and missing < NEAR_PROFIT):
                    return known.chosen(tight), weights, best[part.orbits]
        if not len(new):
            break
        known.add(new)
    assert optimum is not None
    chosen, weights, prices = _settled(known, optimum, binding, sizes, at_vertex)
    prices, best = (market.sufficient(each) for each in (prices, best))
    if prices @ sizes > best @ sizes:
        prices = best  # those of a vertex can be far out if λ is all but 1
    return known.chosen(chosen), weights, prices[part.orbits]


def _settled(
    known: _Known, optimum: Optimum, binding: Indices, sizes: Indices, at_vertex: bool
) -> tuple[Indices, Floats, Floats]:
    """Return the columns that determine the last solution, their weights, and the prices.

    If ``at_vertex``, those that come near join them, with no weight.
    """
    prices, weights = _weighting(known.rows[binding], known.worth[binding], sizes)
    if not weights.min() > -TOLERANCES.entry:  # the solver's own are less accurate
        prices, weights = optimum.x, optimum.y[binding]
    if not at_vertex:
        return binding, weights, prices
    slack = known.rows @ prices - known.worth
    slack[binding] = np.inf
    near = np.argsort(slack)[: len(sizes)]
    near = near[slack[near] < NEAR_PROFIT]
    return np.append(binding, near), np.append(weights, np.zeros(len(near))), prices


def _nearest(best: Floats, rows: Floats, worth: Floats, used: Flags) -> Floats:
    """Return prices near the best so far at which no column so far earns more than it costs.

    The used columns cost what they earn. So do those that would earn more, one after the other.
    """
    tight = used
    for _ in range(MOST_TIGHTENED):
        prices = best + _least_squares(rows[tight], worth[tight] - rows[tight] @ best)
        broken = rows @ prices < worth - FINEST_PROFIT * np.abs(worth).max()
        if not (broken & ~tight).any():
            break
        tight = tight | broken
    return prices


def _least_squares(matrix: Floats, right: Floats) -> Floats:
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0], dtype=np.float64)


def _non_negative(matrix: Floats, right: Floats) -> tuple[Floats, float]:
    """Return the least squares of weights that are not negative, and how much they miss."""
    from scipy.optimize import nnls

    if not matrix.shape[1]:
        return np.zeros(0), math.inf
    try:
        weights, missing = nnls(matrix, right)
    except RuntimeError:  # too many iterations
        return np.zeros(matrix.shape[1]), math.inf
    return np.asarray(weights, dtype=np.float64), float(missing)


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
