"""Outputs of any kind in columns: numbers, vectors, texts, dictionaries, objects.

A column has a name that reads as Python: ``output[2]``, ``output['age']``, ``len(output)``. What
columns there are decides how much an attack can find, never whether what it finds is true. But a
column must say of an output the same whatever other outputs stand beside it, or counts of events
would not be binomial; that an array of numbers is read at once changes the speed alone.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from leaktight.exact.numbers import Array

MOST_PARTS, MOST_WORDS = 512, 64
"""How many parts of one output are looked at, and how many different words of a text."""

WHOLE = "the output"
"""The column of labels: each output as it is."""


class Outputs:
    """Some outputs of a mechanism, and the columns that can be read off them.

    >>> seen = Outputs([{"age": 3, "ill": True}, {"age": 5}])
    >>> seen.column("output['age']"), seen.column("'ill' in output")
    (array([3., 5.]), array([1., 0.]))
    """

    def __init__(self, rows: Any) -> None:
        """Take a list of outputs, or an array whose first axis is that of the outputs."""
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> Array:
        """Return a column by its name; where an output has no such part, NaN or 0."""
        if name == WHOLE:
            return self._labels
        if name.startswith(LOWEST_BIT):
            return lowest_bit(self.column(name.removeprefix(LOWEST_BIT)))
        if self._matrix is not None:
            return self._of_matrix(name)
        found = (parts.get(name, _default(name)) for parts in self._parts)
        return np.fromiter(found, float, len(self))

    def names(self, low_bits: bool = True) -> list[str]:
        """Return the names of the columns of numbers, those that occur most often first."""
        if self._matrix is None:
            often = Counter(name for parts in self._parts for name in parts)
            found = [name for name, _ in often.most_common(MOST_PARTS)]
        elif self._matrix.ndim == 1:
            found = ["output"]
        else:
            width = self._matrix.shape[1]
            found = [f"output[{i}]" for i in range(min(width, MOST_PARTS))]
            found += [name for name in _SUMMARIES if width > 1]
        floats = [name for name in found if low_bits and self._has_low_bits(name)]
        return [*found, *(LOWEST_BIT + name for name in floats)]

    def _has_low_bits(self, name: str) -> bool:
        """Say whether a column has floats that are not all whole numbers."""
        if not name.startswith("output") or " is None" in name:
            return False
        known = self.column(name)
        known = known[np.isfinite(known)]
        return bool((known != np.floor(known)).any())

    @cached_property
    def _matrix(self) -> Array | None:
        """The outputs as one array of numbers, if they are numbers or vectors of one length."""
        if isinstance(self.rows, np.ndarray):
            array = self.rows
        elif all(isinstance(row, _PLAIN) for row in self.rows):
            array = np.array([_number(row) for row in self.rows])
        elif _is_even(self.rows):
            try:
                array = np.array(self.rows)
            except (ValueError, OverflowError, TypeError):
                return None
        else:
            return None
        if array.dtype.kind not in "iufb" or array.ndim > 2 or array.size == 0:
            return None
        return array.astype(float)

    def _of_matrix(self, name: str) -> Array:
        matrix = self._matrix
        assert matrix is not None
        if name == "output" and matrix.ndim == 1:
            return matrix
        if matrix.ndim == 2 and name in _SUMMARIES:
            return _SUMMARIES[name](matrix)
        place = name.removeprefix("output[").removesuffix("]")
        if matrix.ndim == 2 and place.isdecimal() and int(place) < matrix.shape[1]:
            return matrix[:, int(place)]
        return np.full(len(self), _default(name))

    @cached_property
    def _parts(self) -> list[dict[str, float]]:
        return [dict(_parts(row, "output")) for row in self.rows]

    @cached_property
    def _labels(self) -> Array:
        rows = self.rows.tolist() if isinstance(self.rows, np.ndarray) else self.rows
        return np.fromiter(map(label, rows), dtype=object, count=len(self))


_PLAIN = (int, float, np.integer, np.floating, np.bool_)


def _sums(rows: Array) -> Array:
    """Add up one after the other, as in a row; infinities of both signs have no sum."""
    with np.errstate(all="ignore"):
        return rows.cumsum(axis=1)[:, -1]


_SUMMARIES: dict[str, Callable[[Array], Array]] = {
    "len(output)": lambda rows: np.full(len(rows), float(rows.shape[1])),
    "sum(output)": _sums,
    "max(output)": lambda rows: rows.max(axis=1),
    "min(output)": lambda rows: rows.min(axis=1),
    "argmax(output)": lambda rows: rows.argmax(axis=1).astype(float),
}
"""What is told of a vector as a whole; of each row of an array."""


def _default(name: str) -> float:
    """Return what a column has where an output has no such part."""
    return 0.0 if " in output" in name or " is None" in name else math.nan


LOWEST_BIT = "the exponent of the lowest bit of "


def lowest_bit(numbers: Array) -> Array:
    """Return k for each odd multiple of 2^k: the sum of a float and noise may show which it was.

    >>> lowest_bit(np.array([3.0, 0.75, 0.0]))
    array([ 0., -2., nan])
    """
    share, exponent = np.frexp(numbers)
    usable = np.isfinite(numbers) & (numbers != 0)
    whole = np.where(usable, share * 2.0**53, 1).astype(np.int64)
    zeros = np.log2((whole & -whole).astype(float))
    return np.where(usable, exponent - 53 + zeros, np.nan)


def label(value: Any) -> Hashable:
    """Return something hashable that is equal for equal outputs.

    >>> label({"b": [1, 2], "a": {3}}) == label({"a": {3}, "b": [1, 2]})
    True
    """
    match value:
        case float() if value != value:
            return math.nan
        case str() | bytes() | int() | float() | complex() | Fraction() | Decimal() | None:
            return value
        case np.generic():
            return label(value.item())
        case np.ndarray(ndim=0):
            return label(value.item())
        case Mapping():
            return frozenset((label(k), label(v)) for k, v in value.items())
        case Set():
            return frozenset(map(label, value))
    if (parts := _fields(value)) is not None:
        return type(value).__name__, label(parts)
    if isinstance(value, Iterable):
        return tuple(map(label, value))
    own: Any = type(value).__hash__
    return value if own not in (None, object.__hash__) else repr(value)


def _parts(value: Any, name: str) -> Iterator[tuple[str, float]]:
    """Yield the numbers in an output, each with its name."""
    match value:
        case None:
            yield f"{name} is None", 1.0
        case np.ndarray(ndim=0):
            yield from _parts(value.item(), name)
        case Real() | np.bool_() | Decimal():
            yield name, _number(value)
        case complex():
            yield from ((f"{name}.real", value.real), (f"{name}.imag", value.imag))
        case str() | bytes():
            words: list[Any] = value.split()
            if words != [value] or len(value) > MOST_WORDS:
                yield f"len({name})", float(len(value))
            for word in sorted(set(words))[:MOST_WORDS]:
                yield f"{word[:40]!r} in {name}", 1.0
        case Mapping():
            yield f"len({name})", float(len(value))
            for key, part in list(value.items())[:MOST_PARTS]:
                yield f"{_short(key)} in {name}", 1.0
                yield from _parts(part, f"{name}[{_short(key)}]")
        case Set():
            yield f"len({name})", float(len(value))
            for part in list(value)[:MOST_PARTS]:
                yield f"{_short(part)} in {name}", 1.0
        case _ if (found := _fields(value)) is not None:
            for key, part in found.items():
                yield from _parts(part, f"{name}.{key}")
        case _ if isinstance(value, Iterable):
            yield from _of_sequence(list(value), name)


def _of_sequence(values: list[Any], name: str) -> Iterator[tuple[str, float]]:
    yield f"len({name})", float(len(values))
    for place, part in enumerate(values[:MOST_PARTS]):
        yield from _parts(part, f"{name}[{place}]")
    if values and all(isinstance(part, _PLAIN) for part in values):
        row = np.array([[_number(part) for part in values]])
        for summary, of in list(_SUMMARIES.items())[1:]:
            yield summary.replace("output", name), float(of(row)[0])


def _fields(value: Any) -> dict[str, Any] | None:
    """Return the parts of an object by their names, if it has any."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if callable(to_dict := getattr(value, "to_dict", None)):
        found = to_dict()
        return found if isinstance(found, dict) else None
    if not isinstance(value, Iterable) and getattr(value, "__dict__", None):
        return dict(vars(value))
    return None


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond all floats
        return math.inf if value > 0 else -math.inf


def _short(key: Any) -> str:
    return f"{key!r:.40}"


def _is_even(rows: Any) -> bool:
    """Say whether all outputs are vectors of one length, with numbers in them."""
    return (
        all(_is_vector(row) for row in rows)
        and len({(type(row), len(row)) for row in rows}) == 1
        and all(isinstance(part, _PLAIN) for row in rows for part in row)
    )


def _is_vector(row: Any) -> bool:
    return isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim == 1)
