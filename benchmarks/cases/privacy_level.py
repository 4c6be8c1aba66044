"""Privacy level: the least ε at which a mechanism is private, and where that is decided.

We look at edges; libqif divides by a distance and must look at all pairs. numpy is told the edges
(on a complete graph, that extremes suffice) and gives a rounded ratio with no witness. The limit is
the memory: a copy of the matrix.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import leaktight as lt
from benchmarks.case import Case
from benchmarks.inputs import Floats, truncated_geometric
from benchmarks.libraries import qif


class Given(NamedTuple):
    """A mechanism in the form that each contender wants, and how far apart inputs are."""

    channel: lt.Channel
    graph: lt.Graph
    matrix: Floats
    turned: Floats
    distance: Callable[[int, int], float]
    buffer: Floats


@cache
def turned(matrix_of: Callable[[int], Floats], n: int) -> Floats:
    """The matrix column by column, as libqif wants it."""
    return np.asfortranarray(matrix_of(n))


def prepared(
    matrix_of: Callable[[int], Floats],
    graph_of: Callable[[int], lt.Graph],
    distance_of: Callable[[int], Callable[[int, int], float]],
) -> Callable[[int], Given]:
    """Make the input of a case from its matrix, its graph and the distance of two positions."""

    def prepare(n: int) -> Given:
        matrix, graph = matrix_of(n), graph_of(n)
        channel = lt.Channel(matrix, graph.vertices)
        theirs = turned(matrix_of, n)
        return Given(channel, graph, matrix, theirs, distance_of(n), np.empty_like(matrix))

    return prepare


@cache
def response(n: int) -> Floats:
    """Randomised response on n values at ε = 1: the true value is e times as likely."""
    return (np.ones((n, n)) + (math.e - 1) * np.eye(n)) / (n - 1 + math.e)


@cache
def bits(k: int) -> Floats:
    """Each of k bits is told truly with probability 3/4, for all 2^k databases."""
    coin = np.array([[0.75, 0.25], [0.25, 0.75]])
    matrix: Floats = np.ones((1, 1))
    for _ in range(k):
        matrix = np.kron(matrix, coin)
    return matrix


@cache
def both(side: int) -> Floats:
    """Two coordinates, each through the truncated geometric mechanism."""
    one = truncated_geometric(side, 0.1)
    return np.asarray(np.kron(one, one), dtype=np.float64)


def ours(given: Given) -> Fraction | float:
    """Return the exact ratio."""
    return lt.privacy_level(given.channel, given.graph).ratio


def libqif(given: Given) -> float:
    """Return libqif's ε, from all pairs."""
    return float(qif.measure.d_privacy.smallest_epsilon(given.turned, given.distance))


