"""How useful can a differentially private mechanism be? Section 5 of [Alvim2011b]."""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

from leaktight.channels import Channel
from leaktight.errors import InvalidInput
from leaktight.exact import Ratio
from leaktight.leakage import oblivious, utility
from leaktight.mechanisms import GraphExponential, optimal_mechanism
from leaktight.policies import Graph, Policy, SecretGraph, answer_graph, vertex_transitivity
from leaktight.privacy import privacy_level
from leaktight.worst_case import leakage_bounds, worst_case_leakage
from leaktight_papers.alvim2011b.lemmas import COLUMNS_FOR_ROWS
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import SEED, best_utility, databases, optimum


def circulants(n: int) -> Iterator[Graph]:
    """Yield the connected graphs that a turn of n vertices in one cycle maps to themselves.

    >>> [graph.size for graph in circulants(5)]
    [5, 5, 10]
    """
    steps = range(1, n // 2 + 1)
    for chosen in (some for size in steps for some in combinations(steps, size)):
        graph = Graph(n, [(i, (i + k) % n) for i in range(n) for k in chosen])
        if graph.is_connected:
            yield graph


def alpha(c: int, n: int, ratio: Fraction | int) -> Fraction:
    """Return 1/(1 + c·Σ_{d=1}^n λ^−d), the bound of Theorem 3 without its 0/0 at ε = 0.

    >>> alpha(2, 2, 2), alpha(2, 2, 1)
    (Fraction(2, 5), Fraction(1, 5))
    """
    series = sum(((1 / Fraction(ratio)) ** d for d in range(1, n + 1)), Fraction(0))
    return 1 / (1 + c * series)


def doubled_ring(n: int, ratio: Fraction | int | str) -> Channel:
    """Return Remark 1 on a ring of n answers, n even: λ^(−d), doubled at n/2; private or not.

    An odd n, or one below 4, is no such ring and raises InvalidInput.

    >>> doubled_ring(4, 2)
    exact channel, 4 inputs × 4 outputs
         0    1    2    3
    0  2/5  1/5  1/5  1/5
    1  1/5  2/5  1/5  1/5
    2  1/5  1/5  2/5  1/5
    3  1/5  1/5  1/5  2/5
    """
    if n % 2 or n < 4:
        raise InvalidInput(f"the ring must have an even number of answers, 4 at least, got {n}")
    step = Ratio.of(ratio).lower
    row = [step ** -min(k, n - k) * (2 if 2 * k == n else 1) for k in range(n)]
    return Channel.normalised([row[-i:] + row[:-i] for i in range(n)])


@claim(
    "A-D2",
    "Two answers of a query are neighbours if they differ and neighbouring databases give them.",
)
def neighbouring_answers() -> Iterator[str]:
    """A count, and the city with most votes, against the definition."""
    bits = Policy(SecretGraph.complete(2), 3)
    expect(answer_graph(bits, sum), SecretGraph.line(4), "the answers of a sum of three bits")
    yield f"sum of 3 bits: {answer_graph(bits, sum)}"
    cities = ("a", "b", "c")

    def winner(votes: tuple[str, ...]) -> str:
        best = max(map(votes.count, cities))
        first = [city for city in cities if votes.count(city) == best]
        return first[0] if len(first) == 1 else "tie"

    votes = Policy(SecretGraph.complete(cities), 3).adjacency().explicit()
    found = answer_graph(votes, winner)
    pairs = {frozenset(map(winner, pair)) for pair in votes.edge_pairs()}  # type: ignore[arg-type]
    joined = {frozenset(pair) for pair in found.edge_pairs()}
    expect(joined, {pair for pair in pairs if len(pair) == 2}, "neighbours by definition")
    without_ties = found.subgraph(cities)
    expect(without_ties, SecretGraph.complete(cities), "the answers without ties")
    yield f"city with most votes, 3 cities, 3 voters: clique of {without_ties.size} edges"


@claim(
    "A-T3",
    "If an automorphism moves all answers in one cycle, every answer has at least c others at each "
    "distance from 1 to n, and all answers are equally likely, then no private mechanism lets "
    "one guess right more often than 1/(1 + c·Σ_{d=1}^n λ^−d).",
    Verdict.CORRECTED,
    Erratum(
        20,
        "false",
        "The prior is left open, c must fit distance 0 too, and the formula is 0/0 at ε = 0.",
        "The prior must be uniform, distances start at 1, and λ^−d is summed.",
    ),
    COLUMNS_FOR_ROWS,
)
def utility_bound() -> Iterator[str]:
    """The worst case of all connected circulants, and the plain linear program on a ring."""
    count = 0
    for graph in (g for n in range(2, 9) for g in circulants(n)):
        sizes = graph.distance_counts[0].tolist()
        for ratio in (Fraction(1), Fraction(3, 2), Fraction(4)):
            best = worst_case_leakage(graph, ratio=ratio).upper / graph.order
            bound = alpha(min(sizes[1:]), len(sizes) - 1, ratio)
            demand(best <= bound, f"{graph!r} at λ = {ratio}: {best} must be at most {bound}")
            demand(best == bound or len(set(sizes[1:])) > 1, f"{best} must be {bound}: {graph!r}")
            count += 1
    yield f"{count} cases, circulants of up to 8 answers: best ≤ bound, equal if all borders are c"
    ring, bound = SecretGraph.cycle(5), alpha(2, 2, 2)
    expect(optimum(ring, 2) / 5, bound, "the best utility on a ring of 5")
    expect((bound, leakage_bounds(ring, 2).utility), (Fraction(2, 5), bound), "the bound")
    printed = Fraction(2**2 * (1 - 2), 2**2 * (1 - 2) + 2 * (1 - 2**2))
    expect(printed, bound, "the printed form")
    expect(alpha(2, 2, 1), Fraction(1, 5), "the bound at ε = 0, 1/(1 + cn),")
    yield f"ring of 5, λ = 2: the optimum is {bound}, the bound; at ε = 0 it is {alpha(2, 2, 1)}"
    prior = ["9/10", *["1/40"] * 4]
    skewed = utility(GraphExponential(ring, ratio=2).channel, prior).value
    expect(skewed, Fraction(9, 10), "the utility under another prior")
    yield f"prior (9/10, 1/40, …): utility {skewed} > {bound}, so the prior must be uniform"
    cube = databases(3, 2)
    demand(bool(vertex_transitivity(cube)), "the cube must be vertex-transitive")
    there = worst_case_leakage(cube, ratio=2).upper / 8
    demand(there <= alpha(1, 3, 2), f"the cube must be within the bound, got {there}")
    yield f"3 bits, alike but not in one cycle: the optimum {there} ≤ {alpha(1, 3, 2)}"


@claim(
    "A-T4",
    "If every answer has exactly c or no others at each distance from 1 on, p(z|y) = α·λ^(−d(y,z)) "
    "with the α of Theorem 3 is a private channel, optimal for equally likely answers.",
    Verdict.CORRECTED,
    Erratum(
        21,
        "false",
        "The text counts ⌊|Y|/2⌋ − 1 possible c, and says that c = 1 is impossible.",
        "c divides |Y| − 1: for five answers two c are possible and one is counted, for eight one "
        "and three. For two answers c is 1.",
    ),
)
def optimal_for_equal_borders() -> Iterator[str]:
    """Rings and cliques by three programs; all circulants of up to 13 answers counted."""
    cases: list[tuple[Graph, Fraction]] = [
        (SecretGraph.cycle(3), Fraction(1, 2)),
        (SecretGraph.cycle(5), Fraction(2, 5)),
        (SecretGraph.cycle(7), Fraction(4, 11)),
        (SecretGraph.complete(2), Fraction(2, 3)),
        (SecretGraph.complete(3), Fraction(1, 2)),
        (SecretGraph.complete(6), Fraction(2, 7)),
    ]
    for graph, known in cases:
        sizes = graph.distance_counts[0].tolist()
        channel = GraphExponential(graph, ratio=2).channel
        expect(channel[0, 0], alpha(sizes[1], len(sizes) - 1, 2), "α of the mechanism")
        expect(channel[0, 0], known, f"α for {graph.order} answers")
        expect(utility(channel).value, known, "the utility of the mechanism")
        expect(best_utility(graph), known, "the best utility")
        expect(optimum(graph, 2) / graph.order, known, "the plain optimum")
        expect(privacy_level(channel, graph).ratio, 2, "the ratio")
    rings, cliques = (", ".join(str(known) for _, known in part) for part in (cases[:3], cases[3:]))
    yield f"λ = 2, rings of 3, 5, 7: {rings}; cliques of 2, 3, 6: {cliques}"
    voters = Policy(SecretGraph.complete(2), 3)

    def remainder(votes: tuple[int, ...]) -> int:
        return sum(votes) % 3

    noisy = oblivious(voters, remainder, GraphExponential(SecretGraph.cycle(3), ratio=2).channel)
    level = privacy_level(noisy, voters).ratio
    expect(level, 2, "the ratio between databases")
    yield f"sum of 3 bits modulo 3, answered on a ring of 3: ratio {level} between databases"
    counts = []
    for n in range(3, 14):
        borders = [set(g.distance_counts[0][1:].tolist()) for g in circulants(n)]
        found = {min(sizes) for sizes in borders if len(sizes) == 1}
        demand(all((n - 1) % c == 0 for c in found), f"c must divide {n - 1}, got {found}")
        counts.append(len(found))
    expect(counts, [1, 1, 2, 1, 2, 1, 3, 1, 2, 1, 4], "the numbers of possible c")
    yield f"possible c for 3, …, 13 answers: {counts}"
    yield f"printed numbers: {[n // 2 - 1 for n in range(3, 14)]}"


@claim(
    "A-R1",
    "On a ring of 2n ≥ 4 answers, the mechanism of Theorem 4 with its entry at distance n doubled "
    "is a channel, and private exactly if λ² ≥ 2. It is not optimal, and not said to be.",
)
def even_rings() -> Iterator[str]:
    """The doubled matrix by hand at both sides of √2, and the optimum."""
    ratios = [Fraction(11, 10), Fraction(7, 5), Fraction(3, 2), Fraction(2), Fraction(5)]
    for n, ratio in product((4, 6, 8), ratios):
        channel = doubled_ring(n, ratio)
        expect(channel[0, 0], alpha(2, n // 2, ratio), "α of Theorem 4")
        level = privacy_level(channel, SecretGraph.cycle(n)).ratio
        expect(level <= ratio, ratio**2 >= 2, f"privacy on a ring of {n} at λ = {ratio}")
    yield f"rings of 4, 6, 8 at λ = {', '.join(map(str, ratios))}: private exactly if λ² ≥ 2"
    ring = SecretGraph.cycle(6)
    plain = GraphExponential(ring, ratio=2).channel
    expect(privacy_level(plain, ring).ratio, 2, "the ratio of the undoubled matrix")
    used, better = utility(doubled_ring(6, 2)).value, utility(plain).value
    best = best_utility(ring)
    expect((used, better, best), (Fraction(4, 11), Fraction(8, 21), Fraction(8, 21)), "utilities")
    yield f"ring of 6, λ = 2: doubled {used} < undoubled {better}, which is the optimum"
    here = alpha(2, 1, Fraction(3, 2))
    away = 2 * here / Fraction(3, 2)
    demand(away > here, f"for two answers the wrong one must be likelier, got {here} and {away}")
    yield f"2 answers, λ = 3/2: {here} for the true answer, {away} for the other"


@claim(
    "A-R2",
    "A mechanism for a graph with more adjacencies is private for the given one, and the fewer are "
    "added the higher is the best utility.",
)
def more_adjacencies() -> Iterator[str]:
    """Six answers on a line, a ring and a clique; random graphs with edges added."""
    line = SecretGraph.line(6)
    graphs = [line, SecretGraph.cycle(6), SecretGraph.complete(6)]
    for wider in graphs[1:]:
        channel = GraphExponential(line, ratio=2, on=wider).channel
        expect(privacy_level(channel, line).ratio, 2, "the ratio on the line")
    found = [best_utility(graph) for graph in graphs]
    expect(found, [Fraction(4, 9), Fraction(8, 21), Fraction(2, 7)], "the best utilities")
    demand(found[0] > found[1] > found[2], "each adjacency must cost")
    yield f"6 answers, λ = 2: line {found[0]} > ring {found[1]} > clique {found[2]}"
    draw, tried = random.Random(SEED), 12
    for _ in range(tried):
        n, ratio = draw.randint(2, 5), 1 + Fraction(draw.randint(1, 12), 4)
        order = draw.sample(list(combinations(range(n), 2)), n * (n - 1) // 2)
        cut = sorted(draw.sample(range(len(order) + 1), 2))
        narrow, wide = (Graph(n, order[:end]) for end in cut)
        best = [optimal_mechanism(graph, ratio=ratio) for graph in (narrow, wide)]
        plain = [optimum(graph, ratio) / n for graph in (narrow, wide)]
        expect([one.utility for one in best], plain, f"the best utilities of {n} answers")
        demand(plain[0] >= plain[1], f"{wide!r} must not be better than {narrow!r}: {plain}")
        level = privacy_level(best[1].channel, narrow).ratio
        demand(level <= ratio, f"the ratio on the narrower graph must be {ratio}, got {level}")
    yield f"{tried} random graphs and λ, edges added: private on the given one, no more useful"
