"""Which private columns make the worst, or the best, channel?"""

from leaktight.worst_case.columns.columns import ColumnOptimum, column_optimum
from leaktight.worst_case.columns.cover import (
    MOST_UNKNOWNS,
    Cover,
    DistanceMechanism,
    best_cover,
    coverage,
    total_weight,
    weighting,
)
from leaktight.worst_case.columns.flow import Flow, cheapest_column, neighbour_lists
from leaktight.worst_case.columns.pricing import LARGEST, Arcs, Floats, Pricing, Proof, pricing
from leaktight.worst_case.columns.search import Part, propose_columns, propose_on_complete

__all__ = [
    "LARGEST",
    "MOST_UNKNOWNS",
    "Arcs",
    "ColumnOptimum",
    "Cover",
    "DistanceMechanism",
    "Floats",
    "Flow",
    "Part",
    "Pricing",
    "Proof",
    "best_cover",
    "cheapest_column",
    "column_optimum",
    "coverage",
    "neighbour_lists",
    "pricing",
    "propose_columns",
    "propose_on_complete",
    "total_weight",
    "weighting",
]
