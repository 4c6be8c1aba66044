"""Many observations of one secret: types beside libqif's product channel.

python -m benchmarks.repetition
"""

import numpy as np
import qif

import leaktight as lt
from benchmarks.timing import medians, once, show
from leaktight.repetition.curve import observations_needed
from leaktight.repetition.likelihood_bounds import success_bounds
from leaktight.repetition.success import success_probability

SKEW = lt.Channel([["4/5", "1/5"], ["3/10", "7/10"]])
FOUR = lt.Channel.normalised([[4, 3, 2, 1], [1, 2, 3, 4], [2, 2, 3, 3]])
CALLS = 10
"""How often ours is called in a row; libqif's large matrices leave the caches cold."""


def beside_the_product(channel: lt.Channel, n: int, repeats: int) -> None:
    """Our exact number, and libqif's: all sequences of outputs as columns, then the maxima."""
    matrix = channel.to_numpy()
    prior = np.full(len(matrix), 1 / len(matrix))

    def product() -> float:
        whole = qif.channel.compose.repeated_independent(matrix, n)
        return float(qif.measure.bayes_vuln.posterior(prior, whole))

    def calls() -> None:
        for _ in range(CALLS):
            success_probability(channel, n=n)

    assert abs(float(success_probability(channel, n=n)) - product()) <= 1e-9
    times = medians({"ours": calls, "qif": product}, repeats)
    columns = f"{matrix.shape[1] ** n:,} columns"
    show(
        f"exact success, {n} × {matrix.shape[1]} outputs",
        times["ours"] / CALLS,
        {f"qif ({columns})": times["qif"]},
    )


def many() -> None:
    """What the product channel cannot do at all."""
    for task, channel, n in (
        ("exact, 10,000 × 2 outputs", SKEW, 10_000),
        ("certified floats, 10,000 × 2 outputs", SKEW.float(), 10_000),
        ("certified floats, 1,000,000 × 2 outputs", SKEW, 1_000_000),
        ("exact, 200 × 4 outputs, 3 secrets", FOUR, 200),
        ("certified floats, 200 × 4 outputs, 3 secrets", FOUR.float(), 200),
        ("exact, 20 × 4 outputs, 3 secrets", FOUR, 20),
    ):
        times = medians({"ours": lambda: success_probability(channel, n=n)}, 3)  # noqa: B023
        found = success_probability(channel, n=n)
        width = "exact" if found.is_exact else f"width {found.upper - found.lower:.1g}"
        print(f"{task:<58} {times['ours']:>9.3g} s   {width}, {found.method}", flush=True)
    seconds = once(lambda: observations_needed(FOUR, success="0.999"))
    print(f"{'observations needed for success 0.999, 4 outputs':<58} {seconds:>9.3g} s")


def bounds() -> None:
    """How wide bounds are: on random channels with ten outputs, and beside exact values."""
    rng = np.random.default_rng(1)
    for secrets, outputs, n in ((2, 10, 100), (2, 10, 1000), (2, 10, 10_000), (10, 10, 1000)):
        channel = lt.Channel.normalised(rng.integers(20, 100, (secrets, outputs)))
        seconds = once(lambda: success_bounds(channel, n=n))  # noqa: B023
        error = success_bounds(channel, n=n).error
        task = f"bounds, {n:,} × {outputs} outputs, {secrets} secrets"
        print(f"{task:<58} {seconds:>9.3g} s   error {error.lower:.5g} to {error.upper:.5g}")
    gaps = []
    for _ in range(200):
        secrets, outputs = rng.integers(2, 5, 2)
        channel = lt.Channel.normalised(rng.integers(1, 30, (secrets, outputs)))
        n = int(rng.integers(1, 15))
        exact, found = success_probability(channel, n=n).error, success_bounds(channel, n=n).error
        assert found.lower <= exact.lower <= found.upper
        gaps.append(float((found.upper - found.lower) / found.upper))
    low, middle, high = np.quantile(gaps, [0.25, 0.5, 0.75])
    print(
        f"200 random channels: all contain the exact error; relative width of the bounds "
        f"{low:.2g}, {middle:.2g}, {high:.2g} (quartiles), {max(gaps):.2g} at most"
    )


def growth() -> None:
    """How the time grows with the number of observations, for each number of outputs."""
    for outputs, sizes in (
        (2, (1000, 2000, 4000, 8000)),
        (3, (100, 200, 400)),
        (4, (50, 100, 200)),
    ):
        channel = lt.Channel.normalised(np.arange(1, 2 * outputs + 1).reshape(2, outputs) % 5 + 1)
        for kind, each in (("exact", channel), ("floats", channel.float())):
            seconds = [
                medians({"t": lambda: success_probability(each, n=n)}, 3)["t"]  # noqa: B023
                for n in sizes
            ]
            exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
            print(f"{outputs} outputs, {kind}: time grows like n^{exponent:.2f}", flush=True)


def main() -> None:
    """Print one line per task."""
    for n in (8, 16, 20):
        beside_the_product(SKEW, n, 9)
    beside_the_product(SKEW, 24, 3)
    beside_the_product(FOUR, 10, 3)
    many()
    bounds()
    growth()


if __name__ == "__main__":
    main()
