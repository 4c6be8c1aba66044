"""What is drawn of a secret graph: all of it, or groups of values if it is large."""

from typing import Any

import numpy as np

from leaktight.exact.numbers import float_array
from leaktight.policies.graph import Graph, picture
from leaktight.studies.study import Study

MOST_DRAWN = 40
"""The most values that are drawn one by one."""

GROUPS = 24
"""How many groups of values are drawn instead."""


def drawing(study: Study) -> dict[str, Any]:
    """Return the values, their pairs, where they stand, how far apart and how likely they are.

    Of more than 40 values it is groups of them, each a run in their order, or those that are alike
    in the first attributes, as the branches of a tree; ``folded`` then says how
    many values and pairs there are, and how many of each lie in which group.
    """
    secrets, metric = study.policy.secrets, study.policy.metric
    prior = float_array(study.prior.array).tolist()
    if secrets.order <= MOST_DRAWN:
        return {
            "values": secrets.vertices,
            "pairs": secrets.edges.tolist(),
            "places": picture.layout(secrets.vertices, secrets.edges).round(3).tolist(),
            "lengths": None if metric is None else float_array(metric.upper).tolist(),
            "prior": prior,
            "folded": None,
        }
    return folded(secrets, prior)


def folded(secrets: Graph, prior: list[float]) -> dict[str, Any]:
    """Return groups of values in place of a large graph.

    >>> found = folded(Graph(100, [(k, k + 1) for k in range(99)]), [0.01] * 100)
    >>> len(found["values"]), found["values"][0], found["folded"]["order"]
    (24, '0 … 4', 100)
    >>> found["pairs"][:2]
    [[0, 1], [1, 2]]
    """
    of = _groups(secrets)
    groups = int(of.max()) + 1
    edges = secrets.edges
    ends = np.sort(of[edges], axis=1) if len(edges) else np.zeros((0, 2), dtype=np.int64)
    apart = ends[ends[:, 0] != ends[:, 1]]
    pairs = np.unique(apart, axis=0)
    runs = [np.flatnonzero(of == k) for k in range(groups)]
    names = []
    for run in runs:
        names.append(_named(secrets.vertices[int(run[0])], secrets.vertices[int(run[-1])]))
    inside = np.bincount(ends[ends[:, 0] == ends[:, 1]][:, 0], minlength=groups)
    return {
        "values": names,
        "pairs": pairs.tolist(),
        "places": picture.layout(tuple(range(groups)), pairs).round(3).tolist(),
        "lengths": None,
        "prior": [sum(prior[int(k)] for k in run) for run in runs],
        "folded": {
            "order": secrets.order,
            "pairs": len(edges),
            "sizes": [len(run) for run in runs],
            "inside": inside.tolist(),
        },
    }


def _groups(secrets: Graph) -> Any:
    """Return the group of each value: by the first attributes, or by runs in their order."""
    values: Any = secrets.vertices
    lengths = {len(v) if isinstance(v, tuple) else 0 for v in values}
    if len(lengths) == 1 and max(lengths) > 1:
        for kept in range(max(lengths) - 1, 0, -1):
            known: dict[Any, int] = {}
            found = [known.setdefault(v[:kept], len(known)) for v in values]
            if 1 < len(known) <= GROUPS:
                return np.array(found)
    return np.arange(secrets.order) * GROUPS // secrets.order


def _named(first: Any, last: Any) -> str:
    """Name a group by what all of it has in common, or by its first and last value."""
    if first == last:
        return str(first)
    if isinstance(first, tuple) and isinstance(last, tuple) and first[0] == last[0]:
        common = [a for a, b in zip(first, last, strict=True) if a == b]
        return ", ".join(map(str, common))
    return f"{_text(first)} … {_text(last)}"


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
