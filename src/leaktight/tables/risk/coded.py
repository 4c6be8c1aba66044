"""Tables made small enough to be grouped again and again.

Rows that are alike become one, with their number. Where a table is grouped more than once, each
value of a column becomes a whole number, by a list of the values that stays in the engine, and the
numbers of several columns become one. A missing value is a value of its own. The table is read
once; where each row counts by itself, twice: once for the lists, once for the numbers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leaktight.errors import InvalidInput
from leaktight.exact.shown import counted
from leaktight.tables.risk.engine import SOURCE, Engine
from leaktight.tables.source import MOST_ALIKE, SAMPLE
from leaktight.tables.source import place as place_of

if TYPE_CHECKING:
    import narwhals as nw

    from leaktight.tables.source import Frame

WHOLE = ((2**7, "TINYINT"), (2**15, "SMALLINT"), (2**31, "INTEGER"), (2**63, "BIGINT"))
"""How many numbers, from 0 on, a type of SQL has."""

ONE_WORD = 2**62
"""How many numbers a key has at most; beyond that a key consists of several."""

SHORT = 2**18
"""How many values a list has at most that is looked up wherever a row is."""


def whole(size: int) -> str:
    """Return the smallest type of the numbers below ``size``."""
    return next(name for most, name in WHOLE if size <= most)


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a column, numbered."""

    place: str
    """What the column of numbers is called."""
    size: int
    listed: str
    """The table with each value and its number."""
    kind: "nw.dtypes.DType"


@dataclass(frozen=True, slots=True)
class Coded:
    """A table of numbers in place of values; or of values as they are, each combination once."""

    engine: Engine
    name: str
    columns: Mapping[str, Values]
    rows: int
    weighted: bool = False
    """Whether a row stands for several that are alike."""
    person: "nw.dtypes.DType | None" = None
    """What the column that says whose a row is holds."""
    is_raw: bool = False
    """Whether it has values as they are."""
    is_distinct: bool = False
    """Whether no two rows are alike in all columns."""

    @property
    def counting(self) -> str:
        """How rows are counted."""
        return "CAST(SUM(n) AS BIGINT)" if self.weighted else "COUNT(*)"

    @property
    def weight(self) -> str:
        """What else is asked for, so that rows can be counted."""
        return ", n" if self.weighted else ""

    def keys(self, columns: Sequence[str]) -> list[str]:
        """Return few numbers that say which values a row has, at least one; or these values."""
        raw = [self.columns[column].place for column in columns]
        return (raw if self.is_raw else list(self._keys(columns))) or ["0"]

    def _keys(self, columns: Sequence[str]) -> Iterator[str]:
        word, size = "", 1
        for values in (self.columns[column] for column in columns):
            if word and size * values.size > ONE_WORD:
                yield f"CAST({word} AS {whole(size)})"
                word, size = "", 1
            place = f"CAST({values.place} AS BIGINT)"
            word = f"({word} * {values.size} + {place})" if word else place
            size *= values.size
        if word:
            yield f"CAST({word} AS {whole(size)})"

    def collapsed(self) -> "Coded":
        """Return the table with rows that are alike as one."""
        places = ", ".join(values.place for values in self.columns.values())
        kept = self.engine.keep(
            f"SELECT {places}, {self.counting} AS n FROM {self.name} GROUP BY {places}"
        )
        return replace(self, name=kept, weighted=True)

    def numbered(self) -> "Coded":
        """Return a table of values as they are with numbers in their place."""
        kinds = {column: values.kind for column, values in self.columns.items()}
        found, _ = _listed(self.engine, self.name, kinds, "SUM(n)", None)
        name = _joined(self.engine, found, f"{self.name} AS source", ["n"], None)
        return replace(self, name=name, columns=found, is_raw=False)


def are_few(engine: Engine, frame: "Frame", columns: Sequence[str]) -> bool:
    """Say whether few of the first rows differ: then it is quick to have those alike as one."""
    places = ", ".join(place_of(i) for i in range(len(columns)))
    differ = f"SELECT DISTINCT {places} FROM (SELECT {places} FROM {SOURCE} LIMIT {SAMPLE}) AS told"
    [(many,)] = engine.rows(f"SELECT COUNT(*) FROM {engine.keep(differ, frame, is_list=True)}")
    return bool(many <= MOST_ALIKE)


def alike(engine: Engine, frame: "Frame", columns: Sequence[str]) -> Coded:
    """Return each combination of values of some columns, which the frame has first, once."""
    schema = frame.collect_schema()
    found = {
        name: Values(place_of(i), 0, "", schema[place_of(i)]) for i, name in enumerate(columns)
    }
    places = ", ".join(values.place for values in found.values())
    question = f"SELECT {places}, COUNT(*) AS n FROM {SOURCE} GROUP BY {places}"
    kept = engine.keep(question, frame.select(*(values.place for values in found.values())))
    [(rows,)] = engine.rows(f"SELECT SUM(n) FROM {kept}")
    _expect_rows(rows)
    return Coded(engine, kept, found, int(rows), weighted=True, is_raw=True, is_distinct=True)


