"""Mechanisms that claim ε = 1, as published or as written in haste, and what calls prove of them.

The variants of the sparse vector technique are Algorithms 1 and 3 to 6 of [Lyu2017]: the first is
right, the others are not. Each is called on two neighbouring lists of answers, all of which
may differ by 1. What is refuted is so with 99.9% confidence. What is not refuted is not proved, as
Algorithm 3 shows: its breach is there, but too rare for so few calls.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from leaktight.testing import attack

RNG = random.Random(20)


def laplace(scale: float) -> float:
    """Draw noise; as a difference, so that no single uniform float is behind it."""
    return scale * (RNG.expovariate(1) - RNG.expovariate(1))


def sparse_vector(
    answers: list[float],
    threshold_noise: float,
    answer_noise: float,
    most: int | None,
    shows_value: bool = False,
) -> Iterator[Any]:
    """Say of each answer whether it is above 1/2, with noise; stop after ``most`` that are."""
    threshold = 0.5 + laplace(threshold_noise)
    above = 0
    for answer in answers:
        noisy = answer + (laplace(answer_noise) if answer_noise else 0.0)
        if noisy < threshold:
            yield "below"
            continue
        yield round(noisy, 3) if shows_value else "above"
        above += 1
        if above == most:
            return


SPARSE: dict[str, tuple[Any, ...]] = {
    "sparse vector, as it should be": (2, 4, 1),
    "sparse vector that shows the noisy answer (Algorithm 3)": (2, 2, 1, True),
    "sparse vector, 3 answers' noise for one (Algorithm 4)": (4, 4 / 3, 3),
    "sparse vector without noise on answers (Algorithm 5)": (2, 0, None),
    "sparse vector that never stops (Algorithm 6)": (2, 2, None),
}
LOW, HIGH = [0.0] * 5 + [1.0] * 5, [1.0] * 5 + [0.0] * 5


def variant(how: tuple[Any, ...]) -> Callable[[list[float]], list[Any]]:
    """Return a sparse vector technique as a function of the answers."""
    return lambda answers: list(sparse_vector(answers, *how))


def seeded_coin(truth: bool) -> bool:
    """Randomised response, ε = ln 2.7, whose author wanted results that can be reproduced."""
    return truth if np.random.default_rng(0).random() < 2.7 / 3.7 else not truth


def half_the_noise(count: int) -> int:
    """Noise for a sensitivity of 1 on a count that one person changes by 2."""
    return count + int(RNG.expovariate(1)) - int(RNG.expovariate(1))


def main() -> None:
    """Attack each of them."""
    mechanisms: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
        name: (variant(how), LOW, HIGH) for name, how in SPARSE.items()
    }
    mechanisms |= {
        "Laplace noise in floats": (lambda x: x + laplace(1), 0.0, 1.0),
        "Laplace noise, rounded": (lambda x: round(x + laplace(1), 3), 0.0, 1.0),
        "randomised response with a seed": (seeded_coin, True, False),
        "a count that a person changes by 2": (half_the_noise, 10, 12),
    }
    for name, (mechanism, x, x2) in mechanisms.items():
        found = attack(mechanism, x, x2, epsilon=1, samples=20_000, seed=1)
        verdict = "refuted" if found.refuted else "not refuted"
        print(f"{name}: {verdict}, ε ≥ {found.proved.value:.3g} by {found.event}")


if __name__ == "__main__":
    main()
