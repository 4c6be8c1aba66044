"""Advice on an ε: how strong it is for the value whose odds rise most, and which would double them.

It is made of numbers that are proved, but what is strong is a convention: a belief that at most
doubles, and comes to three in four at most, is called strong protection (where it begins above one
half: if half of the doubt is left), one that comes to nine in ten weak.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial

from leaktight.errors import InvalidInput, InvalidNumber, TooLarge
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import DIGITS, above, below, nearest, percent
from leaktight.labels import named
from leaktight.leakage.value_odds import ValueOdds
from leaktight.limits import allowed
from leaktight.mechanisms.best import optimal_mechanism
from leaktight.repetition.choosing import (
    ChosenRatio,
    largest_ratio_below,
    largest_ratio_of_beliefs,
)
from leaktight.repetition.value_odds import value_odds
from leaktight.studies.answers import Advice
from leaktight.studies.study import Study

DOUBLE = Fraction(2)
"""By how much a belief may grow."""

DOUBTED = Fraction(3, 4)
"""To what a belief may grow: that of one half cannot double, but half of the doubt may go."""

LIKELY = Fraction(9, 10)
"""A belief at which a value is as good as known."""

TENFOLD = Fraction(10)
"""By how much a belief grows at most while protection is called moderate."""

MOST_ADVISED = 1000
"""The most values for which an ε is advised: it is looked for, which takes a second or two."""

MOST_COMPARED = 40
"""The most values for which the best mechanisms of two ε are designed to compare their errors."""


def advice(study: Study) -> Advice:
    """Say how strong the ε of a study is, and which keeps every sensitive belief at its double.

    It is about any mechanism that keeps ε, for independent records and one release.

    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> policy = Policy(SecretGraph.complete(["negative", "positive"]))
    >>> found = advice(Study(policy, epsilon=2, prior=["0.99", "0.01"]))
    >>> print(found.rank, "–", found.text[0])
    moderate – At ε = 2 an output can raise the belief in positive from 1% to at most 7%.
    >>> found.text[1]
    'At ε = 0.703299 no belief more than doubles.'
    >>> found.setting
    'epsilon = 0.703299'
    """
    ratio = study.ratio
    if ratio is None:
        raise InvalidInput("advice is for pure ε; choose finds the ρ, μ or σ for a risk")
    if study.policy.is_constrained:
        raise InvalidInput("what is public ties records together: read the way out there")
    study.expect_untold()
    if study.policy.secrets.order > allowed(MOST_ADVISED):
        raise TooLarge(f"advice is for at most {allowed(MOST_ADVISED)} values; choose takes more")
    odds = value_odds(study.policy, study.prior, ratio=ratio)
    meant = [each for each in odds if each.value in study.sensitive] or list(odds)
    worst = max(meant, key=lambda each: each.factor)
    text = [
        f"At ε = {above(ratio.epsilon, DIGITS)} an output can raise the belief in "
        f"{named(worst.value)} from {percent(worst.before)} to {worst.cells()[2]}."
    ]
    likely = [each for each in meant if each.before > DOUBTED / DOUBLE]
    doubted = [each for each in likely if study.sensitive or each.before <= Fraction(1, 2)]
    rank = _rank(worst, doubted)
    chosen, kept = _chosen(study, doubted) or (None, "")
    if chosen is None or ratio.upper <= chosen.ratio:
        return Advice(rank, tuple(text), None, None)
    epsilon = below(chosen.epsilon)
    text += [f"At ε = {epsilon}{kept}.", *_error(study, ratio, chosen)]
    return Advice(rank, tuple(text), f"epsilon = {epsilon}", chosen.epsilon)


def _most(before: Fraction) -> Fraction:
    """Return to what a belief may grow that comes there before it doubles."""
    return max(DOUBTED, (1 + before) / 2)


def _rank(worst: ValueOdds, doubted: Sequence[ValueOdds]) -> str:
    if worst.factor <= DOUBLE and all(each.after <= _most(each.before) for each in doubted):
        return "strong"
    likely = max(each.after for each in (worst, *doubted)) >= LIKELY
    return "weak" if likely or worst.factor > TENFOLD else "moderate"


def _chosen(study: Study, doubted: Sequence[ValueOdds]) -> tuple[ChosenRatio, str] | None:
    """Return the largest ratio that keeps all that is asked, in words; None if every ε does."""
    of_beliefs = partial(largest_ratio_of_beliefs, study.policy, study.prior)
    whose = f" in {' or '.join(map(named, study.sensitive))}" if study.sensitive else ""
    double = f" no belief{whose} more than doubles"
    asked: list[tuple[Callable[[], ChosenRatio], str]] = [
        (partial(of_beliefs, value=value, factor=DOUBLE), double)
        for value in study.sensitive or (None,)
    ]
    for each in doubted:
        most = _most(each.before)
        told = f" no belief in {named(each.value)} exceeds {percent(most)}"
        asked.append((partial(of_beliefs, value=each.value, below=most), told))
    if study.below is not None:
        keeping = partial(
            largest_ratio_below, study.policy, study.below, study.prior, study.observations
        )
        often = f" in each of {study.observations:,} releases" if study.observations > 1 else ""
        told = f"{often} every guess stays at {percent(study.below)} or less"
        asked.append((keeping, told))
    found = []
    for find, told in asked:
        with suppress(InvalidNumber):  # no ε exceeds the limit, or none keeps it
            found.append((find(), told))
    return min(found, key=lambda each: each[0].ratio, default=None)


def _error(study: Study, ratio: Ratio, chosen: ChosenRatio) -> Iterator[str]:
    """Say what the best mechanism of one record loses by it, where that is quickly found."""
    if study.is_release:
        from leaktight.studies.released import advised

        yield from advised(study, Ratio.of(chosen.ratio))
        return
    if study.scope != "record" or study.graph.order > MOST_COMPARED or study.aim is None:
        return
    errors = []
    for each in (chosen.ratio, ratio.lower):
        best = optimal_mechanism(study.apart, study.input_prior, study.aim, ratio=each)
        errors.append(best.loss if study.aim.sign < 0 else 1 - best.utility)
    if study.aim.sign < 0:
        then, now = (nearest(float(error), 3) for error in errors)
        what, unit = "loses", ""
    else:
        then, now = (percent(Fraction(error)) for error in errors)
        what, unit = "is wrong in", " of all cases"
    if then == now:
        yield "It costs nothing: the best mechanism is as useful as before."
    else:
        yield f"The best mechanism for one record then {what} {then}{unit}, instead of {now}."
