"""How useful can a private mechanism be? Section 5 of [Alvim2011a]."""

import random
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np

from leaktight.channels import Channel, Distribution, Gain
from leaktight.errors import InvalidGraph
from leaktight.exact import log2
from leaktight.leakage import conditional_renyi_entropy, oblivious, strategy, utility
from leaktight.mechanisms import GraphExponential, NormalisedExponential
from leaktight.policies import (
    Graph,
    Policy,
    SecretGraph,
    answer_graph,
    distance_distribution,
)
from leaktight.privacy import privacy_level
from leaktight.worst_case import leakage_bounds
from leaktight_papers.alvim2011a.bounds import distance_sum
from leaktight_papers.alvim2011b.examples import (
    CITIES,
    OTHER_PRIORS,
    TABLE_1,
    misprints,
    truncated_geometric,
    utilities,
)
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import (
    PETERSEN,
    SEED,
    TWO,
    any_channel,
    any_prior,
    best_utility,
    coverage,
    databases,
    optimum,
    small_graphs,
)


@claim(
    "Q-Fig5",
    "An oblivious mechanism K answers the query f and perturbs the answer with H.",
    Verdict.DRAWING,
)
def oblivious_mechanism() -> Iterator[str]:
    """The sum of three bits, its matrices multiplied entry by entry."""
    voters = databases(3, 2)
    noise = GraphExponential(SecretGraph.line(4), ratio=2, on=SecretGraph.cycle(4)).channel
    whole = oblivious(voters, sum, noise)
    query = Channel.deterministic(sum, voters.vertices)
    for x, z in product(voters.vertices, noise.outputs):
        entry = sum(Fraction(query[x, y]) * Fraction(noise[y, z]) for y in query.outputs)
        expect(whole[x, z], entry, f"the entry for {x} and {z}")
    rows = len({whole.row(x) for x in voters.vertices})
    expect(rows, 4, "the number of distinct rows")
    yield f"sum of 3 bits: {len(voters.vertices)} databases, {rows} rows, one for each answer"


@claim(
    "Q-P5",
    "With gain 1 for the right answer, the best guess earns U = Σ_z max_y p(y)·p(z|y) = "
    "2^(−H∞(Y|Z)). A mechanism that sees only the answer is private on databases exactly if it is "
    "on the answers.",
)
def best_guess() -> Iterator[str]:
    """All ways to guess, and the privacy of random oblivious mechanisms."""
    draw, count = random.Random(SEED), 40
    even = Channel([["3/4", "1/4"], ["1/2", "1/2"], ["1/4", "3/4"]])
    cases = [(even, Distribution.uniform(3))]
    cases += [(any_channel(3, 3, draw), any_prior(3, draw)) for _ in range(count)]
    for channel, prior in cases:
        guesses = product(channel.inputs, repeat=len(channel.outputs))
        earned = max(
            sum(
                Fraction(prior[y]) * Fraction(channel[y, z])
                for y, z in zip(guess, channel.outputs, strict=True)
            )
            for guess in guesses
        )
        used = utility(channel, prior)
        best, remap = used.value, used.remap
        expect(best, earned, "the utility, by all ways to guess,")
        kept = [Fraction(prior[y]) * Fraction(channel[y, z]) for z, y in remap.items()]
        expect(sum(kept), earned, "what the guesses of the utility earn")
        for gain in (Gain.binary(range(3)), any_gain(4, 3, draw)):
            _demand_best(channel, prior, gain)
        expect(conditional_renyi_entropy(channel, prior), 0.0 - log2(best), "H∞(Y|Z)")
    half = utility(even).value
    expect(half, Fraction(1, 2), "the utility of the channel with quarters")
    yield f"rows (3/4, 1/4), (1/2, 1/2), (1/4, 3/4): the best of all guesses earns {half}"
    yield f"{count} random channels, priors and gains: U is the best of all ways to guess"
    graphs, tried = [databases(2, 2), databases(1, 5), SecretGraph.line(6)], 100
    for graph in graphs * tried:
        answers = {x: draw.randrange(3) for x in graph.vertices}
        noise = any_channel(3, 3, draw).restrict(sorted(set(answers.values())))
        here = privacy_level(oblivious(graph, answers.__getitem__, noise), graph).ratio
        there = privacy_level(noise, answer_graph(graph, answers)).ratio
        expect(here, there, "the ratio on databases, that on answers,")
    yield f"{len(graphs) * tried} random queries and noises: on databases the ratio of the answers"


def any_gain(guesses: int, inputs: int, draw: random.Random) -> Gain:
    """Draw a gain of whole numbers.

    >>> any_gain(1, 2, random.Random(1)).matrix.tolist()
    [[2, 9]]
    """
    return Gain([[draw.randint(0, 9) for _ in range(inputs)] for _ in range(guesses)])


