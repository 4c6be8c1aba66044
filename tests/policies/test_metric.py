import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.errors import InvalidGraph, InvalidInput, InvalidNumber, TooLarge
from leaktight.exact.numbers import rational
from leaktight.exact.ratio import Ratio
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.secrets import SecretGraph

ANY: Callable[[Any], Any] = lambda given: given  # noqa: E731
GRID = [(x, y) for x in range(4) for y in range(3)]
points = st.lists(
    st.tuples(st.integers(-6, 6), st.integers(-6, 6)), min_size=2, max_size=9, unique=True
)


def on_the_way(a: tuple[int, int], k: tuple[int, int], b: tuple[int, int]) -> bool:
    """Say whether k lies on the segment from a to b, by the cross product and the box."""
    across = (b[0] - a[0]) * (k[1] - a[1]) - (b[1] - a[1]) * (k[0] - a[0])
    inside = all(min(x, y) <= z <= max(x, y) for x, z, y in zip(a, k, b, strict=True))
    return across == 0 and inside


@given(points)
def test_straight_pairs_matter_if_no_point_is_on_the_segment(places: list[tuple[int, int]]) -> None:
    metric = Metric.euclidean(places)
    kept = {frozenset(pair) for pair in metric.graph.edge_pairs()}
    for a, b in combinations(places, 2):
        between = any(on_the_way(a, k, b) for k in places if k not in (a, b))
        assert (frozenset((a, b)) in kept) == (not between)


@given(points)
def test_along_streets_pairs_matter_if_no_point_is_in_their_box(
    places: list[tuple[int, int]],
) -> None:
    metric = Metric.manhattan(places)
    kept = {frozenset(pair) for pair in metric.graph.edge_pairs()}
    for a, b in combinations(places, 2):
        between = any(
            all(min(x, y) <= z <= max(x, y) for x, z, y in zip(a, k, b, strict=True))
            for k in places
            if k not in (a, b)
        )
        assert (frozenset((a, b)) in kept) == (not between)


@given(points)
def test_distances_are_enclosed(places: list[tuple[int, int]]) -> None:
    straight, streets = Metric.euclidean(places), Metric.manhattan(places)
    for a, b in product(places, repeat=2):
        square = sum((x - y) ** 2 for x, y in zip(a, b, strict=True))
        low, high = straight.distance(a, b)
        assert low**2 <= square <= high**2
        assert high - low <= Fraction(1, 2**80)
        length = sum(abs(x - y) for x, y in zip(a, b, strict=True))
        assert streets.distance(a, b) == (Fraction(length), Fraction(length))


def test_a_grid_has_the_pairs_that_the_gcd_says() -> None:
    """Two points of a grid have none between them if their steps have no common divisor."""
    grid = [(x, y) for x in range(10) for y in range(10)]
    visible = sum(math.gcd(a[0] - b[0], a[1] - b[1]) == 1 for a, b in combinations(grid, 2))
    assert Metric.euclidean(grid).graph.size == visible == 3106


@settings(max_examples=40)
@given(st.integers(3, 7), st.data())
def test_a_table_is_closed_by_shortest_paths_and_says_so(n: int, data: st.DataObject) -> None:
    table = np.zeros((n, n), dtype=object)
    for i, j in combinations(range(n), 2):
        table[i, j] = table[j, i] = data.draw(st.integers(1, 12))
    closed = table.copy()
    for k, i, j in product(range(n), repeat=3):
        closed[i, j] = min(closed[i, j], closed[i, k] + closed[k, j])
    metric = Metric.from_table(table)
    assert metric.is_closed == (closed != table).any()
    assert ("closed" in repr(metric)) == metric.is_closed
    for i, j in product(range(n), repeat=2):
        assert metric.distance(i, j) == (closed[i, j], closed[i, j])
    # Every pair that is left matters: without it the others are longer.
    edges = metric.graph.edges.tolist()
    for i, j in edges:
        others = [(a, b, closed[a, b]) for a, b in edges if (a, b) != (i, j)]
        rest = Metric.from_edges(n, others)
        if rest.graph.component_labels[i] == rest.graph.component_labels[j]:
            assert rest.distance(i, j)[0] > closed[i, j]


def test_ways_to_say_the_same() -> None:
    line = SecretGraph.line(["a", "b", "c"])
    made = [
        Metric.of(line),
        Metric.from_edges(line.vertices, [("a", "b", 1), ("c", "b", 1)]),
        Metric.from_table(line.distances, line.vertices),
        Metric.from_table({("a", "b"): 1, ("b", "c"): 1, ("c", "a"): 2}),
        Metric.from_function(line.vertices, lambda x, y: abs(ord(x) - ord(y))),
        Metric.euclidean({"a": 0, "b": 1, "c": 2}),
        Metric.manhattan({"a": (1, 5), "b": (1, 4), "c": (1, 3)}),
    ]
    for metric in made:
        assert metric.graph == line
        assert metric.unit == 1
    assert Metric.of(line, length=0.1).unit == Fraction(1, 10)
    assert Metric.euclidean(GRID).unit is None
    assert Metric.manhattan(GRID).graph == Graph(
        GRID, [(a, b) for a, b in combinations(GRID, 2) if math.dist(a, b) == 1]
    )
    assert Metric.euclidean(np.array(GRID)).values == tuple(GRID)


