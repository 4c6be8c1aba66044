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

from flint import fmpq, fmpq_mat

from leaktight.channels import Channel
from leaktight.exact import fraction
from leaktight.leakage import min_capacity
from leaktight.mechanisms import worst_case_with_outputs
from leaktight.policies import Graph, Policy, SecretGraph
from leaktight.privacy import privacy_level
from leaktight.worst_case import hamming_code, leakage_bounds, repetition_code, worst_case_leakage
from leaktight_papers.claim import claim, demand, expect
from leaktight_papers.evidence import (
    FORK,
    PETERSEN,
    SEVEN,
    TREE,
    TWO,
    coverage,
    databases,
    disjoint,
    falling,
    listed,
    optimum,
    private_channel,
    radii_and_diameters,
    scaled_cover,
    small_graphs,
    smallest_cover,
    sum_of_maxima,
)

PROOF = "Ours: docs/proofs/cover-bound.md"

RATIOS = tuple(map(Fraction, ("1", "6/5", "17/10", "2", "3", "8")))
"""The ratios at which all graphs of up to six vertices are compared."""


@claim(
    "E-T11-dual",
    "If weights b ≥ 0 cover the graph, Σ_i b_i·λ^−d(i,j) ≥ 1 for every j, then no private channel "
    "has Σ_z max_x K(z|x) above Σ b, so that no prior leaks more than log Σ b.",
    source=PROOF,
)
def dual_bound() -> Iterator[str]:
    """A cover that is attained; then random ones, column by column as in the proof."""
    line, weights = SecretGraph.line(4), [*map(Fraction, ("2/3", "1/3", "1/3", "2/3"))]
    expect(coverage(line, TWO, weights), [1] * 4, "the coverage of each vertex")
    total, worst = sum(weights), optimum(line, TWO)
    demand(total == worst == 2, f"Σ b and the worst case must be 2, got {total} and {worst}")
    printed = radii_and_diameters(line, TWO)[1]
    demand(printed == 8, f"Theorem 11 must say 8, got {printed}")
    yield f"path of 4, λ = 2, b = ({listed(weights)}): attained, {total}; Theorem 11: {printed}"

    draw, graphs, reached = random.Random(11), list(small_graphs(5)), []
    for graph in graphs:
        ratio, drawn = draw.choice(RATIOS), draw.choices(range(1, 9), k=graph.order)
        bound = scaled_cover(graph, ratio, drawn)
        weights = [weight * bound / sum(drawn) for weight in drawn]
        channel = private_channel(graph, ratio, 4, draw)
        for column in channel.matrix.T:
            entries = [*map(fraction, column)]
            paid = sum(map(Fraction.__mul__, weights, entries))
            demand(paid >= max(entries), f"b·c < max c: {column} on {graph}")
        leaked = min_capacity(channel).factor
        demand(leaked <= bound, f"{leaked} is above {bound} on {graph}")
        reached.append(float(leaked / bound))
    low, high = min(reached), max(reached)
    yield f"{len(graphs)} random channels have {low:.2f} to {high:.2f} of what random covers allow"


