"""Average breaches: how much better one observation tells whether the secret is in a set.

The average-case level of a channel is the largest min-entropy leakage about the question "is the
secret in Q?", over all sets Q and all priors (Definition 3 of [Boreale2012]_). It bounds the
leakage about the secret itself, and is bounded by it: an open problem there, settled in
docs/proofs/average-breach.md.
"""

from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import Distribution, prior_on
from leaktight.channels.row_distance import largest_row_distance
from leaktight.errors import InvalidNumber
from leaktight.exact.bound import OfFactor
from leaktight.exact.numbers import Number, Value, fraction, rational
from leaktight.exact.shown import above, in_bits, shown, shown_above
from leaktight.labels import Labels


@dataclass(frozen=True, slots=True, repr=False)
class AverageBreachLevel(OfFactor):
    """The largest leakage factor about membership in a set, and a prior that attains it."""

    factor: Value
    prior: Distribution

    @property
    def pair(self) -> Labels:
        """The inputs whose rows are farthest apart; the set of either is breached the most."""
        return self.prior.support

    def __repr__(self) -> str:
        size = f"factor {shown_above(self.factor)}, {in_bits(self.bits, above)}"
        return f"AverageBreachLevel({size})"


def average_breach_level(channel: Channel) -> AverageBreachLevel:
    """Return how much likelier one guess whether the secret is in a set can become, at most.

    Theorem 2 of [Boreale2012]_: the factor is 1 + l/2 for the largest L1 distance l between two
    rows. The uniform prior on their inputs attains it, for the set of either.

    >>> level = average_breach_level(Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"]))
    >>> level.factor, level.bits, level.pair
    (Fraction(4, 3), 0.41503749927884387, ('no', 'yes'))
    """
    farthest = largest_row_distance(expect_channel(channel))
    uniform = Distribution.uniform(dict.fromkeys(farthest.pair))
    return AverageBreachLevel(1 + farthest.value, prior_on(dict(uniform.items()), channel.inputs))


def leakage_from_average_level(factor: Number, inputs: int) -> tuple[Fraction, Fraction]:
    """Return the least and the largest min-capacity that go with an average-case level.

    With the level's factor 1 + t and n inputs: 1 + t ≤ Σ_z max_x K(z|x) ≤ 1 + (n − 1)·t. Channels
    attain both ends, for all n ≥ 2 and t (docs/proofs/average-breach.md).

    >>> leakage_from_average_level("4/3", inputs=3)
    (Fraction(4, 3), Fraction(5, 3))
    """
    value, others = _read(factor, 2, inputs), inputs - 1
    return fraction(value), fraction(1 + others * (value - 1))


def average_level_from_leakage(factor: Number, inputs: int) -> tuple[Fraction, Fraction]:
    """Return the least and the largest average-case level that go with a min-capacity.

    With Σ_z max_x K(z|x) = c and n inputs, the level's factor is at least 1 + (c − 1)/(n − 1) and
    at most c or 2. Channels attain both ends (docs/proofs/average-breach.md).

    >>> average_level_from_leakage("5/3", inputs=3)
    (Fraction(4, 3), Fraction(5, 3))
    """
    value = _read(factor, inputs, inputs)
    least = 1 + (value - 1) / max(1, inputs - 1)
    return fraction(least), fraction(min(value, rational(2)))


def _read(factor: Number, most: int, inputs: int) -> fmpq:
    if not isinstance(inputs, int) or inputs < 1:
        raise InvalidNumber(f"a channel has a whole number of inputs from 1 up, got {inputs!r}")
    value, largest = rational(factor), min(most, inputs)
    if not 1 <= value <= largest:
        raise InvalidNumber(
            f"the factor of {inputs} inputs must be from 1 to {largest}, got {shown(value)}"
        )
    return value
