"""Leakage of public counts about one person, and what a release adds to it.

Records are believed to be independent and alike before the counts are known. If these are the sizes
of groups that do not overlap, or of several such divisions that are independent of each other, then
whoever learns that a person has u rather than v need think otherwise of a few others only: one in
each division changes places with them; for other counts it is as many as some coupling needs. So no
output changes the odds of u against v, relative to what they are given the counts, by more than
these few records do: docs/proofs/public-counts.md. It is not so for records that depend on each
other, nor where a count is only a range.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq

from leaktight.channels.additive_noise import AdditiveNoise
from leaktight.channels.channel import Channel
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.channels.move_ratios import MoveRatios
from leaktight.errors import Mismatch, TooLarge, Undecided
from leaktight.exact.bound import OfFactor
from leaktight.exact.numbers import Value, fraction, rational
from leaktight.exact.shown import percent, percent_above
from leaktight.leakage.coupling import Coupling
from leaktight.leakage.divisions import Divisions, divided
from leaktight.leakage.published_counts import average_told, cells_told_apart
from leaktight.leakage.uninformed import UninformedGuess, uninformed_guess
from leaktight.policies.fibres import whole_weights
from leaktight.policies.policy import Policy
from leaktight.policies.query import answer_graph
from leaktight.policies.symmetric_query import LinearQuery, Query

ASSUMPTION = (
    "records believed to be independent and alike before the counts are known, "
    "and nothing else known of anyone"
)
APART = ", and what one table counts believed to be independent of what another counts"


@dataclass(frozen=True, slots=True)
class MarginLeakage(OfFactor):
    """What publishing counts tells, before any noise: of one person, and of all together.

    One guess about one person is right with chance ``before`` any count is known, and with chance
    ``after`` the counts that were published; if these are not named, it is so at most, on average.
    ``factor`` is how much likelier a guess of the whole database becomes, at most, and for equally
    likely databases exactly: the number of results that the counts might have had.
    """

    before: Fraction
    after: Fraction
    factor: int
    average: tuple[Fraction, Fraction] | None
    """Between what the chance after the counts lies on average over what they might have been; None
    if it is not known."""
    are_named: bool = True
    """Whether it is known what the counts are."""

    def __str__(self) -> str:
        after = f"{percent(self.after)} after"
        if not self.are_named:
            after = f"at most {percent_above(self.after)} after, on average over what they might be"
        return (
            f"one guess about one person: {percent(self.before)} before the counts are public, "
            f"{after}"
        )


@dataclass(frozen=True, slots=True)
class PosteriorBound:
    """By how much a release changes the odds about one person whose counts are public, at most.

    No output makes one value more than ``ratio`` times as likely, against another, as it was given
    the counts. So a guess that was right with chance ``before`` is right with chance ``after`` at
    most. It holds for ``records`` believed to be independent and alike, and not otherwise.
    """

    ratio: Value
    before: Fraction
    after: Fraction
    others: int
    """How many other people the argument has to change at most."""
    are_apart: bool = False
    """Whether tables are believed to be independent of each other, too."""
    is_exact: bool = True
    """Whether ``before`` is the chance itself, and not more."""

    @property
    def assumes(self) -> str:
        """What must be believed of the records; otherwise nothing is promised."""
        return ASSUMPTION + (APART if self.are_apart else "")

    @property
    def before_shown(self) -> str:
        """The chance with the counts alone, in words."""
        return percent(self.before) if self.is_exact else f"at most {percent_above(self.before)}"

    def __str__(self) -> str:
        return (
            f"one guess about one person: {self.before_shown} with the counts alone, at most "
            f"{percent_above(self.after)} after the release; {self.assumes}"
        )


def margin_leakage(policy: Policy, prior: PriorLike = None) -> MarginLeakage:
    """Return what the public counts of a policy tell by themselves.

    ``prior`` is about one record's value, uniform if it is not given; records are believed to be
    independent.

    >>> from leaktight.policies.constraint import count
    >>> from leaktight.policies.secrets import SecretGraph
    >>> told = [count(["flu"], equals=700), count(["cold"], equals=200)]
    >>> ward = Policy(SecretGraph.complete(["flu", "cold", "none"]), 1000, constraints=told)
    >>> print(margin_leakage(ward))
    one guess about one person: 33.3% before the counts are public, 70% after
    >>> margin_leakage(ward).factor == math.comb(1002, 2)
    True
    """
    divisions = known_counts(policy, prior)
    belief = tuple(prior_on(prior, policy.secrets.vertices).exact().array)
    if isinstance(divisions, Divisions) and not divisions.are_independent:
        divisions.given()  # says why it is not known
    before, after, results = fraction(max(belief)), _given(divisions, belief), _results(policy)
    if isinstance(divisions, Coupling):
        return MarginLeakage(before, after, results, None)
    average = average_told(divisions, belief)
    return MarginLeakage(before, after, results, average, divisions.are_named)


def _results(policy: Policy) -> int:
    """Return how many results the counts might have had, also those that are 0, at most.

    They are told by the histogram of the values that counts tell apart, and by each division's.
    """
    sizes = [len(cells_told_apart(policy))], [len(blocks) for blocks in divided(policy)]
    n = policy.records
    return min(math.prod(math.comb(n + k - 1, k - 1) for k in each) for each in sizes)


def known_counts(policy: Policy, prior: PriorLike) -> Divisions | Coupling:
    """Return what is known of one person given the counts, or say why nothing is.

    Counts of groups that do not overlap, or of independent tables, are known at any number of
    records; others where few histograms agree with them.
    """
    try:
        divisions = Divisions.of(policy, prior)
    except Undecided:
        try:
            return Coupling.of(policy, prior)
        except (TooLarge, Undecided):
            pass
        raise
    if divisions.are_independent:
        return divisions
    try:
        return Coupling.of(policy, prior)
    except (TooLarge, Undecided):
        return divisions


def _given(known: Divisions | Coupling, belief: Sequence[fmpq]) -> Fraction:
    """Return the chance of the best guess about one person given the counts, or no less."""
    if isinstance(known, Coupling):
        return fraction(max(known.given()))
    if known.are_named:
        return fraction(known.likeliest())
    average = average_told(known, belief)
    if average is None:
        raise Undecided("what the counts tell on average is not known here")
    return average[1]


def _noise_ratios(noise: AdditiveNoise, policy: Policy, query: LinearQuery) -> list[list[Any]]:
    """Return by how much noise tells two values of a record apart: a factor for each count."""
    adds = [whole_weights(query, value) for value in policy.secrets.vertices]
    shifts = {tuple(x - y for x, y in zip(a, b, strict=True)) for a in adds for b in adds}
    ratios = {shift: noise.shifts_ratio(shift) for shift in shifts}
    return [
        [_exact(ratios[tuple(x - y for x, y in zip(a, b, strict=True))]) for b in adds]
        for a in adds
    ]


def _exact(ratio: Value) -> Any:
    return ratio if ratio == math.inf else rational(ratio)


def posterior_bound(
    mechanism: Any, policy: Policy, query: Query | None = None, prior: PriorLike = None
) -> PosteriorBound:
    """Return by how much a release changes the odds about one person under public counts.

    The mechanism is a channel on each record's value, or with a query on its answers; noise on a
    count, a sum or a histogram; or a privacy ratio that holds between all neighbours of the policy,
    which may be infinite. For a channel on answers it is exact where these are gone through one by
    one, and otherwise what the channel's privacy ratio allows.

    >>> from leaktight.mechanisms.randomized_response import RandomizedResponse
    >>> from leaktight.policies.constraint import count
    >>> from leaktight.policies.secrets import SecretGraph
    >>> told = [count([i], equals=250) for i in range(4)]
    >>> policy = Policy(SecretGraph.complete(4), 1000, constraints=told)
    >>> odds = posterior_bound(RandomizedResponse(4, ratio=2).channel, policy)
    >>> odds.ratio, odds.after
    (Fraction(4, 1), Fraction(4, 7))
    """
    if isinstance(mechanism, Channel) and query is not None and policy.public_counts is not None:
        try:
            return _seen_by_answers(uninformed_guess(mechanism, policy, query, prior))
        except TooLarge:  # its privacy level still bounds what it tells
            pass
    known = known_counts(policy, prior)
    on_sums = isinstance(mechanism, AdditiveNoise) and mechanism.adds_to(policy, query)
    if isinstance(mechanism, Channel) and query is None:
        values = policy.secrets.vertices
        ratio = known.ratio(MoveRatios.of([mechanism], values).ratios)
    elif on_sums and isinstance(query, LinearQuery):
        ratio = known.ratio(_noise_ratios(mechanism, policy, query))
    else:
        counts = policy.public_counts
        if counts is None or not counts.all_secret:
            raise Undecided(
                "what a release tells of one person is not known here: not all pairs of values "
                'are secrets (differ = "all" makes them so for attributes); it is known for a '
                "channel on each record"
            )
        if isinstance(mechanism, Channel) and query is not None:
            mechanism = _answers_ratio(mechanism, policy, query)
        unlimited = mechanism == math.inf
        ratio = math.inf if unlimited else fraction(rational(mechanism) ** known.steps)
    before = _given(known, tuple(prior_on(prior, policy.secrets.vertices).exact().array))
    apart, exact = False, True
    if isinstance(known, Divisions):
        apart = known.are_independent and known.others > 1
        exact = known.are_independent and known.are_named
    if not isinstance(ratio, Fraction):
        return PosteriorBound(math.inf, before, Fraction(1), known.others, apart, exact)
    after = ratio * before / (1 + (ratio - 1) * before)
    return PosteriorBound(ratio, before, after, known.others, apart, exact)


def _seen_by_answers(guess: UninformedGuess) -> PosteriorBound:
    """Return the odds of who is seen through a channel, all others averaged out."""
    ratios, after = list[Any](), Fraction(0)
    for each in (guess, *guess.rest):
        assert each.channel is not None
        assert each.prior is not None
        for row in MoveRatios.of([each.channel], each.channel.inputs).ratios:
            ratios += row
        joint = each.channel.matrix * each.prior.array[:, None]
        after = max(
            after, *(fraction(column.max() / column.sum()) for column in joint.T if column.any())
        )
    ratio = math.inf if math.inf in ratios else fraction(max(ratios))
    return PosteriorBound(ratio, guess.before, after, 0)


def _answers_ratio(channel: Channel, policy: Policy, query: Query) -> Value:
    """Return the largest ratio of a channel between answers of neighbouring databases."""
    exact, graph = channel.exact(), answer_graph(policy, query)
    rows = dict(zip(exact.inputs, exact.matrix, strict=True))
    for answer in graph.vertices:
        if answer not in rows:
            raise Mismatch(f"the mechanism must see every answer, not so {answer!r:.60}")
    largest = fmpq(1)
    for one, other in graph.edge_pairs():
        for x, y in zip(rows[one], rows[other], strict=True):
            if bool(x) != bool(y):
                return math.inf
            if x:
                largest = max(largest, x / y, y / x)
    return fraction(largest)
