"""The noise of a block: its tails against sums of chances, its draws, and shares of ε."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight import Policy, SecretGraph
from leaktight.errors import InvalidNumber
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio
from leaktight.tables import count_of, cumulative, histogram, sum_of
from leaktight.tables.calibration import (
    GaussianWithin,
    GeometricWithin,
    _power,
    calibrated,
)
from leaktight.tables.noise import BlockNoise, GaussianVariance, GeometricStep
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.queries.answer import half_width
from tests.strategies.fractions import fractions

Chances = npt.NDArray[np.float64]


def chances(noise: BlockNoise, far: int) -> Chances:
    """The chances of −far to far, by definition, in floats."""
    away = np.arange(-far, far + 1)
    if isinstance(noise, GaussianVariance):
        found = np.exp(-(away**2) / (2 * float(noise.sigma2)))
    else:
        assert isinstance(noise, GeometricStep)
        found = float(noise.step) ** -np.abs(away)
    return np.asarray(found / found.sum())


NOISES = st.one_of(
    fractions(Fraction(6, 5), 9, max_denominator=8).map(GeometricStep),
    fractions(Fraction(1, 8), 40, max_denominator=8).map(GaussianVariance),
)


@settings(max_examples=60)
@given(NOISES, st.integers(1, 4), st.integers(1, 30))
def test_tails_of_sums_are_those_of_convolutions(
    noise: GeometricStep | GaussianVariance, noises: int, k: int
) -> None:
    one = chances(noise, 200)
    several = one
    for _ in range(noises - 1):
        several = np.convolve(several, one)
    centre = len(several) // 2
    truth = several[: centre - k + 1].sum() + several[centre + k :].sum()
    found = noise.beyond(k, noises)
    assert float(found.lower) - 1e-9 <= truth <= float(found.upper) + 1e-9
    if noises <= 2 or isinstance(noise, GeometricStep):
        assert float(found.upper) == pytest.approx(truth, abs=1e-9)


@pytest.mark.parametrize("noises", [1, 2])
@pytest.mark.parametrize("k", [1, 20, 70, 200, 500])
def test_wide_gaussian_tails_by_integrals_are_just_above_those_by_sums(
    noises: int, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = GaussianVariance(Fraction(64**2, 2))
    added = noise.beyond(k, noises)
    assert added.upper - added.lower < Fraction(1, 10**60)
    monkeypatch.setattr("leaktight.tables.noise.MOST_ADDED", 1)
    above = noise.beyond(k, noises)
    assert (
        added.upper
        <= above.upper
        <= added.lower * (1 + Fraction(k * k, 64**2 * 300) + Fraction(1, 1000))
    )


@pytest.mark.parametrize("noise", [GeometricStep(Fraction(3, 2)), GaussianVariance(Fraction(9))])
def test_draws_have_their_chances(noise: BlockNoise) -> None:
    """χ² of 20,000 draws over 21 cells; beyond 80 with 20 degrees of freedom less than 1e-8."""
    found = np.clip(noise.draw(20_000, np.random.default_rng(7)), -10, 10)
    one = chances(noise, 200)
    expected = 20_000 * np.array([one[:191].sum(), *one[191:210], one[210:].sum()])
    seen = np.bincount(found + 10, minlength=21)
    assert ((seen - expected) ** 2 / expected).sum() < 80


def test_a_noise_must_be_one() -> None:
    for wrong in (lambda: GeometricStep(Fraction(1)), lambda: GaussianVariance(Fraction(0))):
        with pytest.raises(InvalidNumber, match="above"):
            wrong()


def test_a_gaussian_interval_is_the_least_that_has_its_chance() -> None:
    for sigma2 in (Fraction(1, 3), Fraction(5), Fraction(300)):
        noise = GaussianVariance(sigma2)
        width = half_width(noise, Fraction(19, 20))
        assert noise.beyond(width + 1).upper <= Fraction(1, 20) < noise.beyond(max(width, 1)).lower


# --- shares --------------------------------------------------------------------------------

WAGES = Policy(SecretGraph.complete(range(0, 5001, 500)), records=100)


def cost_alone(protection: PrivacyUnit, query: str, noise: object) -> float:
    """ε of one query of a release by itself."""
    from leaktight.tables.calibration import Noise

    assert isinstance(noise, Noise)
    total = 0.0
    for block, own in zip(noise.blocks, noise.noises, strict=True):
        if block.query.name == query and isinstance(own, GeometricStep):
            apart = int(block.weights.distances(protection.pairs).max())
            total += apart * Powers.of((own.step, 1)).nats
    return total


def test_equal_shares_are_equal_parts_of_epsilon_however_large_a_sum_is() -> None:
    protection = PrivacyUnit(WAGES)
    asked = [histogram("h", ordered=False), sum_of("s"), count_of("c", [0], share=2)]
    noise = calibrated(protection, asked, Ratio.of(epsilon=1))
    found = [cost_alone(protection, name, noise) for name in ("h", "s", "c")]
    assert found[1] == pytest.approx(found[0], rel=0.01)
    assert found[2] == pytest.approx(2 * found[0], rel=0.01)
    assert noise.level.nats <= 1
    assert noise.level.nats == pytest.approx(1)
    alone = calibrated(protection, asked[:1], Ratio.of(epsilon="1/4")).noises[0]
    both = noise.noises[0]
    assert isinstance(alone, GeometricStep)
    assert isinstance(both, GeometricStep)
    assert both.variance <= alone.variance * Fraction(101, 100)


def test_queries_that_no_pair_pays_for_at_once_get_more_than_their_shares() -> None:
    parts = Policy(SecretGraph.partition([["a", "b"], ["c", "d"]]), records=9)
    asked = [count_of("one", ["a"]), count_of("two", ["c"])]
    noise = calibrated(PrivacyUnit(parts), asked, Ratio.of(4))
    assert noise.noises == (GeometricStep(Fraction(4)), GeometricStep(Fraction(4)))
    assert noise.level.value == 4


def test_a_query_that_tells_no_secret_leaves_all_to_the_others() -> None:
    parts = Policy(SecretGraph.partition([["a", "b"], ["c", "d"]]), records=9)
    asked = [histogram("parts", groups={1: "ab", 2: "cd"}, ordered=False), cumulative("c", share=7)]
    noise = calibrated(PrivacyUnit(parts), asked, Ratio.of(4))
    assert noise.of(noise.blocks[0]) == [None, None]
    assert noise.noises[1] == GeometricStep(Fraction(4))


@given(
    st.fractions(1, 4, max_denominator=2**40).filter(lambda step: step > 1), st.integers(1, 2**30)
)
def test_a_long_power_is_rounded_down_and_hardly(step: Fraction, units: int) -> None:
    if units * Powers.of((step, 1)).nats > 1000:
        units = 1
    found, power = _power(step, units), Powers.of((step, units))
    assert 1 < found <= power
    assert Powers.of((found, 1)).nats >= power.nats * (1 - 1e-12)


# --- errors --------------------------------------------------------------------------------

ALLOWANCES = [GeometricWithin(Ratio.of(epsilon=40)), GaussianWithin(Fraction(100))]


@pytest.mark.parametrize("allowed", ALLOWANCES)
@pytest.mark.parametrize("error", ["0.9", 3, 20])
def test_a_query_has_the_error_that_it_asks_for_and_no_less(
    allowed: GeometricWithin | GaussianWithin, error: str | int
) -> None:
    protection = PrivacyUnit(WAGES)
    for query in (
        histogram("q", ordered=False, error=error),
        histogram("q", ordered=True, error=error),
        histogram("q", error=error),
        count_of("q", [0, 500], error=error),
    ):
        [found] = calibrated(protection, [query], allowed).expected
        assert Fraction(error) ** 2 * Fraction(999999, 10**6) <= found.cell <= Fraction(error) ** 2


@pytest.mark.parametrize("allowed", ALLOWANCES)
def test_what_errors_leave_is_shared_and_nothing_is_overspent(
    allowed: GeometricWithin | GaussianWithin,
) -> None:
    protection = PrivacyUnit(WAGES)
    asked = [
        count_of("exact enough", [0], error=4),
        histogram("h", ordered=False),
        sum_of("s", error=20_000),
        cumulative("c", share=2),
    ]
    noise = calibrated(protection, asked, allowed)
    errors = {each.query: each.cell for each in noise.expected}
    assert 15 < errors["exact enough"] <= 16
    assert Fraction(39, 40) * 20_000**2 < errors["s"] <= 20_000**2
    most = noise.rho if isinstance(allowed, GaussianWithin) else Fraction(noise.level.nats)
    assert allowed.limit * Fraction(3, 4) < most <= allowed.limit * (1 + Fraction(1, 10**12))
    # By the noise of each number itself, pair by pair, no more is lost than what is paid for.
    for u, v in protection.pairs.tolist():
        total = 0.0
        for block, own in zip(noise.blocks, noise.noises, strict=True):
            pair = np.array([[u, v]])
            if isinstance(own, GaussianVariance):
                total += int(block.weights.squares(pair)[0]) / (2 * float(own.sigma2))
            elif isinstance(own, GeometricStep):
                total += int(block.weights.distances(pair)[0]) * Powers.of((own.step, 1)).nats
        assert total <= float(most) * (1 + 1e-12)


def test_errors_that_cost_too_much_are_refused() -> None:
    with pytest.raises(InvalidNumber, match=r"'c' cost more than ε = 0.1.* larger errors"):
        calibrated(PrivacyUnit(WAGES), [count_of("c", [0], error=2)], Ratio.of(epsilon="0.1"))
    parts = Policy(SecretGraph.partition([["a", "b"], ["c", "d"]]), records=9)
    own = [histogram("parts", groups={1: "ab", 2: "cd"}, ordered=False, error=3)]
    noise = calibrated(PrivacyUnit(parts), own, Ratio.of(4))
    assert noise.noises == (None,)
    assert noise.level.value == 1
