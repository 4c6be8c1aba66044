"""The ε, ρ or μ that keeps a guess about one person below a chance, whatever the mechanism."""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction

from leaktight.channels.distribution import PriorLike
from leaktight.curves.curve import PrivacyCurve
from leaktight.errors import InvalidInput, InvalidNumber, is_whole
from leaktight.exact.numbers import Number, as_printed, fraction
from leaktight.exact.ratio import Ratio, logarithm, step_ratio
from leaktight.exact.rounding import ln_interval
from leaktight.exact.shown import Told, percent, percent_or_fraction, shown
from leaktight.exact.shown import below as written_below
from leaktight.labels import named, position
from leaktight.progress import tell
from leaktight.repetition.attacker import (
    CurveAdversary,
    GraphAdversary,
    Secret,
    attacker_on,
    attackers_on,
)

PLACES = 24
"""How many bits of λ − 1 are found, if it is no short fraction."""

MOST_AMOUNT, LEAST_AMOUNT = 512, Fraction(1, 2**40)
"""Between which amounts the largest ρ, μ or ε is looked for."""

ZERO = Fraction(0)

LARGEST = 2**64
"""A ratio beyond which nothing is looked for: ε above 44 hides nothing."""


@dataclass(frozen=True, slots=True, repr=False)
class ChosenRatio(Told):
    """The largest ``ratio`` λ = e^ε at which no guess is right with more than a chance.

    If ``is_exact``, some mechanism of this ratio lets a guess come to that chance itself, and all
    smaller ratios keep it below. Otherwise it is a little less than the largest.
    """

    ratio: Fraction
    is_exact: bool
    chance: Fraction
    """The chance of the best guess after all observations, at this ratio."""
    threshold: Fraction
    observations: int
    what: str = "every guess"
    """What is kept below the threshold, in words."""

    @property
    def epsilon(self) -> float:
        """ε = ln λ, rounded down."""
        return ln_interval(self.ratio)[0]

    def __str__(self) -> str:
        looks = "" if self.observations == 1 else f" for each of {self.observations:,} looks"
        limit, epsilon = percent_or_fraction(self.threshold), written_below(self.epsilon)
        if self.threshold > 1:
            limit = f"a factor of {shown(self.threshold)}"
        if self.is_exact:
            return (
                f"ε = {logarithm(self.ratio)} ≈ {epsilon}{looks} keeps {self.what} at {limit} or "
                f"less, and every smaller ε below it"
            )
        return f"ε up to {epsilon}{looks} keeps {self.what} below {limit}"


def largest_ratio_below(
    secret: Secret, below: Number, prior: PriorLike = None, observations: int = 1
) -> ChosenRatio:
    """Return the largest λ at which no mechanism lets a guess exceed the chance ``below``.

    The secret is a graph of values, a metric, for which λ holds at a distance of 1, or a policy,
    whose records are guessed one at a time. Each of the ``observations`` is private at λ. The
    answer is safe: at the ratio that is returned no mechanism does better than ``below``, as far
    as the worst case is known exactly or bounded.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> print(largest_ratio_below(SecretGraph.complete(4), "1/2"))
    ε = ln 3 ≈ 1.09861 keeps every guess at 50% or less, and every smaller ε below it
    >>> print(largest_ratio_below(SecretGraph.line(4), "2/5", observations=3))
    ε up to 0.135155 for each of 3 looks keeps every guess below 40%
    """
    limit = fraction(as_printed(below))
    guesser = _guesser_on(secret, prior, observations)

    def chance(ratio: Fraction) -> Fraction:
        return replace(guesser, ratio=Ratio(ratio, ratio)).chance(1).value

    start = chance(Fraction(1))
    if start == 1:
        raise InvalidNumber("every guess is right before anything is seen: nothing is kept secret")
    if not start < limit < 1:
        raise InvalidNumber(
            f"the chance must be above {percent(start)}, which no ε prevents, and below 1, "
            f"got {shown(limit)}"
        )
    safe = _largest_safe(chance, limit)
    ratio = step_ratio(safe, observations)
    reached = guesser.best(safe)[0] == limit and ratio**observations == safe
    # A long power is rounded up before its chance is bounded, but it is not above ``safe``.
    after = min(chance(ratio**observations), chance(safe))
    return ChosenRatio(ratio, reached, after, limit, observations)


