"""Intervals hold the truth at least as often as they say: by exact chances, and by drawing.

``LEAKTIGHT_COVERAGE=20000`` draws as many releases of each kind as it says.
"""

import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import accumulate, product
from typing import Any

import numpy as np
import pytest

from leaktight import Policy, SecretGraph
from leaktight.exact.ratio import Ratio
from leaktight.tables import Answer, TableQuery, mean_of, median_of, quantiles_of, sum_of
from leaktight.tables.calibration import Noise, calibrated
from leaktight.tables.noise import BlockNoise, GaussianVariance, GeometricStep
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.queries.answer import half_width

DRAWS = int(os.environ.get("LEAKTIGHT_COVERAGE", "60"))
LEVEL = Fraction(9, 10)
STEP, WIDE = GeometricStep(Fraction(3)), GaussianVariance(Fraction(1))


def fixed(values: list[Any], records: int) -> PrivacyUnit:
    return PrivacyUnit(Policy(SecretGraph.complete(values), records))


def changing(values: list[Any], records: int) -> PrivacyUnit:
    return PrivacyUnit(Policy(SecretGraph.add_remove(values), records), people="change")


def with_noise(
    protected: PrivacyUnit, query: TableQuery, own: BlockNoise, columns: tuple[str, ...] = ()
) -> Noise:
    """Return the noise of a release in which every block has this one."""
    noise = calibrated(protected, [query], Ratio.of(4), columns)
    return Noise(protected, noise.blocks, (own,) * len(noise.blocks), noise.paid)


def truth(noise: Noise, there: dict[Any, int]) -> list[list[int]]:
    counts = np.array([there.get(v, 0) for v in noise.protection.values], dtype=np.int64)
    return [block.weights.answers(counts) for block in noise.blocks]


def every_outcome(noise: Noise, true: list[list[int]]) -> Iterator[tuple[float, Answer]]:
    """Yield all answers but for the unlikeliest, with their chances."""
    which = [
        (b, i)
        for b, block in enumerate(noise.blocks)
        for i, each in enumerate(noise.of(block))
        if each is not None
    ]
    own = noise.noises[0]
    assert own is not None
    reach = np.arange(-9, 10, dtype=float)
    chances = np.exp(own.log_chances(reach))
    chances /= float(np.exp(own.log_chances(np.arange(-200, 201, dtype=float))).sum())
    for added in product(zip(reach.astype(int).tolist(), chances, strict=True), repeat=len(which)):
        numbers = [list(block) for block in true]
        for (b, i), (extra, _) in zip(which, added, strict=True):
            numbers[b][i] += extra
        chance = float(np.prod([p for _, p in added]))
        if chance > 1e-7:
            [answer] = noise.answers(numbers)
            yield chance, answer


@pytest.mark.parametrize(
    "noise", [GeometricStep(Fraction(21, 20)), GaussianVariance(Fraction(900))], ids=str
)
@pytest.mark.parametrize("noises", [1, 2])
def test_counts_are_covered_exactly_as_often_as_is_said(noise: BlockNoise, noises: int) -> None:
    """At least 90% and 95%, and less than one in a hundred more: by exact chances."""
    for level in (Fraction(9, 10), Fraction(19, 20)):
        width = half_width(noise, level, noises)
        inside = 1 - noise.beyond(width + 1, noises).upper, 1 - noise.beyond(width + 1).lower
        assert level <= inside[0]
        if noises == 1:
            assert inside[1] < level + Fraction(1, 100)


