"""Bounds of a right guess, by what n observations cannot tell apart.

No output is more than r(x, h) times as likely for input x as for h, so n outputs together are not
more than r(x, h)^n times. Whatever is seen, prices y ≥ 0 with Σ_h y_h·r(x, h)^(−n) ≥ π_x for all x
are worth more than the best guess: its chance is at most Σ y. It is the cover bound of
docs/proofs/cover-bound.md with a ratio for each pair, and costs the same for every n.
"""

import math
from fractions import Fraction

import numpy as np

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.exact.numbers import Array, float_array, fraction, rational
from leaktight.exact.threads import one_thread

MOST_ENTRIES = 2**27
"""The most pairs of inputs, times outputs, that are compared."""

SMALLEST = 2.0**-1000
"""Floats below this may have lost digits."""

MOST_SOLVED = 128
"""The most inputs for which the best prices are looked for if those of equality are negative."""


def guaranteed_success(channel: Channel, prior: Distribution, n: int) -> Fraction:
    """Return a chance that the best guess of the input does not exceed after n observations.

    >>> from leaktight.mechanisms.geometric import TruncatedGeometric
    >>> noisy = TruncatedGeometric(range(60), ratio="11/10").channel
    >>> float(guaranteed_success(noisy, Distribution.uniform(60), 3)) < 0.157
    True
    """
    inputs, outputs = channel.shape
    if inputs * inputs * outputs > MOST_ENTRIES:
        return Fraction(1)
    matrix = float_array(channel.matrix)
    if ((matrix < SMALLEST) & (channel.matrix != 0)).any():
        return Fraction(1)  # floats would not tell such entries apart
    kept = _kept(matrix, n)
    wanted = float_array(prior.array)
    return min(Fraction(1), *(_worth(prices, kept, wanted) for prices in _prices(kept, wanted)))


def _kept(matrix: Array, n: int) -> Array:
    """Return floats below r(x, h)^(−n), one row for each x."""
    rows = []
    for row in matrix:
        seen = row > 0
        with np.errstate(divide="ignore"):
            least = (matrix[:, seen] / row[seen]).min(axis=1)  # 1/r(x, h)
        rows.append(least)
    # Two roundings to floats and one division each; a power errs by less than n + 2 more.
    shrunk = np.stack(rows) ** n * (1 - (8 * n + 16) * 2.0**-53)
    return np.where(shrunk < SMALLEST, 0.0, shrunk)


@one_thread()
def _prices(kept: Array, wanted: Array) -> list[Array]:
    """Propose prices: the prior itself, those that are just enough everywhere, and the best."""
    proposals = [wanted]
    try:
        equal = np.linalg.solve(kept, wanted)
    except np.linalg.LinAlgError:
        equal = wanted
    if np.isfinite(equal).all():
        proposals.append(np.maximum(equal, 0.0))
    if (equal < 0).any() and len(kept) <= MOST_SOLVED:
        from scipy.optimize import linprog

        found = linprog(np.ones(len(kept)), A_ub=-kept, b_ub=-wanted, method="highs")
        if found.x is not None:
            proposals.append(np.maximum(found.x, 0.0))
    return proposals


def _worth(prices: Array, kept: Array, wanted: Array) -> Fraction:
    """Return the sum of the prices, raised until they are enough everywhere, rounded up."""
    size = len(prices)
    covered = kept @ prices * (1 - (4 * size + 16) * 2.0**-53)
    needed = wanted > 0
    if (covered[needed] <= 0).any():
        return Fraction(1)
    raise_by = (wanted[needed] / covered[needed]).max() * (1 + 2.0**-50)
    total = math.fsum(prices) * raise_by * (1 + 2.0**-50)
    return fraction(rational(total)) if math.isfinite(total) else Fraction(1)
