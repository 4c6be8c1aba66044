"""What samples weigh, how they are split, and what they teach to guess."""

from fractions import Fraction
from operator import mul

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from leaktight.samples.design import SampleDesign
from leaktight.samples.observations import Observations
from tests.second_routes.count_tables import halves
from tests.strategies.channels import weights

RNG = np.random.default_rng(0)


def test_each_half_is_guessed_by_the_other() -> None:
    seen = Observations.from_counts([[6, 1], [2, 5]])  # by output: 6, 2, 1, 5
    learn, test = np.array([3, 0, 1, 1]), np.array([3, 2, 0, 4])
    # Both halves say that the first output is of secret 0 and the second of secret 1.
    assert SampleDesign.of(seen, None, RNG).crossed(learn, test) == (3 + 4 + 3 + 1) / 14
    # With such a prior the second half says 1 for both: hits 3 of secret 0 and 4 + 1 of secret 1.
    weighted = SampleDesign.of(seen, ["1/5", "4/5"], RNG).crossed(learn, test)
    assert weighted == pytest.approx(0.2 * 3 / 7 + 0.8 * 5 / 7)


def test_random_halves_are_halves() -> None:
    seen = Observations.from_counts([[3, 5], [1, 0]])
    for prior in (None, ["1/2", "1/2"]):
        design = SampleDesign.of(seen, prior, RNG)
        possible = {(tuple(learn), tuple(test)) for learn, test, _ in halves(design)}
        found = set()
        for seed in range(200):
            learn, test = design.halves(np.random.default_rng(seed))
            found.add((tuple(learn.tolist()), tuple(test.tolist())))
        assert found == possible


@given(st.lists(weights(3), min_size=2, max_size=4))
def test_guesses_are_the_best_of_all(table: list[list[int]]) -> None:
    """Against the largest weighted count of each column, with a prior and without."""
    seen, counts = Observations.from_counts(table), np.array(table)
    prior = [Fraction(i + 1, len(table) * (len(table) + 1) // 2) for i in range(len(table))]
    design = SampleDesign.of(seen, None, RNG)
    hits = design.hits(design.best_guesses(seen.counts), seen.counts)
    assert hits.sum() == counts.max(axis=0).sum()
    design = SampleDesign.of(seen, prior, RNG)
    hits = design.hits(design.best_guesses(seen.counts), seen.counts)
    each = [p / sum(row) for p, row in zip(prior, table, strict=True)]
    best = sum(max(map(mul, each, column)) for column in zip(*table, strict=True))
    assert float(sum(map(mul, each, hits.tolist()))) == pytest.approx(float(best), rel=1e-14)


def test_an_output_that_was_not_learnt_is_guessed_by_what_is_likely() -> None:
    seen = Observations.from_counts([[3, 0, 1], [1, 1, 0]])
    learn = np.where(seen.columns == 0, seen.counts, 0)
    assert SampleDesign.of(seen, None, RNG).best_guesses(learn).tolist() == [
        0,
        0,
        0,
    ]
    assert SampleDesign.of(seen, ["1/10", "9/10"], RNG).best_guesses(learn).tolist() == [1, 1, 1]


def test_the_size_is_that_of_the_heaviest_sample() -> None:
    seen = Observations.from_counts([[5, 5], [20, 0]])
    assert SampleDesign.of(seen, None, RNG).size(seen.counts) == 30
    assert SampleDesign.of(seen, ["1/3", "2/3"], RNG).size(seen.counts) == 30
    assert SampleDesign.of(seen, ["1/2", "1/2"], RNG).size(seen.counts) == 20
    assert SampleDesign.of(seen, ["1/4", "3/4"], RNG).size(seen.counts) == fmpq(80, 3)


def test_shares_are_the_joint_distribution_of_prior_and_frequencies() -> None:
    seen = Observations.from_counts([[1, 3], [5, 5]])
    shares = SampleDesign.of(seen, ["1/5", "4/5"], RNG).shares(seen.counts)
    assert shares == pytest.approx([0.05, 0.4, 0.15, 0.4])  # by output, then by secret
    assert SampleDesign.of(seen, None, RNG).shares(seen.counts) == pytest.approx(seen.counts / 14)
