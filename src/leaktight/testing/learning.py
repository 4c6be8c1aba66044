"""The event that tells two inputs apart best, learnt from some outputs.

Whatever is learnt here is a proposal: the event is then counted in other outputs.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, TypeAlias

import numpy as np

from leaktight.exact.numbers import Array
from leaktight.exact.threads import one_thread
from leaktight.samples.event import Bools, Event, Samples, Score, best_set, best_threshold
from leaktight.testing.calls import Both
from leaktight.testing.outputs import WHOLE, Outputs

Learner: TypeAlias = Callable[..., tuple[Event, float] | None]
"""What learns the best event of some kind from some numbers, and judges it by others."""

BINS, SINGLE, JOINT = 32, 16, 64
"""Into how many ranges a column is cut, of how many columns each is tried alone, and how many are
joined in a score."""

FEW = 64
"""Up to how many different values of a column sets of them are looked at, too."""

SIMPLE = 1.1
"""By how much an event is favoured that needs no learnt score: somebody will read it."""

STEPS = 12
"""How many steps of Newton's a regression takes."""


class View(ABC):
    """A number that is looked at in each output."""

    favour: ClassVar[float] = 1.0
    """By how much an event of it is favoured, if it tells anything."""

    @abstractmethod
    def of(self, outputs: Outputs) -> Array:
        """Return it of each output."""

    def kinds(self, known: Samples) -> list[Learner]:
        """Return which kinds of events it is good for."""
        return [best_threshold]

    def said(self, event: Event) -> str:
        """Say what an event of it is."""
        return event.said(str(self))


@dataclass(frozen=True, slots=True)
class Column(View):
    """A part of an output, by its name."""

    favour: ClassVar[float] = SIMPLE
    name: str

    def of(self, outputs: Outputs) -> Array:
        """Return it of each output."""
        return outputs.column(self.name)

    def kinds(self, known: Samples) -> list[Learner]:
        """Return sets of values for the whole output, and else if there are few."""
        if self.name == WHOLE:
            return [best_set]
        few = len(np.unique(np.concatenate(known))) <= FEW
        return [best_threshold, best_set] if few else [best_threshold]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Ranges:
    """How much likelier a column's value is for one input, by the range in which it lies."""

    column: Column
    edges: Array
    weights: Array
    """The logarithm of the ratio for each range, and at last for NaN."""
    apart: float
    """How far apart the inputs are by it: the total variation of what was learnt from."""

    @classmethod
    def learnt(cls, column: Column, learn: Both) -> "Ranges":
        """Cut a column where its quantiles are, and count."""
        ours, theirs = (column.of(part) for part in learn)
        pooled = np.concatenate([ours, theirs])
        known = pooled[~np.isnan(pooled)]
        values = np.unique(known)
        if len(values) > BINS:
            cuts = np.quantile(known, np.linspace(0, 1, BINS + 1)[1:-1], method="lower")
            values = np.unique(cuts)
        counts = [_counts(part, values) for part in (ours, theirs)]
        shares = [count / max(count.sum(), 1) for count in counts]
        smooth = [(count + 0.5) / (count.sum() + 0.5 * len(count)) for count in counts]
        weights = np.log(smooth[0] / smooth[1])
        return cls(column, values, weights, float(np.abs(shares[0] - shares[1]).sum() / 2))

    def of(self, outputs: Outputs) -> Array:
        """Return the weight of each output."""
        return self.weights[_places(self.column.of(outputs), self.edges)]

    def said(self, chosen: list[bool]) -> str:
        """Say that the column is in one of the ranges that are chosen."""
        ends = [-math.inf, *self.edges.tolist(), math.inf]
        parts = list[list[float]]()
        for (low, high), wanted in zip(pairwise(ends), chosen, strict=False):
            if wanted and parts and parts[-1][1] == low:
                parts[-1][1] = high
            elif wanted:
                parts.append([low, high])
        said = [f"({low:.10g}, {high:.10g}]" for low, high in parts[:5]]
        said += [f"{len(parts) - 5} more ranges"] if len(parts) > 5 else []
        said += ["NaN or missing"] if chosen[-1] else []
        return f"{self.column} is in {', '.join(said)}"


def _places(values: Array, edges: Array) -> Array:
    """Return the range of each value: the last but one is beyond all edges, the last is NaN."""
    found = np.searchsorted(edges, values, side="left")
    return np.where(np.isnan(values), len(edges) + 1, found)


def _counts(values: Array, edges: Array) -> Array:
    return np.bincount(_places(values, edges), minlength=len(edges) + 2).astype(float)


