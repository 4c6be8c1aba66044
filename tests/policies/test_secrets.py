"""Secret graphs, each constructor against a second description of it."""

import itertools
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidGraph
from leaktight.policies.graph import Graph
from leaktight.policies.secrets import SecretGraph
from tests.strategies.fractions import fractions
from tests.strategies.graphs import secret_graphs


def same(graph: Graph, peer: "nx.Graph[object]") -> bool:
    return set(graph.vertices) == set(peer.nodes) and {
        frozenset(edge) for edge in graph.edge_pairs()
    } == {frozenset(edge) for edge in peer.edges}


@pytest.mark.parametrize("n", range(1, 7))
def test_complete_line_and_cycle_are_those_of_networkx(n: int) -> None:
    assert same(SecretGraph.complete(n), nx.complete_graph(n))
    assert same(SecretGraph.line(n), nx.path_graph(n))
    if n >= 3:
        assert same(SecretGraph.cycle(n), nx.cycle_graph(n))


def test_grids_are_those_of_networkx() -> None:
    assert same(SecretGraph.grid(3, 4), nx.grid_graph((4, 3)))
    assert same(SecretGraph.grid(2, 3, 4), nx.grid_graph((4, 3, 2)))


@pytest.mark.parametrize(
    "make", [SecretGraph.complete, SecretGraph.line, SecretGraph.cycle, SecretGraph]
)
def test_constructors_take_names_arrays_and_iterators(make: Callable[..., SecretGraph]) -> None:
    names = ("x", ("tuple", 1), 3)
    assert make(names).vertices == make(iter(names)).vertices == names
    assert make(np.array([4, 5, 6])).vertices == (4, 5, 6)


@given(
    st.lists(fractions(-3, 3, max_denominator=8), min_size=1, max_size=7, unique=True),
    fractions(0, 4, max_denominator=8),
)
def test_a_threshold_joins_exactly_the_numbers_within_it(
    values: list[Fraction], distance: Fraction
) -> None:
    close = {
        frozenset((u, v))
        for u, v in itertools.combinations(values, 2)
        if 0 < abs(u - v) <= distance
    }
    for graph in (
        SecretGraph.threshold(values, distance),
        SecretGraph.threshold(values, distance, metric=lambda u, v: abs(u - v)),
        SecretGraph.threshold(
            values, distance, metric=[[abs(u - v) for v in values] for u in values]
        ),
        SecretGraph.threshold(
            values, distance, metric={(u, v): abs(u - v) for u in values for v in values}
        ),
    ):
        assert {frozenset(edge) for edge in graph.edge_pairs()} == close


def test_floats_and_decimals_count_as_the_numbers_they_print_as() -> None:
    # 0.4 − 0.3 exceeds 0.1 in binary.
    tenths = [i / 10 for i in range(11)]
    assert SecretGraph.threshold(tenths, distance=0.1).size == 10
    assert SecretGraph.threshold([Decimal("0.3"), Decimal("0.4")], Decimal("0.1")).size == 1


def test_values_that_are_not_all_numbers_are_as_far_apart_as_their_places() -> None:
    for values in (
        ["<20k", "20-40k", "40-60k", ">60k"],
        [1, 2, 3, "more"],
        [1, 2, 9, float("inf")],
    ):
        graph = SecretGraph.threshold(values, distance=2)
        assert graph.edges.tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]


def test_a_distance_table_may_be_a_pandas_table_or_list_each_pair_once() -> None:
    table = pd.DataFrame([[0, 5, 9], [5, 0, 4], [9, 4, 0]])
    assert SecretGraph.threshold(["a", "b", "c"], 5, metric=table).size == 2
    pairs = {("a", "b"): 5, ("c", "a"): 9, ("b", "c"): 4}
    assert SecretGraph.threshold(["a", "b", "c"], 5, metric=pairs).size == 2


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (lambda u, v: v - u, "symmetric"),
        (lambda u, v: 0, "positive between different values"),
        ({(1, 2): 1}, r"must have the pair \(1, 3\)"),
        ([[0, 1], [1, 0]], "each of the 3 values"),
        (lambda u, v: None, "must give a number, got None from 1 to 2"),
        (lambda u, v: "far", "must give a number, got 'far'"),
    ],
)
def test_what_is_no_metric_is_refused(metric: object, message: str) -> None:
    with pytest.raises(InvalidGraph, match=message):
        SecretGraph.threshold([1, 2, 3], 1, metric=metric)  # type: ignore[arg-type]


@pytest.mark.parametrize("distance", [-1, float("nan"), "1", True, None])
def test_a_threshold_must_be_a_number(distance: object) -> None:
    with pytest.raises(InvalidGraph, match="must be a number from 0 up"):
        SecretGraph.threshold([1, 2], distance)


