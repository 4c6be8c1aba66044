"""How long do orbits, graph classes and symmetrising take as graphs grow?

Run with ``python -m benchmarks.symmetry``. Each question is asked once, of a graph made
beforehand; nothing is known about the graph when the clock starts.
"""

import time
from collections.abc import Callable
from itertools import combinations

from leaktight.adjacency import AdjacencyGraph
from leaktight.channel import Channel
from leaktight.graph import Graph
from leaktight.regularity import distance_regularity
from leaktight.sharply_transitive import sharply_transitive_set
from leaktight.symmetrise import symmetrise
from leaktight.symmetry import automorphism_group
from leaktight.wreath import WreathGroup


def _cube(n: int) -> Graph:
    return AdjacencyGraph.of(Graph(2, [(0, 1)]), n).explicit()


def _complete(n: int) -> Graph:
    return Graph(n, combinations(range(n), 2))


def _triangular(n: int) -> Graph:
    pairs = list(combinations(range(n), 2))
    return Graph(pairs, [(a, b) for a, b in combinations(pairs, 2) if set(a) & set(b)])


def _orbitals(graph: Graph) -> int:
    return int(automorphism_group(graph).orbital_labels.max()) + 1


def _orbitals_of_a_hundred_records(graph: Graph) -> int:
    return WreathGroup.of(AdjacencyGraph.of(graph, 100)).orbital_count


def _symmetrised(graph: Graph) -> str:
    channel = Channel.random(graph.order, graph.order, seed=0)
    named = Channel(channel, inputs=graph.vertices)
    entries = symmetrise(named, automorphism_group(graph)).matrix.ravel().tolist()
    return f"{len(set(entries))} distinct entries"


def main() -> None:
    """Print a line for each question: what, how long, the answer."""
    questions: list[tuple[str, Callable[[Graph], object], Graph]] = [
        ("orbitals of the 8-cube", _orbitals, _cube(8)),
        ("orbitals of the 10-cube", _orbitals, _cube(10)),
        ("orbitals of the 12-cube", _orbitals, _cube(12)),
        ("orbitals of K200", _orbitals, _complete(200)),
        ("orbitals of K1000", _orbitals, _complete(1000)),
        ("orbitals of 100 records on K50", _orbitals_of_a_hundred_records, _complete(50)),
        ("intersection array of the 10-cube", distance_regularity, _cube(10)),
        ("VT+ of T(6)", sharply_transitive_set, _triangular(6)),
        ("VT+ of the 10-cube", sharply_transitive_set, _cube(10)),
        ("symmetrising a float channel on the 10-cube", _symmetrised, _cube(10)),
    ]
    for name, question, graph in questions:
        start = time.perf_counter()
        answer = question(graph)
        print(f"{name:<44} {time.perf_counter() - start:8.3f} s   {answer!s:.50}", flush=True)


if __name__ == "__main__":
    main()
