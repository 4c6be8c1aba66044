"""Beliefs of one record and of the sum of the others, once counts are public.

Records are believed to be independent and alike, with prior π, before the counts are known. Values
that the same counts count form a *cell*, and the counts leave some *histograms* H of cells. Given
H, a record is in cell i with chance H_i/n, its value then has π restricted to the cell, and so have
all others, independently, of whom H_j − [i = j] are in cell j: docs/proofs/one-person.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb, isqrt, prod

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpq_poly

from leaktight.errors import InvalidInput, TooLarge
from leaktight.exact.numbers import rational, to_float
from leaktight.limits import allowed
from leaktight.policies.policy import Policy

Floats = npt.NDArray[np.float64]

MOST_LOOKED_AT = 20_000
"""The most histograms, whole or not, that are looked at to find those that the counts leave."""

MOST_WEIGHED = 2**23
"""The most histograms, times records, whose weights are computed."""

MOST_WINDOW = 2**22
"""The most counts that are told apart in floats."""

MOST_CONVOLVED = 2**32
"""The most multiplications of floats, some seconds."""

LOST = fmpq(1, 2**64)
"""At least the chance that one binomial count has outside its window, and what vanishes there."""


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Records that are alike, given the counts: cells of values, and the histograms of these."""

    records: int
    belief: tuple[fmpq, ...]
    """The prior of one record, before the counts are known."""
    cells: tuple[tuple[int, ...], ...]
    """The values of each cell that a record can be in."""
    histograms: tuple[tuple[tuple[int, ...], fmpq], ...]
    """The records of each cell and how likely that is, for all histograms that are possible."""

    @classmethod
    def of(cls, policy: Policy, belief: Sequence[fmpq]) -> "Population":
        """Read the cells off a policy of which nothing but named counts is public.

        >>> from leaktight.policies.constraint import count
        >>> from leaktight.policies.secrets import SecretGraph
        >>> told = count([2], at_least=1)
        >>> Population.of(Policy(SecretGraph.complete(3), 2, constraints=told), [fmpq(1, 3)] * 3)
        Population(2 records, 2 cells, 2 histograms)
        """
        n, counts = policy.records, policy.public_counts
        if counts is None:
            return cls(n, tuple(belief), (tuple(range(len(belief))),), (((n,), fmpq(1)),))
        cells = counts.cells
        if cells.only is None and n > allowed(MOST_LOOKED_AT):
            raise TooLarge(
                f"histograms of {n:,} records that agree with counts which overlap, or are ranges, "
                f"are not gone through beyond {allowed(MOST_LOOKED_AT):,} records; counts that are "
                "single numbers of sets that do not overlap leave one"
            )
        shares = [sum((belief[v] for v in cell), fmpq(0)) for cell in cells.members]
        listed = [
            histogram
            for histogram in cells.histograms(MOST_LOOKED_AT)
            if all(share or not k for share, k in zip(shares, histogram, strict=True))
        ]
        if not listed:
            raise InvalidInput("the prior rules out every database that is possible")
        return cls(n, tuple(belief), cells.members, tuple(_weighed(n, shares, listed)))

    def __repr__(self) -> str:
        return (
            f"Population({self.records} records, {len(self.cells)} cells, "
            f"{len(self.histograms)} histograms)"
        )

    def within(self) -> dict[int, fmpq]:
        """Return the chance of each value, given its cell."""
        found: dict[int, fmpq] = {}
        for cell in self.cells:
            if share := sum((self.belief[v] for v in cell), fmpq(0)):
                found.update((v, self.belief[v] / share) for v in cell)
        return found

    def before(self) -> dict[int, fmpq]:
        """Return the chance of each value for one record, given the counts."""
        within = self.within()
        found: dict[int, fmpq] = {}
        for i, cell in enumerate(self.cells):
            here = sum((fmpq(h[i]) * weight for h, weight in self.histograms), fmpq(0))
            found.update((v, here / self.records * within.get(v, fmpq(0))) for v in cell)
        return found

    # --- what the others add up to -----------------------------------------------------------

    def sums_of_others(self, weights: Sequence[int]) -> Iterator[fmpq_poly]:
        """Yield for each cell P(the record is there, and the others add up to s), at x^s.

        Each weight is counted from the least one, so that s is 0 or more.
        """
        steps = self._steps(weights)
        for i in range(len(self.cells)):
            found = fmpq_poly([0])
            for histogram, weight in self.histograms:
                if histogram[i]:
                    others = (
                        step ** (k - (i == j))
                        for j, (step, k) in enumerate(zip(steps, histogram, strict=True))
                        if k
                    )
                    here = fmpq_poly([weight * histogram[i] / self.records])
                    found += prod(others, start=here)
            yield found

    def sum_of_all(self, weights: Sequence[int]) -> fmpq_poly:
        """Return P(all records add up to s), at x^s, each weight counted from the least one."""
        steps, found = self._steps(weights), fmpq_poly([0])
        for histogram, weight in self.histograms:
            each = (step**k for step, k in zip(steps, histogram, strict=True) if k)
            found += prod(each, start=fmpq_poly([weight]))
        return found

    def _steps(self, weights: Sequence[int]) -> list[fmpq_poly]:
        """Return for each cell the chances of what one of its records adds."""
        within, least = self.within(), min(weights)
        steps = []
        for cell in self.cells:
            chances = [fmpq(0)] * (max(weights) - least + 1)
            for v in cell:
                chances[weights[v] - least] += within.get(v, fmpq(0))
            steps.append(fmpq_poly(chances))
        return steps

    def sum_is_known(self, weights: Sequence[int]) -> bool:
        """Say whether all records together always add up to the same, whoever has which value."""
        within = self.within()
        there = [[weights[v] for v in cell if within.get(v)] for cell in self.cells]
        ends = {
            sum(k * end(some) for some, k in zip(there, histogram, strict=True) if k)
            for histogram, _ in self.histograms
            for end in (min, max)
        }
        return len(ends) == 1

    def counts_of_others(self, counted: Sequence[int]) -> "CountsOfOthers":
        """Return how many others are counted, for each cell of the record, in floats."""
        within = self.within()
        shares = [
            sum((within[v] for v in cell if v in within and counted[v]), fmpq(0))
            for cell in self.cells
        ]
        kinds = sorted(set(shares))
        self._refuse_what_takes_too_long(shares, kinds)
        found: list[tuple[int, Floats]] = [(0, np.zeros(0))] * len(self.cells)
        steps = 0
        for histogram, weight in self.histograms:
            many = dict.fromkeys(kinds, 0)
            for share, k in zip(shares, histogram, strict=True):
                many[share] += k
            seen: dict[fmpq, tuple[int, Floats]] = {}
            for i, (share, k) in enumerate(zip(shares, histogram, strict=True)):
                if not k:
                    continue
                if share not in seen:
                    others = ((p, m - (p == share)) for p, m in many.items())
                    seen[share] = _convolved(_binomial(m, p) for p, m in others)
                    steps = max(steps, len(seen[share][1]))
                base, chances = seen[share]
                scale = to_float(weight * k / self.records)
                found[i] = _added(found[i], (base, scale * chances))
        size = steps + len(kinds) + len(self.cells) + len(self.histograms)
        return CountsOfOthers(tuple(found), size, LOST * (1 + len(kinds)))

    def _refuse_what_takes_too_long(self, shares: Sequence[fmpq], kinds: Sequence[fmpq]) -> None:
        """Refuse counts too many to tell apart, or too many to convolve."""
        widest, work = 0, 0
        for histogram, _ in self.histograms:
            sizes = dict.fromkeys(kinds, 0)
            for share, k in zip(shares, histogram, strict=True):
                sizes[share] += k
            widths = [2 * _half_width(k) for share, k in sizes.items() if 0 < share < 1]
            widest = max(widest, sum(widths))
            work += len(kinds) * sum(widths) * sum(sorted(widths)[:-1])
        if widest > allowed(MOST_WINDOW) or work > allowed(MOST_CONVOLVED):
            raise TooLarge(
                f"what {self.records:,} records add to a count under these public counts would "
                "take too long to go through; posterior_bound bounds what is told"
            )


