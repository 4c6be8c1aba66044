"""Between which numbers does a value lie after many observations?"""

from dataclasses import dataclass
from typing import Self, TypeAlias

from flint import fmpq

from leaktight.exact.numbers import Value, fraction, rational
from leaktight.exact.rounding import float_above, float_below
from leaktight.exact.shown import above, below, counted, shown
from leaktight.repetition.types import Method

Ends: TypeAlias = tuple[fmpq, fmpq]
"""Exact numbers below and above another."""


@dataclass(frozen=True, slots=True, repr=False)
class Enclosed:
    """A number that is proved to lie between ``lower`` and ``upper``.

    If ``is_exact`` they are the same ``Fraction``. ``method`` says how the number was found:
    exactly by ``"types"``, in ``"certified floats"``, or by ``"bounds"`` where the types are too
    many. As a float it is the middle.
    """

    lower: Value
    upper: Value
    observations: int
    method: Method

    @property
    def is_exact(self) -> bool:
        """Whether the number is known exactly, as a ``Fraction``."""
        return not isinstance(self.lower, float)

    def __float__(self) -> float:
        return float((rational(self.lower) + rational(self.upper)) / 2)

    def _number(self) -> str:
        if self.is_exact:
            return shown(self.lower)
        near = {f"{end:.6g}" for end in (self.lower, self.upper)}
        if len(near) == 1:
            return f"≈{near.pop()}"
        return f"{below(float(self.lower))} to {above(float(self.upper))}"

    def _source(self) -> str:
        return f"after {counted(self.observations, 'observation', 'observations')}; {self.method}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._number()} {self._source()})"


def enclosed(ends: Ends, observations: int, method: Method, exact: bool) -> Enclosed:
    """Round the ends outward, unless they are equal and all numbers were given exactly."""
    lower, upper = ends
    if exact and lower == upper:
        return Enclosed(fraction(lower), fraction(upper), observations, method)
    return Enclosed(float_below(lower), float_above(upper), observations, method)


@dataclass(frozen=True, slots=True, repr=False)
class EventProbability(Enclosed):
    """The probability of an event, and of its ``complement``, each as sharp as it is known."""

    complement: Enclosed

    @classmethod
    def with_complement(
        cls, own: Ends, other: Ends, observations: int, method: Method, exact: bool
    ) -> Self:
        """Round both outward; each also bounds the other."""
        (low, high), (left, right) = own, other
        one = max(low, 1 - right, fmpq(0)), min(high, 1 - left, fmpq(1))
        two = max(left, 1 - high, fmpq(0)), min(right, 1 - low, fmpq(1))
        event = enclosed(one, observations, method, exact)
        complement = enclosed(two, observations, method, exact)
        return cls(event.lower, event.upper, observations, method, complement)


@dataclass(frozen=True, slots=True, repr=False)
class SuccessProbability(EventProbability):
    """How likely the best guess is right after so many observations; ``error``: that it is wrong.

    The error is as sharp as it can be: where it is tiny, it is not 1 minus a rounded number.
    """

    @classmethod
    def of_error(cls, error: Ends, observations: int, method: Method, exact: bool) -> Self:
        """Take the error, which is known between two numbers, off 1."""
        own = 1 - error[1], 1 - error[0]
        return cls.with_complement(own, error, observations, method, exact)

    @property
    def error(self) -> Enclosed:
        """The probability that the best guess is wrong."""
        return self.complement

    def __repr__(self) -> str:
        right, wrong = self._number(), self.error._number()
        return f"SuccessProbability(right {right}, wrong {wrong} {self._source()})"
