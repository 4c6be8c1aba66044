"""Min-capacity of a channel of floats: the sum of the largest entries of the columns.

The measure that everybody asks for first. It reads every number once, so memory is the limit. The
larger channels are for those who read arrays; the small ones for those who want objects.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal

import numpy as np

import leaktight as lt
from benchmarks.case import Case, Way
from benchmarks.libraries import dit, pyqif, qif


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


@cache
def for_qiflib(n: int, prior: Callable[[int], Any], gain: Callable[[int], Any]) -> Any:
    """Return the channel with a prior, and a gain, as qiflib's objects."""
    from qiflib.core.channel import Channel
    from qiflib.core.gvulnerability import GVulnerability
    from qiflib.core.secrets import Secrets

    names, table = list(range(n)), gain(n)
    secrets = Secrets(names, prior(n))
    earned = GVulnerability(secrets, list(range(len(table))), table)
    return Channel(secrets, names, matrix(n)), earned


def uniform(n: int) -> Any:
    """Return the uniform prior."""
    return np.full(n, 1 / n)


def by_qiflib(channel: lt.Channel) -> float:
    """Return the leakage under the uniform prior, which is the capacity; qiflib has no other."""
    from qiflib.core.hyper import Hyper

    theirs, gain = for_qiflib(len(channel.inputs), uniform, np.eye)
    return float(gain.leakage(Hyper(theirs))[1])


def by_dit(channel: lt.Channel) -> float:
    """Return 2 to the maximal leakage, which is what dit calls the capacity."""
    n = len(channel.inputs)
    joint = dit.Distribution.from_array(matrix(n) / n, ["X", "Z"], [range(n), range(n)])
    return float(2 ** dit.other.maximal_leakage(joint, "X", "Z"))


BOTH: dict[str, Way] = {
    "leaktight": lambda channel: float(lt.min_capacity(channel).factor),
    "qif": lambda channel: float(qif.measure.bayes_vuln.mult_capacity(channel.matrix)),
}
LARGE = {
    **BOTH,
    "numpy max": lambda channel: float(channel.matrix.max(axis=0).sum()),
    "memory": copied,
}

CASES = (
    Case(
        task="capacity, {n}×{n} floats, row by row",
        sizes=(500, 1000, 2000, 4000),
        prepare=lambda n: lt.Channel(matrix(n)),
        ways=LARGE,
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
        ways=LARGE,
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
            **BOTH,
            "pyqif": lambda channel: float(pyqif.measure.bayes.capacity(channel.matrix)),
            "qiflib": by_qiflib,
            "dit": by_dit,
        },
        agree=close,
        scale=lambda n: n * n,
        scale_name="entries",
        note="At the smallest sizes a call in Python costs more than the work.",
    ),
)
