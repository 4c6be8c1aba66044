from .best.best import BestMechanism, optimal_mechanism
from .best.few_outputs import WorstCaseWithOutputs, worst_case_with_outputs
from .best.rate_distortion import RateDistortion, rate_distortion
from .best.repair import Repaired, repair
from .best.tradeoff import TradeOff, least_leaking, most_useful
from .best.under_curve import CurveMechanism
from .calibrated import Calibrated, calibrated
from .clamped import ClampedLaplace
from .disclosure.count import PerturbedCount
from .disclosure.linked import LinkedCounts
from .disclosure.odds import CountOdds, count_odds
from .disclosure.perturbation import (
    CellKey,
    CountPerturbation,
    Rounding,
    Suppression,
    TopCoding,
)
from .disclosure.records import pram, swapping
from .discrete_gaussian import DiscreteGaussian
from .exponential import ExponentialMechanism
from .geometric import GeometricNoise, TruncatedGeometric
from .graph_exponential import GraphExponential, NormalisedExponential, TightConstraints
from .laplace import RoundedLaplace
from .mechanism import Guarantee, Mechanism
from .planar import PlanarGeometric, PlanarLaplace
from .randomized_response import RandomizedResponse
from .registry import Construction, constructions
from .release.draw import sample
from .release.file import release_csv
from .release.noise import geometric_noise
from .release.release import Release, ReleaseRecord, release
from .staircase import StaircaseNoise

__all__ = [
    "BestMechanism",
    "Calibrated",
    "CellKey",
    "ClampedLaplace",
    "Construction",
    "CountOdds",
    "CountPerturbation",
    "CurveMechanism",
    "DiscreteGaussian",
    "ExponentialMechanism",
    "GeometricNoise",
    "GraphExponential",
    "Guarantee",
    "LinkedCounts",
    "Mechanism",
    "NormalisedExponential",
    "PerturbedCount",
    "PlanarGeometric",
    "PlanarLaplace",
    "RandomizedResponse",
    "RateDistortion",
    "Release",
    "ReleaseRecord",
    "Repaired",
    "RoundedLaplace",
    "Rounding",
    "StaircaseNoise",
    "Suppression",
    "TightConstraints",
    "TopCoding",
    "TradeOff",
    "TruncatedGeometric",
    "WorstCaseWithOutputs",
    "calibrated",
    "constructions",
    "count_odds",
    "geometric_noise",
    "least_leaking",
    "most_useful",
    "optimal_mechanism",
    "pram",
    "rate_distortion",
    "release",
    "release_csv",
    "repair",
    "sample",
    "swapping",
    "worst_case_with_outputs",
]
