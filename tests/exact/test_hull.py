"""Tests of hulls, by what makes them hulls."""

from bisect import bisect_left
from fractions import Fraction
from itertools import pairwise

from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from leaktight.exact.hull import rising_hull
from tests.strategies.fractions import fractions

GRID = st.builds(Fraction, st.integers(0, 4))
"""Several are often on one line."""

LONG = st.builds(lambda k, prime: Fraction(k, prime**99), st.integers(), st.sampled_from([3, 5, 7]))
"""No unit of few bits serves for all of these."""

MIXED = st.one_of(fractions(-2, 2, max_denominator=4), LONG)


@given(
    st.one_of(
        *(st.lists(st.tuples(numbers, numbers), max_size=12) for numbers in (GRID, LONG, MIXED))
    )
)
def test_a_hull_rises_bends_down_and_has_each_point_on_or_below_it(
    points: list[tuple[Fraction, Fraction]],
) -> None:
    exact = [(fmpq(*x.as_integer_ratio()), fmpq(*y.as_integer_ratio())) for x, y in points]
    places = rising_hull(exact)
    corners = [points[i] for i in places]
    assert places == [points.index(corner) for corner in corners]
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(corners)]
    assert slopes == sorted(set(slopes), reverse=True)
    assert all(slope > 0 for slope in slopes)
    assert not points or corners[0][0] == min(x for x, _ in points)
    for x, y in points:
        at = bisect_left(corners, x, key=lambda corner: corner[0])
        if at == len(corners):
            assert y <= corners[-1][1]
        elif corners[at][0] == x:
            assert y <= corners[at][1]
        else:
            assert y <= corners[at - 1][1] + slopes[at - 1] * (x - corners[at - 1][0])
