"""Measures of a loss: ε, the logarithm of a ratio, or ρ of zCDP.

Either adds up over releases, whatever was asked in the light of answers before. What one release
costs is a sum of a few rational keys, each a whole number of times, which depends on the pair: in ε
the keys are steps r, of which it pays the logarithms, and in ρ they are rationals themselves. So
what was paid is exact, however much it is.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np
from flint import arb

from leaktight.curves.concentration import geometric_rho
from leaktight.errors import InvalidNumber, TooLarge
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.powers import Powers
from leaktight.exact.rounding import precision
from leaktight.tables.privacy_loss import PrivacyLoss
from leaktight.tables.weights import Places, Shape

if TYPE_CHECKING:
    from leaktight.tables.privacy_unit import PrivacyUnit

Terms: TypeAlias = tuple[tuple[Fraction, int], ...]
"""Keys, and how often each of them is paid."""

Charges: TypeAlias = Iterable[tuple[Terms, Places]]
"""Terms, and for each case how often all of them together are paid."""

Lost: TypeAlias = Powers | Fraction
"""What was paid in all, exactly: in ε the ratio, in ρ the number."""

BITS = 128
"""With so many bits what is irrational is rounded up."""

MOST_SHIFTS = 4096
"""By so many different sizes a number may be moved; more are rounded up to them."""

FINE = 20
"""The least ρ of a sum is kept to so many bits, rounded up; others to more."""

FINEST = 64
"""If blocks cost different ρ per square under public counts, the cheapest has so many units."""


class Measure(Protocol):
    """In what a loss is counted."""

    symbol: ClassVar[str]
    exactly: ClassVar[str]
    """What the exact number is called in a file."""

    def near(self, terms: Terms) -> float:
        """Return what some terms cost, nearly."""

    def total(self, terms: Iterable[tuple[Fraction, int]]) -> Lost:
        """Return what they cost together, exactly."""

    def charges(self, protection: "PrivacyUnit", paid: PrivacyLoss, cases: Any = ...) -> Charges:
        """Yield what releases cost some of the cases, or at most that."""


@dataclass(frozen=True, slots=True)
class PureMeasure:
    """ε of pure differential privacy; Gaussian noise has none."""

    symbol: ClassVar[str] = "ε"
    exactly: ClassVar[str] = "ratio"

    def near(self, terms: Terms) -> float:
        """Return the logarithm of a product, nearly."""
        return Powers(terms).nats

    def total(self, terms: Iterable[tuple[Fraction, int]]) -> Powers:
        """Return a product, exactly."""
        return Powers.of(*terms)

    def charges(self, protection: "PrivacyUnit", paid: PrivacyLoss, cases: Any = ...) -> Charges:
        """Yield the ratio r^e of each case, without what Gaussian noise costs."""
        yield paid.steps.factors, protection.exponents(paid, cases)


@dataclass(frozen=True, slots=True)
class ConcentratedMeasure:
    """ρ of zero-concentrated differential privacy."""

    symbol: ClassVar[str] = "ρ"
    exactly: ClassVar[str] = "rho"

    def near(self, terms: Terms) -> float:
        """Return a sum, nearly."""
        return float(self.total(terms))

    def total(self, terms: Iterable[tuple[Fraction, int]]) -> Fraction:
        """Return a sum, exactly."""
        return sum((key * times for key, times in terms), Fraction(0))

    def charges(self, protection: "PrivacyUnit", paid: PrivacyLoss, cases: Any = ...) -> Charges:
        """Yield ρ of each case: of Gaussian noise as it is, of geometric the least that is proved.

        Where all cases share one account, each release costs what it costs the worst pair.
        """
        if not protection.alike:
            yield from self.between(protection, paid, protection.pairs_of(cases))
            return
        if paid.rhos:
            yield paid.rhos, protection.squares(paid, cases)
        for step, times in paid.steps.factors:
            if protection.counts is not None:
                whole = _under_counts(protection, paid, step)
            else:
                whole = self._worst(protection, paid, step)
            yield ((whole, times),), np.ones(1, dtype=np.int64)

    def between(self, protection: "PrivacyUnit", paid: PrivacyLoss, pairs: Places) -> Charges:
        """Yield ρ of any pairs of values, secret or not, for one person's rows."""
        if paid.rhos:
            yield paid.rhos, protection.squares_between(paid, pairs)
        for step, times in paid.steps.factors:
            for key, often in _geometric(protection, paid, step, pairs):
                yield ((key, times),), often

    def _worst(self, protection: "PrivacyUnit", paid: PrivacyLoss, step: Fraction) -> Fraction:
        from leaktight.tables.accountant import Accountant

        pairs = protection.pairs
        charges = ((((key, 1),), e) for key, e in _geometric(protection, paid, step, pairs))
        found = Accountant.of(len(pairs), charges, self).largest
        assert isinstance(found, Fraction)
        return found


PURE, CONCENTRATED = PureMeasure(), ConcentratedMeasure()


def measure_of(lost: Lost) -> Measure:
    """Return in what a loss was counted."""
    return PURE if isinstance(lost, Powers) else CONCENTRATED


