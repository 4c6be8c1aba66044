"""Pictures: what is joined, named and apart can be read off the drawing."""

import itertools
import math
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest

from leaktight.policies.graph import MOST_DRAWN, Graph
from leaktight.policies.graph.picture import svg
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
    graph = SecretGraph.cycle([f"the value {i}" for i in range(MOST_DRAWN)])
    assert 0 < len(texts(graph)) < graph.order
    titles = [title.text for title in drawn(graph).iter(f"{SVG}title")]
    assert titles == list(graph.vertices)


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
