"""Studies: a policy, a mechanism on it, and a question."""

from collections.abc import Hashable, Iterable
from copy import copy
from fractions import Fraction
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from leaktight.channels.additive_noise import AdditiveNoise, SymmetricNoise, UnboundedNoise
from leaktight.channels.aim import GAINS, aim_of
from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel
from leaktight.channels.distribution import Distribution, PriorLike
from leaktight.channels.gain import Gain, Loss
from leaktight.curves.curve import PrivacyCurve
from leaktight.curves.promise import Promise, curve_of, promise_if_any, pure_of
from leaktight.errors import InvalidInput, InvalidNumber, Mismatch, TooLarge, expect, expect_whole
from leaktight.exact.numbers import Number, as_printed, fraction
from leaktight.exact.ratio import Ratio, RatioLike
from leaktight.labels import alignment, positions
from leaktight.limits import allowed
from leaktight.mechanisms.best import BestMechanism
from leaktight.mechanisms.disclosure import PerturbedCount
from leaktight.mechanisms.mechanism import Mechanism
from leaktight.policies.fibres import weights_of
from leaktight.policies.graph import Graph
from leaktight.policies.metric import Metric
from leaktight.policies.policy import Policy
from leaktight.policies.query import answer_graph
from leaktight.policies.symmetric_query import Query, linear_of
from leaktight.studies.beliefs import answers_prior, databases_prior, record_prior, typical_record

if TYPE_CHECKING:
    from leaktight.studies.released import PlannedRelease

SCOPES = ("record", "database", "answer")

MOST_OBSERVATIONS = 10**6
"""The most observations that a study may ask about."""

MOST_INPUTS = 1000
"""The most inputs of a mechanism that are listed: a matrix of a million exact numbers."""

MOST_LISTED = 120
"""The most answers of a noisy sum for which its matrix is written out; nothing needs more."""

MOST_GUESSES = 400
"""The most values for which what each guess earns is tabled; more takes seconds."""


