"""Distributions that maximise a concave function of means.

The capacities of a channel, the likeliest prior of what was seen and the least information at a
given loss are all of this kind. What is found is a proposal in floating point: whoever uses it
proves what it is worth.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from leaktight.exact.numbers import Array
from leaktight.exact.threads import one_thread

Derivative: TypeAlias = Callable[[Array], Array]


def maximise(c: Array, a: Array, first: Derivative, second: Derivative, enough: float) -> Array:
    """Propose π that maximises the concave c·π + Σ ψ(Aᵀπ) over all distributions.

    ``first`` and ``second`` are the derivatives of ψ. It ends where the value is within ``enough``
    of the largest, or floats carry no further. Mehrotra's predictor-corrector method; each step
    factors a matrix whose side is the smaller of the numbers of rows and columns of A.

    >>> seen = np.array([0.6, 0.4])  # the likeliest prior for these shares of a coin's answers
    >>> coin = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> maximise(np.zeros(2), coin, lambda s: seen / s, lambda s: -seen / s**2, 1e-12).round(6)
    array([0.7, 0.3])
    """
    import scipy.linalg  # noqa: F401 - its BLAS must be there to be told

    with one_thread():
        return _maximised(c, a, first, second, enough)


def _maximised(c: Array, a: Array, first: Derivative, second: Derivative, enough: float) -> Array:
    n = len(c)
    weights = np.full(n, 1 / n)
    gradient = c + a @ first(weights @ a)
    level = gradient.max() + np.ptp(gradient) + enough
    slack = level - gradient
    best, best_gap = weights, math.inf
    for _ in range(100):
        gap = gradient.max() - weights @ gradient
        if not gap < math.inf:
            break
        if gap < best_gap:
            best, best_gap = weights, gap
        if gap < enough:
            break
        try:
            solve = _solver(a, -second(weights @ a), slack / weights)
        except (ValueError, np.linalg.LinAlgError):
            break  # no further progress in floating point
        residual = level - gradient - slack
        move, drop, _ = _step(solve, weights, slack, residual, np.zeros(n))
        predicted = (weights + _reach(weights, move) * move) @ (slack + _reach(slack, drop) * drop)
        before = weights @ slack
        centre = before / n * (predicted / before) ** 3 - move * drop
        move, drop, rise = _step(solve, weights, slack, residual, centre)
        weights = weights + 0.99 * _reach(weights, move) * move
        weights = weights / weights.sum()
        room = 0.99 * _reach(slack, drop)
        slack, level = slack + room * drop, level + room * rise
        gradient = c + a @ first(weights @ a)
    return best


def _solver(a: Array, curvature: Array, diagonal: Array) -> Callable[[Array], Array]:
    """Return how to solve (A·diag(curvature)·Aᵀ + diag(diagonal))·x = b for x."""
    from scipy.linalg import cho_factor, cho_solve

    half = a * np.sqrt(curvature)
    if len(a) <= 2 * a.shape[1]:
        factor = cho_factor(half @ half.T + np.diag(diagonal), overwrite_a=True)
        return lambda b: cho_solve(factor, b, check_finite=False)
    scaled = half / diagonal[:, None]  # fewer outputs than inputs: the Woodbury identity
    small = cho_factor(np.eye(a.shape[1]) + half.T @ scaled, overwrite_a=True)
    return lambda b: b / diagonal - scaled @ cho_solve(small, scaled.T @ b, check_finite=False)


def _step(
    solve: Callable[[Array], Array], weights: Array, slack: Array, residual: Array, centre: Array
) -> tuple[Array, Array, float]:
    """Return Newton's changes of π, of the slacks and of the level towards π·slack = centre."""
    right = solve(centre / weights - slack - residual)
    ones = solve(np.ones(len(weights)))
    rise = (right.sum() + weights.sum() - 1) / ones.sum()
    move = right - rise * ones
    return move, (centre - slack * move) / weights - slack, rise


def _reach(position: Array, direction: Array) -> float:
    """Return how far, up to 1, one can go in a direction and stay non-negative."""
    falls = direction < 0
    return float(min(1, (position[falls] / -direction[falls]).min(initial=1)))
