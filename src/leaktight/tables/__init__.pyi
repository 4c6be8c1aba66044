from .accountant import Accountant
from .attributes import AttributeOdds, AttributeValue
from .budget import Budget
from .consistent import Consistent, consistent
from .ledger.entry import Entry
from .ledger.ledger import Ledger
from .microdata.answer import Disclosure, Loss, Plan, Protected
from .microdata.protect import protect
from .microdata.statistics import Statistic
from .odds import Odds
from .output import write_release
from .overview import ColumnOverview, TableOverview, overview
from .per_row import RowsRelease, release_rows
from .plan import plan
from .publishing import TableRelease, release
from .queries.answer import Answer, Expected
from .queries.count import count_of
from .queries.cumulative import cumulative
from .queries.hierarchy import hierarchy
from .queries.histogram import histogram
from .queries.mean import mean_of
from .queries.quantiles import median_of, quantiles_of
from .queries.query import TableQuery
from .queries.sum import sum_of
from .reading import Reading
from .record import TableRecord, record_of
from .risk.answer import Changed, Crowd, Exposure, KnownShare, Risk, Sampled, Worst
from .risk.change import Change
from .risk.risk import risk
from .statement import Statement, statement
from .synthetic import Membership, Share, SyntheticRisk, synthetic_risk
from .verification import Checked, verify_record

__all__ = [
    "Accountant",
    "Answer",
    "AttributeOdds",
    "AttributeValue",
    "Budget",
    "Change",
    "Changed",
    "Checked",
    "ColumnOverview",
    "Consistent",
    "Crowd",
    "Disclosure",
    "Entry",
    "Expected",
    "Exposure",
    "KnownShare",
    "Ledger",
    "Loss",
    "Membership",
    "Odds",
    "Plan",
    "Protected",
    "Reading",
    "Risk",
    "RowsRelease",
    "Sampled",
    "Share",
    "Statement",
    "Statistic",
    "SyntheticRisk",
    "TableOverview",
    "TableQuery",
    "TableRecord",
    "TableRelease",
    "Worst",
    "consistent",
    "count_of",
    "cumulative",
    "hierarchy",
    "histogram",
    "mean_of",
    "median_of",
    "overview",
    "plan",
    "protect",
    "quantiles_of",
    "record_of",
    "release",
    "release_rows",
    "risk",
    "statement",
    "sum_of",
    "synthetic_risk",
    "verify_record",
    "write_release",
]
