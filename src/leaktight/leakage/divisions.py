"""Groups of known size into which public counts divide the records.

A *division* sorts the values into blocks, and it is public how many records each block has: a
whole histogram, one count and what is left, a margin of a table. Several divisions, such as the
margins of several attributes, are independent if what is believed of one record says so; then they
stay so once their counts are known.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias

from flint import arb, fmpq

from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.errors import InvalidInput, Undecided, expect
from leaktight.exact.numbers import Value, fraction, rational, to_float
from leaktight.exact.rounding import precision
from leaktight.policies.policy import Policy

Block: TypeAlias = tuple[frozenset[int], int | None]

MOST_BLOCKS = 10**5
"""The most combinations of blocks of several divisions that are looked at."""


@dataclass(frozen=True, eq=False)
class Divisions:
    """Divisions of the values into blocks, of each of which it is public how many records it has.

    Under ``belief`` the blocks of one division are independent of those of another, or there are
    two divisions, and one of them has two blocks.
    """

    policy: Policy
    belief: tuple[fmpq, ...]
    blocks: tuple[tuple[Block, ...], ...]
    """For each division its blocks and their numbers of records, None if these are not named."""
    are_independent: bool = True

    @classmethod
    def of(cls, policy: Policy, prior: PriorLike) -> "Divisions":
        """Read the divisions off a policy's counts, or say why they are not known to be enough."""
        counts = expect(policy, Policy, "Policy(graph, records) makes one").public_counts
        values = policy.secrets.vertices
        belief = tuple(prior_on(prior, values).exact().array)
        if counts is None or not counts.cells.are_equalities:
            raise Undecided(
                "what a release tells of one person is not known here: it is where every public "
                "count is one number, and nothing else is public"
            )
        there = counts.cells.on_cycles
        if there is not None:
            only = counts.cells.only
            cells = [frozenset(values) for values in counts.cells.members]
            divisions = [tuple((cells[i], only[i] if only else None) for i in there)]
        else:
            divisions = [tuple(b for b in each if b[1] != 0) for each in divided(policy)]
        # Nobody has a value of a block without records, so it is as if there were no such value.
        possible = frozenset.intersection(
            *(frozenset[int]().union(*(block for block, _ in each)) for each in divisions)
        )
        total = sum((belief[v] for v in possible), fmpq(0))
        if not total:
            raise InvalidInput("the prior rules out every value that the counts leave")
        kept = tuple(p / total if v in possible else fmpq(0) for v, p in enumerate(belief))
        found = cls(policy, kept, tuple(divisions))
        if any(n and not found._chance(block) for each in divisions for block, n in each):
            raise InvalidInput("the prior rules out every database that the counts leave")
        if found._is_product():
            return found
        if len(divisions) != 2 or min(map(len, divisions)) > 2 or not found.are_named:
            raise Undecided(
                "what a release tells of one person is not known here: the public counts "
                "overlap, and are believed to be of things that depend on each other"
            )
        return replace(found, are_independent=False)

    def _is_product(self) -> bool:
        """Say whether the blocks of different divisions are believed to be independent."""
        if len(self.blocks) == 1:
            return True
        if math.prod(map(len, self.blocks)) > MOST_BLOCKS:
            raise Undecided(
                f"what a release tells of one person is not known here: {len(self.blocks)} public "
                "divisions have too many blocks in common to see whether they are independent"
            )
        for parts in product(*self.blocks):
            together = frozenset.intersection(*(block for block, _ in parts))
            apart = math.prod((self._chance(block) for block, _ in parts), start=fmpq(1))
            if self._chance(together) != apart:
                return False
        return True

    def _chance(self, values: Iterable[int]) -> fmpq:
        return sum((self.belief[v] for v in values), fmpq(0))

    @cached_property
    def _places(self) -> list[tuple[int, ...]]:
        """For each value its block in each division; not in all if no record can have it."""
        each = [
            {value: i for i, (block, _) in enumerate(division) for value in block}
            for division in self.blocks
        ]
        return [
            tuple(place[value] for place in each if value in place)
            for value in range(len(self.belief))
        ]

    @property
    def others(self) -> int:
        """How many other people the argument has to change at most: one in each division.

        Of two that depend on each other, one changes its block in the one, and in the other up to
        two more make up for it.
        """
        return len(self.blocks) if self.are_independent else 3

    @property
    def steps(self) -> int:
        """How many steps between neighbours that is, if all pairs are secrets."""
        return 1

    @property
    def are_named(self) -> bool:
        """Whether it is known how many records each block has."""
        return all(n is not None for division in self.blocks for _, n in division)

    def given(self) -> list[fmpq]:
        """Return the chance of each value for one record, given the counts."""
        if not self.are_named:
            raise Undecided("what the counts are is not named, so that no chance given them is")
        if not self.are_independent:
            raise Undecided(
                "what the counts tell of one person is only bounded: they are of things that are "
                "believed to depend on each other"
            )
        chances = []
        for value, places in enumerate(self._places):
            if len(places) < len(self.blocks) or not self.belief[value]:
                chances.append(fmpq(0))
                continue
            parts = [division[i] for division, i in zip(self.blocks, places, strict=True)]
            together = frozenset.intersection(*(block for block, _ in parts))
            share = math.prod((fmpq(n or 0, self.policy.records) for _, n in parts), start=fmpq(1))
            chances.append(share * self.belief[value] / self._chance(together))
        return chances

    def likeliest(self) -> fmpq:
        """Return the chance of one record's likeliest value given the counts, or no less.

        Of two divisions that depend on each other, with rows 1 and 2 and columns j, the number X_j
        of records in row 1 and column j is binomial before the row's total S = r is known, for any
        tilt of the odds. Given S it grows with S, by at most as much; so the mean of X_j given
        S = r is within E|S − r| of its mean: docs/proofs/public-counts.md.
        """
        if self.are_independent:
            return max(self.given())
        rows, columns = sorted(self.blocks, key=len)
        n, total = self.policy.records, rows[0][1] or 0
        odds = [
            [self._chance(row & column) for row, _ in rows] + [fmpq(0)] * (2 - len(rows))
            for column, _ in columns
        ]
        sizes = [size or 0 for _, size in columns]
        tilt = _tilted([(to_float(a), to_float(b)) for a, b in odds], sizes, total)
        shares = [a * tilt / (a * tilt + b) if a or b else fmpq(0) for a, b in odds]
        mean = sum((k * p for k, p in zip(sizes, shares, strict=True)), fmpq(0))
        spread = sum((k * p * (1 - p) for k, p in zip(sizes, shares, strict=True)), fmpq(0))
        with precision(128):
            stray = arb(spread + (mean - total) ** 2).sqrt().upper().fmpq()
        best = fmpq(0)
        for (column, size), p in zip(columns, shares, strict=True):
            for (row, there), share in zip(rows, (p, 1 - p), strict=False):
                cell = row & column
                most = min(fmpq(size or 0), fmpq(there or 0), (size or 0) * share + stray)
                if self._chance(cell):
                    own = max(self.belief[v] for v in cell) / self._chance(cell)
                    best = max(best, most * own / n)
        return best

    # --- what a release adds ---------------------------------------------------------------

    def ratio(self, ratios: Sequence[Sequence[Any]]) -> Value:
        """Return the largest product of ratios of the person's move and of those who make room."""
        there = [
            v for v, places in enumerate(self._places)
            if len(places) == len(self.blocks) and self.belief[v]
        ]  # fmt: skip
        if not self.are_independent:
            largest = [ratios[u][v] for u in there for v in there]
            return math.inf if math.inf in largest else fraction(max(largest) ** (1 + self.others))
        groups: dict[tuple[int, ...], list[int]] = {}
        for value in there:
            groups.setdefault(self._places[value], []).append(value)
        room = self._room(ratios, groups)
        best: Any = fmpq(1)
        for here, there_ in product(groups, repeat=2):
            moves = [ratios[u][v] for u in groups[here] for v in groups[there_]]
            own = math.inf if math.inf in moves else max(moves)
            changed = tuple(j for j, (a, b) in enumerate(zip(here, there_, strict=True)) if a != b)
            back = {j: (there_[j], here[j]) for j in changed}
            for split in _splits(changed):
                factors = [own, *(room(tuple((j, *back[j]) for j in part)) for part in split)]
                if math.inf in factors:
                    return math.inf
                best = max(best, math.prod(factors, start=fmpq(1)))
        return fraction(best)

    def _room(self, ratios: Sequence[Sequence[Any]], groups: Mapping[Any, list[int]]) -> Any:
        """Return the largest ratio of somebody else's move between given blocks, all else kept."""
        known: dict[Any, Any] = {}

        def largest(changes: tuple[tuple[int, int, int], ...]) -> Any:
            if changes not in known:
                moves = []
                for places, values in groups.items():
                    if all(places[j] == before for j, before, _ in changes):
                        after = list(places)
                        for j, _, block in changes:
                            after[j] = block
                        moves += [
                            ratios[u][v] for u in values for v in groups.get(tuple(after), ())
                        ]
                known[changes] = math.inf if math.inf in moves else max(moves, default=fmpq(1))
            return known[changes]

        return largest


