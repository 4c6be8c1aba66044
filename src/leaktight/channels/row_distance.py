"""The rows of a channel that are farthest apart."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from leaktight.channels.channel import Channel, expect_channel
from leaktight.channels.deterministic import Seen
from leaktight.channels.distance import largest_quotient, multiplicative_distance, total_variation
from leaktight.channels.distribution import Distribution
from leaktight.channels.kantorovich import along_the_line, kantorovich
from leaktight.errors import InvalidInput
from leaktight.exact.numbers import Array, Value, float_array, is_exact


@dataclass(frozen=True, slots=True)
class RowDistance:
    """The largest distance between two rows of a channel, and which they are."""

    value: Value
    pair: tuple[Hashable, Hashable]


def largest_row_distance(
    channel: Channel, distance: Callable[[Distribution, Distribution], Value] = total_variation
) -> RowDistance:
    """Return the pair of inputs whose rows are farthest apart.

    ``distance`` is one of this room, which are quick, or any other.

    >>> channel = Channel([["1/2", "1/2"], ["1/3", "2/3"], ["1/4", "3/4"]], inputs=["a", "b", "c"])
    >>> largest_row_distance(channel)
    RowDistance(value=Fraction(1, 4), pair=('a', 'c'))
    >>> largest_row_distance(channel, multiplicative_distance)
    RowDistance(value=Fraction(2, 1), pair=('a', 'c'))
    """
    inputs, function = expect_channel(channel).inputs, channel.function
    if not callable(distance):
        raise InvalidInput(f"a distance must be a function of two rows, got {distance!r:.60}")
    if len(inputs) == 1:
        i, j = 0, 0
    elif distance in (total_variation, multiplicative_distance) and function is not None:
        i, j = _apart(function.seen, function.seen)
    elif distance is multiplicative_distance:
        matrix = channel.matrix
        z = largest_quotient(matrix.max(axis=0), matrix.min(axis=0))[1]
        i, j = sorted((int(matrix[:, z].argmax()), int(matrix[:, z].argmin())))
    elif distance is total_variation:
        i, j = _farthest(channel.matrix, channel.matrix)
    elif distance is kantorovich:
        steps = along_the_line(channel.matrix, channel.outputs)
        i, j = _farthest(steps, steps)
    else:
        rows = [channel.row(x) for x in inputs]
        i, j = max(
            combinations(range(len(rows)), 2), key=lambda two: distance(rows[two[0]], rows[two[1]])
        )
    x, y = inputs[i], inputs[j]
    return RowDistance(distance(channel.row(x), channel.row(y)), (x, y))


def largest_row_distance_between(
    channel: Channel, some: Iterable[Hashable], others: Iterable[Hashable]
) -> RowDistance:
    """Return the largest total variation between the row of one of ``some`` and one of ``others``.

    >>> channel = Channel([["1/2", "1/2"], ["1/3", "2/3"], ["1/4", "3/4"]], inputs=["a", "b", "c"])
    >>> largest_row_distance_between(channel, ["a", "b"], ["c"])
    RowDistance(value=Fraction(1, 4), pair=('a', 'c'))
    """
    left, right = channel.restrict(some), channel.restrict(others)
    if left.function is not None and right.function is not None:
        i, j = _apart(left.function.seen, right.function.seen)
    else:
        i, j = _farthest(left.matrix, right.matrix)
    x, y = left.inputs[i], right.inputs[j]
    return RowDistance(total_variation(channel.row(x), channel.row(y)), (x, y))


def _farthest(rows: Array, others: Array) -> tuple[int, int]:
    """Return the row and the other row with the largest Σ |difference|, the first if many."""
    from scipy.spatial.distance import cdist

    floats = float_array(rows), float_array(others)
    sums = cdist(*floats, "cityblock")
    if rows is others:
        np.fill_diagonal(sums, -1)  # two different rows are asked for
    if not is_exact(rows):
        return divmod(int(sums.argmax()), len(others))
    # Each sum is off by no more than this, so only those near the largest need exact numbers.
    size = np.abs(np.concatenate(floats)).max(axis=0).sum()
    error = (rows.shape[1] + 4) * np.finfo(float).eps * 2 * size
    near = np.argwhere(~(sums < sums.max() - 2 * error)).tolist()
    i, j = max(near, key=lambda pair: np.abs(rows[pair[0]] - others[pair[1]]).sum())
    return i, j


def _apart(seen: Seen, others: Seen) -> tuple[int, int]:
    """Return where one and another show different outputs; if there are none, any two."""
    if (differ := others != seen[0]).any():
        return 0, int(differ.argmax())
    i = int((seen != seen[0]).argmax())
    return i, int(seen is others)
