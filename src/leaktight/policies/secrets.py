"""Secret graphs: which values of one record must not be told apart.

A :class:`SecretGraph` joins two values of a record if an observer must not learn which of the
two it is (the graph G = (T, E) of Definition 1 of [Edwards2021]_). The definition there admits
loops; a value cannot be hidden from itself, so here they are errors.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, Self, TypeAlias

import numpy as np

from leaktight.errors import InvalidGraph, expect_list
from leaktight.labels import Labels
from leaktight.policies.graph import Graph, Vertices, product_edges, strong_product_edges

Distances: TypeAlias = Callable[[Any, Any], Any] | Mapping[Any, Any] | Sequence[Sequence[Any]]
"""Distances between values: a function, a table by pairs of values, or rows in their order."""


ABSENT = "absent"
"""What a record that is not there is called, if nothing else is said."""

CHANGE, FIXED = "change", "fixed"
"""Whether people come and go between the tables of a series (add/remove), or not (replace)."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SecretGraph(Graph):
    """A graph on the values of one record; an edge is a pair that must not be told apart.

    >>> SecretGraph.threshold(["<20k", "20-40k", "40-60k", ">60k"], distance=1)
    SecretGraph(4 vertices, 3 edges: '<20k'-'20-40k', '20-40k'-'40-60k', '40-60k'-…)

    Presence is protected by a value for an absent record, see :meth:`with_absent`.
    """

    @classmethod
    def from_edges(cls, values: Vertices, edges: Iterable[tuple[Hashable, Hashable]]) -> Self:
        """Join the pairs that ``edges`` lists.

        >>> SecretGraph.from_edges(["a", "b", "c"], [("a", "b"), ("b", "c")]).diameter
        2
        """
        return cls(values, edges)

    @classmethod
    def complete(cls, values: Vertices) -> Self:
        """Join every pair of values, as differential privacy does.

        >>> SecretGraph.complete(4).size
        6
        """
        return cls.all_joined(values)

    @classmethod
    def line(cls, values: Vertices) -> Self:
        """Join each value to the next in the list.

        >>> SecretGraph.line(["low", "middle", "high"])
        SecretGraph(3 vertices, 2 edges: 'low'-'middle', 'middle'-'high')
        """
        bare = cls(values)
        steps = np.arange(bare.order - 1)
        return cls.from_indices(bare.vertices, np.stack([steps, steps + 1], axis=1))

    @classmethod
    def cycle(cls, values: Vertices) -> Self:
        """Join each value to the next, and the last to the first.

        >>> SecretGraph.cycle(["winter", "spring", "summer", "autumn"]).diameter
        2
        """
        bare = cls(values)
        if bare.order < 3:
            raise InvalidGraph(
                f"a cycle needs at least 3 values, got {bare.order}; SecretGraph.line takes fewer"
            )
        steps = np.arange(bare.order)
        around = np.stack([steps, (steps + 1) % bare.order], axis=1)
        return cls.from_indices(bare.vertices, around, alike=np.zeros_like(steps))

    @classmethod
    def threshold(cls, values: Vertices, distance: Any, metric: Distances | None = None) -> Self:
        """Join two values if they are at most ``distance`` apart: Example 5 of [Edwards2021]_.

        Without a ``metric``, numbers are |u − v| apart, a float being the decimal that it prints
        as; if any value is not a number, all are as far apart as their places in the list. Texts
        that read as numbers could mean either, so they are refused, as are tuples of numbers.

        >>> SecretGraph.threshold([1, 2, 3, 4], distance=2).size
        5
        >>> SecretGraph.threshold([0.1, 0.2, 0.3, 0.4], distance=0.1).size
        3
        >>> SecretGraph.threshold(["ab", "ad", "cd"], 1,
        ...                       lambda u, v: sum(map(str.__ne__, u, v))).size
        2
        """
        bare = cls(values)
        if not _is_number(distance) or distance < 0:
            raise InvalidGraph(f"a distance threshold must be a number from 0 up, got {distance!r}")
        if metric is not None:
            return cls.from_indices(bare.vertices, _close_in(bare.vertices, distance, metric))
        return cls.from_indices(
            bare.vertices, _close_on_line(_places(bare.vertices), _exact(distance))
        )

    @classmethod
    def partition(cls, groups: Iterable[Iterable[Hashable]]) -> Self:
        """Join the values within each group, and none across groups.

        >>> SecretGraph.partition([["Bern", "Thun"], ["Basel", "Liestal", "Muttenz"]]).components
        (('Bern', 'Thun'), ('Basel', 'Liestal', 'Muttenz'))
        """
        cliques = [cls.complete(group) for group in _read_groups(groups)]
        values = [value for clique in cliques for value in clique.vertices]
        starts = itertools.accumulate((clique.order for clique in cliques), initial=0)
        edges = [clique.edges + start for clique, start in zip(cliques, starts, strict=False)]
        return cls.from_indices(values, np.concatenate(edges) if edges else [])

    @classmethod
    def grid(cls, *sides: Vertices) -> Self:
        """Join the points of a grid that differ by one step in one coordinate.

        >>> SecretGraph.grid(3, 4).size, SecretGraph.grid(["low", "high"], 2).vertices[-1]
        (17, ('high', 1))
        """
        return cls.product(*map(cls.line, sides))

    @classmethod
    def product(cls, *attributes: Graph) -> Self:
        """Join tuples of attributes that differ in one attribute, along one of its edges.

        >>> sex, age = SecretGraph.complete(["f", "m"]), SecretGraph.line([20, 30, 40])
        >>> SecretGraph.product(sex, age).neighbours(("f", 30))
        (('f', 20), ('f', 40), ('m', 30))
        """
        return cls.from_indices(_tuples(attributes), product_edges(attributes))

    @classmethod
    def strong_product(cls, *attributes: Graph) -> Self:
        """Join tuples of attributes that differ in any number of them, each along an edge.

        >>> sex, age = SecretGraph.complete(["f", "m"]), SecretGraph.line([20, 30, 40])
        >>> SecretGraph.strong_product(sex, age).neighbours(("f", 20))
        (('f', 30), ('m', 20), ('m', 30))
        """
        return cls.from_indices(_tuples(attributes), strong_product_edges(attributes))

    @classmethod
    def add_remove(cls, values: Vertices, absent: Hashable = ABSENT) -> Self:
        """Join each value to a record that is not there, and no two values to each other.

        Neighbours are then databases with one person more or fewer, as in the field's add/remove
        (unbounded) differential privacy; :meth:`complete` is its replace (bounded) one. Two values
        are two steps apart.

        >>> SecretGraph.add_remove(["low", "high"])
        SecretGraph(3 vertices, 2 edges: 'low'-'absent', 'high'-'absent')
        """
        return cls(values).with_absent(absent)

    def with_absent(self, absent: Hashable, joined_to: Iterable[Hashable] | None = None) -> Self:
        """Add a value for a record that is not there, joined to all values or to those given.

        Joined to all, both the presence of a record and its value are protected. On a graph
        without edges it is presence alone; joined to nothing, the value alone.

        >>> SecretGraph.line(["low", "middle", "high"]).with_absent("absent").diameter
        2
        >>> SecretGraph(["low", "high"]).with_absent("absent")
        SecretGraph(3 vertices, 2 edges: 'low'-'absent', 'high'-'absent')
        """
        chosen = self.vertices if joined_to is None else tuple(joined_to)
        joined = [(self.index(value), self.order) for value in chosen]
        return type(self).from_indices(
            (*self.vertices, absent), [*map(tuple, self.edges.tolist()), *joined]
        )


