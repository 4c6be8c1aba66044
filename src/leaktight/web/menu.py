"""The mechanisms that the page offers: those that are registered, with their keys."""

from typing import Any

from leaktight.mechanisms.registry import constructions
from leaktight.studies.keys import BEST
from leaktight.studies.study import Study

FIRST = {"number": "1/2", "whole number": 3, "truth": False}
"""What a key says until somebody says something else."""

TABLES = [{"0": 1}, {"-1": "1/4", "0": "1/2", "1": "1/4"}]
"""The same of a key that is a list of tables: 0 stays, and other counts may change by 1."""


def mechanism_menu(study: Study) -> list[dict[str, Any]]:
    """Return the mechanisms that a study may name: the best, and all that are registered.

    >>> from leaktight import Policy, SecretGraph
    >>> menu = mechanism_menu(Study(Policy(SecretGraph.complete(3))))
    >>> [each["name"] for each in menu][:3], len(menu) > 10
    (['best', 'cell key', 'discrete gaussian'], True)
    """
    metric = study.policy.metric
    points: Any = study.policy.secrets.vertices
    is_plane = all(isinstance(point, tuple) and len(point) == 2 for point in points)
    whole = all(isinstance(value, int) for value in points)
    found: list[dict[str, Any]] = [
        {"name": BEST, "keys": [], "note": None, "alone": False, "counts": False}
    ]
    for one in constructions().values():
        if (metric is not None and not one.has_distances) or (
            one.built_on == "plane" and not is_plane
        ):
            continue
        needed = [key for key in one.keys if key.is_needed] or list(one.keys[:1])
        found.append(
            {
                "name": one.name,
                "note": one.note,
                "alone": one.built_on == "beliefs",
                "counts": one.built_on == "counts" or (one.is_noise and not whole),
                "keys": [
                    {
                        "name": key.name,
                        "kind": key.kind,
                        "means": key.means.replace("`", ""),
                        "first": FIRST.get(key.kind, TABLES) if key in needed else None,
                    }
                    for key in one.keys
                ],
            }
        )
    return found
