from .decisions import Method, is_affordable, sum_over_types
from .likelihoods import Likelihoods, Scaled
from .stakes import Guessing, Stakes
from .type_classes import BLOCK, Counts, Floats, TypeClasses

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