def coded(
    engine: Engine,
    frame: "Frame",
    columns: Sequence[str],
    *,
    person: str | None = None,
    numbered: bool = False,
) -> Coded:
    """Return a table of numbers for some columns, which the frame has first, in their order.

    With ``person`` it has the column after them, too, as ``person``; with ``numbered`` the number
    of each row as ``line``, from 1 on.
    """
    import narwhals as nw

    schema = frame.collect_schema()
    kinds = {column: schema[place_of(i)] for i, column in enumerate(columns)}
    whose = place_of(len(columns))
    read = [nw.col(place_of(i)) for i in range(len(columns))]
    if person is not None:
        read.append(nw.col(whose).alias("person"))
    plain = frame.select(*read)
    found, rows = _listed(engine, SOURCE, kinds, "COUNT(*)", plain)
    number = "SELECT *, ROW_NUMBER() OVER () AS line FROM " if numbered else ""
    source = f"({number}{SOURCE}) AS source" if number else f"{SOURCE} AS source"
    others = ["line"] * numbered + ["person"] * (person is not None)
    name = _joined(engine, found, source, others, plain)
    kind = schema[whose] if person is not None else None
    return Coded(engine, name, found, rows, person=kind)


def _listed(
    engine: Engine,
    table: str,
    kinds: "Mapping[str, nw.dtypes.DType]",
    counting: str,
    source: "Frame | None",
) -> tuple[dict[str, Values], int]:
    """Return the values of each column of a table, numbered, and how many rows it has."""
    places = {column: place_of(i) for i, column in enumerate(kinds)}
    all_of_them = ", ".join(f"{place}, GROUPING({place}) AS g{place}" for place in places.values())
    sets = ", ".join(f"({place})" for place in places.values())
    lists = engine.keep(
        f"SELECT {all_of_them}, {counting} AS n FROM {table} GROUP BY GROUPING SETS ({sets})",
        source,
        is_list=True,
    )
    sizes = ", ".join(f"SUM(1 - g{place})" for place in places.values())
    [(rows, *many)] = engine.rows(f"SELECT SUM(CASE WHEN gc0 = 0 THEN n END), {sizes} FROM {lists}")
    _expect_rows(rows)
    found = {}
    for (column, place), size in zip(places.items(), many, strict=True):
        values = f"SELECT {place} AS value FROM {lists} WHERE g{place} = 0"
        listed = engine.keep(numbers(values), is_list=True)
        found[column] = Values(place, int(size), listed, kinds[column])
    return found, int(rows)


def _joined(
    engine: Engine,
    found: Mapping[str, Values],
    table: str,
    others: Sequence[str],
    source: "Frame | None",
) -> str:
    """Keep a table, which is called ``source``, with numbers in place of its values."""
    chosen = [f"CAST({v.listed}.code AS {whole(v.size)}) AS {v.place}" for v in found.values()]
    joined = " ".join(
        f"JOIN {v.listed} ON source.{v.place} IS NOT DISTINCT FROM {v.listed}.value"
        for v in found.values()
    )
    short = engine.looked_up([v.listed for v in found.values() if v.size <= SHORT])
    return engine.keep(
        f"SELECT {short}{', '.join([*chosen, *others])} FROM {table} {joined}", source
    )


def _expect_rows(rows: int | None) -> None:
    if not rows:
        raise InvalidInput("the table must have rows, got none")


def numbers(values: str) -> str:
    """Return the question that numbers values, each once, in their order."""
    return f"SELECT value, ROW_NUMBER() OVER (ORDER BY value) - 1 AS code FROM ({values}) AS listed"


def one_row_each(engine: Engine, table: Coded, person: str) -> None:
    """Refuse a table in which somebody has several rows, or a row is nobody's."""
    [(nobody,)] = engine.rows(f"SELECT COUNT(*) - COUNT(person) FROM {table.name}")
    if nobody:
        raise InvalidInput(
            f"{counted(nobody, 'row has', 'rows have')} nobody in the person column {person!r}"
        )
    [(several,)] = engine.rows(
        f"SELECT COUNT(*) FROM (SELECT person FROM {table.name} GROUP BY person "
        "HAVING COUNT(*) > 1) AS several"
    )
    if several:
        raise InvalidInput(
            f"each person must have one row, and {counted(several, 'person has', 'persons have')} "
            f"more by the column {person!r}; keep one row of each"
        )


def followed(first: Coded, then: Coded, name: str) -> Coded:
    """Return a table with the columns of both: what is known of each person of the first.

    Those of the second come last, and have the name of the release in theirs.

    Whoever is not in the second has a value of their own there.
    """
    chosen = [f"one.{values.place}" for values in first.columns.values()] + ["one.person"]
    found = dict(first.columns)
    for column, values in then.columns.items():
        place, size = place_of(len(found)), values.size + 1
        chosen.append(
            f"CAST(COALESCE(other.{values.place}, {values.size}) AS {whole(size)}) AS {place}"
        )
        named = f"{column}, {name}"
        while named in found:  # a column of the table is called so
            named += "\u2032"
        found[named] = replace(values, place=place, size=size)
    kept = first.engine.keep(
        f"SELECT {', '.join(chosen)} FROM {first.name} AS one LEFT JOIN {then.name} AS other "
        "ON one.person = other.person"
    )
    return replace(first, name=kept, columns=found)
