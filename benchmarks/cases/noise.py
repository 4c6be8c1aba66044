"""Geometric noise on the integers, drawn exactly: P(k) is proportional to e^(−|k|/scale).

OpenDP's discrete Laplace and diffprivlib's geometric mechanism draw the same; numpy's draws come
from floats. The limit is the operating system's random bytes, as many as the entropy of the noise
demands. Five million draws should take less than a second. All answer how far the mean of |k| is
from the right one, in standard deviations.
"""

import math
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

import leaktight as lt
from benchmarks.case import Case


class Wanted(NamedTuple):
    """So many draws of noise of a scale."""

    draws: int
    scale: int

    def off(self, total: int) -> float:
        """How many standard deviations is a sum of |k| away from its mean?"""
        c, rest = math.exp(-1 / self.scale), -math.expm1(-1 / self.scale)
        mean = 2 * c / (rest * (1 + c))
        variance = 2 * c / rest**2 - mean**2
        return abs(total - self.draws * mean) / math.sqrt(self.draws * variance)

    def random_bytes(self) -> int:
        """How many bytes is the entropy of all draws?"""
        c, rest = math.exp(-1 / self.scale), -math.expm1(-1 / self.scale)
        mean = 2 * c / (rest * (1 + c))
        bits = math.log2((1 + c) / rest) + mean / self.scale * math.log2(math.e)
        return math.ceil(self.draws * bits / 8)


def ours(wanted: Wanted) -> float:
    """Draw exactly."""
    noise = lt.mechanisms.geometric_noise(wanted.draws, epsilon=f"1/{wanted.scale}")
    return wanted.off(int(np.abs(noise).sum()))


def opendp(wanted: Wanted) -> float:
    """Draw with OpenDP, all at once."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    add_noise = dp.m.make_laplace(*space, scale=float(wanted.scale))
    return wanted.off(sum(map(abs, add_noise([0] * wanted.draws))))


def diffprivlib(wanted: Wanted) -> float:
    """Draw with diffprivlib, one after the other."""
    from diffprivlib.mechanisms import Geometric

    add_noise = Geometric(epsilon=1 / wanted.scale, sensitivity=1).randomise
    return wanted.off(sum(abs(add_noise(0)) for _ in range(wanted.draws)))


def difference(wanted: Wanted) -> float:
    """Draw two geometric numbers by floats, and take their difference."""
    rng, p = np.random.default_rng(), -math.expm1(-1 / wanted.scale)
    noise = rng.geometric(p, wanted.draws) - rng.geometric(p, wanted.draws)
    return wanted.off(int(np.abs(noise).sum()))


def random_bytes(wanted: Wanted) -> float:
    """Only get the random bytes."""
    return float(len(os.urandom(wanted.random_bytes())) != wanted.random_bytes())


def near(answers: Mapping[str, float]) -> str:
    """Demand that nobody's mean is too far off to be chance."""
    assert max(answers.values()) < 6, answers
    return f"all means within {max(answers.values()):.1f} standard deviations"


def case(draws: int, **peers: Any) -> Case:
    """Compare on so many draws, over the scale."""
    return Case(
        task=f"{draws:,} draws of geometric noise, scale {{n}}",
        sizes=(1, 10, 1_000_000),
        prepare=lambda scale: Wanted(draws, scale),
        ways={"leaktight": ours, **peers, "random bytes": random_bytes},
        agree=near,
        limit="random bytes",
        quick=1,
        scale_name="scale",
        rounds=3,
        note="a byte from the operating system decides 4 binary digits, so that we take about "
        "1 + log2(scale)/4 bytes a draw; numpy's bytes take a quarter of the time, but can be "
        "predicted",
    )


CASES = (
    case(20_000, opendp=opendp, diffprivlib=diffprivlib),
    case(5_000_000, numpy=difference),
)
