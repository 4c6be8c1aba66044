"""The bits that an output tells of a secret, judged by samples.

Mutual information is H(X) − H(X|Y). A posterior learnt from one half of the samples is surprised by
the other half at least as much, on average, as the true one; the best posterior in hindsight is
surprised at most as much. docs/proofs/estimates.md turns both into bounds that hold for any number
of samples and of outputs.
"""

import math

import numpy as np
from flint import arb, fmpq

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
from leaktight.exact.rounding import outward
from leaktight.samples.confidence import binomial_lower, mean_upper, read_risk
from leaktight.samples.design import SampleDesign, generator
from leaktight.samples.leakage import LeakageEstimate, success_lower
from leaktight.samples.observations import Counts, Observations

# --- how far a distribution can be from another, given how likely it made what was drawn -----
# Relative entropies here are in nats. Statement 3 of docs/proofs/estimates.md has the proofs.


def divergence_upper(likelihood: float, size: fmpq, largest: fmpq, risk: fmpq) -> float:
    """Return a number that D(P‖Q) exceeds with probability ≤ ``risk``.

    Of samples drawn from P, ``likelihood`` is at least the mean of ln(dP/dQ), and dP/dQ is at most
    ``largest`` everywhere. For samples with weights, ``size`` is 1/the heaviest. The bound comes
    from Rényi's divergence of order 1 − λ, for a few λ at once: a large one for distributions that
    are close, where it shrinks like 1/size, a small one for others.

    >>> two = fmpq(2)
    >>> round(divergence_upper(0.0, fmpq(1000), two, fmpq(1, 20)), 4)
    0.0184
    >>> round(divergence_upper(0.3, fmpq(10**6), two, fmpq(1, 20)), 4)
    0.303
    """
    if largest <= 1:
        return 0.0
    orders = _orders(size)
    each = risk / len(orders)
    return max(0.0, min(_at_order(order, likelihood, size, largest, each) for order in orders))


def _orders(size: fmpq) -> list[fmpq]:
    """Return 1/2, 1/8, 1/32, … down to some 1/√size, chosen before anything is drawn."""
    found = [fmpq(1, 2)]
    while found[-1] ** 2 * size > 4:
        found.append(found[-1] / 4)
    return found


def _at_order(order: fmpq, likelihood: float, size: fmpq, largest: fmpq, risk: fmpq) -> float:
    """Return κ·(1 − exp(−λ·likelihood − ln(1/risk)/size))/λ, rounded up."""

    def bound() -> arb:
        small, ratio = arb(order), arb(largest)
        entropy = ratio * ratio.log() - ratio + 1
        renyi = (-ratio * (-small * ratio.log()).expm1() - small * (ratio - 1)) / small
        exponent = -small * arb(rational(likelihood)) + arb(risk).log() / arb(size)
        return -entropy / renyi * exponent.expm1() / small

    return outward(bound)[1]


def code_length(totals: Array) -> float:
    """Return −ln of the probability of the secrets drawn, in the mixture of all priors, rounded up.

    For any prior, −Σ_i ln prior(x_i) exceeds this by more than ln(1/risk) with probability ≤
    ``risk``. The mixture is that of [Krichevsky1981]_, Dirichlet's with parameters 1/2.
    """
    half = arb(1) / 2
    secrets, count = len(totals), int(totals.sum())

    def length() -> arb:
        whole = (arb(count) + arb(secrets) / 2).lgamma() - (arb(secrets) / 2).lgamma()
        each = ((int(n) + half).lgamma() - half.lgamma() for n in totals)
        return whole - sum(each, arb(0))

    return outward(length)[1]


# --- mutual information ----------------------------------------------------------------------

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
