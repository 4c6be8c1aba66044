"""What does [Edwards2021]_ say about policies, neighbours and privacy, and does it hold?

Definition 2 is computed here to the letter, a second route beside ``difference.py``.
"""

import itertools
import math
import random
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

from leaktight.channels import Channel, parallel
from leaktight.errors import InvalidGraph
from leaktight.policies import (
    Graph,
    Policy,
    SecretGraph,
    secret_difference,
    total_difference,
)
from leaktight.privacy import PrivacyLevel, privacy_level
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import event_ratio, small_graphs

Database: TypeAlias = tuple[Any, ...]
Arrows: TypeAlias = set[tuple[Any, Any]]

NOT_SYMMETRIC = Erratum(
    1,
    "false",
    "“minimally secretly different” is used as a symmetric relation",
    "it is not under constraints: read it either way, and ask for privacy both ways",
)
PROOF_OF_14 = Erratum(
    6,
    "typo",
    "case (c) of the proof ends in “not adjacent” and cites Definition 2.a.i and 2.a.ii",
    "the two databases are adjacent, by Definition 2.b.i and 2.b.ii",
)
LOOPS = Erratum(
    9,
    "typo",
    "E = T² and d(u, v) ≤ θ join a value to itself",
    "a secret graph is simple, as the paper says before Definition 1: only different values are "
    "joined",
)


def _closer(databases: Iterable[Any], secrets: Graph) -> dict[Any, set[Database]]:
    """Return for each secretly different pair (D, D′) the D″ that Definition 2 calls closer."""
    edges, everything = secrets.edge_pairs(), tuple(databases)
    joined, found = {*edges, *((v, u) for u, v in edges)}, {}
    for d in everything:
        total = {
            e: frozenset((i, u, v) for i, (u, v) in enumerate(zip(d, e, strict=True)) if u != v)
            for e in everything
        }
        secret = {e: frozenset(t for t in total[e] if t[1:] in joined) for e in everything}
        different = [e for e in everything if secret[e]]
        for e in everything:
            expect(total_difference(d, e), total[e], f"Δ_T of {d} and {e}")
            expect(secret_difference(d, e, secrets), secret[e], f"Δ_S of {d} and {e}")
        for e in different:
            found[d, e] = {
                f
                for f in different
                if secret[f] < secret[e] or (secret[f] == secret[e] and total[f] < total[e])
            }
    return found


def _arrows(databases: Iterable[Any], secrets: Graph) -> Arrows:
    """Return the pairs D → D′ of Definition 2, to the letter."""
    return {pair for pair, between in _closer(databases, secrets).items() if not between}


def _directions(policy: Policy) -> Arrows:
    """Return the same pairs as the library has them: edges, and which hold one way only."""
    graph = policy.adjacency()
    edges = graph.explicit().edge_pairs()
    return {*edges, *((e, d) for d, e in edges)} - {(e, d) for d, e in graph.one_way}


def _written(pairs: Arrows) -> str:
    """Write arrows as a person does: ``20 → 01``."""
    words = sorted(("".join(map(str, d)), "".join(map(str, e))) for d, e in pairs)
    return ", ".join(f"{d} → {e}" for d, e in words)


def _all_secrets(values: int) -> Iterator[SecretGraph]:
    """Return every secret graph on so many values, isomorphic ones too."""
    pairs = list(itertools.combinations(range(values), 2))
    for chosen in itertools.product([False, True], repeat=len(pairs)):
        yield SecretGraph(values, itertools.compress(pairs, chosen))


def _census(secrets: Graph, records: int) -> Iterator[tuple[tuple[Database, ...], Arrows]]:
    """Return every set of databases, with the arrows of its policy by Definition 2."""
    everything = tuple(itertools.product(secrets.vertices, repeat=records))
    between = _closer(everything, secrets)
    for size in range(1, len(everything) + 1):
        for some in itertools.combinations(everything, size):
            kept = set(some)
            pairs = {p for p in itertools.permutations(some, 2) if p in between}
            yield some, {pair for pair in pairs if not kept & between[pair]}


def _one_way(pairs: Arrows) -> Arrows:
    """Return the arrows that have none back."""
    return {(d, e) for d, e in pairs if (e, d) not in pairs}


def _refusal(values: Iterable[int], edges: list[tuple[int, int]]) -> str:
    """Return the message with which a secret graph is refused, empty if it is not."""
    try:
        SecretGraph.from_edges(values, edges)
    except InvalidGraph as error:
        return str(error)
    return ""


SMALLEST = (SecretGraph(3, [(0, 1)]), ((0, 0), (0, 1), (2, 0)))
"""The secrets and the databases of the smallest policy that is not symmetric."""


