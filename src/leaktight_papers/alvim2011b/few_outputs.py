"""How much can a private mechanism with few outputs leak? Proposition 2 of [Alvim2011b]."""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np

from leaktight.channels import Channel, diagonal_form, multiplicative_distance, symmetrise
from leaktight.exact import log2
from leaktight.mechanisms import worst_case_with_outputs
from leaktight.policies import Graph, SecretGraph, automorphism_group
from leaktight.privacy import privacy_level
from leaktight_papers.claim import Erratum, Verdict, claim, demand, expect
from leaktight_papers.evidence import (
    SEED,
    databases,
    falling,
    optimum,
    private_channel,
    sum_of_maxima,
    survey_bound,
)

FEW_OUTPUTS = Erratum(
    18,
    "gap",
    "The proof keeps r rows and arranges them like Val^ℓ, and bounds a leakage by r/v^ℓ times "
    "another.",
    "Not all sets of rows can be so arranged; another proof, by averages, shows Proposition 2.",
)

SCATTERED = [(0, 0, 0), *product((1, 2), repeat=3)]
"""Nine databases that cannot be arranged like two records of three values."""


def printed_bound(u: int, v: int, r: int, ratio: Fraction | int) -> Fraction:
    """Return r·λ^u/((v − 1 + λ)^ℓ − λ^ℓ + λ^u), ℓ = ⌊log_v r⌋: Proposition 2 as printed.

    >>> printed_bound(2, 2, 2, 2)
    Fraction(8, 5)
    """
    places = next(k for k in range(r) if v ** (k + 1) > r)
    lam = Fraction(ratio)
    return r * lam**u / ((v - 1 + lam) ** places - lam**places + lam**u)


def average_bound(u: int, v: int, r: int, ratio: Fraction | int) -> Fraction:
    """Return 1/E[1/min(v^S, r)], S binomial with u trials of chance 1 − 1/λ: ours, and sharper.

    If a_j is the largest entry of column j, at row x_j, then Σ_j a_j·λ^(−d(x_i,x_j)) ≤ 1 for
    each i. Multiply by a_i and add: s²·E[λ^(−d(X,Y))] ≤ s for s = Σ a and independent X, Y that
    are x_j with the chance a_j/s. Now λ^(−d(X,Y)) is the chance that X and Y agree on a random
    set of records that has each of them with the chance 1 − 1/λ. On k records X has at most
    min(v^k, r) values, so that X and Y agree there with at least the inverse of that chance.

    >>> average_bound(3, 2, 4, 2)
    Fraction(16, 7)
    """
    x = 1 / Fraction(ratio)
    chances = [comb(u, k) * x ** (u - k) * (1 - x) ** k for k in range(u + 1)]
    return 1 / sum(chance / min(v**k, r) for k, chance in enumerate(chances))


def unlike_sets(graph: Graph, most: int) -> Iterator[tuple[int, ...]]:
    """Yield one of each kind of sets of vertices that automorphisms carry into one another.

    >>> len(list(unlike_sets(databases(3, 2), most=8)))
    21
    """
    images, seen = automorphism_group(graph).elements, set[bytes]()
    for size in range(1, most + 1):
        for some in combinations(range(graph.order), size):
            alike = np.sort(images[:, some], axis=1)
            if alike[0].tobytes() not in seen:
                seen.update(row.tobytes() for row in alike)
                yield some


