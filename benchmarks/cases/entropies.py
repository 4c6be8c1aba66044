"""Entropies: mutual information, what is left of Shannon's entropy, and the number of guesses.

The first two need a logarithm of every entry, the third sorts every column: these are the limits.
"""

from functools import cache
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.case import Case, Way
from benchmarks.cases.capacity import close, matrix, room
from benchmarks.cases.posterior import Given, afresh, weights
from benchmarks.libraries import dit, qif


@cache
def for_dit(n: int) -> Any:
    """Return the joint distribution as dit's object."""
    joint = weights(n)[:, None] * matrix(n)
    return dit.Distribution.from_array(joint, ["X", "Z"], [range(n), range(n)])


def logarithms(given: Given) -> None:
    """Take one logarithm of every entry."""
    np.log(given.channel.matrix, out=room(len(given.prior), "C"))


def sort(given: Given) -> None:
    """Sort every column."""
    np.sort(given.channel.matrix, axis=0)


def family(
    task: str, ours: Way, peers: dict[str, Way], least: tuple[str, Way], note: str = ""
) -> Case:
    """Compare a measure of a channel under a prior."""
    limit, work = least
    return Case(
        task=f"{task}, {{n}}×{{n}} floats",
        sizes=(100, 300, 1000, 2000),
        prepare=lambda n: afresh(matrix(n)),
        ways={"leaktight": ours, **peers, limit: work},
        agree=close,
        limit=limit,
        scale=lambda n: n * n,
        scale_name="entries",
        note=note,
    )


CASES = (
    family(
        "mutual information",
        lambda given: lt.mutual_information(*given),
        {
            "qif": lambda given: float(
                qif.measure.shannon.add_leakage(given.prior.array, given.channel.matrix)
            ),
            "dit": lambda given: float(
                dit.shannon.mutual_information(for_dit(len(given.prior)), "X", "Z")
            ),
        },
        ("logarithms", logarithms),
        "Ours adds up what is never negative, so that even tiny leaks are accurate; the "
        "others subtract entropies.",
    ),
    family(
        "conditional entropy",
        lambda given: lt.leakage.conditional_entropy(*given),
        {
            "qif": lambda given: float(
                qif.measure.shannon.posterior(given.prior.array, given.channel.matrix)
            ),
            "dit": lambda given: float(
                dit.shannon.conditional_entropy(for_dit(len(given.prior)), "X", "Z")
            ),
        },
        ("logarithms", logarithms),
    ),
    family(
        "number of guesses",
        lambda given: float(lt.leakage.conditional_guessing_entropy(*given)),
        {
            "qif": lambda given: float(
                qif.measure.guessing.posterior(given.prior.array, given.channel.matrix)
            ),
        },
        ("sort", sort),
    ),
)
