"""Which private mechanism is best, and what proves it?"""

from leaktight.mechanisms.best.best import BestMechanism, optimal_mechanism
from leaktight.mechanisms.best.few_outputs import WorstCaseWithOutputs, worst_case_with_outputs
from leaktight.mechanisms.best.under_curve import CurveMechanism

__all__ = [
    "BestMechanism",
    "CurveMechanism",
    "WorstCaseWithOutputs",
    "optimal_mechanism",
    "worst_case_with_outputs",
]
