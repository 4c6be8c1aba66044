"""The least ρ of zero-concentrated privacy that noise keeps: Theorem 14 of the proofs.

Divergences of two shifted geometric, or Laplace, distributions grow with their order α more slowly
than α itself, so that D_α ≤ ρ·α for all orders if and only if it holds in the limit α → 1, where D
is the divergence of Kullback and Leibler. See ``docs/proofs/curves.md``.
"""

from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpq

from leaktight.errors import expect_whole
from leaktight.exact.bound import Bound
from leaktight.exact.numbers import Number, fraction, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import precision

DIGITS = 64
"""How many bits of ρ are kept."""


def geometric_rho(step: Number | Ratio, shift: int = 1) -> Bound[Fraction]:
    """Return the least ρ that geometric noise keeps where whole answers differ by ``shift``.

    For chances that fall by the factor q = 1/r with each unit it is
    ln r·(k − 2q(1 − q^k)/(1 − q²)), k the shift [Harrison2026]_. Smaller shifts have less. Answers
    of several numbers have the sum, which is at most the ρ of their shifts added up. At a shift of
    1 it is ε·tanh(ε/2), ε = ln r, which whatever is ε-private keeps.

    :param step: r ≥ 1, how much less likely the noise is one unit farther out.

    >>> geometric_rho(3), geometric_rho(3, shift=4)
    (Bound(≤ 0.549307), Bound(≤ 3.58067))
    >>> float(geometric_rho("11/10")) < 0.0953102**2 / 2
    True
    """
    shift = expect_whole(shift, "a shift", 0)

    def divergence(ratio: fmpq) -> arb:
        q = 1 / arb(ratio)
        return arb(ratio).log() * (shift - 2 * q * (1 - q**shift) / (1 - q * q))

    return _between(Ratio.of(step), divergence if shift else lambda _: arb(0))


def laplace_rho(epsilon: Number | None = None, *, ratio: RatioLike = None) -> Bound[Fraction]:
    """Return the least ρ that Laplace noise of scale sensitivity/ε keeps: ε + e^−ε − 1.

    >>> laplace_rho(1), laplace_rho(2)
    (Bound(≤ 0.36788), Bound(≤ 1.13534))
    """
    return _between(Ratio.of(ratio, epsilon), lambda most: arb(most).log() + 1 / arb(most) - 1)


def _between(ratio: Ratio, divergence: Callable[[fmpq], arb]) -> Bound[Fraction]:
    """Return ends of what grows with λ and is 0 at 1."""
    low, high = (_ends(rational(end), divergence) for end in (ratio.lower, ratio.upper))
    return Bound(fraction(low[0]), fraction(high[1]))


def _ends(ratio: fmpq, divergence: Callable[[fmpq], arb]) -> tuple[fmpq, fmpq]:
    """Return rationals close around a number, with as many bits as its cancellations take."""
    if ratio == 1:
        return fmpq(0), fmpq(0)
    bits = 2 * DIGITS
    while True:
        with precision(bits):
            found = divergence(ratio)
        if found.is_exact() or found.rel_accuracy_bits() >= DIGITS:
            break
        bits *= 2
    with precision(DIGITS):
        return found.lower().fmpq(), found.upper().fmpq()
