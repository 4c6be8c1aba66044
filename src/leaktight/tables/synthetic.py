"""What synthetic data tell of the people they were made from: attribute and membership inference.

A table can show harm, and cannot show safety: another attack may do better. What is the same for
people of a holdout, whose rows were not used, is no harm to anybody: it is what the data teach of
people in general.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq
from msgspec import Struct

from leaktight.errors import InvalidInput, renamed
from leaktight.exact.numbers import Number, fraction
from leaktight.exact.shown import Told, percent
from leaktight.samples.confidence import binomial_lower, binomial_upper, read_risk
from leaktight.tables.risk.engine import SOURCE, Engine, Sources
from leaktight.tables.risk.question import names_of_columns
from leaktight.tables.source import place


class Share(Struct, frozen=True):
    """How many of how many, and where the chance lies with the confidence asked for."""

    right: int
    rows: int
    lower: float
    upper: float

    @property
    def chance(self) -> Fraction:
        """The share."""
        return Fraction(self.right, self.rows)

    def __str__(self) -> str:
        return f"{percent(self.chance)} ({self.lower:.1%} to {self.upper:.1%})"


class Membership(Struct, frozen=True):
    """How often it is guessed right whether a row was used, 1/2 of the people being of each kind.

    The guess is that those were used whose row is in the synthetic table.
    """

    chance: Fraction
    lower: float
    upper: float

    @classmethod
    def of(cls, used: Share, others: Share) -> "Membership":
        """Return it from copies of rows that were used, and of those that were not."""
        return cls(
            (1 + used.chance - others.chance) / 2,
            max(0.0, (1 + used.lower - others.upper) / 2),
            min(1.0, (1 + used.upper - others.lower) / 2),
        )

    def __str__(self) -> str:
        return f"{percent(self.chance)} ({self.lower:.1%} to {self.upper:.1%})"


class SyntheticRisk(Told, Struct, frozen=True):
    """What synthetic data tell, from :func:`synthetic_risk`."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    confidence: Fraction
    baseline: Share
    """The sensitive value of original people guessed as the synthetic table's most frequent one."""
    guess: Share
    """… guessed as the most frequent one among synthetic rows that are alike in what is known."""
    copies: Share
    """How many original rows are in the synthetic table as they are, in these columns."""
    holdout_guess: Share | None = None
    holdout_copies: Share | None = None
    membership: Membership | None = None
    """Whether somebody's row was used: what copies tell of it, if there is a holdout."""

    @property
    def shows_harm(self) -> bool:
        """Whether the original people fare worse than those of the holdout, beyond chance."""
        pairs = ((self.guess, self.holdout_guess), (self.copies, self.holdout_copies))
        return any(other is not None and one.lower > other.upper for one, other in pairs)

    def __str__(self) -> str:
        told = f"{', '.join(self.sensitive)} of the original people is guessed with {self.guess}"
        if self.holdout_guess is None or self.holdout_copies is None:
            return (
                f"{told}; {self.copies} of their rows are copied; without a holdout, harm cannot "
                "be told from what is true of people in general"
            )
        return (
            f"{told}, of a holdout with {self.holdout_guess}; {self.copies} of the rows are "
            f"copied, {self.holdout_copies} of the holdout, so that whether a row was used is "
            f"guessed with {self.membership}, 50% before: "
            f"{'harm is shown' if self.shows_harm else 'no harm is shown, which proves nothing'}"
        )


