"""What is asked of a table: how many have each value, how many up to each, how many of some, a sum?

A query says how each value counts. On the values of a policy it becomes :class:`Weights`.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from leaktight.errors import InvalidInput, InvalidNumber, expect
from leaktight.labels import Labels, positions
from leaktight.tables.weights import LARGEST, Shape, Weights

LARGEST_SHARE = 100
"""The largest share of a query: beyond, the others would get next to nothing."""


class Kind(StrEnum):
    """The kinds of queries."""

    HISTOGRAM = "histogram"
    """Plain or ordered, whichever is expected to be nearer to the truth."""
    PLAIN = "plain histogram"
    ORDERED = "ordered histogram"
    CUMULATIVE = "cumulative"
    COUNT = "count"
    SUM = "sum"
    HIERARCHY = "hierarchy"


@dataclass(frozen=True, slots=True)
class TableQuery:
    """One question to a table; made by :func:`histogram`, :func:`cumulative` and so on.

    ``share`` says how much of ε it gets, compared with the others of the release.
    """

    name: str
    kind: Kind
    by: tuple[str, ...] = ()
    """The columns of a histogram or of what is counted up, if not all."""
    groups: tuple[tuple[Hashable, Labels], ...] = ()
    """The cells of a histogram and their values, if a cell is not a value."""
    values: Labels = ()
    """The values that are counted."""
    weights: tuple[tuple[Hashable, int], ...] = ()
    """What each value adds to a sum; empty if it is the value itself."""
    fanout: int = 2
    share: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInput(f"a query needs a name, got {self.name!r:.60}")
        share = self.share
        if isinstance(share, bool) or not isinstance(share, int) or not 0 < share <= LARGEST_SHARE:
            raise InvalidNumber(
                f"the share of the query {self.name!r} must be a whole number from 1 to "
                f"{LARGEST_SHARE}, got {share!r:.60}"
            )

    def to_dict(self) -> dict[str, Any]:
        """The query as a ledger has it; the same for the same question."""
        return {
            "name": self.name,
            "kind": str(self.kind),
            "by": list(self.by),
            "groups": [[repr(cell), list(map(repr, values))] for cell, values in self.groups],
            "values": list(map(repr, self.values)),
            "weights": [[repr(value), weight] for value, weight in self.weights],
            "fanout": self.fanout,
            "share": self.share,
        }


def histogram(
    name: str,
    *,
    by: Sequence[str] = (),
    groups: Mapping[Any, Iterable[Hashable]] | None = None,
    ordered: bool | None = None,
    share: int = 1,
) -> TableQuery:
    """Ask how many records have each value, or fall in each of some ``groups`` of values.

    With several columns, ``by`` names those whose combinations are counted. An ``ordered``
    histogram adds noise to the numbers up to each value, and takes differences: better where only
    values near each other in the list are secret pairs, worse where all values are joined. If
    nothing is said, the better of the two is taken; :func:`plan` shows both.

    >>> histogram("by band").kind
    <Kind.HISTOGRAM: 'histogram'>
    """
    named = () if groups is None else tuple((c, tuple(vs)) for c, vs in groups.items())
    kind = {None: Kind.HISTOGRAM, True: Kind.ORDERED, False: Kind.PLAIN}[ordered]
    return TableQuery(name, kind, by=tuple(by), groups=named, share=share)


def cumulative(name: str, *, by: Sequence[str] = (), share: int = 1) -> TableQuery:
    """Ask how many records have a value up to each one, in the order of the policy.

    With several columns, ``by`` names the one whose values are counted up.
    """
    return TableQuery(name, Kind.CUMULATIVE, by=tuple(by), share=share)


def count_of(name: str, values: Iterable[Hashable], *, share: int = 1) -> TableQuery:
    """Ask how many records have one of some ``values``."""
    if isinstance(values, str):
        raise InvalidInput(f"{name!r} counts a list of values, got the text {values!r:.60}")
    expect(values, Iterable, "list the values that are counted")
    return TableQuery(name, Kind.COUNT, values=tuple(values), share=share)


def sum_of(name: str, weights: Mapping[Any, int] | None = None, *, share: int = 1) -> TableQuery:
    """Ask what the values add up to, or the whole ``weights`` that they are given."""
    return TableQuery(name, Kind.SUM, weights=tuple((weights or {}).items()), share=share)


def hierarchy(name: str, *, fanout: int = 2, share: int = 1) -> TableQuery:
    """Ask for histograms of ever coarser runs of values, each of ``fanout`` finer ones.

    A long run of values is then the sum of few noisy numbers; :func:`consistent` joins them all.
    """
    if isinstance(fanout, bool) or not isinstance(fanout, int) or fanout < 2:
        raise InvalidNumber(f"the fanout of {name!r} must be 2 or more, got {fanout!r:.60}")
    return TableQuery(name, Kind.HIERARCHY, fanout=fanout, share=share)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A query, or one level of it, on the values of a policy."""

    query: TableQuery
    name: str
    weights: Weights
    cells: Labels
    """What each of its numbers is about."""


