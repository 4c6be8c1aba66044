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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq

from leaktight.channels.additive_noise import AdditiveNoise
from leaktight.channels.channel import Channel
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.channels.move_ratios import MoveRatios
from leaktight.errors import InvalidInput, Mismatch, TooLarge, Undecided
from leaktight.exact.bound import OfFactor
from leaktight.exact.linear_program import LinearProgram, solve_exact
from leaktight.exact.numbers import Value, fraction, rational
from leaktight.exact.shown import percent, percent_above
from leaktight.leakage.divisions import Divisions, divided
from leaktight.leakage.published_counts import average_told, cells_told_apart
from leaktight.leakage.uninformed import UninformedGuess, uninformed_guess
from leaktight.limits import allowed
from leaktight.policies.fibres import whole_weights
from leaktight.policies.policy import Policy
from leaktight.policies.query import answer_graph
from leaktight.policies.symmetric_query import LinearQuery, Query, linear_of

# --- others who must change places with one person, if public counts overlap -----------------
# Records are believed to be independent and alike before the counts are known. Whoever learns
# that a person has u rather than v thinks otherwise of the others, but a *coupling* of what is
# then believed of their histograms changes few of them. The least number that some coupling needs
# at most, a Wasserstein distance of order ∞, is a question of flows: docs/proofs/public-
# counts.md. It is answered in exact numbers where the histograms are few.

Changes: TypeAlias = npt.NDArray[np.int64]

MOST_PARTS = 4096
"""The most parts of a change that are looked at; beyond, its sets are bounded by their number."""

MOST_HISTOGRAMS = 200
"""The most histograms whose couplings are looked for."""

MOST_LOOKED_AT = 400_000
"""The most histograms, whole or not, that are looked at to find them."""


