"""What public counts do to a release, and the ε that is recommended."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from leaktight.errors import InvalidInput, LeaktightError
from leaktight.exact.bound import added
from leaktight.exact.rounding import ln_interval
from leaktight.exact.shown import (
    DIGITS,
    above,
    below,
    counted,
    nearest,
    percent,
    percent_above,
    shown_above,
)
from leaktight.leakage.under_counts import PosteriorBound, margin_leakage, posterior_bound
from leaktight.mechanisms.calibrated import calibrated
from leaktight.policies.symmetric_query import linear_of
from leaktight.privacy.level import PrivacyLevel
from leaktight.studies.answers import (
    CountsTold,
    Leakage,
    OddsFound,
    PublicFound,
    RecommendedEpsilon,
    Skipped,
)
from leaktight.studies.study import Study

Found = TypeVar("Found")


def public(
    study: Study, level: PrivacyLevel | None, leakage: Leakage | Skipped
) -> PublicFound | None:
    """Return what public counts do; None if none are public, or something else is, too."""
    counts = study.policy.public_counts
    if counts is None or study.policy.records == 1:
        return None
    reach = counts.reach
    told = _or_why(lambda: _told(study))
    odds = _or_why(lambda: _odds(study, level))
    recommended = _or_why(lambda: _recommended(study))
    exact = reach.attained == reach.value
    # Of counts that are named, the leakage is that of the databases which have these, and what
    # others might have told is not known: the sum of the bits would bound neither.
    both = leakage if study.policy.is_free else Skipped("counts are named")
    text = (*_reach(reach.value, exact), *_in_words(told, odds, both), *_way(recommended))
    return PublicFound(reach.value, exact, told, odds, recommended, text)


def one_person(study: Study, level: PrivacyLevel | None) -> PosteriorBound:
    """Return by how much a release changes the odds about one person, given the counts."""
    if study.scope == "record" and study.channel is not None:
        return posterior_bound(study.channel, study.policy, prior=study.prior)
    found = []
    if study.noise is not None:
        found.append(posterior_bound(study.mechanism, study.policy, study.query, study.prior))
    elif level is None:
        raise InvalidInput("no mechanism is given")
    counts = study.policy.public_counts
    if level is not None and (not found or (counts is not None and counts.all_secret)):
        found.append(posterior_bound(level.ratio, study.policy, prior=study.prior))
    return min(found, key=lambda odds: odds.ratio)


def _or_why(compute: Callable[[], Found]) -> Found | Skipped:
    try:
        return compute()
    except LeaktightError as wrong:
        return Skipped(str(wrong))


def _told(study: Study) -> CountsTold:
    found = margin_leakage(study.policy, study.prior)
    return CountsTold(found.before, found.after, found.bits, found.average, found.are_named)


def _odds(study: Study, level: PrivacyLevel | None) -> OddsFound:
    found = one_person(study, level)
    if not isinstance(found.ratio, float):
        return OddsFound(
            found.ratio, ln_interval(found.ratio)[1], found.before, found.after, found.others,
            found.assumes, found.is_exact,
        )  # fmt: skip
    return OddsFound(
        None, None, found.before, found.after, found.others, found.assumes, found.is_exact
    )


def _recommended(study: Study) -> RecommendedEpsilon:
    if study.ratio is None:
        raise InvalidInput("no ε is asked for")
    if study.scope == "answer" and linear_of(study.query) is None:
        raise InvalidInput(
            "it is known for each record by itself, and for noise on counts and sums"
        )
    query = study.query if study.scope == "answer" else None
    found = calibrated(study.policy, query, ratio=study.ratio)
    epsilon = study.ratio.epsilon / found.steps
    return RecommendedEpsilon(
        "record" if query is None else "step of the answer",
        epsilon, found.steps, found.plain_steps, found.error, found.plain_error,
    )  # fmt: skip


# --- in words --------------------------------------------------------------------------------


def _reach(records: int, exact: bool) -> Iterator[str]:
    yield (
        "Because the counts are known, hardly anybody's record can change alone: two databases "
        f"that must not be told apart differ in up to {counted(records, 'record', 'records')} at "
        "once, however many records there are."
    )
    if not exact:
        yield (
            "That is a safe bound: the public counts overlap in more ways than can be gone "
            "through. One table, a table and one more count, or tables of which one refines the "
            "other, are known exactly."
        )


def _in_words(
    told: CountsTold | Skipped, odds: OddsFound | Skipped, leakage: Leakage | Skipped
) -> Iterator[str]:
    if told:
        yield (
            "The counts by themselves, before any release: one guess about one person is right "
            f"with {_with_counts(told)}, and without them with {percent(told.before)}. Of all "
            f"records together they tell at most {above(told.bits, DIGITS)} bits."
        )
        known = []
        if odds:
            average = "" if told.are_named else " on average"
            after = f"at most {percent_above(odds.after)}{average}"
            known.append(f"one guess about one person is right with {after}")
        if leakage:
            both = added([((told.bits, told.bits), 1), ((leakage.bits, leakage.bits), 1)])[1]
            most = f"at most {above(both, DIGITS)} bits more than before"
            known.append(f"all that is known of {leakage.about} is {most}")
        if known:
            yield f"First published and then released, in sequence: {', and '.join(known)}."
    if odds and odds.epsilon is not None:
        before = percent(odds.before)
        if not odds.is_exact:
            before = f"at most {percent_above(odds.before)}"
        factor = shown_above(odds.ratio or 0).removeprefix("≈")
        yield (
            "One person: no output changes the odds by more than a factor of "
            f"{factor} (ε = {above(odds.epsilon, DIGITS)}), "
            "relative to what they are with the counts alone. A value that then had a chance of "
            f"{before} has at most {percent_above(odds.after)} now. This assumes "
            f"{odds.assumes}; otherwise nothing is promised for one person."
        )
    elif isinstance(odds, Skipped):
        yield f"One person: {odds.why}."


def _with_counts(told: CountsTold) -> str:
    """Say how likely a guess is right with the counts, and on average over what they might be."""
    if not told.are_named:
        return f"at most {percent_above(told.after)} on average, whatever they say"
    if told.average is None or told.average[1] == 1:
        return percent(told.after)
    average = percent_above(told.average[1])
    return f"{percent(told.after)} (at most {average} on average over what they might have said)"


def _way(recommended: RecommendedEpsilon | Skipped) -> Iterator[str]:
    if recommended:
        yield f"Recommended: {_of_recommended(recommended)}"


def _of_recommended(found: RecommendedEpsilon) -> str:
    each = f"ε = {below(found.epsilon, DIGITS)} for each {found.of}"
    if found.of == "record":
        return (
            f"{each} keeps what was asked although the counts are public. By randomised response "
            f"{percent(found.error)} of the answers are then not true, and "
            f"{percent(found.plain_error)} if nothing were public."
        )
    return (
        f"neighbouring answers are up to {found.steps:,} apart, and {found.plain_steps:,} if "
        f"nothing were public. {each} keeps what was asked. Geometric noise is then "
        f"{nearest(float(found.error))} on average, instead of {nearest(float(found.plain_error))}."
    )
