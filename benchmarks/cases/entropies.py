"""Entropies: mutual information, what is left of Shannon's entropy, and the number of guesses.

The first two need a logarithm of every entry, the third sorts every column: these are the limits.
"""

from functools import cache
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.case import Case
from benchmarks.cases.capacity import close, matrix, room
from benchmarks.cases.posterior import Given, weights

SIZES = (100, 300, 1000, 2000)


def prepare(n: int) -> Given:
    """Make channel and prior afresh."""
    return Given(lt.Channel(matrix(n)), lt.Distribution(weights(n)))


@cache
def for_dit(n: int) -> Any:
    """Return the joint distribution as dit's object."""
    import dit

    joint = weights(n)[:, None] * matrix(n)
    return dit.Distribution.from_array(joint, ["X", "Z"], [range(n), range(n)])


def information(given: Given) -> float:
    """Return our mutual information."""
    return lt.mutual_information(*given)


def information_by_qif(given: Given) -> float:
    """Return libqif's mutual information."""
    import qif

    return float(qif.measure.shannon.add_leakage(given.prior.array, given.channel.matrix))


def information_by_dit(given: Given) -> float:
    """Return dit's mutual information."""
    import dit

    return float(dit.shannon.mutual_information(for_dit(len(given.prior)), "X", "Z"))


def rest(given: Given) -> float:
    """Return our conditional entropy."""
    return lt.leakage.conditional_entropy(*given)


def rest_by_qif(given: Given) -> float:
    """Return libqif's conditional entropy."""
    import qif

    return float(qif.measure.shannon.posterior(given.prior.array, given.channel.matrix))


def rest_by_dit(given: Given) -> float:
    """Return dit's conditional entropy."""
    import dit

    return float(dit.shannon.conditional_entropy(for_dit(len(given.prior)), "X", "Z"))


def guesses(given: Given) -> float:
    """Return our number of guesses."""
    return float(lt.leakage.conditional_guessing_entropy(*given))


def guesses_by_qif(given: Given) -> float:
    """Return libqif's number of guesses."""
    import qif

    return float(qif.measure.guessing.posterior(given.prior.array, given.channel.matrix))


def logarithms(given: Given) -> None:
    """Take one logarithm of every entry."""
    np.log(given.channel.matrix, out=room(len(given.prior), "C"))


def sort(given: Given) -> None:
    """Sort every column."""
    np.sort(given.channel.matrix, axis=0)


CASES = (
    Case(
        task="mutual information, {n}×{n} floats",
        sizes=SIZES,
        prepare=prepare,
        ways={
            "leaktight": information,
            "qif": information_by_qif,
            "dit": information_by_dit,
            "logarithms": logarithms,
        },
        agree=close,
        limit="logarithms",
        scale=lambda n: n * n,
        scale_name="entries",
        note="Ours adds up what is never negative, so that even tiny leaks are accurate; the "
        "others subtract entropies.",
    ),
    Case(
        task="conditional entropy, {n}×{n} floats",
        sizes=SIZES,
        prepare=prepare,
        ways={
            "leaktight": rest,
            "qif": rest_by_qif,
            "dit": rest_by_dit,
            "logarithms": logarithms,
        },
        agree=close,
        limit="logarithms",
        scale=lambda n: n * n,
        scale_name="entries",
    ),
    Case(
        task="number of guesses, {n}×{n} floats",
        sizes=SIZES,
        prepare=prepare,
        ways={"leaktight": guesses, "qif": guesses_by_qif, "sort": sort},
        agree=close,
        limit="sort",
        scale=lambda n: n * n,
        scale_name="entries",
    ),
)
