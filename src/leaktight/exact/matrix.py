"""Tables of numbers, read, multiplied and shown, exact and floating-point alike."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from leaktight.errors import InvalidInput, InvalidNumber, is_list
from leaktight.exact.numbers import (
    SMALLEST,
    Array,
    exact_array,
    float64,
    float_array,
    is_exact,
    kept,
    kept_floats,
    read_numbers,
    to_float,
)
from leaktight.exact.shown import width
from leaktight.exact.threads import one_thread
from leaktight.exact.tolerances import TOLERANCES
from leaktight.labels import Labels, positions


def as_mapping(value: Any) -> Mapping[Hashable, Any] | None:
    """Return a mapping or a pandas series as a mapping, anything else as None."""
    if isinstance(value, list | tuple | np.ndarray):
        return None
    if isinstance(value, Mapping):
        return value
    if hasattr(value, "index") and hasattr(value, "items") and not hasattr(value, "columns"):
        return dict(value.items())
    return None


def read_table(
    table: Any,
    rows: Iterable[Hashable] | None,
    columns: Iterable[Hashable] | None,
    what: str,
    error: type[InvalidInput],
) -> tuple[Array, Iterable[Hashable] | None, Iterable[Hashable] | None]:
    """Read numbers, and the labels that a pandas table or a mapping of rows brings along."""
    if hasattr(table, "columns") and hasattr(table, "index") and hasattr(table, "to_numpy"):
        rows = table.index if rows is None else rows
        columns = table.columns if columns is None else columns
        table = table.to_numpy()
    elif isinstance(table, Mapping):
        names = list(table) if rows is None else list(rows)
        if set(names) != set(table):
            raise error(f"the labels of the rows must be those of the mapping, got {names}")
        rows, table = names, [table[name] for name in names]
        if any(as_mapping(row) is not None for row in table):
            found = [
                _named_row(name, row, what, error) for name, row in zip(names, table, strict=True)
            ]
            named = dict.fromkeys(column for row in found for column in row)
            columns = list(named if columns is None else columns)
            for name, row in zip(names, found, strict=True):
                positions(row, tuple(columns), f"column (named in row {name!r} of the {what})")
            table = [[row.get(column, 0) for column in columns] for row in found]
    return _read_matrix(table, what, error), rows, columns


def _named_row(
    name: Hashable, row: Any, what: str, error: type[InvalidInput]
) -> Mapping[Hashable, Any]:
    found = as_mapping(row)
    if found is None:
        raise error(f"row {name!r} of the {what} must be a mapping like the others, got {row!r}")
    return found


def _read_matrix(rows: Any, what: str, error: type[InvalidInput]) -> Array:
    if isinstance(rows, np.ndarray) and rows.ndim != 2:
        raise error(f"a {what} is a table of two dimensions, got {rows.ndim}")
    if isinstance(rows, np.ndarray) and np.any(getattr(rows, "mask", False)):
        raise error(f"every entry of the {what} must be there, got an array with masked entries")
    if isinstance(rows, np.ndarray) and rows.dtype.kind == "f":
        matrix = float64(rows)
    elif (at_once := _read_at_once(rows)) is not None:
        return at_once
    elif not is_list(rows):
        raise error(f"a {what} is made of rows of numbers, got {rows!r:.60}")
    else:
        read = [_read_row(i, row, what, error) for i, row in enumerate(rows)]
        for i, row in enumerate(read):
            if len(row) != len(read[0]):
                raise error(
                    f"row {i} of the {what} must have {len(read[0])} entries like row 0, "
                    f"got {len(row)}"
                )
        if not all(map(is_exact, read)):
            read = [kept_floats(row) for row in read]
        matrix = np.array(read).reshape(len(read), -1) if read else np.empty((0, 0))
    if matrix.size == 0:
        raise error(f"a {what} needs at least one row and one column, got {matrix.shape}")
    return matrix


def _read_at_once(rows: Any) -> Array | None:
    """Read lists of the same length; None if something is wrong with them, or looks unusual."""
    if type(rows) is np.ndarray and rows.dtype.hasobject and rows.size:
        rows = rows.tolist()
    plain = type(rows) in (list, tuple) and {*map(type, rows)} <= {list, tuple}
    if not plain or len(widths := set(map(len, rows))) != 1 or widths == {0}:
        return None
    try:
        return read_numbers(chain.from_iterable(rows)).reshape(len(rows), -1)
    except InvalidNumber:
        return None  # which says in which row


def _read_row(i: int, row: Any, what: str, error: type[InvalidInput]) -> Array:
    if not is_list(row) or as_mapping(row) is not None:
        raise error(f"row {i} of the {what} must be a row of numbers, got {row!r:.60}")
    try:
        return read_numbers(row)
    except InvalidNumber as wrong:
        raise error(f"row {i} of the {what} must hold numbers: {wrong}") from None


def matrix_product(left: Array, right: Array) -> Array:
    """Return left · right, in flint if exact."""
    if not is_exact(left):
        with one_thread():
            return left @ right
    (n, k), m = left.shape, right.shape[1]
    entries = (fmpq_mat(n, k, left.ravel()) * fmpq_mat(k, m, right.ravel())).entries()
    return exact_array(entries).reshape(n, m)


def cascade(first: Array, second: Array) -> Array:
    """Return first · second for probabilities, of which none may vanish."""
    whole = matrix_product(first, second)
    if is_exact(whole) or whole.min() >= SMALLEST:
        return whole
    with one_thread():
        ways = (first > 0).astype(np.float32) @ (second > 0).astype(np.float32)
    return kept(whole, ways)


def sum_columns(matrix: Array, names: Sequence[Hashable], groups: Labels) -> Array:
    """Return the sums of the columns that have the same name, in the order of ``groups``."""
    where = {group: i for i, group in enumerate(groups)}
    group_of = np.array([where[name] for name in names])
    order = np.argsort(group_of, kind="stable")
    starts = np.searchsorted(group_of[order], np.arange(len(groups)))
    return np.add.reduceat(matrix[:, order], starts, axis=1)


def column_maxima(matrix: Array, weights: Array | None = None) -> Array:
    """Return max_x weights(x)·matrix(x, z) for each column z, exactly if both are exact."""
    return (_exact_maxima if is_exact(matrix) else _float_maxima)(matrix, weights)


def _float_maxima(matrix: Array, weights: Array | None) -> Array:
    """Go through the memory in order, in blocks that stay in the cache if all of it does not.

    Folding blocks of rows onto each other takes half of the time of numpy's reduction at
    4000 × 4000, and longer at 1000 × 1000.
    """
    by_columns = matrix.flags.f_contiguous
    if matrix.size <= 2**20 or (by_columns and weights is None):
        return np.maximum.reduce(matrix if weights is None else matrix * weights[:, None])
    if by_columns and weights is not None:
        size = max(1, 2**17 // len(matrix))
        starts = range(0, matrix.shape[1], size)
        blocks = (matrix[:, start : start + size] * weights[:, None] for start in starts)
        return np.concatenate([block.max(axis=0) for block in blocks])
    size = max(1, 2**17 // matrix.shape[1])
    best = np.zeros_like(matrix[:size])
    for start in range(0, len(matrix), size):
        block = matrix[start : start + size]
        if weights is not None:
            block = block * weights[start : start + size, None]
        np.maximum(best[: len(block)], block, out=best[: len(block)])
    return best.max(axis=0)


def _exact_maxima(matrix: Array, weights: Array | None) -> Array:
    """Compare as floats first; only what these cannot tell apart is compared exactly."""
    near = float_array(matrix)
    if weights is not None:
        near *= float_array(weights)[:, None]
    # The floats are good to far more than 40 bits, but for numbers at the end of their range.
    columns, rows = np.nonzero((near >= near.max(axis=0) * (1 - 2.0**-40) - 2.0**-900).T)
    starts = np.searchsorted(columns, np.arange(matrix.shape[1]))
    chosen = matrix[rows, columns]
    return np.maximum.reduceat(chosen if weights is None else weights[rows] * chosen, starts)


def equal_rows(rows: Array) -> list[int]:
    """Return for each row the index of the first row that equals it, floats up to rounding."""
    if is_exact(rows):
        # Integers are hashed much faster than the fractions that they make.
        keys: list[Hashable] = [tuple((int(p.p), int(p.q)) for p in row) for row in rows]
    else:
        keys = [*_leaders(rows)]
    first: dict[Hashable, int] = {}
    return [first.setdefault(key, i) for i, key in enumerate(keys)]


def _leaders(rows: Array) -> list[int]:
    """Return for each row of floats one that equals it up to rounding, the same for all of them."""
    # Rows that agree up to rounding have nearly equal projections, so they are close in this order.
    weights = np.random.default_rng(0).standard_normal(rows.shape[1])
    leaders = np.arange(len(rows))
    order = np.argsort(rows @ weights, kind="stable")
    if not _equal_up_to_rounding(rows[order[1:]], rows[order[:-1]]).any():
        return leaders.tolist()
    leader = order[0]
    for i in order[1:]:
        if not _equal_up_to_rounding(rows[leader], rows[i]):
            leader = i
        leaders[i] = leader
    return leaders.tolist()


def _equal_up_to_rounding(one: Array, other: Array) -> Array:
    """Say of rows whether all entries agree relatively; a zero agrees with nothing but a zero."""
    near = TOLERANCES.proportional * np.minimum(one, other)
    return np.asarray((np.abs(one - other) <= near).all(axis=-1))


def text_table(matrix: Array, rows: Labels, columns: Labels) -> str:
    """Return the table as aligned text: ten rows of it, and what fits into a line."""
    header, lines = _cells(matrix, rows, columns, 10, 24)
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    while len(widths) > 2 and sum(widths) + 2 * (len(widths) - 1) > width():
        cut = len(widths) - 2 if header[-1] == "…" else len(widths) - 1
        for line in (header, *lines):
            line[cut:] = ["…"]
        widths[cut:] = [1]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in [header, *lines]
    )


def html_table(matrix: Array, rows: Labels, columns: Labels, title: str) -> str:
    """Return the table as HTML, the first twenty rows and twelve columns of it."""
    return html_rows(title, *_cells(matrix, rows, columns, 20, 12))


def html_rows(title: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return rows under a heading as HTML, without colours: light and dark pages have their own.

    >>> html_rows("", ["who", "%"], [["a<b", "5"]])[:54]
    '<table><thead><tr><th>who</th><th>%</th></tr></thead><'
    """
    from html import escape

    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr><th>{escape(first)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for first, *cells in rows
    )
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    heading = f"<thead><tr>{top}</tr></thead>" if top else ""
    return f"<table>{caption}{heading}<tbody>{body}</tbody></table>"


def _cells(
    matrix: Array, rows: Labels, columns: Labels, most_rows: int, most_columns: int
) -> tuple[list[str], list[list[str]]]:
    more = ["…"] * (len(columns) > most_columns)
    header = ["", *map(_short, columns[:most_columns]), *more]
    lines = [
        [_short(label), *map(_number, row[:most_columns]), *more]
        for label, row in zip(rows[:most_rows], matrix, strict=False)
    ]
    if len(rows) > most_rows:
        lines.append(["…"] * len(header))
    return header, lines


def _short(label: Hashable) -> str:
    text = str(label)
    return text if len(text) <= 16 else text[:15] + "…"


def _number(value: Any) -> str:
    if not isinstance(value, fmpq):
        return f"{value:.6g}"
    text = str(value)
    return text if len(text) <= 16 else f"≈{to_float(value):.6g}"