@claim(
    "A-P2",
    "With r ≤ v^u outputs, u records of v ≥ 2 values leak at most the binary logarithm of "
    "r·λ^u/((v − 1 + λ)^ℓ − λ^ℓ + λ^u), ℓ = ⌊log_v r⌋. For more outputs this is false.",
    Verdict.CORRECTED,
    Erratum(
        17,
        "improvable",
        "For r = v and large u the bound is said to be much smaller than that of Theorem 1.",
        "So it is, but for small u it can be larger, and it need not be attained; "
        "1/E[1/min(v^S, r)] is never larger.",
    ),
    FEW_OUTPUTS,
)
def bound_for_few_outputs() -> Iterator[str]:
    """Sets of rows by linear program, all and at random, against the printed bound and ours."""
    best: dict[tuple[int, int, int], Fraction] = {}
    for u, v, most in ((2, 2, 4), (3, 2, 8), (2, 3, 9), (4, 2, 4), (2, 4, 4)):
        graph = databases(u, v)
        for rows in unlike_sets(graph, most):
            key, found = (u, v, len(rows)), optimum(graph, 2, rows)
            best[key] = max(best.get(key, Fraction(0)), found)
    cube, draw = databases(3, 3), random.Random(SEED)
    best[3, 3, 9] = optimum(cube, 2, [cube.index(w) for w in SCATTERED])  # some, not all sets
    for _ in range(4):
        some, ratio = draw.sample(range(27), draw.randint(2, 4)), Fraction(draw.randint(3, 9), 2)
        found, limit = optimum(cube, ratio, some), average_bound(3, 3, len(some), ratio)
        demand(found <= limit, f"rows {some} at λ = {ratio}: {found} must be at most {limit}")
    for r, ratio in ((2, Fraction(3, 2)), (3, Fraction(3)), (2, Fraction(7))):
        square, limit = databases(2, 2), average_bound(2, 2, r, ratio)
        found = max(optimum(square, ratio, rows) for rows in unlike_sets(square, r))
        expect(
            worst_case_with_outputs(square, r, ratio=ratio).upper, found, f"{r} outputs of 2 bits"
        )
        demand(found <= limit, f"{r} outputs at λ = {ratio}: {found} must be at most {limit}")
    for key, found in best.items():
        ours = average_bound(*key, 2)
        demand(found <= ours, f"our bound for {key} must be at least {found}, got {ours}")
    for u, v, halves in product((1, 2, 3, 4), (2, 3), (2, 3, 4, 14)):
        ratio = Fraction(halves, 2)
        for r in range(1, v**u + 1):
            least = min(printed_bound(u, v, r, ratio), survey_bound(u, v, ratio))
            ours = average_bound(u, v, r, ratio)
            demand(ours <= least, f"our bound {ours} must be at most {least}: {(u, v, r, ratio)}")
    yield f"{len(best)} cases (u, v, r), λ = 2: optimum ≤ our bound; ours ≤ printed for r ≤ v^u"
    four = Channel([["1/3", "1/3", "1/6", "1/6"], ["1/6", "1/6", "1/3", "1/3"]])
    printed = printed_bound(1, 2, 4, 2)
    expect(privacy_level(four, SecretGraph.complete(2)).ratio, 2, "the ratio with 4 outputs")
    expect((printed, printed_bound(1, 2, 8, 2)), (Fraction(8, 7), Fraction(16, 21)), "as printed")
    demand(sum_of_maxima(four) > printed, f"Σ max must exceed 8/7, got {sum_of_maxima(four)}")
    yield f"u = 1, v = 2, r = 4: printed {printed} < {sum_of_maxima(four)} of a private channel"
    weak, strong = printed_bound(3, 2, 4, 2), survey_bound(3, 2, 2)
    expect((weak, strong), (Fraction(32, 13), Fraction(64, 27)), "Proposition 2 and Theorem 1")
    expect(best[3, 2, 4], average_bound(3, 2, 4, 2), "the optimum, our bound,")
    expect(printed_bound(2, 2, 3, 1), Fraction(3, 2), "the printed bound at ε = 0")
    yield f"u = 3, v = 2, r = 4: {weak} > {strong} of Theorem 1; optimum {best[3, 2, 4]}, our bound"
    expect((best[2, 2, 2], best[2, 3, 3]), (Fraction(3, 2), Fraction(2)), "the optima for r = v")
    yield (
        f"r = v, u = 2: {printed_bound(2, 2, 2, 2)} against {best[2, 2, 2]} for v = 2, "
        f"{printed_bound(2, 3, 3, 2)} against {best[2, 3, 3]} for v = 3"
    )
    one, two = (log2(optimum(SecretGraph.complete(3), 2, range(r))) for r in (1, 2))
    demand(two > 2 * one, f"2 outputs must leak more than twice what one does, got {two}")
    yield f"v = 3, u = 1, r = 2, ℓ = 0: {two:.3f} bits, more than r/v^ℓ times {one:g}"


