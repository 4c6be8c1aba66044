"""What are the answers to a study? All of them, in one frozen object.

Nothing is computed anywhere else: the terminal and the report show what is here. What cannot be
computed, because it would be too large, is left out and said to be.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from leaktight.channels.channel import Channel
from leaktight.channels.composition import Parallel
from leaktight.channels.distribution import Distribution
from leaktight.channels.gain import Gain, Loss
from leaktight.errors import InvalidInput, LeaktightError, TooLarge
from leaktight.exact.numbers import Number, fraction, rational
from leaktight.exact.ratio import Ratio
from leaktight.exact.rounding import ln_interval
from leaktight.exact.shown import DIGITS, above, counted, percent
from leaktight.leakage.capacity import Capacity, min_capacity
from leaktight.leakage.hyper import hyper
from leaktight.leakage.utility import Utility, utility
from leaktight.leakage.vulnerability import Leakage, min_entropy_leakage
from leaktight.mechanisms.best import BestMechanism, optimal_mechanism
from leaktight.privacy.level import PrivacyLevel, privacy_level
from leaktight.repetition.curve import success_curve
from leaktight.repetition.enclosure import SuccessProbability
from leaktight.repetition.explanation import Explanation, explain, is_quick
from leaktight.repetition.rounds import observe
from leaktight.studies.joint import AllAnswers, is_tied, what_all_tell
from leaktight.studies.study import Study
from leaktight.worst_case.optimum import WorstCase, worst_case_leakage
from leaktight.worst_case.published import LeakageBounds, leakage_bounds

Found = TypeVar("Found")
Progress = Callable[[str], object]

MOST_DESIGNED = 120
"""The largest graph for which an audit designs the best mechanism; more takes minutes."""

MOST_SWEPT = 40
"""The largest graph whose worst case is computed for many ε."""

SWEEP = 12
"""How many ε these are, up to twice the one that was asked for."""

LEAST_EPSILON = 0.1
"""What counts as the ε that was asked for if it is smaller."""

MOST_OBSERVED = 60
"""The largest graph for which the curve is computed; more takes minutes."""

POINTS = 12
"""How many numbers of observations the curve has."""


@dataclass(frozen=True, slots=True)
class EpsilonPoint:
    """How many bits any mechanism at an ε can leak: exactly, and by the published bounds."""

    epsilon: float
    worst: float
    tightest: float
    """By the tightest published bound."""
    diameters: float | None
    """By Theorem 11 of [Edwards2021], where it applies."""


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """The answers to a study; None where nothing was asked, or where it is in ``skipped``."""

    study: Study
    level: PrivacyLevel | None
    """How private the mechanism is under the policy."""
    promised: PrivacyLevel | None
    """How private it is for one record, if nothing is public; only for mechanisms on records."""
    holds: bool | None
    """Whether it is as private as asked."""
    ratio: Ratio | None
    """The ratio that the worst case is about: what was asked, or else the mechanism's own."""
    leakage: Leakage | None
    capacity: Capacity | None
    together: float | None
    """How many bits all records leak at worst; for mechanisms on each of several records."""
    worst: WorstCase | None
    bounds: LeakageBounds | None
    usefulness: Utility | None
    best: BestMechanism | None
    seen: Explanation | None
    """What an attacker knows who sees this mechanism's outputs; of one record only, if it is
    applied to each."""
    all_answers: AllAnswers | None
    """What the outputs of all records tell of one; if what is public ties records together."""
    guaranteed: Explanation | None
    """What an attacker knows at most after any mechanism that is as private as asked."""
    curve: dict[int, SuccessProbability]
    posterior: Distribution | None
    """What is believed after the output that tells most, if any tells something."""
    by_epsilon: tuple[EpsilonPoint, ...]
    warnings: tuple[str, ...]
    skipped: dict[str, str]
    """What was not computed, and why."""

    @property
    def proved(self) -> BestMechanism | WorstCase | None:
        """What a certificate is written of: the mechanism if the best was asked for, or else the
        worst case."""
        return self.worst if self.study.best is None else self.study.best


