"""Probabilities that agree with what was counted.

The limits hold at every sample size. SciPy proposes them; balls prove them, and whatever could not
be proved is moved outward until it can.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, fmpq

from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import (
    Array,
    Number,
    as_printed,
    exact_array,
    rational,
    to_float,
    total,
)
from leaktight.exact.rounding import float_above, float_below, precision
from leaktight.exact.shown import Told, above, below


@dataclass(frozen=True, slots=True, repr=False)
class Estimate(Told):
    """An ``estimate`` of which nothing is proved, and two ends that hold with some confidence.

    Drawing the samples puts the true number outside the ends with a probability of at most
    1 − ``confidence``. That makes it no :class:`leaktight.exact.Bound`, whose ends are proved.
    """

    estimate: float
    lower: float
    upper: float
    confidence: Fraction

    def __float__(self) -> float:
        return self.estimate

    @property
    def text(self) -> str:
        """The estimate, and where the number lies with which confidence."""
        ends = f"{below(self.lower)} to {above(self.upper)}"
        return f"estimate {self.estimate:.6g}, {ends} with confidence {float(self.confidence):g}"


def read_risk(confidence: Number) -> fmpq:
    """Return 1 − confidence exactly; a float is taken as the decimal number that it prints as.

    >>> read_risk(0.95)
    1/20
    """
    risk = 1 - as_printed(confidence)
    if not 0 < risk < 1:
        raise InvalidNumber(f"a confidence must be between 0 and 1, such as 0.95, got {confidence}")
    return risk


# --- one probability -----------------------------------------------------------------------


def binomial_lower(successes: int, trials: int, risk: fmpq) -> float:
    """Return a number that exceeds the probability of a success with probability ≤ ``risk``.

    The limit of Clopper and Pearson: the p for which so many successes or more have probability
    ``risk``, rounded down.

    >>> round(binomial_lower(10, 10, fmpq(1, 20)), 4), round(0.05 ** (1 / 10), 4)
    (0.7411, 0.7411)
    """
    if successes == 0:
        return 0.0
    from scipy.special import betaincinv

    a, b = successes, trials - successes + 1

    def proved(p: float) -> bool:
        return arb(p).beta_lower(a, b, 1) <= arb(risk)

    return _below(float(betaincinv(a, b, to_float(risk))), proved)


def binomial_upper(successes: int, trials: int, risk: fmpq) -> float:
    """Return a number that is below the probability of a success with probability ≤ ``risk``."""
    return complement(binomial_lower(trials - successes, trials, risk))


def complement(lower: float) -> float:
    """Return 1 − ``lower``, rounded up: the upper limit of what a lower limit was not for."""
    return float_above(1 - rational(lower))


def _below(proposal: float, proved: Callable[[float], bool]) -> float:
    """Return the first float at or a little below a proposal that is proved; 0 needs no proof."""
    for step in (0.0, *(2.0**power for power in range(-52, 0, 4))):
        candidate = proposal * (1 - step)
        with precision(80):
            if 0 < candidate < 1 and proved(candidate):
                return candidate
    return 0.0


def expected_ends(likely: Array, rare: Array, trials: int, risk: float) -> tuple[Array, Array]:
    """Return about what the limits will be if the events occur so often in so many trials."""
    from scipy.special import betaincinv

    low = np.where(likely > 0, betaincinv(np.maximum(likely, 1), trials - likely + 1, risk), 0.0)
    left = trials - rare
    high = np.where(left > 0, 1 - betaincinv(np.maximum(left, 1), rare + 1, risk), 1.0)
    return low, high


# --- the mean of numbers between 0 and 1 ---------------------------------------------------


def mean_lower(mean: fmpq, size: fmpq, risk: fmpq) -> float:
    """Return a number that exceeds the expected mean with probability ≤ ``risk``.

    The mean is of independent numbers between 0 and 1, alike distributed or not, with weights that
    sum to 1 and are at most 1/``size`` (Theorem 1 of [Hoeffding1963]_, in the form of the
    relative entropy; for weights, statement 2 of docs/proofs/estimates.md). It is the p below
    ``mean`` with size·kl(mean, p) = ln(1/risk), rounded down.

    >>> round(mean_lower(fmpq(1, 2), fmpq(1000), fmpq(1, 20)), 4)
    0.4614
    """
    if mean <= 0:
        return 0.0
    mean = min(mean, fmpq(1))
    level = -math.log(to_float(risk)) / to_float(size)
    near = to_float(mean)
    low, high = 0.0, near
    while low < (middle := (low + high) / 2) < high:  # to the last digit, however small it is
        low, high = (low, middle) if _kl(near, middle) < level else (middle, high)

    def proved(p: float) -> bool:
        return arb(size) * _kl_ball(mean, rational(p)) >= -arb(risk).log()

    return _below(low, proved)


def mean_upper(mean: fmpq, size: fmpq, risk: fmpq) -> float:
    """Return a number that is below the expected mean with probability ≤ ``risk``."""
    return complement(mean_lower(1 - mean, size, risk))


def _kl(a: float, p: float) -> float:
    """Return a·ln(a/p) + (1−a)·ln((1−a)/(1−p)) for p < a."""
    if p == 0:
        return math.inf
    rest = (1 - a) * math.log((1 - a) / (1 - p)) if a < 1 else 0.0
    return a * math.log(a / p) + rest


def _kl_ball(a: fmpq, p: fmpq) -> arb:
    rest = arb(1 - a) * (arb(1 - a) / arb(1 - p)).log() if a < 1 else arb(0)
    return arb(a) * (arb(a) / arb(p)).log() + rest


# --- a share of the samples of each secret -------------------------------------------------


def share_lower(hits: Array, totals: Array, prior: Array | None, risk: fmpq) -> float:
    """Return a number that exceeds the probability of a hit with probability ≤ ``risk``.

    ``hits`` and ``totals`` count the samples of each secret. Without a ``prior`` (exact and
    positive) the samples are pairs drawn independently, so that the number of hits is binomial.
    With one, each secret's samples are its own, and Σ_x prior(x)·P(hit|x) is asked for. If all
    samples then weigh the same, the binomial limit holds still, but for less than two hits
    (Theorem 4 of [Hoeffding1956]_; statement 1 of docs/proofs/estimates.md).
    """
    count, trials = int(hits.sum()), int(totals.sum())
    if prior is None:
        return binomial_lower(count, trials, risk)
    weights = sample_weights(totals, prior)
    heaviest = max(weights)
    if min(weights) == heaviest:
        one_less = float_below(fmpq(max(count - 1, 0), trials))
        return min(binomial_lower(count, trials, risk), one_less)
    # Floats chose what is a hit, so a best choice may be better by their rounding.
    mean = total(weights * exact_array(hits)) - fmpq(1, 2**48)
    return mean_lower(mean, 1 / heaviest, risk)


def share_upper(hits: Array, totals: Array, prior: Array | None, risk: fmpq) -> float:
    """Return a number that is below the probability of a hit with probability ≤ ``risk``."""
    return complement(share_lower(totals - hits, totals, prior, risk))


def sample_weights(totals: Array, prior: Array) -> Array:
    """Return what one sample of each secret weighs, exactly: its prior over its samples."""
    return prior / exact_array(totals)
