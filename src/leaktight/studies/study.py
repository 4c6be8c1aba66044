"""What does a user ask? A study: a policy, a mechanism and a question, in one TOML file.

Every key is checked when the file is read. Paths are relative to the file. A Python function that
a study names is imported only if the user allows it.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from leaktight.channels.aim import GAINS, aim_of
from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, prior_on
from leaktight.channels.gain import Gain, Loss
from leaktight.errors import InvalidInput, TooLarge
from leaktight.exact.numbers import Number, rational
from leaktight.exact.ratio import Ratio
from leaktight.mechanisms.best import BestMechanism
from leaktight.policies.constraint import Count, count
from leaktight.policies.graph import Graph
from leaktight.policies.policy import MOST_RECORDS, Policy
from leaktight.policies.query import answer_graph
from leaktight.policies.secrets import SecretGraph
from leaktight.policies.symmetric_query import CountingQuery, counting_query
from leaktight.policies.text import check_order
from leaktight.studies.mechanism import MechanismReader, NamedMechanism
from leaktight.studies.table import StudyTable, load, plain_number, shortened

Query: TypeAlias = Callable[[Any], Hashable]

MOST_OBSERVATIONS = 10**6
"""The most observations that a study may ask about."""

MOST_CONSTRAINED = 10**5
"""The most records of a policy with constraints, whose databases are listed or counted."""

MOST_GUESSES = 400
"""The most values for which what each guess earns is tabled; more takes seconds."""

SECRETS = ("complete", "line", "cycle", "threshold", "partition", "grid", "edges")
NEEDS = {"threshold": "distance", "partition": "groups", "grid": "sides", "edges": "edges"}
"""The keys that only one kind of secrets has."""

SCOPES = ("record", "database", "answer")
QUERIES = ("count", "sum", "most common")

KEYS: Mapping[str, tuple[str, ...]] = {
    "": ("title", "policy", "mechanism", "question"),
    "policy": (
        "values", "secrets", "distance", "groups", "edges", "sides", "absent",
        "records", "constraints", "databases",
    ),
    "policy.constraints": ("values", "equals", "at_least", "at_most"),
    "mechanism": (
        "kind", "on", "query", "of", "ratio", "epsilon", "rows", "outputs", "file", "function",
        "sensitivity",
    ),
    "question": (
        "ratio", "epsilon", "prior", "gain", "observations", "below", "what",
    ),
}  # fmt: skip
"""The keys of each table of a study."""


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """A policy, a mechanism on its records, databases or answers, and what is asked of them.

    ``graph`` holds what is secret for the mechanism, one by one: the values of a record, the
    databases, or the answers to a query. ``channel`` is what is seen of each of them.
    """

    title: str
    policy: Policy
    scope: str
    graph: Graph
    query: Query | None
    mechanism: str | None
    """The mechanism in words; None if none is given."""
    channel: Channel | None
    best: BestMechanism | None
    """The mechanism with its proof, if the best was asked for."""
    ratio: Ratio | None
    epsilon: Number | None
    """ε as it was written, if it was."""
    prior: Distribution
    aim: Gain | Loss | None
    """What a guess earns or costs; None if there are too many to table it."""
    observations: int
    below: Number | None
    what: str
    files: tuple[Path, ...]
    """The files that were read."""


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
    >>> study.mechanism, study.channel["yes", "yes"]
    ('randomised response on 2 values', Fraction(3, 4))
    """
    file = Path(path)
    root = StudyTable.of(file, "", load(file), KEYS[""])
    table, chosen, question = (
        StudyTable.of(file, name, root.content.get(name, {}), KEYS[name])
        for name in ("policy", "mechanism", "question")
    )
    if not table.content:
        raise table.wrong("", "is missing: which values must not be told apart?")
    policy = _policy(table)
    usual = "answer" if "query" in chosen else "record" if policy.records > 1 else "database"
    scope = chosen.one_of("on", SCOPES, usual)
    query = _query(chosen, scope)
    graph = _graph(table, chosen, policy, scope, query)
    prior = _prior(question, graph)
    aim = _aim(question, graph)
    reader = MechanismReader(chosen, question, graph, prior, aim, allow_code)
    named = reader.read() if "mechanism" in root else NamedMechanism()
    return Study(
        title=root.text("title", file.stem),
        policy=policy,
        scope=scope,
        graph=graph,
        query=query,
        mechanism=named.name,
        channel=named.channel,
        best=named.best,
        ratio=question.ratio(),
        epsilon=question.get("epsilon"),
        prior=prior,
        aim=aim,
        observations=question.whole("observations", 10, MOST_OBSERVATIONS),
        below=_below(question),
        what=question.text("what", "one record" if scope == "record" else f"the {scope}"),
        files=(file, *named.files),
    )


