"""Interior points come near the optimum of the direct program, and their columns come apart."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog, nnls

from leaktight.policies.graph import Graph
from leaktight.worst_case.columns.interior import Arcs, interior_point, taken_apart
from leaktight.worst_case.columns.pricing import Floats

GRID = Graph(9, [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), *((i, i + 3) for i in range(6))])
CYCLE = Graph(7, [(i, (i + 1) % 7) for i in range(7)])
TREE = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
COMPLETE = Graph(5, list(itertools.combinations(range(5), 2)))


def direct(graph: Graph, earned: Floats, ratio: float) -> float:
    """What the best private channel earns, by the program over all its entries."""
    guesses, n = earned.shape
    arcs = [*graph.edges.tolist(), *graph.edges[:, ::-1].tolist()]
    private = np.zeros((len(arcs) * guesses, guesses * n))
    for row, ((i, h), w) in enumerate(itertools.product(arcs, range(guesses))):
        private[row, w * n + i], private[row, w * n + h] = 1, -ratio
    sums = np.tile(np.eye(n), guesses)
    found = linprog(-earned.ravel(), private, np.zeros(len(private)), sums, np.ones(n))
    assert found.fun is not None
    return -float(found.fun)


@pytest.mark.parametrize("graph", [GRID, CYCLE, TREE, COMPLETE])
@pytest.mark.parametrize("ratio", [1.01, 1.5, 4.0])
@pytest.mark.parametrize("guesses", [3, 9])
def test_the_columns_and_the_prices_are_near_the_optimum(
    graph: Graph, ratio: float, guesses: int
) -> None:
    earned = np.random.default_rng(guesses).uniform(-1, 1, size=(guesses, graph.order))
    columns, prices = interior_point(Arcs(graph, ratio), earned, np.arange(graph.order))
    best = direct(graph, earned, ratio)
    assert columns.sum(axis=0) == pytest.approx(np.ones(graph.order), abs=2.0**-20)
    i, h = np.concatenate([graph.edges, graph.edges[:, ::-1]]).T
    assert (columns[:, i] < ratio * columns[:, h] + 2.0**-20).all()
    assert (earned * columns).sum() == pytest.approx(best, abs=2.0**-12)
    assert prices.sum() == pytest.approx(best, abs=2.0**-12)


def test_prices_of_orbits_are_those_of_their_inputs() -> None:
    earned = np.eye(7)
    arcs = Arcs(CYCLE, 2.0)
    _, each = interior_point(arcs, earned, np.arange(7))
    columns, alike = interior_point(arcs, earned[:1], np.zeros(7, dtype=np.intp))
    assert columns.sum() == pytest.approx(7)
    assert each == pytest.approx(np.repeat(alike, 7), abs=2.0**-20)


@pytest.mark.parametrize("graph", [GRID, TREE])
def test_a_private_column_is_a_sum_of_its_parts(graph: Graph) -> None:
    rng = np.random.default_rng(3)
    i, h = graph.edges.T
    for _ in range(20):
        weights = rng.uniform(0.1, 1, size=3)
        column = weights @ np.power(1.5, -graph.distances[rng.choice(graph.order, 3)].astype(float))
        parts = taken_apart(column[None], 1.5)
        assert (np.abs(parts[:, i] - parts[:, h]) <= 1).all()
        assert (parts.min(axis=1) == 0).all()
        _, left = nnls(np.power(1.5, -parts.T), column)
        assert left < 2.0**-8


def test_guesses_that_are_hardly_used_are_left_alone() -> None:
    columns = np.array([[1.0, 0.5], [2.0**-20, 2.0**-20]])
    assert taken_apart(columns, 2.0).tolist() == [[0, 1]]
