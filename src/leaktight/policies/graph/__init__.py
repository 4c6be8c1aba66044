"""Which things are neighbours, and how far apart are the rest?"""

from leaktight.policies.graph.graph import FEW, MOST_DRAWN, Graph, Indices, Vertices, gathered
from leaktight.policies.graph.igraph import bare_graph
from leaktight.policies.graph.product import (
    product_edges,
    product_factors,
    strong_product_edges,
)
from leaktight.policies.graph.search import all_distances, linked, shortest

__all__ = [
    "FEW",
    "MOST_DRAWN",
    "Graph",
    "Indices",
    "Vertices",
    "all_distances",
    "bare_graph",
    "gathered",
    "linked",
    "product_edges",
    "product_factors",
    "shortest",
    "strong_product_edges",
]