@dataclass(frozen=True, eq=False)
class Coupling:
    """What is believed of the others' histograms, for each cell that one person can be in."""

    policy: Policy
    belief: tuple[fmpq, ...]
    histograms: tuple[tuple[int, ...], ...]
    """The records of each cell, for all histograms that agree with the counts."""

    @classmethod
    def of(cls, policy: Policy, prior: PriorLike) -> "Coupling":
        """List the histograms of a policy whose counts are single numbers, if they are few."""
        counts = policy.public_counts
        if counts is None or not counts.cells.are_equalities or counts.cells.told.any():
            raise Undecided("a coupling is looked for where every public count is a number")
        found = []
        for histogram in counts.cells.histograms(MOST_LOOKED_AT // policy.records):
            found.append(histogram)
            if len(found) > allowed(MOST_HISTOGRAMS):
                raise TooLarge(
                    f"more than {allowed(MOST_HISTOGRAMS)} histograms agree with the counts"
                )
        belief = tuple(prior_on(prior, policy.secrets.vertices).exact().array)
        return cls(policy, belief, tuple(found))

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        """The values of each cell."""
        counts = self.policy.public_counts
        assert counts is not None
        return counts.cells.members

    @cached_property
    def weights(self) -> list[dict[tuple[int, ...], fmpq]]:
        """For each cell of the person the weights of the others' histograms."""
        shares = [sum((self.belief[v] for v in cell), fmpq(0)) for cell in self.cells]
        found: list[dict[tuple[int, ...], fmpq]] = []
        for i, share in enumerate(shares):
            weights = {}
            for histogram in self.histograms:
                rest = tuple(k - (i == j) for j, k in enumerate(histogram))
                if share and rest[i] >= 0:
                    parts = (p**k / math.factorial(k) for p, k in zip(shares, rest, strict=True))
                    weights[rest] = prod(parts, start=fmpq(1))
            found.append({rest: weight for rest, weight in weights.items() if weight})
        return found

    def given(self) -> list[fmpq]:
        """Return the chance of each value for one record, given the counts."""
        chances = [fmpq(0)] * len(self.belief)
        for cell, each in zip(self.cells, self.weights, strict=True):
            for value in cell:
                chances[value] = self.belief[value] * sum(each.values(), fmpq(0))
        total = sum(chances, fmpq(0))
        if not total:
            raise InvalidInput("the prior rules out every value that the counts leave")
        return [chance / total for chance in chances]

    @cached_property
    def others(self) -> int:
        """How many others some coupling changes at most, for whatever the person has."""
        return self._least(lambda i, j, changes: np.abs(changes).sum(axis=2) // 2, 0)

    @cached_property
    def steps(self) -> int:
        """How many steps between neighbours some coupling takes at most, if all pairs are secrets.

        What it changes, with the person's own move, falls into so many indecomposable sets of
        moves. It changes no more than :attr:`others`.
        """
        most = (1 + self.others) // 2
        if most <= 1:
            return 1
        fewest = lru_cache(None)(self._steps)

        def sets(i: int, j: int, changes: Changes) -> Changes:
            found = np.full(changes.shape[:2], most + 1, dtype=np.int64)
            few = np.abs(changes).sum(axis=2) <= 2 * self.others
            found[few] = [fewest(i, j, tuple(change)) for change in changes[few].tolist()]
            return found

        return self._least(sets, 1)

    def _least(self, cost: Callable[[int, int, Changes], Changes], least: int) -> int:
        """Return the least number that no pair of histograms joined by a coupling must exceed."""
        for (i, one), (j, other) in combinations(enumerate(self.weights), 2):
            if one and other:
                here, there = (np.array(list(w), dtype=np.int64) for w in (one, other))
                costs = cost(i, j, there[None] - here[:, None])
                while not _couples(one, other, costs <= least):
                    least += 1
        return least

    def _steps(self, i: int, j: int, change: tuple[int, ...]) -> int:
        """Return the fewest indecomposable sets for a person's move i→j and a change of others.

        Others move from cells that lose to cells that gain, in any order. So a set without the
        person is a part of the change that keeps all counts and has no smaller one, and what is
        left goes with the person as soon as it has none.
        """
        if prod(abs(k) + 1 for k in change) > MOST_PARTS:
            return max(1, (1 + sum(map(abs, change)) // 2) // 2)  # each has two moves or more
        counts = self.policy.public_counts
        assert counts is not None
        ways = [range(min(k, 0), max(k, 0) + 1) for k in change]
        parts = np.array(list(product(*ways)), dtype=np.int64)
        kept = ~(parts @ counts.cells.table).any(axis=1) & (parts.sum(axis=1) == 0)
        free = [part for part in parts[kept] if part.any()]
        least = [a for a in free if not any(_within(b, a) for b in free if b is not a)]
        left, taken = {change}, 1
        while all(any(_within(part, np.array(rest)) for part in least) for rest in left):
            left = {
                tuple((np.array(rest) - part).tolist())
                for rest in left for part in least if _within(part, np.array(rest))
            }  # fmt: skip
            taken += 1
        return taken

    def ratio(self, ratios: Sequence[Sequence[Any]]) -> Value:
        """Return a ratio that no output exceeds: of the person's move, and of those of others."""
        there = [v for v, chance in enumerate(self.given()) if chance]
        largest = [ratios[u][v] for u in there for v in there]
        if math.inf in largest:
            return math.inf
        return fraction(max(largest, default=fmpq(1)) ** (1 + self.others))


def _within(part: Changes, whole: Changes) -> bool:
    """Say whether a change is a part of another: nowhere larger, and nowhere the other way."""
    return bool(((part * whole >= 0) & (np.abs(part) <= np.abs(whole))).all())


def _couples(
    one: dict[tuple[int, ...], fmpq],
    other: dict[tuple[int, ...], fmpq],
    joined: npt.NDArray[np.bool_],
) -> bool:
    """Say whether some coupling of the two joins only histograms that may be ``joined``."""
    rows, columns = np.nonzero(joined)
    if not (joined.any(axis=0).all() and joined.any(axis=1).all()):
        return False
    totals = sum(one.values(), fmpq(0)), sum(other.values(), fmpq(0))
    masses = [w / totals[0] for w in one.values()] + [w / totals[1] for w in other.values()]
    edges = np.arange(len(rows))
    flow = LinearProgram(
        [0] * len(rows),
        (
            np.concatenate([rows, len(one) + columns]),
            np.concatenate([edges, edges]),
            [1] * (2 * len(rows)),
        ),
        row_lower=masses,
        row_upper=masses,
    )
    return solve_exact(flow).optimum is not None


# --- what is learnt under public counts ------------------------------------------------------

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
    elif on_sums and (linear := linear_of(query)) is not None:
        ratio = known.ratio(_noise_ratios(mechanism, policy, linear))
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
