"""How many records change at once under a table and one more count, against lists of kinds."""

import itertools
from math import gcd
from typing import Any

import numpy as np
import pytest
from flint import fmpz_mat

from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.margin import margin
from leaktight.policies.policy import Policy
from leaktight.policies.public_counts.longest import long_kind, longest
from leaktight.policies.public_counts.zero_sums import zero_sums
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level


def margins(*sizes: int) -> np.ndarray:
    """For each cell of a cross table the counts of each margin that count it."""
    cells = itertools.product(*map(range, sizes))
    return np.array(
        [[int(c[a] == v) for a, k in enumerate(sizes) for v in range(k)] for c in cells]
    )


@pytest.mark.parametrize("seed", range(60))
def test_no_minimal_multiset_is_longer(seed: int) -> None:
    """Of a few moves, two cycles among them, all minimal multisets are listed."""
    rng = np.random.default_rng(seed)
    points = int(rng.integers(2, 7))
    moves = set()
    for sign in (1, -1):
        cycle = rng.permutation(points)[: rng.integers(1, points + 1)]
        for a, b in zip(cycle, np.roll(cycle, -1), strict=True):
            moves.add((int(a), int(b), sign if rng.random() < 0.8 else int(rng.integers(-1, 2))))
    vectors = np.zeros((len(moves), points + 1), dtype=np.int64)
    for vector, (a, b, label) in zip(vectors, sorted(moves), strict=True):
        vector[b] += 1
        vector[a] -= 1
        vector[-1] = label
    vectors = np.unique(vectors[vectors.any(axis=1)], axis=0)
    found = zero_sums(vectors)
    assert found.is_complete
    assert found.multisets.sum(axis=1).max(initial=0) <= (points + 1) ** 2 // 2


@pytest.mark.parametrize("sizes", [(2, 2), (2, 3), (2, 4), (2, 5), (6, 2), (2, 7), (2, 9), (3, 4)])
def test_a_long_kind_is_minimal_and_as_long_as_the_bound(sizes: tuple[int, int]) -> None:
    ends = margins(*sizes)
    moves = long_kind(ends)
    vectors = np.array([ends[b] - ends[a] for a, b in moves])
    # The moves satisfy one linear relation, up to a factor, and these numbers have none in common.
    assert fmpz_mat(vectors.tolist()).rank() == len(moves) - 1
    assert not (np.array(list(moves.values())) @ vectors).any()
    assert gcd(*moves.values()) == 1
    assert moves.total() == (max(sizes) + 1) ** 2 // 2
    bound = longest(vectors, 10**6, ends)
    assert moves.total() == bound if min(sizes) == 2 else moves.total() < bound


def test_there_is_no_long_kind_where_no_two_cells_differ_alike() -> None:
    assert not long_kind(np.array([[0, 0], [1, 0], [0, 1]]))


@pytest.mark.parametrize("largest", [3, 5, 7])
def test_of_whole_numbers_as_many_pairs_as_their_sum(largest: int) -> None:
    """In a minimal multiset of sum 0: positive ones times negative ones, at most half of Σ|c|."""
    numbers = np.array([c for c in range(-largest, largest + 1) if c])
    found = zero_sums(numbers[:, None])
    assert found.is_complete
    half = len(numbers) // 2
    pairs = found.multisets[:, :half].sum(axis=1) * found.multisets[:, half:].sum(axis=1)
    assert (2 * pairs <= found.multisets @ abs(numbers)).all()


@pytest.mark.parametrize("bands", [4, 6, 9])
def test_sex_and_bands_are_public(bands: int) -> None:
    people = list(itertools.product("fm", range(bands)))
    records = 10**5 * bands
    tables = [
        *margin(people, 0, dict.fromkeys("fm", records // 2)),
        *margin(people, 1, dict.fromkeys(range(bands), records // bands)),
    ]
    policy = Policy(SecretGraph.complete(people), records, constraints=tables)
    counts = policy.public_counts
    assert counts is not None
    assert counts.reach == ((bands + 1) ** 2 // 2,) * 2
    level = privacy_level(RandomizedResponse(people, ratio=2, records=records).survey, policy)
    assert level.is_exact
    assert level.ratio == 2 ** ((bands + 1) ** 2 // 2)
    assert level.witness is not None
    here: Any = level.witness.input
    there: Any = level.witness.neighbour
    for attribute in (0, 1):
        assert sorted(p[attribute] for p in here) == sorted(p[attribute] for p in there)
