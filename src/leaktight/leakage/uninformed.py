"""What does a release tell of one person to somebody who knows nobody?

Records are believed to be independent and alike, but for what is public. The informed attacker of
:mod:`leaktight.leakage.individual` is never told less.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from typing import Any

import numpy as np
from flint import fmpq

from leaktight.channels.additive_noise import GeometricTails, UnboundedNoise
from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.channels.shuffled import Shuffled
from leaktight.errors import InvalidInput, Mismatch, TooLarge, expect
from leaktight.exact.matrix import column_maxima
from leaktight.exact.numbers import Array, Value, fraction, rational, to_float
from leaktight.exact.powers import Powers
from leaktight.exact.rounding import float_above, float_below
from leaktight.exact.shown import Told, counted, percent, percent_above
from leaktight.labels import Labels
from leaktight.leakage.individual import channel_behind
from leaktight.leakage.noise_on_sums import added_noise
from leaktight.leakage.population import Population
from leaktight.leakage.shuffled import ShuffledRecord
from leaktight.policies.one_record import adds_whole_numbers, weights_of
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import CountingQuery, LinearQuery, Query, SymmetricQuery

MOST_STEPS = 2**18
"""The most databases, or counts, times outputs that are gone through."""

MOST_VALUES = 1000
"""The most answers whose noise is written out."""

MOST_EXACT = 64
"""The most records whose noisy count is convolved exactly; beyond, floats enclose it."""

ROUNDING = 64 * 2.0**-53
"""So much, relatively, is lost by rounding for each step: docs/proofs/one-person.md."""


@dataclass(frozen=True, slots=True, repr=False)
class UninformedGuess(Told):
    """The chance of a right guess about one person ``before`` and after, if nobody is known.

    Afterwards it lies between ``lower`` and ``upper``, which are the same ``Fraction`` if it is
    known exactly. Then ``channel`` says what is seen of the person's value, the others averaged
    out, and ``prior`` what is believed of it beforehand, given what is public; ``record`` is who is
    guessed best, counted from 1, None if all are guessed equally well, and ``rest`` what is told of
    the other kinds of records.

    >>> print(UninformedGuess(Fraction(1, 3), Fraction(97, 243), Fraction(97, 243)))
    one guess about one person: 33.3% before, 39.9% after, nobody known
    """

    before: Fraction
    lower: Value
    upper: Value
    channel: Channel | None = None
    prior: Distribution | None = None
    record: int | None = None
    rest: tuple["UninformedGuess", ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether the chance is known exactly."""
        return not isinstance(self.upper, float)

    def __str__(self) -> str:
        said = percent if self.is_exact else percent_above
        return (
            f"one guess about one person: {percent(self.before)} before, "
            f"{said(Fraction(self.upper))} after, nobody known"
        )


