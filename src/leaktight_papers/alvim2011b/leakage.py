"""How much can a differentially private mechanism leak? Sections 2 to 4 of [Alvim2011b]."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from leaktight.channels import Chance, Channel, Distribution, channel_of
from leaktight.exact import fraction, log2
from leaktight.leakage import (
    conditional_renyi_entropy,
    individual_channels,
    individual_leakage,
    min_capacity,
    min_entropy_leakage,
    oblivious,
    posterior_vulnerability,
    renyi_entropy,
    vulnerability,
)
from leaktight.mechanisms import GraphExponential, RandomizedResponse
from leaktight.policies import Graph, Policy, SecretGraph
from leaktight.privacy import privacy_level
from leaktight.worst_case import leakage_bounds
from leaktight_papers.alvim2011b.lemmas import COLUMNS_FOR_ROWS
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import (
    RESPONSE,
    SEED,
    any_cases,
    any_prior,
    databases,
    event_ratio,
    optimum,
    private_channel,
    scaled_cover,
    sum_of_maxima,
    survey_bound,
)


@claim(
    "A-D1",
    "A mechanism is ε-differentially private if no set of outputs is more than λ = e^ε times as "
    "likely for a database as for one that differs in one record. Single outputs are enough.",
)
def differential_privacy() -> Iterator[str]:
    """All sets of outputs against single outputs."""
    pair = databases(2, 2)
    level = privacy_level(RandomizedResponse(2, ratio=2, records=2).channel, pair).ratio
    expect(level, 2, "the ratio of two randomised responses")
    yield f"two randomised responses: the ratio is {level}"
    draw, count, outputs = random.Random(SEED), 20, 4
    for _ in range(count):
        channel = private_channel(pair, Fraction(5, 2), outputs, draw)
        by_sets = event_ratio(channel, pair)
        expect(privacy_level(channel, pair).ratio, by_sets, "the ratio output by output")
    yield f"{count} random channels: the same ratio over all {2**outputs - 1} sets of outputs"


@claim(
    "A-Cinf",
    "Min-entropy leakage, the log of V(X|Y)/V(X), is never negative. Its largest value over all "
    "priors is log2 Σ_y max_x p(y|x), at the uniform prior. It can be 0 without independence.",
    Verdict.CORRECTED,
    Erratum(
        12,
        "typo",
        "The capacity is printed as the sum of the column maxima.",
        "It is the binary logarithm of that sum.",
    ),
    Erratum(
        13,
        "false",
        "An observation is said to leave the min-entropy as it is only if it is independent.",
        "Independence suffices but is not needed: the best guess may stay the same.",
    ),
    source="Section 2.2 of [Alvim2011b]",
)
def capacity() -> Iterator[str]:
    """The definitions, on random channels and priors."""
    both = min_capacity(Channel.identity(2))
    expect((both.factor, both.bits), (2, 1), "Σ max and bits of the identity on two inputs")
    yield f"identity on 2 inputs: Σ max = {both.factor}, capacity {both.bits:g} bit"
    count = 40
    for channel, prior in any_cases(count, 4, 3):
        p = [fraction(x) for x in prior.array]
        seen = [[p[x] * fraction(channel.matrix[x, y]) for x in range(4)] for y in range(3)]
        after = sum(map(max, seen), Fraction(0))
        leak, most = min_entropy_leakage(channel, prior).factor, sum_of_maxima(channel)
        expect(leak, after / max(p), "the leakage by definition")
        demand(1 <= leak <= most, f"the leakage must be between 1 and {most}, got {leak}")
        expect(min_entropy_leakage(channel).factor, most, "the leakage under the uniform prior")
        bits = renyi_entropy(prior, math.inf), conditional_renyi_entropy(channel, prior)
        expect(bits, (-log2(max(p)), 0.0 - log2(after)), "the min-entropies before and after")
    yield f"{count} random channels and priors: 1 ≤ V(X|Y)/V(X) ≤ Σ max, equal at uniform"
    flip, prior = Channel([["4/5", "1/5"], ["1/5", "4/5"]]), Distribution(["9/10", "1/10"])
    leak = min_entropy_leakage(flip, prior).factor
    expect(leak, 1, "the leakage under the prior (9/10, 1/10)")
    demand(flip.row(0) != flip.row(1), "the output must depend on the input")
    yield f"prior (9/10, 1/10), flipped with 1/5: factor {leak}, though the rows differ"


@claim(
    "A-Fig1",
    "A randomised function of databases is a channel from databases to reported answers.",
    Verdict.DRAWING,
)
def randomised_function() -> Iterator[str]:
    """A program that tosses coins, all of whose paths are followed, against its closed form."""

    def survey(database: tuple[int, ...], chance: Chance) -> tuple[int, ...]:
        return tuple(
            value if chance.flip("1/4") else chance.choose(Distribution.uniform(3))
            for value in database
        )

    channel = channel_of(survey, Policy(SecretGraph.complete(3), 2))
    sums = {fraction(row.sum()) for row in channel.matrix}
    expect(sums, {Fraction(1)}, "the sums of the rows")
    known = RandomizedResponse(3, ratio=2, records=2).channel
    expect(channel.permute(known.outputs), known, "the channel of the program")
    yield f"a survey of 2 records of 3 values: {channel.shape[0]} rows that sum to {max(sums)}"
    yield "the truth with chance 1/4, else any value: randomised response at λ = 2"


@claim(
    "A-Fig2",
    "An oblivious mechanism answers the query f and then adds noise H, so its channel is f "
    "followed by H. Its utility U satisfies I∞(Y;Z) = H∞(Y) + log2 U for the true answer Y.",
    Verdict.CORRECTED,
    Erratum(
        26,
        "typo",
        "I∞(Y;Z) is printed as H∞(X) + log2 U.",
        "It is H∞(Y) + log2 U: the answer Y is guessed, not the database X.",
    ),
    source="Figure 2 and Section 5 of [Alvim2011b]",
)
def oblivious_mechanism() -> Iterator[str]:
    """The query [0, 0, 1] and randomised response."""
    answers = [0, 0, 1]
    noisy = Channel.deterministic(answers.__getitem__, 3).then(RESPONSE)
    for x, y in enumerate(answers):
        expect(noisy.row(x), RESPONSE.row(y), f"the row of database {x}")
    expect(oblivious(Graph(3), answers.__getitem__, RESPONSE), noisy, "the oblivious mechanism")
    yield f"f = {answers}, H randomised response: rows " + ", ".join(
        f"({noisy[x, 0]}, {noisy[x, 1]})" for x in range(3)
    )
    prior = Distribution(["2/3", "1/3"])  # of the answer, for uniform databases
    useful, leak = posterior_vulnerability(RESPONSE, prior), min_entropy_leakage(RESPONSE, prior)
    right, printed = Fraction(useful) / Fraction(vulnerability(prior)), 3 * Fraction(useful)
    expect(leak.factor, right, "2^(H∞(Y) + log2 U)")
    demand(leak.factor != printed, f"2^(H∞(X) + log2 U) must be wrong, got {printed}")
    yield f"U = {useful}: 2^I∞(Y;Z) = {leak.factor} = 2^H∞(Y)·U; 2^H∞(X)·U would be {printed}"


@claim(
    "A-T1",
    "An ε-differentially private mechanism on u records of v values leaks at most "
    "u·log2(vλ/(v − 1 + λ)) bits, λ = e^ε.",
    Verdict.HOLDS,
    COLUMNS_FOR_ROWS,
)
def leakage_bound() -> Iterator[str]:
    """The formula, the plain linear program, and the certificate of equal weights."""
    sizes = [(1, 1), (1, 2), (1, 3), (1, 5), (2, 2), (2, 3), (3, 2)]
    ratios = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5)]
    for (u, v), ratio in product(sizes, ratios):
        graph, bound = databases(u, v), survey_bound(u, v, ratio)
        equal = scaled_cover(graph, ratio, [1] * graph.order)
        expect(equal, bound, "the bound by equal weights")
        best = optimum(graph, ratio)
        expect(best, bound, f"the worst case of {u} records of {v} values at λ = {ratio}")
    yield f"{len(sizes)} sizes (u, v), {len(ratios)} ratios: formula, weights and optimum are equal"
    table = leakage_bounds(Policy(SecretGraph.complete(3), 2), 2)
    [nine] = table.named("Theorem 1 of [Alvim2011b]")
    expect((nine.value, round(nine.bits, 6)), (Fraction(9, 4), 1.169925), "the bound")
    yield f"u = 2, v = 3, ε = ln 2: Σ max ≤ {nine.value}, {nine.bits:.6f} bits"
    flat = Channel.no_interference(4, Distribution.uniform(4))
    there, most = Fraction(flat[0, 1]), Fraction(flat[0, 0]) / 2
    demand(there > most, f"an entry at distance 1 must exceed α/λ, got {there} and {most}")
    yield f"a constant channel has {there} at distance 1, more than α/λ = {most}"


@claim(
    "A-P1",
    "K(z|x) = α·λ^(−d(x,z)) with α = (λ/(v − 1 + λ))^u, randomised response on each record, is "
    "ε-differentially private and leaks all that Theorem 1 allows.",
    Verdict.CORRECTED,
    Erratum(
        14,
        "false",
        "The matrix is printed with α = B(u, v, ε), which is a number of bits.",
        "α is (λ/(v − 1 + λ))^u, which makes the rows sum to 1.",
    ),
)
def most_leaking() -> Iterator[str]:
    """The mechanism on records and on the graph of databases, at several ratios."""
    ratios = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7)]
    for (u, v), ratio in product(((1, 2), (2, 3), (3, 2), (1, 5)), ratios):
        graph, survey = databases(u, v), RandomizedResponse(v, ratio=ratio, records=u)
        channel, on_graph = survey.channel, GraphExponential(graph, ratio=ratio).channel
        scale = (ratio / (v - 1 + ratio)) ** u
        rows = tuple(tuple(scale / ratio**d for d in row) for row in graph.distances.tolist())
        expect(channel.fractions, rows, f"α·λ^(−d) at λ = {ratio}")
        expect(bool((channel.matrix == on_graph.matrix).all()), True, "α·λ^(−d) as a survey")
        expect({fraction(row.sum()) for row in channel.matrix}, {Fraction(1)}, "the row sums")
        expect(privacy_level(on_graph, graph).ratio, ratio, "the ratio")
        found = sum_of_maxima(channel)
        expect(found, survey_bound(u, v, ratio), "Σ max, the bound of Theorem 1,")
        if (u, v, ratio) == (2, 3, Fraction(2)):
            alpha = channel[(0, 0), (0, 0)]
            expect((alpha, found), (Fraction(1, 4), Fraction(9, 4)), "α and Σ max")
            yield f"u = 2, v = 3, λ = 2: α = {alpha}, rows sum to 1, Σ max = {found}"
    printed = [log2(survey_bound(u, v, 2)) * Fraction(v + 1, 2) ** u for u, v in ((1, 2), (2, 3))]
    expect([round(s, 4) for s in printed], [0.6226, 4.6797], "the row sums of the printed matrix")
    yield f"as printed, rows sum to {printed[0]:.4f} (u = 1, v = 2) and {printed[1]:.4f} (2, 3)"


@claim(
    "A-Fig3",
    "The bound of Theorem 1 for 100 records grows with ε from 0 to 100·log2 v bits, and with v.",
)
def growth() -> Iterator[str]:
    """The library's bound, rounded up, and the formula in floating point."""
    known = {2: (54.806, 99.031), 10: (121.393, 323.699), 100: (141.812, 590.655)}
    limits = {2: 100.0, 10: 332.19, 100: 664.39}
    for v, expected in known.items():
        policy = Policy(SecretGraph.complete(v), 100)
        curve = []
        for epsilon in (0, 1, 5, 40):
            [bound] = leakage_bounds(policy, epsilon=epsilon).named("Theorem 1 of [Alvim2011b]")
            power = math.exp(epsilon)
            direct = 100 * math.log2(v * power / (v - 1 + power))
            demand(abs(direct - bound.bits) < 2.0**-30, f"bits must be {direct}, got {bound.bits}")
            curve.append(bound.bits)
        expect(tuple(round(b, 3) for b in curve[1:3]), expected, f"B(100, {v}, ε), ε = 1 and 5")
        expect((curve[0], round(curve[3], 2)), (0, limits[v]), "the limits")
        yield f"v = {v}: {curve[1]:.3f} bits at ε = 1, {curve[2]:.3f} at 5, limit {curve[3]:.2f}"


