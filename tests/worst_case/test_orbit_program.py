from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from leaktight.check import check
from leaktight.errors import TooLarge
from leaktight.leakage.capacity import min_capacity
from leaktight.policies.graph import Graph
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.columns import column_optimum
from leaktight.worst_case.optimum import worst_case_leakage
from leaktight.worst_case.orbit_program import orbit_optimum


def spider(legs: int, length: int) -> Graph:
    """A centre with so many paths of this length."""
    ends = [(0, 1 + i * length) for i in range(legs)]
    steps = [
        (1 + i * length + j, 2 + i * length + j) for i in range(legs) for j in range(length - 1)
    ]
    return Graph(1 + legs * length, ends + steps)


@pytest.mark.parametrize("ratio", [Fraction(11, 10), Fraction(2), Fraction(9)])
@pytest.mark.parametrize(
    "graph",
    [
        *(spider(legs, length) for legs, length in ((3, 2), (6, 2), (5, 3), (4, 4))),
        *(Graph.from_networkx(nx.balanced_tree(k, 2)) for k in (2, 3)),
        Graph.from_networkx(nx.lollipop_graph(5, 3)),
        Graph.from_networkx(nx.complete_bipartite_graph(2, 6)),
        SecretGraph.cycle(7),
    ],
)
def test_columns_and_orbits_find_the_same(graph: Graph, ratio: Fraction) -> None:
    best = orbit_optimum(graph, ratio)
    assert best.value == column_optimum(graph, ratio).value
    channel = best.channel()
    assert min_capacity(channel).factor == best.value
    assert privacy_level(channel, graph).ratio <= ratio
    assert Fraction(str(best.dual.sum())) == best.value


def test_without_symmetry_it_is_the_plain_program() -> None:
    for graph in map(Graph.from_networkx, nx.graph_atlas_g()[1:53]):
        if graph.is_connected and graph.order > 1:
            assert (
                orbit_optimum(graph, Fraction(3)).value == column_optimum(graph, Fraction(3)).value
            )


def test_a_large_symmetric_graph_is_settled_exactly() -> None:
    worst = worst_case_leakage(spider(100, 2), ratio=2)
    assert worst.route == "orbits"
    assert worst.upper == 4  # the radius bound λ²
    assert check(worst.certificate) == [(1, Fraction(4), Fraction(4))]


def test_a_graph_with_too_many_orbits_is_left_to_others() -> None:
    rng = np.random.default_rng(3)
    tree = Graph(30, [(i, int(rng.integers(i))) for i in range(1, 30)])
    with pytest.raises(TooLarge, match="orbits of pairs"):
        orbit_optimum(tree, Fraction(2))
    assert worst_case_leakage(tree, ratio=2).route in ("columns", "weighting")
