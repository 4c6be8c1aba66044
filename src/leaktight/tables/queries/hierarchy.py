"""Hierarchies: histograms of ever coarser runs of values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from leaktight.errors import InvalidNumber, is_whole
from leaktight.exact.numbers import Number
from leaktight.labels import Labels
from leaktight.tables.queries.answer import Answer, Expected
from leaktight.tables.queries.histogram import plain_answers, plain_errors
from leaktight.tables.queries.query import Block, Form, Part, Space, TableQuery
from leaktight.tables.weights import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Hierarchy(TableQuery):
    """Histograms of ever coarser runs of values, each of ``fanout`` finer ones."""

    kind: ClassVar[str] = "hierarchy"
    keys: ClassVar[dict[str, Form]] = {"fanout": Form.WHOLE}

    fanout: int = 2

    def __post_init__(self) -> None:
        super(Hierarchy, self).__post_init__()
        fanout = self.fanout
        if not is_whole(fanout, 2):
            raise InvalidNumber(
                f"the fanout of {self.name!r} must be 2 or more, got {fanout!r:.60}"
            )

    def said(self) -> dict[str, Any]:
        """Return what is asked, as a ledger has it."""
        return {"fanout": self.fanout}

    def blocks(self, space: Space) -> list[Block]:
        """Return a block for each length of runs."""
        values, found, width = space.values, list[Block](), 1
        while not found or width < len(values):
            runs = [(i, min(i + width, len(values)) - 1) for i in range(0, len(values), width)]
            told = tuple(f"{values[a]} to {values[b]}" for a, b in runs)
            cells: Labels = values if width == 1 else told
            places = [i // width for i in range(len(values))]
            name = f"{self.name}, runs of {width}"
            found.append(space.block(self, name, cells, Shape.HISTOGRAM, places))
            width *= self.fanout
        return found

    def answers(self, parts: Sequence[Part]) -> list[Answer]:
        """Return the numbers of each level."""
        return plain_answers(self.kind, parts)

    def expected(self, parts: Sequence[Part]) -> list[Expected]:
        """Return the errors of each level."""
        return plain_errors(self.kind, parts)


def hierarchy(
    name: str, *, fanout: int = 2, share: int = 1, error: Number | None = None
) -> TableQuery:
    """Ask for histograms of ever coarser runs of values, each of ``fanout`` finer ones.

    A long run of values is then the sum of few noisy numbers; :func:`consistent` joins them all.
    """
    return Hierarchy.read(name=name, fanout=fanout, share=share, error=error)
