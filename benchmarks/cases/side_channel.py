"""All measures of a key that a device shows half of an S-box's output of, for known inputs.

The channel has 256 keys and 4,096 outputs (an input and four bits), exactly or in floats.
"""

import random
from collections.abc import Mapping
from fractions import Fraction
from functools import cache

import leaktight as lt
from benchmarks.case import Case


@cache
def rows() -> list[list[Fraction]]:
    """Return the chances of an input and the upper half of what the box makes of it."""
    box = list(range(256))
    random.Random(1).shuffle(box)
    found = [[Fraction(0)] * 4096 for _ in box]
    for key, row in enumerate(found):
        for given in range(256):
            row[16 * given + (box[given ^ key] >> 4)] = Fraction(1, 256)
    return found


def prepare(exact: int) -> lt.Channel:
    """Make the channel, of fractions or of floats."""
    return lt.Channel(rows() if exact else [list(map(float, row)) for row in rows()])


def four(answers: Mapping[str, float]) -> str:
    """Four bits are leaked, by whatever measure, whatever the prior."""
    assert all(abs(bits - 4) < 1e-9 for bits in answers.values()), answers
    return "4 bits"


CASES = tuple(
    Case(
        task=task + ", 256 keys × 4,096 outputs, exact: {n}",
        sizes=(0, 1),
        prepare=prepare,
        ways={"leaktight": way},
        agree=four,
        rounds=2,
        scale=lambda n: 1.0 + n,
        patience=60,
    )
    for task, way in (
        ("all measures", lambda c: lt.leakage.measures(c).named("Shannon entropy").bits),
        (
            "all measures at worst",
            lambda c: lt.leakage.worst_measures(c).named("Shannon capacity").bits,
        ),
        ("Shannon capacity", lambda c: lt.shannon_capacity(c).bits),
    )
)
