"""Verification of a release's record: its digests, its place in the ledger, its budget.

Whoever has the numbers and the record checks that they belong together. Whoever has the study, in
which there is no data, works out the noise and the cost anew. Whoever has the ledger sees that the
release was paid for, and that all releases together keep the budget.
"""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from leaktight.errors import InvalidFile, LeaktightError, expect
from leaktight.tables.budget import lost_to_dict, told_lost
from leaktight.tables.calibration import Noise
from leaktight.tables.draw import hash_of
from leaktight.tables.ledger import Ledger, Stored
from leaktight.tables.measure import Lost, measure_of
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.publishing import cell_text, numbers_digest, numbers_of, queries_of
from leaktight.tables.writing import canonical, digest, write_protection

FORMAT = "leaktight table release"

MOST_MULTIPLIED = 2 * 10**7
"""The most entries of W that are compared one by one."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One thing that was checked: whether it holds, or None if there was nothing to check by."""

    what: str
    holds: bool | None
    says: str

    def __str__(self) -> str:
        mark = {True: "✓", False: "✗", None: "–"}[self.holds]
        return f"{mark} {self.what}: {self.says}"


def verify_record(
    record: dict[str, Any],
    *,
    output: Path | None = None,
    ledger: Ledger | None = None,
    protection: PrivacyUnit | None = None,
    noise: Noise | None = None,
) -> tuple[Checked, ...]:
    """Check the record of a release by whatever there is.

    :param record: what ``write_release`` wrote beside the numbers
    :param output: the file of numbers, or of rows
    :param ledger: the ledger that paid
    :param protection: the policy of the study, and how people are counted
    :param noise: the noise that the study asks for, if it asks queries
    """
    expect(record, dict, "give what json.load reads of a record")
    for each, kind in ((output, Path), (ledger, Ledger), (protection, PrivacyUnit), (noise, Noise)):
        if each is not None:
            expect(each, kind, "leave out what is not at hand")
    try:
        found = [_columns(record), _output(record, output)]
        found += _paid(record, ledger, noise)
        found += _asked(record, protection, noise)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as wrong:
        if isinstance(wrong, LeaktightError):
            raise
        raise InvalidFile(
            f"this is no whole record of a release: {type(wrong).__name__} {wrong}"[:200]
        ) from None
    return tuple(found)


def _compared(what: str, same: bool, says: str, other: str) -> Checked:
    return Checked(what, same, says if same else other)


def _columns(record: dict[str, Any]) -> Checked:
    own = digest(canonical(record["data"]["columns"]))
    return _compared(
        "record", own == record["data"]["hash"], f"of {record['name']!r}, {record['time']}",
        "its columns were changed",
    )  # fmt: skip


def _output(record: dict[str, Any], output: Path | None) -> Checked:
    if output is None or not output.exists():
        return Checked("numbers", None, "there is no file to compare with")
    other = f"those in {output.name} are not those that were published"
    if "file" in record:
        same = hash_of(output) == record["file"]["hash"]
        return _compared("rows", same, f"{output.name} is as it was published", other)
    if "numbers" not in record:
        return Checked("numbers", None, "an earlier version kept no digest of them")
    rows = _published(output)
    same = numbers_digest(rows) == record["numbers"]["hash"]
    return _compared("numbers", same, f"the {len(rows):,} in {output.name} are as published", other)


