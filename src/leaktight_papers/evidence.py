"""What do the claims of several papers need? Graphs, programs and channels, by their definitions.

The programs here have a variable for each entry of a channel, or each weight of a cover, and know
nothing of columns, orbits or weightings: a second route to what ``worst_case`` computes.
"""

import itertools
import math
import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from leaktight.channels import Channel, Distribution
from leaktight.exact import LinearProgram, Optimum, fraction, solve_exact
from leaktight.mechanisms import optimal_mechanism
from leaktight.policies import Graph, Policy, SecretGraph
from leaktight.privacy import privacy_level
from leaktight.worst_case import verify_certificate, write_certificate
from leaktight_papers.claim import Unexpected, demand, expect

Arcs: TypeAlias = list[tuple[int, int]]
"""Pairs (i, h) of positions for which K(z|i) ≤ λ·K(z|h) is asked."""

SEED = 2011
"""Where random instances start, so that every run draws the same."""

TWO = Fraction(2)


def listed(numbers: Iterable[object]) -> str:
    """Write numbers one after the other.

    >>> listed([Fraction(1, 2), 3])
    '1/2, 3'
    """
    return ", ".join(map(str, numbers))


# --- graphs --------------------------------------------------------------------------------


def small_graphs(most: int) -> Iterator[Graph]:
    """List every graph of up to so many vertices, seven at most, once up to isomorphism.

    >>> [graph.size for graph in small_graphs(3)]
    [0, 0, 1, 0, 1, 2, 3]
    """
    import igraph

    for number in range(1, 1253):
        drawn = igraph.Graph.Atlas(number)
        if drawn.vcount() > most:
            return
        yield Graph(drawn.vcount(), drawn.get_edgelist())


def joined(vertices: Iterable[Hashable], near: Callable[[Any, Any], bool]) -> Graph:
    """Return the graph on some vertices in which two are joined if they are near.

    >>> joined(range(3), lambda a, b: b - a == 1)
    Graph(3 vertices, 2 edges: 0-1, 1-2)
    """
    names = list(vertices)
    return Graph(names, [pair for pair in itertools.combinations(names, 2) if near(*pair)])


def meet(a: Iterable[Hashable], b: Iterable[Hashable]) -> bool:
    """Say whether two sets have something in common.

    >>> meet("ab", "bc"), meet("ab", "cd")
    (True, False)
    """
    return not set(a).isdisjoint(b)


PETERSEN = joined(itertools.combinations(range(5), 2), lambda a, b: not meet(a, b))
T6 = joined(itertools.combinations(range(6), 2), meet)
"""The edges of K6, joined if they share an end."""
SEVEN = joined(range(7), lambda a, b: (a < 3 <= b) or (a, b) in {(3, 5), (4, 6)})
"""The complement of C3 + C4: the same numbers at each distance from every vertex, but no more."""
FORK = Graph(5, [(0, 1), (1, 2), (2, 3), (2, 4)])
TREE = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
"""Two trees on which the worst case is below the best cover, for some ratios."""


def disjoint(*parts: Graph) -> Graph:
    """Put graphs side by side; their vertices become 0, 1, ….

    >>> disjoint(Graph(2, [(0, 1)]), Graph(3, [(0, 1), (1, 2)])).edge_pairs()
    ((0, 1), (2, 3), (3, 4))
    """
    edges, start = [], 0
    for part in parts:
        edges += [(start + i, start + j) for i, j in part.edges.tolist()]
        start += part.order
    return Graph(start, edges)


def databases(records: int, values: int) -> Graph:
    """Return the databases of so many records, neighbours if they differ in one.

    >>> databases(2, 2).edge_pairs()
    (((0, 0), (0, 1)), ((0, 0), (1, 0)), ((0, 1), (1, 1)), ((1, 0), (1, 1)))
    """
    return Policy(SecretGraph.complete(values), records).adjacency().explicit()


# --- bounds and programs -------------------------------------------------------------------


