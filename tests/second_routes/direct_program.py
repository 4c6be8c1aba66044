"""The plain program over all entries of a channel, with a constraint for every pair of values."""

import math
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from leaktight.policies.metric import Metric


def best_by_definition(metric: Metric, epsilon: float, earned: npt.NDArray[Any]) -> float:
    """The plain linear program, with a constraint for every pair of values and every guess."""
    n, m = metric.order, len(earned)
    rows = []
    for i, h in permutations(range(n), 2):
        apart = float(metric.distance(metric.values[i], metric.values[h])[0])
        for z in range(m):
            row = np.zeros(n * m)
            row[i * m + z], row[h * m + z] = math.exp(-epsilon * apart), -1
            rows.append(row)
    sums = np.kron(np.eye(n), np.ones(m))
    found = linprog(
        -earned.T.ravel(), A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=sums, b_eq=np.ones(n)
    )
    value: Any = found.fun
    return -float(value)
