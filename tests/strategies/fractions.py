"""Fractions between two numbers, drawn in a twentieth of the time of those of Hypothesis.

``st.fractions`` makes a new strategy for the numerator of every denominator that it draws.
"""

import math
from fractions import Fraction
from functools import cache

from hypothesis import strategies as st


@cache
def fractions(
    least: Fraction | int | str, most: Fraction | int | str, max_denominator: int
) -> st.SearchStrategy[Fraction]:
    """Fractions from ``least`` to ``most`` with small denominators, which are all listed.

    Each is there as often as it can be written, so that whole numbers are drawn most often.

    >>> from hypothesis import find
    >>> find(fractions("1/3", 3, max_denominator=3), lambda f: 2 * f < 1)
    Fraction(1, 3)
    """
    low, high = Fraction(least), Fraction(most)
    found = [
        Fraction(k, n)
        for n in range(1, max_denominator + 1)
        for k in sorted(range(math.ceil(low * n), math.floor(high * n) + 1), key=abs)
    ]
    assert {low, high} <= {*found}, "the ends have larger denominators"
    return st.sampled_from(found)
