"""The prior that makes what was seen of a known channel likeliest.

Many people's answers went through the same channel, and only how often each output occurred is
known. The logarithm of the likelihood is concave in the prior, so that how far a prior is from the
likeliest is known from its slopes: with q the shares of the outputs seen,

    max_π' Σ_z q(z)·ln((π'·K)(z)/(π·K)(z)) ≤ ln max_x Σ_z q(z)·K(z|x)/(π·K)(z),

by Jensen's inequality. The iterative Bayesian update ([Agrawal2001]_, [ElSalamouny2020]_) climbs to
the same prior; an interior-point method is there in fewer steps, and the bound says how near.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidInput, Mismatch, is_list
from leaktight.exact.concave import maximise
from leaktight.exact.matrix import as_mapping
from leaktight.exact.numbers import kept_floats
from leaktight.exact.shown import counted
from leaktight.exact.threads import one_thread
from leaktight.exact.tolerances import TOLERANCES
from leaktight.labels import Labels, positions
from leaktight.samples.observations import MOST_SAMPLES

LEAST = 2.0**-900
"""Sums of products that are larger than this are as exact as floats are."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PriorEstimate:
    """A prior that explains what was seen, up to ``gap``, as well as any.

    No prior's log-likelihood is larger by more than ``gap`` nats for each observation: that is
    proved. The prior itself and its standard errors are estimates.
    """

    prior: Distribution
    errors: tuple[float, ...]
    """The standard error of each probability, by the observed information, as if none were bound
    to be at least 0; infinite where the channel does not determine it."""
    gap: float
    observations: int

    def __str__(self) -> str:
        shares = zip(self.prior.items(), self.errors, strict=True)
        listed = ", ".join(f"{x}: {float(p):.4g} ± {e:.2g}" for (x, p), e in shares)
        return (
            f"estimated from {counted(self.observations, 'output', 'outputs')}: {listed}; no prior "
            f"is likelier by more than {self.gap:.2g} nats for each"
        )


def estimate_prior(channel: Channel, counts: Mapping[Any, int] | Iterable[int]) -> PriorEstimate:
    """Return the prior under which it is likeliest to see each output so often.

    ``counts`` has a whole number for each output, in their order or by name. The observations are
    assumed to be independent.

    >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]], ["no", "yes"], ["-", "+"])
    >>> print(estimate_prior(coin, {"-": 6000, "+": 4000}))  # doctest: +ELLIPSIS
    estimated from 10,000 outputs: no: 0.7 ± 0.0098, yes: 0.3 ± 0.0098; no prior is likelier by ...
    """
    numbers = _read(counts, expect_channel(channel).outputs)
    total = int(numbers.sum())
    if not total:
        raise InvalidInput("there must be at least one observation, got none")
    seen = np.flatnonzero(numbers)
    matrix = kept_floats(channel.matrix)[:, seen]
    for z in seen[~matrix.any(axis=0)]:
        raise InvalidInput(f"output {channel.outputs[z]!r} was seen, but no input can give it")
    # What a column is multiplied by changes nothing; powers of 2 keep it where floats have digits.
    matrix = np.ldexp(matrix, -np.frexp(matrix.max(axis=0))[1])
    shares = numbers[seen] / total
    with np.errstate(all="ignore"):  # what is not finite ends the search
        found = maximise(
            np.zeros(len(matrix)),
            matrix,
            lambda mean: shares / mean,
            lambda mean: -shares / mean**2,
            TOLERANCES.solver,
        )
    prior = found / math.fsum(found)
    mean = prior @ matrix
    # With u = 2^-53, entries, shares and the sum of the prior are off by u each, relatively; means
    # by one for each input more, their quotients and sums by one for each output.
    slack = (sum(matrix.shape) + 10) * 2.0**-52
    known = bool((mean > LEAST).all())  # or too small for its digits to be kept
    gap = float((matrix @ (shares / mean)).max()) * (1 + slack) - 1 if known else math.inf
    errors = _standard_errors(matrix, numbers[seen], np.maximum(mean, LEAST))
    return PriorEstimate(Distribution(prior, channel.inputs), errors, max(gap, 0.0), total)


def _read(counts: Any, outputs: Labels) -> npt.NDArray[np.int64]:
    named = as_mapping(counts)
    if named is not None:
        at = positions(named, outputs, "output")
        given = [0] * len(outputs)
        for z, number in zip(at, named.values(), strict=True):
            given[z] = number
    elif is_list(counts) and not isinstance(counts, bytes):
        given = list(counts)
    else:
        raise InvalidInput(f"expected a count for each output, got {counts!r:.60}")
    if len(given) != len(outputs):
        raise Mismatch(f"there must be {len(outputs)} counts, one an output, got {len(given)}")
    for number in given:
        if not isinstance(number, int | np.integer) or not 0 <= number <= MOST_SAMPLES:
            raise InvalidInput(
                f"a count must be a whole number from 0 to {MOST_SAMPLES:,}, got {number!r:.60}"
            )
    return np.array([int(number) for number in given], dtype=np.int64)


@one_thread()
def _standard_errors(
    matrix: Floats, counts: npt.NDArray[np.int64], mean: Floats
) -> tuple[float, ...]:
    """Return the roots of the diagonal of the inverse information among changes that sum to 0."""
    n = len(matrix)
    if n == 1:
        return (0.0,)
    changes = np.linalg.svd(np.ones((1, n)))[2][1:]  # a basis, orthonormal
    _, sizes, ways = np.linalg.svd((changes @ matrix * (np.sqrt(counts) / mean)).T)
    known = np.zeros(n - 1, dtype=bool)
    known[: len(sizes)] = sizes > sizes[0] * n * np.finfo(float).eps if sizes[0] > 0 else False
    ways = ways @ changes
    errors = np.sqrt(((ways[known] / sizes[known[: len(sizes)], None]) ** 2).sum(axis=0))
    open_ends = np.abs(ways[~known]).max(axis=0, initial=0) > TOLERANCES.entry
    return tuple(np.where(open_ends, math.inf, errors).tolist())
