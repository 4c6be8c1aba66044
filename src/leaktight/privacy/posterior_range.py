"""Bounds, by the ratio alone, of how far one observation moves a belief.

If no output is more than λ times as likely for one input as for any other, no observation
multiplies the odds of anything by more than λ, or by less than 1/λ.
"""

from fractions import Fraction

from flint import fmpq

from leaktight.errors import InvalidNumber
from leaktight.exact.bound import Chance
from leaktight.exact.numbers import Number, fraction, rational
from leaktight.exact.ratio import Ratio, RatioLike


class PosteriorRange(Chance[Fraction]):
    """The least and the most that can be believed of something after one observation."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.text


def posterior_range(
    prior: Number, ratio: RatioLike = None, epsilon: Number | None = None
) -> PosteriorRange:
    """Return between what an observation can leave a belief, if ``ratio`` bounds *all* inputs.

    That is ``distinguishability(channel).ratio``; for the ratio λ of neighbours at distance at most
    D it is λ^D. Where e^ε is not rational both ends are rounded outward.

    >>> posterior_range("1/10", ratio=9)
    PosteriorRange(1/82 to 1/2)
    """
    chance, most = _chance(prior), rational(Ratio.of(ratio, epsilon).upper)
    ends = (chance / (chance + most * (1 - chance)), most * chance / (1 + (most - 1) * chance))
    return PosteriorRange(*map(fraction, ends))


def breaching_ratio(before: Number, after: Number) -> Fraction:
    """Return the ratio below which no belief of at most ``before`` rises to ``after``.

    ρ₂(1 − ρ₁)/(ρ₁(1 − ρ₂)): a channel whose inputs all differ by a factor *below* it has no upward
    ρ₁-to-ρ₂ breach, whatever is believed ([Evfimievski2003]_); at the ratio itself one is reached.

    >>> breaching_ratio("1/20", "1/2")
    Fraction(19, 1)
    """
    low, high = _chance(before), _chance(after)
    if not 0 < low < high < 1:
        raise InvalidNumber(
            f"a breach is from a chance above 0 to a larger one below 1, got {before} to {after}"
        )
    return fraction(high * (1 - low) / (low * (1 - high)))


def _chance(given: Number) -> fmpq:
    chance = rational(given)
    if not 0 <= chance <= 1:
        raise InvalidNumber(f"a chance must be from 0 to 1, got {given}")
    return chance
