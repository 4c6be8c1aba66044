"""Minimal differences against Definition 2 to the letter."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.errors import TooLarge
from leaktight.policies.constraint import CountedDatabases
from leaktight.policies.difference import (
    Differences,
    Listing,
    check_size,
    minimal,
    minimal_differences,
)
from leaktight.policies.graph import Graph, Indices
from leaktight.policies.secrets import SecretGraph
from tests.second_routes.definition2 import minimal_from, minimally_secretly_different
from tests.strategies.graphs import secret_graphs


def pairs(databases: list[tuple[int, ...]], secrets: Graph) -> set[tuple[int, int]]:
    found = minimal_differences(np.array(databases), secrets).pairs.tolist()
    assert len(found) == len({(i, j) for i, j in found})
    return {(i, j) for i, j in found}


def by_name(databases: list[tuple[int, ...]], secrets: Graph) -> set[tuple[int, int]]:
    named = [tuple(secrets.vertices[v] for v in database) for database in databases]
    return minimally_secretly_different(named, secrets)


@settings(max_examples=300)
@given(secret_graphs(most=4), st.integers(1, 4), st.data())
def test_any_list_of_databases_has_the_pairs_of_the_definition(
    secrets: SecretGraph, records: int, data: st.DataObject
) -> None:
    row = st.tuples(*[st.integers(0, secrets.order - 1)] * records)
    databases = data.draw(st.lists(row, min_size=1, max_size=24, unique=True))
    assert pairs(databases, secrets) == by_name(databases, secrets)


@settings(max_examples=50)
@given(secret_graphs(least=2, most=4), st.data())
def test_lists_closed_under_exchanging_records_have_the_pairs_of_the_definition(
    secrets: SecretGraph, data: st.DataObject
) -> None:
    multisets = list(itertools.combinations_with_replacement(range(secrets.order), 3))
    chosen = data.draw(st.lists(st.sampled_from(multisets), min_size=1, max_size=6, unique=True))
    fixed = data.draw(st.lists(st.integers(0, secrets.order - 1), max_size=1))
    databases = [
        (*row, *fixed) for multiset in chosen for row in set(itertools.permutations(multiset))
    ]
    assert pairs(databases, secrets) == by_name(databases, secrets)


def test_databases_with_more_values_than_fit_in_a_word_have_the_pairs_of_the_definition() -> None:
    rng = np.random.default_rng(7)
    for secrets in (SecretGraph.complete(30), SecretGraph.line(30), SecretGraph.threshold(30, 12)):
        # Few columns differ, so that some differences are part of others.
        rows = {tuple(np.where(rng.random(6) < 0.5, 0, rng.integers(0, 30, 6))) for _ in range(40)}
        databases = [tuple(map(int, row)) for row in sorted(rows)]
        assert pairs(databases, secrets) == by_name(databases, secrets)


@given(st.lists(st.frozensets(st.integers(0, 9), min_size=1), min_size=1, max_size=40))
def test_minimal_sets_have_no_proper_part_among_the_sets(sets: list[frozenset[int]]) -> None:
    # Each set twice over two words, so that both words matter.
    words = [[sum(1 << i for i in s if i < 5), sum(1 << i for i in s if i >= 5)] for s in sets]
    expected = [not any(other < s for other in sets) for s in sets]
    assert minimal(np.array(words, dtype=np.uint64)).tolist() == expected


def test_exchangeable_records_are_found() -> None:
    # Records 0 and 2 are alike, 1 is not: the second record is never 1.
    rows = np.array([(a, b, c) for a in (0, 1) for b in (0, 2) for c in (0, 1)])
    order, alike = Listing.of(rows).rearrangements()
    assert sorted(np.bincount(alike)) == [1, 1, 1, 1, 2, 2]
    assert (np.sort(order, axis=1) == np.arange(3)).all()


def test_records_that_only_rotate_are_not_exchanged() -> None:
    rows = np.array([(0, 1, 2), (1, 2, 0), (2, 0, 1)])
    _, alike = Listing.of(rows).rearrangements()
    assert len(set(alike.tolist())) == 3


def test_either_way_joins_each_pair_once_and_keeps_what_holds_one_way() -> None:
    pairs = np.array([[3, 0], [0, 1], [2, 1], [1, 0]])
    joined, one_way = Differences(pairs, np.arange(4)).either_way()
    assert joined.tolist() == [[0, 1], [0, 3], [1, 2]]
    assert one_way.tolist() == [[2, 1], [3, 0]]
    joined, one_way = Differences(np.empty((0, 2), dtype=np.int64), np.arange(4)).either_way()
    assert joined.shape == one_way.shape == (0, 2)


def histogram(*times: int) -> Indices:
    counts = [({value}, k, k) for value, k in enumerate(times)]
    rows = CountedDatabases([tuple(range(len(times)))] * sum(times), counts).rows()
    return rows.astype(np.int64)


def test_sixteen_records_with_eight_positive_are_joined_by_one_swap() -> None:
    """The Johnson graph J(16, 8), in 20 s and 2 GB (here in a fraction of that)."""
    rows = histogram(8, 8)
    assert len(rows) == math.comb(16, 8) == 12_870
    tracemalloc.start()
    found = minimal_differences(rows, SecretGraph.complete(2)).pairs
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2e9
    assert len(found) == 12_870 * 8 * 8
    assert ((rows[found[:, 0]] != rows[found[:, 1]]).sum(axis=1) == 2).all()


def test_a_public_histogram_of_four_values_has_the_cyclic_moves_as_neighbours() -> None:
    """10 records with the histogram 3, 3, 2, 2: 25,200 databases.

    If all values are joined, the secret changes are the changes, and a set of changes that keeps
    the histogram is minimal exactly if it moves the values of k records round a cycle of k
    different values: for each set of values, (k − 1)! cycles times the product of their counts.

    On the line 0-1-2-3, a cycle with one secret step that returns by steps that are not secret
    has a single secret change: 0→1→3→0, 2→3→0→2 and 1→2→0→3→1, and each of them backwards. Every
    secret step of a record is in one, so there are no other minimal secret changes, and the way
    back without a secret step is the only one.
    """
    rows = histogram(3, 3, 2, 2)
    assert len(rows) == 25_200
    times = (3, 3, 2, 2)
    cyclic = sum(
        math.factorial(k - 1) * math.prod(chosen)
        for k in (2, 3, 4)
        for chosen in itertools.combinations(times, k)
    )
    complete = minimal_differences(rows, SecretGraph.complete(4)).pairs
    line = minimal_differences(rows, SecretGraph.line(4)).pairs
    assert len(complete) == 25_200 * cyclic
    n0, n1, n2, n3 = times
    assert len(line) == 25_200 * 2 * (n0 * n1 * n3 + n2 * n3 * n0 + n0 * n1 * n2 * n3)


def test_neighbours_carried_over_by_rearranging_follow_the_definition() -> None:
    rows = histogram(2, 2, 2, 1)
    databases = [tuple(row) for row in rows.tolist()]
    for secrets in (SecretGraph.complete(4), SecretGraph.line(4), SecretGraph.cycle(4)):
        found = minimal_differences(rows, secrets).pairs
        for start in (0, 123, 629):
            reached = set(found[found[:, 0] == start, 1].tolist())
            assert reached == minimal_from(databases[start], databases, secrets)


def test_too_many_databases_are_refused_before_they_are_compared() -> None:
    check_size(12_870, 16, 2)
    with pytest.raises(TooLarge, match="499,500 databases of 1,000 records"):
        check_size(499_500, 1000, 2)
    with pytest.raises(TooLarge, match=r"about 10\^30 databases"):
        check_size(10**30, 100, 2)
