"""What anyone can know of one attribute of a person after all releases together.

All attributes at once are rarely what a person minds: 0.06% becomes 0.3%, and says nothing. Of one
attribute, whoever knows all others sees K(z|v) of the person's values v = (a, b), of which a is
asked for and b are the other attributes. As K(z|v) ≤ R(u, v)·K(z|u), the odds of a are at most

- Σ_v π_v / Σ_u π_u/R(u, v), over v with a and u without, and
- the largest π_v / Σ_u π_u/R(u, v) over v with a, where u has the same b: what they would be if b
  were known.

The smaller of the two is told; docs/proofs/tables.md has the proof.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.guess import best_guess
from leaktight.exact.numbers import fraction, rational, to_float
from leaktight.exact.rounding import float_above
from leaktight.exact.shown import percent, percent_above
from leaktight.tables.accountant import UNIT, Accountant
from leaktight.tables.measure import CONCENTRATED
from leaktight.tables.odds import collected, exact_falls, falls_below, odds
from leaktight.tables.privacy_loss import PrivacyLoss
from leaktight.tables.privacy_unit import PrivacyUnit

MOST_VALUES = 3000
"""The most values whose pairs are all compared."""


@dataclass(frozen=True, slots=True)
class AttributeValue:
    """The chance of one value of an attribute: before, and at most after all releases."""

    value: Hashable
    before: Fraction
    after: Fraction

    @property
    def factor(self) -> Fraction:
        """By how much the belief in it grows at most."""
        return self.after / self.before


@dataclass(frozen=True, slots=True)
class AttributeOdds:
    """What may be known of one attribute of a person, whatever was published."""

    attribute: str
    values: tuple[AttributeValue, ...]
    """Those that grow by the largest factor first; none if outcomes are averaged."""
    average: tuple[Fraction, Fraction] | None = None
    """The chance of a guess before and after, on average over what may come out, where no outcome
    has a bound of its own: after Gaussian noise."""

    @property
    def before(self) -> Fraction:
        """The chance of the best guess before."""
        return self.average[0] if self.average else max(each.before for each in self.values)

    @property
    def after(self) -> Fraction:
        """The chance of a guess after any output, at most; perhaps on average over them."""
        return self.average[1] if self.average else max(each.after for each in self.values)

    def __str__(self) -> str:
        chances = f"{percent(self.before)} → ≤ {percent_above(self.after)}"
        return f"{self.attribute}: {chances}{' on average' * (self.average is not None)}"

    def to_dict(self) -> dict[str, Any]:
        """The odds as JSON has them; what is at most so much is rounded up."""
        return {
            "attribute": self.attribute,
            "before": str(self.before),
            "after at most": float_above(rational(self.after)),
            "on average": self.average is not None,
            "values": [
                {
                    "value": str(each.value),
                    "before": str(each.before),
                    "after at most": float_above(rational(each.after)),
                }
                for each in self.values
            ],
        }


def attribute_odds(
    protection: PrivacyUnit,
    releases: Iterable[PrivacyLoss],
    prior: PriorLike = None,
    attributes: Sequence[str] = (),
) -> tuple[AttributeOdds, ...]:
    """Return what may be known of each attribute of one person, alone, after some releases.

    Values that are tuples have an attribute in each place, named in ``attributes``. Who may be
    absent is believed to be there. Nothing is told where :func:`odds` tells nothing, and of more
    than 3,000 values.

    >>> from leaktight import Policy, SecretGraph
    >>> from leaktight.exact.ratio import Ratio
    >>> from leaktight.tables.calibration import calibrated
    >>> from leaktight.tables.queries import histogram
    >>> sexes, health = ["f", "m"], ["ill", "well"]
    >>> both = SecretGraph.product(SecretGraph.complete(sexes), SecretGraph.complete(health))
    >>> whom = PrivacyUnit(Policy(both, 100))
    >>> noise = calibrated(whom, [histogram("h", by=["sex"])], Ratio.of(3), ("sex", "health"))
    >>> for each in attribute_odds(whom, [noise.paid], attributes=("sex", "health")):
    ...     print(each)
    sex: 50% → ≤ 75%
    health: 50% → ≤ 50%
    """
    there = [i for i, v in enumerate(protection.values) if v != protection.absent]
    parts = [v if isinstance(v, tuple) else (v,) for v in (protection.values[i] for i in there)]
    if len({len(part) for part in parts}) > 1:  # values of different kinds have no attributes
        parts = [(v,) for v in parts]
    made = list(releases)
    if any(each.rhos for each in made):
        return _on_average(protection, made, prior, attributes, there, parts)
    return _odds_of(protection, made, prior, attributes, there, parts)


def _on_average(
    protection: PrivacyUnit,
    releases: list[PrivacyLoss],
    prior: PriorLike,
    attributes: Sequence[str],
    there: list[int],
    parts: Sequence[tuple[Hashable, ...]],
) -> tuple[AttributeOdds, ...]:
    """Return how often a guess of each attribute is right, by the largest ρ between its values.

    The other attributes may be known: so these must be believed to be independent of it.
    """
    if odds(protection, releases, prior) is None:
        return ()
    belief = prior_on(prior, protection.values).exact().array
    found = []
    for k in range(len(parts[0])):
        others = _numbered((*part[:k], *part[k + 1 :]) for part in parts)
        of = _numbered(part[k] for part in parts)
        joint = np.full((max(others) + 1, max(of) + 1), fmpq(0), dtype=object)
        for i, b, a in zip(there, others, of, strict=True):
            joint[b, a] = joint[b, a] + belief[i]
        if not (total := joint.sum()):
            return ()
        margin = joint.sum(axis=0) / total
        if (joint * total != np.outer(joint.sum(axis=1), joint.sum(axis=0))).any():
            continue  # they hang together
        near = [
            (there[i], there[j])
            for i in range(len(there))
            for j in range(i + 1, len(there))
            if others[i] == others[j]
        ]
        name = attributes[k] if len(attributes) == len(parts[0]) else f"attribute {k + 1}"
        before = fraction(max(margin))
        after = before if not near else _guess(protection, releases, near, margin)
        found.append(AttributeOdds(name, (), (before, after)))
    return tuple(found)


def _guess(
    protection: PrivacyUnit,
    releases: list[PrivacyLoss],
    pairs: Any,
    margin: npt.NDArray[np.object_],
) -> Fraction:
    """Return how often a guess is right, if no two of these values differ by more ρ."""
    listed = np.array(pairs)
    blocks = [weights for each in releases for weights, _ in each.blocks]
    if any(weights.bare(listed, protection.pairs).any() for weights in blocks):
        return Fraction(1)
    charges = (c for each in releases for c in CONCENTRATED.between(protection, each, listed))
    rho = Accountant.of(len(listed), charges, CONCENTRATED).largest
    assert isinstance(rho, Fraction)
    if not rho:
        return fraction(max(margin))
    shares = [fraction(p) for p in margin]
    return Fraction(best_guess(PrivacyCurve.zcdp(rho), list(range(len(shares))), shares).upper)


def whole_odds(
    protection: PrivacyUnit, releases: Iterable[PrivacyLoss], prior: PriorLike = None
) -> AttributeOdds | None:
    """Return the same of a person's whole value, and of who is absent; None if it is not told."""
    there, parts = range(len(protection.values)), [(v,) for v in protection.values]
    found = _odds_of(protection, releases, prior, ("value",), list(there), parts)
    return found[0] if found else None


