"""What a guess is worth is what it says, and what has no distance is named."""

from fractions import Fraction

import pytest

from leaktight.channels.aim import GAINS, aim_of
from leaktight.errors import InvalidInput
from leaktight.exact.numbers import fraction
from leaktight.policies.secrets import SecretGraph


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("guess", 0),
        ("distance", 2),
        ("difference", Fraction(1, 2)),
        ("squared", "1/4"),
        ("squared difference", "1/4"),
    ],
)
def test_each_kind_is_what_it_says(kind: str, value: object) -> None:
    assert kind in GAINS
    line = SecretGraph.line([0.5, 0.8, 1])
    assert fraction(aim_of(kind, line).matrix[0, 2]) == Fraction(str(value))


def test_points_differ_by_the_sum_over_their_coordinates() -> None:
    grid = SecretGraph.grid(3, 3)
    squared = aim_of("squared difference", grid)
    assert squared.matrix[grid.index((0, 0)), grid.index((2, 1))] == 5


def test_the_components_are_named() -> None:
    parts = SecretGraph.partition([["a", "b"], ["c"]])
    with pytest.raises(InvalidInput, match="between 'a' and 'c' is infinite"):
        aim_of("distance", parts)


@pytest.mark.parametrize("values", [["x", "y"], [True, False]])
def test_what_is_no_number_has_no_difference(values: list[object]) -> None:
    with pytest.raises(InvalidInput, match="needs values that are numbers"):
        aim_of("difference", SecretGraph.line(values))