def counted_sets(policy: Policy) -> Iterator[Block]:
    """Yield the sets whose numbers are public, and these, None if they are not named.

    Of counts that are ranges none is yielded: where all others are single numbers, these leave
    every number that there can be.
    """
    for one in policy.constraints:
        most = policy.records if one.most is None else min(one.most, policy.records)
        if one.is_published or one.least == most:
            values = frozenset(map(policy.secrets.index, one.values))
            yield values, None if one.is_published else one.least


def divided(policy: Policy) -> Iterator[tuple[Block, ...]]:
    """Sort counts into divisions: each count joins the first whose sets it does not overlap."""
    divisions: list[list[Block]] = []
    for values, number in counted_sets(policy):
        for division in divisions:
            same = [i for i, (block, _) in enumerate(division) if block == values]
            if same:
                if number is not None:  # and so it is known although it is also told
                    division[same[0]] = (values, number)
                break
            if not any(values & block for block, _ in division):
                division.append((values, number))
                break
        else:
            divisions.append([(values, number)])
    for division in divisions:
        rest = frozenset(range(policy.secrets.order)).difference(*(b for b, _ in division))
        named = [n for _, n in division if n is not None]
        left = policy.records - sum(named) if len(named) == len(division) else None
        yield tuple((block, n) for block, n in [*division, (rest, left)] if block)


def _tilted(odds: Sequence[tuple[float, float]], sizes: Sequence[int], total: int) -> fmpq:
    """Return by how much to tilt odds so that so many in all are expected, nearly."""
    low, high = -60.0, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        shares = (a * 2**middle / (a * 2**middle + b) if a or b else 0.0 for a, b in odds)
        if sum(k * p for k, p in zip(sizes, shares, strict=True)) < total:
            low = middle
        else:
            high = middle
    return rational(2.0**low)


def _splits(items: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Yield every way to put items into groups: one other person may make room in several."""
    if not items:
        yield []
        return
    first, *rest = items
    for split in _splits(tuple(rest)):
        yield [(first,), *split]
        for i, part in enumerate(split):
            yield [*split[:i], (first, *part), *split[i + 1 :]]
