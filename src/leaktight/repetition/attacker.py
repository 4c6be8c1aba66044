"""Attackers: how likely each is right after n observations.

Either the channel is known, and the chance is exact, or only a guarantee: that each release is
private at a ratio λ. Then n releases are private at λ^n together (Lemma 3 of [Barthe2011]_), even
if each depends on those before, and no attacker does better than what is said here. Of a promise
other than pure ε, n releases keep the composed curve.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from flint import arb, fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.guess import ADD_REMOVE, REPLACE, best_guess
from leaktight.curves.posterior import Belief, belief_at
from leaktight.curves.promise import Promise, promise_if_any
from leaktight.errors import InvalidInput, InvalidNumber, InvalidPolicy, TooLarge, Undecided
from leaktight.exact.numbers import Array, Number, exact_array, fraction, largest, rational
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.exact.rounding import precision
from leaktight.exact.shown import Probability, shown
from leaktight.leakage.value_odds import ValueOdds, bounded_odds
from leaktight.policies.adjacency import AdjacencyGraph
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.neighbours import adjacency_of
from leaktight.policies.policy import Policy
from leaktight.repetition.adversary import Adversary, ChannelAdversary
from leaktight.worst_case.columns import (
    best_cover,
    best_metric_cover,
    coverage,
    coverage_below,
    total_weight,
    weighting,
)

Secret: TypeAlias = Channel | Graph | AdjacencyGraph | Metric | Policy | Number
"""What an attacker is after: the input of a channel, a vertex of a graph, a value of a metric, what
one record of a policy is, or whether a guess of this probability is right."""

EXACT_BITS = 128
"""The most bits of a power λ^n that is kept exactly; a longer one is rounded up to 64."""

MOST_SOLVED = 40
"""The largest graph whose worst case is solved for; that of a larger one is bounded by a cover."""

POWER_BITS = 2**11
"""The most bits of a power λ^(−n·d), d the farthest distance; λ^n is rounded up for that."""

LEAST_BITS = 12
"""How many bits of λ^n are used, however far the vertices are apart."""

MOST_SUMMED = 10**5
"""The most values times distances for which beliefs are exact bounds, and not rounded outward."""

MOST_EPSILON = 10**6
"""The largest n·ε, as for one ratio."""


@dataclass(frozen=True, slots=True)
class BeliefAdversary(Adversary):
    """One who holds a value for true with probability ``prior``, and sees λ-private releases.

    ``distance`` is the number of steps between the person's possible values at most.
    """

    prior: fmpq
    ratio: Ratio
    distance: int

    def __post_init__(self) -> None:
        if not 0 < self.prior < 1:
            raise InvalidNumber(
                f"the probability of a guess must be between 0 and 1, got {shown(self.prior)}; "
                "for so many values that are alike, give SecretGraph.complete(values)"
            )
        if not isinstance(self.distance, int | np.integer) or self.distance < 1:
            raise InvalidNumber(f"a distance is a whole number from 1 up, got {self.distance!r}")

    def chance(self, n: int) -> Probability:
        """λ^(nD)·p/(1 + (λ^(nD) − 1)·p): by so much the odds of a value can grow at most."""
        odds = _power(self.ratio, n * self.distance)
        return Probability(n, fraction(odds * self.prior / (1 + (odds - 1) * self.prior)), n == 0)

    def in_the_end(self) -> Fraction:
        """What the chance tends to with ever more releases."""
        return fraction(self.prior) if self.ratio.upper == 1 else Fraction(1)


@dataclass(frozen=True, slots=True)
class GraphAdversary(Adversary):
    """One who guesses a value of a ``space``, and sees releases that are λ-private on it."""

    space: Graph | Metric
    prior: Distribution
    ratio: Ratio
    _covered: dict[int, Array] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def graph(self) -> Graph:
        """The pairs of values that matter."""
        return self.space.graph

    def chance(self, n: int) -> Probability:
        """The largest chance that any mechanism gives that is private at λ^n, or a bound on it."""
        if n == 0:
            return Probability(0, fraction(self.prior.array.max()), True)
        bounds = [self.belief(n).value]  # what no outcome exceeds, the mean does not
        if (solved := self._solved(n)) is not None:
            bounds.append(solved)
        return Probability(n, min(bounds), False)

    def _solved(self, n: int) -> Fraction | None:
        """What no mechanism exceeds that is private at λ^n; None if that is too large."""
        power, reach = self._power(n)
        return self.best(fraction(power))[1] if reach >= self.graph.eccentricities.max() else None

    def best(self, ratio: Fraction) -> tuple[Fraction, Fraction]:
        """The chance that a mechanism gives which is private at a ratio, and what none exceeds."""
        likeliest = fraction(self.prior.array.max())
        is_uniform = likeliest == Fraction(1, self.graph.order)
        if self.graph.order <= MOST_SOLVED:
            with suppress(Undecided):
                return self._optimum(Ratio(ratio, ratio))
        if self.graph.is_connected and (weights := weighting(self.graph, ratio)) is not None:
            most = likeliest * fraction(total_weight(weights))
            return most if is_uniform else likeliest, most
        return likeliest, likeliest * fraction(best_cover(self.graph, ratio)[0].bound)

    def _optimum(self, ratio: Ratio) -> tuple[Fraction, Fraction]:
        """The chance that the best mechanism gives, and what none exceeds."""
        likeliest = fraction(self.prior.array.max())
        if likeliest == Fraction(1, self.graph.order):
            from leaktight.worst_case.optimum import worst_case_leakage

            worst = worst_case_leakage(self.space, ratio)
            return likeliest * worst.lower, likeliest * worst.upper
        from leaktight.mechanisms.best import optimal_mechanism

        found = optimal_mechanism(self.space, self.prior, ratio=ratio)
        return found.utility, found.upper

    def beliefs(self, times: Iterable[int]) -> tuple[Probability, ...]:
        """The largest probability that a value can have then."""
        return tuple(map(self.belief, times))

    def belief(self, n: int) -> Probability:
        """The largest probability that a value can have after some outcome of n releases."""
        possible = self.prior.array > 0
        each = self.prior.array[possible] / self.covered(n)[possible]
        return Probability(n, fraction(largest(each)), n == 0)

    def odds_of_values(self, n: int) -> list[ValueOdds]:
        """How far the belief in each value can rise by n releases."""
        return bounded_odds(self.graph.vertices, self.prior.array, self.covered(n))

    def covered(self, n: int) -> Array:
        """Return Σ_h π_h·λ^(−n·d(x, h)) for each value x, or less; worked out once."""
        if n not in self._covered:
            self._covered[n] = self._coverage(n)
        return self._covered[n]

    def _coverage(self, n: int) -> Array:
        """Return Σ_h π_h·λ^(−n·d(x, h)) for each value x, or less.

        An output that is c likely at x is at least λ^(−n·d(x, h))·c likely at h, and a mechanism
        has equality for all h. So x is believed with at most π_x divided by this.
        """
        farthest = int(self.graph.eccentricities.max())
        if n and self.ratio.upper > 1 and self.graph.order * farthest > MOST_SUMMED:
            return coverage_below(self.graph, _power(self.ratio, n), self.prior.array)
        power, reach = self._power(n)
        if reach >= farthest:
            return coverage(self.graph, fraction(power), self.prior.array)
        shrunk = exact_array([*(power**-d for d in range(reach + 1)), 0])  # the last is for -1
        near = np.where(self.graph.distances > reach, -1, self.graph.distances)
        return (shrunk[near] * self.prior.array).sum(axis=1)

    def _power(self, n: int) -> tuple[fmpq, int]:
        """Return λ^n, rounded up to be short, and the distance up to which λ^(−n·d) matters."""
        farthest = max(1, int(self.graph.eccentricities.max()))
        power, bits = _power(self.ratio, n), max(LEAST_BITS, POWER_BITS // farthest)
        if power.height_bits() > bits:
            with precision(bits):
                power = arb(power).upper().fmpq()
        if power.height_bits() <= 2 * bits:
            return power, farthest
        return power, max(1, POWER_BITS // power.height_bits())

    def in_the_end(self) -> Fraction:
        """What the chance tends to with ever more releases."""
        return self.chance(1).value if self.ratio.upper == 1 else Fraction(1)


@dataclass(frozen=True, slots=True)
class MetricAdversary(GraphAdversary):
    """The same where edges have lengths, so that λ^n is not rounded by itself."""

    space: Metric

    def _solved(self, n: int) -> Fraction | None:
        with suppress(InvalidNumber):  # so far apart that nothing is hidden
            return self._best(self.ratio.over(Fraction(n), Fraction(n)))[1]
        return None

    def best(self, ratio: Fraction) -> tuple[Fraction, Fraction]:
        """The chance that a mechanism gives which is private at a ratio, and what none exceeds."""
        return self._best(Ratio(ratio, ratio))

    def _best(self, ratio: Ratio) -> tuple[Fraction, Fraction]:
        if self.space.order <= MOST_SOLVED:
            return self._optimum(ratio)
        likeliest = fraction(self.prior.array.max())
        parts = (self.space.restricted(part) for part in self.graph.components)
        covers = (best_metric_cover(part, ratio).bound for part in parts)
        return likeliest, likeliest * fraction(sum(covers, fmpq(0)))

    def _coverage(self, n: int) -> Array:
        """Return Σ_h π_h·λ^(−n·d(x, h)) for each value x, or less."""
        with precision(128):
            rate = arb(rational(self.ratio.upper)).log() * n
            known = {d: (-rate * d).exp() for d in set(self.space.distances.ravel()) - {None}}
            kept = {None: fmpq(0), fmpq(0): fmpq(1)}
            kept |= {d: ball.lower().fmpq() for d, ball in known.items() if d}
        return np.array(
            [
                sum((kept[d] * p for d, p in zip(row, self.prior.array, strict=True)), fmpq(0))
                for row in self.space.distances
            ]
        )


@dataclass(frozen=True, slots=True)
class CurveAdversary(Adversary):
    """One who guesses a vertex of ``graph``, and sees releases each of which keeps a ``curve``.

    ``neighbours`` is "replace" or "add/remove" if all values are alike; nothing if the graph says
    it.
    """

    graph: Graph
    prior: Distribution
    curve: PrivacyCurve
    neighbours: str

    def chance(self, n: int) -> Probability:
        """The largest chance that any mechanism gives which keeps the curve of n releases."""
        if n == 0:
            return Probability(0, fraction(self.prior.array.max()), True)
        return Probability(n, self.best(self.curve.power(n))[1], False)

    def best(self, curve: PrivacyCurve) -> tuple[Fraction, Fraction]:
        """The chance that a mechanism gives which keeps a curve, and what none exceeds."""
        if self.neighbours == ADD_REMOVE and len(set(self.prior.array)) == 1:
            # All values are equally likely: g(1/v), Theorem 5 of docs/proofs/curves.md.
            low, high = curve.shape.detection(self.prior.array[0])
            return fraction(low), fraction(high)
        if self.neighbours == ADD_REMOVE:
            guess = best_guess(curve, self.graph.vertices, self.prior, neighbours=ADD_REMOVE)
            return guess.lower, guess.upper
        from leaktight.curves.graphs import best_gain, cover_bound

        try:
            found = best_gain(curve, self.graph, self.prior)
        except (TooLarge, Undecided):
            likeliest = fraction(self.prior.array.max())
            return likeliest, cover_bound(curve, self.graph, self.prior)
        return found.lower, found.upper

    def in_the_end(self) -> Fraction:
        """What the chance tends to with ever more releases."""
        return self.chance(1).value if self.curve.advantage.upper == 0 else Fraction(1)

    def outlooks(self, times: Iterable[int], sure: Number) -> tuple[tuple[int, Belief], ...]:
        """How far the belief in the likeliest value grows, but rarely.

        Any two values are so many neighbours apart, and as much is believed of a mixture of them.
        """
        likeliest = self.prior.array.max()
        if likeliest == 1 or not self.graph.is_connected:
            return ()
        steps = 1 if self.neighbours else int(self.graph.eccentricities.max())
        return CurveBeliefAdversary(likeliest, self.curve, steps, self.neighbours).outlooks(
            times, sure
        )


@dataclass(frozen=True, slots=True)
class CurveBeliefAdversary(Adversary):
    """One who holds a value for true with probability ``prior``, and sees what keeps a ``curve``.

    ``distance`` is the number of steps between the person's possible values at most; if neighbours
    are absent, two values are twice as far apart.
    """

    prior: fmpq
    curve: PrivacyCurve
    distance: int
    neighbours: str
    is_bounded = False

    def chance(self, n: int) -> Probability:
        """The belief before; afterwards it has no bound."""
        if n == 0:
            return Probability(0, fraction(self.prior), True)
        raise InvalidInput(
            "only pure ε bounds a belief for certain: ask for no chance of it, or of values, as "
            "in SecretGraph.complete(6)"
        )

    def in_the_end(self) -> Fraction:
        """What a belief tends to with ever more releases."""
        return Fraction(1)

    def outlooks(self, times: Iterable[int], sure: Number) -> tuple[tuple[int, Belief], ...]:
        """How far the belief grows, but rarely."""
        steps = self.distance * (2 if self.neighbours == ADD_REMOVE else 1)
        return tuple(
            (n, belief_at(self.curve.power(n).symmetric(), fraction(self.prior), sure, steps=steps))
            for n in times
        )


def attackers_on(
    secret: Secret,
    prior: PriorLike = None,
    promise: Promise | None = None,
    distance: int | None = None,
    neighbours: str | None = None,
) -> tuple[Adversary, ...]:
    """Return the attackers on a secret: two, if it was not said who the neighbours are."""
    if neighbours is not None and neighbours not in (REPLACE, ADD_REMOVE):
        raise InvalidInput(f"neighbours must be 'replace' or 'add/remove', got {neighbours!r:.60}")
    if isinstance(secret, Channel):
        if (promise, distance, neighbours) != (None, None, None):
            raise InvalidNumber("a channel tells how private it is: give no ratio and no ε with it")
        exact = secret.exact()
        return (ChannelAdversary(exact, prior_on(prior, exact.inputs).exact()),)
    if isinstance(secret, Policy):
        secret = secret.metric or _one_record(secret)
    if isinstance(secret, Graph | AdjacencyGraph | Metric):
        if distance is not None:
            raise InvalidNumber("a graph tells how far its vertices are apart: give no distance=")
        metric = secret.measured
        if metric is not None and metric.unit != 1:
            return (_by_distance(metric, prior, promise, neighbours),)
        graph = adjacency_of(secret if metric is None else metric.graph).explicit()
        believed = prior_on(prior, graph.vertices).exact()
        return _on_graph(graph, believed, promise, neighbours)
    if prior is not None:
        raise InvalidNumber("the probability of a guess is its prior: give no prior=")
    try:
        guess = rational(secret)
    except InvalidNumber:
        raise InvalidInput(
            "a secret must be a Channel, a graph, a Metric, a Policy or the probability of a "
            f"guess, got {secret!r:.60}"
        ) from None
    steps = 1 if distance is None else distance
    if isinstance(promise, Ratio | None):
        believer = BeliefAdversary(guess, promise or Ratio.of(), steps)
        if neighbours != ADD_REMOVE:
            return (believer,)
        return (replace(believer, distance=2 * steps),)
    BeliefAdversary(guess, Ratio.of(1), steps)  # both numbers are looked at
    both = (REPLACE, ADD_REMOVE) if promise.is_symmetric else (ADD_REMOVE,)
    if neighbours is not None:
        both = (neighbours,)
    return tuple(CurveBeliefAdversary(guess, promise, steps, each) for each in both)


def _by_distance(
    metric: Metric, prior: PriorLike, promise: Promise | None, neighbours: str | None
) -> Adversary:
    if not isinstance(promise, Ratio | None) or neighbours is not None:
        raise InvalidInput(
            "with distances pure ε alone is explained: give ratio= or epsilon=, or a graph of "
            "values that are neighbours; worst_case_leakage takes (ε, δ)"
        )
    return MetricAdversary(metric, prior_on(prior, metric.values).exact(), promise or Ratio.of())


def _on_graph(
    graph: Graph, prior: Distribution, promise: Promise | None, neighbours: str | None
) -> tuple[Adversary, ...]:
    """Return who guesses a vertex, for each relation of neighbours that may be meant."""
    if neighbours is not None and not graph.is_complete:
        raise InvalidInput(
            f"neighbours={neighbours!r} is for values that are all alike, as in complete:6; "
            "of other graphs the edges are the neighbours"
        )
    if isinstance(promise, Ratio | None):
        if neighbours != ADD_REMOVE:
            return (GraphAdversary(graph, prior, promise or Ratio.of()),)
        promise = PrivacyCurve.epsilon(ratio=promise or Ratio.of())
    if not graph.is_complete or graph.order == 1:
        if not promise.is_symmetric:
            raise InvalidInput("an edge has no direction: give curve.symmetric()")
        return (CurveAdversary(graph, prior, promise, ""),)
    both = (REPLACE, ADD_REMOVE) if promise.is_symmetric else (ADD_REMOVE,)
    if neighbours == REPLACE and not promise.is_symmetric:
        raise InvalidInput(
            "a sampled curve bounds who is present against who is absent: give "
            "neighbours='add/remove', or curve.symmetric() if it bounds these neighbours too"
        )
    return tuple(
        CurveAdversary(graph, prior, promise, each)
        for each in (both if neighbours is None else (neighbours,))
    )


def attacker_on(
    secret: Secret,
    prior: PriorLike = None,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    distance: int | None = None,
) -> Adversary:
    """Return the attacker on a secret under pure ε; see ``explain`` for what goes together."""
    return attackers_on(secret, prior, promise_if_any(ratio, epsilon), distance)[0]


def _one_record(policy: Policy) -> Graph:
    if policy.is_constrained:
        raise InvalidPolicy(
            "records that depend on each other must be guessed together, got public constraints; "
            "give policy.adjacency(), the graph of databases"
        )
    graphs = {graph for graph, _ in policy.adjacency().factors}
    if len(graphs) > 1:
        raise InvalidPolicy(
            f"all records must have the same values, got {len(graphs)} kinds of records; "
            "give the SecretGraph of one of them"
        )
    return graphs.pop()


def largest_n(
    secret: Secret,
    below: Number,
    prior: PriorLike = None,
    *,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    curve: PrivacyCurve | None = None,
    neighbours: str | None = None,
    distance: int | None = None,
) -> int | float:
    """Return after how many observations, at most, the attacker's chance is below a threshold.

    It is 0 if one observation may be too many, and ∞ if none ever are. For a channel it is exact as
    far as its observations can be counted exactly; for a guarantee, so many releases are safe
    whatever the mechanism. The secret and the rest are as in ``explain``; if it is not said who
    the neighbours are, it holds for both relations.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> largest_n(SecretGraph.complete(4), "3/4", ratio="11/10")
    23
    >>> largest_n("1/100", "1/2", epsilon=1)                   # e^4 < 99 < e^5
    4
    >>> largest_n(SecretGraph.complete(6), "1/2", mu="0.1", neighbours="replace")  # 1.2815²/μ²
    164
    """
    promise = promise_if_any(ratio, epsilon, delta, rho, mu, curve)
    found = attackers_on(secret, prior, promise, distance, neighbours)
    return min(attacker.most_below(fraction(rational(below))) for attacker in found)


def _power(ratio: Ratio, k: int) -> fmpq:
    """Return λ^k, exactly if that is short, otherwise rounded up."""
    base = rational(ratio.upper)
    if k * base.height_bits() <= EXACT_BITS:
        return base**k
    if k * ratio.epsilon > MOST_EPSILON:
        raise TooLarge(
            f"λ^{k} is beyond e^{MOST_EPSILON:,}, and nothing is left to hide; "
            "ask for fewer observations"
        )
    with precision(128):
        ball = arb(base) ** k
    with precision(64):
        return ball.upper().fmpq()
