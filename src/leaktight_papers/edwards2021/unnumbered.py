"""What does [Edwards2021] say between its numbered items, and is it so?"""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations

from leaktight.channels import Channel
from leaktight.leakage import min_capacity
from leaktight.mechanisms import RandomizedResponse
from leaktight.policies import Graph, Policy, SecretGraph, count
from leaktight.privacy import privacy_level
from leaktight.worst_case import worst_case_leakage
from leaktight_papers.claim import claim, demand, expect
from leaktight_papers.evidence import TWO, disjoint, private_channel, radii_and_diameters

PARTS = SecretGraph.partition([[0, 1], [2, 3]])
"""Whether a value is below 2 may be known; which of the two it is may not."""


@claim(
    "E-hierarchy",
    "Differential privacy implies Blowfish privacy, which implies bounded leakage, and neither "
    "converse holds. The number ε need not be kept: where counts are public it grows.",
    source="Section I of [Edwards2021]",
)
def hierarchy() -> Iterator[str]:
    """Both implications on an instance with public counts, and a channel for each converse."""
    public = [count([value], equals=1) for value in range(3)]
    plain, told = (Policy(SecretGraph.complete(3), 3, constraints=some) for some in ([], public))
    noisy = RandomizedResponse(3, ratio=2, records=3).channel
    seen = noisy.restrict(told.databases())
    alone, among = privacy_level(noisy, plain).ratio, privacy_level(seen, told).ratio
    expect((alone, among), (2, 8), "the ratios without and with public counts")
    leaked = min_capacity(seen).factor
    most = worst_case_leakage(told, ratio=among).upper
    demand(1 < leaked <= most, f"{leaked} must be at most {most}")
    yield f"3 people: λ = {alone}, and {among} once counts are public; leaks {leaked} ≤ {most}"
    uneven = Policy(SecretGraph.complete(3), 3, constraints=[count([0], equals=2), public[1]])
    expect(set(uneven.databases()), set(permutations((0, 0, 1))), "databases with counts 2, 1, 0")
    part = Channel.deterministic(lambda value: value // 2, 4)
    levels = [privacy_level(part, graph).ratio for graph in (PARTS, SecretGraph.complete(4))]
    expect(levels, [1, math.inf], "the ratios of telling the part")
    yield f"which of {{0,1}}, {{2,3}}: ratio {levels[0]} for parts, {levels[1]} for all pairs"
    rare = Channel([[1, 0, 0]] * 2 + [["999/1000", "1/1000", 0], ["999/1000", 0, "1/1000"]])
    level, factor = privacy_level(rare, PARTS).ratio, min_capacity(rare).factor
    expect((level, factor), (math.inf, Fraction(1001, 1000) + Fraction(1, 1000)), "a rare tell")
    yield f"a rare tell within {{2,3}}: leaks a factor of {factor} only, but no ratio is finite"


@claim(
    "E-nonsecrets",
    "Min-entropy leakage counts secrets and what is not secret alike. Priors within one component "
    "of the adjacency graph count only what the policy does not let be known: λ^radius at most.",
    source="Section III, after Theorem 11, of [Edwards2021]",
)
def non_secrets() -> Iterator[str]:
    """One bit of either kind, and random private channels on a graph of three components."""
    part, inside = (Channel.deterministic(tell, 4) for tell in (lambda x: x // 2, lambda x: x % 2))
    factors = [min_capacity(channel).factor for channel in (part, inside)]
    expect(factors, [2, 2], "what the two channels leak")
    within = [max(_within(channel, PARTS)) for channel in (part, inside)]
    expect(within, [1, 2], "what they leak within a component")
    yield f"{{0,1}}, {{2,3}}: a bit of which part leaks {factors[0]}, of which value {factors[1]}"
    yield f"beyond what the policy lets be known: {within[0]} and {within[1]}"
    graph, draw = disjoint(SecretGraph.line(3), SecretGraph.complete(2), SecretGraph.line(4)), 100
    random_ = random.Random(3)
    for _ in range(draw):
        channel = private_channel(graph, TWO, 5, random_)
        parts, total = _within(channel, graph), min_capacity(channel).factor
        for leaked, steps in zip(parts, _radii(graph), strict=True):
            demand(leaked <= TWO**steps, f"{leaked} is above 2^{steps}")
        demand(max(parts) <= total <= sum(parts), f"{total} is not between those of {parts}")
    bound, _ = radii_and_diameters(graph, TWO)
    yield f"{draw} private channels, λ = 2: each part at most λ^radius, all together {bound}"


def _within(channel: Channel, graph: Graph) -> list[Fraction]:
    """What a channel leaks if the component is known, for each."""
    return [Fraction(min_capacity(channel.restrict(part)).factor) for part in graph.components]


def _radii(graph: Graph) -> list[int]:
    return [int(graph.subgraph(part).radius) for part in graph.components]
