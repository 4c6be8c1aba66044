"""How many people are alike in what is known of them, and how many of those share a secret?

People who are alike form a group. Of all groups only this leaves the engine: how many have a size
and so many people with the most frequent secret. The numbers here are proved in
docs/proofs/risk.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from leaktight.tables.risk.answer import Crowd, Exposure, Worst
from leaktight.tables.risk.coded import Coded


@dataclass(frozen=True, slots=True)
class Grouped:
    """The groups that some columns make of a table, by size and most frequent secret."""

    known: tuple[str, ...]
    rows: int
    crowds: tuple[Crowd, ...]
    pairs: int
    """How many groups there are if the secret is known, too."""

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
            known=self.known,
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
        f"SELECT n, m, COUNT(*), CAST(SUM(d) AS BIGINT) FROM ({_groups(table, known, secret)}) "
        "AS sized GROUP BY n, m ORDER BY n, m"
    )
    crowds = tuple(Crowd(n, m if secret else None, groups) for n, m, groups, _ in found)
    return Grouped(tuple(known), table.rows, crowds, sum(pairs for *_, pairs in found))


def worst_rows(
    table: Coded, known: Sequence[str], secret: Sequence[str], count: int
) -> tuple[Worst, ...]:
    """Return the lines of people in the smallest groups; among those, where a secret is likelier.

    The table must have been numbered.
    """
    keys = table.keys(known)
    names = [f"k{i}" for i in range(len(keys))]
    keyed = ", ".join(f"{key} AS {name}" for key, name in zip(keys, names, strict=True))
    joined = " AND ".join(f"rows.{name} = worst.{name}" for name in names)
    found = table.engine.rows(
        f"SELECT rows.line, worst.n, worst.m FROM (SELECT {keyed}, line FROM {table.name}) AS rows "
        f"JOIN (SELECT * FROM ({_groups(table, known, secret, numbered=True)}) AS sized "
        f"ORDER BY n, m DESC, first LIMIT {count}) AS worst ON {joined} "
        f"ORDER BY worst.n, worst.m DESC, worst.first, rows.line LIMIT {count}"
    )
    return tuple(Worst(line, n, m if secret else None) for line, n, m in found)


def noisy_gain(
    table: Coded, rest: Sequence[str], column: str, secret: Sequence[str], ratio: Fraction
) -> int:
    """Return what a noisy column adds to the guesses of a secret, beside the rest that is known.

    For each group g of the rest and each value z of the column that occurs in it, that is how much
    max over s of b·n(g, s) + (a − b)·n(g, z, s) exceeds b times the most frequent secret of g, for
    the ratio a/b.
    """
    a, b = ratio.numerator, ratio.denominator
    keys = table.keys(rest)
    names = [f"k{i}" for i in range(len(keys))]
    secrets = [f"s{i}" for i in range(len(table.keys(secret)))]
    given, known = ", ".join(names), ", ".join([*names, *secrets])
    chosen = ", ".join(
        f"{key} AS {name}"
        for key, name in zip([*keys, *table.keys(secret)], [*names, *secrets], strict=True)
    )
    [value] = table.keys([column])
    fine = (
        f"SELECT {known}, z, {table.counting} AS n FROM (SELECT {chosen}, {value} AS z"
        f"{', n' * table.weighted} FROM {table.name}) AS told GROUP BY {known}, z"
    )
    kept = table.engine.keep(fine)
    coarse = table.engine.keep(
        f"SELECT {known}, CAST(SUM(n) AS BIGINT) AS k FROM {kept} GROUP BY {known}"
    )
    same = " AND ".join(f"fine.{name} = coarse.{name}" for name in [*names, *secrets])
    best = (
        f"SELECT {', '.join(f'fine.{name} AS {name}' for name in names)}, z, "
        f"MAX({b} * k + {a - b} * n) AS best FROM {kept} AS fine JOIN {coarse} AS coarse ON {same} "
        f"GROUP BY {', '.join(f'fine.{name}' for name in names)}, z"
    )
    most = f"SELECT {given}, {b} * MAX(k) AS most FROM {coarse} GROUP BY {given}"
    [(gain,)] = table.engine.rows(
        "SELECT SUM(CAST(GREATEST(best - most, 0) AS DECIMAL(38, 0))) "
        f"FROM ({best}) AS noisy JOIN ({most}) AS rest ON "
        + " AND ".join(f"noisy.{name} = rest.{name}" for name in names)
    )
    return int(gain)


def _groups(
    table: Coded, known: Sequence[str], secret: Sequence[str], *, numbered: bool = False
) -> str:
    """Return the question for size n, most frequent m and kinds of secrets d of each group."""
    keys = table.keys(known)
    names = [f"k{i}" for i in range(len(keys))]
    chosen = ", ".join(f"{key} AS {name}" for key, name in zip(keys, names, strict=True))
    given = ", ".join(names)
    first = "MIN(line) AS first" if numbered else "0 AS first"
    rest = (", n" * table.weighted) + (", line" * numbered)
    if not secret:
        return (
            f"SELECT {given}, {table.counting} AS n, 0 AS m, 1 AS d, {first} "
            f"FROM (SELECT {chosen}{rest} FROM {table.name}) AS told GROUP BY {given}"
        )
    wanted = table.keys(secret)
    aims = [f"s{i}" for i in range(len(wanted))]
    told = ", ".join(f"{key} AS {name}" for key, name in zip(wanted, aims, strict=True))
    by = ", ".join([*names, *aims])
    again = "MIN(first) AS first" if numbered else "0 AS first"
    return (
        f"SELECT {given}, CAST(SUM(n) AS BIGINT) AS n, MAX(n) AS m, COUNT(*) AS d, {again} FROM ("
        f"SELECT {by}, {table.counting} AS n, {first} "
        f"FROM (SELECT {chosen}, {told}{rest} FROM {table.name}) AS told GROUP BY {by}"
        f") AS pairs GROUP BY {given}"
    )
