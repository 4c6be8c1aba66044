"""``[data]`` and ``[release]``: what a study says of a table and its release."""

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.errors import InvalidInput
from leaktight.mechanisms.mechanism import Mechanism
from leaktight.policies.policy import Policy
from leaktight.studies.kinds import shortened
from leaktight.studies.policy import read_people
from leaktight.studies.reading import bare_study
from leaktight.studies.study import Study
from leaktight.studies.table import StudyTable, load
from leaktight.tables.budget import Budget
from leaktight.tables.calibration import Allowance, Noise, allowance, calibrated
from leaktight.tables.ledger import is_address
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.queries import KINDS, LARGEST_SHARE, Form, TableQuery
from leaktight.tables.reading import Reading
from leaktight.tables.rows import declared_columns

MOST_ROWS = 10**6
"""The most rows of one person."""


@dataclass(frozen=True, slots=True, eq=False)
class ReleaseStudy:
    """A policy, where the table is and how its rows are read, and what is released of it."""

    title: str
    policy: Policy
    prior: Distribution
    absent: Hashable | None
    people: str | None
    """Whether people come and go ("change"), or not ("fixed"); None if nothing is said."""
    source: Path
    table: str | None
    reading: Reading
    rows_per_person: int
    name: str
    queries: tuple[TableQuery, ...]
    rows: Channel | Mechanism | None
    """Through what every row is published; None if queries are asked."""
    allowed: Allowance | None
    """What the queries may cost, and with which noise; None if there are none."""
    ledger: str | Path
    """A file, or the address of a server."""
    budget: Budget | None
    """What a new ledger is made with."""
    output: Path | None

    @property
    def protection(self) -> PrivacyUnit:
        """Whose values are protected, and how people are counted."""
        return PrivacyUnit(self.policy, self.absent, self.rows_per_person, self.people)

    @property
    def noise(self) -> Noise | None:
        """The noise that the queries get; None if every row is published."""
        if self.allowed is None:
            return None
        return calibrated(self.protection, self.queries, self.allowed, self.reading.columns)


def read_release(path: str | Path) -> ReleaseStudy:
    """Read from a study what is released of which table; paths are relative to the file."""
    file = Path(path)
    content = load(file)
    return release_of(content, file, bare_study(content, file, (file,)))


def release_of(content: dict[str, Any], file: Path, study: Study) -> ReleaseStudy:
    """Return what the tables of a file say of a release; nothing that they name is opened."""
    data, asked = (StudyTable.of(file, n, content.get(n, {})) for n in ("data", "release"))
    for table, needed, what in (
        (data, "source", "where is the table?"),
        (data, "columns", "which columns hold the values of the policy?"),
        (asked, "ledger", "which ledger pays?"),
    ):
        if needed not in table:
            raise table.wrong("", f"needs {needed}: {what}")
    rows = _rows(data, asked, study) if asked.get("rows") else None
    if rows is None and "queries" not in asked:
        raise asked.wrong("", "needs queries: what is asked? or rows = true, to publish every row")
    people, _ = read_people(StudyTable.of(file, "policy", content["policy"]))
    reading, own = _reading(data), data.whole("rows_per_person", 1, MOST_ROWS)
    with data.at(""):
        declared_columns(PrivacyUnit(study.policy, study.absent, own, people), reading)
    queries = tuple(_query(asked, each) for each in asked.get("queries", []))
    allowed = _allowed(asked, queries) if rows is None else None
    return ReleaseStudy(
        title=study.title,
        policy=study.policy,
        prior=study.prior,
        absent=study.absent,
        people=people,
        source=file.parent / data.get("source"),
        table=data.get("table"),
        reading=reading,
        rows_per_person=own,
        name=_dated(asked, "name") if "name" in asked else file.stem,
        queries=queries,
        rows=rows,
        allowed=allowed,
        ledger=book if is_address(book := asked.get("ledger")) else file.parent / book,
        budget=_budget(asked),
        output=file.parent / _dated(asked, "output") if "output" in asked else None,
    )


FIELDS = {"year": "%Y", "month": "%m", "day": "%d"}
"""What may stand in braces in a name, of the day on which a release is asked for."""