EYES = ["aa", "ab", "ac", "ba", "ca", "bb", "bc", "cb", "cc"]
EXPONENTS = [
    "011112222", "101221212", "110222121", "122011122", "122102211",
    "212120112", "221121021", "212211201", "221212110",
]  # fmt: skip


def databases_of_eyes() -> Graph:
    """Return the databases of two people and three colours, neighbours if one differs."""
    return Policy(SecretGraph.complete(["a", "b", "c"]), 2).adjacency().explicit()


@claim(
    "A-Ex1",
    "For two people and three eye colours the matrix that leaks most has the largest entry "
    "(λ/(2 + λ))², which is 1/4 at λ = 2.",
    Verdict.CORRECTED,
    Erratum(
        15,
        "false",
        "The largest entry is printed as 3λ/(2 + λ), which is 3/2 at λ = 2.",
        "It is (λ/(2 + λ))², a probability.",
    ),
)
def eye_colours() -> Iterator[str]:
    """The survey itself, at several ratios."""
    for ratio in map(Fraction, ("1", "5/4", "3", "9", "2")):
        channel = RandomizedResponse(["a", "b", "c"], ratio=ratio, records=2).channel
        largest, formula = max(map(fraction, channel.matrix.ravel())), (ratio / (2 + ratio)) ** 2
        found = largest, sum_of_maxima(channel), min_capacity(channel).factor
        expect(found, (formula, 9 * formula, 9 * formula), f"a, Σ max at λ = {ratio}")
        level = privacy_level(channel, databases_of_eyes()).ratio
        expect(level, ratio, f"the ratio at λ = {ratio}")
    expect(formula, Fraction(1, 4), "a at λ = 2")
    printed = Fraction(3 * 2, 2 + 2)
    demand(printed > 1, f"the printed entry must be no probability, got {printed}")
    yield f"λ = 2: a = {largest}, Σ max = {sum_of_maxima(channel)}; printed a = {printed} > 1"


