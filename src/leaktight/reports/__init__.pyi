from .page import write_report
from .table import Table, table
from .terminal import summary

__all__ = ["Table", "summary", "table", "write_report"]
