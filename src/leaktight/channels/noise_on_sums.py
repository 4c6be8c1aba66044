"""Noise on sums: what it shows of one record, however many others there are.

If the others are known, an answer is a shift of the noise by what the record adds. So the number
of records does not matter: only the weights of one record's values do. The formulas are proved in
docs/proofs/one-person.md.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise, product
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.representation import Belief
from leaktight.channels.views import WHOEVER, AverageView, Largest, View, Views, Weigh
from leaktight.errors import TooLarge
from leaktight.exact.matrix import column_maxima
from leaktight.exact.numbers import Array, exact_array, fraction, rational, to_float
from leaktight.exact.rounding import float_above, float_below
from leaktight.labels import Labels, parts
from leaktight.limits import allowed
from leaktight.policies.average_fibre import are_alike
from leaktight.policies.fibres import weights_of
from leaktight.policies.policy import Policy
from leaktight.policies.population import Population
from leaktight.policies.symmetric_query import (
    HistogramQuery,
    LinearQuery,
    Query,
    counted_by,
    linear_of,
)

if TYPE_CHECKING:
    from leaktight.channels.additive_noise import GeometricTails, SymmetricNoise

MOST_CELLS = 10
"""The most cells of a histogram whose patterns, above the others' counts or not, are listed."""

MOST_EXACT = 64
"""The most records whose noisy count is convolved exactly; beyond, floats enclose it."""

ROUNDING = 64 * 2.0**-53
"""So much, relatively, is lost by rounding for each step: docs/proofs/one-person.md."""

MOST_PATTERNS = 2**16
"""The most combinations of where the noisy coordinates lie that are gone through."""

SUM = "the others"
"""What the others add up to, in the name of an output."""


def adds_to_sums(noise: "SymmetricNoise", policy: Policy, query: Query | None) -> bool:
    """Say whether the formulas here hold for noise on a query; see :func:`adds_up`.

    Records must be independent, but for public counts that are single numbers. All other noise goes
    by its channel.
    """
    return (not policy.is_constrained or policy.is_counted) and adds_up(noise, policy, query)


def adds_up(noise: "SymmetricNoise", policy: Policy, query: Query | None) -> bool:
    """Say whether noise is added to a sum of whole numbers, whatever is public.

    What all records leak, and how private it is, need no list of answers then; what it tells of
    one record may.

    It must be likeliest at 0, and added to a sum of whole numbers. Noise that is cut off must have
    all answers within its range. If it is not geometric, some others must leave room beyond both
    ends of what one record adds, so that cutting off hides nothing: of three records that are
    alike, one at each end does. Several sums at once have geometric noise.
    """
    linear = linear_of(query)
    if linear is None or not noise.is_unimodal:
        return False
    weights = [w for _, kind in weights_of(policy, linear) for w in kind]
    if isinstance(weights[0], tuple) and not noise.is_geometric:
        return False
    columns = list(zip(*map(parts, weights), strict=True))
    if any(isinstance(w, str) or rational(w).q != 1 for column in columns for w in column):
        return False
    if noise.places is not None:
        places = [z for z in noise.places if isinstance(z, int)]
        if len(places) < len(noise.places):
            return False
        inside = noise.is_geometric or (policy.records > 2 and policy.values is None)
        beyond = 0 if inside else 1
        for column in columns:
            least, most = policy.records * min(column), policy.records * max(column)
            if not places[0] <= least - beyond <= most + beyond <= places[-1]:
                return False
        if places[-1] - places[0] != len(places) - 1 or places != sorted(places):
            return False
    return True


