"""Equivalence classes at a node of the lattice; one row of numbers leaves the engine.

Which rows are left out is decided by class: those with fewer than k rows, or fewer than l distinct
values of a sensitive column. Both get fewer with every merging. All else is asked of what is left.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction

from leaktight.errors import InvalidFile, TooLarge
from leaktight.tables.microdata.answer import Disclosure, Loss, Plan
from leaktight.tables.microdata.hierarchy import Hierarchy, Level
from leaktight.tables.microdata.limits import Limits
from leaktight.tables.microdata.search import Judged, Node
from leaktight.tables.risk.coded import Coded
from leaktight.tables.risk.sampled import found_in_sample

MOST_ROWS = 3 * 10**9
"""Squares of so many are what the engine counts exactly."""

MOST_PARTS = 10**9
"""The largest denominator of t."""

MEASURES = ("entropy", "granularity", "cells")
"""What can be made least."""

Key = tuple[str, str]
"""A number that says which class a row is in, and its name."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The classes of a node: those that stay, and how many rows do not."""

    out: int
    classes: int
    smallest: int
    unique: int
    distinct: int
    most: int
    squares: int


class Lattice:
    """A table of numbers with all levels of its quasi-identifiers."""

    def __init__(
        self,
        table: Coded,
        hierarchies: Sequence[Hierarchy],
        sensitive: tuple[str, ...],
        limits: Limits,
        population: int | None = None,
    ) -> None:
        if table.rows > MOST_ROWS:
            raise TooLarge(f"a table can have {MOST_ROWS:,} rows here, got {table.rows:,}")
        if limits.t is not None and limits.t.denominator > MOST_PARTS:
            raise TooLarge("t has too many digits; nine decimals are enough")
        self.hierarchies, self.sensitive, self.limits = tuple(hierarchies), sensitive, limits
        self._population = population
        self._asked = sensitive if limits.of_sensitive else ()  # others need not be grouped by
        self.table = _wide(table, hierarchies) if len(hierarchies) else table
        self.heights = tuple(len(each.levels) - 1 for each in hierarchies)
        self.bottom: Node = (0,) * len(hierarchies)
        self._found: dict[Node, tuple[Counted, Loss]] = {}

    # --- what a node is asked ----------------------------------------------------------------

    def bound(self, node: Node, measure: str) -> Fraction:
        """Return what a node loses before rows are left out: no less with every level."""
        return Fraction(getattr(self._loss(node, 0, None), measure))

    def judge(self, node: Node, measure: str) -> Judged:
        """Say whether a node meets what is asked, and what it loses."""
        counted, rows = self.counted(node), self.table.rows
        if counted.out > self.limits.suppress * rows or counted.out == rows:
            return Judged(False, None)
        kept, limits = rows - counted.out, self.limits
        meets = (
            (limits.below is None or Fraction(counted.classes, kept) < limits.below)
            and (
                limits.guessed_below is None or Fraction(counted.most, kept) < limits.guessed_below
            )
            and (limits.t is None or self._far(node, kept)[1] == 0)
        )
        # Where rows may be left out, the chances and t of what is left can rise by merging.
        hopeful = meets or bool(limits.suppress and limits.of_classes)
        if not meets:
            return Judged(hopeful, None)
        loss = self._loss(node, counted.out, counted)
        self._found[node] = counted, loss
        return Judged(True, Fraction(getattr(loss, measure)))

    def plan(self, node: Node) -> Plan:
        """Return all numbers of a node that meets what is asked."""
        counted, loss = self._found[node]
        if self._asked != self.sensitive:
            counted = self.counted(node, self.sensitive)
        words = [str(level.change) for level in self.levels(node) if level.change is not None]
        return Plan(tuple(words), node, counted.out, loss, self._risk(node, counted))

    def disclosure(self) -> Disclosure:
        """Return the risk of the table as it is, whatever is asked."""
        whole = copy(self)
        whole.limits = Limits()
        return whole._risk(self.bottom, whole.counted(self.bottom, self.sensitive))

    def _risk(self, node: Node, counted: Counted) -> Disclosure:
        kept = self.table.rows - counted.out
        return Disclosure(
            rows=kept,
            classes=counted.classes,
            k=counted.smallest,
            unique=counted.unique,
            l=counted.distinct if self.sensitive else None,
            t=self._far(node, kept)[0] if self.sensitive else None,
            guess=Fraction(counted.most, kept) if self.sensitive else None,
            journalist=None
            if self._population is None
            else found_in_sample(counted.smallest, self.table.rows, self._population),
        )

    # --- what a node loses -------------------------------------------------------------------

    def levels(self, node: Node) -> list[Level]:
        """Return the level of each column at a node."""
        return [each.levels[at] for each, at in zip(self.hierarchies, node, strict=True)]

    def _loss(self, node: Node, out: int, counted: Counted | None) -> Loss:
        rows, number = self.table.rows, len(self.hierarchies)
        gone = self._gone(node) if out else [(0, 0)] * number
        bits = total = changed = 0
        granularity = Fraction(0)
        for each, level, at, (leaves, told) in zip(
            self.hierarchies, self.levels(node), node, gone, strict=True
        ):
            bits += each.levels[0].bits - level.bits + told
            total += each.levels[0].bits
            if each.leaves:
                granularity += Fraction(level.leaves + each.leaves * out - leaves, each.leaves)
            changed += rows if at else out
        return Loss(
            entropy=Fraction(bits, total or 1),
            granularity=granularity / (number * rows),
            cells=Fraction(changed, number * rows),
            average_class=Fraction(rows - out, counted.classes) if counted else Fraction(0),
            discernibility=counted.squares + out * rows if counted else 0,
        )

    def _gone(self, node: Node) -> list[tuple[int, int]]:
        """Return, for each column, what the rows that are left out would have told."""
        levels = self.levels(node)
        keys = [
            (level.values.place if level.values else "0", f"g{i}") for i, level in enumerate(levels)
        ]
        sums = ", ".join(f"SUM(n * s{i}.leaves), SUM(n * s{i}.bits)" for i in range(len(levels)))
        joined = "".join(
            f" JOIN (SELECT code, leaves, bits FROM {level.stats}) AS s{i} ON bad.g{i} = s{i}.code"
            for i, level in enumerate(levels)
        )
        [found] = self.table.engine.rows(
            f"SELECT {sums} FROM (SELECT * FROM ({self.classes(node, keys)}) AS sized "
            f"WHERE NOT ({self.good})) AS bad{joined}"
        )
        numbers = list(map(int, found))
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    # --- what the engine is asked ------------------------------------------------------------

    @property
    def good(self) -> str:
        """How a class is told that stays."""
        return f"n >= {self.limits.k} AND l >= {self.limits.l}"

    def counted(self, node: Node, sensitive: tuple[str, ...] | None = None) -> Counted:
        """Count the classes of a node, with the sensitive columns that are asked about."""
        [(rows, *found)] = self.table.engine.rows(
            f"SELECT SUM(n), SUM(CASE WHEN {self.good} THEN 0 ELSE n END), COUNT(CASE WHEN "
            f"{self.good} THEN 1 END), MIN(CASE WHEN {self.good} THEN n END), COUNT(CASE WHEN "
            f"{self.good} AND n = 1 THEN 1 END), MIN(CASE WHEN {self.good} THEN l END), SUM(CASE "
            f"WHEN {self.good} THEN m ELSE 0 END), SUM(CASE WHEN {self.good} THEN n * n ELSE 0 "
            f"END) FROM ({self.classes(node, sensitive=sensitive)}) AS sized"
        )
        if rows != self.table.rows:
            raise InvalidFile(
                "the table had other rows when it was read again; write it to a file, and ask that"
            )
        return Counted(*(int(number or 0) for number in found))

    def classes(
        self,
        node: Node,
        keys: Sequence[Key] | None = None,
        sensitive: tuple[str, ...] | None = None,
    ) -> str:
        """Return the question for the size n of each class, and m and l of sensitive columns.

        m is how many rows have the most frequent sensitive values together, l the least number of
        distinct values of one such column.
        """
        chosen = self._keys(node) if keys is None else keys
        told = ", ".join(f"{key} AS {name}" for key, name in chosen)
        names = [name for _, name in chosen]
        asked = self._asked if sensitive is None else sensitive
        if not asked:
            return (
                f"SELECT {', '.join(names)}, {self.table.counting} AS n, 0 AS m, "
                f"{self.limits.l} AS l FROM (SELECT {told}{self.table.weight} FROM "
                f"{self.table.name}) AS told GROUP BY {', '.join(names)}"
            )
        whole = self._by(chosen, asked)
        if len(asked) == 1:
            return whole
        each = [self._by(chosen, (column,)) for column in asked]
        least = ", ".join(f"e{i}.l" for i in range(len(each)))
        joined = "".join(
            f" JOIN ({one}) AS e{i} ON {_same('whole', f'e{i}', names)}"
            for i, one in enumerate(each)
        )
        return (
            f"SELECT {', '.join(f'whole.{name} AS {name}' for name in names)}, whole.n AS n, "
            f"whole.m AS m, LEAST({least}) AS l FROM ({whole}) AS whole{joined}"
        )

    def _by(self, keys: Sequence[Key], columns: Sequence[str]) -> str:
        names = ", ".join(name for _, name in keys)
        return (
            f"SELECT {names}, CAST(SUM(n) AS BIGINT) AS n, MAX(n) AS m, COUNT(*) AS l FROM "
            f"({self._pairs(keys, columns)}) AS pairs GROUP BY {names}"
        )

    def _pairs(self, keys: Sequence[Key], columns: Sequence[str]) -> str:
        aims = [(key, f"s{i}") for i, key in enumerate(self.table.keys(columns))]
        told = ", ".join(f"{key} AS {name}" for key, name in (*keys, *aims))
        names = ", ".join(name for _, name in (*keys, *aims))
        return (
            f"SELECT {names}, {self.table.counting} AS n FROM (SELECT {told}{self.table.weight} "
            f"FROM {self.table.name}) AS told GROUP BY {names}"
        )

    def _keys(self, node: Node) -> list[Key]:
        """Return few numbers that say which class a row is in."""
        left = {
            each.column: level.values
            for each, level in zip(self.hierarchies, self.levels(node), strict=True)
            if level.values is not None
        }
        table = replace(self.table, columns={**self.table.columns, **left})
        return [(key, f"k{i}") for i, key in enumerate(table.keys(list(left)))]

    def _far(self, node: Node, kept: int) -> tuple[float, int]:
        """Return t, rounded to a float, and how many classes have more than is asked, exactly.

        The total variation of a class of n rows from all N is the sum of the positive parts of
        n_s·N − N_s·n over its sensitive values s, by n·N. It is compared in whole numbers.
        """
        worst, many, keys = 0.0, 0, self._keys(node)
        names = [name for _, name in keys]
        most = self.limits.t if self.limits.t is not None else Fraction(1)
        whole, part = divmod(most.numerator * kept, most.denominator)
        for column in self.sensitive:
            listed = ", ".join(f"pairs.{name} AS {name}" for name in names)
            [(far, beyond)] = self.table.engine.rows(
                f"WITH kept AS (SELECT {listed}, s0, pairs.n AS n, good.n AS size FROM "
                f"({self._pairs(keys, (column,))}) AS pairs JOIN (SELECT * FROM "
                f"({self.classes(node)}) AS sized WHERE {self.good}) AS good ON "
                f"{_same('pairs', 'good', names)}), total AS (SELECT s0, CAST(SUM(n) AS BIGINT) "
                f"AS n FROM kept GROUP BY s0), far AS (SELECT {', '.join(names)}, size, CAST(SUM("
                f"GREATEST(kept.n * {kept} - total.n * size, 0)) AS BIGINT) AS far FROM kept JOIN "
                f"total ON kept.s0 = total.s0 GROUP BY {', '.join(names)}, size) SELECT MAX(CAST("
                f"far AS DOUBLE) / size / {kept}), COUNT(CASE WHEN GREATEST(LEAST(far - {whole} * "
                f"size, size), 0) * {most.denominator} > {part} * size THEN 1 END) FROM far"
            )
            worst, many = max(worst, float(far or 0)), many + int(beyond)
        return worst, many


def _wide(table: Coded, hierarchies: Sequence[Hierarchy]) -> Coded:
    """Return rows that are alike as one, with the numbers they have at each level."""
    alike = table.collapsed() if not table.weighted else table
    chosen = [f"fine.{values.place}" for values in alike.columns.values()]
    joined = ""
    for i, each in enumerate(hierarchies):
        first = alike.columns[each.column].place
        further = [level.values for level in each.levels[1:] if level.values is not None]
        chosen += [f"h{i}.{values.place}" for values in further]
        if further:
            joined += f" JOIN {each.codes} AS h{i} ON fine.{first} = h{i}.{first}"
    kept = alike.engine.keep(
        f"SELECT {', '.join(chosen)}, fine.n FROM {alike.name} AS fine{joined}"
    )
    return replace(alike, name=kept)


def _same(one: str, other: str, names: Sequence[str]) -> str:
    return " AND ".join(f"{one}.{name} = {other}.{name}" for name in names)
