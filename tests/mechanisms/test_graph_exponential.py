from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidGraph, Mismatch
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.graph_exponential import GraphExponential, NormalisedExponential
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.optimum import worst_case_leakage
from tests.mechanisms.promises import RATIOS, kept_promise
from tests.strategies.graphs import secret_graphs
from tests.strategies.named_graphs import (
    complete,
    cube,
    cycle,
    disjoint,
    path,
    petersen,
    prism,
    star,
)

REGULAR = st.sampled_from(
    [Graph(1), Graph(3), complete(4), cycle(5), cycle(6), cube(3), petersen(), prism(),
     disjoint(complete(2), complete(2))]
)  # fmt: skip


# --- the same view from every vertex -------------------------------------------------------


@given(REGULAR, RATIOS)
@settings(max_examples=40)
def test_it_is_as_private_as_asked_and_leaks_most(graph: Graph, ratio: Fraction) -> None:
    mechanism = GraphExponential(graph, ratio=ratio)
    level = kept_promise(mechanism, ratio)
    assert level == (ratio if graph.size else 1)
    assert min_capacity(mechanism.channel).factor == worst_case_leakage(graph, ratio=ratio).upper


@given(secret_graphs(), RATIOS)
@settings(max_examples=60)
def test_it_is_made_exactly_where_the_rows_have_one_sum(graph: Graph, ratio: Fraction) -> None:
    sums = {sum(1 / ratio ** int(d) for d in row if d >= 0) for row in graph.distances.tolist()}
    if len(sums) == 1:
        assert kept_promise(GraphExponential(graph, ratio=ratio), ratio) <= ratio
    else:
        with pytest.raises(InvalidGraph, match=r"same from every vertex, .* TightConstraints"):
            GraphExponential(graph, ratio=ratio)


@given(secret_graphs(least=2), RATIOS)
@settings(max_examples=40)
def test_artificial_edges_keep_the_promise(graph: SecretGraph, ratio: Fraction) -> None:
    full = SecretGraph.complete(graph.vertices)
    mechanism = GraphExponential(graph, ratio=ratio, on=full)
    assert mechanism.channel == RandomizedResponse(graph.vertices, ratio=ratio).channel
    assert kept_promise(mechanism, ratio) == (ratio if graph.size else 1)


def test_the_other_graph_must_be_richer() -> None:
    with pytest.raises(InvalidGraph, match=r"all edges of the other, got none from 0 to 4"):
        GraphExponential(cycle(5), ratio=2, on=path(5))
    with pytest.raises(Mismatch, match=r"5 is only in one"):
        GraphExponential(path(5), ratio=2, on=cycle(6))


def test_the_other_graph_may_list_its_vertices_in_another_order() -> None:
    ring = SecretGraph.cycle([3, 0, 1, 2])
    kept_promise(GraphExponential(path(4), ratio=2, on=ring), Fraction(2))
    with pytest.raises(InvalidGraph, match=r"got none from 0 to 1"):
        GraphExponential(path(4), ratio=2, on=SecretGraph.cycle([0, 2, 1, 3]))


def test_at_ratio_1_every_connected_graph_will_do() -> None:
    even = GraphExponential(star(3), epsilon=0).channel
    assert even == Channel([["1/4"] * 4] * 4)


def test_a_policy_of_records_is_randomised_response() -> None:
    policy = Policy(SecretGraph.complete(["a", "b", "c"]), records=2)
    alike = RandomizedResponse(["a", "b", "c"], ratio=3, records=2)
    assert GraphExponential(policy, ratio=3).channel == alike.channel


# --- rows divided by their sums ------------------------------------------------------------


@given(secret_graphs(), RATIOS)
@settings(max_examples=60)
def test_the_guarantee_of_normalised_rows_is_what_they_have(graph: Graph, ratio: Fraction) -> None:
    mechanism = NormalisedExponential(graph, ratio=ratio)
    level = kept_promise(mechanism, ratio**2)
    assert level == mechanism.guarantee.ratio
    assert level == 1 or ratio <= level


@given(st.integers(3, 8), RATIOS)
def test_on_a_regular_graph_nothing_is_lost(n: int, ratio: Fraction) -> None:
    ring = cycle(n)
    assert NormalisedExponential(ring, ratio=ratio).channel == (
        GraphExponential(ring, ratio=ratio).channel
    )


def test_names() -> None:
    assert GraphExponential(complete(1), ratio=2).name == "graph exponential on 1 vertex"
    assert NormalisedExponential(path(3), ratio=2).name == "normalised exponential on 3 vertices"
    assert privacy_level(NormalisedExponential(path(3), epsilon=1).channel, path(3)).ratio > 2
