"""Entropies of a secret, before and after an observation.

Shannon's entropy (order 1), min-entropy (order ∞) and Rényi's of every order between and beyond,
in bits. For an exact channel and prior every result is correctly rounded (for channels in
parallel, each term is).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from flint import arb, fmpq

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.composition import Parallel, pair_factors
from leaktight.channels.deterministic import Deterministic
from leaktight.channels.distribution import (
    Distribution,
    PriorLike,
    ProductDistribution,
    known,
    prior_on,
)
from leaktight.errors import InvalidNumber
from leaktight.exact.bound import Bits, added
from leaktight.exact.numbers import Number, float_array, rational, total
from leaktight.exact.rounding import log2_interval, nearest_float, outward
from leaktight.exact.shown import Told, in_bits
from leaktight.leakage.float_entropy import float_entropy, float_information, float_remainder
from leaktight.leakage.groups import Groups
from leaktight.leakage.hyper import Hyper, hyper, posteriors
from leaktight.leakage.vulnerability import joint


class _Lost:
    """What follows from the entropy before and after, proved or not."""

    __slots__ = ()
    before: float
    after: float

    @property
    def bits(self) -> float:
        """How much entropy was lost."""
        raise NotImplementedError

    @property
    def factor(self) -> float:
        """2 to the number of bits; for order ∞ how much likelier one guess is right."""
        return 2.0**self.bits if self.bits < 1024 else math.inf

    @property
    def multiplicative(self) -> float:
        """The entropy before over the entropy after."""
        if self.after == 0:
            return math.inf if self.before > 0 else 1.0
        return self.before / self.after


@dataclass(frozen=True, slots=True, repr=False)
class EntropyLeakage(Bits, _Lost):
    """The entropy ``before`` and ``after`` an observation, and the bits that it lost, of exact
    numbers: proved to lie between ``lower`` and ``upper``.

    >>> leak = shannon_leakage(Channel([["2/3", "1/3"], ["1/3", "2/3"]]))
    >>> leak.before, leak.after
    (1.0, 0.9182958340544896)
    >>> leak.lower <= mutual_information(Channel([["2/3", "1/3"], ["1/3", "2/3"]])) <= leak.bits
    True
    """

    before: float
    after: float

    def __str__(self) -> str:
        return f"{self.before:.6g} before, {self.after:.6g} after: {in_bits(self.bits)}"


@dataclass(frozen=True, slots=True, repr=False)
class EntropyEstimate(Told, _Lost):
    """The same of floats, an estimate: no end of it is proved, so that it is no ``Bound``.

    >>> shannon_leakage(Channel([["2/3", "1/3"], ["1/3", "2/3"]]).float())
    EntropyEstimate(1 before, 0.918296 after: ≈ 0.0817042 bits)
    """

    estimate: float
    before: float
    after: float

    @property
    def bits(self) -> float:
        """How much entropy was lost, an estimate."""
        return self.estimate

    @property
    def nats(self) -> float:
        """The same in nats."""
        return self.estimate * math.log(2)

    def __float__(self) -> float:
        return self.estimate

    def __str__(self) -> str:
        return f"{self.before:.6g} before, {self.after:.6g} after: ≈ {in_bits(self.bits)}"


# --- Shannon -------------------------------------------------------------------------------


def shannon_entropy(prior: PriorLike) -> float:
    """Return H(X) = −Σ p log2 p (Definition 2 of [Alvim2011a]_).

    >>> shannon_entropy(["2/5", "3/10", "3/10"])
    1.5709505944546687
    """
    return renyi_entropy(prior, 1)


def conditional_entropy(channel: Channel | Parallel, prior: PriorLike = None) -> float:
    """Return H(X|Z), Shannon's entropy that the observation leaves on average."""
    return conditional_renyi_entropy(channel, prior, 1)


def joint_entropy(channel: Channel, prior: PriorLike = None) -> float:
    """Return H(X,Z) = H(X) + H(Z|X) = H(Z) + H(X|Z), Shannon's entropy of secret and output.

    >>> coin = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> joint_entropy(coin) == shannon_entropy(["3/8", "1/8", "1/8", "3/8"])
    True
    """
    belief = prior_on(prior, expect_channel(channel).inputs)
    if isinstance(channel, Deterministic):  # the secret says what is seen
        return shannon_entropy(belief)
    return shannon_entropy(joint(channel, belief).ravel())


def mutual_information(channel: Channel | Parallel, prior: PriorLike = None) -> float:
    """Return I(X;Z) = H(X) − H(X|Z) in bits (Definition 6 of [Alvim2011a]_).

    For floats, little information is a sum of non-negative terms, so that it is accurate down to
    the square of the rounding.

    >>> mutual_information(Channel([["2/3", "1/3"], ["1/3", "2/3"]]))
    0.08170416594551048
    """
    if isinstance(channel, Parallel):
        pairs = pair_factors(channel, prior)
        return math.fsum(times * mutual_information(c, p) for c, p, times in pairs)
    found = _information(channel, prior)
    return found if isinstance(found, float) else nearest_float(found)


