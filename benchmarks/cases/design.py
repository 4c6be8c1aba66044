"""Design: the private mechanism of least expected loss, with a proof that none is better.

libqif solves the plain linear program in floating point. It is told which pairs follow from others,
so that it has constraints for neighbours only. What it returns is measured by exact arithmetic: how
private it is once each row is divided by its sum, and what it loses. The limit is HiGHS alone on
the loaded program, which gives an estimate of the least loss.
"""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import leaktight as lt
from benchmarks.case import Case, NotTried
from benchmarks.inputs import Floats, Indices, PlainProgram, solver, tree
from benchmarks.libraries import qif

MOST_CONSTRAINTS = 200_000
"""The most constraints of a plain program that HiGHS is given."""


class Task(NamedTuple):
    """What is to be designed: the edges, the prior, how much a guess w loses at x, and ε."""

    edges: Indices
    weights: list[int]
    prior: Floats
    loss: Floats
    distances: Any
    epsilon: float


class Given(NamedTuple):
    """A task, in the form that each contender wants."""

    task: Task
    graph: lt.Graph
    prior: lt.Distribution
    loss: lt.Loss
    highs: Any


class Made(NamedTuple):
    """A mechanism with its task; ours comes with the least loss that is proved."""

    task: Task
    channel: lt.Channel | Floats
    least: float


Loss = Callable[[Any, Any], float]
Maker = Callable[[int], lt.Graph]


@cache
def task(graph_of: Maker, loss: Loss, skewed: bool, epsilon: float, n: int) -> Task:
    """Make a graph with a loss between its vertices, and a prior that is even or grows."""
    graph = graph_of(n)
    weights = [(i + 1) ** 2 if skewed else 1 for i in range(graph.order)]
    table = np.array([[float(loss(w, x)) for x in graph.vertices] for w in graph.vertices])
    prior = np.array(weights) / sum(weights)
    return Task(graph.edges, weights, prior, table, graph.distances.tolist(), epsilon)


@cache
def program(graph_of: Maker, loss: Loss, skewed: bool, epsilon: float, n: int) -> PlainProgram:
    """Write the plain program of a task down."""
    one = task(graph_of, loss, skewed, epsilon, n)
    return PlainProgram.of(one.edges, one.prior[:, None] * one.loss.T, math.exp(epsilon))


def prepared(graph_of: Maker, loss: Loss, skewed: bool, epsilon: float) -> Callable[[int], Given]:
    """Make the input of a case."""

    def prepare(n: int) -> Given:
        one = task(graph_of, loss, skewed, epsilon, n)
        order = len(one.prior)
        few = 2 * len(one.edges) * order <= MOST_CONSTRAINTS
        return Given(
            one,
            lt.Graph.from_indices(order, one.edges),
            lt.Distribution.from_counts(dict(enumerate(one.weights))),
            lt.Loss(one.loss),
            program(graph_of, loss, skewed, epsilon, n).loaded() if few else None,
        )

    return prepare


def ours(given: Given) -> Made:
    """Return our mechanism."""
    epsilon = given.task.epsilon
    best = lt.optimal_mechanism(given.graph, given.prior, given.loss, epsilon=epsilon)
    return Made(given.task, best.channel, -float(best.upper))


def libqif(given: Given) -> Made:
    """Return libqif's mechanism; where it finds none, it returns an empty table."""
    apart, loss, epsilon = given.task.distances, given.task.loss, given.task.epsilon
    n = len(apart)
    matrix = qif.mechanism.d_privacy.min_loss_given_d(
        given.task.prior,
        n,
        lambda i, j: epsilon * apart[i][j],
        lambda w, x: loss[w, x],
        d_priv_ch=lambda i, j: apart[i][j] != 1,
    )
    if matrix.shape != (n, n):
        raise ArithmeticError("no mechanism is returned")
    return Made(given.task, np.array(matrix), math.nan)


