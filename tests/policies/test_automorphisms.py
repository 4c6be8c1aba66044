"""Groups of automorphisms and their orbits."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaktight.errors import InvalidGraph, TooLarge
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.symmetry import AutomorphismGroup, WreathGroup, automorphism_group
from tests.strategies.named_graphs import box, complete, cube, cycle, disjoint, path, petersen, star

Permutation = tuple[int, ...]


@st.composite
def graphs(draw: st.DrawFn, most: int = 5) -> Graph:
    n = draw(st.integers(1, most))
    pairs = [(i, j) for j in range(n) for i in range(j)]
    return Graph(n, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


def brute_force(graph: Graph) -> set[Permutation]:
    """All permutations that keep the set of edges."""
    edges = {frozenset(edge) for edge in graph.edges.tolist()}
    return {
        image
        for image in permutations(range(graph.order))
        if {frozenset(image[v] for v in edge) for edge in edges} == edges
    }


def listed(group: AutomorphismGroup) -> set[Permutation]:
    return {tuple(row) for row in group.elements.tolist()}


def first_seen(keys: list[object]) -> list[int]:
    """Number things in the order in which they first come."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


# --- the group of all automorphisms --------------------------------------------------------


@given(graphs())
def test_the_group_is_all_permutations_that_keep_edges(graph: Graph) -> None:
    group = automorphism_group(graph)
    assert listed(group) == brute_force(graph)
    assert group.order == len(brute_force(graph))


@pytest.mark.parametrize("graph", [path(6), cycle(6), star(5), disjoint(path(3), path(3))])
def test_the_order_on_six_vertices_is_that_of_brute_force(graph: Graph) -> None:
    assert automorphism_group(graph).order == len(brute_force(graph))


@given(graphs(), st.data())
def test_colours_are_kept(graph: Graph, data: st.DataObject) -> None:
    colours = data.draw(st.lists(st.integers(0, 2), min_size=graph.order, max_size=graph.order))
    keeping = {g for g in brute_force(graph) if [colours[v] for v in g] == colours}
    group = automorphism_group(graph, colours=lambda v: colours[v])
    assert listed(group) == keeping
    assert group.order == len(keeping)


def test_colours_given_for_some_vertices_leave_the_others_alike() -> None:
    assert automorphism_group(complete(5), colours={4: "me"}).order == 24


# --- orbits --------------------------------------------------------------------------------


@given(graphs())
def test_orbits_are_what_the_listed_group_carries_together(graph: Graph) -> None:
    whole, group = brute_force(graph), automorphism_group(graph)
    n = graph.order
    vertices = first_seen([frozenset(g[u] for g in whole) for u in range(n)])
    assert group.orbit_labels.tolist() == vertices
    pairs = first_seen([frozenset((g[u], g[v]) for g in whole) for u in range(n) for v in range(n)])
    assert group.orbital_labels.ravel().tolist() == pairs
    arcs = sorted((a, b) for edge in graph.edges.tolist() for a, b in (edge, edge[::-1]))
    triples = [(a, b, v) for a, b in arcs for v in range(n)]
    orbits = first_seen([frozenset((g[a], g[b], g[v]) for g in whole) for a, b, v in triples])
    assert group.edge_vertex_labels.ravel().tolist() == orbits


@given(graphs())
def test_orbital_steps_are_all_constraints_up_to_symmetry(graph: Graph) -> None:
    group = automorphism_group(graph)
    label = group.orbital_labels
    literal = {
        (int(label[i, j]), int(label[h, j]))
        for edge in graph.edges.tolist()
        for i, h in (edge, edge[::-1])
        for j in range(graph.order)
    }
    assert {(a, b) for a, b in group.orbital_steps.tolist()} == literal
    assert len(group.orbital_steps) == len(literal) <= len(np.unique(group.edge_vertex_labels))


def test_orbits_are_named_by_the_vertices() -> None:
    graph = Graph(["hub", "a", "b", "c"], [("hub", leaf) for leaf in "abc"])
    assert automorphism_group(graph).orbits == (("hub",), ("a", "b", "c"))


def test_the_orbitals_of_a_ten_cube_are_its_eleven_distances() -> None:
    labels = automorphism_group(cube(10)).orbital_labels
    assert labels.max() == 10
    ones = np.array([v.bit_count() for v in range(1024)])
    distance = ones[np.arange(1024)[:, None] ^ np.arange(1024)]
    assert len(set(zip(labels.ravel().tolist(), distance.ravel().tolist(), strict=True))) == 11


@pytest.mark.parametrize("n", [1, 2, 7])
def test_a_graph_without_edges_has_every_permutation(n: int) -> None:
    group = automorphism_group(Graph(n))
    assert group.order == math.factorial(n)
    assert len(group.orbits) == 1
    assert group.orbital_labels.max() == min(n, 2) - 1
    assert group.edge_vertex_labels.shape == (0, n)
    assert group.orbital_steps.shape == (0, 2)


def test_a_complete_graph_on_200_vertices_has_two_orbitals_and_an_exact_order() -> None:
    group = automorphism_group(complete(200))
    assert group.order == math.factorial(200)
    assert group.stabiliser_order(0) == math.factorial(199)
    assert group.orbital_labels.max() == 1


