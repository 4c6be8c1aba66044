"""Consistent tables: the best fit, by the conditions that make it the best, and by hand."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight import Policy, SecretGraph
from leaktight.exact.ratio import Ratio
from leaktight.tables import TableQuery, count_of, cumulative, hierarchy, histogram
from leaktight.tables.calibration import calibrated
from leaktight.tables.consistent import Consistent, consistent
from leaktight.tables.ledger import Stored
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.publishing import TableRelease
from leaktight.tables.weights import Shape


def fitted(policy: Policy, queries: list[TableQuery], numbers: list[list[int]]) -> Consistent:
    """Return the fit to given numbers."""
    noise = calibrated(PrivacyUnit(policy), queries, Ratio.of(4))
    stored = Stored(tuple(map(tuple, numbers)), ())
    return consistent(TableRelease(None, None, noise, (), stored))  # type: ignore[arg-type]


def pool_adjacent(numbers: list[int]) -> list[Fraction]:
    """Return the isotonic fit, by pooling neighbours that fall."""
    pools: list[tuple[Fraction, int]] = []
    for number in numbers:
        pools.append((Fraction(number), 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (b, n), (a, m) = pools.pop(), pools.pop()
            pools.append(((a * m + b * n) / (m + n), m + n))
    return [mean for mean, size in pools for _ in range(size)]


@settings(max_examples=40)
@given(st.lists(st.integers(-20, 60), min_size=1, max_size=8))
def test_a_cumulative_release_gets_its_isotonic_fit(numbers: list[int]) -> None:
    policy = Policy(SecretGraph.line(len(numbers) + 1), 40)
    found = fitted(policy, [cumulative("c")], [[*numbers, 40]])["c"]
    within = [min(max(n, Fraction(0)), Fraction(40)) for n in pool_adjacent(numbers)]
    assert found == (*within, 40)


@settings(max_examples=40)
@given(st.lists(st.integers(-20, 60), min_size=2, max_size=8))
def test_a_histogram_is_brought_to_its_public_total_and_above_0(numbers: list[int]) -> None:
    """The same is taken off every cell that stays above 0: the nearest point of a simplex."""
    policy = Policy(SecretGraph.complete(len(numbers)), 40)
    query = histogram("h", ordered=False)
    found = fitted(policy, [query], [numbers])["h"]
    assert sum(found) == 40
    taken = {n - x for n, x in zip(numbers, found, strict=True) if x > 0}
    assert len(taken) == 1
    assert all(x > 0 or n <= min(taken) for n, x in zip(numbers, found, strict=True))
    assert min(found) >= 0


@settings(max_examples=30)
@given(st.data(), st.integers(2, 6))
def test_no_consistent_table_near_it_fits_better(data: st.DataObject, order: int) -> None:
    policy = Policy(SecretGraph.complete(order), 30)
    queries = [hierarchy("tree"), count_of("first", [0], share=2), cumulative("up to")]
    noise = calibrated(PrivacyUnit(policy), queries, Ratio.of(4))
    draw = st.integers(-10, 40)
    numbers = [
        [data.draw(draw) if step is not None else 30 for step in noise.of(block)]
        for block in noise.blocks
    ]
    found = fitted(policy, queries, numbers)
    x = np.array([float(v) for v in found["tree, runs of 1"]])
    assert sum(found["tree, runs of 1"]) == 30
    weight = [1 / float(s.variance) if s is not None else 0.0
              for block in noise.blocks for s in noise.of(block)]  # fmt: skip
    matrix = np.concatenate([block.weights.matrix() for block in noise.blocks], axis=1)
    y = np.array([n for own in numbers for n in own], dtype=float)

    def off(counts: np.ndarray) -> float:
        return float((np.array(weight) * (y - counts @ matrix) ** 2).sum())

    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    for _ in range(20):
        other = rng.dirichlet(np.ones(order)) * 30
        for step in (1.0, 0.1, 0.001):
            near = x + step * (other - x)
            assert off(near) >= off(x) * (1 - 1e-5) - 1e-6
    for block in noise.blocks:  # all queries agree with one table
        if block.weights.shape is not Shape.HISTOGRAM or block.name == "tree, runs of 1":
            continue
        runs = found[block.name]
        assert sum(runs) == 30


def test_what_is_released_without_noise_is_kept() -> None:
    towns = SecretGraph.partition([["Bern", "Thun"], ["Basel", "Muttenz"]])
    groups = {"BE": ["Bern", "Thun"], "BL": ["Basel", "Muttenz"]}
    queries = [histogram("cantons", groups=groups), histogram("towns", ordered=False)]
    found = fitted(Policy(towns, 100), queries, [[70, 30], [80, -5, 10, 10]])
    assert list(found["cantons"]) == [70, 30]
    assert list(found["towns"]) == [70, 0, 15, 15]


def test_numbers_that_several_tables_have_are_fitted_all_the_same() -> None:
    policy = Policy(SecretGraph.complete(6), 10)
    overlapping = [count_of(str(i), [i, (i + 1) % 6]) for i in range(6)]
    found = fitted(policy, overlapping, [[5], [1], [5], [1], [5], [3]])
    fits = [found[str(i)][0] for i in range(6)]
    assert sum(fits) == 20  # everybody is counted twice
    assert fits[0] + fits[2] + fits[4] == fits[1] + fits[3] + fits[5] == 10


def test_one_count_alone_is_kept_between_0_and_the_number_of_records() -> None:
    policy = Policy(SecretGraph.complete(["no", "yes"]), 10)
    assert fitted(policy, [count_of("ill", ["yes"])], [[-3]])["ill"][0] == 0
    assert fitted(policy, [count_of("ill", ["yes"])], [[13]])["ill"][0] == 10


def test_noise_that_is_far_wider_than_other_noise_still_counts() -> None:
    """The wide one alone says how two cells are parted, of which the narrow one knows the sum."""
    policy = Policy(SecretGraph.complete(["a", "b", "c"]), 30)
    asked = [count_of("a or b", ["a", "b"], share=100), count_of("a", ["a"])]
    noise = calibrated(PrivacyUnit(policy), asked, Ratio.of(2**300))
    wide, narrow = noise.noises[1], noise.noises[0]
    assert wide is not None
    assert narrow is not None
    assert wide.variance > 10**50 * narrow.variance
    stored = Stored(((20,), (7,)), ())
    found = consistent(TableRelease(None, None, noise, (), stored))  # type: ignore[arg-type]
    assert found["a or b"] == (20,)
    assert found["a"] == (7,)
