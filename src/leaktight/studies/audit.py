"""Audits: all answers to a study, in one frozen object.

Nothing is computed anywhere else: the terminal and the report show what is here. What cannot be
computed, because it would be too large, says why. A new part is an answer in ``answers.py``, a
function that computes it, a line in ``PARTS``, and what a report shows of it.
"""

import hashlib
import math
from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from leaktight.channels.gain import Gain, Loss
from leaktight.curves.presence import Membership, largest, membership, membership_of
from leaktight.curves.promise import Promise
from leaktight.curves.worst_case import CurveWorstCase
from leaktight.errors import InvalidInput, TooLarge, expect
from leaktight.exact.matrix import html_rows
from leaktight.exact.numbers import fraction
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import DIGITS, above, below, counted, percent, percent_or_fraction
from leaktight.leakage.utility import utility
from leaktight.limits import allowed
from leaktight.mechanisms.best import BestMechanism, optimal_mechanism
from leaktight.privacy.level import PrivacyLevel, privacy_level
from leaktight.studies import asked, person
from leaktight.studies.advice import advice
from leaktight.studies.answers import (
    NOBODY_ABSENT,
    NOBODY_ELSE,
    OTHERS_TELL_NOTHING,
    Answers,
    AnyMechanism,
    Certificate,
    FileRead,
    Informed,
    Level,
    Person,
    PresenceFound,
    PresenceRates,
    Privacy,
    PublishedBound,
    ReleaseFound,
    Skipped,
    Uninformed,
    Usefulness,
    WorstCaseFound,
    WorstPair,
)
from leaktight.studies.beliefs import answers_prior
from leaktight.studies.inquiry import (
    Inquiry,
    Part,
    Progress,
    asked_ratio,
    mechanism,
    no_release,
    promise,
    pure,
    release,
)
from leaktight.studies.leakage import about_all, bounds_shown, by_epsilon, leakage_of, worst_shown
from leaktight.studies.naming import Names
from leaktight.studies.person import TIED, is_reached, observers
from leaktight.studies.public import public
from leaktight.studies.study import Study
from leaktight.studies.verdict import epsilon_of, verdict
from leaktight.worst_case.optimum import WorstCase
from leaktight.worst_case.published import leakage_bounds
from leaktight.worst_case.under_counts import WorstCaseUnderCounts

if TYPE_CHECKING:
    from leaktight.studies.every_epsilon import EveryEpsilon


# --- warnings of an audit: where users go wrong ----------------------------------------------


def warnings(
    study: Study,
    level: PrivacyLevel | None,
    worst: WorstCase | WorstCaseUnderCounts | CurveWorstCase | None,
) -> Iterator[str]:
    """Yield what a user should know who looks at the verdict alone."""
    yield from _of_the_policy(study)
    if level is not None:
        yield from _of_the_mechanism(study, level)
    yield from _of_the_question(study)
    if (
        isinstance(worst, WorstCase | CurveWorstCase)
        and not worst.is_exact
        and _apart(*worst.bits_interval)
    ):
        yield "The worst case is known between two numbers only; the larger one is safe."


def _apart(low: float, high: float) -> bool:
    """Say whether two numbers differ by more than the rounding of distances."""
    return above(low) != above(high) and high > low * (1 + 2.0**-30)


def _of_the_policy(study: Study) -> Iterator[str]:
    policy = study.policy
    groups = len(policy.secrets.components)
    if groups > 1:
        yield (
            f"The secret graph falls into {groups} groups: which group a value is in may be "
            "disclosed completely."
        )
    if not policy.is_constrained:
        return
    if (counts := policy.public_counts) is not None and not policy.is_listable:
        if counts.is_connected is None:
            yield (
                "Not all pairs of values are secrets: what is public may leave databases without "
                "a neighbour, and so without protection."
            )
        return
    graph = policy.adjacency()
    if lonely := int((graph.explicit().degrees == 0).sum()):
        those = counted(lonely, "database", "databases")
        yield f"What is public leaves {those} without a neighbour, and so without protection."
    if not graph.is_symmetric:
        yield (
            "The policy's definition of neighbours is not symmetric here; both directions are "
            "protected."
        )