def survey_bound(u: int, v: int, ratio: Fraction | int) -> Fraction:
    """Return (vλ/(v − 1 + λ))^u, the most that u records of v values leak.

    >>> survey_bound(2, 3, 2)
    Fraction(9, 4)
    """
    return (Fraction(v) * ratio / (v - 1 + ratio)) ** u


def radii_and_diameters(graph: Graph, ratio: Fraction) -> tuple[Fraction, Fraction]:
    """Return Σ_t λ^r_t and Σ_t λ^d_t over the components, r_t their radii, d_t their diameters.

    >>> radii_and_diameters(Graph(5, [(0, 1), (1, 2), (3, 4)]), Fraction(2))
    (Fraction(4, 1), Fraction(6, 1))
    """
    radii = sum((ratio**steps for steps in graph.component_radii), Fraction(0))
    diameters = sum((ratio**steps for steps in graph.component_diameters), Fraction(0))
    return radii, diameters


def coverage(graph: Graph, ratio: Fraction, weights: Sequence[Fraction | int]) -> list[Fraction]:
    """Return Σ_i b_i·λ^−d(i,j) for each vertex j; b covers the graph if all are at least 1.

    >>> listed(coverage(SecretGraph.line(3), TWO, [1, 0, 2]))
    '3/2, 3/2, 9/4'
    """
    powers = [ratio**-d for d in range(graph.order)]
    found = []
    for row in graph.distances.tolist():
        at = [Fraction(0)] * graph.order
        for weight, d in zip(weights, row, strict=True):
            if d >= 0:
                at[d] += weight
        found.append(sum(map(Fraction.__mul__, at, powers), Fraction(0)))
    return found


def scaled_cover(graph: Graph, ratio: Fraction, weights: Sequence[Fraction | int]) -> Fraction:
    """Return Σ b / min coverage, the bound that any weights b give once they are a cover.

    >>> scaled_cover(SecretGraph.line(4), Fraction(2), [1, 1, 1, 1])
    Fraction(32, 15)
    """
    return sum(weights, Fraction(0)) / min(coverage(graph, ratio, weights))


def optimum(graph: Graph, ratio: Fraction | int, peaks: Sequence[int] | None = None) -> Fraction:
    """Return the largest Σ_z K(z|peak of z) over private channels, by the plain linear program.

    >>> optimum(SecretGraph.line(4), 2), optimum(SecretGraph.line(4), 2, peaks=[0, 3])
    (Fraction(2, 1), Fraction(5, 3))
    """
    return largest_sum(graph.order, graph.arcs.tolist(), Fraction(ratio), peaks)


