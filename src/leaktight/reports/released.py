"""What does a released histogram look like? Bars, and where the true numbers lie."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from leaktight.reports.figure import BLUE, INK, figure, finished, on_its_own, short_label

if TYPE_CHECKING:
    from leaktight.tables.publishing import Answer

WIDTH, BAR = 5.5, 0.22
"""The width in inches, and the height of a bar."""

MOST_BARS = 400
"""The most bars of one picture."""

LONGEST = 28
"""The most letters of a cell."""


def released_chart(answers: "Sequence[Answer]") -> str:
    """Draw the numbers of a release as an SVG file, each with its interval of 95%."""
    rows = [
        (f"{answer.name}: {cell}" if len(answer.cells) > 1 else answer.name, number, low, high)
        for answer in answers
        for cell, number, (low, high) in zip(
            answer.cells, answer.numbers, answer.intervals(), strict=True
        )
    ][:MOST_BARS]
    names = [short_label(row[0], LONGEST) for row in rows]
    numbers = [row[1] for row in rows]
    with figure(WIDTH, 0.8 + BAR * len(rows)) as (drawing, axes):
        places = range(len(rows))
        axes.barh(places, numbers, color=BLUE, height=0.7)
        off = [[n - low for _, n, low, _ in rows], [high - n for _, n, _, high in rows]]
        axes.errorbar(numbers, places, xerr=off, fmt="none", ecolor=INK, capsize=2)
        axes.set_yticks(places, names)
        axes.invert_yaxis()
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.grid(axis="x")
        axes.set_xlabel("released number; the true one lies within the line, with 95%")
        title = f"{len(rows)} released numbers with their intervals"
        return on_its_own(finished(drawing, "released", title))
