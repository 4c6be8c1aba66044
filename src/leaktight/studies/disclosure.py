"""Disclosure control that a study names: rounding, suppression, cell keys, swapping, top-coding."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidInput
from leaktight.mechanisms.disclosure import (
    CellKey,
    CountPerturbation,
    PerturbedCount,
    Rounding,
    Suppression,
    TopCoding,
    swapping,
)
from leaktight.studies.table import StudyTable, plain_number, shortened

LARGEST = 10**6
"""The largest base or threshold."""

Made = tuple[Channel, str]
"""What is seen, and what it is called."""


def perturbed_count(table: StudyTable, kind: str, people: int) -> PerturbedCount:
    """Return a count over so many people that is perturbed."""
    return PerturbedCount(COUNTS[kind](table), people)


def disclosure(table: StudyTable, kind: str, values: Sequence[Hashable], prior: PriorLike) -> Made:
    """Return what a mechanism shows of each answer, or each value of a record, and its name."""
    if kind == "swapping":
        if "share" not in table:
            raise table.wrong("", 'needs share for kind = "swapping"')
        with table.at("share"):
            share = plain_number(table.get("share"))
            return swapping(values, share, prior), "swapped at random"
    if not all(isinstance(value, int) and value >= 0 for value in values):
        raise table.wrong("kind", f'"{kind}" is for counts; say query = "count"')
    mechanism = COUNTS[kind](table)
    rows = {value: mechanism.row(value) for value in values if isinstance(value, int)}
    outputs = sorted({z for row in rows.values() for z in row}, key=lambda z: (type(z) is str, z))
    matrix = [[row.get(z, 0) for z in outputs] for row in rows.values()]
    return Channel(matrix, values, outputs), mechanism.name


def _rounding(table: StudyTable) -> Rounding:
    return Rounding(_needed(table, "base", "rounding"), random=_truth(table, "random"))


def _suppression(table: StudyTable) -> Suppression:
    most = _needed(table, "at_most", "suppression")
    then = _rounding(table) if "base" in table else None
    return Suppression(most, then, zero_shown=_truth(table, "zero_shown"))


def _cell_key(table: StudyTable) -> CellKey:
    if "ptable" not in table:
        raise table.wrong("", 'needs ptable for kind = "cell key"')
    with table.at("ptable"):
        return CellKey([_changes(row) for row in table.listed("ptable")])


def _top_coding(table: StudyTable) -> TopCoding:
    return TopCoding(_needed(table, "most", "top-coding"))


COUNTS: dict[str, Callable[[StudyTable], CountPerturbation]] = {
    "rounding": _rounding,
    "suppression": _suppression,
    "cell key": _cell_key,
    "top-coding": _top_coding,
}
NOTES = {
    "swapping": (
        "Each value is taken to be changed by itself. If values are exchanged between records, "
        "their totals stay as they are, and whoever knows all other records knows this one."
    )
}
"""What the numbers of a kind take for granted."""

DISCLOSURE = (*COUNTS, "swapping")
USES = {
    "base": ("rounding", "suppression"),
    "random": ("rounding", "suppression"),
    "at_most": ("suppression",),
    "zero_shown": ("suppression",),
    "ptable": ("cell key",),
    "most": ("top-coding",),
    "share": ("swapping",),
}
"""The kinds that a key is for."""


def _needed(table: StudyTable, key: str, kind: str) -> int:
    if key not in table:
        raise table.wrong("", f'needs {key} for kind = "{kind}"')
    return table.whole(key, 1, LARGEST)


def _truth(table: StudyTable, key: str) -> bool:
    found = table.get(key)
    if found not in (None, True, False):
        raise table.wrong(key, f"must be true or false, got {shortened(found)}")
    return bool(found)


def _changes(row: Any) -> dict[int, Any]:
    """Return a row of a ptable, whose keys are texts in a file."""
    if not isinstance(row, dict):
        raise InvalidInput(f'has rows such as {{ "-1" = 0.25, "0" = 0.5 }}, got {shortened(row)}')
    try:
        return {int(change): plain_number(chance) for change, chance in row.items()}
    except ValueError:
        raise InvalidInput(f"has whole numbers as keys, got {shortened(list(row))}") from None
