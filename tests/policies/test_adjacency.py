"""Products of graphs kept implicit, against the same products listed one by one."""

import math
from collections import Counter
from collections.abc import Hashable

import igraph  # noqa: F401  (so that the time of its import is nobody's)
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.errors import InvalidGraph, TooLarge
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.secrets import SecretGraph
from tests.strategies.graphs import secret_graphs


@st.composite
def products(draw: st.DrawFn) -> AdjacencyGraph:
    graphs = draw(st.lists(secret_graphs(most=4), min_size=1, max_size=2))
    return AdjacencyGraph.of_records(
        graph for graph in graphs for _ in range(draw(st.integers(1, 2)))
    )


@settings(deadline=None)
@given(products(), st.data())
def test_a_product_knows_without_a_list_what_the_list_shows(
    graph: AdjacencyGraph, data: st.DataObject
) -> None:
    listed = graph.explicit()
    assert (graph.order, graph.size) == (listed.order, listed.size)
    assert graph.vertices == listed.vertices
    assert (graph.diameter, graph.radius) == (listed.diameter, listed.radius)
    assert graph.is_connected == listed.is_connected
    assert graph.component_count == len(listed.components)
    assert graph.order_factors == listed.order
    assert f"{listed.order:,} vert" in repr(graph)
    assert f"{listed.size:,} edge" in repr(graph)
    assert graph.component_diameters == Counter(listed.component_diameters)
    assert graph.component_radii == Counter(listed.component_radii)
    a, b = (data.draw(st.sampled_from(graph.vertices)) for _ in range(2))
    assert graph.degree(a) == listed.degrees[listed.index(a)]
    assert graph.distance(a, b) == listed.distance(a, b)
    lengths = listed.distances_from(a)
    counts = tuple(np.bincount(lengths[lengths >= 0]).tolist())
    assert graph.distance_counts(a) == counts
    assert graph.distance_counts(a, limit=1) == counts[:2]


@settings(deadline=None)
@given(st.lists(secret_graphs(most=4), min_size=1, max_size=3))
def test_the_radius_of_a_product_is_the_sum_of_the_radii(graphs: list[SecretGraph]) -> None:
    product = AdjacencyGraph.of_records(graphs).explicit()
    assert product.radius == sum(graph.radius for graph in graphs)


def test_a_million_records_are_answered_without_listing_them() -> None:
    graph = AdjacencyGraph.of(SecretGraph.threshold(50, distance=2), records=10**6)
    answers = (
        graph.diameter,
        graph.radius,
        graph.is_connected,
        graph.component_count,
        graph.component_diameters,
        graph.component_radii,
    )
    # 49 steps on a line of 50, two at a time; the middle is 25 away from an end.
    assert answers == (
        25 * 10**6,
        13 * 10**6,
        True,
        1,
        Counter({25 * 10**6: 1}),
        Counter({13 * 10**6: 1}),
    )
    assert graph.order == 50**10**6
    # Each of a million records moves along one of 49 + 48 edges.
    assert graph.size == 10**6 * 97 * 50 ** (10**6 - 1)


@pytest.mark.parametrize("number", ["order", "size"])
def test_a_number_of_a_billion_digits_is_not_written_out(number: str) -> None:
    graph = AdjacencyGraph.of(SecretGraph.complete(6), records=10**9)
    with pytest.raises(TooLarge, match="3,000,000,000 bits"):
        getattr(graph, number)


def test_a_billion_records_are_counted_by_the_logarithm() -> None:
    graph = AdjacencyGraph.of(SecretGraph.complete(6), records=10**9)
    low, high = graph.order_factors.bits_interval
    assert low <= 2584962500.7211562 <= high  # 10^9·log2(6)
    assert high - low < 1e-5
    fewer = AdjacencyGraph.of(SecretGraph.complete(6), records=10**9 - 2)
    assert graph.order_factors / fewer.order_factors == 36
    assert repr(graph).startswith(
        "AdjacencyGraph(1,000,000,000 records, about 10^778151250 vertices, about 10^77"
    )
    assert graph._repr_svg_() is None
    with pytest.raises(TooLarge, match=r"about 10\^778151250 databases"):
        _ = graph.vertices


def test_a_billion_records_in_parts_are_counted_by_the_logarithm() -> None:
    pairs = SecretGraph.partition([["a", "b"], ["c", "d", "e"]])
    graph = AdjacencyGraph.of(pairs, records=10**9)
    with pytest.raises(TooLarge, match="2,000,000,000 bits"):
        _ = graph.component_count
    with pytest.raises(TooLarge, match=r"about 10\^301029996 components"):
        _ = graph.component_diameters


