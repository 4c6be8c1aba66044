"""OpenDP: what a measurement claims, and an exact channel as a measurement.

The package is ``opendp``; it is imported only to make a measurement.
"""

import math
from collections.abc import Iterable
from typing import Any

from leaktight.adapters.claims import claimed, exactly, of_profile, pure_or_nothing
from leaktight.channels.channel import Channel, expect_channel
from leaktight.curves.curve import PrivacyCurve
from leaktight.errors import InvalidInput
from leaktight.exact.rounding import ln_interval

PACKAGE = "opendp"
ORDERS = (1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256)
"""The orders at which a Rényi divergence is asked for."""


def from_opendp(
    measurement: Any, d_in: Any, *, epsilons: Iterable[float] | None = None
) -> PrivacyCurve:
    """Return what a measurement of OpenDP claims for inputs at a distance of ``d_in``.

    :param measurement: an ``opendp.mod.Measurement``, or an odometer or filter with such a ``map``.
    :param d_in: the distance of neighbours in its input metric, such as 1.
    :param epsilons: where a privacy profile is asked for; if not given, some 256 are chosen.
    :raises InvalidInput: for a measure that is not known, or one that is given no meaning here.

    Pure ε, ρ-zCDP, fixed (ε, δ), privacy profiles and Rényi divergences are read. It is OpenDP's
    word that is taken; whether neighbours differ in a row added or in one replaced is decided by
    its input metric.

    ::

        noisy = dp.m.make_gaussian(space, scale=1.0)
        lt.curves.best_guess(lt.adapters.from_opendp(noisy, d_in=1), values=6)
    """
    measure = str(_attribute(measurement, "output_measure"))
    found = measurement.map(d_in)
    match measure:
        case "MaxDivergence":
            return claimed(pure_or_nothing(found), f"ε = {found!r}", PACKAGE)
        case "ZeroConcentratedDivergence":
            return _concentrated(found)
        case "Approximate(MaxDivergence)":
            epsilon, delta = found
            return claimed(
                pure_or_nothing(epsilon, delta), f"ε = {epsilon!r}, δ = {delta!r}", PACKAGE
            )
        case "Approximate(ZeroConcentratedDivergence)" if found[1] == 0:
            return _concentrated(found[0])
        case "SmoothedMaxDivergence":
            return claimed(of_profile(found.delta, epsilons), "a privacy profile", PACKAGE)
        case "RenyiDivergence":
            bounds = {a: found(float(a)) for a in ORDERS}
            kept = {a: exactly(b, "a divergence") for a, b in bounds.items() if b < math.inf}
            return claimed(PrivacyCurve.renyi(kept), f"Rényi at {len(kept)} orders", PACKAGE)
    raise InvalidInput(
        f"a measurement's measure must be one that has a curve, got {measure:.60}; "
        "make_fix_delta or make_zCDP_to_approxDP make one"
    )


def _concentrated(rho: Any) -> PrivacyCurve:
    curve = pure_or_nothing(rho) if rho == math.inf else PrivacyCurve.zcdp(exactly(rho, "ρ"))
    return claimed(curve, f"ρ = {rho!r} (zCDP)", PACKAGE)


def _attribute(measurement: Any, name: str) -> Any:
    if not hasattr(measurement, name) or not callable(getattr(measurement, "map", None)):
        raise InvalidInput(
            f"expected a measurement of OpenDP, with {name} and map, got "
            f"{type(measurement).__name__}"
        )
    return getattr(measurement, name)


def to_opendp(channel: Channel) -> Any:
    """Return an exact channel as a measurement of OpenDP, to be composed with others there.

    Its input is one of the channel's, any two different inputs are at distance 1 (the discrete
    distance), and its map gives the ε of the worst pair, rounded up. Outputs are drawn exactly,
    with the operating system's randomness. OpenDP asks for the features ``contrib`` and
    ``honest-but-curious``, as it cannot check what Python does.
    """
    import opendp.prelude as dp

    from leaktight.mechanisms.release import sample
    from leaktight.privacy.level import distinguishability

    exact = expect_channel(channel).exact()
    ratio = distinguishability(exact).ratio
    epsilon = math.inf if ratio == math.inf else ln_interval(ratio)[1]
    inputs = frozenset(exact.inputs)
    return dp.m.make_user_measurement(
        input_domain=dp.user_domain("InputsOfAChannel", lambda value: value in inputs),
        input_metric=dp.discrete_distance(),
        output_measure=dp.max_divergence(),
        function=lambda value: sample(exact, value),
        privacy_map=lambda d_in: epsilon if d_in else 0.0,
    )