def largest_ratio_of_beliefs(
    secret: Secret,
    prior: PriorLike = None,
    *,
    value: Hashable | None = None,
    below: Number | None = None,
    factor: Number | None = None,
    observations: int = 1,
) -> ChosenRatio:
    """Return the largest λ at which no outcome raises the belief in a value beyond a limit.

    :param secret: a graph of values, a metric, or a policy, whose records are one at a time.
    :param prior: how likely each value is beforehand; all alike if it is not given.
    :param value: the value that is meant; every possible one if it is not given.
    :param below: the belief that is not to be exceeded, or
    :param factor: by how much it may grow.
    :param observations: how many releases are private at λ, each by itself.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> test, prior = SecretGraph.complete(["negative", "positive"]), ["0.99", "0.01"]
    >>> print(largest_ratio_of_beliefs(test, prior, value="positive", below="0.05"))
    ε = ln(99/19) ≈ 1.65068 keeps the belief in positive at 5% or less, and every smaller ε below it
    >>> largest_ratio_of_beliefs(test, prior, factor=2).ratio          # 2(1 − π)/(1 − 2π)
    Fraction(99, 49)
    """
    if (below is None) == (factor is None):
        raise InvalidInput("give one of below= and factor=: a belief, or by how much it may grow")
    guesser = _guesser_on(secret, prior, observations)
    whom = guesser.prior.values
    asked = None if value is None else whom[position(value, whom, "value")]
    limit = fraction(as_printed(factor if below is None else below))

    def most(ratio: Fraction) -> Fraction:
        odds = replace(guesser, ratio=Ratio(ratio, ratio)).odds_of_values(1)
        found = [each for each in odds if asked is None or each.value == asked]
        return max((each.after if factor is None else each.factor for each in found), default=ZERO)

    start = most(Fraction(1))
    if start == 0 or not start < limit or (factor is None and limit >= 1):
        told = percent(start) if factor is None else "1"
        raise InvalidNumber(
            f"the limit must be above {told}, which no ε prevents, and a belief below 1, "
            f"got {shown(limit)}"
        )
    safe = _largest_safe(most, limit)
    ratio = step_ratio(safe, observations)
    which = "any belief" if asked is None else f"the belief in {named(asked)}"
    what = which if factor is None else f"what {which} grows by"
    after = min(most(ratio**observations), most(safe))  # long powers are rounded up
    reached = after == limit and ratio**observations == safe
    return ChosenRatio(ratio, reached, after, limit, observations, what)


def largest_ratio_by_advantage(advantage: Number, observations: int = 1) -> ChosenRatio:
    """Return the largest λ at which no test tells two neighbours apart with a larger advantage.

    The advantage is the true positive rate less the false positive rate, as in membership
    inference, and at most (λ − 1)/(λ + 1), which some mechanism attains.

    >>> largest_ratio_by_advantage("0.1").ratio
    Fraction(11, 9)
    """
    limit = fraction(as_printed(advantage))
    if not 0 < limit < 1:
        raise InvalidNumber(f"an advantage must be above 0 and below 1, got {shown(limit)}")
    if not isinstance(observations, int) or observations < 1:
        raise InvalidNumber(f"observations must be a whole number from 1 up, got {observations!r}")
    whole = (1 + limit) / (1 - limit)
    ratio = step_ratio(whole, observations)
    power = ratio**observations
    after = (power - 1) / (power + 1)
    what = "the advantage of any test"
    return ChosenRatio(ratio, power == whole, after, limit, observations, what)


def _guesser_on(secret: Secret, prior: PriorLike, observations: int) -> GraphAdversary:
    """Return who guesses a value, whatever is private."""
    if not isinstance(observations, int) or observations < 1:
        raise InvalidNumber(f"observations must be a whole number from 1 up, got {observations!r}")
    guesser = attacker_on(secret, prior, ratio=1)
    if not isinstance(guesser, GraphAdversary):
        raise InvalidInput(f"expected a graph, a metric or a policy, got {secret!r:.60}")
    return guesser


def _largest_safe(found: Callable[[Fraction], Fraction], limit: Fraction) -> Fraction:
    """Return the largest ratio, or a little less, at which what grows with it is in its limit."""
    safe, unsafe = Fraction(1), Fraction(2)
    while unsafe <= LARGEST and found(unsafe) <= limit:
        safe, unsafe = unsafe, 2 * unsafe
    if unsafe > LARGEST:
        raise InvalidNumber(f"no ε up to 44 goes beyond {shown(limit)}: any is safe")
    while (apart := unsafe - safe) > (safe - 1 or unsafe - 1) / 2**PLACES:
        # Powers of short fractions are not rounded.
        middle = _simplest(safe + apart / 3, unsafe - apart / 3)
        tell(f"λ from {float(safe):.8g} to {float(unsafe):.8g}")
        safe, unsafe = (middle, unsafe) if found(middle) <= limit else (safe, middle)
    # A largest ratio that is a short fraction is the simplest one here.
    return short if found(short := _simplest(safe, unsafe)) == limit else safe


KINDS = {"epsilon": "ε", "rho": "ρ", "mu": "μ"}
"""The promises of which the largest is looked for."""

CURVE_PLACES = 20
"""How many bits of a ρ, a μ or an ε beside a δ are found."""


