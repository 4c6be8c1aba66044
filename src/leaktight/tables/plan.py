"""How near to the truth will each number be? Known before anything is spent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from leaktight.exact.numbers import Number
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.shown import nearest
from leaktight.policies.policy import Policy
from leaktight.tables.calibration import Noise, calibrated
from leaktight.tables.noise import BlockNoise
from leaktight.tables.protection import Protection
from leaktight.tables.query import Block, Kind, TableQuery, distinct


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected squared errors of a query: of one number, and of a run of neighbouring ones."""

    query: str
    kind: Kind
    numbers: int
    cell: Fraction
    """Of one number, averaged over all."""
    run: Fraction | None
    """Of the records in a run of neighbouring cells, averaged over all runs; None for a sum."""
    chosen: bool = True
    """Whether it is what :func:`release` would do."""

    def __str__(self) -> str:
        told = f"{self.query} ({self.kind}): one number is off by ±{_typical(self.cell)}"
        if self.run is not None and self.numbers > 1:
            told += f", a run of neighbouring ones by ±{_typical(self.run)}"
        return told + (" ← taken" if self.chosen else "")


def plan(
    policy: Policy,
    queries: Iterable[TableQuery],
    *,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    columns: Sequence[str] = (),
    absent: object = None,
    rows_per_person: int = 1,
    people: str | None = None,
) -> tuple[Expected, ...]:
    """Return the expected errors of each query, and for histograms of the other way too.

    Nothing is read or spent. 101 ages of which only neighbouring ones are secret pairs:

    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.tables.query import histogram
    >>> ages = Policy(SecretGraph.line(101), records=1000)
    >>> for way in plan(ages, [histogram("ages")], ratio=2):
    ...     print(way.kind, round(float(way.run), 2), way.chosen)
    ordered histogram 7.84 True
    plain histogram 565.99 False
    """
    protection = Protection(policy, absent, rows_per_person, people).expect_secrets()
    asked = distinct(queries)
    allowed = Ratio.of(ratio, epsilon)
    noise = calibrated(protection, asked, allowed, tuple(columns))
    found = expected_errors(noise)
    taken = {each.query: each.kind for each in found}
    for query in asked:
        if query.kind is Kind.HISTOGRAM:
            other = Kind.PLAIN if taken[query.name] is Kind.ORDERED else Kind.ORDERED
            fixed = [
                replace(each, kind=other if each is query else taken.get(each.name, each.kind))
                for each in asked
            ]
            instead = expected_errors(calibrated(protection, fixed, allowed, tuple(columns)))
            found += [replace(each, chosen=False) for each in instead if each.query == query.name]
    return tuple(sorted(found, key=lambda each: [q.name for q in asked].index(_of(each, asked))))


def _of(each: Expected, asked: Sequence[TableQuery]) -> str:
    """Return the name of the query of which something is expected; a level has a longer one."""
    return next(
        q.name for q in asked if each.query == q.name or each.query.startswith(f"{q.name},")
    )


def expected_errors(noise: Noise) -> list[Expected]:
    """Return the expected squared errors of each block."""
    return [_expected(noise, block) for block in noise.blocks]


def mean_error(noise: Noise) -> Fraction:
    """Return the expected squared error of a number, averaged over the queries."""
    found = expected_errors(noise)
    return sum((each.cell for each in found), Fraction(0)) / len(found)


def variance(noise: BlockNoise | None) -> Fraction:
    """Return the expected square of a noise; 0 where there is none."""
    return Fraction(0) if noise is None else noise.variance


def _expected(noise: Noise, block: Block) -> Expected:
    errors = [variance(own) for own in noise.of(block)]
    count, total = len(errors), sum(errors, Fraction(0))
    kind = block.query.kind
    # In order, a cell is the difference of two noisy numbers, and the first of one and 0.
    cells = 2 * total - errors[-1] if kind is Kind.ORDERED else total
    return Expected(block.name, kind, count, cells / count, _run(errors, kind))


def _run(errors: list[Fraction], kind: Kind) -> Fraction | None:
    """Return the expected squared error of a run of cells, averaged over all runs."""
    count = len(errors)
    runs = Fraction(count * (count + 1), 2)
    if kind in (Kind.COUNT, Kind.SUM):
        return None
    if kind in (Kind.ORDERED, Kind.CUMULATIVE):
        # The number up to cell i ends i + 1 runs, and the count − i − 1 after them begin there.
        return sum(errors, Fraction(0)) * count / runs
    # Cell i is in (i + 1)·(count − i) runs.
    return sum((e * (i + 1) * (count - i) for i, e in enumerate(errors)), Fraction(0)) / runs


def _typical(error: Fraction) -> str:
    return nearest(float(error) ** 0.5)
