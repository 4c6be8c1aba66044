"""How much can a private channel leak of one bit? Section IV of [Barthe2011]."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction

from leaktight.channels import Channel
from leaktight.exact import Ratio, fraction
from leaktight.leakage import min_capacity
from leaktight.mechanisms import RandomizedResponse
from leaktight.privacy import privacy_level
from leaktight_papers.barthe2011.comparison import BIT
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import (
    SEED,
    any_channel,
    optimum,
    private_channel,
    sum_of_maxima,
    survey_bound,
)

CANONICAL = Erratum(
    28,
    "false",
    "Every channel between bits is said to be some C(ε, p) with ε > 0.",
    "Output 0 must be possible for both bits or for neither; equal rows have ε = 0.",
)


def canonical(p: Fraction | int | str, ratio: Fraction | int | str, likelier: int = 1) -> Channel:
    """Return C1(ε, p) of Figure 1, or C2(ε, p) if 0 is ``likelier`` for bit 0; private or not.

    >>> canonical("1/4", 2)
    exact channel, 2 inputs × 2 outputs
         0    1
    0  1/4  3/4
    1  1/2  1/2
    """
    low = Fraction(p)
    high = Ratio.of(ratio).lower * low
    rows = [[low, 1 - low], [high, 1 - high]]
    return Channel(rows if likelier else rows[::-1])


@claim(
    "B-Fig1",
    "C1(ε, p) has the rows (p, 1 − p) and (λp, 1 − λp); C2(ε, p) has them the other way round.",
)
def canonical_forms() -> Iterator[str]:
    """One of each; at random the ratio and Σ max by hand."""
    first, second = (canonical(Fraction(1, 4), Fraction(2), bit) for bit in (1, 0))
    expect(first, Channel([["1/4", "3/4"], ["1/2", "1/2"]]), "C1(ln 2, 1/4)")
    expect(second, Channel([["1/2", "1/2"], ["1/4", "3/4"]]), "C2(ln 2, 1/4)")
    yield f"C1(ln 2, 1/4): rows ({first[0, 0]}, {first[0, 1]}), ({first[1, 0]}, {first[1, 1]})"
    draw, tried = random.Random(SEED), 40
    for _ in range(tried):
        ratio = 1 + Fraction(draw.randint(1, 20), 5)
        p = Fraction(draw.randint(1, 29), 30) / ratio
        for bit in (0, 1):
            channel = canonical(p, ratio, bit)
            steeper = max(ratio, (1 - p) / (1 - ratio * p))
            expect(privacy_level(channel, BIT).ratio, steeper, f"the ratio of C(ln {ratio}, {p})")
            leaked = min_capacity(channel).factor
            expect(leaked, 1 + (ratio - 1) * p, f"Σ max of C(ln {ratio}, {p})")
    yield f"{tried} pairs (λ, p): ratio max(λ, (1 − p)/(1 − λp)), Σ max = 1 + (λ − 1)p"


@claim(
    "B-L5",
    "Every channel between bits whose output 0 is possible for both bits or for neither is "
    "C1(ε, p) or C2(ε, p), with ε ≥ 0.",
    Verdict.CORRECTED,
    CANONICAL,
)
def every_channel_is_canonical() -> Iterator[str]:
    """Random channels are put together again from ε and p."""
    draw, count, apart = random.Random(SEED), 0, 0
    for _ in range(60):
        channel = any_channel(2, 2, draw)
        low, high = sorted(fraction(q) for q in channel.matrix[:, 0])
        if low == 0 < high:
            apart += 1
            continue
        ratio = high / low if low > 0 else Fraction(1)
        made, flipped = canonical(low, ratio), canonical(low, ratio, 0)
        demand(channel in (made, flipped), f"{channel} must be {made} or {flipped}")
        count += 1
    yield f"{count} random channels are C1 or C2; {apart} give output 0 for one bit only"
    lopsided = Channel([[0, 1], ["1/2", "1/2"]])
    level = privacy_level(lopsided, BIT).ratio
    expect(level, math.inf, "the ratio of rows (0, 1), (1/2, 1/2)")
    equal = privacy_level(canonical(Fraction(1, 3), Fraction(1)), BIT).ratio
    expect(equal, 1, "the ratio of equal rows")
    yield f"rows (0, 1), (1/2, 1/2) have ratio {level}, no ε; equal rows have {equal}, so ε = 0"


@claim(
    "B-L6",
    "For ε > 0, C(ε, p) is ε-differentially private exactly if p ≤ 1/(λ + 1). At ε = 0 "
    "it always is.",
)
def private_canonical() -> Iterator[str]:
    """p on a grid, and just above the limit."""
    tried = 0
    for ratio in (Fraction(3, 2), Fraction(2), Fraction(5)):
        limit = 1 / (ratio + 1)
        near = limit + Fraction(1, 100)
        for p in (
            p for p in [limit, near, *(Fraction(k, 60) for k in range(61))] if p * ratio <= 1
        ):
            level = privacy_level(canonical(p, ratio), BIT).ratio
            expect(level <= ratio, p <= limit, f"privacy of C(ln {ratio}, {p})")
            tried += 1
    level = privacy_level(canonical(Fraction(1, 3) + Fraction(1, 100), Fraction(2)), BIT).ratio
    demand(level > 2, f"C(ln 2, 1/3 + 1/100) must not be private, got {level}")
    yield f"{tried} pairs (λ, p): private exactly if p ≤ 1/(λ + 1); at 1/3 + 1/100 it has {level}"
    p, limit = Fraction(3, 4), 1 / Fraction(1 + 1)
    constant = privacy_level(canonical(p, Fraction(1)), BIT).ratio
    expect((constant, p > limit), (1, True), "the ratio of C(0, 3/4), and 3/4 > 1/2")
    yield f"C(0, {p}) has ratio {constant}, though {p} > {limit}"


@claim(
    "B-T3",
    "A private channel from a bit to a bit leaks at most log2(2λ/(λ + 1)) bits, and "
    "C(ε, 1/(λ + 1)), randomised response, leaks that.",
    Verdict.HOLDS,
    Erratum(
        28,
        "gap",
        "The proof takes every private channel to be C(ε, p) for the ε that is asked for.",
        "Take its own ratio, exchange the outputs if need be; the bound grows with ε.",
    ),
)
def one_bit() -> Iterator[str]:
    """The formula, the mechanism and the plain linear program."""
    ratios = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7)]
    for ratio in ratios:
        bound = survey_bound(1, 2, ratio)
        channel = canonical(1 / (ratio + 1), ratio, 0)
        expect(channel, RandomizedResponse(2, ratio=ratio).channel, "randomised response")
        expect(privacy_level(channel, BIT).ratio, ratio, "the ratio of the mechanism")
        expect(sum_of_maxima(channel), bound, "Σ max of the mechanism")
        expect(optimum(BIT, ratio), bound, "the worst case with two outputs")
    yield f"λ = {', '.join(map(str, ratios))}: formula, mechanism and optimum agree"
    expect(survey_bound(1, 2, 2), Fraction(4, 3), "the bound at λ = 2")
    mild = Channel([["2/5", "3/5"], ["1/2", "1/2"]])
    own = Fraction(mild[1, 0]) / Fraction(mild[0, 0])
    demand(1 < own < 2, f"output 0 must be likelier for 1, but less than twice, got {own}")
    demand(privacy_level(mild, BIT).ratio <= 2, "the channel must be private at 2")
    yield f"λ = 2: {survey_bound(1, 2, 2)}; rows (2/5, 3/5), (1/2, 1/2) are private, ratio {own}"


@claim("B-C1", "The bound log2(2λ/(λ + 1)) holds for channels from a bit to any number of outputs.")
def one_bit_many_outputs() -> Iterator[str]:
    """The linear program for every choice of likeliest inputs, and random channels."""
    best = {
        outputs: max(optimum(BIT, 2, [0] * k + [1] * (outputs - k)) for k in range(outputs + 1))
        for outputs in (2, 5)
    }
    expect(best, {2: Fraction(4, 3), 5: Fraction(4, 3)}, "the worst cases")
    yield f"λ = 2: the optimum is {best[2]} with 2 outputs and {best[5]} with 5"
    draw, count = random.Random(SEED), 300
    for _ in range(count):
        ratio = Fraction(draw.randint(2, 9), 2)
        found = sum_of_maxima(private_channel(BIT, ratio, draw.randint(2, 6), draw))
        demand(found <= survey_bound(1, 2, ratio), f"{found} must be within the bound at {ratio}")
    yield f"{count} random private channels with 2 to 6 outputs: none leaks more"
