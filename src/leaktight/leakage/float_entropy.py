"""Entropies of floats, summed without cancellation."""

import math
import sys
from collections.abc import Iterator

import numpy as np

from leaktight.exact.numbers import SMALLEST, Array

MUCH = 2.0**-3
"""From so many nats on, the terms p·ln(p/q), whose negative ones sum to at most 1, may be added."""


def float_information(prior: Array, matrix: Array) -> float:
    """Return Σ π·(p·ln(p/q) − p + q) over the rows p, whose mean is q; no term is negative.

    Much information needs only p·ln(p/q). For little, the term is a series in p − q where p ≈ q.
    """
    matrix, mean = _with_mean(prior, matrix)
    direct = [
        np.einsum("xz,xz->x", matrix[rows], _log_of_quotient(matrix[rows], mean))
        for rows in _row_blocks(matrix)
    ]
    if (nats := math.fsum(prior * np.concatenate(direct))) >= MUCH:
        return nats
    near = mean * 2.0**-7
    sums = []
    for rows in _row_blocks(matrix):
        p = matrix[rows]
        apart = p - mean
        terms = p * _log_of_quotient(p, mean) - apart
        x, z = np.nonzero(np.abs(apart) < near)
        terms[x, z] = mean[z] * _SERIES(apart[x, z] / mean[z])
        sums.append(terms.sum(axis=1))
    return math.fsum(prior * np.concatenate(sums))


_SERIES = np.polynomial.Polynomial([0, 0, *((-1) ** k / (k * (k - 1)) for k in range(2, 10))])
"""(1 + u)·ln(1 + u) − u for small u."""


def float_remainder(prior: Array, matrix: Array) -> float:
    """Return −Σ π·p·ln(π·p/q) over the rows p, whose mean is q; no term is negative."""
    matrix, mean = _with_mean(prior, matrix)
    sums = []
    for rows in _row_blocks(matrix):
        joined = prior[rows, None] * matrix[rows]
        # The sum of one column may round to less than its only entry.
        logs = np.minimum(_log_of_quotient(joined, mean), 0)
        sums.append(np.einsum("xz,xz->", joined, logs))
    return 0.0 - math.fsum(sums)


def _with_mean(prior: Array, matrix: Array) -> tuple[Array, Array]:
    """Return the mean of the rows, and both without the columns that never occur."""
    mean = prior @ matrix
    occurs = mean > 0
    return (matrix, mean) if occurs.all() else (matrix[:, occurs], mean[occurs])


def _row_blocks(matrix: Array) -> Iterator[slice]:
    """Yield blocks of rows that stay in the cache with all that is computed from them."""
    size = max(1, 2**15 // matrix.shape[1])
    return (slice(start, start + size) for start in range(0, len(matrix), size))


def _log_of_quotient(p: Array, q: Array) -> Array:
    """Return ln(p/q), cut off at the ends of the floats, so that p = 0 times it is 0."""
    with np.errstate(over="ignore"):
        quotient = p / q
    np.clip(quotient, SMALLEST, sys.float_info.max, out=quotient)
    return np.log(quotient, out=quotient)


def float_entropy(outer: Array, inner: Array, alpha: float) -> float:
    """Return Arimoto's entropy in bits; near order 1 without cancellation."""
    from scipy.special import entr, logsumexp

    if alpha == 1:
        return math.fsum(outer * entr(inner).sum(axis=0)) / math.log(2)
    logs = np.log(inner, where=inner > 0, out=np.zeros_like(inner))
    if abs(alpha - 1) < 0.5:
        # log Σ p^α = log(1 + Σ p·(p^(α−1) − 1)), and alike for the mean over the outputs.
        norms = np.log1p((inner * np.expm1((alpha - 1) * logs)).sum(axis=0)) / alpha
        mean = math.log1p(math.fsum(outer * np.expm1(norms)))
    else:
        norms = logsumexp(alpha * logs, b=inner > 0, axis=0) / alpha
        mean = float(logsumexp(norms, b=outer))
    return alpha / (1 - alpha) * mean / math.log(2) + 0.0  # no −0
