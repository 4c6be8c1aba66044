from .budget import Budget
from .consistent import Consistent, consistent
from .ledger.entry import Entry
from .ledger.ledger import Ledger
from .odds import Odds
from .output import write_release
from .per_row import RowsRelease, release_rows
from .plan import Expected, plan
from .publishing import Answer, TableRelease, release
from .query import TableQuery, count_of, cumulative, hierarchy, histogram, sum_of
from .reading import Reading
from .record import TableRecord, record_of
from .spent import Spent
from .statement import Statement, statement

__all__ = [
    "Answer",
    "Budget",
    "Consistent",
    "Entry",
    "Expected",
    "Ledger",
    "Odds",
    "Reading",
    "RowsRelease",
    "Spent",
    "Statement",
    "TableQuery",
    "TableRecord",
    "TableRelease",
    "consistent",
    "count_of",
    "cumulative",
    "hierarchy",
    "histogram",
    "plan",
    "record_of",
    "release",
    "release_rows",
    "statement",
    "sum_of",
    "write_release",
]
