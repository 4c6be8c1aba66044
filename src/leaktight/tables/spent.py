"""How much has each secret pair paid?

Releases multiply: after several of them, each chosen in the light of those before, the ratio of a
secret pair is at most the product of its ratios (docs/proofs/tables.md). A pair pays for what tells
its two values apart and for nothing else, so queries about other values cost it nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from leaktight.exact.powers import Powers
from leaktight.tables.budget import Budget
from leaktight.tables.weights import Places

UNIT = 2.0**-50
"""So much, relatively, a logarithm and each addition may be off; eight times what they are."""

MOST_AT_ONCE = 2**23
"""The most exponents that are looked at together."""

Costs = Iterable[tuple[Powers, Places]]
"""Products r of steps, and for each case its exponent e: it pays r^e."""


@dataclass(frozen=True, slots=True, eq=False)
class Spent:
    """What each of some pairs has paid: Π r^e over the releases, with exponents e of each step r.

    The logarithms of all are at hand, as floats that may be off by :attr:`slack`. What they do not
    decide is decided by the exact products of the few pairs that it depends on.

    >>> one, two = np.array([2, 1]), np.array([0, 3])
    >>> half = Powers.of(("3/2", 1))
    >>> spent = Spent.of(2, [(half, one), (Powers.of((2, 1)), two), (half, one)])
    >>> spent.ratio(0).value, spent.ratio(1).value
    (Fraction(81, 16), Fraction(18, 1))
    >>> spent.worst, spent.within(Budget.of(ratio=18)), spent.within(Budget.of(ratio=17))
    (1, True, False)
    """

    near: npt.NDArray[np.float64]
    terms: int
    """How many terms have been added up."""
    exactly: Callable[[Places], Costs]
    """What some of the pairs, by position, have paid."""

    @classmethod
    def of(cls, pairs: int, paid: Costs) -> "Spent":
        """Add up what was paid."""
        costs, near = list(paid), np.zeros(pairs)
        for steps, exponents in costs:
            near += exponents * steps.nats
        return cls(near, len(costs), lambda at: ((steps, e[at]) for steps, e in costs))

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return len(self.near)

    @property
    def slack(self) -> float:
        """By so much, relatively, the logarithms may be off: all terms are positive."""
        return (self.terms + 4) * UNIT

    def ratio(self, pair: int) -> Powers:
        """Return what a pair has paid, exactly."""
        [(_, ratio)] = self.kinds(np.array([pair]))
        return ratio

    def kinds(self, pairs: Places) -> Iterator[tuple[Places, Powers]]:
        """Yield those of the pairs that paid alike, and what each of them paid, exactly."""
        which, terms = np.zeros(len(pairs), dtype=np.int64), 0
        total: dict[tuple[tuple[Fraction, int], ...], Places] = {}
        for steps, exponents in self.exactly(pairs):
            terms += 1
            total[steps.factors] = total.get(steps.factors, 0) + exponents
            if len(total) * len(pairs) > MOST_AT_ONCE:
                which, total = _finer(which, total.values()), {}
        which = _finer(which, total.values())
        order = np.argsort(which, kind="stable")
        members = np.split(order, np.flatnonzero(np.diff(which[order])) + 1)
        several = max(1, MOST_AT_ONCE // max(1, terms))
        for start in range(0, len(members), several):
            alike = [pairs[own] for own in members[start : start + several]]
            costs = list(self.exactly(np.array([own[0] for own in alike])))
            for i, own in enumerate(alike):
                yield (
                    own,
                    Powers.of(
                        *(
                            (r, times * int(e[i]))
                            for steps, e in costs
                            for r, times in steps.factors
                        )
                    ),
                )

    @property
    def worst(self) -> int | None:
        """The pair that has paid most; None if there is no pair."""
        return None if not self.pairs else int(self._most()[0][0])

    @property
    def largest(self) -> Powers:
        """What the pair that has paid most has paid."""
        return Powers.of() if not self.pairs else self._most()[1]

    def _most(self) -> tuple[Places, Powers]:
        candidates = np.flatnonzero(self.near >= self.near.max() * (1 - 2 * self.slack))
        return max(self.kinds(candidates), key=lambda kind: kind[1])

    def within(self, budget: Budget) -> bool:
        """Say, exactly, whether no pair has paid more than the budget."""
        limit = budget.nats
        if (self.near > limit * (1 + self.slack) ** 2).any():
            return False
        close = np.flatnonzero(self.near >= limit * (1 - self.slack) ** 2)
        return not len(close) or all(budget.allows(ratio) for _, ratio in self.kinds(close))


def _finer(which: Places, paid: Iterable[Places]) -> Places:
    """Return the numbers of the kinds that are left of kinds if some pay otherwise."""
    for exponents in paid:
        if (exponents != exponents[0]).any():
            values, place = np.unique(exponents, return_inverse=True)
            which = np.unique(which * len(values) + place, return_inverse=True)[1]
    return which
