"""Which published bounds apply, and which is tightest?"""

from leaktight.worst_case.published.bounds import LeakageBounds
from leaktight.worst_case.published.codes import (
    covering_code,
    hamming_code,
    repetition_code,
    smallest_code,
)
from leaktight.worst_case.published.published import leakage_bounds

__all__ = [
    "LeakageBounds",
    "covering_code",
    "hamming_code",
    "leakage_bounds",
    "repetition_code",
    "smallest_code",
]
