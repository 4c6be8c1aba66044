"""How does success grow with the number of observations, and how many does an attacker need?"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from flint import fmpq

from leaktight.distribution import PriorLike
from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact import Number, fraction, rational, shown
from leaktight.repetition.decisions import is_affordable
from leaktight.repetition.enclosure import SuccessProbability
from leaktight.repetition.likelihood_bounds import MOST_CLASSES, bounded_success
from leaktight.repetition.likelihoods import Likelihoods
from leaktight.repetition.observations import Observations, Observed, observe
from leaktight.repetition.success import success_of
from leaktight.repetition.type_classes import TypeClasses

MANY = 2**23
"""If there are so many types, times the classes of secrets, bounds are quicker than floats."""

MOST_ROUNDS = 2**40
"""The most rounds of observations that are looked at."""


def success_curve(
    channel: Observed,
    prior: PriorLike = None,
    ns: Iterable[int] = range(1, 11),
    progress: Callable[[int, int], object] | None = None,
) -> dict[int, SuccessProbability]:
    """Return the success probability for each number of observations in ``ns``.

    ``progress`` is called with how many are done, and of how many.

    >>> from leaktight.channel import Channel
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> curve = success_curve(coin, ns=range(1, 6))
    >>> [str(point.lower) for point in curve.values()]
    ['2/3', '2/3', '20/27', '20/27', '64/81']
    """
    once = observe(channel, prior)
    points = {n: once.rounds(n) for n in ns}
    likelihoods = _tables(points.values())
    curve = {}
    for done, (n, seen) in enumerate(points.items(), 1):
        curve[n] = success_of(seen, likelihoods)
        if progress is not None:
            progress(done, len(points))
    return curve


def _tables(points: Iterable[Observations]) -> Likelihoods | None:
    """Make the tables of likelihoods for the most observations whose types can be gone through."""
    types = [TypeClasses.of(seen.parts) for seen in points if seen.parts]
    affordable = [each for each in types if is_affordable(each, len(each.parts[0][0]))]
    if not affordable:
        return None
    return Likelihoods.of(max(affordable, key=lambda each: each.parts[-1][1]))


@dataclass(frozen=True, slots=True, repr=False)
class ObservationsNeeded:
    """The least number of rounds after which the best guess is right with some probability.

    It is from ``lower`` to ``upper``, mostly the same. Both are infinite if no number suffices:
    ``limit`` is what the success probability tends to.
    """

    lower: int | float
    upper: int | float
    success: Fraction
    limit: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether the number is known exactly."""
        return self.lower == self.upper

    def __repr__(self) -> str:
        if self.lower == math.inf:
            return (
                f"ObservationsNeeded(none reaches success {shown(self.success)}, "
                f"the limit is {shown(self.limit)})"
            )
        number = f"{self.upper:,}" if self.is_exact else f"{self.lower:,} to {self.upper:,}"
        return f"ObservationsNeeded({number} for success {shown(self.success)})"


def observations_needed(
    channel: Observed, prior: PriorLike = None, *, success: Number
) -> ObservationsNeeded:
    """Return the least n for which the best guess after n rounds is right that often.

    Success only grows with n, so the least n is found by bisection. Secrets with equal rows are
    never told apart, so success may have a limit below 1.

    >>> from leaktight.channel import Channel
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> observations_needed(coin, success="0.99")
    ObservationsNeeded(47 for success 99/100)
    >>> observations_needed(coin, success=1)
    ObservationsNeeded(none reaches success 1, the limit is 1)
    """
    target = rational(repr(float(success)) if isinstance(success, float) else success)
    if not 0 < target <= 1:
        raise InvalidNumber(f"a success probability must be above 0 and at most 1, got {success}")
    once = observe(channel, prior)
    limit = once.best.sum()
    if target <= once.best.max():
        low: int | float = 0
        high: int | float = 0
    elif target > limit or (target == limit and not _told_apart_at_once(once)):
        low = high = math.inf
    else:
        low, high = _least_rounds(once, target)
    return ObservationsNeeded(low, high, fraction(target), fraction(limit))


def _told_apart_at_once(once: Observations) -> bool:
    """Say whether no two classes have outputs of all channels in common."""
    return not any(
        all(((matrix[c] > 0) & (matrix[d] > 0)).any() for matrix, _ in once.parts)
        for c, d in combinations(range(len(once)), 2)
    )


def _least_rounds(once: Observations, target: fmpq) -> tuple[int, int]:
    """Return numbers of rounds between which the first one lies that reaches the target."""
    known: dict[int, bool | None] = {0: False}

    def reached(n: int, likelihoods: Likelihoods | None = None) -> bool | None:
        if n not in known:
            known[n] = _reaches(once.rounds(n), target, likelihoods)
        return known[n]

    most = 1
    while not reached(most):
        if most >= MOST_ROUNDS:
            raise TooLarge(
                f"more than {MOST_ROUNDS:,} rounds of observations are needed for a success "
                f"probability of {shown(target)}"
            )
        most *= 2
    tables = _tables([once.rounds(most)])
    span = range(most + 1)
    high = bisect_left(span, True, key=lambda n: reached(n, tables) is True)
    low = bisect_left(span, True, hi=high, key=lambda n: reached(n, tables) is not False)
    return low, high


def _reaches(seen: Observations, target: fmpq, likelihoods: Likelihoods | None) -> bool | None:
    """Say whether the success probability is at least the target; None if it is not settled.

    What is quick is tried first: bounds where there are many types, floats, exact numbers.
    """
    many = TypeClasses.of(seen.parts).count * len(seen) > MANY and len(seen) <= MOST_CLASSES
    attempts: list[Callable[[], SuccessProbability]] = [
        *([lambda: bounded_success(seen)] if many else []),
        lambda: success_of(seen, likelihoods, exact=False),
        lambda: success_of(seen, likelihoods),
    ]
    for attempt in attempts:
        found = attempt()
        if target <= rational(found.lower) or 1 - target >= rational(found.error.upper):
            return True
        if target > rational(found.upper) or 1 - target < rational(found.error.lower):
            return False
    return None
