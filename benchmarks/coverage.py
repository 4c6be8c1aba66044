"""Do bounds from samples hold as often as they say, how wide are they, and are bugs found?

Run with ``python -m benchmarks.coverage``; it is a study, not a race. The peers for leakage are
written out here, as they run on another platform: the interval that leakiEst prints, which is
normal in the limit of many samples, and the bound of bounded differences around the entropies of
the frequencies. What is audited are the mechanisms of OpenDP and diffprivlib, if they are there.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from leaktight.channels.channel import Channel
from leaktight.channels.distribution import Distribution
from leaktight.leakage.entropy import mutual_information
from leaktight.leakage.vulnerability import min_entropy_leakage, posterior_vulnerability
from leaktight.samples.black_box import OneAtATime, Sampler, epsilon_by_calls
from leaktight.samples.information import estimate_mutual_information
from leaktight.samples.leakage import (
    LeakageEstimate,
    estimate_min_entropy_leakage,
    estimate_posterior_vulnerability,
)
from leaktight.samples.observations import Observations

CASES, REPETITIONS = 300, 200

Counts = npt.NDArray[np.int64]
Quantity = tuple[Callable[..., LeakageEstimate], Callable[[Channel, Distribution], Any]]

QUANTITIES: dict[str, Quantity] = {
    "posterior vulnerability": (estimate_posterior_vulnerability, posterior_vulnerability),
    "min-entropy leakage": (
        estimate_min_entropy_leakage,
        lambda channel, prior: min_entropy_leakage(channel, prior).bits,
    ),
    "mutual information": (estimate_mutual_information, mutual_information),
}


def random_case(rng: np.random.Generator) -> tuple[Channel, Distribution]:
    """Return an exact channel and prior, from independent to nearly certain, 2 to 8 secrets."""
    secrets, outputs = rng.integers(2, 9, 2)
    rows = rng.dirichlet(np.full(outputs, 10.0 ** rng.uniform(-1, 1)), secrets)
    blur = rng.choice([0.0, 0.5, 0.9, 1.0])
    rows = (1 - blur) * rows + blur * rows[0]
    prior = rng.dirichlet(np.full(secrets, 5.0))
    return (
        Channel.normalised(np.round(rows * 10**6).astype(int) + 1),
        Distribution.from_counts(np.round(prior * 10**6).astype(int) + 1),
    )


def coverage(samples: int) -> None:
    """Print how often the bounds hold and how wide they are, with the prior and without."""
    rng = np.random.default_rng(samples)
    held: dict[str, list[bool]] = defaultdict(list)
    width: dict[str, list[float]] = defaultdict(list)

    def note(name: str, low: float, high: float, true: Any) -> None:
        held[name].append(low <= true <= high)
        width[name].append(high - low)

    for _ in range(CASES):
        channel, prior = random_case(rng)
        rows, shares = channel.float().matrix, prior.float().array
        pairs = rng.multinomial(samples, (shares[:, None] * rows).ravel()).reshape(rows.shape)
        totals = np.maximum(1, np.round(samples * shares)).astype(int)
        chosen = np.array([rng.multinomial(n, row) for n, row in zip(totals, rows, strict=True)])
        drawn = Observations.from_counts(pairs[pairs.any(axis=1)])
        for name, (estimate, truth) in QUANTITIES.items():
            true, seed = truth(channel, prior), int(rng.integers(2**32))
            if name != "mutual information" or pairs.any(axis=1).all():  # which it assumes
                found = estimate(drawn, seed=seed)
                note(f"{name}, prior unknown", found.lower, found.upper, true)
            found = estimate(Observations.from_counts(chosen), prior, seed=seed)
            note(f"{name}, prior known", found.lower, found.upper, true)
        true = mutual_information(channel, prior)
        note("    the same, normal approximation", *_normal(pairs), true)
        note("    the same, bounded differences", *_bounded_differences(pairs), true)
    for name in held:
        print(
            f"{samples:>7,} samples  {name:<40} held {statistics.mean(held[name]):7.2%}"
            f"   median width {statistics.median(width[name]):.4f}"
        )


def _information(table: Counts) -> tuple[float, float]:
    """Return the mutual information of the frequencies in bits, and its variance per sample."""
    joint = table / table.sum()
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    there = joint > 0
    logs = np.zeros_like(joint)
    logs[there] = np.log2(joint[there] / apart[there])
    mean = float((joint * logs).sum())
    return mean, float((joint * logs**2).sum()) - mean**2


def _normal(table: Counts) -> tuple[float, float]:
    """Return the estimate less its bias, give or take 1.96 standard deviations."""
    mean, variance = _information(table)
    samples, (x, y) = int(table.sum()), table.shape
    centre = mean - (x - 1) * (y - 1) / (2 * samples * math.log(2))
    reach = 1.96 * math.sqrt(max(0.0, variance) / samples)
    return max(0.0, centre - reach), max(0.0, centre + reach)


def _bounded_differences(table: Counts) -> tuple[float, float]:
    """Return McDiarmid's bound with the largest bias of each entropy (Paninski)."""
    mean, _ = _information(table)
    samples, (x, y) = int(table.sum()), table.shape
    reach = 2 * math.log2(math.e * samples / 2) * math.sqrt(math.log(40) / (2 * samples))
    below = math.log2(1 + (x * y - 1) / samples)
    above = math.log2(1 + (min(x, y) - 1) / samples)
    return max(0.0, mean - reach - below), min(math.log2(min(x, y)), mean + reach + above)


