"""Explanations: what a promise or a channel means for a person, in words."""

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from leaktight.channels.distribution import PriorLike
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.guess import ADD_REMOVE, REPLACE
from leaktight.curves.posterior import Belief
from leaktight.curves.presence import Membership, membership
from leaktight.curves.promise import Promise, curve_of, promise_if_any
from leaktight.errors import InvalidInput, InvalidNumber
from leaktight.exact.numbers import Number, as_printed, fraction
from leaktight.exact.ratio import RatioLike
from leaktight.exact.shown import (
    Probability,
    counted,
    percent,
    percent_as_given,
    percent_or_fraction,
    wrapped,
)
from leaktight.labels import positions
from leaktight.leakage.value_odds import ValueTable
from leaktight.policies.policy import Policy
from leaktight.policies.secrets import SecretGraph
from leaktight.privacy.breach import Breach
from leaktight.repetition.adversary import Adversary
from leaktight.repetition.attacker import Secret, attackers_on

SURE = Fraction(9999, 10000)
"""With which chance over the output a belief stays small, if no other is asked for."""

RELATIONS = {
    REPLACE: "replace: a neighbour has another value",
    ADD_REMOVE: "add/remove: a neighbour is absent",
}


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """An attacker's chance before any observation, after one and after n; as text, sentences."""

    what: str
    """What is guessed, in words."""
    noun: str
    """What an observation is called."""
    before: Probability
    after: tuple[Probability, ...]
    """After one observation and, if more were asked for, after all of them."""
    belief: tuple[Probability, ...]
    """The largest probability that a value can have then, after the most telling outcome; for a
    guarantee on a graph."""
    telling: Breach | None
    """The output after which some input is likeliest; for a channel."""
    assumption: str
    """For whom it holds, as a sentence."""
    below: Fraction | None
    """The threshold that was asked for."""
    most: int | float | None
    """The most observations that keep the chance below it."""
    reached: bool | None
    """Whether one more reaches it for certain; None if more were not tried, as it takes long."""
    neighbours: str = ""
    """Which neighbours a promise is about, "replace" or "add/remove"; nothing if a graph says it,
    or a channel is observed."""
    outlook: tuple[tuple[int, Belief], ...] = ()
    """What the belief in the likeliest value stays below but rarely, where nothing bounds it, and
    after how many observations."""
    values: ValueTable = field(default_factory=ValueTable)
    """How far the belief in each value can rise by one observation, those that were named first."""
    named: int = 0
    """How many values were named."""
    membership: Membership | None = None
    """How well it is told whether a person is there, if a neighbour is absent."""
    other: "Explanation | None" = None
    """The same for the other neighbours, if it was not said which they are."""

    def __str__(self) -> str:
        return "\n".join(map(wrapped, self.sentences()))

    __repr__ = __str__

    def sentences(self) -> Iterator[str]:
        """Yield what it says: first the chances, then what they mean."""
        who = f" ({RELATIONS[self.neighbours]})" if self.neighbours else ""
        after = f", {self._listed(self.after)}{who}" if self.after else ""
        yield f"Guessing {self.what}: {self.before.percent} before{after}."
        if self.other is not None and self.other.after:
            yield f"{self._listed(self.other.after).capitalize()} ({RELATIONS[ADD_REMOVE]})."
        if self.after and self.belief == self.after:
            yield "No single outcome tells more than that."
        elif self.belief:
            yield f"If the outcome is the most telling one: {self._listed(self.belief)}."
        if self.telling is not None:
            yield (
                f"The most telling output is {self.telling.output!r}, with a chance of "
                f"{percent(self.telling.chance)}: {self.telling.event} rises from "
                f"{percent(self.telling.before)} to {percent(self.telling.after)}."
            )
        if told := self.values.sentence(self.named):
            yield told
        yield from self._rarely()
        if self.membership is not None:
            yield f"Whether a person is there: {self.membership}."
        if self.assumption:
            yield self.assumption
        for each in self._both:
            yield from each.threshold(self.other is not None)

    @property
    def _both(self) -> "tuple[Explanation, ...]":
        return (self,) if self.other is None else (self, self.other)

    def _rarely(self) -> Iterator[str]:
        """Yield what a belief stays below, but with a small chance over the output."""
        for k, (n, first) in enumerate(self.outlook):
            when = f" of {counted(n, self.noun, f'{self.noun}s')}" if self.outlook[1:] else ""
            sure = f"a chance of at least {percent_as_given(first.sure)} over the output{when}"
            most = [_most_believed(each.outlook[k][1].upper) for each in self._both]
            if set(most) == {"100%"}:
                yield f"With {sure}, nothing below 100% bounds a belief."
                continue
            if self.other is not None:
                most = [f"{m} ({e.neighbours})" for m, e in zip(most, self._both, strict=True)]
            yield (
                f"With {sure}, nobody whose belief in this value was {percent(first.prior)} holds "
                f"it with more than {' or '.join(most)}."
            )

    def _listed(self, chances: tuple[Probability, ...]) -> str:
        first, *rest = chances
        return ", ".join(
            [
                f"{first} after {counted(first.observations, self.noun, f'{self.noun}s')}",
                *(f"{chance} after {chance.observations:,}" for chance in rest),
            ]
        )

    def threshold(self, named: bool = False) -> Iterator[str]:
        """Yield how many observations keep the chance below the one that was asked about."""
        if self.below is None or self.most is None:
            return
        told, more = kept_below(self.below, self.most, self.noun), ""
        if 0 < self.most < math.inf:
            more = f"; {self.most + 1:,} {'do' if self.reached else 'may'} not"
            if self.reached is None:
                more = "; more were not tried, as that takes long"
        yield f"{told}{more}{f' ({self.neighbours})' if named else ''}."


