"""What does it mean for a person, in words?"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leaktight.channels.distribution import PriorLike
from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import Number, as_printed, float_array, fraction, rational
from leaktight.exact.ratio import RatioLike
from leaktight.exact.shown import Probability, counted, percent, percent_or_fraction, wrapped
from leaktight.exact.tolerances import TOLERANCES
from leaktight.policies.policy import Policy
from leaktight.privacy.breach import Breach
from leaktight.repetition.attacker import (
    Attacker,
    Guesser,
    MetricGuesser,
    Observer,
    Secret,
    attacker_on,
    most_below,
)
from leaktight.repetition.guarantee_bound import guaranteed_success
from leaktight.repetition.likelihood_bounds import success_bounds
from leaktight.repetition.rounds import Observations, observe
from leaktight.repetition.types import TypeClasses

MOST_TYPES = 2**18
"""The most types, times the inputs, that are gone through for a sentence: about a second."""

MOST_PAIRED = 24
"""The most inputs of which every two are compared after many observations, for a sentence."""

MOST_OBSERVED = 2**20
"""The most observations of which is asked whether a threshold is reached."""


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

    def __str__(self) -> str:
        return "\n".join(map(wrapped, self.sentences()))

    __repr__ = __str__

    def sentences(self) -> Iterator[str]:
        """Yield what it says: first the chances, then what they mean."""
        yield f"Guessing {self.what}: {self.before.percent} before, {self._listed(self.after)}."
        if self.belief == self.after:
            yield "No single outcome tells more than that."
        elif self.belief:
            yield f"If the outcome is the most telling one: {self._listed(self.belief)}."
        if self.telling is not None:
            yield (
                f"The most telling output is {self.telling.output!r}, with a chance of "
                f"{percent(self.telling.chance)}: {self.telling.event} rises from "
                f"{percent(self.telling.before)} to {percent(self.telling.after)}."
            )
        if self.assumption:
            yield self.assumption
        yield from self.threshold()

    def _listed(self, chances: tuple[Probability, ...]) -> str:
        first, *rest = chances
        return ", ".join(
            [
                f"{first} after {counted(first.observations, self.noun, f'{self.noun}s')}",
                *(f"{chance} after {chance.observations:,}" for chance in rest),
            ]
        )

    def threshold(self) -> Iterator[str]:
        """Yield how many observations keep the chance below the one that was asked about."""
        if self.below is None or self.most is None:
            return
        told, more = kept_below(self.below, self.most, self.noun), ""
        if 0 < self.most < math.inf:
            more = f"; {self.most + 1:,} {'do' if self.reached else 'may'} not"
            if self.reached is None:
                more = "; more were not tried, as that takes long"
        yield f"{told}{more}."


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
    secret: Secret,
    prior: PriorLike = None,
    *,
    ratio: RatioLike = None,
    epsilon: Number | None = None,
    distance: int | None = None,
    observations: int = 2,
    below: Number | None = None,
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

    With ``below`` it also says how many observations keep the chance below that; see ``largest_n``.

    >>> from leaktight.channels.channel import Channel
    >>> from leaktight.policies.secrets import SecretGraph
    >>> bands = SecretGraph.complete(["<20k", "20-40k", "40-60k", ">60k"])
    >>> print(explain(bands, epsilon=1, below="3/4", what="one person's salary band"))
    Guessing one person's salary band: 25% before, at most 47.6% after 1 release, at
    most 71.2% after 2.
    No single outcome tells more than that.
    It holds for every mechanism with this guarantee.
    Up to 2 releases keep it below 75%; 3 may not.
    >>> answer = Channel([["2/3", "1/3"], ["1/3", "2/3"]], ["no", "yes"], ["-", "+"])
    >>> print(explain(answer, observations=101, what="a secret answer"))
    Guessing a secret answer: 50% before, about 66.7% after 1 observation, more than
    99.9% after 101.
    The most telling output is '-', with a chance of 50%: 'no' rises from 50% to
    66.7%.
    """
    if not isinstance(observations, int | np.integer) or observations < 1:
        raise InvalidNumber(f"observations must be a whole number from 1 up, got {observations!r}")
    attacker = attacker_on(secret, prior, ratio, epsilon, distance)
    times = sorted({1, int(observations)})
    threshold = None if below is None else fraction(as_printed(below))
    most, reached = (None, None) if threshold is None else _most_below(attacker, threshold)
    return Explanation(
        what,
        "observation" if isinstance(attacker, Observer) else "release",
        attacker.chance(0),
        tuple(_chance(attacker, n) for n in times),
        tuple(map(attacker.belief, times)) if isinstance(attacker, Guesser | MetricGuesser) else (),
        _most_telling(attacker) if isinstance(attacker, Observer) else None,
        _assumption(secret, attacker),
        threshold,
        most,
        reached,
    )


