"""The privacy level: the least λ with K(z|x) ≤ λ·K(z|x′) for all neighbours x ~ x′.

0 against 0 is no violation; anything positive against 0 is infinite. Entries are compared as the
exact numbers that they are, floats too.
"""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from flint import arb

from leaktight.channels.all_or_nothing import AllOrNothing
from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.composition import Parallel
from leaktight.channels.deterministic import Deterministic
from leaktight.errors import Mismatch
from leaktight.exact.numbers import Array, Number, Value, float_array, fraction, public, rational
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import LARGEST_EPSILON, Ratio, RatioLike
from leaktight.exact.rounding import outward
from leaktight.exact.shown import above, shown, shown_above, shown_below
from leaktight.labels import Labels, alignment
from leaktight.policies.graph import Graph, Indices
from leaktight.policies.neighbours import Neighbours, Space, adjacency_of, space_of
from leaktight.policies.real import Interval
from leaktight.privacy.largest_ratio import (
    Found,
    largest_of_columns,
    largest_rates,
    largest_ratio,
)


@dataclass(frozen=True, slots=True)
class Witness:
    """Where a channel is worst: ``output`` is likeliest against a neighbour's for ``input``."""

    input: Hashable
    neighbour: Hashable
    output: Hashable
    record: int | None = None
    """For channels in parallel, the record, from 0, whose channel it is; all others stay."""
    rest: Mapping[Hashable, int] | None = None
    """How many records, beside those of ``input``, have each value and stay; None if it is all."""

    def __str__(self) -> str:
        where = "" if self.record is None else f"record {self.record}: "
        told = f"{where}output {self.output!r} of {self.input!r} against {self.neighbour!r}"
        if not self.rest:
            return told
        stay = ", ".join(f"{times:,} × {value!r}" for value, times in self.rest.items())
        return f"{told}; all others stay: {stay}"


@dataclass(frozen=True, slots=True, repr=False)
class PrivacyLevel:
    """The least ``ratio`` λ = e^ε at which a channel is private, and where it is attained.

    The ratio is exact (∞ where a zero meets a positive entry); ``witness`` is None where there
    are no neighbours to compare or all of them have equal rows. For a metric, the ratio is that of
    the inputs of the witness, where ln(ratio)/``distance`` is largest. Under public counts that
    leave more kinds of neighbours than can be gone through, it is only proved that the channel is
    private at ``ratio``, and ``attained`` is the ratio at the witness.
    """

    ratio: Value
    witness: Witness | None
    distance: Fraction = field(default=Fraction(1), kw_only=True)
    """How far apart the witness's inputs are, rounded down if need be; 1 for a graph's."""
    least: Value | None = field(default=None, kw_only=True)
    """The ratio at the witness, if it is below ``ratio``; None if ``ratio`` is attained."""

    def __repr__(self) -> str:
        worst = "" if self.witness is None else f"; worst: {self.witness}"
        size = (
            shown_above(self.ratio)
            if self.is_exact
            else f"{shown_below(self.attained)} to {shown_above(self.ratio)}"
        )
        if self.distance == 1:
            return f"PrivacyLevel(ratio {size}, ε ≤ {above(self.epsilon)}{worst})"
        found = f"ratio {size} at a distance of {shown(self.distance)}"
        return f"PrivacyLevel(ε ≤ {above(self.epsilon)} per unit of distance: {found}{worst})"

    @property
    def attained(self) -> Value:
        """The ratio at the witness: the channel is not private below it."""
        return self.ratio if self.least is None else self.least

    @property
    def is_exact(self) -> bool:
        """Whether ``ratio`` is attained, and not only proved to be enough."""
        return self.least is None

    @property
    def epsilon(self) -> float:
        """ε = ln(ratio)/distance, rounded up, also as the decimal number that it prints as."""
        if self.ratio == math.inf:
            return math.inf
        number, apart = rational(self.ratio), rational(self.distance)
        epsilon = outward(lambda: arb(number).log() / arb(apart))[1]
        if epsilon > LARGEST_EPSILON:  # the next float prints as a number that is not below this
            return math.nextafter(epsilon, math.inf)
        while not self.holds(epsilon=epsilon):
            epsilon = math.nextafter(epsilon, math.inf)
        return epsilon

    @property
    def epsilon_bits(self) -> float:
        """ε = log2(ratio)/distance, rounded up: the unit of [Boreale2012]_."""
        if self.ratio == math.inf:
            return math.inf
        number, apart = rational(self.ratio), rational(self.distance)
        return outward(lambda: arb(number).log_base(2) / arb(apart))[1]

    def holds(self, ratio: RatioLike = None, epsilon: Number | None = None) -> bool:
        """Say whether the channel is private at this ratio or ε; decided exactly.

        For an ε whose e^ε is not rational, a level within 2^-60 of it may count as not private.

        >>> from leaktight.policies.secrets import SecretGraph
        >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
        >>> level = privacy_level(coin, SecretGraph.complete(2))
        >>> level.holds(epsilon="ln 2"), level.holds(epsilon="0.69")
        (True, False)
        """
        return Ratio.of(ratio, epsilon).over(self.distance, self.distance).allows(self.ratio)


