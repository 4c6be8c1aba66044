"""What does a release tell of one person: to somebody who knows all others, or nobody; and what
could any mechanism as private tell?
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from math import prod
from typing import Any, TypeAlias

from flint import arb

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.promise import Promise
from leaktight.errors import InvalidInput, LeaktightError, TooLarge, Undecided
from leaktight.exact.numbers import Number, fraction, rational
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import outward
from leaktight.exact.shown import (
    Probability,
    above,
    nearest,
    percent,
    percent_or_fraction,
    shown_above,
)
from leaktight.leakage.hyper import hyper
from leaktight.leakage.individual import (
    IndividualLeakage,
    individual_channels,
    individual_leakage,
)
from leaktight.leakage.under_counts import PosteriorBound, posterior_bound
from leaktight.leakage.uninformed import uninformed_guess
from leaktight.leakage.value_odds import ValueOdds, ValueTable, channel_odds
from leaktight.privacy.breach import Breach
from leaktight.privacy.level import PrivacyLevel
from leaktight.repetition.adversary import MOST_ENTRIES, is_quick
from leaktight.repetition.curve import success_curve
from leaktight.repetition.enclosure import SuccessProbability
from leaktight.repetition.explanation import Explanation, explain, kept_below
from leaktight.repetition.rounds import observe
from leaktight.studies.answers import (
    AnyMechanism,
    Belief,
    CurvePoint,
    Informed,
    RareBelief,
    Relation,
    Skipped,
    Telling,
    Uninformed,
    ValueRise,
)
from leaktight.studies.naming import Names
from leaktight.studies.public import one_person
from leaktight.studies.study import Study

Observed: TypeAlias = tuple[Channel, Distribution, str]
"""What is seen of a person's value, what is believed of it, and who the others are."""

TIED = (
    "records depend on each other through what is public, so that no guarantee for one record "
    "follows from the policy's"
)

LARGE = 1000.0
"""What is more than 2 to this is written as a power of 2."""

MOST_CHANNELS = 16
"""The most different D⁻ for which repeated observations are counted exactly."""

MOST_OBSERVED = 60
"""The most values for which the curve is computed; more takes minutes."""

POINTS = 12
"""How many numbers of observations the curve has."""

MOST_SHOWN = 40
"""The most values whose beliefs are listed."""


def informed(study: Study, names: Names, own: Ratio | None) -> Informed:
    """Return what somebody learns who knows all others, after one release and after several.

    ``own`` is the ratio that the mechanism has, which bounds what takes too long.
    """
    found = individual_leakage(_seen(study), study.policy, study.query, study.prior,
                               absent=study.absent)  # fmt: skip
    observed = list(observers(study))
    if not observed:
        return _bounded(study, found, own)
    told = [
        explain(channel, prior, observations=study.observations, below=_below(study, prior))
        for channel, prior, _ in observed
    ]
    first = max(range(len(told)), key=lambda k: told[k].after[0].value)
    before = told[first].before.value
    after = tuple(_tightest(study, own, chance) for chance in _largest(told))
    telling = _most_telling(told, names)
    safe = _kept_below(study, told, observed)
    values = _value_odds(observed, study.sensitive)
    speaking, belief = _belief(values, observed, names)
    surest = () if study.sensitive else _told(telling)  # of what is sensitive there is a table
    text = (*_in_words(found), *_at_worst(observed, first), *surest, *safe)
    if before == 1:
        text = ("Who knows all others knows the value already, by what is public.",)
    return Informed(
        *_factors(found), observed[first][2], before, after, telling, text, belief,
        _curve(study, observed), _rises(values, names) or None, speaking,
    )  # fmt: skip


def uninformed(
    study: Study, names: Names, known: Informed | Skipped, level: PrivacyLevel | None
) -> Uninformed:
    """Return what somebody learns who knows nobody; never more than one who knows all others."""
    try:
        found = uninformed_guess(_seen(study), study.policy, study.query, study.prior)
    except TooLarge:
        if study.policy.is_counted:
            # Some who know all others know the value already, so that they are no bound here.
            odds = _from_before(study, one_person(study, level))
            return Uninformed(odds.before, Probability(1, odds.after, False), None, None)
        if study.policy.is_constrained or not known:
            raise
        return Uninformed(known.before, Probability(1, known.after[0].value, False), None, None)
    seen = [
        explain(each.channel, each.prior, observations=1).telling
        for each in (found, *found.rest)
        if each.channel is not None
    ]
    telling = max(filter(None, seen), key=lambda each: (each.after, each.chance), default=None)
    after = fraction(rational(found.upper))
    return Uninformed(
        found.before, Probability(1, after, found.is_exact), found.record,
        None if telling is None else _telling(telling, names),
    )  # fmt: skip


