"""People and their rows: whose each is, and how many each person has."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from leaktight.errors import InvalidInput
from leaktight.exact.shown import counted
from leaktight.tables.column import Cells
from leaktight.tables.reading import Reading
from leaktight.tables.source import guarded, place, rows_of

if TYPE_CHECKING:
    from leaktight.tables.source import Frame

MOST_KEPT = 1000
"""The most values if one row of each person is kept."""


def wrong_persons(frame: "Frame", whose: str, person: str, allowed: int) -> list[str]:
    """Tell of persons with more rows than are paid for, and of rows of nobody.

    ``whose`` is what the frame calls the column that the table calls ``person``.
    """
    import narwhals as nw

    rows = frame.group_by(whose).agg(nw.len().alias("n"))
    many = rows.select(
        (nw.col("n") > allowed).cast(nw.Int64).sum().alias("many"),
        nw.col("n").max().alias("most"),
    )
    nobody = frame.select(nw.col(whose).is_null().cast(nw.Int64).sum().alias("nobody"))
    [(empty,)] = guarded(lambda: rows_of(nobody))
    if empty:
        return [_of_nobody(int(empty), person)]
    [(over, most)] = guarded(lambda: rows_of(many))
    if not over:
        return []
    return [
        f"{counted(int(over), 'person has', 'persons have')} more than "
        f"{counted(allowed, 'row', 'rows')} (up to {int(most):,}) by the column {person!r}; "
        "rows_per_person pays for more, keep counts one row of each"
    ]


def _of_nobody(rows: int, person: str) -> str:
    return f"{counted(rows, 'row has', 'rows have')} nobody in the person column {person!r}"


def kept(frame: "Frame", cells: list[Cells], reading: Reading) -> Iterator[tuple[Any, ...]]:
    """Yield how many persons have which value, if one row of each is kept.

    Which one it is depends on that person's rows alone, so that nobody else's change can change it.
    """
    import narwhals as nw

    whose = place(len(cells))
    read = [nw.col(whose)]
    for i, each in enumerate(cells):
        read += [each.value.alias(f"value {i}"), each.found.alias(f"found {i}")]
    size, code = 1, nw.lit(0)
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
        code = code * (len(options) + 1) + own
        size *= len(options) + 1
    chosen = frame.select(*read).select(nw.col(whose), code.alias("code"))
    nobody = frame.select(nw.col(whose).is_null().cast(nw.Int64).sum().alias("nobody"))
    [(empty,)] = guarded(lambda: rows_of(nobody))
    if empty:
        raise InvalidInput(_of_nobody(int(empty), str(reading.person)))
    one = chosen.group_by(whose).agg(nw.col("code").min().alias("code"))
    for least, n in guarded(lambda: rows_of(one.group_by("code").agg(nw.len().alias("n")))):
        own, found = [], []
        rest = int(least)
        for each in reversed(cells):
            options = list(each.known)
            rest, at = divmod(rest, len(options) + 1)
            found.append(at < len(options))
            at = min(at, len(options) - 1)
            own.append(options[len(options) - 1 - at if reading.keep == "last" else at])
        yield (*reversed(own), *reversed(found), n)
