"""Orbits of pairs of databases, counted against the same group on the listed graph."""

import math
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from leaktight.errors import TooLarge
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.symmetry import AutomorphismGroup, WreathGroup, automorphism_group
from tests.strategies.named_graphs import complete, cycle, disjoint, path, paw, star

Relabelling = Callable[[Any], Any]


def listed(graph: Graph, records: int) -> AutomorphismGroup:
    """The same group on tuples: relabel one place, or exchange two."""

    def relabel(place: int, image: dict[Any, Any]) -> Relabelling:
        return lambda d: (*d[:place], image[d[place]], *d[place + 1 :])

    def exchange(place: int) -> Relabelling:
        return lambda d: (*d[:place], d[place + 1], d[place], *d[place + 2 :])

    names = graph.vertices
    images = [
        {names[i]: names[int(j)] for i, j in enumerate(generator)}
        for generator in automorphism_group(graph).generators
    ]
    generators = [relabel(place, image) for place in range(records) for image in images]
    generators += [exchange(place) for place in range(records - 1)]
    return AutomorphismGroup(AdjacencyGraph.of(graph, records).explicit(), generators)


small = [
    (complete(2), 4),
    (complete(3), 3),
    (path(3), 3),
    (path(4), 2),
    (cycle(4), 2),
    (star(3), 2),
    (paw(), 2),
    (disjoint(path(2), path(3)), 2),
    (Graph(3), 2),
]


@pytest.mark.parametrize(("graph", "records"), small)
def test_orbits_of_pairs_are_those_of_the_listed_group(graph: Graph, records: int) -> None:
    group, explicit = WreathGroup.of(AdjacencyGraph.of(graph, records)), listed(graph, records)
    orbits = list(group.orbitals())
    labels = explicit.orbital_labels
    assert group.orbital_count == len(orbits) == labels.max() + 1
    assert group.orbit_count == len(explicit.orbits)
    assert len({orbit.counts for orbit in orbits}) == len(orbits)
    lengths = explicit.graph.distances.ravel().tolist()
    distance_of = dict(zip(labels.ravel().tolist(), lengths, strict=True))
    found = Counter((o.size, -1 if o.distance == math.inf else o.distance) for o in orbits)
    sizes = Counter(labels.ravel().tolist())
    assert found == Counter((size, distance_of[label]) for label, size in sizes.items())


@pytest.mark.parametrize(("graph", "records"), small[:6])
def test_the_order_is_that_of_the_listed_group(graph: Graph, records: int) -> None:
    assert WreathGroup.of(AdjacencyGraph.of(graph, records)).order == listed(graph, records).order


@pytest.mark.parametrize(("graph", "records"), small)
def test_steps_are_where_an_edge_of_the_first_database_leads(graph: Graph, records: int) -> None:
    adjacency = AdjacencyGraph.of(graph, records)
    group, explicit = WreathGroup.of(adjacency), adjacency.explicit()
    label = automorphism_group(graph).orbital_labels
    kinds = int(label.max()) + 1

    def kind(a: Any, b: Any) -> tuple[tuple[int, ...], ...]:
        shown = Counter(
            int(label[graph.index(u), graph.index(v)]) for u, v in zip(a, b, strict=True)
        )
        return (tuple(shown[k] for k in range(kinds)),)

    literal: dict[Any, set[Any]] = {}
    for i, j in product(explicit.vertices, repeat=2):
        reached = {kind(h, j) for h in explicit.neighbours(i)} - {kind(i, j)}
        assert literal.setdefault(kind(i, j), reached) == reached
    assert {o.counts: set(group.steps(o.counts)) for o in group.orbitals()} == literal


def test_different_factors_multiply_and_equal_ones_change_places() -> None:
    mixed = AdjacencyGraph.of_records([path(3), complete(2), path(3)])
    group = WreathGroup.of(mixed)
    paths = WreathGroup.of(AdjacencyGraph.of(path(3), 2))
    assert group.orbital_count == paths.orbital_count * 2
    assert sum(orbit.size for orbit in group.orbitals()) == mixed.order**2
    assert group.order == paths.order * 2


def test_a_million_binary_records_have_a_million_and_one_orbitals() -> None:
    group = WreathGroup.of(AdjacencyGraph.of(complete(2), 1_000_000))
    assert group.orbital_count == 1_000_001
    assert group.orbit_count == 1


def test_too_many_orbitals_are_counted_but_not_listed() -> None:
    group = WreathGroup.of(AdjacencyGraph.of(path(5), 100))
    assert group.orbital_count == math.comb(100 + 12, 12)
    with pytest.raises(TooLarge, match="at most 1,000,000 orbits of pairs"):
        next(group.orbitals())


def test_one_record_has_the_orbitals_of_its_graph() -> None:
    group = WreathGroup.of(AdjacencyGraph.of(paw()))
    assert [orbit.size for orbit in group.orbitals()] == [
        Counter(automorphism_group(paw()).orbital_labels.ravel().tolist())[k] for k in range(10)
    ]


def test_a_billion_factorial_is_not_written_out() -> None:
    group = WreathGroup.of(AdjacencyGraph.of(complete(2), 10**9))
    with pytest.raises(TooLarge, match=r"bits, more than .*; the group of a record"):
        _ = group.order
    assert group.orbital_count == 10**9 + 1  # by how many records the two databases differ
