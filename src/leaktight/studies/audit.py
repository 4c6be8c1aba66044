"""What are the answers to a study? All of them, in one frozen object.

Nothing is computed anywhere else: the terminal and the report show what is here. What cannot be
computed, because it would be too large, says why.
"""

import hashlib
import math
from collections.abc import Callable, Collection
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from leaktight.channels.gain import Gain, Loss
from leaktight.curves.worst_case import CurveWorstCase, worst_case
from leaktight.errors import InvalidInput, LeaktightError, TooLarge, expect
from leaktight.exact.matrix import html_rows
from leaktight.exact.numbers import fraction
from leaktight.exact.ratio import Ratio
from leaktight.exact.shown import percent
from leaktight.leakage.utility import utility
from leaktight.mechanisms.best import BestMechanism, optimal_mechanism
from leaktight.policies.symmetric_query import LinearQuery
from leaktight.privacy.level import PrivacyLevel, privacy_level
from leaktight.privacy.noise_level import noise_level
from leaktight.studies import asked, person
from leaktight.studies.advice import advice
from leaktight.studies.answers import (
    LEFT_OUT,
    NO_MECHANISM,
    NO_RATIO,
    NOBODY_ELSE,
    ONLY_PURE,
    OTHERS_TELL_NOTHING,
    Answers,
    Certificate,
    FileRead,
    Level,
    Person,
    Privacy,
    Skipped,
    Usefulness,
    WorstPair,
)
from leaktight.studies.leakage import (
    about_all,
    bounds_shown,
    by_epsilon,
    each_record,
    leakage_of,
    worst_shown,
)
from leaktight.studies.naming import Names
from leaktight.studies.public import public
from leaktight.studies.study import Study
from leaktight.studies.verdict import epsilon_of, verdict
from leaktight.studies.warnings import warnings
from leaktight.worst_case.optimum import WorstCase
from leaktight.worst_case.published import leakage_bounds

if TYPE_CHECKING:
    from leaktight.studies.every_epsilon import EveryEpsilon

Found = TypeVar("Found")
Asked = TypeVar("Asked")
Progress = Callable[[str], object]

MOST_DESIGNED = 120
"""The largest graph for which an audit designs the best mechanism; more takes minutes."""


class Audit(Answers, frozen=True, kw_only=True, eq=False):
    """The answers to a study: each part is an answer, or says why there is none.

    ``person`` comes first: what is learnt of one person by somebody who knows all others, or
    nobody, and by anybody from any mechanism that keeps the same ratio. Then how private the
    mechanism is, what it leaks of all records together and what any could, and how useful it is.
    """

    study: Study
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
        from leaktight.studies.every_epsilon import every_epsilon

        return every_epsilon(self.study)

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
    work = _Work((lambda what: None) if progress is None else progress, without)
    names = Names.of(study)
    level = None
    privacy: Privacy | Skipped = NO_MECHANISM
    if study.mechanism is not None:
        work.progress("privacy")
        level = _level(study)
        privacy = Privacy(_shown_level(level, names, study.ratio), _one_record(study, names))
    asked_for: Any = study.promise or _own_ratio(level)
    ratio: Any = asked_for if isinstance(asked_for, Ratio) else None
    at_ratio: Any = work.at if study.curve is None else _only_pure
    worst: Any = work.at(asked_for, "worst case", lambda p: worst_case(study.policy, p))
    leakage = work.of(study, "leakage", lambda: leakage_of(study))
    best = at_ratio(ratio, "best mechanism", lambda r: _best(study, r))
    return Audit(
        title=study.title,
        verdict=verdict(study, level),
        question=asked.question(study),
        policy=asked.policy(study, names),
        mechanism=asked.mechanism(study, names, privacy),
        person=_person(study, names, work, asked_for, level),
        privacy=privacy,
        public=public(study, level, leakage),
        leakage=leakage,
        worst_case=worst if isinstance(worst, Skipped) else worst_shown(about_all(study), worst),
        published=at_ratio(
            ratio, "published bounds", lambda r: bounds_shown(leakage_bounds(study.policy, r))
        ),
        by_epsilon=at_ratio(ratio, "worst case for other ε", lambda r: by_epsilon(study, r)),
        usefulness=work.do("usefulness", lambda: _usefulness(study, best)),
        advice=at_ratio(ratio, "advice", lambda r: advice(study)) if study.ratio else NO_RATIO,
        warnings=tuple(warnings(study, level, worst)),
        files=tuple(
            FileRead(path.name, hashlib.sha256(path.read_bytes()).hexdigest())
            for path in study.files
        ),
        study=study,
        proof=study.best or (worst if isinstance(worst, WorstCase | CurveWorstCase) else None),
    )  # fmt: skip


