"""Closed forms for real values, against grids, integrals and linear programs."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from scipy.integrate import quad

from leaktight.errors import InvalidInput, Undecided
from leaktight.policies.metric import Metric
from leaktight.policies.real import Box, Circle, Interval, Tree
from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case.optimum import worst_case_leakage

EPSILON = Fraction(7, 10)


def test_closed_forms_are_exact_where_they_are_rational() -> None:
    worst = worst_case_leakage(Interval(-50, "50"), epsilon="0.1")
    assert (worst.lower, worst.upper, worst.is_exact) == (Fraction(6), Fraction(6), True)
    box = worst_case_leakage(Box(Interval(0, 1), Interval(0, 3)), epsilon=2)
    assert box.upper == Fraction(2) * 4
    assert worst_case_leakage(Interval(0, 1), epsilon=0).upper == 1
    logarithm = worst_case_leakage(Interval(0, 2), ratio=3)
    assert logarithm == worst_case_leakage(Interval(0, 2), epsilon="ln 3")
    assert math.isclose(float(logarithm.upper), 1 + math.log(3), rel_tol=1e-15)
    assert logarithm.lower < logarithm.upper


@pytest.mark.parametrize("over", [Fraction(1, 10**50), Fraction(3, 10**300)])
def test_a_ratio_next_to_1_still_leaks_over_a_long_distance(over: Fraction) -> None:
    """ε = ln(1 + x) lies between x − x²/2 and x, so that εL/2 is nearly 10 here."""
    length = 20 / over
    for policy in (Interval(0, length), Box(Interval(0, length), Interval(0, 1)), Circle(length)):
        worst = worst_case_leakage(policy, ratio=1 + over)
        truth = 10 / -math.expm1(-10) if isinstance(policy, Circle) else 11.0
        assert worst.lower <= worst.upper
        assert math.isclose(worst.lower, truth, rel_tol=1e-12)
        assert math.isclose(worst.upper, truth, rel_tol=1e-12)


@pytest.mark.parametrize("x", [0.0, 0.3, 2.0, 5.0])
def test_the_weighting_of_an_interval_covers_every_number_once(x: float) -> None:
    """½e^(−εx) + ½e^(−ε(L−x)) + ∫(ε/2)e^(−ε|x−y|)dy = 1, by quadrature."""
    e, length = float(EPSILON), 5.0
    inside = quad(lambda y: e / 2 * math.exp(-e * abs(x - y)), 0, length, points=[x], epsabs=1e-13)
    ends = (math.exp(-e * x) + math.exp(-e * (length - x))) / 2
    assert abs(ends + inside[0] - 1) < 1e-10
    worst = worst_case_leakage(Interval(0, 5), epsilon=EPSILON)
    density = quad(lambda y: e / 2, 0, length)[0]
    assert abs(1 + density - float(worst.upper)) < 1e-10


def test_the_weighting_of_a_circle_by_quadrature() -> None:
    e, around = float(EPSILON), 5.0
    seen = quad(lambda y: math.exp(-e * min(y, around - y)), 0, around, points=[around / 2])[0]
    worst = worst_case_leakage(Circle(5), epsilon=EPSILON)
    assert abs(around / seen - float(worst.upper)) < 1e-10
    assert worst.upper - worst.lower < Fraction(1, 2**100)


@pytest.mark.parametrize(
    "policy", [Interval(0, 5), Circle(5), Interval("-0.5", "0.5"), Circle("1/3")]
)
def test_grids_come_near_from_below(policy: Interval | Circle) -> None:
    whole = worst_case_leakage(policy, epsilon=EPSILON)
    values = [worst_case_leakage(policy.grid(n), epsilon=EPSILON).upper for n in (10, 100, 1000)]
    assert values == sorted(values)
    assert 0 < whole.lower - values[-1] < Fraction(1, 10**5)


def test_a_grid_of_an_interval_has_the_sum_of_its_tanh() -> None:
    worst = worst_case_leakage(Interval(0, 5).grid(11), epsilon=EPSILON)
    expected = 1 + 10 * math.tanh(float(EPSILON) * 0.5 / 2)
    assert math.isclose(float(worst.upper), expected, rel_tol=1e-14)


def test_a_grid_of_a_box_is_the_product_of_its_sides() -> None:
    sides = Interval(0, 2), Interval(0, 3)
    whole = worst_case_leakage(Box(*sides), epsilon=EPSILON)
    for points in (2, 5):
        grid = worst_case_leakage(Box(*sides).grid(points), epsilon=EPSILON)
        one, other = (worst_case_leakage(s.grid(points), epsilon=EPSILON).upper for s in sides)
        assert math.isclose(float(grid.upper), float(one * other), rel_tol=1e-12)
        assert grid.upper < whole.upper


TREE = SecretGraph.from_edges(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
"""Its worst case at λ = 2 is 7/3, and no cover is below 12/5."""


@pytest.mark.parametrize(
    "finite",
    [TREE, SecretGraph.complete(3), Metric.from_edges(3, [(0, 1, "1/2"), (1, 2, 1)])],
)
def test_a_finite_side_multiplies_whether_or_not_a_cover_proves_it(
    finite: SecretGraph | Metric,
) -> None:
    box = Box(Interval(0, 1), finite)
    whole, alone = (worst_case_leakage(each, ratio=2) for each in (box, finite))
    expected = float(alone.upper) * (1 + math.log(2) / 2)
    assert math.isclose(float(whole.upper), expected, rel_tol=1e-12)
    grids = [worst_case_leakage(box.grid(points), ratio=2) for points in (2, 5, 9)]
    assert [grid.lower for grid in grids] == sorted(grid.lower for grid in grids)
    assert 0 < float(whole.lower - grids[-1].upper) < 1e-3


def test_two_sides_without_covers_are_refused() -> None:
    box = Box(Interval(0, 1), Tree.star(3, 2), TREE)
    with pytest.raises(Undecided, match="all sides but one have covers"):
        worst_case_leakage(box, epsilon=1)
    both = worst_case_leakage(Box(Circle(3), Tree.star(3, 2)), epsilon=1)
    circle, tree = (worst_case_leakage(each, epsilon=1) for each in (Circle(3), Tree.star(3, 2)))
    assert math.isclose(float(both.upper), float(circle.upper * tree.upper), rel_tol=1e-14)
    with pytest.raises(InvalidInput, match="one of the first three"):
        Box(TREE)


def star(legs: int, length: float) -> float:
    """V of a star as the issue of real values states it."""
    if length <= math.log(legs / 2):
        return math.exp(length)
    return legs / 2 * (1 + length - math.log(legs / 2))


@pytest.mark.parametrize(("legs", "length"), list(product((3, 4, 5), ("1/4", "1/2", 1, 2))))
def test_a_star_is_what_grids_come_near_to(legs: int, length: Any) -> None:
    tree = Tree.star(legs, length)
    worst = worst_case_leakage(tree, epsilon=1)
    assert math.isclose(float(worst.upper), star(legs, float(Fraction(length))), rel_tol=1e-14)
    grid = worst_case_leakage(tree.grid(7), epsilon=1)
    assert math.isclose(float(grid.upper), float(worst.upper), rel_tol=0.02)


def test_a_tree_of_long_edges_is_what_grids_come_near_to() -> None:
    tree = Tree([("a", "b", 2), ("b", "c", 1), ("b", "d", "3/2"), ("d", "e", 1), ("d", "f", 1)])
    worst = worst_case_leakage(tree, epsilon=1)
    bend = 3 / 2 * math.log(3 / 2) - 1 / 2
    assert math.isclose(float(worst.upper), 1 + 6.5 / 2 - 2 * bend, rel_tol=1e-14)
    grid = worst_case_leakage(tree.grid(5), epsilon=1)
    assert math.isclose(float(grid.upper), float(worst.upper), rel_tol=0.01)
    with pytest.raises(Undecided, match="from 'b' to 'd'"):
        worst_case_leakage(tree, epsilon="1/2")
    uneven = Tree([(0, 1, 1), (0, 2, 2), (0, 3, "1/2")])
    expected = sum((1 + length - math.log(1.5)) / 2 for length in (1, 2, 0.5))
    assert math.isclose(float(worst_case_leakage(uneven, epsilon=1).upper), expected)
    path = Tree([("a", "b", 2), ("b", "c", 1)])
    assert worst_case_leakage(path, epsilon=1).upper >= Fraction(5, 2)
    assert float(worst_case_leakage(path, epsilon=1).upper) == 2.5


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: Interval(1, 1), "must end above where it begins"),
        (lambda: Interval(1, math.nan), "finite|number"),
        (lambda: Circle(0), "a length above 0"),
        (lambda: Box(), "a box needs an Interval"),
        (lambda: Interval(0, 1).grid(1), "from 2 up"),
        (lambda: Tree([(0, 1, 1), (2, 3, 1)]), "connected and without cycles"),
        (lambda: Tree([(0, 1, 1), (1, 2, 1), (2, 0, 1)]), "connected and without cycles"),
    ],
)
def test_what_is_no_policy_gets_one_line(make: Callable[[], Any], line: str) -> None:
    with pytest.raises(InvalidInput, match=line):
        make()
