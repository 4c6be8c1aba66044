"""What is asked of a table? Each kind of question has a file, and registers itself."""

from leaktight.tables.queries.answer import (
    Answer,
    Expected,
    shown_interval,
    shown_number,
    written_number,
)
from leaktight.tables.queries.count import CountOf, count_of
from leaktight.tables.queries.cumulative import Cumulative, cumulative
from leaktight.tables.queries.hierarchy import Hierarchy, hierarchy
from leaktight.tables.queries.histogram import (
    Histogram,
    OrderedHistogram,
    PlainHistogram,
    histogram,
)
from leaktight.tables.queries.mean import MeanOf, mean_of
from leaktight.tables.queries.quantiles import Median, Quantiles, median_of, quantiles_of
from leaktight.tables.queries.query import (
    KINDS,
    LARGEST_SHARE,
    Block,
    Form,
    Part,
    Space,
    TableQuery,
    blocks_of,
    distinct,
)
from leaktight.tables.queries.sum import SumOf, sum_of

__all__ = [
    "KINDS",
    "LARGEST_SHARE",
    "Answer",
    "Block",
    "CountOf",
    "Cumulative",
    "Expected",
    "Form",
    "Hierarchy",
    "Histogram",
    "MeanOf",
    "Median",
    "OrderedHistogram",
    "Part",
    "PlainHistogram",
    "Quantiles",
    "Space",
    "SumOf",
    "TableQuery",
    "blocks_of",
    "count_of",
    "cumulative",
    "distinct",
    "hierarchy",
    "histogram",
    "mean_of",
    "median_of",
    "quantiles_of",
    "shown_interval",
    "shown_number",
    "sum_of",
    "written_number",
]
