"""How much may a private mechanism leak on a symmetric graph? Section 4 of [Alvim2011a]."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from leaktight.leakage import min_entropy_leakage, posterior_vulnerability
from leaktight.mechanisms import GraphExponential, RandomizedResponse
from leaktight.policies import (
    Graph,
    SecretGraph,
    distance_regularity,
    vertex_transitivity,
)
from leaktight.privacy import privacy_level
from leaktight.worst_case import leakage_bounds, worst_case_leakage
from leaktight_papers.alvim2011a.graphs import T6_TWICE, transitive_graphs
from leaktight_papers.claim import claim, demand, expect
from leaktight_papers.evidence import (
    PETERSEN,
    SEED,
    SEVEN,
    any_prior,
    databases,
    disjoint,
    event_ratio,
    optimum,
    private_channel,
    sum_of_maxima,
    survey_bound,
)
from leaktight_papers.vt_plus import sharply_transitive_set


@claim(
    "Q-D7",
    "A mechanism is ε-differentially private if no set of outputs is more than λ = e^ε times as "
    "likely for a database as for a neighbour. For finitely many outputs, single ones are enough.",
)
def differential_privacy() -> Iterator[str]:
    """All events of two randomised responses and of random channels."""
    draw, pair = random.Random(SEED), databases(2, 2)
    cases = [(pair, RandomizedResponse(2, ratio=2, records=2).channel)]
    for graph in (SecretGraph.line(4), SecretGraph.cycle(5), databases(1, 3)):
        cases += [(graph, private_channel(graph, Fraction(3), 4, draw)) for _ in range(6)]
    for graph, channel in cases:
        largest = event_ratio(channel, graph)
        expect(privacy_level(channel, graph).ratio, largest, "the ratio by single outputs")
    level = privacy_level(cases[0][1], pair).ratio
    expect(level, 2, "the ratio of two randomised responses")
    yield f"two randomised responses, all {2**4 - 1} events: the ratio is {level}"
    yield f"{len(cases) - 1} random channels on 3 graphs: the same ratio by events and by outputs"


def distance_sum(graph: Graph, ratio: Fraction | int) -> Fraction:
    """Return Σ_d n_d·λ^(−d) as seen from the first vertex.

    >>> distance_sum(SecretGraph.cycle(6), 2)
    Fraction(21, 8)
    """
    powers = (Fraction(ratio) ** -int(d) for d in graph.distances[0] if d >= 0)
    return sum(powers, Fraction(0))


@claim(
    "Q-T1",
    "If a graph is distance-regular or VT+, a private channel on equally likely inputs has "
    "H∞(A|B) ≥ log2 Σ_d n_d·λ^(−d), n_d the number of vertices at distance d. Equal numbers n_d at "
    "every vertex are enough, and the bound is attained.",
)
def entropy_bound() -> Iterator[str]:
    """The formula, the linear program of the definition, and the channel that attains it."""
    demand(not distance_regularity(SEVEN), "the complement of C3 + C4 must not be distance-regular")
    demand(not vertex_transitivity(SEVEN), "nor may it be vertex-transitive")
    pairs = disjoint(SecretGraph.complete(2), SecretGraph.complete(2))
    for name, graph, known in (
        ("Petersen's graph", PETERSEN, Fraction(5, 2)),
        ("complement of C3 + C4, neither of the two", SEVEN, Fraction(2)),
        ("two pairs", pairs, Fraction(8, 3)),
    ):
        worst, bound = optimum(graph, 2), graph.order / distance_sum(graph, 2)
        expect((worst, bound), (known, known), f"Σ max and its bound for {name}")
        for ratio, value in ((2, known), (1, len(graph.components))):
            [published] = leakage_bounds(graph, ratio).named("Theorem 1 of [Alvim2011a]")
            expect(published.value, value, f"the published bound at λ = {ratio}")
        yield f"{name}, λ = 2: Σ max = {worst} = the bound"
    cases = 0
    for graph, ratio in product(transitive_graphs(), (1, 2)):
        whole, channel = distance_sum(graph, ratio), GraphExponential(graph, ratio=ratio).channel
        expect(posterior_vulnerability(channel), 1 / whole, "2^(−H∞(A|B)), attained,")
        level = privacy_level(channel, graph).ratio
        demand(level <= ratio, f"the ratio must be at most {ratio}, got {level}")
        expect(optimum(graph, ratio), graph.order / whole, f"Σ max on {graph!r} at λ = {ratio}")
        cases += 1
    yield f"VT graphs of up to 7 vertices, λ = 1, 2, {cases} cases: bound, optimum, channel agree"
    symmetric = distance_regularity(T6_TWICE) or sharply_transitive_set(T6_TWICE)
    demand(not symmetric, f"T(6)□K2 must be neither distance-regular nor VT+, got {symmetric}")
    there = worst_case_leakage(T6_TWICE, ratio=2).upper
    expect(there, T6_TWICE.order / distance_sum(T6_TWICE, 2), "the worst case of T(6)□K2")
    yield f"T(6)□K2, neither distance-regular nor VT+: Σ max = {there} = the bound"


@claim(
    "Q-T2",
    "An ε-differentially private mechanism on u records of v values leaks at most "
    "u·log2(vλ/(v − 1 + λ)) bits under the uniform prior, and under any other.",
)
def leakage_bound() -> Iterator[str]:
    """Theorem 1 with n_d = C(u, d)·(v − 1)^d, the linear program, and random priors."""
    sizes = [(1, 2), (1, 4), (2, 2), (2, 3), (3, 2)]
    ratios, draw = [Fraction(1), Fraction(2), Fraction(7)], random.Random(SEED)
    for (u, v), ratio in product(sizes, ratios):
        graph, bound = databases(u, v), survey_bound(u, v, ratio)
        spheres = [math.comb(u, d) * (v - 1) ** d for d in range(u + 1)]
        expect(graph.distance_counts[0].tolist(), spheres, "n_0, n_1, …")
        binomial = v**u / sum(n / ratio**d for d, n in enumerate(spheres))
        worst = optimum(graph, ratio)
        expect((binomial, worst), (bound, bound), f"both, for u = {u}, v = {v}, λ = {ratio},")
        for _ in range(4):
            channel = private_channel(graph, ratio, graph.order, draw)
            leak = min_entropy_leakage(channel, any_prior(graph.order, draw).array).factor
            most = sum_of_maxima(channel)
            demand(leak <= most <= bound, f"{leak} and {most} must be at most {bound}")
    yield f"{len(sizes) * len(ratios)} cases (u, v, λ): Theorem 1, formula and optimum agree"
    yield f"{4 * len(sizes) * len(ratios)} random channels, as many priors: none leaks more"
    bound = survey_bound(2, 3, 2)
    expect(bound, Fraction(9, 4), "the bound for u = 2, v = 3, λ = 2")
    yield f"u = 2, v = 3, λ = 2: Σ max ≤ {bound}, {math.log2(bound):.6f} bits"
