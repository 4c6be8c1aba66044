"""Pictures of small graphs.

Vertices that are pairs, as the points of a grid or a map are, stand at their coordinates: the
first to the right, the second upwards. Otherwise each component stands apart. A path is a line
that turns at the margin, a cycle or a graph with at least half of all edges a circle, and anything
else is laid out by Kamada and Kawai's springs.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from html import escape
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leaktight.labels import parts

Points: TypeAlias = npt.NDArray[np.float64]
Box: TypeAlias = tuple[float, ...]
"""The left, top, right and bottom of a name."""

WIDTH, HEIGHT = 460, 320
"""The largest picture, in pixels and without the names at its margin."""

ROW = 10
"""How many vertices of a path stand in one row."""

MOST_NAMED = 80
"""Of more vertices none is named in the picture; each says its name under the mouse."""

MOST_COVERED = 40
"""How many of the 40 points along each edge are too many to be covered by a name."""

LETTER, LONGEST = 6.8, 14
"""The width of a letter, and the number of letters at which a name is cut."""

SIDES = ((0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1))
"""Where a name may stand beside its dot, best first."""


def svg(
    vertices: Sequence[Hashable], edges: npt.NDArray[np.int64], places: Points | None = None
) -> str:
    """Draw a graph as one SVG element: dots and lines, and names where there is room for them.

    ``edges`` are pairs of positions in ``vertices``. ``places`` are where the dots stand, y
    upwards; without them they are found. A dot says its name under the mouse too.

    >>> svg(["a<b", "c"], np.array([[0, 1]])).count("<line")
    1
    """
    names = [" ".join(map(str, parts(v))) for v in vertices]
    points = _scaled(layout(vertices, edges, places), max(map(len, names)))
    lines = "".join(
        f'<line x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}"/>'
        for a, b, c, d in points[edges].reshape(-1, 4).tolist()
    )
    radius = 4.5 if len(names) <= MOST_NAMED else 3
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.2g}"><title>{escape(name)}</title></circle>'
        for name, (x, y) in zip(names, points.tolist(), strict=True)
    )
    shown = _labels(names, points, edges) if len(names) <= MOST_NAMED else []
    texts = "".join(
        f'<text x="{(a + c) / 2:.1f}" y="{d - 2:.1f}">{escape(text)}</text>'
        for text, (a, _, c, d) in shown
    )
    boxes = np.array([*(box for _, box in shown), *np.hstack([points, points]).tolist()])
    x, y = boxes[:, :2].min(axis=0) - 8
    width, height = boxes[:, 2:].max(axis=0) + 8 - (x, y)
    thin = min(1.4, max(0.5, 60 / (1 + len(edges))))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x:.1f} {y:.1f} {width:.1f} '
        f'{height:.1f}" width="{width:.0f}" height="{height:.0f}" role="img" '
        f'font-family="sans-serif" font-size="12">'
        f'<g stroke="#8a94a6" stroke-width="{thin:.1f}">{lines}</g><g fill="#0072b2">{dots}</g>'
        f'<g fill="#7a828e" text-anchor="middle">{texts}</g></svg>'
    )


def layout(
    vertices: Sequence[Hashable], edges: npt.NDArray[np.int64], places: Points | None = None
) -> Points:
    """Return where each dot of a picture stands, y downwards, neighbours about 1 apart.

    >>> layout([(0, 0), (0, 1), (1, 0)], np.array([[0, 1], [0, 2]]))[1].tolist()
    [0.0, -1.0]
    """
    if places is None:
        places = coordinates(vertices, edges)
    return _layout(len(vertices), edges) if places is None else _spread(places)


def coordinates(vertices: Sequence[Any], edges: npt.NDArray[np.int64]) -> Points | None:
    """Return where vertices that are pairs stand: in a grid by rank, elsewhere by their numbers.

    There are none if a line would pass through a dot that it does not end at.

    >>> coordinates([(0, "low"), (0, "high"), (5, "low")], np.array([[0, 1], [0, 2]])).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    if not all(isinstance(v, tuple) and len(v) == 2 for v in vertices) or len(vertices) < 3:
        return None
    ranked = [list(dict.fromkeys(v[k] for v in vertices)) for k in (0, 1)]
    ranks = np.array([[side.index(v[k]) for k, side in enumerate(ranked)] for v in vertices], float)
    if (np.abs(ranks[edges[:, 0]] - ranks[edges[:, 1]]) <= 1).all():
        return ranks
    if not all(isinstance(x, Real) for v in vertices for x in v):
        return None
    points = np.array(vertices, dtype=float)
    return None if _passes_through(points, edges) else points


def _passes_through(points: Points, edges: npt.NDArray[np.int64]) -> bool:
    """Whether an edge passes through a third point."""
    for i, j in edges.tolist():
        along, away = points[j] - points[i], points - points[i]
        part = away @ along / (along @ along)
        off = np.abs(away[:, 0] * along[1] - away[:, 1] * along[0]) / np.linalg.norm(along)
        if ((part > 0) & (part < 1) & (off < np.linalg.norm(along) / 20)).sum() > 0:
            return True
    return False


