from .best.best import BestMechanism, optimal_mechanism
from .best.few_outputs import WorstCaseWithOutputs, worst_case_with_outputs
from .best.rate_distortion import RateDistortion, rate_distortion
from .best.repair import Repaired, repair
from .best.tradeoff import TradeOff, least_leaking, most_useful
from .calibrated import Calibrated, calibrated
from .clamped import ClampedLaplace
from .discrete_gaussian import DiscreteGaussian
from .exponential import ExponentialMechanism
from .geometric import GeometricNoise, TruncatedGeometric
from .graph_exponential import GraphExponential, NormalisedExponential
from .laplace import RoundedLaplace
from .mechanism import Guarantee, Mechanism
from .planar import PlanarGeometric, PlanarLaplace
from .randomized_response import RandomizedResponse
from .release.draw import sample
from .release.file import release_csv
from .release.noise import geometric_noise
from .release.release import Release, ReleaseRecord, release
from .staircase import StaircaseNoise
from .tight_constraints import TightConstraints

__all__ = [
    "BestMechanism",
    "Calibrated",
    "ClampedLaplace",
    "DiscreteGaussian",
    "ExponentialMechanism",
    "GeometricNoise",
    "GraphExponential",
    "Guarantee",
    "Mechanism",
    "NormalisedExponential",
    "PlanarGeometric",
    "PlanarLaplace",
    "RandomizedResponse",
    "RateDistortion",
    "Release",
    "ReleaseRecord",
    "Repaired",
    "RoundedLaplace",
    "StaircaseNoise",
    "TightConstraints",
    "TradeOff",
    "TruncatedGeometric",
    "WorstCaseWithOutputs",
    "calibrated",
    "geometric_noise",
    "least_leaking",
    "most_useful",
    "optimal_mechanism",
    "rate_distortion",
    "release",
    "release_csv",
    "repair",
    "sample",
    "worst_case_with_outputs",
]
