"""The bits that an output tells of a secret, judged by samples.

Mutual information is H(X) − H(X|Y). A posterior learnt from one half of the samples is surprised by
the other half at least as much, on average, as the true one; the best posterior in hindsight is
surprised at most as much. docs/proofs/estimates.md turns both into bounds that hold for any number
of samples and of outputs.
"""

import math

import numpy as np
from flint import fmpq

from leaktight.channels.distribution import PriorLike
from leaktight.exact.numbers import (
    Array,
    Number,
    float_array,
    fraction,
    kept_floats,
    rational,
    to_float,
)
from leaktight.samples.confidence import binomial_lower, mean_upper, read_risk
from leaktight.samples.design import SampleDesign, generator
from leaktight.samples.divergence import code_length, divergence_upper
from leaktight.samples.leakage import LeakageEstimate, success_lower
from leaktight.samples.observations import Counts, Observations

ROUNDING = 2.0**-36
"""More than sums over 2^16 secrets are off, of a nat and of the sum (docs/proofs/estimates.md)."""

LN2 = math.log(2)


def estimate_mutual_information(
    observations: Observations,
    prior: PriorLike = None,
    confidence: Number = 0.95,
    seed: int | None = None,
) -> LeakageEstimate:
    """Return I(X;Y) in bits, with bounds.

    Samples, prior and seed are as for ``estimate_posterior_vulnerability``. Without a prior, every
    secret that can occur must have been seen; outputs may be unseen, and any number of them. The
    estimate is that of the frequencies less its bias to first order; for pairs that is (pairs −
    secrets − outputs + 1)/(2N ln 2), of those that occur ([Miller1955]_, [Chothia2013]_). Where
    outputs are hardly ever seen twice, that may exceed H(X), which no output tells more than: then
    the estimate is H(X).

    >>> seen = Observations.from_counts({"no": {"-": 500}, "yes": {"+": 500}})
    >>> print(estimate_mutual_information(seen, ["1/2", "1/2"]))
    mutual information: estimated as 1, from 0.9277 to 1 bits with 95% confidence (1,000 samples)
    >>> estimate_mutual_information(seen).assumed
    'every secret that can occur was seen'
    """
    rng, risk = generator(seed), read_risk(confidence)
    design = SampleDesign.of(observations, prior, rng)
    learn, test = design.halves(rng)
    shares = observations.secret_totals / observations.total
    most = _entropy(shares if design.prior is None else design.prior)
    return LeakageEstimate(
        min(most, max(0.0, corrected(design))) / LN2,
        max(0.0, information_lower(design, learn, test, risk / 2)) / LN2 * (1 - ROUNDING),
        max(0.0, information_upper(design, risk / 2)) / LN2 * (1 + ROUNDING),
        fraction(1 - risk),
        observations.total,
        "mutual information",
        "bits",
        "every secret that can occur was seen" if prior is None else "",
    )


def corrected(design: SampleDesign) -> float:
    """Return the mutual information of the frequencies, in nats, less its bias."""
    seen = design.observations
    totals = seen.secret_totals
    if design.prior is None:
        outputs = len(np.unique(seen.columns))
        bias = (len(seen.counts) - len(seen.secrets) - outputs + 1) / (2 * seen.total)
        return _entropy(totals / seen.total) - _surprise(design) - bias
    # The prior has no bias; the rows of the channel have, and the outputs, by their variances.
    prior = float_array(design.prior)
    weights, shares = (prior / totals)[seen.rows], design.shares(seen.counts)
    spread = 1 - seen.counts / totals[seen.rows]
    among = np.bincount(seen.columns, weights=shares)[seen.columns]
    bias = (weights.sum() - (prior / totals).sum() - (weights * shares * spread / among).sum()) / 2
    return _entropy(prior) - _surprise(design) - float(bias)


# --- from above ----------------------------------------------------------------------------


