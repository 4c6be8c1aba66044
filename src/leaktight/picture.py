"""What does a small graph look like?"""

from collections.abc import Hashable, Sequence
from html import escape

import numpy as np
import numpy.typing as npt

WIDTH, HEIGHT, MARGIN = 420, 280, 32


def svg(
    vertices: Sequence[Hashable],
    edges: npt.NDArray[np.int64],
    positions: Sequence[Sequence[float]],
) -> str:
    """Draw a graph as one SVG element: dots that say their names, and lines.

    ``edges`` are pairs of positions in ``vertices``; ``positions`` are points of the plane,
    stretched to fill the picture.

    >>> svg(["a<b", "c"], np.array([[0, 1]]), [(0, 0), (1, 0)]).count("<line")
    1
    """
    points = _fit(np.array(positions, dtype=np.float64))
    lines = [
        f'<line x1="{points[i, 0]:.1f}" y1="{points[i, 1]:.1f}" '
        f'x2="{points[j, 0]:.1f}" y2="{points[j, 1]:.1f}"/>'
        for i, j in edges.tolist()
    ]
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5"/>' for x, y in points.tolist()]
    names = [
        f'<text x="{x:.1f}" y="{y - 9:.1f}">{escape(_name(vertex))}</text>'
        for vertex, (x, y) in zip(vertices, points.tolist(), strict=True)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img" font-family="sans-serif" font-size="12">'
        f'<g stroke="#8a94a6" stroke-width="1.4">{"".join(lines)}</g>'
        f'<g fill="#2457a6">{"".join(dots)}</g>'
        f'<g fill="#7a828e" text-anchor="middle">{"".join(names)}</g>'
        "</svg>"
    )


def _fit(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Scale and move points so that they fill the picture; a flat direction is centred."""
    low, spread = points.min(axis=0), np.ptp(points, axis=0)
    room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN
    # A spread that is only rounding must not be blown up.
    flat = spread <= 2.0**-20 * spread.max()
    share = np.where(flat, 0.5, (points - low) / np.where(flat, 1.0, spread))
    placed: npt.NDArray[np.float64] = MARGIN + share * room
    return placed


def _name(vertex: Hashable) -> str:
    if isinstance(vertex, tuple):
        return " ".join(map(str, vertex))
    return str(vertex)