def uninformed_guess(
    mechanism: Any, policy: Policy, query: Query | None = None, prior: PriorLike = None
) -> UninformedGuess:
    """Return what a mechanism tells of one person to somebody who knows only the prior.

    Of several kinds of records it is the one that is guessed best. Mechanism, query and prior are
    as for ``individual_leakage``.

    >>> from leaktight.mechanisms.randomized_response import RandomizedResponse
    >>> from leaktight.policies.secrets import SecretGraph
    >>> asked = Policy(SecretGraph.complete(["no", "yes"]), records=1000)
    >>> uninformed_guess(RandomizedResponse(["no", "yes"], ratio=2).channel, asked).upper
    Fraction(2, 3)
    """
    values = expect(policy, Policy, "Policy(graph, records) makes one").secrets.vertices
    belief = dict(zip(values, prior_on(prior, values).exact().array, strict=True))
    if any(one.is_told for one in policy.constraints):
        raise TooLarge(
            "counts are public whatever they are, and a release is not gone through together with "
            "all that they might be; odds_under_counts bounds what it adds"
        )
    if isinstance(mechanism, Shuffled):
        crowd = ShuffledRecord.of(mechanism, policy).crowd
        seen = crowd.of_one(Distribution.trusted(tuple(belief), np.array(list(belief.values()))))
        return _alone(seen, values, belief)
    if _is_noisy_count(mechanism, policy, query) and policy.records > MOST_EXACT:
        return _noisy_count(mechanism, policy, query, tuple(belief.values()))
    if isinstance(query, LinearQuery) and isinstance(mechanism, UnboundedNoise):
        if not adds_whole_numbers(query, policy):
            raise TooLarge("noise on several counts at once is not gone through one by one")
        weights = [int(w) for _, kind in weights_of(policy, query) for w in kind]
        ends = policy.records * min(weights), policy.records * max(weights)
        if ends[1] - ends[0] >= MOST_VALUES:
            raise TooLarge(
                f"noise on {ends[1] - ends[0] + 1:,} answers, of which at most {MOST_VALUES:,} are "
                "gone through one by one"
            )
        mechanism = mechanism.truncated(*ends)
    if len(getattr(mechanism, "values", None) or ()) > MOST_VALUES:
        raise TooLarge(
            f"noise on {len(mechanism.values):,} answers, of which at most {MOST_VALUES:,} are "
            "gone through one by one"
        )
    channel = channel_behind(mechanism).exact()
    own = query is None and policy.records > 1 and set(channel.inputs) == set(values)
    if own and not policy.is_constrained:
        firsts: dict[Labels, int] = {}
        for k, domain in enumerate(policy.values or (values,), 1):
            firsts.setdefault(domain, k)
        return _best({k: _alone(channel, domain, belief) for domain, k in firsts.items()})
    rows = _Rows(zip(channel.inputs, channel.matrix, strict=True))
    if isinstance(query, SymmetricQuery) and _are_alike(policy):
        try:
            if isinstance(query, LinearQuery) and adds_whole_numbers(query, policy):
                return _noisy_sum(rows, channel.outputs, policy, query, belief)
            return _counted(rows, channel.outputs, policy, query, belief)
        except TooLarge:
            if not policy.is_listable:
                raise
    return _listed(rows, channel.outputs, policy, query, belief, own)


def _are_alike(policy: Policy) -> bool:
    """Say whether nothing tells one record from another: nothing but counts is public."""
    return policy.public_counts is not None or not (policy.is_constrained or policy.values)


class _Rows(dict[Hashable, Array]):
    """What is seen of each answer."""

    def __missing__(self, answer: Hashable) -> Array:
        raise Mismatch(f"the mechanism must see every answer, not so {answer!r:.60}")


def _best(found: Mapping[int, UninformedGuess]) -> UninformedGuess:
    """Return the guess that is best, by record; if not all are guessed so well, say whose it is."""
    chances = {k: (guess.upper, guess.before) for k, guess in found.items()}
    best = max(found, key=lambda k: (*chances[k], -k))
    record = None if len(set(chances.values())) == 1 else best
    rest = tuple(guess for k, guess in found.items() if k != best)
    return replace(found[best], record=record, rest=rest)


def _guess(parts: Mapping[Hashable, Array], outputs: Labels) -> UninformedGuess:
    """Return the best guess for the probabilities of each value (and output), up to a factor."""
    table = np.stack(list(parts.values()))
    sums = table.sum(axis=1)
    total = sums.sum()
    if not total:
        raise InvalidInput("the prior rules out every database that is possible")
    after = fraction(rational(column_maxima(table).sum() / total))
    known = np.flatnonzero(sums)
    values = tuple(v for v, share in zip(parts, sums, strict=True) if share)
    return UninformedGuess(
        fraction(rational(sums.max() / total)), after, after,
        Channel.trusted(values, outputs, table[known] / sums[known, None]),
        Distribution.trusted(values, sums[known] / total),
    )  # fmt: skip


