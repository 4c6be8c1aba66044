"""The adapters with stand-ins; with the real libraries in ``with_*.py`` beside this."""

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.adapters import (
    from_event,
    from_opacus,
    from_opendp,
    from_pld,
    from_points,
    from_tumult,
)
from leaktight.curves import PrivacyCurve
from leaktight.errors import InvalidInput, InvalidNumber
from tests.strategies.fractions import fractions


def measurement(measure: str, value: Any) -> Any:
    return SimpleNamespace(output_measure=measure, map=lambda d_in: value)


@pytest.mark.parametrize(
    ("measure", "value", "curve"),
    [
        ("MaxDivergence", 1.0, PrivacyCurve.epsilon(1)),
        ("MaxDivergence", 0.1, PrivacyCurve.epsilon(Fraction(0.1))),
        ("MaxDivergence", math.inf, PrivacyCurve.pairs([(0, 1)])),
        ("ZeroConcentratedDivergence", 0.5, PrivacyCurve.zcdp("1/2")),
        ("ZeroConcentratedDivergence", math.inf, PrivacyCurve.pairs([(0, 1)])),
        ("Approximate(MaxDivergence)", (1.0, 0.25), PrivacyCurve.epsilon_delta(1, "1/4")),
        ("Approximate(ZeroConcentratedDivergence)", (0.5, 0.0), PrivacyCurve.zcdp("1/2")),
    ],
)
def test_a_measurement_is_read_by_its_measure(
    measure: str, value: Any, curve: PrivacyCurve
) -> None:
    found = from_opendp(measurement(measure, value), 1)
    assert found == curve
    assert "as claimed by opendp" in str(found)


def test_a_float_is_what_it_is_and_not_what_it_prints_as() -> None:
    """0.1 is a little more than a tenth, and claimed is what it is."""
    curve = from_opendp(measurement("MaxDivergence", 0.1), 1)
    assert curve.delta("0.1").lower > 0
    assert curve.delta(Fraction(0.1)).lower == 0


def test_a_profile_of_renyi_divergences() -> None:
    found = from_opendp(measurement("RenyiDivergence", lambda order: order / 2), 1)
    best, orders = PrivacyCurve.zcdp("1/2").delta(1), found.delta(1)
    assert best.lower <= orders.upper
    assert float(orders) < 1.1 * float(best)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("SomethingElse", 1.0),
        ("Approximate(ZeroConcentratedDivergence)", (0.5, 0.1)),
        ("MaxDivergence", math.nan),
        ("MaxDivergence", -1.0),
        ("MaxDivergence", "1"),
    ],
)
def test_what_has_no_curve_is_refused(measure: str, value: Any) -> None:
    with pytest.raises(InvalidInput):
        from_opendp(measurement(measure, value), 1)


@pytest.mark.parametrize("adapter", [from_event, from_opacus, from_pld, from_tumult])
def test_what_is_no_object_of_theirs_is_refused_by_name(adapter: Any) -> None:
    with pytest.raises(InvalidInput, match=r"expected an? .* got float"):
        adapter(1.0)


def test_a_distribution_is_asked_where_it_bends() -> None:
    """A profile of (1, 1/100): 1/100 from ε = 1 on, and what pure ε leaves before it."""
    truth = PrivacyCurve.epsilon_delta(1, "1/100")
    pld = SimpleNamespace(
        get_delta_for_epsilon=lambda epsilon: float(truth.delta(Fraction(epsilon)))
    )
    curve = from_pld(pld)
    for epsilon in ("0", "0.3", "0.99", "1", "1.01", "7"):
        found, exact = curve.delta(epsilon), truth.delta(epsilon)
        assert exact.upper <= found.upper <= exact.upper + Fraction(1, 10**4)


def test_what_is_asked_at_given_epsilons_is_no_more_than_that() -> None:
    pld = SimpleNamespace(get_delta_for_epsilon=lambda epsilon: math.exp(-1 - epsilon))
    curve = from_pld(pld, epsilons=[1.0])
    assert float(curve.delta(1)) == pytest.approx(math.exp(-2))
    assert curve.epsilon_at("0.01").upper == math.inf
    with pytest.raises(InvalidInput, match="at one ε at least"):
        from_pld(pld, epsilons=[])


class GaussianDpEvent:
    noise_multiplier = 2.0


class SelfComposedDpEvent:
    event, count = GaussianDpEvent(), 4