@pytest.mark.parametrize("own", [STEP, WIDE], ids=str)
@pytest.mark.parametrize(
    ("protected", "query", "there", "true"),
    [
        (changing([0, 1, 2, 3], 9), mean_of("m"), {0: 2, 3: 1, 1: 1}, Fraction(1)),
        (changing([0, 1, 2, 3], 9), mean_of("m"), {3: 4}, Fraction(3)),
        (changing([0, 5], 9), mean_of("m"), {5: 1, 0: 1}, Fraction(5, 2)),
        (fixed([0, 1, 2, 3], 4), mean_of("m"), {0: 2, 3: 1, 1: 1}, Fraction(1)),
        (changing([0, 1], 30), median_of("m"), {0: 6, 1: 4}, 0),
        (PrivacyUnit(Policy(SecretGraph.line(3), 9)), median_of("m"), {0: 2, 1: 4, 2: 3}, 1),
        (
            PrivacyUnit(Policy(SecretGraph.line(3), 9)),
            quantiles_of("m", ["0.3"]),
            {0: 2, 1: 4, 2: 3},
            1,
        ),
        (fixed([0, 2, 4], 6), sum_of("m"), {0: 1, 2: 3, 4: 2}, 14),
    ],
)
def test_by_all_outcomes(
    own: BlockNoise,
    protected: PrivacyUnit,
    query: TableQuery,
    there: dict[Any, int],
    true: Any,
) -> None:
    noise = with_noise(protected, query, own)
    held = left = 0.0
    for chance, answer in every_outcome(noise, truth(noise, there)):
        [(low, high)] = answer.intervals(LEVEL)
        held += chance * (low <= true <= high)
        left += chance
    assert left > 0.999
    assert held + 1e-9 >= float(LEVEL) * left


VALUES = [(group, n) for group in ("a", "b", "c") for n in range(6)]


def means(counts: np.ndarray) -> list[Any]:
    return [Fraction(int(np.arange(6) @ own), int(own.sum())) for own in counts]


def quantiles(counts: np.ndarray) -> list[Any]:
    found = []
    for own in counts:
        up_to = list(accumulate(own.tolist()))
        for share in (Fraction(1, 4), Fraction(9, 10)):
            found.append(next(i for i, n in enumerate(up_to) if n >= share * up_to[-1]))
    return found


def sums(counts: np.ndarray) -> list[Any]:
    return [int(np.minimum(np.arange(6), 4) @ own) for own in counts]


@pytest.mark.parametrize("own", [GeometricStep(Fraction(9, 8)), GaussianVariance(Fraction(90))])
@pytest.mark.parametrize("people", [changing, fixed])
@pytest.mark.parametrize(
    ("query", "right"),
    [
        (mean_of("q", "n", by=["group"]), means),
        (quantiles_of("q", ["1/4", "0.9"], "n", by=["group"]), quantiles),
        (sum_of("q", column="n", by=["group"], clamp=[0, 4]), sums),
    ],
)
def test_by_drawing(
    own: BlockNoise,
    people: Callable[[list[Any], int], PrivacyUnit],
    query: TableQuery,
    right: Callable[[np.ndarray], list[Any]],
) -> None:
    """Small groups, in which the noise is large, and larger ones."""
    rng = np.random.default_rng(11)
    counts = np.array([[3, 0, 4, 1, 0, 9], [40, 2, 30, 0, 0, 5], [1, 0, 0, 0, 60, 0]])
    there = {(g, n): int(counts[i, n]) for i, g in enumerate("abc") for n in range(6)}
    noise = with_noise(people(VALUES, int(counts.sum())), query, own, ("group", "n"))
    true, wanted = truth(noise, there), right(counts)
    held = np.zeros(len(wanted))
    for _ in range(DRAWS):
        numbers = [
            [n + (own.draw(1, rng)[0] if each is not None else 0)
             for n, each in zip(block_true, noise.of(block), strict=True)]
            for block, block_true in zip(noise.blocks, true, strict=True)
        ]  # fmt: skip
        [answer] = noise.answers(numbers)
        ends = answer.intervals(LEVEL)
        held += [low <= w <= high for w, (low, high) in zip(wanted, ends, strict=True)]
    least = float(LEVEL) - 5 * (float(LEVEL * (1 - LEVEL)) / DRAWS) ** 0.5
    assert (held / DRAWS).min() >= least
