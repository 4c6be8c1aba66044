"""Which vertices, and which pairs, does a graph treat alike?"""

from leaktight.policies.symmetry.automorphisms import AutomorphismGroup, automorphism_group
from leaktight.policies.symmetry.orbits import Points
from leaktight.policies.symmetry.regularity import (
    DistanceDistribution,
    IntersectionArray,
    UnequalDistances,
    distance_distribution,
    distance_regularity,
    vertex_transitivity,
)
from leaktight.policies.symmetry.wreath import WreathGroup

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
