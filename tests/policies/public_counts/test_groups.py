"""What a kind adds at most by its groups, against lists of all kinds."""

import itertools
from typing import Any

import numpy as np
import pytest

from leaktight.policies.public_counts import groups as module
from leaktight.policies.public_counts.groups import Groups
from leaktight.policies.public_counts.zero_sums import zero_sums


def margins(*sizes: int) -> np.ndarray:
    """The signatures of moves if the margins of a table are public."""
    cells = itertools.product(*map(range, sizes))
    ends = np.array(
        [[int(c[a] == v) for a, k in enumerate(sizes) for v in range(k)] for c in cells]
    )
    moves = np.unique((ends[None] - ends[:, None]).reshape(-1, ends.shape[1]), axis=0)
    return moves[moves.any(axis=1)]


def some_vectors(seed: int) -> np.ndarray:
    """A few vectors of one to four whole numbers, none of them zero."""
    rng = np.random.default_rng(seed)
    width = 1 + seed % 4
    largest = int(rng.integers(1, 4 if width < 3 else 3))
    shape = int(rng.integers(3, 11)), width
    vectors = np.unique(rng.integers(-largest, largest + 1, size=shape), axis=0)
    return vectors[vectors.any(axis=1)]


def listed(vectors: np.ndarray) -> np.ndarray | None:
    found = zero_sums(vectors)
    return found.multisets.astype(np.int64) if found.is_complete else None


def the_groups_of(vectors: np.ndarray) -> Groups:
    found = Groups.of(vectors)
    assert found is not None
    return found


@pytest.mark.parametrize("block", range(12))
def test_no_kind_adds_more(block: int) -> None:
    """All kinds are listed; most often some kind adds just as much as the bound."""
    exact = compared = 0
    for seed in range(60 * block, 60 * (block + 1)):
        vectors = some_vectors(seed)
        kinds, groups = listed(vectors), Groups.of(vectors)
        if kinds is None or groups is None:
            continue
        rng = np.random.default_rng(seed)
        weightings = np.ones(len(vectors), dtype=np.int64), rng.integers(-3, 4, size=len(vectors))
        for weights in weightings:
            truth = int((kinds @ weights).max(initial=0))
            bound = groups.most(weights)
            assert truth <= bound
            exact, compared = exact + (truth == bound), compared + 1
            for known in (truth, truth + 1):
                assert known <= groups.most(weights, known) <= max(bound, known)
    assert compared > 60
    assert exact > 0.8 * compared


@pytest.mark.parametrize("bands", [2, 3, 4, 5])
def test_two_categories_and_bands_reach_what_the_formula_says(bands: int) -> None:
    vectors = margins(2, bands)
    assert (
        the_groups_of(vectors).most(np.ones(len(vectors), dtype=np.int64)) == (bands + 1) ** 2 // 2
    )


def test_three_by_three_reaches_fifteen() -> None:
    """The bound from above is attained by five vectors: no proper part adds up to zero."""
    groups = the_groups_of(margins(3, 3))
    assert len(groups.members) == 19_375
    assert groups.most(np.ones(len(margins(3, 3)), dtype=np.int64)) == 15
    five = np.array([[0, 1, -1, 1], [-1, 0, 1, 0], [0, -1, -1, 0], [1, -1, 0, 1], [1, 0, 0, -1]])
    whole = (3, 5, 2, 1, 4)
    parts = np.array(list(itertools.product(*(range(n + 1) for n in whole))))
    keeps = parts[~(parts @ five).any(axis=1)]
    assert keeps.tolist() == [[0] * 5, list(whole)]
    assert sum(whole) == 15


@pytest.mark.parametrize("largest", range(1, 8))
def test_whole_numbers_from_minus_l_to_l(largest: int) -> None:
    """At most 2l − 1 of them are a minimal multiset of sum 0, or 2."""
    numbers = np.array([c for c in range(-largest, largest + 1) if c])[:, None]
    ones = np.ones(len(numbers), dtype=np.int64)
    assert the_groups_of(numbers).most(ones) == max(2, 2 * largest - 1)