def _information(channel: Channel, prior: PriorLike) -> float | Callable[[], arb]:
    """Return I(X;Z): enclosed as tightly as asked, or an estimate of floats."""
    belief = prior_on(prior, expect_channel(channel).inputs)
    if isinstance(channel, Deterministic):
        groups = Groups.of(channel, belief)
        if groups.is_exact:
            return groups.shown if len(groups.outputs) > 1 else 0.0
        return groups.told()
    if not (channel.is_exact and belief.is_exact):
        nats = float_information(float_array(belief.array), float_array(channel.matrix))
        return nats / math.log(2)
    if _tells_nothing(channel, belief):
        return 0.0
    before, after = Groups.cut(belief.array), Groups.of_joint(joint(channel, belief))
    return lambda: before.shannon() - after.shannon()


def _tells_nothing(channel: Channel, belief: Distribution) -> bool:
    """Say whether all outputs leave the same belief, of exact numbers."""
    if isinstance(channel, Deterministic):
        return len(np.unique(channel.seen[belief.array > 0])) == 1
    joined = joint(channel, belief)
    rows, columns = joined.sum(axis=1), joined.sum(axis=0)
    return bool((np.multiply.outer(rows, columns) == joined).all())


def shannon_leakage(
    channel: Channel | Parallel, prior: PriorLike = None
) -> EntropyLeakage | EntropyEstimate:
    """Return Shannon's entropy before and after the observation."""
    return renyi_leakage(channel, prior, 1)


# --- Rényi ---------------------------------------------------------------------------------


def renyi_entropy(prior: PriorLike, order: Number) -> float:
    """Return H_α(X) = log2(Σ p^α)/(1−α) for any order α ≥ 0, with its limits at 0, 1 and ∞.

    >>> renyi_entropy(["9/10", "1/10"], math.inf)
    0.15200309344504997
    """
    alpha = _read_order(order)
    if isinstance(prior, ProductDistribution):
        return math.fsum(times * renyi_entropy(factor, order) for factor, times in prior.factors)
    return _entropy(_unseen(prior), alpha)


def conditional_renyi_entropy(
    channel: Channel | Parallel, prior: PriorLike = None, order: Number = math.inf
) -> float:
    """Return H_α(X|Z) = α/(1−α)·log2 Σ_z (Σ_x p(x,z)^α)^(1/α), Arimoto's form.

    It is Smith's conditional min-entropy at ∞, the default, and Shannon's at 1. Observing never
    raises it.

    >>> binary = Channel([["4/5", "1/5"], ["1/5", "4/5"]])
    >>> conditional_renyi_entropy(binary, ["9/10", "1/10"])
    0.15200309344504997
    """
    alpha = _read_order(order)
    if isinstance(channel, Parallel):
        pairs = pair_factors(channel, prior)
        return math.fsum(times * conditional_renyi_entropy(c, p, order) for c, p, times in pairs)
    belief = _belief(channel, prior, alpha)
    exact = channel.is_exact and belief.is_exact
    if alpha == 1 and not exact and not isinstance(channel, Deterministic):
        nats = float_remainder(float_array(belief.array), float_array(channel.matrix))
        return nats / math.log(2)
    return _entropy(_seen(channel, belief), alpha)


def cachin_entropy(channel: Channel, prior: PriorLike = None, order: Number = math.inf) -> float:
    """Return Σ_z p(z)·H_α(X|Z=z), Cachin's form: the posteriors' entropies on average.

    For comparison only: but for order 1 it can exceed the entropy before the observation, as if
    seeing something made one forget.

    >>> binary = Channel([["4/5", "1/5"], ["1/5", "4/5"]])
    >>> cachin_entropy(binary, ["9/10", "1/10"]) > renyi_entropy(["9/10", "1/10"], math.inf)
    True
    """
    alpha, belief = _read_order(order), prior_on(prior, expect_channel(channel).inputs)
    after = [(p, _unseen(posterior)) for p, posterior in posteriors(channel, belief)]
    exact = [(p, h) for p, h in after if isinstance(h, Groups)]
    if exact:
        return nearest_float(lambda: sum((arb(p) * _ball(h, alpha) for p, h in exact), arb(0)))
    return math.fsum(p * _entropy(h, alpha) for p, h in after)


