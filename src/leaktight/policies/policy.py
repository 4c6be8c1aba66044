"""Policies: who must not be told apart, in how many records, given what everybody knows.

A :class:`Policy` is a secret graph, a number of records and the public constraints that the
database is known to satisfy: the pair (G, I) of Definition 1 of [Edwards2021]_.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leaktight.errors import InvalidPolicy, Mismatch, TooLarge
from leaktight.exact.numbers import objects
from leaktight.exact.powers import Powers
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import counted
from leaktight.labels import Labels
from leaktight.limits import allowed
from leaktight.policies.adjacency import MOST_VERTICES, AdjacencyGraph
from leaktight.policies.constraint import Count, CountedDatabases
from leaktight.policies.difference import Rows, check_size, minimal_differences
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.reading import Reader, RecordValues
from leaktight.policies.secret_difference import (
    Direction,
    NeighbourExplanation,
    direction,
    total_difference,
)
from leaktight.policies.space import Space

if TYPE_CHECKING:
    from leaktight.policies.public_counts import Most, PublicCounts

MOST_NAMED = 4
"""The most counts that are named one by one."""

MOST_TOLD = 10**7
"""The most records whose databases are counted one record after the other."""

MOST_LISTED = 200_000
"""The most databases, times records and values, whose neighbours are listed at once."""

MOST_LISTED_RECORDS = 20
"""The most records of a policy whose databases are counted to see whether they are so few."""

MOST_ENTRIES = 10**9
"""The most values, over all databases and records, that are listed, in a byte or two each."""


@dataclass(frozen=True, init=False, repr=False)
class Policy(Space):
    """A secret graph, a number of records, and what is public about the database.

    With nothing public, every database is possible and none is listed. Otherwise give

    - ``constraints``: how many records have a value in a set, one :func:`leaktight.count` or a
      list of them;
    - ``values``: the possible values of each record;
    - ``predicate``: a function that says of a database whether it is possible;
    - or else ``databases``: all possible ones.

    The first three hold together. A database is the tuple of its records' values; if there is
    only one record, it is that value. In place of a secret graph a :class:`Metric` may be given:
    databases are then as far apart as their records are together, and nothing may be public.

    >>> from leaktight.policies.constraint import count
    >>> from leaktight.policies.secrets import SecretGraph
    >>> secrets = SecretGraph.complete(["cold", "flu"])
    >>> policy = Policy(secrets, records=3, constraints=[count(["flu"], equals=1)])
    >>> policy
    Policy(2 values, 1 secret pair, 3 records, exactly 1 in {flu})
    >>> policy.databases()
    (('cold', 'cold', 'flu'), ('cold', 'flu', 'cold'), ('flu', 'cold', 'cold'))
    >>> policy.adjacency().diameter
    1
    """

    # No slots: cached_property keeps what was computed in the instance's dictionary.
    secrets: Graph
    """The secret graph; for a metric the graph of the pairs that matter."""
    metric: Metric | None
    """How far apart the values of a record are, if not all secret pairs count alike."""
    records: int
    constraints: tuple[Count, ...]
    values: tuple[Labels, ...] | None
    predicate: Callable[[Any], object] | None
    listed: tuple[Any, ...] | None

    def __init__(
        self,
        secrets: Graph | Metric,
        records: int = 1,
        *,
        constraints: Iterable[Count] | Count = (),
        values: RecordValues | None = None,
        predicate: Callable[[Any], object] | None = None,
        databases: Iterable[Any] | None = None,
    ) -> None:
        metric = secrets if isinstance(secrets, Metric) else None
        public = Reader.of(secrets if metric is None else metric.graph, records)
        counts = public.counts(constraints)
        if predicate is not None and not callable(predicate):
            raise InvalidPolicy(
                f"a predicate must be a function of a database, got {predicate!r:.80}"
            )
        if databases is not None and (counts or values is not None or predicate is not None):
            raise InvalidPolicy(
                "databases= lists all that are possible, so constraints=, values= and predicate= "
                "must not be given with it"
            )
        self._set("secrets", public.secrets)
        # A metric of unit 1 counts the edges of its graph.
        self._set("metric", None if metric is None or metric.unit == 1 else metric)
        self._set("records", public.records)
        self._set("constraints", counts)
        self._set("values", None if values is None else public.values(values))
        self._set("predicate", predicate)
        self._set("listed", None if databases is None else public.databases(databases))
        if self.metric is not None and (counts or self._is_more_public):
            raise InvalidPolicy(
                "for a metric nothing may be public about the database, as neighbours under public "
                "counts are steps of a graph; leave it out, or give a SecretGraph"
            )
        self._refuse_the_impossible()

    @property
    def policy(self) -> "Policy":
        """Itself."""
        return self

    @property
    def measured(self) -> Metric | None:
        """How far apart the values of a record are; None if all secret pairs count alike."""
        return self.metric

    @classmethod
    def of_graph(cls, graph: Graph) -> "Policy":
        """Return the policy of one record whose adjacency graph is ``graph``.

        Every finite simple graph is an adjacency graph: Theorem 14 of [Edwards2021]_.

        >>> star = Graph(4, [(0, 1), (0, 2), (0, 3)])
        >>> Policy.of_graph(star).adjacency().explicit() == star
        True
        """
        return cls(graph, records=1)

    @property
    def is_constrained(self) -> bool:
        """Whether the records depend on each other, so that databases must be listed."""
        return bool(self.constraints) or self.predicate is not None or self.listed is not None

    @property
    def is_free(self) -> bool:
        """Whether every database is possible: what is public is at most how some counts turn out.

        >>> from leaktight.policies.constraint import count
        >>> Policy(Graph(2), 16, constraints=[count([1], published=True)]).is_free
        True
        """
        return not self._is_more_public and all(one.is_published for one in self.constraints)

    @property
    def _is_more_public(self) -> bool:
        """Whether something is public that is no count."""
        return any(given is not None for given in (self.values, self.predicate, self.listed))

    @property
    def is_counted(self) -> bool:
        """Whether all that is public are counts, and each is one number, named or not."""
        counts = self.public_counts
        return counts is not None and counts.cells.are_equalities

    @property
    def database_count(self) -> int:
        """The number of possible databases, found without listing them if there is no predicate.

        Of so many independent records that it cannot be written out, ``database_factors`` is it.

        >>> from leaktight.policies.constraint import count
        >>> Policy(Graph(2), 16, constraints=[count([1], equals=8)]).database_count
        12870
        """
        if not self.is_constrained:
            return self._of_records.order
        if self.listed is not None or self.predicate is not None:
            return len(self._rows)
        return self._counted.number

    @property
    def database_factors(self) -> Powers:
        """The number of possible databases as a product of powers, to compare and to tell.

        >>> Policy(Graph(6), 10**9).database_factors > 10**1000
        True
        """
        if not self.is_constrained:
            return self._of_records.order_factors
        return Powers.of((self.database_count, 1))

    @property
    def is_listable(self) -> bool:
        """Whether databases and neighbours are few enough to be listed in a second or so."""
        if self.records > MOST_LISTED_RECORDS:
            return False
        try:
            return self.database_count * self.records * self.secrets.order <= MOST_LISTED
        except TooLarge:
            return False

    def databases(self) -> Labels:
        """Return the possible databases, one by one."""
        if self.listed is not None:
            return self.listed
        if not self.is_constrained:
            return self._of_records.vertices
        return self._named(self._rows)

    def adjacency(self, reading: Literal["either", "mutual"] = "either") -> AdjacencyGraph:
        """Return the graph of possible databases, neighbours joined.

        If the records are independent it is a product and stays one (Theorem 4 of
        [Edwards2021]_). Under constraints the neighbours are the minimally secretly different
        databases of Definition 2. That may hold one way only: it is read in either direction,
        which is safe, unless Definition 3 is read to ask for both, ``reading="mutual"``.

        >>> secrets = Graph(3, [(0, 1)])
        >>> graph = Policy(secrets, 2, databases=[(0, 0), (0, 1), (2, 0)]).adjacency()
        >>> graph
        AdjacencyGraph(2 records, 3 vertices, 2 edges, 1 one way only)
        >>> graph.one_way
        (((2, 0), (0, 1)),)
        >>> Policy(secrets, 2, databases=[(0, 0), (0, 1), (2, 0)]).adjacency("mutual")
        AdjacencyGraph(2 records, 3 vertices, 1 edge)
        """
        if reading not in ("either", "mutual"):
            raise InvalidPolicy(f'a reading is "either" or "mutual", got {reading!r:.40}')
        return self._adjacency if reading == "either" else self._adjacency.without_one_way()

    def joined(self) -> AdjacencyGraph:
        """Return the same, however far apart the values of a record are."""
        if self.metric is None:
            return self.adjacency()
        return AdjacencyGraph.of(self.secrets, self.records)

    def record_spaces(self) -> tuple[tuple[Graph | Metric, int], ...]:
        """Return the space of one record, and how many there are."""
        if self.metric is None:
            return self.adjacency().factors
        return ((self.metric, self.records),)

    def as_metric(self) -> Metric:
        """Return the distances of the databases; lengths are those of one record."""
        if self.metric is None or self.records == 1:
            return self.metric or Metric.of(self.adjacency().explicit())
        raise InvalidPolicy(
            f"here the values of one record may have distances, got {self.records:,} records; "
            "give the metric of one"
        )

    def in_edges(self, across: Ratio) -> tuple[Space, Ratio]:
        """Return secret pairs of one length as those of a graph, with the ratio for a pair."""
        unit = None if self.metric is None else self.metric.unit
        if unit is None:
            return self, across
        return Policy(self.secrets, self.records), across.over(unit, unit)

    @cached_property
    def _adjacency(self) -> AdjacencyGraph:
        self.expect_edges()
        if self.is_constrained:
            check_size(self.database_count, self.records, self.secrets.order)
            differences = minimal_differences(self._rows, self.secrets, self._told())
            joined, one_way = differences.either_way()
            graph = Graph.from_indices(self.databases(), joined, differences.alike)
            return AdjacencyGraph(((graph, 1),), self.records, one_way)
        return self._of_records

    def explain_neighbours(self, first: Any, second: Any) -> NeighbourExplanation:
        """Say why two possible databases are neighbours, or which database rules it out.

        For independent records there may be any number of them; under constraints the possible
        databases are listed, and TooLarge is raised where they are too many.

        >>> policy = Policy(Graph(3, [(0, 1)]), 2, databases=[(0, 0), (0, 1), (2, 0)])
        >>> print(policy.explain_neighbours((0, 1), (2, 0)))
        neighbours
        (0, 1) → (2, 0): no, the secret difference is {(1, 1, 0)}, and (0, 0) is in between
        (2, 0) → (0, 1): yes, the secret difference is {(1, 0, 1)}, and no possible database is
        in between
        """
        self.expect_edges()
        reader = Reader(self.secrets, self.records)
        read = reader.databases([first]) + reader.databases([second])
        one, other = (tuple(each) if self.records > 1 else (each,) for each in read)
        for i, domain in enumerate(self.values or ()):
            if {one[i], other[i]} - set(domain):
                raise Mismatch(f"record {i} may have the values {domain}, got {one[i], other[i]}")
        return NeighbourExplanation(self._direction(one, other), self._direction(other, one))

    def _direction(self, start: Labels, end: Labels) -> Direction:
        """Read Definition 2 one way."""
        if not self.is_constrained:
            changes = sorted(total_difference(start, end), key=lambda change: change[0])
            return direction(  # any one change leads to a possible database
                start, end, self.secrets, ((*start[:i], v, *start[i + 1 :]) for i, _, v in changes)
            )
        check_size(self.database_count, self.records, self.secrets.order)
        listed: tuple[Any, ...] = self.databases()
        possible: tuple[Labels, ...] = listed
        if self.records == 1:
            possible = tuple((value,) for value in listed)
        for database in (start, end):
            if database not in possible:
                raise Mismatch(f"the database {database} must be a possible one of {self!r:.80}")
        told = [count for count in self.constraints if count.is_published]
        for count in told:
            if count.of(start) != count.of(end):
                found = direction(start, end, self.secrets, ())
                return replace(found, published=str(count))
        alike = (each for each in possible if all(c.of(each) == c.of(start) for c in told))
        return direction(start, end, self.secrets, alike)

    @cached_property
    def _of_records(self) -> AdjacencyGraph:
        """All databases of independent records, those joined that differ in a pair of values."""
        if self.values is None:
            return AdjacencyGraph.of(self.secrets, self.records)
        graphs = {domain: self.secrets.subgraph(domain) for domain in set(self.values)}
        return AdjacencyGraph.of_records(graphs[domain] for domain in self.values)

    @cached_property
    def public_counts(self) -> "PublicCounts | None":
        """Who is whose neighbour, by kinds of neighbours; None if not only counts are public.

        It does not list databases, so that there may be any number of records.

        >>> from leaktight.policies.constraint import count
        >>> from leaktight.policies.secrets import SecretGraph
        >>> ill = [count(["flu"], equals=300), count(["cold"], equals=500)]
        >>> known = Policy(SecretGraph.complete(["flu", "cold", "none"]), 10**6, constraints=ill)
        >>> known.public_counts.kinds.most_moves
        3
        """
        if not self.constraints or self._is_more_public:
            return None
        from leaktight.policies.public_counts import Cells, PublicCounts

        cells = Cells.of(self.secrets.order, self.records, self._limits(), self._told())
        return PublicCounts(cells, self.secrets)

    @cached_property
    def reach(self) -> "Most":
        """In how many records neighbours differ at most: in one, if records are independent.

        >>> secrets = Graph(2, [(0, 1)])
        >>> Policy(secrets, 3, databases=[(0, 0, 1), (1, 1, 1)]).reach
        Most(attained=2, value=2)
        """
        from leaktight.policies.public_counts import Most

        if not self.is_constrained:
            return Most(1, 1)
        if self.public_counts is not None:
            return self.public_counts.reach
        ends = self._rows[self._adjacency.explicit().edges]
        most = int((ends[:, 0] != ends[:, 1]).sum(axis=1).max(initial=0))
        return Most(most, most)

    def _told(self) -> list[frozenset[int]]:
        """The sets of values whose counts are public, whatever they are."""
        index = self.secrets.index
        return [frozenset(map(index, one.values)) for one in self.constraints if one.is_published]

    def _limits(self) -> list[tuple[frozenset[int], int, int]]:
        """The counts, each as the values that it counts, its least and its most."""
        index, every = self.secrets.index, self.records
        return [
            (frozenset(map(index, one.values)), one.least, every if one.most is None else one.most)
            for one in self.constraints
        ]

    # --- listing databases -----------------------------------------------------------------

    @cached_property
    def _counted(self) -> CountedDatabases:
        """The databases that agree with the counts and the records' values."""
        if self.records > allowed(MOST_TOLD):
            raise TooLarge(
                f"databases of {self.records:,} records with public counts are too many to list "
                "or count; privacy_level, sensitivity and answer_graph need no list"
            )
        domains = [tuple(range(self.secrets.order))] * self.records
        if self.values is not None:
            index = self.secrets.index
            known = {domain: tuple(map(index, domain)) for domain in set(self.values)}
            domains = [known[domain] for domain in self.values]
        return CountedDatabases(domains, self._limits())

    @cached_property
    def _rows(self) -> Rows:
        if self.listed is not None:
            index = self.secrets.index
            by_record = self.listed if self.records > 1 else [(value,) for value in self.listed]
            positions = [[index(value) for value in database] for database in by_record]
            return np.array(positions, dtype=np.min_scalar_type(self.secrets.order))
        number = self._counted.number
        if number > allowed(MOST_VERTICES) or number * self.records > allowed(MOST_ENTRIES):
            tried = "a predicate is tried on each of " if self.predicate else ""
            raise TooLarge(
                f"{self.records:,} records with these constraints: {tried}"
                f"{counted(number, 'database', 'databases')}, and at most "
                f"{min(allowed(MOST_VERTICES), allowed(MOST_ENTRIES) // self.records):,} are listed"
            )
        rows = self._counted.rows()
        if self.predicate is None:
            return rows
        kept = [bool(self.predicate(database)) for database in self._named(rows)]
        if not any(kept):
            raise InvalidPolicy(
                f"some database must be possible, but the predicate rejects all {len(rows):,}"
            )
        return rows[kept]

    def _named(self, rows: Rows) -> Labels:
        """Return databases by the names of their values."""
        names = objects(self.secrets.vertices)
        if self.records == 1:
            return tuple(names[rows[:, 0]].tolist())
        return tuple(map(tuple, names[rows].tolist()))

    # --- how it is made --------------------------------------------------------------------

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _refuse_the_impossible(self) -> None:
        """Check that counts leave a database; a predicate is only tried when it must be."""
        if not self.constraints:
            return
        if (counts := self.public_counts) is None:
            possible = not self._counted.is_countable or self._counted.is_possible
        else:
            possible = counts.is_possible
        if not possible:
            raise InvalidPolicy(
                f"some database must be possible, but none of {self.records:,} records has "
                f"{' and '.join(map(str, self.constraints))}"
            )

    def __repr__(self) -> str:
        public = list(map(str, self.constraints))
        if len(public) > MOST_NAMED:
            public = [f"{len(public):,} public counts"]
        if self.values is not None:
            public.append("values per record")
        if self.predicate is not None:
            public.append("a predicate")
        if self.listed is not None:
            public.append(counted(len(self.listed), "database", "databases"))
        pairs = counted(self.secrets.size, "secret pair", "secret pairs")
        said = [
            counted(self.secrets.order, "value", "values"),
            pairs if self.metric is None else f"{pairs} with distances",
            counted(self.records, "record", "records"),
            *public,
        ]
        return f"Policy({', '.join(said)})"
