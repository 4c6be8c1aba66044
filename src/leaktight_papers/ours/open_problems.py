"""Which problems do the papers leave open, and what can a program say about each?

Some are settled, some are settled for every instance that is given; what is left is said.
"""

import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

from leaktight.channels import Channel, Gain, Loss
from leaktight.exact import Ratio
from leaktight.leakage import min_capacity, posterior_vulnerability
from leaktight.mechanisms import (
    GraphExponential,
    RandomizedResponse,
    TruncatedGeometric,
    optimal_mechanism,
    worst_case_with_outputs,
)
from leaktight.policies import (
    Graph,
    Interval,
    Policy,
    SecretGraph,
    vertex_transitivity,
)
from leaktight.privacy import (
    average_breach_level,
    breach_level,
    leakage_from_average_level,
    privacy_level,
)
from leaktight.repetition import (
    average_breach_rate,
    chernoff_information,
    error_rate,
    expected_loss,
    success_probability,
    utility_rate,
)
from leaktight.worst_case import decide_bound, worst_case_leakage
from leaktight_papers.alvim2011b.few_outputs import average_bound, printed_bound
from leaktight_papers.boreale2012.rates import confirmed
from leaktight_papers.claim import Verdict, claim, demand, expect
from leaktight_papers.edwards2021.bounds import EIGHT, arrows
from leaktight_papers.evidence import (
    FORK,
    PETERSEN,
    RESPONSE,
    T6,
    TREE,
    TWO,
    databases,
    drawn_channel,
    largest_sum,
    optimum,
    small_graphs,
    smallest_cover,
    survey_bound,
)
from leaktight_papers.ours.two_outputs import two_outputs, with_two_outputs
from leaktight_papers.vt_plus import sharply_transitive_set


@claim(
    "O-1",
    "Does Theorem 11 extend to uncountably many values? Its bound does, for discrete outputs: it "
    "needs no symmetrisation, as K(z|x) ≤ λ^d(x,c)·K(z|c) for a centre c of each component, summed "
    "over z. For intervals, boxes, circles and trees the worst case itself is known: on [0, L] "
    "with e^(ε|x−y|) it is 1 + εL/2, attained by clamped Laplace noise, far within it.",
    Verdict.PARTLY,
    source="Section V of [Edwards2021]",
)
def uncountable() -> Iterator[str]:
    """Grids of an interval of length 2 with ratio e^|x−y|, and of one with a threshold."""
    found, length = [], 2
    for m in (2, 3, 5, 9, 17):
        line, ratio = SecretGraph.line(m), Ratio.of(epsilon=Fraction(length, m - 1)).upper
        worst = worst_case_leakage(line, ratio=ratio).upper
        if m <= 5:
            demand(optimum(line, ratio) == worst, f"{m} points: not {worst}")
        formula = 1 + (m - 1) * math.tanh(length / (m - 1) / 2)
        demand(worst < 1 + Fraction(length, 2), f"{m} points: {worst} is above the limit")
        demand(math.isclose(worst, formula), f"{m} points: {float(worst)}, formula {formula}")
        found.append(f"{float(worst):.4f}")
    demand(found == ["1.7616", "1.9242", "1.9797", "1.9948", "1.9987"], f"worst cases {found}")
    printed, limit = float(ratio) ** line.diameter, worst_case_leakage(Interval(0, 2), epsilon=1)
    demand(limit.upper == limit.lower == 1 + Fraction(length, 2), f"on the interval {limit}")
    yield f"2 to 17 points of [0, 2], e^|x−y|: {', '.join(found)} < {limit.upper} < {printed:.2f}"
    cover, weights, _ = smallest_cover(line, ratio)
    expect(cover, worst, "the best cover")
    end, inner = float(weights[0]), float(weights[1])
    density = inner * (m - 1) / length
    demand(abs(end - 0.5) < 0.04 and abs(density - 0.5) < 0.001, f"weights {end}, {density}")
    yield f"the cover of {m} points has {end:.3f} at each end and {density:.3f} per length between"
    values = []
    for m in (5, 9, 17):
        grid = SecretGraph.threshold([Fraction(i, m - 1) for i in range(m)], distance=0.25)
        demand((grid.diameter, grid.radius) == (4, 2), f"{grid.diameter}, {grid.radius}")
        values.append(worst_case_leakage(grid, ratio=2).upper)
        demand(values[-1] <= TWO**grid.radius, f"{values[-1]} is above 2^{grid.radius}")
    demand(values == [Fraction(7, 3), Fraction(103, 38), 3], f"worst cases {values}")
    yield f"5, 9, 17 points of [0, 1], θ = 1/4, λ = 2: {', '.join(map(str, values))} ≤ λ^radius = 4"