def _of_the_mechanism(study: Study, level: PrivacyLevel) -> Iterator[str]:
    channel = study.channel
    if study.note is not None:
        yield study.note
    if study.is_tied and channel is not None:
        alone = privacy_level(channel, study.graph)
        if level.ratio > alone.ratio:
            void = "voids" if level.attained > alone.ratio else "may void"
            most = "" if level.is_exact else "at most "
            yield (
                f"What is public {void} plain differential privacy: ε is {most}{_epsilon(level)}, "
                f"not {_epsilon(alone)} as for one record alone.{_way_out(study)}"
            )
    if level.ratio == math.inf and (level.witness is not None or not study.is_release):
        told = "rules an input out" if channel is not None else "tells more than any ε allows"
        yield f"Some output {told}: {level.witness}."
    if channel is not None and not channel.is_exact:
        yield (
            "The matrix has floating-point entries; they are measured as the binary numbers that "
            "they are."
        )


def _of_the_question(study: Study) -> Iterator[str]:
    if study.below is not None and is_reached(study, study.prior):
        yield (
            f"The chance of {percent_or_fraction(study.below)} is reached before anything is seen, "
            "so that no number of observations keeps a guess below it."
        )
    if study.answers is not None and study.query is not None:
        follows: Any = answers_prior(study.policy, study.query, study.prior, study.answers.values)
        for answer, believed in study.answers.items():
            if believed != follows[answer]:
                yield (
                    f"What is believed of the answers does not follow from what is believed of one "
                    f"record: “{answer}” has {percent(Fraction(believed))}, not "
                    f"{percent(follows[answer])}."
                )
                return


def _way_out(study: Study) -> str:
    """Say which ε of one record keeps what was asked, if it is known."""
    counts = study.policy.public_counts
    if counts is None or study.ratio is None:
        return ""
    each = below(study.ratio.epsilon / max(1, counts.reach.value), DIGITS)
    return f" An ε of {each} for each record keeps what was asked."


def _epsilon(level: PrivacyLevel) -> str:
    return "infinite" if level.ratio == math.inf else above(epsilon_of(level), DIGITS)


# --- usefulness of a mechanism, beside that of the best which keeps the same ratio -----------

MOST_DESIGNED = 120
"""The largest graph for which an audit designs the best mechanism; more takes minutes."""


def best_mechanism(study: Study, ratio: Ratio) -> BestMechanism:
    """Return the best mechanism that keeps a ratio, for what the study is good for."""
    if study.best is not None and study.best.ratio == ratio:
        return study.best
    if study.mechanism is not None and study.channel is None:
        raise TooLarge("the best mechanism is designed for few answers only")
    if study.graph.order > allowed(MOST_DESIGNED):
        raise TooLarge(
            f"the best mechanism is designed here for at most {allowed(MOST_DESIGNED)} inputs, "
            f"got {study.graph.order:,}; optimal_mechanism takes more"
        )
    return optimal_mechanism(study.apart, study.input_prior, _aim(study), ratio)


def _aim(study: Study) -> Gain | Loss:
    if study.aim is None:
        raise TooLarge(
            f"what each guess earns is tabled for few inputs only, got {study.graph.order:,}"
        )
    return study.aim


def usefulness(study: Study, best: BestMechanism | Skipped) -> Usefulness | Skipped:
    """Return how well what the mechanism sees is guessed, by it and by the best."""
    about = {"record": "a record's value", "answer": "the answer"}.get(
        study.scope, about_all(study)
    )
    if study.noise is not None and study.channel is None:
        return Usefulness(
            about, "average error", None, study.noise.mean_size, None, None, None
        )  # fmt: skip
    if study.perturbed is not None and study.channel is None:
        raise TooLarge("how far off it is depends on the count")
    if study.channel is None and isinstance(best, Skipped):
        return best
    aim = _aim(study)
    prior = study.input_prior
    this = None
    if study.channel is not None:
        this = Fraction(utility(study.channel.exact(), prior, aim).value)
    return Usefulness(
        about,
        f"expected {aim.word}",
        fraction(prior.array.max()) if study.gain == "guess" else None,
        this,
        *((aim.sign * best.utility, aim.sign * best.upper, best.gap) if best else (None,) * 3),
    )


