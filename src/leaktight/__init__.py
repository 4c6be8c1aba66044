"""leaktight: how much does a release of data leak?

A policy says which databases must not be told apart; a channel says what is seen of each.

>>> import leaktight as lt
>>> policy = lt.Policy(lt.SecretGraph.complete(["no", "yes"]), records=2)
>>> answer = lt.Channel([["2/3", "1/3"], ["1/3", "2/3"]], inputs=["no", "yes"])
>>> survey = lt.parallel(answer, answer)
>>> lt.privacy_level(survey, policy).ratio             # λ = e^ε: how private is it?
Fraction(2, 1)
>>> lt.min_capacity(survey).factor                     # how much better does anyone guess?
Fraction(16, 9)
>>> lt.worst_case_leakage(policy, ratio=2).upper       # and after any mechanism as private?
Fraction(16, 9)
"""

from leaktight.additive_capacity import (
    AdditiveEnclosure,
    additive_bayes_capacity,
    additive_capacity,
    spanning_capacity,
)
from leaktight.adjacency import AdjacencyGraph
from leaktight.attacker import largest_n
from leaktight.average_breach import (
    AverageBreachLevel,
    average_breach_level,
    average_level_from_leakage,
    leakage_from_average_level,
)
from leaktight.breach import Breach, breaches, individual_sets
from leaktight.breach_level import (
    BreachLevel,
    IndividualBreachLevel,
    breach_level,
    independent_breach_level,
    individual_breach_level,
)
from leaktight.capacity import Capacity, membership_capacity, min_capacity, risk_capacity
from leaktight.certificate import certificate, verify_certificate, write_certificate
from leaktight.chance import Chance
from leaktight.channel import Channel
from leaktight.channel_file import read_channel, write_channel
from leaktight.chernoff import ChernoffInformation, chernoff_information, geometric_chernoff
from leaktight.composition import Parallel, parallel, repeated, sequential
from leaktight.constraint import Count, count
from leaktight.distance import (
    RowDistance,
    kantorovich,
    largest_row_distance,
    multiplicative_distance,
    total_variation,
)
from leaktight.distribution import Distribution, ProductDistribution, product_distribution
from leaktight.entropy import (
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
from leaktight.errors import (
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
from leaktight.estimate.black_box import EpsilonLowerBound, audit_mechanism
from leaktight.estimate.counts import Observations, read_observations
from leaktight.estimate.drawing import OneAtATime
from leaktight.estimate.event import AtLeast, AtMost, OneOf
from leaktight.estimate.independence import IndependenceTest, independence_test
from leaktight.estimate.information_estimate import estimate_mutual_information
from leaktight.estimate.leakage_estimate import (
    LeakageEstimate,
    estimate_min_entropy_leakage,
    estimate_posterior_vulnerability,
)
from leaktight.exact import ln, ln_interval, log2, log2_interval
from leaktight.explanation import Explanation, explain
from leaktight.gain import Gain, Loss, Tries
from leaktight.graph import Graph
from leaktight.hyper import Hyper, hyper
from leaktight.information_capacity import CapacityEnclosure, renyi_capacity, shannon_capacity
from leaktight.leakage import (
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
from leaktight.mechanisms.blocks import BlockMechanism
from leaktight.mechanisms.design import BestMechanism, optimal_mechanism
from leaktight.mechanisms.even_ring import EvenRing
from leaktight.mechanisms.exponential import ExponentialMechanism
from leaktight.mechanisms.geometric import GeometricNoise, TruncatedGeometric
from leaktight.mechanisms.graph_exponential import GraphExponential, NormalisedExponential
from leaktight.mechanisms.guarantee import Guarantee, Mechanism
from leaktight.mechanisms.laplace import RoundedLaplace
from leaktight.mechanisms.one_bit import OneBit
from leaktight.mechanisms.planar import PlanarGeometric, PlanarLaplace
from leaktight.mechanisms.randomized_response import RandomizedResponse
from leaktight.mechanisms.repair import Repaired, repair
from leaktight.mechanisms.tight_constraints import TightConstraints
from leaktight.mechanisms.tradeoff import TradeOff, least_leaking, most_useful
from leaktight.noise import geometric_noise
from leaktight.percent import Probability
from leaktight.policy import Policy
from leaktight.privacy import (
    DPrivacyLevel,
    PrivacyLevel,
    Witness,
    component_levels,
    d_privacy_level,
    distinguishability,
    privacy_level,
)
from leaktight.program import UNFINISHED, TruncatedChannel, channel_of, truncated_channel_of
from leaktight.query import Sensitivity, answer_graph, counting_query, sensitivity
from leaktight.rates import (
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
from leaktight.ratio import Ratio
from leaktight.refinement import Refined, refinement
from leaktight.regularity import distance_distribution, distance_regularity, vertex_transitivity
from leaktight.release import Release, ReleaseRecord, release, release_csv
from leaktight.repetition.breach_probability import BreachProbability, breach_probability
from leaktight.repetition.curve import ObservationsNeeded, observations_needed, success_curve
from leaktight.repetition.enclosure import Enclosed, EventProbability, SuccessProbability
from leaktight.repetition.likelihood_bounds import success_bounds
from leaktight.repetition.simulation import SimulatedSuccess, simulate_success
from leaktight.repetition.success import (
    RepeatedLeakage,
    expected_gain,
    expected_loss,
    repeated_leakage,
    success_probability,
)
from leaktight.sampling import sample
from leaktight.secrets import SecretGraph
from leaktight.separation import NotRefined
from leaktight.sharply_transitive import sharply_transitive_set
from leaktight.symmetrise import diagonal_form, symmetrise, symmetrise_by_distance
from leaktight.symmetry import AutomorphismGroup, automorphism_group
from leaktight.utility import Utility, oblivious, utility
from leaktight.worst_case.bound_table import Bound, Inapplicable, LeakageBounds
from leaktight.worst_case.codes import (
    CoveringCode,
    covering_code,
    greedy_code,
    hamming_code,
    repetition_code,
    smallest_code,
)
from leaktight.worst_case.decision import BoundDecision, decide_bound
from leaktight.worst_case.few_outputs import worst_case_with_outputs
from leaktight.worst_case.optimum import WorstCase, worst_case_leakage
from leaktight.worst_case.parametric import WorstCaseFunction, worst_case_function
from leaktight.worst_case.published import leakage_bounds
from leaktight.wreath import WreathGroup

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
    "certificate",
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

__version__ = "0.1.0"