@claim(
    "O-2",
    "Which bounds hold for general gain functions? For every finite instance the best mechanism is "
    "computed exactly, with a proof. On a line it is the truncated geometric one for three gains "
    "and two priors. A general formula remains open.",
    Verdict.PARTLY,
    source="Section 7 of [Alvim2011b]",
)
def general_gains() -> Iterator[str]:
    """Line and clique of six answers at λ = 2."""
    gains = {
        "0/1": Gain.binary(range(6)),
        "absolute": Gain.by_distance(range(6), lambda a, b: abs(a - b)),
        "squared": Gain.by_distance(range(6), lambda a, b: (a - b) ** 2),
    }
    priors = [None, ["3/10", "1/10", "1/10", "1/10", "1/10", "3/10"]]
    line, clique = SecretGraph.line(6), SecretGraph.complete(6)
    geometric = TruncatedGeometric(6, ratio=2).channel
    for (name, gain), prior in product(gains.items(), priors):
        best = optimal_mechanism(line, prior, gain, ratio=2)
        reached = posterior_vulnerability(geometric, prior, gain)
        demand(best.is_optimal and best.utility == reached, f"{name}: {best}, {reached}")
    yield f"line, {', '.join(gains)} error, {len(priors)} priors: the best is truncated geometric"
    best = optimal_mechanism(clique, None, gains["absolute"], ratio=2)
    steep = TruncatedGeometric(6, ratio=2, sensitivity=5)
    others = [
        float(posterior_vulnerability(channel, None, gains["absolute"]))
        for channel in (steep.channel, GraphExponential(clique, ratio=2).channel)
    ]
    demand(best.is_optimal and best.utility == Fraction(11, 15), f"the best on a clique is {best}")
    demand([round(one, 5) for one in others] == [0.71845, 0.71429], f"the others have {others}")
    yield (
        f"clique, absolute error: best {float(best.utility):.6f} > geometric {others[0]:.5f} "
        f"> clique's {others[1]:.5f}"
    )


@claim(
    "O-3",
    "What are the best utility under other priors and on graphs without symmetry, and the best "
    "bound for few outputs? Each instance is solved exactly. For two outputs there is a formula "
    "(ours): 2 − λ^(−D/2) for even diameter D, 2 − 2·λ^(−(D−1)/2)/(1+λ) for odd.",
    Verdict.PARTLY,
    source="Section 5 of [Alvim2011b], implicitly",
)
def priors_graphs_and_outputs() -> Iterator[str]:
    """Two programs for utility; all small graphs and longer ones for two outputs."""
    prior = ["1/10", "1/5", "1/5", "1/5", "1/5", "1/10"]
    clique = SecretGraph.complete(6)
    best = optimal_mechanism(clique, prior, ratio=2)
    uniform = posterior_vulnerability(GraphExponential(clique, ratio=2).channel, prior)
    demand(best.is_optimal and best.utility == Fraction(8, 25), f"the best on a clique is {best}")
    demand(uniform == Fraction(2, 7), f"the mechanism for the uniform prior has {uniform}")
    uneven, worst = optimal_mechanism(FORK, ratio=2), optimum(FORK, TWO)
    demand(uneven.is_optimal and 5 * uneven.utility == worst, f"{uneven}, worst case {worst}")
    yield f"clique of 6, prior (.1, .2, .2, .2, .2, .1), λ = 2: best {best.utility} > {uniform}"
    yield f"a fork of 5 answers, only two of them alike: best utility {uneven.utility}"
    tried = 0
    for graph in (g for g in small_graphs(4) if g.is_connected and g.order > 1):
        formula = with_two_outputs(int(graph.diameter), TWO)
        found = worst_case_with_outputs(graph, 2, ratio=2).upper
        demand(found == formula, f"{graph!r}: {found}, by the formula {formula}")
        more = worst_case_with_outputs(graph, graph.order, ratio=3).upper
        expect(more, optimum(graph, 3), f"the worst case of {graph!r} with all outputs, λ = 3,")
        tried += 1
    for length, ratio in product(range(1, 9), (Fraction(5, 4), TWO, Fraction(9))):
        path = SecretGraph.line(length + 1)
        found = optimum(path, ratio, (0, length))
        formula = with_two_outputs(length, ratio)
        demand(found == formula, f"path of {length} edges at {ratio}: {found}, not {formula}")
    yield f"two outputs, λ = 2: {tried} connected graphs of up to 4 vertices as the formula says"
    bits = databases(9, 2)
    channel = two_outputs(bits, TWO)
    level, leaked = privacy_level(channel, bits).ratio, min_capacity(channel).factor
    demand(level == 2, f"the channel for 9 bits has the ratio {level}")
    demand(leaked == with_two_outputs(9, TWO), f"the channel for 9 bits has {leaked}")
    yield f"9 bits, λ = 2: a private channel with two outputs has Σ max = {leaked}, the formula"


