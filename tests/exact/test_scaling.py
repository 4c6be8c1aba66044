from fractions import Fraction

from flint import fmpq
from hypothesis import given, settings

from leaktight.exact.linear_program import LinearProgram
from leaktight.exact.linear_program.scaling import scaled, zoomed
from tests.second_routes.linear_programs import linear_programs


@settings(max_examples=100)
@given(linear_programs())
def test_scaling_keeps_the_pattern_and_the_signs(program: LinearProgram) -> None:
    near = scaled(program)
    assert near.is_exact
    assert near.rows.tolist() == program.rows.tolist()
    assert near.columns.tolist() == program.columns.tolist()
    for name in ("cost", "values", "row_lower", "row_upper", "lower", "upper"):
        for was, now in zip(getattr(program, name), getattr(near, name), strict=True):
            assert (was is None) == (now is None)
            if was is not None:
                assert (was > 0, was < 0) == (now > 0, now < 0)


def test_numbers_beyond_floats_come_into_range() -> None:
    small, large = Fraction(1, 10**400), Fraction(10**400)
    program = LinearProgram(
        [small, large], ([0, 0, 1], [0, 1, 1], [small, large, large]), row_lower=[small, small]
    )
    near = scaled(program).float()
    for numbers in (near.values, near.cost[near.cost > 0], near.row_lower):
        assert ((numbers > 1e-3) & (numbers < 1e3)).all()


def test_far_bounds_are_out_of_sight() -> None:
    """Seen from x = 1/2 − 2^-90 the bound 1/2 is near, and 0 and 1 are not."""
    point = fmpq(1, 2) - fmpq(1, 2**90)
    program = LinearProgram([1], ([0], [0], [1]), row_lower=["1/2"], upper=[1])
    near = zoomed(program, [point], [point])
    assert near is not None
    assert near.row_lower.tolist() == [1]
    assert near.lower.tolist() == near.upper.tolist() == [None]


def test_where_no_bound_is_violated_there_is_nothing_to_see() -> None:
    program = LinearProgram([1], ([0], [0], [1]), row_lower=["1/2"])
    assert zoomed(program, [fmpq(1, 2)], [fmpq(1, 2)]) is None