def _most_believed(value: Fraction) -> str:
    """Return a belief in percent, rounded up, with as many digits as tell it from certainty.

    >>> [_most_believed(Fraction(x)) for x in ("0.0655", "0.99987", "0.99999999")]
    ['6.6%', '99.99%', '100%']
    """
    for decimals in range(1, 5):
        units = math.ceil(value * 10 ** (decimals + 2))
        if units < 10 ** (decimals + 2):
            whole, rest = divmod(units, 10**decimals)
            return f"{whole}.{rest:0{decimals}}".rstrip("0").rstrip(".") + "%"
    return "100%"


def kept_below(threshold: Fraction, most: int | float, noun: str = "observation") -> str:
    """Say how many observations keep a chance below a threshold.

    >>> kept_below(Fraction(9, 10), 14), kept_below(Fraction(9, 10), 0, "release")
    ('Up to 14 observations keep it below 90%', 'A single release can bring it to 90% or more')
    """
    below = percent_or_fraction(threshold)
    if most == math.inf:
        return f"However many {noun}s there are, it stays below {below}"
    if most == 0:
        return f"A single {noun} can bring it to {below} or more"
    keep = "keeps" if most == 1 else "keep"
    return f"Up to {counted(most, noun, f'{noun}s')} {keep} it below {below}"


