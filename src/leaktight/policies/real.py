"""Real values and their distances: intervals, boxes, circles and trees.

What must be hard to tell apart are real numbers, the more so the nearer they are: a channel K is
private at ε if K(Z|x) ≤ e^(ε·d(x,x′))·K(Z|x′) for every set Z of outputs.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from leaktight.errors import InvalidNumber, InvalidPolicy, expect_whole
from leaktight.exact.numbers import Number, as_printed, fraction
from leaktight.exact.shown import shown
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.space import Space


class RealPolicy(Space):
    """Real values that are the harder to tell apart the nearer they are."""

    @abstractmethod
    def grid(self, points: int) -> Metric:
        """Return the metric of so many points."""

    @property
    def finite(self) -> AdjacencyGraph | Metric | None:
        """What is finite beside the real values; None if nothing is."""
        return None

    def adjacency(self) -> AdjacencyGraph:
        """Refuse: no two real values are next to each other."""
        raise InvalidPolicy(
            "real values have distances, for which pure ε alone is proved: give ratio= or "
            "epsilon=, or finitely many of them: .grid(points)"
        )


@dataclass(frozen=True, init=False, repr=False)
class Interval(RealPolicy):
    """The numbers from ``low`` to ``high``, |x − y| apart.

    >>> ages = Interval(0, 100)
    >>> ages, ages.length, ages.grid(5).unit
    (Interval(0, 100), Fraction(100, 1), Fraction(25, 1))
    """

    low: Fraction
    high: Fraction

    def __init__(self, low: Number, high: Number) -> None:
        ends = fraction(as_printed(low)), fraction(as_printed(high))
        if not ends[0] < ends[1]:
            raise InvalidNumber(f"an interval must end above where it begins, got {low} to {high}")
        object.__setattr__(self, "low", ends[0])
        object.__setattr__(self, "high", ends[1])

    @property
    def length(self) -> Fraction:
        """high − low."""
        return self.high - self.low

    def grid(self, points: int) -> Metric:
        """Return the metric of so many points, equally far apart, both ends among them."""
        step = self.length / (expect_count(points, 2) - 1)
        values = [self.low + step * i for i in range(points)]
        return Metric.of(SecretGraph.line(values), length=step)

    def __repr__(self) -> str:
        return f"Interval({shown(self.low)}, {shown(self.high)})"


@dataclass(frozen=True, init=False, repr=False)
class Circle(RealPolicy):
    """The points of a circle, as far apart as the shorter way round: hours, or directions.

    >>> Circle(24).grid(12).distance(1, 11)[0]
    Fraction(4, 1)
    """

    circumference: Fraction

    def __init__(self, circumference: Number) -> None:
        around = fraction(as_printed(circumference))
        if around <= 0:
            raise InvalidNumber(f"a circle must have a length above 0, got {circumference}")
        object.__setattr__(self, "circumference", around)

    def grid(self, points: int) -> Metric:
        """Return the metric of so many points, equally far apart."""
        step = self.circumference / expect_count(points, 3)
        return Metric.of(SecretGraph.cycle(points), length=step)

    def __repr__(self) -> str:
        return f"Circle({shown(self.circumference)})"


@dataclass(frozen=True, init=False, repr=False)
class Tree(RealPolicy):
    """The points of all edges of a tree, as far apart as the way between them is long.

    >>> Tree([("mouth", "fork", 5), ("fork", "left", 3), ("fork", "right", 3)])
    Tree(3 edges, 11 long)
    """

    metric: Metric
    """The ends of the edges, and how long these are."""

    def __init__(self, edges: Iterable[tuple[Hashable, Hashable, Number]]) -> None:
        listed = list(edges)
        metric = Metric.from_edges(list(dict.fromkeys(v for e in listed for v in e[:2])), listed)
        if not metric.graph.is_connected or metric.graph.size != metric.order - 1 != 0:
            raise InvalidPolicy(
                f"a tree must be connected and without cycles, got {metric.graph.size} edges "
                f"between {metric.order} points"
            )
        object.__setattr__(self, "metric", metric)

    @classmethod
    def star(cls, legs: int, length: Number) -> "Tree":
        """Return so many edges of the same length that meet in one point."""
        return cls([(0, leg, length) for leg in range(1, expect_count(legs, 2) + 1)])

    @property
    def length(self) -> Fraction:
        """That of all edges together."""
        return fraction(self.metric.lower.sum())

    @property
    def branches(self) -> Counter[int]:
        """How many points there are where k edges meet, for each k from 3."""
        return Counter(k for k in self.metric.graph.degrees.tolist() if k > 2)

    def grid(self, points: int) -> Metric:
        """Return the metric of the ends of the edges, and of so many points inside each."""
        inside = points + 1
        graph, edges = self.metric.graph, list[tuple[Hashable, Hashable, Number]]()
        for (i, j), length in zip(graph.edges.tolist(), self.metric.lower, strict=True):
            a, b = graph.vertices[i], graph.vertices[j]
            way: list[Hashable] = [a, *((a, b, k) for k in range(1, inside)), b]
            step = fraction(length) / inside
            edges += [(x, y, step) for x, y in pairwise(way)]
        return Metric.from_edges(
            Graph(dict.fromkeys(v for e in edges for v in e[:2])).vertices, edges
        )

    def __repr__(self) -> str:
        return f"Tree({self.metric.graph.size} edges, {shown(self.length)} long)"


@dataclass(frozen=True, init=False, repr=False)
class Box(RealPolicy):
    """Several values at once, one of each side; distances are the sums of theirs.

    A side is real values, or finitely many: a graph, whose edges are of length 1, or a metric.

    >>> Box(Interval(0, 1), Interval(0, 2)).grid(3)
    Metric(9 values, 12 of 36 pairs matter)
    >>> Box(Interval(0, 100), SecretGraph.complete(["f", "m"]))     # an age and a sex
    Box(Interval(0, 100), SecretGraph(2 vertices, 1 edge: 'f'-'m'))
    """

    sides: tuple[RealPolicy | Graph | Metric, ...]

    def __init__(self, *sides: RealPolicy | Graph | Metric) -> None:
        fit = all(isinstance(side, Interval | Circle | Tree | Graph | Metric) for side in sides)
        if not fit or not any(isinstance(side, RealPolicy) for side in sides):
            raise InvalidPolicy(
                "a box needs an Interval, a Circle, a Tree, a graph or a Metric for each side, and "
                f"one of the first three, got {sides!r:.60}"
            )
        object.__setattr__(self, "sides", sides)

    @property
    def real(self) -> tuple[RealPolicy, ...]:
        """The sides of real values."""
        return tuple(side for side in self.sides if isinstance(side, RealPolicy))

    @property
    def finite(self) -> AdjacencyGraph | Metric | None:
        """The product of all other sides; None if there are none."""
        sides = [side for side in self.sides if not isinstance(side, RealPolicy)]
        if any(side.measured is not None for side in sides):
            return Metric.product(*(side.as_metric() for side in sides))
        return AdjacencyGraph.of_records(side.graph for side in sides) if sides else None

    def grid(self, points: int) -> Metric:
        """Return the metric of so many points on each side of real values."""
        return Metric.product(
            *(s.grid(points) if isinstance(s, RealPolicy) else s.as_metric() for s in self.sides)
        )

    def __repr__(self) -> str:
        return f"Box({', '.join(map(repr, self.sides))})"


def expect_count(given: int, least: int) -> int:
    """Return how many points there are."""
    return expect_whole(given, "how many there are", least)
