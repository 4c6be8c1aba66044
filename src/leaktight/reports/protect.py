"""A protected table as a document: its risk before and after, what it costs, and how."""

from collections.abc import Iterator
from fractions import Fraction

from leaktight.exact.shown import above, counted, nearest, percent
from leaktight.reports.document import (
    Block,
    Document,
    Notes,
    Paragraph,
    Section,
    Table,
    Verdict,
    section,
)
from leaktight.reports.wording import Cell
from leaktight.tables.microdata import Disclosure, Plan, Protected
from leaktight.tables.risk import HYPERGEOMETRIC

NO_GUARANTEE = (
    "A coarser table has no privacy guarantee: these numbers are for somebody who knows just the "
    "quasi-identifiers. For one, release counts with noise (leaktight release)."
)

LOSSES = {
    "entropy": "of the bits in the quasi-identifiers (entropy)",
    "granularity": "of what each cell rules out (granularity, LM)",
    "cells": "of the cells changed",
}


def protect_document(found: Protected, title: str, output: str | None = None) -> Document:
    """Return what was found, and what was written if anything was."""
    best = found.best
    blocks: list[Block] = [
        Verdict(f"{'; '.join(found.asked)}: kept by: {best.what}."),
        Table(("risk", "before", "after"), tuple(_risks(found))),
        Table(("what it costs", "lost"), tuple(_losses(best))),
    ]
    if found.statistics:
        head = ("counts and means", "before", "after", "change")
        blocks.append(Table(head, tuple(_statistics(found))))
    if len(found.plans) > 1:
        title_of = f"The best {len(found.plans)}, by {found.measure}"
        blocks.append(section("plans", title_of, table=_plans(found)))
    levels = [
        Paragraph(f"  {column}: {', '.join(levels) or 'nothing'}", "    ")
        for column, levels in zip(found.quasi_identifiers, found.levels, strict=True)
    ]
    looked = Paragraph(
        f"{found.looked:,} of {counted(found.nodes, 'combination', 'combinations')} looked at; "
        "no other is better."
    )
    blocks.append(Section("levels", "What may be done to each column", (*levels, looked)))
    notes = [NO_GUARANTEE, *(f"{note}." for note in found.notes)]
    if found.before.journalist is not None:
        notes.append(f"The journalist's risk is by a model: {HYPERGEOMETRIC}.")
    if found.telling:
        notes.append(telling(found))
    blocks.append(Notes(tuple(notes)))
    if output is not None:
        written = f"written: {output}, and what was done: {output}.protect.json"
        blocks.append(Section("written", written, ()))
    return Document(title, tuple(blocks))


def telling(found: Protected) -> str:
    """Say which columns name people all the same."""
    one = len(found.telling) == 1
    return (
        f"{', '.join(found.telling)} {'is' if one else 'are'} different in most rows and written "
        f"as {'it is' if one else 'they are'}: whoever knows {'it' if one else 'one'} finds the "
        "row; leave it out (--leave-out), or make it a quasi-identifier."
    )


def _risks(found: Protected) -> Iterator[tuple[Cell, ...]]:
    pair = found.before, found.best.risk
    wanted = ", ".join(found.sensitive)

    def row(name: str, of: str) -> tuple[Cell, ...]:
        return (name, *(_cell(one, of) for one in pair))

    yield row("rows", "rows")
    yield row("smallest equivalence class (k)", "k")
    yield row("unique rows", "unique")
    yield row("worst chance to be found (prosecutor, 1/k)", "prosecutor")
    if found.before.journalist is not None:
        yield row("worst chance if the sample is not known (journalist)", "journalist")
    yield row("mean chance to be found (marketer)", "marketer")
    if found.sensitive:
        yield row(f"least distinct {wanted} in a class (l)", "l")
        yield row("farthest class from the table (t)", "t")
        before = "" if found.guess is None else f", {percent(found.guess)} without the table"
        yield row(f"{wanted} guessed{before}", "guess")


def _cell(one: Disclosure, of: str) -> Cell:
    value = getattr(one, of)
    if isinstance(value, Fraction):
        return percent(value)
    if of == "journalist":
        return f"{100 * value:.3g}%"
    return above(value, 3) if isinstance(value, float) else value


def _losses(plan: Plan) -> Iterator[tuple[Cell, ...]]:
    for name, words in LOSSES.items():
        yield words, percent(getattr(plan.loss, name))
    yield "rows per class", nearest(float(plan.loss.average_class))
    yield "discernibility (rows alike, summed over rows)", plan.loss.discernibility


def _statistics(found: Protected) -> Iterator[tuple[Cell, ...]]:
    """Yield what was chosen, before and after, and by how much it changed."""
    for (what, before), after in zip(found.statistics, found.best.statistics, strict=True):
        pair = (before, after)
        shown = ["–" if one is None else nearest(one) for one in pair]
        change = "–" if not before or after is None else f"{after / before - 1:+.1%}"
        yield what, *shown, change


def _plans(found: Protected) -> Table:
    guessed = ["guessed"] if found.sensitive else []
    rows = [
        (
            plan.what,
            percent(getattr(plan.loss, found.measure)),
            plan.risk.k,
            percent(plan.risk.marketer),
            *([percent(plan.risk.guess)] if plan.risk.guess is not None else []),
        )
        for plan in found.plans
    ]
    return Table(("recoding", "loss", "k", "found", *guessed), tuple(rows))
