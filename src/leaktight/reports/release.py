"""A release as a document: one page for the officer who answers for it, and for a lawyer.

What was published and when, from what, with which noise; what has been spent and is left; the odds
about one person, attribute by attribute; what is assumed; how all of it is checked.
"""

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from fractions import Fraction
from functools import partial
from math import sqrt

from leaktight.errors import expect
from leaktight.exact.numbers import rational
from leaktight.exact.rounding import float_above
from leaktight.exact.shown import above, counted, percent, percent_above
from leaktight.reports.document import (
    Block,
    Chart,
    Document,
    Guesser,
    Guessing,
    Section,
    Table,
    Verdict,
    section,
)
from leaktight.reports.released import answers_svg
from leaktight.reports.wording import Cell
from leaktight.tables.attributes import AttributeOdds
from leaktight.tables.budget import promised, told_left, told_lost
from leaktight.tables.publishing import TableRelease
from leaktight.tables.queries import Answer, Expected, written_number
from leaktight.tables.record import TableRecord
from leaktight.tables.statement import Statement, why_no_odds

AVERAGED = ", on average over what may come out"

MOST_LISTED = 12
"""The most values of an attribute that are listed, those whose belief rises most first."""

MOST_PUBLISHED = 400
"""The most numbers of a query that are listed."""


def release_document(
    record: TableRecord, told: Statement, title: str, commands: Sequence[str] = ()
) -> Document:
    """Return a release as one page: its record, and what its ledger says.

    :param record: what was released, from :func:`record_of`
    :param told: what has been spent, from :func:`statement`
    :param title: the heading
    :param commands: the lines that make and check it
    """
    expect(record, TableRecord, "make it by record_of(…)")
    expect(told, Statement, "make it by statement(ledger)")
    blocks: list[Block] = [_verdict(record, told)]
    blocks += [_guessing(record.attributes)] if record.attributes else []
    blocks += [*_published(record), _spent(told), *by_value(record.attributes)]
    blocks += [_source(record), _assumed(record), _check(record, told, commands)]
    return Document(title, tuple(blocks))


def _verdict(record: TableRecord, told: Statement) -> Verdict:
    entry, book = record.release.entry, record.release.ledger
    line = (
        f"“{entry.name}”, published {entry.time[:10]}: {record.what}. It costs "
        f"{told_lost(entry.cost)}; with all releases before, {told_lost(record.spent)} of "
        f"{book.budget.told()} is spent and {_left(told)} is left."
    )
    headline = (
        f"{_promise(record)} In odds about one person it is not told: "
        f"{why_no_odds(book.protection)}."
    )
    if record.attributes:
        worst = max(record.attributes, key=lambda each: each.after / each.before)
        headline = (
            f"Whoever knows everyone else guesses one person's {worst.attribute} right in "
            f"{percent(worst.before)} of all cases before anything is published, and in at most "
            f"{percent_above(worst.after)} after all of it{AVERAGED * (worst.average is not None)}."
        )
    elif record.odds is not None:
        text = str(record.odds)
        headline = f"{text[:1].upper()}{text[1:]}."
    return Verdict(line, True, headline)


def _promise(record: TableRecord) -> str:
    """Return what all releases together promise, as a sentence."""
    return f"If {record.release.ledger.protection.condition}, {promised(record.spent)}."


def _guessing(attributes: Sequence[AttributeOdds]) -> Guessing:
    rows = (
        Guesser(each.attribute, (percent(each.before), f"≤ {percent_above(each.after)}"), ())
        for each in attributes
    )
    what = "Guessing one attribute of a person, knowing everyone else"
    return Guessing(what, ("before", "after"), tuple(rows))


# --- what was published ----------------------------------------------------------------------


def _published(record: TableRecord) -> Iterator[Section]:
    release = record.release
    if not isinstance(release, TableRelease):
        yield section("published", "What was published", [f"{record.what}."])
        return
    errors = {each.query: each for each in release.noise.expected}
    for k, answer in enumerate(release.answers):
        text = f"{counted(len(answer.cells), 'number', 'numbers')} ({answer.kind})"
        if (error := errors.get(answer.name)) and error.cell:
            text += f", {_off(error, len(answer.cells))}"
        elif not any(answer.noises):
            text += ", without noise: it is the same for both values of every secret pair"
        name = f"query-{k + 1}"
        chart = Chart(partial(answers_svg, (answer,), name)) if answer.is_drawn else None
        yield section(name, f"Published: {answer.name}", [f"{text}."], chart=chart,
                      table=_numbers(answer))  # fmt: skip


def _off(error: Expected, numbers: int) -> str:
    """Say how far off the numbers are."""
    if not error.is_of_numbers:
        return error.told.format(f"{sqrt(error.cell):.3g}")
    each = "each " * (numbers > 1)
    return f"{each}with noise of a standard deviation of {sqrt(error.cell):.3g}"


def _numbers(answer: Answer) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (label, *map(written_number, (number, low, high)))
        for label, number, (low, high) in zip(
            answer.labels, answer.numbers, answer.intervals(), strict=True
        )
    ]
    head = ("cell", "number", "true one, at least (95%)", "at most")
    return Table(head, tuple(rows[:MOST_PUBLISHED]))


# --- what it costs, and what it tells --------------------------------------------------------