def _demand_best(channel: Channel, prior: Distribution, gain: Gain) -> None:
    """Demand that utility and strategy are the best of all ways to guess, and of the first."""

    def earned(guesses: Sequence[Hashable]) -> Fraction:
        return sum(
            (
                Fraction(prior[x]) * Fraction(channel[x, z]) * Fraction(gain[guess, x])
                for z, guess in zip(channel.outputs, guesses, strict=True)
                for x in channel.inputs
            ),
            Fraction(0),
        )

    ways = list(product(gain.guesses, repeat=len(channel.outputs)))
    most, best = max(map(earned, ways)), strategy(channel, prior, gain)
    followed = earned([best.get(z, gain.guesses[0]) for z in channel.outputs])
    expect(followed, most, "what the best strategy earns")
    expect(utility(channel, prior, gain).value, most, "the utility for that gain")
    first = dict(zip(channel.outputs, ways[1], strict=True))
    found = utility(channel, prior, gain, remap=first).value
    expect(found, earned(ways[1]), "the utility of a remap that is given")


@claim(
    "Q-T3",
    "If the graph of answers is distance-regular or VT+ and all answers are equally likely, no "
    "private mechanism has a utility above 1/Σ_d n_d·λ^(−d).",
)
def utility_bound() -> Iterator[str]:
    """The bound against three programs."""
    known = {
        "ring of 6": (SecretGraph.cycle(6), Fraction(8, 21)),
        "clique of 6": (SecretGraph.complete(6), Fraction(2, 7)),
        "Petersen's graph": (PETERSEN, Fraction(1, 4)),
        "4 databases": (databases(2, 2), Fraction(4, 9)),
    }
    for name, (graph, value) in known.items():
        bound = 1 / distance_sum(graph, 2)
        expect((bound, leakage_bounds(graph, 2).utility), (value, value), f"the bound for {name}")
        expect(best_utility(graph), value, f"the best utility for {name}")
        plain = optimum(graph, 2) / graph.order
        expect(plain, value, f"the best utility for {name} by definition")
        yield f"{name}, λ = 2: the optimum is {plain}, the bound"


@claim(
    "Q-T4",
    "If the graph of answers is distance-regular or VT+, H_ij = c·λ^(−d(i,j)) with "
    "c = 1/Σ_d n_d·λ^(−d) is private, and its utility c is the best for equally likely answers.",
)
def attained() -> Iterator[str]:
    """The matrix entry by entry, at several ratios."""
    graphs = [SecretGraph.cycle(6), SecretGraph.cycle(7), PETERSEN, databases(2, 3)]
    ratios = [Fraction(3, 2), Fraction(2), Fraction(5)]
    for graph, ratio in product(graphs, ratios):
        c = 1 / distance_sum(graph, ratio)
        rows = [[c / ratio ** int(d) for d in row] for row in graph.distances]
        channel = Channel(rows, graph.vertices, graph.vertices)  # so its rows sum to 1
        expect(GraphExponential(graph, ratio=ratio).channel, channel, "the mechanism")
        expect(privacy_level(channel, graph).ratio, ratio, "the ratio of the mechanism")
        expect(utility(channel).value, c, "the utility of the mechanism")
    yield f"{len(graphs) * len(ratios)} cases: a channel of ratio λ and utility c"
    for name, graph in (("ring of 6", graphs[0]), ("Petersen's graph", PETERSEN)):
        best = best_utility(graph)
        expect(best, 1 / distance_sum(graph, 2), "the best utility")
        yield f"{name}, λ = 2: utility {best}, proved to be the best"


@claim(
    "Q-(8)",
    "After Theorem 4, H_ij = c·λ^(−d(i,j)) is said to be a private channel on every graph. It is "
    "no channel unless all vertices have the same Σ_j λ^(−d(i,j)), and dividing each row by its "
    "sum costs privacy.",
    Verdict.FALSE,
    Erratum(
        37,
        "false",
        "(8) is said to define a legal channel, ε-differentially private, on any graph.",
        "Only where all row sums are equal: on a path of 3 at λ = 2 they are 1, 8/7, 1.",
    ),
    source="Equation (8) of [Alvim2011a]",
)
def not_always_legal() -> Iterator[str]:
    """The path of three, and all connected graphs of up to five vertices."""
    line = SecretGraph.line(3)
    sums = [whole / distance_sum(line, 2) for whole in coverage(line, TWO, [1] * 3)]
    expect(sums, [1, Fraction(8, 7), 1], "the row sums with c as seen from an end")
    yield f"path of 3, λ = 2, c as seen from an end: rows sum to {', '.join(map(str, sums))}"
    divided = NormalisedExponential(line, ratio=2)
    level = privacy_level(divided.channel, line).ratio
    expect((level, divided.guarantee.ratio), (Fraction(16, 7), level), "the ratio once divided")
    yield f"each row divided by its sum: a channel, but of ratio {level} > 2"
    legal, graphs = 0, [graph for graph in small_graphs(5) if graph.is_connected]
    for graph in graphs:
        equal = len(set(coverage(graph, TWO, [1] * graph.order))) == 1
        seen = distance_distribution(graph)
        expect(equal, bool(seen), f"equal row sums on {graph!r}")
        if equal:
            expect(
                getattr(seen, "counts", None),
                tuple(np.bincount(graph.distances[0]).tolist()),
                "n_d",
            )
        try:
            GraphExponential(graph, ratio=2)
        except InvalidGraph:
            demand(not equal, f"(8) must be a channel on {graph!r}")
        else:
            demand(equal, f"(8) must be no channel on {graph!r}")
            legal += 1
    yield f"connected graphs of up to 5 vertices: a channel on {legal} of {len(graphs)}"


