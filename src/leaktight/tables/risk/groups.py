"""Equivalence classes: how many are alike in what is known, and share a secret.

People who are alike form a group. Of all groups only this leaves the engine: how many have a size
and so many people with the most frequent secret. The numbers here are proved in
docs/proofs/risk.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from leaktight.errors import InvalidFile
from leaktight.tables.risk.answer import Crowd, Exposure, Worst
from leaktight.tables.risk.coded import Coded


@dataclass(frozen=True, slots=True)
class Grouped:
    """The groups that some columns make of a table, by size and most frequent secret."""

    quasi_identifiers: tuple[str, ...]
    rows: int
    crowds: tuple[Crowd, ...]

    @property
    def groups(self) -> int:
        """How many there are."""
        return sum(crowd.groups for crowd in self.crowds)

    @property
    def most(self) -> int:
        """How many people have the most frequent secret of their group."""
        return sum((crowd.most or 0) * crowd.groups for crowd in self.crowds)

    @property
    def exposure(self) -> Exposure:
        """What the groups tell."""
        secret = self.crowds[0].most is not None
        certain = sum(c.size * c.groups for c in self.crowds if c.most == c.size)
        return Exposure(
            quasi_identifiers=self.quasi_identifiers,
            groups=self.groups,
            smallest=self.crowds[0].size,
            unique=sum(c.groups for c in self.crowds if c.size == 1),
            find=Fraction(self.groups, self.rows),
            guess=Fraction(self.most, self.rows) if secret else None,
            certain=certain if secret else None,
        )


def grouped(table: Coded, known: Sequence[str], secret: Sequence[str]) -> Grouped:
    """Group a table by what is known."""
    found = table.engine.rows(
        f"SELECT n, m, COUNT(*) FROM ({_groups(table, known, secret)}) AS sized GROUP BY n, m"
    )
    crowds = tuple(Crowd(n, m if secret else None, groups) for n, m, groups in sorted(found))
    if sum(crowd.size * crowd.groups for crowd in crowds) != table.rows:
        raise InvalidFile(
            "the table had other rows when it was read again; write it to a file, and ask that"
        )
    return Grouped(tuple(known), table.rows, crowds)


def worst_rows(
    table: Coded,
    known: Sequence[str],
    secret: Sequence[str],
    count: int,
    fewer: Sequence[Sequence[str]] = (),
) -> tuple[Worst, ...]:
    """Return the lines of people in the smallest groups, the riskiest first.

    Of groups as small, those come first who are alone already by more of the ``fewer`` columns, and
    then where a secret is likelier. The table must have been numbered.
    """
    told, keys = _named(table, known, "k")
    alone = " + ".join(
        f"CASE WHEN COUNT(*) OVER (PARTITION BY {given}) = 1 THEN 1 ELSE 0 END"
        for given in (", ".join(table.keys(some)) for some in fewer)
    )
    found = table.engine.rows(
        f"SELECT people.line, sized.n, sized.m, people.alone FROM (SELECT {told}, line, "
        f"{alone or '0'} AS alone FROM {table.name}) AS people JOIN "
        f"({_groups(table, known, secret)}) AS sized ON {_same('people', 'sized', keys)} "
        f"ORDER BY sized.n, people.alone DESC, sized.m DESC, people.line LIMIT {count}"
    )
    return tuple(
        Worst(line, n, m if secret else None, int(many) if fewer else None)
        for line, n, m, many in found
    )


def noisy_gain(
    table: Coded, rest: Sequence[str], column: str, secret: Sequence[str], ratio: Fraction
) -> int:
    """Return what a noisy column adds to the guesses of a secret, beside the rest that is known.

    For each group g of the rest and each value z of the column that occurs in it, that is how much
    max over s of b·n(g, s) + (a − b)·n(g, z, s) exceeds b times the most frequent secret of g, for
    the ratio a/b: X in section 4 of docs/proofs/risk.md.
    """
    a, b = ratio.numerator, ratio.denominator
    told, keys = _named(table, rest, "k")
    wanted, aims = _named(table, secret, "s")
    given, both = ", ".join(keys), ", ".join([*keys, *aims])
    fine = table.engine.keep(
        f"SELECT {both}, z, {table.counting} AS n FROM (SELECT {told}, {wanted}, "
        f"{table.columns[column].place} AS z{table.weight} FROM {table.name}) AS told "
        f"GROUP BY {both}, z"
    )
    coarse = table.engine.keep(
        f"SELECT {both}, CAST(SUM(n) AS BIGINT) AS n FROM {fine} GROUP BY {both}"
    )
    best = (
        f"SELECT {', '.join(f'fine.{key}' for key in keys)}, z, "
        f"MAX({b} * coarse.n + {a - b} * fine.n) AS best FROM {fine} AS fine JOIN {coarse} "
        f"AS coarse ON {_same('fine', 'coarse', [*keys, *aims])} "
        f"GROUP BY {', '.join(f'fine.{key}' for key in keys)}, z"
    )
    most = f"SELECT {given}, {b} * MAX(n) AS most FROM {coarse} GROUP BY {given}"
    [(gain,)] = table.engine.rows(
        f"SELECT SUM(CAST(GREATEST(best - most, 0) AS DECIMAL(38, 0))) FROM ({best}) AS noisy "
        f"JOIN ({most}) AS known ON {_same('noisy', 'known', keys)}"
    )
    return int(gain)


def _groups(table: Coded, known: Sequence[str], secret: Sequence[str]) -> str:
    """Return the question for the size n and the most frequent m of each group."""
    told, keys = _named(table, known, "k")
    given = ", ".join(keys)
    if not secret:
        return (
            f"SELECT {given}, {table.counting} AS n, 0 AS m FROM "
            f"(SELECT {told}{table.weight} FROM {table.name}) AS told GROUP BY {given}"
        )
    wanted, aims = _named(table, secret, "s")
    if table.is_distinct and {*known, *secret} == set(table.columns):
        pairs = f"SELECT {told}, n FROM {table.name}"
        return (
            f"SELECT {given}, CAST(SUM(n) AS BIGINT) AS n, MAX(n) AS m FROM ({pairs}) AS pairs "
            f"GROUP BY {given}"
        )
    both = ", ".join([*keys, *aims])
    many = prod(table.columns[column].size for column in known) >= table.rows
    spread = table.engine.spread(keys, table.rows) if many else ""
    return (
        f"SELECT {given}, CAST(SUM(n) AS BIGINT) AS n, MAX(n) AS m FROM "
        f"(SELECT {both}, {table.counting} AS n FROM "
        f"(SELECT {spread}{told}, {wanted}{table.weight} FROM {table.name}) AS told "
        f"GROUP BY {both}) AS pairs GROUP BY {given}"
    )


def _named(table: Coded, columns: Sequence[str], letter: str) -> tuple[str, list[str]]:
    """Return how the keys of columns are asked for, and their names."""
    names = {f"{letter}{i}": key for i, key in enumerate(table.keys(columns))}
    return ", ".join(f"{key} AS {name}" for name, key in names.items()), list(names)


def _same(one: str, other: str, names: Sequence[str]) -> str:
    return " AND ".join(f"{one}.{name} = {other}.{name}" for name in names)
