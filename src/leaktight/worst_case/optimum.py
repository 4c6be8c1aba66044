"""How much could any private mechanism leak? The largest Σ_z max_x K(z|x), exact and proved.

The answer comes with a mechanism that attains the lower end and a certificate of both ends. It is
put together from pieces: independent records multiply, components add, and a connected component
is settled by the cheapest route that does: its weighting, or a linear program over private columns.
Where that would take too long, the best cover and the channel that goes with it give an interval.
Of several records all but one are bounded by covers, and answered together where that attains more
(``together``). The laws are proved in docs/proofs/cover-bound.md.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, overload

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel
from leaktight.channels.thinned import Thinned
from leaktight.check import RECORDS, WORST_CASE
from leaktight.errors import TooLarge, Undecided
from leaktight.exact.bits import InBits
from leaktight.exact.matrix import html_rows
from leaktight.exact.numbers import Array, Number, exact_array, fraction, rational
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import above, below, in_bits
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Apart, Policy, adjacency_of
from leaktight.policies.real import Box, Circle, Interval, RealPolicy, Tree
from leaktight.policies.symmetry import automorphism_group
from leaktight.worst_case.apart import MetricKind
from leaktight.worst_case.certificate import digest_of, graph_claim
from leaktight.worst_case.columns import (
    ColumnOptimum,
    Cover,
    DistanceMechanism,
    best_cover,
    column_optimum,
    total_weight,
    weighting,
)
from leaktight.worst_case.real import RealWorstCase, real_worst_case
from leaktight.worst_case.together import Packing, Together

MOST_WORK = 200**3
"""The most orbits times vertices squared for which columns are generated: some minute."""

MOST_ENTRIES = 2**22
"""The most entries of a mechanism that is written out."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A connected component at one ratio: a private channel, and a proof that bounds them all.

    ``proof`` is a cover, or an optimum with its dual prices and the flows that prove them.
    """

    graph: Graph
    ratio: Fraction
    route: str
    mechanism: DistanceMechanism | ColumnOptimum
    proof: Cover | ColumnOptimum
    packing: DistanceMechanism | None = None
    """What goes with the best cover, where the mechanism is another."""

    @property
    def lower(self) -> Fraction:
        """The sum of the column maxima of the mechanism."""
        return fraction(rational(self.mechanism.value))

    @property
    def upper(self) -> Fraction:
        """What no private channel on the component exceeds."""
        return fraction(rational(self.proof.bound))

    def covered(self) -> "Part":
        """The same, bounded by a cover: the prices themselves where none is negative."""
        if isinstance(self.proof, Cover):
            return self
        cover, packing = best_cover(self.graph, self.ratio)
        if min(prices := self.proof.dual) >= 0:
            cover = Cover.of(self.graph, self.ratio, prices)
        return replace(self, proof=cover, packing=packing)

    def certificate(self, whole: Graph) -> dict[str, Any]:
        """Return the proof, with the numbers that the vertices have in the whole graph."""
        at = np.array([whole.index(vertex) for vertex in self.graph.vertices])
        if isinstance(self.proof, Cover):
            return {"vertices": at.tolist(), "cover": [str(b) for b in self.proof.weights]}
        flows = [
            [[int(at[i]), int(at[h]), str(amount)] for i, h, amount in flow.arcs]
            for flow in self.proof.flows
        ]
        prices = [str(y) for y in self.proof.dual]
        return {"vertices": at.tolist(), "prices": prices, "flows": flows}


@dataclass(frozen=True, slots=True, eq=False)
class RecordKind:
    """Records that are alike: their number, and the parts of one record's graph at two ratios.

    The mechanism is built for the lower ratio and the bound computed at the upper one. Only one
    record of a product may be bounded by other parts than covers: the only one, or one ``once``.
    """

    graph: Graph
    records: int
    below: tuple[Part, ...]
    above: tuple[Part, ...]
    once: tuple[Part, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The components."""
        return self.below

    @property
    def routes(self) -> frozenset[str]:
        """How they were settled."""
        return frozenset(part.route for part in (*self.below, *self.above))

    @property
    def lower(self) -> Fraction:
        """What a mechanism for one record attains at the lower ratio: components add."""
        return sum((part.lower for part in self.below), Fraction(0))

    @property
    def upper(self) -> Fraction:
        """What no mechanism exceeds, for each record but that of ``once``, at the upper ratio."""
        return _bound(self.above)

    @property
    def upper_factors(self) -> Powers:
        """What no mechanism for all the records exceeds."""
        if not self.once:
            return Powers.of((self.upper, self.records))
        return Powers.of((self.upper, self.records - 1), (_bound(self.once), 1))

    def covered(self) -> "RecordKind":
        """The same, with covers for proofs."""
        below = above = tuple(part.covered() for part in self.below)
        if self.above is not self.below:
            above = tuple(part.covered() for part in self.above)
        return replace(self, below=below, above=above)

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the worst case itself, each at its ratio."""
        return all(part.lower == part.upper for part in (*self.below, *self.above))

    def packing(self) -> Packing:
        """Return how the records are answered together with others; the proofs must be covers."""
        found = (part.packing or part.mechanism for part in self.below)
        parts = [part for part in found if isinstance(part, DistanceMechanism)]
        return Packing.of(self.graph, self.records, parts)

    def channel(self) -> Channel:
        """The mechanism for one record, each component with outputs of its own."""
        n = self.graph.order
        if n * n > MOST_ENTRIES:
            raise TooLarge(f"a mechanism on {n:,} inputs has {n * n:,} entries, too many to write")
        matrix = exact_array([0] * (n * n)).reshape(n, n)
        for part in self.below:
            channel = part.mechanism.channel()
            rows, columns = (
                [self.graph.index(v) for v in s] for s in (channel.inputs, channel.outputs)
            )
            matrix[np.ix_(rows, columns)] = channel.matrix
        return Channel(matrix, self.graph.vertices, self.graph.vertices)

    def certificate(self) -> dict[str, Any]:
        """Return the graph, the mechanism, and the proofs of all parts."""
        mechanism = [[str(p) for p in row] for row in self.channel().matrix]
        return {"mechanism": mechanism, "lower": str(rational(self.lower))} | self.bounded()

    def bounded(self) -> dict[str, Any]:
        """Return the graph and the proofs of all parts."""
        claim = {"records": self.records, **graph_claim(self.graph), **self._proved(self.above)}
        return claim | ({"once": self._proved(self.once)} if self.once else {})

    def _proved(self, parts: tuple[Part, ...]) -> dict[str, Any]:
        proofs = [part.certificate(self.graph) for part in parts]
        return {"parts": proofs, "upper": str(rational(_bound(parts)))}


@dataclass(frozen=True, slots=True, eq=False)
class WorstCase(InBits):
    """The largest Σ_z max_x K(z|x) over all private channels, between two exact numbers.

    ``lower`` is attained by ``mechanism``; ``upper`` is proved by the certificate. For a rational
    ratio they are equal if ``is_exact``. For a ratio that is only enclosed, as e^ε, ``is_exact``
    says that they are the worst cases at the two ends of the enclosure.
    """

    graph: AdjacencyGraph
    ratio: Ratio
    pieces: tuple[RecordKind | MetricKind, ...]
    together: Together | None = None
    """How several records are answered, if not independently."""

    @property
    def lower_factors(self) -> Powers:
        """The lower end as a product of powers, however many records there are."""
        if self.together is not None:
            return self.together.factors
        return Powers.of(*((piece.lower, piece.records) for piece in self.pieces))

    @property
    def upper_factors(self) -> Powers:
        """The upper end as a product of powers, however many records there are."""
        return math.prod((piece.upper_factors for piece in self.pieces), start=Powers.of())

    @property
    def lower(self) -> Fraction:
        """What the mechanism attains; refused if it is too long to write out."""
        return self.lower_factors.value

    @property
    def upper(self) -> Fraction:
        """What no private channel exceeds; refused if it is too long to write out."""
        return self.upper_factors.value

    @property
    def bits_interval(self) -> tuple[float, float]:
        """Both ends in bits, rounded outward; the upper one is a guarantee."""
        return self.lower_factors.bits_interval[0], self.upper_factors.bits_interval[1]

    @property
    def nats(self) -> float:
        """The upper end in nats, rounded up."""
        return self.upper_factors.nats

    @property
    def is_exact(self) -> bool:
        """Whether nothing but the rounding of e^ε separates the two ends."""
        return all(piece.is_exact for piece in self.pieces)

    @property
    def route(self) -> str:
        """How it was found."""
        routes = {route for piece in self.pieces for route in piece.routes}
        routes |= {"packing"} if self.together else set()
        parts = max(len(piece.parts) for piece in self.pieces)
        records = sum(piece.records for piece in self.pieces)
        steps = [*(["product of records"] * (records > 1)), *(["components"] * (parts > 1))]
        return ", ".join([*steps, *sorted(routes)])

    @property
    def digest(self) -> str:
        """The digest of the graph and the records, as the checker shows it of the certificate."""
        for piece in self.pieces:
            if isinstance(piece, MetricKind):
                return digest_of(Policy(piece.metric, piece.records))
        return digest_of(self.graph)

    @property
    def mechanism(self) -> Channel | Parallel | Thinned:
        """A private channel that attains the lower end; several records are not multiplied out."""
        if self.together is not None:
            return self.together.mechanism
        channels = tuple((piece.channel(), piece.records) for piece in self.pieces)
        if len(channels) == 1 and channels[0][1] == 1:
            return channels[0][0]
        return Parallel(channels)

    @property
    def certificate(self) -> dict[str, Any]:
        """Everything that proves both ends, as plain JSON, for :mod:`leaktight.check`.

        >>> from leaktight.policies.secrets import SecretGraph
        >>> proof = worst_case_leakage(SecretGraph.line(2), ratio=2).certificate
        >>> proof["pieces"][0]["mechanism"], proof["pieces"][0]["parts"]
        ([['2/3', '1/3'], ['1/3', '2/3']], [{'vertices': [0, 1], 'cover': ['2/3', '2/3']}])
        """
        if self.together is not None:
            bounds = [piece.bounded() for piece in self.pieces]
            return {"format": RECORDS} | self.ratio.to_dict() | self.together.certificate(bounds)
        pieces = [piece.certificate() for piece in self.pieces]
        return {"format": WORST_CASE} | self.ratio.to_dict() | {"pieces": pieces}

    def __repr__(self) -> str:
        low, high = self.bits_interval
        if self.is_exact:
            ends = f"exactly {in_bits(high)}"
        else:
            ends = f"between {below(low)} and {in_bits(high, above)}"
        return f"WorstCase({ends} at ratio {self.ratio}; {self.route})"

    def _repr_html_(self) -> str:
        low, high = self.bits_interval
        most = "exactly" if self.is_exact else f"between {below(low)} and"
        return html_rows(
            "What any private mechanism leaks at worst",
            [],
            [
                ("leakage", f"{most} {in_bits(high, above)}"),
                ("Σ max", self.upper_factors.shown()),
                ("ratio", str(self.ratio)),
                ("found by", self.route),
            ],
        )


@overload
def worst_case_leakage(
    neighbours: Apart, ratio: RatioLike = None, epsilon: Number | None = None
) -> WorstCase: ...
@overload
def worst_case_leakage(
    neighbours: RealPolicy, ratio: RatioLike = None, epsilon: Number | None = None
) -> RealWorstCase: ...
def worst_case_leakage(
    neighbours: Apart | RealPolicy, ratio: RatioLike = None, epsilon: Number | None = None
) -> WorstCase | RealWorstCase:
    """Return the largest leakage of any mechanism that is private, with mechanism and proof.

    The largest min-entropy leakage over all private channels and all priors is the logarithm of
    the largest Σ_z max_x K(z|x). A million independent records cost no more than one. For a
    :class:`Metric`, λ is the ratio at a distance of 1. Powers of λ are then rounded, unless all
    edges are of one rational length, so that the two ends differ by some 10⁻¹² and ``is_exact``
    does not hold; the certificate proves both. For an interval and other real values the answer is
    in closed form.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> worst = worst_case_leakage(SecretGraph.line(4), ratio=2)
    >>> worst
    WorstCase(exactly 1 bit at ratio 2 (ε = ln 2); weighting)
    >>> worst.lower, worst.upper, worst.is_exact
    (Fraction(2, 1), Fraction(2, 1), True)
    >>> worst_case_leakage(Metric.euclidean([(0, 0), (3, 0), (0, 4)]), ratio=2)
    WorstCase(between 1.39057 and 1.39058 bits at ratio 2 (ε = ln 2); columns of a metric)
    >>> worst_case_leakage(Interval(0, 100), epsilon="0.1")
    RealWorstCase(exactly 6 = 1 + εL/2, 2.58497 bits)
    """
    if isinstance(neighbours, Interval | Box | Circle | Tree):
        found = real_worst_case(neighbours, ratio, epsilon)
        if not isinstance(neighbours, Box) or neighbours.finite is None:
            return found
        part = worst_case_leakage(neighbours.finite, ratio, epsilon)
        return replace(found, lower=found.lower * part.lower, upper=found.upper * part.upper)
    asked = Ratio.of(ratio, epsilon)
    if isinstance(neighbours, Metric):
        neighbours = Policy(neighbours)
    if isinstance(neighbours, Policy) and (metric := neighbours.metric) is not None:
        if (unit := metric.unit) is None:
            return _of_metric(metric, neighbours.records, asked)
        neighbours, asked = Policy(metric.graph, neighbours.records), asked.over(unit, unit)
    graph = adjacency_of(neighbours)
    pieces = []
    for factor, records in graph.factors:
        parts = factor.components
        components = [factor] if len(parts) == 1 else [factor.subgraph(part) for part in parts]
        below = tuple(_settle(one, asked.lower) for one in components)
        above = below
        if not asked.is_exact:
            above = tuple(_settle(p.graph, asked.upper, p.mechanism) for p in below)
        pieces.append(RecordKind(factor, records, below, above))
    if sum(records for _, records in graph.factors) == 1:
        return WorstCase(graph, asked, tuple(pieces))
    covered = [piece.covered() for piece in pieces]
    worst = WorstCase(graph, asked, _multiplied(pieces, covered))
    if worst.is_exact:
        return worst
    return _answered(worst, tuple(piece.packing() for piece in covered))


def _of_metric(metric: Metric, records: int, ratio: Ratio) -> WorstCase:
    """Return the worst case of records whose values have distances."""
    kind = MetricKind.of(metric, ratio, records)
    worst = WorstCase(AdjacencyGraph.of(metric.graph, records), ratio, (kind,))
    return _answered(worst, (kind.packing(),)) if kind.covers else worst


def _answered(worst: WorstCase, packings: tuple[Packing, ...]) -> WorstCase:
    """Answer the records together where that attains more."""
    together = Together.of(worst.ratio.lower, packings)
    return replace(worst, together=together) if together.factors > worst.lower_factors else worst


def _multiplied(pieces: list[RecordKind], covered: list[RecordKind]) -> tuple[RecordKind, ...]:
    """Bound all records by covers but one, for which other proofs gain most."""
    gains = [cover.upper / piece.upper for cover, piece in zip(covered, pieces, strict=True)]
    most = max(range(len(gains)), key=lambda k: gains[k])
    if gains[most] > 1:
        best, cover = pieces[most], covered[most]
        best = best if best.records == 1 else replace(cover, once=best.above)
        return (*covered[:most], best, *covered[most + 1 :])
    return tuple(covered)


def _bound(parts: tuple[Part, ...]) -> Fraction:
    return sum((part.upper for part in parts), Fraction(0))


def _settle(
    graph: Graph,
    ratio: Fraction,
    near: DistanceMechanism | ColumnOptimum | None = None,
) -> Part:
    """Settle a connected component; what is known at a ratio nearby saves time."""
    if graph.order == 1 or ratio == 1:
        constant = exact_array([1] + [0] * (graph.order - 1))
        return _by_weights(graph, ratio, constant, "constant")
    if (weights := weighting(graph, ratio)) is not None:
        return _by_weights(graph, ratio, weights, "weighting")
    if _orbits(graph) * graph.order**2 <= MOST_WORK:
        known = near if isinstance(near, ColumnOptimum) else None
        try:
            best = column_optimum(graph, ratio, known)
        except (TooLarge, Undecided):
            pass
        else:
            return Part(graph, ratio, "columns", best, best)
    cover, mechanism = best_cover(graph, ratio)
    return Part(graph, ratio, "cover", mechanism, cover)


def _orbits(graph: Graph) -> int:
    return int(automorphism_group(graph).orbit_labels.max()) + 1


def _by_weights(graph: Graph, ratio: Fraction, weights: Array, route: str) -> Part:
    """Return what weights give whose coverage is 1 everywhere: nothing is left of the rows."""
    nothing = exact_array([0] * graph.order)
    mechanism = DistanceMechanism(graph, ratio, weights, fmpq(1), nothing)
    return Part(graph, ratio, route, mechanism, Cover(weights, total_weight(weights)))
