"""How far is the farthest vertex, without a search from every one?"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]

PROBED = 16
"""One in so many vertices may be a source from which all eccentricities are bounded."""


def bounded_eccentricities(
    labels: Indices, steps_from: Callable[[Indices], Indices]
) -> tuple[Indices, Indices]:
    """Return lower bounds on all eccentricities, and where they may be less than that.

    A vertex at d steps from a source of eccentricity e has one of at least max(d, e − d) and at
    most e + d ([Takes2013]_). The sources are, by turns, those of the least lower and of the
    largest upper bound, one in each component that is not settled. ``labels`` are the components,
    and ``steps_from`` the distances from some sources to all vertices, −1 for no path.
    """
    order = len(labels)
    lower, upper = np.zeros(order, dtype=np.int64), np.full(order, order)
    unsettled = np.arange(order)
    for probe in range(order // PROBED):
        bound = -upper[unsettled] if probe % 2 else lower[unsettled]
        ranked = unsettled[np.lexsort((bound, labels[unsettled]))]
        _, first = np.unique(labels[ranked], return_index=True)
        steps = steps_from(ranked[first])
        farthest = np.full(int(labels.max()) + 1, -1)
        np.maximum.at(farthest, labels, steps)
        there = np.where(steps < 0, order, farthest[labels] + steps)
        lower = np.maximum(lower, np.maximum(steps, farthest[labels] - steps))
        upper = np.minimum(upper, there)
        unsettled = np.flatnonzero(lower < upper)
        if not len(unsettled):
            break
    return lower, unsettled
