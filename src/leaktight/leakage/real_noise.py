"""Leakage of noise that is added to a real number.

Let the noise have a symmetric density that falls off from its middle as Laplace's and Gaussian
noise do. Of ordered answers each is likeliest from half-way to the one below to half-way to the one
above, so that ∫ sup_x f(z − x) dz is 1 and, for every gap g, the chance that the noise is within
±g/2. Clamping to the least and the largest answer changes nothing. See docs/proofs/real-values.md.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from flint import arb, fmpq

from leaktight.errors import InvalidNumber, is_list
from leaktight.exact.bound import Factor
from leaktight.exact.numbers import Number, as_printed, fraction, rational
from leaktight.exact.rounding import precision
from leaktight.policies.real import Interval

BITS = 128
"""The precision of what is not rational."""


@dataclass(frozen=True, slots=True, repr=False)
class NoiseCapacity(Factor):
    """The most that noise leaks, over all priors: ∫ sup_x f(z − x) dz, between two rationals."""

    formula: str

    def __str__(self) -> str:
        return self.said(self.formula)


def laplace_capacity(answers: Interval | Iterable[Number], scale: Number) -> NoiseCapacity:
    """Return the most that Laplace's noise e^(−|t|/b)/2b leaks of some answers, or of an interval.

    >>> laplace_capacity([0, 1, 2, 5], scale=2)
    NoiseCapacity(≈1.97004 = 1 + Σ(1 − e^(−gap/2b)), 0.978219 bits)
    >>> laplace_capacity(Interval(0, 100), scale=10)                 # all numbers from 0 to 100
    NoiseCapacity(exactly 6 = 1 + L/2b, 2.58497 bits)
    """
    b = _positive(scale, "the scale of Laplace's noise")
    if isinstance(answers, Interval):
        value = 1 + fraction(rational(answers.length) / (2 * b))
        return NoiseCapacity(value, value, "1 + L/2b")
    return _of_gaps(answers, lambda g: -(-g / (2 * b)).expm1(), "1 + Σ(1 − e^(−gap/2b))")


def gaussian_capacity(answers: Interval | Iterable[Number], deviation: Number) -> NoiseCapacity:
    """Return the most that Gaussian noise of deviation σ leaks of some answers, or of an interval.

    >>> gaussian_capacity([0, 1], deviation=1)
    NoiseCapacity(≈1.38293 = 1 + Σ(2Φ(gap/2σ) − 1), 0.467723 bits)
    >>> gaussian_capacity(Interval(0, 1), deviation="1/2")
    NoiseCapacity(≈1.79789 = 1 + L/(σ√(2π)), 0.846301 bits)
    """
    sigma = _positive(deviation, "the deviation of Gaussian noise")
    if isinstance(answers, Interval):
        length = rational(answers.length) / sigma
        return _enclosed(lambda: 1 + length / (2 * arb.pi()).sqrt(), "1 + L/(σ√(2π))")
    within: Callable[[arb], arb] = lambda g: (g / (2 * sigma) / arb(2).sqrt()).erf()  # noqa: E731
    return _of_gaps(answers, within, "1 + Σ(2Φ(gap/2σ) − 1)")


def _of_gaps(
    answers: Iterable[Number], within: Callable[[arb], arb], formula: str
) -> NoiseCapacity:
    """Add up how likely the noise is within half of each gap."""
    if not is_list(answers):
        raise InvalidNumber(f"answers are a list of numbers, or an Interval, got {answers!r:.60}")
    numbers = sorted({as_printed(answer) for answer in answers})
    if not numbers:
        raise InvalidNumber("noise is added to at least one answer, got none")
    gaps = [high - low for low, high in pairwise(numbers)]
    return _enclosed(lambda: sum((within(arb(gap)) for gap in gaps), arb(1)), formula)


def _enclosed(value: Callable[[], arb], formula: str) -> NoiseCapacity:
    with precision(BITS):
        ball = value()
        low, high = fraction(ball.lower().fmpq()), fraction(ball.upper().fmpq())
    return NoiseCapacity(low, high, formula)


def _positive(given: Number, what: str) -> fmpq:
    number = as_printed(given)
    if number <= 0:
        raise InvalidNumber(f"{what} must be above 0, got {given}")
    return number
