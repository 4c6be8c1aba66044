"""Which one inequality is behind all bounds from ε to leakage, and how far does it reach?

Let q = 1/λ, q^∞ = 0, and d the distance of the graph. Weights b ≥ 0 on the vertices *cover* the
graph if Σ_i b_i·q^d(i,j) ≥ 1 for every vertex j; then Σ_z max_x K(z|x) ≤ Σ b for every private
channel K. The claims here are ours; the proofs are in docs/proofs/cover-bound.md.
"""

import itertools
import random
from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.exact.numbers import Array, exact_array, fraction
from leaktight.leakage.capacity import min_capacity
from leaktight.mechanisms.best import worst_case_with_outputs
from leaktight.papers.claim import claim, claims_of, demand
from leaktight.papers.evidence import (
    both_ways,
    disjoint,
    largest_sum,
    private_channel,
    radii_and_diameters,
    small_graphs,
    smallest_cover,
)
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Neighbours, Policy, adjacency_of
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetry import distance_regularity, vertex_transitivity
from leaktight.privacy.level import privacy_level
from leaktight.worst_case.columns import (
    Cover,
    DistanceMechanism,
    column_optimum,
    coverage,
    weighting,
)
from leaktight.worst_case.optimum import worst_case_leakage
from leaktight.worst_case.published import hamming_code, leakage_bounds, repetition_code

PROOF = "Ours: docs/proofs/cover-bound.md"

TWO = Fraction(2)

RATIOS = tuple(map(Fraction, ("1", "6/5", "17/10", "2", "3", "8")))
"""The ratios at which all graphs of up to six vertices are compared."""


@claim(
    "E-T11-dual",
    PROOF,
    "If weights b ≥ 0 cover the graph, Σ_i b_i·λ^−d(i,j) ≥ 1 for every j, then no private channel "
    "has Σ_z max_x K(z|x) above Σ b, so that no prior leaks more than log Σ b.",
)
def dual_bound() -> Iterator[str]:
    """A cover that is attained; then random ones, column by column as in the proof."""
    line, weights = SecretGraph.line(4), exact_array(["2/3", "1/3", "1/3", "2/3"])
    covered = coverage(line, TWO, weights).tolist()
    demand(covered == [1] * 4, f"the coverage must be 1 everywhere, got {covered}")
    total, worst = fraction(weights.sum()), largest_sum(4, both_ways(line), TWO)
    demand(total == worst == 2, f"Σ b and the worst case must be 2, got {total} and {worst}")
    printed = radii_and_diameters(line, TWO)[1]
    demand(printed == 8, f"Theorem 11 must say 8, got {printed}")
    yield f"path of 4, λ = 2, b = ({_listed(weights)}): attained, {total}; Theorem 11: {printed}"

    draw, graphs, reached = random.Random(11), list(small_graphs(5)), []
    for graph in graphs:
        ratio, weights = draw.choice(RATIOS), exact_array(draw.choices(range(1, 9), k=graph.order))
        bound = Cover.of(graph, ratio, weights).bound
        weights = weights * (bound / weights.sum())
        channel = private_channel(graph, ratio, 4, draw)
        for column in channel.matrix.T:
            demand(weights @ column >= column.max(), f"b·c < max c: {column} on {graph}")
        leaked = min_capacity(channel).factor
        demand(leaked <= fraction(bound), f"{leaked} is above {bound} on {graph}")
        reached.append(float(leaked / fraction(bound)))
    low, high = min(reached), max(reached)
    yield f"{len(graphs)} random channels have {low:.2f} to {high:.2f} of what random covers allow"


