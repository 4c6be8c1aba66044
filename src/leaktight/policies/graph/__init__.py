"""Which things are neighbours, and how far apart are the rest?"""

from leaktight.policies.graph.graph import MOST_DRAWN, Graph, Indices, Vertices, gathered
from leaktight.policies.graph.product import (
    product_edges,
    product_factors,
    strong_product_edges,
)

__all__ = [
    "MOST_DRAWN",
    "Graph",
    "Indices",
    "Vertices",
    "gathered",
    "product_edges",
    "product_factors",
    "strong_product_edges",
]
