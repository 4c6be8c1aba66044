"""One person in an audit: a table, and sentences, that stand first in every document."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from leaktight.exact.shown import Probability, percent
from leaktight.leakage.value_odds import FEW, ValueOdds, ValueTable
from leaktight.reports.document import Guesser, Guessing, Table
from leaktight.reports.wording import as_private, chance, quoted, rounded
from leaktight.studies.answers import (
    Answers,
    AnyMechanism,
    Informed,
    Telling,
    ValueRise,
)

ALONE = "adversary (sees the release)"
"""Who guesses where nothing is known of others, or there are none."""

BY_VALUE = "belief by the output that speaks for it most"
"""What a table of values is about."""


def guessing(answers: Answers) -> Guessing:
    """Return what an audit says of one person."""
    n = answers.question.observations
    when = ("before", "after 1", *([f"after {rounded(n)}"] if n > 1 else []))
    guessers = tuple(_guessers(answers))
    return Guessing(
        f"Guessing {answers.question.what}", when, guessers, headline(answers, guessers)
    )


def headline(answers: Answers, guessers: Sequence[Guesser]) -> str:
    """Say in a sentence how likely a guess about one person is right; nothing if nobody guesses."""
    person = answers.person
    if person.informed:
        found: Informed | AnyMechanism = person.informed
        whose = (
            "" if guessers[0].who == ALONE else "By an informed adversary, who knows everyone else"
        )
    elif person.any_mechanism:
        found, whose = person.any_mechanism, "Whatever the mechanism"
    else:
        return ""
    once, *often = found.after
    start = f"{whose}, a" if whose else "A"
    after = [f"in {_cases(once)} after it"]
    after += [f"in {_cases(p)} after {p.observations:,} of them" for p in often]
    return (
        f"{start} guess of {answers.question.what} is right in {percent(found.before)} of all "
        f"cases before a release{', ' if often else ' and '}{', and '.join(after)}."
        f"{_rise(found.values or ())}"
    )


def _rise(values: Sequence[ValueRise]) -> str:
    """Say how far the belief in the first value rises; nothing if all were alike beforehand."""
    if len({each.before for each in values}) <= 1:
        return ""
    first = values[0]
    bound = _cases(Probability(1, first.after, False))
    after = bound if first.chance is None else percent(first.after)
    return (
        f" One output may raise the belief in {quoted(first.value)} from {percent(first.before)} "
        f"to {after}."
    )


def _cases(chance: Probability) -> str:
    return chance.percent if chance.is_exact else str(chance)


def informed(answers: Answers) -> str:
    """Say who sees the release and knows all others, if there are others."""
    alone = not answers.person.uninformed and not answers.policy.is_constrained
    return ALONE if alone else "informed adversary (knows everyone else)"


def _guessers(answers: Answers) -> Iterator[Guesser]:
    person, n = answers.person, answers.question.observations

    def guesser(
        who: str,
        before: Fraction,
        after: tuple[Probability, ...],
        text: tuple[str, ...],
        values: Sequence[ValueRise] | None = None,
    ) -> Guesser:
        told = [percent(before), *map(chance, after)]
        told += ["–"] * ((3 if n > 1 else 2) - len(told))
        return Guesser(who, tuple(told), text, before, after, _by_value(answers, values or ()))

    if person.informed:
        known = person.informed
        yield guesser(informed(answers), known.before, known.after, known.text, known.values)
    if person.uninformed:
        nobody = person.uninformed
        telling = tuple(_told(nobody.telling))
        yield guesser(
            "uninformed adversary (knows the prior)", nobody.before, (nobody.after,), telling
        )
    if person.any_mechanism:
        most = person.any_mechanism
        anyone = "the same" if answers.policy.is_constrained else "anyone"
        who = f"{anyone}, any mechanism {as_private(answers)}"
        yield guesser(who, most.before, most.after, most.text, most.values)
        if most.other is not None:
            yield guesser(
                f"the same, neighbours: {most.other.neighbours}", most.before, most.other.after, ()
            )


def _by_value(answers: Answers, values: Sequence[ValueRise]) -> Table | None:
    """Return how far the belief in a few values rises, if they are not all alike beforehand."""
    named = len(answers.question.sensitive)
    if not values or (len({each.before for each in values}) == 1 and not named):
        return None
    few = values[: max(FEW, named + 1)]  # the largest factor of those that are not named, too
    odds = ValueTable(
        ValueOdds(each.value, each.before, each.after, each.output, each.chance) for each in few
    )
    head, *rows = odds.rows()
    told = [tuple(cell.replace("at most ", "≤ ") for cell in row) for row in rows]
    if len(values) > len(few):
        told.append(("others, by no larger factor", *[""] * (len(head) - 1)))
    return Table((BY_VALUE, "before", "after", "factor", "seen in")[: len(head)], tuple(told))


def _told(telling: Telling | None) -> Iterator[str]:
    if telling is not None:
        yield (
            f"The most telling that can be seen is {quoted(telling.output)}, with a chance of "
            f"{percent(telling.chance)}: {quoted(telling.event)} rises from "
            f"{percent(telling.before)} to {percent(telling.after)}."
        )
