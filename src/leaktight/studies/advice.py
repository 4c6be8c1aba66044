"""Advice on an ε: how strong it is for the value whose odds rise most, and which would double them.

It is made of numbers that are proved, but what is strong is a convention: a belief that at most
doubles is called strong protection, one that comes to nine in ten none.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial

from leaktight.errors import InvalidInput, InvalidNumber, TooLarge
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import DIGITS, above, below, nearest, percent
from leaktight.labels import named
from leaktight.leakage.value_odds import ValueOdds
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

LIKELY = Fraction(9, 10)
"""A belief at which a value is as good as known."""

TENFOLD = Fraction(10)
"""By how much a belief grows at most while protection is called moderate."""

MOST_ADVISED = 300
"""The most values for which an ε is advised: it is looked for, and more take minutes."""

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
    if study.policy.secrets.order > MOST_ADVISED:
        raise TooLarge(f"advice is for at most {MOST_ADVISED} values; choose takes more")
    odds = value_odds(study.policy, study.prior, ratio=ratio)
    meant = [each for each in odds if each.value in study.sensitive] or list(odds)
    worst = max(meant, key=lambda each: each.factor)
    chosen = _chosen(study)
    text = [
        f"At ε = {above(ratio.epsilon, DIGITS)} an output can raise the belief in "
        f"{named(worst.value)} from {percent(worst.before)} to {worst.cells()[2]}."
    ]
    if chosen is None or ratio.upper <= chosen.ratio:
        return Advice(_rank(worst), tuple(text), None, None)
    epsilon = below(chosen.epsilon)
    text.append(_kept(study, chosen, epsilon))
    text += _error(study, ratio, chosen)
    return Advice(_rank(worst), tuple(text), f"epsilon = {epsilon}", chosen.epsilon)


def _kept(study: Study, chosen: ChosenRatio, epsilon: str) -> str:
    """Say what the ε that is advised does."""
    if chosen.threshold == DOUBLE:
        whose = f" in {' or '.join(map(named, study.sensitive))}" if study.sensitive else ""
        return f"At ε = {epsilon} no belief{whose} more than doubles."
    many = chosen.observations
    each = f" in each of {many:,} releases" if many > 1 else ""
    return f"ε = {epsilon}{each} keeps every guess at {percent(chosen.threshold)} or less."


def _rank(worst: ValueOdds) -> str:
    if worst.factor <= DOUBLE and worst.after < LIKELY:
        return "strong"
    return "moderate" if worst.after < LIKELY and worst.factor <= TENFOLD else "weak"


def _chosen(study: Study) -> ChosenRatio | None:
    """Return the largest ratio that keeps all that is asked; None if every ε does."""
    asked: list[Callable[[], ChosenRatio]] = [
        partial(largest_ratio_of_beliefs, study.policy, study.prior, value=value, factor=DOUBLE)
        for value in study.sensitive or (None,)
    ]
    if study.below is not None:
        asked.append(
            partial(largest_ratio_below, study.policy, study.below, study.prior, study.observations)
        )
    found = []
    for each in asked:
        with suppress(InvalidNumber):  # no ε exceeds the limit, or none keeps it
            found.append(each())
    return min(found, key=lambda each: each.ratio, default=None)


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