# --- membership in a study: how well presence is told, where somebody may be absent ----------


def absent(inquiry: Inquiry) -> Skipped | None:
    """Need that somebody may be absent."""
    return NOBODY_ABSENT if inquiry.study.absent is None else None


def presence(inquiry: Inquiry) -> PresenceFound:
    """Return the advantage and the rates of the best test: of this mechanism, and of any."""
    study = inquiry.study
    if study.policy.is_constrained:
        raise InvalidInput(TIED)
    found = [
        PresenceRates(whose, one.advantage, one.rates, one.is_exact)
        for whose, one in (
            ("this mechanism", _own(study, inquiry.own_ratio)),
            ("any mechanism", _any(study, inquiry.promise)),
        )
        if one is not None
    ]
    if not found:
        raise InvalidInput("whether a person is there is no secret of the policy")
    return PresenceFound(tuple(found))


def _own(study: Study, own: Ratio | None) -> Membership | None:
    """Return it of the mechanism: by its views, or else by its ratio."""
    if study.mechanism is not None and (seen := list(_seen(study))):
        return largest(seen)
    return _any(study, own)


def _seen(study: Study) -> Iterator[Membership]:
    for channel, _, _ in observers(study):
        if study.absent in channel.inputs:
            yield membership_of(channel, study.absent)


def _any(study: Study, promise: Promise | None) -> Membership | None:
    """Return it of any mechanism; None if nothing is kept, or presence is in no secret pair."""
    if promise is None or study.policy.metric is not None:
        return None
    secrets = study.policy.secrets
    steps = secrets.distances_from(study.absent)
    if (steps < 0).any():  # not connected
        return None
    return membership(promise, max(1, int(steps.max())))


# --- audits ----------------------------------------------------------------------------------


class Audit(Answers, frozen=True, kw_only=True, eq=False):
    """The answers to a study: each part is an answer, or says why there is none.

    ``person`` comes first: what is learnt of one person by somebody who knows all others, or
    nobody, and by anybody from any mechanism that keeps the same ratio. Then how private the
    mechanism is, what it leaks of all records together and what any could, and how useful it is.
    """

    inquiry: Inquiry
    proof: BestMechanism | WorstCase | CurveWorstCase | None
    """What a certificate is written of: the mechanism if the best was asked for, or else the worst
    case."""

    def __repr__(self) -> str:
        return f"Audit({self.verdict.line})"

    def _repr_html_(self) -> str:
        known = (
            ("all others known", self.person.informed),
            ("nobody known", self.person.uninformed),
            ("any mechanism", self.person.any_mechanism),
        )
        rows = []
        for who, part in known:
            if part:
                after = part.after if isinstance(part.after, tuple) else (part.after,)
                told = [f"{p} after {p.observations:,}" for p in after]
                rows.append((who, f"{percent(part.before)} before", ", ".join(told)))
        title = f"{self.title}: {self.verdict.line}"
        return html_rows(title, [f"guessing {self.question.what}", "", ""] if rows else [], rows)

    @property
    def every_epsilon(self) -> "EveryEpsilon | Skipped":
        """What another ε would do, or why there is no answer."""
        found: EveryEpsilon | Skipped = self.inquiry.find("every ε")
        return found

    @property
    def study(self) -> Study:
        """What was asked."""
        return self.inquiry.study

    @property
    def holds(self) -> bool | None:
        """Whether the mechanism is as private as asked."""
        return self.verdict.holds

    def provable(self) -> BestMechanism | WorstCase | CurveWorstCase:
        """Return what a certificate is written of; if there is nothing, say why."""
        if self.proof is not None:
            return self.proof
        why = "of too many databases to list there is no certificate, but fewer records have one"
        if isinstance(self.worst_case, Skipped):
            why = self.worst_case.why
        raise InvalidInput(f"a certificate has nothing to prove: {why}")

    def proved_by(self, file: str) -> "Audit":
        """Return the same, with the file that its certificate was written to."""
        proves = "the worst case: that no mechanism as private leaks more"
        if isinstance(self.proof, BestMechanism):
            best = "none is better" if self.proof.is_optimal else "how near it is to the best"
            proves = f"that the mechanism is private, and {best} at its ratio"
        return replace(self, certificate=Certificate(file, proves))


