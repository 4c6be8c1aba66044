"""Min-capacity of a channel of floats: the sum of the largest entries of the columns.

The measure that everybody asks for first. It reads every number once, so memory is the limit. The
larger channels are for those who read arrays; the small ones for those who want objects.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

import numpy as np

import leaktight as lt
from benchmarks.case import Case


@cache
def matrix(n: int) -> Any:
    """Return a random channel, row by row in memory as numpy has it."""
    return np.random.default_rng(1).dirichlet(np.ones(n), n)


@cache
def turned(n: int) -> Any:
    """Return the same, column by column, as libqif wants it."""
    return np.asfortranarray(matrix(n))


@cache
def room(n: int, order: Literal["C", "F"]) -> Any:
    """Return memory to write to, touched once so that the system has really given it."""
    return np.ones((n, n), order=order)


def copied(channel: lt.Channel) -> None:
    """Move the matrix once: the limit of whatever reads it once."""
    order: Literal["C", "F"] = "C" if channel.matrix.flags.c_contiguous else "F"
    np.copyto(room(len(channel.inputs), order), channel.matrix)


def close(answers: Mapping[str, float | None]) -> str:
    """Demand agreement to the last digits of all that answered with a number."""
    known = {way: value for way, value in answers.items() if value is not None}
    ours = known["leaktight"]
    apart = {way: abs(value - ours) / ours for way, value in known.items()}
    assert all(gap <= 1e-12 for gap in apart.values()), answers
    return "the same to 1e-12"


def ours(channel: lt.Channel) -> float:
    """Return our factor."""
    return float(lt.min_capacity(channel).factor)


def by_qif(channel: lt.Channel) -> float:
    """Return libqif's factor."""
    import qif

    return float(qif.measure.bayes_vuln.mult_capacity(channel.matrix))


def by_numpy(channel: lt.Channel) -> float:
    """Return the factor as one would write it down."""
    return float(channel.matrix.max(axis=0).sum())


def by_pyqif(channel: lt.Channel) -> float:
    """Return pyqif's factor."""
    import pyqif

    return float(pyqif.measure.bayes.capacity(channel.matrix))


@cache
def for_qiflib(n: int) -> Any:
    """Return the channel with the uniform prior, and one guess, as qiflib's objects."""
    from qiflib.core.channel import Channel
    from qiflib.core.gvulnerability import GVulnerability
    from qiflib.core.secrets import Secrets

    names = list(range(n))
    secrets = Secrets(names, np.full(n, 1 / n))
    return Channel(secrets, names, matrix(n)), GVulnerability(secrets, names, np.eye(n))


def by_qiflib(channel: lt.Channel) -> float:
    """Return the leakage under the uniform prior, which is the capacity; qiflib has no other."""
    from qiflib.core.hyper import Hyper

    theirs, gain = for_qiflib(len(channel.inputs))
    return float(gain.leakage(Hyper(theirs))[1])


def by_dit(channel: lt.Channel) -> float:
    """Return 2 to the maximal leakage, which is what dit calls the capacity."""
    import dit

    n = len(channel.inputs)
    joint = dit.Distribution.from_array(matrix(n) / n, ["X", "Z"], [range(n), range(n)])
    return float(2 ** dit.other.maximal_leakage(joint, "X", "Z"))


CASES = (
    Case(
        task="capacity, {n}×{n} floats, row by row",
        sizes=(500, 1000, 2000, 4000),
        prepare=lambda n: lt.Channel(matrix(n)),
        ways={"leaktight": ours, "qif": by_qif, "numpy max": by_numpy, "memory": copied},
        agree=close,
        limit="memory",
        scale=lambda n: n * n,
        scale_name="entries",
        note="Copying writes as much as it reads; a capacity only reads.",
    ),
    Case(
        task="capacity, {n}×{n} floats, column by column",
        sizes=(500, 1000, 2000, 4000),
        prepare=lambda n: lt.Channel(turned(n)),
        ways={"leaktight": ours, "qif": by_qif, "numpy max": by_numpy, "memory": copied},
        agree=close,
        limit="memory",
        scale=lambda n: n * n,
        scale_name="entries",
    ),
    Case(
        task="capacity, {n}×{n} floats, all libraries",
        sizes=(30, 100, 300),
        prepare=lambda n: lt.Channel(matrix(n)),
        ways={
            "leaktight": ours,
            "qif": by_qif,
            "pyqif": by_pyqif,
            "qiflib": by_qiflib,
            "dit": by_dit,
        },
        agree=close,
        scale=lambda n: n * n,
        scale_name="entries",
        note="At the smallest sizes a call in Python costs more than the work.",
    ),
)
