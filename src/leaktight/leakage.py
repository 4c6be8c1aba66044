"""How much better does an attacker guess after seeing a channel's output?

The vulnerability of a secret is what its attacker expects to gain: for one guess, the chance of
being right. Leakage compares it before and after the observation. Everything here is exact for
exact channels and priors; for floats, the final sums are correctly rounded.
"""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from flint import fmpq

from leaktight.channel import Channel, expect_channel
from leaktight.composition import Parallel, pair_factors
from leaktight.distribution import Distribution, PriorLike, ProductDistribution, known, prior_on
from leaktight.errors import InvalidGain, InvalidNumber
from leaktight.exact import (
    Array,
    Value,
    float_array,
    is_exact,
    ln,
    log2,
    public,
    shown,
    to_float,
    total,
)
from leaktight.gain import Gain, Loss, Tries
from leaktight.labels import alignment
from leaktight.matrix import column_maxima, matrix_product

GainLike: TypeAlias = Gain | Tries | None
"""What a guess earns; None is one guess that earns 1 if right."""


SMALLEST = 2.0**-1000
"""Products of floats below this may have lost digits."""

BEYOND = "the product of so many floats is beyond the floats; use .exact()"


class InBits:
    """What has a ``factor``, whose logarithm is a number of bits; as a float it is that number."""

    __slots__ = ()
    factor: Value

    @property
    def bits(self) -> float:
        """log2 of the factor, correctly rounded."""
        return math.inf if self.factor == math.inf else log2(self.factor)

    @property
    def nats(self) -> float:
        """ln of the factor, correctly rounded."""
        return math.inf if self.factor == math.inf else ln(self.factor)

    def __float__(self) -> float:
        return self.bits


@dataclass(frozen=True, slots=True, repr=False)
class Leakage(InBits):
    """What an observation changes: the value ``before`` and ``after``, and how they compare.

    For a gain, ``factor`` is after/before and ``additive`` after − before; for a loss it is the
    other way round. They are exact for exact channels and priors. Where a float is asked for, a
    ``Leakage`` is its number of bits.

    >>> leak = min_entropy_leakage(Channel([["2/3", "1/3"], ["1/3", "2/3"]]))
    >>> leak.before, leak.after, leak.factor, leak.additive
    (Fraction(1, 2), Fraction(2, 3), Fraction(4, 3), Fraction(1, 6))
    >>> leak.bits, leak.nats, float(leak) == leak.bits
    (0.4150374992788438, 0.2876820724517809, True)
    """

    before: Value
    after: Value
    factor: Value
    additive: Value

    @classmethod
    def of_gain(cls, before: Any, after: Any) -> Self:
        """Compare expected gains, which grow; the numbers are ``fmpq`` or floats."""
        before, after = _alike(before, after)
        factor = _quotient(after, before)
        return cls(public(before), public(after), public(factor), public(after - before))

    @classmethod
    def of_loss(cls, before: Any, after: Any) -> Self:
        """Compare expected losses, which shrink; the numbers are ``fmpq`` or floats."""
        before, after = _alike(before, after)
        factor = _quotient(before, after)
        return cls(public(before), public(after), public(factor), public(before - after))

    def __repr__(self) -> str:
        return (
            f"Leakage({shown(self.before)} before, {shown(self.after)} after: "
            f"factor {shown(self.factor)}, {self.bits:.6g} bits)"
        )


def product_of_powers(factors: Iterable[tuple[Any, int]]) -> Any:
    """Return Π base^times of exact numbers or floats; floats must not overflow or vanish."""
    try:
        whole = math.prod(base**times for base, times in factors)
    except OverflowError:
        whole = math.inf
    if isinstance(whole, float) and not SMALLEST < whole < math.inf:
        raise InvalidNumber(BEYOND)
    return whole


def _alike(*numbers: Any) -> Iterable[Any]:
    """Return the numbers as they are if all are exact, otherwise all as floats."""
    if all(isinstance(number, fmpq) for number in numbers):
        return numbers
    floats = [to_float(number) if isinstance(number, fmpq) else number for number in numbers]
    for number, near in zip(numbers, floats, strict=True):
        if near == math.inf or (number != 0 and abs(near) < SMALLEST):
            raise InvalidNumber(BEYOND)
    return floats