def privacy_level(
    channel: Channel | Parallel | AllOrNothing, neighbours: Space | Interval
) -> PrivacyLevel:
    """Return the least ratio at which a channel is private, with the worst neighbours and output.

    Definition 6 of [Edwards2021]_, demanded in both directions. The channel's inputs are the
    graph's vertices: the policy's databases, or its values for one record. Only edges are looked
    at, never all pairs. Channels in parallel on independent records, one each, are as private as
    the worst of them (Lemma 4 of [Barthe2011]_), and records that are answered together or not at
    all are judged without being written out. Under public constraints neighbours may differ in
    several records, and the ratios of these multiply. The product is not built, and where counts
    are public, no databases are listed: there may be any number of records
    (docs/proofs/public-counts.md).

    A floating-point channel is measured with the entries that it has, as the exact numbers that
    floats are; ``channel.exact()`` has its rows divided by their sums.

    For a :class:`Metric`, or a policy of one, it is the least ε with
    K(z|x) ≤ e^(ε·d(x,x′))·K(z|x′) for all x, x′. For an :class:`Interval` the inputs are some of
    its numbers, and what is released between two of them is drawn from their rows, the nearer the
    likelier; then it is that ε for all numbers of the interval, with ``distance`` that over which
    the odds change by e where they change most.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> line = SecretGraph.line(["low", "middle", "high"])
    >>> rows = [["4/7", "2/7", "1/7"], ["2/7", "3/7", "2/7"], ["1/7", "2/7", "4/7"]]
    >>> level = privacy_level(Channel(rows, line.vertices), line)
    >>> level.ratio, str(level.witness)
    (Fraction(2, 1), "output 0 of 'low' against 'middle'")
    >>> from leaktight.policies.metric import Metric
    >>> far = Metric.from_edges(line.vertices, [("low", "middle", 2), ("middle", "high", 1)])
    >>> privacy_level(Channel(rows, line.vertices), far)
    PrivacyLevel(ratio 2, ε ≤ 0.693148; worst: output 0 of 'middle' against 'high')
    >>> from leaktight.channels.composition import parallel
    >>> from leaktight.policies.constraint import count
    >>> from leaktight.policies.policy import Policy
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"])
    >>> told = count(["yes"], equals=7)
    >>> known = Policy(SecretGraph.complete(["no", "yes"]), 1000, constraints=told)
    >>> level = privacy_level(parallel(*[coin] * 1000), known)
    >>> level.ratio, level.witness.rest
    (Fraction(4, 1), {'no': 992, 'yes': 6})
    """
    if isinstance(neighbours, Interval):
        from leaktight.privacy.interpolated import interpolated_level

        if not isinstance(channel, Channel):
            raise Mismatch(f"an interval has the numbers of one record, got {channel!r:.60}")
        return interpolated_level(channel, neighbours)
    if not isinstance(channel, Channel):
        from leaktight.privacy.records import all_or_nothing_level, parallel_level

        if isinstance(channel, AllOrNothing):
            return all_or_nothing_level(channel, neighbours)
        if isinstance(channel, Parallel):
            return parallel_level(channel, neighbours)
    metric = None if space_of(neighbours).measured is None else neighbours.as_metric()
    lengths = None if metric is None or metric.unit == 1 else metric.lower
    graph = databases_of(channel, neighbours if metric is None else metric.graph)
    if lengths is None and (function := channel.function) is not None:
        order = alignment(graph.vertices, channel.inputs, "the graph's vertices and the inputs")
        seen = function.seen if order is None else function.seen[order]
        return _function_level(function, seen, graph.edges, graph.vertices)
    matrix = rows_on(channel, graph)
    if lengths is not None:
        return _rate(matrix, graph.edges, graph.vertices, channel.outputs, lengths)
    complete = graph.order > 1 and graph.is_complete
    found = largest_of_columns(matrix) if complete else largest_ratio(matrix, graph.edges)
    return _level(found, graph.vertices, channel.outputs)


