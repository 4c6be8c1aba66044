"""What anyone can know of one person after all releases together.

Whoever knows all others sees K(z|v) of the person's value v. For any two values, secret pair or
not, K(z|v) ≤ R(u, v)·K(z|u), where R(u, v) is the product of their ratios in each release. So
whatever was published, the chance of v is then at most π_v / Σ_u π_u/R(u, v). Of few values that is
computed exactly. Of many it is rounded up, and for values that are far apart in the policy's order
the largest ratio of any two stands for their own.

Gaussian noise has no ratio: some outcome, however unlikely, may give a value away. Then the chance
that the best guess is right is told, averaged over what may come out. It is at most what any
mechanism allows that keeps, between any two values, the largest ρ that these have lost. For values
that are no secret pair that ρ is known only of what was asked; so it must not have depended on what
came out.

If a person may have several rows, one of them is guessed. What the others are may follow from it in
any way, so that each of them may add the largest ratio of any two values.
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
from leaktight.exact.numbers import Value, fraction, rational, to_float
from leaktight.exact.powers import Powers
from leaktight.exact.rounding import float_above, ln
from leaktight.exact.shown import percent, percent_above
from leaktight.policies.secrets import CHANGE
from leaktight.tables.accountant import UNIT, Accountant
from leaktight.tables.measure import CONCENTRATED
from leaktight.tables.privacy_loss import PrivacyLoss
from leaktight.tables.privacy_unit import PrivacyUnit
from leaktight.tables.weights import Places, Weights

MOST_PLACES = 2 * 10**7
"""The most values, times different weights, for which odds are told."""

MOST_COMPARED = 3 * 10**7
"""The most pairs of values, times different weights, that are compared."""

MOST_VALUES = 2000
"""The most values whose pairs are all compared after Gaussian noise."""

EXACT_VALUES = 32
"""The most values for which the odds are computed exactly."""

EXACT_BITS = 2**12
"""The most bits of a ratio for which they are."""


AVERAGED = ", on average over what may come out, if what was asked did not follow from that"
"""What is said of odds that are no bound for each outcome."""


@dataclass(frozen=True, slots=True)
class Odds:
    """The chance that a guess about one person is right: before, and at most after all releases.

    It holds for whoever knows all others, whatever was published. Of a person with several rows one
    is guessed, whatever the others are and however they hang together with it.
    """

    value: Hashable
    """The value of which one may become surest."""
    before: Fraction
    """The chance of the best guess before."""
    after: Value
    rows: int = 1
    """The most rows that the person may have."""
    on_average: bool = False
    """Whether it is the chance of a guess over all outcomes, and not after the worst one."""

    @property
    def guessed(self) -> str:
        """What the guess is about."""
        return "one person" if self.rows == 1 else f"one of up to {self.rows} rows of a person"

    @property
    def known(self) -> str:
        """What is known besides."""
        return "all others" if self.rows == 1 else "all other persons"

    def __str__(self) -> str:
        return (
            f"a guess about {self.guessed} is right with {percent(self.before)} before, and at "
            f"most {percent_above(Fraction(self.after))} after, {self.known} known"
            f"{AVERAGED * self.on_average}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The odds as JSON has them; what is at most so much is rounded up."""
        return {
            "guessed": self.guessed,
            "before": str(self.before),
            "after at most": float_above(rational(self.after)),
            "known": self.known,
            **({"on average": True} if self.on_average else {}),
        }


def odds(
    protection: PrivacyUnit, releases: Iterable[PrivacyLoss], prior: PriorLike = None
) -> Odds | None:
    """Return what may be known of one person after some releases.

    It is None under public counts, where the others tell of the person too, after Gaussian noise if
    a person may have several rows, and where the weights of all releases are too many to be
    compared. If people change, a person may have another value in each release, which may follow
    from the one that is guessed: so it is told of one release alone. After Gaussian noise it is
    told on average over what may come out.

    A number without noise tells apart for certain the values that differ in it: the policy does
    not protect them from that.
    """
    releases = list(releases)
    if any(each.rhos for each in releases):
        return _on_average(protection, releases, prior)
    values, told = protection.values, collected(protection, releases)
    if told is None:
        return None
    belief = prior_on(prior, values).exact().array
    after = _exactly(protection, told, belief)
    if after is None:
        after = _above(protection, told, np.array([to_float(p) for p in belief]))
    surest = max(range(len(values)), key=after.__getitem__)
    rows = protection.rows_per_person
    most = after[surest] if after[surest] <= 1 else 1.0  # floats are rounded up
    return Odds(values[surest], fraction(max(belief)), most, rows)


Told = list[tuple[Weights, dict[Fraction, int]]]
"""Different weights, and how often each step was paid for them."""


def collected(protection: PrivacyUnit, releases: Iterable[PrivacyLoss]) -> Told | None:
    """Return all that was told; None where nothing follows from it for one person."""
    releases = list(releases)
    if protection.counts is not None or _is_series(protection, releases):
        return None
    paid: dict[str, dict[Fraction, int]] = {}
    known: dict[str, Weights] = {}
    for each in releases:
        if each.rhos:
            return None
        for weights, share in each.blocks:
            name = weights.digest
            steps, known[name] = paid.setdefault(name, {}), weights
            for step, times in each.steps.factors:
                steps[step] = steps.get(step, 0) + times * share
        if len(known) * len(protection.values) > MOST_PLACES:
            return None
    return [(known[name], steps) for name, steps in paid.items()]


def _is_series(protection: PrivacyUnit, releases: list[PrivacyLoss]) -> bool:
    """Say whether people may have other values in each of several releases."""
    made = sum(times for each in releases for _, times in (*each.steps.factors, *each.rhos))
    return protection.people == CHANGE and made > 1


