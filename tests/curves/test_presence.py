"""Membership: rates and advantage against linear programs over all tests, and against curves."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import norm

from leaktight import Channel, PrivacyCurve, Ratio
from leaktight.curves import membership, membership_of
from leaktight.curves.presence import RATES
from leaktight.errors import LeaktightError


def some_channel(draw: random.Random, inputs: int, outputs: int) -> Channel:
    rows = []
    for _ in range(inputs):
        parts = [draw.choice([0, 1, 2, 5, 40]) for _ in range(outputs)]
        parts[draw.randrange(outputs)] += 1
        rows.append([Fraction(part, sum(parts)) for part in parts])
    return Channel(rows, ["absent", *range(inputs - 1)])


@pytest.mark.parametrize("seed", range(40))
def test_no_test_does_better_and_some_does_as_well(seed: int) -> None:
    """All randomised tests, by a linear program: the largest power at each level."""
    draw = random.Random(seed)
    channel = some_channel(draw, draw.randint(2, 4), draw.randint(2, 6))
    found = membership_of(channel, "absent")
    assert found.is_exact
    rows = np.array([[float(p.p) / float(p.q) for p in row] for row in channel.exact().matrix])
    for alpha, power in found.rates:
        solved = [linprog(-row, rows[:1], [float(alpha)], bounds=(0, 1)).fun for row in rows[1:]]
        best = max(-each for each in solved if each is not None)
        assert float(power) == pytest.approx(best, abs=1e-9)
    apart = max(np.maximum(row - rows[0], 0).sum() for row in rows[1:])
    assert float(found.advantage) == pytest.approx(apart, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_a_promise_that_a_channel_keeps_allows_all_that_its_tests_find(seed: int) -> None:
    draw = random.Random(seed)
    flip = Fraction(draw.randint(1, 40), 100)
    coin = Channel([[1 - flip, flip], [flip, 1 - flip]], ["absent", "there"])
    ratio = max(Fraction(1), (1 - flip) / flip)
    own, most = membership_of(coin, "absent"), membership(Ratio.of(ratio))
    assert own.advantage == most.advantage  # randomised response attains it
    assert all(a[1] <= b[1] for a, b in zip(own.rates, most.rates, strict=True))


def test_rates_of_pure_and_of_gaussian_privacy() -> None:
    found = membership(Ratio.of(epsilon=1))
    assert float(found.advantage) == pytest.approx(math.tanh(0.5), rel=1e-12)
    assert float(dict(found.rates)[Fraction(1, 100)]) == pytest.approx(math.e / 100, rel=1e-12)
    gaussian = membership(PrivacyCurve.gaussian(1))
    for alpha, power in gaussian.rates:
        truth = norm.cdf(norm.ppf(float(alpha)) + 1)
        assert truth <= float(power) + 1e-12
        assert float(power) == pytest.approx(truth, abs=2e-3)
    assert membership(Ratio.of(2), steps=2) == membership(Ratio.of(4))
    assert membership(Ratio.of(1)).rates == tuple((a, a) for a in RATES)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(LeaktightError):
        membership(Ratio.of(2), steps=0)
    with pytest.raises(LeaktightError):
        membership_of(Channel([[1]], ["absent"]), "absent")
