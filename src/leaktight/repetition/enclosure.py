"""Enclosures of a value after many observations."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeAlias

from flint import fmpq

from leaktight.exact.bound import Bound
from leaktight.exact.numbers import Value, fraction
from leaktight.exact.rounding import float_above, float_below
from leaktight.exact.shown import counted

if TYPE_CHECKING:
    from leaktight.repetition.types import Method

Ends: TypeAlias = tuple[fmpq, fmpq]
"""Exact numbers below and above another."""


@dataclass(frozen=True, slots=True, repr=False)
class Enclosed(Bound[Value]):
    """A number after so many observations: the same ``Fraction`` twice, or two floats.

    ``method`` says how it was found: exactly by ``"types"``, in ``"certified floats"``, or by
    ``"bounds"`` where the types are too many.
    """

    observations: int
    method: "Method"

    @property
    def source(self) -> str:
        """After how many observations it is, and how it was found."""
        return f"after {counted(self.observations, 'observation', 'observations')}; {self.method}"

    def __str__(self) -> str:
        return f"{self.text} {self.source}"


def enclosed(ends: Ends, observations: int, method: "Method", exact: bool) -> Enclosed:
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
        cls, own: Ends, other: Ends, observations: int, method: "Method", exact: bool
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
    def of_error(cls, error: Ends, observations: int, method: "Method", exact: bool) -> Self:
        """Take the error, which is known between two numbers, off 1."""
        own = 1 - error[1], 1 - error[0]
        return cls.with_complement(own, error, observations, method, exact)

    @property
    def error(self) -> Enclosed:
        """The probability that the best guess is wrong."""
        return self.complement

    def __str__(self) -> str:
        return f"right {self.text}, wrong {self.error.text} {self.source}"
