from .automorphisms import AutomorphismGroup, Points, automorphism_group
from .regularity import (
    DistanceDistribution,
    IntersectionArray,
    UnequalDistances,
    distance_distribution,
    distance_regularity,
    vertex_transitivity,
)
from .wreath import WreathGroup

__all__ = [
    "AutomorphismGroup",
    "DistanceDistribution",
    "IntersectionArray",
    "Points",
    "UnequalDistances",
    "WreathGroup",
    "automorphism_group",
    "distance_distribution",
    "distance_regularity",
    "vertex_transitivity",
]
