from .best import BestMechanism, optimal_mechanism
from .few_outputs import WorstCaseWithOutputs, worst_case_with_outputs
from .under_curve import CurveMechanism

__all__ = [
    "BestMechanism",
    "CurveMechanism",
    "WorstCaseWithOutputs",
    "optimal_mechanism",
    "worst_case_with_outputs",
]
