"""Minimal multisets that add up to zero, against all multisets."""

import itertools

import numpy as np
import pytest

from leaktight.policies.public_counts import zero_sums as module
from leaktight.policies.public_counts.longest import longest
from leaktight.policies.public_counts.zero_sums import zero_sums


def by_definition(vectors: np.ndarray, most: int) -> set[tuple[int, ...]]:
    """All multisets of up to so many vectors that add up to zero, and of these the minimal."""
    found: list[np.ndarray] = []
    for size in range(1, most + 1):
        for some in itertools.combinations_with_replacement(range(len(vectors)), size):
            if not vectors[list(some)].sum(axis=0).any():
                times = np.bincount(some, minlength=len(vectors))
                if not any((part <= times).all() for part in found):
                    found.append(times)
    return {tuple(times.tolist()) for times in found}


def margins(*sizes: int) -> np.ndarray:
    """The signatures of moves if the margins of a table are public."""
    cells = list(itertools.product(*map(range, sizes)))
    rows = np.array(
        [[int(c[a] == v) for a, k in enumerate(sizes) for v in range(1, k)] for c in cells]
    )
    moves = (rows[None] - rows[:, None]).reshape(-1, rows.shape[1])
    distinct = np.unique(moves, axis=0)
    return distinct[distinct.any(axis=1)]


@pytest.mark.parametrize("seed", range(20))
def test_they_are_those_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = np.unique(rng.integers(-1, 2, size=(6, 1 + seed % 3)), axis=0)
    vectors = vectors[vectors.any(axis=1)]
    found = zero_sums(vectors)
    assert found.is_complete
    rows = {tuple(row) for row in found.multisets.tolist()}
    assert len(rows) == len(found.multisets)
    most = 6
    assert {row for row in rows if sum(row) <= most} == by_definition(vectors, most)
    assert max(map(sum, rows), default=0) <= longest(vectors, 10**6)


def test_how_many_records_two_public_margins_reach() -> None:
    reach = {
        sizes: int(zero_sums(margins(*sizes)).multisets.sum(axis=1).max())
        for sizes in ((2, 2), (2, 3))
    }
    # By hand for 2×2: (+, +), (+, −), and twice (−, 0).
    assert reach == {(2, 2): 4, (2, 3): 8}


def test_a_whole_histogram_leaves_the_simple_cycles() -> None:
    for cells in range(2, 7):
        ends = np.eye(cells, dtype=np.int64)
        moves = np.array([b - a for a, b in itertools.permutations(ends, 2)])
        found = zero_sums(moves).multisets
        sizes = np.bincount(found.sum(axis=1), minlength=cells + 1)
        # (cells choose k)·(k − 1)! cycles of length k
        assert sizes[2:].tolist() == [
            len(list(itertools.combinations(range(cells), k))) * int(np.prod(range(1, k)))
            for k in range(2, cells + 1)
        ]
        assert longest(moves, 10**6, ends) == cells


def test_too_many_are_not_listed_and_said_not_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = zero_sums(margins(2, 3))
    monkeypatch.setattr(module, "MOST_SUMS", 200)
    part = zero_sums(margins(2, 3))
    assert whole.is_complete
    assert not part.is_complete
    rows = {tuple(row) for row in whole.multisets.tolist()}
    assert {tuple(row) for row in part.multisets.tolist()} < rows
