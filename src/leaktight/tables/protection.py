"""Whose values are protected, and how far may what is released of neighbours be apart?

With nothing public but the number of records, each secret pair is a case of its own, and pays its
own. If counts are public too, neighbours differ in several records at once: then there is one case,
the kind of neighbours that is told apart most, and releases add up for all.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaktight.errors import InvalidNumber, InvalidPolicy, TooLarge
from leaktight.labels import Labels
from leaktight.policies.policy import Policy, expect_graph
from leaktight.policies.public_counts import (
    Change,
    PublicCounts,
    largest_whole_change,
    largest_whole_square,
)
from leaktight.tables.budget import Paid
from leaktight.tables.weights import Places

MOST_ENTRIES = 2**27
"""The most weights that are compared under public counts."""


@dataclass(frozen=True, slots=True)
class Protection:
    """A policy, the value of who is not there, and the most rows of one person.

    If a person may have several rows, their values may change along a secret pair each, so every
    ratio is paid that many times.
    """

    policy: Policy
    absent: Hashable | None = None
    rows_per_person: int = 1

    def __post_init__(self) -> None:
        policy = self.policy
        if not isinstance(policy, Policy):
            raise InvalidPolicy(f"a release needs a Policy, got {policy!r:.60}")
        expect_graph(policy)
        if policy.values is not None or (policy.is_constrained and self.counts is None):
            raise InvalidPolicy(
                "a table is released under a policy with nothing public but the number of records, "
                f"and counts, got {policy!r}"
            )
        if self.absent is not None and self.absent not in policy.secrets.vertices:
            raise InvalidPolicy(f"absent must be a value of the policy, got {self.absent!r:.60}")
        rows = self.rows_per_person
        if isinstance(rows, bool) or not isinstance(rows, int) or not 0 < rows <= 10**6:
            raise InvalidNumber(
                f"rows_per_person must be a whole number from 1 to a million, got {rows!r:.60}"
            )
        if self.counts is not None and (rows > 1 or self.absent is not None):
            raise InvalidPolicy(
                "where counts are public, each person must have one row, and none may be absent: "
                "neighbours are then told by the counts, one record for each person"
            )

    def expect_secrets(self) -> "Protection":
        """Return it if it hides something; without a secret pair all is published as it is."""
        if not len(self.pairs):
            raise InvalidPolicy(
                "a release needs a policy with secret pairs; this one has none, so that every "
                "number would be published as it is"
            )
        return self

    @property
    def values(self) -> Labels:
        """The values that a record may have."""
        return self.policy.secrets.vertices

    @property
    def pairs(self) -> Places:
        """The secret pairs, as positions of values."""
        return self.policy.secrets.edges

    @property
    def counts(self) -> PublicCounts | None:
        """What is public of the counts; None if nothing is."""
        return self.policy.public_counts

    @property
    def moves(self) -> Places:
        """The pairs along which records of neighbours may move: under public counts, any."""
        if self.counts is None:
            return self.pairs
        return np.stack(np.triu_indices(len(self.values), k=1), axis=1)

    @property
    def cases(self) -> list[tuple[str, str]]:
        """The names of what pays by itself: the secret pairs or, under public counts, all."""
        if self.counts is not None:
            return [("any neighbours", "under the public counts")]
        return [(str(self.values[u]), str(self.values[v])) for u, v in self.pairs.tolist()]

    @property
    def accounts(self) -> int:
        """How many cases there are."""
        return 1 if self.counts is not None else len(self.pairs)

    def exponents(self, paid: Paid, cases: Any = ...) -> Places:
        """Return for some cases the e with which a release has the ratio r^e, or at most that."""
        if self.counts is None:
            return self.rows_per_person * paid.exponents(self.pairs[cases])
        return np.array([self.change(paid).most], dtype=np.int64)

    def squares(self, paid: Paid, cases: Any = ...) -> Places:
        """Return for some cases the s with which a release costs ρ·s of zCDP, or at most that.

        With k rows of a person that each move along a pair, the answers differ by up to k times as
        much, and the square by k².
        """
        if self.counts is None:
            return self.rows_per_person**2 * paid.squares(self.pairs[cases])
        units = [units for weights, units in paid.blocks for _ in range(weights.size)]
        found = largest_whole_square(self.counts, self._matrix(paid), units)
        return np.array([found.most], dtype=np.int64)

    def change(self, paid: Paid) -> Change:
        """Return the largest Σ units·|change| between neighbours under the public counts."""
        assert self.counts is not None
        units = np.repeat([u for _, u in paid.blocks], [w.size for w, _ in paid.blocks])
        return largest_whole_change(self.counts, self._matrix(paid) * units)

    def _matrix(self, paid: Paid) -> Places:
        entries = len(self.values) * sum(weights.size for weights, _ in paid.blocks)
        if entries > MOST_ENTRIES:
            raise TooLarge(
                f"under public counts at most {MOST_ENTRIES:,} weights are compared, got "
                f"{entries:,}; ask for fewer or coarser tables"
            )
        return np.concatenate([weights.matrix() for weights, _ in paid.blocks], axis=1)
