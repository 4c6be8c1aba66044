"""One table of what a channel leaks, by every measure."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.channels.gain import Tries
from leaktight.exact.matrix import html_rows
from leaktight.exact.numbers import Value
from leaktight.exact.shown import above, shown
from leaktight.labels import position
from leaktight.leakage.capacity import min_capacity, risk_capacity
from leaktight.leakage.entropy import renyi_leakage, shannon_leakage
from leaktight.leakage.guesswork import conditional_questions, guessing_leakage, questions
from leaktight.leakage.information_capacity import shannon_capacity
from leaktight.leakage.per_output import max_case_leakage
from leaktight.leakage.registry import leakage_measure, leakage_measures
from leaktight.leakage.vulnerability import g_leakage, min_entropy_leakage, risk_leakage


@dataclass(frozen=True, slots=True)
class Measure:
    """A number before and after an observation, under one prior, and the bits between them."""

    HEAD: ClassVar = ("", "before", "after", "bits leaked")

    name: str
    before: Value
    after: Value
    bits: float | None
    """How many bits leak, rounded up; None of what is not counted in bits."""

    def cells(self) -> list[str]:
        """Return it as a row under its heading."""
        return [self.name, short(self.before), short(self.after), short_bits(self.bits)]


@dataclass(frozen=True, slots=True)
class WorstMeasure:
    """The most that leaks under any prior."""

    HEAD: ClassVar = ("at worst, under any prior", "factor", "bits leaked")

    name: str
    factor: Value | None
    """By how much a chance grows, or shrinks; None if it is no factor."""
    bits: float

    def cells(self) -> list[str]:
        """Return it as a row under its heading."""
        return [self.name, short(self.factor), short_bits(self.bits)]


Kind = TypeVar("Kind", bound=Measure | WorstMeasure)


class Measures(tuple[Kind, ...]):
    """Measures in a row, found by their names too; they are shown as a table."""

    __slots__ = ()

    def named(self, name: str) -> Kind:
        """Return the measure of a name."""
        return self[position(name, tuple(each.name for each in self), "measure")]

    def __repr__(self) -> str:
        rows = [list(self[0].HEAD), *(each.cells() for each in self)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])]).rstrip()
            for name, *cells in rows
        )

    def _repr_html_(self) -> str:
        return html_rows("", self[0].HEAD, (each.cells() for each in self))


def short(value: Value | None) -> str:
    """Return a number of a table as it is shown; nothing if there is none."""
    return "" if value is None else "infinite" if value == math.inf else shown(value)


def short_bits(value: float | None) -> str:
    """Return some bits, rounded up."""
    return "" if value is None else "infinite" if value == math.inf else above(value)


leakage_measure("one guess is right", min_capacity, "any gain (maximal leakage)")(
    min_entropy_leakage
)
leakage_measure("one of two guesses is right")(
    lambda channel, prior: g_leakage(channel, prior, Tries(2))
)
leakage_measure("one guess, after the most telling output")(max_case_leakage)
leakage_measure("one guess is wrong", risk_capacity, "one guess is wrong")(risk_leakage)
leakage_measure("Shannon entropy", shannon_capacity, "Shannon capacity", is_factor=False)(
    shannon_leakage
)
leakage_measure("Rényi entropy of order 2")(lambda channel, prior: renyi_leakage(channel, prior, 2))


@leakage_measure("expected guesses until right")
def _guesses(channel: Channel, prior: PriorLike = None) -> Measure:
    found = guessing_leakage(channel, prior)
    return Measure("", found.before, found.after, None)


@leakage_measure("expected yes-or-no questions")
def _questions(channel: Channel, prior: PriorLike = None) -> Measure:
    belief = prior_on(prior, channel.inputs)
    return Measure("", questions(belief).expected, conditional_questions(channel, belief), None)


def measures(channel: Channel, prior: PriorLike = None) -> Measures[Measure]:
    """Return what a channel leaks under a prior by each measure of :func:`leakage_measures`.

    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> Measures(measures(coin)[:5])
                                              before     after  bits leaked
    one guess is right                           1/2       2/3     0.415038
    one of two guesses is right                    1         1            0
    one guess, after the most telling output     1/2       2/3     0.415038
    one guess is wrong                           1/2       1/3     0.584963
    Shannon entropy                                1  0.918296    0.0817042
    >>> measures(coin).named("one guess is right").after
    Fraction(2, 3)
    """
    belief = prior_on(prior, expect_channel(channel).inputs)
    found = ((name, one.leakage(channel, belief)) for name, one in leakage_measures().items())
    return Measures(Measure(name, leak.before, leak.after, leak.bits) for name, leak in found)


def worst_measures(channel: Channel) -> Measures[WorstMeasure]:
    """Return the most that a channel leaks under any prior, by each measure that has one.

    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> worst_measures(coin)
    at worst, under any prior   factor  bits leaked
    any gain (maximal leakage)     4/3     0.415038
    one guess is wrong             3/2     0.584963
    Shannon capacity                      0.0817042
    """
    rows = []
    for one in leakage_measures().values():
        if one.capacity is not None:
            found: Any = one.capacity(channel)
            factor = found.factor if one.is_factor else None
            rows.append(WorstMeasure(one.capacity_name, factor, found.bits))
    return Measures(rows)
