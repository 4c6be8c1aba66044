"""Changes of whole numbers under public counts, against all databases and their neighbours."""

import random

import numpy as np
import pytest

from leaktight.errors import TooLarge
from leaktight.policies import Policy, SecretGraph, count
from leaktight.policies.public_counts import (
    PublicCounts,
    largest_whole_change,
    largest_whole_square,
    scaled,
    whole_change,
)
from leaktight.policies.public_counts.gains import Gains
from tests.strategies.public_counts import random_counted_policy


def changes(policy: Policy, matrix: np.ndarray) -> list[np.ndarray]:
    """Return by how much all numbers change between each two neighbours."""
    index = {value: i for i, value in enumerate(policy.secrets.vertices)}

    def answer(database: object) -> np.ndarray:
        records = database if policy.records > 1 else (database,)
        return sum((matrix[index[v]] for v in records), np.zeros(matrix.shape[1], dtype=np.int64))  # type: ignore[attr-defined]

    return [answer(a) - answer(b) for a, b in policy.adjacency().explicit().edge_pairs()]


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_no_neighbours_change_more_than_is_said(
    seed: int, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few signs, and by how far values of a cell are apart where there are many."""
    if wide:
        monkeypatch.setattr(whole_change, "MOST_SIGNS", 0)
        monkeypatch.setattr(whole_change, "FEW_VALUES", 0)
    rng = random.Random(seed)
    for _ in range(25):
        policy = random_counted_policy(rng)
        counts = policy.public_counts
        assert counts is not None
        width = rng.randint(1, 3)
        rows = [[rng.randint(-2, 3) for _ in range(width)] for _ in policy.secrets.vertices]
        matrix = np.array(rows, dtype=np.int64)
        units = [rng.randint(1, 3) for _ in range(width)]
        apart = changes(policy, matrix)
        most = max((int(np.abs(x).sum()) for x in apart), default=0)
        square = max((int((x * x * units).sum()) for x in apart), default=0)
        found = largest_whole_change(counts, matrix)
        assert most <= found.most
        assert square <= largest_whole_square(counts, matrix, units).most
        if not wide and counts.all_secret and counts.cells.on_cycles is not None:
            assert most == found.most


@pytest.mark.parametrize("seed", range(3))
def test_numbers_that_64_bits_do_not_hold_are_refused_and_never_wrap(seed: int) -> None:
    """All records of a cell change between its least and its largest value, in whole numbers."""
    rng, refused = random.Random(seed), 0
    for _ in range(200):
        cells, bits = rng.choice([2, 3, 4, 8, 12]), rng.choice([2, 8, 20, 29, 30, 31])
        least = [-rng.choice([0, rng.getrandbits(bits), 2**bits - 1]) for _ in range(cells)]
        most = [rng.choice([1, rng.getrandbits(bits), 2**bits - 1]) for _ in range(cells)]
        matrix = np.array([each for pair in zip(least, most, strict=True) for each in pair])[
            :, None
        ]
        told = [count([2 * i, 2 * i + 1], equals=5) for i in range(cells)]
        counts = Policy(SecretGraph.complete(2 * cells), 5 * cells, constraints=told).public_counts
        assert counts is not None
        change = sum(b - a for a, b in zip(least, most, strict=True))
        factor = rng.choice([1, 3, 2**20, 2**62, 2**70])
        assert largest_whole_change(counts, matrix).most == change
        try:
            square = largest_whole_square(counts, matrix, [factor]).most
        except TooLarge:
            refused += 1
            assert factor * change * max(*map(abs, least), *most) > 2**40
        else:
            assert square == factor * change**2
        try:
            found = largest_whole_change(counts, scaled(matrix, [factor])).most
        except TooLarge:
            assert 4 * cells * factor * max(*map(abs, least), *most) > 2**62
        else:
            assert found == factor * change
    assert 20 < refused < 180


def test_a_table_of_cells_changes_by_the_ranges_of_all_of_them() -> None:
    """Eight public cells of three values: each is left and entered once, as all are secret."""
    told = [count([3 * i, 3 * i + 1, 3 * i + 2], equals=5) for i in range(8)]
    counts = Policy(SecretGraph.complete(24), 40, constraints=told).public_counts
    assert counts is not None
    which = np.arange(24) % 3
    one_of_three = (which[:, None] == np.arange(3)).astype(np.int64)
    assert largest_whole_change(counts, one_of_three).most == 16
    assert largest_whole_square(counts, one_of_three, [1, 1, 1]).most == 128  # 8² + 8²
    every = np.eye(24, dtype=np.int64)
    assert largest_whole_change(counts, every).most == 16
    assert largest_whole_square(counts, every, [1] * 24).most == 16
    found = largest_whole_change(counts, one_of_three)
    assert len(found.moves) == 8
    moved = sum(one_of_three[v] - one_of_three[u] for u, v in found.moves)
    assert int(np.abs(moved).sum()) == 16


def test_where_no_secret_pair_crosses_cells_neighbours_differ_in_one_record() -> None:
    """Sex is public for each, and its counts are: a band is all that a neighbour changes."""
    values = [(sex, band) for sex in "fm" for band in range(3)]
    edges = [(u, v) for u in values for v in values if u < v and u[0] == v[0]]
    secrets = SecretGraph.from_edges(values, edges)
    told = [count([v for v in values if v[0] == sex], equals=4) for sex in "fm"]
    counts = Policy(secrets, 8, constraints=told).public_counts
    assert counts is not None
    assert not counts.crosses
    assert counts.reach == (1, 1)
    assert largest_whole_change(counts, np.eye(6, dtype=np.int64)).most == 2
    assert largest_whole_square(counts, 2 * np.eye(6, dtype=np.int64), [3] * 6).most == 24


def test_moves_scored_at_once_are_those_scored_one_by_one() -> None:
    rng = random.Random(1)
    for _ in range(20):
        policy = random_counted_policy(rng)
        counts = policy.public_counts
        assert isinstance(counts, PublicCounts)
        scores = np.array([[rng.randint(0, 9) for _ in policy.secrets.vertices]
                           for _ in policy.secrets.vertices])  # fmt: skip

        def best(moves: object, scores: np.ndarray = scores) -> object:
            found = [(scores[u, v], u, v) for u, v in moves]  # type: ignore[attr-defined]
            return max(found, default=None)

        one = Gains.of(counts.cells, counts.secrets, best, multiply=False)  # type: ignore[arg-type]
        taken = scores

        def score(start: np.ndarray, end: np.ndarray, scores: np.ndarray = taken) -> np.ndarray:
            return scores[start][:, end]

        other = Gains.by_scores(counts.cells, counts.secrets, score)
        for ours, theirs in ((one.secret, other.secret), (one.other, other.other)):
            for row, same in zip(ours, theirs, strict=True):
                for a, b in zip(row, same, strict=True):
                    assert (a is None) == (b is None)
                    assert a is None or b is None or int(a.weight) == int(b.weight)


def test_a_policy_of_many_values_is_measured_at_once() -> None:
    """1,800 values, a public table of 8 cells and a count that cuts across it: it ends."""
    values = [(i, j, k) for i in range(8) for j in range(25) for k in range(9)]
    told = [count([v for v in values if v[0] == i], equals=500) for i in range(8)]
    policy = Policy(SecretGraph.complete(values), 4000, constraints=told)
    counts = policy.public_counts
    assert counts is not None
    matrix = np.array([[int(j == c) for c in range(25)] + [k] for _, j, k in values])
    assert largest_whole_change(counts, matrix).most == 8 * (2 + 8)