def test_a_partition_is_a_union_of_cliques() -> None:
    groups = [["a"], ["b", "c", "d"], ["e", "f"]]
    graph = SecretGraph.partition(groups)
    assert graph.components == tuple(map(tuple, groups))
    assert graph.component_diameters == (0, 1, 1)
    with pytest.raises(InvalidGraph, match="'a' twice"):
        SecretGraph.partition([["a"], ["a"]])
    with pytest.raises(InvalidGraph, match="at least one vertex"):
        SecretGraph.partition([])


@given(secret_graphs(most=4), secret_graphs(most=3))
def test_a_product_joins_tuples_that_differ_in_one_attribute_along_its_edge(
    one: SecretGraph, other: SecretGraph
) -> None:
    graph = SecretGraph.product(one, other)
    for (a, x), (b, y) in itertools.combinations(
        itertools.product(one.vertices, other.vertices), 2
    ):
        joined = (a == b and other.distance(x, y) == 1) or (x == y and one.distance(a, b) == 1)
        assert (graph.distance((a, x), (b, y)) == 1) == joined


def test_an_absent_value_is_joined_to_all_or_to_those_chosen() -> None:
    line = SecretGraph.line(["low", "middle", "high"])
    assert line.with_absent("absent").neighbours("absent") == ("low", "middle", "high")
    assert line.with_absent(None, joined_to=["low"]).neighbours(None) == ("low",)
    assert line.with_absent("absent", joined_to=[]).components[-1] == ("absent",)
    assert line.with_absent("absent").subgraph(line.vertices) == line
    with pytest.raises(InvalidGraph, match="'low' twice"):
        line.with_absent("low")
    with pytest.raises(InvalidGraph, match="did you mean 'high'"):
        line.with_absent("absent", joined_to=["hihg"])


def test_a_cycle_needs_three_values_and_a_product_an_attribute() -> None:
    with pytest.raises(InvalidGraph, match="at least 3 values, got 2"):
        SecretGraph.cycle(2)
    with pytest.raises(InvalidGraph, match="at least one attribute"):
        SecretGraph.product()


def test_large_graphs_are_made_right() -> None:
    assert SecretGraph.complete(1000).size == 499_500
    assert SecretGraph.threshold(range(3000), 10).size == 3000 * 10 - 55
    assert SecretGraph.grid(100, 100).size == 2 * 99 * 100


@pytest.mark.parametrize("values", [["10", "20", "30"], [10, "20"], ["1/2", " 0.75 "], ["1e3"]])
def test_texts_that_read_as_numbers_are_refused_unless_a_metric_tells(values: list[object]) -> None:
    with pytest.raises(InvalidGraph, match=r"read as numbers, got '.*give numbers, or .* metric="):
        SecretGraph.threshold(values, 10)
    assert (
        SecretGraph.threshold(["10", "20", "30"], 10, lambda u, v: abs(int(u) - int(v))).size == 2
    )
    assert SecretGraph.threshold(["10", "20", "more"], 1).size == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SecretGraph.product(3), "must be a graph, got 3"),  # type: ignore[arg-type]
        (lambda: SecretGraph.partition(None), "list of groups, got None"),  # type: ignore[arg-type]
        (lambda: SecretGraph.partition([1, 2]), "list of values, got 1"),  # type: ignore[list-item]
        (lambda: SecretGraph.partition(["ab"]), "list of values, got 'ab'"),
        (lambda: SecretGraph.partition("ab"), "list of groups, got 'ab'"),
        (lambda: SecretGraph.complete("flu"), "got the text 'flu'"),
    ],
)
def test_wrong_types_give_one_clear_line(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidGraph, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


@given(secret_graphs(most=4), secret_graphs(most=3), secret_graphs(most=2))
def test_a_strong_product_joins_tuples_that_differ_along_edges(
    one: SecretGraph, other: SecretGraph, third: SecretGraph
) -> None:
    graph = SecretGraph.strong_product(one, other, third)
    joined = {frozenset(pair) for pair in graph.edge_pairs()}
    tuples: Any = graph.vertices
    for a, b in itertools.combinations(tuples, 2):
        near = all(
            u == v or part.distance(u, v) == 1
            for part, u, v in zip((one, other, third), a, b, strict=True)
        )
        assert (frozenset((a, b)) in joined) == near


def test_a_threshold_on_coordinates_asks_for_a_metric() -> None:
    corners = [(0, 0), (0, 1), (1, 1), (1, 0)]
    with pytest.raises(InvalidGraph, match="metric="):
        SecretGraph.threshold(corners, distance=1)
    joined = SecretGraph.threshold(corners, 1, lambda u, v: abs(u[0] - v[0]) + abs(u[1] - v[1]))
    assert joined.size == 4
