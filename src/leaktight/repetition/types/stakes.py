"""What each guess costs, for each class of secrets.

The guess for a type is the first of those that cost least, the chances of the classes counted in.
Floating point proposes it for many types at once and says where it cannot tell; there, exact
numbers decide. What goes with the guess is summed over all types by ``decisions``.
"""

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.exact.numbers import Array, float_array, over_common
from leaktight.repetition.types.type_classes import Counts, Floats

TINY = 2.0**-1050
"""More than what numbers below the range of floats can add up to in one cost."""

SMALLEST = fmpq(1, 2**1000)
"""Numbers are divided by the largest of them, or by this if they are all 0."""

Entries: TypeAlias = dict[int, list[tuple[int, fmpq]]]
"""For each guess, some classes with a number each."""

Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Guessing:
    """Guess the class of the secret: a wrong guess costs the weight of the true one."""

    weights: Array
    """Exact numbers above 0, one for each class."""
    scale: fmpq = field(init=False)
    """What :meth:`earned` is to be multiplied by."""
    _floats: Floats = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", self.weights.max())
        object.__setattr__(self, "_floats", float_array(self.weights / self.scale)[:, None])

    @property
    def pays_the_cost(self) -> bool:
        """Whether what is summed is what the guess costs."""
        return True

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.weights)

    @property
    def width(self) -> int:
        """How much work each type is, in floats."""
        return len(self.weights)

    @property
    def exact_width(self) -> int:
        """How much work each type is, in exact numbers."""
        return len(self.weights)

    def choose(self, chances: Floats, margin: float) -> tuple[Counts, Mask]:
        """Return the best guess for each type (column), and where it may be another one.

        The numbers that are compared may be off by a factor of ``margin``.
        """
        each = self._floats * chances
        close = each * margin + TINY >= each.max(axis=0)
        return close.argmax(axis=0), np.count_nonzero(close, axis=0) > 1

    def settle(self, chances: Array) -> Counts:
        """Return the best guess for each type, the chances given as exact whole numbers."""
        return (over_common(self.weights)[0][:, None] * chances).argmax(axis=0)

    def earned(self, chances: Floats, guess: Counts) -> Floats:
        """Return what is to be summed for each type."""
        each = self._floats * chances
        each[guess, np.arange(guess.size)] = 0
        return each.sum(axis=0)

    def by_guess(self) -> tuple[fmpq, Entries]:
        """Return what is earned in any case, and what each guess adds to it for some classes."""
        return self.weights.sum(), {c: [(c, -weight)] for c, weight in enumerate(self.weights)}


@dataclass(frozen=True, slots=True, eq=False)
class Stakes:
    """Any costs, and what is summed: exact numbers ≥ 0 for each guess (row) and class (column)."""

    costs: Array
    payoff: Array
    """What is summed: often the costs themselves."""
    scale: fmpq = field(init=False)
    _costs: Floats = field(init=False)
    _payoff: Floats = field(init=False)

    def __post_init__(self) -> None:
        for name, table in (("_costs", self.costs), ("_payoff", self.payoff)):
            object.__setattr__(self, name, float_array(table / max(table.max(), SMALLEST)))
        object.__setattr__(self, "scale", max(self.payoff.max(), SMALLEST))

    @property
    def pays_the_cost(self) -> bool:
        """Whether what is summed is what the guess costs."""
        return self.payoff is self.costs

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.costs.shape[1]

    @property
    def width(self) -> int:
        """How much work each type is, in floats: a product of matrices goes quickly."""
        guesses, classes = self.costs.shape
        return max(guesses, classes, guesses * classes // 16)

    @property
    def exact_width(self) -> int:
        """How much work each type is, in exact numbers."""
        return self.costs.size

    def choose(self, chances: Floats, margin: float) -> tuple[Counts, Mask]:
        """Return the best guess for each type (column), and where it may be another one."""
        each = self._costs @ chances
        close = each <= each.min(axis=0) * margin + TINY
        return close.argmax(axis=0), np.count_nonzero(close, axis=0) > 1

    def settle(self, chances: Array) -> Counts:
        """Return the best guess for each type, the chances given as exact whole numbers."""
        return (over_common(self.costs)[0] @ chances).argmin(axis=0)

    def earned(self, chances: Floats, guess: Counts) -> Floats:
        """Return what is to be summed for each type."""
        return (self._payoff @ chances)[guess, np.arange(guess.size)]

    def by_guess(self) -> tuple[fmpq, Entries]:
        """Return what is earned in any case, and what each guess adds to it for some classes.

        In any case the most frequent number of each class is.
        """
        usual = [max(set(column), key=column.count) for column in self.payoff.T.tolist()]
        entries = {
            w: [(c, p - usual[c]) for c, p in enumerate(row) if p != usual[c]]
            for w, row in enumerate(self.payoff)
        }
        return sum(usual, fmpq(0)), entries