@frozen(init=False, eq=False, repr=False)
class Study:
    """A policy, a mechanism on its records, databases or answers, and what is asked of them.

    Only the policy must be given; without a mechanism the answer is what any mechanism may tell.
    A mechanism is a channel, or what has one: on the answers of ``query``, on the databases, or on
    the value of each record by itself; ``on`` says which, where it does not follow. Noise on a
    count, a sum or a histogram is never written out. ``epsilon`` or ``ratio`` is what the mechanism
    must keep, perhaps with ``delta``; or ``rho`` of zCDP, ``mu`` of Gaussian privacy, or any
    ``curve``. ``prior`` says what is believed of one record's value, in probabilities or counts;
    records are independent but for what is public, and ``answers`` says what is believed of the
    answers, if it does not follow from that. ``absent`` is the value of a record that is not there.
    If the policy has a metric, ε is for a distance of 1, and ``unit`` is what that is called.

    >>> from leaktight.mechanisms.randomized_response import RandomizedResponse
    >>> from leaktight.policies.secrets import SecretGraph
    >>> policy = Policy(SecretGraph.complete(["no", "yes"]), records=100)
    >>> study = Study(policy, RandomizedResponse(["no", "yes"], ratio=3), epsilon=1)
    >>> study
    Study(randomised response on 2 values, of each record; 2 values, 1 secret pair, 100 records)
    """

    policy: Policy
    mechanism: Channel | Mechanism | None
    query: Query | None
    scope: str
    """What the mechanism sees: each ``record``, the ``database``, or the ``answer``."""
    promise: Promise | None
    """What the mechanism must keep: a ratio for pure ε, or a curve."""
    prior: Distribution
    """What is believed of one record's value."""
    answers: Distribution | None
    """What is believed of the answers, if it was given."""
    gain: str | Gain | Loss
    observations: int
    below: Fraction | None
    sensitive: tuple[Hashable, ...]
    """The values whose odds are told first."""
    absent: Hashable | None
    unit: str
    """What a distance of 1 is called, such as km; nothing if it has no name."""
    what: str
    """What is guessed, in words."""
    title: str
    name: str | None
    """The mechanism in words; None if none is given."""
    files: tuple[Path, ...]
    """The files that were read."""
    note: str | None
    """What the mechanism's numbers take for granted, if somebody must know it."""
    release: "PlannedRelease | None"
    """What is released of a table, if that is what the study is about."""

    def __init__(
        self,
        policy: Policy,
        mechanism: Any = None,
        *,
        query: Query | None = None,
        on: str | None = None,
        epsilon: Number | None = None,
        ratio: RatioLike = None,
        delta: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        curve: PrivacyCurve | None = None,
        prior: PriorLike = None,
        answers: PriorLike = None,
        gain: str | Gain | Loss = "guess",
        observations: int = 10,
        below: Number | None = None,
        sensitive: Iterable[Hashable] = (),
        absent: Hashable | None = None,
        unit: str = "",
        what: str = "one record's value",
        title: str = "A study",
        name: str | None = None,
        files: tuple[Path, ...] = (),
        note: str | None = None,
    ) -> None:
        expect(policy, Policy, "Policy(secrets, records) makes one")
        observations = expect_whole(observations, "observations", 1, MOST_OBSERVATIONS)
        if isinstance(gain, str) and gain not in GAINS:
            raise InvalidInput(f"gain must be one of {', '.join(GAINS)}, got {gain!r:.60}")
        threshold = None if below is None else fraction(as_printed(below))
        if threshold is not None and not 0 < threshold <= 1:
            raise InvalidNumber(f"below must be a chance above 0 and at most 1, got {below}")
        values = policy.secrets.vertices
        if absent is not None and absent not in values:
            raise Mismatch(f"absent must be a value of the policy, got {absent!r:.60}")
        if mechanism is not None and not isinstance(mechanism, Channel | Mechanism):
            raise InvalidInput(f"a mechanism must be a Channel, or have one, got {mechanism!r:.60}")
        if mechanism is not None and name is None:
            name = "the given matrix" if isinstance(mechanism, Channel) else mechanism.name
        if policy.metric is not None:
            _refuse_distances(policy, query, on)
        believed = None
        if answers is not None:
            if query is None:
                raise InvalidInput("answers= says what is believed of answers; give a query, too")
            believed = record_prior(answers, _answers(policy, query).vertices)
        promise = promise_if_any(ratio, epsilon, delta, rho, mu, curve)
        if (asked := curve_of(promise)) is not None:
            expect_provable(policy, asked)
        self.__attrs_init__(
            policy, mechanism, query, _scope(policy, mechanism, query, on), promise,
            record_prior(prior, values), believed, gain, observations, threshold,
            tuple(values[k] for k in positions(sensitive, values, "value")), absent, unit,
            what, title, name, files, note, None,
        )  # fmt: skip
        if self.noise is None and self.channel is not None:
            alignment(self.graph.vertices, self.channel.inputs, "the mechanism and the policy")

    def releasing(self, release: "PlannedRelease") -> "Study":
        """Return the same of a release; without a mechanism it is what the study is about."""
        found = copy(self)
        object.__setattr__(found, "release", release)
        if self.mechanism is None:
            object.__setattr__(found, "name", release.name)
            if self.promise is None:
                promise = None if release.asked.allowed is None else release.asked.allowed.promise
                object.__setattr__(found, "promise", promise)
        return found

    @property
    def ratio(self) -> Ratio | None:
        """The ratio that the mechanism must keep, if pure ε is asked for."""
        return pure_of(self.promise)

    @property
    def curve(self) -> PrivacyCurve | None:
        """The curve that the mechanism must keep, if another promise is asked for."""
        return curve_of(self.promise)

    @cached_property
    def graph(self) -> Graph:
        """What is secret for the mechanism, one by one: values, databases, or answers."""
        if self.scope == "record" or self.policy.metric is not None:
            return self.policy.secrets
        if self.query is None:
            return self.policy.adjacency().explicit()
        return _answers(self.policy, self.query)

    @property
    def apart(self) -> Graph | Metric:
        """The same, with the distances of the policy if it has some."""
        return self.policy.metric or self.graph

    @property
    def per(self) -> str:
        """What an ε is said of: nothing more, or a unit of distance."""
        if self.policy.metric is None:
            return ""
        return f" per {self.unit}" if self.unit else " at a distance of 1"

    @cached_property
    def noise(self) -> SymmetricNoise | None:
        """The noise that the mechanism adds to a sum of whole numbers, if it is of that kind."""
        noise = self.mechanism
        if isinstance(noise, SymmetricNoise) and (
            noise.adds_to(self.policy, self.query)
            or (self.has_many_answers and noise.adds_up(self.policy, self.query))
        ):
            return noise
        return None

    @cached_property
    def perturbed(self) -> PerturbedCount | None:
        """The count of all records that the mechanism perturbs, if it is of that kind."""
        count = self.mechanism
        if isinstance(count, PerturbedCount) and count.counts(self.policy, self.query):
            return count
        return None

    @property
    def has_many_answers(self) -> bool:
        """Whether the answers to a sum, or the databases behind them, are too many to be listed."""
        ranges = self.policy.public_counts is not None and not self.policy.is_counted
        unlisted = ranges and not self.policy.is_listable
        return unlisted or _answer_count(self.policy, self.query) > MOST_INPUTS

    @cached_property
    def channel(self) -> Channel | None:
        """What is seen of each input; None if there is no mechanism, or it need not be listed."""
        if self.mechanism is None:
            return None
        many = self.has_many_answers or _answer_count(self.policy, self.query) > MOST_LISTED
        if self.noise is not None and (many or self.noise.period is None):
            return None
        if self.perturbed is not None and self.has_many_answers:
            return None
        seen: Any = self.graph.vertices
        try:
            cells = _cells(self.mechanism, self.query, seen)
            if not cells:
                return self.mechanism.channel_on(seen)
        except TooLarge:  # a period that is long
            if self.noise is None:
                raise
            return None
        if self.noise is not None and prod(len(cell.outputs) for cell in cells) > MOST_LISTED:
            return None
        return parallel(*cells).expand_on(seen)

    @cached_property
    def input_prior(self) -> Distribution:
        """What is believed of what the mechanism sees, as it follows from one record's prior."""
        if self.answers is not None:
            return self.answers
        if self.query is not None:
            return answers_prior(self.policy, self.query, self.prior, self.graph.vertices)
        if self.scope == "database" and self.policy.records > 1:
            return databases_prior(self.policy, self.prior)
        return typical_record(self.policy, self.prior)

    @cached_property
    def aim(self) -> Gain | Loss | None:
        """What a guess of what the mechanism sees earns or costs; None if it is too many."""
        if isinstance(self.gain, Gain | Loss):
            return self.gain
        return None if self.graph.order > MOST_GUESSES else aim_of(self.gain, self.apart)

    def expect_aim(self) -> None:
        """Refuse a gain that the graph has not, or that is not tabled for so many values."""
        if self.graph.order > allowed(MOST_GUESSES):
            raise TooLarge(
                f"at most {allowed(MOST_GUESSES)} values have one, got {self.graph.order:,}"
            )
        assert self.aim is not None

    @property
    def best(self) -> BestMechanism | None:
        """The mechanism with its proof, if it is the best of its kind."""
        return self.mechanism if isinstance(self.mechanism, BestMechanism) else None

    @property
    def is_release(self) -> bool:
        """Whether it is about a release of a table, and no mechanism is given beside it."""
        return self.mechanism is None and self.release is not None

    @property
    def rows_per_person(self) -> int:
        """The most rows of one person, of a release; otherwise one."""
        return self.release.asked.rows_per_person if self.is_release and self.release else 1

    def expect_untold(self) -> None:
        """Refuse a guarantee for one row where other rows of the person may tell of it.

        If any two values are a secret pair, so are any two choices of all rows of a person.
        Otherwise these may be further apart than one row by itself.
        """
        rows = self.rows_per_person
        if rows > 1 and not self.policy.secrets.is_complete:
            raise InvalidInput(
                f"one person may have {rows:,} rows, which may tell of each other, and not all "
                "values are secret pairs: so the ε of a person says nothing of one row by itself"
            )

    @property
    def is_tied(self) -> bool:
        """Whether the answers for other records tell of a record, too, by what is public."""
        return self.scope == "record" and self.policy.is_constrained and self.policy.records > 1

    def __repr__(self) -> str:
        sees = {"record": ", of each record", "database": "", "answer": ", of an answer"}
        name = "no mechanism" if self.name is None else f"{self.name}{sees[self.scope]}"
        return f"Study({name}; {repr(self.policy)[7:-1]})"