def any_mechanism(study: Study, names: Names, promise: Promise) -> AnyMechanism:
    """Return what anybody learns of one record from any mechanism that keeps what was asked."""
    study.expect_untold()
    if isinstance(promise, PrivacyCurve):
        return _under_curve(study, promise)
    policy, ratio = study.policy, promise
    if policy.is_counted:
        n = study.observations
        once, often = (
            _from_before(study, posterior_bound(ratio.upper**k, policy, prior=study.prior))
            for k in (1, n)
        )
        chances = [Probability(1, once.after, False)]
        chances += [Probability(n, often.after, False)] if n > 1 else []
        return AnyMechanism(once.before, tuple(chances), (f"This assumes {once.assumes}.",))
    if study.policy.is_constrained:
        raise InvalidInput(TIED)
    found = explain(study.policy, study.prior, ratio=ratio, observations=study.observations,
                    below=_below(study, study.prior), sensitive=_possible(study))  # fmt: skip
    by_value = found.values.sentence(found.named)  # which documents show as a table
    text = [each for each in list(found.sentences())[1:] if each != by_value]
    return AnyMechanism(
        found.before.value,
        found.after,
        (*_by_distance(study, ratio), *text),
        values=_rises(found.values, names) or None,
    )


def _under_curve(study: Study, curve: PrivacyCurve) -> AnyMechanism:
    """Return it for another promise than pure ε, for both relations of neighbours if need be."""
    if study.policy.is_constrained:
        raise InvalidInput(TIED)
    found = explain(study.policy, study.prior, curve=curve, observations=study.observations,
                    below=_below(study, study.prior))  # fmt: skip
    text = list(found.sentences())[1 if found.other is None else 2 :]
    both = [found] if found.other is None else [found, found.other]
    beliefs = tuple(
        RareBelief(each.neighbours or None, n, b.prior, b.sure, b.upper)
        for each in both
        for n, b in each.outlook
    )
    other = None if found.other is None else Relation(found.other.neighbours, found.other.after)
    return AnyMechanism(
        found.before.value,
        found.after,
        tuple(text),
        found.neighbours or None,
        other,
        beliefs=beliefs or None,
    )


def _by_distance(study: Study, ratio: Ratio) -> Iterator[str]:
    """Yield by how much the odds change between values that are near, and that are far apart."""
    if (metric := study.policy.metric) is None:
        return
    one, farthest = f"1 {study.unit}" if study.unit else "a distance of 1", metric.farthest
    told = []
    if metric.nearest <= 1 < farthest:
        told.append(f"any two within {one} by a factor of at most {_number(ratio.upper)}")
    if farthest:
        apart = f"{nearest(float(farthest))} {study.unit}".rstrip()
        factor = f"by a factor of at most {_power(ratio, farthest)}"
        told.append(f"the farthest two, {apart} apart, {factor}")
        yield f"What is seen moves the odds of {', and of '.join(told)}."


def _power(ratio: Ratio, distance: Number) -> str:
    """Return λ^d, rounded up; as a power of 2 if it is large."""

    def exponent() -> arb:
        return arb(rational(ratio.upper)).log_base(2) * rational(distance)

    bits = outward(exponent)[1]
    return f"2^{above(bits)}" if bits > LARGE else above(outward(lambda: arb(2) ** exponent())[1])


def _from_before(study: Study, odds: PosteriorBound) -> PosteriorBound:
    """Return odds from a chance that is known: without the counts, if these are not named."""
    if odds.is_exact:
        return odds
    if study.policy.is_free:
        return replace(odds, before=fraction(study.prior.exact().array.max()))
    raise Undecided(
        "what the counts tell of one person is only bounded, so that there is no chance before to "
        "compare with; by how much the odds change is said of the public counts"
    )


def is_reached(study: Study, prior: Distribution) -> bool:
    """Say whether a guess reaches the chance that was asked about before anything is seen."""
    return study.below is not None and study.below <= fraction(rational(prior.array.max()))


# --- all others known ------------------------------------------------------------------------


def _seen(study: Study) -> Any:
    """Return the mechanism as it is told of one person: noise on sums is never written out."""
    unlisted = study.noise is not None or study.channel is None
    return study.mechanism if unlisted else study.channel


def _below(study: Study, prior: Distribution) -> Fraction | None:
    """Return the threshold; none if it is reached before, or if it is certainty."""
    return None if study.below == 1 or is_reached(study, prior) else study.below