# --- the policy ----------------------------------------------------------------------------


def _policy(table: StudyTable) -> Policy:
    secrets = _secrets(table)
    if "absent" in table:
        absent = table.text("absent", "")
        with table.at("absent"):
            secrets = secrets.with_absent(absent)
    if len(set(map(str, secrets.vertices))) < secrets.order:
        twice = Counter(map(str, secrets.vertices)).most_common(1)[0][0]
        raise table.wrong("values", f"must read differently, got {twice!r:.60} twice")
    limited = "constraints" in table
    records = table.whole("records", 1, MOST_CONSTRAINED if limited else MOST_RECORDS)
    constraints = [_constraint(table, each) for each in table.listed("constraints")]
    listed = table.labels("databases") if "databases" in table else None
    if listed is not None and constraints:
        raise table.wrong("databases", "lists all that are possible, so constraints must not be")
    with table.at("databases" if listed is not None else "constraints"):
        return Policy(secrets, records, constraints=constraints, databases=listed)


def _secrets(table: StudyTable) -> SecretGraph:
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


def _query(chosen: StudyTable, scope: str) -> Query | None:
    """Return the query whose answers the mechanism sees."""
    for key in ("query", "of"):
        if scope != "answer" and key in chosen:
            raise chosen.wrong(key, f'is for on = "answer", got on = "{scope}"')
    if scope != "answer":
        return None
    name = chosen.one_of("query", QUERIES)
    if ("of" in chosen) != (name == "count"):
        raise chosen.wrong("of", 'must name the values of query = "count", and only of it')
    if name == "count":
        values = chosen.labels("of")
        with chosen.at("of"):
            return counting_query(values)
    return sum if name == "sum" else _most_common


def _graph(
    table: StudyTable, chosen: StudyTable, policy: Policy, scope: str, query: Query | None
) -> Graph:
    """Return the graph of what the mechanism sees."""
    if scope == "record":
        return policy.secrets
    if query is None:
        with table.at("records"):
            return policy.adjacency().explicit()
    if query is sum and not all(isinstance(v, int | float) for v in policy.secrets.vertices):
        raise chosen.wrong("query", '= "sum" needs values that are numbers')
    asked = query
    if policy.records == 1 and not isinstance(query, CountingQuery):
        asked = lambda value: query((value,))  # noqa: E731  (a database of one record is its value)
    with chosen.at("of" if "of" in chosen else "query"):
        return answer_graph(policy if policy.records > 1 else policy.adjacency(), asked)


def _most_common(database: Any) -> Hashable:
    """Return the value that most records have, or a tie."""
    ranked = Counter(database).most_common(2)
    return "tie" if len(ranked) > 1 and ranked[0][1] == ranked[1][1] else ranked[0][0]


# --- the question --------------------------------------------------------------------------


def _prior(table: StudyTable, graph: Graph) -> Distribution:
    given = table.get("prior")
    if isinstance(given, str) and given != "uniform":
        raise table.wrong("prior", f'must be "uniform", a list or a table, got {given!r:.60}')
    if isinstance(given, dict):
        named = {str(vertex): vertex for vertex in graph.vertices}
        given = {named.get(key, key): plain_number(each) for key, each in given.items()}
    elif isinstance(given, list):
        given = list(map(plain_number, given))
    with table.at("prior"):
        if not isinstance(given, dict | list | str | None):
            raise InvalidInput(f"must be a list or a table, got {shortened(given)}")
        return prior_on(None if isinstance(given, str) else given, graph.vertices).exact()


def _aim(table: StudyTable, graph: Graph) -> Gain | Loss | None:
    kind = table.one_of("gain", GAINS, "guess")
    with table.at("gain"):
        if graph.order > MOST_GUESSES:
            if "gain" in table:
                raise TooLarge(f"at most {MOST_GUESSES} values have one, got {graph.order:,}")
            return None
        return aim_of(kind, graph)


def _below(table: StudyTable) -> Number | None:
    found = table.number("below")
    if found is not None and not 0 < rational(found) <= 1:
        raise table.wrong("below", f"must be a chance above 0 and at most 1, got {found}")
    return found
