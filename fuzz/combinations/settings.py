"""What a cell of the table says, in Python and as a study: a policy, a mechanism, a query.

Every option is a name. What it stands for is said twice: as the library's object, and as plain
literals (values, which are secret, which databases are possible), from which the independent route
enumerates. A ``variant`` chooses the numbers: ratios, priors, counts, rows.
"""

import math
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import leaktight as lt
from fuzz.combinations import noises
from leaktight.channels import AllOrNothing, Parallel, Shuffled
from leaktight.channels.all_or_nothing import NO_ANSWER, Answering
from leaktight.errors import LeaktightError
from leaktight.mechanisms import (
    ClampedLaplace,
    DiscreteGaussian,
    ExponentialMechanism,
    GraphExponential,
    PerturbedCount,
    PlanarGeometric,
    PlanarLaplace,
    RoundedLaplace,
    StaircaseNoise,
    TightConstraints,
)
from leaktight.mechanisms.disclosure import CellKey, Rounding, Suppression, TopCoding, swapping
from leaktight.mechanisms.graph_exponential import NormalisedExponential
from leaktight.mechanisms.registry import constructions
from leaktight.policies import (
    Box,
    Circle,
    HistogramQuery,
    Interval,
    MostCommonQuery,
    SumQuery,
    counting_query,
    margin,
)
from leaktight.policies.real import Tree
from leaktight.studies.keys import mechanism_kinds, sections
from leaktight.studies.reading import NOISY, study_of

Document = dict[str, Any]

VARIANTS = 8
"""How many choices of numbers each cell has."""

SIZES = (1, 3, 64, 65, 10**6)

MOST_SEEN = 130
"""The most inputs of a mechanism that is found by a linear program, or drawn row by row."""


# --- spaces ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Space:
    """The values of a record, and which are secrets: pairs, or how far apart all are."""

    values: tuple[Any, ...]
    made: Any
    """The secret graph, metric or real values."""
    document: Document | None = None
    """How a study says it."""
    pairs: frozenset[frozenset[Hashable]] | None = None
    lengths: Mapping[tuple[Any, Any], float] | None = None


def _joined(values: Sequence[Any], fit: Callable[[int, int], bool]) -> frozenset[frozenset[Any]]:
    n = len(values)
    return frozenset(
        frozenset((values[i], values[j])) for i in range(n) for j in range(i) if fit(j, i)
    )


NUMBERS = (
    [0, 1, 2],
    [0, 1, 2],
    ["a", "b", "c"],
    [1, 2, 4],
    [0, 1, 2],
    [-1, 0, 3],
    [0, 2, 5],
    [1, 3],
)
"""The values of a record that are listed, one list for each variant."""


def _complete(variant: int) -> Space:
    v = NUMBERS[variant]
    document = {"values": v, "secrets": "complete"}
    return Space(tuple(v), lt.SecretGraph.complete(v), document, _joined(v, lambda i, j: True))


def _line(variant: int) -> Space:
    v = NUMBERS[variant]
    pairs = _joined(v, lambda i, j: j == i + 1)
    return Space(tuple(v), lt.SecretGraph.line(v), {"values": v, "secrets": "line"}, pairs)


def _cycle(variant: int) -> Space:
    v = [0, 1, 2, 3] if variant % 2 else [0, 1, 2]
    pairs = _joined(v, lambda i, j: j - i in (1, len(v) - 1))
    return Space(tuple(v), lt.SecretGraph.cycle(v), {"values": v, "secrets": "cycle"}, pairs)


def _threshold(variant: int) -> Space:
    v = [0, 1, 3] if variant % 2 else [0, 1, 2, 3]
    pairs = _joined(v, lambda i, j: abs(v[i] - v[j]) <= 2)
    document = {"values": v, "secrets": "threshold", "distance": 2}
    return Space(tuple(v), lt.SecretGraph.threshold(v, distance=2), document, pairs)


