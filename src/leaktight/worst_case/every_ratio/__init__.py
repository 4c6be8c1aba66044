"""What is the worst case for all ε at once?"""

from leaktight.worst_case.every_ratio.decision import decide_bound
from leaktight.worst_case.every_ratio.function import worst_case_function
from leaktight.worst_case.every_ratio.piece import Piece

__all__ = [
    "Piece",
    "decide_bound",
    "worst_case_function",
]
