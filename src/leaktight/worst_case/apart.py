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
from leaktight.exact.numbers import exact_array, fraction, rational
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio
from leaktight.policies.metric import Metric
from leaktight.worst_case.certificate import graph_claim
from leaktight.worst_case.columns import Found, best_for_metric

MOST_VALUES = 400
"""The most values that are a finite distance apart; more would take many minutes."""


@dataclass(frozen=True, eq=False)
class MetricKind:
    """One record whose values have distances: for each component a channel, and prices."""

    # No slots: cached_property keeps what was computed in the instance's dictionary.
    metric: Metric
    ratio: Ratio
    parts: tuple[Found, ...]
    records = 1
    routes = frozenset({"columns of a metric"})

    @classmethod
    def of(cls, metric: Metric, ratio: Ratio) -> "MetricKind":
        """Find both ends; components add."""
        parts = []
        for component in metric.graph.components:
            n = len(component)
            if n > MOST_VALUES:
                raise TooLarge(
                    f"the worst case for a metric is found for at most {MOST_VALUES} values, "
                    f"got {n:,}; leakage is bounded for some of them, or for a graph"
                )
            right = np.full((n, n), fmpq(0), dtype=object)
            np.fill_diagonal(right, fmpq(1))
            parts.append(best_for_metric(metric.restricted(component), ratio, right))
        return cls(metric, ratio, tuple(parts))

    @cached_property
    def lower(self) -> Fraction:
        """What the mechanism attains."""
        return fraction(sum((part.matrix.max(axis=0).sum() for part in self.parts), fmpq(0)))

    @property
    def is_exact(self) -> bool:
        """Whether the ends are equal; mostly distances, or their powers, are rounded."""
        return self.lower == self.upper

    @property
    def upper_factors(self) -> Powers:
        """What no mechanism exceeds."""
        return Powers.of((self.upper, 1))

    @cached_property
    def upper(self) -> Fraction:
        """The sum of the prices."""
        return fraction(sum((part.prices.sum() for part in self.parts), fmpq(0)))

    def channel(self) -> Channel:
        """The mechanism, each component with outputs of its own."""
        n, values = self.metric.order, self.metric.values
        matrix = exact_array([0] * (n * n)).reshape(n, n)
        for at, part in zip(self._places, self.parts, strict=True):
            matrix[np.ix_(at, at)] = part.matrix
        return Channel(matrix, values, values)

    def certificate(self) -> dict[str, Any]:
        """Return the metric, the mechanism, and the proofs of all components."""
        proofs = [
            {
                "vertices": at,
                "prices": [str(y) for y in part.prices],
                "flows": [[[at[i], at[h], str(f)] for i, h, f in flow.arcs] for flow in part.flows],
            }
            for at, part in zip(self._places, self.parts, strict=True)
        ]
        return {
            "records": 1,
            **graph_claim(self.metric, self.ratio),
            "mechanism": [[str(p) for p in row] for row in self.channel().matrix],
            "lower": str(rational(self.lower)),
            "parts": proofs,
            "upper": str(rational(self.upper)),
        }

    @property
    def _places(self) -> list[list[int]]:
        graph = self.metric.graph
        return [[graph.index(value) for value in component] for component in graph.components]
