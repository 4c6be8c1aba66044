"""Subset selection: everybody names several values, with their own among them more often.

Of v values a set of w is answered, each set that holds the true value λ times as likely as each
that does not; λ is attained between any two values. Shares that are estimated from such answers
have the least error if w is near v/(λ + 1) (Ye and Barg, 2018); with w = 1 it is randomised
response.
"""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
from attrs import frozen

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput
from leaktight.exact.numbers import Number, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import counted
from leaktight.labels import Labels
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, refuse_too_large
from leaktight.mechanisms.registry import construction
from leaktight.policies.graph import Graph, Vertices
from leaktight.policies.secrets import SecretGraph

MOST_ENTRIES = 2**19
"""The most entries of its channel: what 18 databases with 787,644 tell of one record took 9 s."""


@construction("subset selection", "values", has_distances=True)
@frozen(init=False, repr=False)
class SubsetSelection(Mechanism):
    """A set of values is answered, more often one that holds the true value.

    - ``values``: what a record may be, at least two.
    - ``ratio`` or ``epsilon``: λ = e^ε that it keeps between any two values.

    >>> survey = SubsetSelection(["a", "b", "c", "d"], ratio="3/2")
    >>> survey.size, survey.channel["a", ("a", "b")], survey.channel["a", ("c", "d")]
    (2, Fraction(1, 5), Fraction(2, 15))
    """

    values: Labels
    ratio: Fraction

    def __init__(
        self, values: Vertices, ratio: RatioLike = None, epsilon: Number | None = None
    ) -> None:
        found = Graph(values).vertices
        if len(found) < 2:
            raise InvalidInput("subset selection needs at least two values")
        self.__attrs_init__(found, Ratio.of(ratio, epsilon).lower)

    @property
    def size(self) -> int:
        """How many values are answered: v/(λ + 1), rounded, and at least one."""
        return max(1, round(len(self.values) / (self.ratio + 1)))

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"subset selection of {self.size} of {counted(len(self.values), 'value', 'values')}"

    @property
    def graph(self) -> SecretGraph:
        """The values, all neighbours."""
        return SecretGraph.complete(self.values)

    @property
    def guarantee(self) -> Guarantee:
        """λ between any two values, which is attained."""
        return Guarantee(self.ratio, "values", lambda: self.graph)

    @property
    def channel(self) -> Channel:
        """What is seen of each value: a tuple of values, in their order."""
        v, w = len(self.values), self.size
        refuse_too_large(v, comb(v, w), MOST_ENTRIES)
        other = 1 / (self.ratio * comb(v - 1, w - 1) + comb(v - 1, w))
        sets = list(combinations(range(v), w))
        matrix = np.full((v, len(sets)), rational(other), dtype=object)
        for column, chosen in enumerate(sets):
            matrix[list(chosen), column] = rational(self.ratio * other)
        outputs = tuple(tuple(self.values[k] for k in chosen) for chosen in sets)
        return Channel.trusted(self.values, outputs, matrix)
