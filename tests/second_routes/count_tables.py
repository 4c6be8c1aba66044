"""All tables of counts that few samples can give, with their exact probabilities."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from leaktight.samples.design import SampleDesign
from leaktight.samples.observations import Counts, Observations

Row = tuple[int, ...]


def compositions(total: int, parts: int) -> Iterator[Row]:
    """Every way to write a total as so many numbers of at least 0."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield first, *rest


def multinomial(counts: Row, probabilities: Sequence[Fraction]) -> Fraction:
    ways = math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))
    return ways * math.prod(
        (p**n for p, n in zip(probabilities, counts, strict=True)), start=Fraction(1)
    )


def observed(table: np.ndarray) -> Observations:
    """The observations as pairs would give them: secrets that were not seen are not there."""
    seen = table[table.any(axis=1)]
    return Observations.from_counts(seen, np.flatnonzero(table.any(axis=1)))


def drawn_pairs(
    joint: Sequence[Sequence[Fraction]], samples: int
) -> Iterator[tuple[Observations, Fraction]]:
    """What so many pairs can be, drawn from a joint distribution."""
    flat = [p for row in joint for p in row]
    for counts in compositions(samples, len(flat)):
        if probability := multinomial(counts, flat):
            yield observed(np.array(counts).reshape(len(joint), -1)), probability


def drawn_outputs(
    rows: Sequence[Sequence[Fraction]], totals: Sequence[int]
) -> Iterator[tuple[Observations, Fraction]]:
    """What the outputs of each secret can be, so many of each."""
    each = [
        [(c, multinomial(c, row)) for c in compositions(total, len(row))]
        for row, total in zip(rows, totals, strict=True)
    ]
    for choice in product(*each):
        if probability := math.prod((p for _, p in choice), start=Fraction(1)):
            yield observed(np.array([c for c, _ in choice])), probability


def halves(design: SampleDesign) -> Iterator[tuple[Counts, Counts, Fraction]]:
    """Every way to split the samples as ``SampleDesign.halves`` may, and how likely it is."""
    counts, rows = design.observations.counts, design.observations.rows
    groups = [rows >= 0] if design.prior is None else [rows == x for x in np.unique(rows)]
    each = []
    for group in groups:
        whole = int(counts[group].sum())
        ranges = [range(int(n) + 1) for n in counts[group]]
        learnt = [part for part in product(*ranges) if sum(part) == whole // 2]
        ways = [math.prod(map(math.comb, counts[group].tolist(), part)) for part in learnt]
        each.append([(p, Fraction(w, sum(ways))) for p, w in zip(learnt, ways, strict=True)])
    for choice in product(*each):
        learn = np.zeros_like(counts)
        for group, (part, _) in zip(groups, choice, strict=True):
            learn[group] = part
        yield learn, counts - learn, math.prod((p for _, p in choice), start=Fraction(1))
