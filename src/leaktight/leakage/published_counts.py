"""Leakage of public counts about one person, on average over what they might be.

Records are believed to be independent and alike before any count is known. Of counts that are all
named, the mean is over what they might have been. Where some are named and others are public
whatever they are, the named ones are what they are, and the mean is over the others.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from typing import TypeAlias

from flint import arb, fmpq, fmpq_poly, fmpz_mat

from leaktight.errors import InvalidInput
from leaktight.exact.numbers import fraction
from leaktight.exact.rounding import outward
from leaktight.leakage.divisions import Divisions, counted_sets
from leaktight.policies.policy import Policy

Cell: TypeAlias = tuple[int, ...]

MOST_EXACT = 64
"""The most records for which the chance on average is a sum over all counts."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How records may lie in some cells: a number of them, each in cell i with chance r_i."""

    records: int
    cells: tuple[Cell, ...]
    chances: tuple[fmpq, ...]

    @classmethod
    def of(cls, records: int, cells: Iterable[Cell], belief: Sequence[fmpq]) -> "Spread":
        """Read the chances off what is believed of one record."""
        listed = tuple(cells)
        chances = [_chance(belief, cell) for cell in listed]
        total = sum(chances, fmpq(0))
        if records and not total:
            raise InvalidInput("the prior rules out every database that the counts leave")
        return cls(records, listed, tuple(p / total if total else p for p in chances))

    @property
    def stray(self) -> fmpq:
        """The variances of the numbers in all cells together."""
        return self.records * sum((r * (1 - r) for r in self.chances), fmpq(0))

    def means(self) -> Iterator[tuple[int, fmpq]]:
        """Yield each value and how many records are expected in its cell."""
        for cell, r in zip(self.cells, self.chances, strict=True):
            yield from ((v, self.records * r) for v in cell)


def average_told(divisions: Divisions, prior: Sequence[fmpq]) -> tuple[Fraction, Fraction] | None:
    """Return between what Σ_H P(H)·max_v P(v|H) lies, over all results H; None if not known.

    It is exact for few records and one division, if the counts tell how many records each cell
    has. Otherwise it is at least max_v P(v), and more by at most how far shares H_i/n stray from
    their means: √(Σ_i Var H_i)/n in each division.
    """
    policy, n = divisions.policy, divisions.policy.records
    is_named = not divisions.are_named and any(
        number is not None for _, number in counted_sets(policy)
    )
    belief = tuple(prior)
    if len(divisions.blocks) > 1 and divisions.belief != belief:
        if not is_named:
            return None  # a count was 0, and without it the divisions may not be independent
        belief = divisions.belief
    spread = list(_spread(divisions, belief, is_named))
    if not spread:
        return None
    cells = cells_told_apart(policy)
    own = {v: belief[v] / _chance(belief, cell) for cell in cells for v in cell if belief[v]}
    means = [dict(pair for each in some for pair in each.means()) for some in spread]
    chances = {
        v: prod((each.get(v, fmpq(0)) / n for each in means), start=p) for v, p in own.items()
    }
    least = max(chances.values())
    if len(spread) == 1 and n <= MOST_EXACT:
        most_told = _counted(spread[0], own, n)
        there = [cell for each in spread[0] if each.records for cell in each.cells]
        return most_told if _tell(policy, there) else fraction(least), most_told
    within = max(own[v] for v, p in chances.items() if p)

    def most() -> arb:
        strays = (sum((each.stray for each in some), fmpq(0)) for some in spread)
        return arb(least) + arb(within) * sum((arb(s).sqrt() for s in strays), arb(0)) / n

    return fraction(least), min(Fraction(1), Fraction(outward(most)[1]))


def _spread(divisions: Divisions, belief: Sequence[fmpq], is_named: bool) -> Iterator[list[Spread]]:
    """Yield for each division how records lie in its blocks; none if it is not known.

    Of one division the blocks are cells. If some counts are named, ``is_named``, it must follow
    from them how many records have each combination of what they count.
    """
    policy, n = divisions.policy, divisions.policy.records
    if len(divisions.blocks) == 1 and is_named:
        named = [one for one in policy.constraints if not one.is_published]
        counts = Policy(policy.secrets, n, constraints=named).public_counts
        if counts is None or (only := counts.cells.only) is None:
            return
        cells = cells_told_apart(policy)
        yield [
            Spread.of(m, (cell for cell in cells if set(cell) <= set(members)), belief)
            for members, m in zip(counts.cells.members, only, strict=True)
        ]
    elif len(divisions.blocks) == 1:
        yield [Spread.of(n, cells_told_apart(policy), belief)]
    else:
        for division in divisions.blocks:
            blocks = [(tuple(block), m if is_named else None) for block, m in division]
            told = [(block, m) for block, m in blocks if m is not None]
            left = n - sum(m for _, m in told)
            others = Spread.of(left, (block for block, m in blocks if m is None), belief)
            yield [*(Spread.of(m, [block], belief) for block, m in told), others]


def _counted(spread: Sequence[Spread], own: dict[int, fmpq], n: int) -> Fraction:
    """Return Σ_H P(H)·max_v P(v|H) over all results H of counts that divide the records once.

    With o_i the chance of the likeliest value of cell i within it, it is the mean of max_i
    H_i·o_i/n. Where m records are spread over cells with chances r_i, H has multinomial
    probabilities: m!·[x^m] Π_i Σ_h (r_i·x)^h/h!, where h goes as far as H_i·o_i stays below a
    threshold.
    """
    best = {cell: max(own.get(v, fmpq(0)) for v in cell) for each in spread for cell in each.cells}
    terms = {
        cell: [r**h / factorial(h) for h in range(each.records + 1)]
        for each in spread
        for cell, r in zip(each.cells, each.chances, strict=True)
    }
    thresholds = sorted({h * o for cell, o in best.items() for h in range(len(terms[cell]))})
    mean, below = fmpq(0), fmpq(0)
    for threshold in thresholds:
        kept = {
            cell: some[: int(threshold / best[cell]) + 1 if best[cell] else None]
            for cell, some in terms.items()
        }
        up_to = prod((_all_below(each, kept) for each in spread), start=fmpq(1))
        mean += threshold * (up_to - below)
        below = up_to
    return fraction(mean / n)


def _all_below(spread: Spread, terms: Mapping[Cell, Sequence[fmpq]]) -> fmpq:
    """Return the chance that every cell has so many records that there is a term for it."""
    whole = fmpq_poly([1])
    for cell in spread.cells:
        whole = (whole * fmpq_poly(list(terms[cell]))).truncate(spread.records + 1)
    return whole[spread.records] * factorial(spread.records)


def _chance(belief: Sequence[fmpq], values: Iterable[int]) -> fmpq:
    return sum((belief[v] for v in values), fmpq(0))


def cells_told_apart(policy: Policy) -> list[Cell]:
    """Return the values that no count tells apart, also those of a count that was 0."""
    sets = [values for values, _ in counted_sets(policy)]
    told: dict[tuple[bool, ...], list[int]] = {}
    for value in range(policy.secrets.order):
        told.setdefault(tuple(value in some for some in sets), []).append(value)
    return [tuple(values) for values in told.values()]


def _tell(policy: Policy, cells: Sequence[Cell]) -> bool:
    """Say whether the counts, whatever they are, tell how many records each of some cells has."""
    rows = [[int(cell[0] in some) for cell in cells] for some, _ in counted_sets(policy)]
    return bool(fmpz_mat([*rows, [1] * len(cells)]).rank() == len(cells))
