"""Claims of others as privacy curves: whose word it is, and numbers on the safe side of it.

A float counts as the number that it is, not as the decimal that it prints as: that may be less.
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from leaktight.curves.curve import PrivacyCurve
from leaktight.errors import InvalidInput, InvalidNumber
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.ratio import Ratio

LINES = 256
"""At how many ε a profile is asked for if nothing is said."""

ROUNDING = Fraction(1, 2**40)
"""By which share of itself a δ is raised that a library has summed up in floats: the nearest float
of a bound is no bound."""

LARGEST_EPSILON = 512.0
"""The largest ε at which a profile is asked for."""


def claimed(curve: PrivacyCurve, said: str, package: str) -> PrivacyCurve:
    """Return a curve that says whose word it is, such as "ε = 1, as claimed by opendp 0.16.0"."""
    return PrivacyCurve(curve.shape, f"{said}, as claimed by {named(package)}")


def named(package: str) -> str:
    """Return a package with its version, if it is installed."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package


def exactly(value: Any, what: str) -> Fraction:
    """Return a number of at least 0 as what it is.

    >>> exactly(0.5, "ε"), exactly(0.1, "ε") > Fraction(1, 10)
    (Fraction(1, 2), True)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise InvalidInput(f"{what} must be a number, got {type(value).__name__}")
    if value != value or value < 0 or value == math.inf:
        raise InvalidNumber(f"{what} must be finite and at least 0, got {value!r}")
    return fraction(rational(value))


def pure_or_nothing(epsilon: Any, delta: Any = 0) -> PrivacyCurve:
    """Return (ε, δ)-privacy; if ε is infinite, what promises nothing at all."""
    if epsilon == math.inf or delta == 1:
        return PrivacyCurve.pairs([(0, 1)])
    return PrivacyCurve.epsilon_delta(exactly(epsilon, "ε"), exactly(delta, "δ"))


def of_profile(profile: Callable[[float], Any], epsilons: Iterable[float] | None) -> PrivacyCurve:
    """Return the curve of a function that gives an upper δ for each ε ≥ 0."""
    listed = asked_at(profile) if epsilons is None else [float(e) for e in epsilons]
    return PrivacyCurve.pairs(pairs_of(profile, listed))


def pairs_of(
    profile: Callable[[float], Any], epsilons: list[float], rounding: Fraction = ROUNDING
) -> list[tuple[Ratio, Fraction]]:
    """Return (λ, δ) for each ε, with δ raised, or lowered, by what floats may have lost."""
    if not epsilons:
        raise InvalidInput("a profile must be asked for at one ε at least, got none")
    return [
        (
            Ratio.of(epsilon=exactly(e, "ε")),
            min(exactly(float(profile(e)), "δ") * (1 + rounding), Fraction(1)),
        )
        for e in epsilons
    ]


def asked_at(profile: Callable[[float], Any]) -> list[float]:
    """Return where to ask for a profile: evenly up to where it ends, or stays as it is."""
    least, most = 2.0**-100, 2.0**-10
    while most < LARGEST_EPSILON and float(profile(most)) > least:
        if float(profile(most)) == float(profile(1.5 * most)):
            break
        most *= 1.5
    low, high = 0.0, most
    for _ in range(40):  # where a profile ends at once, as that of pure ε does
        middle = (low + high) / 2
        if float(profile(middle)) > max(float(profile(most)), least):
            low = middle
        else:
            high = middle
    return [*(high * k / LINES for k in range(LINES + 1))]
