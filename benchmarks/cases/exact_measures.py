"""The measures in rational numbers, against libqif with Python's fractions.

A claim about privacy is never approximate, so exact numbers are what we are made for. The entries
have six digits, and each row has a denominator of its own.
"""

import random
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq

import leaktight as lt
from benchmarks.case import Case

GUESSES = 10


class Given(NamedTuple):
    """What is seen, what is known before, and what each guess earns, in our form."""

    channel: lt.Channel
    prior: lt.Distribution
    gain: lt.Gain


class Fractions(NamedTuple):
    """The same in libqif's form."""

    channel: Any
    prior: Any
    gain: Any


@cache
def fractions(n: int) -> Fractions:
    """Return random rational numbers."""
    rng = random.Random(3)
    rows = [[rng.randint(1, 10**6) for _ in range(n)] for _ in range(n + 1)]
    *channel, prior = ([Fraction(w, sum(row)) for w in row] for row in rows)
    gain = [[Fraction(rng.randint(0, 100), 100) for _ in range(n)] for _ in range(GUESSES)]
    return Fractions(np.array(channel), np.array(prior), np.array(gain))


@cache
def rationals(n: int) -> Any:
    """Return the numbers in the form that is quickest to read."""
    return [[[fmpq(p.numerator, p.denominator) for p in row] for row in np.atleast_2d(table)]
            for table in fractions(n)]  # fmt: skip


def prepare(n: int) -> tuple[Given, Fractions]:
    """Make ours afresh."""
    channel, (prior,), gain = rationals(n)
    return Given(lt.Channel(channel), lt.Distribution(prior), lt.Gain(gain)), fractions(n)


def capacity(given: tuple[Given, Fractions]) -> Fraction | float:
    """Return our capacity."""
    return lt.min_capacity(given[0].channel).factor


def capacity_by_qif(given: tuple[Given, Fractions]) -> Any:
    """Return libqif's capacity."""
    import qif

    return qif.measure.bayes_vuln.mult_capacity(given[1].channel)


def posterior(given: tuple[Given, Fractions]) -> Fraction | float:
    """Return our vulnerability."""
    return lt.posterior_vulnerability(given[0].channel, given[0].prior)


def posterior_by_qif(given: tuple[Given, Fractions]) -> Any:
    """Return libqif's vulnerability."""
    import qif

    return qif.measure.bayes_vuln.posterior(given[1].prior, given[1].channel)


def gains(given: tuple[Given, Fractions]) -> Fraction | float:
    """Return our g-vulnerability."""
    return lt.posterior_vulnerability(*given[0])


def gains_by_qif(given: tuple[Given, Fractions]) -> Any:
    """Return libqif's g-vulnerability."""
    import qif

    theirs = given[1]
    return qif.measure.g_vuln.posterior(theirs.gain, theirs.prior, theirs.channel)


CASES = (
    Case(
        task="exact capacity, {n}×{n} rationals",
        sizes=(15, 100, 500),
        prepare=prepare,
        ways={"leaktight": capacity, "qif": capacity_by_qif},
        scale=lambda n: n * n,
        scale_name="entries",
    ),
    Case(
        task="exact posterior vulnerability, {n}×{n} rationals",
        sizes=(15, 100, 500),
        prepare=prepare,
        ways={"leaktight": posterior, "qif": posterior_by_qif},
        scale=lambda n: n * n,
        scale_name="entries",
    ),
    Case(
        task="exact g-vulnerability, 10 guesses, {n}×{n} rationals",
        sizes=(15, 50, 100),
        prepare=prepare,
        ways={"leaktight": gains, "qif": gains_by_qif},
        scale=lambda n: n * n,
        scale_name="entries",
    ),
)
