"""The chance of a right guess, judged by samples.

A guess learnt from one half of the samples and tested on the other bounds the best one from below;
the best guess in hindsight bounds it from above, as it is right on these samples at least as often
as the best one is. Both bounds hold for any number of samples and of outputs (docs/proofs).
"""

import math
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from flint import fmpq

from leaktight.channels.distribution import PriorLike
from leaktight.exact.numbers import Number, Value, fraction, rational, to_float
from leaktight.exact.rounding import float_above, float_below, log2_interval
from leaktight.exact.shown import counted, percent_as_given
from leaktight.samples.confidence import (
    Estimate,
    binomial_lower,
    binomial_upper,
    read_risk,
    share_lower,
    share_upper,
)
from leaktight.samples.design import SampleDesign, generator
from leaktight.samples.observations import Counts, Observations


@dataclass(frozen=True, slots=True, repr=False)
class LeakageEstimate(Estimate):
    """An ``estimate``, and a ``lower`` and an ``upper`` bound that hold together.

    Whatever produced the samples, drawing them leads to a lower bound above the true number or an
    upper bound below it with a probability of at most 1 − ``confidence``. Of the estimate itself
    nothing is proved.
    """

    samples: int
    quantity: str
    unit: str
    assumed: str = ""
    """What must hold of the secrets for the bounds to hold; nothing, if empty."""

    def __str__(self) -> str:
        condition = f", if {self.assumed}" if self.assumed else ""
        unit = f" {self.unit}" if self.unit else ""
        return (
            f"{self.quantity}: estimated as {self.estimate:.4g}, "
            f"from {rounded_down(self.lower)} to {rounded_up(self.upper)}{unit} "
            f"with {percent_as_given(self.confidence)} confidence "
            f"({counted(self.samples, 'sample', 'samples')}){condition}"
        )


def estimate_posterior_vulnerability(
    observations: Observations,
    prior: PriorLike = None,
    confidence: Number = 0.95,
    seed: int | None = None,
) -> LeakageEstimate:
    """Return how likely the best guess for each output is right, with bounds.

    Without a ``prior``, which here does not mean a uniform one, the samples must be pairs drawn
    independently, secret and output. With one, only the outputs need be drawn, independently for
    each sample; how many samples each secret has is then up to whoever drew them. The estimate is
    how often guesses learnt from one half of the samples are right on the other, but no less than
    the prior's likeliest secret is.

    The bounds hold for any outputs, also if most of them were never seen. They need a random split
    of the samples; to get the same one again, give a ``seed``, chosen before seeing the samples.

    >>> seen = Observations.from_counts({"no": {"-": 500}, "yes": {"+": 500}})
    >>> print(estimate_posterior_vulnerability(seen, ["1/2", "1/2"]))
    posterior vulnerability: estimated as 1, from 0.9926 to 1 with 95% confidence (1,000 samples)
    """
    rng, risk = generator(seed), read_risk(confidence)
    design = SampleDesign.of(observations, prior, rng)
    return _guessed(design, *design.halves(rng), risk / 2, fraction(1 - risk))


def estimate_min_entropy_leakage(
    observations: Observations,
    prior: PriorLike = None,
    confidence: Number = 0.95,
    seed: int | None = None,
) -> LeakageEstimate:
    """Return how much likelier an output makes a right guess, in bits, with bounds.

    Samples and prior are as for ``estimate_posterior_vulnerability``. If the prior is not given,
    how likely a right guess is beforehand is bounded from the samples too.

    >>> seen = Observations.from_counts({"no": {"-": 500}, "yes": {"+": 500}})
    >>> print(estimate_min_entropy_leakage(seen, ["1/2", "1/2"]))
    min-entropy leakage: estimated as 1, from 0.9893 to 1 bits with 95% confidence (1,000 samples)
    """
    rng, risk = generator(seed), read_risk(confidence)
    design = SampleDesign.of(observations, prior, rng)
    learn, test = design.halves(rng)
    each = risk / (4 if design.prior is None else 2)
    after = _guessed(design, learn, test, each, fraction(1 - risk))
    return leaked(after, design, learn, test, each)


