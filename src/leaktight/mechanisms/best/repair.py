"""Repair of a matrix that is almost private, so that it is, exactly.

Whoever rounds leaves entries that break K_ij ≤ λ·K_hj by a little, and rows that sum to 1 almost.
Columns are lifted until they are private, and what is left of the rows joins one of them.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.keeping import made_to_keep
from leaktight.curves.promise import promise_of
from leaktight.curves.worst_case import in_steps
from leaktight.errors import InvalidChannel
from leaktight.exact.matrix import read_table
from leaktight.exact.numbers import Array, Number, exact_array, fraction, is_exact
from leaktight.exact.ratio import RatioLike
from leaktight.labels import alignment, read_labels
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, guarantee_of, vertices_of
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.neighbours import Space, metric_of
from leaktight.worst_case.columns import in_units, private_matrix


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Repaired(Mechanism):
    """A private channel near a matrix that was not quite one."""

    channel: Channel = field()
    guarantee: Guarantee = field()
    moved: Fraction
    """The most probability that was moved in a row: half the sum of the changes."""

    @property
    def name(self) -> str:
        """What it is."""
        return f"repaired matrix of {self.channel.shape[0]} inputs"


def repair(
    rows: Any,
    neighbours: Space,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    *,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    curve: PrivacyCurve | None = None,
) -> Repaired:
    """Return a channel that is exactly private, close to a matrix that is almost.

    ``rows`` is a channel or a table, floats or exact. A negative entry counts as 0, and rows are
    divided by their sums. How much changed is in ``moved``: of the order of what was wrong, times
    λ/(λ − 1). For other promises than pure ε, by ``delta`` beside it, ``rho``, ``mu`` or a
    ``curve``, all rows are mixed with the same one until the promise is decided to be kept.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.privacy.level import privacy_level
    >>> solved = [[0.6666667, 0.3333333], [0.3333333, 0.6666667]]
    >>> made = repair(solved, SecretGraph.complete(2), ratio=2)
    >>> privacy_level(made.channel, SecretGraph.complete(2)).ratio <= 2
    True
    >>> 0 < made.moved < Fraction(1, 10**6)
    True
    >>> print(repair(solved, SecretGraph.complete(2), mu=1).guarantee)
    μ = 1 (Gaussian) for neighbouring vertices of a graph of 2
    """
    asked = promise_of(ratio, epsilon, delta=delta, rho=rho, mu=mu, curve=curve)
    metric = metric_of(neighbours)
    graph = metric.graph
    matrix, outputs = _read(rows, graph)
    known = exact_array(np.maximum(matrix, 0))
    sums = known.sum(axis=1)
    if not sums.all():
        raise InvalidChannel("every row must have a positive entry")
    if isinstance(asked, PrivacyCurve):
        return _mixed(
            Channel(known / sums[:, None], graph.vertices, outputs), metric, asked, matrix
        )
    most = metric.ratios(asked)[0]
    units = in_units(known / sums[:, None], most)
    made = private_matrix(units, graph, most, lambda left: int(units.sum(axis=0).argmax()))
    channel = Channel(made, graph.vertices, outputs)
    return Repaired(channel, guarantee_of(channel, metric, asked), _moved(made, matrix))


def _mixed(channel: Channel, metric: Metric, curve: PrivacyCurve, before: Array) -> Repaired:
    """Return a channel that keeps a curve on the edges of a graph."""
    graph = in_steps(metric).explicit()
    made, _ = made_to_keep(channel, graph, curve)
    promised = Guarantee(curve, vertices_of(graph), lambda: graph)
    return Repaired(made, promised, _moved(made.matrix, before))


def _moved(made: Array, before: Array) -> Fraction:
    return fraction(abs(made - exact_array(before)).sum(axis=1).max() / 2)


def _read(rows: Any, graph: Graph) -> tuple[Array, tuple[Any, ...]]:
    """Return the matrix, its rows in the order of the vertices, and the names of its columns."""
    if isinstance(rows, Channel):
        matrix, inputs, outputs = rows.matrix, rows.inputs, rows.outputs
    else:
        matrix, given, named = read_table(rows, None, None, "matrix", InvalidChannel)
        inputs = graph.vertices if given is None else tuple(given)
        outputs = read_labels(named, matrix.shape[1], "output", InvalidChannel)
        if not is_exact(matrix) and not np.isfinite(matrix).all():
            raise InvalidChannel("every entry of the matrix must be a finite number")
    if len(inputs) != len(matrix):
        raise InvalidChannel(
            f"the matrix must have a row for each of {len(inputs)} vertices, got {len(matrix)}"
        )
    order = alignment(graph.vertices, inputs, "the graph's vertices and the rows")
    return matrix if order is None else matrix[order], outputs
