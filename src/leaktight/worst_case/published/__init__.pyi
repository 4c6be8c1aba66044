from .bounds import LeakageBounds
from .codes import (
    covering_code,
    hamming_code,
    repetition_code,
    smallest_code,
)
from .published import leakage_bounds

__all__ = [
    "LeakageBounds",
    "covering_code",
    "hamming_code",
    "leakage_bounds",
    "repetition_code",
    "smallest_code",
]
