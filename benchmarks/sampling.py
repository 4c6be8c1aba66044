"""How fast are exact draws? Rows of a channel, and geometric noise beside OpenDP's.

    python -m benchmarks.sampling

OpenDP is asked for the same number of draws in the same run, if ``pip install opendp`` was done.
numpy's own ``choice`` is shown for comparison: it rounds every probability to a float and takes
one row only.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import leaktight as lt
from benchmarks.timing import medians, once, show
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.noise import geometric_noise
from leaktight.sampling import sample


def long_channel(inputs: int, outputs: int, bits: int) -> lt.Channel:
    """Random rows, each with a common denominator of so many bits."""
    rng = np.random.default_rng(1)
    bound = (1 << bits) // outputs
    rows = []
    for _ in range(inputs):
        weights = [int.from_bytes(rng.bytes(bits // 8 + 1)) % bound for _ in range(outputs - 1)]
        rows.append([*weights, (1 << bits) - 1 - sum(weights)])
    return lt.Channel.normalised(rows)


def opendp() -> Any:
    """Return OpenDP, which is no dependency of ours."""
    prelude = import_module("opendp.prelude")
    prelude.enable_features("contrib")
    return prelude


def rates() -> None:
    """Print millions of draws a second, from the operating system's randomness."""
    size = 5_000_000
    rows = np.random.default_rng(2).integers(0, 100, size)
    short, long = long_channel(100, 100, 64), long_channel(100, 100, 3000)
    texts = [f"value {x}" for x in range(100)]
    named, names = lt.Channel(short, texts, texts), [texts[x] for x in rows.tolist()]
    chances, rng = short.to_numpy()[0], np.random.default_rng(3)
    ways: dict[str, Callable[[], object]] = {
        "100×100, 64-bit denominators, array of numbers": lambda: sample(short, rows),
        "100×100, 64-bit denominators, list of texts": lambda: sample(named, names),
        "100×100, 3000-bit denominators, array of numbers": lambda: sample(long, rows),
        "numpy choice, one row of 100 floats, not exact": lambda: rng.choice(100, size, p=chances),
        "geometric noise, ε = 10": lambda: geometric_noise(size, epsilon=10),
        "geometric noise, ε = 1": lambda: geometric_noise(size, epsilon=1),
        "geometric noise, ε = 1/10": lambda: geometric_noise(size, epsilon="1/10"),
        "geometric noise, ε = 1/1,000,000": lambda: geometric_noise(size, epsilon="1/1000000"),
    }
    for name, seconds in medians(ways, 3).items():
        print(f"{name:<58} {size / seconds / 1e6:>9.1f} million a second", flush=True)
    alone = medians({"one": lambda: sample(short, 3)}, 101)["one"]
    print(
        f"{'one draw from one row of 100, table included':<58} {alone * 1e3:>9.2g} ms", flush=True
    )


def beside_opendp(dp: Any) -> None:
    """Print our time for so many draws, and how many times as long OpenDP takes."""
    size = 100_000
    vectors = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    for scale in (1, 1_000_000):
        noise = dp.m.make_laplace(*vectors, scale=float(scale))
        ways: dict[str, Callable[[], object]] = {
            "ours": lambda: geometric_noise(size, epsilon=f"1/{scale}"),  # noqa: B023
            "OpenDP": lambda: noise([0] * size),  # noqa: B023
        }
        took = medians(ways, 3)
        task = f"{size:,} integers of geometric noise, ε = 1/{scale:,}"
        show(task, took["ours"], {"OpenDP": took["OpenDP"]})
    channel, answers = RandomizedResponse(100, ratio=99).channel, [3] * size
    respond = dp.m.make_randomized_response(categories=list(range(100)), prob=0.5)
    ours = medians({"ours": lambda: sample(channel, answers)}, 9)["ours"]
    theirs = once(lambda: [respond(answer) for answer in answers])  # one answer at a time
    show(f"{size:,} answers of randomised response, 100 values", ours, {"OpenDP": theirs})


def main() -> None:
    """Print our rates, then the comparison."""
    rates()
    if find_spec("opendp") is None:
        print("OpenDP is not installed: pip install opendp")
    else:
        beside_opendp(opendp())


if __name__ == "__main__":
    main()
