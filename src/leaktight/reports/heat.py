"""Heat maps of probabilities, with names and numbers where they fit.

A cell is one colour, the stronger the likelier, over whatever the page's own colour is: so the map
reads on light and dark pages alike. Beyond what can be named it is a plain map.
"""

import math
from collections.abc import Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from leaktight.reports.figure import HEAT, INK, LINE, ON_HEAT, ON_PALE, VERMILLION, short_label

WIDTH, TALLEST = 340.0, 300.0
"""The width of a picture with its names, and the height of many rows."""

ROW = 20.0
"""The height of a row that has a name."""

LETTER, BESIDE = 5.5, 22
"""The width of a letter, and the most letters of a name beside or below the map."""

MOST_NAMED = 40
"""The most rows or columns that have names, at least some of them."""

MOST_NUMBERED = 16
"""The most rows whose probabilities are written into the cells, if they have room."""

STRONG = 0.68
"""From which part of the full colour on letters are of the other colour."""

LEVELS = 32
"""How many strengths a plain map has."""


def heat_map_svg(
    matrix: npt.ArrayLike,
    inputs: Sequence[str],
    outputs: Sequence[str],
    title: str,
    marked: tuple[int, int, int] | None = None,
    name: str = "mechanism",
) -> str:
    """Draw a channel as one SVG element: a row per input, darker where an output is likelier.

    ``marked`` are two rows and a column whose entries are framed.

    >>> drawn = heat_map_svg([[0.75, 0.25], [0.25, 0.75]], ["no", "yes"], ["no", "yes"], "A coin")
    >>> drawn.count('class="cell"'), drawn.count(">0.75<")
    (4, 2)
    """
    table = np.asarray(matrix, dtype=float)
    rows, columns = table.shape
    most = float(table.max()) or 1.0
    named = [_names(side) for side in (inputs, outputs)]
    left = 14 + (4 + LETTER * max(map(len, named[0])) if named[0] else 0)
    wide = (WIDTH - left) / columns
    high = max(min(ROW, TALLEST / rows), 4.0) if named[0] else TALLEST / max(rows, columns)
    if not named[0]:
        wide = min(wide, 2 * high)
    parts = [_cells(table / most, left, wide, high)]
    if rows <= MOST_NUMBERED and wide > 6 * LETTER:
        parts.append(_numbers(table, most, left, wide, high))
        top = 0.0
    else:
        top = 22.0
        parts.append(_legend(most, WIDTH))
    height, foot = high * rows, LETTER * max(map(len, named[1]), default=0)
    turned = foot > wide - 4
    parts += _beside(named[0], left, high, marked and marked[:2])
    parts += _below(named[1], left, wide, height, turned, marked and marked[2:])
    low = height + (4 + (foot if turned else 12) if named[1] else 0) + 12
    parts.append(
        f'<text x="{left + wide * columns / 2:.1f}" y="{low:.1f}" text-anchor="middle">output'
        f'</text><text transform="translate(9 {height / 2:.1f}) rotate(-90)" '
        'text-anchor="middle">input</text>'
    )
    if marked is not None:
        parts += [_frame(left, wide, high, row, marked[2]) for row in marked[:2]]
    return (
        f'<svg viewBox="0 {-top - 2:.1f} {WIDTH:.0f} {low + top + 6:.1f}" width="{WIDTH:.0f}pt" '
        f'height="{low + top + 6:.0f}pt" role="img" aria-labelledby="{name}-title" '
        f'font-family="sans-serif" font-size="9"><title id="{name}-title">{escape(title)}</title>'
        f'<g fill="{INK}">{"".join(parts)}</g></svg>'
    )


def _names(labels: Sequence[str]) -> list[str]:
    return [short_label(label, BESIDE) for label in labels] if len(labels) <= MOST_NAMED else []


