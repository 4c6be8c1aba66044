"""Which private mechanism is best, and what proves it?"""

from leaktight.mechanisms.best.best import BestMechanism, optimal_mechanism
from leaktight.mechanisms.best.few_outputs import WorstCaseWithOutputs, worst_case_with_outputs

__all__ = [
    "BestMechanism",
    "WorstCaseWithOutputs",
    "optimal_mechanism",
    "worst_case_with_outputs",
]
