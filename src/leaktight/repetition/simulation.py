"""Simulated attackers: how often the best guess is right, by experiment."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import float_array, fraction
from leaktight.exact.shown import counted
from leaktight.exact.threads import one_thread
from leaktight.repetition.rounds import Observations, Observed, observe
from leaktight.samples.confidence import Estimate, binomial_lower, binomial_upper, read_risk

BATCH = 2**20
"""About how many counts are drawn at once."""

IMPOSSIBLE = -(2.0**80)
"""Stands for the logarithm of 0, so that 0 times it is 0."""


@dataclass(frozen=True, slots=True, repr=False)
class SimulatedSuccess(Estimate):
    """An estimate of the success probability, from ``runs`` of an experiment.

    The ends are the exact binomial bounds of Clopper and Pearson.
    """

    runs: int
    seed: int

    def __str__(self) -> str:
        return f"{self.text}; {counted(self.runs, 'run', 'runs')}"


def simulate_success(
    channel: Observed,
    prior: PriorLike = None,
    n: int = 1,
    runs: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> SimulatedSuccess:
    """Estimate how likely the best guess is right after n observations, by drawing them.

    Each run draws a secret and its observations, and guesses the likeliest secret. It serves
    where the types are too many and ``success_bounds`` too wide.

    >>> from leaktight.channels.channel import Channel
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> simulate_success(coin, n=3, runs=10_000, seed=1)
    SimulatedSuccess(estimate 0.7407, 0.731991 to 0.749269 with confidence 0.95; 10,000 runs)
    """
    if not isinstance(runs, int | np.integer) or runs < 1:
        raise InvalidNumber(f"an experiment needs at least one run, a whole number, got {runs!r}")
    risk = read_risk(confidence)
    seen = observe(channel, prior).rounds(n)
    rng = np.random.default_rng(seed)
    columns = sum(matrix.shape[1] for matrix, _ in seen.parts)
    size = max(1, BATCH // max(columns, len(seen)))
    right = sum(
        _right_guesses(seen, min(size, runs - start), rng) for start in range(0, runs, size)
    )
    lower, upper = (limit(right, runs, risk / 2) for limit in (binomial_lower, binomial_upper))
    return SimulatedSuccess(right / runs, lower, upper, fraction(1 - risk), int(runs), seed)


@one_thread()
def _right_guesses(seen: Observations, runs: int, rng: np.random.Generator) -> int:
    """Count the right guesses of some runs."""
    chances = float_array(seen.prior)
    drawn = rng.choice(len(chances), runs, p=chances / chances.sum())
    scores = np.tile(_logarithms(float_array(seen.best)), (runs, 1))
    for matrix, times in seen.parts:
        rows = float_array(matrix)
        rows = rows / rows.sum(axis=1, keepdims=True)
        counts = rng.multinomial(times, rows[seen.classes[drawn]])
        scores += counts @ _logarithms(rows).T
    guessed = scores.argmax(axis=1)
    best = [int(np.argmax(np.where(seen.classes == c, seen.prior, 0))) for c in range(len(seen))]
    return int(np.count_nonzero(np.array(best)[guessed] == drawn))


def _logarithms(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(numbers), IMPOSSIBLE)
