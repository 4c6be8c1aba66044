"""Graphs that have a name, built from their definitions."""

from itertools import combinations, product

from leaktight.policies.graph import Graph


def path(n: int) -> Graph:
    return Graph(n, [(i, i + 1) for i in range(n - 1)])


def cycle(n: int) -> Graph:
    return Graph(n, [(i, (i + 1) % n) for i in range(n)])


def complete(n: int) -> Graph:
    return Graph(n, combinations(range(n), 2))


def star(leaves: int) -> Graph:
    return Graph(leaves + 1, [(0, leaf) for leaf in range(1, leaves + 1)])


def paw() -> Graph:
    """A triangle with one more vertex hanging from it."""
    return Graph(4, [(0, 1), (1, 2), (2, 0), (2, 3)])


def cube(n: int) -> Graph:
    return Graph(2**n, [(i, i ^ (1 << bit)) for i in range(2**n) for bit in range(n)])


def hamming(length: int, values: int) -> Graph:
    """The databases of ``length`` records, joined if they differ in one."""
    words = list(product(range(values), repeat=length))
    near = [(a, b) for a, b in combinations(words, 2) if sum(map(int.__ne__, a, b)) == 1]
    return Graph(words, near)


def kneser(n: int, k: int) -> Graph:
    """The k-subsets of n things, joined if they are disjoint."""
    subsets = list(combinations(range(n), k))
    return Graph(subsets, [(a, b) for a, b in combinations(subsets, 2) if not set(a) & set(b)])


def petersen() -> Graph:
    return kneser(5, 2)


def line_graph(graph: Graph) -> Graph:
    """The edges of a graph, joined if they share an end."""
    pairs = graph.edge_pairs()
    return Graph(pairs, [(a, b) for a, b in combinations(pairs, 2) if set(a) & set(b)])


def triangular(n: int) -> Graph:
    return line_graph(complete(n))


def box(first: Graph, second: Graph) -> Graph:
    """The Cartesian product."""
    down = [((a, v), (b, v)) for a, b in first.edge_pairs() for v in second.vertices]
    across = [((u, a), (u, b)) for u in first.vertices for a, b in second.edge_pairs()]
    return Graph(product(first.vertices, second.vertices), down + across)


def prism() -> Graph:
    return box(complete(3), complete(2))


def disjoint(first: Graph, second: Graph) -> Graph:
    edges = [((0, a), (0, b)) for a, b in first.edge_pairs()]
    edges += [((1, a), (1, b)) for a, b in second.edge_pairs()]
    return Graph([(0, v) for v in first.vertices] + [(1, v) for v in second.vertices], edges)


def complement(graph: Graph) -> Graph:
    joined = {frozenset(pair) for pair in graph.edge_pairs()}
    absent = [pair for pair in combinations(graph.vertices, 2) if frozenset(pair) not in joined]
    return Graph(graph.vertices, absent)


def chang() -> Graph:
    """T(8) switched on four edges of K8 without common ends: the first Chang graph."""
    switched = {(0, 1), (2, 3), (4, 5), (6, 7)}
    pairs = list(combinations(range(8), 2))
    return Graph(
        pairs,
        [
            (a, b)
            for a, b in combinations(pairs, 2)
            if bool(set(a) & set(b)) != ((a in switched) != (b in switched))
        ],
    )