def _cells(strengths: npt.NDArray[np.float64], left: float, wide: float, high: float) -> str:
    """Draw a square for each entry, or one shape for each strength if there are many."""
    rows, columns = strengths.shape
    if max(rows, columns) <= MOST_NAMED:
        cells = "".join(
            f'<rect class="cell" x="{left + wide * z:.1f}" y="{high * x:.1f}" width="{wide:.1f}" '
            f'height="{high:.1f}" fill-opacity="{strength:.3g}"/>'
            for (x, z), strength in np.ndenumerate(strengths)
        )
        return f'<g fill="{HEAT}" stroke="{LINE}" stroke-width="0.8">{cells}</g>'
    levels = np.rint(LEVELS * strengths).astype(int)
    shapes = "".join(
        f'<path fill-opacity="{level / LEVELS:.3g}" d="'
        + "".join(f"M{z} {x}h1v1h-1z" for x, z in np.argwhere(levels == level).tolist())
        + '"/>'
        for level in np.unique(levels[levels > 0]).tolist()
    )
    return (
        f'<g fill="{HEAT}" transform="translate({left:.1f} 0) scale({wide:.4f} {high:.4f})">'
        f"{shapes}</g>"
        f'<rect x="{left:.1f}" y="0" width="{wide * columns:.1f}" height="{high * rows:.1f}" '
        f'fill="none" stroke="{LINE}"/>'
    )


def _numbers(
    table: npt.NDArray[np.float64], most: float, left: float, wide: float, high: float
) -> str:
    texts = "".join(
        f'<text class="chance" x="{left + wide * (z + 0.5):.1f}" y="{high * (x + 0.5) + 3:.1f}" '
        f'fill="{ON_HEAT if entry > STRONG * most else ON_PALE}">{entry:.2g}</text>'
        for (x, z), entry in np.ndenumerate(table)
    )
    return f'<g text-anchor="middle">{texts}</g>'


def _legend(most: float, right: float) -> str:
    """Draw how strong 0, the largest probability and what lies between are."""
    steps = "".join(
        f'<rect x="{right - 110 + 15 * k:.0f}" y="-18" width="15" height="9" fill="{HEAT}" '
        f'fill-opacity="{k / 4:.2g}" stroke="{LINE}"/>'
        for k in range(5)
    )
    return (
        f'{steps}<text x="{right - 116:.0f}" y="-10" text-anchor="end">probability 0</text>'
        f'<text class="most" x="{right - 30:.0f}" y="-10">{most:.2g}</text>'
    )


def _beside(
    names: Sequence[str], left: float, high: float, marked: tuple[int, ...] | None
) -> list[str]:
    step = math.ceil(9 / high)
    return [
        f'<text x="{left - 4:.1f}" y="{high * (k + 0.5) + 3:.1f}" text-anchor="end"'
        f"{_bold(k, marked)}>{escape(names[k])}</text>"
        for k in range(0, len(names), step)
    ]


def _below(
    names: Sequence[str],
    left: float,
    wide: float,
    low: float,
    turned: bool,
    marked: tuple[int, ...] | None,
) -> list[str]:
    if not turned:
        return [
            f'<text x="{left + wide * (k + 0.5):.1f}" y="{low + 12:.1f}" text-anchor="middle"'
            f"{_bold(k, marked)}>{escape(names[k])}</text>"
            for k in range(len(names))
        ]
    step = math.ceil(9 / wide)
    return [
        f'<text transform="translate({left + wide * (k + 0.5) + 3:.1f} {low + 4:.1f}) rotate(-90)" '
        f'text-anchor="end"{_bold(k, marked)}>{escape(names[k])}</text>'
        for k in range(0, len(names), step)
    ]


def _bold(place: int, marked: tuple[int, ...] | None) -> str:
    return f' fill="{VERMILLION}" font-weight="700"' if marked and place in marked else ""


def _frame(left: float, wide: float, high: float, row: int, column: int) -> str:
    return (
        f'<rect x="{left + wide * column:.1f}" y="{high * row:.1f}" width="{wide:.1f}" '
        f'height="{high:.1f}" fill="none" stroke="{VERMILLION}" stroke-width="2.5"/>'
    )
