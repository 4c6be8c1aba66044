"""How much do noisy sums tell of one record, however many others there are?

If the others are known, an answer is a shift of the noise by what the record adds. So the number
of records does not matter: only the weights of one record's values do. The formulas are proved in
docs/proofs/one-person.md.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import Any

from flint import fmpq

from leaktight.channels.additive_noise import GeometricTails
from leaktight.errors import TooLarge
from leaktight.exact.numbers import fraction, rational
from leaktight.policies.one_record import weights_of
from leaktight.policies.policy import Policy
from leaktight.policies.symmetric_query import LinearQuery, Query

MOST_PATTERNS = 2**16
"""The most combinations of where the noisy coordinates lie that are gone through."""

SUM = "the others"
"""What the others add up to, in the name of an output."""


def added_noise(mechanism: Any, policy: Policy, query: Query | None) -> GeometricTails | None:
    """Return the noise of a mechanism that adds it to a sum of whole numbers; None if it does not.

    The formulas of docs/proofs/one-person.md hold for noise with geometric tails that is likeliest
    at 0, and all other noise goes by its channel. Noise that is cut off must have all answers
    within its range. If it is not geometric, some others must leave room beyond both ends of what
    one record adds, so that cutting off hides nothing: of three records that are alike, one at each
    end does. Several sums at once have geometric noise.
    """
    if policy.is_constrained and not policy.is_counted:
        return None
    return listless_noise(mechanism, policy, query)


def listless_noise(mechanism: Any, policy: Policy, query: Query | None) -> GeometricTails | None:
    """Return the noise of ``added_noise`` whatever is public.

    What all records leak, and how private it is, need no list of answers then; what it tells of
    one record may.
    """
    if not (isinstance(query, LinearQuery) and isinstance(mechanism, GeometricTails)):
        return None
    if not mechanism.is_unimodal:
        return None
    return mechanism if _stays_inside(mechanism, policy, query) else None


def _stays_inside(mechanism: GeometricTails, policy: Policy, query: LinearQuery) -> bool:
    """Say whether whole numbers are added up, and noise that is cut off hides none of them."""
    weights = [w for _, kind in weights_of(policy, query) for w in kind]
    if isinstance(weights[0], tuple) and not mechanism.is_geometric:
        return False
    columns = list(zip(*(w if isinstance(w, tuple) else (w,) for w in weights), strict=True))
    if any(isinstance(w, str) or rational(w).q != 1 for column in columns for w in column):
        return False
    if mechanism.places is not None:
        places = [z for z in mechanism.places if isinstance(z, int)]
        if len(places) < len(mechanism.places):
            return False
        inside = mechanism.is_geometric or (policy.records > 2 and policy.values is None)
        beyond = 0 if inside else 1
        for column in columns:
            least, most = policy.records * min(column), policy.records * max(column)
            if not places[0] <= least - beyond <= most + beyond <= places[-1]:
                return False
        if places[-1] - places[0] != len(places) - 1 or places != sorted(places):
            return False
    return True


def places_seen(
    noise: GeometricTails, weights: Sequence[int]
) -> tuple[list[str], list[list[Fraction]]]:
    """Return where an output can lie, from the others' sum, and how likely with each weight.

    Beyond all weights every place tells the same, if noise falls off by a constant factor there:
    from 1 on, and geometric noise from 0 on.
    """
    beyond = 0 if noise.is_geometric else 1
    low, high = min(weights) - beyond, max(weights) + beyond
    if low == high:
        return ["any output"], [[Fraction(1)] for _ in weights]
    if (high - low) * len(weights) > MOST_PATTERNS:
        raise TooLarge(
            f"{high - low:,} answers between the least and the largest that one record adds, and "
            f"at most {MOST_PATTERNS // len(weights):,} are gone through; count in a larger unit"
        )
    tails = [noise.tail(k) for k in range(high - low + 1)]
    between = range(low + 1, high)
    rows = [
        [tails[w - low], *(tails[abs(z - w)] - tails[abs(z - w) + 1] for z in between),
         tails[high - w]]
        for w in weights
    ]  # fmt: skip
    names = [f"{_from_sum(low)} or less", *map(_from_sum, between), f"{_from_sum(high)} or more"]
    return names, rows


def _from_sum(step: int) -> str:
    """Name an output by how far it is from what the others add up to.

    >>> _from_sum(0), _from_sum(2), _from_sum(-1)
    ('the others', 'the others + 2', 'the others − 1')
    """
    return SUM + (f" {'+' if step > 0 else '−'} {abs(step):,}" if step else "")


def shift_distance(noise: GeometricTails, gap: int) -> Fraction:
    """Return the total variation distance between the noise and the noise shifted by ``gap``.

    The nearer of the two centres makes an output likelier, and in the middle both are alike.
    """
    # Long fractions are added much quicker by flint.
    below, above = (rational(noise.tail(k)) for k in (gap // 2 + 1, gap - gap // 2))
    return fraction(1 - below - above)


def sum_of_maxima(noise: GeometricTails, weights: Sequence[int]) -> Fraction:
    """Return Σ_z max_v P(z − w_v) for whole weights: 1 and the distances between neighbours."""
    ordered = sorted(set(weights))
    gaps = Counter(b - a for a, b in pairwise(ordered))
    steps = (n * rational(shift_distance(noise, gap)) for gap, n in gaps.items())
    return fraction(sum(steps, fmpq(1)))


def joint_sum_of_maxima(noise: GeometricTails, weights: Sequence[tuple[int, ...]]) -> Fraction:
    """Return Σ_z max_v Π_i P(z_i − w_vi) for tuples of weights, with noise of its own on each.

    A coordinate matters by where it lies among the weights: at or below the least, at or above the
    largest, or between them. For a histogram :func:`histogram_sum_of_maxima` is the same.
    """
    columns = [sorted(set(column)) for column in zip(*weights, strict=True)]
    if prod(column[-1] - column[0] + 1 for column in columns) > MOST_PATTERNS:
        raise TooLarge(
            f"noise on {len(columns)} counts at once lies in more than {MOST_PATTERNS:,} "
            "different places; fewer counts, or a histogram"
        )
    tables = [_by_place(noise, column) for column in columns]
    total = Fraction(0)
    for places in product(*tables):
        total += max(
            prod((place[w] for place, w in zip(places, row, strict=True)), start=Fraction(1))
            for row in weights
        )
    return total


def _by_place(noise: GeometricTails, column: list[int]) -> list[dict[int, Fraction]]:
    """Return for each place of an output how likely it is with each weight."""
    least, most = column[0], column[-1]
    ends = [{w: noise.tail(w - least) for w in column}, {w: noise.tail(most - w) for w in column}]
    if least == most:
        return [{least: Fraction(1)}]
    between = [
        {w: noise.tail(abs(z - w)) - noise.tail(abs(z - w) + 1) for w in column}
        for z in range(least + 1, most)
    ]
    return [*ends, *between]


def histogram_sum_of_maxima(noise: GeometricTails, cells: int, absent: bool) -> Fraction:
    """Return Σ_z max_v K(z|v) for a histogram of so many cells, each with geometric noise.

    A record in cell v makes an output 1/α times likelier if z_v ≥ 1, and α times if not, where
    α = tail(1)/tail(0). So only matters whether some cell is at 1 or above. A record that may be
    ``absent`` changes nothing.
    """
    chance = noise.tail(1)  # that a cell is at 1 or above, without the record
    alpha = chance / (1 - chance)
    none = (1 - chance) ** cells
    return (1 - none) / alpha + none * (1 if absent else alpha)