class _Work:
    """Computes answers one by one, and keeps why there is none."""

    def __init__(self, progress: Progress, without: Collection[str]) -> None:
        self.progress, self.without = progress, without

    def do(self, what: str, compute: Callable[[], Found]) -> Found | Skipped:
        """Compute one answer; if it is refused, or not wanted, say why."""
        if what in self.without:
            return LEFT_OUT
        self.progress(what)
        try:
            return compute()
        except LeaktightError as wrong:
            return Skipped(str(wrong))

    def of(self, study: Study, what: str, compute: Callable[[], Found]) -> Found | Skipped:
        """Compute what there is of a mechanism."""
        return NO_MECHANISM if study.mechanism is None else self.do(what, compute)

    def at(
        self, promise: Asked | None, what: str, compute: Callable[[Asked], Found]
    ) -> Found | Skipped:
        """Compute what there is at a ratio, or for another promise."""
        if promise is None:
            return NO_RATIO
        return self.do(what, lambda: compute(promise))


def _only_pure(*_: Any) -> Skipped:
    return ONLY_PURE


# --- privacy ---------------------------------------------------------------------------------


def _own_ratio(level: PrivacyLevel | None) -> Ratio | None:
    if level is None or level.ratio == math.inf:
        return None
    return Ratio.of(level.ratio) if level.distance == 1 else Ratio.of(epsilon=level.epsilon)


def _level(study: Study) -> PrivacyLevel:
    """Return how private the mechanism is; if that cannot be decided, there is no audit."""
    if study.noise is not None and isinstance(study.query, LinearQuery):
        return noise_level(study.noise, study.policy, study.query)
    channel = study.channel
    assert channel is not None
    if study.scope == "record":
        return privacy_level(each_record(study, channel), study.policy)
    if study.scope == "answer":
        return privacy_level(channel, study.graph)
    return privacy_level(channel, study.policy)


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


# --- one person ------------------------------------------------------------------------------


def _person(
    study: Study, names: Names, work: _Work, promise: Any, level: PrivacyLevel | None
) -> Person:
    own = _own_ratio(level)
    known = work.of(study, "all others known", lambda: person.informed(study, names, own))
    nobody: Any = NO_MECHANISM
    if study.policy.records == 1:
        nobody = NOBODY_ELSE
    elif study.scope == "record" and not study.is_tied:
        nobody = OTHERS_TELL_NOTHING
    elif study.mechanism is not None:
        nobody = work.do("nobody known", lambda: person.uninformed(study, names, known, level))
    whoever = work.at(promise, "any mechanism", lambda p: person.any_mechanism(study, names, p))
    return Person(known, nobody, whoever)


# --- what it is good for ---------------------------------------------------------------------


def _best(study: Study, ratio: Ratio) -> BestMechanism:
    if study.best is not None and study.best.ratio == ratio:
        return study.best
    if study.noise is not None and study.channel is None:
        raise TooLarge("the best mechanism is designed for few answers only")
    if study.graph.order > MOST_DESIGNED:
        raise TooLarge(
            f"the best mechanism is designed here for at most {MOST_DESIGNED} inputs, "
            f"got {study.graph.order:,}; optimal_mechanism takes more"
        )
    return optimal_mechanism(study.apart, study.input_prior, _aim(study), ratio)


def _aim(study: Study) -> Gain | Loss:
    if study.aim is None:
        raise TooLarge(
            f"what each guess earns is tabled for few inputs only, got {study.graph.order:,}"
        )
    return study.aim


def _usefulness(study: Study, best: BestMechanism | Skipped) -> Usefulness | Skipped:
    about = {"record": "a record's value", "answer": "the answer"}.get(
        study.scope, about_all(study)
    )
    if study.noise is not None and study.channel is None:
        return Usefulness(
            about, "average error", None, study.noise.mean_size, None, None, None
        )  # fmt: skip
    if study.channel is None and isinstance(best, Skipped):
        return best
    aim = _aim(study)
    loss = isinstance(aim, Loss)
    prior = study.input_prior
    this = None
    if study.channel is not None:
        this = Fraction(utility(study.channel.exact(), prior, aim).value)
    sign = -1 if loss else 1
    return Usefulness(
        about,
        "expected loss" if loss else "expected gain",
        fraction(prior.array.max()) if study.gain == "guess" else None,
        this,
        None if isinstance(best, Skipped) else sign * best.utility,
        None if isinstance(best, Skipped) else sign * best.upper,
        None if isinstance(best, Skipped) else best.gap,
    )
