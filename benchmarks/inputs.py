"""What do several cases work on? Mechanisms, graphs, and the plain linear program."""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

import leaktight as lt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@cache
def truncated_geometric(n: int, epsilon: float) -> Floats:
    """The geometric mechanism on 0, …, n−1 with the tails moved to the ends."""
    q = math.exp(-epsilon)
    i = np.arange(n)
    matrix = q ** np.abs(i[:, None] - i) * (1 - q) / (1 + q)
    matrix[:, 0], matrix[:, -1] = q**i / (1 + q), q ** (n - 1 - i) / (1 + q)
    return matrix


@cache
def geometric_edges(n: int, seed: int, degree: float) -> Indices:
    """The edges of a connected graph on random points of the square, joined if they are near."""
    points = np.random.default_rng(seed).random((n, 2))
    apart = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    near = math.sqrt(degree / (math.pi * n))
    while True:
        edges = np.argwhere(np.triu(apart < near, 1))
        if lt.Graph.from_indices(n, edges).is_connected:
            return edges
        near *= 1.02


def tree(n: int) -> lt.Graph:
    """A random tree: each vertex is joined to an earlier one."""
    return lt.Graph.from_indices(n, _tree_edges(n))


@cache
def _tree_edges(n: int) -> Indices:
    rng = np.random.default_rng(3)
    return np.array([(rng.integers(i), i) for i in range(1, n)])


@dataclass(frozen=True)
class PlainProgram:
    """The least Σ c_iw·K_iw over all private channels, with a variable for each entry.

    ``rows`` has +1 at (i, w) and −λ at (h, w) for each arc i → h and each output w, at most 0;
    ``sums`` adds up the outputs of each input, which must give 1.
    """

    cost: Floats
    rows: Any
    sums: Any

    @classmethod
    def of(cls, edges: Indices, cost: Floats, ratio: float) -> "PlainProgram":
        """Write the program down for the edges of a graph on the rows of ``cost``."""
        from scipy.sparse import csr_array

        n, m = cost.shape
        arcs = np.concatenate([edges, edges[:, ::-1]])
        places = (arcs[:, None, :] * m + np.arange(m)[None, :, None]).ravel()
        values = np.tile([1.0, -ratio], len(places) // 2)
        rows = csr_array((values, places, np.arange(0, len(places) + 1, 2)))
        sums = csr_array((np.ones(n * m), np.arange(n * m), np.arange(0, n * m + 1, m)))
        return cls(cost.ravel(), rows, sums)

    def loaded(self) -> Any:
        """Give it to HiGHS."""
        from scipy.sparse import vstack

        below, ones = np.zeros(self.rows.shape[0]), np.ones(self.sums.shape[0])
        matrix = vstack([self.rows, self.sums], format="csr")
        least = np.concatenate([below - np.inf, ones])
        return loaded(self.cost, matrix, least, np.concatenate([below, ones]))


def loaded(cost: Floats, matrix: Any, lower: Floats, upper: Floats) -> Any:
    """Give HiGHS the program min c·x, lower ≤ A·x ≤ upper, x ≥ 0.

    It is to use interior points without crossover, the quickest way to an estimate.
    """
    import highspy

    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = matrix.shape
    lp.col_cost_ = cost
    lp.col_lower_, lp.col_upper_ = np.zeros(len(cost)), np.full(len(cost), np.inf)
    lp.row_lower_, lp.row_upper_ = lower, upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = matrix.indptr
    lp.a_matrix_.index_ = matrix.indices
    lp.a_matrix_.value_ = matrix.data
    highs = highspy.Highs()
    highs.silent()
    highs.setOptionValue("solver", "ipm")
    highs.setOptionValue("run_crossover", "off")
    highs.passModel(lp)
    return highs


def solver(highs: Any) -> float:
    """Run HiGHS on a program that it holds, and return its estimate of the least value."""
    highs.run()
    return float(highs.getInfo().objective_function_value)


def scipy_lp(program: PlainProgram) -> float:
    """Return scipy's least value: HiGHS with its default, the dual simplex method."""
    from scipy.optimize import linprog

    rows, sums = program.rows, program.sums
    below, ones = np.zeros(rows.shape[0]), np.ones(sums.shape[0])
    found = linprog(program.cost, rows, below, sums, ones, method="highs")
    if found.fun is None:
        raise ArithmeticError(found.message)
    return float(found.fun)
