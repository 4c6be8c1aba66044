"""How long does an exact, proved worst case take, beside the plain linear program?

Run with ``python -m benchmarks.columns``. Random geometric graphs at ε = 1. The peer is the direct
linear program, max Σ_j K_jj with a variable for each entry, given to HiGHS as it is: its
interior-point method without crossover, which returns an estimate in floating point.
"""

import math

import numpy as np

from benchmarks.timing import growth, once, show
from leaktight.graph import Graph
from leaktight.ratio import Ratio
from leaktight.worst_case.columns import column_optimum


def geometric_graph(n: int, seed: int, degree: float = 6.0) -> Graph:
    """Return a connected graph on random points of the square, joined if they are near."""
    points = np.random.default_rng(seed).random((n, 2))
    apart = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    near = math.sqrt(degree / (math.pi * n))
    while True:
        graph = Graph.from_indices(n, np.argwhere(np.triu(apart < near, 1)))
        if graph.is_connected:
            return graph
        near *= 1.02


def direct(graph: Graph, ratio: float) -> float:
    """Return the estimate of HiGHS for the direct linear program."""
    import highspy

    n = graph.order
    arcs = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    count = len(arcs) * n
    tails, heads = ((arcs[:, side, None] * n + np.arange(n)[None, :]).ravel() for side in (0, 1))
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = count + n, n * n
    lp.col_cost_ = -np.eye(n).ravel()
    lp.col_lower_, lp.col_upper_ = np.zeros(n * n), np.full(n * n, highspy.kHighsInf)
    lp.row_lower_ = np.concatenate([np.full(count, -highspy.kHighsInf), np.ones(n)])
    lp.row_upper_ = np.concatenate([np.zeros(count), np.ones(n)])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    ends = np.stack([tails, heads], axis=1).ravel()
    lp.a_matrix_.start_ = np.concatenate([2 * np.arange(count), 2 * count + n * np.arange(n + 1)])
    lp.a_matrix_.index_ = np.concatenate([ends, np.arange(n * n)])
    lp.a_matrix_.value_ = np.concatenate([np.tile([1.0, -ratio], count), np.ones(n * n)])
    highs = highspy.Highs()
    highs.silent()
    highs.setOptionValue("solver", "ipm")
    highs.setOptionValue("run_crossover", "off")
    highs.passModel(lp)
    highs.run()
    return -float(highs.getInfo().objective_function_value)


def main() -> None:
    """Print a line for each graph: our time, and how many times as long the peer takes."""
    ratio = Ratio.of(epsilon=1).lower
    sizes = (20, 40, 60, 80, 100)
    curves: dict[str, list[float]] = {"exact, with certificate": [], "HiGHS ipm, estimate": []}
    for n in sizes:
        for seed in (1, 2):
            graph = geometric_graph(n, seed)
            ours = once(lambda graph=graph: column_optimum(graph, ratio))  # type: ignore[misc]
            plain = once(lambda graph=graph: direct(graph, float(ratio)))  # type: ignore[misc]
            task = f"geometric graph, {n} vertices, {graph.size} edges, seed {seed}"
            show(task, ours, {"HiGHS ipm, estimate": plain})
        curves["exact, with certificate"].append(ours)
        curves["HiGHS ipm, estimate"].append(plain)
    growth("worst case", sizes, curves)


if __name__ == "__main__":
    main()
