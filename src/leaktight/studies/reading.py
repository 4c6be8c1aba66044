"""Studies read from TOML files.

Every key is checked when the file is read. Paths are relative to the file. A Python function that
a study names is imported only if the user allows it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.file import read_channel
from leaktight.curves.promise import PROMISE, curve_of
from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.exact.numbers import Number, rational
from leaktight.exact.ratio import Ratio
from leaktight.files import read_path
from leaktight.labels import Labels, alignment, parts, positions
from leaktight.limits import allowed
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.mechanisms.disclosure import PerturbedCount
from leaktight.mechanisms.mechanism import Mechanism
from leaktight.mechanisms.registry import RATIO, Construction, Key, constructions
from leaktight.policies.fibres import whole_weights
from leaktight.policies.graph import Graph
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import (
    HistogramQuery,
    MostCommonQuery,
    SumQuery,
    SymmetricQuery,
    counted_by,
    counting_query,
    linear_of,
)
from leaktight.privacy.noise_level import widest_gap
from leaktight.studies.beliefs import record_prior
from leaktight.studies.code import called, load_function
from leaktight.studies.keys import BEST, GIVEN
from leaktight.studies.kinds import COUNTS, shortened
from leaktight.studies.policy import points_file, read_people, read_policy, unit_of
from leaktight.studies.study import MOST_INPUTS, MOST_OBSERVATIONS, Study, expect_provable
from leaktight.studies.table import StudyTable, load

# --- the mechanism that a study names: a construction, a matrix, a file, or a Python function

MOST_STEPS = 10**6
"""The largest sensitivity of noise."""

LARGEST = 10**6
"""The largest whole number of a mechanism's own key, such as a base or a threshold."""

MOST_ANSWERS = 10**6 + 1
"""The most answers that noise is cut off at the ends of."""

NOISY = tuple(name for name, one in constructions().items() if one.is_noise)
"""The mechanisms that add noise to a number."""

PERTURBED = tuple(name for name, one in constructions().items() if one.built_on == "counts")
"""The mechanisms that show something else in place of a count."""

WITH_DISTANCES = (BEST, *(name for name, one in constructions().items() if one.has_distances))
"""The constructions that fit distances."""


def _uses() -> dict[str, tuple[str, ...]]:
    """Return the kinds of mechanisms that each key is for."""
    uses: dict[str, tuple[str, ...]] = {
        "rows": ("matrix",), "outputs": ("matrix",), "file": ("file",), "function": ("python",),
        "sensitivity": NOISY, **dict.fromkeys(RATIO, (BEST,)),
    }  # fmt: skip
    for one in constructions().values():
        for key in RATIO if one.has_ratio else [key.name for key in one.keys]:
            uses[key] = (*uses.get(key, ()), one.name)
    return uses


USES = _uses()
"""The kinds of mechanisms that a key is for."""


@dataclass(frozen=True, slots=True, eq=False)
class NamedMechanism:
    """A mechanism, what it is called, and the files that it is in; or none at all."""

    mechanism: Channel | Mechanism | None = None
    name: str | None = None
    files: tuple[Path, ...] = ()
    note: str | None = None
    """What its numbers take for granted."""


