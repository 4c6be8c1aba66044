"""How far a distribution can be: the inequalities behind it, and how often it is wrong."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from leaktight.samples.information import code_length, divergence_upper
from tests.second_routes.count_tables import compositions, multinomial

PRIORS = [
    ("1/2", "1/2"),
    ("1/10", "9/10"),
    ("1/100", "99/100"),
    ("1/3", "1/3", "1/3"),
    ("1/20", "1/4", "7/10"),
]


@pytest.mark.parametrize("confidence", ["1/2", "19/20"])
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("samples", [1, 4, 12])
def test_the_divergence_from_uniform_exceeds_its_bound_at_most_so_often(
    samples: int, prior: tuple[str, ...], confidence: str
) -> None:
    """Summed exactly over all counts; P is the prior, Q is uniform."""
    p, k = [Fraction(each) for each in prior], len(prior)
    truth = math.fsum(float(q) * math.log(k * q) for q in p)
    risk = 1 - Fraction(confidence)
    wrong = Fraction(0)
    for counts in compositions(samples, k):
        shares = np.array([n for n in counts if n]) / samples
        likelihood = float((shares * np.log(k * shares)).sum()) + 1e-12
        size, bound = fmpq(samples), fmpq(risk.numerator, risk.denominator)
        upper = divergence_upper(likelihood, size, fmpq(k), bound)
        wrong += multinomial(counts, p) * (upper < truth)
    assert wrong <= risk


@given(st.floats(0.001, 0.999), st.floats(1.001, 100), st.floats(0, 1))
def test_relative_entropy_is_bounded_by_renyis_generator_at_the_largest_ratio(
    order: float, largest: float, share: float
) -> None:
    """φ(r)/ψ(r) grows with r: the step from order 1 − λ to order 1."""

    def entropy(r: float) -> float:
        return r * math.log(r) - r + 1 if r else 1.0

    def generator(r: float) -> float:
        return ((1 - order) * r + order - r ** (1 - order)) / order

    ratio = share * largest
    bound = entropy(largest) / generator(largest) * generator(ratio)
    assert entropy(ratio) <= bound * (1 + 1e-6) + 1e-9


@given(st.floats(0, 3), st.integers(1, 10**7), st.integers(2, 1000))
def test_more_likelihood_never_lowers_the_bound_nor_do_more_samples_raise_it_to_infinity(
    likelihood: float, size: int, largest: int
) -> None:
    ends = fmpq(size), fmpq(largest), fmpq(1, 20)
    bound = divergence_upper(likelihood, *ends)
    assert bound >= likelihood * 0.99 or likelihood > math.log(largest)
    assert divergence_upper(likelihood + 0.1, *ends) >= bound


def test_the_bound_closes_in_on_the_truth() -> None:
    risk, two = fmpq(1, 20), fmpq(2)
    for likelihood in (0.0, 0.01, 0.3, 0.69):
        gaps = [
            divergence_upper(likelihood, fmpq(10**n), two, risk) - likelihood for n in range(2, 10)
        ]
        assert gaps == sorted(gaps, reverse=True)
        assert gaps[-1] < 2e-4


def test_equal_distributions_need_no_samples() -> None:
    assert divergence_upper(5.0, fmpq(1), fmpq(1), fmpq(1, 20)) == 0


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_the_code_length_is_that_of_the_sequential_rule(sequence: list[int]) -> None:
    """Krichevsky and Trofimov predict each value by its count so far plus a half."""
    counts, product = [0, 0, 0, 0], Fraction(1)
    for time, value in enumerate(sequence):
        product *= Fraction(2 * counts[value] + 1, 2 * (time + 2))
        counts[value] += 1
    assert code_length(np.array(counts)) == pytest.approx(-math.log(product), rel=1e-12)


@pytest.mark.parametrize("prior", PRIORS)
def test_no_prior_is_far_above_the_code_length_often(prior: tuple[str, ...]) -> None:
    p, risk = [Fraction(each) for each in prior], Fraction(1, 4)
    wrong = Fraction(0)
    for counts in compositions(10, len(p)):
        surprise = -sum(n * math.log(q) for n, q in zip(counts, p, strict=True))
        wrong += multinomial(counts, p) * (
            surprise > code_length(np.array(counts)) - math.log(risk) + 1e-9
        )
    assert wrong <= risk
