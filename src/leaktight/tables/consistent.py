"""The table that fits the released numbers best: none below 0, and sums that agree.

It is computed from released numbers alone, so it costs nothing: post-processing. Among all counts
x ≥ 0 that agree with what was released without noise, and with the public number of records, it is
the one for which Σ_i (y_i − W_i x)²/v_i is least, where v_i is the variance of the noise on number
i. For an ordered or a cumulative release it is the isotonic fit. Floats propose which counts are
0; exact arithmetic solves the rest, and checks the conditions under which no x is better.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from leaktight.errors import TooLarge, Undecided, expect
from leaktight.exact.numbers import fraction, rational
from leaktight.exact.tolerances import TOLERANCES
from leaktight.limits import allowed
from leaktight.tables.publishing import TableRelease

MOST_COUNTS = 200
"""The most counts that are fitted together."""

BITS = 64
"""So many bits of the weight of a number are taken, however small it is."""


@dataclass(frozen=True, slots=True)
class Consistent:
    """For each query its numbers, of one table of counts that are 0 or more; post-processing."""

    numbers: dict[str, tuple[Any, ...]]
    """Fractions; of quantiles values, and None for a mean of nobody."""

    def __getitem__(self, query: str) -> tuple[Any, ...]:
        return self.numbers[query]


def consistent(release: TableRelease) -> Consistent:
    """Return the numbers of the table that fits a release best, exactly.

    Its numbers are the only best ones, even where several tables have them.
    """
    noise = expect(release, TableRelease, "give what release(…) returns").noise
    protection = noise.protection
    matrix = np.concatenate([block.weights.matrix() for block in noise.blocks], axis=1)
    kinds, which = np.unique(matrix, axis=0, return_inverse=True)
    there = np.array([value != protection.absent for value in protection.values])
    if protection.absent is None:
        there[:] = True
    used = np.unique(which.ravel()[there])
    if len(used) > allowed(MOST_COUNTS):
        raise TooLarge(
            f"at most {allowed(MOST_COUNTS)} counts are fitted together, got {len(used):,}"
        )
    columns = kinds[used].T  # a row for each number, a column for each kind of values
    stored = [n for own in release.stored.numbers for n in own]
    unset = noise.parts([() for _ in noise.blocks])
    errors = [each for _, parts in unset for part in parts for each in part.variances]
    fit = _Fit.of(columns.tolist(), stored, errors)
    if protection.absent is None:
        fit = fit.with_total(protection.policy.records, len(used))
    x = fit.solved()
    fitted = [
        sum((w * v for w, v in zip(row, x, strict=True)), fmpq(0)) for row in columns.tolist()
    ]
    whole, at = [], 0
    for block in noise.blocks:
        whole.append([fraction(value) for value in fitted[at : at + block.weights.size]])
        at += block.weights.size
    return Consistent({answer.name: answer.numbers for answer in noise.answers(whole)})


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """Minimise x'Hx/2 − b'x over x ≥ 0 with E x = e."""

    hessian: list[list[fmpq]]
    slope: list[fmpq]
    equations: list[list[fmpq]]
    """The rows of E, each with its number of e at the end."""

    @classmethod
    def of(cls, rows: list[list[int]], numbers: list[int], errors: list[Fraction]) -> "_Fit":
        noisy = [error for error in errors if error]
        least = min(noisy, default=Fraction(1))
        width = len(rows[0])
        hessian = [[fmpq(0)] * width for _ in range(width)]
        slope, equations = [fmpq(0)] * width, []
        for row, number, error in zip(rows, numbers, errors, strict=True):
            if not error:
                equations.append([fmpq(w) for w in row] + [fmpq(number)])
                continue
            weight = _leading(least / error)
            places = [(j, w) for j, w in enumerate(row) if w]
            for j, w in places:
                slope[j] += weight * w * number
                for k, other in places:
                    hessian[j][k] += weight * w * other
        return cls(hessian, slope, equations)

    def with_total(self, records: int, width: int) -> "_Fit":
        return _Fit(
            self.hessian, self.slope, [*self.equations, [fmpq(1)] * width + [fmpq(records)]]
        )

    def solved(self) -> list[fmpq]:
        """Return the best x: which counts are above 0 is proposed, and mended until it is right."""
        above = self._proposed()
        for _ in range(4 * len(self.slope) + 8):
            x, gradient = self._on(above)
            low = min(above, key=lambda j: x[j], default=None)
            if low is not None and x[low] < 0:
                above = [j for j in above if x[j] >= 0]
                continue
            steep = min(range(len(x)), key=lambda j: gradient[j])
            if gradient[steep] < 0:
                above = sorted({*above, steep})
            elif all(self._holds(row, x) for row in self.equations):
                return x
            else:
                above = list(range(len(x)))
        raise Undecided("the consistent table was not found; the numbers as released are right")

    @staticmethod
    def _holds(row: list[fmpq], x: list[fmpq]) -> bool:
        return sum((w * v for w, v in zip(row, x, strict=False)), fmpq(0)) == row[-1]

    def _proposed(self) -> list[int]:
        from scipy.optimize import nnls

        rows = [[float(v) for v in row] for row in self.hessian]
        right = [float(v) for v in self.slope]
        heavy = max((max(map(abs, row)) for row in rows), default=1.0) or 1.0
        for *row, number in self.equations:
            rows.append([1000 * heavy * float(v) for v in row])
            right.append(1000 * heavy * float(number))
        try:
            near, _ = nnls(np.array(rows), np.array(right))
        except RuntimeError:  # it did not end: mend from all of them
            return list(range(len(self.slope)))
        return np.flatnonzero(near > TOLERANCES.entry * max(1.0, near.max())).tolist()

    def _on(self, above: list[int]) -> tuple[list[fmpq], list[fmpq]]:
        """Return the best x that is 0 elsewhere, and how much the sum grows with each count."""
        kept = self._independent(above)
        size = len(above) + len(kept)
        system = fmpq_mat(size, size)
        right = fmpq_mat(size, 1)
        for i, j in enumerate(above):
            right[i, 0] = self.slope[j]
            for k, other in enumerate(above):
                system[i, k] = self.hessian[j][other]
            for k, row in enumerate(kept):
                system[i, len(above) + k] = system[len(above) + k, i] = row[j]
        for k, row in enumerate(kept):
            right[len(above) + k, 0] = row[-1]
        try:
            solved = system.solve(right).entries() if size else []
        except ZeroDivisionError:
            raise Undecided(
                "several tables fit the release equally well; ask for a histogram too"
            ) from None
        x = [fmpq(0)] * len(self.slope)
        for j, value in zip(above, solved, strict=False):
            x[j] = value
        prices = solved[len(above) :]
        gradient = []
        for j, row in enumerate(self.hessian):
            rise = sum((h * v for h, v in zip(row, x, strict=True) if v), fmpq(0)) - self.slope[j]
            rise += sum((p * e[j] for p, e in zip(prices, kept, strict=True)), fmpq(0))
            gradient.append(fmpq(0) if j in above else rise)
        return x, gradient

    def _independent(self, above: list[int]) -> list[list[fmpq]]:
        """Return equations of which none follows from the others, on the counts above 0."""
        kept: list[list[fmpq]] = []
        for row in self.equations:
            tried = [*kept, row]
            part = fmpq_mat(len(tried), len(above), [r[j] for r in tried for j in above])
            if part.rank() == len(tried):
                kept = tried
        return kept


def _leading(weight: Fraction) -> fmpq:
    """Return the first 64 bits of a weight: any weights above 0 make a consistent table."""
    shift = BITS + weight.denominator.bit_length() - weight.numerator.bit_length()
    if shift <= 0 or weight.denominator.bit_length() <= BITS:
        return rational(weight)
    return fmpq((weight.numerator << shift) // weight.denominator, 1 << shift)
