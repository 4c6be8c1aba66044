"""Adjacency graphs: how does the time grow with the number of possible databases?

For each family, the time from the policy to the graph and then to its diameter, the peak memory
that numpy and Python took, and the exponent k of a fit time ~ |I|^k.

    python -m benchmarks.adjacency
"""

import math
import time
import tracemalloc
from collections.abc import Iterator

import numpy as np

import leaktight as lt

Case = tuple[str, lt.Policy]


def known_positives() -> Iterator[Case]:
    """2k binary records, of which k are known to be positive."""
    for k in range(4, 9):
        yield (
            f"{2 * k} binary records, {k} positive",
            lt.Policy(lt.SecretGraph.complete(2), 2 * k, constraints=[lt.count([1], equals=k)]),
        )


def histograms(secrets: lt.SecretGraph, name: str) -> Iterator[Case]:
    """Records on 4 values whose histogram is public."""
    for times in ((1, 1, 1, 1), (2, 2, 1, 1), (2, 2, 2, 2), (3, 2, 2, 2), (3, 3, 2, 2)):
        constraints = [lt.count([value], equals=k) for value, k in enumerate(times)]
        policy = lt.Policy(secrets, sum(times), constraints=constraints)
        yield f"histogram {times}, {name}", policy


def random_lists(secrets: lt.SecretGraph, name: str) -> Iterator[Case]:
    """Random databases of 8 records on 4 values, with no symmetry to use."""
    rng = np.random.default_rng(3)
    for size in (250, 500, 1000, 2000, 4000):
        rows = np.unique(rng.integers(0, 4, (size, 8)), axis=0)
        policy = lt.Policy(secrets, 8, databases=rows.tolist())
        yield f"random list, 8 records, {name}", policy


def report(cases: Iterator[Case]) -> None:
    """Print a line per policy and the exponent of the family."""
    sizes, seconds = [], []
    for name, policy in cases:
        tracemalloc.start()
        policy.adjacency()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        again = lt.Policy(
            policy.secrets,
            policy.records,
            constraints=policy.constraints,
            databases=policy.listed,
        )
        start = time.perf_counter()
        graph = again.adjacency()
        built = time.perf_counter() - start
        diameters = graph.component_diameters
        known = time.perf_counter() - start
        sizes.append(math.log(graph.order))
        seconds.append(math.log(built))
        print(
            f"{name:<40} |I| = {graph.order:>6,}  edges {graph.size:>9,}  one way "
            f"{len(graph.one_way_indices):>7,}  built {built:7.3f} s  {peak / 1e6:6.0f} MB  "
            f"diameter {max(diameters)} after {known:7.3f} s",
            flush=True,
        )
    exponent = np.polyfit(sizes[-3:], seconds[-3:], 1)[0]
    print(f"{'':<40} time ~ |I|^{exponent:.2f} over the last three\n", flush=True)


def implicit() -> None:
    """Print what a million independent records take."""
    policy = lt.Policy(lt.SecretGraph.line(50), 10**6)
    policy.adjacency().factors[0][0].distance(0, 1)  # igraph is loaded
    graph = lt.Policy(lt.SecretGraph.line(50), 10**6).adjacency()
    start = time.perf_counter()
    answers = graph.diameter, graph.radius, graph.component_count, graph.component_radii
    took = time.perf_counter() - start
    print(f"{10**6:,} records on a line of 50 values: {answers} in {1e3 * took:.2f} ms\n")


def main() -> None:
    """Run all families."""
    implicit()
    complete, line = lt.SecretGraph.complete(4), lt.SecretGraph.line(4)
    report(known_positives())
    report(histograms(complete, "complete"))
    report(histograms(line, "line"))
    report(random_lists(complete, "complete"))
    report(random_lists(line, "line"))


if __name__ == "__main__":
    main()
