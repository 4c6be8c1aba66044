"""Circuits that are found by exchanging vectors, against all parts of them."""

import itertools

import numpy as np
import pytest

from leaktight.policies.public_counts.circuits import circuits, is_circuit
from leaktight.policies.public_counts.zero_sums import zero_sums


def some_vectors(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    vectors = np.unique(rng.integers(-1, 2, size=(10, 2 + seed % 3)), axis=0)
    return vectors[vectors.any(axis=1)]


def is_minimal(vectors: np.ndarray, times: np.ndarray) -> bool:
    """By definition: of all parts only the empty one and the whole add up to zero."""
    parts = itertools.product(*(range(n + 1) for n in times.tolist()))
    zero = [part for part in parts if not (np.array(part) @ vectors).any()]
    return len(zero) == 2


@pytest.mark.parametrize("seed", range(30))
def test_what_is_found_is_a_kind_and_grows(seed: int) -> None:
    vectors = some_vectors(seed)
    weights = np.random.default_rng(seed).integers(0, 3, size=len(vectors)).astype(float)
    found = circuits(vectors, weights, 9)
    assert all(is_circuit(vectors, row) and is_minimal(vectors, row) for row in found)
    assert (found.sum(axis=1) <= 9).all()
    assert (np.diff(found @ weights) > 0).all()


@pytest.mark.parametrize("seed", range(30))
def test_a_kind_is_a_circuit_if_no_other_kind_is_within_its_vectors(seed: int) -> None:
    vectors = some_vectors(seed)
    kinds = zero_sums(vectors)
    assert kinds.is_complete
    for row in kinds.multisets.astype(np.int64):
        within = (kinds.multisets[:, row == 0] == 0).all(axis=1)
        if is_circuit(vectors, row):
            assert within.sum() == 1
        assert not is_circuit(vectors, 2 * row)
        assert not is_circuit(vectors, row + np.eye(len(vectors), dtype=np.int64)[0])


def test_vectors_to_one_side_have_none() -> None:
    vectors = np.array([[1, 0], [1, 1], [1, -1]])
    assert circuits(vectors, np.ones(3), 9).shape == (0, 3)
    assert circuits(vectors[:0], np.ones(0), 9).shape == (0, 0)
    assert not is_circuit(vectors, np.zeros(3, dtype=np.int64))
