"""Others who must change places with one person, if public counts overlap.

Records are believed to be independent and alike before the counts are known. Whoever learns that a
person has u rather than v thinks otherwise of the others, but a *coupling* of what is then believed
of their histograms changes few of them. The least number that some coupling needs at most, a
Wasserstein distance of order ∞, is a question of flows: docs/proofs/public-counts.md. It is
answered in exact numbers where the histograms are few.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.errors import InvalidInput, TooLarge, Undecided
from leaktight.exact.linear_program import LinearProgram, Optimum, solve_exact
from leaktight.exact.numbers import Value, fraction
from leaktight.policies.policy import Policy

Changes: TypeAlias = npt.NDArray[np.int64]

MOST_PARTS = 4096
"""The most parts of a change that are looked at; beyond, its sets are bounded by their number."""

MOST_HISTOGRAMS = 200
"""The most histograms whose couplings are looked for."""

MOST_LOOKED_AT = 400_000
"""The most histograms, whole or not, that are looked at to find them."""


@dataclass(frozen=True, eq=False)
class Coupling:
    """What is believed of the others' histograms, for each cell that one person can be in."""

    policy: Policy
    belief: tuple[fmpq, ...]
    histograms: tuple[tuple[int, ...], ...]
    """The records of each cell, for all histograms that agree with the counts."""

    @classmethod
    def of(cls, policy: Policy, prior: PriorLike) -> "Coupling":
        """List the histograms of a policy whose counts are single numbers, if they are few."""
        counts = policy.public_counts
        if counts is None or not counts.cells.are_equalities or counts.cells.told.any():
            raise Undecided("a coupling is looked for where every public count is a number")
        found = []
        for histogram in counts.cells.histograms(MOST_LOOKED_AT // policy.records):
            found.append(histogram)
            if len(found) > MOST_HISTOGRAMS:
                raise TooLarge(f"more than {MOST_HISTOGRAMS} histograms agree with the counts")
        belief = tuple(prior_on(prior, policy.secrets.vertices).exact().array)
        return cls(policy, belief, tuple(found))

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        """The values of each cell."""
        counts = self.policy.public_counts
        assert counts is not None
        return counts.cells.members

    @cached_property
    def weights(self) -> list[dict[tuple[int, ...], fmpq]]:
        """For each cell of the person the weights of the others' histograms."""
        shares = [sum((self.belief[v] for v in cell), fmpq(0)) for cell in self.cells]
        found: list[dict[tuple[int, ...], fmpq]] = []
        for i, share in enumerate(shares):
            weights = {}
            for histogram in self.histograms:
                rest = tuple(k - (i == j) for j, k in enumerate(histogram))
                if share and rest[i] >= 0:
                    parts = (p**k / math.factorial(k) for p, k in zip(shares, rest, strict=True))
                    weights[rest] = prod(parts, start=fmpq(1))
            found.append({rest: weight for rest, weight in weights.items() if weight})
        return found

    def given(self) -> list[fmpq]:
        """Return the chance of each value for one record, given the counts."""
        chances = [fmpq(0)] * len(self.belief)
        for cell, each in zip(self.cells, self.weights, strict=True):
            for value in cell:
                chances[value] = self.belief[value] * sum(each.values(), fmpq(0))
        total = sum(chances, fmpq(0))
        if not total:
            raise InvalidInput("the prior rules out every value that the counts leave")
        return [chance / total for chance in chances]

    @cached_property
    def others(self) -> int:
        """How many others some coupling changes at most, for whatever the person has."""
        return self._least(lambda i, j, changes: np.abs(changes).sum(axis=2) // 2, 0)

    @cached_property
    def steps(self) -> int:
        """How many steps between neighbours some coupling takes at most, if all pairs are secrets.

        What it changes, with the person's own move, falls into so many indecomposable sets of
        moves. It changes no more than :attr:`others`.
        """
        most = (1 + self.others) // 2
        if most <= 1:
            return 1
        fewest = lru_cache(None)(self._steps)

        def sets(i: int, j: int, changes: Changes) -> Changes:
            found = np.full(changes.shape[:2], most + 1, dtype=np.int64)
            few = np.abs(changes).sum(axis=2) <= 2 * self.others
            found[few] = [fewest(i, j, tuple(change)) for change in changes[few].tolist()]
            return found

        return self._least(sets, 1)

    def _least(self, cost: Callable[[int, int, Changes], Changes], least: int) -> int:
        """Return the least number that no pair of histograms joined by a coupling must exceed."""
        for (i, one), (j, other) in combinations(enumerate(self.weights), 2):
            if one and other:
                here, there = (np.array(list(w), dtype=np.int64) for w in (one, other))
                costs = cost(i, j, there[None] - here[:, None])
                while not _couples(one, other, costs <= least):
                    least += 1
        return least

    def _steps(self, i: int, j: int, change: tuple[int, ...]) -> int:
        """Return the fewest indecomposable sets for a person's move i→j and a change of others.

        Others move from cells that lose to cells that gain, in any order. So a set without the
        person is a part of the change that keeps all counts and has no smaller one, and what is
        left goes with the person as soon as it has none.
        """
        if prod(abs(k) + 1 for k in change) > MOST_PARTS:
            return max(1, (1 + sum(map(abs, change)) // 2) // 2)  # each has two moves or more
        counts = self.policy.public_counts
        assert counts is not None
        ways = [range(min(k, 0), max(k, 0) + 1) for k in change]
        parts = np.array(list(product(*ways)), dtype=np.int64)
        kept = ~(parts @ counts.cells.table).any(axis=1) & (parts.sum(axis=1) == 0)
        free = [part for part in parts[kept] if part.any()]
        least = [a for a in free if not any(_within(b, a) for b in free if b is not a)]
        left, taken = {change}, 1
        while all(any(_within(part, np.array(rest)) for part in least) for rest in left):
            left = {
                tuple((np.array(rest) - part).tolist())
                for rest in left for part in least if _within(part, np.array(rest))
            }  # fmt: skip
            taken += 1
        return taken

    def ratio(self, ratios: Sequence[Sequence[Any]]) -> Value:
        """Return a ratio that no output exceeds: of the person's move, and of those of others."""
        there = [v for v, chance in enumerate(self.given()) if chance]
        largest = [ratios[u][v] for u in there for v in there]
        if math.inf in largest:
            return math.inf
        return fraction(max(largest, default=fmpq(1)) ** (1 + self.others))


def _within(part: Changes, whole: Changes) -> bool:
    """Say whether a change is a part of another: nowhere larger, and nowhere the other way."""
    return bool(((part * whole >= 0) & (np.abs(part) <= np.abs(whole))).all())


def _couples(
    one: dict[tuple[int, ...], fmpq],
    other: dict[tuple[int, ...], fmpq],
    joined: npt.NDArray[np.bool_],
) -> bool:
    """Say whether some coupling of the two joins only histograms that may be ``joined``."""
    rows, columns = np.nonzero(joined)
    if not (joined.any(axis=0).all() and joined.any(axis=1).all()):
        return False
    totals = sum(one.values(), fmpq(0)), sum(other.values(), fmpq(0))
    masses = [w / totals[0] for w in one.values()] + [w / totals[1] for w in other.values()]
    edges = np.arange(len(rows))
    flow = LinearProgram(
        [0] * len(rows),
        (
            np.concatenate([rows, len(one) + columns]),
            np.concatenate([edges, edges]),
            [1] * (2 * len(rows)),
        ),
        row_lower=masses,
        row_upper=masses,
    )
    return isinstance(solve_exact(flow), Optimum)
