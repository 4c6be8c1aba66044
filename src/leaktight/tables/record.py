"""Records by which a colleague checks a release; they hold no value of the data."""

import json
import platform
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidInput
from leaktight.tables.attributes import AttributeOdds, attribute_odds
from leaktight.tables.budget import lost_to_dict, promised, told_lost
from leaktight.tables.measure import Lost
from leaktight.tables.odds import Odds, odds
from leaktight.tables.per_row import RowsRelease
from leaktight.tables.publishing import TableRelease
from leaktight.tables.writing import canonical, digest, write_protection

LIBRARIES = ("leaktight", "duckdb", "narwhals", "numpy", "python-flint")


@dataclass(frozen=True, slots=True)
class TableRecord:
    """What was released, how, under which policy, and what that promises; it prints as text."""

    release: TableRelease | RowsRelease
    spent: Lost
    """What the pair that has paid most has paid for all releases of the ledger together."""
    odds: Odds | None
    """What one person risks, after all of them; None if it is not known."""
    attributes: tuple[AttributeOdds, ...] = ()
    """The same of each attribute alone; none if it is not known."""

    def __str__(self) -> str:
        release, book = self.release, self.release.ledger
        told = [
            f"{release.entry.name!r}: {self.what}. If {book.protection.condition}, "
            f"{promised(release.entry.cost)}; all releases of the ledger together: "
            f"{told_lost(self.spent)} of {book.budget.told()}."
        ]
        if self.odds is not None:
            told.append(f"After all of them, {self.odds}.")
        if len(self.attributes) > 1:
            told.append(f"Of one attribute alone: {'; '.join(map(str, self.attributes))}.")
        if bare := release.bare:
            told.append(
                "Numbers that are the same for both values of every secret pair have no noise, in "
                f"{', '.join(map(repr, bare))}."
            )
        if '"a generator for tests"' in release.entry.question:
            told.append(
                "The random bits came from a generator for tests: nothing is promised against "
                "anyone who knows or guesses its seed."
            )
        return " ".join(told)

    @property
    def _neighbours(self) -> str:
        protection = self.release.ledger.protection
        if protection.people is not None:
            return protection.relation
        if protection.counts is not None:
            return "databases that the public counts allow, by Definition 2 of Edwards et al."
        if (rows := protection.rows_per_person) > 1:
            return f"databases that differ in up to {rows} rows of a person, along secret pairs"
        return "databases that differ in one record, along a secret pair"

    @property
    def what(self) -> str:
        """What was published, in a few words."""
        return self.release.what

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON has it; ratios are exact, as text."""
        release, book = self.release, self.release.ledger
        protection, cost = book.protection, release.entry.cost
        question = json.loads(release.entry.question)
        schema = [list(column) for column in release.stored.schema]
        return {
            "format": "leaktight table release",
            "name": release.entry.name,
            "time": release.entry.time,
            "ledger": {
                "identity": book.identity,
                "entry": release.entry.number,
                "chain": release.entry.chain,
            },
            "policy": {
                "hash": digest(write_protection(protection)),
                "values": len(protection.values),
                "secret pairs": len(protection.pairs),
                "records": protection.policy.records,
                "neighbours": protection.relation,
                "number of rows": "public" if protection.absent is None else "private",
                "rows per person": protection.rows_per_person,
            },
            "data": {
                "columns": schema,
                "hash": digest(canonical(schema)),
                "rules": question["rows"],
                "source": None if (origin := release.stored.origin) is None else str(origin),
            },
            **release.asked(question),
            "guarantee": {
                **lost_to_dict(cost),
                "together": lost_to_dict(self.spent),
                "budget": str(book.budget),
                "neighbours": self._neighbours,
            },
            "one person": self.odds and self.odds.to_dict(),
            "one attribute": [each.to_dict() for each in self.attributes],
            "randomness": question["randomness"],
            "versions": {"python": platform.python_version()}
            | {name: version(name) for name in LIBRARIES},
            "text": str(self),
        }


def record_of(release: TableRelease | RowsRelease, prior: PriorLike = None) -> TableRecord:
    """Return the record of a release: hashes of policy, columns and weights, and the guarantee.

    ``prior`` is what is believed of one record's value, uniform if it is not given.
    """
    if not isinstance(release, TableRelease | RowsRelease):
        raise InvalidInput(f"a record is of a release, got {release!r:.60}")
    book = release.ledger
    paid, columns = list(book.paid()), json.loads(release.entry.question)["rows"]["columns"]
    return TableRecord(
        release,
        book.spent().largest,
        odds(book.protection, paid, prior),
        attribute_odds(book.protection, paid, prior, columns),
    )
