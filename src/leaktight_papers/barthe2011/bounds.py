"""Which bounds on the leakage of many bits follow from privacy? Sections V, VI of [Barthe2011]."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, combinations, product
from math import comb

from flint import fmpz_poly

from leaktight.exact import fraction
from leaktight.leakage import min_capacity
from leaktight.mechanisms import RandomizedResponse
from leaktight.policies import AdjacencyGraph, Graph, Policy, SecretGraph
from leaktight.privacy import privacy_level
from leaktight.worst_case import (
    BoundDecision,
    covering_code,
    decide_bound,
    hamming_code,
    leakage_bounds,
    repetition_code,
    smallest_code,
)
from leaktight_papers.barthe2011.comparison import BIT
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import coverage, databases, optimum, sum_of_maxima, survey_bound


@claim(
    "B-T4",
    "If every input in {0, 1}^n is within distance d of one of m codewords, private channels leak "
    "at most d·log2 λ + log2 m bits.",
)
def covering_codes() -> Iterator[str]:
    """All codes of 3 bits against the optimum; Hamming's code in two ways."""
    cube, best = databases(3, 2), optimum(databases(3, 2), 2)
    bounds = []
    for some in (s for size in range(1, 9) for s in combinations(range(8), size)):
        radius = int(cube.distances[list(some)].min(axis=0).max())
        bounds.append(len(some) * 2**radius)
    demand(min(bounds) >= best, f"no code may give less than {best}, got {min(bounds)}")
    table = leakage_bounds(Policy(SecretGraph.complete(2), 3), 2).named("small codes")
    expect(min(one.value for one in table if "norm" not in one.form), min(bounds), "small codes")
    weighed = min(one.value for one in table if "norm" in one.form)
    demand(best <= weighed < min(bounds), f"weighing codewords must help, got {weighed}")
    yield f"all {len(bounds)} codes of 3 bits, λ = 2: at least {min(bounds)}, the optimum is {best}"
    checks = [(1, 0, 1, 0, 1, 0, 1), (0, 1, 1, 0, 0, 1, 1), (0, 0, 0, 1, 1, 1, 1)]
    words = [
        w
        for w in product((0, 1), repeat=7)
        if all(sum(map(int.__mul__, w, check)) % 2 == 0 for check in checks)
    ]
    listed, known = covering_code(databases(7, 2), words), hamming_code(3)
    for code in (listed, known):
        expect((code.size, code.radius, code.bound(2).value), (16, 1, 32), "Hamming's code")
        expect(code.normalised_bound(2).value, Fraction(1024, 135), "its normalised bound")
    three = hamming_code(2)
    expect((three.size, three.radius, three.bound(2).value), (2, 1, 4), "its code of 3 bits")
    most = survey_bound(7, 2, 2)
    yield f"Hamming's code of {len(words)} words, 7 bits, λ = 2: Σ max ≤ {known.bound(2).value}"
    sharper = known.normalised_bound(2).value
    yield f"weighing all codewords: {sharper} = {float(sharper):.4f}; optimum {float(most):.4f}"


FIGURES = """
.1 1.4427 1.7213 1.0910 0.7033 14.4270 8.2135 8.0345 7.0332
.2 2.8854 2.4427 2.0033 1.3707 28.8539 15.4270 15.2376 13.7068
.3 4.3281 3.1640 2.8466 2.0023 43.2809 22.6404 21.9178 20.0234
.4 5.7708 3.8854 3.5680 2.5988 57.7078 29.8539 28.1455 25.9875
.5 7.2135 4.6067 4.2893 3.1605 72.1348 37.0674 33.9608 31.6051
.6 8.6562 5.3281 4.8700 3.6884 86.5617 44.2809 39.3974 36.8838
.7 10.0989 6.0494 5.4471 4.1833 100.9887 51.4943 44.4620 41.8325
.8 11.5416 6.7708 6.0030 4.6461 115.4156 58.7078 49.1894 46.4615
.9 12.9843 7.4921 6.4358 5.0782 129.8426 65.9213 53.5787 50.7819
1. 14.4270 8.2135 6.8687 5.4806 144.2695 73.1348 57.6540 54.8059
"""
"""ε, then for 10 and for 100 bits: Corollaries 2, 3 and 4 and the optimum, in bits."""

CURVES = ("Corollary 2", "repetition code", "Corollary 4", "Theorem 1 of [Alvim2011b]")