def test_equal_components_are_exchanged_and_different_ones_are_not() -> None:
    assert len(automorphism_group(disjoint(path(2), path(2))).orbits) == 1
    assert len(automorphism_group(disjoint(path(2), path(3))).orbits) == 3


# --- groups that are given -----------------------------------------------------------------


def test_a_group_may_be_given_by_functions_mappings_or_positions() -> None:
    ring = cycle(6)
    turn = AutomorphismGroup(ring, [lambda v: (v + 2) % 6])
    assert turn.order == 3
    assert turn.orbits == ((0, 2, 4), (1, 3, 5))
    assert listed(turn) == {(0, 1, 2, 3, 4, 5), (2, 3, 4, 5, 0, 1), (4, 5, 0, 1, 2, 3)}
    same = AutomorphismGroup.from_indices(ring, [[2, 3, 4, 5, 0, 1]])
    assert np.array_equal(same.orbital_labels, turn.orbital_labels)
    swapped = AutomorphismGroup(star(3), [{1: 2, 2: 1}])
    assert listed(swapped) == {(0, 1, 2, 3), (0, 2, 1, 3)}


def test_no_generators_leave_every_vertex_alone() -> None:
    group = AutomorphismGroup(path(3), [])
    assert group.order == 1
    assert group.orbital_labels.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert repr(group) == "AutomorphismGroup(3 vertices in 3 orbits, generated by nothing)"


def test_orbitals_of_a_given_group_are_those_of_its_elements() -> None:
    square = box(cycle(5), cycle(5))
    diagonal = AutomorphismGroup(square, [lambda v: ((v[0] + 1) % 5, (v[1] + 2) % 5)])
    n = square.order
    orbits = first_seen(
        [
            frozenset((int(g[u]), int(g[v])) for g in diagonal.elements)
            for u in range(n)
            for v in range(n)
        ]
    )
    assert diagonal.orbital_labels.ravel().tolist() == orbits


@pytest.mark.parametrize(
    ("generator", "message"),
    [
        ({0: 1, 1: 0}, "edges to edges, but 1-2 goes to 0-2, which is none"),
        ({0: 1}, "exactly one vertex to each vertex, got 0 that go to 0"),
        ({0: 9, 9: 0}, "9 is not a vertex"),
        (lambda v: v + 1, "3 is not a vertex"),
    ],
)
def test_what_is_no_automorphism_is_refused(generator: object, message: str) -> None:
    with pytest.raises(InvalidGraph, match=message):
        AutomorphismGroup(path(3), [generator])  # type: ignore[list-item]


def test_rows_of_the_wrong_length_are_refused() -> None:
    with pytest.raises(InvalidGraph, match=r"a row of 3 positions, .* shape \(1, 2\)"):
        AutomorphismGroup.from_indices(path(3), [[1, 0]])
    with pytest.raises(InvalidGraph, match="got 0 that go to 1"):
        AutomorphismGroup.from_indices(path(3), [[2, 7, 0]])


# --- sizes ---------------------------------------------------------------------------------


def test_a_large_group_is_counted_but_not_listed() -> None:
    group = automorphism_group(complete(20))
    assert group.order == math.factorial(20)
    with pytest.raises(TooLarge, match=f"got {math.factorial(20)} automorphisms"):
        _ = group.elements


def test_a_large_given_group_is_refused_when_it_must_be_listed() -> None:
    swaps = [{i: i + 1, i + 1: i} for i in range(299)]
    group = AutomorphismGroup(Graph(300), swaps)
    assert len(group.orbits) == 1
    with pytest.raises(TooLarge, match="a group on 300 vertices with more"):
        _ = group.order


def test_orbitals_that_would_not_fit_are_refused_with_their_number() -> None:
    with pytest.raises(TooLarge, match="the orbits of 36,000,000 pairs"):
        _ = AutomorphismGroup(Graph(6000), []).orbital_labels


def test_the_picture_of_a_group_is_short() -> None:
    assert len(repr(automorphism_group(cube(8)))) < 400
    assert repr(automorphism_group(path(2))) == (
        "AutomorphismGroup(2 vertices in 1 orbit, generated by (0 1))"
    )


def test_stabilisers_are_counted_by_orbits() -> None:
    group = automorphism_group(petersen())
    vertex = petersen().vertices[3]
    assert group.stabiliser_order(vertex) == len(group.taking(vertex, vertex)) == 12


def test_the_group_of_a_policy_is_that_of_its_databases() -> None:
    policy = Policy(path(3), 2)
    listed = policy.adjacency().explicit()
    for neighbours in (policy, policy.adjacency(), listed):
        group = automorphism_group(neighbours)
        assert group.graph == listed
        assert group.order == 8
        assert AutomorphismGroup(neighbours, [lambda pair: pair[::-1]]).order == 2
    assert WreathGroup.of(policy).order == WreathGroup.of(policy.adjacency()).order == 8
    with pytest.raises(TooLarge, match="one by one"):
        automorphism_group(Policy(path(3), 1000))
