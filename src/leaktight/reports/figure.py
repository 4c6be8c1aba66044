"""Pictures as parts of a page.

Pictures are SVG elements that refer to nothing outside themselves and carry no style, so that a
page may forbid what is not in its own sheet. The same numbers give the same bytes, whatever the
user's settings are. Colours are Okabe and Ito's, which everyone can tell apart; ``colours`` has the
sheet that turns them for a dark page.
"""

import io
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, VERMILLION, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
INK, LINE, PAPER = "#1f2933", "#e4e7eb", "#ffffff"
HEAT, ON_PALE, ON_HEAT = "#00456b", "#000000", "#fffffe"
"""The colour of what is certain in a heat map, and of letters on pale and on strong colours."""

SHEET = {
    "ink": (INK, "#e4e7eb"),
    "soft": ("#52606d", "#a9b4bf"),
    "line": (LINE, "#3e4954"),
    "paper": (PAPER, "#1b2127"),
    "page": ("#f4f6f8", "#12161a"),
    "blue": (BLUE, "#56b4e9"),
    "red": (VERMILLION, "#f58a4b"),
    "green": (GREEN, "#2fc79a"),
    "purple": (PURPLE, "#e5a5c8"),
    "link": ("#00639b", "#7cc4ef"),
    "bad": ("#a33f00", "#ff9d66"),
    "strong": ("#00724f", "#4fd0a4"),
    "weak": ("#a3230f", "#ff9b8a"),
    "heat": (HEAT, "#4fabdf"),
    "on-pale": (ON_PALE, "#ffffff"),
    "on-heat": (ON_HEAT, "#000000"),
    "edge": ("#8a94a6", "#8a94a6"),
    "name": ("#7a828e", "#a9b4bf"),
}
"""The colours by name: on a light page, as pictures have them, and on a dark one."""

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
    "grid.color": LINE,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "lines.markersize": 4,
}
"""How matplotlib draws, whatever the user's own settings are."""


def colours() -> str:
    """Return the style sheet of pictures: variables, and what turns each colour on a dark page.

    >>> colours().splitlines()[0][:40]
    ':root { color-scheme: light dark; --ink:'
    """

    def variables(side: int) -> str:
        return " ".join(f"--{name}: {shades[side]};" for name, shades in SHEET.items())

    lines = [
        f":root {{ color-scheme: light dark; {variables(0)} }}",
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {variables(1)} }} }}",
        *(
            f'svg [{part}="{light}"] {{ {part}: var(--{name}); }}'
            for name, (light, _) in SHEET.items()
            for part in ("fill", "stroke")
        ),
        "svg { max-width: 100%; height: auto; font-family: inherit; }",
    ]
    return "\n".join(lines) + "\n"


@contextmanager
def figure(width: float, height: float) -> "Iterator[tuple[Figure, Axes]]":
    """Give an empty figure in the style of the report, whatever the user's own style is."""
    from matplotlib import style
    from matplotlib.figure import Figure

    with warnings.catch_warnings(), style.context(["default", STYLE]):
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the reader's fonts may have it
        empty = Figure(figsize=(width, height), layout="constrained")
        yield empty, empty.subplots()


@contextmanager
def panels(width: float, heights: Sequence[float]) -> "Iterator[tuple[Figure, list[Axes]]]":
    """Give a figure in the same style with places one below the other."""
    with figure(width, sum(heights)) as (drawing, first):
        first.remove()
        found = drawing.subplots(len(heights), 1, squeeze=False, height_ratios=heights)
        yield drawing, list(found[:, 0])


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
        own = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
        for rule in own.pop("style", "").split(";"):
            key, _, value = rule.partition(":")
            if key.strip() not in ("", "font-family"):
                own[key.strip()] = value.strip()
        element.attrib = {key: _renamed(key, value, name) for key, value in own.items()}
    root.attrib |= {
        "role": "img", "aria-labelledby": f"{name}-title", "font-family": "sans-serif",
    }  # fmt: skip
    heading = ElementTree.Element("title", id=f"{name}-title")
    heading.text = title
    root.insert(0, heading)
    return ElementTree.tostring(root, encoding="unicode")


def on_its_own(element: str) -> str:
    """Make a drawing of a page a file by itself, with its own style sheet."""
    start, _, rest = element.partition(">")
    style = f"{colours()}svg {{ font-family: sans-serif; }}"
    return f'{start} xmlns="http://www.w3.org/2000/svg"><style>{style}</style>{rest}'


def _renamed(key: str, value: str, name: str) -> str:
    """Put the chart's name before an id, where it is given and where it is referred to."""
    if key == "id":
        return f"{name}-{value}"
    if key == "href" and value.startswith("#"):
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
