"""How does a picture become part of a page?

Pictures are SVG elements that refer to nothing outside themselves. The same numbers give the same
bytes, whatever the user's settings are. Colours are Okabe and Ito's, which everyone can tell apart.
"""

import io
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
INK = "#1f2933"

STYLE = {
    "svg.fonttype": "none",  # the reader's fonts know more letters than matplotlib's
    "svg.hashsalt": "leaktight",
    "text.parse_math": False,  # a $ in a label is a $
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#e4e7eb",
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "lines.markersize": 4,
}
"""How matplotlib draws, whatever the user's own settings are."""


@contextmanager
def figure(width: float, height: float) -> "Iterator[tuple[Figure, Axes]]":
    """Give an empty figure in the style of the report, whatever the user's own style is."""
    from matplotlib import style
    from matplotlib.figure import Figure

    with warnings.catch_warnings(), style.context(["default", STYLE]):
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the reader's fonts may have it
        empty = Figure(figsize=(width, height), layout="constrained")
        yield empty, empty.subplots()


def finished(drawing: "Figure", name: str, title: str) -> str:
    """Return a figure as one SVG element."""
    file = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    drawing.savefig(file, format="svg", metadata=nothing)
    return inline(file.getvalue(), name, title)


def inline(svg: str, name: str, title: str) -> str:
    """Make a drawing a part of a page: with a title, and with ids that no other drawing has."""
    root = ElementTree.fromstring(svg)
    for part in root.findall("./{*}defs/{*}style/.."):  # it would apply to the whole page
        root.remove(part)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {
            key.rpartition("}")[2]: _renamed(key, value, name)
            for key, value in element.attrib.items()
        }
    root.attrib |= {"role": "img", "aria-labelledby": f"{name}-title"}
    heading = ElementTree.Element("title", id=f"{name}-title")
    heading.text = title
    root.insert(0, heading)
    return ElementTree.tostring(root, encoding="unicode")


def _renamed(key: str, value: str, name: str) -> str:
    """Put the chart's name before an id, where it is given and where it is referred to."""
    if key == "id":
        return f"{name}-{value}"
    if key.endswith("href") and value.startswith("#"):
        return f"#{name}-{value[1:]}"
    return value.replace("url(#", f"url(#{name}-")


def short_label(text: str, longest: int) -> str:
    """Return a label in one line that takes at most so many columns, whatever is in it.

    >>> short_label("a very\\nlong name", 12), short_label("東京都新宿区", 8)
    ('a very long…', '東京都…')
    """
    clean = " ".join("".join(c if c.isprintable() or c.isspace() else "�" for c in text).split())
    ends = np.cumsum([2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in clean])
    if not clean or ends[-1] <= longest:
        return clean
    return clean[: int((ends < longest).sum())].rstrip() + "…"
