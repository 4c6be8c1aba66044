from .best import Found, best_channel
from .cover import (
    MOST_UNKNOWNS,
    Cover,
    DistanceMechanism,
    best_cover,
    best_metric_cover,
    coverage,
    coverage_below,
    decay,
    largest_scale,
    total_weight,
    weighting,
)
from .flow import Arcs, Flow, cheapest_column
from .lifting import in_units, private_matrix
from .tree import MOST_IN_TREE, TreeOptimum, tree_optimum
from .worst import ColumnOptimum, column_optimum

__all__ = [
    "MOST_IN_TREE",
    "MOST_UNKNOWNS",
    "Arcs",
    "ColumnOptimum",
    "Cover",
    "DistanceMechanism",
    "Flow",
    "Found",
    "TreeOptimum",
    "best_channel",
    "best_cover",
    "best_metric_cover",
    "cheapest_column",
    "column_optimum",
    "coverage",
    "coverage_below",
    "decay",
    "in_units",
    "largest_scale",
    "private_matrix",
    "total_weight",
    "tree_optimum",
    "weighting",
]
