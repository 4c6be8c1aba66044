"""How private noise on a sum is, and that it is refused where a sum is not of whole numbers."""

from fractions import Fraction

import pytest

from leaktight.errors import InvalidNumber
from leaktight.mechanisms import GeometricNoise
from leaktight.policies import HistogramQuery, Policy, SecretGraph, SumQuery, answer_graph, count
from leaktight.privacy import noise_level, privacy_level


@pytest.mark.parametrize("values", [[0, 1], [0, 1, 3], [-2, 5]])
def test_the_level_is_that_of_the_noise_cut_off_beyond_all_answers(values: list[int]) -> None:
    policy, noise = Policy(SecretGraph.line(values), records=2), GeometricNoise(ratio=2)
    answers = answer_graph(policy, sum)
    cut_off = noise.truncated(2 * min(values), 2 * max(values)).channel.restrict(answers.vertices)
    assert noise_level(noise, policy, SumQuery()).ratio == privacy_level(cut_off, answers).ratio


@pytest.mark.parametrize("told", [(), (count([0], equals=1),)])
def test_sums_of_other_than_whole_numbers_are_refused(told: tuple[object, ...]) -> None:
    # Noise on whole numbers would tell 0 from 1/2 with certainty.
    halves = SecretGraph.complete([0, Fraction(1, 2), 1])
    policy = Policy(halves, records=3, constraints=told)  # type: ignore[arg-type]
    with pytest.raises(InvalidNumber, match="needs whole numbers, got 1/2"):
        noise_level(GeometricNoise(ratio=2), policy, SumQuery())


def test_the_cells_of_a_histogram_count_each() -> None:
    bands = Policy(SecretGraph.complete(["low", "high"]), records=1000)
    level = noise_level(GeometricNoise(ratio=3), bands, HistogramQuery(("low", "high")))
    assert level.ratio == 9
    assert level.witness is not None
    assert {level.witness.input, level.witness.neighbour} == {"low", "high"}