@claim(
    "A-Fig4",
    "The matrix of Example 1 has a·λ^(−d) where the figure shows d, and every d is the number of "
    "people in whom two databases differ.",
)
def eye_colour_table() -> Iterator[str]:
    """All printed exponents against the survey and against the definition."""
    channel = RandomizedResponse(["a", "b", "c"], ratio=2, records=2).channel
    for (x, row), (k, z) in product(zip(EYES, EXPONENTS, strict=True), enumerate(EYES)):
        expect(sum(map(str.__ne__, x, z)), int(row[k]), f"the distance of {x} and {z}")
        expect(channel[tuple(x), tuple(z)], Fraction(1, 4 * 2 ** int(row[k])), f"entry {x}, {z}")
    yield f"all {len(EYES) ** 2} printed exponents are Hamming distances"


def _with_others_fixed(channel: Channel) -> list[Channel]:
    """Return the channels about one of two records of three values, for each value of the other."""
    pairs = product(range(2), range(3))
    return [
        channel.restrict([(value, other) if who == 0 else (other, value) for value in range(3)])
        for who, other in pairs
    ]


def _demand_counts_of_votes(draw: random.Random) -> None:
    """Demand what noise on a sum tells of one bit: two answers that follow each other."""
    for people in (2, 3, 4):
        noise = private_channel(SecretGraph.line(people + 1), Fraction(3), 3, draw)
        steps = [sum_of_maxima(noise.restrict([k, k + 1])) for k in range(people)]
        bits = Policy(SecretGraph.complete(2), people)
        expect(individual_leakage(noise, bits, sum).factor, max(steps), "one of the votes")
        listed = {sum_of_maxima(part) for part, _ in individual_channels(noise, bits, sum)}
        expect(listed, set(steps), "Σ max for each count of the others")
        ends = noise.restrict([0, 1])
        known = 1, sum_of_maxima(ends)  # the largest vote is known if another is 1
        expect(individual_leakage(ends, bits, max).factor, known[1], "a vote behind the largest")
        listed = {sum_of_maxima(part) for part, _ in individual_channels(ends, bits, max)}
        expect(listed, set(known), "Σ max, another vote being 1 or not,")


