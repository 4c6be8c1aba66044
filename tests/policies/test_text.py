"""Graphs on a command line are what they say; the rest is refused before it is built."""

import pytest

from leaktight.errors import InvalidGraph
from leaktight.policies.text import graph_of


@pytest.mark.parametrize(
    ("text", "order", "size"),
    [
        ("complete:6", 6, 15),
        ("complete:1", 1, 0),
        ("line:4", 4, 3),
        ("cycle:7", 7, 7),
        ("threshold:10:2", 10, 17),
        ("threshold:10", 10, 9),
        ("grid:3x4", 12, 17),
        ("grid:2x2x2", 8, 12),
        ("grid:5", 5, 4),
        ("edges:a-b,b-c", 3, 2),
        ("edges:a-b,b-a", 2, 1),
        ("line:10000", 10000, 9999),
    ],
)
def test_a_text_is_the_graph_that_it_says(text: str, order: int, size: int) -> None:
    graph = graph_of(text)
    assert (graph.order, graph.size) == (order, size)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("lines:4", "line:4"), ("Grid:3x4", "grid:3x4"), ("treshold:10:2", "threshold:10:2")],
)
def test_what_is_nearly_a_graph_is_guessed(text: str, meant: str) -> None:
    with pytest.raises(InvalidGraph, match=f"; did you mean {meant}\\?$"):
        graph_of(text)
    assert graph_of(meant).order


def test_what_is_far_from_any_graph_is_not_guessed() -> None:
    for text in ("foo:3", "4", "", "lines"):
        with pytest.raises(InvalidGraph, match="a graph is written like") as caught:
            graph_of(text)
        assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["", ":", "line", "line:", "line:x", "line:1.5", "line:²", "line:1e3", "grid:", "grid:x",
     "grid:3x", "grid:101x100", "complete:2001", "threshold:3:0", "threshold::1", "edges:a",
     "edges:a-b-c", "edges:a-,b", "edges:-", "Line:3", " line:3", "line:3 ", "line:10001"],
)  # fmt: skip
def test_anything_else_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InvalidGraph) as caught:
        graph_of(text)
    assert "\n" not in str(caught.value)
    assert str(caught.value).isprintable()
