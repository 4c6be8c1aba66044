"""What does a release tell of one person to somebody who knows nobody?

Records are believed to be independent and alike, but for what is public. The informed attacker of
:mod:`leaktight.leakage.individual` is never told less.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from typing import Any

import numpy as np
from flint import fmpq, fmpq_poly

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution, PriorLike, prior_on
from leaktight.channels.shuffled import Shuffled
from leaktight.errors import InvalidInput, Mismatch, TooLarge, expect
from leaktight.exact.matrix import column_maxima
from leaktight.exact.numbers import Array, Value, fraction, rational
from leaktight.exact.rounding import float_above, float_below
from leaktight.exact.shown import Told, counted, percent, percent_above
from leaktight.labels import Labels
from leaktight.leakage.individual import channel_behind
from leaktight.leakage.noise_on_sums import added_noise, is_geometric
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
"""So much, relatively, is lost by rounding for each record: docs/proofs/one-person.md."""


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
        return _noisy_count(mechanism, policy, query, belief)
    if isinstance(query, LinearQuery) and hasattr(mechanism, "truncated"):
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
    alike = not policy.is_constrained and policy.values is None
    if alike and isinstance(query, LinearQuery) and not isinstance(query.weight(values[0]), tuple):
        return _noisy_sum(rows, channel.outputs, policy, query, belief)
    if alike and isinstance(query, SymmetricQuery):
        return _counted(rows, channel.outputs, policy, query, belief)
    return _listed(rows, channel.outputs, policy, query, belief, own)


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
    """Only how many others have each value matters: go through all such counts."""
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
        if weight:
            for v in belief:
                parts[v] = parts[v] + weight * rows[query.of_counts(counts + Counter([v]))]
    return _guess({v: belief[v] * part for v, part in parts.items()}, outputs)


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
    steps = policy.database_count * (width**policy.records if own else width)
    if steps > MOST_STEPS:
        raise TooLarge(
            f"{counted(policy.database_count, 'database', 'databases')} with what can be seen of "
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
    """The sum of the others has the coefficients of (Σ_v π_v·x^w_v)^(n−1)."""
    weights = {v: int(query.weight(v)) for v in belief}
    least = min(weights.values())
    steps = [fmpq(0)] * (max(weights.values()) - least + 1)
    for v, chance in belief.items():
        steps[weights[v] - least] += chance
    others = policy.records - 1
    width = len(next(iter(rows.values())))
    if (len(steps) - 1) * others * width * (1 + others // MOST_EXACT) > MOST_STEPS:
        raise TooLarge(
            f"the sum of {others:,} others takes {(len(steps) - 1) * others:,} values, and at most "
            f"{MOST_STEPS:,} are gone through with what is seen of each"
        )
    chances = (fmpq_poly(steps) ** others).coeffs()
    base = others * least
    parts = dict[Hashable, Array]()
    for own in set(weights.values()):
        row = sum(
            (chance * rows[base + k + own] for k, chance in enumerate(chances) if chance),
            start=np.full(width, fmpq(0), dtype=object),
        )
        parts |= {v: belief[v] * row for v in belief if weights[v] == own}
    return _guess(parts, outputs)


def _is_noisy_count(mechanism: Any, policy: Policy, query: Query | None) -> bool:
    """Say whether geometric noise is added to a count over independent records that are alike."""
    alike = policy.values is None and added_noise(mechanism, policy, query) is not None
    return alike and isinstance(query, CountingQuery) and is_geometric(mechanism)


def _noisy_count(
    mechanism: Any, policy: Policy, query: Any, belief: Mapping[Hashable, fmpq]
) -> UninformedGuess:
    """Enclose the guess in floats: all terms are positive, so rounding is relatively small."""
    [(values, weights)] = weights_of(policy, query)
    one, none = (
        [belief[v] for v, w in zip(values, weights, strict=True) if w == k] for k in (1, 0)
    )
    before = max(belief.values())
    if not (any(one) and any(none)):
        return UninformedGuess(fraction(before), fraction(before), fraction(before))
    count = _binomial(policy.records - 1, float(sum(one, fmpq(0))), float(sum(none, fmpq(0))))
    without, with_one = _shifted(count, 1 / mechanism.step)
    after = float(np.maximum(float(max(none)) * without, float(max(one)) * with_one).sum())
    slack = fmpq(1) + rational(ROUNDING) * policy.records
    lower = max(before, rational(after) / slack)
    upper = min(fmpq(1), rational(after) * slack)
    return UninformedGuess(fraction(before), float_below(lower), float_above(upper))


def _binomial(n: int, p: float, q: float) -> Array:
    """Return the binomial probabilities, from the likeliest one outward."""
    k = np.arange(n)
    ratios = (n - k) / (k + 1) * (p / q)
    mode = int(np.searchsorted(-ratios, -1.0))
    above = np.cumprod(np.concatenate([[1.0], ratios[mode:]]))
    below = np.cumprod(1 / ratios[:mode][::-1])[::-1]
    whole = np.concatenate([below, above])
    return whole / whole.sum()


def _shifted(count: Array, fall: Fraction) -> tuple[Array, Array]:
    """Return what is seen of a count up to m with noise, and of the count and one more.

    The outputs are: 0 or less, 1 to m, and more. Beyond both counts, all outputs have the same
    likelihoods up to a factor, so nothing is lost by taking them together.
    """
    from scipy.signal import lfilter

    c = float(fall)
    centre, end = float((1 - fall) / (1 + fall)), float(1 / (1 + fall))
    up = lfilter([1.0], [1.0, -c], count)  # Σ_k≤z count_k·c^(z−k)
    down = lfilter([1.0], [1.0, -c], count[::-1])[::-1]
    inside = centre * (up + c * np.append(down[1:], 0.0))
    low, high = end * down[0], end * up[-1]
    return (
        np.concatenate([[low], inside[1:], [c * high]]),
        np.concatenate([[c * low], inside[:-1], [high]]),
    )
