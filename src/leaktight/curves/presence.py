"""Membership: how well it is told whether a person is there at all.

A test says "there" or "absent". Its *false positive rate* is how often it says "there" of somebody
who is absent, its *true positive rate* how often of somebody who is there, and its *advantage* the
difference of the two (membership inference). No test is better than that of Neyman and Pearson.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.promise import Promise
from leaktight.errors import InvalidInput, expect, expect_whole
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import percent, percent_above
from leaktight.labels import position

RATES = (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 20), Fraction(1, 10))
"""The false positive rates at which true positive rates are told."""


@dataclass(frozen=True, slots=True)
class Membership:
    """How well the best test tells who is there from who is absent.

    >>> print(membership(Ratio.of(3)))
    the advantage of a test is at most 50%; at 1% false positives at most 3% are found
    """

    advantage: Fraction
    """The largest difference of the two rates."""
    rates: tuple[tuple[Fraction, Fraction], ...]
    """False positive rates, and the largest true positive rate at each."""
    is_exact: bool
    """Whether some test attains all that; otherwise none exceeds it."""

    def __str__(self) -> str:
        said = percent if self.is_exact else percent_above
        most = "" if self.is_exact else "at most "
        found = dict(self.rates)[Fraction(1, 100)]
        return (
            f"the advantage of a test is {most}{said(self.advantage)}; at 1% false positives "
            f"{most}{said(found)} are found"
        )


def membership(promise: Promise, steps: int = 1) -> Membership:
    """Return how well any mechanism that keeps a promise lets presence be told.

    :param promise: a ratio, or a curve, which holds for neighbours
    :param steps: how many neighbours lie between somebody who is there and who is absent

    >>> print(membership(PrivacyCurve.gaussian(1)))
    the advantage of a test is at most 38.3%; at 1% false positives at most 9.3% are found
    """
    steps = expect_whole(steps, "steps")
    if isinstance(promise, Ratio):
        ratio = rational(promise.upper) ** steps
        rates = tuple((each, fraction(_within(ratio, rational(each)))) for each in RATES)
        return Membership(fraction((ratio - 1) / (ratio + 1)), rates, False)
    curve = expect(promise, PrivacyCurve, "a promise is a Ratio or a PrivacyCurve").group(steps)
    found = tuple((each, 1 - Fraction(curve.beta(each).lower)) for each in RATES)
    return Membership(Fraction(curve.advantage.upper), found, False)


def _within(ratio: fmpq, alpha: fmpq) -> fmpq:
    """Return the largest true positive rate at a false positive rate under pure ε."""
    return min(ratio * alpha, 1 - (1 - alpha) / ratio)


def membership_of(channel: Channel, absent: Hashable) -> Membership:
    """Return how well a channel tells a value from ``absent``, for the value where it is largest.

    >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]], ["absent", "there"])
    >>> membership_of(coin, "absent").advantage
    Fraction(1, 2)
    """
    exact = expect_channel(channel).exact()
    at = position(absent, exact.inputs, "input")
    nobody = exact.matrix[at]
    found = [_best_tests(nobody, row) for k, row in enumerate(exact.matrix) if k != at]
    if not found:
        raise InvalidInput("membership needs a value beside that of who is absent")
    return largest(found)


def largest(found: Iterable[Membership]) -> Membership:
    """Return what none of several exceeds."""
    all_of = list(found)
    rates = (max(each) for each in zip(*(one.rates for one in all_of), strict=True))
    return Membership(
        max(one.advantage for one in all_of), tuple(rates), all(one.is_exact for one in all_of)
    )


def _best_tests(nobody: Sequence[fmpq], somebody: Sequence[fmpq]) -> Membership:
    """Return the rates of Neyman and Pearson's tests: outputs enter by their likelihood ratios."""
    outputs = sorted(
        ((p, q) for p, q in zip(nobody, somebody, strict=True) if p or q),
        key=lambda both: both[1] / (both[0] + both[1]),
        reverse=True,
    )
    advantage = sum((q - p for p, q in outputs if q > p), fmpq(0))
    rates = []
    for alpha in RATES:
        left, power = rational(alpha), fmpq(0)
        for p, q in outputs:
            part = fmpq(1) if p <= left else left / p
            power += part * q
            left -= part * p
        rates.append((alpha, fraction(power)))
    return Membership(fraction(advantage), tuple(rates), True)
