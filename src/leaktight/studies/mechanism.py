"""The mechanism that a study names: a construction, a matrix, a file, or a Python function."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.channels.file import read_channel
from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.exact.numbers import rational
from leaktight.exact.ratio import Ratio
from leaktight.labels import alignment
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.mechanisms.disclosure import PerturbedCount
from leaktight.mechanisms.mechanism import Mechanism
from leaktight.mechanisms.registry import RATIO, Construction, Key, constructions
from leaktight.policies.fibres import whole_weights
from leaktight.policies.graph import Graph
from leaktight.policies.symmetric_query import CountingQuery, linear_of
from leaktight.privacy.noise_level import widest_gap
from leaktight.studies.code import called, load_function
from leaktight.studies.keys import BEST, GIVEN
from leaktight.studies.kinds import COUNTS, shortened
from leaktight.studies.study import MOST_INPUTS, Study
from leaktight.studies.table import StudyTable

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
        return free and isinstance(self.study.query, CountingQuery)

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
        if most - least >= MOST_ANSWERS:
            raise TooLarge(
                f"it is cut off at the ends of at most {MOST_ANSWERS:,} answers, got "
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