def blocks_of(
    queries: Iterable[TableQuery], values: Labels, absent: Hashable | None, columns: Labels = ()
) -> list[Block]:
    """Return the queries as blocks of W on the ``values`` of a policy.

    A record with the value ``absent`` is not in the table and adds nothing.

    >>> [block] = blocks_of([histogram("ill")], ("no", "yes", "absent"), "absent")
    >>> block.weights.matrix().tolist()
    [[1, 0], [0, 1], [0, 0]]
    """
    found = []
    for query in queries:
        maker = _MAKERS[query.kind]
        present = tuple(v for v in values if absent is None or v != absent)
        for name, cells, shape, places, size in maker(query, present, columns):
            everywhere = {Shape.HISTOGRAM: -1, Shape.CUMULATIVE: size, Shape.SUM: 0}[shape]
            by_value = dict(zip(present, places, strict=True))
            array = np.array([by_value.get(v, everywhere) for v in values], dtype=np.int64)
            found.append(Block(query, name, Weights(shape, array, size), tuple(cells)))
    return found


def distinct(queries: Iterable[TableQuery] | TableQuery) -> list[TableQuery]:
    """Return the queries of a release as a list; one may be given by itself."""
    read = list(queries) if isinstance(queries, Iterable) else [queries]
    for query in read:
        expect(query, TableQuery, "a query is made by histogram(name) or one of its kind")
    names = [query.name for query in read]
    if not read or len(set(names)) < len(names):
        twice = next((name for name in names if names.count(name) > 1), None)
        found = "none" if twice is None else f"{twice!r:.60} twice"
        raise InvalidInput(f"a release needs queries, each with a name of its own, got {found}")
    return read


Made = tuple[str, Iterable[Hashable], Shape, Sequence[int], int]


def _histogram(query: TableQuery, values: Labels, columns: Labels) -> list[Made]:
    cells, places = _cells(query, values, columns)
    if query.kind not in (Kind.ORDERED, Kind.CUMULATIVE):
        return [(query.name, cells, Shape.HISTOGRAM, places, len(cells))]
    ranks = [len(cells) if place < 0 else place for place in places]
    return [(query.name, cells, Shape.CUMULATIVE, ranks, len(cells))]


def _cells(query: TableQuery, values: Labels, columns: Labels) -> tuple[Labels, list[int]]:
    """Return the cells of a histogram, and for each value its cell or −1."""
    if query.by and query.groups:
        raise InvalidInput(f"the query {query.name!r} must have by or groups, got both")
    if query.groups:
        place: dict[Hashable, int] = {}
        for cell, (_, members) in enumerate(query.groups):
            for at in positions(members, values, f"value of {query.name!r}:"):
                if place.setdefault(values[at], cell) != cell:
                    raise InvalidInput(
                        f"{query.name!r}: {values[at]!r} must be in one group, got two"
                    )
        return tuple(cell for cell, _ in query.groups), [place.get(v, -1) for v in values]
    if query.by:
        kept = positions(query.by, columns, f"column of {query.name!r}:")
        if len(columns) > 1:
            parts: list[Any] = [tuple(v[i] for i in kept) for v in values]  # type: ignore[index]
            if len(kept) == 1:
                parts = [part[0] for part in parts]
            cells = tuple(dict.fromkeys(parts))
            where = {cell: i for i, cell in enumerate(cells)}
            return cells, [where[part] for part in parts]
    return values, list(range(len(values)))


def _count(query: TableQuery, values: Labels, columns: Labels) -> list[Made]:
    counted = set(positions(query.values, values, f"value of {query.name!r}:"))
    if not counted:
        raise InvalidInput(f"the query {query.name!r} must count some value, got none")
    places = [int(i in counted) for i in range(len(values))]
    return [(query.name, [query.name], Shape.SUM, places, 1)]


def _sum(query: TableQuery, values: Labels, columns: Labels) -> list[Made]:
    given: dict[Any, Any] = dict(query.weights) if query.weights else {v: v for v in values}
    positions(given, values, f"value of {query.name!r}:")
    for value in values:
        weight = given.get(value, 0)
        if isinstance(weight, bool) or not isinstance(weight, int | np.integer):
            raise InvalidNumber(
                f"the sum {query.name!r} needs a whole number for each value, got {weight!r:.60} "
                f"for {value!r:.60}; give weights, in a unit that makes them whole"
            )
        if abs(int(weight)) > LARGEST:
            raise InvalidNumber(
                f"a weight of the sum {query.name!r} must be at most {LARGEST:,}, got {weight}"
            )
    return [(query.name, [query.name], Shape.SUM, [int(given.get(v, 0)) for v in values], 1)]


def _hierarchy(query: TableQuery, values: Labels, columns: Labels) -> list[Made]:
    made: list[Made] = []
    width, level = 1, 0
    while level == 0 or width < len(values):
        runs = [(i, min(i + width, len(values)) - 1) for i in range(0, len(values), width)]
        cells = values if width == 1 else [f"{values[a]} to {values[b]}" for a, b in runs]
        places = [i // width for i in range(len(values))]
        made.append((f"{query.name}, runs of {width}", cells, Shape.HISTOGRAM, places, len(runs)))
        width, level = width * query.fanout, level + 1
    return made


_MAKERS: dict[Kind, Callable[[TableQuery, Labels, Labels], list[Made]]] = {
    Kind.HISTOGRAM: _histogram,
    Kind.PLAIN: _histogram,
    Kind.ORDERED: _histogram,
    Kind.CUMULATIVE: _histogram,
    Kind.COUNT: _count,
    Kind.SUM: _sum,
    Kind.HIERARCHY: _hierarchy,
}
