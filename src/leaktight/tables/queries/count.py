"""Counts: how many records have one of some values."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from leaktight.errors import InvalidInput, expect
from leaktight.exact.numbers import Number
from leaktight.labels import Labels, positions
from leaktight.tables.queries.answer import Answer, Expected
from leaktight.tables.queries.histogram import plain_answers
from leaktight.tables.queries.query import Block, Form, Part, Space, TableQuery
from leaktight.tables.weights import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class CountOf(TableQuery):
    """How many records have one of some values."""

    kind: ClassVar[str] = "count"
    keys: ClassVar[dict[str, Form]] = {"values": Form.VALUES}

    values: Labels = ()

    @classmethod
    def read(cls, **given: Any) -> Self:
        """Return the query that a study asks."""
        return cls(values=tuple(given.pop("values", ())), **given)

    def said(self) -> dict[str, Any]:
        """Return what is asked, as a ledger has it."""
        return {"values": list(map(repr, self.values))}

    def blocks(self, space: Space) -> list[Block]:
        """Return one number."""
        values = space.values
        counted = set(positions(self.values, values, f"value of {self.name!r}:"))
        if not counted:
            raise InvalidInput(f"the query {self.name!r} must count some value, got none")
        places = [int(i in counted) for i in range(len(values))]
        return [space.block(self, self.name, [self.name], Shape.SUM, places)]

    def answers(self, parts: Sequence[Part]) -> list[Answer]:
        """Return the number."""
        return plain_answers(self.kind, parts)

    def expected(self, parts: Sequence[Part]) -> list[Expected]:
        """Return the error of the number."""
        [part] = parts
        return [Expected(self.name, self.kind, 1, sum(part.variances, Fraction(0)))]


def count_of(
    name: str, values: Iterable[Hashable], *, share: int = 1, error: Number | None = None
) -> TableQuery:
    """Ask how many records have one of some ``values``."""
    if isinstance(values, str):
        raise InvalidInput(f"{name!r} counts a list of values, got the text {values!r:.60}")
    expect(values, Iterable, "list the values that are counted")
    return CountOf.read(name=name, values=values, share=share, error=error)
