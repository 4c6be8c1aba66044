"""Discrete Gaussian noise: probabilities by long sums, no ε, its ρ, its draws."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq

from leaktight.errors import InvalidInput, InvalidNumber, TooLarge
from leaktight.leakage import individual_leakage, uninformed_guess
from leaktight.mechanisms import DiscreteGaussian
from leaktight.mechanisms.rational_draws import Draws
from leaktight.policies import Policy, SecretGraph, SumQuery, counting_query
from leaktight.privacy import noise_level
from leaktight.studies import Study, audit

VARIANCES = ["1/20", "1/2", "99/100", "1", "3/2", "36", "2500"]


def chances(variance: Fraction) -> dict[int, float]:
    most = int(12 * math.sqrt(variance)) + 5
    weights = {k: math.exp(-k * k / (2 * float(variance))) for k in range(-most, most + 1)}
    whole = math.fsum(weights.values())
    return {k: w / whole for k, w in weights.items()}


@pytest.mark.parametrize("variance", VARIANCES)
def test_probabilities_are_enclosed(variance: str) -> None:
    noise = DiscreteGaussian(variance=variance)
    expected = chances(noise.variance)
    for k in (-2, 0, 1, 5):
        low, high = noise.pmf_interval(k)
        assert 0 < low <= high <= low + Fraction(1, 10**30)
        assert float(low) == pytest.approx(expected.get(k, 0.0), rel=1e-9, abs=1e-60)
        low, high = noise.tail_interval(k)
        assert 0 <= low <= high <= low + Fraction(1, 10**30)
        tail = math.fsum(p for j, p in expected.items() if j >= k)
        assert float(low) == pytest.approx(tail, rel=1e-9, abs=1e-12)
    mean = math.fsum(abs(k) * p for k, p in expected.items())
    assert float(noise.mean_size) == pytest.approx(mean, rel=1e-9)
    # 1 by definition: nothing is lost between the two sums of Poisson's formula.
    each = [noise.pmf_interval(k) for k in range(-20, 21)]
    low, high = (sum((ends[k] for ends in each), Fraction(0)) for k in (0, 1))
    assert low + 2 * noise.tail_interval(21)[0] <= 1 <= high + 2 * noise.tail_interval(21)[1]


def test_it_keeps_rho_and_no_epsilon() -> None:
    noise = DiscreteGaussian(rho="1/8", sensitivity=3)
    assert (noise.variance, noise.rho) == (Fraction(36), Fraction(1, 8))
    assert DiscreteGaussian(variance=36, sensitivity=3) == noise
    policy, query = Policy(SecretGraph.complete([0, 3]), 10**6), SumQuery()
    level = noise_level(noise, policy, query)
    assert level.ratio == math.inf
    assert level.witness is not None
    assert noise.guarantee.curve == noise.promise
    with pytest.raises(InvalidInput, match=r"pure ε is not promised here, but ρ = 0\.125"):
        _ = noise.guarantee.ratio
    for ratio in (2, 10**9):
        for shift in (-3, -1, 1, 3):
            k = noise.output_beyond(ratio, shift)
            assert noise.pmf_interval(k)[0] > ratio * noise.pmf_interval(k - shift)[1]
    # Of order 2 the Rényi divergence is at most 2ρ, and nearly as much.
    p = chances(noise.variance)
    renyi = math.log(math.fsum(p[k] ** 2 / p[k - 3] for k in p if k - 3 in p))
    assert 2 / 8 - 1e-6 < renyi <= 2 / 8 + 1e-9


def test_what_it_leaks_is_a_sum_of_maxima() -> None:
    noise, policy = DiscreteGaussian(variance=4), Policy(SecretGraph.complete([0, 1, 3]), 1000)
    found = individual_leakage(noise, policy, SumQuery())
    p = chances(noise.variance)
    most = math.fsum(max(p.get(z - w, 0.0) for w in (0, 1, 3)) for z in range(-60, 64))
    assert float(found.factor) == pytest.approx(most, rel=1e-12)
    assert float(found.after) == pytest.approx(most / 3, rel=1e-12)
    skew = {0: "1/2", 1: "1/4", 3: "1/4"}
    bound = individual_leakage(noise, policy, SumQuery(), skew).after
    after = math.fsum(
        max(q * p.get(z - w, 0.0) for w, q in ((0, 0.5), (1, 0.25), (3, 0.25)))
        for z in range(-60, 64)
    )
    assert after <= float(bound) <= 1
    with pytest.raises(TooLarge):
        uninformed_guess(noise, policy, SumQuery())


def test_an_audit_says_that_no_epsilon_holds() -> None:
    policy = Policy(SecretGraph.complete(["no", "yes"]), 50)
    noise = DiscreteGaussian(rho=1)
    found = audit(Study(policy, noise, query=counting_query(["yes"]), epsilon=10))
    assert found.holds is False
    assert any("without end" in warning for warning in found.warnings)
    assert not any("rules an input out" in warning for warning in found.warnings)


@pytest.mark.parametrize("variance", ["1/4", "5", "50"])
def test_draws_follow_the_probabilities(variance: str) -> None:
    noise, n = DiscreteGaussian(variance=variance), 4000
    found = Counter(noise.draw(n, np.random.default_rng(3)))
    for k, p in chances(noise.variance).items():
        assert abs(found[k] - n * p) <= 5 * math.sqrt(n * p) + 1
    assert len(noise.draw(2)) == 2  # from the operating system


@pytest.mark.parametrize("variance", [10**14, 10**30])
def test_wide_noise_spreads_as_it_should(variance: int) -> None:
    found = DiscreteGaussian(variance=variance).draw(5000, np.random.default_rng(5))
    for share, within in ((0.382925, 0.5), (0.682689, 1.0), (0.954500, 2.0)):
        seen = sum(abs(k) <= within * math.isqrt(variance) for k in found) / 5000
        assert abs(seen - share) < 0.04
    assert abs(sum(k > 0 for k in found) - 2500) < 200
    assert {k % 1024 for k in found} > set(range(0, 1024, 64))


def test_fair_integers_and_coins_are_drawn_one_by_one() -> None:
    draws = Draws.of(np.random.default_rng(1))
    assert {draws.below(5) for _ in range(200)} == set(range(5))
    assert draws.below(1) == 0
    assert abs(sum(draws.coin(fmpq(1, 3)) for _ in range(3000)) - 1000) < 130


def test_what_it_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidInput, match="rho or variance"):
        DiscreteGaussian()
    with pytest.raises(InvalidInput, match="rho or variance"):
        DiscreteGaussian(rho=1, variance=1)
    with pytest.raises(InvalidNumber, match="rho must be above 0"):
        DiscreteGaussian(rho=0)
    noise = DiscreteGaussian(rho=1)
    for irrational in (noise.pmf, noise.tail):
        with pytest.raises(InvalidInput, match="irrational"):
            irrational(1)
    with pytest.raises(InvalidInput, match="never told apart"):
        noise.output_beyond(2, 0)