@claim(
    "E-D1",
    "A Blowfish policy is a simple graph on the values of a record, whose edges are the secret "
    "pairs, and a set of possible databases.",
)
def definition_1() -> Iterator[str]:
    """A small policy by its predicate and by a list; a graph with a loop."""
    policy = Policy(SecretGraph.complete(3), 2, predicate=lambda d: sum(d) == 2)
    listed = [d for d in itertools.product(range(3), repeat=2) if sum(d) == 2]
    demand(set(policy.databases()) == set(listed), f"got the databases {policy.databases()}")
    demand(policy.database_count == 3, f"there must be 3 databases, got {policy.database_count}")
    yield f"T = {{0, 1, 2}}, n = 2, sum 2: {policy.database_count} databases, {listed}"
    refused = _refusal(range(3), [(0, 1), (1, 1)])
    demand("loop" in refused, f"a loop must be refused, got {refused!r}")
    yield f"refused: {refused}"


def _demand_explained(policy: Policy, secrets: Graph) -> None:
    """Demand both readings of Definition 2 for each pair, with the database in between."""
    possible = policy.databases()
    closer = _closer(possible, secrets)
    for d, e in itertools.permutations(possible, 2):
        said = policy.explain_neighbours(d, e)
        for way, pair in ((said.forth, (d, e)), (said.back, (e, d))):
            between = closer.get(pair)
            expect((way.start, way.end), pair, "the direction that is explained")
            expect(way.holds, between == set(), f"{way}; in between are {between}")
            expect(way.closer in between if between else way.closer is None, True, str(way))
        expect(bool(said), said.forth.holds or said.back.holds, str(said))


