"""Metrics of every kind, valid by construction."""

from typing import Any

from hypothesis import strategies as st

from leaktight.policies.metric import Metric
from tests.strategies.fractions import fractions


@st.composite
def metrics(draw: st.DrawFn, most: int = 6) -> Metric:
    """Points in the plane, tables closed by shortest paths, or weighted trees."""
    n = draw(st.integers(2, most))
    kind = draw(st.sampled_from(["euclidean", "manhattan", "table", "tree"]))
    if kind in ("euclidean", "manhattan"):
        place = st.tuples(st.integers(0, 5), st.integers(0, 5))
        points = draw(st.lists(place, min_size=n, max_size=n, unique=True))
        made: Metric = getattr(Metric, kind)(dict(enumerate(points)))
        return made
    length: Any = fractions("1/4", 3, max_denominator=8)
    if kind == "tree":
        edges = [(draw(st.integers(0, j - 1)), j, draw(length)) for j in range(1, n)]
        return Metric.from_edges(n, edges)
    table = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            table[i][j] = table[j][i] = draw(length)
    return Metric.from_table(table)
