"""What is seen of values in a line, if noise is added and may not leave the line?"""

from abc import abstractmethod
from fractions import Fraction

import numpy as np
from attrs import frozen
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, exact_array, fraction
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.labels import Labels
from leaktight.mechanisms.mechanism import Mechanism, refuse_too_large
from leaktight.policies.graph import Graph, Vertices
from leaktight.policies.secrets import SecretGraph


@frozen(init=False, repr=False)
class LineMechanism(Mechanism):
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
        at_least = exact_array(map(self._tail, range(n + 1)))
        exactly, at_least = at_least[:-1] - at_least[1:], at_least[:-1]
        places = np.arange(n)
        matrix = exactly[np.abs(places[:, None] - places)]
        matrix[:, 0], matrix[:, -1] = at_least, at_least[::-1]
        return Channel.trusted(self.values, self.values, matrix)

    def tail(self, k: int) -> Fraction:
        """Return the chance that noise is ``k`` places or more to one side, before it is cut off.

        >>> from leaktight.mechanisms.geometric import TruncatedGeometric
        >>> TruncatedGeometric(range(5), ratio=2).tail(3)
        Fraction(1, 12)
        """
        return fraction(self._tail(k) if k >= 0 else 1 - self._tail(1 - k))

    @abstractmethod
    def _tail(self, k: int) -> fmpq:
        """Return the chance that noise is k ≥ 0 places or more to one side."""

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
