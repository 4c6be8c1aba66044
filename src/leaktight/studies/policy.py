"""The policy that a study names: secrets or distances, records, and what is public of them."""

from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from leaktight.errors import InvalidInput
from leaktight.labels import suggestion
from leaktight.policies.constraint import Count, count
from leaktight.policies.margin import margin
from leaktight.policies.metric import Metric, read_places
from leaktight.policies.policy import Policy
from leaktight.policies.reading import MOST_RECORDS
from leaktight.policies.secrets import ABSENT, CHANGE, FIXED, SecretGraph
from leaktight.policies.text import check_order
from leaktight.studies.kinds import shortened
from leaktight.studies.table import StudyTable

NEEDS = {"threshold": "distance", "partition": "groups", "grid": "sides", "edges": "edges"}
"""The keys that only one kind of secrets has."""


def read_policy(table: StudyTable) -> Policy:
    """Return the policy that the table says: values, secrets or distances, and what is public."""
    if "metric" in table:
        return _with_distances(table)
    for key in ("points", "distances", "unit"):
        if key in table:
            raise table.wrong(key, 'is for a metric; say which: metric = "euclidean"')
    people, absent = read_people(table)
    secrets = _secrets(table) if people != CHANGE else _values(table)
    if absent is not None:
        with table.at("absent"):
            secrets = secrets.with_absent(absent)
    if len(set(map(str, secrets.vertices))) < secrets.order:
        twice = Counter(map(str, secrets.vertices)).most_common(1)[0][0]
        raise table.wrong("values", f"must read differently, got {twice!r:.60} twice")
    records = table.whole("records", 1, MOST_RECORDS)
    constraints = [_constraint(table, each) for each in table.get("constraints", [])]
    constraints += _margins(table, secrets, records)
    listed = table.get("databases")
    if listed is not None and constraints:
        raise table.wrong("databases", "lists all that are possible, so constraints must not be")
    with table.at("databases" if listed is not None else "constraints"):
        return Policy(secrets, records, constraints=constraints, databases=listed)


def read_people(table: StudyTable) -> tuple[str | None, str | None]:
    """Return whether people come and go, and what is called who is not there."""
    people = table.get("people")
    if people == FIXED and "absent" in table:
        raise table.wrong("absent", 'does not go with people = "fixed": nobody is absent')
    usual = ABSENT if people == CHANGE else None
    return people, table.get("absent", usual)


def _values(table: StudyTable) -> SecretGraph:
    """Return the values alone, where a neighbour has one person more or fewer."""
    for where in (table.content, *table.get("attributes", {}).values()):
        for key in ("secrets", "differ", "distance", "edges", "groups"):
            if key in where:
                raise table.wrong(
                    key,
                    'does not go with people = "change" (add/remove), where no two values are a '
                    "secret pair; leave it out, or say absent instead of people",
                )
    return SecretGraph(_secrets(table).vertices)


def _with_distances(table: StudyTable) -> Policy:
    """Return the policy of records whose values have distances."""
    kind = table.get("metric")
    by_points = kind not in ("matrix", "edges")
    fits = {"matrix": ("values", "distances"), "edges": ("values", "edges")}.get(
        kind, ("points", "sides")
    )
    for key in table.content:
        if key not in (*fits, "metric", "unit", "records"):
            raise table.wrong(key, f'does not go with metric = "{kind}", but {" and ".join(fits)}')
    if by_points:
        metric = _of_points(table, kind)
    elif kind == "matrix":
        with table.at("distances"):
            metric = Metric.from_table(table.get("distances", []), table.get("values"))
    else:
        edges = table.get("edges", [])
        ends = dict.fromkeys(v for edge in edges for v in edge[:2])
        with table.at("edges"):
            metric = Metric.from_edges(table.get("values", list(ends)), edges)
    if len(set(map(str, metric.values))) < metric.order:
        raise table.wrong(fits[0], "must have values that read differently")
    return Policy(metric, table.whole("records", 1, MOST_RECORDS))


def _of_points(table: StudyTable, kind: str) -> Metric:
    """Return distances between points that are listed, in a file, or those of a grid."""
    if ("points" in table) == ("sides" in table):
        raise table.wrong("", f'needs points for metric = "{kind}", or the sides of a grid')
    with table.at("points" if "points" in table else "sides"):
        given: Any = table.get("points")
        if "sides" in table:
            given = list(product(*_sides(table, kind)))
        elif (file := points_file(table)) is not None:
            given = read_places(file)
        made: Metric = getattr(Metric, kind)(given)
        return made


def points_file(table: StudyTable) -> Path | None:
    """Return the file that has the points of a metric; None if they are listed, or are none."""
    given = table.get("points")
    return table.file.parent / given if isinstance(given, str) else None


def _sides(table: StudyTable, kind: str) -> list[Sequence[Any]]:
    """Return the sides of a grid, each a list of its values."""
    sides = [range(s) if isinstance(s, int) else s for s in table.get("sides")]
    check_order(kind, *map(len, sides))
    return sides


