"""A sample is not the population: the risk of somebody who does not know who is in the table.

**Simple samples.** Of N people n are drawn, each set of n as likely, and f of them are in a class
that has F people in the population: hypergeometric. If F was believed with weight 1/F before (no
size is likelier than another on a scale of orders of magnitude), then, given f, exactly

    P(F = j) = C(j − 1, f − 1)·C(N − j, n − f)/C(N, n).

So a sample unique is unique in the population with chance n/N, and a row is found with E(1/F).

**Weights.** The model of Benedetti and Franconi, which sdcMicro has as individual risk: F − f is
negative binomial with success π = f/F̂, where F̂ is the sum of the class's weights. Then a sample
unique is unique in the population with chance π, and a row is found with

    E(1/F) = π·∫₀¹ u^(f−1)/(π + (1 − π)·u) du.

It is what the first becomes for large N. Both are estimates, and no bounds: they hold as far as
their model. Proofs are in docs/proofs/disclosure.md.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import log2

from flint import arb, ctx

from leaktight.errors import InvalidInput, TooLarge
from leaktight.exact.shown import counted
from leaktight.limits import allowed
from leaktight.tables.column import ColumnKind
from leaktight.tables.risk.answer import Sampled
from leaktight.tables.risk.coded import Coded
from leaktight.tables.risk.groups import Grouped
from leaktight.tables.source import FROM_TEXT

MOST_KINDS = 200_000
"""The most pairs of a size and a sum of weights that are gone through."""

LARGE = 200
"""From so many rows on, π/(f − 1) ≥ E(1/F) stands for it."""


NEGATIVE_BINOMIAL = "F − f negative binomial, π = f/F̂: individual risk, as in sdcMicro"

HYPERGEOMETRIC = (
    "a simple random sample, drawn without replacement; a class of F people believed before with "
    "weight 1/F"
)


def found_in(size: int, population: float) -> float:
    """Return E(1/F) of a class that has so many rows, and an estimate of so many persons.

    >>> round(found_in(1, 1), 6), round(found_in(2, 110), 8)
    (1.0, 0.01714426)
    """
    share = min(1.0, size / population)
    if share == 1.0:
        return 1 / size
    if size > LARGE:
        return share / (size - 1)
    odds = share / (1 - share)
    before, ctx.prec = ctx.prec, 106 + int(size * max(0.0, log2(odds))) + size
    try:
        exact = arb(share) / (1 - arb(share))
        chance = exact * (1 / arb(share)).log()  # f = 1
        for f in range(1, size):
            chance = exact * (1 / arb(f) - chance)
        return float(chance)
    finally:
        ctx.prec = before


def found_in_sample(size: int, rows: int, population: int) -> float:
    """Return E(1/F) of a class with so many of the rows that were drawn from a population.

    By E(1/F) = n/(N − n + 1)·(1/(f − 1) − the same for f − 1 and n − 1), from the sum for f = 1,
    n/(N − n + 1)·(1/n + … + 1/N); beyond LARGE, E(1/(F − 1)) ≥ E(1/F) stands for it.

    >>> found_in_sample(1, 2, 4)  # 2/3·(1/2 + 1/3 + 1/4)
    0.7222222222222222
    """
    if rows == population:
        return 1 / size
    if size > LARGE:
        return min(1 / size, rows / population / (size - 1))
    odds = rows / (population - rows + 1)
    before, ctx.prec = ctx.prec, 170 + 2 * size + int(size * max(0.0, log2(odds)))
    try:
        drawn = rows - size + 1
        chance = (arb(population + 1).digamma() - arb(drawn).digamma()) * drawn
        chance /= population - drawn + 1
        for f in range(1, size):
            drawn += 1
            chance = (1 / arb(f) - chance) * drawn / (population - drawn + 1)
        return float(chance)
    finally:
        ctx.prec = before


def expect_population(population: int, rows: int) -> None:
    """Refuse a population that is smaller than its sample."""
    if type(population) is not int or population < rows:
        raise InvalidInput(
            f"the population has at least the {rows:,} people of the table, got {population!r:.60}"
        )


def of_simple_sample(groups: Grouped, population: int) -> Sampled:
    """Return the risk of a simple random sample from so many people."""
    rows = groups.rows
    expect_population(population, rows)
    chances = {c.size: found_in_sample(c.size, rows, population) for c in groups.crowds}
    found = sum(c.groups * c.size * chances[c.size] for c in groups.crowds)
    unique = groups.exposure.unique * Fraction(rows, population)
    highest = max(chances.values())
    return Sampled(population, unique, highest, found, found / rows, HYPERGEOMETRIC)


def of_weights(table: Coded, known: tuple[str, ...], weight: str) -> Sampled:
    """Return the risk of a sample whose rows stand for as many people as their weights say."""
    values = table.columns[weight]
    cell = "listed.value"
    if table.engine.text == "VARCHAR" and not values.kind.is_numeric():
        cell = FROM_TEXT[ColumnKind.NUMBER].format(cell)
    elif not values.kind.is_numeric():
        raise InvalidInput(f"weights must be numbers; {weight!r} holds {values.kind}")
    [(wrong,)] = table.engine.rows(
        f"SELECT COUNT(*) FROM {values.listed} AS listed WHERE ({cell}) IS NULL OR {cell} < 1"
    )
    if wrong:
        raise InvalidInput(
            f"a weight must be a number of at least 1, and {counted(wrong, 'value', 'values')} of "
            f"{weight!r} {'is' if wrong == 1 else 'are'} not"
        )
    keys = table.keys(known)
    told = ", ".join(f"{key} AS k{i}" for i, key in enumerate(keys))
    names = ", ".join(f"k{i}" for i in range(len(keys)))
    question = (
        f"SELECT f, w, COUNT(*) AS groups FROM (SELECT COUNT(*) AS f, SUM(w) AS w FROM (SELECT "
        f"{told}, CAST({cell} AS DOUBLE) AS w FROM {table.name} AS people JOIN {values.listed} AS "
        f"listed ON people.{values.place} = listed.code) AS told GROUP BY {names}) AS sized "
        "GROUP BY f, w"
    )
    [(many,)] = table.engine.rows(f"SELECT COUNT(*) FROM ({question}) AS kinds")
    if many > allowed(MOST_KINDS):
        raise TooLarge(
            f"classes have {many:,} different sizes and sums of weights, more than "
            f"{allowed(MOST_KINDS):,}; round the weights"
        )
    kinds = [(int(f), float(w), int(groups)) for f, w, groups in table.engine.rows(question)]
    return _summed(kinds, table.rows, sum(w * groups for _, w, groups in kinds))


def _summed(kinds: Iterable[tuple[int, float, int]], rows: int, population: float) -> Sampled:
    unique = found = highest = 0.0
    for size, there, groups in kinds:
        chance = found_in(size, there)
        highest = max(highest, chance)
        found += groups * size * chance
        if size == 1:
            unique += groups * min(1.0, 1 / there)
    return Sampled(population, unique, highest, found, found / rows, NEGATIVE_BINOMIAL)
