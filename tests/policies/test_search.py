"""Searches of small graphs, by what networkx, igraph and scipy say."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.policies.graph import Graph, all_distances, linked, shortest
from leaktight.policies.graph.search import forest_distances
from tests.strategies.graphs import secret_graphs


@given(st.integers(1, 12), st.data())
def test_linked_points_are_numbered_as_scipy_does(count: int, data: st.DataObject) -> None:
    pairs = st.lists(st.tuples(*[st.integers(0, count - 1)] * 2), max_size=15)
    links = np.array(data.draw(pairs), dtype=np.int64).reshape(-1, 2).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leaktight.policies.graph.search.FEW_LINKS", 0)
        by_scipy = linked(count, *links)
    assert linked(count, *links).tolist() == by_scipy.tolist()


@given(secret_graphs(most=8))
def test_blocks_are_those_of_networkx(graph: Graph) -> None:
    found = sorted(sorted(block) for block in nx.biconnected_components(graph.to_networkx()))
    index = graph.index
    assert sorted(block.tolist() for block in graph.blocks()) == [
        sorted(map(index, block)) for block in sorted(found, key=lambda b: sorted(map(index, b)))
    ]


def test_blocks_of_a_long_cycle_need_no_deep_stack() -> None:
    ring = Graph.from_indices(5000, [(i, (i + 1) % 5000) for i in range(5000)])
    assert [len(block) for block in ring.blocks()] == [5000]


@given(secret_graphs(most=8))
def test_what_a_small_graph_says_a_large_one_says_too(graph: Graph) -> None:
    again = Graph.from_indices(graph.vertices, graph.edges)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leaktight.policies.graph.graph.FEW", 0)
        assert again.distances.tolist() == graph.distances.tolist()
        assert again.eccentricities.tolist() == graph.eccentricities.tolist()
        ends = [0, graph.order - 1]
        of_large = again._steps_from(ends)
    assert of_large.tolist() == graph._steps_from(ends).tolist()


@given(secret_graphs(most=8), st.data())
def test_distances_along_lengths_are_those_of_igraph(graph: Graph, data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(0, 9), min_size=graph.size, max_size=graph.size))
    theirs = np.array(graph.bare_igraph.distances(weights=lengths))
    long = np.array(lengths, dtype=np.int64)
    ours = all_distances(graph.order, graph.edges, long)
    assert np.where(ours < 0, np.inf, ours).tolist() == theirs.tolist()
    empty = np.full(ours.shape, np.inf)
    assert shortest(empty, graph.edges, long.astype(float)).tolist() == theirs.tolist()


@given(st.integers(1, 40), st.data())
def test_distances_without_cycles_are_those_of_every_detour(
    order: int, data: st.DataObject
) -> None:
    above = [data.draw(st.integers(-1, i - 1)) for i in range(1, order)]  # −1: another tree
    named = data.draw(st.permutations(range(order)))
    edges = [(named[i], named[up]) for i, up in enumerate(above, 1) if up >= 0]
    graph = Graph.from_indices(order, edges)
    around = [[int(v) for v in np.flatnonzero(row == 1)] for row in graph.distances]
    assert forest_distances(around).tolist() == graph.distances.tolist()
    again = Graph.from_indices(order, edges)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leaktight.policies.graph.graph.FEW", 0)
        assert again.distances.tolist() == graph.distances.tolist()
        assert again.eccentricities.tolist() == graph.eccentricities.tolist()
