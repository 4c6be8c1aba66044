"""The assertion for a test suite that a mechanism keeps its promise, as far as calls can tell."""

from typing import Any

from leaktight.curves.curve import PrivacyCurve
from leaktight.exact.numbers import Number
from leaktight.testing.attacks import Attack, Budget, attack


def assert_private(
    mechanism: Any,
    x: Any,
    x2: Any,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    curve: PrivacyCurve | None = None,
    confidence: Number = 0.999,
    samples: int | None = None,
    budget: "str | float | Budget | None" = None,
    low_bits: bool = True,
    seed: int | None = None,
) -> Attack:
    """Fail if calls refute what is promised of a mechanism: (ε, δ), ρ-zCDP, μ-Gaussian, a curve.

    The arguments are those of :func:`attack`. The error says which event was seen how often, and
    the ε, ρ or μ that is proved. If the promise is kept, and calls are independent, the assertion
    fails with a chance of at most 1 − ``confidence``, in 1 of 1,000 runs if nothing is said.

    **What is not refuted is not proved.** Passing means that this attack, on these two inputs, with
    so many calls, has found nothing.

    >>> import random
    >>> def coin(truth):                                # tells the truth in 3 of 4 cases: ε = ln 3
    ...     return truth if random.random() < 0.75 else not truth
    >>> _ = assert_private(coin, True, False, epsilon="ln 3")
    >>> assert_private(coin, True, False, epsilon="1/2")            # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: REFUTED: ε = 0.5
      event    ...
    """
    found = attack(
        mechanism,
        x,
        x2,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        mu=mu,
        curve=curve,
        confidence=confidence,
        samples=samples,
        budget=budget,
        low_bits=low_bits,
        seed=seed,
    )
    if found.refuted:
        raise AssertionError(str(found))
    return found
