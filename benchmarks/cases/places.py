"""Places on a map: the best mechanism for straight distances on a grid, private for them all.

libqif solves the plain linear program in floating point, told which pairs follow from others. What
it returns is measured by exact arithmetic: its true ε, and what it loses.
"""

import math
import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import leaktight as lt
from benchmarks.case import Case
from benchmarks.inputs import Floats
from benchmarks.libraries import qif


class Map(NamedTuple):
    """The points of a square grid."""

    points: list[Any]
    metric: lt.Metric
    loss: lt.Loss


class Made(NamedTuple):
    """How many points a side has, the rows of a mechanism, and the least loss that is proved."""

    side: int
    rows: lt.Channel | Floats
    least: float


def prepare(side: int) -> Map:
    """Make the grid, with the pairs that matter."""
    points = [(x, y) for x in range(side) for y in range(side)]
    return Map(points, lt.Metric.euclidean(points), lt.Loss.by_distance(points, math.dist))


def ours(given: Map) -> Made:
    """Return our mechanism."""
    best = lt.optimal_mechanism(given.metric, gain=given.loss, epsilon=1)
    return Made(math.isqrt(len(given.points)), best.channel, -float(best.upper))


def libqif(given: Map) -> Made:
    """Return libqif's."""
    points = given.points
    n = len(points)
    rows = qif.mechanism.d_privacy.min_loss_given_d(
        np.full(n, 1 / n),
        n,
        lambda i, j: math.dist(points[i], points[j]),
        lambda w, x: math.dist(points[w], points[x]),
        d_priv_ch=lambda i, j: (
            math.gcd(points[i][0] - points[j][0], points[i][1] - points[j][1]) != 1
        ),
    )
    return Made(math.isqrt(n), np.array(rows), math.nan)


def judged(made: Made) -> tuple[lt.privacy.PrivacyLevel, float]:
    """Return how private a mechanism is for the real distances, and what it loses."""
    given, channel = prepare(made.side), made.rows
    if not isinstance(channel, lt.Channel):
        rows = np.maximum(channel, 0)
        channel = lt.Channel(rows / rows.sum(axis=1, keepdims=True), given.points, given.points)
    apart = np.array([[math.dist(x, z) for z in channel.outputs] for x in given.points])  # type: ignore[arg-type]
    return lt.privacy_level(channel, given.metric), float(
        (channel.to_numpy() * apart).sum(axis=1).mean()
    )


def compared(answers: Mapping[str, Any]) -> str:
    """Demand that ours is private and nearly the best; say how private the peer's is."""
    level, loss = judged(answers["leaktight"])
    assert level.holds(epsilon=1), level
    assert loss - answers["leaktight"].least <= 1e-9 * loss, loss
    words = f"ours private, loses {loss:.9g}"
    if "qif" in answers:
        theirs, lost = judged(answers["qif"])
        words += f"; qif's truly of ε = {theirs.epsilon:.17g}, loses {lost:.9g}"
    return words


def scattered(n: int) -> Map:
    """Make points anywhere in a square of side 10."""
    rng = random.Random(1)
    points = [(round(rng.uniform(0, 10), 2), round(rng.uniform(0, 10), 2)) for _ in range(n)]
    return Map(points, lt.Metric.euclidean(points), lt.Loss.by_distance(points, math.dist))


def gap(given: Map, prior: lt.Distribution | None = None) -> tuple[float, float]:
    """Return what our mechanism loses, and how much less any could lose at the most."""
    best = lt.optimal_mechanism(given.metric, prior=prior, gain=given.loss, epsilon=1)
    return -float(best.utility), float(best.upper - best.utility)


def uneven(given: Map) -> tuple[float, float]:
    """Return the same where people are in some places 20 times as often as in others."""
    rng = random.Random(2)
    often = [rng.randint(1, 20) for _ in given.points]
    prior = lt.Distribution([Fraction(k, sum(often)) for k in often], given.points)
    return gap(given, prior)


def proved(answers: Mapping[str, Any]) -> str:
    """Demand a proof that little is left."""
    lost, left = answers["leaktight"]
    assert 0 <= left <= 1e-9 * lost, answers
    return f"loses {lost:.9g}, no other less by {left:.0e}"


CASES = (
    Case(
        task="places, straight distances on a grid of {n} × {n}, ε = 1",
        sizes=(4, 6, 8, 10, 15),
        prepare=prepare,
        ways={"leaktight": ours, "qif": libqif},
        agree=compared,
        quick=2,
        rounds=3,
        patience=60,
        scale=lambda n: float(n**4),
        scale_name="inputs squared",
        note="libqif's ε is a little above what was asked for",
    ),
    Case(
        task="places, straight distances between {n} points anywhere in a square of side 10, ε = 1",
        sizes=(25, 50, 100, 200),
        prepare=scattered,
        ways={"leaktight": gap},
        agree=proved,
        quick=2,
        rounds=2,
        patience=90,
        scale_name="points",
    ),
    Case(
        task="places, straight distances on a grid of {n} × {n}, an uneven prior, ε = 1",
        sizes=(6, 8, 10),
        prepare=prepare,
        ways={"leaktight": uneven},
        agree=proved,
        quick=1,
        rounds=2,
        patience=90,
        scale=lambda n: float(n**2),
        scale_name="points",
    ),
)