def observers(study: Study) -> Iterator[Observed]:
    """Yield what is seen of a person whose value is not certain, and what is believed of it.

    None if there are too many different others, or too many outputs.
    """
    try:
        channels = individual_channels(_seen(study), study.policy, study.query)
        found = list(islice(channels, MOST_CHANNELS + 1))
    except TooLarge:
        return
    if len(found) > MOST_CHANNELS:
        return
    chances: Mapping[Any, Any] = dict(zip(study.prior.values, study.prior.array, strict=True))
    open_ones = [(c, o) for c, o in found if sum(chances[v] > 0 for v in c.inputs) > 1]
    for channel, others in open_ones or [
        (c, o) for c, o in found if any(map(chances.get, c.inputs))
    ]:
        believed = Distribution.from_counts(
            [fraction(chances[v]) for v in channel.inputs], channel.inputs
        )
        yield channel, believed, others


def _bounded(study: Study, found: IndividualLeakage, own: Ratio | None) -> Informed:
    """Return bounds on what several releases tell: by the factor of one, and by the guarantee."""
    before, n = Fraction(found.before), study.observations
    after = [Probability(1, Fraction(found.after), study.noise is None)]
    if n > 1:
        grown = _grown(before, found.factor, n)
        after.append(_tightest(study, own, Probability(n, Fraction(min(1.0, grown)), False)))
    why = "so many different things can be seen that it takes long"
    text = (*_in_words(found), *_surely_below(study, before, found.factor, after))
    if before == 1:
        text = ("Some who know all others know the value already, by what is public.", *text)
    return Informed(
        *_factors(found), found.others, before, tuple(after), None, text, (), Skipped(why)
    )


def _surely_below(
    study: Study, before: Fraction, factor: Any, after: Sequence[Probability]
) -> Iterator[str]:
    """Yield how many observations surely keep a guess below the chance that was asked about."""
    if (limit := _below(study, study.prior)) is None:
        return
    if limit <= before:
        yield f"It is {percent(before)} before anything is seen, by what is public."
        return
    most: float = max((p.observations for p in after if p.value < limit), default=0)
    if factor == 1:
        most = math.inf
    else:
        last = math.ceil(math.log(limit / before) / math.log(factor))
        most = max([most, *(n for n in (last - 1, last) if _grown(before, factor, n) < limit)])
    if most == 0:
        yield f"A single observation may bring it to {percent_or_fraction(limit)} or more."
    else:
        more = "" if most == math.inf else f"; {most + 1:,} may not"
        yield f"{kept_below(limit, most)}{more}."


def _grown(before: Fraction, factor: Any, n: int) -> float:
    """Return at least the chance of a guess that becomes likelier by a factor, n times."""
    return outward(lambda: arb(rational(before)) * arb(rational(factor)) ** n)[1]


def _tightest(study: Study, own: Ratio | None, chance: Probability) -> Probability:
    """Return a chance; if it is a bound, the smaller of it and what the ratio alone allows."""
    if chance.is_exact or own is None or study.policy.is_constrained:
        return chance
    n = chance.observations
    limit = explain(study.policy, study.prior, ratio=own, observations=n).after[-1].value
    return Probability(n, min(chance.value, limit), False)


def _factors(found: IndividualLeakage) -> tuple[Fraction, float, Fraction | None, Fraction | None]:
    value, presence = (
        None if each is None else Fraction(each) for each in (found.value, found.presence)
    )
    return Fraction(found.factor), found.bits, value, presence


def _in_words(found: IndividualLeakage) -> Iterator[str]:
    bits = above(found.bits)
    yield (
        f"Whatever was believed before, one release makes a guess likelier by a factor of at most "
        f"{_number(found.factor)} ({bits} {'bit' if bits == '1' else 'bits'})."
    )
    if found.value is not None and found.presence is not None:
        yield (
            f"Of the value, if the person is there, it is {_number(found.value)}, and of whether "
            f"the person is there {_number(found.presence)}."
        )


def _at_worst(observed: Sequence[Observed], first: int) -> Iterator[str]:
    if len(observed) > 1:
        yield f"At worst, {observed[first][2]}."


def _number(factor: Any) -> str:
    return shown_above(Fraction(factor)).removeprefix("≈")