@claim(
    "D-instances",
    PROOF,
    "The bounds of all papers from ε to leakage are sums of covers, but for Proposition 2 of "
    "[Alvim2011b] for few outputs: equal weights that sum to it need not cover the likeliest rows.",
)
def instances() -> Iterator[str]:
    """Each bound from its own formula, and its cover."""
    split = disjoint(SecretGraph.line(3), SecretGraph.complete(2))
    three, seven = (Policy(SecretGraph.complete(2), records) for records in (3, 7))
    hamming = [word for word in seven.databases() if _is_hamming(word)]
    few: list[tuple[Neighbours, str, Mapping[Any, int]]] = [
        (split, "number of databases: |X|", dict.fromkeys(range(5), 1)),
        (split, "Theorem 11 of [Edwards2021]: diameters", {0: 4, 3: 2}),
        (split, "Theorem 11 of [Edwards2021]: radii (ours)", {1: 2, 3: 2}),
        (SecretGraph.complete(5), "Lemma 4 of [Alvim2011b]: λ", {0: 2}),
        (three, "Corollary 2 of [Barthe2011]: code of one word", {(0, 0, 0): 8}),
        (three, "Corollary 3 of [Barthe2011]: repetition code", {(0, 0, 0): 2, (1, 1, 1): 2}),
        (seven, "Theorem 4 of [Barthe2011]: Hamming codes", dict.fromkeys(hamming, 2)),
    ]
    for source, name, points in few:
        graph, bound = adjacency_of(source).explicit(), _bound(source, name)
        weights = exact_array([points.get(vertex, 0) for vertex in graph.vertices])
        demand(fraction(weights.sum()) == bound, f"{name}: {bound}, but Σ b = {weights.sum()}")
        demand(coverage(graph, TWO, weights).min() >= 1, f"{name}: the weights do not cover")
    yield f"{len(few)} bounds at λ = 2 are sums of covers with weights on a few databases"

    even: dict[str, Neighbours] = {
        "Theorem 1 of [Alvim2011b]: (vλ/(v−1+λ))^u": Policy(SecretGraph.complete(3), 2),
        "Theorem 3 of [Alvim2011b]: |X|·α(c, n)": SecretGraph.cycle(5),
        "Theorem 1 of [Alvim2011a]: |X| / Σ n_d λ^−d": _petersen(),
        "Theorem 3 of [Barthe2011]: 2λ/(λ+1)": SecretGraph.complete(2),
        "Corollary 4 of [Barthe2011]: least |X|·λ^d / |Ball_d|": seven,
    }
    values = []
    for name, source in even.items():
        graph, bound = adjacency_of(source).explicit(), _bound(source, name)
        weights = exact_array([bound / graph.order] * graph.order)
        demand(coverage(graph, TWO, weights).min() >= 1, f"{name}: equal weights do not cover")
        values.append(bound)
    expected = [Fraction(9, 4), TWO, Fraction(5, 2), Fraction(4, 3), Fraction(16)]
    demand(values == expected, f"the bounds must be {_listed(expected)}, got {_listed(values)}")
    yield f"{len(values)} more are sums of covers with equal weights: {_listed(values)}"

    trits = Policy(SecretGraph.complete(3), 3)
    graph = trits.adjacency().explicit()
    rows = {(0, 0, 0), *itertools.product((1, 2), repeat=3)}
    each = _bound(trits, "Proposition 2 of [Alvim2011b]: r outputs", len(rows)) / len(rows)
    weights = exact_array([each if vertex in rows else 0 for vertex in graph.vertices])
    covered = fraction(coverage(graph, TWO, weights)[graph.index((0, 0, 0))])
    demand(covered == Fraction(4, 5), f"000 must be covered 4/5, got {covered}")
    yield f"Proposition 2, u = v = 3, rows 000 and {{1, 2}}³: 000 is covered only {covered}"


@claim(
    "D-radius",
    PROOF,
    "Radii may replace the diameters of Theorem 11: worst case ≤ best cover ≤ Σ λ^radius ≤ "
    "Σ λ^diameter. For ε > 0 no channel on a graph with an edge attains the last.",
)
def radius() -> Iterator[str]:
    """All graphs of up to six vertices at six ratios, component by component."""
    known: dict[tuple[Hashable, Fraction], tuple[Fraction, Fraction]] = {}
    tried = better = gaps = 0
    for graph in small_graphs(6):
        parts = [graph.subgraph(component) for component in graph.components]
        names = [_canonical(part) for part in parts]
        for ratio in RATIOS:
            for name, part in zip(names, parts, strict=True):
                if (name, ratio) not in known:
                    known[name, ratio] = _worst_and_cover(part, ratio)
            found = [known[name, ratio] for name in names]
            worst, cover = (sum(numbers) for numbers in zip(*found, strict=True))
            radii, diameters = radii_and_diameters(graph, ratio)
            demand(worst <= cover <= radii <= diameters, f"{graph} at {ratio}: {worst}, {cover}")
            demand(worst < diameters or ratio == 1 or not graph.size, f"{graph} attains it")
            tried, better, gaps = tried + 1, better + (radii < diameters), gaps + (worst < cover)
    demand((tried, better) == (1248, 700), f"radii must be better in 700 of 1248, got {better}")
    yield f"{tried} instances: radii are better in {better}; no channel attains the diameters"
    demand(gaps == 47, f"the worst case must be below the best cover in 47, got {gaps}")
    yield f"the worst case is below the best cover in {gaps} of them"


