"""How is something drawn and released, exactly as promised?"""

from leaktight.mechanisms.release.draw import sample
from leaktight.mechanisms.release.file import release_csv
from leaktight.mechanisms.release.noise import geometric_noise

__all__ = [
    "geometric_noise",
    "release_csv",
    "sample",
]