def _scope(policy: Policy, mechanism: Any, query: Query | None, on: str | None) -> str:
    """Return what the mechanism sees: what was said, or else what its inputs are."""
    if on is not None and on not in SCOPES:
        raise InvalidInput(f"on must be one of {', '.join(SCOPES)}, got {on!r:.60}")
    if (on == "answer") != (query is not None) and on is not None:
        raise InvalidInput('on="answer" needs a query, and nothing else has one')
    if query is not None:
        return "answer"
    if policy.records == 1:
        return "database"
    if policy.metric is not None:
        return "record"
    if on is not None or mechanism is None:
        return on or "record"
    values = policy.secrets.vertices
    if isinstance(mechanism, UnboundedNoise):
        return "record"
    inputs = mechanism.channel_on(values).inputs
    return "record" if set(inputs) == set(values) else "database"


def expect_provable(policy: Policy, curve: PrivacyCurve) -> None:
    """Refuse a promise for which nothing is proved: about distances, or one way only."""
    if policy.metric is not None and policy.metric.unit != 1:
        raise InvalidInput(
            "with distances pure ε alone is proved: give ratio or epsilon, or a graph of secrets"
        )
    if not curve.is_symmetric:
        raise InvalidInput("the pairs of a policy have no direction: give curve.symmetric()")


