"""The law of noise: chances that are never too small, and hardly too large."""

from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest

from leaktight.tables.law import SLACK, Floats, Law, chance_above
from leaktight.tables.noise import BlockNoise, GaussianVariance, GeometricStep

NOISES: list[BlockNoise] = [
    GeometricStep(Fraction(2)),
    GeometricStep(Fraction(11, 10)),
    GeometricStep(Fraction(1001, 1000)),
    GeometricStep(1 + Fraction(1, 10**6)),
    GaussianVariance(Fraction(1, 4)),
    GaussianVariance(Fraction(50)),
    GaussianVariance(Fraction(10**7)),
]


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_tails_are_those_of_the_noise(noise: BlockNoise) -> None:
    """By sums that are rounded outward, on the other route; cells that are wide cost up to 1%."""
    law, spread = Law.of(noise, 1), float(noise.variance) ** 0.5
    for k in sorted({max(1, int(spread * far)) for far in (0.1, 1, 2, 3, 5)}):
        tail = float(law.above(np.array([float(k)]))[0])
        exact = noise.beyond(k)
        assert tail + SLACK >= float(exact.lower) / 2
        assert tail <= float(exact.upper) / 2 * 1.01 + SLACK


@pytest.mark.parametrize("noise", NOISES[:3], ids=str)
@pytest.mark.parametrize("noises", [2, 3, 7])
def test_tails_of_sums_are_those_of_the_noise(noise: BlockNoise, noises: int) -> None:
    law, spread = Law.of(noise, noises), float(noise.variance * noises) ** 0.5
    for k in sorted({max(1, int(spread * far)) for far in (0.3, 1, 2, 4)}):
        tail = float(law.above(np.array([float(k)]))[0])
        exact = noise.beyond(k, noises)
        assert tail + SLACK >= float(exact.lower) / 2
        assert tail <= float(exact.upper) / 2 * 1.03 + SLACK


def least(y: int, z: Floats) -> Floats:
    return (y - 2 * z) / 3


@pytest.mark.parametrize("noise", [NOISES[0], NOISES[4]], ids=str)
def test_the_chance_of_two_weighed_noises_is_their_sum(noise: BlockNoise) -> None:
    """P(3·Z − 2·Z' ≥ y) by adding up all pairs."""
    reach = np.arange(-80, 81, dtype=float)
    weights = np.exp(noise.log_chances(reach))
    weights /= weights.sum()
    law = Law.of(noise, 1)
    for y in (-4, 0, 1, 5, 9):
        summed = sum(
            p * q
            for (z, p), (other, q) in product(zip(reach, weights, strict=True), repeat=2)
            if 3 * z + 2 * other >= y
        )
        found = chance_above(law, law, partial(least, y), float("inf"))
        assert summed <= found <= summed + 2 * SLACK


def test_without_noise_it_is_0() -> None:
    law = Law.of(None, 1)
    assert law.above(np.array([-1.0, 0.0, 1.0])).tolist() == [1, 1, 0]
