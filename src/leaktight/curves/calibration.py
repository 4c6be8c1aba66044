"""The least noise that keeps a risk small: σ from how often anyone may guess right.

What is found is proved: with this noise the risk is at most what was asked, and with a little less
noise it would be more, for some mechanism that keeps the same promise.
"""

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from leaktight.channels.distribution import PriorLike
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.guess import ADD_REMOVE, REPLACE, best_guess
from leaktight.curves.posterior import belief_chance
from leaktight.curves.shapes import Gaussian
from leaktight.errors import InvalidInput, InvalidNumber, expect_whole
from leaktight.exact.numbers import Number, as_printed, fraction, to_float
from leaktight.exact.shown import Told, above, shown

MOST = 20
"""Up to which power of 2, or down to one over it, the noise is looked for, by sensitivity."""

DIGITS = 2**24
"""With which denominator the noise is written, relative to its size: seven digits."""


@dataclass(frozen=True, slots=True, repr=False)
class Calibration(Told):
    """Gaussian noise of standard deviation ``sigma`` on each of some releases."""

    sigma: Fraction
    releases: int
    curve: PrivacyCurve
    """What all releases together promise."""

    def __str__(self) -> str:
        times = f" on each of {self.releases} releases" * (self.releases > 1)
        return f"σ = {above(float(self.sigma), 7)}{times} ({self.curve})"


def calibrate(
    *,
    sensitivity: Number = 1,
    releases: int = 1,
    values: Iterable[Hashable] | int | None = None,
    prior: PriorLike = None,
    neighbours: str = REPLACE,
    below: Number | None = None,
    advantage: Number | None = None,
    delta: tuple[Number, Number] | None = None,
    errors: tuple[Number, Number] | None = None,
    belief: tuple[Number, Number, Number] | None = None,
) -> Calibration:
    """Return the least Gaussian noise that keeps a risk, on each of some releases.

    :param sensitivity: how far a release moves at most between neighbours.
    :param releases: how many there are.
    :param values: with ``below``: the values of a secret, or how many there are.
    :param prior: how likely each is; all alike if it is not given.
    :param neighbours: "replace" or "add/remove".
    :param below: how often anyone may guess right at most.
    :param advantage: how much more often than not two neighbours may be told apart at most.
    :param delta: a pair (ε, δ) that must be kept.
    :param errors: a pair (α, β): every test of two neighbours with a false positive rate of α
        must have a false negative rate of at least β.
    :param belief: (prior, most, sure): with a chance of ``sure`` over all outputs, nobody whose
        belief in a value was ``prior`` may hold it with more than ``most``. If neighbours are
        "add/remove", two values are two steps apart.

    Exactly one of the last five is given.

    >>> calibrate(values=6, releases=12, below="1/3")
    Calibration(σ = 5.093936 on each of 12 releases (μ ≈ 0.680044 (Gaussian)))
    """
    asked = (below, advantage, delta, errors, belief)
    if sum(each is not None for each in asked) != 1:
        raise InvalidInput("give exactly one of below=, advantage=, delta=, errors= and belief=")
    width = as_printed(sensitivity)
    if width <= 0:
        raise InvalidNumber(f"the sensitivity must be above 0, got {sensitivity}")
    releases = expect_whole(releases, "releases")
    if neighbours not in (REPLACE, ADD_REMOVE):
        raise InvalidInput(f"neighbours must be 'replace' or 'add/remove', got {neighbours!r:.60}")
    keeps: Callable[[PrivacyCurve], bool]
    if below is not None:
        keeps = _guessed_below(below, values, prior, neighbours)
    elif advantage is not None:
        limit = _risk(advantage)

        def keeps(curve: PrivacyCurve) -> bool:
            return curve.advantage.upper <= limit
    elif delta is not None:
        epsilon, most = delta[0], _risk(delta[1])

        def keeps(curve: PrivacyCurve) -> bool:
            return curve.delta(epsilon).upper <= most
    elif errors is not None:
        keeps = _missed(*errors)
    else:
        assert belief is not None
        keeps = _believed(*belief, 2 if neighbours == ADD_REMOVE else 1)
    square = _least_square(lambda s: keeps(_noise(releases / s)))
    sigma = _root_above(square * width**2)
    return Calibration(fraction(sigma), releases, _noise(releases * (width / sigma) ** 2))


def _risk(value: Number) -> Fraction:
    limit = fraction(as_printed(value))
    if not 0 < limit < 1:
        raise InvalidNumber(f"a risk must be above 0 and below 1, got {shown(limit)}")
    return limit


def _guessed_below(
    below: Number, values: Iterable[Hashable] | int | None, prior: PriorLike, neighbours: str
) -> Callable[[PrivacyCurve], bool]:
    """Ask whether no guess of a value is right more often."""
    if values is None:
        raise InvalidInput("to bound a guess, say of which values= or how many")
    limit, listed = fraction(as_printed(below)), values if isinstance(values, int) else [*values]

    def keeps(curve: PrivacyCurve) -> bool:
        return best_guess(curve, listed, prior, neighbours=neighbours).upper <= limit

    least = best_guess(PrivacyCurve.epsilon(0), listed, prior, neighbours=neighbours).upper
    if not least < limit < 1:
        raise InvalidNumber(
            f"a guess is right with the chance {shown(least)} without any release, so below "
            f"must be more than that and less than 1, got {below}"
        )
    return keeps


def _missed(alpha: Number, beta: Number) -> Callable[[PrivacyCurve], bool]:
    """Ask whether a false positive rate of α means a false negative rate of β or more."""
    rate, missed = _risk(alpha), _risk(beta)
    if rate + missed >= 1:
        raise InvalidNumber(
            f"the two error rates must be less than 1 together, as a coin has 1, got {alpha} "
            f"and {beta}"
        )
    return lambda curve: curve.beta(rate).lower >= missed


def _believed(
    prior: Number, most: Number, sure: Number, steps: int
) -> Callable[[PrivacyCurve], bool]:
    """Ask whether a belief reaches more than ``most`` with a chance of at most 1 − ``sure``."""
    start, stop, rest = _risk(prior), _risk(most), 1 - _risk(sure)
    if stop <= start:
        raise InvalidNumber(
            "what may be believed afterwards must be more than the belief before, got "
            f"{shown(stop)} after {shown(start)}"
        )
    return lambda curve: belief_chance(curve.group(steps), start, stop).upper <= rest


def _noise(square: fmpq) -> PrivacyCurve:
    """Return the curve of Gaussian noise, by μ²."""
    return PrivacyCurve(Gaussian(square), f"μ ≈ {to_float(square) ** 0.5:.6g} (Gaussian)")


def _least_square(keeps: Callable[[fmpq], bool]) -> fmpq:
    """Return the least σ² for which a risk is kept, to seven digits, which is proved."""
    high = 0
    while high < MOST and not keeps(fmpq(4) ** high):
        high += 1
    while high > -MOST and keeps(fmpq(4) ** (high - 1)):
        high -= 1
    if abs(high) == MOST:
        raise InvalidNumber("no noise of a reasonable size keeps just this risk")
    low, top = fmpq(4) ** (high - 1), fmpq(4) ** high
    unit = low / DIGITS
    while top - low > unit:
        middle = (low + top) / 2
        low, top = (low, middle) if keeps(middle) else (middle, top)
    return top


def _root_above(square: fmpq) -> fmpq:
    """Return a rational of few digits that is at least the root."""
    size = to_float(square) ** 0.5
    unit = fmpq(2) ** math.floor(math.log2(size)) / DIGITS
    near = unit * math.floor(size / to_float(unit))
    while near**2 < square:
        near += unit
    return near