def audit(study: Study, progress: Progress | None = None, without: Collection[str] = ()) -> Audit:
    """Answer everything that a study asks; ``progress`` is told what is being computed.

    What it is told are names of parts; those ``without`` which an answer is wanted are skipped.

    >>> from leaktight.mechanisms.geometric import GeometricNoise
    >>> from leaktight.policies.policy import Policy
    >>> from leaktight.policies.secrets import SecretGraph
    >>> from leaktight.policies.symmetric_query import counting_query
    >>> ill = Policy(SecretGraph.complete(["no", "yes"]), records=1_000_000)
    >>> noise = GeometricNoise(ratio=2)
    >>> found = audit(Study(ill, noise, query=counting_query(["yes"]), ratio=2))
    >>> found.holds, found.person.informed.factor
    (True, Fraction(4, 3))
    """
    expect(study, Study, "Study(policy, mechanism, epsilon=1) makes one, read_study reads one")
    inquiry = Inquiry(study, PARTS, progress or _unheard, without)
    found = {
        part.field: inquiry.find(part.name)
        for part in PARTS
        if part.field is not None and part.compute is not None and not part.is_later
    }
    inquiry.progress = _unheard
    worst = inquiry.worst if found["worst_case"] else None
    of_person = {name: found.pop(f"person.{name}") for name in Person.__struct_fields__}
    return Audit(
        title=study.title,
        verdict=verdict(study, inquiry.level),
        question=asked.question(study),
        policy=asked.policy(study, inquiry.names),
        mechanism=asked.mechanism(study, inquiry.names, found["privacy"]),
        person=Person(**of_person),
        warnings=tuple(warnings(study, inquiry.level, worst)),
        files=tuple(
            FileRead(path.name, hashlib.sha256(path.read_bytes()).hexdigest())
            for path in study.files
        ),
        inquiry=inquiry,
        proof=study.best or (worst if isinstance(worst, WorstCase | CurveWorstCase) else None),
        **found,
    )


def _unheard(what: str) -> None:
    pass


# --- the parts -------------------------------------------------------------------------------


def _somebody_else(inquiry: Inquiry) -> Skipped | None:
    study = inquiry.study
    if study.policy.records == 1:
        return NOBODY_ELSE
    if study.is_release:
        return None
    return OTHERS_TELL_NOTHING if study.scope == "record" and not study.is_tied else None


def _privacy(inquiry: Inquiry) -> Privacy:
    study, names, level = inquiry.study, inquiry.names, inquiry.level
    assert level is not None
    return Privacy(_shown_level(level, names, study.ratio), _one_record(study, names))


def _release_found(inquiry: Inquiry) -> ReleaseFound:
    from leaktight.studies import released

    return released.release_found(inquiry.study)


def _informed(inquiry: Inquiry) -> Informed:
    if inquiry.study.is_release:
        from leaktight.studies import released  # with all that makes a release

        return released.informed(inquiry.study, inquiry.names, inquiry.own_ratio)
    return person.informed(inquiry.study, inquiry.names, inquiry.own_ratio)