@dataclass(frozen=True, slots=True)
class RangeScore(View):
    """The sum of the weights of all columns, as if they were independent (naive Bayes)."""

    parts: tuple[Ranges, ...]

    def of(self, outputs: Outputs) -> Array:
        """Return it of each output."""
        scores = np.zeros(len(outputs))
        for part in self.parts:
            scores += part.of(outputs)
        return scores

    def said(self, event: Event) -> str:
        """Say in which ranges a column is that is looked at alone."""
        if len(self.parts) > 1:
            return super(RangeScore, self).said(event)
        (part,) = self.parts
        return part.said(event.occurs(part.weights).tolist())

    def __str__(self) -> str:
        return f"a learnt sum of weights of {_listed([part.column for part in self.parts])}"


@dataclass(frozen=True, slots=True)
class LinearScore(View):
    """A sum of columns with learnt factors (logistic regression)."""

    columns: tuple[Column, ...]
    middle: Array
    factors: Array

    @classmethod
    @one_thread()
    def learnt(cls, columns: tuple[Column, ...], learn: Both) -> "LinearScore":
        """Let Newton's steps find the factors, with a little regularisation."""
        sides = [np.column_stack([c.of(part) for c in columns]) for part in learn]
        whole = np.concatenate(sides)
        whole[~np.isfinite(whole)] = np.nan
        known = ~np.isnan(whole)
        count = np.maximum(known.sum(axis=0), 1)
        middle = np.where(known, whole, 0).sum(axis=0) / count
        off = np.where(known, whole - middle, 0)
        spread = np.sqrt((off**2).sum(axis=0) / count)
        scale = np.where(spread > 0, spread, 1)
        features = np.column_stack([off / scale, np.ones(len(off))])
        answers = np.repeat([1.0, 0.0], [len(side) for side in sides])
        found = np.zeros(features.shape[1])
        for _ in range(STEPS):
            chances = 1 / (1 + np.exp(-np.clip(features @ found, -30, 30)))
            slope = features.T @ (answers - chances) - found
            bend = (features.T * (chances * (1 - chances))) @ features + np.eye(len(found))
            found = found + np.linalg.solve(bend, slope)
        return cls(columns, middle, found[:-1] / scale)

    def of(self, outputs: Outputs) -> Array:
        """Return it of each output."""
        scores = np.zeros(len(outputs))
        for column, middle, factor in zip(self.columns, self.middle, self.factors, strict=True):
            values = column.of(outputs)
            scores += np.where(np.isfinite(values), factor * (values - middle), 0)
        return scores

    def __str__(self) -> str:
        return f"a learnt linear combination of {_listed(list(self.columns))}"


def _listed(columns: list[Column]) -> str:
    names = [column.name for column in columns[:4]]
    more = len(columns) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


@dataclass(frozen=True, slots=True)
class Seen:
    """An event: some part or score of the output is in some set."""

    view: View
    event: Event

    def occurs(self, outputs: Outputs) -> Bools:
        """Say for each output whether it is so."""
        with np.errstate(all="ignore"):
            return self.event.occurs(self.view.of(outputs))

    def __str__(self) -> str:
        return self.view.said(self.event)


def learnt_event(
    learn: Both, judge: Both, score: Score, low_bits: bool = True
) -> tuple[Seen, float]:
    """Return the event with the best score, proposed by some outputs and judged by others."""
    with np.errstate(all="ignore"):
        return _learnt(learn, judge, score, low_bits)


def _learnt(learn: Both, judge: Both, score: Score, low_bits: bool) -> tuple[Seen, float]:
    found = list[tuple[float, float, Seen]]()
    for view in _views(learn, low_bits):
        known = _arrays(view, learn)
        for kind in view.kinds(known):
            best = kind(known, _arrays(view, judge), score)
            if best is not None:
                event, value = best
                favoured = value * view.favour if value > 0 else value
                found.append((favoured, value, Seen(view, event)))
    _, value, best_found = max(found, key=lambda each: each[0])
    return best_found, value


def _arrays(view: View, both: Both) -> Samples:
    return view.of(both[0]), view.of(both[1])


def _views(learn: Both, low_bits: bool) -> list[View]:
    """Return what is looked at: the output, those parts that tell most alone, and learnt scores."""
    names = dict.fromkeys([*learn[0].names(low_bits), *learn[1].names(low_bits)])
    ranges = [Ranges.learnt(Column(name), learn) for name in names]
    ranges.sort(key=lambda each: -each.apart)
    views = list[View]([Column(WHOLE), *(each.column for each in ranges[:SINGLE])])
    views += [RangeScore((each,)) for each in ranges[:SINGLE] if len(each.edges) > 2]
    if len(ranges) > 1:
        joined = tuple(ranges[:JOINT])
        views += [RangeScore(joined), LinearScore.learnt(tuple(r.column for r in joined), learn)]
    return views
