"""A study while it is answered: parts of an audit, what each needs, and work that they share."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any

from leaktight.curves.promise import Promise, pure_of
from leaktight.curves.worst_case import CurveWorstCase, worst_case
from leaktight.errors import LeaktightError
from leaktight.exact.ratio import Ratio
from leaktight.policies.symmetric_query import linear_of, symmetric_of
from leaktight.privacy.level import PrivacyLevel, privacy_level
from leaktight.privacy.noise_level import noise_level
from leaktight.studies.answers import (
    LEFT_OUT,
    NO_MECHANISM,
    NO_RATIO,
    NO_RELEASE,
    OF_RELEASE,
    ONLY_PURE,
    Answers,
    Skipped,
)
from leaktight.studies.leakage import each_record
from leaktight.studies.naming import Names
from leaktight.studies.study import Study
from leaktight.worst_case.optimum import WorstCase
from leaktight.worst_case.real import RealWorstCase
from leaktight.worst_case.under_counts import WorstCaseUnderCounts

Progress = Callable[[str], object]

Need = Callable[["Inquiry"], Skipped | None]
"""Why a part makes no sense for a study; None if it does."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an audit: what it needs, and how it is computed."""

    name: str
    """What ``progress`` is told, and how a caller leaves it out."""
    compute: Callable[["Inquiry"], Any] | None
    """None if the part is answered with the one that it lies in."""
    needs: tuple[Need, ...] = ()
    """What must be given; the first that is not says why there is no answer."""
    field: str | None = None
    """Where it stands in the answers, such as ``person.informed``; None if others use it alone."""
    title: str | None = None
    """What it is called among what was not computed; None if it is not listed there."""
    is_required: bool = False
    """Whether there is no audit without it, so that its error is the audit's."""
    is_later: bool = False
    """Whether it is computed only when somebody looks at it."""

    def of(self, answers: Answers) -> Any:
        """Return the answer; None if what it lies in has none."""
        assert self.field is not None
        try:
            return attrgetter(self.field)(answers)
        except AttributeError:
            return None


@dataclass(eq=False)
class Inquiry:
    """A study while it is answered; what several parts need is computed once."""

    study: Study
    parts: Sequence[Part]
    progress: Progress = field(default=lambda what: None)
    without: Collection[str] = ()
    found: dict[str, Any] = field(default_factory=dict)

    def find(self, name: str) -> Any:
        """Return the answer of a part; if it is refused, or not wanted, why there is none."""
        if name not in self.found:
            part = next(each for each in self.parts if each.name == name)
            self.found[name] = self._answer(part)
        return self.found[name]

    def _answer(self, part: Part) -> Any:
        assert part.compute is not None
        for need in part.needs:
            if (why := need(self)) is not None:
                return why
        if part.name in self.without and not part.is_required:
            return LEFT_OUT
        self.progress(part.name)
        try:
            return part.compute(self)
        except LeaktightError as wrong:
            if part.is_required:
                raise
            return Skipped(str(wrong))

    @cached_property
    def names(self) -> Names:
        """How values and outputs are called."""
        return Names.of(self.study)

    @cached_property
    def level(self) -> PrivacyLevel | None:
        """How private the mechanism is; None if there is none."""
        study = self.study
        if study.mechanism is None:
            return None if study.release is None else study.release.level
        if study.noise is not None and (query := linear_of(study.query)) is not None:
            return noise_level(study.noise, study.policy, query)
        if study.perturbed is not None and (count := symmetric_of(study.query)) is not None:
            return study.perturbed.level_on(study.policy, count)
        channel = study.channel
        assert channel is not None
        if study.scope == "record":
            return privacy_level(each_record(study, channel), study.policy)
        return privacy_level(channel, study.graph if study.scope == "answer" else study.policy)

    @cached_property
    def own_ratio(self) -> Ratio | None:
        """The ratio that the mechanism keeps by itself; None if it keeps none."""
        level = self.level
        if level is None or level.ratio == math.inf:
            return None
        return Ratio.of(level.ratio) if level.distance == 1 else Ratio.of(epsilon=level.epsilon)

    @cached_property
    def promise(self) -> Promise | None:
        """What must be kept: what was asked for, or else what the mechanism keeps."""
        return self.study.promise or self.own_ratio

    @property
    def ratio(self) -> Ratio:
        """The promise, of a part that needs :func:`pure`."""
        ratio = pure_of(self.promise)
        assert ratio is not None
        return ratio

    @cached_property
    def worst(self) -> WorstCase | WorstCaseUnderCounts | CurveWorstCase:
        """The most that any mechanism leaks which keeps the promise."""
        assert self.promise is not None
        found = worst_case(self.study.policy, self.promise)
        assert not isinstance(found, RealWorstCase)  # no study has real values
        return found


# --- what parts need -------------------------------------------------------------------------


def mechanism(inquiry: Inquiry) -> Skipped | None:
    """Need a mechanism, or a release."""
    study = inquiry.study
    return NO_MECHANISM if study.mechanism is None and study.release is None else None


def release(inquiry: Inquiry) -> Skipped | None:
    """Need a release."""
    return NO_RELEASE if inquiry.study.release is None else None


def no_release(inquiry: Inquiry) -> Skipped | None:
    """Need something else than a release, of which other things are told."""
    return OF_RELEASE if inquiry.study.is_release else None


def promise(inquiry: Inquiry) -> Skipped | None:
    """Need something that must be kept, or a mechanism that keeps a ratio."""
    return NO_RATIO if inquiry.promise is None else None


def pure(inquiry: Inquiry) -> Skipped | None:
    """Need pure ε."""
    return ONLY_PURE if inquiry.study.curve is not None else promise(inquiry)


def asked_ratio(inquiry: Inquiry) -> Skipped | None:
    """Need an ε that was asked for."""
    return NO_RATIO if inquiry.study.ratio is None else None
