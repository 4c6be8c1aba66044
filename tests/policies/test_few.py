"""Automorphisms of small graphs by plain search, against BLISS."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.symmetry import AutomorphismGroup, automorphism_group
from leaktight.policies.symmetry.automorphisms import automorphisms
from tests.strategies.graphs import secret_graphs


def by_bliss(graph: Graph, colours: dict[object, int] | None = None) -> AutomorphismGroup:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("leaktight.policies.symmetry.automorphisms.MOST", 0)
        return automorphism_group(graph, colours)


def expect_same(one: AutomorphismGroup, other: AutomorphismGroup) -> None:
    assert one.order == other.order
    assert one.orbital_labels.tolist() == other.orbital_labels.tolist()
    AutomorphismGroup.from_indices(one.graph, one.generators)  # refuses what is none


@settings(max_examples=200)
@given(secret_graphs(most=8), st.data())
def test_both_find_the_same_group(graph: Graph, data: st.DataObject) -> None:
    colours = {
        v: data.draw(st.integers(0, 2)) for v in graph.vertices[: data.draw(st.integers(0, 3))]
    }
    expect_same(automorphism_group(graph), by_bliss(graph))
    expect_same(automorphism_group(graph, colours), by_bliss(graph, colours))


GRAPHS = {
    "cube": Graph(32, [(i, i ^ 1 << bit) for i in range(32) for bit in range(5)]),
    "star": Graph(32, [(0, leaf) for leaf in range(1, 32)]),
    "points": Graph(32),
    "grid": Graph(30, [(i, j) for i in range(30) for j in range(i) if i - j == 6 or
                       (i - j == 1 and i % 6)]),
    "petersen": Graph(10, [*((i, (i + 1) % 5) for i in range(5)), *((i, i + 5) for i in range(5)),
                           *((5 + i, 5 + (i + 2) % 5) for i in range(5))]),
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_symmetric_graphs_have_their_groups(name: str) -> None:
    expect_same(automorphism_group(GRAPHS[name]), by_bliss(GRAPHS[name]))


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=2, unique=True))
def test_lengths_are_kept(places: list[tuple[int, int]]) -> None:
    graph, _ = Metric.euclidean(places).rounded()
    expect_same(automorphism_group(graph), by_bliss(graph))


def test_a_search_that_takes_too_long_is_left_to_bliss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaktight.policies.symmetry.automorphisms.MOST_TRIED", 3)
    assert automorphisms(GRAPHS["cube"].distances.tolist(), [0] * 32) is None
    assert automorphism_group(GRAPHS["cube"]).order == 2**5 * 120
