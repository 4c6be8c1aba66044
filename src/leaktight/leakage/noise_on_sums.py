"""How much do noisy sums tell of one record, however many others there are?

If the others are known, an answer is a shift of the noise by what the record adds. So the number
of records does not matter: only the weights of one record's values do. The formulas are proved in
docs/proofs/one-person.md.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import Protocol

from leaktight.errors import TooLarge

MOST_PATTERNS = 2**16
"""The most combinations of where the noisy coordinates lie that are gone through."""


class Noise(Protocol):
    """Noise on whole numbers: symmetric, and the less likely the farther from 0."""

    def tail(self, k: int) -> Fraction:
        """Return the chance that ``k`` or more is added."""


def shift_distance(noise: Noise, gap: int) -> Fraction:
    """Return the total variation distance between the noise and the noise shifted by ``gap``.

    The nearer of the two centres makes an output likelier, and in the middle both are alike.
    """
    return 1 - noise.tail(gap // 2 + 1) - noise.tail(gap - gap // 2)


def sum_of_maxima(noise: Noise, weights: Sequence[int]) -> Fraction:
    """Return Σ_z max_v P(z − w_v) for whole weights: 1 and the distances between neighbours."""
    ordered = sorted(set(weights))
    return 1 + sum((shift_distance(noise, b - a) for a, b in pairwise(ordered)), Fraction(0))


def expected_maximum(noise: Noise, weights: Sequence[int], prior: Sequence[Fraction]) -> Fraction:
    """Return Σ_z max_v π_v·P(z − w_v), the chance of a right guess under a prior.

    Between the least and the largest weight outputs are gone through one by one; beyond them the
    same guess is best everywhere, if the noise falls off by a constant factor from 1 on.
    """
    best: dict[int, Fraction] = {}
    for weight, chance in zip(weights, prior, strict=True):
        best[weight] = max(chance, best.get(weight, chance))
    least, most = min(best), max(best)
    if (most - least) * len(best) > MOST_PATTERNS:
        raise TooLarge(
            f"{most - least:,} answers between the least and the largest that one record adds, "
            f"and at most {MOST_PATTERNS // len(best):,} are gone through; count in a larger unit"
        )
    exactly = [noise.tail(k) - noise.tail(k + 1) for k in range(most - least + 1)]
    inside = sum(
        max(chance * exactly[abs(z - weight)] for weight, chance in best.items())
        for z in range(least, most + 1)
    )
    below = max(chance * noise.tail(weight - least + 1) for weight, chance in best.items())
    above = max(chance * noise.tail(most - weight + 1) for weight, chance in best.items())
    return inside + below + above


def joint_sum_of_maxima(noise: Noise, weights: Sequence[tuple[int, ...]]) -> Fraction:
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


def _by_place(noise: Noise, column: list[int]) -> list[dict[int, Fraction]]:
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


def histogram_sum_of_maxima(noise: Noise, cells: int, absent: bool) -> Fraction:
    """Return Σ_z max_v K(z|v) for a histogram of so many cells, each with geometric noise.

    A record in cell v makes an output 1/α times likelier if z_v ≥ 1, and α times if not, where
    α = tail(1)/tail(0). So only matters whether some cell is at 1 or above. A record that may be
    ``absent`` changes nothing.
    """
    chance = noise.tail(1)  # that a cell is at 1 or above, without the record
    alpha = chance / (1 - chance)
    none = (1 - chance) ** cells
    return (1 - none) / alpha + none * (1 if absent else alpha)
