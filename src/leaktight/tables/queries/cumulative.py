"""Cumulative counts: how many records have a value up to each one."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from leaktight.exact.numbers import Number
from leaktight.tables.queries.answer import Answer, Expected
from leaktight.tables.queries.histogram import plain_answers, rising_run
from leaktight.tables.queries.query import Block, Form, Part, Space, TableQuery, names
from leaktight.tables.weights import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Cumulative(TableQuery):
    """How many records have a value up to each one, in the order of the policy."""

    kind: ClassVar[str] = "cumulative"
    keys: ClassVar[dict[str, Form]] = {"by": Form.NAMES}

    by: tuple[str, ...] = ()

    def said(self) -> dict[str, Any]:
        """Return what is asked, as a ledger has it."""
        return {"by": list(self.by)}

    def blocks(self, space: Space) -> list[Block]:
        """Return one block of numbers up to each value."""
        cells, places = space.cells(self.by, self.name)
        return [space.block(self, self.name, cells, Shape.CUMULATIVE, places)]

    def answers(self, parts: Sequence[Part]) -> list[Answer]:
        """Return the numbers of the block."""
        return plain_answers(self.kind, parts)

    def expected(self, parts: Sequence[Part]) -> list[Expected]:
        """Return the errors of the numbers, and of runs between two of them."""
        [part] = parts
        errors = part.variances
        cell = sum(errors, Fraction(0)) / len(errors)
        return [Expected(part.block.name, self.kind, len(errors), cell, rising_run(errors))]


def cumulative(
    name: str, *, by: Sequence[str] = (), share: int = 1, error: Number | None = None
) -> TableQuery:
    """Ask how many records have a value up to each one, in the order of the policy.

    With several columns, ``by`` names the one whose values are counted up.
    """
    return Cumulative.read(name=name, by=names(by), share=share, error=error)
