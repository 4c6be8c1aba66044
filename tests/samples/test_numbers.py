"""Real outputs: what a learnt rule proves holds as often as it says, and finds what there is."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from scipy.stats import norm

from leaktight.errors import InvalidInput, LeaktightError, Mismatch
from leaktight.samples import Observations, estimate_from_numbers, estimate_posterior_vulnerability
from leaktight.samples.confidence import binomial_lower
from leaktight.samples.numbers import Histogram, Lessons, Nearest, Rule, best_rule, read_numbers

HALF = ["1/2", "1/2"]


def noisy(samples: int, apart: float, rng: np.random.Generator) -> tuple[list[str], Any]:
    """Two secrets whose outputs are normal, so far apart: the best guess is right with Φ(d/2)."""
    secrets = rng.integers(0, 2, samples)
    return ["yes" if s else "no" for s in secrets], secrets * apart + rng.normal(size=samples)


@pytest.mark.parametrize("prior", [None, HALF])
def test_lower_bounds_fail_no_more_often_than_they_say(prior: Any) -> None:
    """At a confidence of 1/2 some of the bounds fail, and no more than that."""
    rng, truth = np.random.default_rng(7), norm.cdf(0.5)
    found = [
        estimate_from_numbers(*noisy(60, 1.0, rng), prior, confidence="1/2", seed=i)
        for i in range(200)
    ]
    failed = sum(each.vulnerability.lower > truth for each in found)
    leaks = sum(each.leakage.lower > math.log2(truth / 0.5) for each in found)
    assert 0 < failed <= 100
    assert leaks <= 100


def test_with_many_samples_it_comes_near_the_best_guess() -> None:
    found = estimate_from_numbers(*noisy(20_000, 2.0, np.random.default_rng(7)), HALF, seed=7)
    truth = norm.cdf(1)
    assert truth - 0.025 < found.vulnerability.lower < truth
    assert abs(found.vulnerability.estimate - truth) < 0.015
    assert found.leakage.lower < math.log2(2 * truth) < found.leakage.upper == 1
    assert found.vulnerability.upper == 1


def test_a_secret_in_the_fine_digits_is_found_by_cells_and_not_by_counting() -> None:
    """0.1 apart or not, many times over: neighbours and cells see it; no output comes twice."""
    rng = np.random.default_rng(7)
    secrets = rng.integers(0, 2, 8000)
    outputs = rng.integers(0, 8, 8000) + secrets / 2 + rng.uniform(0, 0.4, 8000)
    found = estimate_from_numbers(secrets.tolist(), outputs, seed=7)
    assert found.vulnerability.lower > 0.99
    counted = estimate_posterior_vulnerability(Observations(secrets, outputs), seed=7)
    assert counted.lower < 0.6


def test_two_numbers_tell_what_neither_tells_alone() -> None:
    rng = np.random.default_rng(7)
    points = rng.normal(size=(4000, 2))
    secrets = (points[:, 0] * points[:, 1] > 0).tolist()
    assert estimate_from_numbers(secrets, points, seed=7).vulnerability.lower > 0.9
    assert estimate_from_numbers(secrets, points[:, 0], seed=7).vulnerability.lower < 0.55


def test_where_nothing_leaks_nothing_is_found() -> None:
    rng = np.random.default_rng(7)
    for seed in range(5):
        found = estimate_from_numbers(
            rng.integers(0, 3, 900).tolist(), rng.normal(size=900), seed=seed
        )
        assert found.leakage.lower == 0


def test_the_bound_is_the_binomial_limit_of_the_hits() -> None:
    """Two secrets that are told apart for certain: all of the test half is right."""
    found = estimate_from_numbers(["a", "b"] * 100, [0.0, 9.0] * 100, seed=7)
    assert found.vulnerability.lower == binomial_lower(100, 100, fmpq(1, 20))
    assert found.vulnerability.confidence == Fraction(19, 20)
    assert "from 0.9704 to 1" in str(found)


def test_a_prior_weighs_the_secrets_however_many_samples_each_has() -> None:
    rng = np.random.default_rng(7)
    secrets = ["rare"] * 3000 + ["usual"] * 1000
    outputs = rng.normal(size=4000)
    found = estimate_from_numbers(secrets, outputs, {"rare": "1/10", "usual": "9/10"}, seed=7)
    assert found.vulnerability.lower == pytest.approx(0.9)
    assert abs(found.vulnerability.estimate - 0.9) < 0.02


@pytest.mark.parametrize("rule", [Nearest(1), Nearest(5), Histogram(4)])
def test_a_rule_learns_from_its_lessons_alone_and_equals_the_rule_by_hand(rule: Rule) -> None:
    rng = np.random.default_rng(7)
    x, secrets, asked = rng.normal(size=(40, 1)), rng.integers(0, 3, 40), rng.normal(size=(30, 1))
    ranks, weights = np.array([2, 0, 1]), np.array([1.0, 2.0, 1.5])
    by_hand = []
    for point in asked[:, 0]:
        if isinstance(rule, Nearest):
            group = np.argsort(np.abs(x[:, 0] - point))[: rule.neighbours]
        else:
            cuts = np.quantile(x[:, 0], [0.25, 0.5, 0.75])
            group = np.flatnonzero((x[:, 0, None] >= cuts).sum(1) == (point >= cuts).sum())
        scores = [(weights[s] * (secrets[group] == s).sum(), ranks[s], s) for s in range(3)]
        by_hand.append(max(scores)[2])
    found = rule.guesses(Lessons(x, secrets, weights, ranks), asked)
    assert found.tolist() == by_hand


def test_one_sample_and_one_secret_prove_next_to_nothing() -> None:
    assert estimate_from_numbers(["a"], [1.0], seed=1).vulnerability.lower == 0
    assert estimate_from_numbers(["a"], [1.0], ["1"], seed=1).vulnerability.lower == 1
    few = Lessons(np.zeros((2, 1)), np.zeros(2, dtype=int), np.ones(1), np.zeros(1, dtype=int))
    assert best_rule(few, np.random.default_rng(1)) == Nearest(1)


@pytest.mark.parametrize(
    ("secrets", "outputs", "said"),
    [
        (["a", "b"], [1.0], "an output for each secret"),
        (["a", "b"], ["x", "y"], "must be numbers"),
        (["a", "b"], [1.0, math.nan], "finite"),
        (["a", "b"], [[1.0], [1.0, 2.0]], "rows of numbers of one length"),
        ([], [], "finite numbers, or rows of them, of some samples"),
    ],
)
def test_bad_samples_are_refused(secrets: list[str], outputs: Any, said: str) -> None:
    with pytest.raises((InvalidInput, Mismatch), match=said):
        estimate_from_numbers(secrets, outputs)


def test_numbers_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "seen.csv"
    file.write_text("key,time,power\na,1.5,2\nb,2,1e3\n")
    secrets, numbers = read_numbers(file, "key", ["time", "power"])
    assert (secrets, numbers.tolist()) == (["a", "b"], [[1.5, 2], [2, 1000]])
    with pytest.raises(LeaktightError, match="'key' must hold numbers"):
        read_numbers(file, "time", ["key"])


def test_small_tables_guess_as_large_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = noisy(500, 1.0, np.random.default_rng(7))
    whole = estimate_from_numbers(*samples, seed=7)
    monkeypatch.setattr("leaktight.samples.numbers.TABLE", 1000)
    assert estimate_from_numbers(*samples, seed=7) == whole