def _uninformed(inquiry: Inquiry) -> Uninformed:
    known = inquiry.find("all others known")
    if inquiry.study.is_release:
        from leaktight.studies import released  # with all that makes a release

        return released.uninformed(known)
    return person.uninformed(inquiry.study, inquiry.names, known, inquiry.level)


def _any_mechanism(inquiry: Inquiry) -> AnyMechanism:
    assert inquiry.promise is not None
    return person.any_mechanism(inquiry.study, inquiry.names, inquiry.promise)


def _worst_case(inquiry: Inquiry) -> WorstCaseFound:
    """Return the most that any mechanism leaks; who protects several rows at once may leak less."""
    found = worst_shown(about_all(inquiry.study), inquiry.worst)
    if inquiry.study.rows_per_person == 1:
        return found
    return replace(found, lower_bits=0.0, is_exact=False)


def _published(inquiry: Inquiry) -> tuple[PublishedBound, ...]:
    return bounds_shown(leakage_bounds(inquiry.study.policy, inquiry.ratio))


def _every_epsilon(inquiry: Inquiry) -> "EveryEpsilon | Skipped":
    from leaktight.studies.every_epsilon import every_epsilon

    return every_epsilon(inquiry.study)


PARTS = (
    Part("privacy", _privacy, (mechanism,), "privacy", is_required=True),
    Part(
        "all others known",
        _informed,
        (mechanism,),
        "person.informed",
        title="all others known",
    ),
    Part("the curve", None, field="person.informed.curve", title="the curve"),
    Part(
        "nobody known",
        _uninformed,
        (_somebody_else, mechanism),
        "person.uninformed",
        title="nobody known",
    ),
    Part(
        "any mechanism",
        _any_mechanism,
        (promise,),
        "person.any_mechanism",
        title="any mechanism, of one person",
    ),
    Part("membership", presence, (absent,), "person.membership", title="membership"),
    Part(
        "leakage",
        lambda of: leakage_of(of.study),
        (no_release, mechanism),
        "leakage",
        title="leakage",
    ),
    Part(
        "release",
        _release_found,
        (release,),
        "release",
        title="release",
    ),
    Part(
        "public",
        lambda of: public(of.study, of.level, of.find("leakage")),
        field="public",
        is_required=True,
    ),
    Part(
        "worst case",
        _worst_case,
        (promise,),
        "worst_case",
        title="worst case",
    ),
    Part("published bounds", _published, (pure,), "published", title="published bounds"),
    Part(
        "worst case for other ε",
        lambda of: by_epsilon(of.study, of.ratio),
        (pure,),
        "by_epsilon",
        title="worst case for other ε",
    ),
    Part("best mechanism", lambda of: best_mechanism(of.study, of.ratio), (no_release, pure)),
    Part(
        "usefulness",
        lambda of: usefulness(of.study, of.find("best mechanism")),
        (no_release,),
        field="usefulness",
        title="usefulness",
    ),
    Part("advice", lambda of: advice(of.study), (asked_ratio,), "advice"),
    Part("every ε", _every_epsilon, field="every_epsilon", title="the slider for ε", is_later=True),
)
"""All parts of an audit, in the order in which they are answered."""


def _one_record(study: Study, names: Names) -> Level | None:
    if study.channel is None or not study.is_tied:
        return None
    return _shown_level(privacy_level(study.channel, study.graph), names, study.ratio)


def _shown_level(level: PrivacyLevel, names: Names, asked: Ratio | None) -> Level:
    """Return a level; its ε is the least float that is not below it, or what was asked."""
    at, apart = level.witness, None if level.distance == 1 else float(level.distance)
    worst = None
    if at is not None:
        named, seen = (names.some, names.some) if at.rest else (names.input, names.output)
        others = sum((at.rest or {}).values())
        worst = WorstPair(named(at.input), named(at.neighbour), seen(at.output), others)
    if level.ratio == math.inf:
        return Level(None, None, worst, level.is_exact, apart)
    return Level(Fraction(level.ratio), epsilon_of(level, asked), worst, level.is_exact, apart)