@dataclass(frozen=True, slots=True)
class NoiseViews(Views):
    """A sum with noise: each value of a record shifts the noise by its weight.

    Whoever the others are, what is seen of the record is the same but for a shift.
    """

    noise: "SymmetricNoise"
    query: LinearQuery
    kinds: tuple[tuple[Labels, tuple[Any, ...]], ...]
    """For each kind of record its values, and what each adds to the answer."""

    @classmethod
    def of(cls, noise: "SymmetricNoise", policy: Policy, query: Any) -> "NoiseViews":
        """Read what each kind of record adds to the answer."""
        return cls(noise, query, tuple(weights_of(policy, query)))

    def __iter__(self) -> Iterator[View]:
        """Yield what is seen of each value, whoever the others are."""
        for values, adds in self.kinds:
            yield self._seen(values, adds), WHOEVER

    def _seen(self, values: Labels, adds: Sequence[Any]) -> Channel:
        if isinstance(adds[0], tuple):
            names, rows = self._patterns(adds)
        else:
            names, rows = places_seen(self.noise, adds)
        matrix = exact_array([p for row in rows for p in row]).reshape(len(values), -1)
        return Channel.trusted(values, tuple(names), matrix)

    def _patterns(self, weights: Sequence[tuple[int, ...]]) -> tuple[list[str], list[list[Any]]]:
        """Return which cells of a histogram can be above the others' counts, and how likely."""
        cells = self.query.cells if isinstance(self.query, HistogramQuery) else ()
        if not cells or len(cells) > MOST_CELLS:
            raise TooLarge(
                f"what is seen of one record in several counts is listed for histograms of at most "
                f"{MOST_CELLS} cells, got {len(weights[0])} counts"
            )
        above = self.noise.tail(1)
        chances = {(0, True): above, (0, False): 1 - above, (1, True): 1 - above, (1, False): above}
        patterns = list(product((False, True), repeat=len(cells)))
        rows = [
            [prod(chances[cell] for cell in zip(weight, pattern, strict=True))
             for pattern in patterns]
            for weight in weights
        ]  # fmt: skip
        up = [[str(cell) for cell, is_up in zip(cells, p, strict=True) if is_up] for p in patterns]
        return [f"more than the others in {', '.join(each) or 'no cell'}" for each in up], rows

    def largest(self, weigh: Weigh) -> Largest | None:
        """Return the largest Σ_z max_v weight(v)·P(z − w_v); a bound where places are many."""
        options = []
        for values, adds in self.kinds:
            weights = weigh(values)
            kept = [(weights[v], w, v) for v, w in zip(values, adds, strict=True) if v in weights]
            if kept:
                options.append((values, kept))
        sizes = [(self._size(kept), max(kept, key=itemgetter(0))[0], k)
                 for k, (_, kept) in enumerate(options)]  # fmt: skip
        if not sizes:
            return None
        size, _, k = max(sizes, key=lambda each: each[:2])
        return Largest(size, options[k][0], WHOEVER)

    def _size(self, kept: Sequence[tuple[fmpq, Any, Hashable]]) -> fmpq:
        """Return Σ_z max_v weight(v)·P(z − w_v): by a formula if all weights are the same."""
        scale, adds, values = zip(*kept, strict=True)
        most = max(scale)
        if min(scale) < most:
            try:
                matrix = self._seen(values, adds).matrix
                return column_maxima(exact_array(scale)[:, None] * matrix).sum()
            except TooLarge:
                pass
        size = most * rational(self._factor(adds))
        return size if min(scale) == most else min(size, sum(scale, fmpq(0)))

    def _factor(self, weights: Sequence[Any]) -> Fraction:
        if not isinstance(weights[0], tuple):
            return sum_of_maxima(self.noise, weights)
        if isinstance(self.query, HistogramQuery):
            cells = len({w for w in weights if any(w)})
            return histogram_sum_of_maxima(self.noise, cells, any(not any(w) for w in weights))
        return joint_sum_of_maxima(self.noise, weights)


def _from_sum(step: int) -> str:
    """Name an output by how far it is from what the others add up to.

    >>> _from_sum(0), _from_sum(2), _from_sum(-1)
    ('the others', 'the others + 2', 'the others − 1')
    """
    return SUM + (f" {'+' if step > 0 else '−'} {abs(step):,}" if step else "")


def places_seen(
    noise: "SymmetricNoise", weights: Sequence[int], named: Callable[[int], str] = _from_sum
) -> tuple[list[str], list[list[Fraction]]]:
    """Return where an output can lie, from the others' sum, and how likely with each weight.

    Beyond all weights, places that are a period apart tell the same.
    """
    low, high = min(weights) - noise.start, max(weights) + noise.start
    period = noise.period or 1
    if low == high and period == 1:
        return ["any output"], [[Fraction(1)] for _ in weights]
    if (high - low + 2 * period) * len(weights) > allowed(MOST_PATTERNS):
        raise TooLarge(
            f"{high - low:,} answers between the least and the largest that one record adds, and "
            f"at most {allowed(MOST_PATTERNS) // len(weights):,} are gone through; count in a "
            "larger unit"
        )
    if low == high:  # one place of its own, so that none is put together with itself
        low, high = low - 1, high + 1
    width = high - low
    beyond = [noise.repeated(k) for k in range(noise.start, width + period)]
    exactly = [noise.pmf(k) for k in range(width + 1)]
    ends, between = range(period), range(low + 1, high)
    rows = [
        [*(beyond[w - low + k - noise.start] for k in reversed(ends)),
         *(exactly[abs(z - w)] for z in between),
         *(beyond[high - w + k - noise.start] for k in ends)]
        for w in weights
    ]  # fmt: skip
    each = "" if period == 1 else f" by steps of {period:,}"
    return [
        *(f"{named(low - k)} or less{each}" for k in reversed(ends)),
        *map(named, between),
        *(f"{named(high + k)} or more{each}" for k in ends),
    ], rows


