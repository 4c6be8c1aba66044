"""Randomised response: everybody tells the truth only now and then.

The channel with K(z|x) = α·λ^(−d(x,z)), d the number of records in which z differs from x, leaks
most among all that are private at λ: Proposition 1 of [Alvim2011b]_, with the α that makes its
rows sum to 1, (λ/(v − 1 + λ))^u for u records of v values. The printed one is a number of bits.
"""

from fractions import Fraction

import numpy as np
from attrs import frozen

from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel
from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import counted
from leaktight.labels import Labels
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, refuse_too_large
from leaktight.mechanisms.registry import construction
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph, Vertices
from leaktight.policies.secrets import SecretGraph


@construction("randomised response", "values", has_distances=True)
@frozen(init=False, repr=False)
class RandomizedResponse(Mechanism):
    """Each record is answered by itself: truly, or by any other value, each λ times less likely.

    It is private where all values of a record are secrets, and leaks the most that is possible
    there: (v·λ/(v − 1 + λ))^u.

    >>> answers = RandomizedResponse(["no", "yes"], ratio=3)
    >>> answers.channel
    exact channel, 2 inputs × 2 outputs
          no  yes
     no  3/4  1/4
    yes  1/4  3/4
    >>> RandomizedResponse(4, epsilon="ln 2", records=1_000_000).survey
    1,000,000 channels in parallel
    """

    values: Labels
    ratio: Fraction
    records: int

    def __init__(
        self,
        values: Vertices,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
        records: int = 1,
    ) -> None:
        if not isinstance(records, int | np.integer) or isinstance(records, bool) or records < 1:
            raise InvalidNumber(
                f"a survey has a whole number of records from 1 up, got {records!r:.60}"
            )
        self.__attrs_init__(Graph(values).vertices, Ratio.of(ratio, epsilon).lower, int(records))

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        each = f"randomised response on {counted(len(self.values), 'value', 'values')}"
        return each if self.records == 1 else f"{each} for each of {self.records:,} records"

    @property
    def graph(self) -> AdjacencyGraph:
        """The databases, neighbours if they differ in one record."""
        return AdjacencyGraph.of(SecretGraph.complete(self.values), self.records)

    @property
    def guarantee(self) -> Guarantee:
        """λ between databases that differ in one record; attained if there are two values."""
        whose = f"databases of {self.records:,} records" if self.records > 1 else "values"
        return Guarantee(self.ratio, whose, lambda: self.graph)

    @property
    def truth(self) -> Fraction:
        """The chance λ/(v − 1 + λ) that a record's answer is true."""
        return self.ratio / (len(self.values) - 1 + self.ratio)

    @property
    def response(self) -> Channel:
        """What is seen of one record."""
        v = len(self.values)
        refuse_too_large(v, v)
        matrix = np.full((v, v), rational(self.truth / self.ratio), dtype=object)
        np.fill_diagonal(matrix, rational(self.truth))
        return Channel.trusted(self.values, self.values, matrix)

    @property
    def survey(self) -> Parallel:
        """What is seen of all records, as a product that is not multiplied out."""
        return Parallel(((self.response, self.records),))

    @property
    def channel(self) -> Channel:
        """What is seen of each database; for many records use :attr:`survey`."""
        return self.response if self.records == 1 else self.survey.expand()
