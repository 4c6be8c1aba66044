"""A document and its blocks: what an answer becomes, and all that a writer knows.

Writers are ``to_text``, ``to_markdown`` and ``to_html``. A block is plain data; a chart is drawn
when a writer asks for it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

from leaktight import __version__
from leaktight.errors import InvalidInput
from leaktight.exact.matrix import html_rows
from leaktight.exact.shown import Probability
from leaktight.reports.wording import Cell, exactly, rounded

LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "ε": r"$\varepsilon$", "λ": r"$\lambda$", "α": r"$\alpha$", "Σ": r"$\Sigma$", "≤": r"$\le$",
    "≥": r"$\ge$", "−": "$-$", "·": r"$\cdot$", "×": r"$\times$", "∞": r"$\infty$", "–": "--",
    "…": r"\dots{}",
}  # fmt: skip
"""How LaTeX writes what is no plain letter."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences; on a terminal all lines but the first begin with ``indent``."""

    kind: ClassVar = "paragraph"
    text: str
    indent: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer in a line, and whether what was asked holds; the odds stand above it."""

    kind: ClassVar = "verdict"
    line: str
    holds: bool | None = None
    headline: str = ""


@dataclass(frozen=True, slots=True)
class Advice:
    """How strong something is for one person, why, and the line of a study that is stronger."""

    kind: ClassVar = "advice"
    rank: str
    text: str
    line: str = ""

    @property
    def name(self) -> str:
        """How strong it is, at the beginning of a line."""
        return f"{self.rank.capitalize()} protection of one person"


@dataclass(frozen=True, slots=True)
class Notes:
    """What a reader must not overlook."""

    kind: ClassVar = "notes"
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and what is to be said of each; a fact without a name belongs to the one before."""

    kind: ClassVar = "facts"
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to copy."""

    kind: ClassVar = "code"
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture, as one SVG element; the numbers in it stand in the table of its section."""

    kind: ClassVar = "chart"
    draw: Callable[[], str | None]
    """Gives None for what cannot be drawn."""
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Slider:
    """A part of a page that a reader moves, as HTML; its script is ``slider.js``."""

    kind: ClassVar = "slider"
    html: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Guesser:
    """Someone who guesses: how likely they are right before and after, and what it rests on."""

    who: str
    chances: tuple[str, ...]
    """Before, after one release, and after as many as were asked about."""
    text: tuple[str, ...]
    before: Fraction | None = None
    after: tuple[Probability, ...] = ()
    """The same chances as numbers."""
    values: "Table | None" = None
    """How far the belief in each of a few values rises."""

    @property
    def name(self) -> str:
        """Who it is, at the beginning of a line."""
        return f"{self.who[:1].upper()}{self.who[1:]}"


@dataclass(frozen=True, slots=True)
class Guessing:
    """Who guesses what, and when."""

    kind: ClassVar = "guessing"
    what: str
    when: tuple[str, ...]
    guessers: tuple[Guesser, ...]
    headline: str = ""
    """The odds in one sentence."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a heading; numbers are rounded when they are shown."""

    kind: ClassVar = "table"
    head: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return it as a data frame of pandas, polars or pyarrow, whichever is installed.

        Exact numbers become floats there, and what stands in a column with texts a text.

        >>> Table(("x", "y"), ((1, Fraction(2, 3)),)).to_frame("polars").shape
        (1, 2)
        """
        import narwhals

        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.head)
        named = {}
        for name, column in zip(_distinct(self.head), columns, strict=True):
            cells = list(map(_plain, column))
            if any(isinstance(cell, str) for cell in cells):
                cells = [None if cell is None else str(cell) for cell in cells]
            named[name] = cells
        try:
            return narwhals.from_dict(named, backend=backend).to_native()  # type: ignore[arg-type]
        except (AssertionError, ImportError, TypeError, ValueError) as wrong:
            raise InvalidInput(
                f'a frame is made by "pandas", "polars" or "pyarrow", if it is installed, got '
                f"{backend!r:.40}: {str(wrong).splitlines()[0]}"
            ) from None

    def to_latex(self) -> str:
        r"""Return it as a LaTeX table with the rules of the package booktabs.

        A fraction is written as it is if it is short, else rounded.

        >>> print(Table(("input", "50%"), (("x_1", Fraction(2, 3)),)).to_latex())
        \begin{tabular}{lr}
        \toprule
        input & 50\% \\
        \midrule
        x\_1 & 2/3 \\
        \bottomrule
        \end{tabular}
        """
        sides = "".join(
            "r" if all(map(is_number, c)) else "l" for c in zip(*self.rows, strict=True)
        )
        lines = [
            " & ".join(_latex(cell) for cell in row) + r" \\" for row in (self.head, *self.rows)
        ]
        return "\n".join(
            [f"\\begin{{tabular}}{{{sides}}}", r"\toprule", lines[0], r"\midrule", *lines[1:],
             r"\bottomrule", r"\end{tabular}"]
        )  # fmt: skip

    def _repr_html_(self) -> str:
        return html_rows("", self.head, (list(map(_shown, row)) for row in self.rows))


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading."""

    kind: ClassVar = "section"
    name: str
    """The id of its place on a page."""
    title: str
    blocks: "tuple[Block, ...]"
    is_wide: bool = False
    """Whether a page gives it all its width, after the others."""
    is_folded: bool = False
    """Whether a page shows its heading alone until somebody opens it."""


Block: TypeAlias = (
    Paragraph
    | Verdict
    | Advice
    | Notes
    | Facts
    | Code
    | Chart
    | Slider
    | Guessing
    | Table
    | Section
)


@dataclass(frozen=True, slots=True)
class Document:
    """A heading and blocks, in the order in which they are read."""

    title: str
    blocks: tuple[Block, ...]
    version: str = __version__


def section(
    name: str,
    title: str,
    text: Sequence[str] = (),
    *,
    code: Sequence[str] = (),
    chart: Chart | None = None,
    table: Table | None = None,
    is_wide: bool = False,
    is_folded: bool = False,
) -> Section:
    """Return a section as most are: sentences, lines to copy, a chart, and its numbers.

    :param name: the id of its place on a page
    :param title: its heading
    :param text: paragraphs
    :param code: lines to copy
    :param chart: a picture
    :param table: the numbers; those of a chart are folded away on a page
    :param is_wide: whether a page gives it all its width
    :param is_folded: whether a page shows its heading alone
    """
    blocks: list[Block] = [Paragraph(sentence) for sentence in text]
    blocks += [Code(tuple(code))] if code else []
    blocks += [each for each in (chart, table) if each is not None]
    return Section(name, title, tuple(blocks), is_wide, is_folded)


# --- cells -----------------------------------------------------------------------------------


def is_number(cell: object) -> bool:
    """Say whether a cell stands on the right: a number, or nothing."""
    return cell is None or (isinstance(cell, int | float | Fraction) and not isinstance(cell, bool))


def _plain(cell: Any) -> Any:
    """Return what a frame takes: numbers, texts, and nothing."""
    if isinstance(cell, Fraction):
        return float(cell)
    return cell if isinstance(cell, int | float | str) or cell is None else str(cell)


def _shown(cell: Any) -> str:
    if isinstance(cell, Fraction):
        return exactly(cell)
    known: Cell = cell if is_number(cell) or isinstance(cell, str) else str(cell)
    return rounded(known)


def _latex(cell: Any) -> str:
    return "".join(LATEX.get(letter, letter) for letter in _shown(cell))


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names of columns, none twice."""
    return [f"{name} ({k})" if name in names[:k] else name for k, name in enumerate(names)]
