"""What does the best guess earn, over all counts that can be seen?"""

from leaktight.repetition.types.decisions import Method, is_affordable, sum_over_types
from leaktight.repetition.types.likelihoods import Likelihoods, Scaled
from leaktight.repetition.types.stakes import Guessing, Stakes
from leaktight.repetition.types.type_classes import BLOCK, Counts, Floats, TypeClasses

__all__ = [
    "BLOCK",
    "Counts",
    "Floats",
    "Guessing",
    "Likelihoods",
    "Method",
    "Scaled",
    "Stakes",
    "TypeClasses",
    "is_affordable",
    "sum_over_types",
]
