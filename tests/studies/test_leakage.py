import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from leaktight import GeometricNoise, Policy, SecretGraph, privacy_level
from leaktight.exact.rounding import log2_interval
from leaktight.mechanisms import RoundedLaplace, TruncatedGeometric
from leaktight.policies.symmetric_query import HistogramQuery
from leaktight.studies import Study, audit
from leaktight.studies.leakage import leakage_of


@pytest.mark.parametrize("cells", [2, 37, 400])
def test_bits_of_many_cells_are_not_below_their_sum(cells: int) -> None:
    """Each cell of a histogram has 1 + n·t, t the distance of noise from itself shifted by 1."""
    policy = Policy(SecretGraph.complete(cells), records=1000)
    noise = GeometricNoise(ratio=Fraction(3, 2), sensitivity=2)
    found = leakage_of(Study(policy, noise, query=HistogramQuery(tuple(range(cells))), ratio="3/2"))
    factor = 1 + 1000 * noise.shift_distance(1)
    low, high = log2_interval(factor**cells)
    assert low <= found.bits <= high * (1 + 2.0**-40)


def of_a_cell(count: int, seen: int, most: int) -> Fraction:
    """How likely noise that halves with each step takes a count to what is seen, cut off."""
    if seen in (0, most):
        return Fraction(2, 3) / 2 ** abs(count - seen)
    return Fraction(1, 3) / 2 ** abs(count - seen)


@pytest.mark.parametrize("records", [1, 2])
@pytest.mark.parametrize("cut_off", [False, True])
def test_every_cell_of_a_small_histogram_has_noise_of_its_own(records: int, cut_off: bool) -> None:
    """What is seen, its bits and its level, by the formula for the noise and all databases."""
    noise: Any = GeometricNoise(ratio=4, sensitivity=2)
    if cut_off:
        noise = TruncatedGeometric(range(records + 1), ratio=4, sensitivity=2)
    query = HistogramQuery(("a", "b", "c"))
    policy = Policy(SecretGraph.line(["a", "b", "c"]), records=records)
    study = Study(policy, noise, query=query, ratio=4)
    answers = {query(database) for database in product("abc", repeat=records)}
    seen = list(product(range(records + 1), repeat=3))
    by_definition = {
        (x, z): math.prod(of_a_cell(i, k, records) for i, k in zip(x, z, strict=True))
        for x in answers
        for z in seen
    }
    assert study.channel is not None
    assert set(study.channel.inputs) == answers
    assert all(study.channel[x, z] == p for (x, z), p in by_definition.items())
    factor = sum(max(by_definition[x, z] for x in answers) for z in seen)
    low, high = log2_interval(factor)
    assert low <= leakage_of(study).bits <= high
    assert privacy_level(study.channel, study.graph).ratio == 4
    found: Any = audit(study)
    assert found.privacy.level.ratio == 4
    best = Fraction(found.usefulness.this)
    chances = {x: Fraction(study.input_prior[x]) for x in answers}
    assert best == sum(max(chances[x] * by_definition[x, z] for x in answers) for z in seen)


def test_noise_of_another_kind_on_cells_is_listed() -> None:
    policy = Policy(SecretGraph.complete(2), records=2)
    noise = RoundedLaplace(range(3), ratio=2, sensitivity=2)
    study = Study(policy, noise, query=HistogramQuery((0, 1)), ratio=2)
    one = noise.channel
    assert study.channel is not None
    assert study.channel[(0, 2), (1, 1)] == one[0, 1] * one[2, 1]
    assert privacy_level(study.channel, study.graph).ratio <= 2
