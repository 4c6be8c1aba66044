"""Does every combination of what there is have an answer that is right, or a refusal in one line?

A property for each question; its cases are cells of the table in ``fuzz/combinations``.
"""

import random
from collections.abc import Callable
from typing import Any

from fuzz.combinations.cells import AXES, RULES, Outcome, try_cell
from fuzz.combinations.covering import filled
from fuzz.combinations.questions import QUESTIONS
from fuzz.combinations.settings import VARIANTS
from fuzz.drawn import Draw
from fuzz.property import Property
from leaktight.errors import LeaktightError


def cell_of(question: str) -> Callable[[Draw], dict[str, Any]]:
    """Draw a cell in which this is asked: of each axis an option that fits the others."""

    def drawn(draw: Draw) -> dict[str, Any]:
        chosen = random.Random(draw.below(2**16))
        row = filled({"question": question}, AXES, 1, RULES, {}, chosen)
        assert row is not None
        return {axis: row[axis] for axis in AXES}

    return drawn


def _property(question: str, ask: Callable[..., int]) -> Property:
    def check(cell: dict[str, Any], variant: int) -> int:
        tried = try_cell(cell, variant)
        if tried.outcome is Outcome.REFUSED:
            raise LeaktightError(tried.why)
        return tried.compared

    check.__doc__ = ask.__doc__
    name = question.replace(": ", "_").replace(" ", "_")
    draws = {"cell": cell_of(question), "variant": lambda draw: draw.below(VARIANTS)}
    return Property(f"combinations.{name}", check, draws)


WALKS = tuple(_property(question, ask) for question, ask in QUESTIONS.items())