@claim(
    "E-T11-radtight",
    PROOF,
    "The bound with radii is attained at a fixed ε, by stars and spiders; the one with diameters "
    "never is if ε > 0 and there is an edge.",
)
def radius_is_tight() -> Iterator[str]:
    """A channel for the star, the worst case of the spider, and small graphs by definition."""
    star = Graph(4, [(0, 1), (0, 2), (0, 3)])
    leaves = [["2/3" if i == j else "1/6" for j in range(3)] for i in range(3)]
    legs = [edge for i in range(1, 13, 2) for edge in ((0, i), (i, i + 1))]
    spider = Graph(13, legs)
    for name, graph, channel, expected in (
        ("star of 3", star, Channel([["1/3"] * 3, *leaves]), (2, 2, 4)),
        ("spider of 6 legs of 2", spider, worst_case_leakage(spider, TWO).mechanism, (4, 4, 16)),
    ):
        demand(privacy_level(channel, graph).ratio <= TWO, f"{name}: the channel is not private")
        found = [min_capacity(channel).factor, *radii_and_diameters(graph, TWO)]
        demand(found == [*expected], f"{name}: must be {expected}, got {found}")
        yield f"{name}, λ = 2: {found[0]} is attained; radii say {found[1]}, diameters {found[2]}"
    by_definition = largest_sum(4, both_ways(star), TWO)
    demand(by_definition == 2, f"the worst case of the star must be 2, got {by_definition}")

    joined = [graph for graph in small_graphs(4) if graph.size]
    for graph, ratio in itertools.product(joined, (Fraction(6, 5), Fraction(8))):
        worst = largest_sum(graph.order, both_ways(graph), ratio)
        most = radii_and_diameters(graph, ratio)[1]
        demand(worst < most, f"{graph} attains {most} at {ratio}")
    yield f"{len(joined)} graphs of up to 4 vertices with an edge: none attains the diameters"


@claim(
    "E-T11-gap",
    "Ours: docs/proofs/columns.md",
    "Covers do not always give the worst case: on some trees it is smaller than the sum of every "
    "cover, and prices that prove it are negative at a vertex.",
)
def gap() -> Iterator[str]:
    """Two trees by both programs; the prices against every extreme private column."""
    fork, ratio = Graph(5, [(0, 1), (1, 2), (2, 3), (2, 4)]), Fraction(7, 4)
    worst, cover = largest_sum(5, both_ways(fork), ratio), smallest_cover(fork, ratio)[0]
    demand((worst, cover) == (Fraction(89, 44), Fraction(635, 308)), f"got {worst} and {cover}")
    demand(column_optimum(fork, ratio).value == worst, "the two routes to the worst case differ")
    yield f"tree 01, 12, 23, 24 at λ = {ratio}: worst case {worst} < best cover {cover}"

    tree = Graph(6, [(0, 1), (1, 2), (1, 4), (1, 5), (2, 3)])
    cover, weights, packing = smallest_cover(tree, TWO)
    demand(coverage(tree, TWO, weights).min() >= 1, f"{weights} do not cover")
    demand(coverage(tree, TWO, packing).max() <= 1, f"{packing} do not pack")
    demand(weights.sum() == packing.sum(), "the cover and the packing that proves it differ")
    best = worst_case_leakage(tree, TWO)
    demand(privacy_level(best.mechanism, tree).ratio <= TWO, "the channel is not private")
    worst = best.upper
    demand((worst, cover) == (Fraction(7, 3), Fraction(12, 5)), f"got {worst} and {cover}")
    demand(min_capacity(best.mechanism).factor == worst, "the channel does not attain it")
    yield f"tree 01, 12, 14, 15, 23 at λ = 2: worst case {worst} < best cover {cover}"
    prices = exact_array([0, 2, "-1/3", "2/3", 0, 0])
    columns = list(_extreme_columns(tree, TWO))
    demand(all(prices @ c >= c.max() for c in columns), "a private column costs less than it earns")
    demand(fraction(prices.sum()) == worst, f"the prices must sum to {worst}, not {prices.sum()}")
    yield f"its prices ({_listed(prices)}) hold for all {len(columns)} extreme columns"

    ratios = [Fraction(k, 20) for k in range(21, 81)]
    small = [graph for graph in small_graphs(4) if graph.is_connected]
    for graph, ratio in itertools.product(small, ratios):
        worst, cover = _worst_and_cover(graph, ratio)
        demand(worst == cover, f"{graph} at {ratio}: {worst} < {cover}")
    ends = f"{float(ratios[0])} to {float(ratios[-1])}"
    yield f"{len(small)} connected graphs of up to 4 vertices, {len(ratios)} ratios {ends}: no gap"


