from .average_breach import (
    AverageBreachLevel,
    average_breach_level,
    average_level_from_leakage,
    leakage_from_average_level,
)
from .breach import Breach, breaches, individual_sets
from .breach_level import (
    BreachLevel,
    IndividualBreachLevel,
    breach_level,
    independent_breach_level,
    individual_breach_level,
)
from .level import (
    PrivacyLevel,
    Witness,
    component_levels,
    distinguishability,
    privacy_level,
)
from .noise_level import noise_level
from .order import PrivacyOrder, privacy_refinement
from .posterior_range import PosteriorRange, breaching_ratio, posterior_range
from .profile import Delta, Divergence, PrivacyProfile, privacy_profile
from .shuffled import shuffled_delta

__all__ = [
    "AverageBreachLevel",
    "Breach",
    "BreachLevel",
    "Delta",
    "Divergence",
    "IndividualBreachLevel",
    "PosteriorRange",
    "PrivacyLevel",
    "PrivacyOrder",
    "PrivacyProfile",
    "Witness",
    "average_breach_level",
    "average_level_from_leakage",
    "breach_level",
    "breaches",
    "breaching_ratio",
    "component_levels",
    "distinguishability",
    "independent_breach_level",
    "individual_breach_level",
    "individual_sets",
    "leakage_from_average_level",
    "noise_level",
    "posterior_range",
    "privacy_level",
    "privacy_profile",
    "privacy_refinement",
    "shuffled_delta",
]
