"""Calls of a mechanism on two inputs, in an order that is drawn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaktight.errors import InvalidInput
from leaktight.testing.outputs import Outputs

Both = tuple[Outputs, Outputs]
"""Outputs for the one input and for the other."""


@dataclass(frozen=True, slots=True)
class Batched:
    """A mechanism that returns many independent outputs at once: ``function(x, count)``.

    >>> Batched(lambda x, count: [x] * count).draw(7, 3)
    [7, 7, 7]
    """

    function: Callable[[Any, int], Any]

    def draw(self, value: Any, count: int) -> Any:
        """Return so many outputs, in a list or in an array whose first axis they are."""
        found = self.function(value, count)
        rows = found if isinstance(found, np.ndarray) else list(found)
        if len(rows) != count:
            raise InvalidInput(
                f"a mechanism that is Batched must return {count:,} outputs, got {len(rows):,}"
            )
        return rows


@dataclass(frozen=True, slots=True)
class Calls:
    """A mechanism and the two inputs on which it is called.

    The order is drawn, so that what changes with time is no property of an input.
    """

    mechanism: Any
    inputs: tuple[Any, Any]
    rng: np.random.Generator

    def draw(self, each: int) -> Both:
        """Call the mechanism so many times on each input."""
        if isinstance(self.mechanism, Batched):
            sides = [self.mechanism.draw(value, each) for value in self.inputs]
        else:
            order = self.rng.permutation(np.repeat([0, 1], each)).tolist()
            sides = [[], []]
            for side in order:
                sides[side].append(self.mechanism(self.inputs[side]))
        return Outputs(sides[0]), Outputs(sides[1])