@claim(
    "E-D2",
    "D → D′ if some record has a secret pair of values in them and no other such database differs "
    "from D in a part of that only. Under constraints this may hold one way only.",
    Verdict.CORRECTED,
    NOT_SYMMETRIC,
)
def definition_2() -> Iterator[str]:
    """To the letter on every small policy, and by the library."""
    secrets, possible = SMALLEST
    found = _arrows(possible, secrets)
    demand(found == _directions(Policy(secrets, 2, databases=possible)), "two routes differ")
    demand(_one_way(found) == {((2, 0), (0, 1))}, f"found {_written(found)}")
    _demand_explained(Policy(secrets, 2, databases=possible), secrets)
    yield f"E = {{01}}, I = {{00, 01, 20}}: {_written(found)}"

    shapes = [SecretGraph(3, [(0, 1), (1, 2), (0, 2)][:size]) for size in range(4)]
    seen = [(shape, *policy) for shape in shapes for policy in _census(shape, 2)]
    odd = [some for _, some, found in seen if _one_way(found)]
    demand((len(odd), len(seen)) == (680, 2044), f"must be 680 of 2044, got {len(odd)}")
    for shape, some, found in seen[:: len(seen) // 100]:
        demand(found == _directions(Policy(shape, 2, databases=some)), f"routes differ on {some}")
    least = min(map(len, odd))
    demand(least == 3, f"the smallest must have 3 databases, got {least}")
    yield f"n = 2, |T| = 3: {len(odd)} of {len(seen)} policies not symmetric, from |I| = {least} on"

    alone = [found for shape in _all_secrets(3) for _, found in _census(shape, 1)]
    joined = [
        found
        for records, values in ((2, 2), (2, 3), (3, 2))
        for _, found in _census(SecretGraph.complete(values), records)
    ]
    none = [sum(map(bool, map(_one_way, them))) for them in (alone, joined)]
    demand(none == [0, 0], f"all of these must be symmetric, got {none} that are not")
    yield f"one record: {none[0]} of {len(alone)}; all values joined: {none[1]} of {len(joined)}"


@claim(
    "E-D3",
    "The adjacency graph joins databases that are minimally secretly different. As that may hold "
    "one way only, two graphs fit; the one with an edge for either way is safe.",
    Verdict.CORRECTED,
    NOT_SYMMETRIC,
)
def definition_3() -> Iterator[str]:
    """Both readings on the smallest policy where they differ."""
    secrets, possible = SMALLEST
    policy = Policy(secrets, 2, databases=possible)
    graph, both_ways = policy.adjacency(), policy.adjacency("mutual")
    found = _arrows(possible, secrets)
    either = {frozenset(pair) for pair in found}
    mutual = {frozenset(pair) for pair in found - _one_way(found)}
    demand((len(either), len(mutual)) == (2, 1), f"got {len(either)} and {len(mutual)} edges")
    demand(graph.size == len(either), f"the library must have as many, got {graph.size}")
    demand(both_ways.size == len(mutual), f"both ways it must have as many, got {both_ways.size}")
    yield f"I = {{00, 01, 20}}: {len(either)} edges read either way, {len(mutual)} read both ways"
    yield f"d(00, 20) = {graph.distance((0, 0), (2, 0))} in the graph used here"


@claim(
    "E-T4",
    "If every database is possible, two are neighbours exactly if they differ in one record, along "
    "a secret pair: the adjacency graph is the Cartesian power of the secret graph.",
)
def theorem_4() -> Iterator[str]:
    """The library's product against Definition 2."""
    line = Policy(SecretGraph.line(3), 2)
    size = len(_arrows(line.databases(), line.secrets)) // 2
    demand(size == line.adjacency().size == 12, f"{size} and {line.adjacency().size} edges")
    yield f"a path of three values, two records: {size} edges"
    compared = 0
    for values, most in ((1, 3), (2, 3), (3, 2), (4, 1)):
        for secrets in _all_secrets(values):
            for records in range(1, most + 1):
                found = _arrows(itertools.product(range(values), repeat=records), secrets)
                if records == 1:  # a database of one record is its value
                    found = {(u, v) for (u,), (v,) in found}
                same = _directions(Policy(secrets, records)) == found
                demand(same, f"{records} records of {secrets} differ from their product")
                compared += 1
    demand(compared == 89, f"{compared} policies compared")
    yield f"{compared} policies: the power is what Definition 2 gives, pair by pair"


@claim(
    "E-Fig1",
    "The threshold graphs on four values, and the adjacency graphs of two records.",
    Verdict.DRAWING,
)
def figure_1() -> Iterator[str]:
    """The library's product against Definition 2."""
    sizes = []
    for theta in (1, 2, 3):
        policy = Policy(SecretGraph.threshold([1, 2, 3, 4], distance=theta), 2)
        sizes.append(policy.adjacency().size)
        listed = len(_arrows(policy.databases(), policy.secrets)) // 2
        demand(listed == sizes[-1], f"θ = {theta}: {listed} edges by Definition 2, {sizes[-1]}")
    demand(sizes == [24, 40, 48], f"there must be 24, 40, 48 edges, got {sizes}")
    yield f"T = [4], n = 2, θ = 1, 2, 3: {sizes} edges, by Theorem 4 and by Definition 2"


@claim(
    "E-Ex5",
    "A distance threshold joins two different values that are at most θ apart.",
    Verdict.CORRECTED,
    LOOPS,
)
def example_5() -> Iterator[str]:
    """The library's graph against all pairs of values."""
    found = []
    for theta in (1, 2, 3):
        graph = SecretGraph.threshold([1, 2, 3, 4], distance=theta)
        near = {(u, v) for u in range(1, 5) for v in range(u + 1, 5) if v - u <= theta}
        demand(set(graph.edge_pairs()) == near, f"edges {graph.edge_pairs()} at θ = {theta}")
        found.append((graph.size, graph.diameter, graph.radius))
    demand(found == [(3, 3, 2), (5, 2, 1), (6, 1, 1)], f"edges, diameter, radius: {found}")
    yield f"T = [4], θ = 1, 2, 3: (edges, diameter, radius) = {found}"
    printed = [(u, v) for u in range(1, 5) for v in range(u, 5) if v - u <= 1]
    loops = sum(u == v for u, v in printed)
    demand("loop" in _refusal(range(1, 5), printed), "the graph as printed must be refused")
    yield f"as printed, θ = 1 joins {len(printed)} pairs, {loops} of them loops, as d(u, u) = 0 ≤ θ"


def _demand_witness(channel: Channel, level: PrivacyLevel, graph: Graph) -> None:
    """Demand that neighbours and an output are named which have the ratio, and that ε = ln λ."""
    worst = level.witness
    if worst is None:
        demand(level.ratio == 1, f"the ratio {level.ratio} must have a witness")
        return
    high, low = (Fraction(channel[x, worst.output]) for x in (worst.input, worst.neighbour))
    demand(graph.distance(worst.input, worst.neighbour) == 1, f"{worst} must be about neighbours")
    expect(level.ratio, high / low if low else math.inf, f"the ratio that {worst} has")
    demand(math.isclose(level.epsilon, math.log(level.ratio)), f"ε = {level.epsilon}: {level}")


@claim(
    "E-D6",
    "Private means K(z|x) ≤ e^ε·K(z|x′) for neighbours, each output and each way; sets of outputs "
    "ask no more. ε = 0 and zeros are allowed. Differential privacy implies it with another ε only "
    "where neighbours differ in several records.",
    Verdict.CORRECTED,
    LOOPS,
)
def definition_6() -> Iterator[str]:
    """Output by output against all sets of outputs, and what is not implied."""
    pair, answer = SecretGraph.complete(2), Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    level = privacy_level(answer, pair).ratio
    demand(level == event_ratio(answer, pair) == 2, f"the ratio must be 2, got {level}")
    draw, shapes = random.Random(6), [graph for graph in small_graphs(4) if graph.size]
    for graph in shapes:
        weights = [[draw.choice([0, 1, 2, 5]) for _ in range(4)] + [1] for _ in graph.vertices]
        one = Channel.normalised(weights)
        levels = [privacy_level(one, graph).ratio, event_ratio(one, graph)]
        demand(levels[0] == levels[1], f"outputs and sets of them differ on {graph}: {levels}")
        _demand_witness(one, privacy_level(one, graph), graph)
    yield f"randomised response: ratio {level}, by all sets too; so on {len(shapes)} more graphs"

    skew = Channel([["3/4", "1/4"], ["2/5", "3/5"]])
    there = max(skew[0, z] / skew[1, z] for z in skew.outputs)
    both = privacy_level(skew, pair).ratio
    demand((there, both) == (Fraction(15, 8), Fraction(12, 5)), f"got {there} and {both}")
    yield f"rows (3/4, 1/4), (2/5, 3/5): ratio {there} one way, {both} both ways"

    zeros = [[[1, 0], [1, 0]], [["1/2", "1/2"], [1, 0]]]
    levels = [privacy_level(Channel(rows), pair).ratio for rows in zeros]
    demand(levels == [1, math.inf], f"the ratios must be 1 and ∞, got {levels}")
    yield f"0 against 0 is fine: ratio {levels[0]}; 1/2 against 0 has ratio {levels[1]}"

    twice = parallel(answer, answer).expand()
    free, tied = Policy(pair, 2), Policy(pair, 2, databases=[(0, 0), (1, 1)])
    before = privacy_level(twice, free).ratio
    after = privacy_level(twice.restrict(tied.databases()), tied).ratio
    demand(_directions(tied) == _arrows(tied.databases(), pair), "two routes differ on {00, 11}")
    demand((before, after) == (2, 4), f"the ratios must be 2 and 4, got {before} and {after}")
    yield f"two such answers: ratio {before} if all is possible, {after} if I = {{00, 11}}"


@claim(
    "E-Ex10",
    "For numbers, the adjacency graph of a threshold is connected exactly if no two consecutive "
    "values are more than θ apart.",
)
def example_10() -> Iterator[str]:
    """Connected or not, against the gaps between the values."""
    joins = [
        theta
        for theta in range(1, 8)
        if Policy(SecretGraph.threshold([0, 1, 3, 7], theta), 2).adjacency().is_connected
    ]
    demand(joins == [4, 5, 6, 7], f"it must be connected from 4 on, got {joins}")
    yield f"T = {{0, 1, 3, 7}}: connected from θ = {joins[0]} on"
    draw, connected, tried = random.Random(10), 0, 300
    for _ in range(tried):
        values, theta = draw.sample(range(30), draw.randint(1, 7)), draw.randint(0, 9)
        gaps = [b - a for a, b in itertools.pairwise(sorted(values))]
        graph = Policy(SecretGraph.threshold(values, theta), 2).adjacency()
        demand(graph.is_connected == (max(gaps, default=0) <= theta), f"{values} at θ = {theta}")
        connected += graph.is_connected
    yield f"{tried} random sets of numbers: {connected} connected, just those with no wider gap"


@claim(
    "E-T14",
    "Every finite simple graph is the adjacency graph of a policy: of one record whose values are "
    "the vertices and whose secret pairs are the edges.",
    Verdict.HOLDS,
    PROOF_OF_14,
)
def theorem_14() -> Iterator[str]:
    """Every graph of up to five vertices, by Definition 2 and by the library."""
    orders = []
    for graph in small_graphs(5):
        rows = [(vertex,) for vertex in graph.vertices]
        by_definition = {(u, v) for (u,), (v,) in _arrows(rows, graph)}
        listed = Policy(graph, databases=graph.vertices)
        demand(Policy.of_graph(graph).adjacency().explicit() == graph, f"another graph for {graph}")
        demand(_directions(listed) == by_definition, f"routes differ on {graph}")
        found = {(u, v) for u, v in by_definition if u < v}
        demand(found == set(graph.edge_pairs()), f"Definition 2 gives {found}, not {graph}")
        orders.append(graph.order)
    small = sum(order <= 4 for order in orders)
    demand((small, len(orders)) == (18, 52), f"must be 18 of 52, got {small} of {len(orders)}")
    yield f"all {len(orders)} graphs of up to 5 vertices ({small} of up to 4), by Definition 2"