@dataclass(frozen=True, slots=True, eq=False)
class CountsOfOthers:
    """How many others are counted, for each cell that a record can be in, in floats.

    All numbers are positive, and right up to a relative error of 64·2^(−53) for each of ``steps``,
    but for ``lost`` in all.
    """

    by_cell: tuple[tuple[int, Floats], ...]
    """P(the record is there, and so many others are counted): the least number, and the chances."""
    steps: int
    lost: fmpq

    def on_a_line(self) -> list[Floats]:
        """Return the chances of each cell, all from the same number on, and room for one more."""
        there = [(base, chances) for base, chances in self.by_cell if len(chances)]
        least = min(base for base, _ in there)
        length = max(base + len(chances) for base, chances in there) - least + 1
        lines = []
        for base, chances in self.by_cell:
            line = np.zeros(length)
            line[base - least : base - least + len(chances)] = chances
            lines.append(line)
        return lines


def _weighed(
    n: int, shares: Sequence[fmpq], histograms: Sequence[tuple[int, ...]]
) -> Iterator[tuple[tuple[int, ...], fmpq]]:
    """Yield histograms and their chances, in proportion to n!·Π_j p_j^{H_j}/H_j!."""
    if len(histograms) == 1:
        yield histograms[0], fmpq(1)
        return
    if len(histograms) * n > allowed(MOST_WEIGHED):
        raise TooLarge(
            f"{len(histograms):,} histograms of {n:,} records agree with the counts, too many to "
            "go through; posterior_bound bounds what is told where each count is a number"
        )
    weights = []
    for histogram in histograms:
        weight, left = fmpq(1), n
        for share, k in zip(shares, histogram, strict=True):
            weight *= comb(left, k) * share**k
            left -= k
        weights.append(weight)
    total = sum(weights, fmpq(0))
    for histogram, weight in zip(histograms, weights, strict=True):
        yield histogram, weight / total


