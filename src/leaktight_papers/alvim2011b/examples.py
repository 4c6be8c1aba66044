"""Do the examples of [Alvim2011b] come out: the city with most votes, and a count of votes?"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

from leaktight.channels import Channel, Gain
from leaktight.leakage import posterior_vulnerability, utility
from leaktight.mechanisms import GraphExponential, TruncatedGeometric, optimal_mechanism
from leaktight.policies import Graph, SecretGraph
from leaktight.privacy import distinguishability, privacy_level
from leaktight_papers.alvim2011b.utility import doubled_ring
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import best_utility

CITIES = ["A", "B", "C", "D", "E", "F"]
LESS_AT_THE_ENDS = ["1/10", "1/5", "1/5", "1/5", "1/5", "1/10"]
MORE_AT_THE_ENDS = ["3/10", "1/10", "1/10", "1/10", "1/10", "3/10"]
FIRST_COLUMN = dict(
    zip(CITIES, ["0.535", "0.465", "0.405", "0.353", "0.307", "0.267"], strict=True)
)
LAST_ROW = dict(zip(CITIES, ["0.267", "0.040", "0.046", "0.052", "0.060", "0.535"], strict=True))
"""What the text of [Alvim2011b] has of M1 in Table 1; its other entries are left out there."""
TABLE_1 = {
    "A": "0.535 0.060 0.052 0.046 0.040 0.267",
    "B": "0.465 0.069 0.060 0.053 0.046 0.307",
    "C": "0.405 0.060 0.069 0.060 0.053 0.353",
    "D": "0.353 0.053 0.060 0.069 0.060 0.405",
    "E": "0.307 0.046 0.053 0.060 0.069 0.465",
    "F": "0.267 0.040 0.046 0.052 0.060 0.535",
}
"""All of M1, as Table 4 of [Alvim2011a] prints it."""
ROUNDED = Erratum(
    23,
    "typo",
    "U(M1) is printed as 0.2412, which is what rounded entries give; of Table 1 the text that we "
    "have leaves out most entries.",
    "The utility is 0.2415.",
)

OTHER_PRIORS = Erratum(
    24,
    "false",
    "M2 is said to be more useful “even for non-uniform distributions”; one is given.",
    "Not for all: under (.3, .1, .1, .1, .1, .3) M1 has 0.3884 and M2 0.3429.",
)

RINGS = Erratum(
    22,
    "false",
    "The matrix of Remark 1 is said to be optimal on a ring of 6 nodes.",
    "α·λ^(−d) with nothing doubled is private at every ε and better: 8/21 > 4/11.",
)


def truncated_geometric() -> tuple[Channel, Channel]:
    """Return M1 of Table 1 for rational steps just below and just above 2^(1/5)."""
    below = TruncatedGeometric(CITIES, ratio=2, sensitivity=5)
    step = below.step + Fraction(1, 2**60)
    demand(below.step**5 < 2 < step**5, f"2^(1/5) must be just above {below.step}")
    return below.channel, TruncatedGeometric(CITIES, ratio=step).channel


def between(prior: Sequence[str] | None, digits: int, gain: Gain | None = None) -> float:
    """Return the utility of M1, which both steps must round to."""
    ends = {
        round(float(posterior_vulnerability(channel, prior, gain)), digits)
        for channel in truncated_geometric()
    }
    demand(len(ends) == 1, f"the utility of M1 must be known to {digits} digits, got {ends}")
    return ends.pop()


def utilities() -> Iterator[tuple[str, Sequence[str] | None, float, Fraction]]:
    """Yield the utilities of M1 and M2 under three priors; M1 is better under the last alone."""
    ours = GraphExponential(SecretGraph.complete(CITIES), ratio=2).channel
    for name, prior, first, second in (
        ("uniform", None, 0.2243366, Fraction(2, 7)),
        ("(.1, .2, …, .1)", LESS_AT_THE_ENDS, 0.2415224, Fraction(2, 7)),
        ("(.3, .1, …, .3)", MORE_AT_THE_ENDS, 0.3884, Fraction(12, 35)),
    ):
        m1, m2 = between(prior, len(str(first)) - 2), utility(ours, prior).value
        expect((m1, m2), (first, second), f"the utilities under {name}")
        demand((m1 > m2) == (prior is MORE_AT_THE_ENDS), f"M1 must not beat M2 under {name}")
        yield name, prior, m1, Fraction(m2)


def misprints() -> list[tuple[str, str, str]]:
    """List the entries of Table 1 that are not as M1 has them, as printed and as they are."""
    low, high = truncated_geometric()
    found = []
    for (x, row), (k, z) in product(TABLE_1.items(), enumerate(CITIES)):
        entry, above = (f"{float(channel[x, z]):.5f}" for channel in (low, high))
        expect(entry, above, f"the entry of {x} and {z} by the upper step")
        if f"{float(low[x, z]):.3f}" != row.split()[k]:
            found.append((x + z, row.split()[k], entry))
    expect(found, [(name, "0.053", "0.05245") for name in ("BD", "CE", "DB", "EC")], "misprints")
    return found


@claim(
    "A-Ex2",
    "For the city with most votes at λ = 2, 2/7 on the diagonal and 1/7 elsewhere (M2) is more "
    "useful than the truncated geometric mechanism (M1) for equally likely cities, but not under "
    "every prior, nor for every gain.",
    Verdict.CORRECTED,
    OTHER_PRIORS,
    ROUNDED,
)
def elections() -> Iterator[str]:
    """Utilities under three priors and two gains, and the optimum of each."""
    clique, optima = SecretGraph.complete(CITIES), (Fraction(2, 7), Fraction(8, 25), Fraction(2, 5))
    ours = GraphExponential(clique, ratio=2).channel
    for (name, prior, m1, m2), known in zip(utilities(), optima, strict=True):
        best = best_utility(clique, prior)
        expect(best, known, f"the best utility under {name}")
        yield f"{name}: M1 {m1}, M2 {m2} = {float(m2):.4f}, best {best}"
    gain = Gain.from_function(
        lambda a, b: 1 - Fraction(abs(CITIES.index(a) - CITIES.index(b)), 5), CITIES
    )
    near, other = between(None, 5, gain), posterior_vulnerability(ours, None, gain)
    best, known = optimal_mechanism(clique, None, gain, ratio=2).utility, Fraction(11, 15)
    expect((near, other, best), (0.71845, Fraction(5, 7), known), "utilities for that gain")
    demand(near > other, f"M1 must be better for that gain, got {near} and {other}")
    yield f"gain 1 − |y − y′|/5: M1 {near}, M2 {other} = {float(other):.5f}, best {best}"


@claim(
    "A-Tab1",
    "M1 is the truncated geometric mechanism with step 2^(1/5), ratio 2 between any two cities; "
    "as rounded it has a ratio above 2. M2 has 2/7 and 1/7. Of M1 the text has the column of A and "
    "the row of F, 11 entries; of M2 the rows of A, B, D, F and the column of A, 26.",
    Verdict.CORRECTED,
    ROUNDED,
)
def election_tables() -> Iterator[str]:
    """Every entry that the text has, between two rational steps."""
    clique, ends = SecretGraph.complete(CITIES), truncated_geometric()
    level = privacy_level(ends[0], clique).ratio
    demand(level <= 2, f"the ratio of M1 must be at most 2, got {level}")
    legible = {(x, "A"): p for x, p in FIRST_COLUMN.items()} | {
        ("F", z): p for z, p in LAST_ROW.items()
    }
    for pair, p in legible.items():
        expect({f"{float(channel[pair]):.3f}" for channel in ends}, {p}, f"the entry {pair}")
        expect(TABLE_1[pair[0]].split()[CITIES.index(pair[1])], p, f"{pair} in [Alvim2011a]")
    yield f"M1: {len(legible)} of 36 entries are in the text, all right and as in [Alvim2011a]"
    table = {x: [Fraction(p) for p in row.split()] for x, row in TABLE_1.items()}
    steep = max(a / b for a, b in combinations([table[x][0] for x in CITIES], 2))
    expect(round(float(steep), 4), 2.0037, "the ratio of the rounded entries")
    weights = [Fraction(p) for p in LESS_AT_THE_ENDS]
    columns = zip(*table.values(), strict=True)
    sums = sum(max(map(Fraction.__mul__, weights, column)) for column in columns)
    expect(sums, Fraction("0.2412"), "the utility of the rounded entries")
    yield f"rounded as there: ratio {float(steep):.4f} > 2, utility {float(sums)} as printed"
    ours = GraphExponential(clique, ratio=2).channel
    both = all(ours[x, z] == Fraction(1 + (x == z), 7) for x, z in product(CITIES, repeat=2))
    demand(both, "M2 must have 2/7 on the diagonal and 1/7 elsewhere")
    yield f"M2: {ours['A', 'A']} on the diagonal, {ours['A', 'B']} elsewhere, as printed"


@claim(
    "A-Ex3",
    "For a count of 5 votes at λ = 2 the truncated geometric mechanism M1 has utility 4/9, the "
    "optimum on the line, and M2 of Remark 1 has 4/11. M1 would not be private on a ring, and M2 "
    "is not optimal there.",
    Verdict.CORRECTED,
    RINGS,
)
def counts_of_votes() -> Iterator[str]:
    """Both mechanisms on the line and on the ring, and the optima."""
    line, ring = SecretGraph.line(6), SecretGraph.cycle(6)
    first, second = TruncatedGeometric(6, ratio=2).channel, doubled_ring(6, 2)
    found = utility(first).value, utility(second).value, best_utility(line), best_utility(ring)
    known = Fraction(4, 9), Fraction(4, 11), Fraction(4, 9), Fraction(8, 21)
    expect(found, known, "the utilities of M1, M2 and the optima")
    yield f"M1 {found[0]} = optimum on the line; M2 {found[1]} < optimum on the ring {found[3]}"
    levels = [
        privacy_level(channel, graph).ratio
        for channel, graph in ((first, line), (second, line), (second, ring), (first, ring))
    ]
    expect(levels, [2, 2, 2, 32], "the ratios of M1, M2 on the line and M2, M1 on the ring")
    yield f"ratio on the line {levels[0]} and {levels[1]}; on the ring M1 has {levels[3]}"


@claim(
    "A-Tab2",
    "M1 has the fractions 2/3 to 1/48 of the truncated geometric mechanism, and M2 is 4/11, 2/11, "
    "1/11 around a ring of 6 with the opposite entry doubled. Of M1 the text has all but five "
    "entries of the row of 4, of M2 the column of 0 and the row of 5.",
)
def count_tables() -> Iterator[str]:
    """Every entry that the text has, and the others as they follow."""
    rows = [
        ["2/3", "1/6", "1/12", "1/24", "1/48", "1/48"],
        ["1/3", "1/3", "1/6", "1/12", "1/24", "1/24"],
        ["1/6", "1/6", "1/3", "1/6", "1/12", "1/12"],
    ]
    first = Channel([*rows, *(row[::-1] for row in rows[::-1])])  # a Channel has row sums of 1
    expect(TruncatedGeometric(6, ratio=2).channel, first, "M1")
    around = ["4/11", "2/11", "1/11", "1/11", "1/11", "2/11"]
    second = Channel([around[-i:] + around[:-i] for i in range(6)])
    expect(doubled_ring(6, 2), second, "M2")
    ends = privacy_level(first, Graph(6, [(0, 5)])).ratio
    expect((ends, distinguishability(first).ratio), (32, 32), "the ratio between 0 and 5")
    near = privacy_level(first, SecretGraph.line(6)).ratio
    yield "M1: 31 of 36 entries are in the text, all right; M2: 11 of 36, all right"
    yield f"ratio of M1 {near} for neighbours, {ends} for 0 and 5"
