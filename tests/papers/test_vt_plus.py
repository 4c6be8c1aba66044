"""VT+: sharply transitive sets, or why there are none."""

import numpy as np
import pytest
from hypothesis import given

import leaktight_papers.vt_plus as module
from leaktight.errors import Undecided
from leaktight.policies.graph import Graph
from leaktight.policies.symmetry import AutomorphismGroup, automorphism_group
from leaktight_papers.vt_plus import (
    CountingObstruction,
    ExhaustedSearch,
    NoTransitivity,
    SharplyTransitiveSet,
    sharply_transitive_set,
)
from tests.policies.test_automorphisms import graphs
from tests.strategies.named_graphs import (
    box,
    complete,
    cube,
    cycle,
    disjoint,
    kneser,
    line_graph,
    path,
    petersen,
    prism,
    triangular,
)


def check(graph: Graph, found: SharplyTransitiveSet) -> None:
    """Every row is an automorphism and every column meets all vertices."""
    AutomorphismGroup.from_indices(graph, found.automorphisms)
    columns = np.sort(found.automorphisms, axis=0).T
    assert (columns == np.arange(graph.order)).all()


def dodecahedron() -> Graph:
    """The generalised Petersen graph GP(10, 2)."""
    outer = [(("o", i), ("o", (i + 1) % 10)) for i in range(10)]
    inner = [(("i", i), ("i", (i + 2) % 10)) for i in range(10)]
    spokes = [(("o", i), ("i", i)) for i in range(10)]
    return Graph([(ring, i) for ring in "oi" for i in range(10)], outer + inner + spokes)


@pytest.mark.parametrize(
    "graph",
    [Graph(1), Graph(6), complete(5), cycle(30), prism(), cube(4), box(cycle(4), cycle(4))],
)
def test_cayley_graphs_have_a_group(graph: Graph) -> None:
    found = sharply_transitive_set(graph)
    assert isinstance(found, SharplyTransitiveSet)
    check(graph, found)
    assert found.is_group


@pytest.mark.parametrize(
    "graph",
    [complete(60), Graph(12), disjoint(disjoint(complete(4), complete(4)), complete(4)), cube(8)],
)
def test_groups_too_large_to_list_are_searched_at_random(graph: Graph) -> None:
    found = sharply_transitive_set(graph)
    assert isinstance(found, SharplyTransitiveSet)
    check(graph, found)


def test_the_petersen_graph_has_a_set_but_no_group() -> None:
    found = sharply_transitive_set(petersen())
    assert isinstance(found, SharplyTransitiveSet)
    check(petersen(), found)
    assert not found.is_group


@pytest.mark.parametrize(
    "graph", [triangular(6), line_graph(petersen()), box(triangular(6), complete(2)), triangular(8)]
)
def test_a_counting_argument_holds_for_every_automorphism(graph: Graph) -> None:
    verdict = sharply_transitive_set(graph)
    assert isinstance(verdict, CountingObstruction)
    assert not verdict
    p, chosen = verdict.prime, [graph.index(v) for v in verdict.moved]
    weight = np.zeros(graph.order, dtype=int)
    for vertex, times in verdict.weights:
        weight[graph.index(vertex)] = times
    group = automorphism_group(graph)
    assert (weight[group.elements[:, chosen]].sum(axis=1) % p == 0).all()
    assert len(chosen) * weight.sum() % p != 0
    assert f"a multiple of {p} times" in str(verdict)


def test_a_search_through_all_sets_settles_the_dodecahedron() -> None:
    verdict = sharply_transitive_set(dodecahedron())
    assert isinstance(verdict, ExhaustedSearch)
    assert not verdict
    assert verdict.automorphisms == 120


def test_the_exact_cover_agrees_with_the_counting_argument(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_obstruction", lambda group, order: None)
    for graph in (triangular(6), line_graph(petersen())):
        assert isinstance(sharply_transitive_set(graph), ExhaustedSearch)


def test_the_exact_cover_agrees_with_the_search_for_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_regular_subgroup", lambda carriers, fixing: None)
    for graph in (prism(), cycle(7), cube(3), box(complete(3), complete(3)), kneser(5, 1)):
        found = sharply_transitive_set(graph)
        assert isinstance(found, SharplyTransitiveSet)
        check(graph, found)


def test_what_runs_out_of_effort_is_undecided_and_says_how_far_it_came() -> None:
    with pytest.raises(Undecided, match=r"35 of the 5040 automorphisms .* effort=1000"):
        sharply_transitive_set(kneser(7, 3), effort=1000)


def test_a_graph_with_two_orbits_has_none() -> None:
    verdict = sharply_transitive_set(path(3))
    assert verdict == NoTransitivity((0, 1))
    assert str(verdict) == "not VT+: no automorphism takes 0 to 1"
    assert not verdict


@given(graphs(6))
def test_up_to_six_vertices_one_orbit_is_enough(graph: Graph) -> None:
    verdict = sharply_transitive_set(graph)
    assert bool(verdict) == (len(automorphism_group(graph).orbits) == 1)
    if isinstance(verdict, SharplyTransitiveSet):
        check(graph, verdict)
