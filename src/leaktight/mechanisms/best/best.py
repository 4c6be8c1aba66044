"""Which private mechanism is best for a prior and a gain, and what proves it?

A private channel is a sum of columns x_k·λ^(−g_k), each with a guess w_k, whose levels g_k differ
by at most one between neighbours. It earns Σ x_k·e_k with e_k = Σ_i π_i·g(w_k, i)·λ^(−g_k(i)), and
its rows must sum to 1. The dual prices y bound what any private channel earns by Σ y, if no private
column earns more than it costs at y, whatever the guess.

Columns are generated in floating point where the last prices find one that earns more than it
costs; the first are those of the weighting, which already make the truncated geometric mechanism on
a line, and those near which interior points end. If numbers stay short, the program of the columns
that matter is then solved exactly. Otherwise the channel is repaired
(``repair``) and the prices raised until they are proved. Either way what is
returned is exact: the channel, what it earns, and the bound. Automorphisms that keep the prior and
the gain are used: prices are alike on their orbits of inputs, and the channel is alike on their
orbits of pairs. See ``docs/proofs/design.md``.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from flint import arb, fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.channels.gain import Gain, Loss
from leaktight.check import MECHANISM
from leaktight.errors import InvalidGain, TooLarge, Undecided
from leaktight.exact.linear_program import LinearProgram, Optimum, solve_exact
from leaktight.exact.matrix import matrix_product
from leaktight.exact.numbers import (
    Array,
    Number,
    exact_array,
    float_array,
    fraction,
    rational,
    to_float,
)
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import precision
from leaktight.exact.shown import shown
from leaktight.labels import alignment, positions
from leaktight.mechanisms.best.repair import in_units, private_matrix
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, vertices_of
from leaktight.policies.graph import Graph, Indices
from leaktight.policies.policy import Neighbours, adjacency_of
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.certificate import digest_of, mechanism_claim
from leaktight.worst_case.columns import (
    LARGEST,
    Arcs,
    Floats,
    Part,
    Pricing,
    Proof,
    pricing,
    propose_columns,
    propose_on_complete,
)

MOST_ENTRIES = 2**20
"""The most inputs times guesses for which a mechanism is designed."""

MOST_BITS = 2**14
"""The most bits of the numbers in the exact solution of a program of columns."""

MOST_BY_COLUMNS = 40
"""The largest complete graph on which columns are searched for; beyond, interior points do."""

LARGEST_INSIDE = 2**20
"""The largest ratio for which interior points are trusted."""

MOST_EXACT_ROUNDS = 10
"""How often columns are added exactly before the mechanism is repaired instead."""

MOST_PIVOTS = 20
"""The most exact pivots in one such round."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BestMechanism(Mechanism):
    """A private mechanism, what it earns, and what no private mechanism exceeds.

    Its outputs are guesses. ``utility`` is the expected gain if each is taken at its word, and
    ``upper`` bounds what any mechanism that is private at the ratio earns; a loss counts as a
    negative gain. The proof: ``prices`` y sum to ``upper``, and for each guess w there are
    ``flows`` f ≥ 0 on arcs with y − π∘g_w − Σ f_ih·(λ·e_h − e_i) ≥ 0.
    """

    graph: Graph
    ratio: Ratio
    prior: Distribution
    aim: Gain | Loss
    channel: Channel = field()
    utility: Fraction
    upper: Fraction
    prices: Array
    flows: tuple[Arcs, ...]

    @property
    def gap(self) -> Fraction:
        """How much more than this mechanism any could earn, at most."""
        return self.upper - self.utility

    @property
    def is_optimal(self) -> bool:
        """Whether it is proved that no private mechanism earns more."""
        return self.gap == 0

    @property
    def loss(self) -> Fraction:
        """The expected loss: −utility."""
        return -self.utility

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"best private mechanism for {self.graph.order} inputs"

    @property
    def guarantee(self) -> Guarantee:
        """How private the channel is, measured."""
        level = privacy_level(self.channel, self.graph).ratio
        assert isinstance(level, Fraction)
        return Guarantee(level, vertices_of(self.graph))

    @property
    def digest(self) -> str:
        """The digest of graph, prior and gain, as the checker shows it of the certificate."""
        return digest_of(self.graph, self.prior, self.aim)

    @property
    def certificate(self) -> dict[str, Any]:
        """Everything that proves both, as plain JSON, for :mod:`leaktight.check`."""
        where = {guess: w for w, guess in enumerate(self.aim.guesses)}
        claim = mechanism_claim(self.graph, self.prior, self.aim) | {
            "outputs": [where[guess] for guess in self.channel.outputs],
            "mechanism": [[str(p) for p in row] for row in self.channel.matrix],
            "utility": str(rational(self.utility)),
            "prices": [str(y) for y in self.prices],
            "flows": [[[i, h, str(amount)] for i, h, amount in flow] for flow in self.flows],
            "upper": str(rational(self.upper)),
        }
        return {"format": MECHANISM} | self.ratio.to_dict() | claim

    def __repr__(self) -> str:
        what, value = ("loss", self.loss) if isinstance(self.aim, Loss) else ("gain", self.utility)
        how = "the best" if self.is_optimal else f"within {float(self.gap):.2g} of the best"
        return f"BestMechanism({what} {shown(value)}, {how}, at ratio {self.ratio})"


