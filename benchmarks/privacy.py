"""The privacy level: leaktight looks at edges, libqif at all pairs.

python -m benchmarks.privacy
"""

import math

import numpy as np
import numpy.typing as npt
import qif

import leaktight as lt
from benchmarks.timing import medians, once, show


def truncated_geometric(n: int, epsilon: float) -> npt.NDArray[np.float64]:
    """The geometric mechanism on 0, …, n−1 with the tails moved to the ends."""
    q = math.exp(-epsilon)
    i = np.arange(n)
    matrix = q ** np.abs(i[:, None] - i) * (1 - q) / (1 + q)
    matrix[:, 0], matrix[:, -1] = q**i / (1 + q), q ** (n - 1 - i) / (1 + q)
    return matrix


def main() -> None:
    """Print one line per size, then how our time grows with edges × outputs."""
    for n in (100, 300, 1000):
        matrix = truncated_geometric(n, 0.1)
        channel, line = lt.Channel(matrix), lt.SecretGraph.line(n)
        ours = medians({"ours": lambda: lt.privacy_level(channel, line)}, 9)["ours"]  # noqa: B023
        theirs = once(
            lambda: qif.measure.d_privacy.smallest_epsilon(matrix, lambda a, b: abs(a - b))  # noqa: B023
        )
        show(f"privacy level, geometric on {n} states", ours, {"qif": theirs})
    sizes, seconds = [], []
    for n in (250, 500, 1000, 2000, 4000):
        channel, line = lt.Channel(truncated_geometric(n, 0.01)), lt.SecretGraph.line(n)
        sizes.append((n - 1) * n)
        seconds.append(medians({"t": lambda: lt.privacy_level(channel, line)}, 5)["t"])  # noqa: B023
    exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    print(f"time grows like (edges × outputs)^{exponent:.2f}")


if __name__ == "__main__":
    main()
