"""Noise on places of a map.

A mechanism on a grid is *d-private* at λ if K(z|x) ≤ λ^d(x,x′)·K(z|x′) for all points x, x′
([Andres2013]_): the nearer two points are, the harder they are to tell apart. Two distances: along
the streets (Manhattan), and straight.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import isqrt

import numpy as np
import numpy.typing as npt
from attrs import frozen
from flint import fmpq

from leaktight.channels.channel import Channel
from leaktight.channels.composition import parallel
from leaktight.exact.linear_program import LinearProgram, solve
from leaktight.exact.numbers import Array, Number, exact_array, float_array
from leaktight.exact.ratio import Ratio, RatioLike, step_ratio
from leaktight.labels import Labels
from leaktight.mechanisms.geometric import TruncatedGeometric
from leaktight.mechanisms.mechanism import Guarantee, Mechanism, refuse_too_large
from leaktight.mechanisms.registry import construction
from leaktight.policies.graph import Graph, Indices, Vertices
from leaktight.policies.secrets import SecretGraph

PARTS = 24
"""Into how many parts a step of a grid is divided: rounding up adds 0.6% to a distance at most."""

UNIT = 2**40
"""What floating point proposes is rounded to multiples of 1/UNIT."""


@frozen(init=False, repr=False)
class _OnGrid(Mechanism):
    """A mechanism on the points (row, column) of a grid, neighbours if one step apart."""

    rows: Labels
    columns: Labels
    ratio: Fraction

    def __init__(
        self,
        rows: Vertices,
        columns: Vertices,
        ratio: RatioLike = None,
        epsilon: Number | None = None,
    ) -> None:
        self.__attrs_init__(
            Graph(rows).vertices, Graph(columns).vertices, Ratio.of(ratio, epsilon).lower
        )

    @property
    def graph(self) -> SecretGraph:
        """The grid."""
        return SecretGraph.grid(self.rows, self.columns)

    @property
    def guarantee(self) -> Guarantee:
        """λ for points one step apart, and λ^d for those at distance d."""
        return Guarantee(self.ratio, f"points of a {self._size} grid", lambda: self.graph)

    @property
    def _size(self) -> str:
        return f"{len(self.rows)}×{len(self.columns)}"


@construction("planar geometric", "plane", has_distances=True)
class PlanarGeometric(_OnGrid):
    """Truncated geometric noise on each coordinate: d-private along the streets of a grid.

    >>> city = PlanarGeometric(3, 3, ratio=2)
    >>> city.channel[(0, 0), (0, 0)], city.channel[(1, 1), (1, 1)]
    (Fraction(4, 9), Fraction(1, 9))
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"planar geometric on a {self._size} grid"

    @property
    def channel(self) -> Channel:
        """What is seen of each point."""
        sides = (TruncatedGeometric(side, self.ratio) for side in (self.rows, self.columns))
        return parallel(*(side.channel for side in sides)).expand()