def _geometric(
    protection: "PrivacyUnit", paid: PrivacyLoss, step: Fraction, pairs: Places
) -> list[tuple[Fraction, Places]]:
    """Return keys and how often each pair pays them, for geometric noise with r = ``step``.

    A number that is moved by k costs :func:`geometric_rho` of k, or with m rows of a person of m·k:
    it is convex in k, so that no mixture of rows costs more than that of the worst pair. A row that
    is published by itself costs what anything costs that keeps its ratio.
    """
    rows, found = protection.rows_per_person, list[tuple[Fraction, Places]]()
    for weights, units in paid.blocks:
        fall = _above(step, units)
        if weights.shape is Shape.ROWS:
            found.append((rows * _rho(fall, 1), weights.distances(pairs)))
            continue
        sizes, numbers, largest = weights.shifts(pairs)
        for moved in sizes:
            found.append(_by_size(fall, rows, moved, numbers, largest))
    return found


def _by_size(
    fall: Fraction, rows: int, sizes: Places, numbers: Places, largest: int
) -> tuple[Fraction, Places]:
    """Return what numbers cost that are moved by some sizes: in whole quanta if these differ."""
    if largest <= 1:
        return _rho(fall, rows), sizes * numbers
    width = -(-largest // MOST_SHIFTS)
    kinds, which = np.unique(-(-sizes // width), return_inverse=True)
    quantum = Fraction(2) ** (math.floor(math.log2(_rho(fall, rows * width))) - FINE)
    each = [math.ceil(_rho(fall, rows * width * int(kind)) / quantum) for kind in kinds]
    return quantum, np.array(each, dtype=np.int64)[which.reshape(sizes.shape)] * numbers


def _under_counts(protection: "PrivacyUnit", paid: PrivacyLoss, step: Fraction) -> Fraction:
    """Return ρ of geometric noise between any neighbours under public counts, or what is above it.

    What has the ratio e^ε for all outputs keeps ρ = ε·tanh(ε/2). Besides, a number that is moved by
    k costs at most k² times what it costs to be moved by 1.
    """
    units = int(protection.exponents(paid).max(initial=0))
    if not units:
        return Fraction(0)
    with precision(BITS):
        epsilon = arb(rational(step)).log() * units
        found = fraction((epsilon * (epsilon / 2).tanh()).upper().fmpq())
    each = [_rho(_above(step, u), 1) for _, u in paid.blocks]
    unit = each[0] if len(set(each)) == 1 else min(each) / FINEST
    whole = tuple(
        (weights, math.ceil(own / unit))
        for (weights, _), own in zip(paid.blocks, each, strict=True)
    )
    try:
        squares = int(protection.squares(PrivacyLoss(Powers.of(), whole)).max(initial=0))
    except (TooLarge, InvalidNumber):
        return found
    return min(found, unit * squares)


@lru_cache(1024)
def _rho(fall: Fraction, shift: int) -> Fraction:
    return geometric_rho(fall, shift).upper


@lru_cache(1024)
def _above(step: Fraction, units: int) -> Fraction:
    """Return r^units, or what is just above it if that is long."""
    if units == 1:
        return step
    with precision(BITS + units.bit_length()):
        return fraction((arb(rational(step)) ** units).upper().fmpq())


# --- from ρ to ε and δ ---------------------------------------------------------------------------


def epsilon_above(rho: Fraction, delta: Fraction) -> float:
    """Return an ε, rounded up, with which ρ-zCDP is (ε, δ)-private; for small δ hardly any is less.

    It is the least over orders α of αρ + (α·ln(1 − 1/α) − ln(α − 1) − ln δ)/(α − 1) [Canonne2020]_.

    >>> round(epsilon_above(Fraction(13, 100), Fraction(1, 10**6)), 4)
    2.4715
    """
    if not rho:
        return 0.0
    amount, log = float(rho), math.log(delta.numerator) - math.log(delta.denominator)

    def bound(x: float) -> float:
        order = 1 + math.exp(x)
        return order * amount + (order * math.log1p(-1 / order) - x - log) / math.exp(x)

    low, high = -20.0, 40.0
    for _ in range(200):  # it falls, and then rises
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if bound(a) <= bound(b) else (a, high)
    with precision(BITS):
        order = arb(rational(Fraction(1 + math.exp(low))))
        tail = order * (1 - 1 / order).log() - (order - 1).log() - arb(rational(delta)).log()
        found = fraction((order * rational(rho) + tail / (order - 1)).upper().fmpq())
    return max(0.0, math.nextafter(float(found), math.inf))


def rho_below(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a ρ, rounded down, with which zCDP is (ε, δ)-private by :func:`epsilon_above`.

    >>> rho = rho_below(Fraction(3), Fraction(1, 10**6))
    >>> round(float(rho), 4), epsilon_above(rho, Fraction(1, 10**6)) <= 3
    (0.1851, True)
    """
    low, high = Fraction(0), epsilon
    for _ in range(60):
        middle = (low + high) / 2
        below = epsilon_above(middle, delta) <= epsilon
        low, high = (middle, high) if below else (low, middle)
    exponent = low.denominator.bit_length() - low.numerator.bit_length() + 32
    return Fraction(math.floor(low * 2**exponent), 2**exponent)