def on_edges(given: Given) -> float:
    """Return the largest ratio of two entries, a few edges at a time so that they stay cached."""
    most, few = 1.0, max(1, 2**17 // given.matrix.shape[1])
    for start in range(0, len(given.graph.edges), few):
        low, high = given.graph.edges[start : start + few].T
        ratios = given.matrix[low] / given.matrix[high]
        most = max(most, ratios.max(), 1 / ratios.min())
    return float(most)


def of_extremes(given: Given) -> float:
    """Return the largest ratio on a complete graph: that of the extremes of a column."""
    return float((given.matrix.max(axis=0) / given.matrix.min(axis=0)).max())


def copied(given: Given) -> None:
    """Read and write every entry once."""
    np.copyto(given.buffer, given.matrix)


def compared(answers: Mapping[str, Any]) -> str:
    """Compare with numpy to the last digit but one, and say on which side libqif errs."""
    ratio = answers["leaktight"]
    assert abs(answers["numpy"] - ratio) <= 1e-15 * ratio, answers
    if "qif" not in answers:
        return "numpy the same"
    true = lt.exact.ln(ratio)
    assert abs(answers["qif"] - true) <= 1e-9 * true, answers
    below = answers["qif"] < lt.exact.ln_interval(ratio)[0]
    return "numpy the same; qif's ε " + ("a little too small" if below else "the same to 1e-9")


def in_fractions(rows: list[list[Any]], edges: list[tuple[int, int]]) -> Any:
    """Return the largest ratio by dividing all entries of neighbours, whatever their type."""
    return max(max(a / b, b / a) for i, h in edges for a, b in zip(rows[i], rows[h], strict=True))


@cache
def exact_rows(n: int) -> tuple[list[list[Fraction]], list[list[Any]]]:
    """The truncated geometric mechanism at ratio 2 in Python's and in flint's fractions."""
    channel = lt.TruncatedGeometric(n, ratio=2).channel
    flint = channel.matrix.tolist()
    return [[Fraction(int(v.p), int(v.q)) for v in row] for row in flint], flint


def exactly(n: int) -> Any:
    """Make a new channel and line, beside the rows of fractions."""
    python, flint = exact_rows(n)
    line = lt.SecretGraph.line(n)
    return lt.Channel(np.array(flint, dtype=object)), line, python, flint, line.edges.tolist()


NUMPY_ALONE = "numpy gives a rounded ratio and no witness; libqif is given all distances as calls"


def family(
    what: str,
    sizes: tuple[int, ...],
    prepare: Callable[[int], Given],
    edges: Callable[[int], int],
    outputs: Callable[[int], int],
    by_numpy: Callable[[Given], float] = on_edges,
    quick: int = 1,
    note: str = NUMPY_ALONE,
) -> Case:
    """Compare on mechanisms of growing size, with so many edges and outputs."""
    return Case(
        task=f"privacy level, {what}",
        sizes=sizes,
        prepare=prepare,
        ways={"leaktight": ours, "qif": libqif, "numpy": by_numpy, "memory": copied},
        agree=compared,
        limit="memory",
        quick=quick,
        patience=6,
        scale=lambda n: edges(n) * outputs(n),
        scale_name="edges × outputs",
        note=note,
    )


CASES = (
    family(
        "geometric on a line of {n}",
        (100, 300, 1000, 3000),
        prepared(
            lambda n: truncated_geometric(n, 0.01),
            lt.SecretGraph.line,
            lambda n: lambda a, b: abs(a - b),
        ),
        edges=lambda n: n - 1,
        outputs=int,
        quick=2,
    ),
    family(
        "randomised response on {n} values",
        (100, 300, 1000),
        prepared(response, lt.SecretGraph.complete, lambda n: lambda a, b: float(a != b)),
        edges=lambda n: n * (n - 1) // 2,
        outputs=int,
        by_numpy=of_extremes,
        note="on a complete graph the extremes of each column suffice, so less than linear",
    ),
    family(
        "{n} bits, one changed",
        (6, 8, 10),
        prepared(
            bits,
            lambda k: lt.Policy(lt.SecretGraph.complete(2), k).adjacency().explicit(),
            lambda k: lambda a, b: (a ^ b).bit_count(),
        ),
        edges=lambda k: k * 2 ** (k - 1),
        outputs=lambda k: 2**k,
    ),
    family(
        "geometric on a grid of {n}×{n}",
        (10, 20, 40, 60),
        prepared(
            both,
            lambda side: lt.SecretGraph.grid(side, side),
            lambda side: lambda a, b: abs(a // side - b // side) + abs(a % side - b % side),
        ),
        edges=lambda side: 2 * side * (side - 1),
        outputs=lambda side: side**2,
    ),
    Case(
        task="privacy level in fractions, geometric on a line of {n}",
        sizes=(30, 100, 300),
        prepare=exactly,
        ways={
            "leaktight": lambda given: lt.privacy_level(given[0], given[1]).ratio,
            "fractions": lambda given: in_fractions(given[2], given[4]),
            "flint": lambda given: (lambda v: Fraction(int(v.p), int(v.q)))(
                in_fractions(given[3], given[4])
            ),
        },
        quick=1,
        scale=lambda n: (n - 1) * n,
        scale_name="edges × outputs",
        note="libqif has no exact privacy level",
    ),
)
