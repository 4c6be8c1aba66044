"""How much ε do calls prove? `leaktight.testing.attack` beside DP-Sniper and StatDP.

``python -m benchmarks.peers.power`` calls mechanisms of the two papers, written anew, and prints
the table of ``docs/peers.md``. Theirs are the numbers that the authors of DP-Sniper published in
2021 (reference-results of github.com/eth-sri/dp-sniper): lower bounds on ε with 90% confidence, for
the best pair of inputs that was found. Ours have the same confidence, and are for the pair with
which DP-Sniper ended.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leaktight.testing import Batched, attack

Array = NDArray[np.float64]
EPSILON = 0.1
"""What each claims, or would have if it were right."""
SAMPLES = 2_000_000
"""Our calls in all, of both inputs, to learn an event and to count it."""
STOPPED, BELOW = -1.0, -1000.0
ONES = [1.0] * 10
HALF, OTHER = [0.0] * 5 + [1.0] * 5, [1.0] * 5 + [0.0] * 5


@dataclass(frozen=True)
class Row:
    """A mechanism, its true ε if it is known, and what others proved of it in how many seconds."""

    name: str
    draw: Callable[[Array, int], Array]
    inputs: tuple[list[float], list[float]]
    truth: str
    sniper: tuple[float, float]
    """DP-Sniper with logistic regression: lower bound, and seconds of the search and the count."""
    network: tuple[float, float]
    """… with a neural network."""
    statdp: tuple[float, float] | None
    """StatDP, its first run: the same."""
    low_bits: bool = False
    samples: int = SAMPLES


RNG = np.random.default_rng(2026)


def laplace(scale: float, *size: int) -> Array:
    """Draw noise."""
    return RNG.laplace(scale=scale, size=size)


def histogram(scale: float) -> Callable[[Array, int], Array]:
    """Noise on each number."""
    return lambda x, count: x + laplace(scale, count, len(x))


def noisy_max(noise: Callable[..., Array], value: bool) -> Callable[[Array, int], Array]:
    """Which number with noise is largest, or (wrongly) the largest itself."""

    def draw(x: Array, count: int) -> Array:
        noisy = x + noise(scale=2 / EPSILON, size=(count, len(x)))
        return noisy.max(axis=1) if value else noisy.argmax(axis=1).astype(float)

    return draw


def sparse_vector(
    threshold: float,
    first: float,
    each: float | None,
    most: int | None = 1,
    *,
    shows: bool = False,
) -> Callable[[Array, int], Array]:
    """Which answers are above a noisy threshold, until ``most`` are [Lyu2017].

    :param first: the scale of the noise on the threshold.
    :param each: that on each answer; None for none.
    :param shows: whether a noisy answer that is above is shown.
    """

    def draw(x: Array, count: int) -> Array:
        limit = threshold + laplace(first, count, 1)
        noisy = np.broadcast_to(x, (count, len(x))).copy()
        if each is not None:
            noisy += laplace(each, count, len(x))
        above = noisy >= limit
        shown = np.where(above, noisy, BELOW) if shows else above.astype(float)
        if most is not None:
            before: Array = np.cumsum(above, axis=1) - above.astype(float)
            shown[before >= most] = -2000.0 if shows else STOPPED
        return shown

    return draw


def numerical_sparse_vector(x: Array, count: int) -> Array:
    """The variant that shows answers with noise drawn anew; c = 2, threshold 1."""
    limit = 1 + laplace(3 / EPSILON, count, 1)
    above = x + laplace(12 / EPSILON, count, len(x)) >= limit
    shown = np.where(above, x + laplace(6 / EPSILON, count, len(x)), 0)
    shown[np.cumsum(above, axis=1) - above >= 2] = BELOW
    return shown


def prefix_sums(x: Array, count: int) -> Array:
    """Sums of the first 1, 2, … numbers with noise."""
    return np.cumsum(x + laplace(1 / EPSILON, count, len(x)), axis=1)


E = EPSILON
ROWS = [
    Row("Laplace", lambda x, n: x + laplace(1 / E, n, 1), ([0.0], [1.0]), "0.1",
        (0.0968, 21), (0.0976, 217), (0.0998, 409)),
    Row("20 Laplace of ε/20", lambda x, n: x + laplace(200, n, 20), ([0.0], [1.0]), "0.1",
        (0.0350, 104), (0.0299, 341), (0.0126, 5715)),
    Row("NoisyHist1", histogram(1 / E), ([1.0] * 5, [0.0] + [1.0] * 4), "0.1",
        (0.0978, 38), (0.0977, 211), (0.0828, 934)),
    Row("NoisyHist2 (wrong)", histogram(E), ([1.0] * 5, [2.0] + [1.0] * 4), "10",
        (4.602, 41), (4.6015, 254), (9.717, 1244)),
    Row("ReportNoisyMax1", noisy_max(RNG.laplace, False), ([1.0] * 5, [0.0] + [2.0] * 4), "≤ 0.1",
        (0.0923, 62), (0.0925, 492), (0.0920, 460)),
    Row("ReportNoisyMax2", noisy_max(RNG.exponential, False), ([1.0] * 5, [0.0] + [2.0] * 4),
        "≤ 0.1", (0.0975, 59), (0.0979, 423), (0.0996, 458)),
    Row("ReportNoisyMax3 (wrong)", noisy_max(RNG.laplace, True), ([1.0] * 5, [2.0] * 5), "0.25",
        (0.2478, 62), (0.2488, 437), (0.1991, 567)),
    Row("ReportNoisyMax4 (wrong)", noisy_max(RNG.exponential, True), ([1.0] * 5, [2.0] * 5), "∞",
        (0.3463, 63), (0.3534, 451), (0.1960, 563)),
    Row("SVT1", sparse_vector(0.5, 2 / E, 4 / E), (ONES, [2.0] * 5 + [0.0] * 5), "≤ 0.1",
        (0.0858, 126), (0.0858, 965), (0.0298, 749)),
    Row("SVT2", sparse_vector(1, 2 / E, 4 / E), (HALF, OTHER), "≤ 0.1",
        (0.0859, 160), (0.0852, 826), (0.0316, 832)),
    Row("SVT3 (wrong)", sparse_vector(1, 2 / E, 2 / E, shows=True), (HALF, OTHER), "∞",
        (0.1716, 161), (0.1822, 880), (0.0231, 6264)),
    Row("SVT4 (wrong)", sparse_vector(1, 4 / E, 4 / (3 * E)), (ONES, [2.0] * 5 + [0.0] * 5),
        "≤ 0.175", (0.1687, 131), (0.1696, 815), (0.1709, 1016)),
    Row("SVT5 (wrong)", sparse_vector(1, 2 / E, None, None), (ONES, [0.0] + [2.0] * 9), "∞",
        (1.7612, 59), (1.7610, 527), (14.31, 725)),
    Row("SVT6 (wrong)", sparse_vector(1, 2 / E, 2 / E, None), (HALF, OTHER), "≤ 0.5",
        (0.2720, 96), (0.2698, 584), (0.3220, 1378)),
    Row("NumericalSVT", numerical_sparse_vector, (OTHER, HALF), "≤ 0.1",
        (0.0343, 152), (0.0345, 686), None),
    Row("PrefixSum (wrong)", prefix_sums, (ONES, [0.0] * 10), "1",
        (0.5040, 97), (0.5774, 985), (0.3516, 3989)),
    Row("Laplace in floats (wrong)", lambda x, n: RNG.laplace(x[0], 1 / E, size=n),
        ([1.0], [0.0]), "∞", (float("nan"), 0), (0.2521, 2125), None, low_bits=True),
]  # fmt: skip


def main(only: str = "") -> None:
    """Print the table."""
    print(
        "| mechanism | true ε | leaktight | seconds | DP-Sniper, regression | seconds "
        "| DP-Sniper, network | seconds | StatDP | seconds |"
    )
    print("| --- " * 10 + "|")
    for row in ROWS:
        if only not in row.name:
            continue
        one, other = map(np.array, row.inputs)
        start = time.process_time()
        found = attack(
            Batched(row.draw), one, other, epsilon=EPSILON, confidence="0.9", samples=row.samples,
            low_bits=row.low_bits, seed=1,
        )  # fmt: skip
        seconds = time.process_time() - start
        theirs = [
            "– | –" if each is None or each[0] != each[0] else f"{each[0]:.3g} | {each[1]:,.0f}"
            for each in (row.sniper, row.network, row.statdp)
        ]
        print(
            f"| {row.name} | {row.truth} | {found.proved.value:.3g} | {seconds:.1f} | "
            + " | ".join(theirs)
            + " |",
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