def _arranged() -> str:
    """Average the square part of channels whose likeliest rows differ in ℓ records, as printed.

    The rows that their first ℓ records tell apart are named by them. Two are at most u − ℓ farther
    apart than their names; averages over the automorphisms of Val^ℓ keep that.
    """
    draw, made = random.Random(SEED), 0
    for (u, v, places), ratio in product(
        [(2, 2, 1), (3, 2, 2), (2, 3, 1), (3, 3, 1)], [Fraction(3, 2), Fraction(2), Fraction(5)]
    ):
        whole, names = databases(u, v), databases(places, v)
        tails = list(product(range(v), repeat=u - places))
        rows = [(*name, *draw.choice(tails)) for name in product(range(v), repeat=places)]
        steep = falling(whole, ratio, [int(row in rows) for row in whole.vertices])
        merged = steep.merge({z: rows[0] for z in whole.vertices if z not in rows})
        expect(privacy_level(merged, whole).ratio <= ratio, True, "whether it is private")
        square = Channel(merged.restrict(rows).permute(rows).matrix, names.vertices, names.vertices)
        if sum_of_maxima(square) != sum_of_maxima(merged) or diagonal_form(square) != square:
            continue  # what is left of the rows went elsewhere
        after = symmetrise(square, automorphism_group(names))
        expect(sum_of_maxima(after), sum_of_maxima(merged), "Σ max of the averages")
        expect(len({after[x, x] for x in names.vertices}), 1, "values on the diagonal")
        demand(bool((after.matrix.max(axis=0) == after.matrix.diagonal()).all()), "a larger entry")
        for x, y in product(names.vertices, repeat=2):
            allowed = ratio ** (u - places + int(names.distance(x, y)))
            steps = multiplicative_distance(after.row(x), after.row(y))
            demand(steps <= allowed, f"the rows {x} and {y} must be within {allowed}, got {steps}")
        made += 1
    demand(made > 5, f"more than 5 channels must be arranged, got {made}")
    return f"{made} channels whose rows the first ℓ records tell apart: their averages do"


@claim(
    "A-L3",
    "A private channel on u records of v values with v^ℓ outputs, ℓ < u, leaks as much as some "
    "v^ℓ × v^ℓ channel with constant diagonal, the largest of each column, and "
    "M(j|i) ≤ λ^(u−ℓ+d(i,h))·M(j|h). The rows of the given channel need not form it.",
    Verdict.CORRECTED,
    FEW_OUTPUTS,
)
def few_columns() -> Iterator[str]:
    """The rows of a channel, where they can be arranged; else a steep matrix mixed with a flat."""
    yield _arranged()
    draw, made = random.Random(SEED), 0
    for (u, v, places), ratio in product(
        [(2, 2, 1), (3, 2, 2), (2, 3, 1)], [Fraction(2), Fraction(5)]
    ):
        small, extra, size = databases(places, v), u - places, v**places
        for _ in range(4):
            channel = private_channel(databases(u, v), ratio, size, draw)
            diagonal, places = sum_of_maxima(channel) / size, small.distances.tolist()
            steep = [[ratio ** -(d + extra) if d else Fraction(1) for d in row] for row in places]
            least, most = diagonal * sum(steep[0]), diagonal * size
            demand(least <= 1 <= most, f"rows of 1 must be between, got {least} and {most}")
            share = (most - 1) / (most - least) if most > least else Fraction(1)
            matrix = Channel([[diagonal * (1 - share + share * p) for p in row] for row in steep])
            expect(sum_of_maxima(matrix), sum_of_maxima(channel), "Σ max of the square matrix")
            for i, h in product(range(size), repeat=2):
                allowed = ratio ** (extra + int(small.distances[i, h]))
                steps = multiplicative_distance(matrix.row(i), matrix.row(h))
                demand(steps <= allowed, f"the rows {i} and {h} must be within {allowed}")
            made += 1
    yield f"{made} random channels with v^ℓ outputs: such a square matrix exists, same Σ max"
    far = [w for w in SCATTERED if sum(map(int.__ne__, w, SCATTERED[0])) == 3]
    room = int((databases(2, 3).distances[0] == 2).sum())
    demand(len(far) > room, f"more words must be far from 000 than there is room, got {len(far)}")
    yield f"rows 000 and {{1, 2}}^3: {len(far)} at distance 3 from 000, Val^2 has room for {room}"
    cross = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    seen = [len({(w[a], w[b]) for w in cross}) for a, b in combinations(range(3), 2)]
    demand(max(seen) < len(cross), f"no projection must be injective, got images of {seen}")
    yield f"rows 000, 100, 010, 001: two coordinates tell only {max(seen)} of {len(cross)} apart"
