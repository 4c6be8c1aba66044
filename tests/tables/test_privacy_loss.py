"""Tests of what releases cost each pair, before it is said in what."""

import random

import numpy as np
import pytest

from leaktight.errors import InvalidNumber
from leaktight.exact.powers import Powers
from leaktight.tables.privacy_loss import LARGEST_SQUARE, MOST_UNITS, PrivacyLoss
from leaktight.tables.weights import Shape, Weights


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("power", [1, 2])
def test_units_of_a_pair_are_added_up_as_they_are_or_refused(power: int, seed: int) -> None:
    """However large they are, they never wrap."""
    rng, refused, limit = random.Random(seed), 0, LARGEST_SQUARE if power == 2 else MOST_UNITS
    for _ in range(200):
        drawn = [
            (
                [rng.getrandbits(rng.choice([1, 8, 15])) for _ in range(2)],
                rng.getrandbits(rng.choice([1, 20, 40, 49, 61, 64, 70])),
            )
            for _ in range(rng.randint(1, 3))
        ]
        blocks = [(Weights(Shape.SUM, np.array(both), 1), units) for both, units in drawn]
        paid = PrivacyLoss(Powers.of(), tuple(blocks))
        most = sum(units * abs(a - b) ** power for (a, b), units in drawn)
        pair = np.array([[0, 1]])
        try:
            [found] = (paid.squares if power == 2 else paid.exponents)(pair).tolist()
        except InvalidNumber:
            refused += 1
            assert most > limit
        else:
            assert found == most <= limit
    assert 20 < refused < 180
