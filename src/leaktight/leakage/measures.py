"""What does a channel leak, by every measure at once? One table."""

from dataclasses import dataclass

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.channels.gain import Tries
from leaktight.exact.numbers import Value
from leaktight.leakage.capacity import min_capacity, risk_capacity
from leaktight.leakage.entropy import EntropyLeakage, renyi_leakage, shannon_leakage
from leaktight.leakage.guesswork import conditional_questions, guessing_leakage, questions
from leaktight.leakage.information_capacity import shannon_capacity
from leaktight.leakage.per_output import max_case_leakage
from leaktight.leakage.vulnerability import (
    Leakage,
    g_leakage,
    min_entropy_leakage,
    risk_leakage,
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number before and after an observation, under one prior, and the bits between them."""

    name: str
    before: Value
    after: Value
    bits: float | None
    """How many bits leak, rounded up; None of what is not counted in bits."""


@dataclass(frozen=True, slots=True)
class WorstMeasure:
    """The most that leaks under any prior."""

    name: str
    factor: Value | None
    """By how much a chance grows, or shrinks; None if it is no factor."""
    bits: float


def measures(channel: Channel, prior: PriorLike = None) -> tuple[Measure, ...]:
    """Return what a channel leaks under a prior by each measure.

    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> for each in measures(coin)[:2]:
    ...     print(each.name, each.before, each.after, each.bits)
    one guess is right 1/2 2/3 0.41503749927884387
    one of two guesses is right 1 1 0.0
    """
    belief = prior_on(prior, expect_channel(channel).inputs)
    leaks: dict[str, Leakage | EntropyLeakage] = {
        "one guess is right": min_entropy_leakage(channel, belief),
        "one of two guesses is right": g_leakage(channel, belief, Tries(2)),
        "one guess, after the most telling output": max_case_leakage(channel, belief),
        "one guess is wrong": risk_leakage(channel, belief),
        "Shannon entropy": shannon_leakage(channel, belief),
        "Rényi entropy of order 2": renyi_leakage(channel, belief, 2),
    }
    guesses = guessing_leakage(channel, belief)
    asked, left = questions(belief).expected, conditional_questions(channel, belief)
    return (
        *(Measure(name, leak.before, leak.after, leak.bits) for name, leak in leaks.items()),
        Measure("expected guesses until right", guesses.before, guesses.after, None),
        Measure("expected yes-or-no questions", asked, left, None),
    )


def worst_measures(channel: Channel) -> tuple[WorstMeasure, ...]:
    """Return the most that a channel leaks under any prior, by each measure that has one.

    >>> coin = Channel([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> [(each.name, str(each.factor)) for each in worst_measures(coin)][:2]
    [('any gain (maximal leakage)', '4/3'), ('one guess is wrong', '3/2')]
    """
    gain, loss = min_capacity(channel), risk_capacity(channel)
    return (
        WorstMeasure("any gain (maximal leakage)", gain.factor, gain.bits),
        WorstMeasure("one guess is wrong", loss.factor, loss.bits),
        WorstMeasure("Shannon capacity", None, shannon_capacity(channel).bits),
    )
