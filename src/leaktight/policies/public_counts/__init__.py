"""Who is whose neighbour if counts are public, for any number of records?"""

from leaktight.policies.public_counts.answers import Answers, counted_answers
from leaktight.policies.public_counts.cells import Cells
from leaktight.policies.public_counts.counts import Most, PublicCounts
from leaktight.policies.public_counts.gains import Gains, Move
from leaktight.policies.public_counts.kinds import Kinds
from leaktight.policies.public_counts.linear_change import largest_change
from leaktight.policies.public_counts.search import Heaviest
from leaktight.policies.public_counts.whole_change import (
    Change,
    largest_whole_change,
    largest_whole_square,
)

__all__ = [
    "Answers",
    "Cells",
    "Change",
    "Gains",
    "Heaviest",
    "Kinds",
    "Most",
    "Move",
    "PublicCounts",
    "counted_answers",
    "largest_change",
    "largest_whole_change",
    "largest_whole_square",
]
