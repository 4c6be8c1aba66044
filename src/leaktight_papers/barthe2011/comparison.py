"""How do leakage and differential privacy compare? Sections II to IV of [Barthe2011]."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

from leaktight.channels import Channel, Distribution, parallel, sequential
from leaktight.exact import fraction
from leaktight.leakage import (
    hyper,
    min_capacity,
    min_entropy_leakage,
    posterior_vulnerability,
    vulnerability,
)
from leaktight.mechanisms import RandomizedResponse, RoundedLaplace
from leaktight.policies import SecretGraph, sensitivity
from leaktight.privacy import independent_breach_level, privacy_level
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import (
    RESPONSE,
    SEED,
    any_cases,
    any_channel,
    databases,
    private_channel,
    sum_of_maxima,
)

BIT = SecretGraph.complete(2)
"""The two values of a bit, neighbours."""

WORDING = Erratum(
    31,
    "typo",
    "A guess is said to become less likely; sensitivity divides by 0 where D1 = D2.",
    "Observing Y makes a right guess likelier; D1 and D2 must differ.",
)


@claim(
    "B-D1",
    "The maximal leakage ML of a channel is its largest min-entropy leakage over all priors, the "
    "log of the factor by which observing Y raises the chance to guess X.",
    Verdict.HOLDS,
    WORDING,
)
def maximal_leakage() -> Iterator[str]:
    """Priors on a grid and random channels."""
    grid = [[Fraction(k, 24), 1 - Fraction(k, 24)] for k in range(25)]
    factors = [min_entropy_leakage(RESPONSE, prior).factor for prior in grid]
    capacity = min_capacity(RESPONSE)
    expect((max(factors), factors[12]), (capacity.factor, capacity.factor), "ML, at uniform")
    demand(min(factors) >= 1, f"no prior must make guessing harder, got {min(factors)}")
    expect(round(capacity.bits, 6), 0.415037, "the bits of randomised response")
    low, high = min(factors), max(factors)
    yield f"randomised response 2/3, {len(grid)} priors: factors from {low} to {high}"


@claim("B-T1", "ML = log2 Σ_y max_x P(y|x), attained by the uniform prior.")
def maximal_leakage_formula() -> Iterator[str]:
    """Random channels and priors."""
    count = 200
    for channel, prior in any_cases(count, 3, 4):
        leak, most = min_entropy_leakage(channel, prior).factor, sum_of_maxima(channel)
        demand(leak <= most, f"no prior must leak more than {most}, got {leak}")
        expect(min_entropy_leakage(channel).factor, most, "the leakage under the uniform prior")
        capacity = min_capacity(channel)
        expect(capacity.factor, most, "the capacity")
        even = Distribution.uniform(channel.inputs)
        expect(capacity.prior, even, "the prior of the capacity")
    yield f"{count} random channels and priors: none above Σ max, the uniform prior attains it"
    bits = min_capacity(RESPONSE).bits
    expect(round(bits, 6), 0.415037, "the bits of randomised response")
    yield f"randomised response 2/3: Σ max = {sum_of_maxima(RESPONSE)}, {bits:.6f} bits"


@claim(
    "B-D2",
    "ε-differential privacy asks for P(S|D1) ≤ λ^d·P(S|D2) if D1 and D2 differ in d records, for "
    "all sets S of outputs. It is enough to ask it of neighbours and single outputs.",
)
def differential_privacy() -> Iterator[str]:
    """All pairs of inputs against neighbours."""
    cube = databases(3, 2)
    channel = RandomizedResponse(2, ratio=2, records=3).channel
    pairs = list(combinations(range(8), 2))
    for i, h in pairs:
        ratios = channel.matrix[i] / channel.matrix[h]
        steep = fraction(max(*ratios, *(1 / ratios)))
        expect(steep, 2 ** int(cube.distances[i, h]), f"the ratio of inputs {i} and {h}")
    yield f"three randomised responses: ratio 2^d for all {len(pairs)} pairs"
    draw, count = random.Random(SEED), 20
    some = [s for k in range(1, 4) for s in combinations(range(3), k)]
    for _ in range(count):
        drawn = private_channel(cube, Fraction(2), 3, draw)
        level = privacy_level(drawn, cube).ratio
        for (i, h), outputs in product(product(range(8), repeat=2), some):
            one, other = (fraction(drawn.matrix[x, list(outputs)].sum()) for x in (i, h))
            most = Fraction(level) ** int(cube.distances[i, h]) * other
            demand(one <= most, f"{one} must be at most {most} for inputs {i} and {h}")
    yield f"{count} random channels: ratio λ of neighbours gives λ^d for all pairs and sets"


@claim(
    "B-D3",
    "The sensitivity of F is the largest |F(D1) − F(D2)| / |D1 ⊖ D2| over D1 ≠ D2; neighbours "
    "are enough. It must be positive where noise is scaled by it.",
    Verdict.CORRECTED,
    WORDING,
)
def sensitivities() -> Iterator[str]:
    """All pairs of databases against neighbours."""
    cubes = [databases(3, 2), databases(2, 3), databases(1, 4)]
    for cube, most in zip(cubes, (1, 2, 3), strict=True):
        size = sensitivity(cube, sum)
        expect(size.value, most, "the sensitivity of the sum of the records")
    yield f"F = |D| on 3 bits: {sensitivity(cubes[0], sum)}"
    draw, count = random.Random(SEED), 50
    for cube in (draw.choice(cubes) for _ in range(count)):
        table = {x: draw.randint(-20, 20) for x in cube.vertices}
        largest = max(
            Fraction(abs(table[a] - table[b]), int(cube.distance(a, b)))
            for a, b in combinations(cube.vertices, 2)
        )
        expect(sensitivity(cube, table).value, largest, "the sensitivity from neighbours")
    constant = sensitivity(cube, dict.fromkeys(cube.vertices, 7)).value
    expect(constant, 0, "the sensitivity of a constant")
    yield f"{count} random F: all pairs D1 ≠ D2 give what neighbours do; a constant has {constant}"


@claim("B-T2", "F plus Laplace's noise of scale S(F)/ε is ε-differentially private.")
def laplace() -> Iterator[str]:
    """Noise rounded to quarters: exact chances, and the integral in floating point."""
    grid = [Fraction(k, 4) for k in range(13)]
    noise = RoundedLaplace(grid, epsilon="0.7", sensitivity=4)
    level = privacy_level(noise.channel, noise.graph)
    demand(level.holds(epsilon="0.7"), f"the ratio must be at most e^0.7, got {level}")
    expect(round(float(level.ratio), 5), 2.01375, "the ratio")
    yield f"ε = 0.7, rounded to quarters: ratio {float(level.ratio):.5f}, not above e^0.7"

    def below(x: float) -> float:
        tail = math.exp(-0.7 * abs(x)) / 2
        return tail if x < 0 else 1 - tail

    cells = [k / 4 for k in range(-8, 13)]
    chances = [
        [below(c + 0.125 - mean) - below(c - 0.125 - mean) for c in cells] for mean in range(3)
    ]
    worst = max(max(p / q, q / p) for p, q in zip(chances[0], chances[1], strict=True))
    demand(abs(worst - math.exp(0.7)) < 2.0**-40, f"the ratio must be e^0.7, got {worst}")
    yield f"the integral over each cell in floating point: ratio {worst:.5f}"


ONE_SIDED = Erratum(
    27,
    "false",
    "P[X̂ = 1] ≤ λ·P[X̂ = 1 | y] alone is said to imply differential privacy.",
    "It bounds P(y|0)/P(y|1) only; the same must hold for X̂ = 0.",
)


def surprise(
    channel: Channel, pair: tuple[int, int], y: int, bit: int, chance: Fraction
) -> Fraction:
    """Return P[X̂ = b] / P[X̂ = b | y] for a bit X̂ that is 1 with some chance.

    The two rows are those of the input with X̂ = 0 and with X̂ = 1, all else being known.

    >>> surprise(RESPONSE, (0, 1), 0, 1, Fraction(1, 2))
    Fraction(3, 2)
    """
    seen = [fraction(channel.matrix[x, y]) for x in pair]
    return (chance * seen[1] + (1 - chance) * seen[0]) / seen[bit]


@claim(
    "B-L1",
    "A channel is ε-differentially private exactly if, all other bits being known, no output makes "
    "either value of a bit less likely by more than λ, whatever the prior of that bit.",
    Verdict.CORRECTED,
    ONE_SIDED,
)
def belief_in_a_bit() -> Iterator[str]:
    """Many priors against the ratio, and the one-sided condition where it fails."""
    draw, square, near, count = random.Random(SEED), databases(2, 2), Fraction(1, 2**20), 30
    chances = [near, Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), 1 - near]
    for _ in range(count):
        drawn = private_channel(square, Fraction(draw.randint(2, 5)), 3, draw)
        seen = [y for y in range(3) if drawn.matrix[0, y] > 0]
        level = privacy_level(drawn, square).ratio
        found = max(
            surprise(drawn, pair, y, bit, chance)
            for pair, y, bit, chance in product(square.edges.tolist(), seen, (0, 1), chances)
        )
        expect(independent_breach_level(drawn).ratio, level, "the level of breaches")
        demand(found <= level, f"no belief must fall by more than {level}, got {found}")
        nearly = level * (1 - 2 * near)
        demand(found >= nearly, f"some belief must fall by nearly {level}, got {found}")
    yield f"{count} random channels on 2 bits: beliefs in 0 and 1 fall by the ratio, and no more"
    skewed = Channel([["1/10", "9/10"], ["2/5", "3/5"]])
    one, zero = (
        max(surprise(skewed, (0, 1), y, bit, chance) for y in (0, 1) for chance in chances)
        for bit in (1, 0)
    )
    most = max(fraction(p) for p in skewed.matrix[0] / skewed.matrix[1])
    level = privacy_level(skewed, BIT).ratio
    demand(one <= most < 2, f"the printed condition must hold at 2, got {one}")
    expect((most, level), (Fraction(3, 2), 4), "the largest P(y|0)/P(y|1) and the ratio")
    demand(zero > 3, f"the belief in 0 must fall by nearly 4, got {zero}")
    yield f"rows (1/10, 9/10), (2/5, 3/5): belief in 1 falls by less than {most}, ratio {level}"
    lopsided = Channel([[0, 1], ["1/2", "1/2"]])
    falls = max(surprise(lopsided, (0, 1), y, 1, chance) for y in (0, 1) for chance in chances)
    most = max(fraction(p) for p in lopsided.matrix[0] / lopsided.matrix[1])
    level = privacy_level(lopsided, BIT).ratio
    demand(falls < most == 2, f"the printed condition must hold at 2, got {falls}")
    expect(level, math.inf, "the ratio")
    yield f"rows (0, 1), (1/2, 1/2): belief in 1 falls by less than {most}, ratio {level}"


@claim("B-L2", "ML ≤ l exactly if E_y[max_x P(x|y)] ≤ 2^l·max_x P(x) for all priors.")
def expected_posterior() -> Iterator[str]:
    """Posteriors of random channels and priors; the uniform prior shows the converse."""
    count = 40
    for channel, prior in any_cases(count, 3, 4):
        most = sum_of_maxima(channel)
        for belief in (prior, None):
            after, expected = hyper(channel, belief), Fraction(0)
            for y, chance in after.outer.items():
                expected += Fraction(chance) * max(
                    Fraction(p) for _, p in after.posterior(y).items()
                )
            expect(posterior_vulnerability(channel, belief), expected, "E_y[max_x P(x|y)]")
            before = Fraction(1, 3) if belief is None else Fraction(vulnerability(belief))
            demand(expected <= most * before, f"{expected} must be at most {most} times {before}")
        expect(expected, most * before, "under the uniform prior, E_y[max_x P(x|y)]")
    yield f"{count} random channels and priors: the inequality at l = ML, equality if uniform"
    found = posterior_vulnerability(RESPONSE, ["3/4", "1/4"])
    limit = sum_of_maxima(RESPONSE) * Fraction(3, 4)
    expect((found, limit), (Fraction(3, 4), 1), "randomised response under (3/4, 1/4)")
    yield f"randomised response, prior (3/4, 1/4): {found} ≤ {limit}"


# --- composition ---------------------------------------------------------------------------


@claim(
    "B-D4", "C1 + C2 shows (y1, y2) with P(y1|x)·P(y2|y1, x): C2 sees the input and C1's output."
)
def one_after_the_other() -> Iterator[str]:
    """Entry by entry, for a C2 that depends on y1."""
    draw = random.Random(SEED)
    first = any_channel(3, 2, draw)
    second = {y: any_channel(3, 3, draw) for y in first.outputs}
    whole = sequential(first, second)
    for x, y, z in product(range(3), range(2), range(3)):
        expected = Fraction(first[x, y]) * Fraction(second[y][x, z])
        expect(whole[x, (y, z)], expected, f"P({y}, {z} | {x})")
    yield f"a random C1 and C2: all {whole.matrix.size} entries are P(y1|x)·P(y2|y1, x)"


@claim(
    "B-L3",
    "C1 + C2 is (ε1 + ε2)-differentially private, if C2 is ε2-differentially private in x for each "
    "fixed y1, and ML(C1 + C2) ≤ ML(C1) + ML(C2), ML(C2) taken over the pairs (y1, x).",
)
def leakage_of_both() -> Iterator[str]:
    """Random channels on two bits."""
    draw, square, count = random.Random(SEED), databases(2, 2), 40
    for _ in range(count):
        first = private_channel(square, Fraction(2), 2, draw)
        second = {y: private_channel(square, Fraction(3, 2), 3, draw) for y in first.outputs}
        whole = sequential(first, second)
        level = privacy_level(whole, square).ratio
        demand(level <= 3, f"the ratio must be at most 2·3/2, got {level}")
        rows = {(y, x): second[y].row(x).array for y in first.outputs for x in first.inputs}
        most = sum_of_maxima(first) * sum_of_maxima(Channel(rows))
        demand(sum_of_maxima(whole) <= most, f"Σ max must be at most {most}")
    yield f"{count} random pairs on 2 bits: ratio at most 2·3/2, Σ max at most the product"
    twice = sequential(RESPONSE, RESPONSE)
    level, found, most = (
        privacy_level(twice, BIT).ratio,
        sum_of_maxima(twice),
        sum_of_maxima(RESPONSE) ** 2,
    )
    expect((level, found), (4, Fraction(4, 3)), "the ratio and Σ max of two responses")
    yield f"randomised response twice: ratio {level}, Σ max {found} ≤ {most}"


@claim("B-D5", "C1 × C2 shows (y1, y2) of (x1, x2) with P(y1|x1)·P(y2|x2): each sees its own part.")
def side_by_side() -> Iterator[str]:
    """Entry by entry."""
    draw = random.Random(SEED)
    first, second = any_channel(2, 3, draw), any_channel(3, 2, draw)
    whole = parallel(first, second).expand()
    for a, b, y, z in product(range(2), range(3), range(3), range(2)):
        expected = Fraction(first[a, y]) * Fraction(second[b, z])
        expect(whole[(a, b), (y, z)], expected, f"P({y}, {z} | {a}, {b})")
    yield f"a random C1 and C2: all {whole.matrix.size} entries are P(y1|x1)·P(y2|x2)"


@claim("B-L4", "C1 × C2 is max(ε1, ε2)-differentially private, and ML(C1 × C2) = ML(C1) + ML(C2).")
def leakage_of_parts() -> Iterator[str]:
    """The product multiplied out, and its factors."""
    draw, square, count = random.Random(SEED), databases(2, 2), 40
    for _ in range(count):
        parts = [private_channel(BIT, Fraction(draw.randint(1, 4)), n, draw) for n in (2, 3)]
        both = parallel(*parts)
        whole = both.expand()
        levels = [privacy_level(part, BIT).ratio for part in parts]
        expect(privacy_level(whole, square).ratio, max(levels), "the ratio of the product")
        most = sum_of_maxima(parts[0]) * sum_of_maxima(parts[1])
        expect((sum_of_maxima(whole), min_capacity(both).factor), (most, most), "Σ max")
    yield f"{count} random pairs: the ratio is the larger one, Σ max is the product"
    two = parallel(RESPONSE, RESPONSE).expand()
    level, found = privacy_level(two, square).ratio, sum_of_maxima(two)
    expect((level, found), (2, Fraction(16, 9)), "the ratio and Σ max of two responses")
    yield f"randomised response on each of 2 bits: ratio {level}, Σ max {found}"
