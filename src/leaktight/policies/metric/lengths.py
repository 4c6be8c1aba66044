"""Lengths: a rational number, or two rationals that enclose the distance of two points.

Distances along streets are rational for rational points. Straight ones are square roots of
rationals, which are kept too, so that it is decided exactly whether a point lies between two
others. Those on a globe are enclosed by balls. Places are read from CSV: a name and its
coordinates in each line.
"""

import csv
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import arb, fmpq, fmpz

from leaktight.errors import InvalidFile, InvalidNumber, expect_list, is_list
from leaktight.exact.numbers import Array, as_printed, exact_array, to_float
from leaktight.exact.rounding import precision
from leaktight.exact.shown import shown
from leaktight.files import expect_commas, read_path

Points: TypeAlias = Mapping[Hashable, Any] | Iterable[Any]
"""Where each value is: coordinates by value, or the coordinates themselves as values."""

CLOSE = 2.0**-30
"""Sums of distances that are so near to a distance are compared exactly."""

LONGEST = 2.0**500
"""The longest distance, and one over the shortest: floats look first at what lies between two."""

BITS = 96
"""How many bits an enclosure of a distance has."""


class Lengths(NamedTuple):
    """All distances, as square arrays of rationals below and above, and what tells them exactly.

    ``squares`` are those of the distances, if they are rational and the distances need not be.
    None stands for an infinite distance: between such values nothing is asked.
    """

    lower: Array
    upper: Array
    squares: Array | None = None
    is_closed: bool = False
    """Whether distances were replaced by shorter sums of others."""

    @property
    def near(self) -> npt.NDArray[np.float64]:
        """The distances in floating point, ∞ on the diagonal."""
        flat = [np.inf if d is None else near(d) for d in self.lower.ravel()]
        found = np.array(flat).reshape(self.lower.shape)
        np.fill_diagonal(found, np.inf)
        return found

    def sum_is_at_most(self, i: int, k: int, j: int) -> bool:
        """Say whether it is sure that d(i, k) + d(k, j) ≤ d(i, j): k lies between i and j."""
        if self.squares is None:
            return bool(self.upper[i, k] + self.upper[k, j] <= self.lower[i, j])
        a, b, c = self.squares[i, k], self.squares[k, j], self.squares[i, j]
        return bool(c >= a + b and (c - a - b) ** 2 >= 4 * a * b)


def read_points(points: Points) -> tuple[list[Hashable], Array]:
    """Return the values and their coordinates, a row each, as exact numbers.

    >>> read_points({"home": (0, "1/2"), "work": (3, 4)})[1].tolist()
    [[0, 1/2], [3, 4]]
    """
    expect_list(points, "points must be a list of coordinates", InvalidNumber)
    if isinstance(points, Mapping):
        values, given = list(points), list(points.values())
    else:
        given = points.tolist() if isinstance(points, np.ndarray) else list(points)
        values = [tuple(p) if isinstance(p, Sequence) and not isinstance(p, str) else p
                  for p in given]  # fmt: skip
    rows = [tuple(p) if is_list(p) else (p,) for p in given]
    for value, row in zip(values, rows, strict=True):
        if len(row) != len(rows[0]) or not row:
            raise InvalidNumber(
                f"every point must have {len(rows[0])} coordinates, got {len(row)} for {value!r}"
            )
    if not rows:
        raise InvalidNumber("there must be at least one point, got none")
    flat = [_coordinate(x, value) for value, row in zip(values, rows, strict=True) for x in row]
    return values, exact_array(flat).reshape(len(rows), -1)


def _coordinate(given: object, value: Hashable) -> fmpq:
    try:
        return as_printed(given)
    except InvalidNumber:
        raise InvalidNumber(
            f"every coordinate must be a number, got {given!r:.40} for {value!r}"
        ) from None


def straight(points: Array) -> Lengths:
    """Return Euclidean distances, with their squares."""
    squares = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    known = {square: _root(square) for square in dict.fromkeys(squares.ravel().tolist())}
    ends = (exact_array(known[s][end] for s in squares.ravel()) for end in (0, 1))
    lower, upper = (end.reshape(squares.shape) for end in ends)
    return Lengths(lower, upper, squares)


