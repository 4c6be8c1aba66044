"""Who is found in a table, and what is guessed? Every person with every view, in fractions."""

from collections import defaultdict
from fractions import Fraction
from typing import Any

import duckdb

from fuzz import drawn
from fuzz.drawn import Draw
from fuzz.property import searched
from leaktight.tables import Change, Changed, Exposure, risk

NAMES = ("a", "b", "s")


def person(draw: Draw) -> list[Any]:
    """What is known of a person, and a secret; any of it may be missing."""
    return [draw.pick((None, 0, 1, 2)), draw.pick((None, 0, 1)), draw.pick((None, 0, 1, 2))]


def chances(views: list[dict[Any, Fraction]], secrets: list[Any]) -> tuple[Fraction, Fraction]:
    """Add up the best guess of a person, and of a secret, for each view that may be seen."""
    people: dict[Any, Fraction] = {}
    guessed: dict[Any, dict[Any, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for view, secret in zip(views, secrets, strict=True):
        for seen, chance in view.items():
            people[seen] = max(people.get(seen, Fraction(0)), chance)
            guessed[seen][secret] += chance
    right = sum((max(each.values()) for each in guessed.values()), Fraction(0))
    return sum(people.values(), Fraction(0)) / len(views), right / len(views)


@searched(
    people=lambda d: d.some(person, 1, 9),
    ratio=drawn.ratio,
    spare=lambda d: d.integer(0, 2),
    cut=lambda d: d.integer(0, 2),
)
def what_a_table_risks(people: Any, ratio: str, spare: int, cut: int) -> int:
    """A row is found, or a secret guessed, with another chance: as it is, coarser or with noise."""
    values = [*dict.fromkeys(row[0] for row in people)]
    size = len(values) + spare
    rows = ", ".join(f"({', '.join('NULL' if x is None else str(x) for x in r)})" for r in people)
    table = duckdb.sql(
        "SELECT CAST(a AS INTEGER) AS a, CAST(b AS INTEGER) AS b, CAST(s AS INTEGER) AS s "
        f"FROM (VALUES {rows}) AS people(a, b, s)"
    )
    noise = Change.randomize("a", ratio=ratio, values=size)
    changes = [noise, Change.bands("a", [cut]), Change.drop("a")]
    found = risk(table, ["a", "b"], "s", combinations=1, changes=changes)
    level = noise.ratio or Fraction(1)
    assert level <= Fraction(ratio)
    secrets = [row[2] for row in people]

    def plain(*columns: int) -> tuple[Fraction, Fraction]:
        return chances([{tuple(r[c] for c in columns): Fraction(1)} for r in people], secrets)

    def noisy(row: list[Any]) -> dict[Any, Fraction]:
        other = 1 / (size - 1 + level)
        return {
            (z, row[1]): level * other if z == values.index(row[0]) else other for z in range(size)
        }

    coarse = [{(None if row[0] is None else row[0] >= cut, row[1]): Fraction(1)} for row in people]
    wanted: list[tuple[Exposure | Changed, tuple[Fraction, Fraction]]] = [
        (found.exposure, plain(0, 1)),
        *((one, plain(NAMES.index(one.quasi_identifiers[0]))) for one in found.combinations),
        (found.changes[0], chances([noisy(row) for row in people], secrets)),
        (found.changes[1], chances(coarse, secrets)),
        (found.changes[2], plain(1)),
    ]
    for one, right in wanted:
        assert (one.find, one.guess) == right
    return len(wanted)
