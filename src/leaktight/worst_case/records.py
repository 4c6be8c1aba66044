"""The worst case of records that are alike, whose values form a graph or have distances.

A connected component of a graph is settled by the cheapest route that does: its weighting, or a
linear program over the edges of a tree, or over private columns. Where that would take too long,
the best cover and the channel that goes with it give an interval. Where edges have lengths, the
worst case is what the best channel earns if each right guess earns 1; if the weighting, the
solution of Σ_j e^(−ε·d(i,j))·w_j = 1, is non-negative, it is Σ w, the magnitude of the space,
scaled by ε [Leinster2013]_. Components add. The laws are proved in docs/proofs/cover-bound.md and
docs/proofs/metrics.md.
"""

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.errors import TooLarge, Undecided
from leaktight.exact.numbers import Array, exact_array, fraction, rational
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio
from leaktight.limits import allowed
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.symmetry import automorphism_group
from leaktight.worst_case.certificate import channel_claim, graph_claim
from leaktight.worst_case.columns import (
    MOST_IN_TREE,
    ColumnOptimum,
    Cover,
    DistanceMechanism,
    Found,
    TreeOptimum,
    best_channel,
    best_cover,
    best_metric_cover,
    column_optimum,
    total_weight,
    tree_optimum,
    weighting,
)
from leaktight.worst_case.together import Packing

MOST_WORK = 300**3
"""The most orbits times vertices squared for which columns are generated: some minute."""

MOST_ENTRIES = 2**22
"""The most entries of a mechanism that is written out."""

MOST_VALUES = 400
"""The most values that are a finite distance apart; more would take many minutes."""

Optimum: TypeAlias = ColumnOptimum | TreeOptimum | Found
"""What has a channel and a proof: that of a tree weights, the others prices with flows."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A connected component at a ratio: a private channel, and a proof that bounds them all."""

    graph: Graph
    ratio: Fraction
    route: str
    mechanism: DistanceMechanism | Optimum
    proof: Cover | Optimum
    packing: DistanceMechanism | Found | None = None
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
        if min(prices := self.proof.prices) >= 0:
            cover = Cover.of(self.graph, self.ratio, prices)
        return replace(self, proof=cover, packing=packing)

    @property
    def steps(self) -> Array | None:
        """On a tree the chances of outputs beyond each edge, from both ends, if known."""
        made, n = self.mechanism, self.graph.order
        if isinstance(made, TreeOptimum):
            return made.steps
        if self.graph.size == n - 1 and isinstance(made, DistanceMechanism) and made.is_weighting:
            return np.full((n - 1, 2), 1 / (1 + rational(self.ratio)), dtype=object)
        return None


