"""How private a mechanism can be at best that can only be called.

An event that is p likely for one input and q for its neighbour shows ε ≥ ln(p/q). The event is
looked for in one half of the outputs and counted in the other, so that its counts are binomial
whatever the search did. This finds bugs; no number of samples shows that a mechanism is private.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from inspect import signature
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq

from leaktight.errors import InvalidInput, InvalidNumber, is_list
from leaktight.exact.numbers import Array, Number, as_printed, fraction, rational, to_float
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import ln_interval
from leaktight.exact.shown import Told, counted, percent_as_given, shown
from leaktight.samples.confidence import (
    binomial_lower,
    binomial_upper,
    expected_ends,
    read_risk,
)
from leaktight.samples.design import generator
from leaktight.samples.event import Event, Hits, Samples, best_event
from leaktight.samples.leakage import rounded_down

# --- outputs drawn so that they are the same with any executor -------------------------------

Sampler: TypeAlias = Callable[[Any, int, np.random.Generator], Any]
"""``sampler(input, count, rng)`` returns so many outputs for an input, one after the other."""

CHUNK = 2**14
"""How many outputs are asked for at a time."""


@dataclass(frozen=True, slots=True)
class OneAtATime:
    """The sampler of a mechanism that takes an input and returns one output.

    It brings its own randomness, so that a seed does not repeat it. An executor with several
    processes needs a mechanism whose randomness is not the same in all of them.

    >>> OneAtATime(abs)(-3, 2, np.random.default_rng())
    [3, 3]
    """

    mechanism: Callable[[Any], Any]

    def __call__(self, value: Any, count: int, rng: np.random.Generator) -> list[Any]:
        """Call the mechanism so many times."""
        return [self.mechanism(value) for _ in range(count)]


@dataclass(frozen=True, slots=True)
class Drawing:
    """How outputs are drawn: in chunks, each with random numbers of its own."""

    sampler: Sampler
    count: int
    """How many outputs of each input of each pair."""
    entropy: Any
    executor: Executor | None
    progress: Callable[[int, int], object] | None

    def outputs(self, pair: tuple[Hashable, Hashable], place: int, pairs: int) -> Samples:
        """Draw for the pair at such a place; neither order nor executor changes what is drawn."""
        starts = range(0, self.count, CHUNK)
        jobs = [
            (pair[side], min(CHUNK, self.count - start), (place, side, at))
            for side in (0, 1)
            for at, start in enumerate(starts)
        ]
        drawn: list[Array] = [np.empty(0)] * len(jobs)
        done, total = 2 * self.count * place, 2 * self.count * pairs
        for at, outputs in self._results(jobs):
            drawn[at] = outputs
            done += len(outputs)
            if self.progress is not None:
                self.progress(done, total)
        return np.concatenate(drawn[: len(starts)]), np.concatenate(drawn[len(starts) :])

    def _results(self, jobs: list[Any]) -> Iterator[tuple[int, Array]]:
        """Yield the place of each job and its outputs, as they come."""
        chunk = partial(_chunk, self.sampler, self.entropy)
        if self.executor is None:
            yield from ((at, chunk(*job)) for at, job in enumerate(jobs))
            return
        futures = {self.executor.submit(chunk, *job): at for at, job in enumerate(jobs)}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()


def _chunk(
    sampler: Sampler, entropy: Any, value: Any, count: int, key: tuple[int, int, int]
) -> Array:
    """Return one chunk of outputs: numbers, or objects that are labels."""
    rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=key))
    outputs = sampler(value, count, rng)
    array = outputs if isinstance(outputs, np.ndarray) else _as_array(outputs)
    if array.shape != (count,):
        raise InvalidInput(
            f"the sampler must return {count:,} outputs in one row, got shape {array.shape}; "
            "make each output one number, text or tuple"
        )
    return array


def _as_array(outputs: Any) -> Array:
    if not is_list(outputs):
        raise InvalidInput(f"the sampler must return a row of outputs, got {outputs!r:.60}")
    row = list(outputs)
    if all(isinstance(output, int | float | np.number) for output in row):
        return np.array(row)
    return np.fromiter(row, dtype=object, count=len(row))


# --- the largest ε that calls prove ----------------------------------------------------------

LEAST = 8
"""The fewest outputs of an input from which anything can be learnt and tested."""


@dataclass(frozen=True, slots=True, repr=False)
class EpsilonLowerBound(Told):
    """A mechanism is at most so private: its ε is at least ``epsilon``, with some confidence.

    It is a lower bound only. A mechanism of which little is found may be as bad as any.
    """

    ratio: Fraction
    """What e^ε is at least, with the confidence stated."""
    confidence: Fraction
    pair: tuple[Hashable, Hashable]
    """The input for which the event is likelier, and its neighbour."""
    event: Event
    counts: tuple[int, int]
    """How often the event occurred for the one and for the other."""
    trials: int
    """Out of so many outputs of each, in which it had not been looked for."""
    delta: Fraction

    @property
    def epsilon(self) -> float:
        """The ln of the ratio, rounded down."""
        return max(0.0, ln_interval(self.ratio)[0])

    def refutes(self, ratio: RatioLike = None, epsilon: Number | None = None) -> bool:
        """Say whether the bound is above a ratio or an ε that was claimed; decided exactly."""
        return self.ratio > Ratio.of(ratio, epsilon).upper

    def verdict(self, ratio: RatioLike = None, epsilon: Number | None = None) -> str:
        """Return what the bound says about a claim, as a sentence."""
        claim = f"e^ε = {ratio}" if epsilon is None else f"ε = {epsilon}"
        if self.refutes(ratio, epsilon):
            return f"{claim} is refuted: {self}"
        return f"{claim} is not refuted: {self}"

    def __str__(self) -> str:
        one, other = self.pair
        slack = f" at δ = {shown(self.delta)}" if self.delta else ""
        return (
            f"ε is at least {rounded_down(self.epsilon)}{slack} "
            f"with {percent_as_given(self.confidence)} confidence ({self.event}: "
            f"{self.counts[0]:,} times for {one!r}, {self.counts[1]:,} times for {other!r}, "
            f"of {self.trials:,}); this does not show that it is private"
        )


def epsilon_by_calls(
    sampler: Sampler,
    pairs: Iterable[tuple[Hashable, Hashable]],
    samples: int,
    confidence: Number = 0.95,
    delta: Number = 0,
    seed: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> EpsilonLowerBound:
    """Return a lower bound on the ε of a mechanism from its outputs for neighbouring inputs.

    ``sampler(input, count, rng)`` returns ``count`` independent outputs: a numpy array, or a list
    of numbers or of labels; NaN is an output like any other. ``OneAtATime(mechanism)`` makes a
    sampler of a plain function. ``samples`` are drawn in all, alike many for each input of each
    pair. The bound holds for all pairs together, each having its part of the risk. With a ``delta``
    it is a bound on the ε of (ε, δ)-privacy. [Ding2018]_ and [Bichsel2021]_ look for events in
    similar ways.

    The outputs are asked for in chunks, through any ``executor`` of ``concurrent.futures``; a
    ``seed`` gives the same outputs with any executor or none. ``progress(done, total)`` is called
    after each chunk.

    >>> def noisy(x, count, rng):                   # the geometric mechanism at ε = 1
    ...     p = 1 - np.exp(-1)
    ...     return x + rng.geometric(p, count) - rng.geometric(p, count)
    >>> bound = epsilon_by_calls(noisy, [(0, 1)], samples=100_000, seed=1)
    >>> 0.9 < bound.epsilon <= 1
    True
    >>> bound.refutes(epsilon="1/2"), bound.refutes(epsilon=1)
    (True, False)
    """
    _check_sampler(sampler)
    neighbours, slack, risk = _read_pairs(pairs), _read_delta(delta), read_risk(confidence)
    each = _read_samples(samples, len(neighbours))
    source: Any = generator(seed).bit_generator.seed_seq
    draw = Drawing(sampler, each, source.entropy, executor, progress)
    bounds = []
    for place, pair in enumerate(neighbours):
        outputs = draw.outputs(pair, place, len(neighbours))
        bounds.append(_bound(pair, outputs, slack, risk / len(neighbours), fraction(1 - risk)))
    return max(bounds, key=lambda bound: bound.ratio)


def _check_sampler(sampler: Any) -> None:
    """Refuse what cannot be called with an input, a count and random numbers."""
    name = getattr(sampler, "__name__", f"{sampler!r:.60}")
    if not callable(sampler):
        raise InvalidInput(f"expected a sampler, a function of (input, count, rng), got {name}")
    try:
        signature(sampler).bind(0, 1, None)
    except TypeError:
        raise InvalidInput(
            f"a sampler must take (input, count, rng) and return so many outputs, got {name}; "
            f"OneAtATime({name}) makes one of a function that takes an input and returns one output"
        ) from None
    except ValueError:  # what is written in C may not tell what it takes
        pass


def _read_pairs(pairs: Any) -> list[tuple[Hashable, Hashable]]:
    try:
        found = [(one, other) for one, other in pairs]
    except (TypeError, ValueError):
        raise InvalidInput(
            f"expected pairs of neighbouring inputs such as [(0, 1)], got {pairs!r:.60}"
        ) from None
    if not found:
        raise InvalidInput("there must be at least one pair of neighbouring inputs, got none")
    return found


def _read_samples(samples: int, pairs: int) -> int:
    """Return how many outputs of each input of each pair a total allows."""
    least = 2 * pairs * LEAST
    if not isinstance(samples, int | np.integer) or samples < least:
        raise InvalidNumber(
            f"the number of samples must be at least {least} for "
            f"{counted(pairs, 'pair', 'pairs')}, got {samples!r}"
        )
    return int(samples) // (2 * pairs)


def _read_delta(delta: Number) -> fmpq:
    slack = as_printed(delta)
    if not 0 <= slack < 1:
        raise InvalidNumber(f"δ must be at least 0 and below 1, got {delta}")
    return slack


def _bound(
    pair: tuple[Hashable, Hashable], outputs: Samples, delta: fmpq, risk: fmpq, confidence: Fraction
) -> EpsilonLowerBound:
    """Look for an event in one half of the outputs, and count it in the other."""
    half = len(outputs[0]) // 2
    learn, judge, test = (
        (outputs[0][part], outputs[1][part])
        for part in (slice(half // 2), slice(half // 2, half), slice(half, None))
    )
    trials = len(test[0])
    growth = trials / len(judge[0])

    def score(likely: Hits, rare: Hits) -> Array:
        ends = expected_ends(likely * growth, rare * growth, trials, to_float(risk / 2))
        return (ends[0] - to_float(delta)) / ends[1]

    found = []
    for one, other in ((0, 1), (1, 0)):
        event, value = best_event((learn[one], learn[other]), (judge[one], judge[other]), score)
        found.append((value, one, other, event))
    _, one, other, event = max(found, key=lambda way: way[0])
    counts = int(event.occurs(test[one]).sum()), int(event.occurs(test[other]).sum())
    likely = rational(binomial_lower(counts[0], trials, risk / 2)) - delta
    rare = rational(binomial_upper(counts[1], trials, risk / 2))
    ratio = fraction(max(fmpq(1), likely / rare))
    named = pair[one], pair[other]
    return EpsilonLowerBound(ratio, confidence, named, event, counts, trials, fraction(delta))
