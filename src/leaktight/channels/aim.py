"""What a release is good for: what each guess of a value earns, or costs."""

from typing import Any

from leaktight.channels.gain import Gain, Loss
from leaktight.errors import InvalidInput, InvalidNumber
from leaktight.exact.numbers import as_printed
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric

GAINS = ("guess", "distance", "difference", "squared", "squared difference")
"""1 for the right guess; or it costs how far off it is, in steps of the graph or as a number.

The last two are the same.
"""


def aim_of(kind: str, graph: Graph | Metric) -> Gain | Loss:
    """Return what each guess of a vertex earns or costs, for one of the ``GAINS``.

    For a metric ``"distance"`` is that of the metric, rounded up where it is not rational.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> aim_of("squared difference", SecretGraph.line([10, 11, 13])).matrix[0, 2]
    9
    """
    if kind not in GAINS:
        raise InvalidInput(f"gain must be one of {', '.join(GAINS)}, got {kind!r:.60}")
    metric, graph = graph.measured, graph.graph
    if kind == "guess":
        return Gain.binary(graph.vertices)
    if kind == "distance":
        if not graph.is_connected:
            one, other = (part[0] for part in graph.components[:2])
            raise InvalidInput(
                f"the distance between {one!r:.40} and {other!r:.40} is infinite, in different "
                f'components of the graph; "guess" needs no distance'
            )
        if metric is not None:
            return Loss(metric.distances, graph.vertices, graph.vertices)
        return Loss.by_distance(graph.vertices, graph.distance)
    power = 2 if kind in ("squared", "squared difference") else 1
    return Loss.by_distance(graph.vertices, lambda a, b: _difference(a, b, power))


def _difference(a: Any, b: Any, power: int) -> Any:
    """Return |a − b|^power for numbers, and for points the sum over their coordinates."""
    if isinstance(a, tuple):
        return sum(_difference(x, y, power) for x, y in zip(a, b, strict=True))
    numbers = (repr(x).lower() if isinstance(x, bool) else x for x in (a, b))
    try:
        one, other = map(as_printed, numbers)
    except InvalidNumber:
        raise InvalidInput(f'"difference" needs values that are numbers, got {a!r:.40}') from None
    return abs(one - other) ** power
