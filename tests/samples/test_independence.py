"""Evidence of a leak: the p-value against all permutations, and how often it is wrong."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from scipy.special import xlogy

from leaktight.errors import InvalidNumber, TooLarge
from leaktight.samples.independence import independence_test
from leaktight.samples.observations import Observations


def test_the_p_value_approaches_that_of_all_permutations() -> None:
    secrets, outputs = [0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 2, 2]

    def statistic(arranged: tuple[int, ...]) -> float:
        table = np.zeros((2, 3))
        np.add.at(table, (secrets, list(arranged)), 1)
        return round(float(xlogy(table, table).sum()), 9)

    observed = statistic(tuple(outputs))
    every = [statistic(arranged) >= observed for arranged in permutations(outputs)]
    exact = sum(every) / len(every)
    found = independence_test(Observations(secrets, outputs), permutations=20_000, seed=2)
    assert float(found.p_value) == pytest.approx(exact, abs=0.02)  # six standard deviations


def test_without_a_leak_evidence_is_as_rare_as_it_says() -> None:
    """Of 200 tests at 95%, more than 24 have probability below 1 in 1000."""
    rng = np.random.default_rng(4)
    found = 0
    for seed in range(200):
        seen = Observations(rng.integers(0, 3, 60), rng.integers(0, 3, 60))
        found += independence_test(seen, permutations=99, seed=seed).evidence
    assert found <= 24


def test_a_plain_leak_is_found_and_bounded() -> None:
    seen = Observations.from_counts({"no": {"-": 400, "+": 100}, "yes": {"-": 100, "+": 400}})
    verdict = independence_test(seen, seed=1)
    assert verdict.p_value == Fraction(1, 1000)
    assert verdict.evidence
    assert str(verdict).startswith("there is evidence of a leak (p ≤ 0.001); with 95% confidence")
    assert verdict.leak.lower > 0


def test_no_leak_is_bounded_in_words() -> None:
    verdict = independence_test(Observations.from_counts([[500, 500], [500, 500]]), seed=1)
    assert verdict.p_value == 1
    assert not verdict.evidence
    text = str(verdict)
    assert "no evidence of a leak in 2,000 samples (p = 1)" in text
    most = float(text.split("at most ")[1].split()[0])
    assert verdict.leak.upper <= most < verdict.leak.upper * 1.01
    assert most < 0.05


def test_outputs_that_are_never_seen_twice_are_no_evidence() -> None:
    seen = Observations([0, 1] * 50, np.arange(100) / 3)
    assert independence_test(seen, permutations=9, seed=1).p_value == 1


@pytest.mark.parametrize("table", [[[5]], [[3, 2, 4]], [[3], [2], [4]]])
def test_one_secret_or_one_output_is_no_evidence(table: list[list[int]]) -> None:
    assert independence_test(Observations.from_counts(table), seed=1).p_value == 1


def test_the_same_seed_gives_the_same_verdict() -> None:
    seen = Observations.from_counts([[12, 8], [9, 11]])
    assert independence_test(seen, seed=5) == independence_test(seen, seed=5)


def test_mistakes_get_one_clear_line() -> None:
    seen = Observations.from_counts([[12, 8], [9, 11]])
    with pytest.raises(InvalidNumber, match="permutations must be at least 1, got 0"):
        independence_test(seen, permutations=0)
    many = Observations(np.arange(10**4) % 5000, np.arange(10**4) / 7)
    with pytest.raises(TooLarge, match="give outputs that are alike the same label"):
        independence_test(many)