def _root(square: fmpq) -> tuple[fmpq, fmpq]:
    """Return rationals below and above a square root: itself if it is rational."""
    p, q = square.p, square.q
    if p.is_square() and q.is_square():
        exact = fmpq(p.isqrt(), q.isqrt())
        return exact, exact
    shift = max(0, BITS - (p.height_bits() - q.height_bits()) // 2)
    low = ((p << 2 * shift) // q).isqrt()
    return fmpq(low, fmpz(1) << shift), fmpq(low + 1, fmpz(1) << shift)


def along_axes(points: Array) -> Lengths:
    """Return the sums of the differences of coordinates: distances along streets."""
    table = abs(points[:, None, :] - points[None, :, :]).sum(axis=2)
    return Lengths(table, table)


def on_globe(points: Array, radius: fmpq) -> Lengths:
    """Return great-circle distances between (latitude, longitude) in degrees."""
    if points.shape[1] != 2:
        raise InvalidNumber(
            f"a place on a globe has a latitude and a longitude, got {points.shape[1]} coordinates"
        )
    for latitude, longitude in points.tolist():
        if abs(latitude) > 90 or abs(longitude) > 180:
            raise InvalidNumber(
                "a latitude must be from -90 to 90 degrees and a longitude from -180 to 180, "
                f"got {float(latitude):g}, {float(longitude):g}"
            )
    n = len(points)
    table = exact_array([0] * (2 * n * n)).reshape(2, n, n)
    with precision(2 * BITS):
        cosines = [(arb(p[0]) / 180).cos_pi() for p in points]
        for i in range(n):
            for j in range(i):
                up, along = ((arb(d) / 360).sin_pi() for d in points[i] - points[j])
                half = (up**2 + cosines[i] * cosines[j] * along**2).sqrt()
                # Opposite places: the sine may be 1, which a ball around it exceeds.
                least = half.lower().min(arb(1)).asin()
                most = half.upper().asin() if half < 1 else arb.pi() / 2
                with precision(BITS):
                    low = (2 * arb(radius) * least).lower().fmpq()
                    high = (2 * arb(radius) * most).upper().fmpq()
                table[:, i, j] = table[:, j, i] = max(low, fmpq(0)), high
    return Lengths(table[0], table[1])


def read_pairs(values: Sequence[Hashable], table: Mapping[Any, Any]) -> Lengths:
    """Return the distances that a table by pairs of values has, each pair either way round."""

    def entry(i: int, j: int) -> Any:
        if i == j:
            return 0
        for a, b in ((i, j), (j, i)):
            if (pair := (values[a], values[b])) in table:
                return table[pair]
        raise InvalidNumber(f"there is no distance from {values[i]!r} to {values[j]!r}")

    return read_table(values, entry)


def read_table(values: Sequence[Hashable], entry: Callable[[int, int], Any]) -> Lengths:
    """Return the distances that a table has, exactly, and refuse what are none."""
    n = len(values)
    table = exact_array([0] * (n * n)).reshape(n, n)
    for i in range(n):
        if _distance(entry(i, i), values[i], values[i]) != 0:
            raise InvalidNumber(
                f"the distance of {values[i]!r} from itself must be 0, got {entry(i, i)!r:.40}"
            )
        for j in range(i):
            one, other = entry(i, j), entry(j, i)
            table[i, j] = table[j, i] = _distance(one, values[i], values[j])
            if table[i, j] != _distance(other, values[j], values[i]):
                raise InvalidNumber(
                    f"a distance must be the same both ways, got {one!r:.40} from {values[i]!r} "
                    f"to {values[j]!r} and {other!r:.40} back"
                )
    return _closed(table)


def _closed(table: Array) -> Lengths:
    """Replace distances by the lengths of shortest paths, exactly, as Floyd and Warshall do."""
    floats, changed = Lengths(table, table).near, False
    for k in range(len(table)):
        through = floats[:, [k]] + floats[k]
        closer = (through <= floats * (1 + CLOSE)) & (through < np.inf)
        for i, j in np.argwhere(np.triu(closer, 1)).tolist():
            way = table[i, k] + table[k, j]
            if table[i, j] is None or way < table[i, j]:
                table[i, j] = table[j, i] = way
                floats[i, j] = floats[j, i] = near(way)
                changed = True
    return Lengths(table, table, is_closed=changed)


def pairs_that_matter(values: Sequence[Hashable], lengths: Lengths) -> list[tuple[int, int]]:
    """Return the pairs at a finite distance without a value between them."""
    near = lengths.near
    if not near.min(initial=np.inf) > 0:
        i, j = np.argwhere(~(near > 0))[0]
        raise InvalidNumber(
            "different values must be at a distance above 0, "
            f"got {shown(lengths.lower[i, j])} from {values[i]!r} to {values[j]!r}"
        )
    kept = []
    for i, row in enumerate(near):
        close = row[:, None] + near <= row * (1 + CLOSE)  # a row for each k, a column for each j
        for j in (i + np.flatnonzero(row[i:] < np.inf)).tolist():
            between = np.flatnonzero(close[:, j]).tolist()
            if not any(lengths.sum_is_at_most(i, k, j) for k in between):
                kept.append((i, j))
    return kept


def _distance(given: object, a: Hashable, b: Hashable) -> fmpq | None:
    """Return a distance that was given, None if it is infinite."""
    if isinstance(given, float | np.floating) and np.isposinf(given):
        return None
    try:
        length = as_printed(given)
    except InvalidNumber:
        raise InvalidNumber(
            f"a distance must be a number, got {given!r:.40} from {a!r} to {b!r}"
        ) from None
    if length < 0:
        raise InvalidNumber(f"a distance must be at least 0, got {given!r:.40} from {a!r} to {b!r}")
    return length


def near(length: fmpq) -> float:
    """Return a distance in floating point, and refuse one of a size that floats may lose."""
    found = to_float(length)
    if length > 0 and not 1 / LONGEST <= found <= LONGEST:
        raise InvalidNumber(
            f"a distance must be from 2^-500 to 2^500, got {shown(length)}; use another unit"
        )
    return found


def positive(length: object, a: Hashable, b: Hashable) -> fmpq:
    """Return the length of an edge."""
    found = _distance(length, a, b)
    if not found:
        raise InvalidNumber(
            f"the length of an edge must be a number above 0, got {length!r:.40} "
            f"from {a!r} to {b!r}"
        )
    near(found)
    return found


LARGEST_FILE = 2**20
"""The most bytes of a file of places."""


def read_places(path: str | Path) -> dict[Hashable, tuple[str, ...]]:
    """Return the coordinates of each place; the first line of the file says what they are.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "cities.csv"
    ...     _ = file.write_text("city,north,east\\nLyon,45.764,4.8357\\nGraz,47.07,15.44\\n")
    ...     read_places(file)
    {'Lyon': ('45.764', '4.8357'), 'Graz': ('47.07', '15.44')}
    """
    source = read_path(path)
    try:
        if source.stat().st_size > LARGEST_FILE:
            raise InvalidFile(f"{source}: places must have at most {LARGEST_FILE:,} bytes")
        with source.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            lines = [(reader.line_num, line) for line in reader if line]
    except FileNotFoundError:
        raise InvalidFile(f"there is no file {source}") from None
    except (OSError, UnicodeDecodeError, csv.Error) as wrong:
        raise InvalidFile(f"{source} must be a readable CSV file: {wrong}") from None
    if lines:
        expect_commas(lines[0][1], f"{source}: ")
    if len(lines) < 2 or len(lines[0][1]) < 2:
        raise InvalidFile(
            f"{source}: the first line names the columns, such as place,latitude,longitude, and a "
            "line for each place follows"
        )
    wide, places = len(lines[0][1]), dict[Hashable, tuple[str, ...]]()
    for number, (name, *coordinates) in lines[1:]:
        if len(coordinates) + 1 != wide:
            raise InvalidFile(
                f"{source}, line {number} must have {wide} cells like line 1, "
                f"got {len(coordinates) + 1}"
            )
        if name in places:
            raise InvalidFile(f"{source}, line {number}: every place must be named once, "
                              f"got {name!r:.60} again")  # fmt: skip
        places[name] = tuple(coordinates)
    return places
