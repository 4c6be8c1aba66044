"""Noise that is added to whole numbers, and what may be concluded from its type.

What follows for *every* noise is asked of it: how well it tells two answers apart. Closed formulas
for what it leaks hold for noise whose tails are geometric, and for no other.
"""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Value, fraction, rational
from leaktight.labels import Labels


class AdditiveNoise(ABC):
    """Noise on whole numbers that does not depend on what it is added to.

    Noise of your own says how well it tells two answers apart, since nobody can find that out from
    probabilities one by one.

    >>> import math
    >>> class Die(AdditiveNoise):
    ...     def pmf(self, k):
    ...         return Fraction(1 <= k <= 6, 6)
    ...     def tail(self, k):
    ...         return Fraction(max(0, min(6, 7 - k)), 6)
    ...     def shift_ratio(self, shift):
    ...         return math.inf if shift else Fraction(1)  # a 7 is the sum of 6 and 1, not of 0
    >>> from leaktight.policies import Policy, SecretGraph, counting_query
    >>> from leaktight.privacy import noise_level
    >>> ill = Policy(SecretGraph.complete(["no", "yes"]), records=1000)
    >>> noise_level(Die(), ill, counting_query(["yes"])).ratio
    inf
    """

    __slots__ = ()

    @abstractmethod
    def pmf(self, k: int) -> Fraction:
        """Return the chance that ``k`` is added."""

    @abstractmethod
    def tail(self, k: int) -> Fraction:
        """Return the chance that ``k`` or more is added."""

    @abstractmethod
    def shift_ratio(self, shift: int) -> Value:
        """Return the largest P(k)/P(k − shift) over all k; ∞ where only P(k − shift) is 0."""


class GeometricTails(AdditiveNoise):
    """Symmetric noise that falls off by one factor, ``step``, with each step from 1 on.

    Two numbers say all: with c = 1/``step`` and P(0) = ``centre``, the chance of k or more is
    (1 − P(0))/2·c^(k−1) for k ≥ 1. At a step of 1 it is the limit: either end, with chance 1/2.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def step(self) -> Fraction:
        """1/c: by so much k + 1 is less likely than k, from 1 on."""

    @property
    @abstractmethod
    def centre(self) -> Fraction:
        """The chance that nothing is added."""

    @property
    def places(self) -> Labels | None:
        """The outputs in a line, if what falls beyond its ends is collected there."""
        return None

    def pmf(self, k: int) -> Fraction:
        """Return the chance that ``k`` is added, before anything is cut off."""
        return self.tail(abs(k)) * (1 - 1 / self.step) if k else self.centre

    def tail(self, k: int) -> Fraction:
        """Return the chance that ``k`` or more is added, before anything is cut off."""
        # Powers of long fractions are much quicker in flint.
        beyond = (1 - rational(self.centre)) / 2 / rational(self.step) ** (max(k, 1 - k) - 1)
        return fraction(beyond if k > 0 else 1 - beyond)

    def shift_ratio(self, shift: int) -> Value:
        """Return the ratio of outputs beyond both centres, or at one of them: section 7 of
        docs/proofs/one-person.md.
        """
        if not shift:
            return Fraction(1)
        centre, there = self.centre, self.pmf(abs(shift))
        if not (centre and there):  # either is never seen, or neither, at a step of 1
            return Fraction(1) if centre == there else math.inf
        return max(self.step ** abs(shift), centre / there, there / centre)

    @property
    def has_constant_ratio(self) -> bool:
        """Whether a shift by g is told apart by ``step`` to the power of g, for all g."""
        return self.shift_ratio(1) == self.step

    @property
    def is_unimodal(self) -> bool:
        """Whether nothing is likelier than 0."""
        return self.centre >= self.pmf(1)

    @property
    def is_geometric(self) -> bool:
        """Whether it falls off by ``step`` from 0 on, too."""
        return self.centre * (self.step + 1) == self.step - 1

    @property
    def mean_size(self) -> Fraction:
        """Σ_k |k|·P(k): twice the sum of the tails."""
        if self.step == 1:
            raise InvalidNumber("noise that does not fall off has no size on average; raise ε")
        return (1 - self.centre) / (1 - 1 / self.step)


class UnboundedNoise(GeometricTails):
    """Geometric noise on all whole numbers, which must be cut off before it can be listed."""

    __slots__ = ()

    @abstractmethod
    def truncated(self, least: int, most: int) -> Any:
        """Return the mechanism that collects at two ends what falls beyond them."""
