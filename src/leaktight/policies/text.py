"""Small graphs as a command line has them: ``line:4``, ``grid:3x4``, ``edges:a-b,b-c``.

Where values may have distances, ``euclidean:10x10`` and ``haversine:places.csv`` are written alike.
"""

import math
import re
from collections.abc import Callable
from difflib import get_close_matches
from itertools import product

from leaktight.errors import InvalidGraph, InvalidNumber
from leaktight.policies.metric import Metric, read_places
from leaktight.policies.real import Box, Circle, Interval, RealPolicy
from leaktight.policies.secrets import SecretGraph

FORMS = "complete:6, line:4, cycle:7, threshold:10:2, grid:3x4, edges:a-b,b-c"

MOST_VALUES = 10**4
"""The most values of a graph that a person writes down."""

MOST_JOINED = 2_000
"""The most values if all of them may be joined: two million pairs."""

MOST_APART = 10**3
"""The most points between all of which there are distances."""

LIMITS = dict.fromkeys(("line", "cycle", "grid", "edges"), MOST_VALUES) | dict.fromkeys(
    ("complete", "threshold", "partition"), MOST_JOINED
)


def check_order(kind: str, *sides: int) -> None:
    """Refuse a graph of this kind that is too large, before it is made."""
    most = LIMITS.get(kind, MOST_APART)
    order = math.prod(sides)
    if order > most:
        found = f"{order:,}" if order < 10**15 else "far more"
        raise InvalidGraph(f"a graph of this kind has at most {most:,} values here, got {found}")


def graph_of(text: str) -> SecretGraph:
    """Return the graph that a text describes.

    >>> graph_of("threshold:10:2").size, graph_of("grid:3x4").order, graph_of("edges:a-b,b-c")
    (17, 12, SecretGraph(3 vertices, 2 edges: 'a'-'b', 'b'-'c'))
    """
    name, _, rest = text.partition(":")
    makers: dict[str, Callable[[str], SecretGraph]] = {
        "complete": lambda size: SecretGraph.complete(_size(name, size)),
        "line": lambda size: SecretGraph.line(_size(name, size)),
        "cycle": lambda size: SecretGraph.cycle(_size(name, size)),
        "threshold": _threshold,
        "grid": _grid,
        "edges": _edges,
    }
    if name not in makers:
        if name in ("euclidean", "manhattan", "haversine"):
            raise InvalidGraph(
                f"here all edges must count alike: a graph is written like {FORMS}, got distances, "
                f"{text[:60]!r}"
            )
        close = get_close_matches(name[:60].strip().lower(), makers, n=1)
        hint = f"; did you mean {close[0]}:{rest[:60].strip()}?" if close and rest else ""
        raise InvalidGraph(f"a graph is written like {FORMS}, got {text[:60]!r}{hint}")
    return makers[name](rest)


METRIC_FORMS = "euclidean:10x10, manhattan:places.csv, haversine:places.csv, edges:a-b=2,b-c=1/2"


def apart_of(text: str) -> SecretGraph | Metric:
    """Return the graph that a text describes, or the distances between points, or along edges.

    A file of places has a name and its coordinates in each line.

    >>> apart_of("euclidean:4x4"), apart_of("edges:a-b=2,b-c=1/2").distance("a", "c")[0]
    (Metric(16 values, 86 of 120 pairs matter), Fraction(5, 2))
    >>> apart_of("line:3")
    SecretGraph(3 vertices, 2 edges: 0-1, 1-2)
    """
    name, _, rest = text.partition(":")
    if name == "edges" and "=" in rest:
        return _long_edges(rest)
    if name not in ("euclidean", "manhattan", "haversine"):
        return graph_of(text)
    if rest.lower().endswith(".csv"):
        made: Metric = getattr(Metric, name)(read_places(rest))
        return made
    if name == "haversine" or not re.fullmatch(r"[0-9]+(x[0-9]+)*", rest):
        raise InvalidGraph(f"distances are written like {METRIC_FORMS}, got {text[:60]!r}")
    sides = [_size(name, side) for side in rest.split("x")]
    check_order(name, *sides)
    points = list(product(*map(range, sides)))
    return Metric.euclidean(points) if name == "euclidean" else Metric.manhattan(points)


def _long_edges(text: str) -> Metric:
    edges = []
    for part in text.split(","):
        pair, _, length = part.partition("=")
        a, mark, b = pair.partition("-")
        if not (a and b and mark and length) or "-" in b:
            raise InvalidGraph(f"edges with lengths are written a-b=2,b-c=1/2, got {part[:60]!r}")
        edges.append((a, b, length))
    return Metric.from_edges(list(dict.fromkeys(v for edge in edges for v in edge[:2])), edges)


REAL_FORMS = "interval:0:100, box:0:1,0:2, circle:24"


def real_of(text: str) -> RealPolicy | None:
    """Return the real values that a text describes, and None if it is no such text.

    >>> real_of("interval:0:100"), real_of("box:0:1,0:2"), real_of("line:4")
    (Interval(0, 100), Box(Interval(0, 1), Interval(0, 2)), None)
    """
    name, _, rest = text.partition(":")
    try:
        if name == "circle":
            return Circle(rest)
        if name in ("interval", "box"):
            sides = [Interval(*side.split(":")) for side in rest.split(",")]
            return Box(*sides) if name == "box" or len(sides) > 1 else sides[0]
    except (TypeError, InvalidNumber) as wrong:
        why = "" if isinstance(wrong, TypeError) else f" ({wrong})"
        raise InvalidNumber(
            f"real values are written like {REAL_FORMS}, got {text[:60]!r}{why}"
        ) from None
    return None


def _size(kind: str, text: str) -> int:
    """Return how many values a text says."""
    if not re.fullmatch(r"[0-9]{1,15}", text) or int(text) < 1:
        raise InvalidGraph(
            f"a graph needs a whole number from 1, got {kind}:{text[:60]}; write {FORMS}"
        )
    check_order(kind, int(text))
    return int(text)


def _threshold(text: str) -> SecretGraph:
    size, _, distance = text.partition(":")
    values = range(_size("threshold", size))
    return SecretGraph.threshold(values, distance=_size("threshold", distance or "1"))


def _grid(text: str) -> SecretGraph:
    sides = [_size("grid", side) for side in text.split("x")]
    check_order("grid", *sides)
    return SecretGraph.grid(*sides)


def _edges(text: str) -> SecretGraph:
    pairs = [tuple(edge.split("-")) for edge in text.split(",")]
    for pair in pairs:
        if len(pair) != 2 or not all(pair):
            raise InvalidGraph(
                f"edges are written a-b,b-c, got {'-'.join(pair)[:60]!r}; write {FORMS}"
            )
    values = list(dict.fromkeys(value for pair in pairs for value in pair))
    check_order("edges", len(values))
    return SecretGraph.from_edges(values, [(a, b) for a, b in pairs])
