"""Discrete Gaussian noise on the integers, drawn exactly: P(k) is proportional to e^(−k²/(2σ²)).

OpenDP's Gaussian noise on integers is the same. Both answer how far the mean of k² is from σ², in
standard deviations; for σ of 2 or more the variance is σ² to eight digits, and that of k² is 2σ⁴.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import leaktight as lt
from benchmarks.case import Case


class Wanted(NamedTuple):
    """So many draws of noise with a standard deviation."""

    draws: int
    deviation: int

    def off(self, squares: int) -> float:
        """How many standard deviations is a sum of k² away from its mean?"""
        variance = self.deviation**2
        return abs(squares - self.draws * variance) / (variance * math.sqrt(2 * self.draws))


def ours(wanted: Wanted) -> float:
    """Draw exactly."""
    noise = lt.mechanisms.DiscreteGaussian(variance=wanted.deviation**2)
    return wanted.off(sum(k * k for k in noise.draw(wanted.draws)))


def opendp(wanted: Wanted) -> float:
    """Draw with OpenDP, all at once."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    add_noise = dp.m.make_gaussian(*space, scale=float(wanted.deviation))
    return wanted.off(sum(k * k for k in add_noise([0] * wanted.draws)))


def near(answers: Mapping[str, float]) -> str:
    """Demand that nobody's mean is too far off to be chance."""
    assert max(answers.values()) < 6, answers
    return f"all means within {max(answers.values()):.1f} standard deviations"


CASES = (
    Case(
        task="5,000 draws of discrete Gaussian noise, σ = {n}",
        sizes=(2, 100, 10_000),
        prepare=lambda deviation: Wanted(5_000, deviation),
        ways={"leaktight": ours, "opendp": opendp},
        agree=near,
        quick=1,
        scale_name="σ",
        rounds=3,
        note="exact in both",
    ),
)
