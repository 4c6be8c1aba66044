"""Warnings of an audit: where users go wrong."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from leaktight.curves.worst_case import CurveWorstCase
from leaktight.exact.shown import DIGITS, above, below, counted, percent, percent_or_fraction
from leaktight.privacy.level import PrivacyLevel, privacy_level
from leaktight.studies.beliefs import answers_prior
from leaktight.studies.person import is_reached
from leaktight.studies.study import Study
from leaktight.studies.verdict import epsilon_of
from leaktight.worst_case.optimum import WorstCase
from leaktight.worst_case.under_counts import WorstCaseUnderCounts


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
