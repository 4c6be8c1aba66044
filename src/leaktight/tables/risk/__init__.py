"""If a table is handed out, who can be found in it, and what is learnt of them?"""

from leaktight.tables.risk.answer import Changed, Crowd, Exposure, KnownShare, Risk, Sampled, Worst
from leaktight.tables.risk.change import Change
from leaktight.tables.risk.question import count_combinations
from leaktight.tables.risk.risk import risk
from leaktight.tables.risk.sampled import HYPERGEOMETRIC

__all__ = [
    "HYPERGEOMETRIC",
    "Change",
    "Changed",
    "Crowd",
    "Exposure",
    "KnownShare",
    "Risk",
    "Sampled",
    "Worst",
    "count_combinations",
    "risk",
]