def _refuse_distances(policy: Policy, query: Query | None, on: str | None) -> None:
    """Refuse a mechanism on what has no distances: answers, and whole databases."""
    if query is not None:
        raise InvalidInput("the answers to a query have no distances; give a SecretGraph for it")
    if policy.records > 1 and on == "database":
        raise InvalidInput('with distances a mechanism sees each record: on="record"')


def _answers(policy: Policy, query: Query) -> Graph:
    """Return the graph of a query's answers, if they are few enough to be listed."""
    if (found := _answer_count(policy, query)) > allowed(MOST_INPUTS):
        raise TooLarge(
            f"a mechanism on at most {allowed(MOST_INPUTS):,} answers is listed, got {found:,}; "
            "noise that "
            'is added to them needs no list: "geometric"'
        )
    return answer_graph(policy, query)


def _answer_count(policy: Policy, query: Query | None) -> int:
    """Return how many answers a sum has at most; 1 for what is no sum."""
    listed = policy.is_constrained and policy.public_counts is None
    linear = linear_of(query)
    if linear is None or listed:
        return 1
    weights = [w for _, kind in weights_of(policy, linear) for w in kind]
    if isinstance(weights[0], tuple):
        return int((policy.records + 1) ** len(weights[0]))
    numbers = [fraction(as_printed(w)) for w in weights if not isinstance(w, str)]
    return int((max(numbers) - min(numbers)) * policy.records) + 1 if numbers else 1


def _cells(mechanism: Any, query: Query | None, answers: Any) -> list[Channel]:
    """Return what is seen of each cell of a histogram, if a mechanism adds noise to whole numbers.

    The cells have noise of their own.
    """
    several = linear_of(query) is not None and isinstance(answers[0], tuple)
    if not several or not isinstance(mechanism, AdditiveNoise):
        return []
    if not all(isinstance(z, int) for z in mechanism.places or ()):
        return []
    return [mechanism.channel_on(tuple({*cell})) for cell in zip(*answers, strict=True)]