@dataclass(frozen=True, slots=True, repr=False)
class ChosenPromise(Told):
    """The largest ``amount`` of a promise at which no guess is right with more than a chance.

    A little less than the largest, to six digits; every smaller one is safe as well.
    """

    kind: str
    """Which promise: "epsilon" beside a δ, "rho" or "mu"."""
    amount: Fraction
    curve: PrivacyCurve
    """What each of the observations keeps."""
    chance: Fraction
    """What no guess exceeds after all observations."""
    threshold: Fraction
    observations: int
    neighbours: str
    """ "replace" or "add/remove"; nothing if a graph says who the neighbours are."""
    other: "ChosenPromise | None" = None
    """The same for add/remove, if it was not said which neighbours are meant."""

    def __str__(self) -> str:
        looks = "" if self.observations == 1 else f" for each of {self.observations:,} looks"
        who = f" (neighbours: {self.neighbours})" if self.neighbours else ""
        told = f"{KINDS[self.kind]} up to {written_below(float(self.amount))}{looks}"
        return f"{told} keeps every guess below {percent_or_fraction(self.threshold)}{who}"


def largest_promise_below(
    secret: Secret,
    below: Number,
    prior: PriorLike = None,
    observations: int = 1,
    *,
    kind: str = "rho",
    delta: Number | None = None,
    neighbours: str | None = None,
) -> ChosenPromise:
    """Return the largest ρ, μ, or ε beside a δ, at which no guess exceeds the chance ``below``.

    :param secret: a graph of values, or a policy, whose records are guessed one at a time.
    :param below: the chance that no guess shall exceed.
    :param prior: how likely each value is; all alike if it is not given.
    :param observations: how many releases keep the promise, each by itself.
    :param kind: "rho", "mu" or "epsilon".
    :param delta: the δ beside "epsilon"; for ε alone there is :func:`largest_ratio_below`.
    :param neighbours: "replace" or "add/remove"; both are answered if it is not given and both may
        be meant.

    >>> from leaktight.policies.secrets import SecretGraph
    >>> print(largest_promise_below(SecretGraph.complete(6), "1/3", kind="mu"))
    μ up to 0.680044 keeps every guess below 1/3 (neighbours: replace)
    """
    if kind not in KINDS:
        raise InvalidInput(f"kind must be one of {', '.join(KINDS)}, got {kind!r:.60}")
    if (kind == "epsilon") != (delta is not None):
        raise InvalidInput("delta= goes with kind='epsilon', and with no other")
    if not is_whole(observations, 1):
        raise InvalidNumber(f"observations must be a whole number from 1 up, got {observations!r}")
    limit = fraction(as_printed(below))

    def curve(amount: Fraction) -> PrivacyCurve:
        if kind == "epsilon":
            assert delta is not None
            return PrivacyCurve.epsilon_delta(amount, delta)
        return PrivacyCurve.zcdp(amount) if kind == "rho" else PrivacyCurve.gaussian(amount)

    guessers = attackers_on(secret, prior, curve(Fraction(1)), neighbours=neighbours)
    found = [
        _largest(guesser, curve, kind, limit, observations)
        for guesser in guessers
        if isinstance(guesser, CurveAdversary)
    ]
    return replace(found[0], other=found[1]) if len(found) > 1 else found[0]


def _largest(
    guesser: CurveAdversary,
    curve: Callable[[Fraction], PrivacyCurve],
    kind: str,
    limit: Fraction,
    n: int,
) -> ChosenPromise:
    """Find the largest amount by bisection; each that is called safe is proved to be."""

    def chance(amount: Fraction) -> Fraction:
        return guesser.best(curve(amount).power(n))[1]

    start = chance(Fraction(0))
    if start == 1:
        raise InvalidNumber("every guess is right before anything is seen: nothing is kept secret")
    if not start < limit < 1:
        raise InvalidNumber(
            f"the chance must be above {percent(start)}, which no promise prevents, and below 1, "
            f"got {shown(limit)}"
        )
    safe, unsafe = Fraction(0), Fraction(1, 2**10)
    while chance(unsafe) <= limit:
        safe, unsafe = unsafe, 2 * unsafe
        if unsafe > MOST_AMOUNT:
            raise InvalidNumber(
                f"no {KINDS[kind]} up to {MOST_AMOUNT} lets a guess exceed {shown(limit)}"
            )
    while safe < LEAST_AMOUNT or unsafe - safe > safe / 2**CURVE_PLACES:
        middle = (safe + unsafe) / 2
        safe, unsafe = (middle, unsafe) if chance(middle) <= limit else (safe, middle)
        if unsafe < LEAST_AMOUNT:
            raise InvalidNumber(
                f"no {KINDS[kind]} of a reasonable size keeps every guess below {shown(limit)}"
            )
    return ChosenPromise(kind, safe, curve(safe), chance(safe), limit, n, guesser.neighbours)


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the least denominator between two others, or one of these.

    >>> _simplest(Fraction(314, 100), Fraction(315, 100))
    Fraction(22, 7)
    """
    whole = math.floor(low)
    if low == whole:
        return low
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / _simplest(1 / (high - whole), 1 / (low - whole))