# --- auditing ------------------------------------------------------------------------------


def numpy_geometric(epsilon: float) -> Sampler:
    """Return the geometric mechanism for counts, vectorised."""

    def sampler(value: int, count: int, rng: np.random.Generator) -> Any:
        p = -math.expm1(-epsilon)
        return value + rng.geometric(p, count) - rng.geometric(p, count)

    return sampler


def opendp_laplace(epsilon: float) -> Sampler:
    """Return OpenDP's discrete Laplace mechanism, asked for many counts at a time."""
    dp: Any = import_module("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    mechanism = space >> dp.m.then_laplace(scale=1 / epsilon)
    return lambda value, count, rng: mechanism([value] * count)


def diffprivlib_geometric(epsilon: float) -> Sampler:
    """Return diffprivlib's geometric mechanism, which returns one number at a time."""
    mechanisms: Any = import_module("diffprivlib.mechanisms")
    return OneAtATime(mechanisms.Geometric(epsilon=epsilon, sensitivity=1).randomise)


MECHANISMS: dict[str, tuple[str, Callable[[float], Sampler]]] = {
    "geometric in numpy": ("numpy", numpy_geometric),
    "OpenDP's discrete Laplace": ("opendp", opendp_laplace),
    "diffprivlib's geometric": ("diffprivlib", diffprivlib_geometric),
}


def audits() -> None:
    """Audit each mechanism at ε = 1, rightly and with noise for ε = 2, and repeat the right one."""
    for name, (package, make) in MECHANISMS.items():
        if find_spec(package) is None:
            print(f"{name}: not installed")
            continue
        right = epsilon_by_calls(make(1.0), [(0, 1)], samples=100_000, seed=1)
        print(f"{name}: {right.verdict(epsilon=1)}")
        bug = epsilon_by_calls(make(2.0), [(0, 1)], samples=100_000, seed=1)
        print(f"{name}, noise for ε = 2: {bug.verdict(epsilon=1)}")
        size = 100_000 if package == "numpy" else 10_000
        found = [
            epsilon_by_calls(make(1.0), [(0, 1)], samples=size, seed=i) for i in range(REPETITIONS)
        ]
        print(
            f"{name}, {REPETITIONS} audits of {size:,} samples: "
            f"{sum(bound.refutes(epsilon=1) for bound in found)} refute ε = 1 wrongly "
            f"({REPETITIONS // 20} allowed), median bound "
            f"{statistics.median(bound.epsilon for bound in found):.3f}",
            flush=True,
        )


def main() -> None:
    """Print coverage and widths, then the audits."""
    for samples in (100, 1_000, 100_000):
        coverage(samples)
    audits()


if __name__ == "__main__":
    main()