# --- the city with most votes --------------------------------------------------------------

DIGITS = Erratum(
    23,
    "typo",
    "U(M1) is printed as 0.2242 and 0.2412, and four entries of Table 4 as 0.053.",
    "U(M1) is 0.2243 and 0.2415, and the four entries are 0.052.",
)


@claim(
    "Q-Ex8",
    "For the city with most votes every two answers are neighbours. At λ = 2 the mechanism of (8), "
    "M2, is more useful than the truncated geometric M1 for equally likely cities, but not under "
    "every prior.",
    Verdict.CORRECTED,
    DIGITS,
    OTHER_PRIORS,
)
def elections() -> Iterator[str]:
    """The answers of a small election, and both utilities under three priors."""
    clique, votes = SecretGraph.complete(CITIES), Policy(SecretGraph.complete(CITIES), 3)

    def winner(cast: tuple[str, ...]) -> str:
        ranked = sorted(set(cast), key=cast.count)
        tied = len(ranked) > 1 and cast.count(ranked[-1]) == cast.count(ranked[-2])
        return "tie" if tied else ranked[-1]

    unique = [cast for cast in votes.databases() if winner(cast) != "tie"]  # type: ignore[arg-type]
    answers = answer_graph(votes.adjacency().explicit().subgraph(unique), winner)
    expect(answers, clique, "the graph of the answers, without ties")
    yield f"3 voters, {len(unique)} elections without ties: all {answers.size} pairs of answers"
    q = 0.5**0.2
    inner, outer = (1 - q) / (1 + q), 1 / (1 + q)
    for name, prior, m1, m2 in utilities():
        if prior is None:  # the diagonal of M1 in closed form
            closed = (2 * outer + 4 * inner) / 6
            expect(round(closed, 7), m1, "the utility of M1 in closed form")
        yield f"{name}: U(M1) = {m1}, U(M2) = {m2} = {float(m2):.4f}"


@claim(
    "Q-Tab4",
    "M1 is the truncated geometric mechanism that has ratio 2 between any two cities, and M2 has "
    "2/7 and 1/7. Four entries of M1 are misprinted.",
    Verdict.CORRECTED,
    DIGITS,
)
def election_tables() -> Iterator[str]:
    """Every printed entry, against the formula and against the library."""
    q, wrong, (low, high) = 0.5**0.2, misprints(), truncated_geometric()
    for (i, x), (j, z) in product(enumerate(CITIES), repeat=2):
        entry = (1 if j in (0, 5) else 1 - q) / (1 + q) * q ** abs(i - j)
        expect(f"{float(low[x, z]):.5f}", f"{entry:.5f}", f"the entry of {x} and {z}")
    names = ", ".join(name for name, *_ in wrong)
    yield f"M1: all right but {names}, printed {wrong[0][1]}, which are {wrong[0][2]}"
    table = [[Fraction(p) for p in row.split()] for row in TABLE_1.values()]
    mean = sum(map(max, zip(*table, strict=True))) / 6
    expect(round(float(mean), 4), 0.2243, "the utility of the rounded entries")
    yield f"even the rounded entries have the utility {float(mean):.4f}, not 0.2242"
    ratio = max(
        max(a / b, b / a) for row in zip(*table, strict=True) for a, b in combinations(row, 2)
    )
    expect(round(float(ratio), 4), 2.0037, "the ratio of the rounded entries")
    levels = [privacy_level(channel, Graph(CITIES, [("A", "F")])).ratio for channel in (low, high)]
    demand(levels[0] <= 2 <= levels[1], f"the ratio of M1 must be 2, got {levels}")
    ours = GraphExponential(SecretGraph.complete(CITIES), ratio=2).channel
    for x, z in product(CITIES, repeat=2):
        expect(ours[x, z], Fraction(1 + (x == z), 7), f"the entry of M2 for {x} and {z}")
    yield f"M1 as rounded has the ratio {float(ratio):.4f} > 2"
    yield f"M2: {ours['A', 'A']} on the diagonal and {ours['A', 'B']} elsewhere, as printed"