@claim(
    "O-4",
    "Is there a closed expression for the leakage of n > 1 bits? It is n·log2(2λ/(1+λ)), by "
    "Theorem 1 of [Alvim2011b]; equal weights on all words cover better than any code.",
    Verdict.ANSWERED,
    source="Sections I and VI of [Barthe2011]",
)
def many_bits() -> Iterator[str]:
    """The plain program and the best cover for up to three bits; a hundred bits at once."""
    for n, ratio in product((1, 2, 3), (Fraction(3, 2), TWO, Fraction(5))):
        graph, formula = databases(n, 2), survey_bound(n, 2, ratio)
        worst, cover = optimum(graph, ratio), smallest_cover(graph, ratio)[0]
        demand(worst == cover == formula, f"{n} bits at {ratio}: {worst}, cover {cover}, {formula}")
        response = min_capacity(RandomizedResponse(2, ratio=ratio, records=n).channel).factor
        demand(response == formula, f"{n} randomised responses have {response}, not {formula}")
    yield f"1, 2, 3 bits, λ = 3/2, 2, 5: worst case = best cover = (2λ/(1+λ))^n; last {formula}"
    many = worst_case_leakage(Policy(SecretGraph.complete(2), 100), ratio=2)
    demand(many.is_exact and many.upper == survey_bound(100, 2, TWO), f"100 bits have {many}")
    yield f"100 bits, λ = 2: exactly (4/3)^100, {many.bits:.4f} bits"


@claim(
    "O-5",
    "Is the procedure feasible that decides whether a rational function bounds the leakage for "
    "every ε? Yes: as the worst case is known, it is one test of the sign of a polynomial.",
    Verdict.SETTLED,
    source="Section VI of [Barthe2011]",
)
def feasible_decision() -> Iterator[str]:
    """The closed form, a bound that is not attained, and two that are too small, up to 60 bits."""
    for n in (1, 3, 60):
        graph = Policy(SecretGraph.complete(2), n).adjacency()
        power, below = [0] * n + [2**n], [math.comb(n, k) for k in range(n + 1)]
        attained, above = decide_bound(graph, power, below), decide_bound(graph, [0] * n + [1], [1])
        demand(attained.is_tight, f"{n} bits: the formula is {attained}")
        demand(above.is_bound and not above.is_tight, f"{n} bits: λ^n is {above}")
        less = decide_bound(graph, [999 * c for c in power], [1000 * c for c in below])
        demand(not less.is_bound, f"{n} bits: a thousandth less is {less}")
    yield f"1, 3, {n} bits: (2λ/(1+λ))^n is {attained}"
    yield f"{n} bits: λ^n is {str(above).splitlines()[0]}"
    yield f"{n} bits, a thousandth less: {str(less).partition(':')[0]}"
    wrong = decide_bound(Graph(2, [(0, 1)]), [2], [1, 1])
    demand(not wrong.is_bound, f"2/(1 + λ) is {wrong}")
    yield f"one bit, 2/(1+λ): {str(wrong).splitlines()[0]}"


@claim(
    "O-6",
    "How is average-case security related to maximum leakage? With t the largest total variation "
    "of two rows, the level is log2(1+t), and 1 + t ≤ Σ_z max_x K(z|x) ≤ 1 + (n−1)·t for n "
    "inputs; channels attain both ends for all n and t.",
    Verdict.SETTLED,
    source="Section 7 of [Boreale2012]",
)
def average_level_and_leakage() -> Iterator[str]:
    """Random channels between the ends, and two channels at them."""
    draw, tried = random.Random(6), 0
    for inputs, outputs in product((2, 3, 4, 5), (2, 3, 5)):
        for _ in range(20):
            channel = drawn_channel(range(inputs), outputs, draw)
            t = Fraction(average_breach_level(channel).factor) - 1
            leaked = min_capacity(channel).factor
            demand(1 + t <= leaked <= 1 + (inputs - 1) * t, f"t = {t}, Σ max = {leaked}")
            tried += 1
    yield f"{tried} random channels of 2 to 5 inputs: all between 1 + t and 1 + (n − 1)·t"
    for n, t in product((2, 3, 5), (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1))):
        two = Channel([[1, 0]] + [[1 - t, t]] * (n - 1))
        star = Channel({x: {0: 1 - t, x: t} if x else {0: 1} for x in range(n)})
        levels = average_breach_level(two).factor, average_breach_level(star).factor
        demand(levels == (1 + t, 1 + t), f"n = {n}, t = {t}: levels {levels}")
        ends = min_capacity(two).factor, min_capacity(star).factor
        demand(ends == (1 + t, 1 + (n - 1) * t), f"n = {n}, t = {t}: ends {ends}")
        demand(ends == leakage_from_average_level(1 + t, n), f"n = {n}, t = {t}: not {ends}")
    low, high = leakage_from_average_level("4/3", 3)
    demand((low, high) == (Fraction(4, 3), Fraction(5, 3)), f"3 inputs, t = 1/3: {low}, {high}")
    yield f"3 inputs, t = 1/3: from {low}, two different rows, to {high}, a star"