@claim(
    "D-normalised",
    PROOF,
    "Any weights divided by their least coverage are a cover. For a code C that gives "
    "|C| / min_w Σ_{c∈C} λ^−d(c,w), never above |C|·λ^R of Theorem 4 of [Barthe2011].",
)
def normalised() -> Iterator[str]:
    """Two codes of seven bits, by their formulas and on all 128 words."""
    bits = Policy(SecretGraph.complete(2), 7)
    worst, graph = worst_case_leakage(bits, TWO).upper, bits.adjacency().explicit()
    demand(worst == Fraction(4, 3) ** 7, f"the worst case must be (4/3)^7, got {worst}")
    repeated = [len(set(word)) == 1 for word in graph.vertices]  # type: ignore[call-overload]
    for name, code, words, expected in (
        ("Hamming", hamming_code(3), map(_is_hamming, graph.vertices), (32, Fraction(1024, 135))),
        ("repetition", repetition_code(7), repeated, (16, Fraction(32, 3))),
    ):
        found = [code.bound(TWO).value, code.normalised_bound(TWO).value]
        demand(found == [*expected], f"{name}: must be {expected}, got {found}")
        listed = fraction(Cover.of(graph, TWO, exact_array(map(int, words))).bound)
        demand(listed == found[1], f"{name}: {listed} on all words, {found[1]} by the formula")
        demand(worst <= found[1] <= found[0], f"{name}: {found} against {worst}")
        yield f"{name} code of 7 bits, λ = 2: {found[0]} becomes {found[1]} ≈ {float(found[1]):.3f}"
    yield f"the worst case is {worst} ≈ {float(worst):.4f}"