def _alone(channel: Channel, domain: Any, belief: Mapping[Hashable, fmpq]) -> UninformedGuess:
    """A record is answered by itself: the others tell nothing."""
    rows = dict(zip(channel.inputs, channel.matrix, strict=True))
    return _guess({v: belief[v] * rows[v] for v in domain}, channel.outputs)


def _counted(
    rows: Mapping[Hashable, Array],
    outputs: Labels,
    policy: Policy,
    query: SymmetricQuery,
    belief: Mapping[Hashable, fmpq],
) -> UninformedGuess:
    """Only how many others have each value matters: go through all such counts that may be."""
    others = policy.records - 1
    ways = comb(others + len(belief) - 1, others)
    if ways * len(belief) * len(outputs) > MOST_STEPS:
        raise TooLarge(
            f"{counted(ways, 'combination', 'combinations')} of the others with what is seen of "
            f"each, and at most {MOST_STEPS:,} are gone through"
        )
    parts = {v: np.full(len(outputs), fmpq(0), dtype=object) for v in belief}
    for some in combinations_with_replacement(belief, others):
        counts = Counter(some)
        orders = factorial(others) // prod(map(factorial, counts.values()))
        weight = prod((belief[v] ** n for v, n in counts.items()), start=fmpq(orders))
        for v in belief if weight else ():
            whole = counts + Counter([v])
            if _agrees(whole, policy):
                parts[v] = parts[v] + weight * rows[query.of_counts(whole)]
    return _guess({v: belief[v] * part for v, part in parts.items()}, outputs)


def _agrees(counts: Mapping[Hashable, int], policy: Policy) -> bool:
    """Say whether records of which so many have each value agree with the public counts."""
    for one in policy.constraints:
        number = sum(counts.get(v, 0) for v in set(one.values))
        if number < one.least or (one.most is not None and number > one.most):
            return False
    return True


# --- a few databases -------------------------------------------------------------------------


def _listed(
    rows: Mapping[Hashable, Array],
    outputs: Labels,
    policy: Policy,
    query: Query | None,
    belief: Mapping[Hashable, fmpq],
    own: bool,
) -> UninformedGuess:
    """Go through all databases, or through all counts where these are all that matters."""
    width = len(next(iter(rows.values())))
    steps = policy.database_factors * Powers.of((width, policy.records if own else 1))
    if steps > MOST_STEPS:
        raise TooLarge(
            f"{policy.database_factors.counted('database', 'databases')} with what can be seen of "
            f"each, and at most {MOST_STEPS:,} combinations are gone through"
        )
    seen = _seen(rows, query, own)
    parts: list[dict[Hashable, Array]] = [{} for _ in range(policy.records)]
    databases: tuple[Any, ...] = policy.databases()
    for database in databases:
        whole = (database,) if policy.records == 1 else database
        weight = prod((belief[v] for v in whole), start=fmpq(1))
        row = weight * seen(whole, database)
        for record, value in enumerate(whole):
            known = parts[record].get(value)
            parts[record][value] = row if known is None else known + row
    if own:
        outputs = tuple(product(outputs, repeat=policy.records))
    return _best({k: _guess(part, outputs) for k, part in enumerate(parts, 1)})


def _seen(
    rows: Mapping[Hashable, Array], query: Query | None, own: bool
) -> Callable[[Any, Any], Array]:
    """Return what is seen of a database, given as the tuple of its records and as itself."""
    if own:
        return lambda whole, _: np.array(
            [prod(cells, start=fmpq(1)) for cells in product(*(rows[v] for v in whole))],
            dtype=object,
        )
    if query is None:
        return lambda _, database: rows[database]
    if isinstance(query, Mapping):
        return lambda _, database: rows[query[database]]
    if isinstance(query, SymmetricQuery):
        return lambda whole, _: rows[query(whole)]
    return lambda _, database: rows[query(database)]


# --- sums ------------------------------------------------------------------------------------


