"""What does an audit say of one person? A table, and sentences, that stand first on every page."""

from collections.abc import Iterator
from dataclasses import dataclass

from leaktight.exact.shown import Probability, percent
from leaktight.reports.wording import as_private, chance, quoted, rounded
from leaktight.studies.answers import Answers, Informed, Skipped, Telling


@dataclass(frozen=True, slots=True)
class Guesser:
    """Someone who guesses: how likely they are right before and after, and what it rests on."""

    who: str
    chances: tuple[str, ...]
    """Before, after one release, and after as many as were asked about."""
    text: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Guessing:
    """Who guesses what, and when."""

    what: str
    when: tuple[str, ...]
    guessers: tuple[Guesser, ...]


def guessing(answers: Answers) -> Guessing:
    """Return what an audit says of one person."""
    n = answers.question.observations
    when = ("before", "after 1", *([f"after {rounded(n)}"] if n > 1 else []))
    return Guessing(f"Guessing {answers.question.what}", when, tuple(_guessers(answers)))


def _guessers(answers: Answers) -> Iterator[Guesser]:
    person, n = answers.person, answers.question.observations
    if isinstance(person.informed, Informed):
        known = person.informed
        alone = isinstance(person.uninformed, Skipped) and not answers.policy.is_constrained
        who = "someone who sees the release" if alone else "someone who knows all others"
        yield Guesser(who, _chances(known.before, known.after, n), known.text)
    if not isinstance(person.uninformed, Skipped):
        nobody = person.uninformed
        chances = _chances(nobody.before, (nobody.after,), n)
        yield Guesser("someone who knows nobody", chances, tuple(_told(nobody.telling)))
    if not isinstance(person.any_mechanism, Skipped):
        most = person.any_mechanism
        anyone = "the same" if answers.policy.is_constrained else "anyone"
        who = f"{anyone}, any mechanism {as_private(answers)}"
        yield Guesser(who, _chances(most.before, most.after, n), most.text)


def _chances(before: object, after: tuple[Probability, ...], n: int) -> tuple[str, ...]:
    told = [percent(before), *map(chance, after)]  # type: ignore[arg-type]
    return tuple(told + ["–"] * ((3 if n > 1 else 2) - len(told)))


def _told(telling: Telling | None) -> Iterator[str]:
    if telling is not None:
        yield (
            f"The most telling that can be seen is {quoted(telling.output)}, with a chance of "
            f"{percent(telling.chance)}: {quoted(telling.event)} rises from "
            f"{percent(telling.before)} to {percent(telling.after)}."
        )
