"""The chance of a right guess after n observations of one secret.

libqif and pyqif multiply the channel out, with a column for each sequence of outputs: m^n of
them. We sum over how often each output was seen, which is polynomial in n. What a person would
write for that with scipy gives floats with an unknown error; ours are exact, or proved enclosures.
dit has no measure of guessing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.case import Case
from benchmarks.libraries import pyqif, qif

TWO = (("4/5", "1/5"), ("3/10", "7/10"))
THREE = (("4/9", "3/9", "2/9"), ("1/6", "2/6", "3/6"), ("2/7", "2/7", "3/7"))


@dataclass(frozen=True)
class Seen:
    """A channel that is observed so often, under the uniform prior."""

    channel: lt.Channel
    matrix: Any
    prior: Any
    n: int

    @classmethod
    def exactly(cls, rows: Any, n: int) -> "Seen":
        """Observe an exact channel."""
        channel = lt.Channel(rows)
        matrix = np.asfortranarray(channel.to_numpy())
        return cls(channel, matrix, np.full(len(rows), 1 / len(rows)), n)

    @classmethod
    def in_floats(cls, rows: Any, n: int) -> "Seen":
        """Observe a channel of floats."""
        return replace(cls.exactly(rows, n), channel=lt.Channel(rows).float())


@cache
def three_counts(n: int) -> Any:
    """List all (a, b, c) with a + b + c = n."""
    bars = np.array(list(combinations(range(n + 2), 2)))
    edges = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), n + 2)])
    return np.diff(edges, axis=1) - 1


def ours(seen: Seen) -> tuple[Any, Any, Any, str]:
    """Return both ends of what is proved, the most for a wrong guess, and the method."""
    found = lt.success_probability(seen.channel, n=seen.n)
    return found.lower, found.upper, found.error.upper, found.method


def by_qif(seen: Seen) -> float:
    """Multiply out with libqif."""
    whole = qif.channel.compose.repeated_independent(seen.matrix, seen.n)
    return float(qif.measure.bayes_vuln.posterior(seen.prior, whole))


def by_pyqif(seen: Seen) -> float:
    """Multiply out with pyqif."""
    whole = seen.matrix
    for _ in range(seen.n - 1):
        whole = pyqif.compose.parallel(whole, seen.matrix)
    return float(pyqif.measure.bayes.posterior(seen.prior, whole))


def binomials(seen: Seen) -> float:
    """Sum over the counts of the first output with scipy."""
    from scipy.stats import binom

    heads = np.arange(seen.n + 1)
    chances = seen.matrix[:, :1]
    return float((seen.prior[:, None] * binom.pmf(heads, seen.n, chances)).max(axis=0).sum())


def multinomials(seen: Seen) -> float:
    """Sum over the counts of all outputs with scipy."""
    from scipy.stats import multinomial

    each = [multinomial.pmf(three_counts(seen.n), seen.n, row) for row in seen.matrix]
    return float((seen.prior[:, None] * np.array(each)).max(axis=0).sum())


def close(answers: Mapping[str, Any]) -> str:
    """Demand that ours is tight and the others near; say who is far off about a wrong guess."""
    low, high, wrong, method = answers["leaktight"]
    assert low == high or high - low <= 1e-8, answers
    others = {way: found for way, found in answers.items() if way != "leaktight"}
    assert all(abs(found - float(low)) <= 1e-6 for found in others.values()), answers
    lost = (way for way, found in others.items() if abs(1 - found - wrong) > wrong / 100)
    told = "exact; wrong with probability" if low == high else f"{method}; wrong at most with"
    told += f" 2^{lt.exact.log2(wrong):.5g}"
    return told + "".join(f", {way} says {1 - others[way]:.1g}" for way in lost)


def family(
    task: str, sizes: tuple[int, ...], prepare: Callable[[int], Seen], peers: Any, **more: Any
) -> Case:
    """Compare the chance after more and more observations."""
    return Case(
        task=task,
        sizes=sizes,
        prepare=prepare,
        ways={"leaktight": ours, **peers},
        agree=close,
        scale_name="observations",
        **more,
    )


CASES = (
    *(
        family(
            f"success after {{n}} observations of {len(rows)} outputs, multiplied out",
            sizes,
            partial(Seen.exactly, rows),
            {"qif": by_qif, "pyqif": by_pyqif},
            patience=10,
            rounds=5,
            note="for a few observations our time is that of a few hundred steps of Python",
        )
        for rows, sizes in ((TWO, (8, 16, 20, 23)), (THREE, (5, 10, 14)))
    ),
    family(
        "exact success after {n} observations of 2 outputs",
        (10, 100, 1_000, 10_000),
        partial(Seen.exactly, TWO),
        {"scipy": binomials},
        quick=3,
        note="exact fractions with thousands of digits against floats with an unknown error",
    ),
    family(
        "success after {n} observations of 2 outputs, floats",
        (1_000, 10_000, 100_000, 1_000_000),
        partial(Seen.in_floats, TWO),
        {"scipy": binomials},
        rounds=3,
        note="ours are proved enclosures",
    ),
    family(
        "exact success after {n} observations of 3 outputs",
        (10, 30, 100, 300),
        partial(Seen.exactly, THREE),
        {"scipy": multinomials},
        rounds=3,
        note="exact fractions against floats with an unknown error; the list of all counts is "
        "made for scipy once, and kept",
    ),
    family(
        "success after {n} observations of 3 outputs, floats",
        (30, 100, 300, 1_000),
        partial(Seen.in_floats, THREE),
        {"scipy": multinomials},
        rounds=3,
        note="ours are proved enclosures",
    ),
)