def _spread(places: Points) -> Points:
    """Turn y downwards, and put the nearest points about 1 apart."""
    away = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(away, np.inf)
    nearest = away.min(axis=1)
    unit = float(np.median(nearest[np.isfinite(nearest)])) if len(places) > 1 else 1.0
    return places * (1, -1) / unit


def _layout(order: int, edges: npt.NDArray[np.int64]) -> Points:
    """Return a point per vertex, neighbours about 1 apart: components in rows, like words."""
    beside: list[list[int]] = [[] for _ in range(order)]
    for i, j in sorted(edges.tolist()):
        beside[i].append(j)
        beside[j].append(i)
    components, seen = list[list[int]](), set[int]()
    for vertex in range(order):
        if vertex not in seen:
            components.append(sorted(_walk(vertex, beside)))
            seen.update(components[-1])
    shapes = [_shape(component, beside) for component in components]
    sizes = [np.ptp(shape, axis=0) + 1 for shape in shapes]
    area = sum(width * height for width, height in sizes)
    widest = max(max(width for width, _ in sizes), math.sqrt(1.5 * area))
    points = np.empty((order, 2))
    x = y = tallest = 0.0
    for members, shape, (width, height) in zip(components, shapes, sizes, strict=True):
        if x and x + width > widest:
            x, y, tallest = 0.0, y + tallest, 0.0
        points[members] = shape - shape.min(axis=0) + (x, y)
        x, tallest = x + width, max(tallest, height)
    return points


def _walk(start: int, beside: list[list[int]]) -> list[int]:
    """Return the vertices that can be reached, in the order of a walk that goes on as it can."""
    found, left = dict.fromkeys([start]), list(reversed(beside[start]))
    while left:
        vertex = left.pop()
        if vertex not in found:
            found[vertex] = None
            left += reversed(beside[vertex])
    return list(found)


def _shape(members: list[int], beside: list[list[int]]) -> Points:
    """Lay out a connected graph, its vertices in the order of ``members``."""
    n, degrees = len(members), [len(beside[v]) for v in members]
    m, place = sum(degrees) // 2, {v: k for k, v in enumerate(members)}
    points = np.empty((n, 2))
    if m < n and max(degrees) <= 2:
        walk = _walk(members[degrees.index(min(degrees))], beside)
        row, column = np.divmod(np.arange(n), ROW)
        line = np.stack([np.where(row % 2, ROW - 1 - column, column), row], axis=1)
        points[[place[v] for v in walk]] = line
    elif max(degrees) == 2 or 4 * m >= n * (n - 1):
        walk = _walk(members[0], beside) if max(degrees) == 2 else members
        angles = 2 * np.pi * np.arange(n) / n
        around = np.stack([np.sin(angles), -np.cos(angles)], axis=1)
        points[[place[v] for v in walk]] = around / (2 * math.sin(math.pi / n))
    else:
        import igraph  # which loads matplotlib

        edges = [(place[v], place[w]) for v in members for w in beside[v] if v < w]
        points = np.array(igraph.Graph(n=n, edges=edges).layout_kamada_kawai().coords)
        ends = points[np.array(edges)]
        points /= np.median(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1))
    return points


def _scaled(points: Points, longest: int) -> Points:
    """Stretch a layout so that names fit between the dots, if the picture has the room."""
    room = np.array([WIDTH, HEIGHT]) / np.maximum(np.ptp(points, axis=0), 0.1)
    return points * float(min(*room, max(44.0, 12 + LETTER * min(longest, LONGEST))))


def _labels(
    names: Iterable[str], points: Points, edges: npt.NDArray[np.int64]
) -> list[tuple[str, Box]]:
    """Put each name on the side of its dot where it covers least; leave out what has no room."""
    steps = np.linspace(0, 1, 40)[:, None]
    along = [points[i] + steps * (points[j] - points[i]) for i, j in edges.tolist()]
    inked = np.concatenate([np.empty((0, 2)), *along])
    taken: list[tuple[str, Box]] = []
    for name, (x, y) in zip(names, points.tolist(), strict=True):
        text = name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
        half = LETTER * len(text) / 2
        choices = []
        for dx, dy in SIDES:
            cx, cy = x + dx * (half + (3 if dy else 8)), y + dy * (11 if dx else 14)
            box = (cx - half, cy - 6, cx + half, cy + 6)
            if _inside(points, box, 4) or any(_overlap(box, other) for _, other in taken):
                continue
            choices.append((_inside(inked, box, 0), box))
        covered, best = min(choices, key=lambda choice: choice[0], default=(MOST_COVERED, ()))
        if covered < MOST_COVERED:
            taken.append((text, best))
    return taken


def _inside(points: Points, box: Box, margin: float) -> int:
    low, high = np.array(box[:2]) - margin, np.array(box[2:]) + margin
    return int(((points > low) & (points < high)).all(axis=1).sum())


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
