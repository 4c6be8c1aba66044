from .additive_capacity import (
    AdditiveEnclosure,
    additive_bayes_capacity,
    additive_capacity,
    spanning_capacity,
)
from .adjacency import AdjacencyGraph
from .attacker import largest_n
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
from .capacity import Capacity, membership_capacity, min_capacity, risk_capacity
from .certificate import verify_certificate, write_certificate
from .chance import Chance
from .channel import Channel
from .channel_file import read_channel, write_channel
from .chernoff import ChernoffInformation, chernoff_information, geometric_chernoff
from .composition import Parallel, parallel, repeated, sequential
from .constraint import Count, count
from .distance import (
    RowDistance,
    kantorovich,
    largest_row_distance,
    multiplicative_distance,
    total_variation,
)
from .distribution import Distribution, ProductDistribution, product_distribution
from .entropy import (
    EntropyLeakage,
    cachin_entropy,
    conditional_entropy,
    conditional_guessing_entropy,
    conditional_renyi_entropy,
    guessing_entropy,
    guessing_leakage,
    mutual_information,
    renyi_entropy,
    renyi_leakage,
    shannon_entropy,
    shannon_leakage,
)
from .errors import (
    InvalidChannel,
    InvalidDistribution,
    InvalidFile,
    InvalidGain,
    InvalidGraph,
    InvalidInput,
    InvalidNumber,
    InvalidPolicy,
    LeaktightError,
    Mismatch,
    TooLarge,
    Undecided,
)
from .estimate.black_box import EpsilonLowerBound, audit_mechanism
from .estimate.counts import Observations, read_observations
from .estimate.drawing import OneAtATime
from .estimate.event import AtLeast, AtMost, OneOf
from .estimate.independence import IndependenceTest, independence_test
from .estimate.information_estimate import estimate_mutual_information
from .estimate.leakage_estimate import (
    LeakageEstimate,
    estimate_min_entropy_leakage,
    estimate_posterior_vulnerability,
)
from .exact import ln, ln_interval, log2, log2_interval
from .explanation import Explanation, explain
from .gain import Gain, Loss, Tries
from .graph import Graph
from .hyper import Hyper, hyper
from .information_capacity import CapacityEnclosure, renyi_capacity, shannon_capacity
from .leakage import (
    Leakage,
    g_leakage,
    min_entropy_leakage,
    posterior_risk,
    posterior_vulnerability,
    risk,
    risk_leakage,
    strategy,
    vulnerability,
)
from .mechanisms.blocks import BlockMechanism
from .mechanisms.design import BestMechanism, optimal_mechanism
from .mechanisms.even_ring import EvenRing
from .mechanisms.exponential import ExponentialMechanism
from .mechanisms.geometric import GeometricNoise, TruncatedGeometric
from .mechanisms.graph_exponential import GraphExponential, NormalisedExponential
from .mechanisms.guarantee import Guarantee, Mechanism
from .mechanisms.laplace import RoundedLaplace
from .mechanisms.one_bit import OneBit
from .mechanisms.planar import PlanarGeometric, PlanarLaplace
from .mechanisms.randomized_response import RandomizedResponse
from .mechanisms.repair import Repaired, repair
from .mechanisms.tight_constraints import TightConstraints
from .mechanisms.tradeoff import TradeOff, least_leaking, most_useful
from .noise import geometric_noise
from .percent import Probability
from .policy import Policy
from .privacy import (
    DPrivacyLevel,
    PrivacyLevel,
    Witness,
    component_levels,
    d_privacy_level,
    distinguishability,
    privacy_level,
)
from .program import UNFINISHED, TruncatedChannel, channel_of, truncated_channel_of
from .query import Sensitivity, answer_graph, counting_query, sensitivity
from .rates import (
    Rate,
    average_breach_rate,
    breach_probability_rate,
    breach_rate,
    error_rate,
    membership_rate,
    neighbour_rate_bound,
    rate_bound,
    utility_rate,
)
from .ratio import Ratio
from .refinement import Refined, refinement
from .regularity import distance_distribution, distance_regularity, vertex_transitivity
from .release import Release, ReleaseRecord, release, release_csv
from .repetition.breach_probability import BreachProbability, breach_probability
from .repetition.curve import ObservationsNeeded, observations_needed, success_curve
from .repetition.enclosure import Enclosed, EventProbability, SuccessProbability
from .repetition.likelihood_bounds import success_bounds
from .repetition.simulation import SimulatedSuccess, simulate_success
from .repetition.success import (
    RepeatedLeakage,
    expected_gain,
    expected_loss,
    repeated_leakage,
    success_probability,
)
from .sampling import sample
from .secrets import SecretGraph
from .separation import NotRefined
from .sharply_transitive import sharply_transitive_set
from .symmetrise import diagonal_form, symmetrise, symmetrise_by_distance
from .symmetry import AutomorphismGroup, automorphism_group
from .utility import Utility, oblivious, utility
from .worst_case.bound_table import Bound, Inapplicable, LeakageBounds
from .worst_case.codes import (
    CoveringCode,
    covering_code,
    greedy_code,
    hamming_code,
    repetition_code,
    smallest_code,
)
from .worst_case.decision import BoundDecision, decide_bound
from .worst_case.few_outputs import worst_case_with_outputs
from .worst_case.optimum import WorstCase, worst_case_leakage
from .worst_case.parametric import WorstCaseFunction, worst_case_function
from .worst_case.published import leakage_bounds
from .wreath import WreathGroup