def _partition(variant: int) -> Space:
    groups = [[0, 1], [2]] if variant % 2 else [[0, 1], [2, 3]]
    v = [x for group in groups for x in group]
    pairs = _joined(v, lambda i, j: i // 2 == j // 2)
    document = {"secrets": "partition", "groups": groups}
    return Space(tuple(v), lt.SecretGraph.partition(groups), document, pairs)


def _grid(variant: int) -> Space:
    v = list(product(range(2), range(2)))
    pairs = _joined(v, lambda i, j: sum(abs(a - b) for a, b in zip(v[i], v[j], strict=True)) == 1)
    return Space(tuple(v), lt.SecretGraph.grid(2, 2), {"secrets": "grid", "sides": [2, 2]}, pairs)


def _edges(variant: int) -> Space:
    v, edges = NUMBERS[variant], [[0, 1]] if variant % 2 else [[0, 2], [1, 2]]
    edges = edges if len(v) > 2 else [[0, 1]]
    named = [[v[i], v[j]] for i, j in edges]
    pairs = _joined(v, lambda i, j: [i, j] in edges)
    made = lt.SecretGraph.from_edges(v, [(a, b) for a, b in named])
    return Space(tuple(v), made, {"values": v, "secrets": "edges", "edges": named}, pairs)


PARTS = {"sex": ["f", "m"], "age": ["young", "old"]}


def _attributes(differ: str) -> Callable[[int], Space]:
    def made(variant: int) -> Space:
        v = list(product(*PARTS.values()))
        parts = [lt.SecretGraph.complete(part) for part in PARTS.values()]
        join = lt.SecretGraph.product if differ == "one" else lt.SecretGraph.strong_product
        pairs = _joined(v, lambda i, j: differ == "all" or i + j != 3)  # 0,3 and 1,2 differ in both
        document = {"attributes": PARTS, "differ": differ}
        return Space(tuple(v), join(*parts), document, pairs)

    return made


PLANE = ([[0, 0], [0, 1], [3, 4]], [[0, 0], [1, 1], [1, 0]], [[0, 0], [5, 0], [5, 12], [1, 1]])
GLOBE = (
    [[47.07, 15.44], [48.21, 16.37]],
    [[0, 0], [0, 0.01], [0.01, 0]],
    [[60, 5], [60.1, 5], [60, 6]],
)
"""Points of a plane, and of the globe in degrees."""


def _points(kind: str, far: Callable[[Any, Any], float]) -> Callable[[int], Space]:
    def made(variant: int) -> Space:
        given: Any = (GLOBE if kind == "haversine" else PLANE)[variant % 3]
        points: list[tuple[Any, ...]] = [tuple(p) for p in given]
        document: Document = {"metric": kind, "points": given}
        if kind != "haversine" and variant % 4 == 3:
            points, document = list(product(range(2), range(2))), {"metric": kind, "sides": [2, 2]}
        lengths = {(a, b): far(a, b) for a in points for b in points}
        return Space(tuple(points), getattr(lt.Metric, kind)(points), document, None, lengths)

    return made


def _on_globe(a: Any, b: Any) -> float:
    north, east, to_north, to_east = map(math.radians, (*a, *b))
    half = math.sin((to_north - north) / 2) ** 2
    half += math.cos(north) * math.cos(to_north) * math.sin((to_east - east) / 2) ** 2
    return 2 * 6371.0088 * math.asin(math.sqrt(half))


def _matrix(variant: int) -> Space:
    v, (a, b, c) = ["a", "b", "c"], [(1, 2, 1), (2, 3, 2), (1, 1, 2)][variant % 3]
    table = [[0, a, b], [a, 0, c], [b, c, 0]]
    lengths = {(v[i], v[j]): float(table[i][j]) for i in range(3) for j in range(3)}
    document = {"metric": "matrix", "values": v, "distances": table}
    return Space(tuple(v), lt.Metric.from_table(table, v), document, None, lengths)


def _roads(variant: int) -> Space:
    v, (a, b) = ["a", "b", "c"], [(1, 2), (2, 2), (3, 1)][variant % 3]
    edges = [["a", "b", a], ["b", "c", b]]
    lengths = {(x, x): 0.0 for x in v}
    for x, y, far in (("a", "b", a), ("b", "c", b), ("a", "c", a + b)):
        lengths[x, y] = lengths[y, x] = float(far)
    made = lt.Metric.from_edges(v, [("a", "b", a), ("b", "c", b)])
    document = {"metric": "edges", "values": v, "edges": edges}
    return Space(tuple(v), made, document, None, lengths)


def _real(kind: str) -> Callable[[int], Space]:
    def made(variant: int) -> Space:
        kinds: dict[str, Any] = {
            "interval": Interval(0, 2),
            "circle": Circle(6),
            "tree": Tree([("mouth", "fork", 5), ("fork", "left", 3), ("fork", "right", 3)]),
            "box": Box(Interval(0, 1), Circle(3)),
        }
        return Space((Fraction(0), Fraction(1), Fraction(2)), kinds[kind])

    return made


GRAPHS: dict[str, Callable[[int], Space]] = {
    "complete": _complete, "line": _line, "cycle": _cycle, "threshold": _threshold,
    "partition": _partition, "grid": _grid, "edges": _edges,
    "attributes": _attributes("one"), "attributes, all": _attributes("all"),
}  # fmt: skip
DISTANCES: dict[str, Callable[[int], Space]] = {
    "euclidean": _points("euclidean", math.dist),
    "manhattan": _points("manhattan", lambda a, b: abs(a[0] - b[0]) + abs(a[1] - b[1])),
    "haversine": _points("haversine", _on_globe),
    "matrix": _matrix, "roads": _roads,
}  # fmt: skip
REAL = {kind: _real(kind) for kind in ("interval", "circle", "tree", "box")}
SPACES = GRAPHS | DISTANCES | REAL
POLICY_KEYS = sections()["policy"].keys
SECRETS, METRICS = (POLICY_KEYS[key].choices for key in ("secrets", "metric"))
QUERIES = sections()["mechanism"].keys["query"].choices

SPACE_OF = dict.fromkeys(SECRETS, "") | {kind: kind for kind in GRAPHS if kind in SECRETS}
METRIC_OF = dict.fromkeys(METRICS, "") | {k: k for k in DISTANCES if k in METRICS}
METRIC_OF["edges"] = "roads"
"""The spaces of what a study calls its secrets and its metrics: none may be missing."""


# --- what is public ----------------------------------------------------------------------------

PUBLIC = (
    "nothing", "named count", "published count", "named and published", "range", "named margin",
    "published margin", "count and margin", "predicate", "databases", "values per record",
    "count and values", "absent", "absent and count",
)  # fmt: skip
LISTED = ("predicate", "databases", "values per record", "count and values")
"""What is said record by record, or database by database."""

COUNTED = ("named count", "published count", "named and published", "range", "named margin",
           "published margin", "count and margin", "absent and count")  # fmt: skip
MARGINS = ("named margin", "published margin", "count and margin")
IN_A_STUDY = {*PUBLIC} - {
    "predicate", "values per record", "count and values", "published count", "named and published",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Counted:
    """How many records have one of some values: from a least to a most number, or published."""

    values: tuple[Any, ...]
    least: int = 0
    most: int = 0
    told: bool = False

    def of(self, database: Sequence[Any]) -> int:
        """Return the number in a database."""
        return sum(value in self.values for value in database)


# --- a cell ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Setting:
    """A cell but for its question: names of options, and what they stand for."""

    space_name: str
    public: str
    mechanism_name: str
    query_name: str
    records: int
    variant: int

    # --- numbers

    @property
    def random(self) -> random.Random:
        """Choices that are the same whenever the cell is tried."""
        return random.Random(f"{self.space_name} {self.public} {self.variant}")

    @property
    def ratio(self) -> str | None:
        """The λ that is asked for, if it is one."""
        return (None, "2", "3/2", "10", "2", None, "4", "9/8")[self.variant]

    @property
    def epsilon(self) -> str | None:
        """The ε that is asked for, if it is one."""
        return "1" if self.variant == 0 else "1/3" if self.variant == 5 else None

    @property
    def asked(self) -> dict[str, Any]:
        """What must be kept, as it is given to a function."""
        return {"ratio": self.ratio} if self.ratio else {"epsilon": self.epsilon or "1"}

    @property
    def least_ratio(self) -> Fraction:
        """A number just below the λ that is asked for."""
        return lt.Ratio.of(self.ratio, self.epsilon).lower

    @property
    def most_ratio(self) -> Fraction:
        """A number just above the λ that is asked for."""
        return lt.Ratio.of(self.ratio, self.epsilon).upper

    @cached_property
    def space(self) -> Space:
        """The values and which are secrets; with the value of who is absent, if that is one."""
        space = SPACES[self.space_name](self.variant)
        if not self.public.startswith("absent"):
            return space
        assert space.pairs is not None
        away = {frozenset((value, "absent")) for value in space.values}
        return Space(
            (*space.values, "absent"), space.made.with_absent("absent"),
            space.document and space.document | {"absent": "absent"}, space.pairs | away,
        )  # fmt: skip

    @property
    def absent(self) -> str | None:
        """The value of a record that is not there."""
        return "absent" if self.public.startswith("absent") else None

    @property
    def weights(self) -> list[int]:
        """What is believed of a record's value, up to a factor; even for the first variants."""
        n = len(self.space.values)
        if self.variant < 3:
            return [1] * n
        if self.variant == 6:
            return [18, *[1] * (n - 1)]
        drawn = self.random.choices(range(4), k=n)
        return [drawn[0] + 1, drawn[1] + 1, *drawn[2:]]

    @property
    def prior(self) -> dict[Any, Fraction]:
        """The chances of a record's values."""
        whole = sum(self.weights)
        return {v: Fraction(w, whole) for v, w in zip(self.space.values, self.weights, strict=True)}

    # --- what is public

    @cached_property
    def counts(self) -> tuple[Counted, ...]:
        """The counts that are public."""
        v, n = self.space.values, self.records
        some = {0: 0, 1: n // 3, 2: n, 3: 1}.get(self.variant % 4, 0)
        if self.public in ("named count", "count and values", "absent and count"):
            return (Counted(v[:1], some, some),)
        if self.public == "published count":
            return (Counted(v[: 1 + self.variant % 2], told=True),)
        if self.public == "named and published":
            return (Counted(v[1:2], some, some), Counted(v[:1], told=True))
        if self.public == "range":
            return (Counted(v[:1], n // 3, max(n // 3, n - 1)),)
        if self.public in MARGINS:
            parts = list(dict.fromkeys(value[0] for value in v))
            each = [tuple(value for value in v if value[0] == part) for part in parts]
            if self.public != "named margin":
                named = [Counted(v[1:2], some, some)] if self.public == "count and margin" else []
                return (*named, *(Counted(part, told=True) for part in each))
            sizes = [some, n - some, *[0] * len(each)]
            return tuple(Counted(part, k, k) for part, k in zip(each, sizes, strict=False))
        return ()

    @property
    def domains(self) -> list[tuple[Any, ...]]:
        """The values that each record may have."""
        v, n = self.space.values, self.records
        if self.public not in ("values per record", "count and values"):
            return [v] * n
        return [v, v[: max(1, len(v) - 1)], *[v] * n][:n]

    @cached_property
    def listed(self) -> list[tuple[Any, ...]]:
        """The databases that are listed, if they are."""
        v, n = self.space.values, self.records
        if n > 3:
            return [
                (v[0],) * n,
                (v[1], *(v[0],) * (n - 1)),
                (v[1],) * n,
                (*v[:2], *(v[-1],) * (n - 2)),
            ]
        every = list(product(v, repeat=n))
        if self.variant == 1:  # all change together, or nobody does
            return [(value,) * n for value in v]
        return sorted(self.random.sample(every, min(len(every), 5)), key=every.index)

    def predicate(self, database: Any) -> bool:
        """Say whether a database is possible where a predicate says so."""
        whole = database if self.records > 1 else (database,)
        return sum(value == self.space.values[0] for value in whole) != self.variant % 2

    def is_possible(self, database: tuple[Any, ...]) -> bool:
        """Say whether a database agrees with what is public, by definition."""
        if self.public == "databases":
            return database in self.listed
        if self.public == "predicate":
            return self.predicate(database if self.records > 1 else database[0])
        if any(v not in own for v, own in zip(database, self.domains, strict=True)):
            return False
        return all(c.told or c.least <= c.of(database) <= c.most for c in self.counts)

    @property
    def is_symmetric(self) -> bool:
        """Whether all records are alike, so that only how many have each value matters."""
        return self.public not in LISTED

    @property
    def is_independent(self) -> bool:
        """Whether nothing ties the records to each other."""
        return self.public in ("nothing", "values per record", "absent")

    @cached_property
    def policy(self) -> Any:
        """The policy, or what stands for it: real values are none."""
        made, n = self.space.made, self.records
        if self.space_name in REAL and n == 1 and self.public == "nothing":
            return made
        given: dict[str, Any] = {}
        if self.public in MARGINS:
            named = self.public == "named margin"
            numbers = {c.values[0][0]: c.least for c in self.counts} if named else None
            given["constraints"] = [
                *(lt.count(c.values, equals=c.least) for c in self.counts if not (named or c.told)),
                *margin(self.space.values, 0, numbers),
            ]
        elif self.counts:
            given["constraints"] = [
                lt.count(c.values, published=True)
                if c.told
                else lt.count(c.values, at_least=c.least, at_most=c.most)
                for c in self.counts
            ]
        if self.public in ("values per record", "count and values"):
            given["values"] = self.domains
        if self.public == "predicate":
            given["predicate"] = self.predicate
        if self.public == "databases":
            given["databases"] = [d[0] for d in self.listed] if n == 1 else self.listed
        return lt.Policy(made, n, **given)

    # --- what is asked of the data

    @property
    def counted(self) -> list[Any]:
        """The values that a count counts."""
        there = [value for value in self.space.values if value != "absent"]
        return there[1:2] if self.variant % 2 else [there[0], there[-1]]

    @cached_property
    def query(self) -> Any:
        """The query; None if a mechanism sees records or databases."""
        cells = tuple(value for value in self.space.values if value != "absent")
        return {
            "count": counting_query(self.counted),
            "sum": SumQuery(),
            "histogram": HistogramQuery(cells[: 2 + self.variant % 2]),
            "most common": MostCommonQuery(),
            "a function": self.own_query,
            "a table": {},
        }.get(self.query_name)

    @property
    def asks(self) -> Any:
        """The query as it is given: a table of answers is made where databases are few."""
        if self.query_name != "a table":
            return self.query
        return {d: self.own_query(d) for d in self.policy.databases()}

    def own_query(self, database: Any) -> int:
        """Answer a query of a user's own: how many different values there are."""
        return len(set(database)) if self.records > 1 else int(database == self.space.values[0])

    def weight(self, value: Any) -> Any:
        """Return what a value adds to a count, a sum or a histogram."""
        if self.query_name == "count":
            return int(value in self.counted)
        if self.query_name == "sum":
            return value
        assert isinstance(self.query, HistogramQuery)
        return tuple(int(cell == value) for cell in self.query.cells)

    def answer(self, database: tuple[Any, ...]) -> Any:
        """Return what the mechanism sees of a database, by definition."""
        match self.query_name:
            case "count" | "sum":
                return sum(self.weight(value) for value in database)
            case "histogram":
                return tuple(map(sum, zip(*map(self.weight, database), strict=True)))
            case "most common":
                times = {value: database.count(value) for value in self.space.values}
                first = [value for value, k in times.items() if k == max(times.values())]
                return first[0] if len(first) == 1 else "tie"
            case "a function" | "a table":
                return self.own_query(database if self.records > 1 else database[0])
        return database if self.records > 1 else database[0]

    @property
    def on(self) -> str:
        """What the mechanism sees."""
        return {"each record": "record", "the database": "database"}.get(self.query_name, "answer")

    @property
    def is_sum(self) -> bool:
        """Whether the query adds up numbers or counts."""
        return self.query_name in ("count", "sum", "histogram")

    @property
    def is_answered(self) -> bool:
        """Whether the query has answers: a sum needs numbers."""
        return self.query_name != "sum" or all(isinstance(v, int) for v in self.space.values)

    # --- the mechanism

    @cached_property
    def draft(self) -> lt.Study:
        """The study without its mechanism."""
        return self.study_with(None)

    @cached_property
    def seen(self) -> Any:
        """What the mechanism sees, one by one."""
        if self.space_name in REAL:
            return lt.SecretGraph.line(self.space.values)
        return self.draft.graph

    @cached_property
    def mechanism(self) -> Any:
        """The mechanism; None if there is none."""
        if self.mechanism_name not in MECHANISMS:  # a kind that is new: as a study makes it
            return self.read().mechanism
        return MECHANISMS[self.mechanism_name](self)

    def read(self) -> lt.Study:
        """Return the study as it is read from its document."""
        return study_of(self.document, self.folder / "study.toml", allow_code=True)

    @property
    def study(self) -> lt.Study:
        """The study in Python."""
        return self.study_with(self.mechanism)

    def study_with(self, mechanism: Any) -> lt.Study:
        """Return the study of a mechanism."""
        return lt.Study(
            self.policy, mechanism, query=self.asks, on=self.on, prior=self.prior,
            observations=2, absent=self.absent, below="9/10", **self.asked,
        )  # fmt: skip

    @property
    def document(self) -> Document:
        """The study as a page has it, and a file."""
        assert self.space.document is not None
        policy = self.space.document | {"records": self.records}
        if self.public == "databases":
            rows = [list(map(_plain, d)) for d in self.listed]
            policy["databases"] = [row[0] for row in rows] if self.records == 1 else rows
        elif self.public == "named margin":
            policy["margins"] = {"sex": {c.values[0][0]: c.least for c in self.counts}}
        elif self.counts:
            policy["constraints"] = [
                {"values": list(map(_plain, c.values)), "at_least": c.least, "at_most": c.most}
                for c in self.counts if not c.told
            ]  # fmt: skip
            if self.public in MARGINS:
                policy["margins"] = ["sex"]
        chances = {_text(value): str(p) for value, p in self.prior.items()}
        question: Document = self.asked | {"observations": 2, "prior": chances, "below": "9/10"}
        found: Document = {"title": "A cell", "policy": policy, "question": question}
        if self.mechanism_name == "none":
            return found
        mechanism: Document = {"kind": self.mechanism_name}
        if self.on != "answer":
            mechanism["on"] = self.on
        else:
            mechanism["query"] = self.query_name
            if self.query_name == "count":
                mechanism["of"] = list(map(_plain, self.counted))
            elif self.query_name == "histogram":
                mechanism["of"] = list(map(_plain, self.query.cells))
        if self.mechanism_name == "matrix":
            mechanism["rows"] = [list(map(str, row)) for row in self.rows(len(self.seen.vertices))]
        if self.mechanism_name in NOISY:
            mechanism["sensitivity"] = 1
        if self.mechanism_name == "discrete gaussian":
            mechanism["rho"] = "1/2"
        mechanism |= DISCLOSED.get(self.mechanism_name, {})
        if self.mechanism_name == "file":
            mechanism["file"] = self.written("cell.csv").name
        if self.mechanism_name == "python":
            mechanism["function"] = f"{self.written('cell.py').stem}:program"
        return found | {"mechanism": mechanism}

    @property
    def folder(self) -> Path:
        """Where the files of a study are."""
        if not _FOLDERS:
            _FOLDERS.append(TemporaryDirectory())
        return Path(_FOLDERS[0].name)

    def written(self, name: str) -> Path:
        """Return a file that a study names."""
        path = self.folder / name
        if name == "cell.py":
            path.write_text(
                "from leaktight import Chance\n\n\ndef program(x):\n    return x == 0\n"
            )
        else:
            lt.write_channel(_of_rows(self, self.seen.vertices), path)
        return path

    def rows(self, inputs: int, outputs: int = 3) -> list[list[Fraction]]:
        """Return the rows of a matrix: all positive for most variants."""
        drawn, least = self.random, 0 if self.variant == 4 else 1
        table = [[drawn.randrange(least, 6) for _ in range(outputs)] for _ in range(inputs)]
        return [[Fraction(w + (not any(row)), sum(row) or outputs) for w in row] for row in table]


_FOLDERS: list[TemporaryDirectory[str]] = []


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


# --- mechanisms --------------------------------------------------------------------------------


def _few(cell: Setting) -> Any:
    """Return what the mechanism sees if it is not much: nobody wants to wait for so many rows."""
    if cell.seen.order > MOST_SEEN:
        raise NotTried(f"{cell.seen.order:,} inputs take long")
    return cell.seen


class NotTried(LeaktightError):
    """A cell that would take long by its size alone."""


def _of_rows(cell: Setting, inputs: Sequence[Any]) -> lt.Channel:
    if len(inputs) > MOST_SEEN:
        raise NotTried(f"{len(inputs):,} inputs take long")
    rows = cell.rows(len(inputs))
    return lt.Channel([list(map(str, row)) for row in rows], list(inputs), ["x", "y", "z"])


def _of_floats(cell: Setting) -> lt.Channel:
    """Return a matrix of floats that sum to 1 exactly, so that they mean what they are."""
    drawn = [cell.random.choices((1, 2, 3), k=2) for _ in range(_few(cell).order)]
    rows = [[a / 8, b / 8, (8 - a - b) / 8] for a, b in drawn]
    return lt.Channel(rows, cell.seen.vertices, ["x", "y", "z"])


def _line_of(cell: Setting) -> Sequence[Any]:
    """Return the places of noise: all whole numbers that an answer can be, or what is seen."""
    if cell.is_sum:
        weights = [w for v in cell.space.values for w in _flat(cell.weight(v))]
        if all(isinstance(w, int) for w in weights):
            return range(cell.records * min(weights), cell.records * max(weights) + 1)
    vertices: Sequence[Any] = cell.seen.vertices
    return vertices


def _flat(weight: Any) -> tuple[Any, ...]:
    return weight if isinstance(weight, tuple) else (weight,)


def _own(made: Callable[..., noises.Own]) -> Callable[[Setting], Any]:
    def own(cell: Setting) -> Any:
        places = _line_of(cell)
        if not all(isinstance(z, int) for z in places) or len(places) > 1000:
            raise NotTried("noise of one's own is on a few whole numbers")
        kind = noises.OwnAdditive if cell.variant % 2 else noises.Own
        return made(min(places), max(places), kind)

    return own


def _best(cell: Setting) -> Any:
    _few(cell)
    draft = cell.draft
    assert draft.aim is not None
    return lt.optimal_mechanism(draft.apart, draft.input_prior, draft.aim, **cell.asked)


def _alone(cell: Setting) -> lt.Channel:
    return _of_rows(cell, cell.space.values)


def _score(cell: Setting) -> Any:
    vertices = list(_few(cell).vertices)
    place = {v: i for i, v in enumerate(vertices)}
    scores = [[-abs(place[x] - place[w]) for w in vertices] for x in vertices]
    return ExponentialMechanism(cell.seen, vertices, scores, **cell.asked)


def _on_values(make: Callable[..., Any]) -> Callable[[Setting], Any]:
    def made(cell: Setting) -> Any:
        ratio = lt.Ratio.of(cell.ratio, cell.epsilon)
        metric = None if cell.space_name in REAL else cell.policy.metric
        if metric is not None:  # the nearest two are told apart no better than allowed
            ratio = ratio.over(metric.nearest, metric.nearest)
        return make(_few(cell).vertices, ratio=ratio.lower)

    return made


def _together(cell: Setting) -> AllOrNothing:
    table = cell.rows(len(cell.space.values))
    rows = [[*(p / 2 for p in row), Fraction(1, 2)] for row in table]
    outputs = ["x", "y", "z", NO_ANSWER]
    channel = lt.Channel([list(map(str, row)) for row in rows], list(cell.space.values), outputs)
    instead = ("x",) * len(cell.space.values)
    return AllOrNothing(((Answering(channel, instead), cell.records),), Fraction(1, 2))


def _side_by_side(cell: Setting) -> Parallel:
    one = _alone(cell)
    if cell.records == 1 or cell.variant % 2:
        return Parallel(((one, cell.records),))
    return Parallel(((one, cell.records - 1), (lt.Channel.identity(cell.space.values), 1)))


def _on_plane(kind: Any) -> Callable[[Setting], Any]:
    """Return what makes noise on the grid that all points lie on; on four of them if none do."""

    def made(cell: Setting) -> Any:
        points = _few(cell).vertices
        sides: tuple[Any, ...] = ([0, 1], [0, 1])
        plane = all(isinstance(point, tuple) and len(point) == 2 for point in points)
        if plane and all(isinstance(at, int) for point in points for at in point):
            sides = tuple(sorted({point[axis] for point in points}) for axis in (0, 1))
        return kind(*sides, **cell.asked)

    return made


MOST_UNDER_A_CURVE = 8
"""The most inputs for which the best mechanism under a curve is looked for."""


def _best_by(**more: Any) -> Callable[[Setting], Any]:
    """Return what makes the best mechanism for another promise than ε alone."""

    def made(cell: Setting) -> Any:
        if len(_few(cell).vertices) > MOST_UNDER_A_CURVE:
            raise NotTried("a program over all mechanisms that keep a curve takes minutes")
        draft, asked = cell.draft, cell.asked | more if "delta" in more else more
        assert draft.aim is not None
        return lt.optimal_mechanism(draft.apart, draft.input_prior, draft.aim, **asked)

    return made


def _on_counts(perturbation: Any) -> Callable[[Setting], lt.Channel]:
    """Return what makes the channel of disclosure control on counts."""

    def made(cell: Setting) -> lt.Channel:
        counts = list(_few(cell).vertices)
        if not all(isinstance(k, int) and k >= 0 for k in counts):
            raise NotTried("only counts are rounded and suppressed")
        rows = [perturbation.row(k) for k in counts]
        outputs = list(dict.fromkeys(z for row in rows for z in row))
        return lt.Channel([[row.get(z, 0) for z in outputs] for row in rows], counts, outputs)

    return made


DISCLOSED: dict[str, Document] = {
    "rounding": {"base": 2, "random": True},
    "suppression": {"at_most": 1},
    "cell key": {"ptable": [{"0": 1}, {"-1": "1/2", "1": "1/2"}]},
    "top-coding": {"most": 1},
    "swapping": {"share": "1/2"},
}
"""What a study says of disclosure control."""

MECHANISMS: dict[str, Callable[[Setting], Any]] = {
    "none": lambda cell: None,
    "matrix": lambda cell: _of_rows(cell, cell.seen.vertices),
    "randomised response": _on_values(lt.RandomizedResponse),
    "geometric": lambda cell: lt.GeometricNoise(**cell.asked),
    "truncated geometric": lambda cell: lt.TruncatedGeometric(_line_of(cell), **cell.asked),
    "rounded laplace": lambda cell: RoundedLaplace(_line_of(cell), **cell.asked),
    "uniform noise": _own(noises.uniform),
    "staircase noise": _own(noises.staircase),
    "staircase": lambda cell: StaircaseNoise(**cell.asked),
    "discrete gaussian": lambda cell: DiscreteGaussian(rho="1/2"),
    "rounding": _on_counts(Rounding(2, random=True)),
    "suppression": _on_counts(Suppression(1)),
    "cell key": _on_counts(CellKey([{0: 1}, {-1: "1/2", 1: "1/2"}])),
    "top-coding": _on_counts(TopCoding(1)),
    "perturbed count": lambda cell: PerturbedCount(Suppression(1, Rounding(2)), cell.records),
    "swapping": lambda cell: swapping(_few(cell).vertices, "1/2", cell.draft.prior),
    "graph exponential": lambda cell: GraphExponential(_few(cell), **cell.asked),
    "normalised exponential": lambda cell: NormalisedExponential(_few(cell), **cell.asked),
    "exponential": _score,
    "tight constraints": lambda cell: TightConstraints(_few(cell), **cell.asked),
    "best": _best,
    "best with δ": _best_by(delta="1/9"),
    "best for ρ": _best_by(rho="1/4"),
    "planar geometric": _on_plane(PlanarGeometric),
    "planar laplace": _on_plane(PlanarLaplace),
    "clamped": lambda cell: ClampedLaplace(Interval(0, 2), cells=2, **cell.asked),
    "as it is": lambda cell: lt.Channel.identity(_few(cell).vertices),
    "matrix of floats": _of_floats,
    "repaired": lambda cell: lt.repair(_of_floats(cell), cell.draft.apart, **cell.asked),
    "file": lambda cell: lt.read_channel(cell.written("cell.csv")),
    "python": lambda cell: lt.channel_of(lambda x: x == 0, _few(cell).vertices),
    "shuffled": lambda cell: Shuffled(_alone(cell), cell.records),
    "side by side": _side_by_side,
    "together or not at all": _together,
}  # fmt: skip
MECHANISMS |= {
    name: _on_values(one.make)
    for name, one in constructions().items()
    if name not in MECHANISMS and one.has_ratio and one.built_on == "values"
}

QUERY_NAMES = ("each record", "the database", *QUERIES, "a function", "a table")
KINDS_IN_A_STUDY = ("none", *mechanism_kinds())
MECHANISM_NAMES = (*MECHANISMS, *(kind for kind in KINDS_IN_A_STUDY[1:] if kind not in MECHANISMS))
