"""How is something drawn and released, exactly as promised?"""

from leaktight.mechanisms.release.draw import sample
from leaktight.mechanisms.release.release import release_csv

__all__ = [
    "release_csv",
    "sample",
]