def _guessed(
    design: SampleDesign, learn: Counts, test: Counts, risk: fmpq, confidence: Fraction
) -> LeakageEstimate:
    """Return how likely the best guess is right, with two bounds of this risk each."""
    least = 0.0 if design.prior is None else to_float(design.prior.max())  # guessed without outputs
    return LeakageEstimate(
        max(least, design.crossed(learn, test)),
        success_lower(design, learn, test, risk),
        success_upper(design, risk),
        confidence,
        design.observations.total,
        "posterior vulnerability",
        "",
    )


def leaked(
    after: LeakageEstimate, design: SampleDesign, learn: Counts, test: Counts, risk: fmpq
) -> LeakageEstimate:
    """Return how much more that is than the chance of a right guess before, in bits.

    If the prior is not known, each of the two bounds on it has this risk.
    """
    low, high, guess = _before(design, learn, test, risk)
    return replace(
        after,
        quantity="min-entropy leakage",
        unit="bits",
        estimate=math.log2(max(after.estimate, guess) / guess),
        lower=_bits(after.lower, high)[0],
        upper=_bits(after.upper, low)[1],
    )


def success_lower(design: SampleDesign, learn: Counts, test: Counts, risk: fmpq) -> float:
    """Return what the chance of a right guess falls below with probability ≤ ``risk``."""
    if design.prior is None and not learn.any():
        return 0.0  # nothing was learnt, and the secrets are known from the test alone
    hits = design.hits(design.best_guesses(learn), test)
    return tested_lower(design, hits, design.observations.per_secret(test), risk)


def tested_lower(design: SampleDesign, hits: Counts, totals: Counts, risk: fmpq) -> float:
    """Return the same for a guess that was right so often of each secret's samples.

    Who knows the prior can always guess the likeliest secret.
    """
    bound = share_lower(hits, totals, design.prior, risk)
    return bound if design.prior is None else max(bound, float_below(design.prior.max()))


def success_upper(design: SampleDesign, risk: fmpq) -> float:
    """Return what the chance of a right guess exceeds with probability ≤ ``risk``."""
    counts = design.observations.counts
    hits = design.hits(design.best_guesses(counts), counts)
    return share_upper(hits, design.observations.secret_totals, design.prior, risk)


def _before(
    design: SampleDesign, learn: Counts, test: Counts, risk: fmpq
) -> tuple[float, float, float]:
    """Return bounds on the largest prior, and an estimate of it.

    They are the same two arguments, for guesses without output.
    """
    if design.prior is not None:
        known = design.prior.max()
        return float_below(known), float_above(known), to_float(known)
    observations = design.observations
    guess = design.likeliest(observations.per_secret(learn))
    tested = observations.per_secret(test)
    most = int(observations.secret_totals.max())
    known = int(tested[guess]) if learn.any() else 0
    return (
        binomial_lower(known, int(tested.sum()), risk),
        binomial_upper(most, observations.total, risk),
        most / observations.total,
    )


def _bits(after: float, before: float) -> tuple[float, float]:
    """Return floats around log2(after/before), at least 0."""
    if before == 0:
        return 0.0, math.inf
    low, high = log2_interval(max(fmpq(1), rational(after) / rational(before)))
    return max(0.0, low), high


# --- numbers in sentences ------------------------------------------------------------------


def rounded_down(value: Value) -> str:
    """Return four digits of a number that is at most ``value``, but for the rounding of floats."""
    return _rounded(value, 1 + 2.0**-32, ROUND_FLOOR)


def rounded_up(value: Value) -> str:
    """Return four digits of a number that is at least ``value``, but for the rounding of floats.

    >>> rounded_up(Fraction(1, 3)), rounded_up(0.001), rounded_up(math.inf)
    ('0.3334', '0.001', '∞')
    """
    return _rounded(value, 1 - 2.0**-32, ROUND_CEILING)


def _rounded(value: Value, noise: float, direction: str) -> str:
    if value == math.inf:
        return "∞"
    exact, digits = Fraction(value) * Fraction(noise), Context(prec=4, rounding=direction)
    return f"{float(digits.divide(Decimal(exact.numerator), Decimal(exact.denominator))):.4g}"