@claim(
    "D-instances",
    "The bounds of all papers from ε to leakage are sums of covers, but for Proposition 2 of "
    "[Alvim2011b] for few outputs: equal weights that sum to it need not cover the likeliest rows.",
    source=PROOF,
)
def instances() -> Iterator[str]:
    """Each bound from its own formula, and its cover."""
    split = disjoint(SecretGraph.line(3), SecretGraph.complete(2))
    three, seven = (Policy(SecretGraph.complete(2), records) for records in (3, 7))
    hamming = [word for word in seven.databases() if _is_hamming(word)]
    few: list[tuple[Policy | Graph, str, Mapping[Any, int]]] = [
        (split, "number of databases: |X|", dict.fromkeys(range(5), 1)),
        (split, "Theorem 11 of [Edwards2021]: diameters", {0: 4, 3: 2}),
        (split, "Theorem 11 of [Edwards2021]: radii (ours)", {1: 2, 3: 2}),
        (SecretGraph.complete(5), "Lemma 4 of [Alvim2011b]: λ", {0: 2}),
        (three, "Corollary 2 of [Barthe2011]: code of one word", {(0, 0, 0): 8}),
        (three, "Corollary 3 of [Barthe2011]: repetition code", {(0, 0, 0): 2, (1, 1, 1): 2}),
        (seven, "Theorem 4 of [Barthe2011]: Hamming codes", dict.fromkeys(hamming, 2)),
    ]
    for source, name, points in few:
        graph, bound = _explicit(source), _bound(source, name)
        places = [points.get(vertex, 0) for vertex in graph.vertices]
        expect(sum(places), bound, f"{name}: Σ b")
        demand(min(coverage(graph, TWO, places)) >= 1, f"{name}: the weights do not cover")
    yield f"{len(few)} bounds at λ = 2 are sums of covers with weights on a few databases"

    even: dict[str, Policy | Graph] = {
        "Theorem 1 of [Alvim2011b]: (vλ/(v−1+λ))^u": Policy(SecretGraph.complete(3), 2),
        "Theorem 3 of [Alvim2011b]: |X|·α(c, n)": SecretGraph.cycle(5),
        "Theorem 1 of [Alvim2011a]: |X| / Σ n_d λ^−d": PETERSEN,
        "Theorem 3 of [Barthe2011]: 2λ/(λ+1)": SecretGraph.complete(2),
        "Corollary 4 of [Barthe2011]: least |X|·λ^d / |Ball_d| (ours)": seven,
    }
    values = []
    for name, source in even.items():
        graph, bound = _explicit(source), _bound(source, name)
        weights = [bound / graph.order] * graph.order
        demand(min(coverage(graph, TWO, weights)) >= 1, f"{name}: equal weights do not cover")
        values.append(bound)
    expected = [Fraction(9, 4), TWO, Fraction(5, 2), Fraction(4, 3), Fraction(16)]
    demand(values == expected, f"the bounds must be {listed(expected)}, got {listed(values)}")
    yield f"{len(values)} more are sums of covers with equal weights: {listed(values)}"

    trits = Policy(SecretGraph.complete(3), 3)
    graph = trits.adjacency().explicit()
    rows = {(0, 0, 0), *itertools.product((1, 2), repeat=3)}
    each = _bound(trits, "Proposition 2 of [Alvim2011b]: r outputs", len(rows)) / len(rows)
    weights = [each if vertex in rows else Fraction(0) for vertex in graph.vertices]
    covered = coverage(graph, TWO, weights)[graph.index((0, 0, 0))]
    demand(covered == Fraction(4, 5), f"000 must be covered 4/5, got {covered}")
    yield f"Proposition 2, u = v = 3, rows 000 and {{1, 2}}³: 000 is covered only {covered}"


@claim(
    "D-radius",
    "Radii may replace the diameters of Theorem 11: worst case ≤ best cover ≤ Σ λ^radius ≤ "
    "Σ λ^diameter. For ε > 0 no channel on a graph with an edge attains the last.",
    source=PROOF,
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
    "The bound with radii is attained at a fixed ε, by stars and spiders; the one with diameters "
    "never is if ε > 0 and there is an edge.",
    source=PROOF,
)
def radius_is_tight() -> Iterator[str]:
    """A channel for the star, the worst case of the spider, and small graphs by definition."""
    star = Graph(4, [(0, 1), (0, 2), (0, 3)])
    leaves = [["2/3" if i == j else "1/6" for j in range(3)] for i in range(3)]
    legs = [edge for i in range(1, 13, 2) for edge in ((0, i), (i, i + 1))]
    spider = Graph(13, legs)
    for name, graph, channel, expected in (
        ("star of 3", star, Channel([["1/3"] * 3, *leaves]), (2, 2, 4)),
        (
            "spider of 6 legs of 2",
            spider,
            worst_case_leakage(spider, TWO).pieces[0].channel(),
            (4, 4, 16),
        ),
    ):
        demand(privacy_level(channel, graph).ratio <= TWO, f"{name}: the channel is not private")
        found = [min_capacity(channel).factor, *radii_and_diameters(graph, TWO)]
        demand(found == [*expected], f"{name}: must be {expected}, got {found}")
        yield f"{name}, λ = 2: {found[0]} is attained; radii say {found[1]}, diameters {found[2]}"
    by_definition = optimum(star, TWO)
    demand(by_definition == 2, f"the worst case of the star must be 2, got {by_definition}")

    joined = [graph for graph in small_graphs(4) if graph.size]
    for graph, ratio in itertools.product(joined, (Fraction(6, 5), Fraction(8))):
        worst = optimum(graph, ratio)
        most = radii_and_diameters(graph, ratio)[1]
        demand(worst < most, f"{graph} attains {most} at {ratio}")
    yield f"{len(joined)} graphs of up to 4 vertices with an edge: none attains the diameters"