def relation(secrets: Graph, absent: Hashable | None = None) -> str:
    """Return the neighbouring relation of a policy in the field's words.

    >>> relation(SecretGraph.complete(3))
    'replace'
    >>> relation(SecretGraph.line(3))
    'replace, along secret pairs'
    >>> relation(SecretGraph.add_remove(3), "absent")
    'add/remove'
    >>> relation(SecretGraph.complete(3).with_absent("absent"), "absent")
    'add/remove or replace'
    >>> relation(SecretGraph.line(3).with_absent("absent"), "absent")
    'add/remove or replace, along secret pairs'
    """
    values = secrets.order
    if absent is None:
        return "replace" if secrets.size == values * (values - 1) // 2 else PAIRS
    joined = len(secrets.neighbours(absent))
    if joined == secrets.size == values - 1:
        return "add/remove"
    if joined == 0:
        return PAIRS
    return "add/remove or " + ("replace" if secrets.size == values * (values - 1) // 2 else PAIRS)


PAIRS = "replace, along secret pairs"


def _tuples(attributes: Sequence[Graph]) -> Iterator[Labels]:
    """Return the tuples of attributes."""
    if not attributes:
        raise InvalidGraph("a product needs at least one attribute, got none")
    for graph in attributes:
        if not isinstance(graph, Graph):
            raise InvalidGraph(
                f"an attribute of a product must be a graph, got {graph!r:.80}; "
                "SecretGraph.complete(values) joins all values"
            )
    return itertools.product(*(graph.vertices for graph in attributes))


def _read_groups(groups: object) -> list[Vertices]:
    """Return the groups of a partition, each a list of values."""
    each = "each group of a partition must be a list of values"
    return [
        expect_list(group, each, InvalidGraph, "; a group of one value is [value]")
        for group in expect_list(groups, "a partition must be a list of groups", InvalidGraph)
    ]


def _is_number(value: object) -> bool:
    numeric = isinstance(value, Real | Decimal) and not isinstance(value, bool)
    return numeric and math.isfinite(value)  # type: ignore[arg-type]


def _exact(number: Any) -> Fraction:
    return Fraction(str(number))


def _reads_as_number(value: object) -> bool:
    try:
        return _is_number(value if not isinstance(value, str) else Fraction(value))
    except (ValueError, ZeroDivisionError):
        return False


def _places(values: Labels) -> list[Fraction]:
    if all(map(_is_number, values)):
        return [_exact(value) for value in values]
    if all(map(_reads_as_number, values)):
        text = next(value for value in values if isinstance(value, str))
        raise InvalidGraph(
            f"values must not be texts that read as numbers, got {text!r}; give numbers, or say "
            "with metric= how far apart they are"
        )
    if points := [value for value in values if _is_point(value)]:
        raise InvalidGraph(
            f"values must have one place in a list, got {points[0]!r:.60}; say with metric= how "
            "far apart they are, or take Metric.euclidean(points)"
        )
    return [Fraction(i) for i in range(len(values))]


def _is_point(value: object) -> bool:
    """Say whether a value is a tuple of several numbers, such as coordinates."""
    return isinstance(value, tuple) and len(value) > 1 and all(map(_is_number, value))


def _close_on_line(places: list[Fraction], limit: Fraction) -> list[tuple[int, int]]:
    """Return the pairs of positions whose places are at most ``limit`` apart."""
    # As integers over a common denominator, comparisons are exact and quick.
    unit = math.lcm(limit.denominator, *(place.denominator for place in places))
    scaled = [int(place * unit) for place in places]
    reach = int(limit * unit)
    ranked = sorted(range(len(places)), key=scaled.__getitem__)
    pairs = []
    for rank, i in enumerate(ranked):
        for j in itertools.islice(ranked, rank + 1, None):
            if scaled[j] - scaled[i] > reach:
                break
            pairs.append((i, j))
    return pairs


def _close_in(values: Labels, limit: Any, metric: Distances) -> list[tuple[int, int]]:
    """Return the pairs of positions that ``metric`` puts at most ``limit`` apart."""
    between = _as_function(metric, values)
    pairs = []
    for (i, u), (j, v) in itertools.combinations(enumerate(values), 2):
        there, back = between(u, v), between(v, u)
        if not (_is_number(there) and _is_number(back)):
            raise InvalidGraph(
                f"a metric must give a number, got {there!r:.80} from {u!r} to {v!r}"
            )
        if there != back:
            raise InvalidGraph(
                f"a metric must be symmetric, got {there} from {u!r} to {v!r} and {back} back"
            )
        if not there > 0:
            raise InvalidGraph(
                f"a metric must be positive between different values, got {there} "
                f"from {u!r} to {v!r}"
            )
        if there <= limit:
            pairs.append((i, j))
    return pairs


def _as_function(metric: Distances, values: Labels) -> Callable[[Any, Any], Any]:
    if callable(metric):
        return metric
    if isinstance(metric, Mapping):
        known = metric

        def looked_up(u: Hashable, v: Hashable) -> Any:
            if (u, v) not in known and (v, u) not in known:
                raise InvalidGraph(f"the distance table must have the pair {(u, v)!r}, got none")
            return known[(u, v) if (u, v) in known else (v, u)]

        return looked_up
    table = np.asarray(metric, dtype=object)
    if table.shape != (len(values), len(values)):
        raise InvalidGraph(
            f"a distance table must have a row and a column for each of the {len(values)} values, "
            f"got shape {table.shape}"
        )
    places = {value: i for i, value in enumerate(values)}
    return lambda u, v: table[places[u], places[v]]
