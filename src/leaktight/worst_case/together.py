"""What many records leak at least: within one bit of what no private mechanism exceeds.

Let a ≥ 0 be a *packing* of one record's graph: R_i = Σ_j a_j·q^d(i,j) ≤ 1 for every i. Records
answer j with the chance a_j·q^d(i,j), or not at all, and the answers are kept with the chance s, or
replaced by fixed ones. For s up to the least (λ − 1)/(λ·R_h − R_i) over all neighbours this is
private, however many records there are, and s is at least λ/(λ + 1). See docs/proofs/one-bit.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from leaktight.channels.all_or_nothing import NO_ANSWER, AllOrNothing, Answering
from leaktight.channels.channel import Channel
from leaktight.exact.numbers import Array, exact_array, fraction, rational
from leaktight.exact.powers import Powers
from leaktight.policies.graph import Graph, Indices
from leaktight.worst_case.columns import DistanceMechanism, largest_scale, total_weight

UNIT = 2**60
"""A packing is divided by its largest coverage, rounded up to a multiple of 1/UNIT."""

MOST_BITS = 2**14
"""The most bits of the powers with which what the fixed answers tell is counted."""


@dataclass(frozen=True, slots=True, eq=False)
class Packing:
    """Records that are alike: their graph and number, the packing a, and its coverage R ≤ 1.

    The ratio is that of all edges, or there is one for each. Then ``rows`` are the chances of
    answers, in private columns that are largest on the diagonal.
    """

    graph: Graph
    records: int
    ratio: fmpq | Array
    weights: Array
    used: Array
    rows: Array | None = None

    @classmethod
    def of(cls, graph: Graph, records: int, parts: Sequence[DistanceMechanism]) -> "Packing":
        """Put the mechanisms of all components side by side."""
        weights, used = (exact_array([0] * graph.order) for _ in range(2))
        for part in parts:
            at = [graph.index(vertex) for vertex in part.graph.vertices]
            covered = (1 - part.remainder) / part.scale
            most = fmpq((covered.max() * UNIT).ceil(), UNIT)
            weights[at], used[at] = part.weights / most, covered / most
        return cls(graph, records, rational(parts[0].ratio), weights, used)

    @classmethod
    def of_rows(cls, graph: Graph, records: int, rows: Array, ratios: Array) -> "Packing":
        """Take the chances of answers, and a ratio for each edge."""
        return cls(graph, records, ratios, rows.diagonal(), rows.sum(axis=1), rows)

    @property
    def bound(self) -> Fraction:
        """Σ a, which is nearly that of the best cover."""
        return fraction(total_weight(self.weights))

    @property
    def lowest(self) -> Indices:
        """For each component the vertex with the least coverage, its fixed answer."""
        labels, used = self.graph.component_labels, self.used
        order = sorted(range(self.graph.order), key=lambda i: (labels[i], used[i]))
        return np.array(order)[np.unique(labels[order], return_index=True)[1]]

    @property
    def kept(self) -> Fraction:
        """The largest chance s ≤ 1 at which what is not kept is private."""
        return fraction(largest_scale(self.graph, self.ratio, self.used, fmpq(1)))

    @property
    def matrix(self) -> Array:
        """The chances of all answers; what is left of a row is that of none."""
        if self.rows is not None:
            return self.rows
        assert isinstance(self.ratio, fmpq)
        nothing, ratio = exact_array([0] * self.graph.order), fraction(self.ratio)
        return DistanceMechanism(self.graph, ratio, self.weights, fmpq(1), nothing).matrix

    def claim(self) -> list[Any]:
        """Return the packing as a certificate has it."""
        if self.rows is not None:
            return [[str(p) for p in row] for row in self.rows]
        return [str(a) for a in self.weights]

    def answering(self) -> Answering:
        """Return how one of the records is answered."""
        graph = self.graph
        matrix = np.column_stack([self.matrix, 1 - self.used])
        outputs = (*graph.vertices, NO_ANSWER)
        instead = self.lowest[graph.component_labels].tolist()
        return Answering(
            Channel(matrix, graph.vertices, outputs), tuple(graph.vertices[i] for i in instead)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """Records of one or more kinds, answered together or not at all, at a ratio λ > 1."""

    packings: tuple[Packing, ...]
    kept: Fraction
    """The chance s with which answers are kept."""

    @classmethod
    def of(cls, packings: tuple[Packing, ...]) -> "Together":
        """Keep them with the largest chance that is private."""
        return cls(packings, min(each.kept for each in packings))

    @property
    def share(self) -> Fraction:
        """What is attained, Σ_z max_x K(z|x) or a little less, as a share of Π (Σ a)^n.

        It is s + (Π T^n − s·Π M^n)/Π (Σ a)^n, with T the number of components and M the sum over
        these of the least coverage; s alone if the powers are long.
        """
        kept, each = self.kept, self.packings
        powers = [
            Powers.of(*((base(one), one.records) for one in each))
            for base in (
                lambda one: one.bound,
                lambda one: len(one.graph.components),
                lambda one: fraction(one.used[one.lowest].sum()),
            )
        ]
        if sum(power.length for power in powers) > MOST_BITS:
            return kept
        whole, parts, least = (power.value for power in powers)
        return kept + (parts - kept * least) / whole

    @property
    def factors(self) -> Powers:
        """What is attained."""
        bounds = ((each.bound, each.records) for each in self.packings)
        return Powers.of((self.share, 1), *bounds)

    @property
    def mechanism(self) -> AllOrNothing:
        """The mechanism itself, which is not multiplied out."""
        factors = ((each.answering(), each.records) for each in self.packings)
        return AllOrNothing(tuple(factors), self.kept)

    def certificate(self, bounds: Iterable[dict[str, Any]]) -> dict[str, Any]:
        """Return what proves the lower end, with what bounds each kind of record."""
        pieces = [
            bound | {"packing": each.claim()}
            for bound, each in zip(bounds, self.packings, strict=True)
        ]
        chances = {"kept": str(rational(self.kept)), "share": str(rational(self.share))}
        return chances | {"pieces": pieces}
