"""Do the lemmas in the appendix of [Alvim2011b] hold?"""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from leaktight.channels import (
    Channel,
    diagonal_form,
    symmetrise,
    symmetrise_by_distance,
)
from leaktight.leakage import min_capacity, min_entropy_leakage
from leaktight.policies import AutomorphismGroup, SecretGraph, automorphism_group
from leaktight.privacy import distinguishability, privacy_level
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import (
    SEED,
    SKEW,
    any_prior,
    databases,
    demand_kept,
    optimum,
    private_channel,
    sum_of_maxima,
)

COLUMNS_FOR_ROWS = Erratum(
    25,
    "gap",
    "The proofs compare entries of adjacent columns, and bound off-diagonal entries from above.",
    "Privacy compares rows; entries at distance d are at least, not at most, α/λ^d.",
)


@claim(
    "A-L1",
    "Any private channel on n inputs can be made an n × n one, equally private and equally leaky, "
    "with the largest entry of each column on the diagonal.",
)
def diagonal() -> Iterator[str]:
    """Merge the outputs that point to the same input."""
    draw, made = random.Random(SEED), 0
    for graph in (databases(2, 2), databases(1, 5), SecretGraph.line(4), SecretGraph.cycle(5)):
        for ratio in (Fraction(1), Fraction(3, 2), Fraction(3)):
            for outputs in (2, graph.order, graph.order + 3):
                channel = private_channel(graph, ratio, outputs, draw)
                demand_kept(channel, diagonal_form(channel), graph, ratio)
                made += 1
    form = diagonal_form(SKEW)
    expect(form, Channel([["1/2", "1/2"], ["1/4", "3/4"]]), "the merged channel")
    yield f"{made} random channels on 4 graphs: Σ max and the ratio are kept"
    yield f"3 outputs merged to 2: diagonal {form[0, 0]}, {form[1, 1]}, Σ max {sum_of_maxima(form)}"


@claim(
    "A-L2",
    "On databases of independent records, averaging the entries at each distance keeps a channel "
    "private and equally leaky, and makes its diagonal constant.",
    Verdict.HOLDS,
    COLUMNS_FOR_ROWS,
)
def averages_over_distances() -> Iterator[str]:
    """The printed formula, the averages over distances and those over automorphisms agree."""
    draw, made = random.Random(SEED), 0
    for (u, v), ratio in product(
        [(2, 2), (2, 3), (3, 2)], [Fraction(1), Fraction(17, 10), Fraction(3)]
    ):
        graph = databases(u, v)
        channel = private_channel(graph, ratio, graph.order + 1, draw)
        after = symmetrise_by_distance(channel, graph)
        demand_kept(channel, after, graph, ratio)
        by_group = symmetrise(channel, automorphism_group(graph))
        expect(after == by_group, True, "averages over distances equal to those over automorphisms")
        matrix, lengths = diagonal_form(channel).matrix, graph.distances
        for h, k in product(range(graph.order), repeat=2):
            same = lengths == lengths[h, k]
            mean = matrix[same].sum() / (graph.order * int(same[h].sum()))
            expect(after.matrix[h, k], mean, "the entry of the printed formula")
        expect(len({after[x, x] for x in graph.vertices}), 1, "values on the diagonal")
        made += 1
    yield f"{made} random channels, (v, u) = (2, 2), (3, 2), (2, 3): all kept, diagonal constant"
    steep = Channel([["9/10", "1/10"], ["8/10", "2/10"]])
    level = privacy_level(steep, SecretGraph.complete(2)).ratio
    demand(level <= 2, f"the ratio between the rows must be at most 2, got {level}")
    left, right = (Fraction(p) for p in (steep[0, 0], steep[0, 1]))
    demand(left > 2 * right, f"adjacent columns must differ by more than 2, got {left}, {right}")
    yield f"[[9/10, 1/10], [4/5, 1/5]]: {left} > 2·{right} across columns, ratio {level} by rows"


@claim(
    "A-L4",
    "If no two inputs are told apart by more than the ratio λ, a channel leaks at most log2 λ "
    "bits, under any prior.",
)
def all_neighbours() -> Iterator[str]:
    """Random channels and priors, and the linear program for five inputs."""
    draw, factors, five = random.Random(SEED), [], SecretGraph.complete(5)
    for outputs in (2, 3, 4, 5, 6) * 8:
        channel, prior = private_channel(five, Fraction(2), outputs, draw), any_prior(5, draw)
        ratio, leak = distinguishability(channel).ratio, min_entropy_leakage(channel, prior)
        demand(leak.factor <= ratio <= 2, f"the leakage must be at most {ratio}, got {leak}")
        factors.append(float(leak.factor))
    yield f"{len(factors)} random channels and priors at λ = 2: leak by at most {max(factors):.4f}"
    best = optimum(five, 2)
    expect(best, Fraction(5, 3), "the worst case of 5 neighbours at λ = 2")
    yield f"5 inputs, all neighbours, λ = 2: the worst case is {best} ≤ 2"


@claim(
    "A-L5",
    "If one automorphism moves all inputs in one cycle, averaging along it keeps a channel private "
    "and equally leaky, and makes its diagonal constant.",
)
def averages_along_a_cycle() -> Iterator[str]:
    """The printed formula with its factor 1/n, and the averages over the group."""
    draw = random.Random(SEED)
    for n in (3, 5, 6, 7):
        ring = SecretGraph.cycle(n)
        turn = AutomorphismGroup(ring, [{i: (i + 1) % n for i in range(n)}])
        channel = private_channel(ring, Fraction(2), n + 2, draw)
        after, matrix = symmetrise(channel, turn), diagonal_form(channel).matrix
        demand_kept(channel, after, ring, Fraction(2))
        for h, k in product(range(n), repeat=2):
            mean = sum(matrix[(h + i) % n, (k + i) % n] for i in range(n)) / n
            expect(after.matrix[h, k], mean, "the entry of the printed formula")
        expect(len({after[x, x] for x in ring.vertices}), 1, "values on the diagonal")
        yield (
            f"ring of {n}, λ = 2: diagonal {float(after[0, 0]):.6f}, "
            f"n times it is Σ max = {float(min_capacity(channel).factor):.6f}"
        )