def _odds_of(
    protection: PrivacyUnit,
    releases: Iterable[PrivacyLoss],
    prior: PriorLike,
    attributes: Sequence[str],
    there: list[int],
    parts: Sequence[tuple[Hashable, ...]],
) -> tuple[AttributeOdds, ...]:
    """Return the odds of each part of some of the values."""
    told = collected(protection, releases)
    if told is None or len(protection.values) > MOST_VALUES:
        return ()
    belief = prior_on(prior, protection.values).exact().array[there]
    if not sum(belief, fmpq(0)):
        return ()
    belief = belief / sum(belief, fmpq(0))
    falls: Any = exact_falls(protection, told)
    bounds: type[_Exactly | _InFloats] = _Exactly
    if falls is None:
        falls, bounds = falls_below(protection, told), _InFloats
    found, bound = [], bounds(belief, falls[np.ix_(there, there)])
    for k in range(len(parts[0])):
        name = attributes[k] if len(attributes) == len(parts[0]) else f"attribute {k + 1}"
        others = [(*part[:k], *part[k + 1 :]) for part in parts]
        alike = np.array(_numbered(others))
        values = []
        for value in dict.fromkeys(part[k] for part in parts):
            inside = np.array([part[k] == value for part in parts])
            if before := sum(belief[inside], fmpq(0)):
                after = fraction(before) if before == 1 else bound.after(inside, alike)
                values.append(AttributeValue(value, fraction(before), after))
        ranked = sorted(values, key=lambda each: each.factor, reverse=True)
        found.append(AttributeOdds(name, tuple(ranked)))
    return tuple(found)


