"""Time several ways of doing the same, in turns, so that a noisy machine is noisy for all."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results"


def medians(ways: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the median seconds of each way, run in turns."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in seconds.items()}


def once(way: Callable[[], object]) -> float:
    """Return the seconds of one run, for what is too slow to repeat."""
    start = time.perf_counter()
    way()
    return time.perf_counter() - start


def show(task: str, ours: float, others: dict[str, float]) -> None:
    """Print our time and, for each other way, how many times as long it took."""
    ratios = ", ".join(f"{name} {t / ours:.3g}x ({t:.3g} s)" for name, t in others.items())
    print(f"{task:<58} {ours:>9.3g} s   {ratios}", flush=True)


def growth(name: str, sizes: Sequence[float], curves: Mapping[str, Sequence[float]]) -> None:
    """Plot seconds over size on logarithmic axes, and print the exponent of each curve."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for label, seconds in curves.items():
        exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        axes.loglog(sizes, seconds, "o-", label=f"{label}: n^{exponent:.2f}")
        print(f"{label}: time grows like n^{exponent:.2f}")
    axes.set(xlabel="vertices", ylabel="seconds", title=name)
    axes.legend()
    RESULTS.mkdir(exist_ok=True)
    figure.savefig(RESULTS / (name.replace(" ", "-") + ".png"), dpi=120, bbox_inches="tight")
    plt.close(figure)