def _spent(told: Statement) -> Section:
    book = told.ledger
    rows = tuple(
        (name, time[:10], ", ".join(queries), told_lost(cost))
        for name, time, queries, cost, _ in told.releases
    )
    text = (
        f"All that is ever published from this ledger may cost {book.budget.told()}; "
        f"{counted(len(rows), 'release has', 'releases have')} been paid for, and {_left(told)} is "
        "left to the pair of values that has paid most. A release that would cost more is refused."
    )
    table = Table(("release", "on", "queries", "cost"), rows)
    return section("spent", "What has been spent, and what is left", [text], table=table)


def _left(told: Statement) -> str:
    budget = told.ledger.budget
    left = min((pair.left for pair in told.pairs), default=budget.near)
    return told_left(left, budget.measure)


def by_value(attributes: Sequence[AttributeOdds]) -> Iterator[Section]:
    """Yield how far the belief in each value of each attribute can rise, if that is told."""
    if not any(each.values for each in attributes):
        return
    rows: list[tuple[Cell, ...]] = []
    for attribute in attributes:
        for each in attribute.values[:MOST_LISTED]:
            after = f"≤ {percent_above(each.after)}"
            factor = f"≤ ×{above(float_above(rational(each.factor)), 3)}"
            cells = str(each.value), percent(each.before), after, factor
            rows.append((attribute.attribute, *cells))
    text = (
        "How far the belief in each value of one attribute can rise, by the outcome that speaks "
        "for it most, for somebody who knows everyone else. After all releases of the ledger."
    )
    table = Table(("attribute", "value", "before", "after", "factor"), tuple(rows))
    yield section("person", "What it tells of one person", [text], table=table)


# --- what it rests on ------------------------------------------------------------------------


def _source(record: TableRecord) -> Section:
    told = record.to_dict()
    data, policy = told["data"], told["policy"]
    rules = {key: value for key, value in data["rules"].items() if value}
    rows: list[tuple[Cell, ...]] = [
        ("source", data["source"] or "a table in memory"),
        ("columns", ", ".join(f"{name} ({kind})" for name, kind in data["columns"])),
        *((f"rule: {key}", _rule(key, value)) for key, value in rules.items() if key != "columns"),
        ("values of a person", f"{policy['values']:,}, {policy['secret pairs']:,} secret pairs"),
        ("people", f"{policy['records']:,}; their number is {policy['number of rows']}"),
        ("neighbours", policy["neighbours"]),
        ("randomness", told["randomness"]),
    ]
    table = Table(("what", "value"), tuple(rows))
    return section("source", "From what it was made", table=table)


def _rule(key: str, value: object) -> str:
    """Say a rule; where cells outside belong is kept as Python writes it, perhaps by column."""
    if key == "outside":
        with suppress(ValueError, SyntaxError):  # of what no study has: as it is
            value = ast.literal_eval(_AsText().visit(ast.parse(str(value), mode="eval")))
            if isinstance(value, tuple) and all(isinstance(each, tuple) for each in value):
                value = dict(value)
    return _said(value)


class _AsText(ast.NodeTransformer):
    """Dates and fractions that are written as calls, such as ``datetime.date(2024, 1, 2)``."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        kind = {"datetime.date": date, "Fraction": Fraction}.get(ast.unparse(node.func))
        return ast.Constant(str(kind(*map(ast.literal_eval, node.args)))) if kind else node


def _said(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_said(each)}" for key, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _assumed(record: TableRecord) -> Section:
    protection = record.release.ledger.protection
    alone = "each person has one row"
    if protection.rows_per_person > 1:
        alone = f"each person has at most {protection.rows_per_person} rows"
    public = "nothing else about the people was published from these data, but by this ledger"
    if protection.counts is not None:
        public += ", and the public counts that the policy names"
    text = [
        f"Promised of all that was published: {_promise(record)}",
        f"Assumed: {alone}; {public}; the table says what is true of the people; the random bits "
        "cannot be foreseen.",
    ]
    if record.attributes:
        text.append(
            f"The odds hold for {_whichever(record)} whoever knows everyone else. They start from "
            "the prior of the study; records are believed to be independent of each other, and the "
            "attributes of one person may hang together in any way that the prior says."
        )
    text.append(f"In the record's words: {record}")
    return section("assumed", "What is promised, and what is assumed", text)


def _whichever(record: TableRecord) -> str:
    """Say of which outcomes the odds are."""
    if any(each.average is not None for each in record.attributes):
        return "outcomes on average, not for each of them, and for"
    return "any outcome and for"


def _check(record: TableRecord, told: Statement, commands: Sequence[str]) -> Section:
    said = record.to_dict()
    text = [
        "The commands check the record: that the numbers are those that were published, that the "
        "ledger has the release and its budget holds, and, from the study alone, that noise and "
        "cost are what the policy asks for."
    ]
    rows: list[tuple[Cell, ...]] = [
        ("policy", f"sha256 {said['policy']['hash']}"),
        ("columns", f"sha256 {said['data']['hash']}"),
        *((f"query {each['name']}", f"sha256 {each['weights hash']}") for each in said["queries"]
          if "weights hash" in each),
        ("numbers", f"sha256 {(said['numbers'] if 'numbers' in said else said['file'])['hash']}"),
        ("ledger", f"{said['ledger']['identity']}, entry {said['ledger']['entry']}"),
        ("entry", f"sha256 {said['ledger']['chain']}"),
        ("state of the ledger", told.states[-1] if told.states else None),
        *((f"version of {name}", number) for name, number in said["versions"].items()),
    ]  # fmt: skip
    table = Table(("what", "value"), tuple(rows))
    return section("check", "How to check it", text, code=commands, table=table, is_wide=True)
