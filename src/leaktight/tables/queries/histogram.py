"""Histograms: how many records have each value, plain or ordered."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from leaktight.errors import InvalidInput
from leaktight.exact.numbers import Number
from leaktight.labels import Labels, positions
from leaktight.tables.queries.answer import Answer, Expected, counted_answer
from leaktight.tables.queries.query import Block, Form, Part, Space, TableQuery, names
from leaktight.tables.weights import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram(TableQuery):
    """Plain or ordered, whichever is expected to be nearer to the truth."""

    kind: ClassVar[str] = "histogram"
    keys: ClassVar[dict[str, Form]] = {"by": Form.NAMES, "groups": Form.GROUPS}

    by: tuple[str, ...] = ()
    """The columns whose combinations are counted, if not all."""
    groups: tuple[tuple[Hashable, Labels], ...] = ()
    """The cells and their values, if a cell is not a value."""

    @classmethod
    def read(cls, **given: Any) -> Self:
        """Return the query that a study asks."""
        groups = given.pop("groups", None) or {}
        return cls(groups=tuple((cell, tuple(vs)) for cell, vs in groups.items()), **given)

    def said(self) -> dict[str, Any]:
        """Return what is asked, as a ledger has it."""
        groups = [[repr(cell), list(map(repr, values))] for cell, values in self.groups]
        return {"by": list(self.by), "groups": groups}

    def ways(self) -> tuple[TableQuery, ...]:
        """Plain, and ordered."""
        both = (PlainHistogram, OrderedHistogram)
        return tuple(
            kind(
                name=self.name,
                by=self.by,
                groups=self.groups,
                share=self.share,
                error=self.error,
            )
            for kind in both
        )

    def blocks(self, space: Space) -> list[Block]:
        """Return one block; that of the plain one, unless it is ordered."""
        cells, places = self._cells(space)
        return [space.block(self, self.name, cells, Shape.HISTOGRAM, places)]

    def answers(self, parts: Sequence[Part]) -> list[Answer]:
        """Return the numbers of the block."""
        return plain_answers(self.kind, parts)

    def expected(self, parts: Sequence[Part]) -> list[Expected]:
        """Return the errors of cells, and of runs of them."""
        return plain_errors(self.kind, parts)

    def _cells(self, space: Space) -> tuple[Labels, list[int]]:
        """Return the cells, and for each value its cell or −1."""
        if not self.groups:
            return space.cells(self.by, self.name)
        if self.by:
            raise InvalidInput(f"the query {self.name!r} must have by or groups, got both")
        values = space.values
        place: dict[Hashable, int] = {}
        for cell, (_, members) in enumerate(self.groups):
            for at in positions(members, values, f"value of {self.name!r}:"):
                if place.setdefault(values[at], cell) != cell:
                    raise InvalidInput(
                        f"{self.name!r}: {values[at]!r} must be in one group, got two"
                    )
        return tuple(cell for cell, _ in self.groups), [place.get(v, -1) for v in values]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainHistogram(Histogram):
    """Noise is added to the number of records in each cell."""

    kind: ClassVar[str] = "plain histogram"

    def ways(self) -> tuple[TableQuery, ...]:
        """As it is."""
        return (self,)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedHistogram(Histogram):
    """Noise is added to the number of records up to each cell; what is told are differences."""

    kind: ClassVar[str] = "ordered histogram"

    def ways(self) -> tuple[TableQuery, ...]:
        """As it is."""
        return (self,)

    def blocks(self, space: Space) -> list[Block]:
        """Return one block of numbers up to each cell."""
        cells, places = self._cells(space)
        ranks = [len(cells) if place < 0 else place for place in places]
        return [space.block(self, self.name, cells, Shape.CUMULATIVE, ranks)]

    def answers(self, parts: Sequence[Part]) -> list[Answer]:
        """Return the differences of neighbouring numbers."""
        [part] = parts
        numbers, noisy = part.numbers, part.noisy
        told = [b - a for a, b in zip((0, *numbers[:-1]), numbers, strict=True)]
        noises = [a + b for a, b in zip((0, *noisy[:-1]), noisy, strict=True)]
        block = part.block
        return [counted_answer(block.name, self.kind, block.cells, told, noises, part.noise)]

    def expected(self, parts: Sequence[Part]) -> list[Expected]:
        """Return the errors of cells, and of runs of them."""
        [part] = parts
        errors = part.variances
        count, total = len(errors), sum(errors, Fraction(0))
        # A cell is the difference of two noisy numbers, and the first of one and 0.
        cell = (2 * total - errors[-1]) / count
        return [Expected(part.block.name, self.kind, count, cell, rising_run(errors))]


def histogram(
    name: str,
    *,
    by: Sequence[str] = (),
    groups: Mapping[Any, Iterable[Hashable]] | None = None,
    ordered: bool | None = None,
    share: int = 1,
    error: Number | None = None,
) -> TableQuery:
    """Ask how many records have each value, or fall in each of some ``groups`` of values.

    With several columns, ``by`` names those whose combinations are counted. An ``ordered``
    histogram adds noise to the numbers up to each value, and takes differences: better where only
    values near each other in the list are secret pairs, worse where all values are joined. If
    nothing is said, the better of the two is taken; :func:`plan` shows both.

    >>> histogram("by band").kind, histogram("by band", ordered=True).kind
    ('histogram', 'ordered histogram')
    """
    kind = {None: Histogram, True: OrderedHistogram, False: PlainHistogram}[ordered]
    return kind.read(name=name, by=names(by), groups=groups, share=share, error=error)


def plain_answers(kind: str, parts: Sequence[Part]) -> list[Answer]:
    """Return the numbers of each block as they are."""
    return [
        counted_answer(
            part.block.name, kind, part.block.cells, part.numbers, part.noisy, part.noise
        )
        for part in parts
    ]


def plain_errors(kind: str, parts: Sequence[Part]) -> list[Expected]:
    """Return the errors of cells to which noise was added, and of runs of them."""
    found = []
    for part in parts:
        errors = part.variances
        count = len(errors)
        runs = Fraction(count * (count + 1), 2)
        # Cell i is in (i + 1)·(count − i) runs.
        run = sum((e * (i + 1) * (count - i) for i, e in enumerate(errors)), Fraction(0)) / runs
        cell = sum(errors, Fraction(0)) / count
        found.append(Expected(part.block.name, kind, count, cell, run))
    return found


def rising_run(errors: Sequence[Fraction]) -> Fraction:
    """Return the expected squared error of a run, as the difference of two numbers up to a cell."""
    count = len(errors)
    # The number up to cell i ends i + 1 runs, and the count − i − 1 after them begin there.
    return sum(errors, Fraction(0)) * count / Fraction(count * (count + 1), 2)
