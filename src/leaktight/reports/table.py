"""``table(result)`` converts any result to a table: LaTeX, or a frame of any library."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss
from leaktight.errors import InvalidInput
from leaktight.exact.numbers import fraction, is_exact, rational
from leaktight.exact.rounding import float_above
from leaktight.exact.shown import Probability
from leaktight.reports.document import Table, is_number
from leaktight.reports.person import guessing
from leaktight.reports.wording import AtMost
from leaktight.studies.answers import Answers
from leaktight.tables import Answer, TableRelease
from leaktight.worst_case.published import LeakageBounds


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
        names = tuple(field.name for field in fields(several[0]) if field.repr)
        rows = tuple(tuple(getattr(one, name) for name in names) for one in several)
        if all(is_number(cell) or isinstance(cell, str | bool) for row in rows for cell in row):
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
