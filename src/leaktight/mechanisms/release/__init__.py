"""How is something drawn and released, exactly as promised?"""

from leaktight.mechanisms.release.draw import sample
from leaktight.mechanisms.release.file import release_csv
from leaktight.mechanisms.release.gaussian import gaussian_noise
from leaktight.mechanisms.release.noise import geometric_noise
from leaktight.mechanisms.release.random_bits import random_bytes

__all__ = [
    "gaussian_noise",
    "geometric_noise",
    "random_bytes",
    "release_csv",
    "sample",
]
