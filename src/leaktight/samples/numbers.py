"""The chance of a right guess from outputs that are real numbers, judged by samples.

Of real numbers hardly any is seen twice, so counting tells nothing. A rule is learnt from one half
of the samples, by nearest neighbours as in [Cherubin2019]_ or by histograms, and tested on the
other half. That bounds the best guess from below, whatever made the samples. No number of samples
bounds it from above without assumptions: each output could hide its secret in its last digits.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidFile, InvalidInput, Mismatch, without_data
from leaktight.exact.numbers import Number, fraction
from leaktight.samples.confidence import read_risk
from leaktight.samples.design import SampleDesign, generator
from leaktight.samples.leakage import LeakageEstimate, leaked, tested_lower
from leaktight.samples.observations import Observations, numbered, read_columns
from leaktight.samples.rules import Floats, Lessons, best_rule


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
