"""Time several ways of doing the same, in turns, so that a noisy machine is noisy for all."""

import statistics
import time
from collections.abc import Callable


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
