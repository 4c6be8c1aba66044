"""What can anyone know of one person after all releases together?

Whoever knows all others sees K(z|v) of the person's value v. For any two values, secret pair or
not, K(z|v) ≤ R(u, v)·K(z|u), where R(u, v) is the product of their ratios in each release. So
whatever was published, the chance of v is then at most π_v / Σ_u π_u/R(u, v).
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.exact.numbers import Value, fraction, to_float
from leaktight.exact.rounding import ln
from leaktight.exact.shown import percent, percent_above
from leaktight.tables.budget import UNIT, Paid
from leaktight.tables.protection import Protection

MOST_VALUES = 2000
"""The most values of which every two are compared."""


@dataclass(frozen=True, slots=True)
class Odds:
    """The chance that a guess about one person is right: before, and at most after all releases.

    It holds for whoever knows all others, whatever was published.
    """

    value: Hashable
    """The value of which one may become surest."""
    before: Fraction
    """The chance of the best guess before."""
    after: Value

    def __str__(self) -> str:
        return (
            f"a guess about one person is right with {percent(self.before)} before, and at most "
            f"{percent_above(Fraction(self.after))} after, all others known"
        )


def odds(
    protection: Protection, releases: Iterable[tuple[Paid, int]], prior: PriorLike = None
) -> Odds | None:
    """Return what may be known of one person after some releases, each so many times.

    Under public counts the others tell of the person too, and for very many values it would take
    long: then it is None.

    A number without noise tells apart for certain the values that differ in it: the policy does
    not protect them from that.
    """
    values = protection.values
    if protection.counts is not None or len(values) > MOST_VALUES:
        return None
    belief = prior_on(prior, values).exact().array
    near = np.array([to_float(p) for p in belief])
    pairs = np.stack(np.meshgrid(np.arange(len(values)), np.arange(len(values))), axis=-1)
    nats, apart = np.zeros(pairs.shape[:-1]), np.zeros(pairs.shape[:-1], dtype=bool)
    rows, terms = protection.rows_per_person, 0
    for paid, times in releases:
        if paid.step != 1:
            nats += times * rows * ln(paid.step) * paid.exponents(pairs)
        for weights, _ in paid.blocks:
            apart |= weights.bare(pairs, protection.pairs)
        terms += 1
    slack = (terms + len(values) + 16) * UNIT
    kept = np.where(apart, 0.0, np.exp(-nats * (1 + slack)))
    totals = kept @ near * (1 - slack)  # below the truth
    after = np.divide(near, totals, where=near > 0, out=np.zeros(len(values))) * (1 + slack)
    surest = int(after.argmax())
    return Odds(values[surest], fraction(max(belief)), min(1.0, float(after[surest])))
