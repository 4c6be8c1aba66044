"""Levels under public counts: how cost grows with the records, the values and the counts.

No package knows policies with public counts, so the rival is Definition 2 of [Edwards2021] on all
databases, as leaktight lists them where it must.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import leaktight as lt
from benchmarks.case import Case, NotTried
from leaktight.channels.composition import Parallel

MOST_LISTED = 12


class Given(NamedTuple):
    """A policy with public counts, and randomised response on each record."""

    policy: lt.Policy
    survey: Parallel


def given(values: list[object], records: int, counts: list[object]) -> Given:
    """Make a new policy, so that nothing is remembered."""
    policy = lt.Policy(lt.SecretGraph.complete(values), records, constraints=counts)  # type: ignore[arg-type]
    return Given(policy, lt.RandomizedResponse(values, ratio=2, records=records).survey)


def histogram(n: int) -> Given:
    """All counts of three values are public."""
    shares = [n // 3, n // 3, n - 2 * (n // 3)]
    return given([0, 1, 2], n, [lt.count([v], equals=k) for v, k in enumerate(shares)])


def one_count(values: int) -> Given:
    """One count of half of the values is public."""
    return given([*range(values)], 10**6, [lt.count([*range(values // 2)], equals=400_000)])


def overlapping(counts: int) -> Given:
    """So many attributes of two values each have public margins, and there is one more of two."""
    values = [*product((0, 1), repeat=counts + 1)]
    told = [lt.count([v for v in values if v[q]], equals=400_000) for q in range(counts)]
    return given([*values], 10**6, [*told])


def square(side: int) -> Given:
    """Both margins of a table of so many rows and columns are public, 1,000 records a cell."""
    values = [*product(range(side), repeat=2)]
    told = [
        lt.count([v for v in values if v[axis] == i], equals=1000 * side)
        for axis in (0, 1)
        for i in range(side)
    ]
    return given([*values], 1000 * side**2, [*told])


def table(cells: int) -> Given:
    """A whole table of so many cells is public, with two values in each."""
    values = [*product(range(cells), (0, 1))]
    told = [lt.count([(cell, 0), (cell, 1)], equals=1000) for cell in range(cells)]
    return given([*values], 1000 * cells, [*told])


def by_kinds(made: Given) -> Fraction | float:
    """Go through the kinds of neighbours."""
    return lt.privacy_level(made.survey, made.policy).ratio


def by_databases(made: Given) -> Fraction | float:
    """Go through all databases."""
    if made.policy.records > MOST_LISTED:
        raise NotTried("too many databases")
    return lt.privacy_level(made.survey, made.policy.adjacency()).ratio


def case(what: str, sizes: list[int], prepare: Callable[[int], Given], name: str) -> Case:
    """Compare the two ways on policies of growing size."""
    return Case(
        f"level with {what}",
        sizes,
        prepare,
        {"leaktight": by_kinds, "all databases": by_databases},
        scale_name=name,
        quick=3,
        rounds=5,
        note="all databases are those of Definition 2, compared by leaktight itself",
    )


CASES = (
    case("three public counts, {n} records", [6, 9, 12, 10**3, 10**6, 10**9], histogram, "records"),
    case("a public count on {n} values", [4, 16, 48, 96, 192], one_count, "values"),
    case("{n} public margins that overlap", [1, 2, 3], overlapping, "counts"),
    case("both margins of a table of {n}×{n} public", [2, 3, 4, 5], square, "rows"),
    case("a public table of {n} cells", [4, 16, 48, 96], table, "cells"),
)
