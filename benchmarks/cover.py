"""How long does the best cover of a large graph take, and how tightly is it enclosed?

Random geometric graphs at ε = 1. The cover bounds all private channels from above; the packing that
comes with it bounds the best cover from below. Both are exact rationals.

    python -m benchmarks.cover
"""

import time

from benchmarks.columns import geometric_graph
from benchmarks.timing import growth
from leaktight.ratio import Ratio
from leaktight.worst_case.covering import best_cover, coverage


def main() -> None:
    """Print the enclosure and the time for each size, and how the time grows."""
    ratio = Ratio.of(epsilon=1).upper
    sizes, seconds = [], []
    for n in (250, 500, 1000, 2000):
        graph = geometric_graph(n, seed=1, degree=10.0)
        start = time.perf_counter()
        cover, mechanism = best_cover(graph, ratio)
        took = time.perf_counter() - start
        packing = mechanism.weights.sum() / coverage(graph, ratio, mechanism.weights).max()
        width = float((cover.bound - packing) / cover.bound)
        print(
            f"{n:5} vertices, {graph.size:6} edges: best cover {float(cover.bound):.6f}, "
            f"relative width {width:.1e}, {took:.2f} s",
            flush=True,
        )
        sizes.append(n)
        seconds.append(took)
    growth("cover", sizes, {"best cover": seconds})


if __name__ == "__main__":
    main()
