from .adjacency import AdjacencyGraph
from .constraint import Count, count
from .graph.graph import Graph
from .margin import margin
from .metric.metric import Metric
from .policy import Policy
from .public_counts.counts import PublicCounts
from .query import Sensitivity, answer_graph, sensitivity
from .real import Box, Circle, Interval, Tree
from .secret_difference import NeighbourExplanation, secret_difference, total_difference
from .secrets import SecretGraph
from .symmetric_query import HistogramQuery, MostCommonQuery, SumQuery, counting_query
from .symmetry.automorphisms import AutomorphismGroup, automorphism_group
from .symmetry.regularity import distance_distribution, distance_regularity, vertex_transitivity
from .symmetry.wreath import WreathGroup

__all__ = [
    "AdjacencyGraph",
    "AutomorphismGroup",
    "Box",
    "Circle",
    "Count",
    "Graph",
    "HistogramQuery",
    "Interval",
    "Metric",
    "MostCommonQuery",
    "NeighbourExplanation",
    "Policy",
    "PublicCounts",
    "SecretGraph",
    "Sensitivity",
    "SumQuery",
    "Tree",
    "WreathGroup",
    "answer_graph",
    "automorphism_group",
    "count",
    "counting_query",
    "distance_distribution",
    "distance_regularity",
    "margin",
    "secret_difference",
    "sensitivity",
    "total_difference",
    "vertex_transitivity",
]
