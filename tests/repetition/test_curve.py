"""Success over the number of observations, and the number that is needed."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidNumber, TooLarge
from leaktight.repetition import curve
from leaktight.repetition.curve import observations_needed, success_curve
from leaktight.repetition.success import success_probability
from tests.strategies.channels import channels
from tests.strategies.fractions import fractions

COIN = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
FOUR = Channel.normalised([[4, 3, 2, 1], [1, 2, 3, 4], [2, 2, 3, 3]])


def first_by_counting(channel: Channel, target: Fraction, most: int) -> int:
    return next(n for n in range(most) if success_probability(channel, n=n).lower >= target)


@settings(max_examples=25)
@given(channels(), st.lists(st.integers(0, 12), max_size=4, unique=True))
def test_a_curve_has_the_points_that_were_asked_for(channel: Channel, ns: list[int]) -> None:
    found = success_curve(channel, ns=ns)
    assert list(found) == ns
    for n, point in found.items():
        assert point.lower == success_probability(channel, n=n).lower


def test_a_curve_of_floats_and_of_more_types_than_are_listed() -> None:
    ns = [60, 1, 30]
    exact, floats = success_curve(FOUR, ns=ns), success_curve(FOUR.float(), ns=ns)
    for n in ns:
        assert exact[n].is_exact
        assert exact[n].lower == success_probability(FOUR, n=n).lower
        assert abs(float(exact[n]) - float(floats[n])) < 1e-12


def test_progress_is_reported_point_by_point() -> None:
    calls: list[tuple[int, int]] = []
    success_curve(COIN, ns=range(3), progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("target", ["0.51", "2/3", "0.75", "0.9", "0.99", "20/27"])
def test_the_least_number_is_the_first_that_reaches_the_target(target: str) -> None:
    found = observations_needed(COIN, success=target)
    assert found.is_exact
    assert found.upper == first_by_counting(COIN, Fraction(target), 100)


@settings(max_examples=15)
@given(channels(inputs=2, outputs=3), fractions("1/2", "9/10", max_denominator=20))
def test_the_least_number_is_found_for_random_channels(channel: Channel, target: Fraction) -> None:
    found = observations_needed(channel, success=target)
    if found.limit < target:
        assert found.lower == math.inf
    elif found.upper < 30:
        assert found.is_exact
        assert found.upper == first_by_counting(channel, target, 31)


def test_nothing_is_needed_for_what_is_known() -> None:
    assert observations_needed(COIN, ["3/4", "1/4"], success="3/4").upper == 0


def test_equal_rows_are_never_told_apart() -> None:
    twins = Channel([["2/3", "1/3"], ["2/3", "1/3"], ["1/3", "2/3"]])
    prior = ["1/2", "1/4", "1/4"]
    found = observations_needed(twins, prior, success="4/5")
    assert found.lower == found.upper == math.inf
    assert found.limit == Fraction(3, 4)
    assert repr(found) == "ObservationsNeeded(none reaches success 4/5, the limit is 3/4)"
    assert observations_needed(twins, prior, success="3/4").upper == math.inf
    below = observations_needed(twins, prior, success="0.749")
    assert 1 < below.upper < 1000
    assert success_probability(twins, prior, int(below.upper)).lower >= Fraction("0.749")
    assert success_probability(twins, prior, int(below.upper) - 1).lower < Fraction("0.749")


def test_the_limit_is_reached_if_no_output_is_shared() -> None:
    assert observations_needed(Channel.identity(3), success=1).upper == 1
    twins = Channel.deterministic({0: "a", 1: "a", 2: "b"}, [0, 1, 2])
    assert observations_needed(twins, success="2/3").upper == 1
    half = Channel([[1, 0], ["1/2", "1/2"]])
    assert observations_needed(half, success=1).upper == math.inf
    assert observations_needed(half, success="0.999").upper == 9  # an error in 2^(n + 1)


def test_a_float_is_the_decimal_number_that_it_prints_as() -> None:
    """Success is exactly 9/10 with one observation; the float 0.9 is a little more."""
    channel = Channel([["9/10", "1/10"], ["1/10", "9/10"]])
    assert observations_needed(channel, success=0.9).upper == 1
    assert observations_needed(channel, success="0.9000000001").upper == 3


def test_bounds_that_do_not_settle_it_leave_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Channel.normalised([[4, 2, 1, 1], [2, 4, 2, 1], [1, 2, 4, 2], [1, 1, 2, 4]])
    exact = observations_needed(line, success="0.8")
    monkeypatch.setattr("leaktight.repetition.types.decisions.MOST_TYPES", 0)
    monkeypatch.setattr("leaktight.repetition.types.decisions.FEW", 0)
    rough = observations_needed(line, success="0.8")
    assert exact.is_exact
    assert not rough.is_exact
    assert rough.lower <= exact.lower <= rough.upper
    assert rough.upper < rough.lower + 20


def test_bounds_are_tried_first_where_types_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = observations_needed(FOUR, success="0.95")
    monkeypatch.setattr(curve, "MANY", 0)
    assert observations_needed(FOUR, success="0.95") == exact


@settings(max_examples=20)
@given(st.integers(3, 5), fractions("3/2", 6, max_denominator=4), st.sampled_from([9, 5]))
def test_the_least_number_for_randomised_response(k: int, ratio: Fraction, odds: int) -> None:
    """Own outputs settle it; one by one, exact numbers do."""
    rows = [[ratio if i == j else 1 for j in range(k)] for i in range(k)]
    channel, prior = Channel.normalised(rows), [Fraction(odds, odds * k - 1)] * k
    prior[0] = 1 - sum(prior[1:], Fraction(0))
    found = observations_needed(channel, prior, success="3/5")
    assert found.is_exact
    if found.upper < 12:
        assert found.upper == next(
            n for n in range(12) if success_probability(channel, prior, n).lower >= Fraction(3, 5)
        )


def test_so_many_types_that_only_own_outputs_tell() -> None:
    """The number is that after which the error, enclosed on both sides of it, passes 1/10."""
    many = Channel.normalised([[2 if i == j else 1 for j in range(12)] for i in range(12)])
    found = observations_needed(many, success="0.9")
    assert found.is_exact
    before, after = (success_probability(many, n=int(found.upper) - k) for k in (1, 0))
    assert before.upper < 0.9 <= after.lower
    assert before.method == "certified floats"


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.sampled_from([0.0, 1.0, 10.0**6, math.inf]))
def test_any_first_number_is_found_however_bad_the_guesses(
    first: int, more: int, guess: float
) -> None:
    tried: list[int] = []

    def holds(n: int) -> bool:
        tried.append(n)
        return n >= first

    assert curve._first(holds, lambda low, high: guess, 0, first + more) == first
    assert len(tried) <= 3 * 21 + 3


@pytest.mark.parametrize("success", [0, -1, "3/2", 1.0001])
def test_a_success_probability_is_above_0_and_at_most_1(success: float) -> None:
    with pytest.raises(InvalidNumber, match="above 0 and at most 1"):
        observations_needed(COIN, success=success)


def test_more_rounds_than_are_looked_at_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curve, "MOST_ROUNDS", 8)
    with pytest.raises(TooLarge, match="more than 8 rounds"):
        observations_needed(COIN, success="0.99")