@pytest.mark.parametrize("seed", range(30))
def test_groups_are_all_that_the_definition_says(seed: int) -> None:
    """Up to a length: no proper part of a group adds up to zero but for its label."""
    vectors = some_vectors(seed)[:6]
    groups = Groups.of(vectors)
    if groups is None:
        return
    told = module._told_by_fewest(vectors)
    rest, labels = told[:, :-1], told[:, -1]
    found: set[tuple[int, ...]] = set()
    for size in range(1, 6):
        for some in itertools.combinations_with_replacement(range(len(vectors)), size):
            parts = itertools.chain.from_iterable(
                itertools.combinations(some, n) for n in range(1, size)
            )
            if not rest[list(some)].sum(axis=0).any() and all(
                rest[list(part)].sum(axis=0).any() for part in parts
            ):
                found.add(some)
    rows = [tuple(sorted(i for i in row if i < len(vectors))) for row in groups.members.tolist()]
    assert len(set(rows)) == len(rows)
    assert {row for row in rows if len(row) <= 5} == found
    for row, label in zip(rows, groups.labels.tolist(), strict=True):
        assert labels[list(row)].sum() == label


def best_ways(kind: tuple[int, ...], rest: np.ndarray, labels: np.ndarray) -> list[Any]:
    """All ways of a kind into groups that have the most groups, and then the least squares."""

    def ways(left: tuple[int, ...]) -> list[list[tuple[int, ...]]]:
        if not left:
            return [[]]
        found = []
        for size in range(len(left)):
            for others in {*itertools.combinations(left[1:], size)}:
                group = (left[0], *others)
                if not rest[list(group)].sum(axis=0).any():
                    onward = list(left[1:])
                    for i in others:
                        onward.remove(i)
                    found += [[group, *way] for way in ways(tuple(onward))]
        return found

    def rank(way: list[tuple[int, ...]]) -> tuple[int, int]:
        return -len(way), sum(int(labels[list(group)].sum()) ** 2 for group in way)

    every = ways(kind)
    return [way for way in every if rank(way) == min(map(rank, every))]


@pytest.mark.parametrize("seed", range(2, 60, 4))
def test_a_kind_is_bounded_by_pairs_of_its_own_groups(seed: int) -> None:
    """The statement itself, by another way: every way of a kind into groups is gone through."""
    vectors = some_vectors(seed)
    kinds = listed(vectors)
    if kinds is None:
        return
    rest, labels = vectors[:, :-1], vectors[:, -1]
    for row in kinds[kinds.sum(axis=1) <= 8]:
        kind = tuple(np.repeat(np.arange(len(row)), row).tolist())
        way = best_ways(kind, rest, labels)[0]
        sums = [(int(labels[list(group)].sum()), len(group)) for group in way]
        if len(way) == 1:
            assert sums == [(0, len(kind))]
            continue
        pairs = [
            a + b if p == -q else -q * a + p * b
            for (p, a), (q, b) in itertools.product(sums, repeat=2)
            if p > 0 > q
        ]
        assert len(kind) <= max(pairs)
        for first, second in itertools.product(way, repeat=2):
            apart = int(labels[list(first)].sum() - labels[list(second)].sum())
            for n, m in itertools.product(range(1, len(first)), range(1, len(second))):
                for a in itertools.combinations(first, n):
                    for b in itertools.combinations(second, m):
                        if (rest[list(a)].sum(axis=0) == rest[list(b)].sum(axis=0)).all() and rest[
                            list(a)
                        ].sum(axis=0).any():
                            nearer = int(labels[list(a)].sum() - labels[list(b)].sum())
                            assert not 0 < nearer < apart


def test_vectors_to_one_side_have_no_kind() -> None:
    groups = the_groups_of(np.array([[1, 0], [1, 1], [1, 2]]))
    assert not len(groups.members)
    assert groups.most(np.array([1, 1, 1])) == 0
    assert groups.most(np.array([1, 1, 1]), 7) == 7


def test_a_vector_and_its_opposite() -> None:
    assert the_groups_of(np.array([[2, -1, 0], [-2, 1, 0]])).most(np.array([1, 1])) == 2


def test_what_is_too_many_is_no_group(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Groups.of(np.zeros((0, 3), dtype=np.int64)) is None
    assert Groups.of(margins(4, 4)) is None
    monkeypatch.setattr(module, "MOST_GROUPS", 10)
    assert Groups.of(margins(2, 3)) is None


@pytest.mark.parametrize("limit", ["MOST_TRIED", "MOST_ENTRIES"])
def test_what_is_not_compared_makes_the_bound_no_smaller(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(40):
        vectors = some_vectors(seed)
        kinds = listed(vectors)
        if kinds is None:
            continue
        with monkeypatch.context() as patch:
            patch.setattr(module, limit, 0)
            groups = Groups.of(vectors)
            if groups is not None:
                ones = np.ones(len(vectors), dtype=np.int64)
                assert groups.most(ones) >= kinds.sum(axis=1).max(initial=0)