def optimal_mechanism(
    neighbours: Neighbours,
    prior: PriorLike = None,
    gain: Gain | Loss | None = None,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    outputs: Iterable[Hashable] | None = None,
) -> BestMechanism:
    """Return the mechanism of largest expected gain, or least loss, among those that are private.

    The gain is 1 for the right guess unless given, the prior uniform. The outputs of the
    mechanism are guesses; ``outputs`` names those that may be used. For the answers of a query,
    ask for their ``answer_graph``.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> prior = ["1/10", "1/5", "1/5", "1/5", "1/5", "1/10"]
    >>> best = optimal_mechanism(SecretGraph.complete(6), prior, ratio=2)
    >>> best
    BestMechanism(gain 8/25, the best, at ratio 2 (ε = ln 2))
    >>> line = SecretGraph.line(3)
    >>> distance = Loss.by_distance(line.vertices, lambda a, b: abs(a - b))
    >>> optimal_mechanism(line, gain=distance, ratio=2).channel
    exact channel, 3 inputs × 3 outputs
         0    1    2
    0  2/3  1/6  1/6
    1  1/3  1/3  1/3
    2  1/6  1/6  2/3
    """
    graph, asked = adjacency_of(neighbours).explicit(), Ratio.of(ratio, epsilon)
    belief = prior_on(prior, graph.vertices).exact()
    guesses = len(gain.guesses) if isinstance(gain, Gain | Loss) else graph.order
    if graph.order * guesses > MOST_ENTRIES:
        raise TooLarge(
            f"a mechanism is designed for at most {MOST_ENTRIES:,} inputs times guesses, "
            f"got {graph.order:,} × {guesses:,}"
        )
    aim = _read_aim(gain, graph, outputs)
    earned = exact_array(aim.matrix.ravel()).reshape(aim.matrix.shape) * belief.array
    if isinstance(aim, Loss):
        earned = -earned
    matrix = np.full((graph.order, len(aim.guesses)), fmpq(0), dtype=object)
    prices = np.full(graph.order, fmpq(0), dtype=object)
    arcs: list[list[tuple[int, int, fmpq]]] = [[] for _ in aim.guesses]
    for component in graph.components:
        at = np.array([graph.index(vertex) for vertex in component])
        part = graph.subgraph(component)
        found = _best(part, asked, earned[:, at])
        matrix[at], prices[at] = found.matrix, found.prices
        for w, flow in enumerate(found.flows):
            arcs[w] += [(int(at[i]), int(at[h]), amount) for i, h, amount in flow]
    used = np.flatnonzero((matrix > 0).any(axis=0))
    channel = Channel(matrix[:, used], graph.vertices, [aim.guesses[w] for w in used])
    if not asked.allows(privacy_level(channel, graph).ratio):
        raise Undecided("the mechanism is not as private as asked; this cannot be")
    utility = sum(map(np.dot, earned, matrix.T), fmpq(0))
    return BestMechanism(
        graph,
        asked,
        belief,
        aim,
        channel,
        fraction(utility),
        fraction(prices.sum()),
        prices,
        tuple(map(tuple, arcs)),
    )