def test_great_circles() -> None:
    """A degree of a meridian is R·π/180; opposite places are half a circumference apart."""
    globe = Metric.haversine({"a": (0, 0), "b": (1, 0), "c": (0, 180), "pole": (90, 7)})
    radius = 6371.0088
    for a, b, degrees in (("a", "b", 1), ("a", "c", 180), ("a", "pole", 90), ("b", "pole", 89)):
        low, high = globe.distance(a, b)
        assert low <= high
        assert math.isclose(float(low), radius * math.pi * degrees / 180)
    half = Fraction(2001511444203592, 10**11)  # and some more digits
    for latitude, longitude in ((10, 20), (33.3, 7.7), ("1/3", "1/7"), (90, 0)):
        other = [-Fraction(str(latitude)), Fraction(str(longitude)) - 180]
        low, high = Metric.haversine({0: (latitude, longitude), 1: other}).distance(0, 1)
        assert abs(low - half) < Fraction(1, 10**10)
        assert 0 <= high - low < Fraction(1, 10**10)
    unit = Metric.haversine([(0, 0), (0, 90)], radius=2)
    assert math.isclose(float(unit.distance((0, 0), (0, 90))[1]), math.pi)


@settings(max_examples=20)
@given(points, st.sampled_from(["11/10", "3/2", 2]))
def test_a_spanner_is_never_longer_than_its_factor(
    places: list[tuple[int, int]], factor: str | int
) -> None:
    metric = Metric.euclidean(places)
    sparse = metric.spanner(factor)
    assert set(sparse.graph.edge_pairs()) <= set(metric.graph.edge_pairs())
    for a, b in combinations(places, 2):
        real, (low, high) = metric.distance(a, b), sparse.distance(a, b)
        assert low <= real[0]  # what a mechanism for it is private for
        assert real[1] <= high * (1 + Fraction(1, 2**80))
        assert high <= Fraction(factor) * real[1]


def test_ratios_enclose_the_power() -> None:
    metric, ratio = Metric.euclidean([(0, 0), (1, 1), (5, 2)]), Ratio.of(epsilon="0.3")
    for below, above, length in zip(*metric.ratios(ratio), metric.lower, strict=True):
        power = math.exp(0.3 * float(length))
        assert below < above
        assert math.isclose(float(below), power)
        assert float((above - below) / (below - 1)) < 2.0**-60
    assert Metric.of(Graph(2, [(0, 1)]), length=10).ratios(Ratio.of("3/2"))[0][0] == (
        rational("3/2") ** 10
    )


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (
            lambda: Metric.from_table([[0, -1], [-1, 0]], ["a", "b"]),
            "a distance must be at least 0, got -1 from 'b' to 'a'",
        ),
        (
            lambda: Metric.from_table([[0, 1], [2, 0]]),
            "a distance must be the same both ways, got 2 from 1 to 0 and 1 back",
        ),
        (
            lambda: Metric.from_table([[0.0, math.nan], [math.nan, 0.0]]),
            "a distance must be a number, got nan from 1 to 0",
        ),
        (
            lambda: Metric.from_table([[0, 0], [0, 0]]),
            "different values must be at a distance above 0, got 0 from 0 to 1",
        ),
        (
            lambda: Metric.from_table([[1, 1], [1, 0]]),
            "the distance of 0 from itself must be 0, got 1",
        ),
        (lambda: Metric.from_table([[0]], ["a", "b"]), "must be a square table"),
        (lambda: Metric.from_table({("a", "b"): 1, ("b", "c"): 1}), "no distance from 'c' to 'a'"),
        (lambda: Metric.from_table(7), "a table is a list of rows"),
        (lambda: Metric.from_function([1, 2], ANY(3)), "a distance must be a function"),
        (lambda: Metric.from_edges(2, ANY([(0, 1)])), "an edge must be two values and a length"),
        (lambda: Metric.from_edges(2, [(0, 1, 0)]), "the length of an edge must be a number above"),
        (lambda: Metric.from_edges(2, [(0, 1, "x")]), "a distance must be a number, got 'x'"),
        (lambda: Metric.euclidean([(0, 0), (0,)]), "every point must have 2 coordinates"),
        (lambda: Metric.euclidean([(0, "north")]), "every coordinate must be a number"),
        (lambda: Metric.euclidean(ANY(5)), "points must be a list of coordinates"),
        (lambda: Metric.euclidean({"a": 1, "b": 1}), "different values must be at a distance"),
        (lambda: Metric.haversine([(95, 0)]), "a latitude must be from -90 to 90"),
        (lambda: Metric.haversine([(0, -180), (0, 180)]), "different values must be at a distance"),
        (lambda: Metric.haversine([(0, 0, 0)]), "a latitude and a longitude"),
        (lambda: Metric.euclidean([0, 1]).spanner(1), "the factor of a spanner must be above 1"),
    ],
)
def test_bad_metrics_get_one_line(make: Callable[[], Any], line: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        make()
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_infinite_distances_and_too_many_values() -> None:
    apart = Metric.from_table([[0, 1, math.inf], [1, 0, math.inf], [math.inf, math.inf, 0]])
    assert apart.graph.components == ((0, 1), (2,))
    with pytest.raises(InvalidNumber, match="at an infinite distance"):
        apart.distance(0, 2)
    with pytest.raises(TooLarge, match=r"at most 1,000 values, got 2,000"):
        Metric.euclidean(range(2000))
    with pytest.raises(InvalidGraph, match="not a vertex"):
        apart.distance(0, 7)


@pytest.mark.parametrize("n", [5, 131])
def test_lengths_in_whole_numbers_are_counted_from_one_value_too(n: int) -> None:
    """Few values, and more than are searched without a library; the last is on its own."""
    edges = [(i, i + 1, 1 + i % 3) for i in range(n - 2)]
    graph, _ = Metric.from_edges(n, edges).rounded()
    for start in (0, n // 2, n - 1):
        assert graph.distances_from(start).tolist() == graph.distances[start].tolist()
