"""Privacy units: whose values are protected, and how far apart neighbours may be.

With nothing public but the number of records, each secret pair is a case of its own, and pays its
own. If counts are public too, neighbours differ in several records at once: then there is one case,
the kind of neighbours that is told apart most, and releases add up for all. So they do if people
come and go: the value that somebody has now is not the one of last month.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaktight.errors import InvalidNumber, InvalidPolicy, TooLarge, is_whole
from leaktight.exact.shown import counted
from leaktight.labels import Labels
from leaktight.limits import allowed
from leaktight.policies.policy import Policy
from leaktight.policies.public_counts import (
    Change,
    PublicCounts,
    largest_whole_change,
    largest_whole_square,
    scaled,
)
from leaktight.policies.secrets import ABSENT, CHANGE, FIXED, relation
from leaktight.tables.privacy_loss import LARGEST_SQUARE, PrivacyLoss, expect_units
from leaktight.tables.weights import Places

MOST_ENTRIES = 2**27
"""The most weights that are compared under public counts."""


@dataclass(frozen=True, slots=True)
class PrivacyUnit:
    """A policy, the value of who is not there, and the most rows of one person.

    If a person may have several rows, their values may change along a secret pair each, so every
    ratio is paid that many times.

    ``people`` names the neighbouring relation: with "change", each table of a series may have other
    people with other values; neighbours differ in one person who is there or not (add/remove), in
    every table. With "fixed", all tables are of the same people and values (replace). If nothing is
    said, it is as the policy's graph and ``absent`` say, of the same people and values.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> monthly = Policy(SecretGraph.add_remove(["ill", "well"]), records=5000)
    >>> PrivacyUnit(monthly, people="change").relation
    'add/remove'
    """

    policy: Policy
    absent: Hashable | None = None
    rows_per_person: int = 1
    people: str | None = None

    def __post_init__(self) -> None:
        policy = self.policy
        if not isinstance(policy, Policy):
            raise InvalidPolicy(f"a release needs a Policy, got {policy!r:.60}")
        policy.expect_edges()
        if policy.values is not None or (policy.is_constrained and self.counts is None):
            raise InvalidPolicy(
                "a table is released under a policy with nothing public but the number of records, "
                f"and counts, got {policy!r}"
            )
        self._read_people()
        if self.absent is not None and self.absent not in policy.secrets.vertices:
            raise InvalidPolicy(f"absent must be a value of the policy, got {self.absent!r:.60}")
        rows = self.rows_per_person
        if not is_whole(rows, 1, 10**6):
            raise InvalidNumber(
                f"rows_per_person must be a whole number from 1 to a million, got {rows!r:.60}"
            )
        if self.counts is not None and rows > 1:
            raise InvalidPolicy(
                "where counts are public, each person must have one row: neighbours are then told "
                "by the counts, one record for each person"
            )

    def _read_people(self) -> None:
        """Set the value of who is not there, and see that the graph says the same."""
        if self.people == CHANGE:
            if self.absent is None:
                object.__setattr__(self, "absent", ABSENT)
            known = self.absent in self.policy.secrets.vertices
            if not known or relation(self.policy.secrets, self.absent) != "add/remove":
                raise InvalidPolicy(
                    'people="change" is add/remove: a policy of SecretGraph.add_remove(values), '
                    f"where no two values are a secret pair, got {self.policy.secrets!r:.60}"
                )
        elif self.people == FIXED and self.absent is not None:
            raise InvalidPolicy('people="fixed" is replace: nobody is absent')
        elif self.people not in (None, FIXED):
            raise InvalidPolicy(
                'people must be "change" (add/remove) or "fixed" (replace), got '
                f"{self.people!r:.40}"
            )

    @property
    def relation(self) -> str:
        """The neighbouring relation in the field's words."""
        told = relation(self.policy.secrets, self.absent)
        return told if self.policy.public_counts is None else f"{told}, keeping the public counts"

    @property
    def condition(self) -> str:
        """What neighbours differ in, as the condition of a sentence."""
        rows = self.rows_per_person
        if self.relation.startswith("add/remove") and self.absent is not None:
            one = "one person is added or removed"
            one += f", with up to {rows} rows" * (rows > 1)
            one += ", or has another value" * (" or " in self.relation)
        else:
            one = "one record's value changes"
            one = one if rows == 1 else f"up to {rows} rows of a person change"
            one += f"{', each' * (rows > 1)} along one of "
            one += counted(len(self.pairs), "secret pair", "secret pairs")
        if self.counts is not None:
            one += ", and others so that the public counts stay the same"
        return one

    @property
    def alike(self) -> bool:
        """Whether all pairs share one account, in which each release is as bad as for any."""
        return self.counts is not None or self.people == CHANGE

    def expect_secrets(self) -> "PrivacyUnit":
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
        """Pairs of values that show which numbers may differ between neighbours.

        Under public counts records may move between any two values: then a number stays the same
        if it is the same for the first value and each other one.
        """
        if self.counts is None:
            return self.pairs
        others = np.arange(1, len(self.values))
        return np.stack([np.zeros_like(others), others], axis=1)

    @property
    def cases(self) -> list[tuple[Hashable, ...]]:
        """What pays by itself: the secret pairs or, under public counts, all neighbours as one."""
        if self.counts is not None:
            return [("neighbours under the public counts",)]
        if self.alike:
            return [("anyone", self.absent)]
        return [(self.values[u], self.values[v]) for u, v in self.pairs.tolist()]

    @property
    def accounts(self) -> int:
        """How many cases there are."""
        return 1 if self.alike else len(self.pairs)

    def exponents(self, paid: PrivacyLoss, cases: Any = ...) -> Places:
        """Return for some cases the e with which a release has the ratio r^e, or at most that."""
        if self.counts is None:
            found = paid.exponents(self.pairs_of(cases))
            expect_units(self.rows_per_person * int(found.max(initial=0)))
            return self._shared(self.rows_per_person * found)
        return np.array([expect_units(self.change(paid).most)], dtype=np.int64)

    def squares(self, paid: PrivacyLoss, cases: Any = ...) -> Places:
        """Return for some cases the s with which a release costs ρ·s of zCDP, or at most that.

        With k rows of a person that each move along a pair, the answers differ by up to k times as
        much, and the square by k².
        """
        if self.counts is None:
            return self._shared(self.squares_between(paid, self.pairs_of(cases)))
        units = [units for weights, units in paid.blocks for _ in range(weights.size)]
        change = largest_whole_square(self.counts, self._matrix(paid), units)
        return np.array([expect_units(change.most)], dtype=np.int64)

    def squares_between(self, paid: PrivacyLoss, pairs: Places) -> Places:
        """Return s for any pairs of values, if all rows of a person move along them."""
        found, times = paid.squares(pairs), self.rows_per_person**2
        if times * int(found.max(initial=0)) > LARGEST_SQUARE:
            raise InvalidNumber(
                f"with {self.rows_per_person:,} rows of a person, squares of what neighbours "
                f"differ by are more than {LARGEST_SQUARE:,}; count in a larger unit"
            )
        return times * found

    def pairs_of(self, cases: Any = ...) -> Places:
        """Return the secret pairs of some cases; all, if they share one account."""
        return self.pairs if self.alike else self.pairs[cases]

    def _shared(self, found: Places) -> Places:
        """Return what is paid into the one account that all pairs have, if they have one."""
        return np.array([found.max(initial=0)], dtype=np.int64) if self.alike else found

    def change(self, paid: PrivacyLoss) -> Change:
        """Return the largest Σ units·|change| between neighbours under the public counts."""
        assert self.counts is not None
        units = [units for weights, units in paid.blocks for _ in range(weights.size)]
        return largest_whole_change(self.counts, scaled(self._matrix(paid), units))

    def _matrix(self, paid: PrivacyLoss) -> Places:
        entries = len(self.values) * sum(weights.size for weights, _ in paid.blocks)
        if entries > allowed(MOST_ENTRIES):
            raise TooLarge(
                f"under public counts at most {allowed(MOST_ENTRIES):,} weights are compared, got "
                f"{entries:,}; ask for fewer or coarser tables"
            )
        return np.concatenate([weights.matrix() for weights, _ in paid.blocks], axis=1)
