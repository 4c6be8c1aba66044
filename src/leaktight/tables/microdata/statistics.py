"""Counts and means as a protected table gives them: what a recoding does to chosen statistics."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leaktight.errors import InvalidInput
from leaktight.exact.shown import counted
from leaktight.tables.column import ColumnKind
from leaktight.tables.microdata.classes import Lattice
from leaktight.tables.microdata.limits import Limits
from leaktight.tables.microdata.output import bad_classes, shown_values
from leaktight.tables.microdata.search import Node
from leaktight.tables.risk.engine import SOURCE
from leaktight.tables.source import FROM_TEXT, place

if TYPE_CHECKING:
    from leaktight.tables.source import Frame


@dataclass(frozen=True, slots=True)
class Statistic:
    """A count of rows, or the mean of a column over them, by values that they must have.

    >>> Statistic.count({"sex": "F", "smoker": True}), Statistic.mean("age", {"sex": "F"})
    (rows with sex = F, smoker = true, mean age where sex = F)
    """

    column: str | None
    where: tuple[tuple[str, str], ...] = ()

    @classmethod
    def count(cls, where: Mapping[str, Any]) -> "Statistic":
        """How many rows have these values, compared as texts."""
        return cls(None, _conditions(where))

    @classmethod
    def mean(cls, column: str, where: Mapping[str, Any] | None = None) -> "Statistic":
        """The mean of a column of numbers, over rows with these values if any are given."""
        if not isinstance(column, str):
            raise InvalidInput(f"a mean is of a column, got {column!r:.60}")
        return cls(column, _conditions(where) if where else ())

    @property
    def columns(self) -> tuple[str, ...]:
        """What it is about."""
        own = () if self.column is None else (self.column,)
        return (*own, *(column for column, _ in self.where))

    def __repr__(self) -> str:
        values = ", ".join(f"{column} = {value}" for column, value in self.where)
        if self.column is None:
            return f"rows with {values}"
        return f"mean {self.column}" + (f" where {values}" if values else "")


def _conditions(where: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(where, Mapping) or not where or not all(isinstance(c, str) for c in where):
        raise InvalidInput(f'a count is of values such as {{"sex": "F"}}, got {where!r:.60}')
    return tuple((column, _text(value)) for column, value in where.items())


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Statistics:
    """Chosen statistics of a table, at any node of the lattice, each in one pass.

    A cell that is recoded counts for each value in the table that it may stand for, in equal parts;
    rows that are left out count for nothing.
    """

    def __init__(self, lattice: Lattice, asked: Sequence[Statistic], frame: "Frame") -> None:
        """Look at statistics of a frame that has their columns after all quasi-identifiers'."""
        self._lattice, self.asked, self._frame = lattice, tuple(asked), frame
        columns = [each.column for each in lattice.hierarchies]
        self.columns = columns_of(columns, asked)
        self._place = {column: place(i) for i, column in enumerate(self.columns)}
        kinds = list(frame.collect_schema().values())
        self._kind = dict(zip(self.columns, kinds, strict=True))
        others = {one.column for one in asked if one.column is not None} - {*columns}
        for column in others:
            cells = f"(SELECT {self._place[column]} AS value FROM {SOURCE}) AS v"
            self._expect_numbers(column, cells, self._number(column, "value"))

    def before(self) -> tuple[float | None, ...]:
        """Return the statistics of the table as it is."""
        whole = copy(self)
        whole._lattice = copy(self._lattice)
        whole._lattice.limits = Limits()
        return whole.at(self._lattice.bottom)

    def at(self, node: Node) -> tuple[float | None, ...]:
        """Return the statistics as a node gives them; None is a mean over no rows."""
        if not self.asked:
            return ()
        engine, levels = self._lattice.table.engine, self._lattice.levels(node)
        joined, shown = "", {}
        for i, (each, level) in enumerate(zip(self._lattice.hierarchies, levels, strict=True)):
            values = shown_values(each, level)
            number = "NULL"
            if any(each.column == one.column for one in self.asked):
                number = self._number(each.column, "value")
                self._expect_numbers(each.column, f"{values} AS v", number)
            groups = (
                f"(SELECT code, COUNT(*) AS leaves, AVG({number}) AS x FROM {values} AS v "
                "GROUP BY code)"
            )
            shown[each.column] = engine.keep(
                f"SELECT v.value AS value, v.code AS code, g.leaves AS leaves, g.x AS x FROM "
                f"{values} AS v JOIN {groups} AS g ON v.code = g.code",
                is_list=True,
            )
            joined += (
                f" JOIN {shown[each.column]} AS h{i} ON source.{self._place[each.column]} "
                f"IS NOT DISTINCT FROM h{i}.value"
            )
        bad, same = bad_classes(self._lattice, node, "h")
        sums = ", ".join(
            part for i, one in enumerate(self.asked) for part in self._sums(one, shown, i)
        )
        kept = engine.keep(
            f"SELECT {sums} FROM {SOURCE} AS source{joined} LEFT JOIN {bad} AS bad ON {same} "
            "WHERE bad.n IS NULL",
            self._frame,
        )
        [found] = engine.rows(f"SELECT * FROM {kept}")
        return tuple(
            float(weight or 0)
            if one.column is None
            else float(total) / float(weight)
            if weight
            else None
            for one, weight, total in zip(self.asked, found[::2], found[1::2], strict=True)
        )

    def _expect_numbers(self, column: str, cells: str, number: str) -> None:
        kept = self._lattice.table.engine.keep(
            f"SELECT COUNT(*) AS n FROM {cells} WHERE value IS NOT NULL AND {number} IS NULL",
            self._frame,
        )
        [(wrong,)] = self._lattice.table.engine.rows(f"SELECT n FROM {kept}")
        if wrong:
            raise InvalidInput(
                f"a mean is of numbers, and {counted(int(wrong), 'value', 'values')} of the column "
                f"{column!r} cannot be read as one"
            )

    def _sums(self, one: Statistic, shown: Mapping[str, str], at: int) -> list[str]:
        """Return how the weight of rows, and the sum of their numbers, are asked for."""
        at_level = {column: f"h{i}" for i, column in enumerate(shown)}
        parts = [self._part(column, value, shown, at_level) for column, value in one.where]
        weight, number = " * ".join(parts) or "1.0", "1.0"
        if one.column in at_level:
            number = f"{at_level[one.column]}.x"
        elif one.column is not None:
            number = self._number(one.column, f"source.{self._place[one.column]}")
        there = f"CASE WHEN {number} IS NOT NULL THEN {weight} END"
        return [f"SUM({there}) AS w{at}", f"SUM({weight} * {number}) AS x{at}"]

    def _part(
        self, column: str, value: str, shown: Mapping[str, str], at_level: Mapping[str, str]
    ) -> str:
        """Return the part of a row that counts for a value of a column."""
        engine = self._lattice.table.engine
        wanted = engine.quoted(value)
        if column not in shown:
            cell = f"source.{self._place[column]}"
            return f"CASE WHEN CAST({cell} AS {engine.text}) = {wanted} THEN 1.0 ELSE 0.0 END"
        found = engine.rows(
            f"SELECT code, leaves FROM {shown[column]} WHERE "
            f"CAST(value AS {engine.text}) = {wanted}"
        )
        if not found:
            raise InvalidInput(
                f"no row has {column} = {value:.60}; a count is of values in the table"
            )
        [(code, leaves)] = found
        return f"CASE WHEN {at_level[column]}.code = {code} THEN 1.0 / {leaves} ELSE 0.0 END"

    def _number(self, column: str, cell: str) -> str:
        import narwhals as nw

        kind = self._kind[column]
        if kind.is_numeric():
            return f"CAST({cell} AS DOUBLE)"
        if kind == nw.String and self._lattice.table.engine.text == "VARCHAR":
            return f"CAST({FROM_TEXT[ColumnKind.NUMBER].format(cell)} AS DOUBLE)"
        raise InvalidInput(f"a mean is of numbers; {column!r} holds {kind}")


def columns_of(quasi_identifiers: Sequence[str], asked: Sequence[Statistic]) -> list[str]:
    """Return the columns that statistics are counted by."""
    others = (column for one in asked for column in one.columns)
    return list(dict.fromkeys([*quasi_identifiers, *others]))