__all__ = [
    "AdditiveEnclosure",
    "AdjacencyGraph",
    "AtLeast",
    "AtMost",
    "AutomorphismGroup",
    "AverageBreachLevel",
    "BestMechanism",
    "BlockMechanism",
    "Bound",
    "BoundDecision",
    "Breach",
    "BreachLevel",
    "BreachProbability",
    "Capacity",
    "CapacityEnclosure",
    "Chance",
    "Channel",
    "ChernoffInformation",
    "Count",
    "CoveringCode",
    "DPrivacyLevel",
    "Distribution",
    "Enclosed",
    "EntropyLeakage",
    "EpsilonLowerBound",
    "EvenRing",
    "EventProbability",
    "Explanation",
    "ExponentialMechanism",
    "Gain",
    "GeometricNoise",
    "Graph",
    "GraphExponential",
    "Guarantee",
    "Hyper",
    "Inapplicable",
    "IndependenceTest",
    "IndividualBreachLevel",
    "InvalidChannel",
    "InvalidDistribution",
    "InvalidFile",
    "InvalidGain",
    "InvalidGraph",
    "InvalidInput",
    "InvalidNumber",
    "InvalidPolicy",
    "Leakage",
    "LeakageBounds",
    "LeakageEstimate",
    "LeaktightError",
    "Loss",
    "Mechanism",
    "Mismatch",
    "NormalisedExponential",
    "NotRefined",
    "Observations",
    "ObservationsNeeded",
    "OneAtATime",
    "OneBit",
    "OneOf",
    "Parallel",
    "PlanarGeometric",
    "PlanarLaplace",
    "Policy",
    "PrivacyLevel",
    "Probability",
    "ProductDistribution",
    "RandomizedResponse",
    "Rate",
    "Ratio",
    "Refined",
    "Release",
    "ReleaseRecord",
    "Repaired",
    "RepeatedLeakage",
    "RoundedLaplace",
    "RowDistance",
    "SecretGraph",
    "Sensitivity",
    "SimulatedSuccess",
    "SuccessProbability",
    "TightConstraints",
    "TooLarge",
    "TradeOff",
    "Tries",
    "TruncatedChannel",
    "TruncatedGeometric",
    "UNFINISHED",
    "Undecided",
    "Utility",
    "Witness",
    "WorstCase",
    "WorstCaseFunction",
    "WreathGroup",
    "additive_bayes_capacity",
    "additive_capacity",
    "answer_graph",
    "audit_mechanism",
    "automorphism_group",
    "average_breach_level",
    "average_breach_rate",
    "average_level_from_leakage",
    "breach_level",
    "breach_probability",
    "breach_probability_rate",
    "breach_rate",
    "breaches",
    "cachin_entropy",
    "channel_of",
    "chernoff_information",
    "component_levels",
    "conditional_entropy",
    "conditional_guessing_entropy",
    "conditional_renyi_entropy",
    "count",
    "counting_query",
    "covering_code",
    "d_privacy_level",
    "decide_bound",
    "diagonal_form",
    "distance_distribution",
    "distance_regularity",
    "distinguishability",
    "error_rate",
    "estimate_min_entropy_leakage",
    "estimate_mutual_information",
    "estimate_posterior_vulnerability",
    "expected_gain",
    "expected_loss",
    "explain",
    "g_leakage",
    "geometric_chernoff",
    "geometric_noise",
    "greedy_code",
    "guessing_entropy",
    "guessing_leakage",
    "hamming_code",
    "hyper",
    "independence_test",
    "independent_breach_level",
    "individual_breach_level",
    "individual_sets",
    "kantorovich",
    "largest_n",
    "largest_row_distance",
    "leakage_bounds",
    "leakage_from_average_level",
    "least_leaking",
    "ln",
    "ln_interval",
    "log2",
    "log2_interval",
    "membership_capacity",
    "membership_rate",
    "min_capacity",
    "min_entropy_leakage",
    "most_useful",
    "multiplicative_distance",
    "mutual_information",
    "neighbour_rate_bound",
    "oblivious",
    "observations_needed",
    "optimal_mechanism",
    "parallel",
    "posterior_risk",
    "posterior_vulnerability",
    "privacy_level",
    "product_distribution",
    "rate_bound",
    "read_channel",
    "read_observations",
    "refinement",
    "release",
    "release_csv",
    "renyi_capacity",
    "renyi_entropy",
    "renyi_leakage",
    "repair",
    "repeated",
    "repeated_leakage",
    "repetition_code",
    "risk",
    "risk_capacity",
    "risk_leakage",
    "sample",
    "sensitivity",
    "sequential",
    "shannon_capacity",
    "shannon_entropy",
    "shannon_leakage",
    "sharply_transitive_set",
    "simulate_success",
    "smallest_code",
    "spanning_capacity",
    "strategy",
    "success_bounds",
    "success_curve",
    "success_probability",
    "symmetrise",
    "symmetrise_by_distance",
    "total_variation",
    "truncated_channel_of",
    "utility",
    "utility_rate",
    "verify_certificate",
    "vertex_transitivity",
    "vulnerability",
    "worst_case_function",
    "worst_case_leakage",
    "worst_case_with_outputs",
    "write_certificate",
    "write_channel",
]

__version__: str
