"""What does a release tell of one person to somebody who knows nobody?

Records are believed to be independent and alike, but for what is public. The informed attacker of
:mod:`leaktight.leakage.individual` is never told less.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
from flint import fmpq, fmpq_poly

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import PriorLike, prior_on
from leaktight.errors import InvalidInput, TooLarge
from leaktight.exact.matrix import column_maxima
from leaktight.exact.numbers import Array, Value, fraction, rational
from leaktight.exact.rounding import float_above, float_below
from leaktight.exact.shown import counted, percent, percent_above
from leaktight.leakage.individual import channel_behind
from leaktight.policies.one_record import weights_of
from leaktight.policies.policy import Policy
from leaktight.policies.query import Query
from leaktight.policies.symmetric_query import CountingQuery, LinearQuery, SymmetricQuery

MOST_STEPS = 2**18
"""The most databases, or counts, times outputs that are gone through."""

MOST_EXACT = 64
"""The most records whose noisy count is convolved exactly; beyond, floats enclose it."""

ROUNDING = 64 * 2.0**-53
"""So much, relatively, is lost by rounding for each record: docs/proofs/one-person.md."""


@dataclass(frozen=True, slots=True)
class UninformedGuess:
    """The chance of a right guess about one person ``before`` and after, if nobody is known.

    Afterwards it lies between ``lower`` and ``upper``, which are the same ``Fraction`` if it is
    known exactly.

    >>> print(UninformedGuess(Fraction(1, 3), Fraction(97, 243), Fraction(97, 243)))
    one guess about one person: 33.3% before, 39.9% after, nobody known
    """

    before: Fraction
    lower: Value
    upper: Value

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
    values = policy.secrets.vertices
    belief = dict(zip(values, prior_on(prior, values).exact().array, strict=True))
    if _is_noisy_count(mechanism, policy, query) and policy.records > MOST_EXACT:
        return _noisy_count(mechanism, policy, query, belief)
    if isinstance(query, CountingQuery) and hasattr(mechanism, "truncated"):
        mechanism = mechanism.truncated(0, policy.records)
    channel = channel_behind(mechanism).exact()
    own = query is None and policy.records > 1 and set(channel.inputs) == set(values)
    if own and not policy.is_constrained:
        domains = [values] if policy.values is None else list(dict.fromkeys(policy.values))
        return _best(_alone(channel, domain, belief) for domain in domains)
    rows = dict(zip(channel.inputs, channel.matrix, strict=True))
    alike = not policy.is_constrained and policy.values is None
    if alike and isinstance(query, LinearQuery) and not isinstance(query.weight(values[0]), tuple):
        return _noisy_sum(rows, policy, query, belief)
    return _listed(rows, policy, query, belief, own)


def _best(found: Iterator[UninformedGuess]) -> UninformedGuess:
    return max(found, key=lambda guess: guess.upper)


def _guess(parts: Mapping[Hashable, Array]) -> UninformedGuess:
    """Return the best guess for the probabilities of each value (and output), up to a factor."""
    table = np.stack(list(parts.values()))
    total = table.sum()
    if not total:
        raise InvalidInput("the prior rules out every database that is possible")
    after = fraction(rational(column_maxima(table).sum() / total))
    return UninformedGuess(fraction(rational(table.sum(axis=1).max() / total)), after, after)


def _alone(channel: Channel, domain: Any, belief: Mapping[Hashable, fmpq]) -> UninformedGuess:
    """A record is answered by itself: the others tell nothing."""
    return _guess({v: belief[v] * channel.restrict([v]).matrix[0] for v in domain})


# --- a few databases -------------------------------------------------------------------------


def _listed(
    rows: Mapping[Hashable, Array],
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
    return _best(map(_guess, parts))


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
    return _guess(parts)


def _is_noisy_count(mechanism: Any, policy: Policy, query: Query | None) -> bool:
    """Say whether geometric noise is added to a count over independent records that are alike."""
    alike = not policy.is_constrained and policy.values is None
    return alike and isinstance(query, CountingQuery) and hasattr(mechanism, "step")


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
