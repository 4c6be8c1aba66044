"""Studies read from TOML files.

Every key is checked when the file is read. Paths are relative to the file. A Python function that
a study names is imported only if the user allows it.
"""

from pathlib import Path
from typing import Any

from leaktight.channels.distribution import Distribution
from leaktight.curves.promise import PROMISE, curve_of
from leaktight.exact.numbers import Number, rational
from leaktight.files import read_path
from leaktight.labels import Labels, parts, positions
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import (
    HistogramQuery,
    MostCommonQuery,
    SumQuery,
    SymmetricQuery,
    counting_query,
)
from leaktight.studies.beliefs import record_prior
from leaktight.studies.mechanism import MechanismReader, NamedMechanism
from leaktight.studies.policy import points_file, read_people, read_policy, unit_of
from leaktight.studies.study import MOST_OBSERVATIONS, Study, expect_provable
from leaktight.studies.table import StudyTable, load


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
    study = bare_study(content, file, files, allow_code=allow_code)
    if not content.get("release"):
        return study
    from leaktight.studies.release import release_of
    from leaktight.studies.released import PlannedRelease

    return study.releasing(PlannedRelease(release_of(content, file, study)))


def bare_study(
    content: dict[str, Any], file: Path, files: tuple[Path, ...] = (), *, allow_code: bool = False
) -> Study:
    """Return the same without what is released of a table."""
    root = StudyTable.of(file, "", content)
    table, chosen, question, _, _ = (
        StudyTable.of(file, name, root.content.get(name, {}))
        for name in ("policy", "mechanism", "question", "data", "release")
    )
    if not table.content:
        raise table.wrong("", "is missing: which values must not be told apart?")
    policy = read_policy(table)
    _, absent = read_people(table)
    usual = "answer" if "query" in chosen else "record" if policy.records > 1 else "database"
    scope: str = chosen.get("on", usual)
    asked: dict[str, Any] = {
        "on": scope,
        "query": _query(chosen, scope, policy, absent),
        **_promise(question, policy),
        "prior": _prior(question, "prior", policy.secrets.vertices),
        "gain": question.get("gain", "guess"),
        "observations": question.whole("observations", 10, MOST_OBSERVATIONS),
        "below": _below(question),
        "sensitive": _sensitive(question, policy.secrets.vertices),
        "absent": absent,
        "unit": unit_of(table),
        "what": _what(question, table),
        "title": root.get("title", file.stem),
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
    read = [] if (points := points_file(table)) is None else [points]
    with chosen.at("kind"):
        return Study(
            policy, named.mechanism, name=named.name, files=(*files, *read, *named.files),
            note=named.note, **asked,
        )  # fmt: skip


def _promise(question: StudyTable, policy: Policy) -> dict[str, Any]:
    """Return what must be kept, as the argument that takes it."""
    found = question.promise()
    curve = curve_of(found)
    if curve is None:
        return {"ratio": found}
    with question.at(next(key for key in reversed(PROMISE) if key in question)):
        expect_provable(policy, curve)
    return {"curve": curve}


def _what(question: StudyTable, policy: StudyTable) -> str:
    """Return what is guessed; of several attributes it is all at once, and so it is said."""
    what: str = question.get("what", "one record's value")
    names = list(map(str, policy.get("attributes") or ()))
    if len(names) < 2 or all(name.casefold() in what.casefold() for name in names):
        return what
    return f"{what} ({', '.join(names[:-1])} and {names[-1]} at once)"


def _query(
    chosen: StudyTable, scope: str, policy: Policy, absent: str | None
) -> SymmetricQuery | None:
    """Return the query whose answers the mechanism sees."""
    for key in ("query", "of"):
        if scope != "answer" and key in chosen:
            raise chosen.wrong(key, f'is for on = "answer", got on = "{scope}"')
    if scope != "answer":
        return None
    name = chosen.needed("query")
    values = policy.secrets.vertices
    if name == "count" and "of" not in chosen:
        raise chosen.wrong("of", 'must name the values of query = "count"')
    if "of" in chosen:
        if name not in ("count", "histogram"):
            raise chosen.wrong("of", f'is for query = "count" and "histogram", got "{name}"')
        some = chosen.get("of")
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


def _prior(table: StudyTable, key: str, values: Labels) -> Distribution:
    given = table.get(key, "uniform")
    if isinstance(given, str):
        if given != "uniform":
            raise table.wrong(key, f'must be "uniform", a list or a table, got {given!r:.60}')
        given = None
    elif isinstance(given, dict):
        named = {str(value): value for value in values}
        named |= {", ".join(map(str, parts(value))): value for value in values}
        given = {named.get(name, name): each for name, each in given.items()}
    with table.at(key):
        return record_prior(given, values)


def _sensitive(table: StudyTable, values: Labels) -> list[Any]:
    with table.at("sensitive"):
        return [values[k] for k in positions(table.get("sensitive", []), values, "value")]


def _below(table: StudyTable) -> Number | None:
    found: Number | None = table.get("below")
    with table.at("below"):
        chance = None if found is None else rational(found)
    if chance is not None and not 0 < chance <= 1:
        raise table.wrong("below", f"must be a chance above 0 and at most 1, got {found}")
    return found
