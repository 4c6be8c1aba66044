from .ledger.entry import Entry
from .ledger.ledger import Ledger
from .plan import Expected, plan
from .publishing import TableRelease, release
from .query import TableQuery, count_of, cumulative, hierarchy, histogram, sum_of

__all__ = [
    "Entry",
    "Expected",
    "Ledger",
    "TableQuery",
    "TableRelease",
    "count_of",
    "cumulative",
    "hierarchy",
    "histogram",
    "plan",
    "release",
    "sum_of",
]
