"""What does a function of many secrets tell? Groups of secrets, against the whole matrix.

Of each secret only its remainder is seen. libqif has a matrix of floats; the limit is numpy's count
of the groups, from which everything follows.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.case import Case, NotTried
from benchmarks.libraries import qif


def prepare(n: int) -> Any:
    """Return what is seen of each secret: about √n different outputs."""
    return np.arange(n) % math.isqrt(n)


def ours(seen: Any) -> tuple[Any, ...]:
    """Make the channel; return its capacity, vulnerability and mutual information."""
    channel = lt.Channel.deterministic(seen, len(seen))
    after = lt.posterior_vulnerability(channel)
    return lt.min_capacity(channel).factor, after, lt.mutual_information(channel)


def by_qif(seen: Any) -> tuple[Any, ...]:
    """The same of a matrix."""
    if len(seen) > 10**5:
        raise NotTried("the matrix does not fit into memory")
    matrix = np.zeros((len(seen), seen.max() + 1))
    matrix[np.arange(len(seen)), seen] = 1
    prior = qif.probab.uniform(len(seen))
    return (
        qif.measure.bayes_vuln.mult_capacity(matrix),
        qif.measure.bayes_vuln.posterior(prior, matrix),
        qif.measure.shannon.add_leakage(prior, matrix),
    )


def by_counting(seen: Any) -> tuple[Any, ...]:
    """Count the groups, which is the least that there is to do."""
    shares = np.bincount(seen) / len(seen)
    return len(shares), len(shares) / len(seen), float(-(shares * np.log2(shares)).sum())


def near(answers: Mapping[str, Any]) -> str:
    """Compare floats with what is exact."""
    first, *others = answers.values()
    for other in others:
        assert all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(first, other, strict=True))
    return "the same up to the rounding of the others"


CASES = (
    Case(
        task="a function of {n} secrets: capacity, one guess, Shannon",
        sizes=(1_000, 10_000, 1_000_000, 10_000_000),
        prepare=prepare,
        ways={"leaktight": ours, "qif": by_qif, "numpy": by_counting},
        agree=near,
        limit="numpy",
        rounds=3,
        note="Exact numbers on any prior; the limit counts only, and for the uniform prior.",
    ),
)
