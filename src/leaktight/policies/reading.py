"""What is public about a database, checked against the secret graph and the records."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from leaktight.errors import InvalidGraph, InvalidPolicy, expect_list, expect_whole
from leaktight.exact.shown import counted
from leaktight.labels import Labels, suggestion
from leaktight.policies.constraint import Count, read_values
from leaktight.policies.graph import Graph

RecordValues: TypeAlias = Mapping[int, Iterable[Hashable]] | Iterable[Iterable[Hashable]]
"""The possible values of each record, or of some records by their number, counted from 0."""

MOST_RECORDS = 10**9
"""The most records of a policy: beyond, even the number of databases does not fit in memory."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads what is public about databases of so many records with values of a graph."""

    secrets: Graph
    records: int

    @classmethod
    def of(cls, secrets: object, records: object) -> "Reader":
        """Read the secret graph and the number of records."""
        if not isinstance(secrets, Graph):
            raise InvalidPolicy(
                f"secrets must be a SecretGraph or a Metric, got {secrets!r:.80}; "
                "SecretGraph.complete(values) joins all values"
            )
        return cls(secrets, expect_whole(records, "records", 1, MOST_RECORDS, InvalidPolicy))

    def counts(self, constraints: Iterable[Count] | Count) -> tuple[Count, ...]:
        """Read one count, or a list of them."""
        if isinstance(constraints, Count):
            return (self._count(constraints),)
        must, way_out = (
            "constraints must be a list of counts",
            "; count(values, equals=…) makes one",
        )
        return tuple(map(self._count, expect_list(constraints, must, InvalidPolicy, way_out)))

    def _count(self, constraint: Count) -> Count:
        if not isinstance(constraint, Count):
            raise InvalidPolicy(
                f"a constraint must be made by count(values, equals=…), got {constraint!r:.80}"
            )
        self._check(constraint.values, lambda: f"the constraint “{constraint}”")
        if constraint.least > self.records:
            raise InvalidPolicy(
                f"the constraint “{constraint}” asks for more than the "
                f"{counted(self.records, 'record', 'records')} that there are"
            )
        return constraint

    def values(self, values: RecordValues) -> tuple[Labels, ...]:
        """Read the possible values of each record."""
        if isinstance(values, Mapping):
            for record in values:
                if record not in range(self.records):
                    raise InvalidPolicy(
                        f"values= must name records 0 to {self.records - 1}, got {record!r}"
                    )
            everything = self.secrets.vertices
            return tuple(
                self._domain(values[record], record) if record in values else everything
                for record in range(self.records)
            )
        must = "values= must be a list of the possible values of each record, or a mapping from "
        listed = expect_list(values, must + "records to lists", InvalidPolicy)
        domains = tuple(self._domain(some, record) for record, some in enumerate(listed))
        if len(domains) != self.records:
            raise InvalidPolicy(
                f"values= must say the possible values of each of the {self.records:,} records, "
                f"got {len(domains):,}; a mapping may name only some"
            )
        return domains

    def _domain(self, values: Iterable[Hashable], record: int) -> Labels:
        given = read_values(values, f"the possible values of record {record}")
        self._check(given, lambda: f"record {record}")
        return tuple(value for value in self.secrets.vertices if value in given)

    def databases(self, databases: Iterable[Any]) -> tuple[Any, ...]:
        """Read a list of all possible databases."""
        must = "databases= must be a list of databases"
        read = tuple(map(self._database, expect_list(databases, must, InvalidPolicy)))
        if not read:
            raise InvalidPolicy("some database must be possible, got databases= with none")
        if len(set(read)) < len(read):
            [(twice, _)] = Counter(read).most_common(1)
            raise InvalidPolicy(f"each database must be listed once, got {twice!r} twice")
        return read

    def _database(self, database: Any) -> Any:
        if self.records == 1:
            self._check((database,), lambda: "a database of one record is its value: it")
            return database
        try:
            records = tuple(database)
        except TypeError:
            records = ()
        if len(records) != self.records:
            raise InvalidPolicy(
                f"a database must be a tuple of {self.records:,} values, one per record, "
                f"got {database!r:.80}"
            )
        self._check(records, lambda: f"the database {database!r:.80}")
        return records

    def _check(self, values: Iterable[Hashable], where: Callable[[], str]) -> None:
        for value in values:
            try:
                self.secrets.index(value)
            except InvalidGraph:
                raise InvalidPolicy(
                    f"{where()} must use values of the secret graph, got {value!r}; "
                    f"{suggestion(value, self.secrets.vertices)}"
                ) from None
