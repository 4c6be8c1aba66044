"""Drawing an output for each of many inputs, with exactly the channel's probabilities.

numpy rounds every probability to a float; OpenDP draws exactly, one answer at a time. The limit is
the operating system's random bytes, as many as the entropy of the outputs demands. All answer how
far the mean of what they drew is from the right one, in standard deviations.
"""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.case import Case

VALUES = 100


@dataclass(frozen=True)
class Wanted:
    """A channel on 0, …, 99, the inputs, and what is expected of the draws."""

    channel: lt.Channel
    chances: Any
    inputs: Any
    mean: float
    deviation: float
    random_bytes: int

    @classmethod
    def of(cls, channel: lt.Channel, inputs: Any) -> "Wanted":
        """Sum the means, variances and entropies of the rows."""
        chances, outputs = channel.to_numpy(), np.arange(VALUES)
        means = chances @ outputs
        variances = chances @ outputs**2 - means**2
        bits = -(chances * np.log2(chances)).sum(axis=1)
        return cls(
            lt.Channel(channel),  # a new one, so that nothing is remembered
            chances,
            inputs,
            float(means[inputs].sum()),
            math.sqrt(variances[inputs].sum()),
            math.ceil(bits[inputs].sum() / 8),
        )

    def off(self, total: int) -> float:
        """How many standard deviations is a sum of outputs away from its mean?"""
        return abs(total - self.mean) / self.deviation


@cache
def long_channel(bits: int) -> lt.Channel:
    """Random rows, each with a common denominator of so many bits."""
    rng = np.random.default_rng(1)
    bound = (1 << bits) // VALUES
    rows = []
    for _ in range(VALUES):
        weights = [int.from_bytes(rng.bytes(bits // 8 + 1)) % bound for _ in range(VALUES - 1)]
        rows.append([*weights, (1 << bits) - 1 - sum(weights)])
    return lt.Channel.normalised(rows)


@cache
def survey() -> lt.Channel:
    """Answer truly with probability 1/2, else any other value."""
    return lt.RandomizedResponse(VALUES, ratio=VALUES - 1).channel


def some_inputs(n: int) -> Any:
    """Return inputs in no order."""
    return np.random.default_rng(2).integers(0, VALUES, n)


def ours(wanted: Wanted) -> float:
    """Draw exactly."""
    return wanted.off(int(lt.sample(wanted.channel, wanted.inputs).sum()))


def choice(wanted: Wanted) -> float:
    """Draw for all inputs of a kind together, with rounded probabilities."""
    rng = np.random.default_rng()
    order = np.argsort(wanted.inputs, kind="stable")
    counts = np.bincount(wanted.inputs, minlength=VALUES)
    drawn = np.empty(len(order), dtype=np.intp)
    for x, part in enumerate(np.split(order, np.cumsum(counts)[:-1])):
        drawn[part] = rng.choice(VALUES, len(part), p=wanted.chances[x])
    return wanted.off(int(drawn.sum()))


def opendp(wanted: Wanted) -> float:
    """Ask OpenDP for one answer after the other."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    respond = dp.m.make_randomized_response(categories=list(range(VALUES)), prob=0.5)
    return wanted.off(sum(respond(x) for x in wanted.inputs.tolist()))


def random_bytes(wanted: Wanted) -> float:
    """Only get the random bytes."""
    return float(len(os.urandom(wanted.random_bytes)) != wanted.random_bytes)


def near(answers: Mapping[str, float]) -> str:
    """Demand that nobody's mean is too far off to be chance."""
    assert max(answers.values()) < 6, answers
    return f"all means within {max(answers.values()):.1f} standard deviations"


CASES = (
    *(
        Case(
            task=f"{{n}} draws from 100×100, {bits}-bit denominators",
            sizes=(10_000, 100_000, 1_000_000, 5_000_000),
            prepare=lambda n, bits=bits: Wanted.of(long_channel(bits), some_inputs(n)),  # type: ignore[misc]
            ways={"leaktight": ours, "numpy": choice, "random bytes": random_bytes},
            agree=near,
            limit="random bytes",
            scale_name="draws",
            rounds=3,
            note="numpy's draws are not exact and come from a generator that can be predicted; "
            "we take 4 bytes a draw from the operating system, after a table was made of all "
            "10,000 fractions, while numpy is given floats",
        )
        for bits in (64, 3000)
    ),
    Case(
        task="{n} answers of randomised response, 100 values",
        sizes=(100, 1_000, 10_000),
        prepare=lambda n: Wanted.of(survey(), some_inputs(n)),
        ways={"leaktight": ours, "opendp": opendp, "random bytes": random_bytes},
        agree=near,
        limit="random bytes",
        scale_name="answers",
        note="the table for all 100 rows is made anew for each column of answers",
    ),
)