def explain(
    secret: Secret | None = None,
    prior: PriorLike = None,
    *,
    values: Iterable[Hashable] | int | None = None,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    curve: PrivacyCurve | None = None,
    neighbours: str | None = None,
    distance: int | None = None,
    observations: int | None = None,
    below: Number | None = None,
    sure: Number = SURE,
    sensitive: Iterable[Hashable] = (),
    what: str = "the secret",
) -> Explanation:
    """Say how likely an attacker guesses right, before and after observations.

    The ``secret`` is one of these; the prior is uniform unless given.

    - A ``Graph`` of values, with the ``ratio`` or ``epsilon`` of each release: the most that any
      mechanism private on the graph lets anyone guess.
    - A ``Metric``: the same for places, with the ratio of each release at a distance of 1.
    - A ``Policy``: the same for what one of its independent records is. For whole databases, give
      ``policy.adjacency()``.
    - A ``Channel``, which is observed repeatedly: exact, or a bound where counting all that can be
      seen takes more than a second; ``success_probability`` takes its time.
    - A number, the probability of one guess, with ``ratio`` or ``epsilon`` and the largest
      ``distance`` between the possible values, by default 1.

    ``values=6`` is short for ``SecretGraph.complete(6)``. Each of the ``observations``, 2 unless
    given, keeps one promise: pure ε by ``ratio`` or ``epsilon``, (ε, δ) by ``delta`` beside one of
    them, ``rho`` of zCDP, ``mu`` of Gaussian privacy, or any ``curve``; other promises than pure ε
    are mostly of everything together, so that 1 is usual there. ``neighbours`` is "replace" or
    "add/remove"; where that is not said and both may be meant, both answers are given.

    With ``below`` it also says how many observations keep the chance below that; see ``largest_n``.
    Pure ε bounds what anyone believes after every output; other promises do so with a chance of
    ``sure``. Where values differ, it says how far the belief in a few of them can rise, first in
    those that are ``sensitive``: of a rare value the best guess says nothing.

    >>> from leaktight.channels.channel import Channel
    >>> from leaktight.policies.secrets import SecretGraph
    >>> bands = SecretGraph.complete(["<20k", "20-40k", "40-60k", ">60k"])
    >>> print(explain(bands, epsilon=1, below="3/4", what="one person's salary band"))
    Guessing one person's salary band: 25% before, at most 47.6% after 1 release, at
    most 71.2% after 2.
    No single outcome tells more than that.
    It holds for every mechanism with this guarantee.
    Up to 2 releases keep it below 75%; 3 may not.
    >>> print(explain(values=6, epsilon=1, delta="0.001", sure="0.99"))
    Guessing the secret: 16.7% before, at most 35.3% after 1 release (replace: a
    neighbour has another value).
    At most 45.5% after 1 release (add/remove: a neighbour is absent).
    With a chance of at least 99% over the output, nobody whose belief in this value
    was 16.7% holds it with more than 36.3% (replace) or 62.2% (add/remove).
    It holds for every mechanism that keeps ε = 1, δ = 0.001.
    >>> test = SecretGraph.complete(["negative", "positive"])
    >>> print(explain(test, ["0.99", "0.01"], epsilon=2, observations=1, what="a rare disease"))
    Guessing a rare disease: 99% before, at most 99% after 1 release.
    If the outcome is the most telling one: at most 99.9% after 1 release.
    By value, after the outcome that speaks for it most: positive 1% → at most 7%
    (×6.95); negative 99% → at most 99.9% (×1.01).
    It holds for every mechanism with this guarantee.
    >>> answer = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["-", "+"])
    >>> print(explain(answer, observations=101, what="a secret answer"))
    Guessing a secret answer: 50% before, about 66.7% after 1 observation, more than
    99.9% after 101.
    The most telling output is '-', with a chance of 50%: 'no' rises from 50% to
    66.7%.
    """
    promise = promise_if_any(ratio, epsilon, delta, rho, mu, curve)
    if (secret is None) == (values is None):
        raise InvalidInput("give one of a secret and values=, such as values=6")
    if values is not None:
        secret = SecretGraph.complete(values)
    assert secret is not None
    first, *others = attackers_on(secret, prior, promise, distance, neighbours)
    if observations is None:
        observations = 1 if curve_of(promise) is not None or first.neighbours else 2
    if not isinstance(observations, int | np.integer) or observations < 1:
        raise InvalidNumber(f"observations must be a whole number from 1 up, got {observations!r}")
    times = sorted({1, int(observations)})
    found = [
        _explained(each, times, below, sure, what, _assumption(secret, each, promise))
        for each in (first, *others)
    ]
    whole = replace(found[0], other=found[1]) if others else found[0]
    if neighbours == ADD_REMOVE and promise is not None:
        whole = replace(whole, membership=membership(promise))
    asked = list(sensitive)
    if (odds := first.quick_odds()) or asked:
        positions(asked, tuple(each.value for each in odds), "possible value")
    return replace(whole, values=ValueTable.ranked(odds, asked), named=len(asked))


def _explained(
    attacker: Adversary,
    times: list[int],
    below: Number | None,
    sure: Number,
    what: str,
    assumption: str,
) -> Explanation:
    threshold = None if below is None else fraction(as_printed(below))
    most, reached = (None, None) if threshold is None else attacker.keeps_below(threshold)
    return Explanation(
        what,
        attacker.noun,
        attacker.chance(0),
        tuple(attacker.quick_chance(n) for n in times) if attacker.is_bounded else (),
        attacker.beliefs(times),
        attacker.most_telling(),
        assumption,
        threshold,
        most,
        reached,
        attacker.neighbours,
        attacker.outlooks(times, sure),
    )


def _assumption(secret: Secret, attacker: Adversary, promise: Promise | None) -> str:
    kept = "with this guarantee" if curve_of(promise) is None else f"that keeps {promise}"
    dependent = (
        ", also if all other records are known, "
        "but not if records are known to depend on each other"
    )
    several = isinstance(secret, Policy) and secret.records > 1
    return attacker.assumption(kept, dependent if several else "")
