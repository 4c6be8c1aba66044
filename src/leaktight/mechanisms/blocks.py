"""Which mechanisms show that the bound of [Edwards2021]_ cannot be improved for small ε?"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, exact_array, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, refuse_too_large
from leaktight.policies.secrets import SecretGraph


@dataclass(frozen=True, slots=True, init=False, repr=False)
class BlockMechanism(Mechanism):
    """K^(δ) of Theorem 15 of [Edwards2021]_, on K4 and n − 1 copies of K2, with δ = λ − 1.

    Its level is λ = 1 + δ, so ε(δ) is ln(1 + δ); the last line of the proof says 1 + δ. It leaks
    4n·λ/(4 + 2δ), the bound of Theorem 11 is n·λ, and for n > 1 the ratio of their logarithms
    tends to 1 as ε does to 0. At a fixed ε it is not the worst on its graph: for n = 2 and λ = 2
    it has 8/3, the worst 44/15, the bound 4.

    >>> BlockMechanism(2, ratio=2).channel
    exact channel, 6 inputs × 6 outputs
         1    2    3    4    5    6
    1  1/3  1/3  1/6  1/6    0    0
    2  1/6  1/3  1/3  1/6    0    0
    3  1/6  1/6  1/3  1/3    0    0
    4  1/3  1/6  1/6  1/3    0    0
    5    0    0    0    0  2/3  1/3
    6    0    0    0    0  1/3  2/3
    """

    components: int
    ratio: Fraction

    def __init__(
        self, components: int, ratio: RatioLike = None, epsilon: Number | None = None
    ) -> None:
        if not isinstance(components, int | np.integer) or components < 1:
            raise InvalidNumber(
                f"there must be a whole number of components from 1 up, got {components!r:.60}"
            )
        object.__setattr__(self, "components", int(components))
        object.__setattr__(self, "ratio", Ratio.of(ratio, epsilon).lower)

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"blocks on {self._parts}"

    @property
    def graph(self) -> SecretGraph:
        """The complete graphs on 1, …, 4, on 5 and 6, on 7 and 8, …"""
        pairs = ((i, i + 1) for i in range(5, 2 * self.components + 2, 2))
        return SecretGraph.partition([(1, 2, 3, 4), *pairs])

    @property
    def guarantee(self) -> Guarantee:
        """λ; attained."""
        return Guarantee(self.ratio, f"vertices of {self._parts}")

    @property
    def channel(self) -> Channel:
        """What is seen of each vertex."""
        size, high = 2 * self.components + 2, rational(self.ratio)
        refuse_too_large(size, size)
        matrix = np.full((size, size), exact_array([0])[0], dtype=object)
        row = exact_array([high, high, 1, 1])
        matrix[:4, :4] = [np.roll(row, shift) for shift in range(4)]
        for start in range(4, size, 2):
            matrix[start : start + 2, start : start + 2] = [[2 * high, 2], [2, 2 * high]]
        labels = tuple(range(1, size + 1))
        return Channel(matrix / (2 + 2 * high), labels, labels)

    @property
    def _parts(self) -> str:
        return "K4" if self.components == 1 else f"K4 and {self.components - 1:,} × K2"
