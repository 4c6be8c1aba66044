"""How is a study read from a TOML file?

Every key is checked when the file is read. Paths are relative to the file. A Python function that
a study names is imported only if the user allows it.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from leaktight.channels.aim import GAINS
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidInput
from leaktight.exact.numbers import Number, rational
from leaktight.files import read_path
from leaktight.labels import Labels, suggestion
from leaktight.policies.constraint import Count, count
from leaktight.policies.margin import margin
from leaktight.policies.metric import Metric, read_places
from leaktight.policies.policy import Policy
from leaktight.policies.reading import MOST_RECORDS
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import (
    HistogramQuery,
    MostCommonQuery,
    SumQuery,
    SymmetricQuery,
    counting_query,
)
from leaktight.policies.text import check_order
from leaktight.studies.beliefs import record_prior
from leaktight.studies.mechanism import MechanismReader, NamedMechanism
from leaktight.studies.study import MOST_OBSERVATIONS, SCOPES, Study
from leaktight.studies.table import StudyTable, load, plain_number, shortened

METRICS = ("euclidean", "manhattan", "haversine", "matrix", "edges")
"""How distances are given: by points, by a table, or along edges."""

SECRETS = ("complete", "line", "cycle", "threshold", "partition", "grid", "edges")
NEEDS = {"threshold": "distance", "partition": "groups", "grid": "sides", "edges": "edges"}
"""The keys that only one kind of secrets has."""

QUERIES = ("count", "sum", "most common", "histogram")
DIFFER = ("one", "all")

KEYS: Mapping[str, tuple[str, ...]] = {
    "": ("title", "policy", "mechanism", "question", "data", "release"),
    "policy": (
        "values", "secrets", "distance", "groups", "edges", "sides", "metric", "points",
        "distances", "unit", "attributes", "differ", "absent", "records", "constraints", "margins",
        "databases",
    ),
    "policy.attributes": ("values", "secrets", "distance", "groups", "edges"),
    "policy.constraints": ("values", "equals", "at_least", "at_most"),
    "mechanism": (
        "kind", "on", "query", "of", "ratio", "epsilon", "rows", "outputs", "file", "function",
        "sensitivity",
    ),
    "question": (
        "ratio", "epsilon", "prior", "answers", "gain", "observations", "below", "what",
    ),
    "data": (
        "source", "table", "columns", "person", "rows_per_person", "keep", "outside", "cuts",
        "clamp",
    ),
    "release": ("name", "queries", "rows", "ratio", "epsilon", "ledger", "budget", "output"),
    "release.queries": ("name", "kind", "by", "groups", "values", "weights", "fanout", "share"),
}  # fmt: skip
"""The keys of each table of a study."""


def read_study(path: str | Path, *, allow_code: bool = False) -> Study:
    """Read a study from a TOML file; its keys are listed in ``docs/study.md``.

    >>> from tempfile import TemporaryDirectory
    >>> text = '''
    ... title = "A vote"
    ... [policy]
    ... values = ["no", "yes"]
    ... [mechanism]
    ... kind = "randomised response"
    ... [question]
    ... ratio = 3
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "vote.toml"
    ...     _ = file.write_text(text)
    ...     study = read_study(file)
    >>> study.name, study.channel["yes", "yes"]
    ('randomised response on 2 values', Fraction(3, 4))
    """
    file = read_path(path)
    return study_of(load(file), file, (file,), allow_code=allow_code)


def study_of(
    content: dict[str, Any], file: Path, files: tuple[Path, ...] = (), *, allow_code: bool = False
) -> Study:
    """Return the study that the tables of a TOML file say, wherever they were read.

    What is wrong with it is said of ``file``; ``files`` are those that were read.
    """
    root = StudyTable.of(file, "", content, KEYS[""])
    table, chosen, question, _, _ = (
        StudyTable.of(file, name, root.content.get(name, {}), KEYS[name])
        for name in ("policy", "mechanism", "question", "data", "release")
    )
    if not table.content:
        raise table.wrong("", "is missing: which values must not be told apart?")
    policy = _policy(table)
    usual = "answer" if "query" in chosen else "record" if policy.records > 1 else "database"
    scope = chosen.one_of("on", SCOPES, usual)
    asked: dict[str, Any] = {
        "on": scope,
        "query": _query(chosen, scope, policy, table.get("absent")),
        "ratio": question.ratio(),
        "prior": _prior(question, "prior", policy.secrets.vertices),
        "gain": question.one_of("gain", GAINS, "guess"),
        "observations": question.whole("observations", 10, MOST_OBSERVATIONS),
        "below": _below(question),
        "absent": table.get("absent"),
        "unit": _unit(table),
        "what": question.text("what", "one record's value"),
        "title": root.text("title", file.stem),
    }
    if policy.metric is not None and (scope == "answer" or scope == "database" != usual):
        raise chosen.wrong("on", f'must be "record" with a metric, got "{scope}"')
    if scope == "database" and policy.records > 1:
        with table.at("records"):
            policy.adjacency().explicit()
    draft = Study(policy, **asked)
    if "answers" in question:
        if scope != "answer":
            raise question.wrong("answers", f'is for on = "answer", got on = "{scope}"')
        with chosen.at("query"):
            answers = draft.graph.vertices
        asked["answers"] = _prior(question, "answers", answers)
        draft = Study(policy, **asked)
    reader = MechanismReader(chosen, question, draft, allow_code)
    named = reader.read() if "mechanism" in root else NamedMechanism()
    if "gain" in question and not reader.is_noise:
        with question.at("gain"):
            draft.expect_aim()
    read = [file.parent / table.text("points", "")] if isinstance(table.get("points"), str) else []
    with chosen.at("kind"):
        return Study(
            policy, named.mechanism, name=named.name, files=(*files, *read, *named.files), **asked
        )


# --- the policy ----------------------------------------------------------------------------


def _policy(table: StudyTable) -> Policy:
    if "metric" in table:
        return _with_distances(table)
    for key in ("points", "distances", "unit"):
        if key in table:
            raise table.wrong(key, 'is for a metric; say which: metric = "euclidean"')
    secrets = _secrets(table)
    if "absent" in table:
        absent = table.text("absent", "")
        with table.at("absent"):
            secrets = secrets.with_absent(absent)
    if len(set(map(str, secrets.vertices))) < secrets.order:
        twice = Counter(map(str, secrets.vertices)).most_common(1)[0][0]
        raise table.wrong("values", f"must read differently, got {twice!r:.60} twice")
    records = table.whole("records", 1, MOST_RECORDS)
    constraints = [_constraint(table, each) for each in table.listed("constraints")]
    constraints += _margins(table, secrets, records)
    listed = table.labels("databases") if "databases" in table else None
    if listed is not None and constraints:
        raise table.wrong("databases", "lists all that are possible, so constraints must not be")
    with table.at("databases" if listed is not None else "constraints"):
        return Policy(secrets, records, constraints=constraints, databases=listed)


def _with_distances(table: StudyTable) -> Policy:
    """Return the policy of records whose values have distances."""
    kind = table.one_of("metric", METRICS)
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
        values = _labels(table, "values", table.get("values")) if "values" in table else None
        rows = [list(map(plain_number, row)) if isinstance(row, list) else row
                for row in table.listed("distances")]  # fmt: skip
        with table.at("distances"):
            metric = Metric.from_table(rows, values)
    else:
        edges = table.labels("edges")
        ends = dict.fromkeys(v for e in edges if isinstance(e, tuple) for v in e[:2])
        with table.at("edges"):
            metric = Metric.from_edges(
                _labels(table, "values", table.get("values")) if "values" in table else list(ends),
                edges,
            )
    if len(set(map(str, metric.values))) < metric.order:
        raise table.wrong(fits[0], "must have values that read differently")
    return Policy(metric, table.whole("records", 1, MOST_RECORDS))


def _of_points(table: StudyTable, kind: str) -> Metric:
    """Return distances between points that are listed, in a file, or those of a grid."""
    if ("points" in table) == ("sides" in table):
        raise table.wrong("", f'needs points for metric = "{kind}", or the sides of a grid')
    given: Any = table.get("points")
    if "sides" in table:
        sides = [_labels(table, "sides", side) for side in table.listed("sides")]
        with table.at("sides"):
            check_order(kind, *(s if isinstance(s, int) else len(s) for s in sides))
        given = list(product(*(range(s) if isinstance(s, int) else s for s in sides)))
    elif isinstance(given, str):
        with table.at("points"):
            given = read_places(table.file.parent / given)
    elif isinstance(given, dict):
        given = {name: table.label("points", place) for name, place in given.items()}
    else:
        given = table.labels("points")
    with table.at("points" if "points" in table else "sides"):
        made: Metric = getattr(Metric, kind)(given)
        return made


def _unit(table: StudyTable) -> str:
    """Return what a distance of 1 is called."""
    return (
        table.text("unit", "km")
        if table.get("metric") == "haversine"
        else (table.text("unit", "") if "unit" in table else "")
    )


def _attributes(table: StudyTable) -> SecretGraph:
    """Return the tuples of several attributes, each with a secret graph of its own."""
    given = table.get("attributes")
    if not isinstance(given, dict) or not given:
        raise table.wrong("attributes", f"must be a table of attributes, got {shortened(given)}")
    for key in ("values", "secrets", *NEEDS.values()):
        if key in table:
            raise table.wrong(key, "belongs to one attribute: attributes.NAME = { … }")
    graphs = []
    for name, each in given.items():
        content = {"values": each} if isinstance(each, list) else each
        place = f"policy.attributes.{name:.40}"
        graphs.append(
            _secrets(StudyTable.of(table.file, place, content, KEYS["policy.attributes"]))
        )
    with table.at("attributes"):
        check_order("grid", *(graph.order for graph in graphs))
    joined = table.one_of("differ", DIFFER, "one")
    return (SecretGraph.product if joined == "one" else SecretGraph.strong_product)(*graphs)


def _secrets(table: StudyTable) -> SecretGraph:
    if "attributes" in table:
        return _attributes(table)
    if "differ" in table:
        raise table.wrong("differ", "is for attributes, of which there are none")
    kind = table.one_of("secrets", SECRETS, "complete")
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
            sides = [_labels(table, key, side) for side in table.listed(key)]
            with table.at(key):
                check_order(kind, *(s if isinstance(s, int) else len(s) for s in sides))
                return SecretGraph.grid(*sides)
        groups = table.labels(key)
        with table.at(key):
            check_order(kind, sum(len(each) for each in groups if isinstance(each, tuple)))
            return SecretGraph.partition(groups)
    if "values" not in table:
        raise table.wrong("", "needs values: a list, or how many there are")
    values = _labels(table, "values", table.get("values"))
    with table.at("values"):
        check_order(kind, values if isinstance(values, int) else len(values))
        SecretGraph(values)
    if kind == "threshold":
        distance = table.get("distance")
        with table.at("distance"):
            return SecretGraph.threshold(values, distance=distance)
    if kind == "edges":
        edges = table.labels("edges")
        for edge in edges:
            if not isinstance(edge, tuple) or len(edge) != 2:
                raise table.wrong("edges", f"must be pairs of values, got {shortened(edge)}")
        with table.at("edges"):
            return SecretGraph.from_edges(values, edges)
    with table.at("secrets"):
        made: SecretGraph = getattr(SecretGraph, kind)(values)
        return made


def _labels(table: StudyTable, key: str, given: Any) -> Any:
    """Return values: a list, or so many."""
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    if not isinstance(given, list):
        raise table.wrong(key, f"must be a list, or how many there are, got {shortened(given)}")
    return [table.label(key, each) for each in given]


def _constraint(parent: StudyTable, given: Any) -> Count:
    if not isinstance(given, dict):
        raise parent.wrong("constraints", f"must be tables, got {shortened(given)}")
    table = StudyTable.of(parent.file, "policy.constraints", given, KEYS["policy.constraints"])
    if "values" not in table:
        raise table.wrong("", "each needs values: whom it counts")
    limits = {key: plain_number(each) for key, each in given.items() if key != "values"}
    values = table.labels("values")
    with table.at(""):
        return count(values, **limits)


def _margins(table: StudyTable, secrets: SecretGraph, records: int) -> list[Count]:
    """Return the counts of published tables: ``margins.NAME``, or ``margins."NAME, NAME"``.

    A list of names says that these tables are public, whatever their numbers are.
    """
    if "margins" not in table:
        return []
    given, attributes = table.get("margins"), table.get("attributes")
    if not isinstance(attributes, dict):
        raise table.wrong("margins", "are of attributes, of which there are none")
    if isinstance(given, list) and given and all(isinstance(each, str) for each in given):
        given = dict.fromkeys(given)
    if not isinstance(given, dict) or not given:
        raise table.wrong(
            "margins", "must be tables of numbers, margins.NAME = { … }, or a list of names if the "
            f"numbers are not to be named, got {shortened(given)}"
        )  # fmt: skip
    names, found = list(attributes), list[Count]()
    people = [value for value in secrets.vertices if isinstance(value, tuple)]
    for key, numbers in given.items():
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
        if not isinstance(numbers, dict) or not numbers:
            raise place.wrong("", f"must say how many records there are: {{ … }}, got "
                                  f"{shortened(numbers)}")  # fmt: skip
        told = {", ".join(str(v[p]) for p in parts): tuple(v[p] for p in parts) for v in people}
        counts = {told.get(text, (text,)): plain_number(n) for text, n in numbers.items()}
        with place.at(""):
            found += margin(people, parts, counts, names)
            if len(counts) == len(told) and (total := sum(counts.values())) != records:
                raise InvalidInput(f"must add up to the {records:,} records, got {total:,}")
    return found


def _query(
    chosen: StudyTable, scope: str, policy: Policy, absent: str | None
) -> SymmetricQuery | None:
    """Return the query whose answers the mechanism sees."""
    for key in ("query", "of"):
        if scope != "answer" and key in chosen:
            raise chosen.wrong(key, f'is for on = "answer", got on = "{scope}"')
    if scope != "answer":
        return None
    name = chosen.one_of("query", QUERIES)
    values = policy.secrets.vertices
    if name == "count" and "of" not in chosen:
        raise chosen.wrong("of", 'must name the values of query = "count"')
    if "of" in chosen:
        if name not in ("count", "histogram"):
            raise chosen.wrong("of", f'is for query = "count" and "histogram", got "{name}"')
        some = chosen.labels("of")
        for value in some:
            if value not in values:
                raise chosen.wrong("of", f"must name values of the policy, got {value!r:.60}")
        with chosen.at("of"):
            return counting_query(some) if name == "count" else HistogramQuery(tuple(some))
    if name == "histogram":
        return HistogramQuery(tuple(value for value in values if value != absent))
    if name == "sum" and not all(isinstance(v, int | float) for v in values):
        raise chosen.wrong("query", '= "sum" needs values that are numbers')
    return SumQuery() if name == "sum" else MostCommonQuery()


# --- the question --------------------------------------------------------------------------


def _prior(table: StudyTable, key: str, values: Labels) -> Distribution:
    given = table.get(key)
    if isinstance(given, str) and given != "uniform":
        raise table.wrong(key, f'must be "uniform", a list or a table, got {given!r:.60}')
    if isinstance(given, dict):
        named = {str(value): value for value in values}
        named |= {", ".join(map(str, v)): v for v in values if isinstance(v, tuple)}
        given = {named.get(name, name): plain_number(each) for name, each in given.items()}
    elif isinstance(given, list):
        given = list(map(plain_number, given))
    with table.at(key):
        if not isinstance(given, dict | list | str | None):
            raise InvalidInput(f"must be a list or a table, got {shortened(given)}")
        return record_prior(None if isinstance(given, str) else given, values)


def _below(table: StudyTable) -> Number | None:
    found = table.number("below")
    if found is not None and not 0 < rational(found) <= 1:
        raise table.wrong("below", f"must be a chance above 0 and at most 1, got {found}")
    return found
