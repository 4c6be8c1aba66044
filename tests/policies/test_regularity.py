"""Graphs that look the same from every vertex, against the definitions read literally."""

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given

from leaktight.errors import TooLarge
from leaktight.policies.graph import Graph
from leaktight.policies.neighbours import Neighbours
from leaktight.policies.policy import Policy
from leaktight.policies.symmetry import (
    DistanceDistribution,
    IntersectionArray,
    UnequalDistances,
    distance_distribution,
    distance_regularity,
    vertex_transitivity,
)
from leaktight.policies.symmetry.regularity import DistanceIrregularity
from tests.policies.test_automorphisms import brute_force, graphs
from tests.strategies.named_graphs import (
    chang,
    complement,
    complete,
    cube,
    cycle,
    disjoint,
    path,
    paw,
    petersen,
    prism,
    star,
    triangular,
)

named = [path(2), path(4), cycle(5), cycle(6), paw(), petersen(), prism(), star(4), triangular(5)]
named += [cube(3), complete(4), Graph(1), Graph(3), disjoint(complete(3), complete(3))]
named += [disjoint(cycle(3), cycle(4)), complement(disjoint(cycle(3), cycle(4))), chang()]


def numbers(graph: Graph, v: object, w: object) -> tuple[int, int]:
    """How many neighbours of w are farther from v, and how many nearer."""
    lengths = [graph.distance(v, x) - graph.distance(v, w) for x in graph.neighbours(w)]
    return lengths.count(1), lengths.count(-1)


def literally_distance_regular(graph: Graph) -> bool:
    seen: dict[float, tuple[int, int]] = {}
    pairs = [(v, w) for v, w in product(graph.vertices, repeat=2) if graph.distance(v, w) < 10**6]
    return all(
        seen.setdefault(graph.distance(v, w), numbers(graph, v, w)) == numbers(graph, v, w)
        for v, w in pairs
    )


def check_distance_regularity(graph: Graph) -> None:
    verdict = distance_regularity(graph)
    assert bool(verdict) == literally_distance_regular(graph)
    if isinstance(verdict, IntersectionArray):
        here = graph.vertices[0]
        for w in graph.vertices:
            if (i := graph.distance(here, w)) < 10**6:
                b, c = (*verdict.b, 0)[int(i)], (0, *verdict.c)[int(i)]
                assert numbers(graph, here, w) == (b, c)
        assert sum(verdict.sphere_sizes) * len(graph.components) == graph.order
    else:
        assert {graph.distance(*pair) for pair in verdict.pairs} == {verdict.distance}
        shown = list(zip(verdict.farther, verdict.nearer, strict=True))
        assert shown == [numbers(graph, *pair) for pair in verdict.pairs]
        assert shown[0] != shown[1]


@given(graphs(6))
def test_distance_regularity_is_the_definition(graph: Graph) -> None:
    check_distance_regularity(graph)


@pytest.mark.parametrize("graph", named)
def test_named_graphs_are_distance_regular_by_definition(graph: Graph) -> None:
    check_distance_regularity(graph)


@given(graphs(6))
def test_equal_distances_are_counted_at_every_vertex(graph: Graph) -> None:
    def counts(v: object) -> list[int]:
        lengths = [graph.distance(v, w) for w in graph.vertices]
        return [lengths.count(d) for d in range(graph.order)]

    verdict = distance_distribution(graph)
    assert bool(verdict) == (len({tuple(counts(v)) for v in graph.vertices}) == 1)
    if isinstance(verdict, DistanceDistribution):
        shown = list(verdict.counts)
        assert shown + [0] * (graph.order - len(shown)) == counts(graph.vertices[0])
    else:
        assert verdict.counts == tuple(counts(v)[verdict.distance] for v in verdict.vertices)
        assert verdict.counts[0] != verdict.counts[1]


@given(graphs())
def test_vertex_transitive_graphs_have_one_orbit(graph: Graph) -> None:
    one = {image[0] for image in brute_force(graph)} == set(range(graph.order))
    assert bool(vertex_transitivity(graph)) == one


@pytest.mark.parametrize("graph", named)
def test_both_kinds_of_regularity_imply_equal_distances(graph: Graph) -> None:
    if vertex_transitivity(graph) or distance_regularity(graph):
        assert distance_distribution(graph)


def test_equal_distances_need_neither_symmetry_nor_intersection_numbers() -> None:
    graph = complement(disjoint(cycle(3), cycle(4)))
    assert distance_distribution(graph)
    assert not vertex_transitivity(graph)
    assert not distance_regularity(graph)


def test_equal_numbers_farther_do_not_excuse_unequal_numbers_nearer() -> None:
    wagner = Graph(8, [(i, (i + s) % 8) for i in range(8) for s in (1, 4)])
    verdict = distance_regularity(wagner)
    assert isinstance(verdict, DistanceIrregularity)
    assert verdict.farther == (0, 0)
    assert set(verdict.nearer) == {1, 2}
    check_distance_regularity(wagner)


def test_the_nearest_disagreement_is_shown() -> None:
    graph = Graph(6, [(0, 1), (2, 4), (4, 3), (3, 5)])
    check_distance_regularity(graph)


def test_the_verdicts_read_as_sentences() -> None:
    assert str(distance_regularity(petersen())) == "distance-regular: {3, 2; 1, 1}"
    assert (
        str(vertex_transitivity(star(3))) == "not vertex-transitive: no automorphism takes 0 to 1"
    )
    assert "carry every vertex" in str(vertex_transitivity(cycle(3)))
    assert "but 1 from 1" in str(distance_distribution(star(3)))
    assert isinstance(distance_distribution(star(3)), UnequalDistances)
    assert isinstance(distance_regularity(star(3)), DistanceIrregularity)


def test_a_single_vertex_is_as_regular_as_can_be() -> None:
    assert distance_regularity(Graph(1)) == IntersectionArray((), ())
    assert distance_distribution(Graph(1)) == DistanceDistribution((1,))
    assert vertex_transitivity(Graph(1))


def test_a_large_cube_is_distance_regular() -> None:
    assert distance_regularity(cube(10)) == IntersectionArray(
        tuple(range(10, 0, -1)), tuple(range(1, 11))
    )


@pytest.mark.parametrize("ask", [vertex_transitivity, distance_regularity, distance_distribution])
def test_policies_and_adjacency_graphs_may_be_asked_too(
    ask: Callable[[Neighbours], object],
) -> None:
    for secrets in (complete(3), path(3)):
        policy = Policy(secrets, 2)
        listed = str(ask(policy.adjacency().explicit()))
        assert str(ask(policy)) == str(ask(policy.adjacency())) == listed
    with pytest.raises(TooLarge, match="one by one"):
        ask(Policy(complete(3), 1000))
