"""Which mechanism does a study name? A construction, a matrix, a file, or a Python function."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.channels.file import read_channel
from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.exact.ratio import Ratio
from leaktight.labels import alignment
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.mechanisms.mechanism import Mechanism
from leaktight.mechanisms.registry import RATIO, Construction, constructions
from leaktight.policies.fibres import whole_weights
from leaktight.policies.graph import Graph
from leaktight.policies.symmetric_query import CountingQuery, LinearQuery
from leaktight.privacy.noise_level import widest_gap
from leaktight.studies.code import called, load_function
from leaktight.studies.disclosure import (
    COUNTS,
    DISCLOSURE,
    NOTES,
    disclosure,
    perturbed_count,
)
from leaktight.studies.disclosure import USES as DISCLOSURE_USES
from leaktight.studies.study import MOST_INPUTS, Study
from leaktight.studies.table import StudyTable, plain_number, shortened

MOST_STEPS = 10**6
"""The largest sensitivity of noise."""

MOST_ANSWERS = 10**6 + 1
"""The most answers that noise is cut off at the ends of."""

GIVEN = {"matrix": "rows", "file": "file", "python": "function"}
"""The mechanisms that are given, and the key that gives them."""

BEST = "best"
"""The mechanism that is designed for the study."""

NOISY = tuple(name for name, one in constructions().items() if one.is_noise)
"""The mechanisms that add noise to a number."""

KINDS = (BEST, *constructions(), *DISCLOSURE, *GIVEN)
WITH_DISTANCES = (BEST, *(name for name, one in constructions().items() if one.has_distances))
"""The constructions that fit distances."""

USES: dict[str, tuple[str, ...]] = {
    "rows": ("matrix",), "outputs": ("matrix",), "file": ("file",), "function": ("python",),
    "sensitivity": NOISY, **DISCLOSURE_USES,
    **dict.fromkeys(RATIO, (BEST,)),
}  # fmt: skip
"""The kinds of mechanisms that a key is for."""

for _one in constructions().values():
    for _key in _one.keys:
        USES[_key] = (*USES.get(_key, ()), _one.name)


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
        policy, query = self.study.policy, self.study.query
        if self.table.get("kind") not in NOISY or not isinstance(query, LinearQuery):
            return False
        free = not policy.is_constrained or policy.is_counted or self.study.has_many_answers
        return free and (self.has_cells or query.adds_whole_numbers(policy.secrets.vertices))

    @property
    def is_free_count(self) -> bool:
        """Whether the query is a count over records of which nothing else is known."""
        policy = self.study.policy
        free = not policy.is_constrained and policy.values is None
        return free and isinstance(self.study.query, CountingQuery)

    @property
    def has_cells(self) -> bool:
        """Whether the query is a histogram, with an answer for each cell."""
        query, values = self.study.query, self.study.policy.secrets.vertices
        return isinstance(query, LinearQuery) and isinstance(query.weight(values[0]), tuple)

    def read(self) -> NamedMechanism:
        """Return the mechanism that the table names."""
        table = self.table
        kind = table.one_of("kind", KINDS)
        for key, kinds in USES.items():
            if key in table and kind not in kinds:
                raise table.wrong(key, f'is for kind = "{kinds[0]}", got "{kind}"')
        if kind in GIVEN and GIVEN[kind] not in table:
            raise table.wrong("", f'needs {GIVEN[kind]} for kind = "{kind}"')
        if kind in COUNTS and self.is_free_count:
            with table.at("kind"):
                return NamedMechanism(perturbed_count(table, kind, self.study.policy.records))
        if not self.is_noise and self.graph.order > MOST_INPUTS:
            with table.at("kind"):
                raise TooLarge(
                    f"a study takes a mechanism on at most {MOST_INPUTS:,} inputs, "
                    f"got {self.graph.order:,}"
                )
        if kind == "matrix":
            return NamedMechanism(self._fitted("rows", self._matrix()))
        if kind == "file":
            path = table.file.parent / table.text("file", "")
            with table.at("file"):
                channel = read_channel(path)
            fitted = self._fitted("file", channel)
            return NamedMechanism(fitted, f"the matrix in {path.name}", (path,))
        if kind == "python":
            name = table.text("function", "")
            with table.at("function"):
                folder = table.file.parent
                program, source = load_function(name, folder, allow_code=self.allow_code)
                channel = called(name, program, self.graph)
            return NamedMechanism(channel, f"the program {name}", (source,))
        if kind in DISCLOSURE:
            with table.at("kind"):
                made = disclosure(table, kind, self.graph.vertices, self.study.prior)
                return NamedMechanism(*made, note=NOTES.get(kind))
        return NamedMechanism(self._construction(kind))

    def _matrix(self) -> Channel:
        rows = self.table.get("rows")
        outputs = self.table.labels("outputs") if "outputs" in self.table else None
        named = isinstance(rows, dict)
        with self.table.at("rows"):
            if not isinstance(rows, dict | list):
                raise InvalidInput(f"must be a list of rows, got {shortened(rows)}")
            for row in rows.values() if isinstance(rows, dict) else rows:
                entries = row.values() if isinstance(row, dict) else row
                if isinstance(row, dict | list) and any(isinstance(p, bool) for p in entries):
                    raise InvalidInput("must have numbers in it, got true or false")
            return Channel(rows, None if named else self.graph.vertices, outputs)

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

    def _construction(self, kind: str) -> Mechanism:
        table, metric = self.table, self.study.policy.metric
        ratio = self._ratio(kind)
        if metric is not None and kind not in WITH_DISTANCES:
            known = ", ".join(f'"{each}"' for each in WITH_DISTANCES)
            raise table.wrong("kind", f'is one of {known} with a metric, or given; got "{kind}"')
        if kind == BEST:
            return self._best(ratio)
        one = constructions()[kind]
        given: dict[str, Any] = {"ratio": ratio.lower}
        if "ratio" not in one.keys:
            given = self._numbers(one)
        if one.is_noise:
            query: Any = self.study.query
            usual = widest_gap(self.study.policy, query)[0] if self.is_noise else 1
            given["sensitivity"] = table.whole("sensitivity", max(1, usual), MOST_STEPS)
        if one.built_on == "values" and metric is not None:
            # The nearest two are told apart no better than allowed.
            given["ratio"] = ratio.over(metric.nearest, metric.nearest).lower
        with table.at("kind"):
            made: Mechanism = one.make(*self._built_on(one), **given)
            return made

    def _ratio(self, kind: str) -> Ratio:
        """Return the ratio that a construction is built for; 1 if it has another key for it."""
        source = self.table if {*RATIO} & {*self.table.content} else self.question
        ratio = source.ratio()
        if ratio is None and (kind == BEST or "ratio" in constructions()[kind].keys):
            raise self.table.wrong("", f'needs epsilon or ratio for kind = "{kind}"')
        return ratio or Ratio.of(1)

    def _numbers(self, one: Construction) -> dict[str, Any]:
        """Return the number that says how private a construction is."""
        found: dict[str, Any] = {
            key: plain_number(self.table.number(key)) for key in one.keys if key in self.table
        }
        if not found:
            raise self.table.wrong("", f'needs {" or ".join(one.keys)} for kind = "{one.name}"')
        return found

    def _built_on(self, one: Construction) -> tuple[Any, ...]:
        """Return what a construction is built on."""
        if one.built_on == "numbers":
            return ()
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
        rows, columns = (list(dict.fromkeys(p[axis] for p in points)) for axis in (0, 1))
        steps = all(side == list(range(len(side))) for side in (rows, columns))
        if metric is not None and (not steps or len(rows) * len(columns) != len(points)):
            raise wrong("kind", f'"{kind}" needs {grid} with steps of 1')
        return rows, columns

    def _best(self, ratio: Ratio) -> Mechanism:
        with self.table.at("kind"):
            if self.study.aim is None:
                raise TooLarge(f"the best of {self.graph.order:,} inputs takes too long")
            return optimal_mechanism(
                self.study.apart, self.study.input_prior, self.study.aim, ratio
            )
