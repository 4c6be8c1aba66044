"""How does a result go into a paper or a notebook? As a table: LaTeX, or a frame of any library."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss
from leaktight.errors import InvalidInput
from leaktight.exact.matrix import html_rows
from leaktight.exact.numbers import fraction, is_exact, rational
from leaktight.exact.rounding import float_above
from leaktight.exact.shown import Probability
from leaktight.reports.person import guessing
from leaktight.reports.wording import AtMost, Cell, exactly, rounded
from leaktight.studies.answers import Answers
from leaktight.tables import Answer, TableRelease
from leaktight.worst_case.published import LeakageBounds

LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "ε": r"$\varepsilon$", "λ": r"$\lambda$", "α": r"$\alpha$", "Σ": r"$\Sigma$", "≤": r"$\le$",
    "≥": r"$\ge$", "−": "$-$", "·": r"$\cdot$", "×": r"$\times$", "∞": r"$\infty$", "–": "--",
    "…": r"\dots{}",
}  # fmt: skip
"""How LaTeX writes what is no plain letter."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a heading; numbers are rounded when they are shown."""

    head: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return it as a data frame of pandas, polars or pyarrow, whichever is installed.

        Exact numbers become floats there, and what stands in a column with texts a text.

        >>> table(Channel([["2/3", "1/3"], ["1/3", "2/3"]])).to_frame("polars").shape
        (2, 3)
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

        >>> print(table(Channel([["2/3", "1/3"]], ["no"], ["50%", "x_1"])).to_latex())
        \begin{tabular}{lrr}
        \toprule
        input & 50\% & x\_1 \\
        \midrule
        no & 2/3 & 1/3 \\
        \bottomrule
        \end{tabular}
        """
        sides = "".join(
            "r" if all(map(_is_number, c)) else "l" for c in zip(*self.rows, strict=True)
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


def table(result: object) -> Table:
    """Return a result as a table: a channel, a gain, a distribution, bounds, an audit, a release.

    So do several results of one kind, as ``measures`` and ``worst_measures`` return them.

    >>> from leaktight.leakage import worst_measures
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> table(worst_measures(coin)).head, table(coin).rows[0]
    (('name', 'factor', 'bits'), (0, Fraction(2, 3), Fraction(1, 3)))
    """
    if isinstance(result, Channel):
        return _matrix("input", result.inputs, result.outputs, result.matrix)
    if isinstance(result, Gain | Loss):
        return _matrix("guess", result.guesses, result.inputs, result.matrix)
    if isinstance(result, Distribution):
        return Table(("value", "probability"), tuple((v, result[v]) for v in result.support))
    if isinstance(result, LeakageBounds):
        return Table(
            ("source", "form", "bits", "factor", "assumes", "about"), tuple(_bounds(result))
        )
    if isinstance(result, Answers):
        return _person(result)
    if isinstance(result, TableRelease | Answer):
        answers = result.answers if isinstance(result, TableRelease) else (result,)
        return Table(("query", "cell", "number", "at least", "at most"), tuple(_numbers(answers)))
    several = list(result) if isinstance(result, list | tuple) else []
    if len({type(each) for each in several}) == 1 and is_dataclass(several[0]):
        names = tuple(field.name for field in fields(several[0]))
        rows = tuple(tuple(getattr(one, name) for name in names) for one in several)
        if all(_is_number(cell) or isinstance(cell, str | bool) for row in rows for cell in row):
            return Table(names, rows)
    raise InvalidInput(
        "a table is made of a channel, a gain, a distribution, bounds, an audit, a release, or a "
        f"list of results of one kind, got {result!r:.60}"
    )


def _matrix(corner: str, rows: Sequence[Any], columns: Sequence[Any], matrix: Any) -> Table:
    exact = is_exact(matrix)
    entries = [[fraction(x) if exact else float(x) for x in row] for row in matrix]
    lines = tuple((label, *row) for label, row in zip(rows, entries, strict=True))
    return Table((corner, *map(str, columns)), lines)


def _bounds(bounds: LeakageBounds) -> Iterator[tuple[Any, ...]]:
    for about, some in (("all", bounds.bounds), ("one record", bounds.about_one_record)):
        for b in some:
            yield b.source, b.form, AtMost(b.bits), str(b.factors), b.assumes, about


def _person(answers: Answers) -> Table:
    """Return who guesses right how likely; what is a bound is said to be one."""
    found = guessing(answers)
    rows = []
    for one in found.guessers:
        chances: list[Fraction | float | None] = [one.before, *map(_chance, one.after)]
        chances += [None] * (len(found.when) - len(chances))
        rows.append((one.who, *chances, all(p.is_exact for p in one.after)))
    return Table(("who", *found.when, "is exact"), tuple(rows))


def _chance(found: Probability) -> Fraction | float:
    """Return a chance, exactly or as a float that is not below it."""
    return found.value if found.is_exact else AtMost(float_above(rational(found.value)))


def _numbers(answers: Iterable[Answer]) -> Iterator[tuple[Any, ...]]:
    for answer in answers:
        ends = answer.intervals()
        for cell, number, (low, high) in zip(answer.cells, answer.numbers, ends, strict=True):
            yield answer.name, cell, number, low, high


# --- cells -----------------------------------------------------------------------------------


def _is_number(cell: object) -> bool:
    return cell is None or (isinstance(cell, int | float | Fraction) and not isinstance(cell, bool))


def _plain(cell: Any) -> Any:
    """Return what a frame takes: numbers, texts, and nothing."""
    if isinstance(cell, Fraction):
        return float(cell)
    return cell if isinstance(cell, int | float | str) or cell is None else str(cell)


def _shown(cell: Any) -> str:
    if isinstance(cell, Fraction):
        return exactly(cell)
    known: Cell = cell if _is_number(cell) or isinstance(cell, str) else str(cell)
    return rounded(known)


def _latex(cell: Any) -> str:
    return "".join(LATEX.get(letter, letter) for letter in _shown(cell))


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names of columns, none twice."""
    return [f"{name} ({k})" if name in names[:k] else name for k, name in enumerate(names)]
