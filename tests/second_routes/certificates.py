"""Certificates as a file has them, and how to forge one."""

import json
from typing import Any

from leaktight.policies.secrets import SecretGraph
from leaktight.worst_case.optimum import WorstCase, worst_case_leakage


def written(worst: WorstCase) -> Any:
    """Return the certificate of a worst case, as it is read from a file."""
    return json.loads(json.dumps(worst.certificate))


def path_proof() -> Any:
    """Return that of a path of four vertices, which has a cover."""
    return written(worst_case_leakage(SecretGraph.line(4), ratio=2))


def change(proof: Any, *steps: Any) -> Any:
    """Set what is found along all steps but the last to the last."""
    *path, last, value = steps
    at = proof
    for step in path:
        at = at[step]
    at[last] = value
    return proof
