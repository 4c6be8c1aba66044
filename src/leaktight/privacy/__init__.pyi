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
    DPrivacyLevel,
    PrivacyLevel,
    Witness,
    component_levels,
    d_privacy_level,
    distinguishability,
    privacy_level,
)

__all__ = [
    "AverageBreachLevel",
    "Breach",
    "BreachLevel",
    "DPrivacyLevel",
    "IndividualBreachLevel",
    "PrivacyLevel",
    "Witness",
    "average_breach_level",
    "average_level_from_leakage",
    "breach_level",
    "breaches",
    "component_levels",
    "d_privacy_level",
    "distinguishability",
    "independent_breach_level",
    "individual_breach_level",
    "individual_sets",
    "leakage_from_average_level",
    "privacy_level",
]
