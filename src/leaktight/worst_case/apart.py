"""How much could any mechanism leak that is private for a metric?

V, the largest Σ_z max_x K(z|x), is what the best channel earns if each right guess earns 1. Where
the weighting, the solution of Σ_j e^(−ε·d(i,j))·w_j = 1, is non-negative, it is Σ w: the magnitude
of the space, scaled by ε [Leinster2013]_. See docs/proofs/metrics.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.errors import TooLarge
from leaktight.exact.numbers import Array, exact_array, fraction, rational
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio
from leaktight.policies.metric import Metric
from leaktight.worst_case.certificate import channel_claim, graph_claim
from leaktight.worst_case.columns import Found, best_for_metric, best_metric_cover
from leaktight.worst_case.together import MetricPacking

MOST_VALUES = 400
"""The most values that are a finite distance apart; more would take many minutes."""


@dataclass(frozen=True, eq=False)
class MetricKind:
    """Records whose values have distances: for each component of one a channel, and prices.

    Of several records only one may be bounded by prices of which some are negative; the others
    are bounded by ``covers`` then, which come with packings.
    """

    # No slots: cached_property keeps what was computed in the instance's dictionary.
    metric: Metric
    ratio: Ratio
    parts: tuple[Found, ...]
    records: int = 1
    covers: tuple[Found, ...] = ()
    routes = frozenset({"columns of a metric"})

    @classmethod
    def of(cls, metric: Metric, ratio: Ratio, records: int = 1) -> "MetricKind":
        """Find both ends; components add."""
        parts, covers = [], []
        for component in metric.graph.components:
            n = len(component)
            if n > MOST_VALUES:
                raise TooLarge(
                    f"the worst case for a metric is found for at most {MOST_VALUES} values, "
                    f"got {n:,}; leakage is bounded for some of them, or for a graph"
                )
            right = np.full((n, n), fmpq(0), dtype=object)
            np.fill_diagonal(right, fmpq(1))
            alone = metric.restricted(component)
            parts.append(best_for_metric(alone, ratio, right))
        if records > 1 and min(price for part in parts for price in part.prices) < 0:
            inside = map(metric.restricted, metric.graph.components)
            covers = [best_metric_cover(one, ratio) for one in inside]
        return cls(metric, ratio, tuple(parts), records, tuple(covers))

    @cached_property
    def lower(self) -> Fraction:
        """What the mechanism attains."""
        return fraction(sum((part.matrix.max(axis=0).sum() for part in self.parts), fmpq(0)))

    @property
    def is_exact(self) -> bool:
        """Whether the ends are equal; mostly distances, or their powers, are rounded."""
        return self.lower == self.upper and not self.covers

    @property
    def upper_factors(self) -> Powers:
        """What no mechanism for all the records exceeds."""
        if not self.covers:
            return Powers.of((self.upper, self.records))
        return Powers.of((_bound(self.covers), self.records - 1), (self.upper, 1))

    @cached_property
    def upper(self) -> Fraction:
        """The sum of the prices, which bounds one record."""
        return _bound(self.parts)

    def packing(self) -> MetricPacking:
        """Return how the records are answered together; there must be covers."""
        rows = self._whole(self.covers)
        weights, used = rows.diagonal(), rows.sum(axis=1)
        below = self.metric.ratios(self.ratio)[0]
        return MetricPacking(self.metric.graph, self.records, weights, used, rows, below)

    def channel(self) -> Channel:
        """The mechanism for one record, each component with outputs of its own."""
        return Channel(self._whole(self.parts), self.metric.values, self.metric.values)

    def _whole(self, parts: tuple[Found, ...]) -> Array:
        """Return the matrices of all components in one."""
        n = self.metric.order
        matrix = exact_array([0] * (n * n)).reshape(n, n)
        for at, part in zip(self._places, parts, strict=True):
            matrix[np.ix_(at, at)] = part.matrix
        return matrix

    def attained(self) -> dict[str, Any]:
        """Return the mechanism for one record, and what it attains."""
        return channel_claim(self.channel(), self.lower)

    def bounded(self) -> dict[str, Any]:
        """Return the metric and the proofs of all components."""
        claim = {"records": self.records, **graph_claim(self.metric, self.ratio)}
        if not self.covers:
            return claim | self._proved(self.parts)
        return claim | self._proved(self.covers) | {"once": self._proved(self.parts)}

    def _proved(self, parts: tuple[Found, ...]) -> dict[str, Any]:
        proofs = [
            {
                "vertices": at,
                "prices": [str(y) for y in part.prices],
                "flows": [[[at[i], at[h], str(f)] for i, h, f in flow.arcs] for flow in part.flows],
            }
            for at, part in zip(self._places, parts, strict=True)
        ]
        return {"parts": proofs, "upper": str(rational(_bound(parts)))}

    @property
    def _places(self) -> list[list[int]]:
        graph = self.metric.graph
        return [[graph.index(value) for value in component] for component in graph.components]


def _bound(parts: tuple[Found, ...]) -> Fraction:
    return fraction(sum((part.prices.sum() for part in parts), fmpq(0)))