def _quotient(above: Any, below: Any) -> Any:
    """Return above/below; 0/0 is no change, anything positive over 0 is infinite."""
    if above < 0 or below < 0:
        raise InvalidGain(
            f"a factor needs expected values of at least 0, got {min(above, below)}; "
            "add a constant to the gain or loss"
        )
    if below == 0:
        return math.inf if above > 0 else type(above)(1)
    return above / below


def joint(channel: Channel, prior: Distribution) -> Array:
    """Return π(x)·K(z|x), the probability of each input (row) and output (column)."""
    if channel.is_exact and prior.is_exact:
        return prior.array[:, None] * channel.matrix
    return float_array(prior.array)[:, None] * float_array(channel.matrix)


# --- gains ---------------------------------------------------------------------------------


def vulnerability(prior: PriorLike, gain: GainLike = None) -> Value:
    """Return what the attacker expects to gain by the best guess, knowing only the prior.

    >>> vulnerability({"flu": "1/2", "cold": "1/3", "none": "1/6"}, Tries(2))
    Fraction(5, 6)
    """
    return public(_before(prior, gain))


def posterior_vulnerability(
    channel: Channel | Parallel,
    prior: PriorLike = None,
    gain: GainLike = None,
) -> Value:
    """Return what the attacker expects to gain by the best guess for each output.

    Σ_z max_w Σ_x π(x)·K(z|x)·g(w, x); with one guess, Σ_z max_x π(x)·K(z|x) (Definition 4 of
    [Alvim2011a]_). The prior is uniform unless given. Channels in parallel under a product prior
    are not multiplied out for one guess.

    >>> posterior_vulnerability(Channel([["2/3", "1/3"], ["1/3", "2/3"]]), ["1/4", "3/4"])
    Fraction(3, 4)
    """
    return public(_after(channel, prior, gain))


def g_leakage(
    channel: Channel | Parallel,
    prior: PriorLike = None,
    gain: GainLike = None,
) -> Leakage:
    """Return how much more the attacker expects to gain after the observation.

    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]], inputs=["no", "yes"])
    >>> careful = Gain([[1, 0], [0, 1], ["3/4", "3/4"]], ["no", "yes", "pass"], ["no", "yes"])
    >>> g_leakage(coin, gain=careful).factor
    Fraction(1, 1)
    """
    if prior is None and isinstance(channel, Parallel):
        uniform = ((Distribution.uniform(c.inputs), times) for c, times in channel.factors)
        before = _before(ProductDistribution(tuple(uniform)), gain)
    elif isinstance(channel, Parallel):
        before = _before(prior, gain)
    else:
        before = _before(prior_on(prior, expect_channel(channel).inputs), gain)
    return Leakage.of_gain(before, _after(channel, prior, gain))


def min_entropy_leakage(channel: Channel | Parallel, prior: PriorLike = None) -> Leakage:
    """Return H∞(X) − H∞(X|Z) in Smith's form: how much likelier one guess is right.

    >>> float(min_entropy_leakage(Channel([["4/5", "1/5"], ["1/5", "4/5"]]), ["9/10", "1/10"]))
    0.0
    """
    return g_leakage(channel, prior)


def _before(prior: PriorLike, gain: GainLike) -> Any:
    if isinstance(prior, ProductDistribution) and gain is None:
        return product_of_powers((_before(p, None), times) for p, times in prior.factors)
    belief = known(prior)
    return _most(belief.array[:, None], belief.values, gain)[0]


def _after(channel: Channel | Parallel, prior: PriorLike, gain: GainLike) -> Any:
    if isinstance(channel, Parallel):
        if gain is not None:
            return _after(channel.expand(), prior, gain)
        pairs = pair_factors(channel, prior)
        return product_of_powers((_after(c, p, None), times) for c, p, times in pairs)
    channel = expect_channel(channel)
    if gain is None and prior is None:
        return total(column_maxima(channel.matrix)) / len(channel.inputs)
    belief = prior_on(prior, channel.inputs)
    if isinstance(gain, Gain):
        return total(_expected(channel, belief, gain).max(axis=0))
    if gain is not None:
        return total(_most(joint(channel, belief), channel.inputs, gain))
    if channel.is_exact and belief.is_exact:
        return total(column_maxima(channel.matrix, belief.array))
    return total(column_maxima(float_array(channel.matrix), float_array(belief.array)))


