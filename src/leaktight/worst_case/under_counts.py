"""The worst case if counts are public, for any number of records.

Databases with the same histogram of cells look alike to the policy, so that equal weights on them
are a cover, and histograms add up. How near databases are to each other is not known exactly, but
no two are farther apart than a step for each record that changes within its cell and half a step
for each other. Where a count divides the records in two, that is the distance, and the cover is a
weighting, so that the worst case is exact: docs/proofs/public-counts.md.
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb, fmpq

from leaktight.channels.channel import Channel
from leaktight.errors import InvalidInput, TooLarge, Undecided, expect
from leaktight.exact.numbers import Number, rational
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio, RatioLike, step_ratio
from leaktight.exact.rounding import outward, precision
from leaktight.policies.policy import Policy
from leaktight.policies.space import Space
from leaktight.worst_case.bound import WorstCaseBound

if TYPE_CHECKING:
    from leaktight.policies.public_counts import PublicCounts

MOST_COUNTED = 1000
"""The most records with public counts of which all databases may be listed."""

MOST_DATABASES = 20_000
"""The most databases with public counts whose worst case is that of a graph."""

MOST_ARRANGED = 10**5
"""The most records whose number of arrangements is written out."""

MOST_TERMS = 10**5
"""The most terms of a sum over the records that change places."""

MOST_CELLS = 64
"""The most cells for which a typical histogram is looked for."""

ROUNDS = 200
"""How often numbers are scaled to have given sums: they propose, and any are safe."""


@dataclass(frozen=True, slots=True, repr=False)
class WorstCaseUnderCounts(WorstCaseBound):
    """The largest Σ_z max_x K(z|x) over all private channels under public counts.

    Randomised response attains ``lower_factors``, and no private mechanism exceeds
    ``upper_factors``; no mechanism or certificate is written out. By themselves the number of
    databases, ``databases``, is a bound, and Theorem 11 of [Edwards2021]_, ``by_diameter``, None
    if the diameter is not known.
    """

    ratio: Ratio
    lower_factors: Powers
    upper_factors: Powers
    databases: Powers
    by_diameter: Powers | None
    route: str

    @property
    def promise(self) -> str:
        """What is private."""
        return f"ratio {self.ratio}"

    @property
    def is_certified(self) -> bool:
        """There is none."""
        return False

    @property
    def mechanism(self) -> Channel:
        """Refused: a mechanism on so many databases is not written out."""
        raise TooLarge(_NOT_WRITTEN)

    @property
    def certificate(self) -> dict[str, Any]:
        """Refused: the proof is that of docs/proofs/public-counts.md, and not a list of numbers."""
        raise TooLarge(_NOT_WRITTEN)

    @property
    def is_exact(self) -> bool:
        """Whether nothing but the rounding of logarithms and of e^ε separates the two ends."""
        return self.route == "weighting"


_NOT_WRITTEN = (
    "under these public counts there are too many databases for a mechanism or a certificate; "
    "fewer records have both"
)


def _two_to(bits: float) -> tuple[Powers, Powers]:
    """Return numbers below and above 2^bits, short however large it is."""
    whole = math.floor(bits)
    with precision(128):
        rest = (arb(bits - whole) * arb.const_log2()).exp()
        low, high = rest.lower().fmpq(), rest.upper().fmpq()
    return Powers.of((2, whole), (low, 1)), Powers.of((2, whole), (high, 1))


def tied_by_counts(space: Space) -> Policy | None:
    """Return the policy whose databases are too many to list, and tied by public counts alone."""
    policy = space.policy
    if policy is None or policy.public_counts is None:
        return None
    if policy.records <= MOST_COUNTED:
        with suppress(TooLarge):
            return policy if policy.database_count > MOST_DATABASES else None
    return policy


def worst_case_under_counts(
    policy: Policy, ratio: RatioLike = None, epsilon: Number | None = None
) -> WorstCaseUnderCounts:
    """Return what any mechanism leaks at most that is private under a policy with public counts.

    No databases are listed; ``worst_case_leakage`` comes here where they are too many.

    >>> from leaktight.policies.constraint import count
    >>> from leaktight.policies.secrets import SecretGraph
    >>> flu = count(["flu"], equals=300)
    >>> ward = Policy(SecretGraph.complete(["flu", "cold", "none"]), 1000, constraints=[flu])
    >>> worst_case_under_counts(ward, ratio=2)
    WorstCaseUnderCounts(exactly 408.035 bits at ratio 2 (ε = ln 2); weighting)
    """
    counts = expect(policy, Policy, "Policy(graph, records) makes one").public_counts
    if counts is None:
        raise InvalidInput(
            "the policy must have public counts, and nothing else public; worst_case_leakage is "
            "for all others"
        )
    asked = Ratio.of(ratio, epsilon)
    cells = counts.cells
    databases, by_diameter = database_bound(counts), diameter_bound(counts, asked)
    if by_diameter is None:
        attained = _two_to(_attained(counts, asked))[0]
        return WorstCaseUnderCounts(
            asked, attained, databases, databases, None, "number of databases"
        )
    there = [(len(v), k) for v, k in zip(cells.members, cells.only or (), strict=False) if k]
    if cells.only is not None and len(there) < 3 and min(k for _, k in there) <= MOST_TERMS:
        low, high = (outward(lambda q=q: _two_cells(there, q)) for q in _inverse(asked))  # type: ignore[misc]
        ends = _two_to(max(0.0, low[0]))[0], _two_to(high[1])[1]
        return WorstCaseUnderCounts(asked, *ends, databases, by_diameter, "weighting")
    covered = _two_to(outward(lambda: _covered(counts, _inverse(asked)[1]))[1])[1]
    upper, route = min(
        (covered, "cover"), (by_diameter, "diameter"), (databases, "number of databases")
    )
    attained = min(_two_to(_attained(counts, asked))[0], upper)
    return WorstCaseUnderCounts(asked, attained, upper, databases, by_diameter, route)


def database_count(counts: "PublicCounts") -> Powers | None:
    """Return the number of databases, if there is one histogram and it can be written out."""
    only, left = counts.cells.only, counts.cells.records
    if only is None or left > MOST_ARRANGED:
        return None
    ways = 1
    for k in only:
        ways, left = ways * comb(left, k), left - k
    return _within(counts, only) * Powers.of((ways, 1))


def database_bound(counts: "PublicCounts") -> Powers:
    """Return at least the number of databases."""
    only = counts.cells.only
    if only is None:
        return Powers.of((sum(map(len, counts.cells.members)), counts.cells.records))
    arranged = math.ceil(outward(lambda: _arrangements(only))[1])
    return database_count(counts) or _within(counts, only) * Powers.of((2, arranged))


def _within(counts: "PublicCounts", histogram: Sequence[int]) -> Powers:
    """Return how many ways there are to choose values in given cells."""
    return Powers.of(*zip(map(len, counts.cells.members), histogram, strict=True))


def diameter_bound(counts: "PublicCounts", ratio: Ratio) -> Powers | None:
    """Return Theorem 11 of [Edwards2021]_: λ^diameter for each component, if it is known."""
    if not counts.all_secret:
        return None
    assert counts.diameter is not None
    cells, n = counts.cells, counts.cells.records
    results = comb(n + len(cells.members) - 1, n) if cells.told.any() else 1
    return Powers.of((results, 1), (ratio.upper, counts.diameter.value))


def _inverse(asked: Ratio) -> tuple[fmpq, fmpq]:
    return 1 / rational(asked.lower), 1 / rational(asked.upper)


def _arrangements(histogram: Sequence[int]) -> arb:
    """Return log2 of the number of ways to give records to cells."""
    ways = arb(sum(histogram) + 1).lgamma() - sum((arb(k + 1).lgamma() for k in histogram), arb(0))
    return ways / arb.const_log2()


def _databases(counts: "PublicCounts", histogram: Sequence[int]) -> arb:
    """Return log2 of the number of databases with a histogram."""
    sizes = map(len, counts.cells.members)
    within = (k * arb(size).log_base(2) for size, k in zip(sizes, histogram, strict=True))
    return _arrangements(histogram) + sum(within, arb(0))


def _two_cells(there: Sequence[tuple[int, int]], q: fmpq) -> arb:
    """Return log2 of |X| / Σ_D q^d(D, D₀) for one cell or two, each with its values and records.

    If x records of each cell change places, and y others change within theirs, d is x + y.
    """
    (one, m), (other, k) = sorted([*there, (1, 0)][:2], key=lambda cell: cell[1])
    stay, also = 1 + (one - 1) * arb(q), 1 + (other - 1) * arb(q)
    step, term, total = one * other * arb(q) / (stay * also), arb(1), arb(1)
    for x in range(m):
        term *= step * (m - x) * (k - x) / (x + 1) ** 2
        total += term
    log = m * (stay / one).log_base(2) + k * (also / other).log_base(2) + total.log_base(2)
    return _arrangements([m, k]) - log


def _covered(counts: "PublicCounts", q: fmpq) -> arb:
    """Return log2 of the cover that gives all databases with the same histogram equal weights."""
    cells, n = counts.cells, counts.cells.records
    half = fmpq(1, 2) if cells.are_equalities else fmpq(1)
    adds = [1 - fmpq(1, len(values)) - half for values in cells.members]
    # For one histogram 1/E q^d ≤ λ^(E d), and E d is n/2 and what records within their cell add.
    if cells.only is not None:
        there = [(len(v), k) for v, k in zip(cells.members, cells.only, strict=True) if k]
        more = sum((add * k**2 / n for add, k in zip(adds, cells.only, strict=True)), fmpq(0))
        by_term = _one_histogram(there, arb(q), arb(q) ** arb(half))
        return by_term.min(-arb(n * half + more) * arb(q).log_base(2))
    most = [
        min([n, *cells.limits[row > 0, 1].tolist()])  # so many records are in the cell
        for row in cells.table
    ]
    if max(adds) <= 0:
        more = n * max(adds) / len(adds)
    else:
        more = max(add * records for add, records in zip(adds, most, strict=True))
    histograms = comb(n + len(adds) - 1, len(adds) - 1)
    return arb(histograms).log_base(2) - arb(n * half + more) * arb(q).log_base(2)


def _one_histogram(there: Sequence[tuple[int, int]], q: arb, across: arb) -> arb:
    """Return log2 of |X| / Σ_D Π w over the records, by the largest term of the sum, nearly.

    The terms belong to tables of how many records go from cell to cell; each is less than the sum.
    """
    sizes = np.array([size for size, _ in there], dtype=float)
    records = np.array([k for _, k in there], dtype=float)
    weights = np.full((len(there), len(there)), float(across))
    np.fill_diagonal(weights, (1 + (sizes - 1) * float(q)) / sizes)
    scale = np.sqrt(records)
    for _ in range(ROUNDS):
        scale = np.sqrt(scale * records / (weights @ scale))
    table = np.floor(scale[:, None] * weights * scale).astype(np.int64)
    np.fill_diagonal(table, 0)
    stay = [k - int(row.sum()) for (_, k), row in zip(there, table, strict=True)]
    if min(stay) < 0:  # rounding went too far: nobody changes places
        table[:], stay = 0, [k for _, k in there]
    log = _arrangements([k for _, k in there])
    for row, alone, (size, _) in zip(table.tolist(), stay, there, strict=True):
        log -= _arrangements([alone, *row])
        log -= alone * ((1 + (size - 1) * q) / size).log_base(2)
        log -= sum(row) * across.log_base(2)
    return log


def _attained(counts: "PublicCounts", asked: Ratio) -> float:
    """Return what randomised response leaks that is private, at least.

    It tells the truth of all records with a certain chance, for each of the databases.
    """
    histogram = _typical(counts)
    if histogram is None:
        return 0.0
    each = rational(step_ratio(asked.lower, max(1, counts.reach.value)))
    truth = each / (each + sum(map(len, counts.cells.members)) - 1)
    n = counts.cells.records
    return max(0.0, outward(lambda: _databases(counts, histogram) + n * arb(truth).log_base(2))[0])


@lru_cache(maxsize=4)  # an audit asks at many ε
def _typical(counts: "PublicCounts") -> Sequence[int] | None:
    """Return a histogram that many databases have, if one is found."""
    cells = counts.cells
    if cells.only is not None or len(cells.members) > MOST_CELLS:
        return cells.only
    share = np.array([len(values) for values in cells.members], dtype=float)
    inside, n = cells.table.astype(bool), float(cells.records)
    share *= n / share.sum()
    for _ in range(ROUNDS):
        for q, (low, high) in enumerate(cells.limits.tolist()):
            told = inside[:, q]
            wanted = min(max(share[told].sum(), low), high)
            for some, sum_ in ((told, wanted), (~told, n - wanted)):
                share[some] *= sum_ / share[some].sum() if share[some].sum() else 0
    least = np.maximum(0, np.floor(share) - len(share)).astype(np.int64)
    try:
        return cells.find(least.tolist()) or cells.any
    except Undecided:
        return None
