"""Posterior Bayes vulnerability: how likely is a right guess after the observation?

The same as the capacity, but each row is first multiplied by its prior probability.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import leaktight as lt
from benchmarks.case import Case, Way
from benchmarks.cases.capacity import close, copied, for_qiflib, matrix, turned
from benchmarks.libraries import pyqif, qif


class Given(NamedTuple):
    """What is known before, and what is seen."""

    channel: lt.Channel
    prior: lt.Distribution


@cache
def weights(n: int) -> Any:
    """Return a random prior."""
    return np.random.default_rng(2).dirichlet(np.ones(n))


def by_qiflib(given: Given) -> float:
    """Return qiflib's vulnerability; the hyper-distribution is what it is computed from."""
    from qiflib.core.hyper import Hyper

    channel, gain = for_qiflib(len(given.channel.inputs), weights, np.eye)
    return float(gain.posterior_vulnerability(Hyper(channel)))


def afresh(matrix: Any) -> Given:
    """Make a channel of a matrix, and a prior."""
    return Given(lt.Channel(matrix), lt.Distribution(weights(len(matrix))))


BOTH: dict[str, Way] = {
    "leaktight": lambda given: float(lt.posterior_vulnerability(*given)),
    "qif": lambda given: float(
        qif.measure.bayes_vuln.posterior(given.prior.array, given.channel.matrix)
    ),
}
LARGE = {
    **BOTH,
    "numpy": lambda given: float(
        (given.prior.array[:, None] * given.channel.matrix).max(axis=0).sum()
    ),
    "memory": lambda given: copied(given.channel),
}

CASES = (
    Case(
        task="posterior vulnerability, {n}×{n} floats, row by row",
        sizes=(500, 1000, 2000, 4000),
        prepare=lambda n: afresh(matrix(n)),
        ways=LARGE,
        agree=close,
        limit="memory",
        scale=lambda n: n * n,
        scale_name="entries",
    ),
    Case(
        task="posterior vulnerability, {n}×{n} floats, column by column",
        sizes=(500, 1000, 2000, 4000),
        prepare=lambda n: afresh(turned(n)),
        ways=LARGE,
        agree=close,
        limit="memory",
        scale=lambda n: n * n,
        scale_name="entries",
    ),
    Case(
        task="posterior vulnerability, {n}×{n} floats, all libraries",
        sizes=(30, 100, 300),
        prepare=lambda n: afresh(matrix(n)),
        ways={
            **BOTH,
            "pyqif": lambda given: float(
                pyqif.measure.bayes.posterior(given.prior.array, given.channel.matrix)
            ),
            "qiflib": by_qiflib,
        },
        agree=close,
        scale=lambda n: n * n,
        scale_name="entries",
        note="At the smallest sizes a call in Python costs more than the work.",
    ),
)
