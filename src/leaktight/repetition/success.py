"""The success of an attacker after many observations of one secret."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from math import comb, factorial, prod
from typing import Any, Literal, TypeAlias

import numpy as np
from flint import fmpq, fmpz

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.channels.gain import Gain, Loss, Objective, Tries, read_gain, read_loss
from leaktight.errors import InvalidInput, Mismatch, TooLarge
from leaktight.exact.bound import Factor
from leaktight.exact.numbers import Array, exact_array, rational
from leaktight.labels import positions
from leaktight.leakage.vulnerability import GainLike, Leakage
from leaktight.limits import allowed
from leaktight.repetition.enclosure import Enclosed, Ends, SuccessProbability, enclosed
from leaktight.repetition.likelihood_bounds import MOST_CLASSES, bounded_success
from leaktight.repetition.own_output import OwnOutput
from leaktight.repetition.pair_error import POINTS
from leaktight.repetition.rounds import Observations, Observed, observe
from leaktight.repetition.types import (
    Guessing,
    Likelihoods,
    Method,
    Stakes,
    TypeClasses,
    sum_over_types,
)
from leaktight.repetition.types.type_classes import compositions

# --- attackers whose guesses are given, whether or not they are the best ---------------------

Strategy: TypeAlias = Callable[[Mapping[Hashable, int]], Hashable]
"""The guess for how often each output was seen."""

MOST_GUESSES = 200_000
"""The most different observations for which a strategy is asked, in a few seconds."""


def success_of_strategy(
    channel: Any, prior: PriorLike, n: int, strategy: Strategy
) -> SuccessProbability:
    """Return Σ_t C(t)·p(w)·Π_z K(z|w)^t(z) over all types t, w the guess for t.

    >>> from leaktight.channels.channel import Channel
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> success_of_strategy(coin, None, 3, lambda seen: int(seen[1] == 3))  # only if all say so
    SuccessProbability(right 17/27, wrong 10/27 after 3 observations; types)
    """
    seen = _exact(channel)
    if not callable(strategy):
        raise InvalidInput(f"a strategy is a function of the counts seen, got {strategy!r:.60}")
    place, right = {x: i for i, x in enumerate(seen.inputs)}, fmpq(0)
    for counts, joint in _types(seen, prior, n):
        guess = strategy(counts)
        if guess not in place:
            raise Mismatch(f"a guess must be one of the inputs, got {guess!r:.40}")
        right += joint[place[guess]]
    return SuccessProbability.of_error((1 - right, 1 - right), n, "types", True)


def loss_of_guesses(
    channel: Any, loss: Loss, prior: PriorLike, n: int, guess: Strategy | None
) -> Enclosed:
    """Return U_n, what given guesses lose, or, without them, those of the likeliest input.

    Equation 10 of [Boreale2012]_. Of inputs that are equally likely the first is guessed.

    >>> from leaktight.channels.channel import Channel
    >>> rows = Channel([["4/5", "1/5"], ["1/2", "1/2"], ["3/10", "7/10"]])
    >>> squared = Loss.by_distance(range(3), lambda a, b: (a - b) ** 2)
    >>> loss_of_guesses(rows, squared, None, 1, None)
    Enclosed(1 after 1 observation; types)
    """
    seen = _exact(channel)
    costs = loss.matrix[:, positions(seen.inputs, loss.inputs, "input of the loss")]
    place, lost = {w: i for i, w in enumerate(loss.guesses)}, fmpq(0)
    for counts, joint in _types(seen, prior, n):
        likeliest = seen.inputs[int(np.argmax(joint))]
        guessed = likeliest if guess is None else guess(counts)
        if guessed not in place:
            raise Mismatch(f"a guess must be one of the loss's, got {guessed!r:.40}")
        lost += (exact_array(costs[place[guessed]]) * joint).sum()
    return enclosed((lost, lost), n, "types", loss.is_exact)


def _exact(channel: Any) -> Channel:
    seen = expect_channel(channel)
    if not seen.is_exact:
        raise InvalidInput("for guesses that are given the channel must be exact: .exact()")
    return seen


def _types(seen: Channel, prior: PriorLike, n: int) -> Iterator[tuple[dict[Hashable, int], Array]]:
    """Yield how often each output was seen, with how likely that is together with each input."""
    types = comb(n + len(seen.outputs) - 1, n)
    if types > allowed(MOST_GUESSES):
        raise TooLarge(
            f"{types:,} different observations are too many to ask a strategy for each, at most "
            f"{allowed(MOST_GUESSES):,}; without one the best guesses are taken"
        )
    belief, rows = prior_on(prior, seen.inputs).exact().array, exact_array(seen.matrix)
    for counts in compositions(n, len(seen.outputs)).tolist():
        sequences = fmpz(factorial(n) // prod(map(factorial, counts)))
        joint = sequences * belief
        for z, times in enumerate(counts):
            joint = joint * rows[:, z] ** times
        yield dict(zip(seen.outputs, counts, strict=True)), joint


# --- the best guesses ------------------------------------------------------------------------

SHARP = 2**10
"""An error is known well if it is so many times what it may be off by."""


def success_probability(
    channel: Observed, prior: PriorLike = None, n: int = 1, strategy: Strategy | None = None
) -> SuccessProbability:
    """Return how likely the best guess is right after n independent observations of one secret.

    It is Σ_t C(t)·max_x p(x)·Π_z K(z|x)^t(z) over all types t, the counts of the outputs, with
    C(t) sequences each (equations 5 to 8 of [Boreale2012]_). No product channel is built. It is
    exact if the channel and the prior are, and the types not too many; otherwise it is enclosed,
    in certified floats or by ``success_bounds``, as ``.method`` says. For randomised response,
    floats serve for any number of types. A floating-point channel stands for its exact binary
    numbers, ``channel.exact()``.

    Several channels may be observed, each a number of times; then n is how often all of them are.
    A ``strategy``, a function from how often each output of one channel was seen to a guess, is
    taken instead of the best guesses.

    >>> from leaktight.channels.channel import Channel
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> success_probability(coin, n=3, strategy=lambda seen: int(seen[1] == 3)).error
    Enclosed(10/27 after 3 observations; types)
    >>> success_probability(coin, n=3)
    SuccessProbability(right 20/27, wrong 7/27 after 3 observations; types)
    >>> success_probability(coin, n=10_000).error.is_exact
    True
    >>> blurred = Channel([["3/5", "2/5"], ["2/5", "3/5"]])
    >>> success_probability([(coin, 5), (blurred, 20)]).is_exact
    True
    """
    seen = observe(channel, prior).rounds(n)
    return (
        success_of(seen) if strategy is None else success_of_strategy(channel, prior, n, strategy)
    )


def success_of(
    seen: Observations, likelihoods: Likelihoods | None = None, *, exact: bool = True
) -> SuccessProbability:
    """Return the success probability for observations that have been read.

    ``exact=False`` asks for floats, which are quicker.
    """
    types, best = TypeClasses.of(seen.parts), seen.best
    try:
        low, high, method = sum_over_types(
            types, Guessing(best), seen.is_exact and exact, likelihoods
        )
    except TooLarge:
        outputs = OwnOutput.of(seen)
        if outputs is None:
            return bounded_success(seen, POINTS)
        return success_by_own_outputs(seen, outputs)
    alike = 1 - best.sum()
    error = alike + low, alike + high
    return SuccessProbability.of_error(error, seen.total, method, seen.is_exact)


def success_by_own_outputs(seen: Observations, outputs: OwnOutput) -> SuccessProbability:
    """Return the success probability where each secret has an output of its own, in floats.

    These know the error up to a number, not a factor. If it is tiny, pairs know it better.
    """
    low, high = outputs.success()
    error = 1 - high, 1 - low
    if (high - low) * SHARP > error[0] and len(seen) <= MOST_CLASSES:
        pairs = bounded_success(seen, POINTS).error
        error = max(error[0], rational(pairs.lower)), min(error[1], rational(pairs.upper))
    return SuccessProbability.with_complement(
        (low, high), error, seen.total, "certified floats", seen.is_exact
    )


def expected_gain(
    channel: Observed, gain: Gain | Tries, prior: PriorLike = None, n: int = 1
) -> Enclosed:
    """Return what the best guess earns on average after n observations of one secret.

    >>> from leaktight.channels.channel import Channel
    >>> rows = Channel([[1, 0], [0, 1], ["1/2", "1/2"]])
    >>> inside = Gain.membership([0, 1, 2], [0, 1])
    >>> [str(expected_gain(rows, inside, ["1/4", "1/4", "1/2"], n).lower) for n in range(1, 6)]
    ['1/2', '3/4', '7/8', '15/16', '31/32']
    """
    seen = observe(channel, prior)
    return _gain_of(seen.rounds(n), read_gain(gain, seen.inputs))


def _gain_of(seen: Observations, gain: Objective) -> Enclosed:
    table = seen.by_class(seen.prior * _payoffs(seen, gain))
    most = table.max(axis=0)
    (low, high), method, exact = _regret(seen, most - table, gain)
    return enclosed((most.sum() - high, most.sum() - low), seen.total, method, exact)


def expected_loss(
    channel: Observed,
    loss: Loss,
    prior: PriorLike = None,
    n: int = 1,
    guess: Strategy | Literal["best", "likeliest"] = "best",
) -> Enclosed:
    """Return what a guess loses on average after n observations of one secret: U_n.

    It falls towards what the best guess loses if all that can be told apart is known (Theorem 9
    of [Boreale2012]_). ``guess`` is the guess that loses least, or the likeliest secret (MAP, as
    in the paper), or a function from how often each output was seen, g of its equation 10.

    >>> from leaktight.channels.channel import Channel
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> expected_loss(coin, Loss.zero_one([0, 1]), n=3)
    Enclosed(7/27 after 3 observations; types)
    >>> rows = Channel([["4/5", "1/5"], ["1/2", "1/2"], ["3/10", "7/10"]])
    >>> squared = Loss.by_distance(range(3), lambda a, b: (a - b) ** 2)
    >>> [expected_loss(rows, squared, guess=g).lower for g in ("best", "likeliest")]
    [Fraction(2, 3), Fraction(1, 1)]
    """
    loss = read_loss(loss)
    if guess != "best":
        if isinstance(guess, str) and guess != "likeliest":
            raise InvalidInput(f"guess= is 'best', 'likeliest' or a function, got {guess!r:.60}")
        return loss_of_guesses(channel, loss, prior, n, None if isinstance(guess, str) else guess)
    seen = observe(channel, prior).rounds(n)
    table = seen.by_class(seen.prior * _payoffs(seen, loss))
    least = table.min(axis=0)
    (low, high), method, exact = _regret(seen, table - least, loss)
    return enclosed((least.sum() + low, least.sum() + high), seen.total, method, exact)


def _payoffs(seen: Observations, payoff: Objective) -> Array:
    """Return what each guess (row) brings for each input of the support (column)."""
    return exact_array(payoff.table(seen.inputs, seen.support))


def _regret(seen: Observations, regrets: Array, payoff: Objective) -> tuple[Ends, Method, bool]:
    """Enclose what the best guess brings less than knowing the class of the secret would."""
    distinct = np.array(list(dict.fromkeys(map(tuple, regrets))), dtype=object)
    exact = seen.is_exact and payoff.is_exact
    types = TypeClasses.of(seen.parts)
    low, high, method = sum_over_types(types, Stakes(distinct, distinct), exact)
    return (low, high), method, exact


@dataclass(frozen=True, slots=True, repr=False)
class RepeatedLeakage(Factor):
    """By which factor n observations raise what the attacker gains, ``before`` and ``after``."""

    before: Enclosed
    after: Enclosed

    def __str__(self) -> str:
        return (
            f"factor {self.text}, {self.before.text} before, {self.after.text} {self.after.source}"
        )


def repeated_leakage(
    channel: Observed, prior: PriorLike = None, n: int = 1, gain: GainLike = None
) -> RepeatedLeakage:
    """Return how much more the attacker expects to gain after n observations of one secret.

    >>> from leaktight.channels.channel import Channel
    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> repeated_leakage(coin, n=3)
    RepeatedLeakage(factor 40/27, 1/2 before, 20/27 after 3 observations; types)
    """
    once = observe(channel, prior)
    aim = read_gain(gain, once.inputs)
    before, after = (
        success_of(seen) if gain is None else _gain_of(seen, aim)
        for seen in (once.rounds(0), once.rounds(n))
    )
    lower: Any = Leakage.of_gain(rational(before.upper), rational(after.lower)).factor
    upper: Any = Leakage.of_gain(rational(before.lower), rational(after.upper)).factor
    return RepeatedLeakage(lower, upper, before, after)