@construction("planar laplace", "plane", has_distances=True)
class PlanarLaplace(_OnGrid):
    """K(z|x) ≈ a_z·λ^(−d(x,z)): d-private for the straight distance between the points of a grid.

    Planar Laplace noise, rounded to a grid, is neither a channel nor quite private. Here distances
    are rounded up to parts of the grid's step, which keeps the triangle inequality, and every
    column is a_z·r^(−⌈24·d(x,z)⌉), with a rational r that has r^⌈24·d⌉ ≤ λ^d for all distances d
    of the grid. The weights a are those under which the rows take up as much as they can; a linear
    program proposes them. What is left of the rows is a private column too, and joins one output.
    The proof is in docs/proofs/mechanisms.md.

    >>> from leaktight.policies.metric import Metric
    >>> from leaktight.privacy.level import privacy_level
    >>> city = PlanarLaplace(4, 3, epsilon=1)
    >>> 0.99 < privacy_level(city.channel, Metric.euclidean(city.graph.vertices)).epsilon <= 1
    True
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """What it is, in a few words."""
        return f"planar Laplace on a {self._size} grid"

    @property
    def step(self) -> Fraction:
        """r: how much likelier a point is that is one part of a step nearer."""
        squares = product(*(range(len(side)) for side in (self.rows, self.columns)))
        # Rounded down, so that rate·⌈24·d⌉ ≤ d, and r ≤ λ^rate.
        rates = [
            isqrt(UNIT**2 * k // _parts(k) ** 2) for k in {i**2 + j**2 for i, j in squares} - {0}
        ]
        return step_ratio(self.ratio, Fraction(UNIT, min(rates, default=UNIT)), bits=24)

    @property
    def channel(self) -> Channel:
        """What is seen of each point."""
        m, n = len(self.rows), len(self.columns)
        refuse_too_large(m * n, m * n)
        points = np.indices((m, n)).reshape(2, -1)
        squared, which = np.unique(
            ((points[:, :, None] - points[:, None, :]) ** 2).sum(axis=0), return_inverse=True
        )
        parts, step = [_parts(k) for k in squared.tolist()], self.step
        # Whole numbers in proportion to r^(−parts), so that no fraction is reduced in vain.
        powers = exact_array(step.denominator**p * step.numerator ** (parts[-1] - p) for p in parts)
        orbits, first = _orbits(m, n)
        apart = which.reshape(m * n, m * n)
        weights = _packing(float_array(powers / powers[0])[apart[first]], orbits)
        used = powers[apart[first]] @ weights[orbits]
        nearest = _by_orbit(apart[first], orbits, np.min)
        scale = _scale(used, powers, nearest)
        matrix = (scale * weights[:, None] * powers)[orbits, apart]
        left = 1 - scale * used
        matrix[:, first[left.argmax()]] += left[orbits]
        return Channel.trusted(self.graph.vertices, self.graph.vertices, matrix)


def _parts(squared: int) -> int:
    """Return ⌈24·√squared⌉."""
    return isqrt(PARTS**2 * squared - 1) + 1 if squared else 0


def _orbits(rows: int, columns: int) -> tuple[Indices, Indices]:
    """Return which points of a grid its symmetries carry into one another, and one of each kind."""
    i, j = (np.minimum(at, at[::-1]) for at in map(np.arange, (rows, columns)))
    places = np.stack(np.broadcast_arrays(i[:, None], j), axis=-1).reshape(-1, 2)
    if rows == columns:
        places.sort(axis=1)
    _, first, orbits = np.unique(places, axis=0, return_index=True, return_inverse=True)
    return orbits, first


def _by_orbit(table: Array, orbits: Indices, joined: Callable[..., Array]) -> Array:
    """Return a table with the columns of each orbit joined to one."""
    parts = [joined(table[:, orbits == k], axis=1) for k in range(int(orbits.max()) + 1)]
    return np.stack(parts, axis=1)


def _packing(table: npt.NDArray[np.float64], orbits: Indices) -> Array:
    """Return weights a ≥ 0 of the orbits, in units: Σ a is nearly largest with no row above 1."""
    sums = _by_orbit(table, orbits, np.sum)
    rows, columns = np.indices(sums.shape)
    entries = (rows.ravel(), columns.ravel(), sums.ravel())
    sizes = np.bincount(orbits).astype(float)
    best = solve(LinearProgram(-sizes, entries, row_upper=np.ones(len(sums)))).optimum
    proposed = np.ones(len(sums)) if best is None else best.x
    return exact_array(map(int, np.rint(np.maximum(proposed, 0) * UNIT)))


def _scale(used: Array, powers: Array, nearest: Indices) -> fmpq:
    """Return nearly the largest s for which 1 − s·used is a private column, rounded down.

    Where the column is larger at x than at x′, it must be so by r^parts at most, and that is
    hardest for the nearest points of their orbits.
    """
    limits = [1 / used.max()]
    for x, y in np.argwhere(used[:, None] < used).tolist():
        far = powers[nearest[x, y]]
        limits.append((powers[0] - far) / (powers[0] * used[y] - far * used[x]))
    whole = UNIT**2 * powers[0]
    return fmpq((min(limits) * whole).floor()) / whole