def _half_width(n: int) -> int:
    """Return t with P(|X − E X| ≥ t) ≤ 2·e^(−58) < 2^(−82) for a binomial count X of n.

    That is Hoeffding's 2·exp(−2t²/n).
    """
    return isqrt(29 * n) + 1


def _binomial(n: int, share: fmpq) -> tuple[int, Floats]:
    """Return the binomial probabilities near the mean, from the likeliest one outward."""
    if not n or share in (0, 1):
        return n * (share == 1), np.ones(1)
    middle, width = int(n * share.p // share.q), _half_width(n) + 1
    low, high = max(0, middle - width), min(n, middle + width)
    k = np.arange(low, high)
    odds = min(max(share / (1 - share), rational(2.0**-900)), rational(2.0**900))
    ratios = (n - k) / (k + 1) * to_float(odds)
    mode = int(np.searchsorted(-ratios, -1.0))
    above = np.cumprod(np.concatenate([[1.0], ratios[mode:]]))
    below = np.cumprod(1 / ratios[:mode][::-1])[::-1]
    whole = np.concatenate([below, above])
    return low, whole / whole.sum()


def _convolved(parts: Iterable[tuple[int, Floats]]) -> tuple[int, Floats]:
    """Return the distribution of a sum of independent numbers."""
    base, chances = 0, np.ones(1)
    for start, some in parts:
        base, chances = base + start, np.convolve(chances, some)
    return base, chances


def _added(one: tuple[int, Floats], other: tuple[int, Floats]) -> tuple[int, Floats]:
    """Return the sum of two lists of numbers, each from its place on."""
    if not len(one[1]):
        return other
    base = min(one[0], other[0])
    found = np.zeros(max(start + len(some) for start, some in (one, other)) - base)
    for start, some in (one, other):
        found[start - base : start - base + len(some)] += some
    return base, found
