"""Which graphs look the same from every vertex? Section 4.1 of [Alvim2011a]."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, product
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from leaktight.policies import (
    AdjacencyGraph,
    Graph,
    SecretGraph,
    automorphism_group,
    distance_regularity,
    vertex_transitivity,
)
from leaktight_papers.claim import Erratum, Unexpected, Verdict, claim, demand, expect
from leaktight_papers.evidence import PETERSEN, T6, databases, joined, meet, small_graphs
from leaktight_papers.vt_plus import sharply_transitive_set

Distances: TypeAlias = npt.NDArray[np.int16]
Images: TypeAlias = npt.NDArray[np.intp]

# --- graphs with a name --------------------------------------------------------------------


def chang(*lengths: int) -> Graph:
    """Return T(8), the pairs of 8 things joined if they meet, switched along cycles of K8.

    A pair in some cycle is joined to one in none exactly if the two do not meet. A cycle of
    length 2 is a single pair. The lengths are 2, 2, 2, 2 or 8 or 3, 5 for the three Chang graphs.

    >>> chang(8).size
    168
    """
    edges, start = set[frozenset[int]](), 0
    for length in lengths:
        edges |= {frozenset((start + i, start + (i + 1) % length)) for i in range(length)}
        start += length

    def near(a: tuple[int, int], b: tuple[int, int]) -> bool:
        return meet(a, b) != ((frozenset(a) in edges) != (frozenset(b) in edges))

    return joined(combinations(range(8), 2), near)


LINES = joined(PETERSEN.edge_pairs(), meet)
"""The edges of Petersen's graph, joined if they share an end."""
PAIR = SecretGraph.complete(2)
PRISM = AdjacencyGraph.of_records([SecretGraph.complete(3), PAIR]).explicit()
T6_TWICE = AdjacencyGraph.of_records([T6, PAIR]).explicit()


@cache
def transitive_graphs() -> tuple[Graph, ...]:
    """Return the vertex-transitive graphs of up to 7 vertices, once up to isomorphism.

    >>> len(transitive_graphs())
    24
    """
    regular = (graph for graph in small_graphs(7) if len(set(graph.degrees.tolist())) == 1)
    return tuple(graph for graph in regular if vertex_transitivity(graph))


# --- symmetric graphs ----------------------------------------------------------------------


def _neighbours_by_distance(
    graph: Graph, count: Callable[[Distances, int, int], int]
) -> dict[int, set[int]]:
    """Return for each distance i the numbers that a count gives for pairs (v, w) that far apart."""
    found: dict[int, set[int]] = {}
    for v, w in product(range(graph.order), repeat=2):
        found.setdefault(int(graph.distances[v, w]), set()).add(count(graph.distances, v, w))
    return found


def _nearer(d: Distances, v: int, w: int) -> int:
    """Count the neighbours of w that are at distance d(v, w) − 1 from v: c_i."""
    return int(((d[w] == 1) & (d[v] == d[v, w] - 1)).sum())


def _farther(d: Distances, v: int, w: int) -> int:
    """Count the neighbours of w that are at distance d(v, w) + 1 from v: b_i."""
    return int(((d[w] == 1) & (d[v] == d[v, w] + 1)).sum())


def _printed_farther(d: Distances, v: int, w: int) -> int:
    """Count the neighbours of v that are at distance d(v, w) + 1 from v, as printed with x = v."""
    return int(((d[v] == 1) & (d[v] == d[v, w] + 1)).sum())


@claim(
    "Q-D8",
    "A graph is distance-regular if for any v and w at distance i, w has c_i neighbours at "
    "distance i − 1 from v and b_i at distance i + 1 from v, numbers that depend on i alone.",
    Verdict.CORRECTED,
    Erratum(
        35,
        "typo",
        "c_i counts neighbours of w and b_i neighbours of v, by distances from an unnamed x.",
        "Both count neighbours of w, by their distances from v.",
    ),
)
def distance_regular() -> Iterator[str]:
    """The definition pair by pair, and the printed one."""
    count = 0
    for graph in (PETERSEN, PRISM, T6, *small_graphs(5)):
        if not graph.is_connected:
            continue
        b, c = (_neighbours_by_distance(graph, number) for number in (_farther, _nearer))
        regular = all(len(numbers) == 1 for one in (b, c) for numbers in one.values())
        found = distance_regularity(graph)
        expect(bool(found), regular, f"whether {graph!r} is distance-regular")
        if found:
            last = len(found.b)
            expect([{x} for x in found.b], [b[i] for i in range(last)], "b_0, b_1, …")
            expect([{x} for x in found.c], [c[i] for i in range(1, last + 1)], "c_1, c_2, …")
        count += 1
    array = distance_regularity(PETERSEN)
    numbers = array and (array.b, array.c)
    expect(numbers, ((3, 2), (1, 1)), "the numbers of Petersen's graph")
    yield f"Petersen's graph: {array}"
    yield f"{count} connected graphs: the library agrees with the definition pair by pair"
    expect(bool(distance_regularity(PRISM)), False, "whether the prism is distance-regular")
    b, wrong, c = (
        _neighbours_by_distance(PRISM, number) for number in (_farther, _printed_farther, _nearer)
    )
    expect((b[1], wrong[1]), ({1, 2}, {0}), "b_1 of the prism, right and as printed with x = v,")
    printed = all(len(numbers) == 1 for one in (wrong, c) for numbers in one.values())
    demand(printed, "the prism must be distance-regular as printed with x = v")
    yield f"the prism is not: b_1 is {sorted(b[1])}; as printed with x = v it is {sorted(wrong[1])}"


