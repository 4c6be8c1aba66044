"""Points that some permutations carry into one another.

The orbits of a group are the connected components of the graph that joins each point to its
image under each generator. So a group of any size costs a few passes over the points.
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from leaktight.policies.graph import Indices, linked

Points: TypeAlias = npt.NDArray[np.int32]
"""Points by their numbers, or for each point the number of its orbit."""


def label_orbits(points: int, moved: Iterable[tuple[Points, Points]]) -> Points:
    """Number the orbits of permutations of 0, …, points − 1, each given by what it moves whereto.

    Orbits count in the order of their first points. Permutations that move little are gathered
    until they are worth a pass over all points.

    >>> label_orbits(5, [(np.array([1, 4], dtype=np.int32), np.array([4, 1], dtype=np.int32))])
    array([0, 1, 2, 3, 1], dtype=int32)
    """
    labels, count = np.arange(points, dtype=np.int32), points
    for batch in _batches(moved, points):
        here, there = (labels[np.concatenate(ends)] for ends in zip(*batch, strict=True))
        apart = here != there
        classes = linked(count, here[apart], there[apart])
        count = int(classes.max(initial=-1)) + 1
        labels = classes[labels]
    labels.flags.writeable = False
    return labels


def _batches(
    moved: Iterable[tuple[Points, Points]], size: int
) -> Iterator[list[tuple[Points, Points]]]:
    """Gather moves until together they move half of ``size`` points."""
    batch: list[tuple[Points, Points]] = []
    for move in moved:
        batch.append(move)
        if sum(len(here) for here, _ in batch) >= size // 2:
            yield batch
            batch = []
    if batch:
        yield batch


def moves(rows: Indices, columns: Indices) -> tuple[Points, Points]:
    """Return the cells of a grid that permutations of its rows and columns move, and whereto.

    >>> moves(np.array([0, 1]), np.array([0, 2, 1]))  # the rows stay
    (array([1, 2, 4, 5], dtype=int32), array([2, 1, 5, 4], dtype=int32))
    """
    n = len(columns)
    moving = rows != np.arange(len(rows))
    r, f, c = (np.flatnonzero(m) for m in (moving, ~moving, columns != np.arange(n)))
    here = _cells(r, np.arange(n), n), _cells(f, c, n)
    there = _cells(rows[r], columns, n), _cells(f, columns[c], n)
    return np.concatenate(here), np.concatenate(there)


def _cells(rows: Indices, columns: Indices, width: int) -> Points:
    return np.add.outer((rows * width).astype(np.int32), columns.astype(np.int32)).ravel()
