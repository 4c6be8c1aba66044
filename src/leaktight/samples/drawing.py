"""Outputs drawn so that they are the same with any executor."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from leaktight.errors import InvalidInput
from leaktight.exact.numbers import Array
from leaktight.samples.event import Samples

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
    if isinstance(outputs, str) or not isinstance(outputs, Iterable):
        raise InvalidInput(f"the sampler must return a row of outputs, got {outputs!r:.60}")
    row = list(outputs)
    if all(isinstance(output, int | float | np.number) for output in row):
        return np.array(row)
    return np.fromiter(row, dtype=object, count=len(row))
