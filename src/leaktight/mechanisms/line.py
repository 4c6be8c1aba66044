"""Noise on values in a line that may not leave the line."""

from fractions import Fraction

import numpy as np
from attrs import frozen

from leaktight.channels.additive_noise import GeometricTails
from leaktight.channels.channel import Channel
from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, exact_array, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.labels import Labels
from leaktight.mechanisms.mechanism import Mechanism, refuse_too_large
from leaktight.policies.graph import Graph, Vertices
from leaktight.policies.secrets import SecretGraph


@frozen(init=False, repr=False)
class LineMechanism(Mechanism, GeometricTails):
    """Symmetric noise on values in a line; what falls beyond an end is collected there.

    Values at most ``sensitivity`` places apart are neighbours: 1 is the line itself, and as many
    places as there are make all values neighbours.
    """

    values: Labels
    ratio: Fraction
    sensitivity: int

    def __init__(
        self,
        values: Vertices,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
        sensitivity: int = 1,
    ) -> None:
        self.__attrs_init__(
            Graph(values).vertices, Ratio.of(ratio, epsilon).lower, read_sensitivity(sensitivity)
        )

    @property
    def places(self) -> Labels:
        """The values, at whose ends the noise is cut off."""
        return self.values

    @property
    def reach(self) -> int:
        """How many places neighbours are apart at most."""
        return min(self.sensitivity, len(self.values) - 1)

    @property
    def graph(self) -> SecretGraph:
        """The values, neighbours if at most ``sensitivity`` places apart."""
        n = len(self.values)
        pairs = [(i, i + k) for k in range(1, self.reach + 1) for i in range(n - k)]
        return SecretGraph.from_indices(self.values, pairs)

    @property
    def channel(self) -> Channel:
        """What is seen of each value."""
        n = len(self.values)
        refuse_too_large(n, n)
        if n == 1:
            return Channel.identity(self.values)
        fall, beyond = 1 / rational(self.step), rational(self.tail(1))
        at_least = exact_array([1 - beyond, *(beyond * fall**k for k in range(n))])
        exactly, at_least = at_least[:-1] - at_least[1:], at_least[:-1]
        places = np.arange(n)
        matrix = exactly[np.abs(places[:, None] - places)]
        matrix[:, 0], matrix[:, -1] = at_least, at_least[::-1]
        return Channel.trusted(self.values, self.values, matrix)

    @property
    def _whose(self) -> str:
        """Whose neighbours the guarantee is about."""
        line = f"values of a line of {len(self.values)}"
        return line if self.sensitivity == 1 else f"{line}, up to {self.reach} places apart"


def read_sensitivity(sensitivity: int) -> int:
    """Return by how many steps the answers of neighbours may differ, a whole number."""
    whole = isinstance(sensitivity, int | np.integer) and not isinstance(sensitivity, bool)
    if not whole or sensitivity < 1:
        raise InvalidNumber(
            f"a sensitivity must be a whole number of steps from 1 up, got {sensitivity!r:.60}; "
            "for other answers, count in a smaller unit"
        )
    return int(sensitivity)
