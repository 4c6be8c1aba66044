"""Whose rows are they, and how many does each person have?"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from leaktight.errors import InvalidInput
from leaktight.exact.shown import counted
from leaktight.tables.column import Cells
from leaktight.tables.reading import Reading
from leaktight.tables.source import guarded, rows_of

if TYPE_CHECKING:
    from leaktight.tables.source import Frame

MOST_KEPT = 1000
"""The most values if one row of each person is kept."""


def check_persons(frame: "Frame", person: str, allowed: int) -> None:
    """Refuse a person with more rows than are paid for, and rows of nobody."""
    import narwhals as nw

    whose = nw.col(person)
    rows = frame.group_by(person).agg(nw.len().alias("n"))
    many = rows.select(
        (nw.col("n") > allowed).cast(nw.Int64).sum().alias("many"),
        nw.col("n").max().alias("most"),
    )
    nobody = frame.select(whose.is_null().cast(nw.Int64).sum().alias("nobody"))
    _expect_somebody(guarded(lambda: rows_of(nobody))[0][0], person)
    [(over, most)] = guarded(lambda: rows_of(many))
    if over:
        raise InvalidInput(
            f"{counted(int(over), 'person has', 'persons have')} more than "
            f"{counted(allowed, 'row', 'rows')} (up to {int(most):,}) by the column {person!r}; "
            "rows_per_person pays for more, keep counts one row of each"
        )


def _expect_somebody(nobody: Any, person: str) -> None:
    if nobody:
        raise InvalidInput(
            f"{counted(int(nobody), 'row has', 'rows have')} nobody in the person column {person!r}"
        )


def kept(frame: "Frame", cells: list[Cells], reading: Reading) -> Iterator[tuple[Any, ...]]:
    """Yield how many persons have which value, if one row of each is kept.

    Which one it is depends on that person's rows alone, so that nobody else's change can change it.
    """
    import narwhals as nw

    person = str(reading.person)
    read = [nw.col(person)]
    for i, each in enumerate(cells):
        read += [each.value.alias(f"value {i}"), each.found.alias(f"found {i}")]
    size, place = 1, nw.lit(0)
    for i, each in enumerate(cells):
        options = list(each.known)
        if size * (len(options) + 1) > MOST_KEPT:
            raise InvalidInput(f"keep is for at most {MOST_KEPT:,} values")
        # Cells without a declared value come last, and are taken only if there is no other.
        own = sum(
            (
                (nw.col(f"value {i}") == option).cast(nw.Int64) * at
                for at, option in enumerate(options)
            ),
            start=nw.lit(0),
        )
        if reading.keep == "last":
            own = len(options) - 1 - own
        own = nw.when(nw.col(f"found {i}")).then(own).otherwise(len(options))
        place = place * (len(options) + 1) + own
        size *= len(options) + 1
    chosen = frame.select(*read).select(nw.col(person), place.alias("place"))
    nobody = frame.select(nw.col(person).is_null().cast(nw.Int64).sum().alias("nobody"))
    _expect_somebody(guarded(lambda: rows_of(nobody))[0][0], person)
    one = chosen.group_by(person).agg(nw.col("place").min().alias("place"))
    for code, n in guarded(lambda: rows_of(one.group_by("place").agg(nw.len().alias("n")))):
        own, found = [], []
        rest = int(code)
        for each in reversed(cells):
            options = list(each.known)
            rest, at = divmod(rest, len(options) + 1)
            found.append(at < len(options))
            at = min(at, len(options) - 1)
            own.append(options[len(options) - 1 - at if reading.keep == "last" else at])
        yield (*reversed(own), *reversed(found), n)
