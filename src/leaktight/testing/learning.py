"""The event that tells two inputs apart best, learnt from some outputs.

Whatever is learnt here is a proposal: the event is then counted in other outputs.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from leaktight.exact.numbers import Array
from leaktight.exact.threads import one_thread
from leaktight.samples.event import Bools, Event, Samples, Score, best_set, best_threshold
from leaktight.testing.calls import Both
from leaktight.testing.outputs import WHOLE, Outputs

BINS, SINGLE, JOINT = 32, 16, 64
"""Into how many ranges a column is cut, of how many columns each is tried alone, and how many are
joined in a score."""

FEW = 64
"""Up to how many different values of a column sets of them are looked at, too."""

SIMPLE = 1.1
"""By how much an event is favoured that needs no learnt score: somebody will read it."""

STEPS = 12
"""How many steps of Newton's a regression takes."""


@dataclass(frozen=True, slots=True)
class Column:
    """A part of an output, by its name."""

    name: str

    def of(self, outputs: Outputs) -> Array:
        """Return it of each output."""
        return outputs.column(self.name)

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
class RangeScore:
    """The sum of the weights of all columns, as if they were independent (naive Bayes)."""

    parts: tuple[Ranges, ...]

    def of(self, outputs: Outputs) -> Array:
        """Return it of each output."""
        scores = np.zeros(len(outputs))
        for part in self.parts:
            scores += part.of(outputs)
        return scores

    def __str__(self) -> str:
        return f"a learnt sum of weights of {_listed([part.column for part in self.parts])}"


@dataclass(frozen=True, slots=True)
class LinearScore:
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


View: TypeAlias = Column | RangeScore | LinearScore


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
        if isinstance(self.view, RangeScore) and len(self.view.parts) == 1:
            (part,) = self.view.parts
            return part.said(self.event.occurs(part.weights).tolist())
        return self.event.said(str(self.view))


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
        for kind in _kinds(view, known):
            best = kind(known, _arrays(view, judge), score)
            if best is not None:
                event, value = best
                favour = SIMPLE if isinstance(view, Column) and value > 0 else 1.0
                found.append((value * favour, value, Seen(view, event)))
    _, value, best_found = max(found, key=lambda each: each[0])
    return best_found, value


def _kinds(view: View, known: Samples) -> list[Callable[..., tuple[Event, float] | None]]:
    """Return which kinds of events a view is good for."""
    if not isinstance(view, Column):
        return [best_threshold]
    if view.name == WHOLE:
        return [best_set]
    few = len(np.unique(np.concatenate(known))) <= FEW
    return [best_threshold, best_set] if few else [best_threshold]


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
