"""The odds of each value: how far the belief in it can rise, beside the best guess.

The best guess is about the likeliest value. Of a rare one, such as a disease, it says nothing: a
belief of 1% may become 50% and never be the best guess before. So each value has its own odds.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.exact.matrix import html_rows
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.rounding import float_above
from leaktight.exact.shown import Probability, above, percent
from leaktight.labels import named


@dataclass(frozen=True, slots=True)
class ValueOdds:
    """How likely a value is before, and after the output that speaks for it most."""

    value: Any
    before: Fraction
    after: Fraction
    output: Any = None
    """The output, if the mechanism is known."""
    chance: Fraction | None = None
    """How likely that output is, if the mechanism is known; without one, ``after`` is a bound that
    some mechanism attains."""

    @property
    def factor(self) -> Fraction:
        """By how much the belief rises."""
        return self.after / self.before

    def cells(self) -> list[str]:
        """Return it as a row: value, before, after, factor, how likely the output is."""
        bound = self.chance is None
        return [
            named(self.value),
            percent(self.before),
            str(Probability(1, self.after, False)) if bound else percent(self.after),
            f"{'≤ ' * bound}×{above(float_above(rational(self.factor)), 3)}",
            "" if self.chance is None else percent(self.chance),
        ]

    def __str__(self) -> str:
        value, before, after, factor, chance = self.cells()
        often = f", seen in {chance}" * bool(chance)
        return f"{value} {before} → {after} ({factor.removeprefix('≤ ')}{often})"


HEAD = ("value", "before", "after", "factor", "chance")

FEW = 3
"""So many values are told of in a sentence, beside those that were named."""


class ValueTable(tuple[ValueOdds, ...]):
    """The odds of some values; they are shown as a table."""

    __slots__ = ()

    @classmethod
    def ranked(cls, found: Iterable[ValueOdds], sensitive: Iterable[Hashable] = ()) -> "ValueTable":
        """Return the odds, of the values that are named first, then those that rise by most."""
        by_value = {odds.value: odds for odds in found}
        first = [by_value.pop(value) for value in sensitive if value in by_value]
        rest = sorted(by_value.values(), key=lambda odds: odds.factor, reverse=True)
        return cls([*first, *rest])

    def sentence(self, named: int = 0) -> str:
        """Say how far the belief in a few values rises; nothing if all are alike beforehand.

        ``named`` is how many were asked about, all of which are told.
        """
        if len({odds.before for odds in self}) <= 1 and not named:
            return ""
        few = max(FEW, named + 1)  # the largest factor of those that are not named, too
        told = "; ".join(map(str, self[:few]))
        more = f"; {len(self) - few:,} more rise by no larger factor" * (len(self) > few)
        return f"By value, after the outcome that speaks for it most: {told}{more}."

    def rows(self) -> list[list[str]]:
        """Return the heading and the rows; without the last column if no output is known."""
        rows = [list(HEAD), *(each.cells() for each in self)]
        known = any(each.chance is not None for each in self)
        return rows if known else [row[:-1] for row in rows]

    def __str__(self) -> str:
        rows = self.rows()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])])
            for name, *cells in rows
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *rows = self.rows()
        return html_rows("", head, rows)


def channel_odds(channel: Channel, prior: PriorLike = None) -> list[ValueOdds]:
    """Return for each input that is possible the output that speaks for it most.

    Of several such outputs it is the likeliest.

    >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]], ["no", "yes"], ["-", "+"])
    >>> channel_odds(coin, ["9/10", "1/10"])[1].after
    Fraction(1, 4)
    """
    exact = expect_channel(channel).exact()
    belief = prior_on(prior, exact.inputs).exact().array
    joined = exact.matrix * belief[:, None]
    outer = joined.sum(axis=0)
    found = []
    for x, before in enumerate(belief):
        if not before:
            continue
        seen = [(joined[x, z] / chance, chance, z) for z, chance in enumerate(outer) if chance]
        after, chance, z = max(seen, key=lambda each: each[:2])
        ends = fraction(before), fraction(rational(after))
        found.append(
            ValueOdds(exact.inputs[x], *ends, exact.outputs[z], fraction(rational(chance)))
        )
    return found


def bounded_odds(
    values: Iterable[Hashable], prior: Iterable[fmpq], seen: Iterable[fmpq]
) -> list[ValueOdds]:
    """Return the odds of the values that are possible.

    ``seen`` says how likely at least an output is that is certain for a value.
    """
    return [
        ValueOdds(value, fraction(before), fraction(before / least))
        for value, before, least in zip(values, prior, seen, strict=True)
        if before
    ]