def test_an_event_is_read_by_its_name() -> None:
    assert from_event(SelfComposedDpEvent()) == PrivacyCurve.gaussian(1)


class LaplaceDpEvent:
    noise_multiplier = 0.5


def test_laplace_noise_on_a_vector_is_never_told_apart_better_than_its_event() -> None:
    """By sums over both outputs: noise on a fine grid, and two coordinates that change by 1/2."""
    curve = from_event(LaplaceDpEvent())
    steps, reach = 40, 400
    grid = [math.exp(-2 * abs(k) / steps) for k in range(-reach, reach + steps // 2 + 1)]
    total = sum(math.exp(-2 * abs(k) / steps) for k in range(-reach, reach + 1))
    first = [p / total for p in grid]
    moved = [math.exp(-2 * abs(k - steps // 2) / steps) / total
             for k in range(-reach, reach + steps // 2 + 1)]  # fmt: skip
    for epsilon in (0.0, 0.4, 1.0, 1.9):
        times = math.exp(epsilon)
        told = sum(
            max(0.0, p * p2 - times * q * q2)
            for p, q in zip(first, moved, strict=True)
            for p2, q2 in zip(first, moved, strict=True)
        )
        assert told < float(curve.delta(Fraction(epsilon)).lower)
        assert float(curve.delta(Fraction(epsilon))) == pytest.approx(1 - math.exp(epsilon / 2 - 1))


@pytest.mark.parametrize("shifts", [(1, 1), (1, 2), (2, 2), (3, 1), (1, 1, 1), (3, 4)])
@pytest.mark.parametrize("step", [Fraction(11, 10), Fraction(2), Fraction(100)])
def test_geometric_noise_on_a_vector_is_told_apart_best_in_one_coordinate(
    shifts: tuple[int, ...], step: Fraction
) -> None:
    """Exactly: outputs between the two centres, and those beyond put together, are multiplied."""
    share, whole = 1 / step, sum(shifts)
    pairs = {0: Fraction(1)}  # the logarithm of the ratio, by the step: how likely
    for shift in shifts:
        ends = [1 / (1 + share), share**shift / (1 + share)]
        inner = [(1 - share) / (1 + share) * share**j for j in range(1, shift)]
        one = [(shift - 2 * j, p) for j, p in enumerate([ends[0], *inner, ends[1]])]
        old, pairs = pairs, {}
        for a, p in old.items():
            for b, q in one:
                pairs[a + b] = pairs.get(a + b, Fraction(0)) + p * q
    assert sum(pairs.values()) == 1
    dominating = PrivacyCurve.discrete_laplace(ratio=step**whole, sensitivity=whole)
    for k in range(whole + 1):
        told = sum(p * (1 - step ** (k - loss)) for loss, p in pairs.items() if loss > k)
        assert told <= dominating.delta(ratio=step**k).upper


# --- points --------------------------------------------------------------------------------


CURVES = [
    PrivacyCurve.gaussian(1),
    PrivacyCurve.laplace("3/2"),
    PrivacyCurve.epsilon_delta(1, "1/10"),
    PrivacyCurve.bounded_range(2),
]


@given(
    st.sampled_from(CURVES),
    st.sets(fractions(0, 1, max_denominator=50), min_size=1, max_size=12),
    st.fractions(0, 1, max_denominator=97),
)
def test_points_of_a_convex_curve_promise_no_more_than_it_does(
    curve: PrivacyCurve, rates: set[Fraction], alpha: Fraction
) -> None:
    known = from_points(rates, [curve.beta(rate).lower for rate in rates])
    assert known.beta(alpha).upper <= curve.beta(alpha).upper


def test_many_points_promise_nearly_as_much() -> None:
    rates = [Fraction(k, 400) for k in range(401)]
    for curve in CURVES:
        known = from_points(rates, [curve.beta(rate).lower for rate in rates])
        for alpha in ("0.0333", "0.2", "0.77"):
            assert float(curve.beta(alpha).lower - known.beta(alpha).lower) < 0.01


def test_points_must_be_pairs_of_rates() -> None:
    with pytest.raises(InvalidInput, match="as many"):
        from_points([0.1, 0.2], [0.5])
    with pytest.raises(InvalidInput, match="as many"):
        from_points([], [])
    with pytest.raises(InvalidNumber):
        from_points([0.1], [math.nan])
    with pytest.raises(InvalidNumber, match="from 0 to 1"):
        from_points([0.1], [1.5])