def curves(records: int, epsilon: str) -> tuple[float, ...]:
    """Return Corollaries 2, 3, 4 and the optimum in bits, as the library and as formulas say.

    >>> [round(bits, 4) for bits in curves(10, "0.5")]
    [7.2135, 4.6067, 4.2893, 3.1605]
    """
    table = leakage_bounds(Policy(BIT, records), epsilon=epsilon)
    [found] = zip(*(table.named(text) for text in CURVES), strict=True)
    bits = tuple(bound.bits for bound in found)
    step = float(epsilon) * math.log2(math.e)
    balls = accumulate(comb(records, d) for d in range(records + 1))
    power = math.exp(float(epsilon))
    formulas = (
        records * step,
        records // 2 * step + 1,
        min(d * step + records - math.log2(ball) for d, ball in enumerate(balls)),
        records * math.log2(2 * power / (power + 1)),
    )
    for text, one, other in zip(CURVES, bits, formulas, strict=True):
        demand(abs(one - other) < 2.0**-30, f"{text} must be {other} bits, got {one}")
    return bits


@claim("B-C2", "Private channels on {0, 1}^n leak at most n·log2 λ bits.")
def trivial_code() -> Iterator[str]:
    """The code of one word."""
    for n in (1, 2, 3):
        radius = covering_code(databases(n, 2), [databases(n, 2).vertices[0]]).radius
        expect(radius, n, "the radius of one word")
    bits = curves(10, "0.5")
    expect(round(bits[0], 4), 7.2135, "the bound for 10 bits at ε = 0.5")
    yield f"n = 10, ε = 0.5: at most {bits[0]:.4f} bits; the optimum is {bits[3]:.4f}"


