"""What is the worst case straight from its definition, and on which graphs is it tried?

The programs here have a variable for each entry of a channel, or each weight of a cover, and know
nothing of columns, orbits or weightings: a second route to what ``worst_case`` computes.
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from leaktight.channels.channel import Channel
from leaktight.exact.linear_program import LinearProgram, Optimum, solve_exact
from leaktight.exact.numbers import Array, exact_array, fraction
from leaktight.papers.claim import Unexpected
from leaktight.policies.graph import Graph
from leaktight.worst_case.columns import DistanceMechanism

Arcs: TypeAlias = list[tuple[int, int]]
"""Pairs (i, h) of positions for which K(z|i) ≤ λ·K(z|h) is asked."""


def small_graphs(most: int) -> Iterator[Graph]:
    """List every graph of up to so many vertices, six at most, once up to isomorphism.

    >>> [graph.size for graph in small_graphs(3)]
    [0, 0, 1, 0, 1, 2, 3]
    """
    import igraph

    for number in itertools.count(1):
        drawn = igraph.Graph.Atlas(number)
        if drawn.vcount() > most:
            return
        yield Graph(drawn.vcount(), drawn.get_edgelist())


def disjoint(*parts: Graph) -> Graph:
    """Put graphs side by side; their vertices become 0, 1, ….

    >>> disjoint(Graph(2, [(0, 1)]), Graph(3, [(0, 1), (1, 2)])).edge_pairs()
    ((0, 1), (2, 3), (3, 4))
    """
    starts = itertools.accumulate((part.order for part in parts), initial=0)
    edges = [
        (start + i, start + j)
        for start, part in zip(starts, parts, strict=False)
        for i, j in part.edges.tolist()
    ]
    return Graph(sum(part.order for part in parts), edges)


def both_ways(graph: Graph) -> Arcs:
    """Return the edges of a graph in both directions.

    >>> both_ways(Graph(3, [(0, 1)]))
    [(0, 1), (1, 0)]
    """
    edges = [(i, j) for i, j in graph.edges.tolist()]
    return edges + [(j, i) for i, j in edges]


def radii_and_diameters(graph: Graph, ratio: Fraction) -> tuple[Fraction, Fraction]:
    """Return Σ_t λ^r_t and Σ_t λ^d_t over the components, r_t their radii, d_t their diameters.

    >>> radii_and_diameters(Graph(5, [(0, 1), (1, 2), (3, 4)]), Fraction(2))
    (Fraction(4, 1), Fraction(6, 1))
    """
    radii, diameters = (
        sum((ratio**steps for steps in component), Fraction(0))
        for component in (graph.component_radii, graph.component_diameters)
    )
    return radii, diameters


def largest_sum(
    order: int, arcs: Arcs, ratio: Fraction, peaks: Sequence[int] | None = None
) -> Fraction:
    """Return the largest Σ_z K(z|peak of z) over channels with K(z|i) ≤ λ·K(z|h) for all arcs.

    Without ``peaks`` there is an output for each vertex, its peak; as outputs with the same peak
    can be merged, that is the largest Σ_z max_x K(z|x) over all private channels.

    >>> largest_sum(4, both_ways(Graph(4, [(0, 1), (1, 2), (2, 3)])), Fraction(2))
    Fraction(2, 1)
    """
    rows = range(order) if peaks is None else peaks
    outputs = range(len(rows))

    def place(i: int, z: int) -> int:
        return i * len(rows) + z

    entries: list[tuple[int, int, Any]] = [
        (i, place(i, z), 1) for i in range(order) for z in outputs
    ]
    count = order
    for (i, h), z in itertools.product(arcs, outputs):
        entries += [(count, place(h, z), ratio), (count, place(i, z), -1)]
        count += 1
    cost = [0] * (order * len(rows))
    for z, i in enumerate(rows):
        cost[place(i, z)] = -1
    lower, upper = [1] * order + [0] * (count - order), [1] * order + [None] * (count - order)
    return -_solved(cost, entries, lower, upper)[0]


def smallest_cover(graph: Graph, ratio: Fraction) -> tuple[Fraction, Array, Array]:
    """Return the least Σ b over covers b, such a cover, and the packing that proves it.

    A packing is a ≥ 0 with Σ_i a_i·λ^−d(i,j) ≤ 1 for every j.

    >>> smallest_cover(Graph(4, [(0, 1), (1, 2), (2, 3)]), Fraction(2))[:2]
    (Fraction(2, 1), array([2/3, 1/3, 1/3, 2/3], dtype=object))
    """
    entries = [
        (i, j, ratio**-d)
        for i, row in enumerate(graph.distances.tolist())
        for j, d in enumerate(row)
        if d >= 0
    ]
    return _solved([1] * graph.order, entries, [1] * graph.order, [None] * graph.order)


def _solved(
    cost: list[int], entries: Sequence[tuple[int, int, Any]], lower: list[Any], upper: list[Any]
) -> tuple[Fraction, Array, Array]:
    rows, columns, values = zip(*entries, strict=True)
    program = LinearProgram(cost, (rows, columns, values), row_lower=lower, row_upper=upper)
    answer = solve_exact(program)
    if not isinstance(answer, Optimum):
        raise Unexpected(f"a linear program must have an optimum, got {answer}")
    return fraction(answer.value), answer.x, answer.y


def private_channel(graph: Graph, ratio: Fraction, outputs: int, draw: random.Random) -> Channel:
    """Draw a channel that is private at a ratio, with so many outputs.

    Columns that fall off with the distance as fast as allowed are divided among the outputs.

    >>> private_channel(Graph(2, [(0, 1)]), Fraction(2), 3, random.Random(2))
    exact channel, 2 inputs × 3 outputs
         0    1    2
    0  1/9  1/9  7/9
    1  2/9  2/9  5/9
    """
    weights = exact_array([draw.randint(0, 9) for _ in graph.vertices[1:]] + [1])
    steep = DistanceMechanism.of(graph, ratio, weights).channel()
    rows = [[draw.choice([0, 0, 1, 5]) for _ in range(outputs)] for _ in graph.vertices]
    for row in rows:
        row[draw.randrange(outputs)] += 1
    return steep.then(Channel.normalised(rows, inputs=graph.vertices))