def component_levels(
    channel: Channel, neighbours: Neighbours
) -> dict[tuple[Hashable, ...], PrivacyLevel]:
    """Return the privacy level within each connected component of the graph.

    >>> rows = [["1/2", "1/2"], ["1/4", "3/4"], [1, 0]]
    >>> levels = component_levels(Channel(rows), Graph(3, [(0, 1)]))
    >>> [(component, level.ratio) for component, level in levels.items()]
    [((0, 1), Fraction(2, 1)), ((2,), Fraction(1, 1))]
    """
    graph = databases_of(channel, neighbours)
    matrix = rows_on(channel, graph)
    labels = graph.component_labels[graph.edges[:, 0]]
    return {
        component: _level(
            largest_ratio(matrix, graph.edges[labels == t]), graph.vertices, channel.outputs
        )
        for t, component in enumerate(graph.components)
    }


def distinguishability(channel: Channel) -> PrivacyLevel:
    """Return the largest ratio between any two inputs, neighbours or not.

    It is the worst-case security level of Theorem 1 of [Boreale2012]_: the most that any
    observation can change the odds of anything.

    >>> distinguishability(Channel([["3/4", "1/4"], ["1/4", "3/4"]])).ratio
    Fraction(3, 1)
    """
    if (function := expect_channel(channel).function) is not None:
        first = np.zeros(len(channel.inputs), dtype=np.intp)
        pairs = np.stack([first, np.arange(len(first))], axis=1)
        return _function_level(function, function.seen, pairs, channel.inputs)
    matrix = channel.matrix
    return _level(largest_of_columns(matrix), channel.inputs, channel.outputs)


# --- where it is worst ---------------------------------------------------------------------


def databases_of(channel: Channel, neighbours: Space) -> Graph:
    """Return the graph on the channel's inputs, written out."""
    inputs = len(expect_channel(channel).inputs)
    if isinstance(neighbours, Graph) and neighbours.order == inputs:
        return neighbours
    graph = adjacency_of(neighbours)
    if graph.order != inputs:
        raise Mismatch(
            f"the channel must have an input for each database, got {inputs:,} for {graph!r}; "
            "if there is one channel for each record, use parallel(…)"
        )
    return graph.explicit()


def rows_on(channel: Channel, graph: Graph) -> Array:
    """Return the rows of the channel in the order of the graph's vertices."""
    order = alignment(graph.vertices, channel.inputs, "the graph's vertices and the inputs")
    return channel.matrix if order is None else channel.matrix[order]


def exceeds(level: PrivacyLevel, other: PrivacyLevel) -> bool:
    """Say whether ln(r)/d > ln(r′)/d′: r^d′ > r′^d, for whole multiples of d and d′."""
    if level.distance == other.distance:
        return level.ratio > other.ratio
    if level.ratio == math.inf or other.ratio == math.inf:
        return other.ratio != math.inf
    whole = math.lcm(level.distance.denominator, other.distance.denominator)
    here, there = int(other.distance * whole), int(level.distance * whole)
    return Powers.of((level.ratio, here)) > Powers.of((other.ratio, there))


def _function_level(
    channel: Deterministic, seen: Indices, edges: Indices, inputs: Labels
) -> PrivacyLevel:
    """A function tells neighbours apart with certainty, or not at all."""
    tails, heads = edges.T
    apart = np.flatnonzero(seen[tails] != seen[heads])
    if not len(apart):
        return PrivacyLevel(Fraction(1), None)
    i, h = tails[apart[0]], heads[apart[0]]
    return PrivacyLevel(math.inf, Witness(inputs[i], inputs[h], channel.outputs[seen[i]]))


def _level(found: Found, inputs: Labels, outputs: Labels) -> PrivacyLevel:
    """Return the largest ratio as a level, with the names of where it is."""
    if found.at is None:
        return PrivacyLevel(Fraction(1), None)
    i, h, z = found.at
    return PrivacyLevel(public(found.ratio), Witness(inputs[i], inputs[h], outputs[z]))


def _rate(
    matrix: Array, edges: Indices, inputs: Labels, outputs: Labels, lengths: Array
) -> PrivacyLevel:
    """Return the level of the pair whose logarithm of ratios is largest for its length."""
    length = dict(zip(map(tuple, edges.tolist()), lengths, strict=True))
    worst = PrivacyLevel(Fraction(1), None)
    for found in largest_rates(matrix, edges, float_array(lengths)):
        if found.at is not None:
            i, h, _ = found.at
            apart = fraction(length[min(i, h), max(i, h)])
            level = replace(_level(found, inputs, outputs), distance=apart)
            worst = level if exceeds(level, worst) else worst
    return worst
