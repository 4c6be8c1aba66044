from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidGraph, TooLarge
from leaktight.exact.numbers import fraction
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.geometric import TruncatedGeometric
from leaktight.mechanisms.graph_exponential import GraphExponential, TightConstraints
from leaktight.policies.graph import Graph
from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case.columns import decay
from leaktight.worst_case.optimum import worst_case_leakage
from tests.mechanisms.promises import RATIOS, kept_promise
from tests.strategies.graphs import secret_graphs
from tests.strategies.named_graphs import cycle, petersen

ABOVE_1 = RATIOS.filter(lambda ratio: ratio > 1)


def solved(graph: Graph, ratio: Fraction) -> list[Fraction] | None:
    """The weighting from all equations, without symmetry; None if it is not unique."""
    n = graph.order
    try:
        found = fmpq_mat(n, n, decay(graph, ratio).ravel().tolist()).solve(fmpq_mat(n, 1, [1] * n))
    except ZeroDivisionError:
        return None
    return [fraction(weight) for weight in found.entries()]


@given(secret_graphs(most=6), ABOVE_1)
@settings(max_examples=60)
def test_it_is_made_where_the_weighting_is_not_negative(graph: Graph, ratio: Fraction) -> None:
    weights = solved(graph, ratio)
    if weights is None:
        return
    if min(weights) < 0:
        with pytest.raises(InvalidGraph, match=r"must not be negative.*worst_case_leakage"):
            TightConstraints(graph, ratio=ratio)
        return
    mechanism = TightConstraints(graph, ratio=ratio)
    assert [fraction(weight) for weight in mechanism.weights] == weights
    level = kept_promise(mechanism, ratio)
    assert level == (ratio if graph.size else 1)
    assert min_capacity(mechanism.channel).factor == worst_case_leakage(graph, ratio=ratio).upper


@given(st.integers(1, 7), ABOVE_1)
@settings(max_examples=30)
def test_on_a_line_it_is_the_truncated_geometric(n: int, ratio: Fraction) -> None:
    line = TruncatedGeometric(n, ratio=ratio)
    assert TightConstraints(SecretGraph.line(n), ratio=ratio).channel == line.channel


@pytest.mark.parametrize("graph", [cycle(6), cycle(7), petersen()])
def test_on_regular_graphs_it_is_the_graph_exponential(graph: Graph) -> None:
    alike = GraphExponential(graph, ratio="3/2").channel
    assert TightConstraints(graph, ratio="3/2").channel == alike


def test_it_says_why_there_is_none_and_where() -> None:
    tree = Graph(list("abcdef"), [("a", "b"), ("b", "c"), ("b", "e"), ("b", "f"), ("c", "d")])
    with pytest.raises(InvalidGraph, match=r"got -1/3 at 'b'; worst_case_leakage"):
        TightConstraints(tree, ratio=2)
    bipartite = Graph(7, [(i, j) for i in range(2) for j in range(2, 7)])
    assert solved(bipartite, Fraction(2)) is None
    with pytest.raises(InvalidGraph, match=r"must be unique, .* at ratio 2; worst_case_leakage"):
        TightConstraints(bipartite, ratio=2)
    with pytest.raises(InvalidGraph, match=r"must be unique, .* at ratio 1; worst_case_leakage"):
        TightConstraints(Graph(4, [(0, 1), (1, 2)]), ratio=1)
    with pytest.raises(TooLarge, match=r"200 kinds of vertices"):
        TightConstraints(SecretGraph.line(400), ratio=2)


def test_at_ratio_1_a_connected_graph_gets_even_weights() -> None:
    assert TightConstraints(SecretGraph.line(4), epsilon=0).channel == Channel([["1/4"] * 4] * 4)


def test_a_zero_weight_is_an_output_that_never_occurs() -> None:
    star = Graph(5, [(0, leaf) for leaf in range(1, 5)])
    mechanism = TightConstraints(star, ratio=3)
    assert mechanism.weights[0] == 0
    assert not np.any(mechanism.channel.matrix[:, 0])
    assert kept_promise(mechanism, Fraction(3)) == 3
    assert mechanism.name == "tight constraints on 5 vertices"
    assert mechanism == TightConstraints(star, epsilon="ln 3")