RATINGS = {"ann": (1, 1, 1, 1), "bob": (1, 1, 1, 0), "cid": (0, 0, 1, 1), "dan": (0, 0, 0, 0)}
"""What four people think of four films."""


def _about_a_film(ratings: dict[str, Sequence[int]]) -> Channel:
    """What is seen of a person: any film, and the rating, which is true with probability 2/3."""
    return Channel(
        {
            name: {
                (film, seen): Fraction(RESPONSE[liked, seen]) / len(row)
                for film, liked in enumerate(row)
                for seen in (0, 1)
            }
            for name, row in ratings.items()
        }
    )


@claim(
    "O-7",
    "Do distances of rows measure how easily micro-data is de-anonymised? They are computed for "
    "any data set that is a channel: the two most similar rows decide how fast everybody is "
    "identified. Which distance defines security remains a question of modelling.",
    Verdict.OPEN,
    source="Section 7 of [Boreale2012]",
)
def micro_data() -> Iterator[str]:
    """Ratings of films: each Chernoff information against its formula."""
    channel, similar = _about_a_film(dict(RATINGS)), {}
    half = chernoff_information(RESPONSE.row(0), RESPONSE.row(1))
    for one, other in combinations(RATINGS, 2):
        share = sum(a != b for a, b in zip(RATINGS[one], RATINGS[other], strict=True)) / 4
        formula = -math.log2(1 - share * (1 - 2**-half.bits))
        found = chernoff_information(channel.row(one), channel.row(other)).bits
        demand(math.isclose(found, formula), f"{one}, {other}: {found}, formula {formula}")
        similar[one, other] = found
    slow, fast = error_rate(channel), average_breach_rate(channel)
    demand(slow.pair == min(similar, key=similar.__getitem__), f"hardest: {slow}")
    demand(fast.pair == max(similar, key=similar.__getitem__), f"easiest: {fast}")
    yield f"4 people, 4 films: {slow.pair} hardest, C = {slow.bits:.5f}"
    yield f"{fast.pair} easiest, C = {fast.bits:.5f}"
    pairs = [channel.restrict(rate.pair or ()) for rate in (slow, fast)]
    ratios = [breach_level(pair).ratio for pair in pairs]
    apart = [Fraction(average_breach_level(pair).factor) - 1 for pair in pairs]
    demand(ratios == [2, 2], f"every rating must have the ratio 2, got {ratios}")
    demand(apart == [Fraction(1, 12), Fraction(1, 3)], f"total variations {apart}")
    yield f"one rating: ratio {ratios[0]} for both pairs, total variation {apart[0]} and {apart[1]}"
    hard, easy, every = (float(success_probability(one, n=10)) for one in (*pairs, channel))
    demand(every < hard < easy, f"right with {every}, {hard}, {easy}")
    yield f"ten ratings: right with {hard:.3f} and {easy:.3f} on the pairs, {every:.3f} on all four"