@renamed(known="quasi_identifiers", secret="sensitive")
def synthetic_risk(
    synthetic: Any,
    original: Any,
    quasi_identifiers: str | Sequence[str],
    sensitive: str | Sequence[str],
    *,
    holdout: Any = None,
    confidence: Number = Fraction(19, 20),
    progress: Callable[[str], object] = lambda what: None,
) -> SyntheticRisk:
    """Return how well synthetic rows let what is sensitive be guessed, and copies of them.

    The limits are those of Clopper and Pearson, for people drawn independently; the four that
    decide whether harm is shown hold together with the ``confidence``. Everything is counted by
    DuckDB or Spark.

    :param synthetic: a file or a frame, as for :func:`risk`.
    :param original: the rows that it was made from.
    :param quasi_identifiers: columns that somebody knows of a person.
    :param sensitive: the columns that they want.
    :param holdout: rows of others that were not used.

    >>> import polars
    >>> real = polars.DataFrame({"zip": ["a", "b", "c", "d"], "ill": ["x", "y", "x", "y"]})
    >>> found = synthetic_risk(real, real, "zip", "ill")
    >>> found.guess.chance, found.baseline.chance, found.copies.chance
    (Fraction(1, 1), Fraction(1, 2), Fraction(1, 1))
    """
    columns = names_of_columns(quasi_identifiers, "quasi_identifiers")
    wanted = names_of_columns(sensitive, "sensitive")
    if both := {*columns} & {*wanted}:
        raise InvalidInput(f"{min(both)!r} cannot be both a quasi-identifier and sensitive")
    risk = read_risk(confidence)
    given = [synthetic, original, *([] if holdout is None else [holdout])]
    sources = Sources(given)
    try:
        tables, kinds = [], []
        for number, each in enumerate(given):
            progress(f"reading table {number + 1}")
            frame = sources.frame(each, [*columns, *wanted])
            kinds.append(list(frame.collect_schema().values()))
            assert sources.engine is not None
            tables.append(sources.engine.keep(f"SELECT * FROM {SOURCE}", frame))
        if any(kind != kinds[0] for kind in kinds):
            raise InvalidInput("the columns must be of the same types in all tables")
        engine = sources.engine
        assert engine is not None
        progress("comparing")
        attack = _Attack(engine, tables[0], len(columns), len(wanted), risk / 4)
        guess, baseline, copies = attack.on(tables[1])
        others = attack.on(tables[2]) if holdout is not None else None
        return SyntheticRisk(
            columns, wanted, fraction(1 - risk), baseline, guess, copies,
            None if others is None else others[0],
            None if others is None else others[2],
            None if others is None else Membership.of(copies, others[2]),
        )  # fmt: skip
    finally:
        sources.close()


class _Attack:
    """What is guessed by the synthetic rows."""

    def __init__(self, engine: Engine, table: str, known: int, secret: int, risk: fmpq) -> None:
        self._engine, self._risk = engine, risk
        self._known = [place(i) for i in range(known)]
        self._secret = [place(i) for i in range(known, known + secret)]
        all_of_them = ", ".join([*self._known, *self._secret])
        given, aims = ", ".join(self._known), ", ".join(self._secret)
        counts = self._rows = engine.keep(
            f"SELECT {all_of_them}, COUNT(*) AS n FROM {table} GROUP BY {all_of_them}"
        )
        self._best = engine.keep(
            f"SELECT {all_of_them} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {given} "
            f"ORDER BY n DESC, {aims}) AS place FROM {counts}) AS ranked WHERE place = 1"
        )
        self._usual = engine.keep(
            f"SELECT {aims} FROM {table} GROUP BY {aims} ORDER BY COUNT(*) DESC, {aims} LIMIT 1"
        )

    def on(self, table: str) -> tuple[Share, Share, Share]:
        """Return how often people's secret is guessed, by the most frequent one, and copies."""

        def same(other: str, columns: Sequence[str]) -> str:
            return " AND ".join(f"real.{c} IS NOT DISTINCT FROM {other}.{c}" for c in columns)

        found, usual = same("best", self._secret), same("usual", self._secret)
        [(rows, right, plain, copied)] = self._engine.rows(
            f"SELECT COUNT(*), COUNT(CASE WHEN best.hit = 1 AND {found} OR best.hit IS NULL AND "
            f"{usual} THEN 1 END), COUNT(CASE WHEN {usual} THEN 1 END), COUNT(copy.n) FROM "
            f"{table} AS real CROSS JOIN {self._usual} AS usual LEFT JOIN (SELECT *, 1 AS hit FROM "
            f"{self._best}) AS best ON {same('best', self._known)} LEFT JOIN {self._rows} AS copy "
            f"ON {same('copy', [*self._known, *self._secret])}"
        )
        if not rows:
            raise InvalidInput("the table must have rows, got none")
        return self._share(right, rows), self._share(plain, rows), self._share(copied, rows)

    def _share(self, right: int, rows: int) -> Share:
        ends = (limit(right, rows, self._risk) for limit in (binomial_lower, binomial_upper))
        return Share(right, rows, *ends)