def _expected(channel: Channel, belief: Distribution, gain: Gain) -> Array:
    """Return the expected gain of each guess (row) at each output (column).

    The gain, which has few rows, is multiplied by the prior, and the channel is only read.
    """
    order = alignment(channel.inputs, gain.inputs, "the gain and the inputs")
    table = gain.matrix if order is None else gain.matrix[:, order]
    prior, matrix = belief.array, channel.matrix
    if not (is_exact(table) and is_exact(prior) and is_exact(matrix)):
        table, prior, matrix = map(float_array, (table, prior, matrix))
    return matrix_product(table * prior, matrix)


# --- losses --------------------------------------------------------------------------------


def risk(prior: PriorLike, loss: Loss | None = None) -> Value:
    """Return what the best guess is expected to lose; by default the chance that it is wrong."""
    return public(_risk(known(prior), loss))


def posterior_risk(channel: Channel, prior: PriorLike = None, loss: Loss | None = None) -> Value:
    """Return what the best guess for each output is expected to lose.

    >>> posterior_risk(Channel([["2/3", "1/3"], ["1/3", "2/3"]]))
    Fraction(1, 3)
    """
    belief = prior_on(prior, expect_channel(channel).inputs)
    return public(_posterior_risk(channel, belief, loss))


def risk_leakage(channel: Channel, prior: PriorLike = None, loss: Loss | None = None) -> Leakage:
    """Return how much less the best guess is expected to lose after the observation."""
    belief = prior_on(prior, expect_channel(channel).inputs)
    return Leakage.of_loss(_risk(belief, loss), _posterior_risk(channel, belief, loss))


def _risk(belief: Distribution, loss: Loss | None) -> Any:
    return _least(belief.array[:, None], belief.values, loss)[0]


def _posterior_risk(channel: Channel, belief: Distribution, loss: Loss | None) -> Any:
    return total(_least(joint(channel, belief), channel.inputs, loss))


# --- what to guess -------------------------------------------------------------------------


def strategy(
    channel: Channel, prior: PriorLike = None, aim: Gain | Loss | Tries | None = None
) -> dict[Hashable, Hashable]:
    """Return the best guess for each output; of equally good ones, the first.

    With several tries the guess is the tuple of the values to try, best first. Outputs that never
    occur are left out.

    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["-", "+"])
    >>> strategy(coin)
    {'-': 'no', '+': 'yes'}
    """
    joined = joint(channel, prior_on(prior, expect_channel(channel).inputs))
    occurs = np.flatnonzero(joined.max(axis=0) > 0)
    joined = joined[:, occurs]
    guesses: list[Hashable]
    if isinstance(aim, Tries):
        order = np.argsort(-joined, axis=0, kind="stable")[: aim.k]
        guesses = [tuple(channel.inputs[i] for i in column) for column in order.T]
    elif aim is None:
        guesses = [channel.inputs[i] for i in joined.argmax(axis=0)]
    elif not isinstance(aim, Gain | Loss):
        raise InvalidGain(f"expected a Gain, a Loss or Tries, got {aim!r:.60}")
    else:
        scores = aim.expected(joined, channel.inputs)
        best = scores.argmax(axis=0) if isinstance(aim, Gain) else scores.argmin(axis=0)
        guesses = [aim.guesses[w] for w in best]
    return dict(zip((channel.outputs[z] for z in occurs), guesses, strict=True))


# --- the best guess, column by column ------------------------------------------------------


def _most(joined: Array, inputs: tuple[Hashable, ...], gain: GainLike) -> Array:
    """Return the largest expected gain for each column of a joint distribution."""
    if gain is None:
        return joined.max(axis=0)
    if isinstance(gain, Tries):
        k = min(gain.k, len(joined))
        ranked = np.sort(joined, axis=0) if is_exact(joined) else np.partition(joined, -k, axis=0)
        return ranked[-k:].sum(axis=0)
    if not isinstance(gain, Gain):
        raise InvalidGain(f"expected a Gain, Tries or None, got {gain!r:.60}")
    return gain.expected(joined, inputs).max(axis=0)


def _least(joined: Array, inputs: tuple[Hashable, ...], loss: Loss | None) -> Array:
    """Return the least expected loss for each column of a joint distribution."""
    if loss is None:
        rest = joined.copy()  # all but the largest, without cancellation
        rest[joined.argmax(axis=0), np.arange(joined.shape[1])] *= 0
        return rest.sum(axis=0)
    if not isinstance(loss, Loss):
        raise InvalidGain(f"expected a Loss or None, got {loss!r:.60}")
    return loss.expected(joined, inputs).min(axis=0)
