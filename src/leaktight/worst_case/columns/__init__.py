"""Which private columns make the worst, or the best, channel?"""

from leaktight.worst_case.columns.best import Found, best_channel
from leaktight.worst_case.columns.cover import (
    MOST_UNKNOWNS,
    Cover,
    DistanceMechanism,
    best_cover,
    best_metric_cover,
    coverage,
    decay,
    largest_scale,
    total_weight,
    weighting,
)
from leaktight.worst_case.columns.flow import Arcs, Flow, cheapest_column
from leaktight.worst_case.columns.lifting import in_units, private_matrix
from leaktight.worst_case.columns.tree import MOST_VERTICES as MOST_IN_TREE
from leaktight.worst_case.columns.tree import TreeOptimum, tree_optimum
from leaktight.worst_case.columns.worst import ColumnOptimum, column_optimum

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
    "decay",
    "in_units",
    "largest_scale",
    "private_matrix",
    "total_weight",
    "tree_optimum",
    "weighting",
]