@claim(
    "O-8",
    "What is the rate of utility if rows are equal? Inputs with equal rows form a class. The limit "
    "is the sum over classes of what its best guess loses; the rate is the least Chernoff "
    "information of two classes without a best guess in common, if ties are nested. If they are "
    "not, as three classes can be that share best guesses in pairs, the rate remains open.",
    Verdict.PARTLY,
    source="Footnote 4 of [Boreale2012]",
)
def equal_rows_and_utility() -> Iterator[str]:
    """Exact losses against limit and rate, for three losses on two equal rows."""
    channel, ns = Channel([["2/3", "1/3"], ["1/3", "2/3"], ["2/3", "1/3"]]), (200, 400, 800)
    classes = [(0, 2), (1,)]
    for name, loss in {
        "errors cost 1": Loss.zero_one(range(3)),
        "guessing 1 for 0 costs 3": Loss([[0, 1, 1], [3, 0, 1], [1, 1, 0]]),
        "mixing up 0 and 2 costs 3": Loss([[0, 1, 3], [1, 0, 1], [3, 1, 0]]),
    }.items():
        rate = utility_rate(channel, loss)
        by_hand = Fraction(0)
        for same in classes:
            lost = [sum((Fraction(loss[w, x]) for x in same), Fraction(0)) for w in range(3)]
            by_hand += min(lost) / 3
        demand(rate.limit == by_hand, f"{name}: limit {rate.limit}, by hand {by_hand}")
        above = {n: expected_loss(channel, loss, n=n).lower - by_hand for n in ns}
        if rate.lower < math.inf:
            near = confirmed(above, rate)
            yield f"{name}: limit {rate.limit}, ρ = {rate.bits:.5f}; n = {ns[-1]} gives {near:.5f}"
        else:
            demand(set(above.values()) == {0}, f"{name}: above the limit by {above}")
            yield f"{name}: limit {rate.limit} at once, as one guess is best for all"


@claim(
    "O-9",
    "It refers to the open question of [Barthe2011], which function of the number of people and ε "
    "is the optimal bound; its own Theorem 2 is that function, for any number of values.",
    Verdict.ANSWERED,
    source="[Alvim2011a], which states no further work",
)
def optimal_function() -> Iterator[str]:
    """The plain program for several numbers of people and of values."""
    found = {}
    for u, v in ((1, 2), (2, 2), (3, 2), (1, 3), (2, 3), (1, 4), (2, 4)):
        for ratio in (TWO, Fraction(7, 2)):
            worst, formula = optimum(databases(u, v), ratio), survey_bound(u, v, ratio)
            demand(worst == formula, f"u = {u}, v = {v}, λ = {ratio}: {worst}, not {formula}")
            found[u, v, ratio] = worst
    yield f"{len(found)} cases (u, v, λ): the optimum is (vλ/(v−1+λ))^u"
    yield f"2 people, 3 values, λ = 2: {found[2, 3, TWO]}"


@claim(
    "O-10",
    "Proposition 2 of [Alvim2011b] is proved for r ≤ v^u outputs (docs/proofs/few-outputs.md). "
    "Open are a formula for the worst case where no cover attains it, the fewest databases that "
    "violate Theorem 11 of [Edwards2021] read one way (8 do), and whether a graph of less than 15 "
    "vertices is vertex-transitive but not VT+.",
    Verdict.PARTLY,
    source="Raised here",
)
def raised_here() -> Iterator[str]:
    """An instance of each."""
    cases = [(u, v, r) for u in range(1, 5) for v in (2, 3) for r in range(1, v**u + 1)]
    for case, ratio in product(cases, (Fraction(11, 10), TWO, Fraction(9))):
        ours, printed = average_bound(*case, ratio), printed_bound(*case, ratio)
        demand(ours <= printed, f"{case} at {ratio}: {ours} must be at most {printed}")
    yield f"Proposition 2: our proved bound is at most the printed one in {len(cases)} cases"
    worst, cover = optimum(TREE, TWO), smallest_cover(TREE, TWO)[0]
    demand((worst, cover) == (Fraction(7, 3), Fraction(12, 5)), f"{worst} and {cover}")
    yield f"tree 01, 12, 14, 15, 23, λ = 2: worst case {worst} < best cover {cover}"
    graph, ratio = EIGHT.adjacency(), Fraction(51, 50)
    one_way, two_way = largest_sum(8, arrows(graph), ratio), optimum(graph.explicit(), ratio)
    bound = ratio**graph.diameter
    demand(one_way == Fraction(108, 101) and two_way <= bound < one_way, f"{two_way}, {one_way}")
    yield f"{graph.order} databases, λ = {ratio}, privacy one way: {one_way} > λ^{graph.diameter}"
    demand(bool(vertex_transitivity(T6)), "T(6) must be vertex-transitive")
    verdict, other = sharply_transitive_set(T6), sharply_transitive_set(PETERSEN)
    demand(not verdict, f"T(6) must not be VT+, got {verdict}")
    without = bool(other and not other.is_group)
    demand(without, f"Petersen's graph must be VT+ without a group: {other}")
    yield f"T(6) on {T6.order} vertices is not VT+, Petersen's graph on {PETERSEN.order} is"
