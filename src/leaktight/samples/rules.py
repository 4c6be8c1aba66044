"""Rules, learnt from samples, of which secret a number suggests.

A rule is learnt from some samples and guesses the secrets of others. Nothing is proved of how it
guesses: whatever it does, how often it is right on samples it has not seen can be proved.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

TABLE = 2**22
"""The most entries of a table of groups and secrets."""

NEIGHBOURS = 64
"""The most neighbours that are asked."""

CELLS = (2, 4, 8, 16, 32, 64, 128, 256)
"""Into how many parts a histogram cuts each number."""


@dataclass(frozen=True, slots=True, eq=False)
class Lessons:
    """Samples to learn from: numbers, the place of each secret, its weight, and a rank for ties."""

    numbers: Floats
    """A row for each sample."""
    secrets: Places
    weights: Floats
    """What a sample of each secret weighs."""
    ranks: Places

    def likeliest(self, groups: Places, size: int, secrets: Places) -> Places:
        """Return for each of some groups of samples the secret that weighs most in it.

        A group without samples gets the secret that weighs most of all.
        """
        count = len(self.weights)
        scores = np.bincount(groups * count + secrets, self.weights[secrets], size * count)
        scores = scores.reshape(size, count)
        whole = np.bincount(self.secrets, self.weights[self.secrets], count)
        scores[~scores.any(axis=1)] = whole
        ties = scores == scores.max(axis=1, keepdims=True)
        return np.where(ties, self.ranks, -1).argmax(axis=1)


class Rule(Protocol):
    """A way to guess, before it has learnt anything."""

    def guesses(self, lessons: Lessons, numbers: Floats) -> Places:
        """Learn, and return the secret that each row of numbers suggests."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """Guess the secret that most of the nearest samples have."""

    neighbours: int

    def guesses(self, lessons: Lessons, numbers: Floats) -> Places:
        """Learn, and return the secret that each row of numbers suggests."""
        from scipy.spatial import cKDTree

        scale = lessons.numbers.std(axis=0)
        scale[scale == 0] = 1
        tree = cKDTree(lessons.numbers / scale)
        found = np.empty(len(numbers), dtype=np.intp)
        size = max(1, TABLE // max(self.neighbours, len(lessons.weights)))
        for start in range(0, len(numbers), size):
            block = numbers[start : start + size] / scale
            _, near = tree.query(block, k=np.arange(1, self.neighbours + 1))
            group = np.repeat(np.arange(len(block)), self.neighbours)
            secrets = lessons.secrets[near.ravel()]
            found[start : start + size] = lessons.likeliest(group, len(block), secrets)
        return found

    def __str__(self) -> str:
        return f"the nearest {self.neighbours}" if self.neighbours > 1 else "the nearest one"


@dataclass(frozen=True, slots=True)
class Histogram:
    """Guess the secret that most samples in the same cell have; cells hold about as many each."""

    cells: int

    def guesses(self, lessons: Lessons, numbers: Floats) -> Places:
        """Learn, and return the secret that each row of numbers suggests."""
        learnt = np.zeros(len(lessons.numbers), dtype=np.intp)
        asked = np.zeros(len(numbers), dtype=np.intp)
        for own, other in zip(lessons.numbers.T, numbers.T, strict=True):
            cuts = np.quantile(own, np.arange(1, self.cells) / self.cells)
            learnt = learnt * self.cells + np.searchsorted(cuts, own, side="right")
            asked = asked * self.cells + np.searchsorted(cuts, other, side="right")
        size = self.cells ** numbers.shape[1]
        return lessons.likeliest(learnt, size, lessons.secrets)[asked]

    def __str__(self) -> str:
        return f"a histogram of {self.cells} cells for each number"


def rules(samples: int, width: int, secrets: int) -> Iterator[Rule]:
    """Yield the rules that are tried for so many samples, of so many numbers and secrets."""
    some = {1, math.ceil(math.log(samples + 1)), math.ceil(math.sqrt(samples))}
    yield from (Nearest(k) for k in sorted({min(k, samples, NEIGHBOURS) for k in some}))
    most = min(samples // 2, TABLE // secrets)
    yield from (Histogram(cells) for cells in CELLS if cells**width <= most)


def best_rule(lessons: Lessons, rng: np.random.Generator) -> Rule:
    """Return the rule that, learnt from two thirds of the samples, does best on the third."""
    order = rng.permutation(len(lessons.secrets))
    judge, learn = np.split(order, [len(order) // 3])
    if not len(judge):
        return Nearest(1)
    first = Lessons(lessons.numbers[learn], lessons.secrets[learn], lessons.weights, lessons.ranks)
    own = lessons.secrets[judge]

    def score(rule: Rule) -> float:
        right = rule.guesses(first, lessons.numbers[judge]) == own
        return float(lessons.weights[own[right]].sum())

    return max(rules(len(learn), lessons.numbers.shape[1], len(lessons.weights)), key=score)