@claim(
    "E-T11-gap",
    "Covers do not always give the worst case: on some trees it is smaller than the sum of every "
    "cover, and prices that prove it are negative at a vertex.",
    source="Ours: docs/proofs/columns.md",
)
def gap() -> Iterator[str]:
    """Two trees by both programs; the prices against every extreme private column."""
    ratio = Fraction(7, 4)
    worst, cover = optimum(FORK, ratio), smallest_cover(FORK, ratio)[0]
    demand((worst, cover) == (Fraction(89, 44), Fraction(635, 308)), f"got {worst} and {cover}")
    expect(worst_case_leakage(FORK, ratio).upper, worst, "the worst case by another route")
    yield f"tree 01, 12, 23, 24 at λ = {ratio}: worst case {worst} < best cover {cover}"

    cover, weights, packing = smallest_cover(TREE, TWO)
    demand(min(coverage(TREE, TWO, weights)) >= 1, f"{weights} do not cover")
    demand(max(coverage(TREE, TWO, packing)) <= 1, f"{packing} do not pack")
    demand(sum(weights) == sum(packing), "the cover and the packing that proves it differ")
    best = worst_case_leakage(TREE, TWO)
    channel = best.pieces[0].channel()
    demand(privacy_level(channel, TREE).ratio <= TWO, "the channel is not private")
    worst = best.upper
    demand((worst, cover) == (Fraction(7, 3), Fraction(12, 5)), f"got {worst} and {cover}")
    demand(min_capacity(channel).factor == worst, "the channel does not attain it")
    yield f"tree 01, 12, 14, 15, 23 at λ = 2: worst case {worst} < best cover {cover}"
    prices = [*map(Fraction, ("0", "2", "-1/3", "2/3", "0", "0"))]
    columns = list(_extreme_columns(TREE, TWO))
    for column in columns:
        cost = sum(map(Fraction.__mul__, prices, column))
        demand(cost >= max(column), f"{listed(column)} costs {cost}, less than it earns")
    expect(sum(prices), worst, "the sum of the prices")
    yield f"its prices ({listed(prices)}) hold for all {len(columns)} extreme columns"

    ratios = [Fraction(k, 20) for k in range(21, 81)]
    small = [graph for graph in small_graphs(4) if graph.is_connected]
    for graph, ratio in itertools.product(small, ratios):
        worst, cover = _worst_and_cover(graph, ratio)
        demand(worst == cover, f"{graph} at {ratio}: {worst} < {cover}")
    ends = f"{float(ratios[0])} to {float(ratios[-1])}"
    yield f"{len(small)} connected graphs of up to 4 vertices, {len(ratios)} ratios {ends}: no gap"


