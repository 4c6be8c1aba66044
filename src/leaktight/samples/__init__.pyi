from .black_box import EpsilonLowerBound, OneAtATime, epsilon_by_calls
from .event import AtLeast, AtMost, OneOf
from .independence import IndependenceTest, independence_test
from .information import estimate_mutual_information
from .leakage import LeakageEstimate, estimate_min_entropy_leakage, estimate_posterior_vulnerability
from .numbers import RuleEstimate, estimate_from_numbers
from .observations import Observations, read_observations
from .prior import PriorEstimate, estimate_prior

__all__ = [
    "AtLeast",
    "AtMost",
    "EpsilonLowerBound",
    "IndependenceTest",
    "LeakageEstimate",
    "Observations",
    "OneAtATime",
    "OneOf",
    "PriorEstimate",
    "RuleEstimate",
    "epsilon_by_calls",
    "estimate_from_numbers",
    "estimate_min_entropy_leakage",
    "estimate_mutual_information",
    "estimate_posterior_vulnerability",
    "estimate_prior",
    "independence_test",
    "read_observations",
]
