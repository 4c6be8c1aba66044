"""The private channel that earns most on a connected graph, with its proof.

A private channel is a sum of columns x_k·λ^(−g_k), each with a guess w_k, whose levels g_k differ
by at most one between neighbours. It earns Σ x_k·e_k with e_k = Σ_i W_wi·λ^(−g_k(i)), and its rows
must sum to 1. The dual prices y bound what any private channel earns by Σ y, if no private column
earns more than it costs at y, whatever the guess.

Columns are proposed in floating point (``search``). If numbers stay short, the program of those
that matter is solved exactly. Otherwise the channel is lifted until it is private and the prices
are raised until they are proved. Where guesses are few, the program over all entries is small
enough to be solved exactly as it is. Either way what is returned is exact: the channel, what it
earns, and the bound. See ``docs/proofs/design.md``.

Where edges have lengths, c_i ≤ λ_ih·c_h with a ratio λ_ih = e^(ε·d(i,h)) for each edge. Columns are
proposed as on a graph, with lengths in whole numbers of a unit that is 2^−50 of the largest
distance. The channel is lifted until it is private for lengths rounded down, and prices are raised
until flows on arcs prove them for lengths rounded up. See ``docs/proofs/metrics.md``.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from flint import arb, fmpq, fmpq_mat

from leaktight.errors import Undecided
from leaktight.exact.linear_program import LinearProgram, solve_exact
from leaktight.exact.matrix import matrix_product
from leaktight.exact.numbers import Array, exact_array, float_array, rational, to_float
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import precision
from leaktight.exact.tolerances import TOLERANCES
from leaktight.policies.graph import Graph, Indices, bare_graph
from leaktight.policies.metric import Metric
from leaktight.worst_case.columns.flow import Arcs, Flow
from leaktight.worst_case.columns.lifting import in_units, private_matrix
from leaktight.worst_case.columns.pricing import LARGEST, Floats, Pricing, pricing, step_of
from leaktight.worst_case.columns.search import (
    MOST_RESOLVED,
    Part,
    propose_columns,
    propose_on_complete,
)

MOST_BITS = 2**14
"""The most bits of the numbers in the exact solution of a program of columns."""

MOST_BY_COLUMNS = 40
"""The largest complete graph on which columns are searched for; beyond, interior points do."""

LARGEST_INSIDE = 2**20
"""The largest ratio for which interior points are trusted."""

MOST_DIRECT = 128
"""The most entries of a channel whose plain program is solved exactly."""

MOST_EXACT_ROUNDS = 10
"""How often columns are added exactly before the channel is lifted instead."""

MOST_PIVOTS = 20
"""The most exact pivots in one such round."""

MOST_RAISED = 10
"""How often prices are raised before they count as not proved."""

NEAR = fmpq(1, 2**34)
"""How far from what is earned a bound may be before another way is tried, if there is one."""

FEW = 2**20
"""Prices that no column determines are rounded to multiples of 1/FEW."""

FAR = fmpq(1, 2**24)
"""How far from what is earned a bound may be before others are tried."""

MOST_TIMES = 100
"""How often the search for the cheapest columns is begun again where it ended."""

UNTIED = fmpq(2) ** MOST_RESOLVED
"""A ratio that ties two values to each other so little that they are looked at one by one."""

LEAST_SENT = 2.0**-60
"""The least amount of a flow, in units of the prices, that is kept."""

Proof: TypeAlias = tuple[Array, list[Flow]]
"""Prices, and the flows that prove them, one for each guess."""


class Found(NamedTuple):
    """A channel with a column for each guess, what it earns, and the prices that bound all."""

    matrix: Array
    value: fmpq
    prices: Array
    flows: tuple[Flow, ...]

    @property
    def bound(self) -> fmpq:
        """What no private channel earns more than."""
        return self.prices.sum()

    @property
    def gap(self) -> fmpq:
        """How much more any private channel could earn, at most."""
        return self.bound - self.value

    def claim(self, at: Indices) -> dict[str, Any]:
        """Return the proof of the bound, with these numbers of the vertices."""
        return prices_claim(self.prices, self.flows, at)


def prices_claim(prices: Array, flows: Iterable[Flow], at: Indices) -> dict[str, Any]:
    """Return prices and flows as a certificate has them, with these numbers of the vertices."""
    each = [[[int(at[i]), int(at[h]), str(f)] for i, h, f in flow.arcs] for flow in flows]
    return {"vertices": at.tolist(), "prices": [str(y) for y in prices], "flows": each}


class Candidate(NamedTuple):
    """A private channel, and prices that bound what any earns or nearly do."""

    part: Part
    matrix: Array
    prices: Array
    flows: list[Flow] | None = None
    """The proof, if there is one."""


def best_channel(metric: Metric, ratio: Ratio, earned: Array) -> Found:
    """Return the best channel for a metric all of whose distances are finite.

    It is private for lengths and a ratio rounded down, and the prices bound for those rounded up.

    >>> line = Metric.from_edges(3, [(0, 1, 1), (1, 2, "1/2")])
    >>> best = best_channel(line, Ratio.of(4), exact_array([1, 0, 0, 0, 0, 1]).reshape(2, 3))
    >>> float(best.value), float(best.prices.sum() - best.value) < 1e-12
    (1.6999999999999997, True)
    """
    alike = (earned == earned[0]).all()  # whatever is guessed
    if (length := metric.unit) is not None or ratio.upper == 1 or alike:
        return _in_edges(metric.graph, ratio.over(*[length or Fraction(1)] * 2), earned)
    below, above = metric.ratios(ratio)
    if (near := below <= UNTIED).sum() < metric.graph.size:
        short = metric.with_edges(np.flatnonzero(near))
        if len(short.graph.components) > 1:
            return _far_apart(metric, short, ratio, earned)
    unit = abs(earned).max() or fmpq(1)
    graph, small = metric.rounded()
    step, part = rational(ratio.over(small, small).lower), Part.of(graph, earned / unit)
    way = pricing(graph, step)
    levels, weights, floats = propose_columns(part, step, way, at_vertex=False)
    channel = near_channel(part, step_of(step), levels, weights)
    matrix = lifted(part, below, channel, floats).matrix
    value = part.earns(matrix)
    proved = lambda part, prices: _routed_prices(part, way, float_array(prices), above)  # noqa: E731
    prices, flows = least_bound(part, value, floats, proved)
    return Found(matrix, value * unit, prices * unit, tuple(flow.times(unit) for flow in flows))


def _far_apart(metric: Metric, short: Metric, ratio: Ratio, earned: Array) -> Found:
    """Join the best channels of groups of values that are far from each other.

    ``short`` has the edges inside the groups alone. Prices that hold along fewer edges hold along
    all, so that those of the groups stand side by side. The channels do too, and are lifted until
    they are private between the groups as well: what that costs is about 1/UNTIED.
    """
    matrix = np.full((metric.order, len(earned)), fmpq(0), dtype=object)
    prices = np.full(metric.order, fmpq(0), dtype=object)
    arcs: list[list[tuple[int, int, fmpq]]] = [[] for _ in earned]
    for group in short.graph.components:
        at = np.array([metric.graph.index(value) for value in group])
        found = best_channel(short.restricted(group), ratio, earned[:, at])
        matrix[at], prices[at] = found.matrix, found.prices
        for w, flow in enumerate(found.flows):
            arcs[w] += [(int(at[i]), int(at[h]), amount) for i, h, amount in flow.arcs]
    below, floats = metric.ratios(ratio)[0], float_array(earned / (abs(earned).max() or fmpq(1)))
    join = lambda left: int((floats @ left).argmax())  # noqa: E731
    private = private_matrix(in_units(matrix, below), metric.graph, below, join)
    value = sum(map(np.dot, earned, private.T), fmpq(0))
    flows = (Flow(fmpq(0), (0,) * metric.order, tuple(each), {}) for each in arcs)
    return Found(private, value, prices, tuple(flows))


def _in_edges(graph: Graph, ratio: Ratio, earned: Array) -> Found:
    """Return the best channel where all edges are alike.

    It is private at the lower end of the ratio, and the prices bound at the upper. The largest gain
    is made the unit, so that tolerances mean the same for all gains.
    """
    unit, tried = abs(earned).max() or fmpq(1), list[Found]()
    for candidate in _candidates(graph, ratio, earned / unit):
        tried.append(_proved(candidate, ratio))
        if tried[-1].gap <= NEAR * abs(tried[-1].value):
            break
    found = min(tried, key=lambda each: each.gap)
    flows = tuple(flow.times(unit) for flow in found.flows)
    return Found(found.matrix, found.value * unit, found.prices * unit, flows)


def _candidates(graph: Graph, ratio: Ratio, earned: Array) -> Iterator[Candidate]:
    """Yield the best channel, nearly or exactly, by the quickest way first."""
    most, n, plain = rational(ratio.lower), graph.order, partial(Part.plain, graph, earned)
    least = earned.min(axis=0)  # is earned at each input whatever the guess
    if n == 1 or most == 1 or (earned == earned[0]).all():
        yield constant(plain())
    elif graph.is_complete and (np.count_nonzero(earned - least, axis=1) <= 1).all():
        matrix, prices = _randomised_response(earned - least, most)
        yield Candidate(plain(), matrix, prices + least)
    elif graph.is_complete and n > MOST_BY_COLUMNS and most < LARGEST_INSIDE:
        near, floats = propose_on_complete(float_array(earned), to_float(most))
        yield lifted(plain(), ratio.lower, near, floats)
    elif n * len(earned) <= MOST_DIRECT and graph.size <= 2 * n:
        ways = (partial(_direct, plain(), most), partial(_by_columns, graph, ratio, earned))
        found = (way() for way in (ways if ratio.is_exact else ways[::-1]))
        yield from (each for each in found if each is not None)
    else:
        yield _by_columns(graph, ratio, earned)


def _by_columns(graph: Graph, ratio: Ratio, earned: Array) -> Candidate:
    """Return the best channel from columns that are generated."""
    most = rational(ratio.lower)
    part, way = Part.of(graph, earned), pricing(graph, most)
    per_level = most.height_bits() * len(part.sizes)
    exactly = ratio.is_exact and 2 * per_level <= MOST_BITS
    levels, weights, floats = propose_columns(part, most, way, exactly)
    if exactly and per_level * (int(levels.max()) + 1) <= MOST_BITS:
        exact = solve_columns(part, most, way, levels, MOST_PIVOTS)
        if exact is not None:
            return Candidate(part, exact.matrix(part, most), exact.prices, exact.flows)
    return lifted_columns(part, ratio.lower, levels, weights, floats)


def _proved(found: Candidate, ratio: Ratio) -> Found:
    """Return the channel with the least bound of those that are proved."""
    part, prices, flows = found.part, found.prices, found.flows
    value = part.earns(found.matrix)
    if flows is None:
        way = pricing(part.graph, rational(ratio.upper))
        prices, flows = least_bound(part, value, prices, partial(raised, way=way))
    return Found(found.matrix, value, prices, tuple(flows))


def least_bound(
    part: Part, value: fmpq, prices: Array, proved: Callable[[Part, Array], Proof | None]
) -> Proof:
    """Return the prices of least sum that are proved, with their flows.

    They are those given or, if these are far from what is earned, those of the best constant guess.
    What each input earns at its best guess needs no flow.
    """
    bounds = [proved(part, prices)]
    if bounds[0] is None or bounds[0][0].sum() - value > FAR:  # λ is all but 1
        plain = constant(Part.plain(part.graph, part.earned))
        bounds += [proved(plain.part, plain.prices)]
    nothing = Flow(fmpq(0), (0,) * part.graph.order, (), {})
    bounds += [(part.earned.max(axis=0), [nothing] * len(part.earned))]
    return min((b for b in bounds if b is not None), key=lambda b: b[0].sum())


def raised(part: Part, prices: Array, way: Pricing, rooted: bool = False) -> Proof | None:
    """Raise prices until no private column earns more than it costs; None if that does not end."""
    for _ in range(MOST_RAISED):
        flows = _flows(part, prices, way, rooted)
        lacking = [_lacking(flow, way.ratio) for flow in flows if flow.cost < 0]
        if not lacking:
            return prices, part.everywhere(flows)
        prices = prices + 2 * max(lacking)
    return None


def _flows(part: Part, prices: Array, way: Pricing, rooted: bool) -> list[Flow]:
    """Return the cheapest column for a guess of each orbit.

    If ``rooted``, guesses are vertices, and what is left over of the prices of each is there.
    """
    roots = part.guesses.tolist() if rooted else None
    return way.prove(prices - part.earned[part.guesses], roots)


def _lacking(flow: Flow, ratio: fmpq) -> fmpq:
    """Return how much all prices must rise for a column to cost nothing, rounded up."""
    with precision(64):
        column = sum((arb(ratio) ** -g for g in flow.levels), arb(0))
        return (-arb(flow.cost) / column).upper().fmpq()


# --- exactly -------------------------------------------------------------------------------


class Exact(NamedTuple):
    """Columns and their weights, of which the best channel is the sum, spread over orbits."""

    levels: Indices
    weights: Array
    prices: Array
    flows: list[Flow]

    def matrix(self, part: Part, ratio: fmpq) -> Array:
        """Return the channel, each column at its best guess."""
        used = self.weights > 0
        entries = _entries(self.levels[used], ratio)
        guesses = matrix_product(entries, part.earned.T).argmax(axis=1)
        return _summed(part, entries, self.weights[used], guesses)


def solve_columns(
    part: Part, ratio: fmpq, way: Pricing, levels: Indices, pivots: int, rooted: bool = False
) -> Exact | None:
    """Return the best channel and the prices that prove it; None if that takes too long."""
    columns = [tuple(row) for row in levels.tolist()]
    columns += [(0,) * part.graph.order]  # which alone makes a channel
    for _ in range(MOST_EXACT_ROUNDS):
        if ratio ** max(map(max, columns)) > rational(LARGEST):  # for the solver that proposes
            return None
        table = np.array(list(dict.fromkeys(columns)), dtype=np.int64)
        entries = _entries(table, ratio)
        gathered = part.gathered(entries)
        rows, places = np.indices(gathered.shape)
        program = LinearProgram(
            part.sizes.tolist(),
            (rows.ravel(), places.ravel(), gathered.ravel()),
            row_lower=matrix_product(entries, part.earned.T).max(axis=1),
            lower=[None] * gathered.shape[1],
        )
        try:
            best = solve_exact(program, pivots).settled()
        except Undecided:
            return None
        prices = best.x[part.orbits]
        flows = _flows(part, prices, way, rooted)
        cheaper = [flow.levels for flow in flows if flow.cost < 0]
        if not cheaper:
            return Exact(table, best.y, prices, part.everywhere(flows))
        columns += [tuple(g - min(row) for g in row) for row in cheaper]
    return None


def solve_amid(
    part: Part, ratio: fmpq, way: Pricing, levels: Indices, weights: Floats, prices: Floats
) -> Exact | None:
    """Return the best channel made of the columns in use, and prices amid all that prove it.

    As many prices as there are columns follow from these; the others are rounded to a few digits.
    None if the columns are not those of a best channel.
    """
    from scipy.linalg import qr

    levels = levels[weights > TOLERANCES.entry]
    entries = _entries(levels, ratio)
    rows, first = part.gathered(entries), np.unique(part.orbits, return_index=True)[1]
    count = len(rows)
    order = qr(float_array(rows), mode="r", pivoting=True)[1]  # the most independent prices first
    settled, others = order[:count], order[count:]
    if len(settled) < count:
        return None
    each = exact_array(fmpq(round(y * FEW), FEW) for y in prices[first].tolist())
    worth = matrix_product(entries, part.earned.T).max(axis=1)
    rest = [w - row @ each[others] for w, row in zip(worth, rows[:, others], strict=True)]
    square = fmpq_mat(count, count, rows[:, settled].ravel().tolist())
    sizes = exact_array(part.sizes.tolist())
    try:
        each[settled] = square.solve(fmpq_mat(count, 1, rest)).entries()
        shares = square.transpose().solve(fmpq_mat(count, 1, sizes[settled].tolist())).entries()
    except ZeroDivisionError:
        return None
    if min(shares) < 0 or (exact_array(shares) @ rows != sizes).any():
        return None
    flows = _flows(part, each[part.orbits], way, rooted=True)
    if any(flow.cost < 0 for flow in flows):
        return None
    return Exact(levels, exact_array(shares), each[part.orbits], part.everywhere(flows))


def _entries(levels: Indices, ratio: fmpq) -> Array:
    return exact_array(ratio**-g for g in range(int(levels.max()) + 1))[levels]


def _summed(part: Part, entries: Array, weights: Array, guesses: Indices) -> Array:
    """Return the channel that is the sum of columns, each at its guess."""
    matrix = np.full((part.graph.order, len(part.earned)), weights[0] * 0, dtype=entries.dtype)
    for column, weight, w in zip(entries, weights, guesses, strict=True):
        matrix[:, w] += weight * column
    return part.spread(matrix)


def _direct(part: Part, ratio: fmpq) -> Candidate | None:
    """Solve the program over all entries of a channel; None if that takes too long."""
    guesses, n = part.earned.shape
    tails, heads = (part.graph.arcs[:, [k]] * guesses + np.arange(guesses) for k in (0, 1))
    entry, bound = np.arange(n * guesses), n + np.arange(tails.size)
    program = LinearProgram(
        -part.earned.T.ravel(),
        (
            np.concatenate([entry // guesses, bound, bound]),
            np.concatenate([entry, tails.ravel(), heads.ravel()]),
            [*[1] * (entry.size + bound.size), *[-ratio] * bound.size],
        ),
        row_lower=[*[1] * n, *[None] * bound.size],
        row_upper=[*[1] * n, *[0] * bound.size],
    )
    try:
        best = solve_exact(program, MOST_PIVOTS).settled()
    except Undecided:
        return None
    return Candidate(part, best.x.reshape(n, guesses), -best.y[:n])


# --- nearly --------------------------------------------------------------------------------


def lifted_columns(
    part: Part, ratio: Fraction, levels: Indices, weights: Floats, prices: Floats
) -> Candidate:
    """Return the channel that is nearly the sum of columns, exactly private."""
    near = near_channel(part, step_of(rational(ratio)), levels, weights)
    return lifted(part, ratio, near, prices)


def near_channel(part: Part, step: float, levels: Indices, weights: Floats) -> Floats:
    """Return the channel that is the sum of columns, each at its best guess, nearly."""
    columns = np.exp(-step * levels)
    guesses = (columns @ part.floats.T).argmax(axis=1)
    return _summed(part, columns, np.maximum(weights, 0), guesses)


def lifted(part: Part, ratio: Fraction | Array, near: Floats, prices: Floats) -> Candidate:
    """Return a channel that is exactly private, what is left of its rows where it earns most."""
    units = in_units(np.maximum(near, 0), ratio)
    join = lambda left: int((part.floats @ left).argmax())  # noqa: E731
    return Candidate(
        part, private_matrix(units, part.graph, ratio, join), exact_array(prices.tolist())
    )


# --- lengths -------------------------------------------------------------------------------


def _routed_prices(part: Part, way: Pricing, prices: Floats, above: Array) -> Proof:
    """Return prices raised until flows prove them, and the flows of all guesses."""
    graph, step = part.graph, step_of(way.ratio)
    reduced = prices - part.floats[part.guesses]
    levels = graph.distances[part.floats[part.guesses].argmax(axis=1)].astype(np.int64)
    for _ in range(MOST_TIMES):
        before, levels = levels, way.cheapest(reduced, levels)
        if np.array_equal(levels, before):
            break
    arcs = (_routed(graph, step, row, at) for row, at in zip(reduced, levels, strict=True))
    flows = part.everywhere([Flow(fmpq(0), (0,) * graph.order, each, {}) for each in arcs])
    exact, lacking = exact_array(prices.tolist()), fmpq(0)
    ratio = dict(zip(map(tuple, graph.arcs.tolist()), np.tile(above, 2), strict=True))
    for row, flow in zip(part.earned, flows, strict=True):
        left = (exact - row).tolist()
        for i, h, amount in flow.arcs:
            left[h] -= ratio[i, h] * amount
            left[i] += amount
        lacking = max(lacking, -min(left))
    return exact + lacking, flows


def _routed(graph: Graph, step: float, prices: Floats, levels: Indices) -> Arcs:
    """Return a flow on tight arcs that gives every vertex but one what it costs, nearly.

    What flows into a vertex h is wanted below it, where entries are at most c_h. So no arc needs
    more room than c_h times all prices, and small amounts keep their digits.
    """
    (tails, heads), long = graph.arcs.T, np.tile(graph.lengths, 2)
    tight = np.flatnonzero(levels[heads] == levels[tails] + long)
    tails, heads, column = tails[tight], heads[tight], np.exp(-step * (levels - levels.min()))
    net, root = prices * column, int(prices.argmin())
    net[root] -= net.sum()
    givers, takers = np.flatnonzero(net < 0), np.flatnonzero(net > 0)
    n, most = graph.order, 1 + np.abs(prices).sum()
    starts = np.concatenate([tails, np.full_like(givers, n), takers])
    ends = np.concatenate([heads, givers, np.full_like(takers, n + 1)])
    network = bare_graph()(n=n + 2, edges=np.stack([starts, ends], axis=1), directed=True)
    capacity = np.concatenate([most * column[heads], -net[givers], net[takers]])
    sent = np.array(network.maxflow(n, n + 1, capacity.tolist())[1])[: len(tight)]
    there = column[tails] > 0  # what is below all floats is sent nothing
    amounts = np.divide(sent, column[tails], out=np.zeros_like(sent), where=there).tolist()
    arcs = zip(tails.tolist(), heads.tolist(), amounts, strict=True)
    return tuple((i, h, rational(amount)) for i, h, amount in arcs if amount > LEAST_SENT)


# --- closed forms --------------------------------------------------------------------------


def constant(part: Part) -> Candidate:
    """Return the channel that always names the same guess, and what that earns as prices."""
    best = int(part.earned.sum(axis=1).argmax())
    matrix = np.full(part.earned.T.shape, fmpq(0), dtype=object)
    matrix[:, best] = fmpq(1)
    return Candidate(part, matrix, part.earned[best])


def _randomised_response(earned: Array, ratio: fmpq) -> tuple[Array, Array]:
    """Return the best channel and prices on a complete graph, if each guess earns at one input.

    With v_i what the best guess for input i earns, let k inputs of largest v answer among
    themselves by randomised response, and the others alike. It earns λ·(v_1 + … + v_k)/(λ + k − 1).
    """
    best, order = earned.argmax(axis=0), np.argsort(-earned.max(axis=0), kind="stable")
    sums = np.cumsum(earned.max(axis=0)[order])
    values = [ratio * v / (ratio + k) for k, v in enumerate(sums)]
    k = 1 + max(range(len(values)), key=lambda i: values[i])
    n, top = len(best), order[:k]
    matrix = np.full((n, len(earned)), fmpq(0), dtype=object)
    matrix[:, best[top]] = fmpq(1, k)
    matrix[np.ix_(top, best[top])] = 1 / (ratio + k - 1)
    matrix[top, best[top]] *= ratio
    prices = np.full(n, fmpq(0), dtype=object)
    prices[top] = (ratio * earned.max(axis=0)[top] - values[k - 1]) / (ratio - 1)
    return matrix, prices