def _demand_sharply_transitive(graph: Graph, images: Images) -> None:
    """Demand |V| automorphisms, of which one takes u to v, for all u and v."""
    edges = {frozenset(edge) for edge in graph.edges.tolist()}
    for image in images.tolist():
        moved = {frozenset((image[i], image[j])) for i, j in graph.edges.tolist()}
        demand(moved == edges, f"{image} must be an automorphism of {graph!r}")
    everything = list(range(graph.order))
    latin = all(sorted(column) == everything for column in (*images.tolist(), *images.T.tolist()))
    demand(latin and len(images) == graph.order, "each vertex must go once to each")


@claim(
    "Q-D9",
    "A graph is VT+ if as many automorphisms as vertices take each vertex once to each. This asks "
    "for more than vertex-transitivity, for less than a Cayley graph, and for more than is needed.",
    Verdict.HOLDS,
    Erratum(
        36,
        "improvable",
        "VT+ is introduced as a variant of vertex-transitive graphs, and assumed.",
        "Fewer graphs have it: not T(6). Vertex-transitivity is enough for all that follows.",
    ),
)
def sharply_transitive() -> Iterator[str]:
    """Petersen's graph by hand, T(6) by parity, the library on others."""
    names = PETERSEN.vertices
    by_hand = [
        [names.index(tuple(sorted((k * x + b) % 5 for x in pair))) for pair in names]  # type: ignore[attr-defined]
        for k, b in product((1, 2), range(5))
    ]
    _demand_sharply_transitive(PETERSEN, np.array(by_hand))
    group, same = automorphism_group(PETERSEN).elements, np.arange(10)
    expect(len(group), 120, "the number of automorphisms of Petersen's graph")
    involutions = [g for g in group if (g[g] == same).all() and (g != same).any()]
    fixing = [g for g in involutions if (g == same).any()]
    expect(len(fixing), len(involutions), "the number of involutions that fix a vertex")
    yield f"Petersen: x + b, 2x + b mod 5 do; no group does, {len(fixing)} involutions fix a vertex"
    group, place = automorphism_group(T6).elements, T6.vertices.index
    triangle = {place(pair) for pair in combinations(range(3), 2)}
    star = [place((0, leaf)) for leaf in range(1, 6)]
    met = {len(triangle & set(image)) for image in group[:, star].tolist()}
    expect((len(group), met), (720, {0, 2}), "automorphisms of T(6), and where star meets triangle")
    odd = len(triangle) * len(star)
    demand(odd % 2 == 1, f"a sharply transitive set must make them meet {odd} times, an odd number")
    yield f"T(6): {len(group)} images of a star meet a triangle {sorted(met)} times; {odd} is odd"
    for graph in (T6, LINES, T6_TWICE):
        demand(bool(vertex_transitivity(graph)), f"{graph!r} must be vertex-transitive")
        demand(not sharply_transitive_set(graph), f"{graph!r} must not be VT+")
    orders = Counter[int]()
    for graph in (PETERSEN, *transitive_graphs()):
        found = sharply_transitive_set(graph)
        if not found:
            raise Unexpected(f"{graph!r} must be VT+, got {found}")
        _demand_sharply_transitive(graph, found.automorphisms)
        orders[graph.order] += 1
    counts = [orders[n] for n in range(1, 8)]
    expect(counts, [1, 2, 2, 4, 3, 8, 4], "the vertex-transitive graphs of 1, …, 7 vertices")
    yield f"all {sum(counts)} VT graphs of up to 7 vertices are VT+; T(6)□K2, L(Petersen) are not"
    found = sharply_transitive_set(PRISM)
    demand(bool(found) and not distance_regularity(PRISM), "the prism must be VT+ and no more")
    arrays = set()
    for lengths in ((2, 2, 2, 2), (8,), (3, 5)):
        arrays.add(str(distance_regularity(chang(*lengths))))
        demand(not vertex_transitivity(chang(*lengths)), f"Chang's {lengths} must not be VT")
    expect(arrays, {"distance-regular: {12, 5; 1, 4}"}, "the numbers of the Chang graphs")
    yield f"the prism is VT+ only; the three Chang graphs are {arrays.pop()} only"


def _shifted(word: tuple[int, ...], by: tuple[int, ...], values: int) -> tuple[int, ...]:
    return tuple((x + s) % values for x, s in zip(word, by, strict=True))


@claim(
    "Q-P4",
    "The databases of u independent records are distance-regular, b_i = (u − i)(v − 1) and "
    "c_i = i for v values, and VT+.",
)
def databases_are_symmetric() -> Iterator[str]:
    """The library's verdicts, and the shifts of all values by hand."""
    for u, v in ((1, 3), (2, 2), (2, 3), (3, 2)):
        graph = databases(u, v)
        array = distance_regularity(graph)
        b, c = tuple((u - i) * (v - 1) for i in range(u)), tuple(range(1, u + 1))
        expect(array and (array.b, array.c), (b, c), f"b and c for u = {u}, v = {v}")
        words = list(product(range(v), repeat=u))
        shifts = [[words.index(_shifted(word, by, v)) for word in words] for by in words]
        _demand_sharply_transitive(graph, np.array(shifts))
        found = sharply_transitive_set(graph)
        demand(bool(found), f"{graph!r} must be VT+, got {found}")
        yield f"u = {u}, v = {v}: {array}; {len(shifts)} shifts make it VT+"
