"""The best private mechanism: leaktight beside libqif, in one run.

libqif is told which pairs follow from others, so that it has constraints for neighbours only. What
it returns is measured by our exact verifier: its true ε stands beside its time. It is given up
after a minute.

    python -m benchmarks.design [--quick]
"""

import math
import sys
import time
from collections.abc import Callable, Hashable
from concurrent.futures import ProcessPoolExecutor, TimeoutError
from typing import Any

import networkx
import numpy as np

import leaktight as lt

PATIENCE = 60.0


def theirs(
    graph: lt.Graph, prior: lt.Distribution, loss: Any, epsilon: float
) -> tuple[float, str, float]:
    """Return libqif's time, the true ε of what it returns, and its expected loss."""
    import qif

    n = graph.order
    near = {tuple(edge) for edge in graph.edges.tolist()}
    apart, weights = graph.distances.tolist(), np.array([float(p) for _, p in prior.items()])
    start = time.perf_counter()
    matrix = qif.mechanism.d_privacy.min_loss_given_d(
        weights,
        n,
        lambda i, j: epsilon * apart[i][j],
        lambda w, x: loss[w, x],
        d_priv_ch=lambda i, j: (min(i, j), max(i, j)) not in near,
    )
    seconds = time.perf_counter() - start
    if matrix.shape != (n, n):
        return seconds, "no answer", math.nan
    rows = np.abs(matrix) / np.abs(matrix).sum(axis=1, keepdims=True)
    level = lt.privacy_level(lt.Channel(rows, graph.vertices), graph).epsilon
    expected = float((weights[:, None] * matrix * np.array(loss).T).sum())
    return seconds, f"true ε {level:.6g}", expected


def compare(
    name: str,
    graph: lt.Graph,
    prior: lt.Distribution,
    distance: Callable[[Any, Any], Any],
    epsilon: float,
) -> None:
    """Time both, and measure what they return."""
    loss = lt.Loss.by_distance(graph.vertices, distance)
    start = time.perf_counter()
    best = lt.optimal_mechanism(graph, prior, loss, epsilon=epsilon)
    ours = time.perf_counter() - start
    assert lt.privacy_level(best.channel, graph).holds(epsilon=epsilon)
    print(
        f"{name:34} ours {ours:7.3f} s, loss {float(best.loss):.9f}, "
        f"proved within {float(best.gap / abs(best.utility)):.0e}"
    )
    table = loss.matrix.astype(float)
    with ProcessPoolExecutor(1) as pool:
        task = pool.submit(theirs, graph, prior, table, epsilon)
        try:
            seconds, level, expected = task.result(timeout=PATIENCE)
            print(
                f"{'':34} qif  {seconds:7.3f} s, loss {expected:.9f}, {level}; "
                f"{seconds / ours:.0f}×"
            )
        except TimeoutError:
            print(f"{'':34} qif  given up after {PATIENCE:.0f} s; more than {PATIENCE / ours:.0f}×")
            for process in pool._processes.values():
                process.kill()
        except Exception as wrong:
            print(f"{'':34} qif  failed: {type(wrong).__name__}: {wrong}"[:110])


def skewed(vertices: tuple[Hashable, ...]) -> lt.Distribution:
    """A prior that grows with the square of the position."""
    return lt.Distribution.from_counts({v: (i + 1) ** 2 for i, v in enumerate(vertices)})


def repairs(count: int) -> None:
    """Matrices of an LP with noise are made private, exactly."""
    rng = np.random.default_rng(0)
    graph = lt.SecretGraph.line(20)
    distance = lt.Loss.by_distance(graph.vertices, lambda a, b: abs(a - b))
    best = lt.optimal_mechanism(graph, gain=distance, epsilon=1)
    clean = best.channel.to_numpy()
    start, lost = time.perf_counter(), 0.0
    for _ in range(count):
        noisy = clean + rng.uniform(-1e-7, 1e-7, clean.shape)
        made = lt.repair(noisy, graph, epsilon=1)
        assert made.guarantee.ratio <= best.ratio.lower
        lost = max(lost, float(lt.posterior_risk(made.channel, None, distance) - best.loss))
    seconds = (time.perf_counter() - start) / count
    print(f"repair, line of 20, noise 1e-7: {1000 * seconds:.1f} ms, loses at most {lost:.1e}")


def main() -> None:
    """Lines, complete graphs, a grid and a tree, with even and uneven priors."""
    quick = "--quick" in sys.argv
    for epsilon in (1.0, 0.1):
        for n in (10, 20, 40) if quick else (10, 20, 40, 100):
            line = lt.SecretGraph.line(n)
            for kind, prior in (
                ("uniform", lt.Distribution.uniform(line.vertices)),
                ("skewed", skewed(line.vertices)),
            ):
                compare(
                    f"line {n}, |a−b|, ε={epsilon}, {kind}",
                    line,
                    prior,
                    lambda a, b: abs(a - b),
                    epsilon,
                )
    for n in (10, 40) if quick else (10, 40, 100):
        everyone = lt.SecretGraph.complete(n)
        for kind, prior in (
            ("uniform", lt.Distribution.uniform(everyone.vertices)),
            ("skewed", skewed(everyone.vertices)),
        ):
            compare(
                f"complete {n}, right or wrong, {kind}",
                everyone,
                prior,
                lambda a, b: int(a != b),
                1.0,
            )
    grid = lt.SecretGraph.grid(6, 6)
    tree = lt.Graph(40, list(networkx.random_labeled_tree(40, seed=3).edges))
    for kind, make in (("uniform", lt.Distribution.uniform), ("skewed", skewed)):
        compare(
            f"grid 6×6, squared distance, {kind}",
            grid,
            make(grid.vertices),
            lambda a, b: (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2,
            1.0,
        )
        compare(f"tree of 40, distance, {kind}", tree, make(tree.vertices), tree.distance, 1.0)
    repairs(100 if quick else 1000)


if __name__ == "__main__":
    main()