@claim(
    "D-normalised",
    "Any weights divided by their least coverage are a cover. For a code C that gives "
    "|C| / min_w Σ_{c∈C} λ^−d(c,w), never above |C|·λ^R of Theorem 4 of [Barthe2011].",
    source=PROOF,
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
        by_words = scaled_cover(graph, TWO, [*map(int, words)])
        expect(by_words, found[1], f"{name}: the bound on all words")
        demand(worst <= found[1] <= found[0], f"{name}: {found} against {worst}")
        yield f"{name} code of 7 bits, λ = 2: {found[0]} becomes {found[1]} ≈ {float(found[1]):.3f}"
    yield f"the worst case is {worst} ≈ {float(worst):.4f}"


@claim(
    "D-forms",
    "The worst case is 1 + (m−1)(λ−1)/(λ+1) on a path of m, and |V| / Σ n_d·λ^−d if all vertices "
    "see n_d others at distance d. With two outputs, u ≤ 5 bits and λ = 2 it is 2 − 2^(−u/2) if u "
    "is even and 2 − (2/3)·2^(−(u−1)/2) if u is odd.",
    source=f"{PROOF}; with two outputs by computation",
)
def closed_forms() -> Iterator[str]:
    """Formulas against the program of the definition."""
    ratios, lengths = (Fraction(3, 2), Fraction(5)), range(1, 7)
    for m, ratio in itertools.product(lengths, ratios):
        formula = 1 + (m - 1) * (ratio - 1) / (ratio + 1)
        worst = optimum(SecretGraph.line(m), ratio)
        demand(worst == formula, f"path of {m} at {ratio}: {worst}, the formula says {formula}")
    yield f"paths of 1 to {m} at λ = {listed(ratios)}: as the formula says, at last {formula}"

    values = []
    for graph in (SEVEN, disjoint(*[SecretGraph.complete(2)] * 2), PETERSEN):
        counts = graph.distance_counts
        demand((counts == counts[0]).all(), f"{graph} must look the same from every vertex")
        formula = graph.order / sum(n / TWO**d for d, n in enumerate(counts[0].tolist()))
        worst = optimum(graph, TWO)
        demand(worst == formula, f"{graph}: {worst}, the formula says {formula}")
        values.append(worst)
    yield f"complement of C3 + C4, two K2, Petersen's graph at λ = 2: {listed(values)}"

    values = []
    for u in range(1, 6):
        graph = databases(u, 2)
        # All words are alike, so one output may be likeliest at 0…0; the other has k ones.
        peaks = [(0, 2**k - 1) for k in range(1, u + 1)]
        worst = max(optimum(graph, TWO, both) for both in peaks)
        formula = 2 - TWO ** -(u // 2) * (Fraction(2, 3) if u % 2 else 1)
        demand(worst == formula, f"{u} bits: {worst}, the formula says {formula}")
        if u <= 3:
            expect(worst_case_with_outputs(graph, 2, ratio=2).upper, worst, f"{u} bits, all pairs:")
        values.append(worst)
    yield f"two outputs on 1 to {u} bits at λ = 2: {listed(values)}"


# --- covers, graphs and codes --------------------------------------------------------------


def _worst_and_cover(graph: Graph, ratio: Fraction) -> tuple[Fraction, Fraction]:
    """Return the worst case of a connected graph and the sum of its best cover."""
    if weights := _weighting(graph, ratio):
        cover = scaled_cover(graph, ratio, weights)
    else:
        cover, _, weights = smallest_cover(graph, ratio)
    if sum_of_maxima(falling(graph, ratio, weights)) == cover:
        return cover, cover
    return worst_case_leakage(graph, ratio).upper, cover


def _weighting(graph: Graph, ratio: Fraction) -> list[Fraction]:
    """Return w ≥ 0 with Σ_j λ^−d(i,j)·w_j = 1 for every i, nothing if there is none."""
    if ratio == 1:
        return [Fraction(1)] + [Fraction(0)] * (graph.order - 1)
    powers = [fmpq(ratio.denominator, ratio.numerator) ** d for d in range(graph.order)]
    steep = fmpq_mat([[powers[d] for d in row] for row in graph.distances.tolist()])
    try:
        found = steep.solve(fmpq_mat([[1]] * graph.order)).entries()
    except ZeroDivisionError:
        return []
    return [*map(fraction, found)] if min(found) >= 0 else []


def _explicit(source: Policy | Graph) -> Graph:
    return source.adjacency().explicit() if isinstance(source, Policy) else source


def _bound(source: Policy | Graph, name: str, outputs: int | None = None) -> Fraction:
    """Return what a published bound says at λ = 2."""
    table = leakage_bounds(source, TWO, outputs=outputs)
    return next(bound.value for bound in table if str(bound) == name)


def _extreme_columns(tree: Graph, ratio: Fraction) -> Iterator[list[Fraction]]:
    """List the private columns of a tree that go up or down by the ratio along every edge.

    All others are sums of these. The edges must lead away from vertex 0, in the order given.
    """
    for steps in itertools.product((ratio, 1 / ratio), repeat=tree.size):
        column = {0: Fraction(1)}
        for (i, j), step in zip(tree.edges.tolist(), steps, strict=True):
            column[j] = column[i] * step
        yield [column[i] for i in range(tree.order)]


def _canonical(graph: Graph) -> Hashable:
    """Return what isomorphic graphs have in common."""
    drawn = graph.to_igraph()
    edges = drawn.permute_vertices(drawn.canonical_permutation()).get_edgelist()
    return graph.order, frozenset(map(frozenset, edges))


def _is_hamming(word: Any) -> bool:
    """Say whether seven bits are a word of the Hamming code: each check bit's places are even."""
    places = [place for place, bit in enumerate(word, 1) if bit]
    return not any(sum(1 for place in places if place & check) % 2 for check in (1, 2, 4))
