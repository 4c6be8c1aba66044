"""Others who must change places with one person, if public counts overlap.

Records are believed to be independent and alike before the counts are known. Whoever learns that a
person has u rather than v thinks otherwise of the others, but a *coupling* of what is then believed
of their histograms changes few of them. The least number that some coupling needs at most, a
Wasserstein distance of order ∞, is a question of flows: docs/proofs/public-counts.md. It is
answered in exact numbers where the histograms are few.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from flint import fmpq

from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.errors import InvalidInput, TooLarge, Undecided
from leaktight.exact.linear_program import LinearProgram, Optimum, solve_exact
from leaktight.exact.numbers import Value, fraction
from leaktight.policies.policy import Policy

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
                    weights[rest] = math.prod(parts, start=fmpq(1))
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
        there = [each for each in self.weights if each]
        most = 0
        for one, other in combinations(there, 2):
            while not _couples(one, other, most):
                most += 1
        return most

    @property
    def steps(self) -> int:
        """How many steps between neighbours that is at most, if all pairs are secrets.

        A step that changes more than one record changes two or more, and all of them with one.
        """
        return max(1, (1 + self.others) // 2)

    def ratio(self, ratios: Sequence[Sequence[Any]]) -> Value:
        """Return a ratio that no output exceeds: of the person's move, and of those of others."""
        there = [v for v, chance in enumerate(self.given()) if chance]
        largest = [ratios[u][v] for u in there for v in there]
        if math.inf in largest:
            return math.inf
        return fraction(max(largest, default=fmpq(1)) ** (1 + self.others))


def _couples(
    one: dict[tuple[int, ...], fmpq], other: dict[tuple[int, ...], fmpq], most: int
) -> bool:
    """Say whether one can be turned into the other by changing at most so many records."""
    here, there = (np.array(list(weights), dtype=np.int64) for weights in (one, other))
    apart = np.abs(here[:, None] - there[None]).sum(axis=2)
    rows, columns = np.nonzero(apart <= 2 * most)
    if len(set(rows.tolist())) < len(here) or len(set(columns.tolist())) < len(there):
        return False
    totals = sum(one.values(), fmpq(0)), sum(other.values(), fmpq(0))
    masses = [w / totals[0] for w in one.values()] + [w / totals[1] for w in other.values()]
    edges = np.arange(len(rows))
    flow = LinearProgram(
        [0] * len(rows),
        (
            np.concatenate([rows, len(here) + columns]),
            np.concatenate([edges, edges]),
            [1] * (2 * len(rows)),
        ),
        row_lower=masses,
        row_upper=masses,
    )
    return isinstance(solve_exact(flow), Optimum)
