"""One promise, however it is said: a ratio λ = e^ε, or a curve for (ε, δ), ρ, μ or any other."""

from typing import TypeAlias

from leaktight.curves.curve import PrivacyCurve
from leaktight.errors import InvalidInput, expect
from leaktight.exact.numbers import Number, as_printed
from leaktight.exact.ratio import Ratio, RatioLike

Promise: TypeAlias = Ratio | PrivacyCurve
"""What a mechanism must keep: pure ε as its ratio, everything else as a curve."""


def pure_of(promise: Promise | None) -> Ratio | None:
    """Return the ratio of a promise of pure ε; None for any other, and for none."""
    return promise if isinstance(promise, Ratio) else None


def curve_of(promise: Promise | None) -> PrivacyCurve | None:
    """Return the curve of a promise other than pure ε; None for that, and for none."""
    return promise if isinstance(promise, PrivacyCurve) else None


def promise_if_any(
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    curve: PrivacyCurve | None = None,
) -> Promise | None:
    """Return a promise, or None if none is given."""
    if (ratio, epsilon, delta, rho, mu, curve) == (None,) * 6:
        return None
    return promise_of(ratio, epsilon, delta=delta, rho=rho, mu=mu, curve=curve)


def promise_of(
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    *,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    curve: PrivacyCurve | None = None,
) -> Promise:
    """Read a promise, of which exactly one is given.

    :param ratio: λ = e^ε, at least 1; with ``delta`` the pair (ε, δ).
    :param epsilon: ε in its place: a number, ``"ln 2"`` or ``"2 bits"``.
    :param delta: δ from 0 to 1, beside ``ratio`` or ``epsilon``; 0 is pure ε.
    :param rho: ρ of zero-concentrated privacy (zCDP).
    :param mu: μ of Gaussian privacy (GDP).
    :param curve: any other, as a :class:`PrivacyCurve`.

    >>> promise_of(epsilon="ln 3"), promise_of(epsilon="ln 3", delta="0.001"), promise_of(mu=1)
    (Ratio(3 (ε = ln 3)), PrivacyCurve(λ = 3, δ = 0.001), PrivacyCurve(μ = 1 (Gaussian)))
    """
    said = {"rho=": rho, "mu=": mu, "curve=": curve}
    others = [name for name, value in said.items() if value is not None]
    pure = [n for n, value in (("ratio=", ratio), ("epsilon=", epsilon)) if value is not None]
    if len(others) > 1 or (others and (pure or delta is not None)):
        named = [*pure, *(["delta="] if delta is not None else []), *others]
        raise InvalidInput(
            "one promise is ratio= or epsilon= (with delta= perhaps), rho=, mu= or curve=; "
            f"got {' and '.join(named)} together; PrivacyCurve.min joins two that both hold"
        )
    if rho is not None:
        return PrivacyCurve.zcdp(rho)
    if mu is not None:
        return PrivacyCurve.gaussian(mu)
    if curve is not None:
        return expect(curve, PrivacyCurve, "PrivacyCurve.epsilon(1) is one")
    if delta is not None and not pure:
        raise InvalidInput("δ goes with an ε: give ratio= or epsilon= beside delta=")
    if delta is None or (len(pure) == 1 and as_printed(delta) == 0):
        return Ratio.of(ratio, epsilon)
    return PrivacyCurve.epsilon_delta(epsilon, delta, ratio=ratio)
