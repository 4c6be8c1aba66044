"""Repair: the output of a solver, which is private almost, becomes private exactly.

No package offers it: libqif returns what its solver says. The limit is to see that the matrix is
not private: one exact check of the same entries.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import leaktight as lt
from benchmarks.case import Case
from benchmarks.inputs import Floats, truncated_geometric

NOISE = 1e-7
"""How far an entry is off: what solvers call feasible."""


class Given(NamedTuple):
    """A matrix that is private almost, the same as an exact channel, and the graph."""

    noisy: Floats
    channel: lt.Channel
    graph: lt.Graph


class Judged(NamedTuple):
    """Whether the channel is private at ε = 1, and the most probability moved in a row."""

    private: bool
    moved: Fraction


@cache
def noisy(n: int) -> Floats:
    """The truncated geometric mechanism at ε = 1, which is the best of many, with noise."""
    clean = truncated_geometric(n, 1.0)
    return clean + np.random.default_rng(0).uniform(-NOISE, NOISE, clean.shape)


def prepare(n: int) -> Given:
    """Make a new graph and channel."""
    positive = np.maximum(noisy(n), NOISE**2)
    channel = lt.Channel(positive / positive.sum(axis=1, keepdims=True)).exact()
    return Given(noisy(n), channel, lt.SecretGraph.line(n))


def ours(given: Given) -> Judged:
    """Repair the matrix; the check of what is made is part of it."""
    made = lt.repair(given.noisy, given.graph, epsilon=1)
    return Judged(lt.Ratio.of(epsilon=1).allows(made.guarantee.ratio), made.moved)


def checked(given: Given) -> bool:
    """Say whether the matrix is private as it is."""
    return lt.privacy_level(given.channel, given.graph).holds(epsilon=1)


def compared(answers: Mapping[str, Any]) -> str:
    """Demand that ours is private and near what was given."""
    private, moved = answers["leaktight"]
    assert private
    assert not answers["exact check"]
    assert moved < 1000 * NOISE, moved
    return f"private, at most {float(moved):.1g} moved in a row"


CASES = (
    Case(
        task="repair of a solver's mechanism, line of {n}",
        sizes=(20, 40, 70, 100),
        prepare=prepare,
        ways={"leaktight": ours, "exact check": checked},
        agree=compared,
        limit="exact check",
        scale=lambda n: n * n,
        scale_name="entries",
    ),
)
