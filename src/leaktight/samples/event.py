"""Outputs that tell two inputs apart."""

import math
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leaktight.errors import InvalidInput
from leaktight.exact.numbers import Array

MOST_EVENTS = 64
"""How many events of each kind are looked at."""

FAVOUR = 1.05
"""By how much a threshold is favoured: it is read more easily than a set of outputs."""

Bools: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class OneOf:
    """The output is one of some values."""

    values: frozenset[Hashable]

    def occurs(self, outputs: Array) -> Bools:
        """Say for each output whether it is one of the values."""
        return np.fromiter(map(self.values.__contains__, _listed(outputs)), bool, len(outputs))

    def said(self, what: str) -> str:
        """Say the event of something that is not called the output."""
        shown = ", ".join(f"{value:.60}" for value in sorted(map(repr, self.values))[:5])
        return f"{what} is one of {shown}" + (", …" if len(self.values) > 5 else "")

    def __str__(self) -> str:
        return self.said("the output")


@dataclass(frozen=True, slots=True)
class AtMost:
    """The output is a number of at most ``value``."""

    value: float

    def occurs(self, outputs: Array) -> Bools:
        """Say for each output whether it is so."""
        return outputs <= self.value

    def said(self, what: str) -> str:
        """Say the event of something that is not called the output."""
        return f"{what} is at most {self.value:.10g}"

    def __str__(self) -> str:
        return self.said("the output")


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The output is a number of at least ``value``."""

    value: float

    def occurs(self, outputs: Array) -> Bools:
        """Say for each output whether it is so."""
        return outputs >= self.value

    def said(self, what: str) -> str:
        """Say the event of something that is not called the output."""
        return f"{what} is at least {self.value:.10g}"

    def __str__(self) -> str:
        return self.said("the output")


Event: TypeAlias = OneOf | AtMost | AtLeast
Hits: TypeAlias = npt.NDArray[np.int64]
Samples: TypeAlias = tuple[Array, Array]
"""Outputs of the one input and of the other."""


Score: TypeAlias = Callable[[Hits, Hits], Array]
"""How good events are that occur so often for the one input and for the other."""


def best_event(learn: Samples, judge: Samples, score: Score) -> tuple[Event, float]:
    """Return the event with the best score, proposed by some samples and judged by others.

    The events are the sets of outputs whose frequencies have the largest ratios, and for numbers
    the sets on one side of a threshold. ``score`` takes how often each event occurs among the
    samples that judge; those that proposed it would praise it too much.
    """
    kinds = ((best_threshold, FAVOUR), (best_set, 1.0))
    scored = [(kind(learn, judge, score), favour) for kind, favour in kinds]
    found = [(each[1] * favour, each) for each, favour in scored if each is not None]
    return max(found, key=lambda each: each[0])[1]


def best_threshold(learn: Samples, judge: Samples, score: Score) -> tuple[Event, float] | None:
    """Return the best set of numbers on one side of a threshold; None if there are no numbers."""
    return _best(_Thresholds.of(learn), judge, score)


def best_set(learn: Samples, judge: Samples, score: Score) -> tuple[Event, float] | None:
    """Return the best set of outputs that were seen."""
    return _best(_Ranking.of(learn), judge, score)


def _best(
    events: "_Thresholds | _Ranking", judge: Samples, score: Score
) -> tuple[Event, float] | None:
    scores = score(events.hits(judge[0]), events.hits(judge[1]))
    if not len(scores):
        return None
    at = int(scores.argmax())
    return events.event(at), float(scores[at])


@dataclass(frozen=True, slots=True)
class _Thresholds:
    """The events {output ≤ t} for some t, then {output ≥ t} for the same."""

    values: Array

    @classmethod
    def of(cls, learn: Samples) -> "_Thresholds":
        if not all(part.dtype.kind in "iuf" for part in learn):
            return cls(np.empty(0))
        pooled = np.concatenate([part.astype(float) for part in learn])
        pooled = pooled[np.isfinite(pooled)]
        if not len(pooled):
            return cls(np.empty(0))
        places = np.linspace(0, 1, MOST_EVENTS)
        return cls(np.unique(np.quantile(pooled, places, method="lower")))

    def hits(self, outputs: Array) -> Hits:
        if not len(self.values):
            return np.empty(0, dtype=np.int64)
        ordered = np.sort(outputs[outputs == outputs])
        below = np.searchsorted(ordered, self.values, side="left")
        return np.concatenate(
            [np.searchsorted(ordered, self.values, side="right"), len(ordered) - below]
        )

    def event(self, at: int) -> Event:
        value = float(self.values[at % len(self.values)])
        return AtMost(value) if at < len(self.values) else AtLeast(value)


@dataclass(frozen=True, slots=True)
class _Ranking:
    """The events {output is among the first so many}, by the ratio of the frequencies."""

    ranked: list[Any]
    lengths: Hits

    @classmethod
    def of(cls, learn: Samples) -> "_Ranking":
        try:
            ours, theirs = (Counter(_listed(part)) for part in learn)
        except TypeError:
            raise InvalidInput("an output must be hashable; make lists tuples") from None
        ranked = sorted(ours, key=lambda z: (ours[z] + 0.5) / (theirs[z] + 0.5), reverse=True)
        return cls(ranked, np.unique(np.linspace(1, len(ranked), MOST_EVENTS).astype(np.int64)))

    def hits(self, outputs: Array) -> Hits:
        rank = {value: i for i, value in enumerate(self.ranked)}
        last = len(self.ranked)
        ranks = np.fromiter((rank.get(z, last) for z in _listed(outputs)), int, len(outputs))
        return np.cumsum(np.bincount(ranks, minlength=last))[self.lengths - 1]

    def event(self, at: int) -> Event:
        return OneOf(frozenset(self.ranked[: self.lengths[at]]))


def _listed(outputs: Array) -> list[Any]:
    """Return the outputs as labels; NaN, which does not equal itself, is always the same one."""
    listed: list[Any] = outputs.tolist()
    if outputs.dtype.kind in "iub":
        return listed
    return [math.nan if isinstance(z, float) and z != z else z for z in listed]