def _read_aim(
    gain: Gain | Loss | None, graph: Graph, outputs: Iterable[Hashable] | None
) -> Gain | Loss:
    """Return the gain or loss with the vertices as inputs and the outputs as guesses."""
    aim = Gain.binary(graph.vertices) if gain is None else gain
    if not isinstance(aim, Gain | Loss):
        raise InvalidGain(f"expected a Gain or a Loss, got {gain!r:.60}")
    order = alignment(graph.vertices, aim.inputs, "the graph's vertices and the gain's inputs")
    kept = list(range(len(aim.guesses)))
    if outputs is not None:
        if not isinstance(outputs, Iterable) or isinstance(outputs, str):
            raise InvalidGain(f"expected a list of guesses for outputs=, got {outputs!r:.60}")
        kept = positions(dict.fromkeys(outputs), aim.guesses, "guess")
        if not kept:
            raise InvalidGain("at least one output must be named, got none")
    table = aim.matrix[kept]
    guesses = [aim.guesses[w] for w in kept]
    return type(aim)(table if order is None else table[:, order], guesses, graph.vertices)


# --- one component -------------------------------------------------------------------------


class _Found(NamedTuple):
    """The part of a mechanism on one component, with prices and, for each guess, the flow."""

    matrix: Array
    prices: Array
    flows: list[Arcs]


def _best(graph: Graph, ratio: Ratio, earned: Array) -> _Found:
    """Solve with the largest gain as the unit, so that tolerances mean the same for all gains."""
    unit = abs(earned).max() or fmpq(1)
    matrix, prices, flows = _best_in_units(graph, ratio, earned / unit)
    arcs = [tuple((i, h, amount * unit) for i, h, amount in flow) for flow in flows]
    return _Found(matrix, prices * unit, arcs)


def _best_in_units(graph: Graph, ratio: Ratio, earned: Array) -> _Found:
    most, above = rational(ratio.lower), rational(ratio.upper)
    if graph.order == 1 or ratio.lower == 1 or (earned == earned[0]).all():
        matrix = np.full((graph.order, len(earned)), fmpq(0), dtype=object)
        best = int(earned.sum(axis=1).argmax())
        matrix[:, best] = fmpq(1)
        return _proved(matrix, earned[best], earned, pricing(graph, above))
    least = earned.min(axis=0)  # is earned at each input whatever the guess
    complete = graph.size == graph.order * (graph.order - 1) // 2
    if complete and (np.count_nonzero(earned - least, axis=1) <= 1).all():
        matrix, prices = _randomised_response(earned - least, most)
        return _proved(matrix, prices + least, earned, pricing(graph, above))
    if complete and graph.order > MOST_BY_COLUMNS and most < LARGEST_INSIDE:
        near, floats = propose_on_complete(float_array(earned), to_float(most))
        matrix = _made_private(near, graph, ratio.lower, float_array(earned))
        return _proved(matrix, exact_array(floats.tolist()), earned, pricing(graph, above))
    part, way = Part.of(graph, earned), pricing(graph, most)
    per_level = most.height_bits() * len(part.sizes)
    exactly = ratio.is_exact and 2 * per_level <= MOST_BITS
    levels, weights, prices = propose_columns(part, most, way, exactly)
    bits = per_level * (int(levels.max()) + 1)
    within = most ** int(levels.max()) < rational(LARGEST)  # the solver that proposes has floats
    short = exactly and bits <= MOST_BITS and within
    exact = _solve_exactly(part, most, way, levels) if short else None
    if exact is None:
        columns = np.power(min(to_float(most), LARGEST), -levels)
        guesses = (columns @ part.floats.T).argmax(axis=1)
        near = _summed(part, columns, np.maximum(weights, 0), guesses)
        matrix = _made_private(near, graph, ratio.lower, part.floats)
        return _proved(matrix, exact_array(prices.tolist()), earned, pricing(graph, above))
    return _proved(*exact, earned, pricing(graph, above))