@claim("B-C3", "Private channels on {0, 1}^n leak at most ⌊n/2⌋·log2 λ + 1 bits.")
def two_words() -> Iterator[str]:
    """The code of two words."""
    for n in (1, 2, 3, 4, 5):
        cube = databases(n, 2)
        words = [cube.vertices[0], cube.vertices[-1]]
        expect(covering_code(cube, words).radius, n // 2, f"the radius of 0…0, 1…1, n = {n}")
        known = repetition_code(n)
        expect((known.size, known.radius), (2, n // 2), f"words and radius of the code, n = {n}")
    bits, one = curves(10, "0.5"), curves(1, "0.5")
    expect((round(bits[1], 4), one[1]), (4.6067, 1), "the bounds for 10 bits and for 1")
    yield f"n = 10, ε = 0.5: at most {bits[1]:.4f} bits; the optimum is {bits[3]:.4f}"
    yield f"n = 1: at most {one[1]:g} bit"
    seven = repetition_code(7)
    plain, sharper = seven.bound(2).value, seven.normalised_bound(2).value
    expect((plain, sharper), (16, Fraction(32, 3)), "the bounds for 7 bits at λ = 2")
    yield f"n = 7, λ = 2: Σ max ≤ {plain}; weighing both words {sharper}"


def _covers(graph: Graph, size: int, radius: int) -> bool:
    """Say whether some set of so many vertices, one of them the first, has all within a radius.

    The vertices must be alike, as those of a cube are.
    """
    near = graph.distances <= radius
    others = combinations(range(1, graph.order), size - 1)
    return any(near[[0, *some]].any(axis=0).all() for some in others)


@claim(
    "B-C4",
    "No bound by Theorem 4 is below min_d(d·log2 λ + n − log2 Σ_{i≤d} C(n, i)). That number is "
    "itself a bound on leakage.",
    Verdict.HOLDS,
    Erratum(
        29,
        "improvable",
        "It is only called a limit of the method; the sizes of the spheres are said to sum to 2^n.",
        "Equal weights λ^d/|Ball_d| cover all inputs, so it is itself a bound; as spheres may "
        "overlap, the sum is at least 2^n.",
    ),
)
def sphere_covering() -> Iterator[str]:
    """Smallest codes against the limit, and the equal weights that make it a bound."""
    overlap = 0
    for n in (3, 4):
        cube = databases(n, 2)
        balls = list(accumulate(comb(n, i) for i in range(n + 1)))
        limit = min(Fraction(2**n * 2**d, ball) for d, ball in enumerate(balls))
        for d, ball in enumerate(balls):
            code = smallest_code(cube, d)
            sizes = {size for size in range(1, 2**n + 1) if _covers(cube, size, d)}
            expect(code.size, min(sizes), f"the fewest words for {n} bits at distance {d}")
            demand(code.size * ball >= 2**n, f"{code} must cover {2**n} inputs")
            demand(code.bound(2).value >= limit, f"{code} must not give less than {limit}")
            overlap = max(overlap, code.size * ball - 2**n)
    yield f"smallest codes of 3 and 4 bits: none below the limit; overlap up to {overlap}"
    least = []
    for n, ratio in product((3, 5), (Fraction(3, 2), Fraction(2), Fraction(5))):
        cube = databases(n, 2)
        for d, ball in enumerate(accumulate(comb(n, i) for i in range(n + 1))):
            weight = ratio**d / ball
            covered = min(coverage(cube, ratio, [weight] * 2**n))
            expect(covered, weight * (1 + 1 / ratio) ** n, "the coverage")
            demand(covered >= 1, f"equal weights must cover {n} bits at {d}, got {covered}")
            demand(2**n * weight >= survey_bound(n, 2, ratio), "it must be a bound")
            least.append(covered)
    yield f"n = 3, 5, all d, 3 ratios: equal weights cover everything, at least {min(least)} times"


def _figure(records: int) -> Iterator[tuple[float, ...]]:
    """Check a figure point by point, and yield the curves."""
    for line in FIGURES.split("\n")[1:-1]:
        epsilon, *numbers = line.split()
        bits = curves(records, epsilon)
        printed = numbers[:4] if records == 10 else numbers[4:]
        expect([f"{b:.4f}" for b in bits], printed, f"the curves at ε = {epsilon}")
        demand(bits[3] <= bits[2] <= min(bits[:2]), f"the order at ε = {epsilon}, got {bits}")
        yield bits
    for side, above in (("0.99", False), ("1.01", True)):
        crossing = math.log(2) / (records - records // 2) * float(side)
        trivial, code, *_ = curves(records, f"{crossing:.9f}")
        expect(trivial > code, above, f"Corollary 2 above Corollary 3 at ε = {crossing}")


@claim(
    "B-Fig2",
    "For 10 bits the trivial code gives the lower bound up to ε = ln(2)/5, the repetition code "
    "beyond; the limit of Corollary 4 and the leakage of randomised response lie below.",
)
def ten_bits() -> Iterator[str]:
    """Forty points by the library and by formulas; both sides of the crossing."""
    points = list(_figure(10))
    yield f"{4 * len(points)} points agree; ε = 1: " + ", ".join(f"{b:.4f}" for b in points[-1])
    yield f"Corollaries 2 and 3 cross at ε = ln(2)/5 = {math.log(2) / 5:.5f}"
    demand(points[6][0] > 10, f"Corollary 2 must be vacuous at ε = 0.7, got {points[6][0]}")
    yield f"Corollary 2 says nothing for ε > ln 2: {points[6][0]:.4f} bits of 10 at ε = 0.7"


@claim(
    "B-Fig3",
    "For 100 bits the curves are as in Figure 2. The repetition code comes closest to the limit of "
    "Corollary 4 for small ε.",
)
def hundred_bits() -> Iterator[str]:
    """Forty points by the library and by formulas; both sides of the crossing."""
    points = list(_figure(100))
    yield f"{4 * len(points)} points agree; ε = 1: " + ", ".join(f"{b:.4f}" for b in points[-1])
    yield f"Corollaries 2 and 3 cross at ε = ln(2)/50 = {math.log(2) / 50:.6f}"
    first, last = (bits[1] / bits[2] for bits in (points[0], points[-1]))
    demand(last > 1.25, f"the repetition code must be far from the limit at ε = 1, got {last}")
    yield f"repetition code over limit: {first:.3f} at ε = 0.1, {last:.3f} at ε = 1"


@claim(
    "B-T5",
    "Randomised response on each of n bits is ε-differentially private and leaks "
    "n·log2(2λ/(λ + 1)) bits. No private channel leaks more.",
)
def randomised_responses() -> Iterator[str]:
    """The product multiplied out, its factors, and the plain linear program."""
    for n in (1, 2, 3):
        survey, cube = RandomizedResponse(2, ratio=2, records=n), databases(n, 2)
        expect(privacy_level(survey.channel, cube).ratio, 2, f"the ratio on {n} bits")
        found = min_capacity(survey.survey).factor
        expect((found, sum_of_maxima(survey.channel)), (Fraction(4, 3) ** n,) * 2, "Σ max")
        expect(optimum(cube, 2), found, f"the optimum on {n} bits")
    yield f"n = 3, λ = 2: Σ max = {found} = the optimum; also n = 1, 2"


@claim(
    "B-C5", "For every ε > 0 and l some ε-differentially private channel leaks more than l bits."
)
def unbounded() -> Iterator[str]:
    """The first n that is enough."""
    for epsilon, bits in (("0.1", 8), ("0.01", 3), ("1", 1000)):
        power = math.exp(float(epsilon))
        n = math.floor(bits / math.log2(2 * power / (power + 1))) + 1
        before, after = (
            min_capacity(RandomizedResponse(2, epsilon=epsilon, records=k).survey).bits
            for k in (n - 1, n)
        )
        demand(before <= bits < after, f"{n} bits must be the first, got {before} and {after}")
        if epsilon == "0.1":
            expect(n, 114, "the number of bits for ε = 0.1 and l = 8")
        yield f"ε = {epsilon}: {n} bits leak {after:.4f} > {bits} bits, {n - 1} leak {before:.4f}"


def _verdict(decision: BoundDecision) -> str:
    if decision.is_tight:
        return "tight"
    return ("bound" if decision else "no bound") + (", reached" if decision.is_reached else "")


def _at(coefficients: list[int], ratio: Fraction) -> Fraction:
    return sum((c * ratio**k for k, c in enumerate(coefficients)), Fraction(0))


def _never_negative(polynomial: fmpz_poly) -> bool:
    """Whether a polynomial in λ is ≥ 0 for λ ≥ 1, by its coefficients in powers of λ − 1."""
    signs = [int(c) for c in polynomial(fmpz_poly([1, 1]))]
    known = min(signs, default=0) >= 0 or max(signs) <= 0
    demand(known, f"coefficients of one sign must decide, got {signs}")
    return min(signs, default=0) >= 0


@claim(
    "B-T6",
    "Whether r(λ)/s(λ) bounds 2^ML of all private channels on {0, 1}^n for every λ is decidable, "
    "and so is whether at every λ some private channel has it: compare with (2λ/(λ + 1))^n, and "
    "with 1, by signs of polynomials.",
    Verdict.HOLDS,
    Erratum(
        30,
        "gap",
        "The formula for the second question lets any entries stand for the column maxima, and "
        "both formulas are for a given number m of outputs.",
        "It accepts 2/(1 + λ) < 1 for n = 1; the entries must be the largest of their columns. "
        "m = 2^n is enough, as columns that are largest in the same row may be added up.",
    ),
)
def decidable() -> Iterator[str]:
    """The library's decision, and the signs of its polynomials in powers of λ − 1."""
    cases = {
        "2λ/(1 + λ)": (1, [0, 2], [1, 1], True, True),
        "4λ²/(1 + λ)²": (2, [0, 0, 4], [1, 2, 1], True, True),
        "λ": (2, [0, 1], [1], True, False),
        "2/(1 + λ)": (1, [2], [1, 1], False, False),
        "(1 + 3λ)/(2 + 2λ)": (1, [1, 3], [2, 2], False, True),
        "1": (2, [1], [1], False, True),
    }
    said = list[str]()
    for name, (n, r, s, is_bound, is_reached) in cases.items():
        graph = AdjacencyGraph.of(BIT, n)
        decision = decide_bound(graph, r, s)
        expect((decision.is_bound, decision.is_reached), (is_bound, is_reached), name)
        above, below = fmpz_poly(r), fmpz_poly(s)
        excess = above * fmpz_poly([1, 1]) ** n - below * fmpz_poly([0, 2]) ** n
        found = _never_negative(excess), _never_negative(-excess) and _never_negative(above - below)
        expect(found, (is_bound, is_reached), f"the signs for {name}")
        expect(decision.counterexample is None, is_bound, f"{name}: whether nothing refutes it")
        if (refuted := decision.counterexample) is not None:
            more = min_capacity(refuted.channel).factor
            level = privacy_level(refuted.channel, graph).ratio
            demand(level <= refuted.ratio, f"{name}: refuted by a channel of ratio {level}")
            at = _at(r, refuted.ratio) / _at(s, refuted.ratio)
            demand(more > at, f"{name}: {more} does not refute {at}")
        for ratio in (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(9)) if is_reached else ():
            channel = decision.channel(ratio)
            level = privacy_level(channel, graph).ratio
            demand(level <= ratio, f"{name}: the channel must be private at {ratio}, got {level}")
            expect(sum_of_maxima(channel), _at(r, ratio) / _at(s, ratio), f"{name}: Σ max")
        said.append(f"n = {n}, {name}: {_verdict(decision)}")
    yield "; ".join(said[:2])
    yield "; ".join(said[2:4])
    yield "; ".join(said[4:])
    for ratio in (Fraction(1), Fraction(2), Fraction(9)):
        channel = RandomizedResponse(2, ratio=ratio).channel
        least = sum((fraction(min(column)) for column in channel.matrix.T), Fraction(0))
        expect(least, 2 / (1 + ratio), "the sum of the smallest entries")
        most = sum_of_maxima(channel)
        demand(least <= 1 <= most, f"2^ML must be at least 1, got {most}, and {least} at most")
    yield f"λ = {ratio}: smallest entries of randomised response sum to {least}, 2^ML is {most}"
