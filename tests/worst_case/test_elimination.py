"""Matrices of the pattern of a graph are solved as if each were written out."""

import numpy as np
import pytest

from leaktight.policies.graph import Graph
from leaktight.worst_case.columns.elimination import Dissection, Factors, inverted
from leaktight.worst_case.columns.pricing import Floats


def grid(rows: int, columns: int) -> Graph:
    at = np.arange(rows * columns).reshape(rows, columns)
    pairs = [(at[:, :-1], at[:, 1:]), (at[:-1], at[1:])]
    edges = [np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs]
    return Graph.from_indices(at.size, np.concatenate(edges))


def random_tree(order: int) -> Graph:
    rng = np.random.default_rng(order)
    return Graph.from_indices(order, np.array([(rng.integers(i), i) for i in range(1, order)]))


PATH = Graph(70, [(i, i + 1) for i in range(69)])
DENSE = Graph(90, [(i, j) for i in range(90) for j in range(i) if (i * j) % 7 != 3])
STAR = Graph(80, [(0, i) for i in range(1, 80)])
GRAPHS = [Graph(2, [(0, 1)]), PATH, DENSE, STAR, grid(9, 13), random_tree(120)]
DIVIDED = [PATH, grid(9, 13), random_tree(120)]


def matrices(graph: Graph, count: int) -> tuple[Floats, Floats, Floats]:
    """Positive definite ones of very different sizes: on the diagonal, across, and written out."""
    rng = np.random.default_rng(graph.order)
    across = np.tile(rng.uniform(-1, 1, (graph.size, count)), (2, 1))
    tails, heads = graph.arcs.T
    whole = np.zeros((count, graph.order, graph.order))
    whole[:, tails, heads] = across.T
    diagonal = np.abs(whole).sum(axis=2) + rng.uniform(0.1, 1, (count, graph.order))
    whole[:, np.arange(graph.order), np.arange(graph.order)] = diagonal
    unit = 10.0 ** rng.uniform(-3, 3, (count, graph.order))
    whole *= unit[:, :, None] * unit[:, None, :]
    return diagonal * unit**2, across * (unit[:, tails] * unit[:, heads]).T, whole


@pytest.mark.parametrize("graph", GRAPHS)
def test_factors_solve_and_sum_as_the_matrices_do(graph: Graph) -> None:
    diagonal, across, whole = matrices(graph, 4)
    factors = Factors(Dissection(graph, *graph.arcs.T), diagonal, across)
    right = np.random.default_rng(1).normal(size=diagonal.shape)
    expected = np.linalg.solve(whole, right[:, :, None])[:, :, 0]
    assert factors.solved(right) == pytest.approx(expected, rel=1e-5)
    assert factors.sum_of_inverses() == pytest.approx(np.linalg.inv(whole).sum(axis=0), rel=1e-5)


@pytest.mark.parametrize("graph", GRAPHS)
def test_what_is_eliminated_later_is_all_that_a_group_is_joined_to(graph: Graph) -> None:
    way = Dissection(graph, *graph.arcs.T)
    assert sorted(way.vertices.tolist()) == list(range(graph.order))
    place, joined = np.argsort(way.vertices), graph.distances == 1
    for group in way.groups:
        start = way.groups[group.first].start
        below = way.vertices[start : group.end]
        outside = np.setdiff1d(np.flatnonzero(joined[below].any(axis=0)), below)
        assert np.array_equal(np.sort(place[outside]), group.later)
        assert (group.later >= group.end).all()


@pytest.mark.parametrize("graph", DIVIDED)
def test_a_graph_with_small_layers_is_divided(graph: Graph) -> None:
    way = Dissection(graph, *graph.arcs.T)
    assert len(way.groups) > 2
    assert way.entries < graph.order**2


def test_a_matrix_that_is_not_positive_definite_is_refused() -> None:
    way = Dissection(Graph(2, [(0, 1)]), np.array([0, 1]), np.array([1, 0]))
    with pytest.raises(np.linalg.LinAlgError):
        Factors(way, np.array([[1.0, 0.0]]), np.array([[0.0], [0.0]]))


@pytest.mark.parametrize("order", [1, 5, 48, 49, 130])
def test_inverses_are_inverse(order: int) -> None:
    root = np.random.default_rng(order).normal(size=(3, order, order))
    product = inverted(root @ root.transpose(0, 2, 1) + np.eye(order))
    assert np.allclose(product @ (root @ root.transpose(0, 2, 1) + np.eye(order)), np.eye(order))
