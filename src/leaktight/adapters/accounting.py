"""dp_accounting: privacy loss distributions and events in, exact channels out.

The package is ``dp-accounting``; it is imported only to make a privacy loss distribution.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import fmpq

from leaktight.adapters.claims import ROUNDING, asked_at, claimed, exactly, named, pairs_of
from leaktight.channels.channel import Channel
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.polygon import Polygon
from leaktight.curves.shapes import Enclosed
from leaktight.errors import InvalidInput
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.rounding import ln_interval
from leaktight.policies.neighbours import Neighbours

PACKAGE = "dp-accounting"


# --- privacy loss distributions --------------------------------------------------------------


def from_pld(
    pld: Any, optimistic: Any = None, *, epsilons: Iterable[float] | None = None
) -> PrivacyCurve:
    """Return what a privacy loss distribution of dp_accounting claims.

    :param pld: a ``PrivacyLossDistribution`` with ``pessimistic_estimate=True``, the default there.
    :param optimistic: the same with ``pessimistic_estimate=False``; then the curve has two ends.
    :param epsilons: where δ is asked for; if not given, some 256 are chosen.
    :raises InvalidInput: if ``pld`` is none, or one that was rounded to the unsafe side.

    Between two ε the line through both is taken, which is on the safe side. Sums there are in
    floats, so that each δ is raised by 2⁻⁴⁰ of itself (a "pessimistic" one of Gaussian noise is
    below the truth in its last digit); a δ below 2⁻⁵⁰ is little more than rounding. It is for the
    neighbours that the distribution is for: usually those of "add/remove".
    """
    for each in (pld, optimistic):
        if each is not None and not callable(getattr(each, "get_delta_for_epsilon", None)):
            kind = type(each).__name__
            raise InvalidInput(f"expected a PrivacyLossDistribution of dp_accounting, got {kind}")
    if _is_optimistic(pld):
        raise InvalidInput(
            "a privacy loss distribution that is a claim must be rounded up, got one with "
            "pessimistic_estimate=False; pass it as optimistic= beside one that is pessimistic"
        )
    if optimistic is not None and not _is_optimistic(optimistic):
        raise InvalidInput("optimistic= must have pessimistic_estimate=False")
    profile = pld.get_delta_for_epsilon
    listed = asked_at(profile) if epsilons is None else sorted(float(e) for e in epsilons)
    upper = PrivacyCurve.pairs(pairs_of(profile, listed))
    said = f"a profile at {len(listed)} values of ε"
    if optimistic is None:
        return claimed(upper, said, PACKAGE)
    high = upper.polygons().upper
    low = _from_below(optimistic.get_delta_for_epsilon, listed).meet(high)
    return claimed(PrivacyCurve(Enclosed(low, high), said), said, PACKAGE)


def _is_optimistic(pld: Any) -> bool:
    """Say whether a distribution was rounded down, by the only place where it says so."""
    return getattr(getattr(pld, "_pmf_remove", None), "_pessimistic_estimate", True) is False


def _from_below(profile: Callable[[float], Any], epsilons: list[float]) -> Polygon:
    """Return a polygon below g by δ at some ε: δ falls, so up to the next ε it is no less than
    there, and beyond the last one no less than 0."""
    pairs = pairs_of(profile, epsilons, -ROUNDING)
    ends = [*(delta for _, delta in pairs[1:]), Fraction(0)]
    first = (rational(1), rational(pairs[0][1]))
    lines = [(rational(r.lower), rational(d)) for (r, _), d in zip(pairs, ends, strict=True)]
    return Polygon.of_pairs([first, *lines] if epsilons[0] > 0 else lines)


def to_pld(channel: Channel, neighbours: Neighbours, interval: float = 0.0001) -> Any:
    """Return an exact channel as a privacy loss distribution, to be composed in dp_accounting.

    :param channel: any channel with exact entries, such as the exponential mechanism on values.
    :param neighbours: which inputs must not be told apart: a graph or a policy.
    :param interval: the distance of losses there, which are rounded up to multiples of it.
    :raises ImportError: if dp_accounting is not installed: ``pip install dp-accounting``.

    Of several pairs of neighbours, it is that of one pair that dominates them all.
    """
    from dp_accounting.pld import privacy_loss_distribution

    polygon = PrivacyCurve.of(channel, neighbours).polygons().upper
    upper, lower = dict[int, float](), dict[int, float]()
    first = polygon.corners[0]
    steps = [((fmpq(0), fmpq(0)), first), *pairwise(polygon.corners)]
    for place, ((a, p), (a2, p2)) in enumerate(steps):
        if p2 > p:
            upper[place] = ln_interval(fraction(p2 - p))[1]
        if a2 > a:
            lower[place] = ln_interval(fraction(a2 - a))[0]
    return privacy_loss_distribution.from_two_probability_mass_functions(
        lower, upper, value_discretization_interval=interval
    )


# --- events --------------------------------------------------------------------------------


def from_event(event: Any) -> PrivacyCurve:
    """Return the curve of a ``DpEvent`` of dp_accounting, computed here from what it describes.

    The event is somebody's word; the numbers are ours, exact or proved from both sides. Gaussian,
    Laplace and discrete Laplace noise, randomised response, zCDP, Poisson sampling (add/remove),
    and compositions of them are read. Laplace noise has the curve of one number that changes by the
    whole sensitivity; on a vector with that L1 sensitivity no change is told apart better: section
    9 of docs/proofs/curves.md.

    :raises InvalidInput: for other events; a ``PLDAccountant``'s distribution goes to ``from_pld``.
    """
    curve = _read(event)
    return PrivacyCurve(curve.shape, f"{curve.says}, as described to {named(PACKAGE)}")


def _read(event: Any) -> PrivacyCurve:
    read = _EVENTS.get(type(event).__name__)
    if read is None:
        raise InvalidInput(
            f"expected an event of dp_accounting that has a curve here, got "
            f"{type(event).__name__}; compose a PLD of it there, and pass that to from_pld"
        )
    return read(event)


def _gaussian(event: Any) -> PrivacyCurve:
    if event.noise_multiplier == 0:
        return _nothing(event)
    return PrivacyCurve.gaussian(1 / exactly(event.noise_multiplier, "the noise"))


def _laplace(event: Any) -> PrivacyCurve:
    if event.noise_multiplier == 0:
        return _nothing(event)
    return PrivacyCurve.laplace(1 / exactly(event.noise_multiplier, "the noise"))


def _discrete_laplace(event: Any) -> PrivacyCurve:
    step, reach = exactly(event.noise_parameter, "the noise"), int(event.sensitivity)
    return PrivacyCurve.discrete_laplace(step * reach, reach)


def _response(event: Any) -> PrivacyCurve:
    noise, values = exactly(event.noise_parameter, "the noise"), int(event.num_buckets)
    if noise == 0:
        return _nothing(event)
    return PrivacyCurve.randomized_response(values, ratio=(values * (1 - noise) + noise) / noise)


def _concentrated(event: Any) -> PrivacyCurve:
    if event.xi:
        raise InvalidInput(f"(ξ, ρ)-zCDP is read for ξ = 0 only, got ξ = {event.xi}")
    return PrivacyCurve.zcdp(exactly(event.rho, "ρ"))


def _sampled(event: Any) -> PrivacyCurve:
    return _read(event.event).subsampled(exactly(event.sampling_probability, "the sampling rate"))


def _composed(event: Any) -> PrivacyCurve:
    parts = [_read(part) for part in event.events]
    if not parts:
        return PrivacyCurve.epsilon(0)
    return parts[0].compose(*parts[1:]) if len(parts) > 1 else parts[0]


def _nothing(event: Any) -> PrivacyCurve:
    return PrivacyCurve.pairs([(0, 1)])


_EVENTS: dict[str, Callable[[Any], PrivacyCurve]] = {
    "GaussianDpEvent": _gaussian,
    "LaplaceDpEvent": _laplace,
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _response,
    "ZCDpEvent": _concentrated,
    "PoissonSampledDpEvent": _sampled,
    "SelfComposedDpEvent": lambda event: _read(event.event).power(int(event.count)),
    "ComposedDpEvent": _composed,
    "NoOpDpEvent": lambda event: PrivacyCurve.epsilon(0),
    "NonPrivateDpEvent": _nothing,
}
