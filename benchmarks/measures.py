"""Measures of a channel: leaktight beside libqif and plain numpy, in one run.

python -m benchmarks.measures
"""

import random

import numpy as np
import qif
from flint import fmpq

import leaktight as lt
from benchmarks.timing import medians, once, show
from leaktight.exact import fraction


def capacity_and_vulnerability(n: int = 4000) -> None:
    """Float channels: the limit is numpy's own reduction of the same array."""
    channel = lt.Channel.random(n, n, seed=1)
    c_order, f_order = channel.to_numpy(), np.asfortranarray(channel.to_numpy())
    prior = np.random.default_rng(2).dirichlet(np.ones(n))
    belief, turned = lt.Distribution(prior), lt.Channel(f_order)
    ours = lt.min_capacity(channel).factor
    assert abs(ours - qif.measure.bayes_vuln.mult_capacity(f_order)) <= 1e-12 * ours
    times = medians(
        {
            "ours": lambda: lt.min_capacity(channel),
            "ours (Fortran order)": lambda: lt.min_capacity(turned),
            "numpy": lambda: c_order.max(axis=0).sum(),
            "qif (C order)": lambda: qif.measure.bayes_vuln.mult_capacity(c_order),
            "qif (Fortran order)": lambda: qif.measure.bayes_vuln.mult_capacity(f_order),
        },
        9,
    )
    show(f"capacity, {n}×{n} floats", times.pop("ours"), times)
    value = lt.posterior_vulnerability(channel, belief)
    assert abs(value - qif.measure.bayes_vuln.posterior(prior, f_order)) <= 1e-12 * value
    times = medians(
        {
            "ours": lambda: lt.posterior_vulnerability(channel, belief),
            "ours (Fortran order)": lambda: lt.posterior_vulnerability(turned, belief),
            "numpy": lambda: (prior[:, None] * c_order).max(axis=0).sum(),
            "qif (C order)": lambda: qif.measure.bayes_vuln.posterior(prior, c_order),
            "qif (Fortran order)": lambda: qif.measure.bayes_vuln.posterior(prior, f_order),
        },
        9,
    )
    show(f"posterior vulnerability, {n}×{n} floats", times.pop("ours"), times)


def exact_measures(n: int) -> None:
    """Rational channels: entries with six digits, each row with a denominator of its own."""
    rng = random.Random(3)
    weights = [[rng.randint(1, 10**6) for _ in range(n)] for _ in range(n)]
    rows = [[fmpq(w, sum(row)) for w in row] for row in weights]
    channel = lt.Channel(rows)
    belief = lt.Distribution.from_counts([rng.randint(1, 1000) for _ in range(n)])
    peer = np.array([[fraction(p) for p in row] for row in rows])
    prior = np.array([fraction(p) for p in belief.array])
    assert lt.min_capacity(channel).factor == qif.measure.bayes_vuln.mult_capacity(peer)
    for task, ours, theirs in (
        (
            "exact capacity",
            lambda: lt.min_capacity(channel),
            lambda: qif.measure.bayes_vuln.mult_capacity(peer),
        ),
        (
            "exact posterior vulnerability",
            lambda: lt.posterior_vulnerability(channel, belief),
            lambda: qif.measure.bayes_vuln.posterior(prior, peer),
        ),
    ):
        times = medians({"ours": ours, "qif": theirs}, 5)
        show(f"{task}, {n}×{n} rationals", times.pop("ours"), times)


def shannon() -> None:
    """Shannon capacity: an enclosure of at most 1e-6 bits against libqif's default precision."""
    for n in (50, 100, 200):
        channel = lt.Channel.random(n, n, seed=4)
        matrix = channel.to_numpy()
        found = lt.shannon_capacity(channel)
        theirs: list[float] = []
        slow = once(lambda: theirs.append(qif.measure.shannon.add_capacity(matrix)[0]))  # noqa: B023
        assert found.gap <= 1e-6
        assert abs(theirs[0] - found.bits) <= 1e-6
        show(
            f"Shannon capacity, {n}×{n}, gap {found.gap:.1g}",
            once(lambda: lt.shannon_capacity(channel)),  # noqa: B023
            {"qif": slow},
        )
    channel = lt.Channel.random(1000, 1000, seed=4)
    gap = lt.shannon_capacity(channel).gap
    assert gap <= 1e-6
    show(
        f"Shannon capacity, 1000×1000, gap {gap:.1g}",
        once(lambda: lt.shannon_capacity(channel)),
        {"qif 200×200": slow},
    )


def main() -> None:
    """Print one line per task."""
    capacity_and_vulnerability()
    for n in (15, 100, 500):
        exact_measures(n)
    shannon()


if __name__ == "__main__":
    main()
