"""How many looks break a secret, judged by samples: an attack is learnt, and then tried.

From one half of the samples it is learnt how likely each output is of each secret. The other half
is dealt into hands of n outputs of one secret, as n looks at it would show, and the secret of each
hand is guessed. No output is in two hands of the same n, so the hands are independent.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leaktight.exact.numbers import Number, fraction, kept_floats
from leaktight.samples.confidence import Estimate, read_risk, sample_weights, share_lower
from leaktight.samples.design import SampleDesign, generator
from leaktight.samples.observations import LARGEST_TABLE, Counts, Observations

LOOKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""How many looks are tried; all bounds hold together."""

FEWEST = 10
"""The fewest hands of each secret of which a chance is estimated."""

MOST_SCORES = 2**24
"""The most likelihoods that are added up for one number of looks."""


TIE = 2.0**-30
"""Secrets whose logarithms differ by no more are as likely; which is guessed is drawn before."""


@dataclass(frozen=True, slots=True, repr=False)
class Looked(Estimate):
    """How often the attack was right after so many ``looks``; it bounds the best one from below.

    Secrets are taken to be as likely as they are among the samples.
    """

    looks: int
    hands: int
    unseen: float
    """The share of outputs to test with that were not seen to learn from: they tell nothing."""


def estimate_looks(
    observations: Observations, confidence: Number = 0.95, seed: int | None = None
) -> tuple[Looked, ...]:
    """Return how often a learnt attack is right after 1, 2, 3, 5, 10, … looks at one secret.

    It ends where every guess was right, or where there are too few samples of a secret. With the
    ``confidence``, all lower bounds hold. No number of samples bounds many looks from above.

    >>> seen = Observations.from_counts({"a": {0: 700, 1: 300}, "b": {0: 300, 1: 700}})
    >>> one, *_, last = estimate_looks(seen, seed=1)
    >>> one.looks, one.lower < 0.7 < last.lower, last.upper
    (1, True, 1.0)
    """
    rng, risk = generator(seed), read_risk(confidence)
    size = len(observations.secrets)
    if size * len(observations.outputs) > LARGEST_TABLE:
        return ()
    design = SampleDesign.of(observations, observations.prior(), rng)
    assert design.prior is not None
    learn, test = design.halves(rng)
    scores, start = _likelihoods(observations, learn), np.log(kept_floats(design.prior))
    dealt = [_shuffled(observations, test, secret, rng) for secret in range(size)]
    new = np.bincount(observations.columns, learn, minlength=len(observations.outputs)) == 0
    unseen = float(test[new[observations.columns]].sum() / test.sum())
    found: list[Looked] = []
    for n in LOOKS:
        most = max(FEWEST, MOST_SCORES // (size * size * n))
        totals = np.array([min(len(outputs) // n, most) for outputs in dealt])
        if totals.min() < FEWEST or (found and found[-1].estimate == 1):
            break
        hits = np.zeros(size, dtype=np.int64)
        for secret, outputs in enumerate(dealt):
            hands = outputs[: totals[secret] * n].reshape(-1, n)
            told = start[:, None] + sum(scores[:, hands[:, look]] for look in range(n))
            best = told >= told.max(axis=0) - TIE
            hits[secret] = np.count_nonzero(
                np.where(best, design.ranks[:, None], -1).argmax(axis=0) == secret
            )
        weights = kept_floats(sample_weights(totals, design.prior))
        share = 1.0 if (hits == totals).all() else float((hits * weights).sum())
        lower = share_lower(hits, totals, design.prior, risk / len(LOOKS))
        found.append(Looked(share, lower, 1.0, fraction(1 - risk), n, int(totals.sum()), unseen))
    return tuple(found)


def _likelihoods(seen: Observations, learn: Counts) -> npt.NDArray[np.float64]:
    """Return the logarithm of how likely each output (column) is of each secret, as learnt.

    Frequencies are mixed with those of all secrets, with the weight of one sample; what was never
    seen tells nothing.
    """
    counts = np.zeros((len(seen.secrets), len(seen.outputs)))
    counts[seen.rows, seen.columns] = learn
    overall = counts.sum(axis=0)
    mixed = counts + overall / max(overall.sum(), 1)
    with np.errstate(divide="ignore"):
        table = np.log(mixed) - np.log(counts.sum(axis=1, keepdims=True) + 1)
    table[:, overall == 0] = 0
    return table


def _shuffled(seen: Observations, test: Counts, secret: int, rng: np.random.Generator) -> Counts:
    """Return the outputs of one secret to test with, in an order that is drawn."""
    at = np.flatnonzero(seen.rows == secret)
    return rng.permutation(np.repeat(seen.columns[at], test[at]))
