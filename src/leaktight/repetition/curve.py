"""Curves of success over the number of observations, and how many an attacker needs."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from itertools import combinations

from flint import fmpq

from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact.bound import Count, Side
from leaktight.exact.numbers import Number, as_printed, fraction, natural_log, rational
from leaktight.exact.shown import shown
from leaktight.progress import tell
from leaktight.repetition.enclosure import SuccessProbability
from leaktight.repetition.likelihood_bounds import MOST_CLASSES, bounded_success
from leaktight.repetition.own_output import OwnOutput
from leaktight.repetition.pair_error import COARSE, POINTS
from leaktight.repetition.rounds import Observations, Observed, observe
from leaktight.repetition.success import success_by_own_outputs, success_of
from leaktight.repetition.types import Likelihoods, TypeClasses, is_affordable

MANY = 2**20
"""If there are so many types, times the classes of secrets, bounds are quicker than floats."""

FASTEST = 16
"""How many times as many rounds are looked at next, at most."""

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

    >>> from leaktight.channels.channel import Channel
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
        tell(f"{n:,} observations, {done} of {len(points)}")
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
class ObservationsNeeded(Count):
    """The least number of rounds after which the best guess is right with some probability.

    It is from ``lower`` to ``upper``, mostly the same. Both are infinite if no number suffices:
    ``limit`` is what the success probability tends to.
    """

    success: Fraction
    limit: Fraction
    side: Side = field(default="lower", kw_only=True, repr=False)

    def __str__(self) -> str:
        if self.lower == math.inf:
            return f"none reaches success {shown(self.success)}, the limit is {shown(self.limit)}"
        return f"{self.text} for success {shown(self.success)}"


def observations_needed(
    channel: Observed, prior: PriorLike = None, *, success: Number
) -> ObservationsNeeded:
    """Return the least n for which the best guess after n rounds is right that often.

    Success only grows with n, so the least n is found by bisection: enclosures that are quick are
    tried first, and the exact number only where they do not settle it. Secrets with equal rows are
    never told apart, so success may have a limit below 1.

    >>> from leaktight.channels.channel import Channel
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> observations_needed(coin, success="0.99")
    ObservationsNeeded(47 for success 99/100)
    >>> observations_needed(coin, success=1)
    ObservationsNeeded(none reaches success 1, the limit is 1)
    """
    target = as_printed(success)
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


def falls_short(channel: Observed, prior: PriorLike = None, n: int = 1, *, success: Number) -> bool:
    """Say whether the best guess after n rounds is right less often, by what is quick first.

    >>> from leaktight.channels.channel import Channel
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> falls_short(coin, n=46, success="0.99"), falls_short(coin, n=47, success="0.99")
    (True, False)
    """
    seen, target = observe(channel, prior).rounds(n), as_printed(success)
    for found in _ever_sharper(seen, cache(lambda: _tables([seen]))):
        if (reached := _is_reached(found, target)) is not None:
            return not reached
    return False


def _told_apart_at_once(once: Observations) -> bool:
    """Say whether no two classes have outputs of all channels in common."""
    return not any(
        all(((matrix[c] > 0) & (matrix[d] > 0)).any() for matrix, _ in once.parts)
        for c, d in combinations(range(len(once)), 2)
    )


def _least_rounds(once: Observations, target: fmpq) -> tuple[int, int]:
    """Return numbers of rounds between which the first one lies that reaches the target."""
    limit = once.best.sum()
    missing = {0: (_log(limit - once.best.max()),) * 2}
    known: dict[int, bool | None] = {0: False}
    most = 1

    @cache
    def tables(rounds: int) -> Likelihoods | None:
        return _tables([once.rounds(rounds)])

    def reached(n: int) -> bool | None:
        if n not in known:
            seen = once.rounds(n)
            for found in _ever_sharper(seen, lambda: tables(max(n, most))):
                known[n] = _is_reached(found, target)
                missing[n] = (
                    _log(limit - rational(found.lower)),
                    _log(limit - rational(found.upper)),
                )
                if known[n] is not None:
                    break
        return known[n]

    def crossing(end: int, a: int, b: int) -> float:
        """Where an end reaches the target if what is missing falls exponentially from a to b."""
        fall = (missing[a][end] - missing[b][end]) / (b - a)
        return a + (missing[a][end] - _log(limit - target)) / fall if fall > 0 else math.inf

    before = 0
    while not reached(most):
        if most >= MOST_ROUNDS:
            raise TooLarge(
                f"more than {MOST_ROUNDS:,} rounds of observations are needed for a success "
                f"probability of {shown(target)}"
            )
        ahead = min(max(crossing(0, before, most), 2 * most), FASTEST * most, MOST_ROUNDS)
        before, most = most, math.ceil(ahead)
    last = max(n for n, is_reached in known.items() if is_reached is not True)
    high = _first(lambda n: reached(n) is True, partial(crossing, 0), last, most)
    last = max(n for n, is_reached in known.items() if is_reached is False)
    low = _first(lambda n: reached(n) is not False, partial(crossing, 1), last, high)
    return low, high


def _first(
    holds: Callable[[int], bool], crossing: Callable[[int, int], float], low: int, high: int
) -> int:
    """Return the first number for which something holds; it does for ``high``, not for ``low``.

    Numbers at the crossing are tried, and the one in the middle if that does not get on.
    """
    tries, span = 0, high - low
    while high - low > 1:
        middle = (low + high) // 2
        if tries < 2:
            middle = math.ceil(min(max(crossing(low, high), low + 1), high - 1))
        low, high = (low, middle) if holds(middle) else (middle, high)
        tries, span = (0, high - low) if 2 * (high - low) <= span else (tries + 1, span)
    return high


def _ever_sharper(
    seen: Observations, likelihoods: Callable[[], Likelihoods | None]
) -> Iterator[SuccessProbability]:
    """Yield enclosures of the success probability, what is quick first."""
    types, own = TypeClasses.of(seen.parts), OwnOutput.of(seen)
    work = types.count * len(seen)
    if own is not None and own.steps < work:
        yield success_by_own_outputs(seen, own)
    elif work > MANY and len(seen) <= MOST_CLASSES:
        yield bounded_success(seen, COARSE)
    if is_affordable(types, len(seen)):
        yield success_of(seen, likelihoods(), exact=False)
        if seen.is_exact:
            yield success_of(seen, likelihoods())
    elif own is None:
        yield bounded_success(seen, POINTS)


def _is_reached(found: SuccessProbability, target: fmpq) -> bool | None:
    """Say whether the success probability is at least the target; None if it is not settled."""
    if target <= rational(found.lower) or 1 - target >= rational(found.error.upper):
        return True
    if target > rational(found.upper) or 1 - target < rational(found.error.lower):
        return False
    return None


def _log(number: fmpq) -> float:
    """Return about the logarithm, of a tiny number for what is rounded to 0."""
    return natural_log(max(number, fmpq(1, 2**1000)))