def renyi_leakage(
    channel: Channel | Parallel, prior: PriorLike = None, order: Number = math.inf
) -> EntropyLeakage | EntropyEstimate:
    """Return Rényi's entropy before and after the observation, in Arimoto's form.

    >>> renyi_leakage(Channel([["2/3", "1/3"], ["1/3", "2/3"]]), order=2).bits_interval
    (0.15200309344504997, 0.15200309344505)
    """
    alpha = _read_order(order)
    if isinstance(channel, Parallel):
        each = [(renyi_leakage(c, p, order), times) for c, p, times in pair_factors(channel, prior)]
        both = (
            math.fsum(times * leak.before for leak, times in each),
            math.fsum(times * leak.after for leak, times in each),
        )
        proved = [(leak, times) for leak, times in each if isinstance(leak, EntropyLeakage)]
        if len(proved) < len(each):
            return EntropyEstimate(math.fsum(times * leak.bits for leak, times in each), *both)
        return EntropyLeakage(*added((leak.bits_interval, times) for leak, times in proved), *both)
    belief = _belief(channel, prior, alpha)
    before, after = _unseen(belief), _seen(channel, belief)
    entropies = _entropy(before, alpha), _entropy(after, alpha)
    lost: float | Callable[[], arb] = 0.0
    if alpha == 1:
        lost = _information(channel, belief)
    elif isinstance(before, Hyper) or isinstance(after, Hyper):
        lost = entropies[0] - entropies[1]
    elif alpha in (0, math.inf):
        factor = _likelihood(after, alpha) / _likelihood(before, alpha)
        return EntropyLeakage(*log2_interval(factor), *entropies)
    elif not _tells_nothing(channel, belief):

        def lost() -> arb:
            return _ball(before, alpha) - _ball(after, alpha)

    if not (channel.is_exact and belief.is_exact):
        assert isinstance(lost, float)
        return EntropyEstimate(lost, *entropies)
    ends = (lost, lost) if isinstance(lost, float) else outward(lost)
    return EntropyLeakage(*ends, *entropies)


# --- one form for all orders ---------------------------------------------------------------


Beliefs: TypeAlias = Groups | Hyper
"""What is believed after each output; a ``Hyper`` is of floats."""


def _unseen(prior: PriorLike) -> Beliefs:
    """Return what is believed when nothing was seen: one posterior, the prior."""
    belief = known(prior)
    if belief.is_exact:
        return Groups.cut(belief.array)
    return Hyper(belief.values, Distribution([1.0]), belief.array[:, None])


def _seen(channel: Channel, belief: Distribution) -> Beliefs:
    if isinstance(channel, Deterministic):
        return Groups.of(channel, belief)
    if channel.is_exact and belief.is_exact:
        return Groups.of_joint(joint(channel, belief))
    return hyper(channel, belief)


def _belief(channel: Channel, prior: PriorLike, alpha: fmpq | float) -> Distribution:
    """Return the prior; that of a function of the secret is exact but for Shannon's order."""
    belief = prior_on(prior, expect_channel(channel).inputs)
    return belief.exact() if isinstance(channel, Deterministic) and alpha != 1 else belief


def _read_order(order: Number) -> fmpq | float:
    if isinstance(order, float) and order == math.inf:
        return math.inf
    alpha = rational(order)
    if alpha < 0:
        raise InvalidNumber(f"the order of an entropy must be at least 0, got {order}")
    if alpha != 0 and not fmpq(1, 10**6) <= alpha <= 10**6:
        raise InvalidNumber(f"an order must be 0, ∞ or from a millionth to a million, got {order}")
    return alpha


def _likelihood(beliefs: Beliefs, alpha: fmpq | float) -> Any:
    """Return 2^−H for the orders at which that is a plain number: 0 and ∞."""
    if isinstance(beliefs, Groups):
        if alpha == 0:
            return fmpq(1, int(beliefs.sizes().max()))
        return beliefs.tried(0, 1)
    if alpha == 0:
        return fmpq(1, int((beliefs.inner > 0).sum(axis=0).max()))
    return total(beliefs.outer.array * beliefs.inner.max(axis=0))


def _entropy(beliefs: Beliefs, alpha: fmpq | float) -> float:
    if isinstance(beliefs, Groups):
        if (beliefs.sizes() == 1).all():
            return 0.0
        if not beliefs.is_exact:
            return beliefs.left()
        return nearest_float(lambda: _ball(beliefs, alpha))
    if alpha in (0, math.inf):
        return -math.log2(_likelihood(beliefs, alpha)) + 0.0
    return float_entropy(float_array(beliefs.outer.array), beliefs.inner, float(alpha))


def _ball(beliefs: Groups, alpha: fmpq | float) -> arb:
    """Return an enclosure of Arimoto's entropy in bits, for exact beliefs."""
    if isinstance(alpha, float) or alpha == 0:
        return -arb(_likelihood(beliefs, alpha)).log_base(2)
    return beliefs.shannon() if alpha == 1 else beliefs.renyi(alpha)
