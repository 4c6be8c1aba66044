"""The table of all combinations, and what becomes of a cell: answered, or refused in one line."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any

from fuzz.combinations.covering import Row, Rule, covering
from fuzz.combinations.questions import (
    OF_A_MECHANISM,
    OF_A_STUDY,
    QUESTIONS,
    WITHOUT_MECHANISM,
)
from fuzz.combinations.settings import (
    COUNTED,
    GRAPHS,
    IN_A_STUDY,
    KINDS_IN_A_STUDY,
    LISTED,
    MARGINS,
    MECHANISM_NAMES,
    PUBLIC,
    QUERY_NAMES,
    REAL,
    SIZES,
    SPACES,
    NotTried,
    Setting,
)
from leaktight.errors import LeaktightError
from leaktight.web.document import ELSEWHERE

AXES: dict[str, Sequence[Any]] = {
    "space": tuple(SPACES),
    "public": PUBLIC,
    "mechanism": MECHANISM_NAMES,
    "query": QUERY_NAMES,
    "records": SIZES,
    "question": tuple(QUESTIONS),
}
"""What meets what; the simplest first."""

TUPLES = ("grid", "attributes", "attributes, all")
"""The spaces whose values are tuples, of which there are margins."""


def _public_of(space: str, public: str) -> bool:
    if space not in GRAPHS:
        return public == "nothing"
    return public not in MARGINS or space in TUPLES


def _size_of(public: str, query: str, records: int) -> bool:
    most = {"a table": 3, "a function": 64, "the database": 64}.get(query, SIZES[-1])
    return records <= min(most, 65 if public in LISTED else SIZES[-1])


def _mechanism_on(space: str, mechanism: str, query: str) -> bool:
    if mechanism in EACH_RECORD and query != "each record":
        return False
    if (mechanism == "clamped") != (space in REAL) and mechanism not in ON_REAL:
        return False
    if mechanism.startswith("planar") and space not in ("grid", "euclidean", "manhattan"):
        return False
    return space in GRAPHS or query == "each record"


EACH_RECORD = ("shuffled", "side by side", "together or not at all")
ON_REAL = ("none", "matrix", "matrix of floats", "as it is", "truncated geometric")

RULES = (
    Rule(("space", "public"), _public_of),
    Rule(("space", "records"), lambda space, records: space not in REAL or records == 1),
    Rule(("public", "query", "records"), _size_of),
    Rule(("space", "mechanism", "query"), _mechanism_on),
    Rule(
        ("space", "public", "question"),
        lambda space, public, question: (
            question not in OF_A_STUDY
            or (
                public in IN_A_STUDY
                and space not in REAL
                and (public not in MARGINS or space in TUPLES[1:])
            )
        ),
    ),
    Rule(("public", "question"), lambda public, question: question != "odds" or public in COUNTED),
    Rule(
        ("query", "question"),
        lambda query, question: (
            question != "sensitivity" or query not in (*QUERY_NAMES[:2], "most common")
        ),
    ),
    Rule(
        ("mechanism", "query", "question"),
        lambda mechanism, query, question: (
            question not in OF_A_STUDY
            or (
                mechanism in KINDS_IN_A_STUDY
                and not query.startswith("a ")
                and (question == "file" or mechanism not in ELSEWHERE)
            )
        ),
    ),
    Rule(
        ("mechanism", "question"),
        lambda mechanism, question: (
            (question not in WITHOUT_MECHANISM or mechanism == "none")
            and (question not in OF_A_MECHANISM or mechanism != "none")
        ),
    ),
)
"""What makes no cell: real values have nothing public, a study in a file has no predicate, …"""


class Outcome(StrEnum):
    """What became of a cell."""

    ANSWERED = "answered"
    REFUSED = "refused"
    EMPTY = "nothing to answer"


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a cell, and how many numbers were compared."""

    outcome: Outcome
    compared: int = 0
    why: str = ""


def exists(row: Row) -> bool:
    """Say whether there is such a cell."""
    return all(rule.allows(row) for rule in RULES)


def number_of_cells() -> int:
    """Return how many cells the table has, each in several variants.

    No rule is about a mechanism and what is public or how many records there are, nor about these
    and the question: so they are counted apart, for each space and query.
    """
    whole = 0
    for space, query in product(AXES["space"], AXES["query"]):
        row = {"space": space, "query": query}
        mechanisms = {q: _fitting(row | {"question": q}, "mechanism") for q in AXES["question"]}
        sizes = {p: _fitting(row | {"public": p}, "records") for p in AXES["public"]}
        whole += sum(
            mechanisms[q] * sizes[p]
            for p, q in product(AXES["public"], AXES["question"])
            if exists(row | {"public": p, "question": q})
        )
    return whole


def _fitting(row: Row, axis: str) -> int:
    return sum(exists(row | {axis: option}) for option in AXES[axis])


def thinned(strength: int, seed: int = 0, **fewer: Sequence[Any]) -> list[Row]:
    """Return some cells in which all options of so many axes meet, or ``fewer`` of some axes."""
    return covering(AXES | fewer, strength, RULES, seed)


def try_cell(row: Row, variant: int) -> Tried:
    """Answer a cell, or say why it is refused; whatever else is raised is a defect."""
    cell = Setting(
        row["space"], row["public"], row["mechanism"], row["query"], row["records"], variant
    )
    try:
        compared = QUESTIONS[row["question"]](cell)
    except NotTried as why:
        return Tried(Outcome.EMPTY, why=str(why))
    except LeaktightError as why:
        assert str(why), "refused without a word"
        assert "\n" not in str(why), f"refused in several lines: {why}"
        return Tried(Outcome.REFUSED, why=str(why))
    return Tried(Outcome.ANSWERED if compared else Outcome.EMPTY, compared)
