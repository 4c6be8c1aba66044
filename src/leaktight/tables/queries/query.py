"""One question to a table: which numbers it needs, and how its answer follows from them.

A query says how each value counts, as :class:`Weights`: *blocks* of numbers to which noise is
added. From the noisy numbers of its blocks, and the noise, it makes its answers, and from the
variances its expected errors. Its kind is registered under a name; a study, the plan, the release
and the fitted table know it by this alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from leaktight.errors import InvalidInput, InvalidNumber, expect, is_whole
from leaktight.exact.numbers import Number, as_printed, fraction
from leaktight.labels import Labels
from leaktight.tables.noise import BlockNoise
from leaktight.tables.queries.answer import Answer, Expected
from leaktight.tables.reading import Reading
from leaktight.tables.weights import Shape, Weights

LARGEST_SHARE = 100
"""The largest share of a query: beyond, the others would get next to nothing."""

BEFORE: dict[str, Any] = {
    "by": [],
    "groups": [],
    "values": [],
    "weights": [],
    "fanout": 2,
}
"""What ledgers have of every query, since they were first written."""


class Form(StrEnum):
    """How a key of a query is written in a study."""

    NAME = "text"
    NAMES = "list of texts"
    VALUES = "list"
    GROUPS = "table of lists"
    WEIGHTS = "table, or list of pairs"
    WHOLE = "whole number"
    NUMBERS = "list of numbers"


KINDS: dict[str, type["TableQuery"]] = {}
"""The kinds of queries by the names that they have in a study."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuery(ABC):
    """One question to a table; made by :func:`histogram`, :func:`mean_of` and so on.

    ``share`` says how much of ε it gets, compared with the others of the release. With ``error``
    it gets as much as makes the standard deviation of its numbers at most that.
    """

    kind: ClassVar[str]
    keys: ClassVar[dict[str, Form]] = {}
    """The keys that it has in a study, beside name, kind, share and error."""

    name: str
    share: int = 1
    error: Fraction | None = None

    def __init_subclass__(cls, **more: Any) -> None:
        super(TableQuery, cls).__init_subclass__(**more)
        if "kind" in cls.__dict__:
            KINDS[cls.kind] = cls

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInput(f"a query needs a name, got {self.name!r:.60}")
        share = self.share
        if not is_whole(share, 1, LARGEST_SHARE):
            raise InvalidNumber(
                f"the share of the query {self.name!r} must be a whole number from 1 to "
                f"{LARGEST_SHARE}, got {share!r:.60}"
            )
        if self.error is not None:
            object.__setattr__(self, "error", self._read_error(self.error))

    def _read_error(self, error: Number) -> Fraction:
        exact = fraction(as_printed(error))
        if exact <= 0:
            raise InvalidNumber(
                f"the error of the query {self.name!r} must be a number above 0, got {error}"
            )
        if self.share != 1:
            raise InvalidInput(f"the query {self.name!r} must have a share or an error, got both")
        return exact

    # --- what a kind says --------------------------------------------------------------------

    @classmethod
    def read(cls, **given: Any) -> Self:
        """Return the query that a study asks, from the keys that it gives."""
        return cls(**given)

    @abstractmethod
    def said(self) -> dict[str, Any]:
        """Return what is asked, beside name, kind and share, as a ledger has it."""

    @abstractmethod
    def blocks(self, space: "Space") -> list["Block"]:
        """Return the numbers to which noise is added."""

    @abstractmethod
    def answers(self, parts: Sequence["Part"]) -> list[Answer]:
        """Return the answers that follow from the numbers of its blocks."""

    @abstractmethod
    def expected(self, parts: Sequence["Part"]) -> list[Expected]:
        """Return the errors that are expected, by the variances of its blocks; for plans."""

    def expect_reading(self, reading: Reading) -> None:  # noqa: B027 - most kinds take any
        """Refuse a table whose cells are read as something else than what it is about."""

    def ways(self) -> tuple["TableQuery", ...]:
        """Return the ways in which it may be asked; the one with the least error is taken."""
        return (self,)

    @property
    def way(self) -> str:
        """Which of them it is, in a few words; empty if there is one."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """The query as a ledger has it; the same for the same question."""
        error = {} if self.error is None else {"error": str(self.error)}
        kind, share = self.kind, self.share
        return {"name": self.name, "kind": kind, **BEFORE, **self.said(), "share": share} | error


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnQuery(TableQuery):
    """A question about one column, in each of some groups, which may be asked in several ways."""

    names_of_ways: ClassVar[tuple[str, ...]] = ()

    column: str | None = None
    by: tuple[str, ...] = ()
    taken: int | None = None
    """Which of the ways is taken; None if that is still open."""

    def ways(self) -> tuple[TableQuery, ...]:
        """Return it in each of its ways, if none is taken."""
        if self.taken is not None or not self.names_of_ways:
            return (self,)
        return tuple(replace(self, taken=way) for way in range(len(self.names_of_ways)))

    @property
    def way(self) -> str:
        """Which it is."""
        return self.names_of_ways[self.taken or 0] if self.names_of_ways else ""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A query, or a part of it, on the values of a policy."""

    query: TableQuery
    name: str
    weights: Weights
    cells: Labels
    """What each of its numbers is about."""
    unit: Fraction = Fraction(1)
    """What a unit of its numbers is worth."""
    ends: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1))
    """The least and the largest value of anybody, where a mean is asked for."""
    group: Hashable = None
    """Whom it is about, where each group has a block."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The numbers of a block, as they were released or fitted, and the noise of each."""

    block: Block
    numbers: Sequence[Any]
    noises: Sequence[BlockNoise | None]
    """None for a number without noise."""

    @property
    def noise(self) -> BlockNoise | None:
        """That of the numbers that have one."""
        return next((each for each in self.noises if each is not None), None)

    @property
    def noisy(self) -> list[int]:
        """1 for each number with noise, 0 for those without."""
        return [int(each is not None) for each in self.noises]

    @property
    def variances(self) -> list[Fraction]:
        """The expected squares of the noises."""
        return [Fraction(0) if each is None else each.variance for each in self.noises]


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """The values that a record may have, and the columns of which they are made."""

    everything: Labels
    absent: Hashable | None = None
    columns: Labels = ()

    @property
    def values(self) -> Labels:
        """The values of records that are there."""
        return tuple(v for v in self.everything if self.absent is None or v != self.absent)

    def block(
        self,
        query: TableQuery,
        name: str,
        cells: Iterable[Hashable],
        shape: Shape,
        places: Sequence[int],
        unit: Fraction = Fraction(1),
    ) -> Block:
        """Return the block in which each value has a place; who is absent adds nothing."""
        told = tuple(cells)
        nothing = {Shape.HISTOGRAM: -1, Shape.CUMULATIVE: len(told), Shape.SUM: 0}[shape]
        by_value = dict(zip(self.values, places, strict=True))
        array = np.array([by_value.get(v, nothing) for v in self.everything], dtype=np.int64)
        return Block(query, name, Weights(shape, array, len(told)), told, unit)

    def cells(self, by: Sequence[str], name: str) -> tuple[Labels, list[int]]:
        """Return the combinations of some columns, and for each value which one it has.

        >>> Space((("f", 1), ("f", 2), ("m", 1)), columns=("sex", "n")).cells(["sex"], "h")
        (('f', 'm'), [0, 0, 1])
        """
        if not by:
            return self.values, list(range(len(self.values)))
        parts = list(zip(*(self.column(each, name) for each in by), strict=True))
        told: list[Any] = [part[0] for part in parts] if len(by) == 1 else parts
        cells = tuple(dict.fromkeys(told))
        where = {cell: i for i, cell in enumerate(cells)}
        return cells, [where[each] for each in told]

    def groups(self, by: Sequence[str], name: str) -> tuple[Labels, list[int]]:
        """Return the same; without columns all values are one group, called by the query."""
        return self.cells(by, name) if by else ((name,), [0] * len(self.values))

    def column(self, column: str, name: str) -> Labels:
        """Return for each value what it has in a column."""
        if column not in self.columns:
            raise InvalidInput(
                f"the query {name!r} asks for the column {column!r:.60}, and the columns of the "
                f"release are {list(self.columns)}; write one of them, or name it there too"
            )
        at = self.columns.index(column)
        if len(self.columns) == 1:
            return self.values
        return tuple(v[at] for v in self.values)  # type: ignore[index]

    def one_column(self, column: str | None, name: str) -> Labels:
        """Return for each value what it has in the column that is named, or in the only one."""
        if column is not None:
            return self.column(column, name)
        if len(self.columns) > 1:
            raise InvalidInput(
                f"the query {name!r} needs column: which of {list(self.columns)} is it about?"
            )
        return self.values


def names(columns: Iterable[str] | str) -> tuple[str, ...]:
    """Return the names of columns; one may be given by itself."""
    expect(columns, Iterable, "name the columns, as in by=['sex']")
    return (columns,) if isinstance(columns, str) else tuple(columns)


def blocks_of(
    queries: Iterable[TableQuery], values: Labels, absent: Hashable | None, columns: Labels = ()
) -> list[Block]:
    """Return the queries as blocks of W on the ``values`` of a policy.

    A record with the value ``absent`` is not in the table and adds nothing.

    >>> from leaktight.tables.queries import histogram
    >>> [block] = blocks_of(histogram("ill").ways()[:1], ("no", "yes", "absent"), "absent")
    >>> block.weights.matrix().tolist()
    [[1, 0], [0, 1], [0, 0]]
    """
    space = Space(values, absent, columns)
    return [block for query in queries for block in query.blocks(space)]


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