@claim(
    "D-forms",
    f"{PROOF}; with two outputs by computation",
    "The worst case is 1 + (m−1)(λ−1)/(λ+1) on a path of m, and |V| / Σ n_d·λ^−d if all vertices "
    "see n_d others at distance d. With two outputs, u ≤ 5 bits and λ = 2 it is 2 − 2^(−u/2) if u "
    "is even and 2 − (2/3)·2^(−(u−1)/2) if u is odd.",
)
def closed_forms() -> Iterator[str]:
    """Formulas against the program of the definition."""
    ratios, lengths = (Fraction(3, 2), Fraction(5)), range(1, 7)
    for m, ratio in itertools.product(lengths, ratios):
        formula = 1 + (m - 1) * (ratio - 1) / (ratio + 1)
        worst = largest_sum(m, both_ways(SecretGraph.line(m)), ratio)
        demand(worst == formula, f"path of {m} at {ratio}: {worst}, the formula says {formula}")
    yield f"paths of 1 to {m} at λ = {_listed(ratios)}: as the formula says, at last {formula}"

    rings = disjoint(SecretGraph.cycle(3), SecretGraph.cycle(4))
    apart = [pair for pair in itertools.combinations(range(7), 2) if pair not in rings.edge_pairs()]
    plain = Graph(7, apart)
    demand(not vertex_transitivity(plain), "the complement of C3 + C4 must not be transitive")
    demand(not distance_regularity(plain), "the complement of C3 + C4 must not be regular")
    values = []
    for graph in (plain, disjoint(*[SecretGraph.complete(2)] * 2), _petersen()):
        counts = graph.distance_counts
        demand((counts == counts[0]).all(), f"{graph} must look the same from every vertex")
        formula = graph.order / sum(n / TWO**d for d, n in enumerate(counts[0].tolist()))
        worst = largest_sum(graph.order, both_ways(graph), TWO)
        demand(worst == formula, f"{graph}: {worst}, the formula says {formula}")
        values.append(worst)
    yield f"complement of C3 + C4, two K2, Petersen's graph at λ = 2: {_listed(values)}"

    values = []
    for u in range(1, 6):
        graph = Policy(SecretGraph.complete(2), u).adjacency().explicit()
        # All words are alike, so one output may be likeliest at 0…0; the other has k ones.
        peaks = [(0, 2**k - 1) for k in range(1, u + 1)]
        worst = max(largest_sum(2**u, both_ways(graph), TWO, both) for both in peaks)
        formula = 2 - TWO ** -(u // 2) * (Fraction(2, 3) if u % 2 else 1)
        demand(worst == formula, f"{u} bits: {worst}, the formula says {formula}")
        if u <= 3:
            listed = worst_case_with_outputs(graph, 2, ratio=2).upper
            demand(worst == listed, f"{u} bits: {worst}, over all pairs of words {listed}")
        values.append(worst)
    yield f"two outputs on 1 to {u} bits at λ = 2: {_listed(values)}"


# --- covers, graphs and codes --------------------------------------------------------------


def _worst_and_cover(graph: Graph, ratio: Fraction) -> tuple[Fraction, Fraction]:
    """Return the worst case of a connected graph and the sum of its best cover."""
    one = exact_array([1] + [0] * (graph.order - 1))  # at λ = 1 it covers all
    weights = weighting(graph, ratio) if ratio > 1 else one
    if weights is None:
        cover, _, weights = smallest_cover(graph, ratio)
    else:
        cover = fraction(Cover.of(graph, ratio, weights).bound)
    if fraction(DistanceMechanism.of(graph, ratio, weights).value) == cover:
        return cover, cover
    return column_optimum(graph, ratio).value, cover


def _bound(source: Neighbours, name: str, outputs: int | None = None) -> Fraction:
    """Return what a published bound says at λ = 2."""
    table = leakage_bounds(source, TWO, outputs=outputs)
    return next(bound.value for bound in table if str(bound) == name)


def _extreme_columns(tree: Graph, ratio: Fraction) -> Iterator[Array]:
    """List the private columns of a tree that go up or down by the ratio along every edge.

    All others are sums of these. The edges must lead away from vertex 0, in the order given.
    """
    for steps in itertools.product((ratio, 1 / ratio), repeat=tree.size):
        column = {0: Fraction(1)}
        for (i, j), step in zip(tree.edges.tolist(), steps, strict=True):
            column[j] = column[i] * step
        yield exact_array([column[i] for i in range(tree.order)])


def _canonical(graph: Graph) -> Hashable:
    """Return what isomorphic graphs have in common."""
    drawn = graph.to_igraph()
    edges = drawn.permute_vertices(drawn.canonical_permutation()).get_edgelist()
    return graph.order, frozenset(map(frozenset, edges))


def _petersen() -> Graph:
    pairs = list(itertools.combinations(range(5), 2))
    return Graph(pairs, [(a, b) for a, b in itertools.combinations(pairs, 2) if not {*a} & {*b}])


def _is_hamming(word: Any) -> bool:
    """Say whether seven bits are a word of the Hamming code: each check bit's places are even."""
    places = [place for place, bit in enumerate(word, 1) if bit]
    return not any(sum(1 for place in places if place & check) % 2 for check in (1, 2, 4))


def _listed(numbers: Any) -> str:
    return ", ".join(map(str, numbers))


CLAIMS = claims_of(dict(vars()))