def _published(output: Path) -> list[list[str]]:
    """Return query, cell and number of each row of an output."""
    kept = ("query", "cell", "number")
    try:
        if output.suffix.lower() == ".json":
            rows = json.loads(output.read_text(encoding="utf-8"))
        elif output.suffix.lower() == ".parquet":
            import duckdb

            read = duckdb.read_parquet(str(output))
            rows = [dict(zip(read.columns, row, strict=True)) for row in read.fetchall()]
        else:
            with output.open(newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
        return [[cell_text(row[key]) for key in kept] for row in rows]
    except (OSError, ValueError, KeyError, TypeError):
        raise InvalidFile(f"{output} cannot be read as numbers of a release") from None


def _paid(record: dict[str, Any], ledger: Ledger | None, noise: Noise | None) -> list[Checked]:
    if ledger is None:
        return [Checked("ledger", None, "it was not given")]
    if ledger.identity != record["ledger"]["identity"]:
        return [Checked("ledger", False, f"{ledger.name} is another one")]
    entry = next((e for e in ledger.entries() if e.chain == record["ledger"]["chain"]), None)
    if entry is None:
        return [Checked("ledger", False, f"{ledger.name} does not have this release")]
    found = [Checked("ledger", True, f"{ledger.name} has it as entry {entry.number}")]
    budget = record["guarantee"]["budget"]
    found.append(
        _compared("cost", _says(record, entry.cost), f"{told_lost(entry.cost)} was paid",
                  f"the ledger has {told_lost(entry.cost)}, and the record something else")
    )  # fmt: skip
    spent = ledger.spent()
    held = str(ledger.budget) == budget and spent.within(ledger.budget)
    told = f"{told_lost(spent.largest)} of {ledger.budget.told()} is spent in all"
    found.append(_compared("budget", held, told, f"the record says {budget}; {told}"))
    if "numbers" in record and entry.answered and noise is not None:
        found.append(_stored(record, ledger.answer(entry), noise))
    return found


def _stored(record: dict[str, Any], stored: Stored, noise: Noise) -> Checked:
    """Compare the numbers that the ledger holds with those that the record names."""
    own = numbers_digest(numbers_of(noise.answers(stored.numbers)))
    same = own == record["numbers"]["hash"]
    return _compared("stored", same, "the ledger holds the same numbers",
                     "the ledger holds other numbers")  # fmt: skip


def _asked(
    record: dict[str, Any], protection: PrivacyUnit | None, noise: Noise | None
) -> list[Checked]:
    if protection is None:
        return [Checked("guarantee", None, "give --study to work it out anew")]
    same = digest(write_protection(protection)) == record["policy"]["hash"]
    found = [_compared("policy", same, "it is that of the study", "the study has another one")]
    if noise is None:
        return found
    queries = [canonical(each) for each in queries_of(noise)]
    asked = [canonical(each) for each in record["queries"]]
    found.append(
        _compared("queries", queries == asked, "what the study asks, with the same noise",
                  "the study asks something else, or with other noise")
    )  # fmt: skip
    cost = worked_out(noise)
    if cost is None:
        found.append(Checked("guarantee", None, "too large to be worked out pair by pair"))
    else:
        pairs = len(protection.pairs)
        found.append(
            _compared("guarantee", _says(record, cost),
                      f"{told_lost(cost)}, worked out anew for {pairs:,} secret pairs",
                      f"the study gives {told_lost(cost)}, and the record another")
        )  # fmt: skip
    return found


def _says(record: dict[str, Any], cost: Lost) -> bool:
    """Say whether a record has exactly this cost."""
    exactly = measure_of(cost).exactly
    return bool(record["guarantee"].get(exactly) == lost_to_dict(cost)[exactly])


def worked_out(noise: Noise) -> Lost | None:
    """Return what a secret pair loses at most, from W itself, pair by pair; None if it is long.

    Another way than the one by which the noise was found: W is written out, and each number adds
    its own noise for each pair in which it differs.
    """
    protection = noise.protection
    size = sum(block.weights.size for block in noise.blocks)
    if protection.counts is not None:
        return noise.cost
    if len(protection.pairs) * size > MOST_MULTIPLIED:
        return None
    total, power = np.zeros(len(protection.pairs), dtype=np.int64), 2 if noise.paid.rhos else 1
    for weights, units in noise.paid.blocks:
        matrix = weights.matrix()
        u, v = (matrix[protection.pairs[:, k]] for k in (0, 1))
        total += units * (np.abs(u - v) ** power).sum(axis=1)
    most = protection.rows_per_person**power * int(total.max(initial=0))
    return noise.paid.rho * most if noise.paid.rhos else noise.paid.steps**most
