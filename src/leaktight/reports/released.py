"""A release as a picture: bars for each query, or a shaded table of two attributes.

A line on a bar, and ± in a table, say where the true number lies with 95%.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leaktight.reports.figure import BLUE, INK, finished, on_its_own, panels, short_label

if TYPE_CHECKING:
    from leaktight.tables.queries import Answer

WIDTH, BAR, ROW = 5.5, 0.22, 0.34
"""The width in inches, the height of a bar, and of a row of a shaded table."""

MOST_BARS = 400
"""The most bars of one picture."""

MOST_ROWS, MOST_COLUMNS = 40, 8
"""The largest shaded table."""

LONGEST = 28
"""The most letters of a cell."""

PALE, STRONG = 0.06, 0.45
"""How strong the colour of the least and of the largest number is."""


def released_chart(answers: "Sequence[Answer]") -> str:
    """Draw the numbers of a release as an SVG file, each with its interval of 95%."""
    return on_its_own(answers_svg(answers, "released"))


def answers_svg(answers: "Sequence[Answer]", name: str) -> str:
    """Draw answers one below the other, as one SVG element."""
    drawn, left = [], MOST_BARS
    answers = [answer for answer in answers if answer.is_drawn]
    for answer in answers:
        if left > 0:
            drawn.append(_shaded(answer) or _bars(answer, left))
            left -= len(answer.cells)
    with panels(WIDTH, [height for height, _ in drawn]) as (drawing, places):
        for (_, draw), axes, answer in zip(drawn, places, answers, strict=False):
            draw(axes)
            if len(drawn) > 1:
                axes.set_title(short_label(answer.name, 2 * LONGEST), loc="left", fontsize=9)
        numbers = sum(len(answer.cells) for answer in answers)
        title = f"{numbers:,} released numbers with their intervals, a panel for each query"
        return finished(drawing, name, title)


def _bars(answer: "Answer", most: int) -> tuple[float, Any]:
    numbers, intervals = answer.numbers[:most], answer.intervals()[:most]
    names = [short_label(label, LONGEST) for label in answer.labels[:most]]

    def draw(axes: Any) -> None:
        places = range(len(numbers))
        axes.barh(places, [float(n) for n in numbers], color=BLUE, height=0.7)
        for place, (low, high) in zip(places, intervals, strict=True):
            axes.plot([float(low), float(high)], [place, place], color=INK, linewidth=1.4)
        axes.set_yticks(places, names)
        axes.invert_yaxis()
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.grid(axis="x")
        axes.set_xlabel("released number; the true one lies within the line, with 95%")

    return 0.9 + BAR * len(numbers), draw


def _shaded(answer: "Answer") -> tuple[float, Any] | None:
    """Return how a full table of two attributes is drawn; None if it is none, or too large."""
    if not all(isinstance(cell, tuple) and len(cell) == 2 for cell in answer.cells):
        return None
    cells: list[Any] = list(answer.cells)
    rows, columns = (list(dict.fromkeys(cell[k] for cell in cells)) for k in (0, 1))
    if len(rows) < len(columns):
        rows, columns, cells = columns, rows, [(b, a) for a, b in cells]
    if len(columns) > MOST_COLUMNS or len(rows) > MOST_ROWS or len(columns) < 2:
        return None
    if len(cells) != len(rows) * len(columns):
        return None
    least, most = (float(end(answer.numbers)) for end in (min, max))

    def draw(axes: Any) -> None:
        from matplotlib.patches import Rectangle

        from leaktight.tables.queries import shown_number

        told = zip(cells, answer.numbers, answer.intervals(), strict=True)
        for (row, column), number, (_, high) in told:
            x, y = columns.index(column), rows.index(row)
            share = (float(number) - least) / (most - least) if most > least else 0.0
            alpha = PALE + (STRONG - PALE) * share
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=BLUE, alpha=alpha, linewidth=0))
            off = high - number
            said = shown_number(number) + (f" ± {shown_number(off)}" if off else "")
            axes.text(x + 0.5, y + 0.5, said, ha="center", va="center", fontsize=8)
        axes.set(xlim=(0, len(columns)), ylim=(len(rows), 0))
        wide = max(6, 60 // len(columns))
        axes.set_xticks([k + 0.5 for k in range(len(columns))])
        axes.set_xticklabels([short_label(str(c), wide) for c in columns])
        axes.set_yticks([k + 0.5 for k in range(len(rows))])
        axes.set_yticklabels([short_label(str(r), LONGEST) for r in rows])
        axes.tick_params(length=0)
        axes.spines[["left", "bottom"]].set_visible(False)

    return 0.7 + ROW * len(rows), draw
