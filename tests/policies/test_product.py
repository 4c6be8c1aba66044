"""Factors of a graph: what is found is a product, and products are found."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.policies.graph import Graph, product_edges, product_factors
from leaktight.policies.graph.product import MOST_WEDGES
from leaktight.policies.secrets import SecretGraph
from tests.strategies.graphs import secret_graphs
from tests.strategies.named_graphs import complete, cycle, path, star

connected = secret_graphs(least=2, most=6).filter(lambda graph: graph.is_connected)


def shuffled(graphs: list[Graph], seed: int) -> Graph:
    """The product of graphs, its vertices in any order."""
    edges = product_edges(graphs)
    order = int(np.prod([graph.order for graph in graphs]))
    return Graph.from_indices(order, np.random.default_rng(seed).permutation(order)[edges])


def check_product(graph: Graph) -> list[Graph]:
    """See that vertices are joined exactly if one place of theirs is; return the factors."""
    found = product_factors(graph)
    joined = {
        (i, j)
        for i, j in itertools.combinations(range(graph.order), 2)
        if sorted(_step(factor, places[i], places[j]) for factor, places in found)
        == [0] * (len(found) - 1) + [1]
    }
    assert joined == set(map(tuple, graph.edges.tolist()))
    return [factor for factor, _ in found]


def _step(factor: Graph, a: int, b: int) -> int | float:
    return min(2, factor.distance(int(a), int(b)))


@given(st.lists(connected, min_size=1, max_size=3), st.integers(0, 2**32))
def test_what_is_found_is_the_product_and_the_graph(graphs: list[Graph], seed: int) -> None:
    check_product(shuffled(graphs, seed))


@pytest.mark.parametrize(
    ("graphs", "orders"),
    [
        ([path(4), path(5)], [4, 5]),
        ([path(2), path(3), path(4)], [2, 3, 4]),
        ([complete(4), cycle(5)], [4, 5]),
        ([cycle(4)], [2, 2]),
        ([cycle(6), star(3)], [4, 6]),
        ([path(2)] * 5, [2] * 5),
        ([complete(5)], [5]),
        ([star(4)], [5]),
        ([cycle(7)], [7]),
        ([path(1)], [1]),
    ],
)
def test_products_of_graphs_that_are_none_are_found(graphs: list[Graph], orders: list[int]) -> None:
    factors = check_product(shuffled(graphs, seed=1))
    assert sorted(factor.order for factor in factors) == orders


def test_graphs_that_are_nearly_products_are_none() -> None:
    grid = shuffled([path(4), path(4)], seed=2)
    for edge in range(grid.size):
        less = Graph.from_indices(grid.order, np.delete(grid.edges, edge, axis=0))
        assert [factor.order for factor in check_product(less)] == [16]
    more = Graph.from_indices(16, np.vstack([grid.edges, [0, 1], [0, 2], [1, 3]]))
    check_product(more)


def test_a_grid_of_ten_thousand_points_and_a_graph_with_too_many_edges() -> None:
    orders = [factor.order for factor, _ in product_factors(SecretGraph.grid(50, 200))]
    assert sorted(orders) == [50, 200]
    rook = SecretGraph.product(SecretGraph.complete(60), SecretGraph.complete(60))
    assert (rook.degrees * (rook.degrees - 1) // 2).sum() > MOST_WEDGES
    assert len(product_factors(rook)) == 1
