"""The least ρ of noise, against divergences summed output by output."""

import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from leaktight.curves import geometric_rho, laplace_rho
from leaktight.errors import InvalidNumber
from leaktight.exact.numbers import fraction, rational, to_float
from leaktight.exact.rounding import precision


def divergence(step: fmpq, shift: int, order: fmpq) -> arb:
    """D_α as a sum over outputs, of which so many are taken that 10⁻⁴⁰ is left out."""
    q, t, total = 1 / arb(step), arb(order) - 1, arb(0)
    far = shift + int(100 / to_float(1 - 1 / step)) + 1
    for z in range(-far, shift + far + 1):
        p, other = q ** abs(z), q ** abs(z - shift)
        total += p * (t * (p / other).log()).exp()
    return (total * (1 - q) / (1 + q)).log() / t


def instances(count: int) -> list[tuple[fmpq, int]]:
    draw = random.Random(3)
    steps = [
        fmpq(draw.randint(11, 60), 10) if i % 2 else fmpq(draw.randint(2, 40)) for i in range(count)
    ]
    return [(step if step > 1 else fmpq(3, 2), draw.randint(1, 9)) for step in steps]


def test_no_order_has_a_larger_divergence_and_those_near_one_attain_it() -> None:
    for step, shift in instances(12):
        rho = geometric_rho(fraction(step), shift)
        with precision(256):
            for order in ("1001/1000", "5/4", 2, 7, 60):
                alpha = rational(order)
                assert divergence(step, shift, alpha) <= arb(rational(rho.upper)) * arb(alpha)
            near = 1 + fmpq(1, 10**9)
            less = arb(rational(rho.lower)) * (1 - arb(10) ** -6)
            assert divergence(step, shift, near) > less * arb(near)


def test_a_pair_with_three_losses_may_need_more_than_the_limit() -> None:
    """Randomised response on many values: what is proved of noise is not true of all."""
    with precision(128):
        p, q = arb("0.01"), arb("0.0001")
        limit = (p - q) * (p / q).log()
        assert (p**2 / q + q**2 / p + 1 - p - q).log() > 2 * limit


def test_the_zeros_of_the_moments_are_on_the_circle() -> None:
    for step, shift in instances(20):
        end = 1 / to_float(1 - 1 / step)
        roots = np.roots([end, *[1.0] * (shift - 1), end])
        assert np.allclose(np.abs(roots), 1, atol=1e-9)


def test_laplace_noise_is_the_limit_of_ever_finer_steps() -> None:
    whole = laplace_rho(ratio=3)
    for steps in (1, 10, 1000):
        root = Fraction(3) if steps == 1 else Fraction(str(3 ** (1 / steps)))
        fine = geometric_rho(root, steps)
        assert fine.lower > whole.upper  # coarser noise tells more
        assert float(fine) - float(whole) < 1 / steps
    with precision(128):  # ε = ln 3: ∫ P²/Q by hand is (2·3 + 1/9)/3
        assert ((arb(6) + arb(1) / 9) / 3).log() <= 2 * arb(rational(whole.upper))


def test_edges() -> None:
    assert geometric_rho(1, 5).upper == geometric_rho(7, 0).upper == laplace_rho(0).upper == 0
    for tiny in ("1e-12", "1e-30"):
        half = Fraction(tiny) ** 2 / 2
        assert half * Fraction("0.999") < laplace_rho(tiny).lower
        above = half * (1 + Fraction(1, 2**60))
        assert laplace_rho(tiny).upper <= above
        assert geometric_rho(1 + Fraction(tiny)).upper <= above
    assert geometric_rho(3, 10**12).gap < 1
    for shift in range(1, 6):  # it grows with the shift, and faster than in proportion
        assert geometric_rho(2, shift).upper * 2 < geometric_rho(2, 2 * shift).lower
    for bad in (-1, True, 1.5, "2"):
        with pytest.raises(InvalidNumber, match="shift"):
            geometric_rho(2, bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidNumber, match="at least 1"):
        geometric_rho("1/2")


def told_by(step: Fraction, shift: int) -> dict[int, tuple[Fraction, Fraction]]:
    """P and Q of each loss of a shifted coordinate, in steps, by adding up its outputs."""
    q, found = 1 / step, dict[int, tuple[Fraction, Fraction]]()
    for z in range(shift + 1):
        p, other = (
            (1 - q) / (1 + q) * q**k if 0 < z < shift or shift == 0 else q**k / (1 + q)
            for k in (z, shift - z)
        )
        found[shift - 2 * z] = (p, other)
    return found if shift else {0: (Fraction(1), Fraction(1))}


def test_noise_on_a_vector_tells_no_more_than_on_one_coordinate() -> None:
    """Theorem 13 at every λ, also between its bends, by all outputs of up to four coordinates."""
    draw, nil = random.Random(13), Fraction(0)
    for _ in range(40):
        step = 1 + Fraction(draw.randint(1, 60), draw.randint(1, 30))
        shifts = [draw.randint(0, 4) for _ in range(draw.randint(1, 4))]
        whole = sum(shifts) + draw.randint(0, 2)
        together = {0: (Fraction(1), Fraction(1))}
        for shift in shifts:
            more = dict[int, tuple[Fraction, Fraction]]()
            for one, (p, q) in together.items():
                for two, (a, b) in told_by(step, shift).items():
                    x, y = more.get(one + two, (Fraction(0), Fraction(0)))
                    more[one + two] = (x + p * a, y + q * b)
            together = more
        assert sum(p for p, _ in together.values()) == 1
        single = told_by(step, whole)
        for power in range(-2 * whole - 1, 2 * whole + 2):
            for factor in (Fraction(1), Fraction(draw.randint(101, 199), 100)):
                ratio = step ** (power // 2) * factor
                most, alone = (
                    sum((max(p - ratio * q, nil) for p, q in rows.values()), nil)
                    for rows in (together, single)
                )
                assert most <= alone