def _kept_below(
    study: Study, told: Sequence[Explanation], observed: Sequence[Observed]
) -> Iterable[str]:
    """Say how many observations keep every guess below the chance that was asked about."""
    if any(is_reached(study, prior) for _, prior, _ in observed):
        if study.below is None or is_reached(study, study.prior):  # which a warning says
            return ()
        limit = percent_or_fraction(study.below)
        return (f"Some who know all others reach {limit} before anything is seen.",)
    most = [each for each in told if each.most is not None]
    return min(most, key=lambda e: (e.most, not e.reached)).threshold() if most else ()


def _largest(told: Sequence[Explanation]) -> tuple[Probability, ...]:
    """Return the largest chance after each number of observations."""
    each = zip(*(one.after for one in told), strict=True)
    return tuple(
        Probability(some[0].observations, max(p.value for p in some), all(p.is_exact for p in some))
        for some in each
    )


def _value_odds(observed: Sequence[Observed], sensitive: Iterable[Hashable]) -> ValueTable:
    """Return the odds of each value, of whoever knows others that tell most of it."""
    best: dict[Hashable, ValueOdds] = {}
    for channel, prior, _ in observed:
        if prod(channel.shape) > MOST_ENTRIES:
            return ValueTable()
        for odds in channel_odds(channel, prior):
            known = best.get(odds.value)
            if known is None or (odds.factor, odds.chance) > (known.factor, known.chance):
                best[odds.value] = odds
    return ValueTable.ranked(best.values(), sensitive)


def _possible(study: Study) -> list[Hashable]:
    """Return the sensitive values that are possible."""
    return [value for value in study.sensitive if study.prior[value] > 0]


def _rises(values: ValueTable, names: Names) -> tuple[ValueRise, ...]:
    return tuple(
        ValueRise(
            names.input(odds.value),
            odds.before,
            odds.after,
            None if odds.chance is None else names.output(odds.output),
            odds.chance,
            odds.factor,
        )
        for odds in values[:MOST_SHOWN]
    )


def _most_telling(told: Sequence[Explanation], names: Names) -> Telling | None:
    """Return the output after which a value is likeliest."""
    found = [one.telling for one in told if one.telling is not None]
    if not found:
        return None
    return _telling(max(found, key=lambda each: (each.after, each.chance)), names)


def _belief(
    values: ValueTable, observers: Sequence[Observed], names: Names
) -> tuple[str | None, tuple[Belief, ...]]:
    """Return the output that raises the first value most, and what is then believed of all.

    It is a sensitive value, or that whose belief rises by the largest factor.
    """
    for channel, prior, _ in observers if values else ():
        first = values[0]
        if first.value not in channel.inputs or len(channel.inputs) > MOST_SHOWN:
            continue
        after = hyper(channel.exact(), prior)
        if first.output in after.outer.values:
            posterior = after.posterior(first.output)
            if posterior[first.value] == first.after:
                return names.output(first.output), tuple(
                    Belief(names.input(v), float(prior[v]), float(posterior[v]))
                    for v in channel.inputs
                )
    return None, ()


def _telling(found: Breach, names: Names) -> Telling:
    [value] = found.subset
    return Telling(
        names.output(found.output), found.chance, names.input(value), found.before, found.after
    )


def _told(found: Telling | None) -> Iterator[str]:
    if found is not None:
        yield (
            f"A guess is surest after output “{found.output}”, with a chance of "
            f"{percent(found.chance)}: “{found.event}” rises from {percent(found.before)} to "
            f"{percent(found.after)}."
        )


def _curve(study: Study, observers: Sequence[Observed]) -> tuple[CurvePoint, ...] | Skipped:
    """Return what observations tell, for numbers closer together where they are few."""
    most = max(len(channel.inputs) for channel, _, _ in observers)
    if most > MOST_OBSERVED:
        return Skipped(f"the curve is computed for at most {MOST_OBSERVED} values, got {most:,}")
    steps = (round(study.observations ** (k / (POINTS - 1))) for k in range(POINTS))
    counts = sorted({max(1, n) for n in steps})
    quick = [
        n for n in counts if all(is_quick(observe(channel, p), n) for channel, p, _ in observers)
    ]
    try:
        curves = [success_curve(channel, prior, quick) for channel, prior, _ in observers]
    except LeaktightError as wrong:
        return Skipped(str(wrong))
    return tuple(_point(n, [curve[n] for curve in curves]) for n in quick)


def _point(n: int, found: Sequence[SuccessProbability]) -> CurvePoint:
    """Return between what the largest of some chances lies."""
    lower, upper = max(p.lower for p in found), max(p.upper for p in found)
    exact = Fraction(lower) if all(p.is_exact for p in found) else None
    return CurvePoint(n, float(lower), float(upper), exact)
