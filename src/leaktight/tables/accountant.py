"""Privacy losses of secret pairs: how much each has paid.

Losses add up: after several releases, each chosen in the light of those before, a secret pair has
lost at most the sum of its ε, or of its ρ (docs/proofs/tables.md). A pair pays for what tells its
two values apart and for nothing else, so queries about other values cost it nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from leaktight.tables.measure import PURE, Charges, Lost, Measure, Terms
from leaktight.tables.weights import Places

if TYPE_CHECKING:
    from leaktight.tables.budget import Budget

UNIT = 2.0**-50
"""So much, relatively, a logarithm and each addition may be off; eight times what they are."""

MOST_AT_ONCE = 2**23
"""The most exponents that are looked at together."""


@dataclass(frozen=True, slots=True, eq=False)
class Accountant:
    """What each of some pairs has paid: a sum of keys, in ε their logarithms, each some times.

    Sums of all are at hand, as floats that may be off by :attr:`slack`. What they do not decide is
    decided by the exact sums of the few pairs that it depends on.

    >>> from fractions import Fraction
    >>> from leaktight.tables.budget import Budget
    >>> from leaktight.tables.measure import CONCENTRATED
    >>> one, two = np.array([2, 1]), np.array([0, 3])
    >>> half, whole = ((Fraction(3, 2), 1),), ((Fraction(2), 1),)
    >>> spent = Accountant.of(2, [(half, one), (whole, two), (half, one)])
    >>> spent.lost(0).value, spent.lost(1).value
    (Fraction(81, 16), Fraction(18, 1))
    >>> spent.worst, spent.within(Budget.of(ratio=18)), spent.within(Budget.of(ratio=17))
    (1, True, False)
    >>> Accountant.of(2, [(half, one), (whole, two)], CONCENTRATED).largest
    Fraction(15, 2)
    """

    near: npt.NDArray[np.float64]
    terms: int
    """How many terms have been added up."""
    exactly: Callable[[Places], Charges]
    """What some of the pairs, by position, have paid."""
    measure: Measure = PURE

    @classmethod
    def of(cls, pairs: int, paid: Charges, measure: Measure = PURE) -> "Accountant":
        """Add up what was paid."""
        charges, near = list(paid), np.zeros(pairs)
        for terms, times in charges:
            near += times * measure.near(terms)
        own = len(charges)
        return cls(near, own, lambda at: ((terms, e[at]) for terms, e in charges), measure)

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return len(self.near)

    @property
    def slack(self) -> float:
        """By so much, relatively, the logarithms may be off: all terms are positive."""
        return (self.terms + 4) * UNIT

    def lost(self, pair: int) -> Lost:
        """Return what a pair has paid, exactly."""
        [(_, lost)] = self.kinds(np.array([pair]))
        return lost

    def kinds(self, pairs: Places) -> Iterator[tuple[Places, Lost]]:
        """Yield those of the pairs that paid alike, and what each of them paid, exactly."""
        which, count = np.zeros(len(pairs), dtype=np.int64), 0
        total: dict[Terms, Places] = {}
        for terms, times in self.exactly(pairs):
            count += 1
            total[terms] = total.get(terms, 0) + times
            if len(total) * len(pairs) > MOST_AT_ONCE:
                which, total = _finer(which, total.values()), {}
        which = _finer(which, total.values())
        order = np.argsort(which, kind="stable")
        members = np.split(order, np.flatnonzero(np.diff(which[order])) + 1)
        several = max(1, MOST_AT_ONCE // max(1, count))
        for start in range(0, len(members), several):
            alike = [pairs[own] for own in members[start : start + several]]
            charges = list(self.exactly(np.array([own[0] for own in alike])))
            for i, own in enumerate(alike):
                yield (
                    own,
                    self.measure.total(
                        (key, often * int(times[i]))
                        for terms, times in charges
                        for key, often in terms
                    ),
                )

    @property
    def worst(self) -> int | None:
        """The pair that has paid most; None if there is no pair."""
        return None if not self.pairs else int(self.most()[0][0])

    @property
    def largest(self) -> Lost:
        """What the pair that has paid most has paid."""
        return self.measure.total(()) if not self.pairs else self.most()[1]

    def most(self, pairs: Places | None = None) -> tuple[Places, Lost]:
        """Return which of some pairs, or of all, have paid most, and what."""
        asked = np.arange(self.pairs) if pairs is None else pairs
        near = self.near[asked]
        candidates = asked[near >= near.max() * (1 - 2 * self.slack)]
        return max(self.kinds(candidates), key=lambda kind: kind[1])

    def within(self, budget: "Budget") -> bool:
        """Say, exactly, whether no pair has paid more than the budget."""
        limit = budget.near
        if (self.near > limit * (1 + self.slack) ** 2).any():
            return False
        close = np.flatnonzero(self.near >= limit * (1 - self.slack) ** 2)
        return not len(close) or all(budget.allows(lost) for _, lost in self.kinds(close))


def _finer(which: Places, paid: Iterable[Places]) -> Places:
    """Return the numbers of the kinds that are left of kinds if some pay otherwise."""
    for exponents in paid:
        if (exponents != exponents[0]).any():
            values, place = np.unique(exponents, return_inverse=True)
            which = np.unique(which * len(values) + place, return_inverse=True)[1]
    return which