def unit_of(table: StudyTable) -> str:
    """Return what a distance of 1 is called."""
    found: str = table.get("unit", "km" if table.get("metric") == "haversine" else "")
    return found


def _attributes(table: StudyTable) -> SecretGraph:
    """Return the tuples of several attributes, each with a secret graph of its own."""
    given = table.get("attributes")
    if not given:
        raise table.wrong("attributes", "must be a table of attributes, got none")
    for key in ("values", "secrets", *NEEDS.values()):
        if key in table:
            raise table.wrong(key, "belongs to one attribute: attributes.NAME = { … }")
    graphs = []
    for name, each in given.items():
        content = {"values": each} if isinstance(each, list) else each
        place = f"policy.attributes.{name:.40}"
        graphs.append(_secrets(StudyTable.of(table.file, place, content)))
    with table.at("attributes"):
        check_order("grid", *(graph.order for graph in graphs))
    alone = table.get("differ", "one") == "one"
    return (SecretGraph.product if alone else SecretGraph.strong_product)(*graphs)


def _secrets(table: StudyTable) -> SecretGraph:
    if "attributes" in table:
        return _attributes(table)
    if "differ" in table:
        raise table.wrong("differ", "is for attributes, of which there are none")
    kind = table.get("secrets", "complete")
    for other, key in NEEDS.items():
        if key in table and other != kind:
            raise table.wrong(key, f'is for secrets = "{other}", got "{kind}"')
    key = NEEDS.get(kind, "values")
    if key not in table:
        raise table.wrong("", f'needs {key} for secrets = "{kind}"')
    if kind in ("partition", "grid"):
        if "values" in table:
            raise table.wrong("values", f'follow from {key} if secrets = "{kind}"; leave them out')
        if kind == "grid":
            with table.at(key):
                return SecretGraph.grid(*_sides(table, kind))
        with table.at(key):
            check_order(kind, sum(map(len, table.get(key))))
            return SecretGraph.partition(table.get(key))
    if "values" not in table:
        raise table.wrong("", "needs values: a list, or how many there are")
    values = table.get("values")
    with table.at("values"):
        check_order(kind, values if isinstance(values, int) else len(values))
        SecretGraph(values)
    if kind == "threshold":
        with table.at("distance"):
            return SecretGraph.threshold(values, distance=table.get("distance"))
    if kind == "edges":
        edges = table.get("edges")
        for edge in edges:
            if len(edge) != 2:
                raise table.wrong("edges", f"must be pairs of values, got {shortened(edge)}")
        with table.at("edges"):
            return SecretGraph.from_edges(values, edges)
    with table.at("secrets"):
        made: SecretGraph = getattr(SecretGraph, kind)(values)
        return made


def _constraint(parent: StudyTable, given: dict[str, Any]) -> Count:
    table = StudyTable.of(parent.file, "policy.constraints", given)
    if "values" not in table:
        raise table.wrong("", "each needs values: whom it counts")
    with table.at(""):
        return count(**table.content)


def _margins(table: StudyTable, secrets: SecretGraph, records: int) -> list[Count]:
    """Return the counts of published tables: ``margins.NAME``, or ``margins."NAME, NAME"``.

    A list of names says that these tables are public, whatever their numbers are.
    """
    if "margins" not in table:
        return []
    given, names = table.get("margins"), list(table.get("attributes", ()))
    if not names:
        raise table.wrong("margins", "are of attributes, of which there are none")
    if not given:
        raise table.wrong(
            "margins", "must be tables of numbers, margins.NAME = { … }, or a list of names if the "
            "numbers are not to be named, got none"
        )  # fmt: skip
    found = list[Count]()
    _, absent = read_people(table)
    people: list[Any] = [value for value in secrets.vertices if value != absent]
    named = given if isinstance(given, dict) else dict.fromkeys(given)
    for key, numbers in named.items():
        of = [part.strip() for part in key.split(",")]
        place = StudyTable(table.file, f"policy.margins.{key:.40}", {})
        for name in of:
            if name not in names:
                raise place.wrong("", f"must be of attributes, got {name!r:.40}; "
                                      f"{suggestion(name, tuple(names))}")  # fmt: skip
        parts = [names.index(name) for name in of]
        if numbers is None:
            found += margin(people, parts, None, names)
            continue
        if not numbers:
            raise place.wrong("", "must say how many records there are: { … }, got none")
        told = {", ".join(str(v[p]) for p in parts): tuple(v[p] for p in parts) for v in people}
        counts = {told.get(text, (text,)): n for text, n in numbers.items()}
        with place.at(""):
            found += margin(people, parts, counts, names)
            total = sum(counts.values()) if len(counts) == len(told) else records
            if total > records or (total < records and len(people) == secrets.order):
                raise InvalidInput(f"must add up to the {records:,} records, got {total:,}")
    return found