def sum_of_maxima(noise: "SymmetricNoise", weights: Sequence[int]) -> Fraction:
    """Return Σ_z max_v P(z − w_v) for whole weights: 1 and the distances between neighbours."""
    ordered = sorted(set(weights))
    gaps = Counter(b - a for a, b in pairwise(ordered))
    steps = (n * rational(noise.shift_distance(gap)) for gap, n in gaps.items())
    return fraction(sum(steps, fmpq(1)))


def joint_sum_of_maxima(noise: "SymmetricNoise", weights: Sequence[tuple[int, ...]]) -> Fraction:
    """Return Σ_z max_v Π_i P(z_i − w_vi) for tuples of weights, with noise of its own on each.

    A coordinate matters by where it lies among the weights: at or below the least, at or above the
    largest, or between them. For a histogram :func:`histogram_sum_of_maxima` is the same.
    """
    columns = [sorted(set(column)) for column in zip(*weights, strict=True)]
    if prod(column[-1] - column[0] + 1 for column in columns) > allowed(MOST_PATTERNS):
        raise TooLarge(
            f"noise on {len(columns)} counts at once lies in more than {allowed(MOST_PATTERNS):,} "
            "different places; fewer counts, or a histogram"
        )
    tables = [
        [dict(zip(column, place, strict=True)) for place in zip(*rows, strict=True)]
        for column in columns
        for _, rows in [places_seen(noise, column)]
    ]
    total = Fraction(0)
    for places in product(*tables):
        total += max(
            prod((place[w] for place, w in zip(places, row, strict=True)), start=Fraction(1))
            for row in weights
        )
    return total


def histogram_sum_of_maxima(noise: "SymmetricNoise", cells: int, absent: bool) -> Fraction:
    """Return Σ_z max_v K(z|v) for a histogram of so many cells, each with geometric noise.

    A record in cell v makes an output 1/α times likelier if z_v ≥ 1, and α times if not, where
    α = tail(1)/tail(0). So only matters whether some cell is at 1 or above. A record that may be
    ``absent`` changes nothing.
    """
    chance = noise.tail(1)  # that a cell is at 1 or above, without the record
    alpha = chance / (1 - chance)
    none = (1 - chance) ** cells
    return (1 - none) / alpha + none * (1 if absent else alpha)


# --- a count over many records, nobody known -------------------------------------------------


def is_on_large_count(noise: "GeometricTails", policy: Policy, query: Query | None) -> bool:
    """Say whether geometric noise is added to a count over many records that are alike.

    Where counts are public, noise must not be cut off where any database has its answer.
    """
    if counted_by(query) is None or not (noise.is_geometric and are_alike(policy)):
        return False
    everything = Policy(policy.secrets, policy.records)
    return policy.records > MOST_EXACT and any(
        adds_to_sums(noise, each, query) for each in (policy, everything)
    )


def noisy_count(noise: "GeometricTails", policy: Policy, query: Any, belief: Belief) -> AverageView:
    """Enclose the guess in floats: all terms are positive, so rounding is relatively small."""
    people = Population.of(policy, tuple(belief.values()))
    before = max(people.before().values())
    counted = [query.weight(name) for name in policy.secrets.vertices]
    if people.sum_is_known(counted):
        return AverageView(fraction(before), fraction(before), fraction(before))
    others = people.counts_of_others(counted)
    lines, within = others.on_a_line(), people.within()
    seen = []
    for cell, line in zip(people.cells, lines, strict=True):
        for own in (0, 1):
            most = max((within[v] for v in cell if v in within and counted[v] == own), default=None)
            if most:
                seen.append(to_float(most) * _noisy(np.roll(line, own), 1 / noise.step))
    after = rational(float(np.max(seen, axis=0).sum()))
    slack = fmpq(1) + rational(ROUNDING) * (others.steps + len(lines[0]))
    lower = max(before, after * (1 - others.lost) / slack)
    upper = min(fmpq(1), after * slack + others.lost)
    return AverageView(float_below(lower), float_above(upper), fraction(before))


def _noisy(count: Array, fall: Fraction) -> Array:
    """Return what is seen of a count from 0 to m with noise.

    The outputs are: 0 or less, 1 to m − 1, and m or more. Beyond all counts, all outputs have the
    same likelihoods up to a factor, so nothing is lost by taking them together.
    """
    c = float(fall)
    centre, end = float((1 - fall) / (1 + fall)), float(1 / (1 + fall))
    up, down = _falling(count, c), _falling(count[::-1], c)[::-1]
    inside = centre * (up[1:-1] + c * down[2:])
    return np.concatenate([[end * down[0]], inside, [end * up[-1]]])


def _falling(count: Array, c: float) -> Array:
    """Return Σ_k≤z count_k·c^(z−k) for each z; scipy.signal would do it, and load 500 modules."""
    return np.array(list(accumulate(count.tolist(), lambda before, here: here + c * before)))
