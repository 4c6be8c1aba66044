"""The chance of a right guess from outputs that are real numbers, judged by samples.

Of real numbers hardly any is seen twice, so counting tells nothing. A rule is learnt from one half
of the samples, by nearest neighbours as in [Cherubin2019]_ or by histograms, and tested on the
other half. That bounds the best guess from below, whatever made the samples. No number of samples
bounds it from above without assumptions: each output could hide its secret in its last digits.
"""

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidFile, InvalidInput, Mismatch, without_data
from leaktight.exact.numbers import Number, fraction
from leaktight.samples.confidence import read_risk
from leaktight.samples.design import SampleDesign, generator
from leaktight.samples.leakage import LeakageEstimate, leaked, tested_lower
from leaktight.samples.observations import Observations, numbered, read_columns

# --- rules, learnt from samples, of which secret a number suggests ---------------------------
# A rule is learnt from some samples and guesses the secrets of others. Nothing is proved of how
# it guesses: whatever it does, how often it is right on samples it has not seen can be proved.

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


# --- how often a rule is right ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RuleEstimate:
    """What a learnt ``rule`` proves: how likely a right guess is at least, and how much leaks."""

    rule: str
    vulnerability: LeakageEstimate
    leakage: LeakageEstimate

    def __str__(self) -> str:
        return f"{self.vulnerability}\n{self.leakage}\nby {self.rule}"


def estimate_from_numbers(
    secrets: Iterable[Hashable],
    outputs: Any,
    prior: PriorLike = None,
    confidence: Number = 0.95,
    seed: int | None = None,
) -> RuleEstimate:
    """Return how likely a right guess is at least, and how much leaks, if outputs are numbers.

    ``outputs`` has a number for each secret, or a row of numbers. Samples, ``prior`` and ``seed``
    are as for :func:`estimate_posterior_vulnerability`. A few rules are tried on the half that is
    learnt from; the one that does best there is tested on the other half, by exact binomial
    limits. The estimate is how often it was right; the upper bound is only what always holds.

    >>> rng = np.random.default_rng(7)
    >>> secrets = ["no", "yes"] * 1000
    >>> times = [20 + 5 * (secret == "yes") + rng.normal() for secret in secrets]
    >>> found = estimate_from_numbers(secrets, times, ["1/2", "1/2"], seed=7)
    >>> found.vulnerability.lower > 0.98, found.leakage.upper
    (True, 1.0)
    """
    places, labels = numbered(secrets, "secret")
    numbers, size = _read(outputs), len(labels)
    if len(places) != len(numbers):
        raise Mismatch(
            "there must be an output for each secret, "
            f"got {len(places):,} secrets and {len(numbers):,} outputs"
        )
    rng, risk = generator(seed), read_risk(confidence)
    learns = _half(places if prior is not None else np.zeros_like(places), rng)
    seen = Observations([labels[place] for place in places.tolist()], learns.tolist())
    design = SampleDesign.of(seen, prior, rng)
    lessons = Lessons(
        numbers[learns],
        places[learns],
        design.weights(np.bincount(places[learns], minlength=size)),
        design.ranks,
    )
    learn = np.where(np.array(seen.outputs)[seen.columns], seen.counts, 0)
    test = seen.counts - learn
    hits, rule = np.zeros(size, dtype=np.int64), "no rule: there is nothing to learn from"
    if learns.any():
        best = best_rule(lessons, rng)
        right = best.guesses(lessons, numbers[~learns]) == places[~learns]
        hits, rule = np.bincount(places[~learns][right], minlength=size), str(best)
    totals = seen.per_secret(test)
    weights = design.weights(totals)
    share = float((hits * weights).sum() / (totals * weights).sum())
    lower = partial(tested_lower, design, hits, totals)
    guess = LeakageEstimate(
        share, lower(risk), 1.0, fraction(1 - risk), len(places), "posterior vulnerability", ""
    )
    each = risk if design.prior is not None else risk / 3
    after = replace(guess, lower=lower(each))
    return RuleEstimate(rule, guess, leaked(after, design, learn, test, each))


@without_data()
def read_numbers(path: str | Path, secret: str, outputs: Iterable[str]) -> tuple[list[str], Floats]:
    """Read a column of secrets and columns of numbers of a CSV file, by their names."""
    named = list(outputs)
    secrets, *columns = read_columns(path, secret, *named)
    try:
        return secrets, np.array([[float(cell) for cell in column] for column in columns]).T
    except ValueError:
        raise InvalidFile(f"{path}: {', '.join(map(repr, named))} must hold numbers") from None


@without_data()
def _read(outputs: Any) -> Floats:
    """Return a row of numbers for each sample."""
    try:
        numbers = np.asarray(outputs, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput("outputs must be numbers, or rows of numbers of one length") from None
    rows = numbers[:, None] if numbers.ndim == 1 else numbers
    if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        raise InvalidInput("outputs must be finite numbers, or rows of them, of some samples")
    return rows


def _half(groups: Any, rng: np.random.Generator) -> Any:
    """Say which samples are learnt from: half of each group, rounded down, drawn at random."""
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    sizes = np.bincount(groups)
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    chosen = np.zeros(len(groups), dtype=bool)
    chosen[order] = np.arange(len(groups)) - starts < np.repeat(sizes // 2, sizes)
    return chosen
