"""Stars and trees, where a few numbers say all that mechanisms can do.

On a star, what is shown of its centre says what may be shown of each leaf, for any gain and for a
curve of one order only (Theorem 6 of ``docs/proofs/curves.md``); on a tree, a number for each
direction of an edge says how likely a guess beyond it is (Theorem 7).
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from flint import fmpq

from leaktight.curves.polygon import ONE, ZERO, Line, Polygon
from leaktight.errors import TooLarge
from leaktight.exact.linear_program import LinearProgram, solve_exact
from leaktight.limits import allowed

MOST_ROWS = 2**12
"""The most rows of a program that is solved exactly."""

Rows = list[list[fmpq]]


# --- a star, any gain ------------------------------------------------------------------------


class Star(NamedTuple):
    """The largest gain, the rows that lead to it, and multipliers of lines that exclude more."""

    value: fmpq
    rows: Rows
    multipliers: dict[tuple[int, int], list[fmpq]]
    """For each leaf and each line of the polygon a number for each output."""


def star_rows(polygon: Polygon, worth: Sequence[Sequence[fmpq]], centre: int) -> Star:
    """Return the largest gain, and what proves it from both sides.

    ``worth`` is prior times gain, a row for each vertex: maximise over rows q of the centre what
    it gains, and for each leaf Σ_k (t_k − t_{k+1})·g(q(gain ≥ t_k)) over its levels t₁ > t₂ > ….
    """
    m = len(worth[0])
    levels = [
        (x, value, following)
        for x, row in enumerate(worth)
        if x != centre
        for value, following in _steps(row)
    ]
    lines = star_lines(polygon)
    if len(levels) * len(lines) > allowed(MOST_ROWS):
        raise TooLarge(
            f"a gain of {len(levels):,} levels and a curve of {len(lines):,} lines make a program "
            f"of more than {allowed(MOST_ROWS):,} rows; take curve.polygons(lines=…) of fewer lines"
        )
    entries, limits = list[tuple[int, int, fmpq]](), list[fmpq]()
    for k, (x, value, _) in enumerate(levels):
        top = [y for y in range(m) if worth[x][y] >= value]
        for slope, height in lines:
            entries.append((len(limits), m + k, ONE))
            entries += [(len(limits), y, -slope) for y in top if slope]
            limits.append(height)
    entries += [(len(limits), y, ONE) for y in range(m)]
    limits.append(ONE)
    rows, columns, values = zip(*entries, strict=True)
    cost = [-w for w in worth[centre]] + [following - value for _, value, following in levels]
    best = solve_exact(
        LinearProgram(
            cost,
            (rows, columns, values),
            row_lower=[*[None] * (len(limits) - 1), ONE],
            row_upper=limits,
        )
    ).settled()
    multipliers = dict[tuple[int, int], list[fmpq]]()
    for k, (x, value, _) in enumerate(levels):
        for at in range(len(lines)):
            if price := -best.y[k * len(lines) + at]:
                row = multipliers.setdefault((x, at), [ZERO] * m)
                for y in range(m):
                    row[y] += price if worth[x][y] >= value else ZERO
    return Star(-best.value, from_centre(polygon, worth, centre, list(best.x[:m])), multipliers)


def star_lines(polygon: Polygon) -> list[Line]:
    """Return the lines of a polygon, and 1."""
    return [*polygon.lines, (ZERO, ONE)]


def _steps(row: Sequence[fmpq]) -> list[tuple[fmpq, fmpq]]:
    """Return the levels of a gain above 0, each with the next one."""
    values = sorted({ZERO, *row}, reverse=True)
    return list(pairwise(values))


def from_centre(
    polygon: Polygon, worth: Sequence[Sequence[fmpq]], centre: int, shown: list[fmpq]
) -> Rows:
    """Return rows that keep the polygon against the centre's, the best outputs as likely as can be.

    The likelihood ratio of each falls along the levels of its gain, so that the polygon bounds
    every event if it bounds the best outputs.
    """
    found = Rows()
    for x, row in enumerate(worth):
        if x == centre:
            found.append(list(shown))
            continue
        made, total, reached = [ZERO] * len(row), ZERO, ZERO
        for value in sorted(set(row), reverse=True):
            level = [y for y, w in enumerate(row) if w == value]
            share = sum((shown[y] for y in level), ZERO)
            power = polygon.at(min(total + share, ONE))
            if share == 0 and power > reached:  # what is never shown of the centre
                made[level[0]] = power - reached
            elif share > 0:
                for y in level:
                    made[y] = (power - reached) * shown[y] / share
            total, reached = total + share, max(power, reached)
        found.append(made)
    return found


# --- a tree, a curve for each edge ---------------------------------------------------------


def tree_rows(
    polygons: Mapping[tuple[int, int], Polygon], chances: Sequence[fmpq]
) -> tuple[fmpq, Rows, list[fmpq]]:
    """Return the chance of a right guess on a forest, rows that attain it, and what proves it.

    The last are weights w ≥ π: Σ w_i·(1 − Σ_j a_ij) is not larger for any a that keep the curves.

    For both directions of each edge, a_ij is the chance under i of a guess beyond j: maximise
    Σ π_i·(1 − Σ_j a_ij) with 1 − a_ji ≤ g(a_ij) and Σ_j a_ij ≤ 1, a ≥ 0.
    """
    n = len(chances)
    if not polygons:
        alone = [[ONE if i == j else ZERO for j in range(n)] for i in range(n)]
        return sum(chances, ZERO), alone, list(chances)
    place = {arc: k for k, arc in enumerate(polygons)}
    entries, limits = list[tuple[int, int, fmpq]](), list[fmpq]()
    for (i, j), k in place.items():
        for slope, height in polygons[i, j].lines:
            if slope >= 1 or height == 1 or i < j:
                entries += [(len(limits), k, slope), (len(limits), place[j, i], ONE)]
                limits.append(1 - height)
    if (least := len(limits)) > allowed(MOST_ROWS):
        raise TooLarge(
            f"curves of so many lines on {len(place) // 2:,} edges make a program of more than "
            f"{allowed(MOST_ROWS):,} rows; cover_bound(curve, graph, prior) bounds what is guessed"
        )
    joined = sorted({i for i, _ in place})
    for i in joined:
        entries += [(len(limits), k, ONE) for (x, _), k in place.items() if x == i]
        limits.append(ONE)
    rows, columns, values = zip(*[e for e in entries if e[2] != 0], strict=True)
    best = solve_exact(
        LinearProgram(
            [chances[i] for i, _ in place],
            (rows, columns, values),
            row_lower=[*limits[:least], *[None] * (len(limits) - least)],
            row_upper=[*[None] * least, *limits[least:]],
        )
    ).settled()
    beyond, weights = {arc: best.x[k] for arc, k in place.items()}, list(chances)
    for i, price in zip(joined, best.y[least:], strict=True):
        weights[i] -= price
    return sum(chances, ZERO) - best.value, _walked(beyond, n), weights


def _walked(beyond: dict[tuple[int, int], fmpq], n: int) -> Rows:
    """Return K(y|x): that of y itself, times a_ij/(1 − a_ji) for each step from x to y."""
    lowered = {(i, j): min(a, 1 - beyond[j, i]) for (i, j), a in beyond.items()}
    joined = dict[int, list[int]]()
    for i, j in lowered:
        joined.setdefault(i, []).append(j)
    rows = [[ZERO] * n for _ in range(n)]
    for x in range(n):
        left: list[tuple[int, int, fmpq]] = [(x, x, ONE)]
        while left:
            at, before, share = left.pop()
            around = joined.get(at, [])
            rows[x][at] = share * (1 - sum((lowered[at, j] for j in around), ZERO))
            for j in around:
                if j != before and share:
                    kept = 1 - lowered[j, at]
                    left.append((j, at, share * lowered[at, j] / kept if kept else ZERO))
    return rows