def _proved(matrix: Array, prices: Array, earned: Array, way: Pricing) -> _Found:
    """Raise the prices until no private column earns more than it costs."""
    for _ in range(MOST_EXACT_ROUNDS):
        proofs = way.prove(prices - earned)
        lacking = [_lacking(proof, way.ratio) for proof in proofs if proof.cost < 0]
        if not lacking:
            return _Found(matrix, prices, [proof.arcs for proof in proofs])
        prices = prices + 2 * max(lacking)
    raise Undecided("no prices were proved that bound what a private mechanism earns")


def _lacking(proof: Proof, ratio: fmpq) -> fmpq:
    """Return how much all prices must rise for a column to cost nothing, rounded up."""
    with precision(64):
        column = sum((arb(ratio) ** -g for g in proof.levels), arb(0))
        return (-arb(proof.cost) / column).upper().fmpq()


# --- exactly -------------------------------------------------------------------------------


def _solve_exactly(
    part: Part, ratio: fmpq, way: Pricing, levels: Indices
) -> tuple[Array, Array] | None:
    """Return the best channel and the prices that prove it; None if that takes too long."""
    columns = [tuple(row) for row in levels.tolist()]
    for _ in range(MOST_EXACT_ROUNDS):
        table = np.array(columns, dtype=np.int64)
        entries = exact_array(ratio**-g for g in range(int(table.max()) + 1))[table]
        worth = matrix_product(entries, part.earned.T)
        gathered, earned = part.gathered(entries), worth.max(axis=1)
        rows, places = np.indices(gathered.shape)
        program = LinearProgram(
            part.sizes.tolist(),
            (rows.ravel(), places.ravel(), gathered.ravel()),
            row_lower=earned,
            lower=[None] * gathered.shape[1],
        )
        try:
            best = solve_exact(program, MOST_PIVOTS)
        except Undecided:
            return None
        if not isinstance(best, Optimum):
            return None
        prices = best.x[part.orbits]
        proofs = way.prove(prices - part.earned[part.guesses])
        cheaper = [proof.levels for proof in proofs if proof.cost < 0]
        if not cheaper:
            return _summed(part, entries, best.y, worth.argmax(axis=1)), prices
        columns += [tuple(g - min(row) for g in row) for row in cheaper]
    return None


def _summed(part: Part, entries: Array, weights: Array, guesses: Indices) -> Array:
    """Return the channel that is the sum of columns, each at its guess."""
    matrix = np.full((part.graph.order, len(part.earned)), weights[0] * 0, dtype=entries.dtype)
    for column, weight, w in zip(entries, weights, guesses, strict=True):
        if weight:
            matrix[:, w] += weight * column
    return part.spread(matrix)


def _made_private(near: Floats, graph: Graph, ratio: Fraction, earned: Floats) -> Array:
    """Return a channel that is exactly private, what is left of its rows where it earns most."""
    units = in_units(np.maximum(near, 0), ratio)
    return private_matrix(units, graph, ratio, lambda left: int((earned @ left).argmax()))


# --- closed form ---------------------------------------------------------------------------


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