def _noisy_sum(
    rows: Mapping[Hashable, Array],
    outputs: Labels,
    policy: Policy,
    query: LinearQuery,
    belief: Mapping[Hashable, fmpq],
) -> UninformedGuess:
    """The sum of the others has the coefficients of Π_j (Σ_v π_v·x^w_v)^m_j.

    Cell j has m_j others, by the public counts; without them there is one cell, of all values.
    """
    weights = [int(query.weight(v)) for v in belief]
    people = Population.of(policy, tuple(belief.values()))
    least, others = min(weights), policy.records - 1
    values, width = (max(weights) - least) * others, len(next(iter(rows.values())))
    seen = values * width * len(people.cells)
    mixed = values * len(people.histograms) * len(people.cells) ** 2
    if max(seen, mixed // 16) * (1 + others // MOST_EXACT) > MOST_STEPS:
        raise TooLarge(
            f"the sum of {others:,} others takes {values:,} values, and at most "
            f"{MOST_STEPS:,} are gone through with what is seen of each"
        )
    base, within, names = others * least, people.within(), list(belief)
    parts = {v: np.full(width, fmpq(0), dtype=object) for v in belief}
    for cell, sums in zip(people.cells, people.sums_of_others(weights), strict=True):
        chances = sums.coeffs()
        for own in {weights[v] for v in cell}:
            row = sum(
                (chance * rows[base + k + own] for k, chance in enumerate(chances) if chance),
                start=np.full(width, fmpq(0), dtype=object),
            )
            for v in cell:
                if weights[v] == own and v in within:
                    parts[names[v]] = within[v] * row
    return _guess(parts, outputs)


def _is_noisy_count(mechanism: Any, policy: Policy, query: Query | None) -> bool:
    """Say whether geometric noise is added to a count over records that are alike.

    Where counts are public, noise must not be cut off where any database has its answer.
    """
    if not (_are_alike(policy) and isinstance(query, CountingQuery)):
        return False
    if not (isinstance(mechanism, GeometricTails) and mechanism.is_geometric):
        return False
    everything = Policy(policy.secrets, policy.records)
    return any(added_noise(mechanism, each, query) is not None for each in (policy, everything))


def _noisy_count(
    mechanism: Any, policy: Policy, query: Any, belief: Sequence[fmpq]
) -> UninformedGuess:
    """Enclose the guess in floats: all terms are positive, so rounding is relatively small."""
    people = Population.of(policy, belief)
    before = max(people.before().values())
    counted = [query.weight(name) for name in policy.secrets.vertices]
    if people.sum_is_known(counted):
        return UninformedGuess(fraction(before), fraction(before), fraction(before))
    others = people.counts_of_others(counted)
    lines, within = others.on_a_line(), people.within()
    seen = []
    for cell, line in zip(people.cells, lines, strict=True):
        for own in (0, 1):
            most = max((within[v] for v in cell if v in within and counted[v] == own), default=None)
            if most:
                seen.append(to_float(most) * _noisy(np.roll(line, own), 1 / mechanism.step))
    after = rational(float(np.max(seen, axis=0).sum()))
    slack = fmpq(1) + rational(ROUNDING) * (others.steps + len(lines[0]))
    lower = max(before, after * (1 - others.lost) / slack)
    upper = min(fmpq(1), after * slack + others.lost)
    return UninformedGuess(fraction(before), float_below(lower), float_above(upper))


def _noisy(count: Array, fall: Fraction) -> Array:
    """Return what is seen of a count from 0 to m with noise.

    The outputs are: 0 or less, 1 to m − 1, and m or more. Beyond all counts, all outputs have the
    same likelihoods up to a factor, so nothing is lost by taking them together.
    """
    from scipy.signal import lfilter

    c = float(fall)
    centre, end = float((1 - fall) / (1 + fall)), float(1 / (1 + fall))
    up = lfilter([1.0], [1.0, -c], count)  # Σ_k≤z count_k·c^(z−k)
    down = lfilter([1.0], [1.0, -c], count[::-1])[::-1]
    inside = centre * (up[1:-1] + c * down[2:])
    return np.concatenate([[end * down[0]], inside, [end * up[-1]]])
