"""Total and secret difference of two databases, and why they are neighbours or not.

Section II-A of [Edwards2021]_: Δ_T(D, D′) has a triple (i, u, v) for each record i that goes from
u to v, and Δ_S(D, D′) those whose values u and v are a secret pair. Definition 2 calls D′ minimally
secretly different from D if Δ_S is not empty and no possible D″ has a smaller one, or the same with
a smaller Δ_T. It is not symmetric; here databases are neighbours if it holds one way or the other.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from leaktight.errors import Mismatch, expect
from leaktight.exact.shown import Told
from leaktight.policies.graph import Graph

Change: TypeAlias = tuple[int, Hashable, Hashable]
"""A record, counted from 0, with its value before and after."""


def total_difference(first: Sequence[Hashable], second: Sequence[Hashable]) -> frozenset[Change]:
    """Return Δ_T: the records in which two databases differ, with both values.

    >>> total_difference(("flu", "cold"), ("flu", "none"))
    frozenset({(1, 'cold', 'none')})
    """
    one, other = _records(first), _records(second)
    if len(one) != len(other):
        raise Mismatch(
            f"two databases must have equally many records, got {len(one):,} and {len(other):,}"
        )
    pairs = enumerate(zip(one, other, strict=True))
    return frozenset((i, u, v) for i, (u, v) in pairs if u != v)


def _records(database: object) -> tuple[Hashable, ...]:
    """Return the values of a database's records."""
    if isinstance(database, Iterable):
        records = tuple(database)
        if all(isinstance(value, Hashable) for value in records):
            return records
    raise Mismatch(f"a database must be a list of values, one per record, got {database!r:.60}")


def secret_difference(
    first: Sequence[Hashable], second: Sequence[Hashable], secrets: Graph
) -> frozenset[Change]:
    """Return Δ_S: those changes of Δ_T whose two values are a secret pair.

    >>> pay = Graph(["<20k", "20-40k", ">40k"], [("<20k", "20-40k"), ("20-40k", ">40k")])
    >>> secret_difference(("<20k", "<20k"), ("20-40k", ">40k"), pay)
    frozenset({(0, '<20k', '20-40k')})
    """
    expect(secrets, Graph, "SecretGraph.complete(values) joins all values")
    changes = total_difference(first, second)
    return frozenset((i, u, v) for i, u, v in changes if secrets.distance(u, v) == 1)


@dataclass(frozen=True, slots=True, repr=False)
class Direction(Told):
    """One reading of Definition 2: is ``end`` minimally secretly different from ``start``?"""

    start: tuple[Hashable, ...]
    end: tuple[Hashable, ...]
    total: frozenset[Change]
    secret: frozenset[Change]
    closer: tuple[Hashable, ...] | None
    """A possible database in between, which rules the end out, if there is one."""
    published: str = ""
    """The published count that tells the two apart, if there is one."""

    @property
    def holds(self) -> bool:
        """Whether the end is minimally secretly different from the start."""
        return bool(self.secret) and self.closer is None and not self.published

    def __str__(self) -> str:
        way = f"{self.start} → {self.end}"
        if not self.total:
            return f"{way}: no, they are the same"
        if not self.secret:
            return f"{way}: no, {_shown(self.total)} changes no secret pair"
        changed = f"the secret difference is {_shown(self.secret)}"
        if self.published:
            return f"{way}: no, {changed}, but {self.published} is published and differs"
        if self.closer is None:
            return f"{way}: yes, {changed}, and no possible database is in between"
        return f"{way}: no, {changed}, and {self.closer} is in between"


def _shown(changes: frozenset[Change]) -> str:
    ordered = sorted(changes, key=lambda change: change[0])
    return "{" + ", ".join(f"({i}, {u}, {v})" for i, u, v in ordered) + "}"


@dataclass(frozen=True, slots=True, repr=False)
class NeighbourExplanation(Told):
    """Why two databases are neighbours under a policy, or not: Definition 2, read both ways.

    It is true in an ``if`` if they are neighbours, one way or the other.
    """

    forth: Direction
    back: Direction

    def __bool__(self) -> bool:
        return self.forth.holds or self.back.holds

    def __str__(self) -> str:
        verdict = "neighbours" if self else "not neighbours"
        return f"{verdict}\n{self.forth}\n{self.back}"


def direction(
    start: tuple[Hashable, ...],
    end: tuple[Hashable, ...],
    secrets: Graph,
    possible: Iterable[tuple[Hashable, ...]],
) -> Direction:
    """Read Definition 2 from ``start`` to ``end``, with all ``possible`` databases.

    >>> joined = Graph(3, [(0, 1)])
    >>> print(direction((0, 1), (2, 0), joined, [(0, 0), (0, 1), (2, 0)]))
    (0, 1) → (2, 0): no, the secret difference is {(1, 1, 0)}, and (0, 0) is in between
    """
    total, secret = total_difference(start, end), secret_difference(start, end, secrets)
    for other in possible if secret else ():
        seen, partly = total_difference(start, other), secret_difference(start, other, secrets)
        if partly and (partly < secret or (partly == secret and seen < total)):
            return Direction(start, end, total, secret, other)
    return Direction(start, end, total, secret, None)
