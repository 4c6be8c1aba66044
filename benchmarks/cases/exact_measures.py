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
from benchmarks.case import Case, Way
from benchmarks.cases.g_vulnerability import Given
from benchmarks.libraries import qif

GUESSES = 10


class Fractions(NamedTuple):
    """What is seen, what is known before, and what each guess earns, in libqif's form."""

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


def family(measure: str, sizes: tuple[int, ...], ours: Way, theirs: Way) -> Case:
    """Compare a measure of the same numbers with libqif's."""
    return Case(
        task=f"exact {measure}, {{n}}×{{n}} rationals",
        sizes=sizes,
        prepare=prepare,
        ways={"leaktight": lambda given: ours(given[0]), "qif": lambda given: theirs(given[1])},
        scale=lambda n: n * n,
        scale_name="entries",
    )


CASES = (
    family(
        "capacity",
        (15, 100, 500),
        lambda given: lt.min_capacity(given.channel).factor,
        lambda given: qif.measure.bayes_vuln.mult_capacity(given.channel),
    ),
    family(
        "posterior vulnerability",
        (15, 100, 500),
        lambda given: lt.posterior_vulnerability(given.channel, given.prior),
        lambda given: qif.measure.bayes_vuln.posterior(given.prior, given.channel),
    ),
    family(
        "g-vulnerability, 10 guesses",
        (15, 50, 100),
        lambda given: lt.posterior_vulnerability(*given),
        lambda given: qif.measure.g_vuln.posterior(given.gain, given.prior, given.channel),
    ),
)