def _on_average(
    protection: PrivacyUnit, releases: list[PrivacyLoss], prior: PriorLike = None
) -> Odds | None:
    """Return how often a guess is right at most, by the largest ρ between any two values."""
    values, size = protection.values, len(protection.values)
    if protection.counts is not None or _is_series(protection, releases):
        return None
    if protection.rows_per_person > 1 or size > MOST_VALUES:
        return None
    pairs = np.stack(np.triu_indices(size, 1), axis=1)
    if not len(pairs):
        return None
    belief = prior_on(prior, values).exact()
    before, surest = max((fraction(p), v) for v, p in enumerate(belief.array))
    blocks = [weights for each in releases for weights, _ in each.blocks]
    if any(weights.bare(pairs, protection.pairs).any() for weights in blocks):
        return Odds(values[surest], before, Fraction(1), on_average=True)
    charges = (c for each in releases for c in CONCENTRATED.between(protection, each, pairs))
    rho = Accountant.of(len(pairs), charges, CONCENTRATED).largest
    assert isinstance(rho, Fraction)
    after = before
    if rho:
        after = best_guess(PrivacyCurve.zcdp(rho), values, belief).upper
    return Odds(values[surest], before, after, on_average=True)


def _exactly(
    protection: PrivacyUnit, told: Told, belief: npt.NDArray[np.object_]
) -> Sequence[Value] | None:
    """Return for each value the largest chance it may get; None if that would be long."""
    kept = exact_falls(protection, told)
    if kept is None:
        return None
    shares = zip(belief, kept @ belief, strict=True)
    return [fraction(p / total) if p else Fraction(0) for p, total in shares]


def exact_falls(protection: PrivacyUnit, told: Told) -> npt.NDArray[np.object_] | None:
    """Return 1/R(u, v) of any two values, exactly; None if that would be long."""
    size = len(protection.values)
    if size > EXACT_VALUES:
        return None
    pairs = np.stack(np.meshgrid(np.arange(size), np.arange(size)), axis=-1)
    apart = np.zeros((size, size), dtype=bool)
    exponents: dict[Fraction, Places] = {}
    for weights, steps in told:
        apart |= weights.bare(pairs, protection.pairs)
        for step, times in steps.items():
            exponents[step] = exponents.get(step, 0) + times * weights.distances(pairs)
    rows = protection.rows_per_person
    longest = Powers.of(*((step, rows * int(e.max())) for step, e in exponents.items()))
    if longest.length > EXACT_BITS:
        return None
    kept = np.full((size, size), fmpq(1), dtype=object)
    for step, own in exponents.items():
        kept *= np.array([[rational(1 / step) ** e for e in row] for row in own.tolist()])
    kept[apart] = fmpq(0)
    kept *= kept.min() ** (rows - 1)  # the two values of every other row may be the furthest apart
    np.fill_diagonal(kept, fmpq(1))
    return kept


def falls_below(protection: PrivacyUnit, told: Told) -> npt.NDArray[np.float64]:
    """Return a little less than 1/R(u, v) of any two values, in floats."""
    size = len(protection.values)
    pairs = np.stack(np.meshgrid(np.arange(size), np.arange(size)), axis=-1)
    slack = (sum(len(steps) for _, steps in told) + 16) * UNIT
    nats, apart = np.zeros((size, size)), np.zeros((size, size), dtype=bool)
    for weights, steps in told:
        nats += sum(times * ln(step) for step, times in steps.items()) * weights.distances(pairs)
        apart |= weights.bare(pairs, protection.pairs)
    if (rows := protection.rows_per_person) > 1:
        nats += (rows - 1) * (math.inf if apart.any() else nats.max())
    found = np.exp(-nats * (1 + slack)) * (1 - slack)
    found[apart] = 0
    np.fill_diagonal(found, 1.0)
    return found


def _above(protection: PrivacyUnit, told: Told, belief: npt.NDArray[np.float64]) -> Sequence[Value]:
    """Return for each value a bound on the chance it may get."""
    size = len(belief)
    costs = [sum(times * ln(step) for step, times in steps.items()) for _, steps in told]
    slack = (sum(len(steps) for _, steps in told) + size + 16) * UNIT
    places = np.arange(size)
    first = np.stack([0 * places, places], axis=1)
    bare = [weights for weights, _ in told if weights.bare(first, protection.pairs).any()]
    totals, seen = belief.copy(), belief.copy()
    far = sum(cost * weights.reach for cost, (weights, _) in zip(costs, told, strict=True))
    rows = protection.rows_per_person
    others = 0.0 if rows == 1 else (rows - 1) * (math.inf if bare else far)
    window = min(size - 1, MOST_COMPARED // (size * max(1, len(told))))
    for apart in range(1, window + 1):
        u, v = places[:-apart], places[apart:]
        pairs, nats = np.stack([u, v], axis=1), np.zeros(size - apart)
        for cost, (weights, _) in zip(costs, told, strict=True):
            nats += cost * weights.distances(pairs)
        each = np.exp(-(nats + others) * (1 + slack))
        for weights in bare:
            each[weights.bare(pairs, protection.pairs)] = 0
        totals[u] += each * belief[v]
        totals[v] += each * belief[u]
        seen[u] += belief[v]
        seen[v] += belief[u]
    if window < size - 1 and not bare:
        totals += np.exp(-(far + others) * (1 + slack)) * np.maximum(0, 1 - seen - slack)
    totals *= 1 - slack  # below the truth
    return (np.divide(belief, totals, where=belief > 0, out=np.zeros(size)) * (1 + slack)).tolist()
