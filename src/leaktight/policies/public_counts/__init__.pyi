from .answers import Answers, counted_answers
from .cells import Cells
from .counts import Most, PublicCounts
from .gains import Gains, Move
from .kinds import Kinds
from .linear_change import largest_change
from .search import Heaviest
from .whole_change import (
    Change,
    largest_whole_change,
    largest_whole_square,
    scaled,
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
    "scaled",
]
