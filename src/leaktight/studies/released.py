"""A release of a table as what a study publishes: its level, and what it tells of one person.

Chances are bounds that follow from the ratios of any two values (docs/proofs/tables.md): of one
person by somebody who knows all others, whatever is published, and of each attribute alone.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from leaktight.channels.distribution import PriorLike
from leaktight.channels.views import WHOEVER
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.keeping import Kept, keeps
from leaktight.errors import LeaktightError, TooLarge, Undecided
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import float_above, log2_interval
from leaktight.exact.shown import (
    Probability,
    below,
    counted,
    nearest,
    percent,
    percent_above,
    shown,
)
from leaktight.privacy.level import PrivacyLevel, Witness
from leaktight.repetition.explanation import explain
from leaktight.studies.answers import (
    LEFT_OUT,
    AttributeFound,
    Informed,
    LedgerFound,
    QueryFound,
    ReleaseFound,
    Skipped,
    Uninformed,
    ValueRise,
)
from leaktight.studies.naming import Names
from leaktight.studies.study import Study
from leaktight.tables.attributes import (
    AttributeOdds,
    AttributeValue,
    attribute_odds,
    whole_odds,
)
from leaktight.tables.budget import amount_above
from leaktight.tables.calibration import Noise, calibrated
from leaktight.tables.ledger import Ledger
from leaktight.tables.odds import Odds, odds
from leaktight.tables.privacy_loss import PrivacyLoss
from leaktight.tables.statement import why_no_odds

if TYPE_CHECKING:
    from leaktight.studies.release import ReleaseStudy

NO_LEDGER = Skipped("there is no ledger yet: leaktight ledger FILE --new STUDY.toml makes it")

LONGEST_LEVEL = 2**24
"""The longest ratio of a release that is multiplied out, in bits."""

MOST_ATTRIBUTES = 8
"""The most values of an attribute that are listed."""


@dataclass(frozen=True)
class PlannedRelease:
    """What a study publishes of a table, before anything is read or spent."""

    asked: "ReleaseStudy"

    @cached_property
    def noise(self) -> Noise | None:
        """The noise of its queries; None if every row is published."""
        return self.asked.noise

    @property
    def name(self) -> str:
        """What is published, in words."""
        if self.noise is None:
            return "every row, answered by itself"
        queries = counted(len(self.asked.queries), "query", "queries")
        kinds = dict.fromkeys(own.told() for own in self.noise.noises if own is not None)
        return f"{queries} with {' and '.join(kinds) or 'no noise'}"

    @property
    def level(self) -> PrivacyLevel | None:
        """How private it is, of the secret pair that is told apart most."""
        if self.noise is None:
            return None
        paid, protection = self.noise.paid, self.noise.protection
        if paid.rho:
            return PrivacyLevel(math.inf, None)
        level, allowed = self.noise.level, self.asked.allowed
        if level.length > LONGEST_LEVEL and allowed is not None:
            promise = allowed.promise  # just above it, and short
            assert isinstance(promise, Ratio)
            return PrivacyLevel(promise.lower, None, least=Fraction(1))
        ratio = level.value
        if ratio == 1:
            return PrivacyLevel(Fraction(1), None)
        if protection.counts is not None:
            return PrivacyLevel(ratio, None, least=Fraction(1))
        worst = int(paid.exponents(protection.pairs).argmax())
        u, v = (protection.values[k] for k in protection.pairs[worst].tolist())
        return PrivacyLevel(ratio, Witness(u, v, "all numbers on the side of the first"))

    def keeps(self, curve: PrivacyCurve) -> Kept:
        """Decide whether it keeps a curve: by its cost in ρ, if it is what was allowed."""
        if self.noise is None or not self.noise.paid.rhos or self.asked.allowed is None:
            raise TooLarge("it was decided by ε alone")
        limit, rho = self.asked.allowed.limit, self.noise.rho
        if curve == self.asked.allowed.promise:
            return Kept(rho <= limit, f"it costs ρ = {shown(rho)}, and ρ = {shown(limit)} may")
        return keeps(PrivacyCurve.zcdp(rho), curve)


def informed(study: Study, names: Names, own: Ratio | None) -> Informed:
    """Return what a release tells somebody who knows all others, at most.

    ``own`` is the ratio that it has, which may bound a guess by less than the surest outcome does.
    """
    noise = _noise(study)
    protection, before = noise.protection, fraction(study.prior.exact().array.max())
    after = []
    for n in sorted({1, study.observations}):
        paid = replace(
            noise.paid,
            steps=noise.paid.steps**n,
            rhos=tuple((rho, n * times) for rho, times in noise.paid.rhos),
        )
        most = fraction(rational(_told(study, paid, study.prior).after))
        if own is not None and protection.rows_per_person == 1:
            found = explain(study.policy, study.prior, ratio=own, observations=n)
            most = min(most, Fraction(found.after[-1].value))
        after.append(Probability(n, most, False))
    size = len(protection.values)
    surest = fraction(rational(_told(study, noise.paid, None).after))
    factor = min(Fraction(size), size * surest)
    values = whole_odds(protection, [noise.paid], study.prior)
    by = "the ρ of zCDP, on average over what may come out" if noise.paid.rhos else "the ratios"
    text = (f"Whoever the others are; it follows from {by} of any two values.",)
    return Informed(
        factor, log2_interval(factor)[1], None, None, WHOEVER, before, tuple(after),
        None, text, (), LEFT_OUT, _rises(values, study, names) or None,
    )  # fmt: skip


def uninformed(known: Informed | Skipped) -> Uninformed:
    """Return what it tells somebody who knows nobody: never more than one who knows all others."""
    if isinstance(known, Skipped):
        raise Undecided(known.why)
    return Uninformed(known.before, Probability(1, known.after[0].value, False), None, None)


def _noise(study: Study) -> Noise:
    assert study.release is not None
    if (noise := study.release.noise) is None:
        raise Undecided("every row is published by itself, and told as such")
    return noise


def _told(study: Study, paid: PrivacyLoss, prior: PriorLike) -> Odds:
    protection = _noise(study).protection
    if (found := odds(protection, [paid], prior)) is None:
        raise Undecided(why_no_odds(protection))
    return found


def _rises(found: AttributeOdds | None, study: Study, names: Names) -> tuple[ValueRise, ...]:
    """Return how far the belief in each value rises, those that are sensitive first."""
    if found is None:
        return ()
    ranked = sorted(found.values, key=lambda each: each.value not in study.sensitive)
    return tuple(_rise(names.input(each.value), each) for each in ranked)


def _rise(name: str, odds: AttributeValue) -> ValueRise:
    return ValueRise(name, odds.before, odds.after, None, None, odds.factor)


def release_found(study: Study) -> ReleaseFound:
    """Return what is published, how near to the truth it is, and what it tells by attribute."""
    assert study.release is not None
    asked, noise = study.release.asked, study.release.noise
    attributes: tuple[AttributeFound, ...] = ()
    queries: tuple[QueryFound, ...] = ()
    if noise is not None:
        queries = tuple(_queries(noise))
        attributes = tuple(
            AttributeFound(
                each.attribute, each.before, each.after,
                tuple(_rise(str(v.value), v) for v in each.values[:MOST_ATTRIBUTES]),
            )
            for each in attribute_odds(
                noise.protection, [noise.paid], study.prior, asked.reading.columns
            )
        )  # fmt: skip
    ledger = _ledger(study) if study.files else LEFT_OUT
    return ReleaseFound(
        asked.name, asked.source.name, asked.protection.relation, queries, attributes, ledger,
        tuple(_in_words(attributes, ledger, asked.name)),
    )  # fmt: skip


def advised(study: Study, ratio: Ratio) -> Iterator[str]:
    """Say what the numbers would lose at another ratio, and what of a release costs most."""
    assert study.release is not None
    asked, noise = study.release.asked, study.release.noise
    if noise is None:
        return
    then = calibrated(noise.protection, asked.queries, ratio, asked.reading.columns)
    pairs = zip(noise.expected, then.expected, strict=False)
    found = [(now, later) for now, later in pairs if now.is_of_numbers and now.cell]
    if found:
        now, later = max(found, key=lambda both: both[0].cell)
        off = [nearest(math.sqrt(each.cell), 3) for each in (later, now)]
        yield f"The numbers of “{now.query}” are then off by ± {off[0]}, instead of ± {off[1]}."
    if len(asked.queries) > 1 and noise.protection.counts is None and not noise.paid.rho:
        worst = noise.protection.pairs[noise.paid.exponents(noise.protection.pairs).argmax()]
        costs: dict[str, int] = {}
        for block, (weights, units) in zip(noise.blocks, noise.paid.blocks, strict=True):
            own = units * int(weights.distances(worst[None])[0])
            costs[block.query.name] = costs.get(block.query.name, 0) + own
        most = max(costs, key=costs.__getitem__)
        share = Fraction(costs[most], sum(costs.values()) or 1)
        if share > Fraction(1, len(costs)):
            told = f"{percent(share)} of what the pair pays that is told apart most"
            yield f"“{most}” tells most: {told}."
    if asked.budget is not None and asked.budget.rho is None and noise.paid.steps.factors:
        left, whole = asked.budget.near, f"The budget, {asked.budget.told()}, is"
        book = _ledger(study) if study.files else NO_LEDGER
        if isinstance(book, LedgerFound) and book.unit == "ε" and book.spent:
            left, whole = book.left, f"What is left of {book.budget}, ε = {below(book.left)}, is"
        many, more = (
            math.floor(left / each * (1 + 2.0**-40)) for each in (noise.level.nats, ratio.epsilon)
        )
        yield f"{whole} for {counted(many, 'release', 'releases')} at this ε, {more:,} then."


def _queries(noise: Noise) -> Iterator[QueryFound]:
    kinds = dict.fromkeys(own.told() for own in noise.noises if own is not None)
    for error in noise.expected:
        told = " and ".join(kinds) if error.cell else None
        size = math.sqrt(float_above(rational(error.cell)))
        yield QueryFound(error.query, error.kind, error.numbers, told, size, error.is_of_numbers)


def _ledger(study: Study) -> LedgerFound | Skipped:
    """Return what has been spent; a ledger that is not there yet has nothing to say."""
    assert study.release is not None
    place = study.release.asked.ledger
    if not isinstance(place, str) and not place.exists():
        return NO_LEDGER
    try:
        book = Ledger.open(place)
        spent = book.spent().largest
    except LeaktightError as wrong:
        return Skipped(str(wrong))
    return LedgerFound(
        book.name.rpartition("/")[2], book.budget.told(), amount_above(spent),
        book.budget.left(spent), tuple(entry.name for entry in book.entries()),
        book.budget.measure.symbol,
    )  # fmt: skip


def _in_words(
    attributes: tuple[AttributeFound, ...], ledger: LedgerFound | Skipped, name: str
) -> Iterator[str]:
    if len(attributes) > 1:
        told = (
            f"{each.attribute} {percent(each.before)} → at most {percent_above(each.after)}"
            for each in attributes
        )
        yield f"Guessing one attribute alone, all others known: {'; '.join(told)}."
    if ledger and name in ledger.releases:
        yield f"The ledger has a release of this name already: {name!r}."
