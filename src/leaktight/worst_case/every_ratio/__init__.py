"""What is the worst case for all ε at once?"""

from leaktight.worst_case.every_ratio.decision import decide_bound

__all__ = [
    "decide_bound",
]