def by_solver(given: Given) -> float:
    """Return the estimate of HiGHS of the least loss."""
    if given.highs is None:
        raise NotTried(f"not tried beyond {MOST_CONSTRAINTS:,} constraints")
    return solver(given.highs)


def judged(made: Made) -> tuple[lt.privacy.PrivacyLevel, float]:
    """Return how private a mechanism is and what it loses, by exact arithmetic."""
    given, channel = made.task, made.channel
    if not isinstance(channel, lt.Channel):
        channel = lt.Channel(np.abs(channel) / np.abs(channel).sum(axis=1, keepdims=True))
    order = [int(str(w)) for w in channel.outputs]
    expected = (given.prior[:, None] * channel.to_numpy() * given.loss.T[:, order]).sum()
    graph = lt.Graph.from_indices(len(given.prior), given.edges)
    return lt.privacy_level(channel, graph), float(expected)


def compared(answers: Mapping[str, Any]) -> str:
    """Demand that ours is private and nearly the best; say how private the peer's is."""
    mine: Made = answers["leaktight"]
    level, loss = judged(mine)
    epsilon = mine.task.epsilon
    assert level.holds(epsilon=epsilon), level
    assert loss - mine.least <= 1e-6 * loss, (loss, mine.least)
    if "solver" in answers:
        assert abs(answers["solver"] - loss) <= 1e-4 * loss, (answers["solver"], loss)
    words = f"ours private, loses {loss:.7g}"
    if "qif" in answers:
        theirs, lost = judged(answers["qif"])
        true = "∞" if theirs.epsilon == math.inf else f"{theirs.epsilon:.17g}"
        level_is = "private" if theirs.holds(epsilon=epsilon) else f"truly of ε = {true}"
        words += f"; qif's {level_is}, loses {lost:.7g}"
    return words


def grid(n: int) -> lt.Graph:
    """The points of a square."""
    return lt.SecretGraph.grid(n, n)


def wrong(w: int, x: int) -> float:
    """A wrong guess loses 1."""
    return float(w != x)


def apart(w: int, x: int) -> float:
    """A guess loses by how much it is off."""
    return float(abs(w - x))


def squared(w: tuple[int, int], x: tuple[int, int]) -> float:
    """A guess loses the square of the distance in the plane."""
    return float((w[0] - x[0]) ** 2 + (w[1] - x[1]) ** 2)


def family(
    name: str,
    sizes: tuple[int, ...],
    graph_of: Maker,
    loss: Loss,
    skewed: bool = False,
    epsilon: float = 1.0,
    quick: int = 1,
) -> Case:
    """Compare on graphs of growing size."""
    return Case(
        task=f"design, {name}, ε = {epsilon:g}, {'skewed' if skewed else 'uniform'} prior",
        sizes=sizes,
        prepare=prepared(graph_of, loss, skewed, epsilon),
        ways={"leaktight": ours, "qif": libqif, "solver": by_solver},
        agree=compared,
        limit="solver",
        quick=quick,
        rounds=3,
        patience=6,
        note="libqif's mechanism is often not private, and the solver's estimate has no proof",
    )


LINE, COMPLETE = "distance on a line of {n}", "right or wrong on {n} values"
line, complete = lt.SecretGraph.line, lt.SecretGraph.complete

CASES = (
    family(LINE, (10, 20, 40, 100), line, apart, quick=2),
    family(LINE, (10, 20, 40), line, apart, skewed=True),
    family(LINE, (10, 20, 40, 100), line, apart, epsilon=0.1),
    family(LINE, (10, 20, 40), line, apart, skewed=True, epsilon=0.1),
    family(COMPLETE, (10, 40, 100), complete, wrong),
    family(COMPLETE, (10, 40, 100), complete, wrong, skewed=True),
    family("squared distance on a grid of {n}×{n}", (4, 6), grid, squared),
    family("place in a tree of {n}", (10, 40), tree, wrong),
)