def information_upper(design: SampleDesign, risk: fmpq) -> float:
    """Return nats that I(X;Y) exceeds with probability ≤ ``risk``.

    I(X;Y) is the divergence between the pairs and independent ones, whose ratio p(x|y)/p(x) is at
    most 1/p(x). The best posterior in hindsight makes the samples at least as likely as the true
    one does.
    """
    seen, size = design.observations, design.size(design.observations.counts)
    after = entropy_ends(_surprise(design), len(seen.secrets))[0]
    if design.prior is not None:
        before = entropy_ends(_entropy(design.prior), len(seen.secrets))[1]
        return min(before, divergence_upper(before - after, size, 1 / min(design.prior), risk))
    third, secrets = risk / 3, len(seen.secrets)
    before = code_length(seen.secret_totals) - math.log(to_float(third))
    likelihood = before / seen.total * (1 + ROUNDING) - after
    rarest = binomial_lower(int(seen.secret_totals.min()), seen.total, third / secrets)
    most = math.log(secrets) * (1 + ROUNDING)
    if rarest == 0:
        return most
    return min(most, divergence_upper(likelihood, size, 1 / rational(rarest), third))


def entropy_ends(nats: float, secrets: int) -> tuple[float, float]:
    """Return numbers below and above an entropy that was summed up in floats.

    The logarithm of a number near 1 has few digits of its own, so that some of the error is of a
    nat and not of the sum.
    """
    off = ROUNDING * (1 + nats) * max(1, secrets / 2**16)
    return max(0.0, nats - off), nats + off


def _surprise(design: SampleDesign) -> float:
    """Return H(X|Y) of the frequencies, in nats: the least surprise of any posterior."""
    seen = design.observations
    shares = design.shares(seen.counts)
    sums = np.bincount(seen.columns, weights=shares)[seen.columns]
    return float((shares * np.log(sums / shares)).sum())


def _entropy(prior: Array) -> float:
    """Return H of positive probabilities, in nats."""
    floats = kept_floats(prior)
    return -float((floats * np.log(floats)).sum())


# --- from below ----------------------------------------------------------------------------


def information_lower(design: SampleDesign, learn: Counts, test: Counts, risk: fmpq) -> float:
    """Return nats that I(X;Y) falls below with probability ≤ ``risk``."""
    seen, secrets = design.observations, len(design.observations.secrets)
    if design.prior is not None:
        before, each = entropy_ends(_entropy(design.prior), secrets)[0], risk / 2
    else:
        each, most = risk / 3, math.log(secrets)
        even = entropy_ends(_entropy(seen.secret_totals / seen.total), secrets)[0]
        uneven = most * (1 + ROUNDING) - even
        apart = divergence_upper(uneven, fmpq(seen.total), fmpq(secrets), each)
        before = most * (1 - ROUNDING) - apart
    wrong = 1 - success_lower(design, learn, test, each)
    return before - min(_fano(wrong, secrets), _surprise_upper(design, learn, test, each))


def _fano(wrong: float, secrets: int) -> float:
    """Return the most that H(X|Y) can be, in nats, if a guess is wrong at most so often."""
    wrong = min(wrong, 1 - 1 / secrets)
    if wrong <= 0:
        return 0.0
    binary = -wrong * math.log(wrong) - (1 - wrong) * math.log1p(-wrong)
    return (binary + wrong * math.log(max(1, secrets - 1))) * (1 + ROUNDING)


def _surprise_upper(design: SampleDesign, learn: Counts, test: Counts, risk: fmpq) -> float:
    """Return nats that H(X|Y) exceeds with probability ≤ ``risk``, from a posterior learnt.

    The posterior is that of the frequencies, drawn a little towards what is likely beforehand: so
    no output can surprise it by more than some nats.
    """
    seen, secrets = design.observations, len(design.observations.secrets)
    prior = design.learnt_prior(learn)
    shares, size = design.shares(learn), max(1, int(learn.sum()))
    sums = np.bincount(seen.columns, weights=shares, minlength=len(seen.outputs))
    pseudo, mixed = secrets / (2 * size), 1 / math.sqrt(size)
    backed = shares + pseudo * prior[seen.rows]
    posterior = (1 - mixed) * backed / (sums[seen.columns] + pseudo) + mixed * prior[seen.rows]
    least = prior.min() * ((1 - mixed) * pseudo / (sums.max() + pseudo) + mixed)
    low, high = -math.log(max(posterior.max(), prior.max())), -math.log(least)
    if low >= high:
        return low
    mean = -float((design.shares(test) * np.log(posterior)).sum())
    scaled = rational(min(1.0, (mean - low) / (high - low) + ROUNDING))
    return low + (high - low) * mean_upper(scaled, design.size(test), risk) + ROUNDING
