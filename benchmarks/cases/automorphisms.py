"""Automorphisms: the order of the group, and its orbits of vertices and of pairs of vertices.

networkx lists the group element by element. igraph's BLISS alone gives generators and the order but
no orbits, so it is the least that the task costs.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import leaktight as lt
from benchmarks.case import Case
from benchmarks.inputs import Indices, geometric_edges


class Given(NamedTuple):
    """The same graph for each contender."""

    graph: lt.Graph
    igraph: Any
    networkx: Any


class Symmetry(NamedTuple):
    """The order of the group, and how many orbits of vertices and of ordered pairs it has."""

    order: int
    orbits: int
    orbitals: int


def prepared(make: Callable[[int], tuple[int, Indices]]) -> Callable[[int], Given]:
    """Make the graphs of a case from the number of vertices and the edges."""

    def prepare(n: int) -> Given:
        import igraph
        import networkx

        order, edges = make(n)
        pairs = list(map(tuple, edges.tolist()))
        theirs = networkx.empty_graph(order)
        theirs.add_edges_from(pairs)
        return Given(lt.Graph.from_indices(order, edges), igraph.Graph(order, pairs), theirs)

    return prepare


def edges_of(graph: lt.Graph) -> tuple[int, Indices]:
    """Forget all about a graph but its edges."""
    return graph.order, graph.edges


def cube(k: int) -> tuple[int, Indices]:
    """The databases of k bits."""
    return edges_of(lt.Policy(lt.SecretGraph.complete(2), k).adjacency().explicit())


def ours(given: Given) -> Symmetry:
    """Find the group and its orbits."""
    group = lt.policies.automorphism_group(given.graph)
    return Symmetry(group.order, len(group.orbits), int(group.orbital_labels.max()) + 1)


def by_listing(given: Given) -> Symmetry:
    """List the group; there are as many orbits as an element fixes points, on average."""
    from networkx.algorithms.isomorphism import GraphMatcher

    fixed = [
        sum(a == b for a, b in element.items())
        for element in GraphMatcher(given.networkx, given.networkx).isomorphisms_iter()
    ]
    order = len(fixed)
    return Symmetry(order, sum(fixed) // order, sum(f * f for f in fixed) // order)


def bliss(given: Given) -> int:
    """Return the order; the generators are found too."""
    given.igraph.automorphism_group()
    return int(given.igraph.count_automorphisms())


def compared(answers: Mapping[str, Any]) -> str:
    """Compare the order with igraph's, and all with what networkx has listed."""
    symmetry = answers["leaktight"]
    assert answers["igraph"] == symmetry.order, answers
    if "networkx" not in answers:
        return "igraph finds as many"
    assert answers["networkx"] == symmetry, answers
    return "all the same"


def family(
    task: str, sizes: tuple[int, ...], make: Callable[[int], tuple[int, Indices]], note: str = ""
) -> Case:
    """Compare on graphs of growing size."""
    return Case(
        task=f"automorphisms, {task}",
        sizes=sizes,
        prepare=prepared(make),
        ways={"leaktight": ours, "networkx": by_listing, "igraph": bliss},
        agree=compared,
        limit="igraph",
        quick=1,
        patience=3,
        scale=lambda n: float(make(n)[0]) ** 2,
        scale_name="pairs of vertices",
        note=note,
    )


CASES = (
    family("{n} bits, one changed", (3, 4, 7, 9, 11), cube),
    family(
        "complete graph of {n}",
        (5, 7, 100, 300),
        lambda n: edges_of(lt.SecretGraph.complete(n)),
        "we ask BLISS about the complement, which has few edges; igraph alone is given the graph",
    ),
    family("grid of {n}×{n}", (4, 8, 16, 32), lambda n: edges_of(lt.SecretGraph.grid(n, n))),
    family(
        "random geometric graph of {n}",
        (20, 60, 200, 600),
        lambda n: (n, geometric_edges(n, 1, 6.0)),
    ),
)
