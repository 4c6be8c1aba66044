"""Designs of samples: how they were drawn, what each weighs, and what they teach to guess."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.errors import InvalidInput, Mismatch
from leaktight.exact.numbers import Array, float_array, kept_floats
from leaktight.samples.confidence import sample_weights
from leaktight.samples.observations import Counts, Observations

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SampleDesign:
    """How the samples were drawn: as pairs, or as outputs of secrets that were chosen.

    Without a prior the pairs were drawn, secret and output. With one, only each secret's outputs
    were, and the number of samples of each secret means nothing.
    """

    observations: Observations
    prior: Array | None
    """Exact and positive; None if the samples are pairs."""
    ranks: Counts
    """Which secret goes before which if they are equally likely. It must not depend on the
    samples, as the order of the secrets may, so it is drawn."""

    @classmethod
    def of(
        cls, observations: Observations, prior: PriorLike, rng: np.random.Generator
    ) -> "SampleDesign":
        """Read the prior, which must be that of the secrets seen."""
        if not isinstance(observations, Observations):
            raise InvalidInput(
                f"expected Observations, got {observations!r:.60}; "
                "Observations(secrets, outputs) makes them"
            )
        ranks = rng.permutation(len(observations.secrets))
        if prior is None:
            return cls(observations, None, ranks)
        known = prior_on(prior, observations.secrets).exact()
        if not known.array.min() > 0:
            unlikely = next(x for x in known.values if x not in known.support)
            raise Mismatch(
                f"a secret with samples must have a positive prior, got 0 for {unlikely!r}; "
                "leave its samples out"
            )
        return cls(observations, known.array, ranks)

    def weights(self, totals: Counts) -> Floats:
        """Return what one sample of each secret weighs; all are 1 if they weigh the same."""
        if self.prior is None:
            return np.ones(len(totals))
        exact = sample_weights(np.maximum(totals, 1), self.prior)
        return np.ones(len(totals)) if min(exact) == max(exact) else kept_floats(exact)

    def shares(self, counts: Counts) -> Floats:
        """Return what such counts of the pairs that occur make of the whole, by their weights."""
        seen = self.observations
        scores = counts * self.weights(seen.per_secret(counts))[seen.rows]
        return scores / (scores.sum() or 1.0)

    def size(self, counts: Counts) -> fmpq:
        """Return as how many equal samples such counts serve: 1 over the heaviest weight."""
        totals = self.observations.per_secret(counts)
        if self.prior is None:
            return fmpq(int(totals.sum()))
        return 1 / max(sample_weights(totals, self.prior))

    def learnt_prior(self, counts: Counts) -> Floats:
        """Return the prior, or an estimate of it from such counts that is positive everywhere."""
        if self.prior is not None:
            return kept_floats(self.prior)
        totals = self.observations.per_secret(counts) + 0.5
        return totals / totals.sum()

    def halves(self, rng: np.random.Generator) -> tuple[Counts, Counts]:
        """Split the samples at random: the counts to learn from, and those to test with.

        Pairs are split as they are; otherwise each secret's samples are, and the half to test with
        has at least one of each.
        """
        counts, rows = self.observations.counts, self.observations.rows
        order = np.argsort(rows, kind="stable")
        starts = [0] if self.prior is None else np.searchsorted(rows[order], range(rows.max() + 1))
        learn = np.zeros_like(counts)
        for part in np.split(order, starts[1:]):
            some = int(counts[part].sum()) // 2
            learn[part] = rng.multivariate_hypergeometric(counts[part], some, method="marginals")
        return learn, counts - learn

    def best_guesses(self, counts: Counts) -> Counts:
        """Return the likeliest secret for each output, by such counts; the likeliest for unseen.

        Among equally likely ones it is that of the highest rank.
        """
        seen = self.observations
        totals = seen.per_secret(counts)
        weights = self.weights(totals)
        likely = totals if self.prior is None else float_array(self.prior)
        guesses = np.full(len(seen.outputs), self.likeliest(likely))
        scores = counts * weights[seen.rows]
        order = np.lexsort((self.ranks[seen.rows], scores, seen.columns))
        order = order[scores[order] > 0]
        guesses[seen.columns[order]] = seen.rows[order]  # the last of each column stays
        return guesses

    def likeliest(self, scores: npt.NDArray[Any]) -> int:
        """Return the secret of the largest score, and of the highest rank among those."""
        return int(np.lexsort((self.ranks, scores))[-1])

    def hits(self, guesses: Counts, counts: Counts) -> Counts:
        """Return for each secret how many of such counts a guess for each output gets right."""
        seen = self.observations
        return seen.per_secret(np.where(guesses[seen.columns] == seen.rows, counts, 0))

    def crossed(self, learn: Counts, test: Counts) -> float:
        """Return how often each half is guessed right by what the other taught: an estimate."""
        totals = self.observations.secret_totals
        taught = self.hits(self.best_guesses(learn), test)
        hits = taught + self.hits(self.best_guesses(test), learn)
        weights = self.weights(totals)
        return float((hits * weights).sum() / (totals * weights).sum())


def generator(seed: Any) -> np.random.Generator:
    """Return the random numbers that a seed stands for; without one, always new."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise InvalidInput(f"a seed must be a whole number of at least 0, got {seed!r}") from None
