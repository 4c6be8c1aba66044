"""One promise, however it is said: a ratio λ = e^ε, or a curve for (ε, δ), ρ, μ or any other."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from leaktight.curves.curve import PrivacyCurve
from leaktight.errors import InvalidInput, expect
from leaktight.exact.numbers import Number, as_printed
from leaktight.exact.ratio import Ratio, RatioLike

Promise: TypeAlias = Ratio | PrivacyCurve
"""What a mechanism must keep: pure ε as its ratio, everything else as a curve."""

PROMISE = ("ratio", "epsilon", "delta", "rho", "mu", "curve")
"""The keys by which a promise is said, in every function, command and study."""


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
    said = dict(zip(PROMISE, (ratio, epsilon, delta, rho, mu, curve), strict=True))
    return None if all(each is None for each in said.values()) else read_promise(said)


def promise_of(
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    *,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    curve: PrivacyCurve | None = None,
) -> Promise:
    """Return a promise, of which exactly one is given.

    :param ratio: λ = e^ε, at least 1; with ``delta`` the pair (ε, δ).
    :param epsilon: ε in its place: a number, ``"ln 2"`` or ``"2 bits"``.
    :param delta: δ from 0 to 1, beside ``ratio`` or ``epsilon``; 0 is pure ε.
    :param rho: ρ of zero-concentrated privacy (zCDP).
    :param mu: μ of Gaussian privacy (GDP).
    :param curve: any other, as a :class:`PrivacyCurve`.

    >>> promise_of(epsilon="ln 3"), promise_of(epsilon="ln 3", delta="0.001"), promise_of(mu=1)
    (Ratio(3 (ε = ln 3)), PrivacyCurve(λ = 3, δ = 0.001), PrivacyCurve(μ = 1 (Gaussian)))
    """
    return read_promise(dict(zip(PROMISE, (ratio, epsilon, delta, rho, mu, curve), strict=True)))


def read_promise(
    given: Mapping[str, Any],
    spelled: str = "{}=",
    ratio_of: Callable[[RatioLike, Number | None], Ratio] = Ratio.of,
) -> Promise:
    """Read a promise, wherever it is written: by some keys of :data:`PROMISE`, None if unsaid.

    :param given: what each key says that is known there.
    :param spelled: how a key is written there, for a message: ``"--{}"`` on the command line.
    :param ratio_of: what reads λ, or ε in its place; it may refuse what is too large.

    >>> read_promise({"epsilon": None, "rho": 1, "mu": 2}, "--{}")
    Traceback (most recent call last):
    leaktight.errors.InvalidInput: give one promise: --epsilon, --rho or --mu, got --rho and --mu
    """
    said = {key: given[key] for key in PROMISE if given.get(key) is not None}
    amounts = said.keys() - {"delta"}
    if len(amounts) != 1 or ("delta" in said and not amounts <= {"ratio", "epsilon"}):
        known = [spelled.format(key) for key in PROMISE if key in given and key != "delta"]
        beside = f" ({spelled.format('delta')} beside an ε)" if "delta" in given else ""
        got = " and ".join(map(spelled.format, said)) or "none"
        raise InvalidInput(
            f"give one promise: {', '.join(known[:-1])} or {known[-1]}{beside}, got {got}"
        )
    match amounts.pop():
        case "rho":
            return PrivacyCurve.zcdp(said["rho"])
        case "mu":
            return PrivacyCurve.gaussian(said["mu"])
        case "curve":
            return expect(said["curve"], PrivacyCurve, "PrivacyCurve.epsilon(1) is one")
    pure = ratio_of(said.get("ratio"), said.get("epsilon"))
    if as_printed(said.get("delta", 0)) == 0:
        return pure
    return PrivacyCurve.epsilon_delta(ratio=pure, delta=said["delta"])
