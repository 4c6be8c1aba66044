"""Attacks by several looks, against what the best one attains."""

from fractions import Fraction

import numpy as np
import pytest

from leaktight.channels.channel import Channel
from leaktight.repetition.success import success_probability
from leaktight.samples.countermeasure import changed
from leaktight.samples.looks import LOOKS, estimate_looks
from leaktight.samples.observations import Observations

ROWS = [["3/5", "3/10", "1/10"], ["3/10", "2/5", "3/10"], ["1/10", "3/10", "3/5"]]


def drawn(rng: np.random.Generator, sizes: list[int]) -> Observations:
    chances = [[float(Fraction(p)) for p in row] for row in ROWS]
    rows = [rng.multinomial(n, p) for n, p in zip(sizes, chances, strict=True)]
    return Observations.from_counts(rows)


@pytest.mark.parametrize("sizes", [[1500, 1500, 1500], [2000, 700, 300]])
def test_looks_come_near_the_best_attack_and_rarely_claim_more(sizes: list[int]) -> None:
    rng, claimed, runs = np.random.default_rng(33), 0, 60
    prior = [Fraction(n, sum(sizes)) for n in sizes]
    best = {n: float(success_probability(Channel(ROWS), prior, n).lower) for n in LOOKS[:6]}
    for seed in range(runs):
        found = estimate_looks(drawn(rng, sizes), 0.5, seed)
        assert [each.looks for each in found[:4]] == [1, 2, 3, 5]
        claimed += any(each.lower > best[each.looks] for each in found if each.looks in best)
        assert all(abs(each.estimate - best[each.looks]) < 0.25 for each in found[:4])
        assert all(each.lower <= each.estimate for each in found)
    assert claimed <= runs / 2


def test_outputs_that_are_never_seen_twice_teach_nothing() -> None:
    """What counts alone would call certain after one look."""
    secrets = ["a", "b"] * 200
    found = estimate_looks(Observations(secrets, range(400)), seed=1)
    assert [each.looks for each in found] == [1, 2, 3, 5, 10]
    assert all(abs(each.estimate - 0.5) < 1e-9 for each in found)
    assert {each.unseen for each in found} == {1.0}


def test_it_ends_when_all_is_known_or_samples_are_few() -> None:
    sure = estimate_looks(Observations.from_counts([[50, 0], [0, 50]]), seed=1)
    assert [(each.looks, each.estimate, each.hands) for each in sure] == [(1, 1.0, 50)]
    assert estimate_looks(Observations.from_counts([[50, 0], [0, 5]]), seed=1) == ()


def test_rounding_and_padding_go_by_exact_numbers() -> None:
    outputs = ["0.1", "0.15", "-0.15", "0.3", "2e0"]
    assert changed(outputs, "round:0.1") == ["1/10", "1/5", "-1/10", "3/10", "2"]
    assert changed(outputs, "pad:0.1") == ["1/10", "1/5", "-1/10", "3/10", "2"]
    assert changed(outputs, "pad:1") == ["1", "1", "0", "1", "2"]
    assert changed(outputs, "pad:to:0.2") == ["1/5", "1/5", "1/5", "3/10", "2"]
    assert changed(outputs, "pad:max") == ["2"] * 5
