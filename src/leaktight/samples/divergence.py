"""How far a distribution can be from another, given how likely it made what was drawn.

Relative entropies here are in nats. Statement 3 of docs/proofs/estimates.md has the proofs.
"""

from flint import arb, fmpq

from leaktight.exact.numbers import Array, rational
from leaktight.exact.rounding import outward


def divergence_upper(likelihood: float, size: fmpq, largest: fmpq, risk: fmpq) -> float:
    """Return a number that D(P‖Q) exceeds with probability ≤ ``risk``.

    Of samples drawn from P, ``likelihood`` is at least the mean of ln(dP/dQ), and dP/dQ is at most
    ``largest`` everywhere. For samples with weights, ``size`` is 1/the heaviest. The bound comes
    from Rényi's divergence of order 1 − λ, for a few λ at once: a large one for distributions that
    are close, where it shrinks like 1/size, a small one for others.

    >>> two = fmpq(2)
    >>> round(divergence_upper(0.0, fmpq(1000), two, fmpq(1, 20)), 4)
    0.0184
    >>> round(divergence_upper(0.3, fmpq(10**6), two, fmpq(1, 20)), 4)
    0.303
    """
    if largest <= 1:
        return 0.0
    orders = _orders(size)
    each = risk / len(orders)
    return max(0.0, min(_at_order(order, likelihood, size, largest, each) for order in orders))


def _orders(size: fmpq) -> list[fmpq]:
    """Return 1/2, 1/8, 1/32, … down to some 1/√size, chosen before anything is drawn."""
    found = [fmpq(1, 2)]
    while found[-1] ** 2 * size > 4:
        found.append(found[-1] / 4)
    return found


def _at_order(order: fmpq, likelihood: float, size: fmpq, largest: fmpq, risk: fmpq) -> float:
    """Return κ·(1 − exp(−λ·likelihood − ln(1/risk)/size))/λ, rounded up."""

    def bound() -> arb:
        small, ratio = arb(order), arb(largest)
        entropy = ratio * ratio.log() - ratio + 1
        renyi = (-ratio * (-small * ratio.log()).expm1() - small * (ratio - 1)) / small
        exponent = -small * arb(rational(likelihood)) + arb(risk).log() / arb(size)
        return -entropy / renyi * exponent.expm1() / small

    return outward(bound)[1]


def code_length(totals: Array) -> float:
    """Return −ln of the probability of the secrets drawn, in the mixture of all priors, rounded up.

    For any prior, −Σ_i ln prior(x_i) exceeds this by more than ln(1/risk) with probability ≤
    ``risk``. The mixture is that of [Krichevsky1981]_, Dirichlet's with parameters 1/2.
    """
    half = arb(1) / 2
    secrets, count = len(totals), int(totals.sum())

    def length() -> arb:
        whole = (arb(count) + arb(secrets) / 2).lgamma() - (arb(secrets) / 2).lgamma()
        each = ((int(n) + half).lgamma() - half.lgamma() for n in totals)
        return whole - sum(each, arb(0))

    return outward(length)[1]