def largest_sum(
    order: int, arcs: Arcs, ratio: Fraction, peaks: Sequence[int] | None = None
) -> Fraction:
    """Return the largest Σ_z K(z|peak of z) over channels with K(z|i) ≤ λ·K(z|h) for all arcs.

    Without ``peaks`` there is an output for each vertex, its peak; as outputs with the same peak
    can be merged, that is the largest Σ_z max_x K(z|x) over all private channels.

    >>> largest_sum(2, [(0, 1)], Fraction(3, 2))  # one way, for λ > 1 it is 2 − 1/λ
    Fraction(4, 3)
    """
    rows = range(order) if peaks is None else peaks
    wide, limits = len(rows), list(itertools.product(arcs, range(len(rows))))
    entries: list[tuple[int, int, Any]] = [(k // wide, k, 1) for k in range(order * wide)]
    for row, ((i, h), z) in enumerate(limits, order):
        entries += [(row, h * wide + z, ratio), (row, i * wide + z, -1)]
    cost = [-(i == peak) for i in range(order) for peak in rows]
    ones = [1] * order
    best = _solved(cost, entries, ones + [0] * len(limits), ones + [None] * len(limits))
    return -fraction(best.value)


def smallest_cover(
    graph: Graph, ratio: Fraction
) -> tuple[Fraction, list[Fraction], list[Fraction]]:
    """Return the least Σ b over covers b, such a cover, and the packing that proves it.

    A packing is a ≥ 0 with Σ_i a_i·λ^−d(i,j) ≤ 1 for every j.

    >>> total, cover, packing = smallest_cover(SecretGraph.line(4), Fraction(2))
    >>> total, listed(cover), listed(packing)
    (Fraction(2, 1), '2/3, 1/3, 1/3, 2/3', '2/3, 1/3, 1/3, 2/3')
    """
    rows = enumerate(graph.distances.tolist())
    entries = [(i, j, ratio**-d) for i, row in rows for j, d in enumerate(row) if d >= 0]
    best = _solved([1] * graph.order, entries, [1] * graph.order, [None] * graph.order)
    return fraction(best.value), [*map(fraction, best.x)], [*map(fraction, best.y)]


def _solved(
    cost: list[int], entries: Sequence[tuple[int, int, Any]], lower: list[Any], upper: list[Any]
) -> Optimum:
    rows, columns, values = zip(*entries, strict=True)
    program = LinearProgram(cost, (rows, columns, values), row_lower=lower, row_upper=upper)
    answer = solve_exact(program)
    if not isinstance(answer, Optimum):
        raise Unexpected(f"a linear program must have an optimum, got {answer}")
    return answer


def best_utility(graph: Graph, prior: Sequence[str] | None = None) -> Fraction:
    """Return the best utility at λ = 2 for one right guess, proved by its certificate.

    >>> best_utility(SecretGraph.cycle(5))
    Fraction(2, 5)
    """
    best = optimal_mechanism(graph, prior, ratio=2)
    demand(best.is_optimal, f"the mechanism must be proved to be optimal, got {best}")
    with TemporaryDirectory() as folder:
        write_certificate(best, path := Path(folder) / "certificate.json")
        expect(verify_certificate(path), [(1, best.utility, best.utility)], "what is proved")
    return best.utility


# --- channels ------------------------------------------------------------------------------

RESPONSE = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
"""Randomised response of one bit at λ = 2: the truth with probability 2/3."""


def any_channel(inputs: int, outputs: int, draw: random.Random) -> Channel:
    """Draw a channel of small rationals, some of them 0.

    >>> any_channel(2, 3, random.Random(1))
    exact channel, 2 inputs × 3 outputs
         0    1    2
    0    0  1/9  8/9
    1  8/9  1/9    0
    """
    rows = [[draw.choice([0, draw.randint(1, 9)]) for _ in range(outputs)] for _ in range(inputs)]
    for row in rows:
        row[draw.randrange(outputs)] += 1
    return Channel.normalised(rows)


def any_prior(inputs: int, draw: random.Random) -> Distribution:
    """Draw a prior of small rationals, some of them 0.

    >>> any_prior(3, random.Random(1))
    Distribution({0: 1/6, 1: 3/4, 2: 1/12})
    """
    return Distribution.from_counts([draw.randint(0, 9) for _ in range(inputs - 1)] + [1])


def any_cases(count: int, inputs: int, outputs: int) -> Iterator[tuple[Channel, Distribution]]:
    """Draw channels and priors.

    >>> [channel.shape for channel, _ in any_cases(2, 3, 4)]
    [(3, 4), (3, 4)]
    """
    draw = random.Random(SEED)
    return ((any_channel(inputs, outputs, draw), any_prior(inputs, draw)) for _ in range(count))


def drawn_channel(inputs: Iterable[Hashable], outputs: int, draw: random.Random) -> Channel:
    """Draw a channel of small positive rationals.

    >>> drawn_channel("ab", 3, random.Random(1)).shape
    (2, 3)
    """
    labels = tuple(inputs)
    rows = [[draw.randint(1, 9) for _ in range(outputs)] for _ in labels]
    return Channel.normalised(rows, labels)


def drawn_prior(inputs: Iterable[Hashable], draw: random.Random) -> dict[Any, Fraction]:
    """Draw a prior under which every input is possible.

    >>> sum(drawn_prior("ab", random.Random(1)).values())
    Fraction(1, 1)
    """
    weights = {x: draw.randint(1, 9) for x in inputs}
    return {x: Fraction(weight, sum(weights.values())) for x, weight in weights.items()}


def falling(graph: Graph, ratio: Fraction, weights: Sequence[Fraction | int]) -> Channel:
    """Return the private channel s·a_j·λ^−d(i,j), what is left of each row joined to one output.

    s ≤ 1 is the largest scale at which what is left is a private column, too.

    >>> falling(SecretGraph.complete(2), TWO, [1, 0])
    exact channel, 2 inputs × 2 outputs
         0    1
    0  2/3  1/3
    1  1/3  2/3
    """
    used = coverage(graph, ratio, weights)
    steep = max((ratio * used[h] - used[i] for i, h in graph.arcs.tolist()), default=Fraction(0))
    scale = min(1 / max(used), (ratio - 1) / steep) if steep > 0 else 1 / max(used)
    left = [1 - scale * share for share in used]
    powers = [scale * ratio**-d for d in range(graph.order)] + [Fraction(0)]  # no path is −1
    rows = [[a * powers[d] for a, d in zip(weights, row, strict=True)] for row in graph.distances]
    for row, rest in zip(rows, left, strict=True):
        row[left.index(max(left))] += rest
    return Channel(rows, graph.vertices, graph.vertices)


def private_channel(graph: Graph, ratio: Fraction, outputs: int, draw: random.Random) -> Channel:
    """Draw a channel that is private at a ratio, with so many outputs.

    Columns that fall off with the distance as fast as allowed are divided among the outputs.

    >>> private_channel(Graph(2, [(0, 1)]), Fraction(2), 3, random.Random(2))
    exact channel, 2 inputs × 3 outputs
         0    1    2
    0  1/9  1/9  7/9
    1  2/9  2/9  5/9
    """
    steep = falling(graph, ratio, [draw.randint(0, 9) for _ in graph.vertices[1:]] + [1])
    rows = [[draw.choice([0, 0, 1, 5]) for _ in range(outputs)] for _ in graph.vertices]
    for row in rows:
        row[draw.randrange(outputs)] += 1
    return steep.then(Channel.normalised(rows, inputs=graph.vertices))


def sum_of_maxima(channel: Channel) -> Fraction:
    """Return Σ_z max_x K(z|x), from the entries themselves.

    >>> sum_of_maxima(RESPONSE)
    Fraction(4, 3)
    """
    return sum((fraction(max(column)) for column in channel.matrix.T), Fraction(0))


SKEW = Channel([["1/2", "1/4", "1/4"], ["1/4", "3/8", "3/8"]])
"""A channel whose last two outputs are likeliest for the same input."""


def demand_kept(before: Channel, after: Channel, graph: Graph, ratio: Fraction) -> None:
    """Demand a square channel, as leaky as before and private, with its maxima on the diagonal.

    >>> demand_kept(RESPONSE, RESPONSE, SecretGraph.complete(2), TWO)
    """
    expect((after.inputs, after.outputs), (graph.vertices,) * 2, "inputs and outputs")
    demand(bool((after.matrix.sum(axis=1) == 1).all()), "the rows must sum to 1")
    expect(sum_of_maxima(after), sum_of_maxima(before), "Σ max afterwards")
    level = privacy_level(after, graph).ratio
    demand(level <= ratio, f"the ratio must stay at most {ratio} on {graph!r}, got {level}")
    largest = after.matrix.max(axis=0) == after.matrix.diagonal()
    demand(bool(largest.all()), f"the maxima must be on the diagonal on {graph!r}, got {after}")


def event_ratio(channel: Channel, graph: Graph) -> Fraction | float:
    """Return the largest P(S|x) / P(S|x′) over neighbours x ~ x′ and all sets S of outputs.

    >>> event_ratio(RESPONSE, SecretGraph.complete(2))
    Fraction(2, 1)
    """
    rows = [[fraction(p) for p in row] for row in channel.matrix]
    events = list(itertools.product([0, 1], repeat=len(channel.outputs)))
    worst: Fraction | float = Fraction(1)
    for (i, h), event in itertools.product(graph.arcs.tolist(), events):
        here, there = (sum(itertools.compress(rows[x], event), Fraction(0)) for x in (i, h))
        if here:
            worst = max(worst, here / there if there else math.inf)
    return worst