def test_a_million_records_have_exact_counts_near_a_database() -> None:
    graph = AdjacencyGraph.of(SecretGraph.complete(3), records=10**6)
    start = (0,) * 10**6
    assert graph.degree(start) == 2 * 10**6
    assert graph.distance(start, (1,) * 10**6) == 10**6
    assert graph.distance_counts(start, limit=3) == tuple(
        math.comb(10**6, k) * 2**k for k in range(4)
    )
    with pytest.raises(TooLarge, match="limit="):
        graph.distance_counts(start)


def test_a_million_disconnected_records_have_exactly_counted_components() -> None:
    pairs = SecretGraph.partition([["a", "b"], ["c", "d", "e"]])
    graph = AdjacencyGraph.of(pairs, records=10**6)
    assert (graph.diameter, graph.radius) == (math.inf, math.inf)
    assert graph.component_count == 2**10**6
    assert graph.component_diameters == Counter({10**6: 2**10**6})


def test_components_of_too_many_kinds_are_refused() -> None:
    mixed = AdjacencyGraph.of(SecretGraph.partition([["a"], ["b", "c"]]), records=10**6)
    with pytest.raises(TooLarge, match=r"about 10\^301030 components"):
        _ = mixed.component_diameters


def test_what_does_not_fit_is_not_listed() -> None:
    graph = AdjacencyGraph.of(SecretGraph.complete(10), records=100)
    for listing in ("vertices", "edges", "components"):
        with pytest.raises(TooLarge, match=r"100 records have about 10\^100 databases"):
            getattr(graph, listing)
    # A million databases, each with 3 · 99 neighbours.
    dense = AdjacencyGraph.of(SecretGraph.complete(100), records=3)
    with pytest.raises(TooLarge, match="1,000,000,000 records have 1,000,000,000 values"):
        _ = AdjacencyGraph.of(SecretGraph.complete(1), records=10**9).vertices
    with pytest.raises(TooLarge, match="148,500,000 pairs of neighbours"):
        dense.explicit()


def test_runs_of_the_same_secret_graph_are_one_factor() -> None:
    a, b = SecretGraph.line(2), SecretGraph.line(3)
    graph = AdjacencyGraph.of_records([a, a, b, a])
    assert graph.factors == ((a, 2), (b, 1), (a, 1))
    assert graph.is_product


@pytest.mark.parametrize("database", [(0, 1, 0), (0,), 0, "01"])
def test_a_database_of_the_wrong_length_is_refused(database: Hashable) -> None:
    with pytest.raises(InvalidGraph, match="a tuple of 2 values"):
        AdjacencyGraph.of(Graph(2), records=2).degree(database)


def test_an_unknown_value_in_a_database_is_named() -> None:
    graph = AdjacencyGraph.of(SecretGraph.complete(["cold", "flu"]), records=2)
    with pytest.raises(InvalidGraph, match="did you mean 'flu'"):
        graph.degree(("cold", "fluu"))


def test_factors_must_fit_the_records() -> None:
    with pytest.raises(InvalidGraph, match="each at least once"):
        AdjacencyGraph((), 1)
    with pytest.raises(InvalidGraph, match="each at least once"):
        AdjacencyGraph.of(Graph(2), records=0)
    with pytest.raises(InvalidGraph, match="3 records need as many factors"):
        AdjacencyGraph(((Graph(2), 2),), 3)


def test_equal_products_are_equal_and_hash_alike() -> None:
    one, other = (AdjacencyGraph.of(SecretGraph.line(3), 2) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != AdjacencyGraph.of(SecretGraph.line(3), 3)
    assert one != one.explicit()


def test_small_products_have_a_picture_and_large_ones_none() -> None:
    picture = AdjacencyGraph.of(SecretGraph.line(2), 2)._repr_svg_()
    assert picture is not None
    assert picture.count("<circle") == 4
    assert AdjacencyGraph.of(SecretGraph.line(2), 10**6)._repr_svg_() is None


@given(st.lists(secret_graphs(most=4), min_size=1, max_size=3))
def test_neighbours_are_those_of_the_listed_graph(graphs: list[SecretGraph]) -> None:
    product = AdjacencyGraph.of_records(graphs)
    for database in product.vertices:
        assert product.neighbours(database) == product.explicit().neighbours(database)


def test_neighbours_need_no_list_of_databases() -> None:
    many = AdjacencyGraph.of(SecretGraph.line(3), records=500)
    assert len(many.neighbours((1,) * 500)) == 1000
    with pytest.raises(TooLarge, match="at most 50,000,000"):
        AdjacencyGraph.of(SecretGraph.line(3), records=10**5).neighbours((1,) * 10**5)


def test_the_repr_fits_in_a_line() -> None:
    assert len(repr(AdjacencyGraph.of(SecretGraph.line(50), records=10**6))) == 80