@dataclass(frozen=True, slots=True, eq=False)
class RecordKind:
    """Records that are alike: their number, and the parts of one record's space at two ratios.

    The mechanism is built for the lower ratio and the bound computed at the upper one. Only one
    record of a product may be bounded by other parts than covers: the only one, or one ``once``.
    """

    space: Graph | Metric
    ratio: Ratio
    records: int
    below: tuple[Part, ...]
    above: tuple[Part, ...]
    once: tuple[Part, ...] = ()

    @classmethod
    def of(cls, space: Graph | Metric, ratio: Ratio, records: int = 1) -> "RecordKind":
        """Settle each component at both ends of the ratio."""
        parts = space.graph.components
        if (metric := space.measured) is not None:  # lengths are rounded to both sides as well
            both = tuple(_settle_lengths(metric.restricted(part), ratio) for part in parts)
            return cls(space, ratio, records, both, both)
        graph = space.graph
        components = [graph] if len(parts) == 1 else [graph.subgraph(part) for part in parts]
        below = above = tuple(_settle(one, ratio.lower) for one in components)
        if not ratio.is_exact:
            above = tuple(_settle(p.graph, ratio.upper, p.mechanism) for p in below)
        return cls(space, ratio, records, below, above)

    @property
    def graph(self) -> Graph:
        """The pairs of values that matter."""
        return self.space.graph

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
        """The same, with covers for proofs; where edges have lengths, prices cover if all can."""
        if (metric := self.space.measured) is not None:
            found = [part.proof for part in self.below if isinstance(part.proof, Found)]
            if min(price for one in found for price in one.prices) >= 0:
                return self
            inside = (metric.restricted(part.graph.vertices) for part in self.below)
            covers = [best_metric_cover(one, self.ratio) for one in inside]
            both = zip(self.below, covers, strict=True)
            parts = tuple(replace(part, proof=one, packing=one) for part, one in both)
            return replace(self, below=parts, above=parts)
        below = above = tuple(part.covered() for part in self.below)
        if self.above is not self.below:
            above = tuple(part.covered() for part in self.above)
        return replace(self, below=below, above=above)

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the worst case itself, each at its ratio."""
        return all(part.lower == part.upper for part in (*self.below, *self.above))

    def packing(self) -> Packing | None:
        """Return how the records are answered together with others, if the proofs are covers."""
        parts = [part.packing or part.mechanism for part in self.below]
        if (metric := self.space.measured) is not None:
            if not self.below[0].packing:  # the prices are as good as covers
                return None
            below = metric.ratios(self.ratio)[0]
            return Packing.of_rows(self.graph, self.records, self._whole(parts), below)
        alike = [part for part in parts if isinstance(part, DistanceMechanism)]
        return Packing.of(self.graph, self.records, alike)

    def channel(self) -> Channel:
        """The mechanism for one record, each component with outputs of its own."""
        if (n := self.graph.order) ** 2 > allowed(MOST_ENTRIES):
            raise TooLarge(f"a mechanism on {n:,} inputs has {n * n:,} entries, too many to write")
        matrix = self._whole([part.mechanism for part in self.below])
        return Channel(matrix, self.graph.vertices, self.graph.vertices)

    def _whole(self, parts: Sequence[DistanceMechanism | Optimum]) -> Array:
        """Return the matrices of all components in one."""
        n = self.graph.order
        matrix = exact_array([0] * (n * n)).reshape(n, n)
        for one, part in zip(self.below, parts, strict=True):
            at = self._places(one)
            matrix[np.ix_(at, at)] = part.matrix
        return matrix

    def _places(self, part: Part) -> list[int]:
        return [self.graph.index(vertex) for vertex in part.graph.vertices]

    def attained(self) -> dict[str, Any]:
        """Return the mechanism for one record, and what it attains.

        If a tree has needed more than a weighting, and there are only trees, each edge has the
        chances of outputs beyond it, and the mechanism is not written out.
        """
        known = dict[tuple[Hashable, Hashable], Array]()
        for part in self.below:
            if (steps := part.steps) is not None:
                for (a, b), ends in zip(part.graph.edge_pairs(), steps, strict=True):
                    known[a, b], known[b, a] = ends, ends[::-1]
        needed = any(isinstance(part.mechanism, TreeOptimum) for part in self.below)
        if needed and len(known) == 2 * self.graph.size:
            chances = [[str(p) for p in known[pair]] for pair in self.graph.edge_pairs()]
            return {"steps": chances, "lower": str(rational(self.lower))}
        return channel_claim(self.channel(), self.lower)

    def bounded(self) -> dict[str, Any]:
        """Return the space and the proofs of all parts."""
        claim = {"records": self.records, **graph_claim(self.space, self.ratio)}
        claim |= self._proved(self.above)
        return claim | ({"once": self._proved(self.once)} if self.once else {})

    def _proved(self, parts: tuple[Part, ...]) -> dict[str, Any]:
        proofs = [part.proof.claim(np.array(self._places(part))) for part in parts]
        return {"parts": proofs, "upper": str(rational(_bound(parts)))}


def _bound(parts: tuple[Part, ...]) -> Fraction:
    return sum((part.upper for part in parts), Fraction(0))


def _settle(graph: Graph, ratio: Fraction, near: DistanceMechanism | Optimum | None = None) -> Part:
    """Settle a connected component; what is known at a ratio nearby saves time."""
    if graph.order == 1 or ratio == 1:
        constant = exact_array([1] + [0] * (graph.order - 1))
        return _by_weights(graph, ratio, constant, "constant")
    if (weights := weighting(graph, ratio)) is not None:
        return _by_weights(graph, ratio, weights, "weighting")
    if graph.size == graph.order - 1 and graph.order <= MOST_IN_TREE:
        with suppress(TooLarge, Undecided):
            tree = tree_optimum(graph, ratio)
            return Part(graph, ratio, "tree", tree, tree)
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


def _settle_lengths(metric: Metric, ratio: Ratio) -> Part:
    """Settle a component in which edges have lengths."""
    if (n := metric.order) > allowed(MOST_VALUES):
        raise TooLarge(
            f"the worst case for a metric is found for at most {allowed(MOST_VALUES)} values, "
            f"got {n:,}; leakage is bounded for some of them, or for a graph"
        )
    right = np.full((n, n), fmpq(0), dtype=object)
    np.fill_diagonal(right, fmpq(1))
    found = best_channel(metric, ratio, right)
    found = found._replace(value=found.matrix.max(axis=0).sum())
    return Part(metric.graph, ratio.lower, "columns of a metric", found, found)
