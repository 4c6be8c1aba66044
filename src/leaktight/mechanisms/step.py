"""Which rational factor, taken so often, stays within the ratio?

A mechanism that divides its ratio λ over s steps needs the s-th root of λ, which is seldom
rational. It gets a rational r just below, so that r^s ≤ λ and all its probabilities are exact.
"""

import math
from fractions import Fraction

import numpy as np
from flint import arb, fmpz

from leaktight.errors import InvalidNumber
from leaktight.exact import fraction, log2, precision, rational


def step_ratio(ratio: Fraction, steps: int | Fraction, bits: int = 64) -> Fraction:
    """Return a rational r ≥ 1 with r^steps ≤ ``ratio``: the root itself if it is rational.

    Otherwise it is the root rounded down, with so many bits of its distance from 1.

    >>> step_ratio(Fraction(9, 4), 2), float(step_ratio(Fraction(2), 5))
    (Fraction(3, 2), 1.148698354997035)
    >>> step_ratio(Fraction(2), 5) ** 5 <= 2
    True
    """
    power = 1 / Fraction(steps)
    number, degree = rational(ratio), power.denominator
    roots = [fmpz(part).root(degree) for part in (number.p, number.q)]
    if roots[0] ** degree == number.p and roots[1] ** degree == number.q:
        return Fraction(int(roots[0]), int(roots[1])) ** power.numerator
    exponent = rational(power)
    # ln λ ≥ (λ − 1)/λ: at least so far is the root from 1.
    places = bits + max(0, -math.floor(log2((number - 1) / number * exponent)))
    with precision(2 * places):
        enclosure = (arb(number).log() * arb(exponent)).exp()
    with precision(places):
        return fraction(enclosure.lower().fmpq())


def read_sensitivity(sensitivity: int) -> int:
    """Return by how many steps the answers of neighbours may differ, a whole number."""
    whole = isinstance(sensitivity, int | np.integer) and not isinstance(sensitivity, bool)
    if not whole or sensitivity < 1:
        raise InvalidNumber(
            f"a sensitivity must be a whole number of steps from 1 up, got {sensitivity!r:.60}; "
            "for other answers, count in a smaller unit"
        )
    return int(sensitivity)
