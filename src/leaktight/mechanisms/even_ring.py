"""How was a ring with an even number of values made to fit? Remark 1 of [Alvim2011b]_."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidGraph, InvalidNumber
from leaktight.exact.numbers import Number, exact_array, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import shown
from leaktight.labels import Labels
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, refuse_too_large
from leaktight.policies.graph import Graph, Vertices
from leaktight.policies.secrets import SecretGraph


@dataclass(frozen=True, slots=True, init=False, repr=False)
class EvenRing(Mechanism):
    """α·λ^(−d) on a ring of 2n values, doubled at the opposite value; private if λ² ≥ 2.

    It is not optimal, against what Example 3 there says: ``GraphExponential`` on
    the ring is private at every ratio and better, 8/21 against 4/11 for 6 values at λ = 2.

    >>> from leaktight.leakage.vulnerability import posterior_vulnerability
    >>> posterior_vulnerability(EvenRing(6, ratio=2).channel)
    Fraction(4, 11)
    """

    values: Labels
    ratio: Fraction

    def __init__(
        self, values: Vertices, ratio: RatioLike = None, epsilon: Number | None = None
    ) -> None:
        labels, below = Graph(values).vertices, Ratio.of(ratio, epsilon).lower
        better = "GraphExponential(SecretGraph.cycle(values), …)"
        if len(labels) < 4 or len(labels) % 2:
            raise InvalidGraph(
                f"an even ring has an even number of values from 4 up, got {len(labels)}; "
                f"{better} takes every ring"
            )
        if below**2 < 2:
            raise InvalidNumber(
                f"the doubled entry is private only if λ² ≥ 2, got λ = {shown(below)}; "
                f"{better} is private at every ratio"
            )
        object.__setattr__(self, "values", labels)
        object.__setattr__(self, "ratio", below)

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"ring of {len(self.values)} values with doubled opposite"

    @property
    def graph(self) -> SecretGraph:
        """The ring."""
        return SecretGraph.cycle(self.values)

    @property
    def guarantee(self) -> Guarantee:
        """λ; attained."""
        return Guarantee(self.ratio, f"values of a ring of {len(self.values)}")

    @property
    def channel(self) -> Channel:
        """What is seen of each value."""
        size, q = len(self.values), 1 / rational(self.ratio)
        refuse_too_large(size, size)
        row = exact_array(q ** min(k, size - k) for k in range(size))
        row[size // 2] *= 2
        places = np.arange(size)
        matrix = (row / row.sum())[(places - places[:, None]) % size]
        return Channel.trusted(self.values, self.values, matrix)
