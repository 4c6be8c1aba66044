"""Pictures: what is joined, named and apart can be read off the drawing."""

import itertools
import math
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest

from leaktight.policies.graph import MOST_DRAWN, Graph
from leaktight.policies.graph.graph import MOST_LINES
from leaktight.policies.graph.picture import MOST_NAMED, coordinates, svg
from leaktight.policies.metric import Metric
from leaktight.policies.secrets import SecretGraph

SVG = "{http://www.w3.org/2000/svg}"


def drawn(graph: Graph) -> ElementTree.Element:
    return ElementTree.fromstring(svg(graph.vertices, graph.edges))


def dots(graph: Graph) -> npt.NDArray[np.float64]:
    circles = drawn(graph).iter(f"{SVG}circle")
    return np.array([(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in circles])


def texts(graph: Graph) -> dict[str, tuple[float, float]]:
    found = drawn(graph).iter(f"{SVG}text")
    return {str(t.text): (float(t.attrib["x"]), float(t.attrib["y"])) for t in found}


@pytest.mark.parametrize("make", [SecretGraph.complete, SecretGraph.cycle])
def test_complete_graphs_and_cycles_stand_on_a_circle_in_their_order(
    make: Callable[[int], SecretGraph],
) -> None:
    points = dots(make(12))
    away = points - points.mean(axis=0)
    assert np.ptp(np.hypot(*away.T)) < 0.5
    turns = np.diff(np.unwrap(np.arctan2(*away.T)))
    assert np.allclose(np.abs(turns), 2 * math.pi / 12, atol=0.01)


def test_a_path_goes_straight_and_turns_at_the_margin() -> None:
    points = dots(SecretGraph.line(50))
    steps = np.abs(np.diff(points, axis=0))
    assert np.allclose(steps.min(axis=1), 0)
    assert np.ptp(steps.max(axis=1)) < 0.3
    assert len(np.unique(points[:, 1])) == 5


def test_components_do_not_overlap() -> None:
    graph = SecretGraph.partition([range(5), range(5, 8), [8], range(9, 20)])
    points = dots(graph)
    parts = [points[graph.component_labels == t] for t in range(len(graph.components))]
    boxes = [(part.min(axis=0), part.max(axis=0)) for part in parts]
    for (low, high), (other_low, other_high) in itertools.combinations(boxes, 2):
        assert ((high + 5 < other_low) | (other_high + 5 < low)).any()


@pytest.mark.parametrize("graph", [SecretGraph.line(50), SecretGraph.grid(4, 5), Graph(30)])
def test_names_cover_neither_each_other_nor_dots_and_all_fit_where_there_is_room(
    graph: Graph,
) -> None:
    places = texts(graph)
    assert len(places) == graph.order
    for (a, (x, y)), (b, (u, v)) in itertools.combinations(places.items(), 2):
        assert abs(y - v) >= 11.8 or abs(x - u) >= 3.3 * (len(a) + len(b))
    for (a, (x, y)), (u, v) in itertools.product(places.items(), dots(graph).tolist()):
        assert abs(y - 4 - v) > 6 or abs(x - u) > 3.3 * len(a)


def test_crowded_names_are_left_out_but_every_dot_says_its_own() -> None:
    for order, most in ((MOST_NAMED, MOST_NAMED - 1), (MOST_DRAWN, 0)):
        graph = SecretGraph.cycle([f"the value {i}" for i in range(order)])
        assert bool(most) <= len(texts(graph)) <= most
        titles = [title.text for title in drawn(graph).iter(f"{SVG}title")]
        assert titles == list(graph.vertices)


def test_what_is_too_large_to_read_is_not_drawn() -> None:
    assert SecretGraph.line(MOST_DRAWN)._repr_svg_() is not None
    assert SecretGraph.line(MOST_DRAWN + 1)._repr_svg_() is None
    assert SecretGraph.complete(MOST_LINES // 20)._repr_svg_() is None


# --- at their coordinates ------------------------------------------------------------------


def steps_of(graph: Graph) -> set[tuple[int, int]]:
    """Return how many units right and up each dot stands from the first one."""
    away = (dots(graph) - dots(graph)[0]) * (1, -1)
    unit = np.abs(away[np.abs(away) > 1]).min()
    return {(round(x), round(y)) for x, y in (away / unit).tolist()}


@pytest.mark.parametrize("make", [SecretGraph.product, SecretGraph.strong_product])
def test_a_grid_is_drawn_upright_with_its_first_point_below_on_the_left(
    make: Callable[..., SecretGraph],
) -> None:
    grid = make(SecretGraph.line(["a", "b", "c", "d"]), SecretGraph.line([10, 200, 5]))
    assert dots(grid)[:3, 0].tolist() == [dots(grid)[0, 0]] * 3
    assert steps_of(grid) == {(x, y) for x in range(4) for y in range(3)}


def test_points_that_are_near_one_another_are_drawn_where_they_are() -> None:
    points = [(0, 0), (4, 1), (2, 3), (5, 5)]
    near = SecretGraph.threshold(points, 5, lambda p, q: math.dist(p, q))
    assert steps_of(near) == set(points)


def test_no_line_passes_through_a_dot_that_it_does_not_end_at() -> None:
    """All pairs in a row would lie on one line."""
    everything = SecretGraph.product(SecretGraph.complete(3), SecretGraph.complete(3))
    assert coordinates(everything.vertices, everything.edges) is None
    assert coordinates([(0, 0), (0, 1), (0, 2)], np.array([[0, 2]])) is None
    named = [("a", 0), ("b", 0), ("c", 0)]
    assert coordinates(named, np.array([[0, 2]])) is None


def test_a_map_has_a_dot_where_each_point_is_and_no_lines() -> None:
    cities = {"Oslo": (59.9, 10.7), "Rome": (41.9, 12.5), "Lisbon": (38.7, -9.1)}
    for metric, axes in ((Metric.haversine(cities), (1, 0)), (Metric.euclidean(cities), (0, 1))):
        root = ElementTree.fromstring(metric._repr_svg_() or "")
        assert not list(root.iter(f"{SVG}line"))
        at = {
            str(c[0].text): (float(c.attrib["cx"]), -float(c.attrib["cy"]))
            for c in root.iter(f"{SVG}circle")
        }
        for k, axis in enumerate(axes):
            order = sorted(cities, key=lambda city: cities[city][axis])
            assert sorted(at, key=lambda city: at[city][k]) == order
    roads = Metric.from_edges(["a", "b", "c"], [("a", "b", 2), ("b", "c", 1)])
    assert (roads._repr_svg_() or "").count("<line") == 2


def test_some_points_of_a_map_stay_where_they_are() -> None:
    metric = Metric.euclidean([(0, 0), (3, 1), (5, 9)])
    assert metric.restricted([(0, 0), (5, 9)]).places.tolist() == [[0, 0], [5, 9]]  # type: ignore[union-attr]
    assert metric.spanner(2).places is metric.places
    assert Metric.euclidean([(0, 0, 1), (3, 1, 1)]).places is None


def test_long_names_are_cut_and_stay_inside_the_picture() -> None:
    graph = SecretGraph.line(["a very long name of a value", "b" * 200])
    root = drawn(graph)
    left, _, width, _ = map(float, root.attrib["viewBox"].split())
    for text, (x, _) in texts(graph).items():
        assert len(text) <= 14
        assert left < x - 3 * len(text)
        assert x + 3 * len(text) < left + width


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_smallest_graphs_are_drawn(order: int) -> None:
    for graph in (Graph(order), SecretGraph.complete(order), SecretGraph.line(order)):
        assert len(dots(graph)) == order
        assert len(list(drawn(graph).iter(f"{SVG}line"))) == graph.size
