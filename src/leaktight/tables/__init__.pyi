from .budget import Budget, Spent
from .ledger.entry import Entry
from .ledger.ledger import Ledger
from .odds import Odds, odds
from .plan import Expected, plan
from .publishing import Answer, TableRelease, release
from .query import TableQuery, count_of, cumulative, hierarchy, histogram, sum_of
from .reading import Reading

__all__ = [
    "Answer",
    "Budget",
    "Entry",
    "Expected",
    "Ledger",
    "Odds",
    "Reading",
    "Spent",
    "TableQuery",
    "TableRelease",
    "count_of",
    "cumulative",
    "hierarchy",
    "histogram",
    "odds",
    "plan",
    "release",
    "sum_of",
]