@dataclass(frozen=True, slots=True)
class MechanismReader:
    """What a mechanism of a study is built on: all else that the study says."""

    table: StudyTable
    question: StudyTable
    study: Study
    allow_code: bool

    @property
    def graph(self) -> Graph:
        """What the mechanism sees, one by one."""
        with self.table.at("of" if "of" in self.table else "query"):
            return self.study.graph

    @property
    def is_noise(self) -> bool:
        """Whether noise is added to a sum of whole numbers, whose answers need not be listed."""
        policy, query = self.study.policy, linear_of(self.study.query)
        if self.table.get("kind") not in NOISY or query is None:
            return False
        free = not policy.is_constrained or policy.is_counted or self.study.has_many_answers
        return free and (self.has_cells or query.adds_whole_numbers(policy.secrets.vertices))

    @property
    def is_free_count(self) -> bool:
        """Whether a count is perturbed of records of which nothing else is known."""
        policy = self.study.policy
        free = not policy.is_constrained and policy.values is None
        free &= self.table.get("kind") in PERTURBED
        return free and counted_by(self.study.query) is not None

    @property
    def has_cells(self) -> bool:
        """Whether the query is a histogram, with an answer for each cell."""
        query, values = linear_of(self.study.query), self.study.policy.secrets.vertices
        return query is not None and isinstance(query.weight(values[0]), tuple)

    def read(self) -> NamedMechanism:
        """Return the mechanism that the table names."""
        table = self.table
        kind = table.needed("kind")
        for key, kinds in USES.items():
            if key in table and kind not in kinds:
                raise table.wrong(key, f'is for kind = "{kinds[0]}", got "{kind}"')
        if kind in GIVEN and GIVEN[kind] not in table:
            raise table.wrong("", f'needs {GIVEN[kind]} for kind = "{kind}"')
        if not (self.is_noise or self.is_free_count) and self.graph.order > MOST_INPUTS:
            with table.at("kind"):
                raise TooLarge(
                    f"a study takes a mechanism on at most {MOST_INPUTS:,} inputs, "
                    f"got {self.graph.order:,}"
                )
        if kind == "matrix":
            return NamedMechanism(self._fitted("rows", self._matrix()))
        if kind == "file":
            path = table.file.parent / table.get("file")
            with table.at("file"):
                channel = read_channel(path)
            fitted = self._fitted("file", channel)
            return NamedMechanism(fitted, f"the matrix in {path.name}", (path,))
        if kind == "python":
            name = table.get("function")
            with table.at("function"):
                folder = table.file.parent
                program, source = load_function(name, folder, allow_code=self.allow_code)
                channel = called(name, program, self.graph)
            return NamedMechanism(channel, f"the program {name}", (source,))
        return self._best() if kind == BEST else self._construction(constructions()[kind])

    def _matrix(self) -> Channel:
        rows = self.table.get("rows")
        inputs = None if isinstance(rows, dict) else self.graph.vertices
        with self.table.at("rows"):
            return Channel(rows, inputs, self.table.get("outputs"))

    def _fitted(self, key: str, channel: Channel) -> Channel:
        """Return the channel with its inputs, which may be texts, named as the graph does."""
        named = {str(vertex): vertex for vertex in self.graph.vertices}
        with self.table.at(key):
            labels = [x if x in named.values() else named.get(str(x), x) for x in channel.inputs]
            fitted = Channel(channel, labels)
            try:
                alignment(self.graph.vertices, fitted.inputs, "the mechanism and the policy")
            except Mismatch as wrong:
                few = ", ".join(map(repr, self.graph.vertices[:5]))
                more = ", …" if self.graph.order > 5 else ""
                raise Mismatch(f"{wrong}; the inputs must be {few}{more}") from None
            return fitted

    def _construction(self, one: Construction) -> NamedMechanism:
        table, metric = self.table, self.study.policy.metric
        given: dict[str, Any] = self._keys(one)
        if one.has_ratio:
            given["ratio"] = (ratio := self._ratio(one.name)).lower
            if one.built_on == "values" and metric is not None:
                # The nearest two are told apart no better than allowed.
                given["ratio"] = ratio.over(metric.nearest, metric.nearest).lower
        if metric is not None and not one.has_distances:
            known = ", ".join(f'"{each}"' for each in WITH_DISTANCES)
            raise table.wrong(
                "kind", f'is one of {known} with a metric, or given; got "{one.name}"'
            )
        if one.is_noise:
            query: Any = self.study.query
            usual = widest_gap(self.study.policy, query)[0] if self.is_noise else 1
            given["sensitivity"] = table.whole("sensitivity", max(1, usual), MOST_STEPS)
        if one.built_on == "beliefs":
            given["prior"] = self.study.prior
        with table.at(one.keys[0].name if len(one.keys) == 1 else "kind"):
            made = one.make(*self._built_on(one), **given)
            if self.is_free_count:
                return NamedMechanism(PerturbedCount(made, self.study.policy.records))
            if one.built_on == "counts":
                return NamedMechanism(made.shown_of(self.graph.vertices), made.name)
            return NamedMechanism(made, one.called, note=one.note)

    def _ratio(self, kind: str) -> Ratio:
        """Return the ratio that a construction is built for."""
        source = self.table if {*RATIO} & {*self.table.content} else self.question
        ratio = source.ratio()
        if ratio is None:
            raise self.table.wrong("", f'needs epsilon or ratio for kind = "{kind}"')
        return ratio

    def _keys(self, one: Construction) -> dict[str, Any]:
        """Return what the own keys of a construction say."""
        table = self.table
        listed: Any = () if one.built_on != "counts" or self.is_free_count else self.graph.vertices
        if not all(isinstance(value, int) and value >= 0 for value in listed):
            raise table.wrong("kind", f'"{one.name}" is for counts; say query = "count"')
        found = {key.name: _read(table, key) for key in one.keys if key.name in table}
        needed = [key.name for key in one.keys if key.is_needed]
        missing = [name for name in needed if name not in found]
        if one.is_noise and one.keys and not found:
            missing = [" or ".join(key.name for key in one.keys)]
        if missing:
            raise table.wrong("", f'needs {missing[0]} for kind = "{one.name}"')
        return found

    def _built_on(self, one: Construction) -> tuple[Any, ...]:
        """Return what a construction is built on."""
        if one.built_on in ("numbers", "counts"):
            return ()
        if one.built_on == "beliefs":
            return (self.graph.vertices,)
        if one.built_on == "line":
            return (self._line(),)
        if one.built_on == "plane":
            return self._plane(one.name)
        return (self.graph if one.built_on == "graph" else self.graph.vertices,)

    def _line(self) -> Any:
        """Return the values, or the answers of a sum, in a line."""
        policy = self.study.policy
        query: Any = self.study.query
        if not self.is_noise and not self.has_cells:
            return self.graph.vertices
        weights = [w for v in policy.secrets.vertices for w in whole_weights(query, v)]
        least, most = policy.records * min(weights), policy.records * max(weights)
        if most - least >= allowed(MOST_ANSWERS):
            raise TooLarge(
                f"it is cut off at the ends of at most {allowed(MOST_ANSWERS):,} answers, got "
                f'{most - least + 1:,}; "geometric" is not cut off'
            )
        return range(least, most + 1)

    def _plane(self, kind: str) -> tuple[Any, ...]:
        """Return the rows and the columns of a grid."""
        points: Any = self.graph.vertices
        metric, wrong = self.study.policy.metric, self.table.wrong
        grid = 'secrets = "grid"' if metric is None else "sides = [4, 4], a grid"
        if not all(isinstance(point, tuple) and len(point) == 2 for point in points):
            raise wrong("kind", f'"{kind}" needs {grid} with two sides')
        sides = ({p[axis] for p in points} for axis in (0, 1))
        rows, columns = (
            sorted(side)
            if all(isinstance(at, int) for at in side)
            else list(dict.fromkeys(p[axis] for p in points))
            for axis, side in enumerate(sides)
        )
        steps = all(side == list(range(len(side))) for side in (rows, columns))
        if metric is not None and (not steps or len(rows) * len(columns) != len(points)):
            raise wrong("kind", f'"{kind}" needs {grid} with steps of 1')
        return rows, columns

    def _best(self) -> NamedMechanism:
        ratio = self._ratio(BEST)
        with self.table.at("kind"):
            if self.study.aim is None:
                raise TooLarge(f"the best of {self.graph.order:,} inputs takes too long")
            return NamedMechanism(
                optimal_mechanism(self.study.apart, self.study.input_prior, self.study.aim, ratio)
            )


def _read(table: StudyTable, key: Key) -> Any:
    """Return what a construction's own key says."""
    if key.kind == "whole number":
        return table.whole(key.name, 1, LARGEST)
    with table.at(key.name):
        if key.kind == "list of tables":
            return [_changes(table, key.name, row) for row in table.get(key.name)]
        if key.kind == "number":
            rational(table.get(key.name))
        return table.get(key.name)


def _changes(table: StudyTable, key: str, row: dict[str, Any]) -> dict[int, Any]:
    """Return a row of a ptable, whose keys are texts in a file."""
    try:
        return {int(change): p for change, p in COUNTS.read(row, key, table.wrong).items()}
    except ValueError as wrong:
        raise InvalidInput(f"has whole numbers as keys, got {shortened(list(row))}") from wrong


# --- studies ---------------------------------------------------------------------------------


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