def is_quick(seen: Observations, n: int) -> bool:
    """Say whether what n rounds of observations tell is found in about a second."""
    return n == 1 or TypeClasses.of(seen.rounds(n).parts).count * len(seen) <= MOST_TYPES


def _seen_by(observer: Observer) -> Observations:
    return observe(observer.channel, observer.prior)


def _chance(attacker: Attacker, n: int) -> Probability:
    """Return the chance after n observations; a bound where the exact one takes long."""
    if not isinstance(attacker, Observer) or n == 1 or is_quick(_seen_by(attacker), n):
        return attacker.chance(n)
    bounds = [guaranteed_success(attacker.channel, attacker.prior, n)]
    if len(attacker.channel.inputs) <= MOST_PAIRED:
        pairs = success_bounds(attacker.channel, attacker.prior, n)
        bounds.append(fraction(rational(pairs.upper)))
    return Probability(n, min(bounds), False)


def _most_below(attacker: Attacker, threshold: Fraction) -> tuple[int | float, bool | None]:
    """Return the most observations that keep the chance below, and whether one more does not."""
    if isinstance(attacker, Observer) and threshold < attacker.in_the_end():
        reach, seen = 1, _seen_by(attacker)
        while reach < MOST_OBSERVED and is_quick(seen, 2 * reach):
            reach *= 2
        if attacker.chance(reach).value < threshold:
            return reach, None
    most = most_below(attacker, threshold)
    return most, isinstance(most, int) and attacker.chance(most + 1).is_exact


def _most_telling(observer: Observer) -> Breach | None:
    """Return the output after which an input is likeliest that has become likelier, if any has."""
    channel, before = observer.channel, observer.prior.array
    joined = float_array(before)[:, None] * float_array(channel.matrix)
    outer = joined.sum(axis=0)
    inner = np.divide(joined, outer, out=np.zeros_like(joined), where=outer > 0)
    maybe = inner >= float_array(before)[:, None] * (1 - TOLERANCES.entry)
    # Floats propose: a largest one is among those that are largest up to rounding and have risen.
    for least in (inner[maybe].max(initial=0.0) * (1 - TOLERANCES.entry), 0.0):
        found = [_told(observer, x, z) for x, z in np.argwhere(maybe & (inner >= least)).tolist()]
        if risen := [told for told in found if told.after > told.before]:
            return max(risen, key=lambda told: (told.after, told.chance))
    return None


def _told(observer: Observer, x: int, z: int) -> Breach:
    """Return what an output tells of an input, exactly."""
    channel, prior = observer.channel, observer.prior.array
    column = prior * channel.matrix[:, z]
    chance = column.sum()
    after = column[x] / chance if chance else prior[x]
    own = channel.inputs[x]
    ends = fraction(prior[x]), fraction(rational(after)), fraction(rational(chance))
    return Breach(repr(own), (own,), channel.outputs[z], *ends)


def _assumption(secret: Secret, attacker: Attacker) -> str:
    if isinstance(attacker, Observer):
        return ""
    if isinstance(secret, Policy) and secret.records > 1:
        return (
            "It holds for every mechanism with this guarantee, also if all other records are "
            "known, but not if records are known to depend on each other."
        )
    return "It holds for every mechanism with this guarantee."
