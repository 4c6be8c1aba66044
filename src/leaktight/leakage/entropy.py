"""Entropies of a secret, before and after an observation.

Shannon's entropy (order 1), min-entropy (order ∞) and Rényi's of every order between and beyond,
in bits. For an exact channel and prior every result is correctly rounded (for channels in
parallel, each term is).
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from flint import arb, fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel
from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidNumber
from leaktight.exact.bound import Bits, added
from leaktight.exact.numbers import Number, rational
from leaktight.exact.rounding import nearest_float
from leaktight.exact.shown import Told, in_bits
from leaktight.leakage.joint import Joint, Order, joint, joint_of_one, unseen


class _Lost:
    """What follows from the entropy before and after, proved or not."""

    __slots__ = ()
    is_proved: ClassVar[bool]
    """Whether the number of bits is enclosed."""
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

    is_proved = True
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

    is_proved = False
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
    return shannon_entropy(joint_of_one(channel, prior).pairs)


def mutual_information(channel: Channel | Parallel, prior: PriorLike = None) -> float:
    """Return I(X;Z) = H(X) − H(X|Z) in bits (Definition 6 of [Alvim2011a]_).

    For floats, little information is a sum of non-negative terms, so that it is accurate down to
    the square of the rounding.

    >>> mutual_information(Channel([["2/3", "1/3"], ["1/3", "2/3"]]))
    0.08170416594551048
    """
    return math.fsum(times * one.information() for one, times in joint(channel, prior).parts)


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
    return math.fsum(times * one.entropy(alpha) for one, times in unseen(prior).parts)


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
    return math.fsum(times * one.entropy(alpha) for one, times in _seen(channel, prior, alpha))


def cachin_entropy(channel: Channel, prior: PriorLike = None, order: Number = math.inf) -> float:
    """Return Σ_z p(z)·H_α(X|Z=z), Cachin's form: the posteriors' entropies on average.

    For comparison only: but for order 1 it can exceed the entropy before the observation, as if
    seeing something made one forget.

    >>> binary = Channel([["4/5", "1/5"], ["1/5", "4/5"]])
    >>> cachin_entropy(binary, ["9/10", "1/10"]) > renyi_entropy(["9/10", "1/10"], math.inf)
    True
    """
    alpha, seen = _read_order(order), joint_of_one(channel, prior)
    after = [(p, unseen(posterior)) for p, posterior in seen.posteriors()]
    if seen.is_exact:
        return nearest_float(lambda: sum((arb(p) * one.ball(alpha) for p, one in after), arb(0)))
    return math.fsum(p * one.entropy(alpha) for p, one in after)


def renyi_leakage(
    channel: Channel | Parallel, prior: PriorLike = None, order: Number = math.inf
) -> EntropyLeakage | EntropyEstimate:
    """Return Rényi's entropy before and after the observation, in Arimoto's form.

    >>> renyi_leakage(Channel([["2/3", "1/3"], ["1/3", "2/3"]]), order=2).bits_interval
    (0.15200309344504997, 0.15200309344505)
    """
    alpha = _read_order(order)
    (first, once), *others = seen = _seen(channel, prior, alpha)
    if once == 1 and not others:
        return _leaked(first, alpha)
    each: list[tuple[Any, int]] = [(_leaked(one, alpha), times) for one, times in seen]
    both = (
        math.fsum(times * leak.before for leak, times in each),
        math.fsum(times * leak.after for leak, times in each),
    )
    if all(leak.is_proved for leak, _ in each):
        ends = added((leak.bits_interval, times) for leak, times in each)
        return EntropyLeakage(*ends, *both)
    return EntropyEstimate(math.fsum(times * leak.bits for leak, times in each), *both)


def _leaked(seen: Joint, alpha: Order) -> EntropyLeakage | EntropyEstimate:
    before, after = seen.before.entropy(alpha), seen.entropy(alpha)
    if seen.is_exact:
        return EntropyLeakage(*seen.lost(alpha), before, after)
    return EntropyEstimate(seen.information() if alpha == 1 else before - after, before, after)


def _seen(channel: Channel | Parallel, prior: PriorLike, alpha: Order) -> list[tuple[Joint, int]]:
    """Return each secret and what is seen of it; exact but for Shannon's order, where it can be."""
    parts = joint(channel, prior).parts
    return parts if alpha == 1 else [(one.enclosing(), times) for one, times in parts]


def _read_order(order: Number) -> Order:
    if isinstance(order, float) and order == math.inf:
        return math.inf
    alpha = rational(order)
    if alpha < 0:
        raise InvalidNumber(f"the order of an entropy must be at least 0, got {order}")
    if alpha != 0 and not fmpq(1, 10**6) <= alpha <= 10**6:
        raise InvalidNumber(f"an order must be 0, ∞ or from a millionth to a million, got {order}")
    return alpha