@claim(
    "A-T2",
    "If all other records are known, a mechanism leaks at most log2 λ bits about a record, and at "
    "most log2(vλ/(v − 1 + λ)) if it has v values, which is attained.",
    Verdict.CORRECTED,
    Erratum(
        19,
        "false",
        "The bound log2 λ is said to be stronger than that of Theorem 1.",
        "For one record Theorem 1 is sharper, and for large ε also for many.",
    ),
)
def one_individual() -> Iterator[str]:
    """Channels with all other records fixed, by the library and by hand; the linear program."""
    three = Policy(SecretGraph.complete(3), 3)
    survey = RandomizedResponse(3, ratio=2, records=3).channel
    known, best = individual_leakage(survey, three).factor, optimum(SecretGraph.complete(3), 2)
    expect((known, best), (Fraction(3, 2), Fraction(3, 2)), "the survey and the worst case")
    draw, two, count = random.Random(SEED), Policy(SecretGraph.complete(3), 2), 30
    for _ in range(count):
        channel, prior = private_channel(databases(2, 3), Fraction(2), 6, draw), any_prior(3, draw)
        parts = _with_others_fixed(channel)
        leaks = {sum_of_maxima(part) for part in parts}
        found = individual_leakage(channel, two, prior=prior)
        expect(found.factor, max(leaks), "the leakage about one record")
        demand(found.factor <= best, f"one record must leak at most {best}, got {found}")
        listed = {sum_of_maxima(part) for part, _ in individual_channels(channel, two)}
        expect(listed, leaks, "Σ max with the other record fixed")
        after = max(Fraction(posterior_vulnerability(part, prior.array)) for part in parts)
        guesses = found.before, found.after
        expect(guesses, (vulnerability(prior), after), "the chance of a right guess")
    _demand_counts_of_votes(draw)
    yield f"v = 3, λ = 2: {known} attained, {best} optimal; {count} random channels leak no more"
    one, ten = (Policy(SecretGraph.complete(2), n) for n in (1, 10))
    for policy, epsilon, bits in ((one, "ln 2", (0.415, 1.0)), (ten, "20", (10.0, 28.854))):
        table = leakage_bounds(policy, epsilon=epsilon)
        [first] = table.named("Theorem 1 of [Alvim2011b]")
        [second] = [b for b in table.about_one_record if b.form == "λ"]
        expect((round(first.bits, 3), round(second.bits, 3)), bits, "Theorems 1 and 2 in bits")
        records = policy.records
        yield (
            f"u = {records}, v = 2, ε = {epsilon}: Theorem 1 {first.bits:.3f} bits, "
            f"Theorem 2 {second.bits:.3f}"
        )
