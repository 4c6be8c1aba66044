"""Promises that can be attacked: (ε, δ), ρ-zCDP, μ-Gaussian, and any curve.

Each knows its curve, which events speak against it, and what limits of two chances prove.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from flint import fmpq

from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.promise import read_promise as one_promise
from leaktight.exact.numbers import Array, Number, as_printed, fraction, rational, to_float
from leaktight.exact.rounding import ln_interval
from leaktight.exact.shown import shown
from leaktight.samples.confidence import expected_ends
from leaktight.samples.event import Hits, Score

LINES = 24
"""With how many lines a curve is drawn where events are chosen; what is decided needs none."""

HALVINGS = 24
"""How often an interval is halved that holds the least parameter."""


class Proved(NamedTuple):
    """What the parameter of a promise is at least, by two chances."""

    unit: str
    value: float
    at: str


class Promise(Protocol):
    """What is claimed of a mechanism."""

    @property
    def curve(self) -> PrivacyCurve:
        """How likely an event may be for one input by its chance for the other."""

    def score(self, trials: int, risk: float) -> Score:
        """Return what says how good events are, by how often they occur in so many trials.

        The limits are those of the outputs that judge, however many will test: an event that
        looks good because it was seen once, and not seen once, is not.
        """

    def proved(self, likely: fmpq, rare: fmpq) -> Proved:
        """Return what follows from P(S) ≥ likely and Q(S) ≤ rare, rounded down."""


@dataclass(frozen=True, slots=True)
class Pair:
    """(ε, δ)-differential privacy. An event is as good as the e^ε that it would prove."""

    curve: PrivacyCurve
    delta: fmpq

    def score(self, trials: int, risk: float) -> Score:
        """(P − δ)/Q at the limits."""
        slack = to_float(self.delta)

        def ratio(likely: Hits, rare: Hits) -> Array:
            low, high = expected_ends(likely, rare, trials, risk)
            return (low - slack) / high

        return ratio

    def proved(self, likely: fmpq, rare: fmpq) -> Proved:
        """The least ε at δ."""
        at = f" at δ = {shown(self.delta)}" if self.delta else ""
        return Proved("ε", least_epsilon(likely, rare, self.delta), at)


def least_epsilon(likely: fmpq, rare: fmpq, delta: fmpq) -> float:
    """Return the least ε of (ε, δ) that allows such chances: by the event, or by its complement."""
    ratio = max(fmpq(1), (likely - delta) / rare)
    if likely < 1:
        ratio = max(ratio, (1 - rare - delta) / (1 - likely))
    return max(0.0, ln_interval(ratio)[0])


class _ByCurve:
    """A promise whose events are as good as they exceed its curve, in standard deviations."""

    curve: PrivacyCurve

    def score(self, trials: int, risk: float) -> Score:
        """(P − g(Q))/σ at the limits, for g drawn with few lines."""
        corners = self.curve.polygons(LINES).upper.corners
        places, heights = (np.array([to_float(c[i]) for c in corners]) for i in (0, 1))
        steep = np.diff(heights) / np.diff(places)

        def exceeded(likely: Hits, rare: Hits) -> Array:
            low, high = expected_ends(likely, rare, trials, risk)
            slope = steep[np.clip(np.searchsorted(places, high) - 1, 0, len(steep) - 1)]
            variance = low * (1 - low) + slope**2 * high * (1 - high) + 1 / trials
            return (low - np.interp(high, places, heights)) / np.sqrt(variance)

        return exceeded


@dataclass(frozen=True)
class Parameter(_ByCurve):
    """A promise with one parameter, such as ρ, whose curves grow with it."""

    curve: PrivacyCurve
    unit: str
    family: Callable[[Number], PrivacyCurve]

    def proved(self, likely: fmpq, rare: fmpq) -> Proved:
        """A parameter whose curve is refuted, by halving."""
        low, high = 0.0, 1.0
        if likely <= rare:
            return Proved(self.unit, 0.0, "")
        while self._is_refuted(high, likely, rare):
            low, high = high, 2 * high
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if self._is_refuted(middle, likely, rare):
                low = middle
            else:
                high = middle
        return Proved(self.unit, low, "")

    def _is_refuted(self, value: float, likely: fmpq, rare: fmpq) -> bool:
        return likely > self.family(fraction(rational(value))).shape.detection(rare)[1]


@dataclass(frozen=True)
class Curve(_ByCurve):
    """Any curve; what is told is the least ε."""

    curve: PrivacyCurve

    def proved(self, likely: fmpq, rare: fmpq) -> Proved:
        """The least ε at δ = 0."""
        return Proved("ε", least_epsilon(likely, rare, fmpq(0)), "")


def read_promise(
    epsilon: Number | None,
    delta: Number | None,
    rho: Number | None,
    mu: Number | None,
    curve: PrivacyCurve | None,
) -> Promise:
    """Return the one promise that is given.

    >>> print(read_promise(1, "0.001", None, None, None).curve)
    ε = 1, δ = 0.001
    """
    known = one_promise({"epsilon": epsilon, "delta": delta, "rho": rho, "mu": mu, "curve": curve})
    if epsilon is not None:
        slack = as_printed(0 if delta is None else delta)
        return Pair(PrivacyCurve.epsilon_delta(epsilon, fraction(slack)), slack)
    assert isinstance(known, PrivacyCurve)
    if curve is not None:
        return Curve(known.symmetric())
    unit, family = ("ρ", PrivacyCurve.zcdp) if mu is None else ("μ", PrivacyCurve.gaussian)
    return Parameter(known, unit, family)