def audit(study: Study, progress: Progress | None = None) -> Audit:
    """Answer everything that a study asks; ``progress`` is told what is being computed."""
    work = _Work(study, {}, progress)
    channel = study.channel
    level = promised = leakage = capacity = together = useful = seen = all_answers = None
    curve: dict[int, SuccessProbability] = {}
    if channel is not None:
        if progress is not None:
            progress("privacy")
        level = _level(study, channel)
        if study.scope == "record" and study.policy.is_constrained:
            promised = privacy_level(channel, study.graph)
        leakage = work.do("leakage", lambda: min_entropy_leakage(channel, study.prior))
        capacity = work.do("leakage", lambda: min_capacity(channel))
        if study.scope == "record" and study.policy.records > 1:
            together = work.do("leakage of all records", lambda: _together(study, channel))
        useful = work.do("usefulness", lambda: utility(channel, study.prior, _aim(study)))
        seen = work.do("observations", lambda: _seen(study, channel))
        if is_tied(study):
            all_answers = work.do("all answers together", lambda: what_all_tell(study, channel))
        curve = work.do("curve", lambda: _curve(study, channel, work.skipped)) or {}
    ratio = study.ratio or _own_ratio(level)
    worst = bounds = best = guaranteed = None
    by_epsilon: tuple[EpsilonPoint, ...] = ()
    if ratio is not None:
        by_epsilon = work.do("worst case for other ε", lambda: _by_epsilon(study, ratio)) or ()
        asked = _given(study, ratio)
        worst = work.do("worst case", lambda: worst_case_leakage(study.policy, *asked))
        bounds = work.do("published bounds", lambda: leakage_bounds(study.policy, *asked))
        guaranteed = work.do("guarantee", lambda: _guaranteed(study, ratio))
        best = work.do("best mechanism", lambda: _best(study, ratio))
    holds = None
    if level is not None and study.ratio is not None:
        holds = study.ratio.allows(level.ratio)
    warnings = work.do("warnings", lambda: _warnings(study, level, promised, worst)) or []
    if channel is not None and is_tied(study) and all_answers is None:
        warnings.append(TIED)
    return Audit(
        study, level, promised, holds, ratio, leakage, capacity, together, worst, bounds, useful,
        best, seen, all_answers, guaranteed, curve, _posterior(study, seen), by_epsilon,
        tuple(warnings), work.skipped,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Work:
    study: Study
    skipped: dict[str, str]
    progress: Progress | None

    def do(self, what: str, compute: Callable[[], Found]) -> Found | None:
        """Compute one answer; if it is refused, remember why."""
        if self.progress is not None:
            self.progress(what)
        try:
            return compute()
        except LeaktightError as wrong:
            self.skipped[what] = str(wrong)
            return None


def _level(study: Study, channel: Channel) -> PrivacyLevel:
    if study.scope == "record" and study.policy.records > 1:
        together = Parallel(((channel, study.policy.records),))
        return privacy_level(together, study.policy)
    if study.scope == "answer":
        return privacy_level(channel, study.graph)
    return privacy_level(channel, study.policy)


def _together(study: Study, channel: Channel) -> float:
    """Return the bits; the factor itself may have a hundred million digits."""
    if not study.policy.is_constrained:
        return study.policy.records * min_capacity(channel).bits
    records = Parallel(((channel, study.policy.records),))
    return min_capacity(records.expand().restrict(study.policy.databases())).bits


def _own_ratio(level: PrivacyLevel | None) -> Ratio | None:
    if level is None or level.ratio == math.inf:
        return None
    return Ratio.of(ratio=level.ratio)


def _given(study: Study, ratio: Ratio) -> tuple[Fraction | None, Number | None]:
    """Return the ratio as ``ratio=`` and ``epsilon=`` take it; a rounded ε would be another one."""
    return (ratio.lower, None) if ratio.is_exact else (None, study.epsilon)


def _aim(study: Study) -> Gain | Loss:
    if study.aim is None:
        raise TooLarge(
            f"what each guess earns is tabled for few inputs only, got {study.graph.order:,}"
        )
    return study.aim


def _best(study: Study, ratio: Ratio) -> BestMechanism:
    if study.best is not None and study.best.ratio == ratio:
        return study.best
    if study.graph.order > MOST_DESIGNED:
        raise TooLarge(
            f"the best mechanism is designed here for at most {MOST_DESIGNED} inputs, "
            f"got {study.graph.order:,}; optimal_mechanism takes more"
        )
    return optimal_mechanism(study.graph, study.prior, _aim(study), *_given(study, ratio))


def _below(study: Study) -> Number | None:
    """Return the threshold; none if it is reached before anything is seen, which is warned of."""
    return None if _is_reached(study) else study.below


def _is_reached(study: Study) -> bool:
    return study.below is not None and rational(study.below) <= study.prior.array.max()


def _seen(study: Study, channel: Channel) -> Explanation:
    alone = ", from that record's answer alone" if is_tied(study) else ""
    return explain(
        channel, study.prior, observations=study.observations, what=f"{study.what}{alone}",
        below=_below(study),
    )  # fmt: skip


def _guaranteed(study: Study, ratio: Ratio) -> Explanation:
    if study.scope == "record" and study.policy.is_constrained:
        raise InvalidInput(
            "records depend on each other through what is public, so that no guarantee for one "
            "record follows from the policy's"
        )
    given, epsilon = _given(study, ratio)
    return explain(
        study.policy if study.scope == "record" else study.graph,
        study.prior, ratio=given, epsilon=epsilon,
        observations=study.observations, what=study.what,
        below=_below(study),
    )  # fmt: skip


def _posterior(study: Study, seen: Explanation | None) -> Distribution | None:
    if study.channel is None or seen is None or seen.telling is None:
        return None
    return hyper(study.channel.exact(), study.prior).posterior(seen.telling.output)


def _by_epsilon(study: Study, ratio: Ratio) -> tuple[EpsilonPoint, ...]:
    """Return the worst case around the ε that was asked for."""
    graph = study.policy.adjacency()
    sizes = [factor.order for factor, _ in graph.factors]
    if max(sizes) > MOST_SWEPT:
        raise TooLarge(f"for at most {MOST_SWEPT} databases or values, got {max(sizes):,}")
    middle = max(ratio.epsilon, LEAST_EPSILON)
    points = []
    for k in range(1, SWEEP + 1):
        epsilon = round(2 * middle * k / SWEEP, 6)
        worst = worst_case_leakage(graph, epsilon=epsilon)
        table = leakage_bounds(graph, epsilon=epsilon)
        diameters = [b.bits for b in table.bounds if "Theorem 11" in b.source and "diam" in b.form]
        points.append(
            EpsilonPoint(
                epsilon, worst.bits_interval[1], table.tightest.bits, min(diameters, default=None)
            )
        )
    return tuple(points)


def _curve(
    study: Study, channel: Channel, skipped: dict[str, str]
) -> dict[int, SuccessProbability]:
    """Return what observations tell, for numbers closer together where they are few."""
    if study.graph.order > MOST_OBSERVED:
        raise TooLarge(
            f"the curve is computed for at most {MOST_OBSERVED} inputs, got {study.graph.order:,}"
        )
    steps = (round(study.observations ** (k / (POINTS - 1))) for k in range(POINTS))
    counts = sorted({max(1, n) for n in steps})
    seen = observe(channel, study.prior)
    quick = [n for n in counts if is_quick(seen, n)]
    if len(quick) < len(counts):
        many = counted(quick[-1], "observation", "observations")
        skipped[f"the curve beyond {many}"] = "so many outcomes can be seen that it takes long"
    return success_curve(channel, study.prior, quick)


# --- where users go wrong ------------------------------------------------------------------

TIED = "What is public ties records together: all answers together can tell more than one alone."


def _warnings(
    study: Study,
    level: PrivacyLevel | None,
    promised: PrivacyLevel | None,
    worst: WorstCase | None,
) -> list[str]:
    told = []
    policy = study.policy
    groups = len(policy.secrets.components)
    if groups > 1:
        told.append(
            f"The secret graph falls into {groups} groups: which group a value is in may be "
            "disclosed completely."
        )
    if policy.is_constrained:
        graph = policy.adjacency()
        lonely = int((graph.explicit().degrees == 0).sum())
        if lonely:
            those = counted(lonely, "database", "databases")
            told.append(
                f"What is public leaves {those} without a neighbour, and so without protection."
            )
        if not graph.is_symmetric:
            told.append(
                "The policy's definition of neighbours is not symmetric here; both directions "
                "are protected."
            )
    if promised is not None and level is not None and level.ratio > promised.ratio:
        told.append(
            f"What is public voids plain differential privacy: ε is {_epsilon(level)}, "
            f"not {_epsilon(promised)} as for one record alone."
        )
    if study.scope == "record" and policy.is_constrained and policy.records > 1:
        told += _unlike_prior(study)
    if level is not None and level.ratio == math.inf:
        told.append(f"Some output rules an input out: {level.witness}.")
    if study.channel is not None and not study.channel.is_exact:
        told.append(
            "The matrix has floating-point entries; they are measured as the binary numbers "
            "that they are."
        )
    if _is_reached(study):
        told.append(
            f"The chance of {study.below} is reached before anything is seen, so that no number of "
            "observations keeps a guess below it."
        )
    if worst is not None and not worst.is_exact:
        told.append("The worst case is known between two numbers only; the larger one is safe.")
    return told


def _epsilon(level: PrivacyLevel) -> str:
    return "infinite" if level.ratio == math.inf else above(ln_interval(level.ratio)[1], DIGITS)


def _unlike_prior(study: Study) -> Iterator[str]:
    """Say if every value is believed equally likely, and what is public says otherwise."""
    likeliest = study.prior.array.max()
    if likeliest > study.prior.array.min():
        return
    databases = study.policy.databases()
    for record in range(study.policy.records):
        counts = Counter(each[record] for each in databases if isinstance(each, tuple))
        value, most = counts.most_common(1)[0]
        share = Fraction(most, len(databases))
        if share > fraction(likeliest):
            yield (
                f"Every value is believed equally likely beforehand, {percent(fraction(likeliest))}"
                f", but of the databases that are possible {percent(share)} have {value!r:.40} in "
                f"record {record + 1}; [question] prior can say so."
            )
            return
