"""Shannon capacity: the largest mutual information over all priors.

We return a lower and an upper bound that are proved; the peers return what their iteration had
when it stopped, to their default precision. So the bounds say how far off the peers are.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import leaktight as lt
from benchmarks.case import Case
from benchmarks.cases.capacity import matrix
from benchmarks.libraries import dit, qif

PROMISED = 1e-6
"""How wide our bounds may be, in bits."""


class Bounds(NamedTuple):
    """What is proved."""

    lower: float
    upper: float


def ours(channel: lt.Channel) -> Bounds:
    """Return our bounds."""
    found = lt.shannon_capacity(channel)
    return Bounds(found.lower, found.upper)


def enclosed(answers: Mapping[str, Any]) -> str:
    """Say how far the others are outside the bounds that we prove."""
    lower, upper = answers["leaktight"]
    assert 0 <= upper - lower <= PROMISED, answers
    off = {
        way: max(lower - value, value - upper, 0.0)
        for way, value in answers.items()
        if way != "leaktight"
    }
    assert all(gap <= 1e-3 for gap in off.values()), answers
    told = [f"{way} is off by {gap:.0e}" for way, gap in off.items() if gap > PROMISED]
    return "; ".join([f"proved to {upper - lower:.0e} bits", *told])


CASES = (
    Case(
        task="Shannon capacity, {n}×{n} floats",
        sizes=(20, 50, 100, 200, 1000),
        prepare=lambda n: lt.Channel(matrix(n)),
        ways={
            "leaktight": ours,
            "qif": lambda channel: float(qif.measure.shannon.add_capacity(channel.matrix)[0]),
            "dit": lambda channel: float(dit.algorithms.channel_capacity(channel.matrix)[0]),
        },
        agree=enclosed,
        quick=2,
        patience=12,
        scale_name="inputs, and as many outputs",
    ),
)