def _dated(asked: StudyTable, key: str) -> str:
    """Return the name of a release, or of its file, with today's date in its fields."""
    today = date.today()

    def filled(field: re.Match[str]) -> str:
        if field[1] not in FIELDS:
            known = ", ".join(f"{{{each}}}" for each in FIELDS)
            raise asked.wrong(key, f"may have {known} in it, got {field[0]:.40}")
        return today.strftime(FIELDS[field[1]])

    return re.sub(r"\{([^{}]*)\}", filled, asked.get(key))


def _rows(data: StudyTable, asked: StudyTable, study: Study) -> Channel | Mechanism:
    """Return the mechanism through which every row is published."""
    for table, key, why in (
        (asked, "queries", "asks for numbers, and rows publishes every row; leave one out"),
        (asked, "epsilon", "is for queries; what rows cost is the ε of [mechanism]"),
        (asked, "ratio", "is for queries; what rows cost is the ratio of [mechanism]"),
        (asked, "rho", "is for queries; what rows cost is the ε of [mechanism]"),
        (asked, "noise", "is for queries; the noise of rows is that of [mechanism]"),
        (data, "keep", "is for queries; every row is published"),
    ):
        if key in table:
            raise table.wrong(key, why)
    if "output" not in asked:
        raise asked.wrong("", "needs output: where is the file of rows written?")
    if study.mechanism is None or study.scope != "record":
        raise asked.wrong("rows", 'needs a [mechanism] that answers each record, on = "record"')
    return study.mechanism


def _reading(data: StudyTable) -> Reading:
    given = data.get("columns")
    with data.at(""):
        return Reading(
            (given,) if isinstance(given, str) else tuple(given),
            person=data.get("person"),
            keep=data.get("keep"),
            outside=data.get("outside"),
            cuts=data.get("cuts", {}),
            clamp=tuple(data.get("clamp", ())),
        )


COSTS = ("ratio", "epsilon", "rho", "delta")
"""The keys that say how much a release, or all of them, may cost."""


def _allowed(asked: StudyTable, queries: Sequence[TableQuery]) -> Allowance:
    """Return what the queries may cost, and with which noise."""
    noise = asked.get("noise", "geometric")
    given = {key: asked.get(key) for key in COSTS if key in asked}
    if not given and not all(query.error is not None for query in queries):
        needed = "epsilon or ratio" if noise == "geometric" else "rho, or epsilon and delta"
        raise asked.wrong("", f"needs {needed}: how much may this release cost?")
    with asked.at(next(iter(given), "")):
        found = allowance(noise, queries=queries, **given)
        found.expect()
    return found


def _budget(asked: StudyTable) -> Budget | None:
    """Return what all releases may cost: an ε, or a table with rho, or with epsilon and delta."""
    if "budget" not in asked:
        return None
    given = asked.get("budget")
    with asked.at("budget"):
        if not isinstance(given, dict):
            return Budget.of(epsilon=given)
        if not given or (other := [key for key in given if key not in COSTS]):
            wrong = f"has {shortened(other[0])}" if given else "is empty"
            raise InvalidInput(
                "a budget is an ε, {rho = …} or {epsilon = …, delta = …}; this one " + wrong
            )
        return Budget.of(**given)


def _query(parent: StudyTable, given: dict[str, Any]) -> TableQuery:
    table = StudyTable.of(parent.file, "release.queries", given)
    kind = table.needed("kind", KINDS)
    name, keys = table.get("name", kind), KINDS[kind].keys
    for key in table.content:
        if key not in (*EVERY_QUERY, *keys):
            kinds = [each for each, other in KINDS.items() if key in other.keys]
            raise table.wrong(key, f"of {name!r:.40} is for {' or '.join(kinds)}, got {kind!r}")
    own = {key: table.get(key) for key in keys if key in table}
    own |= {key: READ[form](own[key]) for key, form in keys.items() if key in own and form in READ}
    own["share"] = table.whole("share", 1, LARGEST_SHARE)
    with table.at(name):
        return KINDS[kind].read(name=name, error=table.get("error"), **own)


EVERY_QUERY = ("name", "kind", "share", "error")
"""The keys that every query has."""


READ: Mapping[Form, Callable[[Any], Any]] = {
    Form.NAMES: tuple,
    Form.NUMBERS: tuple,
    Form.WEIGHTS: dict,
}
"""What is made of the keys of a query, where it is not what the file says."""
