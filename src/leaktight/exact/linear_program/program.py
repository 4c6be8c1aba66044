"""Linear programs, and their answers."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leaktight.errors import InvalidInput, Undecided
from leaktight.exact.numbers import Array, float_array, is_exact, read_numbers, to_float

Indices: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]
Entries: TypeAlias = tuple[Iterable[int], Iterable[int], Iterable[Any]]
Bounds: TypeAlias = Sequence[Any] | Array | None
"""A bound for each row or variable; None, there or among them, is no bound."""


@dataclass(frozen=True, slots=True, init=False, eq=False)
class LinearProgram:
    """Minimise c·x subject to row_lower ≤ A·x ≤ row_upper and lower ≤ x ≤ upper.

    ``entries`` are the rows, the columns and the values of the non-zero entries of A. Variables
    are at least 0 unless ``lower`` says otherwise. A program is exact if all its numbers are;
    then an absent bound is kept as None, in a floating-point one as infinity.

    >>> sums = ([0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, -1])
    >>> program = LinearProgram([3, 2], sums, row_lower=["1/3", 0])
    >>> program.is_exact, program.shape
    (True, (2, 2))
    """

    cost: Array
    rows: Indices
    columns: Indices
    values: Array
    row_lower: Array
    row_upper: Array
    lower: Array
    upper: Array

    def __init__(
        self,
        cost: Sequence[Any] | Array,
        entries: Entries,
        *,
        row_lower: Bounds = None,
        row_upper: Bounds = None,
        lower: Bounds | int = 0,
        upper: Bounds = None,
    ) -> None:
        n = len(cost)
        m = next((len(bounds) for bounds in (row_lower, row_upper) if bounds is not None), 0)
        rows, columns, values = (
            part if isinstance(part, np.ndarray) else list(part) for part in entries
        )
        given = {
            "cost": list(cost),
            "row_lower": _each(row_lower, m, "row_lower"),
            "row_upper": _each(row_upper, m, "row_upper"),
            "lower": _each(lower, n, "lower"),
            "upper": _each(upper, n, "upper"),
        }
        floats = isinstance(values, np.ndarray) and values.dtype == np.float64
        if not floats:  # the values may be a million, and then there is nothing to read
            given["values"] = list(values)
        numbers = read_numbers(v for part in given.values() for v in part if v is not None)
        if floats:
            numbers = float_array(numbers)
            object.__setattr__(self, "values", values)
        used = 0
        for name, part in given.items():
            there = np.array([v is not None for v in part], dtype=bool)
            absent = None if is_exact(numbers) else math.inf if "upper" in name else -math.inf
            array = np.full(len(part), absent, dtype=numbers.dtype)
            array[there] = numbers[used : used + there.sum()]
            used += there.sum()
            object.__setattr__(self, name, array)
        object.__setattr__(self, "rows", np.array(rows, dtype=np.intp))
        object.__setattr__(self, "columns", np.array(columns, dtype=np.intp))
        _check(self)
        kept = self.values != 0
        for name in ("rows", "columns", "values"):
            object.__setattr__(self, name, getattr(self, name)[kept])

    @property
    def is_exact(self) -> bool:
        """Whether all numbers are exact rationals."""
        return is_exact(self.cost)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and variables there are."""
        return len(self.row_lower), len(self.cost)

    def float(self) -> "LinearProgram":
        """Every number rounded to the nearest float."""
        if not self.is_exact:
            return self

        def rounded(numbers: Array) -> list[float | None]:
            return [None if v is None else to_float(v) for v in numbers]

        return LinearProgram(
            [to_float(v) for v in self.cost],
            (self.rows, self.columns, [to_float(v) for v in self.values]),
            row_lower=rounded(self.row_lower),
            row_upper=rounded(self.row_upper),
            lower=rounded(self.lower),
            upper=rounded(self.upper),
        )


def _each(bounds: Bounds | int, count: int, name: str) -> list[Any]:
    if bounds is None or isinstance(bounds, int):
        return [bounds] * count
    if len(bounds) != count:
        raise InvalidInput(f"{name} must have {count} bounds, got {len(bounds)}")
    return list(bounds)


def _check(program: LinearProgram) -> None:
    m, n = program.shape
    for name, at, count in (("row", program.rows, m), ("column", program.columns, n)):
        if len(at) != len(program.values):
            raise InvalidInput(f"there are {len(program.values)} entries but {len(at)} {name}s")
        for wrong in at[(at < 0) | (at >= count)]:
            raise InvalidInput(f"the {name} of an entry must be one of {count}, got {wrong}")
    places = program.rows * n + program.columns
    if len(np.unique(places)) < len(places):
        raise InvalidInput("every entry of the matrix must be given only once")
    for numbers in (program.cost, program.values):
        if not program.is_exact and not np.isfinite(numbers).all():
            raise InvalidInput("the costs and the entries of the matrix must be finite")
    for name, low, high in (
        ("row", program.row_lower, program.row_upper),
        ("variable", program.lower, program.upper),
    ):
        for i, (least, most) in enumerate(zip(low, high, strict=True)):
            if least is not None and most is not None and not least <= most:
                raise InvalidInput(f"the bounds of {name} {i} must be in order: {least} > {most}")


# --- answers ---


class Answer:
    """What a program comes to: an optimum, or the proof that there is none."""

    __slots__ = ()

    @property
    def optimum(self) -> "Optimum | None":
        """The optimum; None if it is proved that there is none."""
        return None

    @property
    def contradiction(self) -> Array | None:
        """The weights ``y`` of rows whose sum cannot hold; None if all constraints can."""
        return None

    def settled(self, otherwise: str = "the linear program has no optimum") -> "Optimum":
        """Return the optimum; if there is none, raise :class:`Undecided`, which says so."""
        if self.optimum is None:
            raise Undecided(otherwise)
        return self.optimum


@dataclass(frozen=True, slots=True, eq=False)
class Optimum(Answer):
    """The least value c·x, with an x that attains it and the dual y that proves it.

    ``y`` has a price for each row: positive only where its lower bound binds, negative only where
    its upper one does. The reduced costs c − Aᵀy have the same signs for the variables.

    >>> from leaktight.exact import solve_exact
    >>> solve_exact(LinearProgram([1], ([0], [0], [3]), row_lower=[1])).settled().value
    1/3
    """

    value: Any
    x: Array
    y: Array

    @property
    def optimum(self) -> "Optimum":
        """Itself."""
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Infeasible(Answer):
    """No x satisfies all constraints, as their sum with weights ``y`` shows (Farkas' lemma).

    y·r is larger for every r within the bounds of the rows than y·(A·x) for any x within its own.
    """

    y: Array

    @property
    def contradiction(self) -> Array:
        """The weights ``y``."""
        return self.y


@dataclass(frozen=True, slots=True, eq=False)
class Unbounded(Answer):
    """There is no least value: ``x`` is feasible, and from there ``direction`` leads down."""

    x: Array
    direction: Array


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """The vertex where the variables that are not ``basic`` stand at a bound.

    The variables are x and then r = A·x. The bound is the lower one, or the upper if ``at_upper``.
    If the solver found no optimum, its proof rests on the variable ``first``.
    """

    basic: Flags
    at_upper: Flags
    first: int | None = None

    @classmethod
    def slack(cls, program: LinearProgram) -> "Basis":
        """All r; every program has this basis."""
        m, n = program.shape
        return cls(np.arange(n + m) >= n, np.zeros(n + m, dtype=bool))
