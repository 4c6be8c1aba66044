"""Posterior Bayes vulnerability: how likely is a right guess after the observation?

The same as the capacity, but each row is first multiplied by its prior probability.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import leaktight as lt
from benchmarks.case import Case
from benchmarks.cases.capacity import close, copied, matrix, turned


class Given(NamedTuple):
    """What is known before, and what is seen."""

    channel: lt.Channel
    prior: lt.Distribution


@cache
def weights(n: int) -> Any:
    """Return a random prior."""
    return np.random.default_rng(2).dirichlet(np.ones(n))


def ours(given: Given) -> float:
    """Return our vulnerability."""
    return float(lt.posterior_vulnerability(*given))


def by_qif(given: Given) -> float:
    """Return libqif's vulnerability."""
    import qif

    return float(qif.measure.bayes_vuln.posterior(given.prior.array, given.channel.matrix))


def by_numpy(given: Given) -> float:
    """Return the vulnerability as one would write it down."""
    return float((given.prior.array[:, None] * given.channel.matrix).max(axis=0).sum())


def by_pyqif(given: Given) -> float:
    """Return pyqif's vulnerability."""
    import pyqif

    return float(pyqif.measure.bayes.posterior(given.prior.array, given.channel.matrix))


@cache
def for_qiflib(n: int) -> Any:
    """Return the channel with its prior, and one guess, as qiflib's objects."""
    from qiflib.core.channel import Channel
    from qiflib.core.gvulnerability import GVulnerability
    from qiflib.core.secrets import Secrets

    names = list(range(n))
    secrets = Secrets(names, weights(n))
    return Channel(secrets, names, matrix(n)), GVulnerability(secrets, names, np.eye(n))


def by_qiflib(given: Given) -> float:
    """Return qiflib's vulnerability; the hyper-distribution is what it is computed from."""
    from qiflib.core.hyper import Hyper

    channel, gain = for_qiflib(len(given.channel.inputs))
    return float(gain.posterior_vulnerability(Hyper(channel)))


CASES = (
    Case(
        task="posterior vulnerability, {n}×{n} floats, row by row",
        sizes=(500, 1000, 2000, 4000),
        prepare=lambda n: Given(lt.Channel(matrix(n)), lt.Distribution(weights(n))),
        ways={
            "leaktight": ours,
            "qif": by_qif,
            "numpy": by_numpy,
            "memory": lambda given: copied(given.channel),
        },
        agree=close,
        limit="memory",
        scale=lambda n: n * n,
        scale_name="entries",
    ),
    Case(
        task="posterior vulnerability, {n}×{n} floats, column by column",
        sizes=(500, 1000, 2000, 4000),
        prepare=lambda n: Given(lt.Channel(turned(n)), lt.Distribution(weights(n))),
        ways={
            "leaktight": ours,
            "qif": by_qif,
            "numpy": by_numpy,
            "memory": lambda given: copied(given.channel),
        },
        agree=close,
        limit="memory",
        scale=lambda n: n * n,
        scale_name="entries",
    ),
    Case(
        task="posterior vulnerability, {n}×{n} floats, all libraries",
        sizes=(30, 100, 300),
        prepare=lambda n: Given(lt.Channel(matrix(n)), lt.Distribution(weights(n))),
        ways={"leaktight": ours, "qif": by_qif, "pyqif": by_pyqif, "qiflib": by_qiflib},
        agree=close,
        scale=lambda n: n * n,
        scale_name="entries",
        note="At the smallest sizes a call in Python costs more than the work.",
    ),
)