def _numbered(labels: Iterable[Hashable]) -> list[int]:
    """Return a number for each label, the same for the same."""
    known: dict[Hashable, int] = {}
    return [known.setdefault(label, len(known)) for label in labels]


class _Exactly:
    """Both bounds in exact numbers."""

    def __init__(self, belief: npt.NDArray[np.object_], falls: npt.NDArray[np.object_]) -> None:
        self.belief, self.falls = belief, falls

    def after(self, inside: npt.NDArray[np.bool_], alike: npt.NDArray[np.int64]) -> Fraction:
        """Return the largest chance that the values ``inside`` may get together."""
        belief, falls = self.belief, self.falls
        own = [v for v in np.flatnonzero(inside) if belief[v]]
        sums = [_odds(belief[v], belief[~inside] @ falls[~inside, v]) for v in own]
        known = [
            _odds(belief[v], belief[near] @ falls[near, v])
            for v in own
            for near in [~inside & (alike == alike[v])]
        ]
        odds = [o for o in (_added(sums), _largest(known)) if o is not None]
        return fraction(min(odds) / (1 + min(odds))) if odds else Fraction(1)


def _odds(one: fmpq, others: Any) -> fmpq | None:
    return one / others if others else None


def _added(odds: Sequence[fmpq | None]) -> fmpq | None:
    known = [each for each in odds if each is not None]
    return sum(known, fmpq(0)) if len(known) == len(odds) else None


def _largest(odds: Sequence[fmpq | None]) -> fmpq | None:
    known = [each for each in odds if each is not None]
    return max(known) if len(known) == len(odds) else None


class _InFloats:
    """Both bounds in floats, rounded up."""

    def __init__(self, belief: npt.NDArray[np.object_], falls: npt.NDArray[np.float64]) -> None:
        self.belief = np.array([to_float(p) for p in belief])
        self.falls = falls
        self.slack = (len(belief) + 16) * UNIT

    def after(self, inside: npt.NDArray[np.bool_], alike: npt.NDArray[np.int64]) -> Fraction:
        """Return a bound on the chance that the values ``inside`` may get together."""
        belief, slack = self.belief, self.slack
        own = inside & (belief > 0)
        out = np.flatnonzero(~inside)
        falls = belief[out, None] * self.falls[np.ix_(out, np.flatnonzero(own))]
        near = alike[out, None] == alike[own]
        with np.errstate(divide="ignore"):
            sums = belief[own] / (falls.sum(axis=0) * (1 - slack))
            known = belief[own] / ((falls * near).sum(axis=0) * (1 - slack))
        odds = min(float(sums.sum()), float(known.max())) * (1 + slack)
        if not math.isfinite(odds):
            return Fraction(1)
        return min(Fraction(1), Fraction(odds / (1 + odds) * (1 + slack)))
